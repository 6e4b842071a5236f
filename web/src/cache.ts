// Downloads that stay: in the origin's private file system, where they can be read a slice at a time.
// One that broke off goes on where it stopped, if the server knows how. One that was damaged since is
// fetched again.
import { type BytesProgress, checkSize, chunksOf, request, sizeOf } from "./download.js";
import { DownloadError } from "./errors.js";

const folderName = "highwater-models";

/** What is kept beside a file: of which content on the server it is, and how large that is. */
interface Kept {
  url: string;
  version: string;
  size: number;
  /** SHA-256 of each portion, once all has come. */
  hashes?: string[];
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
    const file = await entry.file();
    const isSame = kept !== undefined && (!current || current.version === kept.version);
    if (isSame && kept.hashes && (await isAsKept(file, kept.hashes, signal))) {
      onProgress(kept.size, kept.size);
      return file;
    }
    const begun = isSame && !kept.hashes && file.size < kept.size ? file.size : 0;
    if (begun === 0) await entry.remove();
    return entry.fetch(begun, onProgress, signal);
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
    const version = versionOf(response);
    if (total !== undefined) await this.#keep({ url: this.url, version, size: total });
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
    const file = await this.file();
    const hashes = await hashesOf(file, signal);
    await this.#keep({ url: this.url, version, size: loaded, hashes });
    return file;
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

const nameOf = (url: string) => hashOf(new TextEncoder().encode(url));

async function hashOf(bytes: BufferSource): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Browsers hash what is in memory, and a model should never be there as a whole.
const hashedPortion = 4 << 20;

async function hashesOf(file: Blob, signal?: AbortSignal): Promise<string[]> {
  const hashes: string[] = [];
  for (let at = 0; at < file.size; at += hashedPortion) {
    hashes.push(await hashOf(await file.slice(at, at + hashedPortion).arrayBuffer()));
    signal?.throwIfAborted();
  }
  return hashes;
}

/** Whether a file is what it was when it came. */
async function isAsKept(file: Blob, kept: readonly string[], signal?: AbortSignal) {
  const hashes = await hashesOf(file, signal);
  return hashes.length === kept.length && hashes.every((hash, i) => hash === kept[i]);
}
