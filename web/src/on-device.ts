// Tensors that are on the device already, or stay there.
import type { Engine } from "./engine.js";
import { HighwaterError } from "./errors.js";
import { countOf, type DType, dtypeOf, widthOf } from "./tensor.js";

/** What a buffer of the model's device holds; `model.description` tells the dtype it must have. */
export interface BufferInput {
  buffer: GPUBuffer;
  dims: readonly number[];
  /** In bytes, where it begins; a multiple of 4. */
  offset?: number;
}

/** "gpu" asks for a buffer of its own; one that is given must be large enough, with COPY_DST. */
export type OutputPlace = "gpu" | GPUBuffer;

interface Place {
  buffer: GPUBuffer;
  dtype: DType;
}

function placeOf(
  engine: Engine,
  model: number,
  isOutput: boolean,
  index: number,
): Place | undefined {
  const { exports, memory, context } = engine;
  return memory.with(4, (dtype) => {
    const handle = exports.hw_place(model, Number(isOutput), index, dtype);
    if (!handle) return undefined;
    return { buffer: context.handles.get<GPUBuffer>(handle), dtype: dtypeOf(memory.word(dtype)) };
  });
}

// Storage, and copies from it and to it: GPUBufferUsage is not there in every context.
const usage = 0x80 | 0x04 | 0x08;

/** Buffers are copied by whole words. */
const bytesOf = (dims: readonly number[], dtype: DType) =>
  Math.ceil((countOf(dims) * widthOf(dtype)) / 4) * 4;

/** Copies an input into the model's own buffer. The engine looks at its dims afterwards. */
export function copyIn(
  engine: Engine,
  model: number,
  index: number,
  { buffer, dims, offset = 0 }: BufferInput,
  name: string,
): void {
  const place = placeOf(engine, model, false, index);
  if (!place) return; // only the host reads it, and will say so
  const size = bytesOf(dims, place.dtype);
  if (size > place.buffer.size) return; // over its bound, which the engine will say
  if (size > buffer.size - offset) {
    throw new HighwaterError(
      `${name} of dims [${dims.join(", ")}] takes ${size} bytes as ${place.dtype}; its buffer has ` +
        `${buffer.size - offset}`,
    );
  }
  copy(engine.context.device, buffer, offset, place.buffer, size);
}

/** Copies an output to where it is wanted. */
export function copyOut(
  engine: Engine,
  model: number,
  index: number,
  dims: number[],
  to: OutputPlace,
  name: string,
): { buffer: GPUBuffer; dtype: DType } {
  const { device } = engine.context;
  const place = placeOf(engine, model, true, index);
  if (!place) throw new HighwaterError(`${name} is not on the device`);
  const size = bytesOf(dims, place.dtype);
  const buffer =
    to === "gpu" ? device.createBuffer({ label: name, size: Math.max(size, 4), usage }) : to;
  if (buffer.size < size) {
    throw new HighwaterError(`${name} takes ${size} bytes; the buffer for it has ${buffer.size}`);
  }
  copy(device, place.buffer, 0, buffer, size);
  return { buffer, dtype: place.dtype };
}

function copy(
  device: GPUDevice,
  from: GPUBuffer,
  offset: number,
  to: GPUBuffer,
  size: number,
): void {
  if (size === 0) return;
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(from, offset, to, 0, size);
  device.queue.submit([encoder.finish()]);
}
