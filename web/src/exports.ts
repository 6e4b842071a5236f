// What the engine's module exports: the functions of src/web in C++. Pointers are numbers.
import type { Allocator } from "./webgpu/memory.js";

export interface Exports extends Allocator {
  __indirect_function_table: WebAssembly.Table;
  _initialize(): void;
  hw_text(): number;
  hw_text_size(): number;

  hw_file_open(size: number): number;
  hw_file_close(file: number): void;
  hw_file_wanted(file: number, part: number): number;
  hw_file_give(file: number, offset: number, size: number): number;
  hw_file_forget(file: number): void;

  hw_model_start(
    file: number,
    method: number,
    methodSize: number,
    timeoutSeconds: number,
    halfCache: number,
    waitForKernels: number,
  ): number;
  hw_model_advance(model: number): number;
  hw_model_close(model: number): void;
  hw_model_describe(model: number): void;
  hw_model_accounts(model: number): void;

  hw_call_begin(model: number): void;
  hw_call_tensor(model: number, dtype: number, dims: number, rank: number, data: number): number;
  hw_call_integer(model: number, value: number): void;
  hw_run_start(model: number, reads: number, count: number): number;
  hw_run_poll(model: number): number;
  hw_run_finish(model: number): number;
  hw_output_dims(model: number, output: number, dims: number): number;
  hw_output_integer(model: number, output: number): number;
  hw_output_read(model: number, output: number, dtype: number, to: number, size: number): number;

  hw_place(model: number, isOutput: number, index: number, dtype: number): number;

  hw_text_set(model: number, tokens: number, count: number): number;
  hw_draw_start(
    model: number,
    count: number,
    temperature: number,
    topK: number,
    topP: number,
    seed: number,
  ): number;
  hw_draw_finish(model: number, tokens: number): number;
}

/** What is left of a load, as hw_model_advance says it. */
export const advance = { failed: -1, more: 0, waiting: 1, done: 2 } as const;
