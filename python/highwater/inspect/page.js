// The page: header, sliders, totals, and the lists at the end.
function table(header, rows) {
  const cell = (tag, text) => {
    const number = /^[\d,.]+( \w+)?$/.test(text);
    return make(tag, number ? { class: "number" } : {}, text);
  };
  const head = make("tr", {}, ...header.map((text) => make("th", {}, text)));
  const body = rows.map((row) => make("tr", {}, ...row.map((text) => cell("td", String(text)))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
}

function showHeader() {
  $("file").textContent = data.file;
  const { target } = data;
  const where = target.adapter ?? "no adapter in particular";
  $("facts").textContent =
    `${size(data.bytes)} · ${plural(data.methods.length, "method")} · planned for ${where} with ${target.kernels} kernels`;
  $("footer").textContent =
    `Written by highwater inspect ${data.version}. All dims, kernels and sizes are what the engine's planner decided at each position of the sliders.`;
}

function showMethods() {
  const border = (value) =>
    value.dtype ? `${value.dtype} [${value.bound.join(", ")}]` : "integer" in value ? String(value.integer) : "other";
  const ops = (method) =>
    Object.entries(method.cpu_ops).map(([op, count]) => `${op} ×${count}`).join(", ") || "nothing";
  const rows = data.methods.map((method) => [
    method.name,
    method.inputs.map(border).join(", ") || "–",
    method.outputs.map(border).join(", ") || "–",
    method.delegates.map((delegate) => delegate.name).join(", ") || "–",
    ops(method),
  ]);
  $("methods").replaceChildren(table(["method", "takes", "gives", "delegates", "on the CPU"], rows));
}

function showOps(program) {
  const names = [...new Set([...Object.keys(program.exported_ops), ...Object.keys(program.ops)])];
  const missing = program.unsupported ?? {};
  const rows = names.sort().map((op) => [
    op, program.exported_ops[op] ?? "", program.ops[op] ?? "", op in missing ? "not supported" : "",
  ]);
  $("ops").replaceChildren(table(["op", "exported", "as run", ""], rows));
}

function showValues(program) {
  const rows = program.values.map((value) => [
    `%${value.id}`, value.role, value.dtype ?? "", formText(value),
    value.bound ? `[${value.bound.join(", ")}]` : "",
    value.bytes === undefined ? "" : size(value.bytes),
    value.buffer ?? "",
  ]);
  const header = ["value", "role", "dtype", "dims", "at most", "bytes", "buffer"];
  $("values").replaceChildren(table(header, rows));
}

// One slider for each symbol: its positions are those at which the planner was asked.
class Sliders {
  constructor(live, onMove) {
    this.live = live;
    this.parts = live.program.symbols.map((symbol, i) => {
      const last = symbol.positions.length - 1;
      const id = `symbol-${symbol.name}`;
      const input = make("input", { type: "range", id, min: 0, max: last, step: 1 });
      input.value = live.at[i];
      input.oninput = () => {
        live.at[i] = Number(input.value);
        onMove();
      };
      const number = make("output", { for: id });
      const strip = this.makeStrip(symbol);
      const more = symbol.borders.length > 8 ? ", …" : "";
      const some = symbol.borders.slice(0, 8).join(", ");
      const borders = some ? `other kernels from ${some}${more}` : "";
      const about = make("small", {}, make("span", {}, symbol.places.join(" and ")), make("span", {}, borders));
      const label = make("label", { for: id }, number);
      $("sliders").append(make("div", { class: "slider" }, label, input, strip.svg, about));
      return { symbol, input, number, strip };
    });
    if (!this.parts.length) $("sliders").textContent = "Nothing is live: all shapes are fixed.";
  }

  // The stretches in which the same kernels run.
  makeStrip(symbol) {
    const count = symbol.positions.length;
    const starts = [symbol.least, ...symbol.borders].map((value) => {
      const at = symbol.positions.findIndex((position) => position >= value);
      return at < 0 ? count : at;
    });
    const svg = draw("svg", { class: "strip", viewBox: "0 0 1000 7", preserveAspectRatio: "none", "aria-hidden": "true" });
    // A range input's thumb does not reach the ends of its track.
    const x = (at) => 8 + (Math.max(0, at - 0.5) / Math.max(1, count - 1)) * 984;
    const parts = starts.map((start, k) => {
      const end = k + 1 < starts.length ? x(starts[k + 1]) : 992;
      const width = Math.max(2, end - x(start) - 2);
      const rect = draw("rect", { x: x(start), y: 1, width, height: 5, rx: 2 });
      svg.append(rect);
      return { start, rect };
    });
    return { svg, parts };
  }

  refresh() {
    this.parts.forEach(({ symbol, input, number, strip }, i) => {
      const at = this.live.at[i];
      const value = symbol.positions[at];
      number.replaceChildren(`${symbol.name} `, make("b", {}, value.toLocaleString("en")));
      input.setAttribute("aria-valuetext", `${symbol.name} = ${value}`);
      const here = strip.parts.findLast(({ start }) => start <= at);
      strip.parts.forEach((part) => part.rect.classList.toggle("here", part === here));
    });
  }
}

function showTotals(live) {
  const sum = live.totals();
  const rows = {
    dispatches: sum.dispatches.toLocaleString("en"),
    workgroups: sum.groups.toLocaleString("en"),
    "reads at most": size(sum.read),
    "writes at most": size(sum.written),
  };
  const items = Object.entries(rows).map(([name, value]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, value)),
  );
  $("totals").replaceChildren(...items);
  const refusal = live.refusal;
  $("refused").hidden = refusal === null;
  $("refused").textContent = refusal === null ? "" : `The planner refuses this shape: ${refusal}`;
}

function show(program) {
  $("sliders").replaceChildren();
  showOps(program);
  const troubles = [program.error, program.refused_at_bound, ...(program.troubles ?? [])].filter(Boolean);
  $("trouble").hidden = troubles.length === 0;
  $("trouble").textContent = `Does not run here: ${troubles.join("; ")}`;
  for (const id of ["controls", "graph", "memory"]) $(id).hidden = Boolean(program.error);
  if (program.error) return;
  const live = new Live(program);
  let choice = null;
  const select = (chosen) => {
    choice = chosen;
    showDetail(live, choice);
    memory.select(choice);
  };
  const memory = new MemoryView(live, (chosen) => graph.select(chosen));
  const graph = new GraphView(live, select);
  const sliders = new Sliders(live, refresh);
  function refresh() {
    sliders.refresh();
    showTotals(live);
    graph.refresh();
    memory.refresh();
    showDetail(live, choice);
  }
  showValues(program);
  refresh();
  const moved = program.nodes.map((_, n) => live.state(n).read + live.state(n).written);
  const shown = program.nodes.flatMap((_, n) => (graph.isShown(n) ? [n] : []));
  if (shown.length) graph.select({ node: shown.reduce((a, b) => (moved[b] > moved[a] ? b : a)) });
}

showHeader();
showMethods();
const chooser = $("program");
data.programs.forEach((program, i) => {
  chooser.append(make("option", { value: i }, `${program.method}, delegate ${program.delegate}`));
});
$("choice").hidden = data.programs.length < 2;
chooser.onchange = () => show(data.programs[Number(chooser.value)]);
if (data.programs.length) {
  show(data.programs[0]);
} else {
  $("trouble").hidden = false;
  $("trouble").textContent = "Nothing in this file is for Highwater.";
  for (const id of ["controls", "graph", "memory"]) $(id).hidden = true;
}
