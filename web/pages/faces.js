// Finds faces in frames of any size. The first net sees the frame at one size after another; the
// second looks closely at what the first has found, however much that is.
import { load } from "highwater";

const cell = 12; // a face, as the first net sees it
const stride = 2;
const cutting = 24; // a face, as the second one sees it
const smallestFace = 20;
const shrink = 0.709; // from one size to the next
const mostFaces = 64;
const thresholds = { proposal: 0.6, face: 0.9 };

export class FaceFinder {
  static async load(onProgress) {
    const open = (name) => load(`faces/${name}.pte`, { onProgress });
    return new FaceFinder(await open("proposals"), await open("refinement"));
  }

  /** Shapes at which a net has run. */
  shapes = new Set();
  runs = 0;

  constructor(proposals, refinement) {
    this.proposals = proposals;
    this.refinement = refinement;
    this.pencil = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    this.pencil.imageSmoothingQuality = "high";
  }

  /** Boxes with their scores, in pixels of the frame, which is a canvas. */
  async find(frame) {
    const found = [];
    for (const size of pyramid(frame.width, frame.height)) {
      found.push(...apart(await this.#propose(frame, size), 0.5));
    }
    const candidates = apart(found, 0.7).slice(0, mostFaces).map(square);
    return candidates.length > 0 ? apart(await this.#refine(frame, candidates), 0.4) : [];
  }

  async #propose(frame, { width, height }) {
    const data = new Float32Array(3 * width * height);
    this.#draw(
      frame,
      { x: 0, y: 0, width: frame.width, height: frame.height },
      width,
      height,
      data,
    );
    const [scores, moves] = await this.#run(this.proposals, data, [1, 3, height, width]);
    const [rows, columns] = scores.dims.slice(2);
    const [scaleX, scaleY] = [frame.width / width, frame.height / height];
    const found = [];
    for (let i = 0; i < rows * columns; i++) {
      const score = scores.data[rows * columns + i];
      if (score < thresholds.proposal) continue;
      const box = {
        x: stride * (i % columns) * scaleX,
        y: stride * Math.floor(i / columns) * scaleY,
        width: cell * scaleX,
        height: cell * scaleY,
        score,
      };
      found.push(moved(box, (side) => moves.data[side * rows * columns + i]));
    }
    return found;
  }

  async #refine(frame, boxes) {
    const size = 3 * cutting * cutting;
    const data = new Float32Array(boxes.length * size);
    boxes.forEach((box, i) =>
      this.#draw(frame, box, cutting, cutting, data.subarray(i * size, (i + 1) * size)),
    );
    const dims = [boxes.length, 3, cutting, cutting];
    const [scores, moves] = await this.#run(this.refinement, data, dims);
    return boxes
      .map((box, i) =>
        moved({ ...box, score: scores.data[2 * i + 1] }, (side) => moves.data[4 * i + side]),
      )
      .filter(({ score }) => score >= thresholds.face);
  }

  async #run(net, data, dims) {
    this.shapes.add(dims.join());
    this.runs += 1;
    return Object.values(await net.run([{ data, dims }]));
  }

  /** A part of the frame at another size, as three planes of numbers from -1 to 1. */
  #draw(frame, box, width, height, planes) {
    const { canvas } = this.pencil;
    if (canvas.width < width) canvas.width = width;
    if (canvas.height < height) canvas.height = height;
    this.pencil.fillRect(0, 0, width, height);
    this.pencil.drawImage(frame, box.x, box.y, box.width, box.height, 0, 0, width, height);
    const pixels = this.pencil.getImageData(0, 0, width, height).data;
    const count = width * height;
    for (let i = 0; i < count; i++) {
      for (let c = 0; c < 3; c++) planes[c * count + i] = (pixels[4 * i + c] - 127.5) / 128;
    }
  }
}

/** The sizes of a frame at which a face of some size has 12 pixels. */
function* pyramid(width, height) {
  let scale = cell / smallestFace;
  for (; Math.min(width, height) * scale >= cell; scale *= shrink) {
    const even = (side) => 2 * Math.max(cell / 2, Math.round((side * scale) / 2));
    yield { width: even(width), height: even(height) };
  }
}

/** Each side of a box moved by a part of its length: left, top, right, bottom. */
function moved(box, part) {
  const left = box.x + part(0) * box.width;
  const top = box.y + part(1) * box.height;
  const right = box.x + box.width * (1 + part(2));
  const bottom = box.y + box.height * (1 + part(3));
  return { ...box, x: left, y: top, width: right - left, height: bottom - top };
}

function square(box) {
  const side = Math.max(box.width, box.height);
  const [x, y] = [box.x + (box.width - side) / 2, box.y + (box.height - side) / 2];
  return { ...box, x, y, width: side, height: side };
}

/** Of boxes that lie over each other by more than `most`, the best; best first. */
function apart(boxes, most) {
  const kept = [];
  for (const box of [...boxes].sort((a, b) => b.score - a.score)) {
    if (kept.every((other) => overlap(box, other) <= most)) kept.push(box);
  }
  return kept;
}

function overlap(a, b) {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  const shared = Math.max(width, 0) * Math.max(height, 0);
  return shared / (a.width * a.height + b.width * b.height - shared);
}
