// Loading: the file is read part by part, as the engine asks for it.
import { type Bytes, type ModelSource, openBytes } from "./bytes.js";
import { type Engine, type EngineOptions, sharedEngine } from "./engine.js";
import { HighwaterError } from "./errors.js";
import { advance } from "./exports.js";
import { type Loaded, Model } from "./model.js";
import { openTokenizer, type TokenizerSource } from "./tokenizer.js";

export interface Progress {
  /** "download" counts bytes; "weights", "kernels" and "first runs" count those. */
  stage: "download" | "weights" | "kernels" | "first runs";
  done: number;
  /** Unknown for a download whose server does not tell. */
  total: number | undefined;
}

export interface LoadOptions extends EngineOptions {
  onProgress?: (progress: Progress) => void;
  /** Gives the load up; it then throws the signal's reason. */
  signal?: AbortSignal;
  /** Keeps what a URL gave, for the next time and without a network; false if it is not said. */
  cache?: boolean;
  /** Which of the file's methods; "forward" if it is not said. */
  method?: string;
  /** For text: a tokenizer.json, its URL, or any object that encodes and decodes. */
  tokenizer?: TokenizerSource;
  /** Beside it, for conversations: a tokenizer_config.json with a chat template, or its URL. */
  tokenizerConfig?: string | URL | object;
  /** Loads the model again, on a new device, if its own is lost; false if it is not said. */
  recover?: boolean;
  /** How long the device may be silent before it is given up, in seconds; 300 if not said. */
  timeout?: number;
  /**
   * Makes all kernels before it gives the model. If it is not said, those that short calls need are
   * made first, calls wait for those that they need, and the others are made meanwhile.
   */
  waitForKernels?: boolean;
  /**
   * Keeps float32 caches of attention as float16, at half the memory. If nothing is said, a GPU with
   * `shader-f16` does.
   */
  halfCache?: boolean;
}

/** Loads a model that was exported for Highwater. */
export async function load(source: ModelSource, options: LoadOptions = {}): Promise<Model> {
  const { signal } = options;
  signal?.throwIfAborted();
  if (options.recover && options.device) {
    throw new HighwaterError("a device that is given cannot be recovered; leave `device` out");
  }
  const tell = (progress: Progress) => options.onProgress?.(progress);
  const onBytes = (done: number, total?: number) => tell({ stage: "download", done, total });
  const [engine, bytes, tokenizer] = await Promise.all([
    sharedEngine(options),
    openBytes(source, { onProgress: onBytes, signal, cache: options.cache ?? false }),
    options.tokenizer === undefined
      ? undefined
      : openTokenizer(options.tokenizer, options.tokenizerConfig, signal),
  ]);
  signal?.throwIfAborted();
  const place = (on: Engine, how: LoadOptions) =>
    on.loads.add(() => new Loading(on, bytes, how, tell).run());
  const again = async () => place(await sharedEngine(options), { ...options, signal: undefined });
  const loaded = await place(engine, options);
  return new Model(loaded, tokenizer, options.recover ? again : undefined);
}

// A page that is busy for longer than this is felt to stand still.
const turnMilliseconds = 12;

const placedPortion = 4 << 20;

class Loading {
  readonly #file: number;
  #model = 0;
  readonly #toPlace: { offset: number; size: number; buffer: GPUBuffer }[] = [];
  /** What the device says of the weights that were brought to it. */
  readonly #placed: Promise<GPUError | null>[] = [];
  #turnBegan = performance.now();

  constructor(
    readonly engine: Engine,
    readonly bytes: Bytes,
    readonly options: LoadOptions,
    readonly tell: (progress: Progress) => void,
  ) {
    this.#file = engine.exports.hw_file_open(bytes.size);
  }

  async run(): Promise<Loaded> {
    const { engine } = this;
    const kernels = { asked: 0, made: 0 };
    engine.context.kernels = kernels;
    engine.context.onKernel = () =>
      this.tell({ stage: "kernels", done: kernels.made, total: kernels.asked });
    engine.onStage = (stage, done, total) => {
      // The engine counts kernels as it asks for them; they are there later.
      if (stage !== "kernels") this.tell({ stage: stage as Progress["stage"], done, total });
    };
    engine.onPlace = (offset, size, buffer) => this.#toPlace.push({ offset, size, buffer });
    try {
      await this.#start();
      await this.#advance();
      const handle = this.#model;
      this.#model = 0;
      return { engine, handle };
    } finally {
      if (this.#model) engine.exports.hw_model_close(this.#model);
      engine.exports.hw_file_close(this.#file);
      engine.onStage = () => {};
      engine.onPlace = () => {};
      engine.context.onKernel = () => {};
    }
  }

  // Begins anew whenever a part of the file was missing, which is a few times.
  async #start(): Promise<void> {
    const { exports, memory } = this.engine;
    const method = memory.encode(this.options.method ?? "forward");
    const { timeout = 300, halfCache, waitForKernels = false } = this.options;
    const choices = [
      timeout,
      halfCache === undefined ? -1 : Number(halfCache),
      Number(waitForKernels),
    ] as const;
    for (;;) {
      this.#model = memory.with(method.length, (name) => {
        memory.slice(name, method.length).set(method);
        return exports.hw_model_start(this.#file, name, method.length, ...choices);
      });
      if (this.#model) return;
      const error = this.engine.error();
      if (!(await this.#fetchWanted())) throw error;
    }
  }

  async #advance(): Promise<void> {
    const { engine } = this;
    const { exports } = engine;
    exports.hw_file_forget(this.#file);
    for (;;) {
      this.options.signal?.throwIfAborted();
      if (engine.lost !== undefined) throw engine.lostError();
      const left = exports.hw_model_advance(this.#model);
      if (left === advance.failed) throw engine.error();
      if (left === advance.done) return this.#checkPlaced();
      if (left === advance.more) {
        exports.hw_file_forget(this.#file);
        await this.#place();
        await this.#yield();
      } else if (!(await this.#fetchWanted())) {
        await engine.context.events.changed();
        this.#turnBegan = performance.now();
      }
    }
  }

  /** Reads the part of the file that the engine has asked for. False if it has not. */
  async #fetchWanted(): Promise<boolean> {
    const { exports, memory } = this.engine;
    const wanted = memory.with(16, (part) =>
      exports.hw_file_wanted(this.#file, part) ? [...memory.doubles(part, 2)] : undefined,
    );
    if (!wanted) return false;
    const [offset, size] = wanted;
    if (offset + size > this.bytes.size) {
      throw new HighwaterError(
        `the file has ${this.bytes.size} bytes, and ends before byte ${offset + size} that its ` +
          "beginning speaks of: it is damaged, or was cut short",
      );
    }
    const bytes = await this.#read(offset, size);
    const room = exports.hw_file_give(this.#file, offset, size);
    this.engine.check(!room);
    memory.slice(room, size).set(bytes);
    return true;
  }

  /** Brings weights from the file to the device, a portion at a time, and never into wasm. */
  async #place(): Promise<void> {
    const { device } = this.engine.context;
    for (const { offset, size, buffer } of this.#toPlace.splice(0)) {
      for (let at = 0; at < size; at += placedPortion) {
        const count = Math.min(placedPortion, size - at);
        const bytes = await this.#read(offset + at, count);
        device.pushErrorScope("validation");
        device.queue.writeBuffer(buffer, at, bytes as Uint8Array<ArrayBuffer>);
        this.#placed.push(device.popErrorScope().catch(() => null));
      }
    }
  }

  // Without a scope an error would be heard late, and be held against another load or run.
  async #checkPlaced(): Promise<void> {
    const errors = await Promise.all(this.#placed);
    const error = errors.find((each) => each !== null);
    if (error) throw new HighwaterError(`the weights do not get to the device: ${error.message}`);
  }

  /** A part of the file, if the load goes on. */
  async #read(offset: number, size: number): Promise<Uint8Array> {
    const bytes = await this.bytes.read(offset, size);
    this.options.signal?.throwIfAborted();
    this.#turnBegan = performance.now();
    return bytes;
  }

  async #yield(): Promise<void> {
    if (performance.now() - this.#turnBegan < turnMilliseconds) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#turnBegan = performance.now();
  }
}
