// WebGPU's objects have numbers in the engine.

export class Handles {
  readonly #objects: (object | undefined)[] = [undefined]; // 0 is null
  readonly #free: number[] = [];

  add(object: object): number {
    const handle = this.#free.pop() ?? this.#objects.length;
    this.#objects[handle] = object;
    return handle;
  }

  get<T extends object>(handle: number): T {
    const object = this.#objects[handle];
    if (!object) throw new Error(`WebGPU object ${handle} was given back, or never made`);
    return object as T;
  }

  /** For what is there only later: does nothing if the handle was given back meanwhile. */
  replace(handle: number, placeholder: object, object: object): void {
    if (this.#objects[handle] === placeholder) this.#objects[handle] = object;
  }

  release(handle: number): object | undefined {
    const object = this.#objects[handle];
    this.#objects[handle] = undefined;
    this.#free.push(handle);
    return object;
  }

  /** How many there are now. */
  get count(): number {
    return this.#objects.length - 1 - this.#free.length;
  }
}
