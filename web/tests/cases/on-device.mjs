// Inputs and outputs that are buffers of the device: they never come to the host, and the numbers are
// the same.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertClose } from "../support/compare.mjs";
import { fixture } from "../support/fixture.mjs";

describe("a tensor on the device", () => {
  it("is taken as an input and given as an output, at every live shape", async () => {
    const { calls } = fixture.native("cascade");
    const got = await fixture.page.evaluate(async (calls) => {
      const { load } = await import("highwater");
      const model = await load("/native/cascade.pte");
      const { device } = model;
      const upload = ({ data, dims }) => {
        const array = new Float32Array(data);
        const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
        const buffer = device.createBuffer({ size: array.byteLength + 16, usage });
        device.queue.writeBuffer(buffer, 16, array);
        return { buffer, dims, offset: 16 };
      };
      const size = 4 * 128 * 64;
      const own = device.createBuffer({
        size,
        usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
      });
      const all = [];
      for (const { inputs } of calls) {
        const outputs = { output0: own };
        const { output0 } = await model.run(inputs.map(upload), { outputs });
        const { run } = await model.accounts();
        await own.mapAsync(GPUMapMode.READ);
        const count = output0.dims[0] * output0.dims[1];
        const data = [...new Float32Array(own.getMappedRange()).subarray(0, count)];
        own.unmap();
        all.push({
          dims: output0.dims,
          dtype: output0.dtype,
          data,
          run,
          kept: output0.data.length,
        });
      }
      model.close();
      return all;
    }, calls);
    got.forEach((output, i) => {
      assertClose(output, calls[i].outputs[0], `call ${i}`);
      assert.equal(output.dtype, "float32");
      assert.equal(output.kept, 0);
      assert.equal(output.run.uploaded_bytes, 0);
      assert.equal(output.run.read_back_bytes, 0);
    });
  });

  it("goes from one call into the next", async () => {
    const got = await fixture.page.evaluate(async () => {
      const { load } = await import("highwater");
      const model = await load("/native/cascade.pte");
      const dims = [5, 64];
      const x = Float32Array.from({ length: 320 }, (_, i) => Math.sin(i));
      const zero = { data: new Float32Array(320), dims };
      const first = await model.run([{ data: x, dims }, zero]);
      const byHost = await model.run([first.output0, zero]);
      const kept = await model.run([{ data: x, dims }, zero], { outputs: { output0: "gpu" } });
      const byDevice = await model.run([kept.output0, zero]);
      model.close();
      return [byHost.output0, byDevice.output0].map((o) => ({ ...o, data: [...o.data] }));
    });
    assert.deepEqual(got[1], got[0]);
  });

  it("that is too small, or too large for the bound, is refused", async () => {
    const messages = await fixture.page.evaluate(async () => {
      const { load } = await import("highwater");
      const model = await load("/native/cascade.pte");
      const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
      const buffer = model.device.createBuffer({ size: 4 * 64 * 200, usage });
      const message = (work) => work.catch((error) => error.message);
      const rows = (n) => ({ buffer, dims: [n, 64] });
      const all = [
        await message(model.run([rows(300), rows(300)])),
        await message(model.run([{ ...rows(128), offset: 4 * 64 * 100 }, rows(128)])),
        await message(model.run([rows(2), rows(2)], { outputs: { y: "gpu" } })),
        (await model.run([rows(2), rows(2)])).output0.dims.join(),
      ];
      model.close();
      return all;
    });
    assert.match(messages[0], /300.*128/);
    assert.match(messages[1], /takes 32768 bytes as float32; its buffer has 25600/);
    assert.match(messages[2], /no output 'y'; there are output0/);
    assert.equal(messages[3], "2,64");
  });
});
