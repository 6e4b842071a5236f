// The model that ships: its logits and its texts are those of the native run.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertClose } from "../support/compare.mjs";
import { fixture } from "../support/fixture.mjs";
import { longestTask } from "../support/tasks.mjs";

describe("the shipped model in the browser", () => {
  let page;
  before(async () => {
    page = fixture.page;
    await page.evaluate(async () => {
      const { load } = await import("highwater");
      globalThis.progress = [];
      globalThis.model = await load("/models/kjv/model.pte", {
        tokenizer: "/models/kjv/tokenizer.json",
        tokenizerConfig: { chat_template: "{% for m in messages %}{{ m.content }}\n{% endfor %}" },
        recover: true,
        onProgress: (step) => progress.push(step),
      });
    });
  });
  after(() => page.evaluate(() => model.close()));

  it("gives its first text before all kernels are made, and tells of them all", async () => {
    const { made, after } = await page.evaluate(async () => {
      const kernels = () => progress.filter(({ stage }) => stage === "kernels");
      const last = () => kernels().at(-1) ?? { done: 0 };
      let text = "";
      for await (const piece of model.generate("In the beginning", { maxTokens: 2 })) text += piece;
      const made = { ...last(), text };
      while (last().done !== last().total) await new Promise((done) => setTimeout(done, 100));
      return { made, after: last() };
    });
    assert.ok(made.text.length > 0);
    assert.ok(made.done < after.total, `${made.done} of ${after.total}`);
  });

  it("tells how far its load has come, and can wait for all kernels", async () => {
    const { progress, again } = await page.evaluate(async () => {
      const { load } = await import("highwater");
      const again = [];
      const onProgress = (step) => again.push(step);
      const other = await load("/models/kjv/model.pte", { waitForKernels: true, onProgress });
      other.close();
      return { progress, again };
    });
    for (const [told, stage] of [
      [progress, "download"],
      [progress, "weights"],
      [progress, "kernels"],
      [again, "first runs"],
    ]) {
      const steps = told.filter((step) => step.stage === stage);
      assert.ok(steps.length > 1, stage);
      assert.equal(steps.at(-1).done, steps.at(-1).total, stage);
    }
  });

  it("keeps its weights out of wasm's memory", async () => {
    const bytes = await page.evaluate(() => model.engine.exports.memory.buffer.byteLength);
    assert.ok(bytes < 32 << 20, `${bytes} bytes`);
  });

  it("gives the logits of the native run, turn by turn", async () => {
    const { calls } = fixture.native("shipped");
    const results = await page.evaluate(async (calls) => {
      const all = [];
      for (const { inputs } of calls) {
        const [tokens, input_pos] = inputs;
        // Their dims follow from the file.
        const given = { tokens: Int32Array.from(tokens.data), input_pos: input_pos.data };
        const { logits } = await model.run(given);
        all.push({ ...logits, data: [...logits.data] });
      }
      return all;
    }, calls);
    results.forEach((logits, i) => assertClose(logits, calls[i].outputs[0], `logits of turn ${i}`));
  });

  it("writes the texts of the native run, token by token or many at a time", async () => {
    const { texts } = fixture.native("shipped");
    for (const { prompt, tokens, greedy, drawn } of texts) {
      const got = await page.evaluate(async (prompt) => {
        const write = async (options) => {
          const pieces = [];
          const all = { maxTokens: 24, ...options };
          for await (const piece of model.generate(prompt, all)) pieces.push(piece);
          return pieces.join("");
        };
        const sampling = { temperature: 0.8, topK: 40, seed: 7 };
        return {
          tokens: model.tokenizer.encode(prompt),
          greedy: await write({ tokensPerSubmit: 1 }),
          drawn: await write({ ...sampling, tokensPerSubmit: 8 }),
        };
      }, prompt);
      assert.deepEqual(got, { tokens, greedy, drawn });
    }
  });

  it("ends a text where it is told to", async () => {
    const text = await page.evaluate(async () => {
      let all = "";
      for await (const piece of model.generate("In the beginning", { stop: "days of" }))
        all += piece;
      return all;
    });
    assert.equal(text, " of the LORD, and in the ");
  });

  it("lets texts and runs take turns", async () => {
    const { texts, calls } = fixture.native("shipped");
    const got = await page.evaluate(
      async ({ texts, inputs }) => {
        const write = async (prompt) => {
          let all = "";
          for await (const piece of model.generate(prompt, { maxTokens: 24 })) all += piece;
          return all;
        };
        const [tokens, input_pos] = inputs;
        const run = async () => [...(await model.run({ tokens, input_pos })).logits.data];
        const [first, logits, second] = await Promise.all([
          write(texts[0].prompt),
          run(),
          write(texts[1].prompt),
        ]);
        return { first, second, logits };
      },
      { texts, inputs: calls[1].inputs },
    );
    assert.equal(got.first, texts[0].greedy);
    assert.equal(got.second, texts[1].greedy);
    assertClose({ dims: [1, 2048], data: got.logits }, calls[1].outputs[0], "logits");
  });

  it("stops a text in the middle, and goes on with the next", async () => {
    const got = await page.evaluate(async () => {
      const stop = new AbortController();
      let pieces = 0;
      let reason;
      try {
        const options = { signal: stop.signal, tokensPerSubmit: 1 };
        for await (const _ of model.generate("And it came to pass", options)) {
          pieces += 1;
          if (pieces === 3) stop.abort(new Error("enough"));
        }
      } catch (error) {
        reason = error.message;
      }
      let after = "";
      for await (const piece of model.generate("In the beginning", { maxTokens: 4 }))
        after += piece;
      return { pieces, reason, after };
    });
    assert.deepEqual(got, { pieces: 3, reason: "enough", after: " of the LORD," });
  });

  it("answers in a conversation, as its template writes that down", async () => {
    const got = await page.evaluate(async () => {
      const messages = [
        { role: "user", content: "In the beginning" },
        { role: "user", content: "And it came" },
      ];
      const write = async (prompt) => {
        let all = "";
        for await (const piece of model.generate(prompt, { maxTokens: 6 })) all += piece;
        return all;
      };
      return [await write(messages), await write("In the beginning\nAnd it came\n")];
    });
    assert.ok(got[0].length > 0);
    assert.equal(got[0], got[1]);
  });

  it("keeps the page awake while it is loaded and writes", async () => {
    const once = async () => {
      const { milliseconds } = await longestTask(page, () =>
        page.evaluate(async () => {
          const { load } = await import("highwater");
          const other = await load("/models/kjv/model.pte", { tokenizer: model.tokenizer });
          for await (const _ of other.generate("In the beginning", { maxTokens: 8 }));
          other.close();
        }),
      );
      return milliseconds;
    };
    // Of two times, because the browser cleans up now and then.
    const longest = Math.min(await once(), await once());
    assert.ok(longest < 50, `a task of ${longest} ms`);
    console.log(`the page's longest task was ${longest.toFixed(0)} ms`);
  });

  // The last of these tests: others find the kernels on the new device.
  it("goes on with a text on a new device if it loses its own, but not with runs", async () => {
    const { texts, calls } = fixture.native("shipped");
    const got = await page.evaluate(
      async ({ prompt, inputs }) => {
        const run = () => model.run(inputs).then(({ logits }) => [...logits.data]);
        const failed = ({ name, message }) => ({ name, message });
        const old = model.device;
        let text = "";
        let lost = [];
        for await (const piece of model.generate(prompt, { maxTokens: 24 })) {
          if (!text) {
            old.destroy();
            lost = [run().catch(failed), run().catch(failed)];
          }
          text += piece;
        }
        const isNew = model.device !== old;
        const { keepsState } = model.description;
        return { text, isNew, lost: await Promise.all(lost), logits: await run(), keepsState };
      },
      { prompt: texts[0].prompt, inputs: calls[1].inputs },
    );
    assert.equal(got.text, texts[0].greedy);
    assert.equal(got.isNew, true);
    assert.equal(got.keepsState, true);
    for (const { name, message } of got.lost) {
      assert.equal(name, "DeviceLostError", message);
      assert.match(message, /loaded again, and begins anew/);
    }
    assertClose({ dims: [1, 2048], data: got.logits }, calls[1].outputs[0], "logits");
  });
});
