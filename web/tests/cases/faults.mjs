// Every call of a load and a run that a browser can refuse fails once, in each way that it can. Then
// there is an error that says what, nothing is left on the device, and the next load and run are right.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { fixture } from "../support/fixture.mjs";

const isOfKernel = new Set([
  "createPipelineLayout",
  "createShaderModule",
  "createComputePipelineAsync",
]);

describe("each call that fails, one at a time,", () => {
  let page;
  before(async () => {
    page = await fixture.open();
    await page.evaluate(async (inputs) => {
      const { load } = await import("highwater");
      const { Faults } = await import("/tests/support/faults.js");
      const wasm = await WebAssembly.compileStreaming(fetch("/dist/highwater.wasm"));
      const bytes = await (await fetch("/native/cascade.pte")).arrayBuffer();
      const open = async () => {
        const adapter = await navigator.gpu.requestAdapter();
        return new Faults(await adapter.requestDevice());
      };
      const loadAndRun = async ({ device }) => {
        const model = await load(bytes, { device, wasm });
        try {
          return (await model.run(inputs)).output0.data.join();
        } finally {
          model.close();
        }
      };
      /** What became of it when call k failed. */
      globalThis.fail = async (kind, k, faults) => {
        faults.arm(kind, k);
        const found = await loadAndRun(faults).then(
          (answer) => ({ isRight: answer === globalThis.expected }),
          ({ name, message }) => ({ error: { name, message } }),
        );
        Object.assign(found, { call: faults.hit, live: faults.live });
        faults.arm("", -1);
        const next = kind === "loss" ? await open() : faults;
        const after = await loadAndRun(next).catch(({ message }) => message);
        found.after = after === globalThis.expected ? "right" : after.slice(0, 200);
        return { found, next };
      };
      globalThis.failAll = async (kind) => {
        let faults = await open();
        const all = [];
        for (let k = 0; k < globalThis.calls; k++) {
          const { found, next } = await fail(kind, k, faults);
          faults = next;
          all.push(found);
        }
        return all;
      };
      const whole = await open();
      whole.arm("", -1);
      globalThis.expected = await loadAndRun(whole);
      globalThis.calls = whole.calls;
    }, fixture.native("cascade").calls[2].inputs);
  });

  const check = async (kind, words, name) => {
    const all = await page.evaluate((kind) => failAll(kind), kind);
    const hits = all.filter(({ call }) => call);
    for (const { call, error, isRight, live } of hits) {
      // Of the kernels that are made meanwhile the call may need none.
      if (isRight && isOfKernel.has(call)) continue;
      assert.ok(error, `${kind} in ${call} was not noticed`);
      assert.match(error.message, words, call);
      if (name) assert.equal(error.name, name, `${call}: ${error.message}`);
      if (kind !== "loss") assert.equal(live, 0, `${live} objects are left after ${call}`);
    }
    for (const { call, after } of all) assert.equal(after, "right", `after ${kind} in ${call}`);
    return new Set(hits.map(({ call }) => call));
  };

  it("because it is not valid", async () => {
    const calls = await check("validation", /\S/);
    for (const call of ["createBuffer", "createBindGroup", "submit", "mapAsync", "writeBuffer"]) {
      assert.ok(calls.has(call), `${call} was never called`);
    }
  });
  it("for want of memory", async () => {
    await check("memory", /memory/, "OutOfMemoryError");
  });
  it("because the device is lost", async () => {
    await check("loss", /device is lost.*load the model again/, "DeviceLostError");
  });
});
