"use strict";
(() => {
  const source = document.getElementById("data");
  const explorer = document.getElementById("explorer");
  if (!explorer) return;
  const data = JSON.parse(source.textContent);
  const metrics = new Map(data.metrics.map((metric) => [metric.name, metric]));
  const at = (id) => document.getElementById(id);
  const NS = "http://www.w3.org/2000/svg";
  // The shape says what the colour says once more, for those who cannot tell colours.
  const SHAPES = [
    (r) => `M${-r},0A${r},${r} 0 1 0 ${r},0A${r},${r} 0 1 0 ${-r},0Z`,
    (r) => `M${-r * 0.88},${-r * 0.88}h${r * 1.76}v${r * 1.76}h${-r * 1.76}Z`,
    (r) => `M0,${-r * 1.25}L${r * 1.25},0L0,${r * 1.25}L${-r * 1.25},0Z`,
    (r) => `M0,${-r * 1.2}L${r * 1.15},${r * 0.85}H${-r * 1.15}Z`,
    (r) => `M0,${r * 1.2}L${r * 1.15},${-r * 0.85}H${-r * 1.15}Z`,
    (r) => `M${-r * 0.4},${-r * 1.15}h${r * 0.8}v${r * 0.75}h${r * 0.75}v${r * 0.8}h${-r * 0.75}v${r * 0.75}h${-r * 0.8}v${-r * 0.75}h${-r * 0.75}v${-r * 0.8}h${r * 0.75}Z`,
    (r) => `M0,${-r * 1.25}L${r * 1.2},${-r * 0.4}L${r * 0.75},${r}H${-r * 0.75}L${-r * 1.2},${-r * 0.4}Z`,
  ];
  const PRINTED = 680;  // pixels of a page of paper between its margins
  const FEW_POINTS = 300;  // so many need not be pale to be told apart
  const UNITS = {
    us: [[1e6, "s"], [1e3, "ms"], [1, "µs"], [1e-3, "ns"]],
    uj: [[1e6, "J"], [1e3, "mJ"], [1, "µJ"], [1e-3, "nJ"]],
    mw: [[1e3, "W"], [1, "mW"], [1e-3, "µW"]],
    bytes: [[1024, "KiB"], [1, "B"]],
    luts: [[1, "LUT"]], ffs: [[1, "FF"]], dsps: [[1, "DSP"]], brams: [[1, "BRAM"]],
    cycles: [[1, "cycles"]], ratio: [[1, "x float"]], rewards: [[1, "rewards"]],
  };
  const unitFor = (metric, value) => {
    const units = UNITS[metric.unit] ?? [[1, metric.unit]];
    return units.find(([scale]) => Math.abs(value) >= scale) ?? units[units.length - 1];
  };
  const plain = (value, digits = 4) =>
    Number(value.toPrecision(digits)).toLocaleString("en", { maximumFractionDigits: 9 });
  // The ends of a quantity that is an estimate: area_luts has area_low_luts and area_high_luts.
  const ends = (metric, n) => ["low", "high"].map((end) =>
    metrics.get(metric.name.replace(/_(?=[a-z]+$)/, `_${end}_`))?.values[n] ?? null);
  const valueOf = (limit, n) => metrics.get(limit.metric)?.values[n] ?? null;
  const unknownOf = (n) => data.limits.filter((limit) => valueOf(limit, n) === null);
  const missedBy = (n) => data.limits.filter((limit) => {
    const value = valueOf(limit, n);
    return value !== null && (limit.most ? value > limit.limit : value < limit.limit);
  });
  const told = (metric, n) => {
    const [low, high] = ends(metric, n);
    const text = format(metric, metric.values[n]);
    if (low === null || high === null) return text;
    const scale = unitFor(metric, metric.values[n])[0];
    return `${text} (${plain(low / scale)} to ${plain(high / scale)})`;
  };
  const format = (metric, value) => {
    if (value === null) return "not known";
    const [scale, unit] = unitFor(metric, value);
    const digits = ["luts", "ffs", "dsps", "brams", "cycles"].includes(metric.unit) ? 12 : 4;
    return `${plain(value / scale, digits)} ${unit}`;
  };
  const element = (tag, attributes = {}, parent = null, text = null) => {
    const made = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== null) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };

  const state = {
    x: data.x, y: data.y, colour: data.colour, only: false, sort: data.y, down: false, rows: 25,
    current: null,
    // Points with different values of an axis that fronts are made per are no rivals: one at first.
    allowed: data.axes.map((axis) => new Set(axis.per ? [0] : axis.values.map((_, n) => n))),
  };
  const initial = state.allowed.map((allowed) => new Set(allowed));
  // Chosen values in the address: their places as ranges, "0-3.7".
  const ranges = (places) => {
    const runs = [];
    for (const place of [...places].sort((a, b) => a - b)) {
      const last = runs[runs.length - 1];
      if (last && last[1] === place - 1) last[1] = place; else runs.push([place, place]);
    }
    return runs.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(".") || "none";
  };
  const write = () => {
    for (const key of ["x", "y", "colour"]) fragment.set(key, state[key], data[key]);
    fragment.set("kept", Number(state.only), 0);
    fragment.set("sort", `${state.down ? "-" : ""}${state.sort}`, data.y);
    data.axes.forEach((axis, a) => {
      fragment.set(`only.${axis.name}`, ranges(state.allowed[a]), ranges(initial[a]));
    });
  };
  const restore = () => {
    for (const key of ["x", "y"]) if (metrics.has(fragment.get(key))) state[key] = fragment.get(key);
    if (data.axes.some((axis) => axis.name === fragment.get("colour"))) state.colour = fragment.get("colour");
    state.only = fragment.get("kept") === "1";
    const sort = fragment.get("sort") ?? state.sort;
    [state.sort, state.down] = [sort.replace(/^-/, ""), sort.startsWith("-")];
    data.axes.forEach((axis, a) => {
      const told = fragment.get(`only.${axis.name}`);
      if (told === null) return;
      const places = told.split(".").flatMap((part) => {
        const [from, to = from] = part.split("-").map(Number);
        return axis.values.map((_, place) => place).filter((place) => place >= from && place <= to);
      });
      state.allowed[a] = new Set(places);
    });
  };
  restore();
  const shownPoints = () => data.points.map((_, n) => n).filter((n) =>
    (!state.only || data.meets[n])
    && data.axes.every((axis, a) => state.allowed[a].has(axis.of[n])));

  // --- the scatter ---------------------------------------------------------------------------
  const plot = at("plot"), tip = at("tip");
  let placed = [];  // of the marks drawn: number of the point, place in pixels

  const scale = (values, from, to) => {
    let low = Math.min(...values), high = Math.max(...values);
    const log = low > 0 && high / low > 4;
    if (log) {
      const pad = Math.max((high / low) ** 0.05, 1.04);
      [low, high] = [low / pad, high * pad];
    } else {
      const pad = (high - low || Math.abs(high) || 1) * 0.07;
      [low, high] = [low >= 0 ? Math.max(low - pad, 0) : low - pad, high + pad];
    }
    const of = log ? Math.log : (value) => value;
    const place = (value) => from + (of(value) - of(low)) / (of(high) - of(low)) * (to - from);
    return { low, high, log, place };
  };
  const ticks = (range, most) => {
    const { low, high, log } = range;
    const inside = (list) => list.filter((value) => value >= low && value <= high);
    if (log) {
      for (const steps of [[1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]]) {
        const list = [];
        for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1)
          for (const step of steps) list.push(step * 10 ** power);
        const found = inside(list);
        if (found.length <= most && found.length >= 2) return found;
      }
    }
    for (let step = 10 ** Math.floor(Math.log10((high - low) / most)); ; step *= 10)
      for (const times of [1, 2, 5]) {
        const list = [];
        for (let n = Math.ceil(low / step / times); n * step * times <= high; n += 1)
          list.push(n * step * times);
        if (list.length <= most) return list;
      }
  };
  const best = (points, x, y) => {
    const sign = (name) => (data.most.includes(name) ? -1 : 1);
    const [sx, sy] = [sign(x.name), sign(y.name)];
    const sorted = points.filter((n) => data.meets[n])
      .sort((a, b) => (x.values[a] - x.values[b]) * sx || (y.values[a] - y.values[b]) * sy);
    const kept = [];
    let least = Infinity;
    for (const n of sorted) if (y.values[n] * sy < least) { least = y.values[n] * sy; kept.push(n); }
    return kept;
  };

  const draw = (wide = plot.clientWidth) => {
    const x = metrics.get(state.x), y = metrics.get(state.y);
    const visible = shownPoints();
    const points = visible.filter((n) => x.values[n] !== null && y.values[n] !== null);
    const kept = visible.filter((n) => data.meets[n]).length;
    const here = new Map();  // how many points lie at a place
    const where = (n) => `${x.values[n]} ${y.values[n]}`;
    for (const n of points) here.set(where(n), (here.get(where(n)) ?? 0) + 1);
    const without = visible.length - points.length;
    const lacking = [...new Set([x, y])].filter((metric) => visible.some((n) => metric.values[n] === null));
    at("count").textContent = `${points.length.toLocaleString("en")} of `
      + `${data.points.length.toLocaleString("en")} points shown${here.size < points.length ? ` at ${here.size.toLocaleString("en")} places` : ""}, `
      + `${kept.toLocaleString("en")} of them keep all limits`
      + (without ? `; ${without.toLocaleString("en")} cannot be shown here: their `
        + `${lacking.map((metric) => metric.word).join(" or ")} is not known` : "");
    plot.querySelector("svg")?.remove();
    placed = [];
    hide();
    const width = Math.max(wide, 280);
    const height = Math.round(Math.min(Math.max(width * 0.62, 320), 560));
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, tabindex: 0,
      role: "img", "aria-label": `${y.word} over ${x.word} of ${points.length} points` });
    if (points.length <= FEW_POINTS) svg.classList.add("few");
    plot.prepend(svg);
    if (!points.length) {
      element("text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, svg, "no point to show");
      fill();
      return;
    }
    const left = 62, right = 14, top = 42, bottom = 46;
    const spread = (metric) => points.flatMap((n) => [metric.values[n],
      ...(data.front[n] ? ends(metric, n).filter((end) => end !== null) : [])]);
    const sx = scale(spread(x), left, width - right);
    const sy = scale(spread(y), height - bottom, top);
    const unitX = unitFor(x, Math.sqrt(Math.abs(sx.low * sx.high)) || sx.high);
    const unitY = unitFor(y, Math.sqrt(Math.abs(sy.low * sy.high)) || sy.high);
    for (const value of ticks(sx, Math.max(3, Math.floor((width - left) / 75)))) {
      const place = sx.place(value);
      element("line", { class: "grid", x1: place, x2: place, y1: top, y2: height - bottom }, svg);
      element("text", { class: "tick x", x: place, y: height - bottom + 17, "text-anchor": "middle" },
        svg, plain(value / unitX[0]));
    }
    for (const value of ticks(sy, Math.max(3, Math.floor(height / 45)))) {
      const place = sy.place(value);
      element("line", { class: "grid", x1: left, x2: width - right, y1: place, y2: place }, svg);
      element("text", { class: "tick y", x: left - 7, y: place + 4, "text-anchor": "end" },
        svg, plain(value / unitY[0]));
    }
    const named = (metric, unit, range) =>
      `${metric.unit === "cycles" ? metric.word.replace(/ cycles$/, "") : metric.word} (${unit}${range.log ? ", logarithmic" : ""})`;
    element("text", { class: "title", x: (left + width - right) / 2, y: height - 8,
      "text-anchor": "middle" }, svg, named(x, unitX[1], sx));
    element("text", { class: "title", x: 2, y: 15 }, svg, named(y, unitY[1], sy));
    const line = best(points, x, y);
    if (line.length > 1) {
      const path = line.map((n, turn) => {
        const [px, py] = [sx.place(x.values[n]), sy.place(y.values[n])];
        return turn ? `H${px}V${py}` : `M${px},${py}`;
      });
      element("path", { class: "best", d: path.join("") }, svg);
    }
    const axis = data.axes.find((each) => each.name === state.colour);
    const taken = new Set(data.taken);
    const rank = (n) => (taken.has(data.points[n]) ? 4 : 0) + (data.front[n] ? 2 : 0) + (data.meets[n] ? 1 : 0);
    for (const n of [...points].sort((a, b) => rank(a) - rank(b))) {
      const look = axis ? axis.of[n] : 0;
      const [px, py] = [sx.place(x.values[n]), sy.place(y.values[n])];
      const radius = (data.front[n] ? 6 : 4) + Math.min(3, Math.log2(here.get(where(n))));
      const [[west, east], [south, north]] = [ends(x, n), ends(y, n)];
      if (data.front[n] && west !== null)
        element("line", { class: "ends", x1: sx.place(west), x2: sx.place(east), y1: py, y2: py }, svg);
      if (data.front[n] && south !== null)
        element("line", { class: "ends", x1: px, x2: px, y1: sy.place(south), y2: sy.place(north) }, svg);
      element("path", {
        class: `mark${data.front[n] ? " front" : ""}${data.meets[n] ? "" : " misses"}`,
        d: shape(look)(radius), fill: axis?.colours[look] ?? "#0072B2",
        transform: `translate(${px.toFixed(1)},${py.toFixed(1)})`, "data-point": data.points[n],
      }, svg);
      if (taken.has(data.points[n]))
        element("circle", { class: "ring", cx: px, cy: py, r: 11, "data-point": data.points[n] }, svg);
      placed.push({ n, px, py });
    }
    // Over the marks, so that their texts can be read.
    for (const limit of data.limits) {
      if (limit.metric === x.name && limit.limit >= sx.low && limit.limit <= sx.high) {
        const place = sx.place(limit.limit);
        const end = place > width / 2;
        element("line", { class: "limit", x1: place, x2: place, y1: top, y2: height - bottom }, svg);
        element("text", { class: "limit", x: place + (end ? 4 : -4), y: top - 6,
          "text-anchor": end ? "end" : "start" }, svg, limit.text);
      }
      if (limit.metric === y.name && limit.limit >= sy.low && limit.limit <= sy.high) {
        const place = sy.place(limit.limit);
        element("line", { class: "limit", x1: left, x2: width - right, y1: place, y2: place }, svg);
        element("text", { class: "limit", x: width - right - 2,
          y: place < top + 20 ? place + 14 : place - 5, "text-anchor": "end" }, svg, limit.text);
      }
    }
    svg.append(element("circle", { class: "cursor", r: 9, visibility: "hidden" }));
    svg.addEventListener("pointermove", (event) => seek(svg, event));
    svg.addEventListener("pointerdown", (event) => seek(svg, event));
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
    svg.addEventListener("keydown", step);
    svg.everyRow = () => [
      ["point", `${x.word} (${x.unit})`, `${y.word} (${y.unit})`, "front", ...data.axes.map((each) => each.name)],
      ...points.map((n) => [data.points[n], x.values[n], y.values[n], data.front[n] ? "yes" : "no",
        ...data.axes.map((each) => each.values[each.of[n]])]),
    ];
    legend(axis);
    fill();
  };
  const shape = (look) => SHAPES[look % SHAPES.length];

  const legend = (axis) => {
    const list = at("legend");
    list.replaceChildren();
    if (!axis) return;
    for (const look of axis.named) {
      const value = axis.values[look];
      const item = document.createElement("li");
      const svg = element("svg", { viewBox: "-7 -7 14 14", "aria-hidden": "true" });
      element("path", { d: shape(look)(5), fill: axis.colours[look] }, svg);
      item.append(svg, `${axis.name} ${value}`);
      list.append(item);
    }
    if (axis.named.length < axis.values.length) {
      const item = document.createElement("li");
      item.textContent = `${axis.named.length} of ${axis.values.length.toLocaleString("en")} values`;
      list.append(item);
    }
  };

  const seek = (svg, event) => {
    const box = svg.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let near = null, least = 22 ** 2;
    // The last one drawn is on top.
    for (const each of placed) {
      const distance = (each.px - px) ** 2 + (each.py - py) ** 2;
      if (distance <= least) { least = distance; near = each; }
    }
    if (near) tell(near); else hide();
  };
  const step = (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by || !placed.length) return;
    event.preventDefault();
    const order = [...placed].sort((a, b) => a.px - b.px || a.py - b.py);
    const now = order.findIndex((each) => each.n === state.current);
    tell(order[now < 0 ? 0 : (now + by + order.length) % order.length]);
  };
  const row = (table, name, value) => {
    const line = table.insertRow();
    const head = document.createElement("th");
    head.textContent = name;
    line.append(head);
    line.insertCell().textContent = value;
  };
  const tell = ({ n, px, py }) => {
    state.current = n;
    const others = placed.filter((each) => each.n !== n
      && Math.abs(each.px - px) < 0.5 && Math.abs(each.py - py) < 0.5);
    const differing = data.axes.filter((axis) => others.some((each) => axis.of[each.n] !== axis.of[n]));
    tip.replaceChildren();
    const name = document.createElement("div");
    name.className = "name";
    name.textContent = `point ${data.points[n]}`
      + (data.taken.includes(data.points[n]) ? ", recommended" : data.front[n] ? ", on the front" : "");
    const table = document.createElement("table");
    for (const axis of data.axes) row(table, axis.name, axis.values[axis.of[n]]);
    for (const each of new Set([state.y, state.x, ...data.wanted]))
      row(table, metrics.get(each).word, told(metrics.get(each), n));
    const [missed, unknown] = [missedBy(n), unknownOf(n)].map(
      (limits) => limits.map((limit) => limit.text).join(", "));
    const words = document.createElement("div");
    words.textContent = data.limits.length === 0 ? ""
      : data.meets[n] ? "keeps all limits"
        : [missed && `misses ${missed}`, unknown && `not known: ${unknown}`].filter(Boolean).join("; ");
    tip.append(name, table, words);
    if (others.length) {
      const more = document.createElement("div");
      more.textContent = `${others.length} more here, with other ${differing.map((axis) => axis.name).join(", ")}`;
      tip.append(more);
    }
    tip.hidden = false;
    const wide = plot.clientWidth, high = plot.clientHeight;
    const beside = px + 16 + tip.offsetWidth <= wide ? px + 16 : px - 16 - tip.offsetWidth;
    tip.style.left = `${Math.max(0, beside >= 0 ? beside : (wide - tip.offsetWidth) / 2)}px`;
    const narrow = beside < 0;
    const below = narrow ? py + 16 : py - tip.offsetHeight / 2;
    tip.style.top = `${narrow ? below : Math.max(0, Math.min(below, high - tip.offsetHeight))}px`;
    const cursor = plot.querySelector(".cursor");
    cursor.setAttribute("cx", px);
    cursor.setAttribute("cy", py);
    cursor.setAttribute("visibility", "visible");
    for (const line of at("points").tBodies[0].rows)
      line.classList.toggle("current", line.dataset.point === String(data.points[n]));
  };
  const hide = () => {
    tip.hidden = true;
    state.current = null;
    plot.querySelector(".cursor")?.setAttribute("visibility", "hidden");
    for (const line of at("points").tBodies[0].rows) line.classList.remove("current");
  };

  // --- the table -----------------------------------------------------------------------------
  const columns = [
    { key: "point", head: "point", text: (n) => String(data.points[n]), order: (n) => data.points[n], number: true },
    ...data.wanted.map((name) => metrics.get(name)).map((metric) => ({ key: metric.name, head: metric.word,
      text: (n) => format(metric, metric.values[n]), order: (n) => metric.values[n] ?? Infinity,
      number: true })),
    { key: "is", head: "is", order: (n) => -(data.taken.includes(data.points[n]) ? 3 : data.front[n] ? 2 : data.meets[n] ? 1 : 0),
      text: (n) => (data.taken.includes(data.points[n]) ? "recommended" : data.front[n] ? "on the front"
        : data.meets[n] ? "keeps limits" : missedBy(n).length ? "misses a limit" : "limit not known"), number: false },
    ...data.axes.map((axis) => ({ key: axis.name, head: axis.name,
      text: (n) => axis.values[axis.of[n]], order: (n) => axis.of[n], number: false })),
  ];
  const heads = at("points").tHead.insertRow();
  heads.className = "heads";
  for (const column of columns) {
    const head = document.createElement("th");
    head.scope = "col";
    head.className = column.number ? "n" : "t";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = column.head;
    button.addEventListener("click", () => {
      state.down = state.sort === column.key ? !state.down : false;
      state.sort = column.key;
      fill();
    });
    head.append(button);
    heads.append(head);
  }
  const fill = () => {
    const column = columns.find((each) => each.key === state.sort) ?? columns[0];
    columns.forEach((each, place) => {
      if (each === column) heads.cells[place].setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else heads.cells[place].removeAttribute("aria-sort");
    });
    write();
    const sorted = shownPoints().sort((a, b) =>
      (column.order(a) - column.order(b)) * (state.down ? -1 : 1) || a - b);
    const body = at("points").tBodies[0];
    at("points").everyRow = () => sorted.map((n) => columns.map((each) => each.text(n)));
    body.replaceChildren();
    for (const n of sorted.slice(0, state.rows)) {
      const line = body.insertRow();
      line.dataset.point = data.points[n];
      for (const each of columns) {
        const cell = line.insertCell();
        cell.className = each.number ? "n" : "t";
        cell.textContent = each.text(n);
      }
      line.addEventListener("click", () => {
        const mark = placed.find((each) => each.n === n);
        if (mark) { tell(mark); plot.scrollIntoView({ block: "nearest" }); }
      });
    }
    const left = sorted.length - state.rows;
    at("more").hidden = left <= 0;
    at("more").textContent = left <= 100 ? `${left} more rows` : `100 of ${left.toLocaleString("en")} more rows`;
  };

  // --- filters and choices -------------------------------------------------------------------
  const chips = () => {
    const box = at("axes");
    box.replaceChildren();
    data.axes.forEach((axis, a) => {
      const set = document.createElement("fieldset");
      const name = document.createElement("legend");
      name.textContent = axis.name;
      set.append(name);
      if (axis.named.length < axis.values.length) {  // too many for a button each
        const list = document.createElement("select");
        list.multiple = true;
        list.size = 6;
        list.setAttribute("aria-label", axis.name);
        axis.values.forEach((value, place) => {
          list.add(new Option(value, place, false, state.allowed[a].has(place)));
        });
        list.addEventListener("change", () => {
          state.allowed[a] = new Set([...list.selectedOptions].map((each) => Number(each.value)));
          draw();
        });
        set.append(list);
        box.append(set);
        return;
      }
      axis.values.forEach((value, place) => {
        const chip = document.createElement("button");
        chip.type = "button";
        chip.className = "chip";
        chip.textContent = value;
        chip.setAttribute("aria-pressed", String(state.allowed[a].has(place)));
        chip.addEventListener("click", () => {
          if (!state.allowed[a].delete(place)) state.allowed[a].add(place);
          chip.setAttribute("aria-pressed", String(state.allowed[a].has(place)));
          draw();
        });
        set.append(chip);
      });
      box.append(set);
    });
  };
  const choose = (id, options) => {
    const select = at(id);
    for (const [value, text] of options) select.add(new Option(text, value));
    select.value = state[id];
    select.addEventListener("change", () => { state[id] = select.value; draw(); });
  };
  const quantities = data.metrics.map((metric) => [metric.name, metric.word]);
  choose("x", quantities);
  choose("y", quantities);
  choose("colour", data.axes.map((axis) => [axis.name, axis.name]));
  at("only-kept").checked = state.only;
  at("only-kept").addEventListener("change", (event) => { state.only = event.target.checked; draw(); });
  at("more").addEventListener("click", () => { state.rows += 100; fill(); });
  at("reset").addEventListener("click", () => {
    state.allowed = initial.map((allowed) => new Set(allowed));
    state.only = at("only-kept").checked = false;
    chips();
    draw();
  });
  if (window.matchMedia("(max-width: 40rem)").matches) at("filters").open = false;
  chips();
  draw();
  addEventListener("beforeprint", () => draw(PRINTED));
  addEventListener("afterprint", () => draw());
  let last = plot.clientWidth;
  new ResizeObserver(() => {
    if (plot.clientWidth !== last) { last = plot.clientWidth; draw(); }
  }).observe(plot);
})();
