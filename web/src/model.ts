// A model that is loaded: give it inputs of any live shape, and it gives its outputs.
import { type Accounts, type Description, readDescription } from "./description.js";
import type { Engine } from "./engine.js";
import { HighwaterError } from "./errors.js";
import { generate, type GenerateOptions, type Sampling } from "./generate.js";
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

export type RunInput = NumberArray | TensorInput | number;
export type RunInputs = Record<string, RunInput> | readonly RunInput[];
export type RunOutputs = Record<string, TensorOutput | number>;

export interface RunOptions {
  /** Throws the signal's reason if it comes before the run has begun. */
  signal?: AbortSignal;
}

const mostDims = 8;

export class Model {
  /** Inputs, outputs, and for a language model what it can write. */
  readonly description: Description;
  /** One call at a time; the others wait. */
  readonly #calls = new Queue();
  #isClosed = false;

  /** @internal: load() makes models. */
  constructor(
    /** @internal */ readonly engine: Engine,
    /** @internal */ readonly handle: number,
    /** What the model was loaded with, if anything. */
    readonly tokenizer: Tokenizer | undefined,
  ) {
    engine.exports.hw_model_describe(handle);
    this.description = readDescription(engine.text());
  }

  /** Runs at the shapes of the inputs, which may be others each time. */
  run(inputs: RunInputs, options: RunOptions = {}): Promise<RunOutputs> {
    return this.#exclusively(async () => {
      const { engine, handle } = this;
      options.signal?.throwIfAborted();
      this.#start(this.#inOrder(inputs));
      await this.#untilDone();
      engine.check(engine.exports.hw_run_finish(handle));
      return this.#outputs();
    });
  }

  /** Text that follows on a prompt, piece by piece as it is drawn. */
  generate(prompt: string | readonly number[], options?: GenerateOptions): AsyncGenerator<string> {
    return generate(this, prompt, options);
  }

  /**
   * Tokens that follow on others, for who has texts as tokens. The whole text is given each time:
   * only what the cache does not hold yet is fed, so that texts can take turns.
   */
  draw(tokens: readonly number[], count: number, sampling: Sampling): Promise<number[]> {
    return this.#exclusively(async () => {
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

  /** Waits for the calls before, and keeps others waiting. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#calls.add(async () => {
      this.#checkOpen();
      return work();
    });
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

  #start(inputs: RunInput[]): void {
    const { engine, handle } = this;
    const allocated: number[] = [];
    try {
      engine.exports.hw_call_begin(handle);
      inputs.forEach((input, i) => this.#add(i, input, allocated));
      engine.check(engine.exports.hw_run_start(handle));
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
    memory.with(8 * mostDims, (dims) => {
      const rank = tensor.dims.length;
      if (rank <= mostDims) memory.doubles(dims, rank).set(tensor.dims);
      engine.check(engine.exports.hw_call_tensor(handle, crossing.code, dims, rank, data));
    });
  }

  #outputs(): RunOutputs {
    const { engine, handle } = this;
    const { exports, memory } = engine;
    const outputs: RunOutputs = {};
    this.description.outputs.forEach((output, i) => {
      if (output.kind === "integer") {
        outputs[output.name] = exports.hw_output_integer(handle, i);
        return;
      }
      const dims = memory.with(8 * mostDims, (pointer) => [
        ...memory.doubles(pointer, exports.hw_output_dims(handle, i, pointer)),
      ]);
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

function asTensor(
  input: RunInput,
  name: string,
  least: readonly number[],
  bound: readonly number[],
): TensorInput {
  if (typeof input === "number") return asTensor([input], name, least, bound);
  if ("dims" in input) {
    if (input.dims.every((dim) => Number.isInteger(dim) && dim >= 0)) return input;
    throw new HighwaterError(`${name} has dims [${input.dims.join(", ")}]; they count elements`);
  }
  return { data: input, dims: inferDims(input.length, least, bound, name) };
}
