// Error scopes, into which a kernel's errors go as well: the browser makes kernels beside its other
// work, and tells what is wrong with one where it was asked for, not in a scope.
import { numbers } from "./layout.js";

const filters: Record<number, GPUErrorFilter> = {
  [numbers.WGPUErrorFilter_Validation]: "validation",
  [numbers.WGPUErrorFilter_OutOfMemory]: "out-of-memory",
  [numbers.WGPUErrorFilter_Internal]: "internal",
};

export class ErrorScopes {
  readonly #device: GPUDevice;
  readonly #open: Promise<string | undefined>[][] = [];

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  push(filter: number): void {
    this.#device.pushErrorScope(filters[filter]);
    this.#open.push([]);
  }

  /** The innermost scope closes only when this is settled; what it gives is the scope's error. */
  hold(work: Promise<string | undefined>): void {
    this.#open.at(-1)?.push(work);
  }

  /** The message of the first error, if there was one. */
  async pop(): Promise<string | undefined> {
    const held = this.#open.pop() ?? [];
    const caught = await this.#device.popErrorScope();
    const errors = await Promise.all(held);
    return caught?.message ?? errors.find((error) => error !== undefined);
  }
}
