// Runs any program at live shapes of one's choice, with random inputs, and tells what it cost.
import { load } from "highwater";
import { byId, showError, showProgress } from "./common.js";

let model;

async function open(source, name) {
  byId("error").hidden = true;
  byId("model").hidden = true;
  byId("loading").hidden = false;
  model?.close();
  model = undefined;
  try {
    model = await load(source, { onProgress: showProgress });
  } catch (error) {
    showError(error);
    return;
  }
  byId("loading").hidden = true;
  byId("name").textContent = name;
  showValues();
  showSliders();
  byId("model").hidden = false;
  await run();
}

const shape = (dims) => (dims ? `[${dims.join(", ")}]` : "–");

function showValues() {
  const { inputs, outputs } = model.description;
  const rows = [...inputs, ...outputs].map((value) => {
    const row = document.createElement("tr");
    const cells = [value.name, value.dtype ?? "integer", shape(value.least), shape(value.bound)];
    for (const text of cells)
      row.append(Object.assign(document.createElement("td"), { textContent: text }));
    return row;
  });
  byId("values").replaceChildren(...rows);
}

/** A slider for each dim that is live. */
function showSliders() {
  const sliders = model.description.inputs.flatMap((input) =>
    (input.bound ?? []).flatMap((most, d) => {
      const least = Math.max(input.least[d], 1);
      return least < most
        ? [slider(`${input.name}.${d}`, `${input.name}, dim ${d}`, least, most)]
        : [];
    }),
  );
  byId("sliders").replaceChildren(...sliders);
}

function slider(id, name, least, most) {
  const label = Object.assign(document.createElement("label"), {
    htmlFor: id,
    textContent: `${name} `,
  });
  const shown = document.createElement("output");
  const range = Object.assign(document.createElement("input"), {
    id,
    type: "range",
    min: least,
    max: most,
  });
  range.value = String(Math.min(most, Math.max(least, 16)));
  const show = () => (shown.textContent = range.value);
  range.addEventListener("input", show);
  range.addEventListener("change", run);
  show();
  label.append(shown);
  const box = document.createElement("div");
  box.append(label, range);
  return box;
}

/** Small whole numbers, which are good for indices as well. */
function randomInput(input) {
  if (input.kind === "integer") return 0;
  const dims = input.bound.map((most, d) => Number(byId(`${input.name}.${d}`)?.value ?? most));
  const count = dims.reduce((a, b) => a * b, 1);
  const isFloat = input.dtype.startsWith("float");
  const number = () => (isFloat ? Math.random() * 2 - 1 : Math.floor(Math.random() * 2));
  const data = input.name === "input_pos" ? [0] : Array.from({ length: count }, number);
  return { data, dims };
}

async function run() {
  byId("error").hidden = true;
  try {
    const inputs = model.description.inputs.map(randomInput);
    const began = performance.now();
    const outputs = await model.run(inputs);
    const milliseconds = performance.now() - began;
    const accounts = await model.accounts();
    byId("time").textContent = `${milliseconds.toFixed(1)} ms`;
    byId("dispatches").textContent = accounts.run.dispatches;
    byId("planned").textContent = accounts.run.planned_nodes;
    byId("objects").textContent = accounts.run.gpu_objects;
    byId("memory").textContent = `${(accounts.load.gpu_bytes / 1e6).toFixed(1)} MB`;
    byId("outputs").textContent = Object.entries(outputs)
      .map(([name, { data, dims }]) => `${name}: ${dims.length > 0 ? shape(dims) : data[0]}`)
      .join("; ");
  } catch (error) {
    showError(error);
  }
}

byId("file").addEventListener("change", ({ target }) => {
  if (target.files[0]) open(target.files[0], target.files[0].name);
});
byId("shipped").addEventListener("click", () =>
  open("models/kjv/model.pte", "models/kjv/model.pte"),
);
byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
const drop = byId("drop");
drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const [file] = event.dataTransfer.files;
  if (file) open(file, file.name);
});
