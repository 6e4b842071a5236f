// Writes text with the model that ships, and tells how quickly.
import { load } from "highwater";
import { byId, follow, showError, showProgress } from "./common.js";

const form = byId("form");
const text = byId("text");
let stop = new AbortController();

follow("temperature", (value) => value.toFixed(1));
follow("steps", String);
follow("length", String);

/** The numbers below the text, while it grows. */
class Stopwatch {
  #began = performance.now();
  #first = 0;
  #count = 0;
  #rated = 0;

  add(count) {
    const now = performance.now();
    if (this.#count === 0) {
      this.#first = now;
      byId("first").textContent = `${((now - this.#began) / 1000).toFixed(2)} s`;
    } else {
      // From the first submit on: that one had the prompt to read.
      this.#rated += count;
      byId("rate").textContent = ((1000 * this.#rated) / (now - this.#first)).toFixed(1);
    }
    this.#count += count;
    byId("count").textContent = String(this.#count);
  }
}

async function write(model) {
  stop = new AbortController();
  const { signal } = stop;
  const prompt = byId("prompt").value;
  const watch = new Stopwatch();
  text.replaceChildren(Object.assign(document.createElement("b"), { textContent: prompt }));
  text.setAttribute("aria-busy", "true");
  const options = {
    temperature: Number(byId("temperature").value),
    tokensPerSubmit: Number(byId("steps").value),
    maxTokens: Number(byId("length").value),
    onTokens: (tokens) => watch.add(tokens.length),
    signal,
  };
  for await (const piece of model.generate(prompt, options)) text.append(piece);
}

async function start() {
  const model = await load("models/kjv/model.pte", {
    tokenizer: "models/kjv/tokenizer.json",
    onProgress: showProgress,
  });
  byId("loading").hidden = true;
  byId("adapter").textContent = model.description.adapter;
  byId("write").disabled = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    byId("write").disabled = true;
    byId("stop").disabled = false;
    try {
      await write(model);
    } catch (error) {
      if (!stop.signal.aborted) showError(error);
    }
    text.setAttribute("aria-busy", "false");
    byId("write").disabled = false;
    byId("stop").disabled = true;
  });
  byId("stop").addEventListener("click", () => stop.abort());
  byId("prompt").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    form.requestSubmit(byId("write"));
  });
}

start().catch(showError);
