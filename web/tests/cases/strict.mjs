// Where less is allowed than in a page: under a strict policy, and in a service worker.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixture } from "../support/fixture.mjs";

describe("without a bundler", () => {
  it("it runs under a policy that forbids eval, in the page and in a worker", async () => {
    const page = await fixture.browser.open(`${fixture.server.url}/strict.html`);
    const got = await page.evaluate(async () => {
      const refused = [];
      addEventListener("securitypolicyviolation", ({ violatedDirective }) =>
        refused.push(violatedDirective),
      );
      const dims = [];
      for (const module of ["/dist/index.js", "/dist/worker.js"]) {
        const { load } = await import(module);
        const model = await load("/native/pieces.pte");
        const { output0 } = await model.run([{ data: new Float32Array(192), dims: [3, 64] }]);
        dims.push(output0.dims.join());
        model.close();
      }
      return { dims, refused, isIsolated: crossOriginIsolated };
    });
    await page.close();
    assert.deepEqual(got, { dims: ["8,9,8", "8,9,8"], refused: [], isIsolated: false });
  });

  it("it runs in a service worker", async () => {
    const page = await fixture.open();
    const dims = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.register("service-worker.js", {
        type: "module",
      });
      await navigator.serviceWorker.ready;
      const { port1, port2 } = new MessageChannel();
      const answer = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
      registration.active.postMessage("/native/pieces.pte", [port2]);
      const data = await answer;
      await registration.unregister();
      return data;
    });
    await page.close();
    assert.deepEqual(dims, [8, 9, 8]);
  });
});
