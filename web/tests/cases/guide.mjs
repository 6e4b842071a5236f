// The examples of docs/web.md run as they are written.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { fixture, root } from "../support/fixture.mjs";

/** All blocks of JavaScript, as one module. */
function examples() {
  const guide = readFileSync(path.join(root, "docs/web.md"), "utf8");
  return [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text).join("\n");
}

describe("the examples", () => {
  it("of docs/web.md run", async () => {
    const { page } = fixture;
    await page.evaluate(() => {
      globalThis.shown = [];
      globalThis.show = (...values) => shown.push(...values);
    });
    const content = `${examples()}\nglobalThis.isOver = true;`;
    await page.addScriptTag({ content, type: "module" });
    await page.waitForFunction(() => globalThis.isOver, undefined, { timeout: 150_000 });
    const shown = await page.evaluate(() =>
      shown.map((value) => (ArrayBuffer.isView(value) ? value.length : value)),
    );
    const text = shown.filter((value) => typeof value === "string");
    const message = text.pop();
    const written = " of the LORD, and in the days of his life.\nAnd the LORD";
    const answered = " of the LORD,";
    assert.equal(text.join(""), written + answered);
    assert.match(message, /129.*128/);
    const shapes = shown.filter((value) => typeof value !== "string");
    const expected = [[1, 128, 32], 4096, [1, 3, 32], 96, [1, 77, 32], 2464, [1, 3, 32], true, 5];
    assert.deepEqual(shapes, expected);
  });
});
