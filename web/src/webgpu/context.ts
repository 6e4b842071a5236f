// What all parts of the shim share.
import { Events } from "./events.js";
import { Handles } from "./handles.js";
import { numbers, offsets } from "./layout.js";
import { Memory } from "./memory.js";

/** A function of the engine that is to be called later, with what it was given for itself. */
export interface Callback {
  call(...args: number[]): void;
}

export class Context {
  readonly handles = new Handles();
  readonly events = new Events();
  memory!: Memory;
  #table!: WebAssembly.Table;
  /** Kernels that a load has asked the browser for, and how many of them are made; also afterwards. */
  kernels = { asked: 0, made: 0 };
  onKernel: () => void = () => {};

  constructor(
    readonly device: GPUDevice,
    readonly info: GPUAdapterInfo,
  ) {}

  attach(memory: Memory, table: WebAssembly.Table): void {
    this.memory = memory;
    this.#table = table;
  }

  callback(info: number, at: { callback: number; userdata1: number; userdata2: number }): Callback {
    const [index, first, second] = [at.callback, at.userdata1, at.userdata2].map((offset) =>
      this.memory.word(info + offset),
    );
    return {
      call: (...args) => {
        if (index) (this.#table.get(index) as (...all: number[]) => void)(...args, first, second);
      },
    };
  }

  /** Text that lies in memory while `use` runs, as a WGPUStringView. */
  withText(text: string, use: (view: number) => void): void {
    const bytes = this.memory.encode(text);
    this.memory.with(8 + bytes.length, (view) => {
      this.memory.slice(view + 8, bytes.length).set(bytes);
      this.memory.setWord(view, view + 8);
      this.memory.setWord(view + 4, bytes.length);
      use(view);
    });
  }

  /** The text of a WGPUStringView. */
  text(view: number): string {
    const { data, length } = offsets.WGPUStringView;
    const begin = this.memory.word(view + data);
    if (!begin) return "";
    const told = this.memory.word(view + length);
    const size = told === numbers.WGPU_STRLEN ? this.memory.bytes.indexOf(0, begin) - begin : told;
    return this.memory.text(begin, size);
  }
}

/** 64-bit arguments come as signed BigInts. */
export function toNumber(long: bigint): number {
  return Number(BigInt.asUintN(64, long));
}

/** Nobody asks for a future: answers are heard by their callbacks. */
export const future = 0n;
