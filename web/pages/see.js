// Finds faces in a picture, or in what the camera sees, at any size of the frame.
import { byId, follow, showError, showProgress } from "./common.js";
import { FaceFinder } from "./faces.js";

// All buffers that this page makes on the device, counted where they are made.
let buffers = 0;
if (globalThis.GPUDevice) {
  const { createBuffer } = GPUDevice.prototype;
  GPUDevice.prototype.createBuffer = function (descriptor) {
    buffers += 1;
    return createBuffer.call(this, descriptor);
  };
}

const view = byId("view");
const pencil = view.getContext("2d");
const frame = new OffscreenCanvas(1, 1);
let finder;
let buffersOfLoad = 0;
let source; // what is looked at: a picture or a video
let isBusy = false;
let isStale = false; // something has changed since the last look began

follow("side", (side) => `${side} px`);

/** Looks again, now or as soon as the look that is under way is over. */
async function look() {
  isStale = true;
  if (isBusy || !finder || !source) return;
  isBusy = true;
  byId("error").hidden = true;
  try {
    while (isStale) {
      isStale = false;
      await lookOnce();
    }
  } catch (error) {
    showError(error);
  }
  isBusy = false;
}

async function lookOnce() {
  const width = source.videoWidth ?? source.naturalWidth;
  const height = source.videoHeight ?? source.naturalHeight;
  const scale = Number(byId("side").value) / Math.max(width, height);
  frame.width = Math.max(Math.round(width * scale), 12);
  frame.height = Math.max(Math.round(height * scale), 12);
  frame.getContext("2d").drawImage(source, 0, 0, frame.width, frame.height);
  const began = performance.now();
  const runsBefore = finder.runs;
  const faces = await finder.find(frame);
  show(faces, performance.now() - began, finder.runs - runsBefore);
}

function show(faces, milliseconds, runs) {
  [view.width, view.height] = [frame.width, frame.height];
  pencil.drawImage(frame, 0, 0);
  pencil.strokeStyle = "#35d0ff";
  pencil.lineWidth = Math.max(2, frame.width / 160);
  for (const { x, y, width, height } of faces) {
    pencil.beginPath();
    pencil.roundRect(x, y, width, height, width / 8);
    pencil.stroke();
  }
  const count = faces.length === 1 ? "1 face" : `${faces.length} faces`;
  const sure = faces.map(({ score }) => `${Math.round(100 * score)} %`).join(", ");
  const said = faces.length > 0 ? `${count} (${sure})` : "No face";
  // A screen reader hears it if it is another number of faces, not with each frame of a camera.
  if (byId("faces").dataset.count !== String(faces.length)) byId("said").textContent = said;
  byId("faces").dataset.count = String(faces.length);
  byId("faces").textContent = said;
  byId("frame").textContent = `${frame.width} × ${frame.height}`;
  byId("time").textContent = `${milliseconds.toFixed(0)} ms`;
  byId("runs").textContent = String(runs);
  byId("shapes").textContent = String(finder.shapes.size);
  byId("buffers").textContent = String(buffers);
  byId("new-buffers").textContent = String(buffers - buffersOfLoad);
  view.setAttribute("aria-label", `The picture. ${said}.`);
}

async function takePicture(blob) {
  stopCamera();
  const picture = Object.assign(new Image(), { src: URL.createObjectURL(blob) });
  try {
    await picture.decode();
  } catch {
    showError(new Error("this is not a picture that the browser can show"));
    return;
  } finally {
    URL.revokeObjectURL(picture.src);
  }
  source = picture;
  await look();
}

const takeSample = async () => takePicture(await (await fetch("faces/astronaut.jpg")).blob());

/** Every size once, from small to large and back: what the page holds on the device stays the same. */
async function sweep() {
  const side = byId("side");
  byId("sweep").disabled = true;
  const chosen = side.value;
  for (let step = 0; step <= 24 && finder && source; step++) {
    const part = 1 - Math.abs(step - 12) / 12;
    side.value = String(Math.round(64 + part * (Number(chosen) - 64)));
    side.dispatchEvent(new Event("input"));
    while (isBusy) await new Promise((resolve) => setTimeout(resolve, 4));
  }
  side.value = chosen;
  side.dispatchEvent(new Event("input"));
  byId("sweep").disabled = false;
}

async function startCamera() {
  const video = document.createElement("video");
  try {
    video.srcObject = await navigator.mediaDevices.getUserMedia({ video: true });
  } catch (error) {
    showError(new Error(`there is no camera for this page: ${error.message}`));
    return;
  }
  video.muted = video.playsInline = true;
  await video.play();
  source = video;
  byId("camera").textContent = "Stop the camera";
  while (source === video) {
    await look();
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

function stopCamera() {
  for (const track of source?.srcObject?.getTracks() ?? []) track.stop();
  if (source?.srcObject) source = undefined;
  byId("camera").textContent = "Use the camera";
}

async function start() {
  finder = await FaceFinder.load(showProgress);
  byId("loading").hidden = true;
  buffersOfLoad = buffers;
  byId("adapter").textContent = finder.proposals.description.adapter;
  byId("sweep").disabled = false;
  await look();
}

byId("side").addEventListener("input", look);
byId("sample").addEventListener("click", takeSample);
byId("sweep").addEventListener("click", sweep);
byId("camera").addEventListener("click", () => (source?.srcObject ? stopCamera() : startCamera()));
byId("file").addEventListener("change", ({ target }) => {
  if (target.files[0]) takePicture(target.files[0]);
});
Promise.all([start(), takeSample()]).catch(showError);
