// A model that is loaded: give it inputs of any live shape, and it gives its outputs.
import { type Accounts, type Description, readDescription } from "./description.js";
import type { Engine } from "./engine.js";
import type { Prompt } from "./chat.js";
import { DeviceLostError, HighwaterError } from "./errors.js";
import { generate, type GenerateOptions, type Sampling } from "./generate.js";
import { type BufferInput, copyIn, copyOut, type OutputPlace } from "./on-device.js";
import { Queue } from "./queue.js";
import {
  countOf,
  crossings,
  inferDims,
  type NumberArray,
  type TensorInput,
  type TensorOutput,
  write,
} from "./tensor.js";
import type { Tokenizer } from "./tokenizer.js";

export type RunInput = NumberArray | TensorInput | BufferInput | number;
export type RunInputs = Record<string, RunInput> | readonly RunInput[];
/** An integer comes as a tensor without dims. */
export type RunOutputs = Record<string, TensorOutput>;

export interface RunOptions {
  /** Throws the signal's reason if it comes before the run has begun. */
  signal?: AbortSignal;
  /** Outputs that stay on the device: in a buffer of their own, or in one that is given. */
  outputs?: Record<string, OutputPlace>;
}

/** A model of the engine's. */
export interface Loaded {
  engine: Engine;
  handle: number;
}

const mostDims = 8;

export class Model {
  /** Inputs, outputs, and for a language model what it can write. */
  readonly description: Description;
  /** One call at a time; the others wait. */
  readonly #calls = new Queue();
  #isClosed = false;
  #loaded: Loaded;
  readonly #loadAgain: (() => Promise<Loaded>) | undefined;

  /** @internal: load() makes models. */
  constructor(
    loaded: Loaded,
    /** What the model was loaded with, if anything. */
    readonly tokenizer: Tokenizer | undefined,
    loadAgain?: () => Promise<Loaded>,
  ) {
    this.#loaded = loaded;
    this.#loadAgain = loadAgain;
    loaded.engine.exports.hw_model_describe(loaded.handle);
    this.description = readDescription(loaded.engine.text());
  }

  /** @internal */
  get engine(): Engine {
    return this.#loaded.engine;
  }
  /** @internal */
  get handle(): number {
    return this.#loaded.handle;
  }

  /** Runs at the shapes of the inputs, which may be others each time. */
  run(inputs: RunInputs, options: RunOptions = {}): Promise<RunOutputs> {
    const canRepeat = !this.description.keepsState && !hasBuffers(inputs, options);
    return this.#exclusively(canRepeat, async () => {
      const { engine, handle } = this;
      options.signal?.throwIfAborted();
      const places = this.#places(options.outputs ?? {});
      this.#start(this.#inOrder(inputs), places);
      await this.#untilDone();
      engine.check(engine.exports.hw_run_finish(handle));
      return this.#outputs(places);
    });
  }

  /** Where the model is: buffers for inputs and outputs are made by it. */
  get device(): GPUDevice {
    return this.engine.context.device;
  }

  /** Text that follows on a prompt, piece by piece as it is drawn. */
  generate(prompt: Prompt, options?: GenerateOptions): AsyncGenerator<string> {
    return generate(this, prompt, options);
  }

  /**
   * Tokens that follow on others, for who has texts as tokens. The whole text is given each time:
   * only what the cache does not hold yet is fed, so that texts can take turns.
   */
  draw(tokens: readonly number[], count: number, sampling: Sampling): Promise<number[]> {
    return this.#exclusively(true, async () => {
      const { engine, handle } = this;
      const { exports, memory } = engine;
      if (!this.description.text) throw new HighwaterError("this model does not write text");
      memory.with(8 * tokens.length, (pointer) => {
        const all = new BigInt64Array(memory.bytes.buffer, pointer, tokens.length);
        tokens.forEach((token, i) => (all[i] = BigInt(token)));
        engine.check(exports.hw_text_set(handle, pointer, tokens.length));
      });
      const { temperature, topK, topP, seed } = sampling;
      engine.check(exports.hw_draw_start(handle, count, temperature, topK, topP, seed));
      await this.#untilDone();
      return memory.with(8 * count, (pointer) => {
        engine.check(exports.hw_draw_finish(handle, pointer));
        return Array.from(new BigInt64Array(memory.bytes.buffer, pointer, count), Number);
      });
    });
  }

  /** What the load cost, and the last run. */
  async accounts(): Promise<{ load: Accounts; run: Accounts }> {
    this.#checkOpen();
    this.engine.exports.hw_model_accounts(this.handle);
    return JSON.parse(this.engine.text()) as { load: Accounts; run: Accounts };
  }

  /** Gives the device's memory back. A call that is under way throws. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.engine.exports.hw_model_close(this.handle);
    this.engine.context.events.wake();
  }

  /**
   * Waits for the calls before, and keeps others waiting. What cannot be repeated fails if the model
   * was loaded again since it was asked for.
   */
  #exclusively<T>(canRepeat: boolean, work: () => Promise<T>): Promise<T> {
    const asked = this.#loaded;
    return this.#calls.add(async () => {
      try {
        this.#checkOpen();
        if (canRepeat || this.#loaded === asked) return await work();
      } catch (error) {
        if (!(error instanceof DeviceLostError) || !this.#loadAgain) throw error;
        await this.#recover(this.#loadAgain);
        if (canRepeat) return work();
      }
      throw new DeviceLostError(
        "the WebGPU device was lost, with what runs had left on it; the model is loaded again, and " +
          "begins anew with the next call",
      );
    });
  }
  async #recover(loadAgain: () => Promise<Loaded>): Promise<void> {
    const { engine, handle } = this.#loaded;
    await engine.context.device.lost; // so that all know of it
    const loaded = await loadAgain();
    if (!this.#isClosed) engine.exports.hw_model_close(handle);
    this.#loaded = loaded;
    if (!this.#isClosed) return;
    loaded.engine.exports.hw_model_close(loaded.handle);
    this.#checkOpen();
  }
  async #untilDone(): Promise<void> {
    const { exports } = this.engine;
    await this.engine.until(() => this.#isClosed || exports.hw_run_poll(this.handle) !== 0);
    this.#checkOpen();
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new HighwaterError("the model is closed");
    if (this.engine.lost !== undefined) throw this.engine.lostError();
  }

  #inOrder(inputs: RunInputs): RunInput[] {
    const wanted = this.description.inputs;
    if (Array.isArray(inputs)) return [...(inputs as readonly RunInput[])];
    const named = inputs as Record<string, RunInput>;
    const names = wanted.map(({ name }) => name);
    const unknown = Object.keys(named).find((name) => !names.includes(name));
    const missing = names.find((name) => !(name in named));
    if (unknown !== undefined || missing !== undefined) {
      const wrong = unknown === undefined ? `'${missing}' is missing` : `there is no '${unknown}'`;
      throw new HighwaterError(`${wrong}; the model takes ${names.join(", ")}`);
    }
    return names.map((name) => named[name]);
  }

  /** Of each output, where it is to be; those that are read have none. */
  #places(wanted: Record<string, OutputPlace>): (OutputPlace | undefined)[] {
    const names = this.description.outputs.map(({ name }) => name);
    const unknown = Object.keys(wanted).find((name) => !names.includes(name));
    if (unknown !== undefined) {
      throw new HighwaterError(`there is no output '${unknown}'; there are ${names.join(", ")}`);
    }
    return names.map((name) => wanted[name]);
  }

  #start(inputs: RunInput[], places: (OutputPlace | undefined)[]): void {
    const { engine, handle } = this;
    const { exports, memory } = engine;
    const allocated: number[] = [];
    try {
      exports.hw_call_begin(handle);
      inputs.forEach((input, i) => this.#add(i, input, allocated));
      const read = places.flatMap((place, i) => (place === undefined ? [i] : []));
      memory.with(4 * read.length, (list) => {
        read.forEach((output, i) => memory.setWord(list + 4 * i, output));
        engine.check(exports.hw_run_start(handle, list, read.length));
      });
    } finally {
      for (const pointer of allocated) engine.memory.release(pointer);
    }
  }

  #add(i: number, input: RunInput, allocated: number[]): void {
    const { engine, handle } = this;
    const { memory } = engine;
    const wanted = this.description.inputs[i];
    if (!wanted) {
      throw new HighwaterError(`the model takes ${this.description.inputs.length} inputs`);
    }
    if (wanted.kind === "integer") {
      if (typeof input !== "number" || !Number.isSafeInteger(input)) {
        throw new HighwaterError(`${wanted.name} is an integer; give a number`);
      }
      engine.exports.hw_call_integer(handle, input);
      return;
    }
    if (isOnDevice(input)) {
      checkDims(input.dims, wanted.name);
      copyIn(engine, handle, i, input, wanted.name);
      this.#addTensor(0, input.dims, 0);
      return;
    }
    const tensor = asTensor(input, wanted.name, wanted.least, wanted.bound);
    const count = countOf(tensor.dims);
    if (count !== tensor.data.length) {
      const dims = tensor.dims.join(", ");
      throw new HighwaterError(
        `${wanted.name} of dims [${dims}] has ${count} elements; ${tensor.data.length} were given`,
      );
    }
    const crossing = crossings[wanted.dtype];
    const data = memory.allocate(count * crossing.width);
    allocated.push(data);
    write(tensor.data, crossing.view(memory.bytes.buffer, data, count), wanted.name);
    this.#addTensor(crossing.code, tensor.dims, data);
  }

  #addTensor(code: number, dims: readonly number[], data: number): void {
    const { engine, handle } = this;
    const { memory } = engine;
    memory.with(8 * mostDims, (pointer) => {
      if (dims.length <= mostDims) memory.doubles(pointer, dims.length).set(dims);
      engine.check(engine.exports.hw_call_tensor(handle, code, pointer, dims.length, data));
    });
  }

  #outputs(places: (OutputPlace | undefined)[]): RunOutputs {
    const { engine, handle } = this;
    const { exports, memory } = engine;
    const outputs: RunOutputs = {};
    this.description.outputs.forEach((output, i) => {
      if (output.kind === "integer") {
        const data = Int32Array.of(exports.hw_output_integer(handle, i));
        outputs[output.name] = { data, dims: [], dtype: "int64" };
        return;
      }
      const dims = memory.with(8 * mostDims, (pointer) => [
        ...memory.doubles(pointer, exports.hw_output_dims(handle, i, pointer)),
      ]);
      const place = places[i];
      if (place !== undefined) {
        const kept = copyOut(engine, handle, i, dims, place, output.name);
        outputs[output.name] = { data: new Uint8Array(), dims, ...kept };
        return;
      }
      const crossing = crossings[output.dtype];
      const count = countOf(dims);
      const size = count * crossing.width;
      const data = memory.with(size, (pointer) => {
        engine.check(exports.hw_output_read(handle, i, crossing.code, pointer, size));
        return crossing.view(memory.slice(pointer, size).slice().buffer, 0, count);
      });
      outputs[output.name] = { data, dims, dtype: output.dtype };
    });
    return outputs;
  }
}

function isOnDevice(input: RunInput): input is BufferInput {
  return typeof input === "object" && "buffer" in input && "dims" in input;
}

/** Buffers of a device are lost with it. */
function hasBuffers(inputs: RunInputs, { outputs = {} }: RunOptions): boolean {
  const given = Object.values(inputs as Record<string, RunInput>).some(isOnDevice);
  return given || Object.values(outputs).some((place) => place !== "gpu");
}

function asTensor(
  input: RunInput,
  name: string,
  least: readonly number[],
  bound: readonly number[],
): TensorInput {
  if (typeof input === "number") return asTensor([input], name, least, bound);
  if ("dims" in input && "data" in input) {
    checkDims(input.dims, name);
    return input;
  }
  const data = input as NumberArray;
  return { data, dims: inferDims(data.length, least, bound, name) };
}

function checkDims(dims: readonly number[], name: string): void {
  if (dims.every((dim) => Number.isInteger(dim) && dim >= 0)) return;
  throw new HighwaterError(`${name} has dims [${dims.join(", ")}]; they count elements`);
}
