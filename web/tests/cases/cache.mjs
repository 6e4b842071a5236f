// Downloads that stay: broken off and resumed, found again, and replaced where the server has another.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixture } from "../support/fixture.mjs";

function load() {
  return fixture.page.evaluate(async () => {
    const { load } = await import("highwater");
    const loaded = [];
    const onProgress = ({ stage, done }) => stage === "download" && loaded.push(done);
    try {
      const model = await load("/fragile.pte", { cache: true, onProgress });
      const { output0 } = await model.run([{ data: [1, 2, 3], dims: [1, 3] }]);
      model.close();
      return { dims: output0.dims, first: loaded[0], last: loaded.at(-1) };
    } catch ({ name }) {
      return { name };
    }
  });
}

describe("the cache", () => {
  it("goes on where a download broke off, and then needs none", async () => {
    const { fragile } = fixture;
    const size = fragile.bytes.length;
    assert.deepEqual(await load(), { name: "DownloadError" });
    const resumed = await load();
    assert.deepEqual(resumed.dims, [1, 3, 32]);
    assert.ok(resumed.first > 5000, `it began at ${resumed.first}`);
    assert.equal(resumed.last, size);
    assert.deepEqual(await load(), { dims: [1, 3, 32], first: size, last: size });
    assert.deepEqual(fragile.requests, ["HEAD", "GET", "HEAD", "GET bytes=5000-", "HEAD"]);
  });

  it("fetches again what was damaged since", async () => {
    const { fragile } = fixture;
    fragile.requests = ["GET"]; // this time it does not break off
    await fixture.page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const folder = await root.getDirectoryHandle("highwater-models");
      for await (const [name, handle] of folder.entries()) {
        if (name.endsWith(".json")) continue;
        const { size } = await handle.getFile();
        const to = await handle.createWritable({ keepExistingData: true });
        await to.seek(size - 100);
        await to.write(new Uint8Array(8).fill(255));
        await to.close();
      }
    });
    assert.deepEqual((await load()).dims, [1, 3, 32]);
    assert.deepEqual(fragile.requests, ["GET", "HEAD", "GET"]);
    await load();
    assert.deepEqual(fragile.requests.slice(3), ["HEAD"]);
  });

  it("takes what the server has now, and can be cleared", async () => {
    const { fragile } = fixture;
    fragile.version = '"second"';
    fragile.requests = ["GET"]; // this time it does not break off
    await load();
    await load();
    assert.deepEqual(fragile.requests, ["GET", "HEAD", "GET", "HEAD"]);
    await fixture.page.evaluate(async () => (await import("highwater")).clearCache());
    await load();
    assert.deepEqual(fragile.requests.slice(4), ["HEAD", "GET"]);
  });
});
