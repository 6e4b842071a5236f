// What goes wrong is an error of its own class, for the call that caused it, and the next works.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { assertClose } from "../support/compare.mjs";
import { fixture } from "../support/fixture.mjs";

let page;

async function prepare(on = fixture.page) {
  page = on;
  await page.evaluate(async () => {
    globalThis.highwater = await import("highwater");
    globalThis.caught = (work) =>
      work.then(
        () => ({ name: "nothing was thrown" }),
        ({ name, message }) => ({ name, message }),
      );
    globalThis.bytesOf = async (name) => (await fetch(`/native/${name}.pte`)).arrayBuffer();
  });
}

async function assertWorks(name = "pictures") {
  const { calls } = fixture.native(name);
  const got = await page.evaluate(
    async ({ name, inputs }) => {
      const model = await highwater.load(`/native/${name}.pte`);
      const { output0 } = await model.run(inputs);
      model.close();
      return { ...output0, data: [...output0.data] };
    },
    { name, inputs: calls[2].inputs },
  );
  assertClose(got, calls[2].outputs[0], name);
}

describe("a load", () => {
  before(() => prepare());

  it("takes a File, a Blob, bytes, a stream or a response", async () => {
    const shapes = await page.evaluate(async () => {
      const bytes = await bytesOf("words");
      const sources = [
        new File([bytes], "words.pte"),
        new Blob([bytes]),
        bytes,
        new Uint8Array(bytes),
        new Blob([bytes]).stream(),
        await fetch("/native/words.pte"),
        new URL("/native/words.pte", location.href),
      ];
      const all = [];
      for (const source of sources) {
        const model = await highwater.load(source);
        const { output0 } = await model.run([{ data: [1, 2, 3], dims: [1, 3] }]);
        all.push(output0.dims.join());
        model.close();
      }
      return all;
    });
    assert.deepEqual(shapes, Array(7).fill("1,3,32"));
  });

  it("says that there is no file, and where", async () => {
    const error = await page.evaluate(() => caught(highwater.load("/native/none.pte")));
    assert.equal(error.name, "DownloadError");
    assert.match(error.message, /\/native\/none\.pte could not be fetched: 404/);
  });

  it("says that a download broke off", async () => {
    const error = await page.evaluate(() => caught(highwater.load("/breaks-off.pte")));
    assert.equal(error.name, "DownloadError");
    assert.match(error.message, /broke off/);
  });

  it("says what is wrong with a damaged file, wherever it is cut", async () => {
    const errors = await page.evaluate(async () => {
      const bytes = await bytesOf("words");
      const all = [];
      for (const size of [0, 7, 40, 1000, bytes.byteLength - 64]) {
        all.push(await caught(highwater.load(bytes.slice(0, size))));
      }
      return all;
    });
    for (const { name, message } of errors) {
      assert.equal(name, "HighwaterError", message);
      assert.match(message, /not a \.pte file|damaged|cut short/);
    }
    await assertWorks();
  });

  it("is given up in the middle: while it downloads, and while it makes kernels", async () => {
    await prepare(await fixture.open()); // which has made none yet
    const errors = await page.evaluate(async () => {
      const during = async (source, stage) => {
        const stop = new AbortController();
        const onProgress = (progress) => {
          if (progress.stage === stage) stop.abort(new Error(`during ${stage}`));
        };
        const options = { signal: stop.signal, onProgress, waitForKernels: true };
        return caught(highwater.load(source, options));
      };
      return [
        await during("/never-ends.pte", "download"),
        await during("/native/cascade.pte", "weights"),
        await during("/native/cascade.pte", "kernels"),
      ];
    });
    assert.deepEqual(
      errors.map(({ message }) => message),
      ["during download", "during weights", "during kernels"],
    );
    await assertWorks("cascade");
    await page.close();
    await prepare();
  });
});

describe("a run", () => {
  before(() => prepare());

  it("refuses inputs that do not fit, and changes nothing", async () => {
    const messages = await page.evaluate(async () => {
      const model = await highwater.load("/native/words.pte");
      const tries = [
        { input0: { data: new Int32Array(129), dims: [1, 129] } },
        { input0: { data: [1, 2], dims: [1, 3] } },
        { input0: { data: [1.5], dims: [1, 1] } },
        { input0: { data: [1], dims: [1, -1] } },
        { input0: [1, 2, 3], other: [1] },
        {},
        [],
      ];
      const all = [];
      for (const inputs of tries) all.push((await caught(model.run(inputs))).message);
      const { output0 } = await model.run([{ data: [1, 2], dims: [1, 2] }]);
      model.close();
      all.push(output0.dims.join());
      all.push((await caught(model.run({ input0: [1] }))).message);
      return all;
    });
    const expected = [
      /129.*128/,
      /has 3 elements; 2 were given/,
      /element 0 is 1\.5; integers of 32 bits are wanted/,
      /dims \[1, -1\]/,
      /there is no 'other'; the model takes input0/,
      /'input0' is missing/,
      /takes 1 inputs?/,
      /^1,2,32$/,
      /the model is closed/,
    ];
    expected.forEach((pattern, i) => assert.match(messages[i], pattern));
  });

  it("of one model leaves those of another alone, and overlapping calls queue", async () => {
    const [words, cascade] = [fixture.native("words").calls, fixture.native("cascade").calls];
    const got = await page.evaluate(
      async ([words, cascade]) => {
        const [first, second] = await Promise.all([
          highwater.load("/native/words.pte"),
          highwater.load("/native/cascade.pte"),
        ]);
        const runs = words.flatMap(({ inputs }, i) => [
          first.run(inputs),
          caught(first.run([{ data: [1], dims: [2, 2] }])),
          second.run(cascade[i].inputs),
        ]);
        const all = await Promise.all(runs);
        first.close();
        second.close();
        return all.map((result) => ({
          name: result.name,
          data: result.output0 && [...result.output0.data],
          dims: result.output0?.dims,
        }));
      },
      [words, cascade],
    );
    words.forEach((call, i) => {
      assertClose(got[3 * i], call.outputs[0], `words ${i}`);
      assert.equal(got[3 * i + 1].name, "HighwaterError");
      assertClose(got[3 * i + 2], cascade[i].outputs[0], `cascade ${i}`);
    });
  });

  it("of a model that is closed meanwhile says so", async () => {
    const message = await page.evaluate(async () => {
      const model = await highwater.load("/native/words.pte");
      const run = caught(model.run([{ data: [1, 2], dims: [1, 2] }]));
      await Promise.resolve();
      model.close();
      return (await run).message;
    });
    assert.match(message, /closed/);
    await assertWorks();
  });
});

describe("the device", () => {
  before(() => prepare());

  it("is the same for all models, and nothing of a closed one is left on it", async () => {
    const counts = await page.evaluate(async () => {
      const all = [];
      for (let i = 0; i < 20; i++) {
        const model = await highwater.load("/native/words.pte");
        for (let n = 1; n <= 25; n++) {
          await model.run([{ data: new Int32Array(n), dims: [1, n] }]);
        }
        const { context, exports } = model.engine;
        model.close();
        all.push({ objects: context.handles.count, memory: exports.memory.buffer.byteLength });
      }
      return all;
    });
    for (const count of counts.slice(1)) assert.deepEqual(count, counts[1]);
  });

  it("that is lost is an error of its own, and the next load has a new one", async () => {
    const got = await page.evaluate(async () => {
      const model = await highwater.load("/native/pictures.pte");
      model.engine.context.device.destroy();
      const inputs = [{ data: [1, 2, 3], dims: [1, 3, 1, 1] }];
      return [await caught(model.run(inputs)), await caught(model.run(inputs))];
    });
    for (const { name, message } of got) {
      assert.equal(name, "DeviceLostError", message);
      assert.match(message, /lost.*load the model again/);
    }
    await assertWorks();
  });

  it("that is lost is replaced for a model that asks for it, in the call that finds out", async () => {
    const { calls } = fixture.native("pictures");
    const got = await page.evaluate(async (inputs) => {
      const model = await highwater.load("/native/pictures.pte", { recover: true });
      const { keepsState } = model.description;
      model.device.destroy();
      const [first, second] = await Promise.all([model.run(inputs), model.run(inputs)]);
      const buffer = model.device.createBuffer({ size: 64, usage: GPUBufferUsage.COPY_SRC });
      model.device.destroy();
      const onLost = await caught(model.run([{ buffer, dims: [1, 3, 1, 1] }]));
      const third = await model.run(inputs);
      model.close();
      const data = [first, second, third].map(({ output0 }) => ({
        ...output0,
        data: [...output0.data],
      }));
      return { keepsState, data, onLost };
    }, calls[1].inputs);
    assert.equal(got.keepsState, false);
    got.data.forEach((output, i) => assertClose(output, calls[1].outputs[0], `run ${i}`));
    assert.equal(got.onLost.name, "DeviceLostError");
  });

  it("that is too small for a model is an error of its own", async () => {
    const error = await page.evaluate(async () => {
      const adapter = await navigator.gpu.requestAdapter();
      const device = await adapter.requestDevice(); // with the least that WebGPU allows
      const error = await caught(highwater.load("/native/wider.pte", { device }));
      device.destroy();
      return error;
    });
    assert.equal(error.name, "AdapterTooSmallError", error.message);
    assert.match(error.message, /327680000 bytes; adapter .* allows at most .*smaller/);
  });

  it("whose bindings alone are too small runs the model in parts", async () => {
    const last = await page.evaluate(async () => {
      const adapter = await navigator.gpu.requestAdapter();
      const device = await adapter.requestDevice();
      const model = await highwater.load("/native/wide.pte", { device });
      const rows = 40_000; // of 4 kB, and a binding shows 128 MiB
      const last = [];
      for (const length of [rows, 3, rows - 1]) {
        const data = new Float32Array(length * 1024).fill(-1);
        data.set([5, -6, 7], data.length - 3);
        const { output0 } = await model.run([{ data, dims: [length, 1024] }]);
        last.push([output0.dims[0], ...output0.data.slice(-4)]);
      }
      model.close();
      device.destroy();
      return last;
    });
    assert.deepEqual(
      last,
      [40_000, 3, 39_999].map((rows) => [rows, 0, 5, 0, 7]),
    );
  });
});

describe("a browser without WebGPU", () => {
  it("is told so", async () => {
    const bare = await fixture.open();
    const error = await bare.evaluate(async () => {
      Object.defineProperty(navigator, "gpu", { value: undefined });
      const { load } = await import("highwater");
      return load("/native/words.pte").catch(({ name, message }) => ({ name, message }));
    });
    await bare.close();
    assert.equal(error.name, "NoWebGpuError");
    assert.match(error.message, /no WebGPU/);
  });
});
