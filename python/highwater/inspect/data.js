// What the planner decided, looked up by the sliders' positions. Nothing about shapes is computed
// here.
const data = JSON.parse(document.getElementById("data").textContent);

const $ = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < 4) {
    bytes /= 1024;
    unit += 1;
  }
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit]}`;
}

const plural = (count, one, many = `${one}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

const ELEMENT_BYTES = {
  bool: 1, uint8: 1, int8: 1, float16: 2, int32: 4, int64: 4, float32: 4, float64: 4,
};

// A program, and where its sliders are.
class Live {
  constructor(program) {
    this.program = program;
    this.values = new Map(program.values.map((value) => [value.id, value]));
    this.at = program.symbols.map((symbol) => symbol.positions.indexOf(symbol.usual));
    this.usual = [...this.at];
    this.writer = new Map();
    program.nodes.forEach((node, n) => {
      node.tensors.forEach((id, k) => this.writer.set(id, [n, "dims", k]));
      node.scalars.forEach((id, k) => this.writer.set(id, [n, "scalars", k]));
    });
  }

  get point() {
    return this.program.symbols.map((symbol, i) => symbol.positions[this.at[i]]);
  }

  // The planner's own words where it does not take this shape, else null.
  get refusal() {
    const sizes = this.program.symbols.map((symbol) => symbol.positions.length);
    const index = this.at.reduce((sum, at, i) => sum * sizes[i] + at, 0);
    const found = this.program.refusals.points[index];
    if (!found) return null;
    let gap = 0;
    return this.program.refusals.texts[found[0]].replace(/#/g, () => found[(gap += 1)]);
  }

  state(n, at = this.at) {
    const pattern = this.program.patterns[this.program.nodes[n].pattern];
    const sizes = this.program.symbols.map((symbol) => symbol.positions.length);
    const index = pattern.axes.reduce((sum, axis) => sum * sizes[axis] + at[axis], 0);
    const found = pattern.states[pattern.at[index]];
    if (!found) return { read: 0, written: 0, runs: [], dims: [], scalars: [] };
    const [read, written, runs, dims, scalars] = found;
    return { read, written, runs, dims, scalars };
  }

  kernels(n, at) {
    const [first] = this.program.nodes[n].steps;
    return this.state(n, at).runs.map(([step, x, y]) => {
      const [name, params, wgsl, bindings] = this.program.steps[first + step];
      return { name, params, wgsl, bindings, x, y, groups: x * y };
    });
  }

  runsSomewhere(n) {
    const { patterns, nodes } = this.program;
    return patterns[nodes[n].pattern].states.some(([, , runs]) => runs.length > 0);
  }

  // Live dims of a tensor, or the number that a scalar is.
  now(id) {
    const written = this.writer.get(id);
    if (written) {
      const [n, kind, k] = written;
      return this.state(n)[kind][k];
    }
    const value = this.values.get(id);
    const numbers = new Map(this.program.symbols.map((s, i) => [s.name, this.point[i]]));
    const form = value.dims ?? value.scalar ?? [];
    const filled = form.map((d) => (numbers.has(d) ? numbers.get(d) : Number(d)));
    return value.dims ? filled : filled[0];
  }

  liveBytes(id) {
    const value = this.values.get(id);
    if (!value?.dims) return 0;
    const dims = this.now(id) ?? value.bound;
    const width = ELEMENT_BYTES[value.device_dtype ?? value.dtype] ?? 4;
    return dims.reduce((product, d) => product * d, 1) * width;
  }

  totals() {
    const sum = { dispatches: 0, groups: 0, read: 0, written: 0 };
    this.program.nodes.forEach((node, n) => {
      if (node.once) return;
      const state = this.state(n);
      sum.dispatches += state.runs.length;
      sum.groups += state.runs.reduce((groups, [, x, y]) => groups + x * y, 0);
      sum.read += state.read;
      sum.written += state.written;
    });
    return sum;
  }
}

const formText = (value) =>
  value.dims ? `[${value.dims.join(", ")}]` : value.scalar?.join("") ?? "";

const nowText = (now) => (Array.isArray(now) ? `[${now.join(", ")}]` : String(now ?? ""));

// Dims with the live ones set off.
function nowMarks(value, now) {
  if (!Array.isArray(now)) return [make("b", {}, String(now ?? ""))];
  const pieces = ["["];
  now.forEach((d, i) => {
    if (i > 0) pieces.push(", ");
    pieces.push(/^\d+$/.test(value.dims[i]) ? String(d) : make("b", {}, String(d)));
  });
  return [...pieces, "]"];
}

// Nodes with the same ops again and again, such as the layers of a model: where each begins, and
// where the last one ends. Views and scalars belong to the work before them.
function findLayers(nodes, idle) {
  const work = nodes.flatMap((_, n) => (idle[n] ? [] : [n]));
  const op = (i) => nodes[work[i]].op;
  let best = { covered: 0 };
  for (let period = 3; period <= work.length / 2; period += 1) {
    // The last of them may end in another way.
    const spare = period >= 6 ? 1 : 0;
    let same = 0;
    for (let i = 0; i + period < work.length; i += 1) {
      same = op(i) === op(i + period) ? same + 1 : 0;
      const count = Math.floor((same + spare) / period) + 1;
      const covered = count * period;
      if (count > 1 && covered > best.covered) {
        best = { covered, first: i + 1 - same, period, count };
      }
    }
  }
  if (!best.covered) return [];
  return Array.from(
    { length: best.count + 1 },
    (_, k) => work[best.first + k * best.period] ?? nodes.length,
  );
}
