// The package in an empty project: its types, the README's example built by Vite, and smaller ones by
// webpack and esbuild.
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import * as esbuild from "esbuild";
import webpack from "webpack";
import { serve } from "../../tools/server.mjs";
import { fixture, root, web } from "../support/fixture.mjs";
import { Project } from "../support/project.mjs";

const readme = readFileSync(path.join(root, "README.md"), "utf8");
const [, example] = readme.match(/^```js\n(.*?)^```$/ms);

const typed = `
import { load, type Model, type Progress, type TensorOutput } from "highwater";
import { useModel } from "highwater/react";
import { load as loadInWorker } from "highwater/worker";

const model: Model = await load(new Blob([]), {
  onProgress: ({ stage, done, total }: Progress) => console.log(stage, done / (total ?? 1)),
});
const outputs = await model.run({ x: { data: new Float32Array(3), dims: [1, 3] }, n: 4 });
const y: TensorOutput = outputs.y;
export const sum: number = y.data[0] + y.dims[0];
for await (const piece of model.generate("a", { topK: 4 })) piece.trim();
for await (const piece of model.generate([{ role: "user", content: "a" }])) piece.trim();
export function useTitle(): string {
  const { model, progress, error } = useModel("model.pte", { cache: true, recover: true });
  return error?.message ?? progress?.stage ?? model?.description.outputs[0].name ?? "";
}
const distant = await loadInWorker("model.pte");
await distant.run([new Int32Array(2)], { transfer: true });
// @ts-expect-error: there is no such option
await load("model.pte", { onprogress: () => {} });
// @ts-expect-error: a hook tells its progress itself
export const useOther = () => useModel("model.pte", { onProgress: () => {} });
// @ts-expect-error: a text is not a tensor
await model.run({ x: "text" });
`;

// In the page and in a worker.
const both = `
import { load } from "highwater";
import { load as loadInWorker } from "highwater/worker";

const titles = [];
for (const open of [load, loadInWorker]) {
  const model = await open("/pieces.pte");
  const { output0 } = await model.run([{ data: new Float32Array(192), dims: [3, 64] }]);
  titles.push(output0.dims.join());
}
document.title = titles.join(" ");
`;

describe("the package in an empty project", () => {
  let project;
  before(() => {
    project = new Project({
      "index.html": '<body><script type="module" src="/main.js"></script></body>',
      "main.js": `${example}\ndocument.title = logits.dims.join();\n`,
      "typed.ts": typed,
      "both.js": both,
      "component.jsx": readFileSync(path.join(web, "tests/support/component.jsx"), "utf8"),
    });
    for (const name of ["react", "react-dom", "scheduler", "@types/react", "csstype"]) {
      project.borrow(name);
    }
    project.addModel();
  });
  after(() => project.remove());

  it("has types that a strict compiler takes, and that refuse what is wrong", () => {
    const options = ["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2022"];
    const lib = ["--lib", "es2023,dom,dom.iterable,dom.asynciterable", "--types", ""];
    project.run("tsc", "--noEmit", "--strict", ...options, ...lib, "typed.ts");
  });

  it("is built by Vite, and then the README's example writes", async () => {
    project.run("vite", "build", "--logLevel", "error", "--target", "esnext");
    const server = await serve({ "/": path.join(project.folder, "dist") });
    const page = await fixture.browser.open(`${server.url}/`);
    await page.waitForFunction(() => document.title === "1,2048", undefined, { timeout: 200_000 });
    const { texts } = fixture.native("shipped");
    const text = await page.evaluate(() => document.body.textContent);
    assert.ok(text.trim().startsWith(texts[0].greedy.trim()), text);
    await page.close();
    server.close();
  });

  /** A page that consists of a folder's main.js. */
  async function openBuilt(folder) {
    const page = '<!doctype html><body><script type="module" src="/main.js"></script></body>';
    project.write(`${folder}/index.html`, page);
    cpSync(path.join(root, "build/web-native/pieces.pte"), project.file(`${folder}/pieces.pte`));
    const server = await serve({ "/": project.file(folder) });
    const tab = await fixture.browser.open(`${server.url}/`);
    tab.on("close", () => server.close());
    return tab;
  }
  async function titleOf(folder) {
    const tab = await openBuilt(folder);
    await tab.waitForFunction(() => document.title, undefined, { timeout: 100_000 });
    const title = await tab.title();
    await tab.close();
    return title;
  }

  it("is built by webpack, with its worker", async () => {
    const stats = await new Promise((resolve, reject) =>
      webpack(
        {
          mode: "production",
          context: project.folder,
          entry: "./both.js",
          output: { path: project.file("by-webpack"), filename: "main.js", publicPath: "/" },
          performance: false,
        },
        (error, stats) => (error ? reject(error) : resolve(stats)),
      ),
    );
    assert.deepEqual(stats.toJson({ all: false, errors: true, warnings: true }).errors, []);
    const title = await titleOf("by-webpack");
    assert.equal(title, "8,9,8 8,9,8");
  });

  it("is built by esbuild, as docs/web.md says it, with its worker", async () => {
    const dist = project.file("node_modules/highwater/dist");
    const result = await esbuild.build({
      absWorkingDir: project.folder,
      entryPoints: { main: "both.js", "worker-thread": path.join(dist, "worker-thread.js") },
      outdir: "by-esbuild",
      bundle: true,
      format: "esm",
      logLevel: "silent",
    });
    assert.deepEqual(result.warnings, []);
    cpSync(path.join(dist, "highwater.wasm"), project.file("by-esbuild/highwater.wasm"));
    const title = await titleOf("by-esbuild");
    assert.equal(title, "8,9,8 8,9,8");
  });

  it("has a hook for React that loads, runs, changes its model and tells of errors", async () => {
    await esbuild.build({
      absWorkingDir: project.folder,
      entryPoints: { main: "component.jsx" },
      outdir: "by-react",
      bundle: true,
      format: "esm",
      jsx: "automatic",
      define: { "process.env.NODE_ENV": '"development"' },
      logLevel: "silent",
    });
    const dist = project.file("node_modules/highwater/dist");
    cpSync(path.join(dist, "highwater.wasm"), project.file("by-react/highwater.wasm"));
    const tab = await openBuilt("by-react");
    await tab.getByText("8 × 7 × 8").waitFor({ timeout: 100_000 });
    await tab.evaluate(() => change("/none.pte"));
    await tab.getByText("DownloadError").waitFor();
    await tab.evaluate(() => change("/pieces.pte"));
    await tab.getByText("8 × 7 × 8").waitFor();
    await tab.close();
  });
});
