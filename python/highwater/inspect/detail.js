// All about the node or value that was chosen.
function valueItem(live, id) {
  const value = live.values.get(id);
  if (!value) return make("li", {}, `%${id}`);
  const chip = make("span", { class: "chip" });
  chip.style.background = `var(--${roleColour(value)})`;
  const dtype = value.dtype ? `${value.dtype} ` : "";
  const main = make("code", {}, `%${id} ${dtype}${formText(value)}`);
  const facts = [];
  if (/[A-Z]/.test(formText(value))) facts.push(`now ${nowText(live.now(id))}`);
  if (value.dims) facts.push(size(live.liveBytes(id)));
  facts.push(value.role);
  if (value.views !== undefined) facts.push(`a view of %${value.views}`);
  if (value.buffer !== undefined) facts.push(`buffer ${value.buffer}`);
  return make("li", {}, chip, main, make("span", { class: "soft" }, facts.join(" · ")));
}

function roleColour(value) {
  const colours = { constant: "constants", cache: "caches", view: "activation", scalar: "params" };
  return colours[value.role] ?? value.role;
}

function kernelItem(live, kernel) {
  const grid =
    kernel.y > 1 ? `${kernel.x} × ${kernel.y} workgroups` : plural(kernel.x, "workgroup");
  const item = make("li", {}, make("code", {}, kernel.name));
  const buffers = kernel.bindings.map(([id, , writes]) => `%${id}${writes ? " (written)" : ""}`);
  item.append(
    make("span", { class: "soft" }, `${grid} · ${kernel.params} bytes of params`),
    make("span", { class: "soft" }, `binds ${buffers.join(", ")}`),
  );
  const lines = live.program.wgsl[kernel.wgsl];
  if (lines) {
    const text = lines.map((line) => live.program.wgsl_lines[line]).join("\n");
    const file = `${kernel.name.split("/")[0]}.wgsl`;
    item.append(make("details", {}, make("summary", {}, file), make("pre", {}, text)));
  }
  return item;
}

function section(title, items) {
  return items.length ? [make("h3", {}, title), make("ul", {}, ...items)] : [];
}

function showNode(live, n) {
  const node = live.program.nodes[n];
  const kernels = live.kernels(n);
  const state = live.state(n);
  const declared = live.program.steps.slice(...node.steps).map(([name]) => name);
  const resting = [...new Set(declared)].filter((name) => !kernels.some((k) => k.name === name));
  const once = node.once ? make("p", { class: "soft" }, "Runs once: nothing that it reads changes.") : "";
  return [
    make("p", { class: "soft" }, `node ${n}`),
    make("h2", {}, node.op),
    once,
    make("p", {}, make("code", {}, `(${node.args.join(", ")})`)),
    ...section("Gives", [...node.tensors, ...node.scalars].map((id) => valueItem(live, id))),
    ...section(
      kernels.length ? "Runs" : "Runs nothing here",
      kernels.map((kernel) => kernelItem(live, kernel)),
    ),
    kernels.length
      ? make("p", { class: "soft" }, `reads at most ${size(state.read)}, writes at most ${size(state.written)}`)
      : "",
    ...(resting.length
      ? [make("h3", {}, "Compiled for other shapes"), make("p", {}, make("code", {}, resting.join(", ")))]
      : []),
    ...section("Reads", [...new Set(node.reads)].map((id) => valueItem(live, id))),
  ];
}

function showValue(live, id) {
  const { program } = live;
  const readers = program.nodes.flatMap((node, n) => (node.reads.includes(id) ? [n] : []));
  const items = readers.map((n) => make("li", {}, make("code", {}, `${n} ${program.nodes[n].op}`)));
  return [
    make("h2", {}, `%${id}`),
    make("ul", {}, valueItem(live, id)),
    ...section("Read by", items),
  ];
}

function showDetail(live, choice) {
  const content =
    choice === null
      ? [make("p", { class: "soft" }, "Choose a row, with the mouse or with the arrow keys, to see its arguments, kernels and values.")]
      : choice.node !== undefined
        ? showNode(live, choice.node)
        : showValue(live, choice.value);
  // A slider moves while somebody reads a kernel.
  const summaries = (which) => [...$("detail").querySelectorAll(`${which} > summary`)];
  const open = new Set(summaries("details[open]").map((summary) => summary.textContent));
  $("detail").replaceChildren(...content);
  summaries("details").forEach((summary) => {
    summary.parentElement.open = open.has(summary.textContent);
  });
}
