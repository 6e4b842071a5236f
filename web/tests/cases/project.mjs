// The package in an empty project: its types, and the README's example built by Vite.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { serve } from "../../tools/server.mjs";
import { fixture, root } from "../support/fixture.mjs";
import { Project } from "../support/project.mjs";

const readme = readFileSync(path.join(root, "README.md"), "utf8");
const [, example] = readme.match(/^```js\n(.*?)^```$/ms);

const typed = `
import { load, type Model, type Progress, type TensorOutput } from "highwater";
import { load as loadInWorker } from "highwater/worker";

const model: Model = await load(new Blob([]), {
  onProgress: ({ stage, done, total }: Progress) => console.log(stage, done / (total ?? 1)),
});
const outputs = await model.run({ x: { data: new Float32Array(3), dims: [1, 3] }, n: 4 });
const y: TensorOutput = outputs.y;
export const sum: number = y.data[0] + y.dims[0];
for await (const piece of model.generate("a", { topK: 4 })) piece.trim();
const distant = await loadInWorker("model.pte");
await distant.run([new Int32Array(2)], { transfer: true });
// @ts-expect-error: there is no such option
await load("model.pte", { onprogress: () => {} });
// @ts-expect-error: a text is not a tensor
await model.run({ x: "text" });
`;

describe("the package in an empty project", () => {
  let project;
  before(() => {
    project = new Project({
      "index.html": '<body><script type="module" src="/main.js"></script></body>',
      "main.js": `${example}\ndocument.title = logits.dims.join();\n`,
      "typed.ts": typed,
    });
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
});
