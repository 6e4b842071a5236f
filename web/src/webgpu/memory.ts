// The engine's memory, as JavaScript sees it. Its views are made anew whenever it has grown.

/** What of the engine's exports the memory needs. */
export interface Allocator {
  memory: WebAssembly.Memory;
  hw_allocate(size: number): number;
  hw_release(pointer: number): void;
}

export class Memory {
  readonly #exports: Allocator;
  #bytes = new Uint8Array();
  #words = new Uint32Array();
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();

  constructor(exports: Allocator) {
    this.#exports = exports;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    this.#refresh();
    return this.#bytes;
  }

  /** A word, unsigned: pointers above 2 GiB arrive as negative numbers. */
  word(pointer: number): number {
    this.#refresh();
    return this.#words[pointer >>> 2];
  }
  setWord(pointer: number, value: number): void {
    this.#refresh();
    this.#words[pointer >>> 2] = value;
  }
  /** 64 bits, of which JavaScript's numbers hold 53. */
  long(pointer: number): number {
    return this.word(pointer) + this.word(pointer + 4) * 2 ** 32;
  }
  setLong(pointer: number, value: number): void {
    this.setWord(pointer, value >>> 0);
    this.setWord(pointer + 4, Math.floor(value / 2 ** 32));
  }
  doubles(pointer: number, count: number): Float64Array {
    return new Float64Array(this.bytes.buffer, pointer >>> 0, count);
  }
  slice(pointer: number, size: number): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(pointer >>> 0, (pointer >>> 0) + size);
  }

  text(pointer: number, size: number): string {
    return this.#decoder.decode(this.slice(pointer, size));
  }
  encode(text: string): Uint8Array {
    return this.#encoder.encode(text);
  }

  allocate(size: number): number {
    const pointer = this.#exports.hw_allocate(Math.max(size, 1)) >>> 0;
    if (!pointer) throw new RangeError(`wasm has no memory for ${size} bytes`);
    return pointer;
  }
  release(pointer: number): void {
    this.#exports.hw_release(pointer);
  }
  /** Memory that is given back when `use` is done. */
  with<T>(size: number, use: (pointer: number) => T): T {
    const pointer = this.allocate(size);
    try {
      return use(pointer);
    } finally {
      this.release(pointer);
    }
  }

  #refresh(): void {
    const buffer = this.#exports.memory.buffer as ArrayBuffer;
    if (this.#bytes.buffer === buffer) return;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
  }
}
