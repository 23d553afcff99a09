"use strict";
// Figures as SVG and CSV, tables as CSV and LaTeX: what the page shows now, in the order shown.
(() => {
  const LATEX = {{ latex_letters | tojson }}, PAGE = {{ latex_page }};
  const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity",
    "font-family", "font-size", "font-weight", "text-anchor", "paint-order", "visibility"];
  const words = (node) => node?.textContent.replace(/\s+/g, " ").trim() ?? "";
  const csv = (rows) => rows.map((row) => row.map((cell) =>
    (/[",\r\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(",")).join("\n") + "\n";
  const tex = (text) => [...String(text)].map((letter) => LATEX[letter] ?? letter).join("");

  const parts = (table) => {
    const head = table.tHead?.rows ?? [], body = [...table.tBodies].flatMap((each) => [...each.rows]);
    const heads = [...(head[head.length - 1]?.cells ?? [])];
    const rows = table.everyRow?.() ?? body.filter((row) => !row.hidden)
      .map((row) => [...row.cells].map((cell) => cell.textContent));
    return {
      heads: heads.map((cell) => cell.textContent), rows,
      groups: head.length > 1 ? [...head[0].cells].map((cell) => [words(cell), cell.colSpan]) : [],
      number: heads.map((cell, at) => cell.classList.contains("n") || body[0]?.cells[at]?.classList.contains("n")),
      print: heads.map((cell) => !cell.hasAttribute("data-screen")),
    };
  };
  const latex = (table, title, name) => {
    const { heads, rows, groups, number, print } = parts(table);
    const kept = (row) => row.filter((_, at) => print[at]);
    const line = (cells) => `${cells.map(tex).join(" & ")} \\\\`;
    const layout = kept(number).map((each) => (each ? "r" : "l")).join("");
    const top = [];
    if (groups.length) {
      const cells = [], rules = [];
      let at = 1, place = 0;
      for (const [group, wide] of groups) {
        const span = print.slice(place, place += wide).filter(Boolean).length;
        if (!span) continue;
        if (group) {
          cells.push(`\\multicolumn{${span}}{c}{${tex(group)}}`);
          rules.push(`\\cmidrule(lr){${at}-${at + span - 1}}`);
        } else for (let n = 0; n < span; n += 1) cells.push("");
        at += span;
      }
      top.push(`${cells.join(" & ")} \\\\`, rules.join(""));
    }
    top.push(line(kept(heads)));
    const body = rows.map((row) => line(kept(row)));
    const caption = `\\caption{${tex(title)}}\\label{tab:${name}}`, note = "% Needs \\usepackage{booktabs";
    return (body.length <= PAGE
      ? [`${note}}`, "\\begin{table}", "\\centering", caption, `\\begin{tabular}{${layout}}`, "\\toprule",
        ...top, "\\midrule", ...body, "\\bottomrule", "\\end{tabular}", "\\end{table}", ""]
      : [`${note},longtable}`, `\\begin{longtable}{${layout}}`, `${caption} \\\\`, "\\toprule", ...top,
        "\\midrule", "\\endfirsthead", "\\toprule", ...top, "\\midrule", "\\endhead", ...body,
        "\\bottomrule", "\\end{longtable}", ""]).join("\n");
  };

  // Of a picture its file; of a drawing of this page a copy with its looks, on the page's background.
  const svg = (figure) => {
    if (figure.tagName === "IMG") return decodeURIComponent(figure.src.slice(figure.src.indexOf(",") + 1));
    const copy = figure.cloneNode(true), box = figure.getBoundingClientRect();
    const nodes = [figure, ...figure.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
    nodes.forEach((node, at) => {
      const look = getComputedStyle(node);
      copies[at].setAttribute("style", LOOK.map((name) => `${name}:${look.getPropertyValue(name)}`).join(";"));
    });
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", box.height);
    copy.setAttribute("style", `background:${getComputedStyle(document.body).backgroundColor}`);
    return new XMLSerializer().serializeToString(copy);
  };
  // Of a picture the points that it marks: "series: x axis 3, y axis 5".
  const NUMBER = "(-?[\\d.,]+(?:e[+-]?\\d+)?)";
  const MARK = new RegExp(`^(?:(.+): )?(.+) ${NUMBER}, (.+) ${NUMBER}$`);
  // Of bars the value of each.
  const bars = (figure) => [["bar", figure.dataset.unit || "value"],
    ...[...figure.querySelectorAll("[data-bar]")].map((each) => [each.dataset.bar, each.dataset.value])];
  const points = (figure) => figure.everyRow?.() ?? (figure.matches(".bars") ? bars(figure) : null) ?? [
    ["series", "x axis", "x", "y axis", "y"],
    ...[...(figure.closest(".marked")?.querySelectorAll("i") ?? [])].map((mark) => {
      const label = mark.getAttribute("aria-label"), found = MARK.exec(label);
      return found ? [found[1] ?? "", found[2], found[3].replaceAll(",", ""), found[4],
        found[5].replaceAll(",", "")] : [label, "", "", "", ""];
    }),
  ];

  const file = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "page";
  const heading = (node) => {
    const before = [...document.querySelectorAll("h1, h2, h3")]
      .filter((each) => each.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
    return words(before[before.length - 1]);
  };
  const titleOf = (node) => node.dataset.title ?? node.getAttribute("alt") ?? node.getAttribute("aria-label")
    ?? (words(node.closest(".table")?.querySelector(".caption"))
      || words(node.closest("details")?.querySelector("summary")).replace(/ \(\d+ rows\)$/, "")
      || node.closest("[aria-label]")?.getAttribute("aria-label") || heading(node));
  const nameOf = (node) => node.closest(".table[id]")?.id ?? file(titleOf(node));
  const list = () => {
    const figures = [...document.querySelectorAll("main figure img, main svg[role=img]")];
    const tables = [...document.querySelectorAll("main table")].filter((each) => !each.closest("#tip"));
    return [
      // A picture that marks no points is saved as it is.
      ...figures.map((each) => [each, { SVG: svg,
        ...(points(each).length > 1 && { CSV: (figure) => csv(points(figure)) }) }]),
      ...tables.map((each) => [each, {
        CSV: (table) => { const { heads, rows } = parts(table); return csv([heads, ...rows]); },
        LaTeX: (table) => latex(table, titleOf(table), nameOf(table)),
      }]),
    ];
  };
  const KIND = { SVG: ["svg", "image/svg+xml"], CSV: ["csv", "text/csv"], LaTeX: ["tex", "text/plain"] };
  const box = document.getElementById("save");
  box.addEventListener("toggle", () => {
    box.querySelector("ul").replaceChildren(...list().map(([node, forms]) => {
      const item = document.createElement("li");
      item.append(titleOf(node));
      for (const [form, make] of Object.entries(forms)) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = form;
        button.addEventListener("click", () => {
          const link = document.createElement("a");
          link.href = URL.createObjectURL(new Blob([make(node)], { type: KIND[form][1] }));
          link.download = `${file(nameOf(node))}.${KIND[form][0]}`;
          link.click();
          setTimeout(() => URL.revokeObjectURL(link.href), 60_000);  // not before it is saved
        });
        item.append(" ", button);
      }
      return item;
    }));
  });
})();
