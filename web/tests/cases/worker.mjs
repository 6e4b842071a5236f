// The same interface from a worker: the same numbers, errors and texts.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertClose } from "../support/compare.mjs";
import { fixture } from "../support/fixture.mjs";

describe("a model in a worker", () => {
  let page;
  before(async () => {
    page = await fixture.open();
    await page.evaluate(async () => {
      globalThis.highwater = await import("highwater/worker");
      globalThis.caught = (work) =>
        work.then(
          () => ({ name: "nothing was thrown" }),
          (error) => ({
            name: error.name,
            message: error.message,
            isOurs: error instanceof highwater.HighwaterError,
          }),
        );
    });
  });
  after(() => page.close());

  it("writes the text of the native run while the page does something else", async () => {
    const { texts } = fixture.native("shipped");
    const got = await page.evaluate(async (prompt) => {
      let longest = 0;
      let last = performance.now();
      const beat = setInterval(() => {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
      }, 1);
      globalThis.model = await highwater.load("../../models/kjv/model.pte", {
        tokenizer: "/models/kjv/tokenizer.json",
      });
      let text = "";
      for await (const piece of model.generate(prompt, { maxTokens: 24 })) text += piece;
      clearInterval(beat);
      return { text, longest };
    }, texts[2].prompt);
    assert.equal(got.text, texts[2].greedy);
    console.log(`the page's longest silence was ${got.longest.toFixed(0)} ms`);
  });

  it("gives the numbers of the native run, and moves what it is given if it may", async () => {
    const { calls } = fixture.native("shipped");
    const got = await page.evaluate(async (calls) => {
      const runs = calls.map(({ inputs }) => model.run(inputs));
      const outputs = (await Promise.all(runs)).map(({ logits }) => logits);
      const data = new Int32Array([1, 2, 3]);
      const inputs = { tokens: { data, dims: [1, 3] }, input_pos: [0] };
      await model.run(inputs);
      const kept = data.length;
      await model.run(inputs, { transfer: true });
      const refused = await caught(model.run({ tokens: [1], input_pos: [1, 2] }));
      const { run } = await model.accounts();
      return {
        outputs: outputs.map((logits) => ({ ...logits, data: [...logits.data] })),
        lengths: [kept, data.length],
        refused,
        submits: run.submits,
      };
    }, calls);
    got.outputs.forEach((output, i) => assertClose(output, calls[i].outputs[0], `call ${i}`));
    assert.deepEqual(got.lengths, [3, 0]);
    assert.equal(got.submits, 1);
    assert.ok(got.refused.isOurs, got.refused.message);
  });

  it("tells of its errors, and can be given up", async () => {
    const errors = await page.evaluate(async () => {
      const stop = new AbortController();
      const { signal } = stop;
      const onProgress = ({ stage }) => stage === "weights" && stop.abort(new Error("enough"));
      model.close();
      return [
        await caught(model.run([[1], [0]])),
        await caught(highwater.load("../../native/none.pte")),
        await caught(highwater.load(new Blob(["no program"]))),
        await caught(highwater.load("/models/kjv/model.pte", { onProgress, signal })),
      ];
    });
    const names = ["HighwaterError", "DownloadError", "HighwaterError", "Error"];
    assert.deepEqual(
      errors.map(({ name }) => name),
      names,
    );
    assert.match(errors[0].message, /closed/);
    assert.equal(errors[3].message, "enough");
  });
});
