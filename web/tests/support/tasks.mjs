// For how long a page was busy without a pause. Counted is the time of its own thread, so that other
// work of the machine does not matter.

/** What `work` gave, and the longest task of a page meanwhile, in milliseconds. */
export async function longestTask(page, work) {
  const client = await page.context().newCDPSession(page);
  const events = [];
  client.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const traceConfig = { includedCategories: ["toplevel"], excludedCategories: ["*"] };
  await client.send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  const result = await work();
  const isComplete = new Promise((resolve) => client.once("Tracing.tracingComplete", resolve));
  await client.send("Tracing.end");
  await isComplete;
  await client.detach();
  return { result, milliseconds: longestOf(events) };
}

function longestOf(events) {
  const threadOf = ({ pid, tid }) => `${pid}/${tid}`;
  const isMain = ({ name, args }) => name === "thread_name" && args.name === "CrRendererMain";
  const main = new Set(events.filter(isMain).map(threadOf));
  const tasks = events.filter(({ name, tdur }) => /RunTask/.test(name) && tdur !== undefined);
  const own = tasks.filter((task) => main.has(threadOf(task)));
  if (own.length === 0) throw new Error("the browser has told of no tasks");
  return own.reduce((most, { tdur }) => Math.max(most, tdur), 0) / 1000;
}
