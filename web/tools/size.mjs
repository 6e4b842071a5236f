// Says what a page downloads to run a model: `npm run size`.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync } from "node:zlib";

const dist = path.join(import.meta.dirname, "../dist");

/** Bytes as they are and with brotli: of the engine, and of all JavaScript. */
export function sizes() {
  const measure = (files) => {
    const contents = files.map((file) => readFileSync(path.join(dist, file)));
    const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
    return {
      bytes: sum(contents.map((content) => content.length)),
      compressed: sum(contents.map((content) => brotliCompressSync(content).length)),
    };
  };
  const scripts = readdirSync(dist, { recursive: true }).filter((file) => file.endsWith(".js"));
  return { engine: measure(["highwater.wasm"]), scripts: measure(scripts) };
}

if (process.argv[1] === import.meta.filename) {
  const kB = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;
  for (const [name, { bytes, compressed }] of Object.entries(sizes())) {
    console.log(`${name}: ${kB(bytes)}, ${kB(compressed)} compressed`);
  }
}
