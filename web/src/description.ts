// What a model says of itself.
import type { DType } from "./tensor.js";

export interface TensorDescription {
  /** As the model's author called it; input0, input1, … if the file does not say. */
  name: string;
  kind: "tensor";
  dtype: DType;
  /** The smallest that its dims can be, and the largest. */
  least: number[];
  bound: number[];
}

export interface IntegerDescription {
  name: string;
  kind: "integer";
}

export type InputDescription = TensorDescription | IntegerDescription;
export type OutputDescription = Omit<TensorDescription, "least"> | IntegerDescription;

/** Of a language model with a cache. */
export interface TextDescription {
  /** The most tokens of a text. */
  capacity: number;
  /** The most tokens that are fed at once. */
  longestStep: number;
  vocabulary: number;
  endTokens: number[];
  beginToken?: number;
}

export interface Description {
  adapter: string;
  inputs: InputDescription[];
  outputs: OutputDescription[];
  /** Whether a run changes what the next one gives: a cache, or weights that learn. */
  keepsState: boolean;
  text?: TextDescription;
}

/** What a load or a run cost. */
export interface Accounts {
  dispatches: number;
  rounds: number;
  passes: number;
  submits: number;
  params_writes: number;
  params_bytes: number;
  uploaded_bytes: number;
  read_back_bytes: number;
  gpu_objects: number;
  gpu_bytes: number;
  heap_allocations: number;
  planned_nodes: number;
  waits: number;
  seconds: number;
  wait_seconds: number;
}

export function readDescription(json: string): Description {
  const told = JSON.parse(json) as Description;
  const isText = told.text !== undefined;
  // A language model takes the same two, whether its file names them or not.
  const names = isText ? ["tokens", "input_pos"] : [];
  told.inputs.forEach((input, i) => (input.name ||= names[i] ?? `input${i}`));
  // Files do not name outputs.
  told.outputs.forEach((output, i) => (output.name = isText ? "logits" : `output${i}`));
  return told;
}
