// The graph: a row for each node, in order, and on its left the rails that carry values.
const ROW = 27;
const LANE = 9;

class GraphView {
  constructor(live, onSelect) {
    this.live = live;
    this.onSelect = onSelect;
    this.idle = live.program.nodes.map((_, n) => !live.runsSomewhere(n));
    this.layers = findLayers(live.program.nodes, this.idle);
    this.layerCount = Math.max(0, this.layers.length - 1);
    this.open = new Set([0]);
    this.showIdle = true;
    this.selected = null;
    this.makeButtons();
    this.build();
  }

  makeButtons() {
    const buttons = [];
    const hidden = this.idle.filter(Boolean).length;
    if (hidden) {
      const box = make("input", { type: "checkbox", id: "idle" });
      box.checked = this.showIdle;
      box.onchange = () => {
        this.showIdle = box.checked;
        this.build();
      };
      buttons.push(make("label", { class: "soft" }, box, ` ${hidden} views and scalars`));
    }
    if (this.layerCount) {
      const all = make("button", { type: "button", id: "unfold" }, "Unfold all layers");
      all.onclick = () => {
        const every = this.open.size < this.layerCount;
        this.open = new Set(every ? this.layers.keys() : []);
        all.textContent = every ? "Fold all layers" : "Unfold all layers";
        this.build();
      };
      buttons.push(all);
    }
    $("buttons").replaceChildren(...buttons);
  }

  layerOf(n) {
    const layer = this.layers.findLastIndex((first) => first <= n);
    return layer >= 0 && layer < this.layerCount ? layer : null;
  }

  // Inputs, nodes and outputs as they are shown, and for each node the row that stands for it.
  listRows() {
    const { program } = this.live;
    this.rows = program.inputs.map((id, i) => ({ kind: "input", id, label: `input ${i}` }));
    this.rowOf = [];
    program.nodes.forEach((_, n) => {
      const layer = this.layerOf(n);
      if (layer !== null && this.layers[layer] === n) {
        const count = this.layers[layer + 1] - n;
        const nodes = Array.from({ length: count }, (__, k) => n + k);
        this.rows.push({ kind: "group", layer, nodes });
      }
      if (layer !== null && !this.open.has(layer)) {
        this.rowOf[n] = this.rows.length - 1;
      } else if (this.idle[n] && !this.showIdle) {
        this.rowOf[n] = null;
      } else {
        this.rowOf[n] = this.rows.length;
        this.rows.push({ kind: "node", n });
      }
    });
    program.outputs.forEach((id, i) => this.rows.push({ kind: "output", id, label: `output ${i}` }));
  }

  // Who carries each value from where to where. What a hidden node makes comes from whatever that
  // node reads.
  listRails() {
    const { program, values } = this.live;
    const from = new Map(program.inputs.map((id, row) => [id, row]));
    const rails = new Map();
    const use = (id, row) => {
      if (!from.has(id) || from.get(id) === row) return;
      const start = from.get(id);
      const value = values.get(id);
      if (value?.role === "constant" || value?.role === "kept") return;
      const scalar = !value?.dims;
      const key = `${start}/${scalar ? "scalar" : id}`;
      if (!rails.has(key)) rails.set(key, { start, ends: new Set(), scalar });
      rails.get(key).ends.add(row);
    };
    program.nodes.forEach((node, n) => {
      const row = this.rowOf[n];
      if (row !== null) node.reads.forEach((id) => use(id, row));
      const source = row ?? node.reads.map((id) => from.get(id)).find((r) => r !== undefined);
      [...node.tensors, ...node.scalars].forEach((id) => {
        if (source !== undefined) from.set(id, source);
      });
    });
    program.outputs.forEach((id, i) => use(id, this.rows.length - program.outputs.length + i));
    return [...rails.values()].map((rail) => ({ ...rail, ends: [...rail.ends].sort((a, b) => a - b) }));
  }

  build() {
    this.listRows();
    this.rails = this.listRails();
    this.drawRails();
    this.cells = this.rows.map((row, r) => this.makeRow(row, r));
    $("list").replaceChildren(...this.cells.map((cell) => make("li", {}, cell.button)));
    this.refresh();
    this.mark();
  }

  makeRow(row, r) {
    const { program, values } = this.live;
    const parts = Object.fromEntries(
      ["gutter", "op", "form", "now", "kernels", "groups", "bytes"].map((name) => [
        name, make("span", { class: name }),
      ]),
    );
    const button = make("button", { type: "button", class: "row", tabindex: r === 0 ? 0 : -1 });
    button.append(...Object.values(parts));
    if (row.kind === "node") {
      const node = program.nodes[row.n];
      const [, family, name] = node.op.match(/^((?:aten|et_vk|hw|quantized_decomposed)\.)?(.*)$/);
      const short = name.replace(/\.default$/, "");
      parts.op.append(make("span", { class: "family" }, family ?? ""), short);
      parts.op.title = node.op;
      if (node.once) parts.op.append(make("span", { class: "family" }, " once"));
      const made = [...node.tensors, ...node.scalars].map((id) => formText(values.get(id)));
      parts.form.textContent = made.length > 1 ? `${made[0]} +${made.length - 1}` : made.join("");
      parts.form.title = made.join(" ");
      button.classList.toggle("idle", this.idle[row.n]);
      button.dataset.node = row.n;
      button.onclick = () => this.select({ node: row.n });
    } else if (row.kind === "group") {
      const open = this.open.has(row.layer);
      parts.op.textContent = `layer ${row.layer}`;
      parts.form.textContent = plural(row.nodes.length, "node");
      button.classList.add("group");
      button.classList.toggle("open", open);
      button.setAttribute("aria-expanded", open);
      button.onclick = () => this.fold(row.layer, !open);
    } else {
      parts.op.textContent = row.label;
      parts.form.textContent = formText(values.get(row.id));
      button.classList.add("border");
      button.onclick = () => this.select({ value: row.id });
    }
    button.onkeydown = (event) => this.onKey(event, r);
    return { button, ...parts };
  }

  fold(layer, open) {
    this.open[open ? "add" : "delete"](layer);
    this.build();
    const row = this.rows.findIndex((other) => other.kind === "group" && other.layer === layer);
    this.focus(row);
  }

  onKey(event, r) {
    const row = this.rows[r];
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -r, End: 1e6 };
    if (event.key in steps) {
      const last = this.rows.length - 1;
      const next = Math.max(0, Math.min(last, r + steps[event.key]));
      this.focus(next);
      const there = this.rows[next];
      if (there.kind === "node") this.select({ node: there.n });
      else if (there.kind !== "group") this.select({ value: there.id });
    } else if (row.kind === "group" && event.key === "ArrowRight") {
      this.fold(row.layer, true);
    } else if (row.kind === "group" && event.key === "ArrowLeft") {
      this.fold(row.layer, false);
    } else {
      return;
    }
    event.preventDefault();
  }

  focus(r) {
    this.cells.forEach(({ button }, i) => button.setAttribute("tabindex", i === r ? 0 : -1));
    this.cells[r]?.button.focus({ preventScroll: false });
  }

  // A rail that only goes to the next row is straight; others have a lane, taken from the right.
  drawRails() {
    const lanes = [];
    const far = this.rails.filter((rail) => rail.ends.length > 1 || rail.ends[0] !== rail.start + 1);
    far.sort((a, b) => a.ends.at(-1) - a.start - (b.ends.at(-1) - b.start));
    far.forEach((rail) => {
      const last = rail.ends.at(-1);
      let lane = lanes.findIndex((taken) => taken.every(([s, e]) => last <= s || e <= rail.start));
      if (lane < 0) lane = lanes.push([]) - 1;
      lanes[lane].push([rail.start, last]);
      rail.lane = lane;
    });
    const x = 14 + lanes.length * LANE;
    const y = (row) => (row + 0.5) * ROW;
    const laneX = (lane) => x - 8 - (lane + 0.3) * LANE;
    $("rows-frame").style.setProperty("--gutter", `${x + 12}px`);
    const svg = $("rails");
    svg.setAttribute("width", x + 12);
    svg.setAttribute("height", this.rows.length * ROW);
    const paths = this.rails.map((rail) => {
      let d = `M${x} ${y(rail.start)}`;
      if (rail.lane === undefined) {
        d += `V${y(rail.start + 1)}`;
      } else {
        const lx = laneX(rail.lane);
        d += `C${lx} ${y(rail.start)} ${lx} ${y(rail.start) + 4} ${lx} ${y(rail.start) + 12}`;
        d += `V${y(rail.ends.at(-1)) - 12}`;
        rail.ends.forEach((end) => {
          d += `M${lx} ${y(end) - 12}C${lx} ${y(end) - 4} ${lx} ${y(end)} ${x} ${y(end)}`;
        });
      }
      rail.path = draw("path", { d, class: rail.scalar ? "scalar" : "" });
      return rail.path;
    });
    this.dots = this.rows.map((row, r) => {
      if (row.kind === "node") {
        return draw("circle", { cx: x, cy: y(r), r: 4.5, class: this.idle[row.n] ? "idle" : "" });
      }
      const box = { x: x - 5, y: y(r) - 5, width: 10, height: 10, rx: row.kind === "group" ? 2 : 5 };
      return draw("rect", { ...box, class: row.kind });
    });
    svg.replaceChildren(...paths, ...this.dots);
  }

  isShown(n) {
    return this.rows[this.rowOf[n]]?.kind === "node";
  }

  nodesOf(row) {
    if (row.kind === "node") return [row.n];
    return row.kind === "group" && !this.open.has(row.layer) ? row.nodes : [];
  }

  // After a slider has moved.
  refresh() {
    const { live } = this;
    const moved = this.rows.map((row) =>
      this.nodesOf(row).reduce((sum, n) => {
        const state = live.state(n);
        return sum + state.read + state.written;
      }, 0),
    );
    const most = Math.max(1, ...moved.filter((_, r) => this.rows[r].kind === "node"));
    $("list").classList.toggle("stale", live.refusal !== null);
    this.rows.forEach((row, r) => {
      const cell = this.cells[r];
      if (row.kind === "input" || row.kind === "output") {
        cell.now.replaceChildren(...nowMarks(live.values.get(row.id), live.now(row.id)));
        return;
      }
      const nodes = this.nodesOf(row);
      const kernels = nodes.flatMap((n) => live.kernels(n));
      const groups = kernels.reduce((sum, kernel) => sum + kernel.groups, 0);
      cell.groups.textContent = kernels.length ? groups.toLocaleString("en") : "";
      const bar = make("i");
      bar.style.width = `${Math.min(1, moved[r] / most) * 100}%`;
      cell.bytes.replaceChildren(
        ...(moved[r] ? [bar, make("em", {}, size(moved[r]))] : []),
      );
      if (row.kind === "group") {
        const count = kernels.length;
        cell.kernels.textContent = count ? plural(count, "dispatch", "dispatches") : "";
        return;
      }
      const node = live.program.nodes[row.n];
      const made = [...node.tensors, ...node.scalars];
      const first = made.slice(0, 1).flatMap((id) => nowMarks(live.values.get(id), live.now(id)));
      cell.now.replaceChildren(...first, made.length > 1 ? ` +${made.length - 1}` : "");
      cell.now.title = made.map((id) => nowText(live.now(id))).join(" ");
      const names = kernels.map((kernel) => kernel.name).join(" + ");
      const usual = live.kernels(row.n, live.usual).map((kernel) => kernel.name).join(" + ");
      cell.kernels.textContent = names;
      cell.kernels.classList.toggle("other", names !== usual);
      cell.kernels.title = names === usual ? names : `${names}\nat the bound: ${usual || "nothing"}`;
      this.dots[r].classList.toggle("idle", kernels.length === 0);
    });
  }

  select(choice) {
    this.selected = choice;
    this.mark();
    this.onSelect(choice);
  }

  mark() {
    const { node, value } = this.selected ?? {};
    const r = this.rows.findIndex(
      (row) => (node !== undefined && row.n === node) || (value !== undefined && row.id === value),
    );
    this.cells.forEach(({ button }, i) => {
      if (i === r) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    this.dots.forEach((dot, i) => dot.classList.toggle("lit", i === r));
    this.rails.forEach((rail) => {
      rail.path.classList.toggle("lit", r >= 0 && (rail.start === r || rail.ends.includes(r)));
    });
  }
}
