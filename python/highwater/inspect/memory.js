// Memory by kind, and the plan: which values share which buffer over which nodes' lives.
const KINDS = {
  constants: "constants", images: "constants as images", caches: "caches", kept: "computed once",
  inputs: "inputs", shared: "shared by what is computed", params: "params", read_back: "read back",
};
const PLANNED = new Set(["inputs", "shared"]);
const ROLES = { input: "input", output: "output", activation: "activation", scratch: "scratch" };

const kindColour = (kind) => ({ shared: "activation", inputs: "input" })[kind] ?? kind;

function showKinds(program) {
  const { memory } = program;
  const kinds = Object.keys(KINDS).filter((kind) => memory[kind] > 0);
  const bars = kinds.map((kind) => {
    const bar = make("span", { title: `${KINDS[kind]}: ${size(memory[kind])}` });
    bar.style.flex = `${memory[kind]} 0 0`;
    bar.style.background = `var(--${kindColour(kind)})`;
    return bar;
  });
  $("kinds").replaceChildren(...bars);
  const legend = make("ul", { id: "kinds-legend" });
  kinds.forEach((kind) => {
    const chip = make("span", { class: "chip" });
    chip.style.background = `var(--${kindColour(kind)})`;
    legend.append(make("li", {}, chip, `${KINDS[kind]} `, make("b", {}, size(memory[kind]))));
  });
  $("kinds-legend")?.remove();
  $("kinds").after(legend);
  const shared = program.buffers.filter((buffer) => buffer.kind === "shared").length;
  $("sharing").textContent =
    `${plural(shared, "buffer")} of ${size(memory.shared)} in all serve every value that is computed. ` +
    `A buffer for each value would take ${size(memory.shared_if_apart)}; ` +
    `at most ${size(memory.shared_peak)} are in use at once. ` +
    "A bar is a value's life, as high as its bound; what is filled is live now.";
}

class MemoryView {
  constructor(live, onSelect) {
    this.live = live;
    const { program } = live;
    showKinds(program);
    this.buffers = program.buffers.flatMap((buffer, id) => (PLANNED.has(buffer.kind) ? [id] : []));
    this.bars = program.values.filter((value) => this.buffers.includes(value.buffer));
    this.build(onSelect);
    const roles = Object.entries(ROLES).map(([role, label]) => {
      const chip = make("span", { class: "chip" });
      chip.style.background = `var(--${role})`;
      return make("li", {}, chip, label);
    });
    $("legend").replaceChildren(...roles);
    this.refresh();
  }

  build(onSelect) {
    const { program } = this.live;
    const left = 128;
    const width = 1400;
    const steps = program.nodes.length + 2;
    const step = (width - left) / steps;
    const height = Math.max(20, Math.min(40, 320 / Math.max(1, this.buffers.length)));
    this.x = (node) => left + (node + 1) * step;
    const plan = $("plan");
    plan.setAttribute("viewBox", `0 0 ${width} ${this.buffers.length * (height + 6) + 24}`);
    plan.setAttribute(
      "aria-label",
      `Memory plan: ${this.bars.length} values share ${this.buffers.length} buffers`,
    );
    plan.replaceChildren();
    this.buffers.forEach((id, row) => {
      const y = row * (height + 6);
      const bytes = size(program.buffers[id].bytes);
      plan.append(draw("rect", { class: "track", x: left, y, width: width - left, height, rx: 3 }));
      plan.append(draw("text", { x: 0, y: y + height / 2 + 4 }, `buffer ${id}`));
      plan.append(draw("text", { x: left - 10, y: y + height / 2 + 4, "text-anchor": "end" }, bytes));
    });
    const bottom = this.buffers.length * (height + 6) + 14;
    const every = Math.ceil(steps / 24 / 5) * 5;
    for (let n = 0; n < program.nodes.length; n += every) {
      plan.append(draw("text", { x: this.x(n), y: bottom, "text-anchor": "middle" }, String(n)));
    }
    this.shapes = this.bars.map((value) => {
      const y = this.buffers.indexOf(value.buffer) * (height + 6);
      const x = this.x(value.first) + 0.5;
      const w = Math.max(2, this.x(value.last + 1) - x - 0.5);
      const share = value.bytes / program.buffers[value.buffer].bytes;
      const tall = Math.max(3, share * height);
      const colour = `var(--${ROLES[value.role] ? value.role : "activation"})`;
      const box = { x, width: w, rx: 2, style: `fill: ${colour}` };
      const whole = draw("rect", { ...box, class: "whole", y: y + height - tall, height: tall });
      const level = draw("rect", { ...box, class: "level", y: y + height, height: 0 });
      const group = draw("g", {}, whole, level);
      whole.append(draw("title"));
      whole.onclick = () => onSelect(value.first >= 0 ? { node: value.first } : { value: value.id });
      if (w > 34) {
        group.append(draw("text", { class: "name", x: x + 4, y: y + 11 }, `%${value.id}`));
      }
      plan.append(group);
      return { value, group, whole, level, tall, bottom: y + height };
    });
    this.cursor = draw("line", { class: "cursor", y1: 0, y2: bottom - 12, visibility: "hidden" });
    plan.append(this.cursor);
  }

  refresh() {
    this.shapes.forEach(({ value, whole, level, tall, bottom }) => {
      const bytes = Math.max(this.live.liveBytes(value.id), 0);
      const full = Math.min(1, bytes / value.bytes) * tall;
      level.setAttribute("y", bottom - full);
      level.setAttribute("height", full);
      whole.firstElementChild.textContent =
        `%${value.id} ${value.dtype} ${formText(value)}, ${value.role}\n` +
        `now ${nowText(this.live.now(value.id))}: ${size(bytes)} of ${size(value.bytes)}\n` +
        `from node ${value.first} to ${value.last}, buffer ${value.buffer}`;
    });
  }

  select(choice) {
    const n = choice?.node;
    this.cursor.setAttribute("visibility", n === undefined ? "hidden" : "visible");
    if (n !== undefined) {
      const x = (this.x(n) + this.x(n + 1)) / 2;
      this.cursor.setAttribute("x1", x);
      this.cursor.setAttribute("x2", x);
    }
    const node = this.live.program.nodes[n];
    const used = new Set([...(node?.reads ?? []), ...(node?.writes ?? []), choice?.value]);
    const roots = new Set([...used].map((id) => this.live.values.get(id)?.views ?? id));
    this.shapes.forEach(({ value, group }) => group.classList.toggle("lit", roots.has(value.id)));
  }
}
