// What the pages share.

export const byId = (id) => document.getElementById(id);

/** Shows a slider's value beside its label. */
export function follow(id, format) {
  const show = () => (byId(`${id}-value`).textContent = format(Number(byId(id).value)));
  byId(id).addEventListener("input", show);
  show();
}

const stages = {
  download: "Downloading the model",
  weights: "Bringing weights to the device",
  kernels: "Making kernels",
  "first runs": "Trying kernels",
};

export function showProgress({ stage, done, total }) {
  const unit = stage === "download" ? 1e6 : 1;
  const amount = (count) => (count / unit).toFixed(unit > 1 ? 1 : 0);
  const all = total === undefined ? "" : ` of ${amount(total)}`;
  byId("amount").textContent = `${amount(done)}${all}${unit > 1 ? " MB" : ""}`;
  // A screen reader hears of each stage once.
  if (byId("stage").textContent !== stages[stage]) byId("stage").textContent = stages[stage];
  const bar = byId("progress");
  if (total === undefined) bar.removeAttribute("value");
  else Object.assign(bar, { max: total, value: done });
}

export function showError(error) {
  byId("loading").hidden = true;
  byId("error").hidden = false;
  byId("error").textContent = `${error.name}: ${error.message}`;
}
