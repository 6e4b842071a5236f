// Small programs at one live shape after another, against the numbers of the native run.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertClose } from "../support/compare.mjs";
import { fixture } from "../support/fixture.mjs";

describe("a program in the browser", () => {
  for (const name of ["cascade", "pieces", "pictures", "words", "large"]) {
    it(`gives the numbers of the native run at every live shape: ${name}`, async () => {
      const { calls } = fixture.native(name);
      const results = await fixture.page.evaluate(
        async ({ name, calls }) => {
          const { load } = await import("highwater");
          const model = await load(`/native/${name}.pte`);
          const all = [];
          for (const { inputs } of calls) {
            const outputs = Object.values(await model.run(inputs));
            const objects = (await model.accounts()).run.gpu_objects;
            all.push({ objects, outputs: outputs.map((o) => ({ ...o, data: [...o.data] })) });
          }
          const wasm = model.engine.exports.memory.buffer.byteLength;
          model.close();
          if (wasm > 16 << 20) throw new Error(`wasm has ${wasm} bytes of memory`);
          return all;
        },
        { name, calls },
      );
      for (const [i, { objects, outputs }] of results.entries()) {
        assert.equal(objects, 0, "no run makes anything new");
        assert.equal(outputs.length, calls[i].outputs.length);
        outputs.forEach((output, o) =>
          assertClose(output, calls[i].outputs[o], `output ${o} of call ${i}`),
        );
      }
    });
  }
});
