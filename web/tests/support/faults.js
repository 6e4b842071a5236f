// A device of which one call fails, as a browser's may: what is asked for is not valid, there is no
// memory for it, or the device is lost. All that can be real is: the call is made so that the browser
// itself refuses it. Only memory is not really short.

/** How each call that can fail is made not valid. */
const broken = {
  createBuffer: (call, descriptor) => call({ ...descriptor, usage: 0 }),
  createTexture: (call, descriptor) => call({ ...descriptor, usage: 0 }),
  createShaderModule: (call, descriptor) => call({ ...descriptor, code: "no code" }),
  createBindGroupLayout: (call, { entries }) => call({ entries: [...entries, entries[0]] }),
  createPipelineLayout: (call, { bindGroupLayouts: [layout] }) =>
    call({ bindGroupLayouts: Array(100).fill(layout) }),
  createComputePipelineAsync: (call, descriptor) =>
    call({ ...descriptor, compute: { ...descriptor.compute, entryPoint: "none" } }),
  createBindGroup: (call, { layout }) => call({ layout, entries: [] }),
  createCommandEncoder(call) {
    const encoder = call();
    encoder.popDebugGroup(); // of which none was pushed
    return encoder;
  },
  writeBuffer: (call, buffer, _offset, data) => call(buffer, 4 * buffer.size, data),
  submit(call, commands, device) {
    const encoder = device.createCommandEncoder();
    encoder.popDebugGroup();
    call([...commands, encoder.finish()]);
  },
  mapAsync: (call) => call(0), // neither to read nor to write
};

/** How calls fail for which there is no memory; the others never do. */
const starved = {
  createBuffer(faults, call, descriptor) {
    if (descriptor.mappedAtCreation) throw new RangeError("there is no memory to map");
    return faults.callWithoutMemory(call, descriptor);
  },
  createTexture: (faults, call, descriptor) => faults.callWithoutMemory(call, descriptor),
  createComputePipelineAsync: () =>
    Promise.reject(new GPUPipelineError("out of memory", { reason: "internal" })),
};

export class Faults {
  #kind = "";
  #failing = -1;
  #calls = 0;
  #hit = "";
  #scopes = [];
  #live = new Set();

  constructor(device) {
    this.device = device;
    const { queue } = device;
    for (const name of Object.keys(broken)) {
      if (name in device) this.#watch(device, name);
      else if (name in queue) this.#watch(queue, name);
    }
    this.#watchScopes();
  }

  /** Calls are counted anew from now on, and the one of this number fails. */
  arm(kind, failing) {
    [this.#kind, this.#failing, this.#calls, this.#hit] = [kind, failing, 0, ""];
  }

  /** How many calls there were. */
  get calls() {
    return this.#calls;
  }
  /** Which call failed; none if the kind does not concern it. */
  get hit() {
    return this.#hit;
  }
  /** Buffers and textures that nobody has given back. */
  get live() {
    return this.#live.size;
  }

  callWithoutMemory(call, descriptor) {
    this.#scopes.findLast(({ filter }) => filter === "out-of-memory").error =
      new GPUOutOfMemoryError("there is no memory for it");
    return call(descriptor);
  }

  #watch(object, name) {
    const call = object[name].bind(object);
    object[name] = (...args) => {
      const made = this.#make(name, call, args);
      if (made instanceof GPUBuffer || made instanceof GPUTexture) this.#track(made);
      return made;
    };
  }

  #make(name, call, args) {
    const fails = this.#calls++ === this.#failing;
    if (!fails || (this.#kind === "memory" && !starved[name])) return call(...args);
    this.#hit = name;
    if (this.#kind === "validation") return broken[name](call, ...args, this.device);
    if (this.#kind === "memory") return starved[name](this, call, ...args);
    this.device.destroy();
    return call(...args);
  }

  #track(made) {
    this.#live.add(made);
    const destroy = made.destroy.bind(made);
    made.destroy = () => {
      this.#live.delete(made);
      destroy();
    };
    if (made instanceof GPUBuffer) this.#watch(made, "mapAsync");
  }

  #watchScopes() {
    const { device } = this;
    const [push, pop] = [device.pushErrorScope.bind(device), device.popErrorScope.bind(device)];
    device.pushErrorScope = (filter) => {
      this.#scopes.push({ filter });
      push(filter);
    };
    device.popErrorScope = async () => {
      const { error } = this.#scopes.pop();
      return (await pop()) ?? error ?? null;
    };
  }
}
