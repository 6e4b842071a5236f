// Finds the sentences that are nearest in meaning to what is typed, at every length of it.
import { load } from "highwater";
import { byId, showError, showProgress } from "./common.js";

const folder = "search/"; // what ./playground --search makes
const shown = 5;
const lengths = new Set();
let model;
let sentences; // each with its place
let points; // a row for each sentence, of length 1
let longest;
let isBusy = false;
let isStale = false;

/** Searches again, now or as soon as the search that is under way is over. */
async function search() {
  isStale = true;
  if (isBusy) return;
  isBusy = true;
  byId("error").hidden = true;
  try {
    while (isStale) {
      isStale = false;
      await searchOnce(byId("query").value.trim());
    }
  } catch (error) {
    showError(error);
  }
  isBusy = false;
}

async function searchOnce(text) {
  if (!text) {
    byId("results").replaceChildren();
    return;
  }
  const ids = model.tokenizer.encode(text).slice(0, longest);
  const dims = [1, ids.length];
  const ones = new Int32Array(ids.length).fill(1);
  const began = performance.now();
  const [point] = Object.values(
    await model.run([
      { data: ids, dims },
      { data: ones, dims },
    ]),
  );
  const milliseconds = performance.now() - began;
  show(nearest(point.data), text);
  lengths.add(ids.length);
  byId("tokens").textContent = String(ids.length);
  byId("time").textContent = `${milliseconds.toFixed(0)} ms`;
  byId("lengths").textContent = String(lengths.size);
  byId("objects").textContent = String((await model.accounts()).run.gpu_objects);
}

/** Sentences with how near they are, from -1 to 1; the nearest first. */
function nearest(point) {
  const width = point.length;
  const found = sentences.map(([place, text], i) => {
    const row = points.subarray(i * width, (i + 1) * width);
    return { place, text, nearness: row.reduce((sum, value, k) => sum + value * point[k], 0) };
  });
  return found.sort((a, b) => b.nearness - a.nearness).slice(0, shown);
}

function show(found, text) {
  const rows = found.map(({ place, text, nearness }) => {
    const row = document.createElement("li");
    const meter = Object.assign(document.createElement("meter"), { min: 0, max: 1 });
    meter.value = nearness;
    meter.ariaLabel = `nearness ${nearness.toFixed(2)}`;
    const sentence = Object.assign(document.createElement("p"), { textContent: text });
    const cite = Object.assign(document.createElement("cite"), { textContent: place });
    const number = Object.assign(document.createElement("span"), {
      textContent: nearness.toFixed(2),
    });
    number.ariaHidden = "true";
    const foot = document.createElement("div");
    foot.append(cite, meter, number);
    row.append(sentence, foot);
    return row;
  });
  byId("results").replaceChildren(...rows);
  byId("results").dataset.query = text;
  byId("said").textContent = `Nearest: ${found[0].text}`;
}

async function get(name) {
  const response = await fetch(folder + name);
  if (!response.ok) throw new Error(`${folder}${name} is not there: ${response.status}`);
  return response;
}

async function start() {
  sentences = await (await fetch("sentences.json")).json();
  byId("total").textContent = String(sentences.length);
  const isMade = (await fetch(`${folder}points.bin`, { method: "HEAD" })).ok;
  byId("missing").hidden = isMade;
  byId("loading").hidden = !isMade;
  if (!isMade) return;
  points = new Float32Array(await (await get("points.bin")).arrayBuffer());
  model = await load(`${folder}model.pte`, {
    tokenizer: `${folder}tokenizer.json`,
    onProgress: showProgress,
  });
  longest = model.description.inputs[0].bound[1];
  byId("loading").hidden = true;
  byId("ready").hidden = false;
  byId("adapter").textContent = model.description.adapter;
  byId("query").addEventListener("input", search);
  await search();
}

start().catch(showError);
