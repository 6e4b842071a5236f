// The same interface from a worker, so that a page has nothing to do but to wait.
import type { ModelSource } from "./bytes.js";
import type { Accounts, Description } from "./description.js";
import type { Prompt } from "./chat.js";
import { errorClasses, HighwaterError } from "./errors.js";
import { generate, type GenerateOptions, type Sampling } from "./generate.js";
import type { LoadOptions, Progress } from "./load.js";
import type { LoadedModel, FromWorker, ToWorker, Work, WorkerLoadOptions } from "./messages.js";
import type { RunInputs, RunOptions, RunOutputs } from "./model.js";
import { openTokenizer, type Tokenizer } from "./tokenizer.js";

export {
  AdapterTooSmallError,
  DeviceLostError,
  DownloadError,
  HighwaterError,
  NoWebGpuError,
  OutOfMemoryError,
} from "./errors.js";
export type { GenerateOptions, LoadOptions, ModelSource, Progress, RunInputs, RunOutputs };

interface Call {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A worker, and the calls that it has not answered yet. */
class Thread {
  readonly #worker = new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module" });
  readonly #calls = new Map<number, Call>();
  /** Of loads, also of those that are done: kernels are made afterwards, too. */
  readonly #progress = new Map<number, (progress: Progress) => void>();
  #next = 1;

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) =>
      this.#hear(data),
    );
    this.#worker.addEventListener("error", ({ message }) => {
      const error = new HighwaterError(
        `the worker failed: ${message || "it could not be started"}`,
      );
      for (const { reject } of this.#calls.values()) reject(error);
      this.#calls.clear();
      thread = undefined;
    });
  }

  ask<T>(
    work: Work,
    moved: Transferable[] = [],
    { signal, onProgress }: Pick<LoadOptions, "signal" | "onProgress"> = {},
  ): Promise<T> {
    const call = this.#next++;
    return new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted();
      const abort = () => {
        this.#say({ call, abort: "it was given up" });
        reject(signal!.reason as Error);
      };
      signal?.addEventListener("abort", abort, { once: true });
      const over = () => signal?.removeEventListener("abort", abort);
      this.#calls.set(call, {
        resolve: (result) => (over(), resolve(result as T)),
        reject: (error) => (over(), reject(error)),
      });
      if (onProgress) this.#progress.set(call, onProgress);
      if (work.kind === "close") this.#progress.delete(work.model);
      this.#say({ call, work }, moved);
    });
  }

  #say(request: ToWorker, moved: Transferable[] = []): void {
    this.#worker.postMessage(request, moved);
  }

  #hear(reply: FromWorker): void {
    if ("progress" in reply) {
      this.#progress.get(reply.call)?.(reply.progress);
      return;
    }
    const call = this.#calls.get(reply.call);
    if (!call) return;
    this.#calls.delete(reply.call);
    if ("error" in reply) {
      this.#progress.delete(reply.call);
      const { name, message } = reply.error;
      call.reject(new (errorClasses[name] ?? HighwaterError)(message));
    } else {
      call.resolve(reply.result);
    }
  }
}

let thread: Thread | undefined;

/** Loads a model into a worker, which all models that are loaded so share. */
export async function load(source: ModelSource, options: LoadOptions = {}): Promise<WorkerModel> {
  const { signal, onProgress, tokenizer, tokenizerConfig, device, wasm, ...rest } = options;
  if (device) throw new HighwaterError("a worker has a device of its own; leave `device` out");
  if (wasm instanceof WebAssembly.Module) {
    throw new HighwaterError("for a worker, `wasm` is where the module is: a URL");
  }
  const workerOptions: WorkerLoadOptions = { ...rest, ...(wasm && { wasm: absolute(wasm) }) };
  thread ??= new Thread();
  const owner = thread;
  const work: Work = { kind: "load", source: crossing(source), options: workerOptions };
  const [loaded, opened] = await Promise.all([
    owner.ask<LoadedModel>(work, source instanceof ReadableStream ? [source] : [], {
      signal,
      onProgress,
    }),
    tokenizer === undefined ? undefined : openTokenizer(tokenizer, tokenizerConfig, signal),
  ]);
  return new WorkerModel(owner, loaded, opened);
}

/** A worker knows its own address, not the page's. */
const absolute = (url: string | URL) => new URL(url, document.baseURI).href;

function crossing(source: ModelSource): ModelSource {
  if (typeof source === "string" || source instanceof URL) return absolute(source);
  if (source instanceof Request) return source.url;
  if (source instanceof Response) {
    throw new HighwaterError("a response cannot go to a worker; give its URL, or its body");
  }
  return source;
}

export interface WorkerRunOptions extends Omit<RunOptions, "outputs"> {
  /** Moves the inputs' memory to the worker instead of copying it: the arrays are empty then. */
  transfer?: boolean;
}

/** A model in a worker. Calls of one model are done in their order. */
export class WorkerModel {
  readonly #thread: Thread;
  readonly #model: number;
  readonly description: Description;

  /** @internal: load() makes models. */
  constructor(
    thread: Thread,
    loaded: LoadedModel,
    readonly tokenizer: Tokenizer | undefined,
  ) {
    this.#thread = thread;
    this.#model = loaded.model;
    this.description = loaded.description;
  }

  run(inputs: RunInputs, options: WorkerRunOptions = {}): Promise<RunOutputs> {
    const moved = options.transfer ? buffersOf(inputs) : [];
    return this.#ask({ kind: "run", model: this.#model, inputs }, moved, options);
  }
  draw(tokens: readonly number[], count: number, sampling: Sampling): Promise<number[]> {
    return this.#ask({ kind: "draw", model: this.#model, tokens, count, sampling });
  }
  generate(prompt: Prompt, options?: GenerateOptions): AsyncGenerator<string> {
    return generate(this, prompt, options);
  }
  accounts(): Promise<{ load: Accounts; run: Accounts }> {
    return this.#ask({ kind: "accounts", model: this.#model });
  }
  close(): void {
    this.#ask({ kind: "close", model: this.#model }).catch(() => {});
  }

  #ask<T>(work: Work, moved: Transferable[] = [], options: RunOptions = {}): Promise<T> {
    return this.#thread.ask<T>(work, moved, options);
  }
}

function buffersOf(inputs: RunInputs): ArrayBuffer[] {
  return Object.values(inputs).flatMap((input) => {
    const data = typeof input === "object" && "data" in input ? input.data : input;
    return ArrayBuffer.isView(data) ? [data.buffer as ArrayBuffer] : [];
  });
}
