// Downloads that stay: in the origin's private file system, where they can be read a slice at a time.
// One that broke off goes on where it stopped, if the server knows how.
import { type BytesProgress, checkSize, chunksOf, request, sizeOf } from "./download.js";
import { DownloadError } from "./errors.js";

const folderName = "highwater-models";

/** What is kept beside a file: of which content on the server it is, and how large that is. */
interface Kept {
  url: string;
  version: string;
  size: number;
}

/** The file at a URL, from the cache as far as it is there and still the server's. */
export async function download(
  url: string,
  onProgress: BytesProgress,
  signal: AbortSignal | undefined,
): Promise<Blob> {
  const folder = await openFolder();
  const name = await nameOf(url);
  // Two tabs that want the same download it once.
  return navigator.locks.request(`${folderName}/${name}`, { signal }, async () => {
    const entry = new Entry(folder, url, name);
    const current = await currentVersion(url, signal);
    const kept = await entry.kept();
    const isSame = kept !== undefined && (!current || current.version === kept.version);
    if (!isSame) await entry.remove();
    const file = await entry.file();
    if (isSame && file.size === kept.size) {
      onProgress(kept.size, kept.size);
      return file;
    }
    return entry.fetch(isSame ? file.size : 0, onProgress, signal);
  });
}

/** Forgets all downloads. */
export async function clearCache(): Promise<void> {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(folderName, { recursive: true }).catch(() => {});
}

class Entry {
  constructor(
    readonly folder: FileSystemDirectoryHandle,
    readonly url: string,
    readonly name: string,
  ) {}

  async file(): Promise<File> {
    return (await this.folder.getFileHandle(this.name, { create: true })).getFile();
  }

  async kept(): Promise<Kept | undefined> {
    try {
      const handle = await this.folder.getFileHandle(`${this.name}.json`);
      const kept = JSON.parse(await (await handle.getFile()).text()) as Kept;
      return kept.url === this.url ? kept : undefined;
    } catch {
      return undefined; // there is none, or a tab was closed while it was written
    }
  }

  async remove(): Promise<void> {
    for (const name of [this.name, `${this.name}.json`]) {
      await this.folder.removeEntry(name).catch(() => {});
    }
  }

  /** Fetches what comes after the first `begin` bytes. */
  async fetch(begin: number, onProgress: BytesProgress, signal?: AbortSignal): Promise<File> {
    const range = begin > 0 ? { range: `bytes=${begin}-` } : undefined;
    const response = await request(new Request(this.url, { headers: range }), signal);
    const from = response.status === 206 ? begin : 0;
    const size = sizeOf(response);
    const total = size === undefined ? undefined : from + size;
    if (total !== undefined)
      await this.#keep({ url: this.url, version: versionOf(response), size: total });
    const handle = await this.folder.getFileHandle(this.name, { create: true });
    const to = await handle.createWritable({ keepExistingData: from > 0 });
    await to.seek(from);
    let loaded = from;
    try {
      for await (const chunk of chunksOf(response.body!, signal)) {
        await to.write(chunk);
        loaded += chunk.length;
        onProgress(loaded, total);
      }
    } finally {
      await to.close(); // what has come stays for the next time
    }
    checkSize(this.url, loaded, total);
    return this.file();
  }

  async #keep(kept: Kept): Promise<void> {
    const handle = await this.folder.getFileHandle(`${this.name}.json`, { create: true });
    const to = await handle.createWritable();
    await to.write(JSON.stringify(kept));
    await to.close();
  }
}

async function openFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage?.getDirectory?.();
  if (!root) throw new DownloadError("this page has no storage of its own; leave `cache` out");
  return root.getDirectoryHandle(folderName, { create: true });
}

/** By what a server tells one content of a file from the next. */
function versionOf(response: Response): string {
  const { headers } = response;
  return headers.get("etag") ?? headers.get("last-modified") ?? "";
}

/** None if the server cannot be reached: then the cache is all there is. */
async function currentVersion(
  url: string,
  signal?: AbortSignal,
): Promise<{ version: string } | undefined> {
  try {
    const response = await fetch(url, { method: "HEAD", signal });
    return response.ok ? { version: versionOf(response) } : undefined;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

async function nameOf(url: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(url));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
