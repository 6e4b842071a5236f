// The engine: a wasm module with the device that it works on.
import { openDevice } from "./device.js";
import { DeviceLostError, engineError, HighwaterError } from "./errors.js";
import type { Exports } from "./exports.js";
import { readNumber, writeNumber } from "./numbers.js";
import { Queue } from "./queue.js";
import { commandFunctions } from "./webgpu/commands.js";
import { Context } from "./webgpu/context.js";
import { deviceFunctions } from "./webgpu/device.js";
import { ErrorScopes } from "./webgpu/error-scopes.js";
import { Memory } from "./webgpu/memory.js";
import { objectFunctions } from "./webgpu/objects.js";
import { wasiFunctions } from "./webgpu/wasi.js";

export interface EngineOptions {
  /** A device of one's own; by default all models of a page share one. */
  device?: GPUDevice;
  /** Where the engine's module is, if it is not beside this file. */
  wasm?: string | URL | WebAssembly.Module;
  /** Variables that choose something in the engine, such as HIGHWATER_KERNELS. */
  variables?: Record<string, string>;
}

export type StageProgress = (stage: string, done: number, total: number) => void;

export class Engine {
  /** One load at a time: kernels that are being made belong to one. */
  readonly loads = new Queue();
  onStage: StageProgress = () => {};
  /** Bytes of the file that a load wants in a buffer of the device. */
  onPlace: (offset: number, size: number, buffer: GPUBuffer) => void = () => {};
  /** Why the device is gone, once it is. */
  lost: string | undefined;

  private constructor(
    readonly exports: Exports,
    readonly memory: Memory,
    readonly context: Context,
  ) {
    void context.device.lost.then(({ message, reason }) => (this.lost = message || reason));
  }

  static async open(options: EngineOptions = {}): Promise<Engine> {
    const [device, module] = await Promise.all([
      options.device ?? openDevice(),
      compile(options.wasm),
    ]);
    const context = new Context(device, device.adapterInfo);
    const scopes = new ErrorScopes(device);
    let engine: Engine | undefined;
    const instance = await WebAssembly.instantiate(module, {
      env: {
        ...deviceFunctions(context, scopes),
        ...objectFunctions(context, scopes),
        ...commandFunctions(context),
      },
      wasi_snapshot_preview1: wasiFunctions(() => context.memory, options.variables ?? {}),
      highwater: {
        progress: (stage: number, size: number, done: number, total: number) =>
          engine?.onStage(context.memory.text(stage, size), done, total),
        place: (offset: number, size: number, buffer: number) =>
          engine?.onPlace(offset, size, context.handles.get<GPUBuffer>(buffer)),
        readNumber: (text: number, size: number) => readNumber(context.memory.text(text, size)),
        writeNumber: (number: number, to: number) => {
          const digits = context.memory.encode(writeNumber(number));
          context.memory.slice(to, digits.length).set(digits);
          return digits.length;
        },
      },
    });
    const exports = instance.exports as unknown as Exports;
    const memory = new Memory(exports);
    context.attach(memory, exports.__indirect_function_table);
    exports._initialize();
    engine = new Engine(exports, memory, context);
    return engine;
  }

  /** Throws what the engine said if `failed`. */
  check(failed: boolean | number): void {
    if (failed) throw this.error();
  }
  error(): HighwaterError {
    if (this.lost !== undefined) return this.lostError();
    return engineError(this.text());
  }
  text(): string {
    return this.memory.text(this.exports.hw_text(), this.exports.hw_text_size());
  }
  lostError(): DeviceLostError {
    return new DeviceLostError(
      `the WebGPU device is lost: ${this.lost}; load the model again to get a new device`,
    );
  }

  /** Until `isDone`, which is asked whenever the device may have answered. */
  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await this.context.events.changed();
  }
}

async function compile(wasm: EngineOptions["wasm"]): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) return wasm;
  const url = wasm ?? new URL("./highwater.wasm", import.meta.url);
  const response = await fetch(url);
  if (!response.ok) {
    throw new HighwaterError(
      `the engine is not at ${url} (${response.status} ${response.statusText}); ` +
        "load(…, { wasm }) says where it is",
    );
  }
  // Servers that call it something else than application/wasm cannot stream it.
  return WebAssembly.compile(await response.arrayBuffer());
}

let shared: { opening: Promise<Engine>; key: string } | undefined;

/** The page's own engine, made anew where its device is lost. */
export async function sharedEngine(options: EngineOptions): Promise<Engine> {
  if (options.device) return Engine.open(options);
  const key = JSON.stringify(options.variables ?? {});
  if (shared?.key === key) {
    const engine = await shared.opening;
    if (engine.lost === undefined) return engine;
  }
  const opening = Engine.open(options);
  shared = { opening, key };
  opening.catch(() => (shared = shared?.opening === opening ? undefined : shared));
  return opening;
}
