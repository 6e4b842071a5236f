// Highwater beside other engines, in the same browser: `npm run bench`.
//
//   npm run bench -- [--times 5] [--changes 200] [--only tiny:onnxruntime-web] [--write-docs]
//
// Results stay in build/web-bench/results.json, so that --only does one row anew. It makes the models of ./bench first, which takes some minutes, and installs the other engines into
// web/bench/node_modules. --write-docs puts the table into docs/performance.md.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants } from "node:zlib";
import { serve } from "../tools/server.mjs";
import { openBrowser } from "../tests/support/browser.mjs";
import { memoryOf } from "./memory.mjs";
import { asTable, writeDocs } from "./report.mjs";

const here = import.meta.dirname;
const root = path.join(here, "../..");
const models = path.join(root, "build/web-bench");
const { values: options } = parseArgs({
  options: {
    times: { type: "string", default: "5" },
    changes: { type: "string", default: "200" },
    only: { type: "string" },
    "write-docs": { type: "boolean", default: false },
  },
});

/** transformers.js runs encoders here; its decoders want another graph than ./bench writes. */
const rows = [
  ["tiny", "Highwater"],
  ["tiny", "onnxruntime-web"],
  ["minilm", "Highwater"],
  ["minilm", "onnxruntime-web"],
  ["minilm", "transformers.js"],
];

function setUp() {
  if (!existsSync(path.join(here, "node_modules"))) {
    const quiet = ["--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"];
    execFileSync("npm", ["install", ...quiet], { cwd: here, stdio: "inherit" });
  }
  const python = path.join(root, ".venv/bin/python");
  execFileSync(python, [path.join(here, "models.py"), models], { stdio: "inherit" });
}

/** What a page fetches of an engine, as it is and with brotli. */
class Downloads {
  #urls = new Set();

  watch(page) {
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      const isEngine = /\.(js|mjs|wasm)$/.test(pathname) && pathname !== "/engines.js";
      if (isEngine) this.#urls.add(request.url());
    });
  }
  async sum() {
    const sizes = { bytes: 0, compressed: 0 };
    for (const url of this.#urls) {
      const body = Buffer.from(await (await fetch(url)).arrayBuffer());
      sizes.bytes += body.length;
      sizes.compressed += brotliCompressSync(body, quickly).length;
    }
    return sizes;
  }
}
// Modules of 27 MB would take minutes otherwise.
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

async function measure(url, model, engine) {
  const browser = await openBrowser();
  try {
    const downloads = new Downloads();
    const first = await browser.open("about:blank");
    const before = memoryOf(browser.profile);
    downloads.watch(first);
    await first.goto(url);
    const cold = await first.evaluate(([e, m]) => start(e, m), [engine, model]);
    await first.close();
    const page = await browser.open(url);
    const warm = await page.evaluate(([e, m]) => start(e, m), [engine, model]);
    const run = async (name, times) =>
      page.evaluate(([name, m, n]) => globalThis[name](m, n), [name, model, Number(times)]);
    const steps = await run("measure", options.times);
    const loaded = memoryOf(browser.profile);
    const changing = await run("change", options.changes);
    const after = memoryOf(browser.profile);
    return {
      model,
      engine,
      download: await downloads.sum(),
      cold: cold.seconds,
      warm: warm.seconds,
      step: steps.milliseconds,
      changing,
      error: Math.max(cold.error, warm.error, steps.error),
      memory: { loaded: loaded - before, after: after - before },
    };
  } catch (error) {
    return { model, engine, failed: error.message.split("\n")[0] };
  } finally {
    await browser.close();
  }
}

setUp();
const server = await serve({
  "/": here,
  "/highwater/": path.join(root, "web/dist"),
  "/models/": models,
  "/node_modules/": path.join(here, "node_modules"),
  "/transformers-ort/": path.join(
    here,
    "node_modules/@huggingface/transformers/node_modules/onnxruntime-web/dist",
  ),
});
const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const kept = path.join(models, "results.json");
const results = existsSync(kept) ? read(kept) : {};
for (const [model, engine] of rows) {
  const row = `${model}: ${engine}`;
  if (options.only && options.only.replace(":", ": ") !== row) continue;
  const load = os.loadavg()[0];
  const result = await measure(`${server.url}/page.html`, model, engine);
  const { tolerance } = read(path.join(models, model, "about.json"));
  const form = engine === "Highwater" ? "pte" : "onnx";
  const { times, changes } = options;
  results[row] = { ...result, tolerance: tolerance[form], load, times, changes };
  console.error(JSON.stringify(results[row]));
  writeFileSync(kept, JSON.stringify(results, undefined, 2));
}
server.close();
const all = rows.map(([model, engine]) => results[`${model}: ${engine}`]);
const table = asTable(all.filter((row) => row !== undefined));
console.log(table);
if (options["write-docs"]) writeDocs(path.join(root, "docs/performance.md"), table);
