"use strict";
(() => {
  const key = (cell) => cell.dataset.order ?? plain(cell.textContent.trim());
  const plain = (text) => /^[−\d][\d,.e]*$/.test(text) ? text.replaceAll(",", "").replace("−", "-") : text;
  const compare = (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    if (a !== "" && b !== "" && !Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return a.localeCompare(b, "en");
  };

  for (const box of document.querySelectorAll("div.table")) {
    const body = box.querySelector("tbody");
    const heads = [...box.querySelectorAll("tr.heads th")];
    const sort = (at, down) => {
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      heads[at].setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows];
      rows.sort((a, b) => compare(key(a.cells[at]), key(b.cells[at])) * (down ? -1 : 1));
      body.append(...rows);
    };
    heads.forEach((head, at) => head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      sort(at, down);
      fragment.set(`${box.id}.sort`, down ? -at - 1 : at + 1);
    }));
    const sorted = Number(fragment.get(`${box.id}.sort`));
    if (sorted && heads[Math.abs(sorted) - 1]) sort(Math.abs(sorted) - 1, sorted < 0);
    const choices = [...box.querySelectorAll("select")];
    const choose = () => {
      for (const row of body.rows) {
        row.hidden = choices.some((choice) => choice.value !== ""
          && row.cells[Number(choice.dataset.column)].textContent.trim() !== choice.value);
      }
    };
    for (const choice of choices) {
      const name = `${box.id}.${choice.dataset.column}`, chosen = fragment.get(name);
      if ([...choice.options].some((each) => each.value === chosen)) choice.value = chosen;
      choice.addEventListener("change", () => { choose(); fragment.set(name, choice.value, ""); });
    }
    choose();
  }

  document.addEventListener("pointerover", (event) => {
    const value = event.target.closest(".v");
    if (value) value.title = value.dataset.source ?? value.dataset.how;
  });
  // A touch screen has no tooltips: a tap on a number says where it is from.
  const bar = document.getElementById("source-bar");
  document.addEventListener("click", (event) => {
    document.querySelector(".v.chosen")?.classList.remove("chosen");
    const value = event.target.closest(".v");
    bar.hidden = value === null && !event.target.closest(".marked i");
    if (value === null) return;
    value.classList.add("chosen");
    bar.textContent = value.dataset.source ?? value.dataset.how;
  });
  // What a point of a figure is: on hover, on focus, on a tap; arrow keys lead from one to the next.
  for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, (event) => {
    const mark = event.target.closest(".marked i");
    if (!mark) return;
    bar.hidden = false;
    bar.textContent = mark.getAttribute("aria-label");
  });
  document.addEventListener("keydown", (event) => {
    const mark = event.target.closest(".marked i");
    const next = {ArrowRight: "next", ArrowLeft: "previous"}[event.key];
    if (!mark || !next || mark[`${next}ElementSibling`]?.tagName !== "I") return;
    event.preventDefault();
    mark[`${next}ElementSibling`].focus();
  });
  // A link into a folded table opens it.
  const unfold = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = target && target.closest("details");
    if (folded) { folded.open = true; target.scrollIntoView(); }
  };
  window.addEventListener("hashchange", unfold);
  unfold();

  // A box that is wider than its place says so; its wide texts may then be wider, too.
  const main = document.querySelector("main");
  const hint = () => {
    const boxes = [...main.querySelectorAll(".scroll")];
    for (const box of boxes) box.classList.remove("wider");
    const wider = boxes.filter((box) => box.scrollWidth > box.clientWidth + 1);
    for (const box of wider) box.classList.add("wider");
  };
  new ResizeObserver(hint).observe(main);
  new MutationObserver(hint).observe(main, { childList: true, subtree: true });

  // On paper nothing scrolls: a table that is wider than a page is drawn smaller, down to 6 pt letters.
  const PAPER = 660, SMALLEST = 0.6, tables = [...document.querySelectorAll(".scroll > table")];
  addEventListener("beforeprint", () => tables.forEach((table) => {
    table.parentElement.classList.remove("wider");
    table.style.width = 0;
    const least = table.getBoundingClientRect().width;
    table.style.width = "";
    table.classList.toggle("wraps", least * SMALLEST > PAPER);
    if (least > PAPER) table.style.zoom = Math.max(SMALLEST, PAPER / least);
  }));
  addEventListener("afterprint", () => tables.forEach((table) => {
    table.style.zoom = "";
    table.classList.remove("wraps");
  }));
})();
