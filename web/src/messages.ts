// What a page and its worker say to each other.
import type { Description } from "./description.js";
import type { Sampling } from "./generate.js";
import type { LoadOptions, Progress } from "./load.js";
import type { ModelSource } from "./bytes.js";
import type { RunInputs } from "./model.js";

/** What of a load's options crosses over: the rest stays with the page. */
export type WorkerLoadOptions = Pick<
  LoadOptions,
  "method" | "timeout" | "halfCache" | "waitForKernels" | "variables" | "cache" | "recover"
> & { wasm?: string };

export type Work =
  | { kind: "load"; source: ModelSource; options: WorkerLoadOptions }
  | { kind: "run"; model: number; inputs: RunInputs }
  | { kind: "draw"; model: number; tokens: readonly number[]; count: number; sampling: Sampling }
  | { kind: "accounts"; model: number }
  | { kind: "close"; model: number };

/** To the worker: a call with its number, or that one is given up. */
export type ToWorker = { call: number; work: Work } | { call: number; abort: string };

/** From it: what came of a call, or how far it has come. */
export type FromWorker =
  | { call: number; result: unknown }
  | { call: number; error: { name: string; message: string } }
  | { call: number; progress: Progress };

export interface LoadedModel {
  model: number;
  description: Description;
}
