"use strict";
(() => {
  const {view, knobs} = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const COLORS = {issue: 0, execute: 1, "wait.lsu": 2, "wait.vcu": 3, "retry.vcu": 4, "wait.operand": 5,
    "wait.fetch": 6, "wait.icache": 6, "wait.dcache": 2, "wait.device": 2, trap: 7, parked: 8, boot: 9};
  const PRINTED = 680;  // pixels of a page of paper between its margins
  const whole = (n) => n.toLocaleString("en-US");
  const share = (n, of) => `${(100 * n / of).toFixed(1)}%`;
  const time = (us) => us < 1000 ? `${us.toFixed(2)} µs` : `${(us / 1000).toFixed(3)} ms`;
  const make = (name, attributes = {}, ...children) => {
    const svg = ["svg", "rect", "text"].includes(name);
    const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name)
      : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  // What a mark says: on hover, on focus, on a tap.
  const tip = $("tip");
  const tell = (event) => {
    const mark = event.target.closest?.("[data-tip]");
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.tip;
    const box = mark.getBoundingClientRect();
    const x = event.clientX ?? box.left, y = event.clientY ?? box.bottom;
    tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.min(y + 14, innerHeight - tip.offsetHeight - 8)}px`;
  };
  for (const kind of ["pointermove", "pointerdown", "focusin"]) document.addEventListener(kind, tell);
  document.addEventListener("focusout", () => { tip.hidden = true; });

  const stack = (v) => {
    const svg = make("svg", {viewBox: "0 0 1000 64", role: "img", preserveAspectRatio: "none",
      "data-title": "Where the cycles go",
      "aria-label": v.stack.map((p) => `${p.heading} ${share(p.cycles, v.wall_cycles)}`).join(", ")});
    svg.style.height = "64px";
    const legend = make("ul", {class: "legend"});
    let x = 0;
    for (const part of v.stack) {
      const width = 1000 * part.cycles / v.wall_cycles, color = `var(--c${COLORS[part.cause] ?? 9})`;
      const told = `${part.heading}: ${whole(part.cycles)} cycles, ${share(part.cycles, v.wall_cycles)}`;
      svg.append(make("rect", {x, y: 0, width, height: 64, style: `fill:${color}`, tabindex: 0,
        "aria-label": told, "data-tip": told, "data-cause": part.cause}));
      const dot = make("i");
      dot.style.background = color;
      legend.append(make("li", {}, dot, told));
      x += width;
    }
    svg.everyRow = () => [["cause", "wall cycles", "share"],
      ...v.stack.map((p) => [p.heading, p.cycles, p.cycles / v.wall_cycles])];
    $("stack").replaceChildren(svg, legend);
  };

  const timeline = (v, wide = $("timeline").clientWidth) => {
    if (!v.timeline) {
      $("timeline").replaceChildren(make("p", {class: "quiet"},
        "The run is too long for a timeline; gnomon run --trace records a part of it."));
      return;
    }
    const {lanes, cycles_per_bin: width} = v.timeline, bins = lanes[0].shares.length;
    // Drawn in pixels of the page, so that no text is scaled down on a narrow one.
    const full = Math.max(wide, 260), left = 100, rest = full - left;
    const height = 24 * lanes.length + 18;
    const svg = make("svg", {viewBox: `0 0 ${full} ${height}`, width: full, height, role: "img",
      "aria-label": "What harts and units did over the run"});
    lanes.forEach((lane, row) => {
      svg.append(make("text", {x: 0, y: 24 * row + 16}, lane.name));
      lane.shares.forEach((part, bin) => {
        if (!part) return;
        const x = left + rest * bin / bins, from = bin * width;
        const doing = lane.hottest[bin] ? `, most in ${lane.hottest[bin]}` : "";
        const verb = lane.hottest.length ? "of its turns used" : "busy";
        svg.append(make("rect", {x, y: 24 * row + 2, width: rest / bins + 0.3, height: 20,
          style: `fill:var(--c${lane.hottest.length ? 0 : 3});fill-opacity:${0.15 + 0.85 * part}`,
          "data-tip": `${lane.name}, cycles ${whole(from)} to ${whole(from + width - 1)}: `
            + `${Math.round(100 * part)}% ${verb}${doing}`}));
      });
    });
    const y = 24 * lanes.length + 14;
    svg.append(make("text", {x: left, y}, "0"),
      make("text", {x: full, y, "text-anchor": "end"}, `${whole(v.wall_cycles)} wall cycles`));
    svg.everyRow = () => [["unit", "from cycle", "to cycle", "share", "most in"],
      ...lanes.flatMap((lane) => lane.shares.map((part, bin) => [lane.name, bin * width,
        Math.min((bin + 1) * width - 1, v.wall_cycles), part, lane.hottest[bin] ?? ""]))];
    $("timeline").replaceChildren(svg);
  };

  const table = (heads, rows) => make("div", {class: "table scroll"}, make("table", {},
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", {}, head)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell, at) =>
      make("td", {class: typeof cell === "number" || at === 1 ? "n" : "t"},
        typeof cell === "number" ? whole(cell) : cell)))))));

  const bounds = (v) => {
    $("bounds").replaceChildren(table(["resource", "of the run", "wall cycles", "made of"],
      v.bounds.map((b) => [b.resource, share(b.cycles, v.wall_cycles), b.cycles, b.explanation])));
    const gains = v.what_if?.gains ?? [];
    $("gains").replaceChildren(...(gains.length ? [make("h2", {}, "Other machines"),
      make("p", {class: "quiet"},
        `${v.what_if.region} on hart ${v.what_if.hart}: ${whole(v.what_if.cycles)} wall cycles here`),
      table(["change", "saves", "wall cycles", "setting", "how"], gains.map((g) => [g.change,
        g.cycles === null ? "–" : share(v.what_if.cycles - g.cycles, v.what_if.cycles),
        g.cycles ?? "–", g.setting, g.cycles === null ? g.reason : g.method]))] : []));
  };

  const source = (v) => {
    const most = Math.max(1, ...v.files.flatMap((file) => file.lines.map((line) => line[1])));
    const rows = v.elsewhere.map(([what, cycles]) => [what, share(cycles, v.wall_cycles), cycles]);
    const left = rows.length ? [...(v.files.length ? [make("h3", {}, "Not in these files")] : []),
      table(["what", "of the run", "wall cycles"], rows)] : [];
    $("source").replaceChildren(...v.files.map((file) => {
      const rows = file.lines.map(([text, cycles, energy], at) => {
        const row = make("tr", cycles > most / 10 ? {class: "hot"} : {},
          make("td", {class: "n"}, cycles ? share(cycles, v.wall_cycles) : ""),
          make("td", {class: "n"}, cycles ? whole(cycles) : ""),
          make("td", {class: "n"}, cycles && energy !== null ? energy.toPrecision(3) : ""),
          make("td", {class: "n"}, String(at + 1)), make("td", {}, text));
        if (cycles) row.style.background =
          `color-mix(in srgb, var(--c2) ${Math.round(8 + 40 * cycles / most)}%, transparent)`;
        return row;
      });
      const body = make("table", {class: "code"}, make("thead", {}, make("tr", {},
        ...["of the run", "wall cycles", "µJ", "line", ""].map((head) => make("th", {}, head)))), make("tbody", {}, ...rows));
      return make("details", file.lines.some((line) => line[1]) ? {open: ""} : {},
        make("summary", {}, file.name), make("div", {class: "scroll"}, body));
    }), ...left);
  };

  const show = (v) => {
    $("program").textContent = `${v.program} on ${v.arch}`;
    $("headline").textContent = `${whole(v.wall_cycles)} wall cycles`;
    $("limit").textContent = v.limit;
    $("cycles").textContent = whole(v.wall_cycles);
    $("time").textContent = `${time(v.time_us)} at ${v.clock_hz / 1e6} MHz`;
    $("energy").textContent = v.energy_uj === null ? "not known" : `${Number(v.energy_uj.toPrecision(4))} µJ`;
    $("priced").textContent = v.energy;
    $("ended").textContent = v.ended;
    $("warnings").replaceChildren(...v.warnings.map((w) => make("p", {class: "told"}, `warning: ${w}`)));
    for (const draw of [stack, timeline, bounds, source]) draw(v);
    shown = v;
  };
  let shown = view, wide = 0;
  show(view);
  new ResizeObserver(() => {
    if ($("timeline").clientWidth !== wide) { wide = $("timeline").clientWidth; timeline(shown); }
  }).observe($("timeline"));
  addEventListener("beforeprint", () => timeline(shown, PRINTED));
  addEventListener("afterprint", () => timeline(shown));
  if (!knobs.length) return;

  // Sliders: a re-timed answer at once where there is one, then the run itself.
  const form = $("knobs"), answer = $("answer");
  const stale = (before) => ["headline", "stack", "shown"].forEach((id) => {
    $(id).classList.toggle("stale", before);
    $(id).setAttribute("aria-busy", String(before));
  });
  let latest = 0;
  const ask = async () => {
    const own = ++latest, query = new URLSearchParams();
    stale(true);  // until the run of these settings has answered
    answer.textContent = "running …";
    for (const knob of knobs) {
      const input = form.elements[knob.key], value = knob.values[Number(input.value)];
      input.previousElementSibling.textContent = value + knob.unit;
      input.setAttribute("aria-valuetext", value + knob.unit);
      if (value !== knob.value) query.set(knob.key, value);
      fragment.set(knob.key, value, knob.value);
    }
    const get = async (what) => (await fetch(`${what}?${query}`)).json();
    try {
      const quick = await get("retime");
      if (own !== latest) return;
      answer.textContent = quick.cycles === undefined ? "running …"
        : `main: ${whole(quick.cycles)} wall cycles, re-timed; running …`;
      const told = await get("view");
      if (own !== latest) return;
      if (told.error) { answer.textContent = told.error; return; }
      show(told);
      stale(false);
      answer.textContent = `${whole(told.wall_cycles)} wall cycles, by a run`
        + (told.wall_cycles === view.wall_cycles ? "" : `; ${whole(view.wall_cycles)} as it was started`);
    } catch { if (own === latest) answer.textContent = "gnomon live has ended"; }
  };
  form.addEventListener("input", ask);
  const linked = knobs.filter((knob) => knob.values.includes(fragment.get(knob.key)));
  for (const knob of linked) form.elements[knob.key].value = knob.values.indexOf(fragment.get(knob.key));
  if (linked.some((knob) => fragment.get(knob.key) !== knob.value)) ask();
  form.addEventListener("submit", (event) => event.preventDefault());
})();
