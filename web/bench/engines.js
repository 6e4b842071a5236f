// The engines, each as a user of its own package calls it. `open` gives a function from tokens to numbers.

async function openHighwater({ folder }) {
  const { load } = await import("highwater");
  const model = await load(`${folder}/model.pte`);
  return async (tokens) => {
    const data = Int32Array.from(tokens);
    const text = { data, dims: [1, data.length] };
    const inputs = model.description.inputs.length === 2 ? [text, [0]] : [text];
    const [output] = Object.values(await model.run(inputs));
    return output.data;
  };
}

async function openOnnxRuntime({ folder, about }) {
  const ort = await import("onnxruntime-web/webgpu");
  ort.env.wasm.wasmPaths = "/node_modules/onnxruntime-web/dist/";
  ort.env.wasm.numThreads = 1; // more of them need headers that most sites do not send
  ort.env.logLevel = "error";
  const { cache } = about;
  const session = await ort.InferenceSession.create(`${folder}/onnx/model.onnx`, {
    executionProviders: ["webgpu"],
    preferredOutputLocation: Object.fromEntries(
      (cache?.names ?? []).map((name) => [name, "gpu-buffer"]),
    ),
  });
  return async (tokens) => {
    const count = tokens.length;
    const text = new ort.Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, count]);
    const feeds = cache
      ? {
          tokens: text,
          last_positions: new ort.Tensor("int32", Int32Array.of(count - 1), [1, 1]),
          total_length: new ort.Tensor("int32", Int32Array.of(count), []),
          ...Object.fromEntries(
            cache.names.map((name) => [
              `past_${name}`,
              new ort.Tensor("float32", new Float32Array(), [1, cache.heads, 0, cache.width]),
            ]),
          ),
        }
      : { [session.inputNames[0]]: text };
    const outputs = await session.run(feeds);
    const data = outputs[session.outputNames[0]].data;
    for (const output of Object.values(outputs)) output.dispose();
    return data;
  };
}

async function openTransformers({ folder }) {
  const { AutoModel, env, Tensor } = await import("@huggingface/transformers");
  env.allowLocalModels = true;
  env.allowRemoteModels = false;
  env.localModelPath = "/models/";
  env.useBrowserCache = false;
  env.backends.onnx.wasm.wasmPaths = "/transformers-ort/";
  env.backends.onnx.wasm.numThreads = 1;
  const name = folder.split("/").at(-1);
  const model = await AutoModel.from_pretrained(name, { device: "webgpu", dtype: "fp32" });
  return async (tokens) => {
    const text = new Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]);
    const outputs = await model({ input: text });
    const [output] = Object.values(outputs);
    return output.data;
  };
}

const engines = {
  Highwater: openHighwater,
  "onnxruntime-web": openOnnxRuntime,
  "transformers.js": openTransformers,
};

/** The norm of the difference over the norm of what torch has. */
function errorOf(got, expected) {
  const norm = (value) => Math.sqrt(expected.reduce((sum, x, i) => sum + value(x, i) ** 2, 0));
  return norm((x, i) => x - got[i]) / norm((x) => x);
}

let run;

/** Everything up to the first numbers, in seconds. */
globalThis.start = async (engine, model) => {
  const folder = `/models/${model}`;
  const about = await (await fetch(`${folder}/about.json`)).json();
  const began = performance.now();
  run = await engines[engine]({ folder, about });
  const { tokens, expected } = about.texts[0];
  const first = await run(tokens);
  return { seconds: (performance.now() - began) / 1000, error: errorOf(first, expected) };
};

/** The median of some runs at one length, and the largest error of all lengths that torch knows. */
globalThis.measure = async (model, times) => {
  const { texts } = await (await fetch(`/models/${model}/about.json`)).json();
  const errors = [];
  for (const { tokens, expected } of texts) errors.push(errorOf(await run(tokens), expected));
  const took = [];
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    await run(texts[0].tokens);
    took.push(performance.now() - began);
  }
  took.sort((a, b) => a - b);
  return { milliseconds: took[Math.floor(times / 2)], error: Math.max(...errors) };
};

/** So many runs, each at another length than the one before. */
globalThis.change = async (model, times) => {
  const { texts } = await (await fetch(`/models/${model}/about.json`)).json();
  const { tokens } = texts[0];
  const began = performance.now();
  for (let i = 0; i < times; i++) await run(tokens.slice(0, 1 + ((i * 7) % tokens.length)));
  return (performance.now() - began) / times;
};
