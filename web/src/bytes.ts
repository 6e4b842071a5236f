// Where the bytes of a model come from. None of them stays in the engine's memory.
import { download } from "./cache.js";
import { type BytesProgress, checkSize, chunksOf, request, sizeOf } from "./download.js";
import { DownloadError, HighwaterError } from "./errors.js";

/** A file that is read part by part, in any order. */
export interface Bytes {
  size: number;
  read(offset: number, size: number): Promise<Uint8Array>;
}

export type ModelSource =
  string | URL | Request | Response | Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>;

export interface BytesOptions {
  onProgress: BytesProgress;
  signal?: AbortSignal;
  cache: boolean;
}

export async function openBytes(source: ModelSource, options: BytesOptions): Promise<Bytes> {
  if (source instanceof Blob) return ofBlob(source);
  if (source instanceof ArrayBuffer) return ofArray(new Uint8Array(source));
  if (source instanceof Uint8Array) return ofArray(source);
  if (source instanceof ReadableStream) return ofBlob(await collect(source, undefined, options));
  const { signal } = options;
  const isAddress = typeof source === "string" || source instanceof URL;
  if (isAddress && options.cache) {
    const url = new URL(source, globalThis.document?.baseURI ?? location.href).href;
    return ofBlob(await download(url, options.onProgress, signal));
  }
  const response = source instanceof Response ? source : await request(source, signal);
  if (!response.body) throw new DownloadError(`${response.url} came without content`);
  const total = sizeOf(response);
  const blob = await collect(response.body, total, options);
  checkSize(response.url, blob.size, total);
  return ofBlob(blob);
}

// What has come is made a Blob again and again: browsers keep large ones on disk.
const pieceSize = 4 << 20;

async function collect(
  stream: ReadableStream<Uint8Array>,
  total: number | undefined,
  { onProgress, signal }: BytesOptions,
): Promise<Blob> {
  const pieces: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let [held, loaded] = [0, 0];
  for await (const chunk of chunksOf(stream, signal)) {
    chunks.push(chunk);
    held += chunk.length;
    loaded += chunk.length;
    onProgress(loaded, total);
    if (held < pieceSize) continue;
    pieces.push(new Blob(chunks));
    [chunks, held] = [[], 0];
  }
  return new Blob([...pieces, ...chunks]);
}

function ofBlob(blob: Blob): Bytes {
  return {
    size: blob.size,
    async read(offset, size) {
      const part = await blob.slice(offset, offset + size).arrayBuffer();
      return checked(new Uint8Array(part), size);
    },
  };
}

function ofArray(bytes: Uint8Array): Bytes {
  return {
    size: bytes.length,
    read: async (offset, size) => checked(bytes.subarray(offset, offset + size), size),
  };
}

function checked(part: Uint8Array, size: number): Uint8Array {
  if (part.length === size) return part;
  throw new HighwaterError("the file became shorter while it was read");
}
