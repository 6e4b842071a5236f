// Tensors between JavaScript and the engine.
import { HighwaterError } from "./errors.js";

export type DType =
  "bool" | "uint8" | "int8" | "int32" | "float16" | "float32" | "float64" | "int64";

export type NumberArray =
  | Float32Array
  | Float64Array
  | Int32Array
  | Uint8Array
  | Uint8ClampedArray
  | Int8Array
  | BigInt64Array
  | readonly number[];

/** Elements in order, the last dim the quickest. */
export interface TensorInput {
  data: NumberArray;
  dims: readonly number[];
}

export interface TensorOutput {
  /** int64 comes as int32 and float64 as float32, as they are on the device. */
  data: Float32Array | Int32Array | Uint8Array | Int8Array;
  dims: number[];
  dtype: DType;
  /** Where it is if it was to stay on the device; `data` is empty then. */
  buffer?: GPUBuffer;
}

/** The numbers that the engine has for them. */
const codes: Record<DType, number> = {
  bool: 0,
  uint8: 1,
  int8: 2,
  int32: 3,
  float16: 4,
  float32: 5,
  float64: 6,
  int64: 7,
};

export function dtypeOf(code: number): DType {
  return (Object.keys(codes) as DType[]).find((name) => codes[name] === code)!;
}

/** Bytes of an element on the device. */
export function widthOf(dtype: DType): number {
  const isByte = dtype === "bool" || dtype === "uint8" || dtype === "int8";
  return isByte ? 1 : dtype === "float16" ? 2 : 4;
}

/** As what the engine is given, and gives, a dtype: it converts by itself. */
interface Crossing {
  code: number;
  width: number;
  view: (buffer: ArrayBuffer, at: number, count: number) => TensorOutput["data"];
}
const floats: Crossing = {
  code: codes.float32,
  width: 4,
  view: (buffer, at, count) => new Float32Array(buffer, at, count),
};
const integers: Crossing = {
  code: codes.int32,
  width: 4,
  view: (buffer, at, count) => new Int32Array(buffer, at, count),
};
const bytes = (code: number): Crossing => ({
  code,
  width: 1,
  view: (buffer, at, count) => new Uint8Array(buffer, at, count),
});
export const crossings: Record<DType, Crossing> = {
  bool: bytes(codes.bool),
  uint8: bytes(codes.uint8),
  int8: {
    code: codes.int8,
    width: 1,
    view: (buffer, at, count) => new Int8Array(buffer, at, count),
  },
  int32: integers,
  int64: integers,
  float16: floats,
  float32: floats,
  float64: floats,
};

export function countOf(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}

/** Writes elements in the dtype that the engine is given, and refuses what it cannot hold. */
export function write(data: NumberArray, to: TensorOutput["data"], name: string): void {
  if (!(data instanceof BigInt64Array) && !(to instanceof Int32Array)) {
    to.set(data);
    return;
  }
  for (let i = 0; i < data.length; i++) {
    const value = Number(data[i]);
    if (to instanceof Int32Array && (!Number.isInteger(value) || (value | 0) !== value)) {
      throw new HighwaterError(`${name}: element ${i} is ${value}; integers of 32 bits are wanted`);
    }
    to[i] = value;
  }
}

/**
 * The dims of data that came without: one live dim can be found, more cannot. One of at most 1 is 1,
 * also where the file does not say that it is not live.
 */
export function inferDims(
  count: number,
  least: readonly number[],
  bound: readonly number[],
  name: string,
): number[] {
  const live = bound.flatMap((most, i) => (least[i] < most && most > 1 ? [i] : []));
  if (count === countOf(bound)) return [...bound];
  const fixed = bound.reduce((product, dim, i) => (live.includes(i) ? product : product * dim), 1);
  const length = fixed > 0 ? count / fixed : 0;
  const isWhole = live.length === 0 ? length === 1 : Number.isInteger(length);
  if (live.length > 1 || !isWhole) {
    throw new HighwaterError(
      `${name} has ${count} elements, from which its dims do not follow (at most ` +
        `[${bound.join(", ")}]); give { data, dims }`,
    );
  }
  return bound.map((dim, i) => (live.includes(i) ? length : dim));
}
