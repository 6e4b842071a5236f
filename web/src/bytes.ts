// Where the bytes of a model come from. None of them stays in the engine's memory.
import { DownloadError, HighwaterError } from "./errors.js";

/** A file that is read part by part, in any order. */
export interface Bytes {
  size: number;
  read(offset: number, size: number): Promise<Uint8Array>;
}

export type ModelSource =
  string | URL | Request | Response | Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>;

export type BytesProgress = (loaded: number, total: number | undefined) => void;

export async function openBytes(
  source: ModelSource,
  onProgress: BytesProgress,
  signal: AbortSignal | undefined,
): Promise<Bytes> {
  if (source instanceof Blob) return ofBlob(source);
  if (source instanceof ArrayBuffer) return ofArray(new Uint8Array(source));
  if (source instanceof Uint8Array) return ofArray(source);
  if (source instanceof ReadableStream) {
    return ofBlob(await collect(source, undefined, onProgress, signal));
  }
  const response = source instanceof Response ? source : await request(source, signal);
  if (!response.body) throw new DownloadError(`${response.url} came without content`);
  const told = response.headers.get("content-length");
  // With a content-encoding it is the size of something else.
  const total = told && !response.headers.get("content-encoding") ? Number(told) : undefined;
  const blob = await collect(response.body, total, onProgress, signal);
  if (total !== undefined && blob.size !== total) {
    throw new DownloadError(
      `${response.url} broke off after ${blob.size} of ${total} bytes; try again`,
    );
  }
  return ofBlob(blob);
}

async function request(source: string | URL | Request, signal?: AbortSignal): Promise<Response> {
  const url = source instanceof Request ? source.url : String(source);
  let response: Response;
  try {
    response = await fetch(source, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw new DownloadError(`${url} could not be fetched: ${(error as Error).message}`);
  }
  if (!response.ok) {
    throw new DownloadError(
      `${url} could not be fetched: ${response.status} ${response.statusText}`,
    );
  }
  return response;
}

// What has come is made a Blob again and again: browsers keep large ones on disk.
const pieceSize = 4 << 20;

async function collect(
  stream: ReadableStream<Uint8Array>,
  total: number | undefined,
  onProgress: BytesProgress,
  signal: AbortSignal | undefined,
): Promise<Blob> {
  const pieces: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let [held, loaded] = [0, 0];
  const reader = stream.getReader();
  const abort = () => void reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener("abort", abort);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) break;
      chunks.push(value as Uint8Array<ArrayBuffer>);
      held += value.length;
      loaded += value.length;
      onProgress(loaded, total);
      if (held < pieceSize) continue;
      pieces.push(new Blob(chunks));
      [chunks, held] = [[], 0];
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new DownloadError(
      `the model broke off after ${loaded} bytes: ${(error as Error).message}`,
    );
  } finally {
    signal?.removeEventListener("abort", abort);
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
