// Serves the project's files to the browser, as any static server would.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
};

/** `folders` has what is served below which path; `special` answers some paths in its own way. */
export function serve(folders, { port = 0, special = {} } = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (special[pathname]) return special[pathname](request, response);
    const found = find(folders, decodeURIComponent(pathname));
    if (!found) return response.writeHead(404, { "content-type": "text/plain" }).end("not here");
    response.writeHead(200, {
      "content-type": types[path.extname(found.file)] ?? "application/octet-stream",
      "content-length": found.size,
      "cache-control": "no-cache",
    });
    createReadStream(found.file).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, "localhost", () =>
      resolve({ url: `http://localhost:${server.address().port}`, close: () => server.close() }),
    );
  });
}

function find(folders, pathname) {
  const prefix = Object.keys(folders)
    .filter((name) => pathname.startsWith(name))
    .sort((a, b) => b.length - a.length)[0];
  if (prefix === undefined) return undefined;
  const folder = path.resolve(folders[prefix]);
  const wanted = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
  const file = path.join(folder, wanted.slice(prefix.length));
  if (!file.startsWith(folder)) return undefined;
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? { file, size: stat.size } : undefined;
}
