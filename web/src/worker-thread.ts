// The worker's side: it holds the models, and does what the page asks.
import { HighwaterError } from "./errors.js";
import { load, type Progress } from "./load.js";
import type { LoadedModel, FromWorker, ToWorker, Work } from "./messages.js";
import type { Model, RunOutputs } from "./model.js";

const models = new Map<number, Model>();
const loads = new Map<number, AbortController>();
const reply = (message: FromWorker, moved: Transferable[] = []) =>
  (globalThis as unknown as Worker).postMessage(message, moved);

addEventListener("message", async ({ data }: MessageEvent<ToWorker>) => {
  const { call } = data;
  if ("abort" in data) {
    loads.get(call)?.abort(new HighwaterError(data.abort));
    return;
  }
  try {
    const result = await doWork(call, data.work);
    reply({ call, result }, data.work.kind === "run" ? buffersOf(result as RunOutputs) : []);
  } catch (error) {
    const { name, message } = error as Error;
    reply({ call, error: { name, message } });
  }
});

async function doWork(call: number, work: Work): Promise<unknown> {
  if (work.kind === "load") return doLoad(call, work);
  const model = models.get(work.model);
  if (!model) throw new HighwaterError("the model is closed");
  switch (work.kind) {
    case "run":
      return model.run(work.inputs);
    case "draw":
      return model.draw(work.tokens, work.count, work.sampling);
    case "accounts":
      return model.accounts();
    case "close":
      models.delete(work.model);
      return model.close();
  }
}

async function doLoad(call: number, { source, options }: Work & { kind: "load" }) {
  const stop = new AbortController();
  loads.set(call, stop);
  try {
    const onProgress = (progress: Progress) => reply({ call, progress });
    const model = await load(source, { ...options, signal: stop.signal, onProgress });
    models.set(call, model);
    return { model: call, description: model.description } satisfies LoadedModel;
  } finally {
    loads.delete(call);
  }
}

/** Moved to the page rather than copied. */
function buffersOf(outputs: RunOutputs): ArrayBuffer[] {
  return Object.values(outputs).map(({ data }) => data.buffer as ArrayBuffer);
}
