// PyTorch models on WebGPU, in the browser, at every live shape up to their bound.
export type { ModelSource } from "./bytes.js";
export { clearCache } from "./cache.js";
export type { ChatMessage, Prompt } from "./chat.js";
export type {
  Accounts,
  Description,
  InputDescription,
  IntegerDescription,
  OutputDescription,
  TensorDescription,
  TextDescription,
} from "./description.js";
export {
  AdapterTooSmallError,
  DeviceLostError,
  DownloadError,
  HighwaterError,
  NoWebGpuError,
  OutOfMemoryError,
} from "./errors.js";
export type { GenerateOptions } from "./generate.js";
export { load, type LoadOptions, type Progress } from "./load.js";
export { Model, type RunInput, type RunInputs, type RunOptions, type RunOutputs } from "./model.js";
export type { BufferInput, OutputPlace } from "./on-device.js";
export type { DType, NumberArray, TensorInput, TensorOutput } from "./tensor.js";
export type { Tokenizer, TokenizerSource } from "./tokenizer.js";
