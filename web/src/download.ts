// Fetching, with progress and words for what went wrong.
import { DownloadError } from "./errors.js";

export type BytesProgress = (loaded: number, total: number | undefined) => void;

export async function request(
  source: string | URL | Request,
  signal?: AbortSignal,
): Promise<Response> {
  const url = source instanceof Request ? source.url : String(source);
  let response: Response;
  try {
    response = await fetch(source, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw new DownloadError(`${url} could not be fetched: ${(error as Error).message}`);
  }
  if (!response.ok) {
    const { status, statusText } = response;
    throw new DownloadError(`${url} could not be fetched: ${status} ${statusText}`);
  }
  return response;
}

/** How much is to come, if the server tells. With a content-encoding it tells of something else. */
export function sizeOf(response: Response): number | undefined {
  const told = response.headers.get("content-length");
  return told && !response.headers.get("content-encoding") ? Number(told) : undefined;
}

/** What comes, chunk by chunk. */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  const abort = () => void reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener("abort", abort);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      yield value as Uint8Array<ArrayBuffer>;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new DownloadError(`the download broke off: ${(error as Error).message}; try again`);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

export function checkSize(url: string, loaded: number, total: number | undefined): void {
  if (total === undefined || loaded === total) return;
  throw new DownloadError(`${url} broke off after ${loaded} of ${total} bytes; try again`);
}
