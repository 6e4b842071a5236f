// The table of `npm run bench`, and its place in docs/performance.md.
import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";

const begin = "<!-- npm run bench -- --write-docs writes from here -->";
const end = "<!-- to here, in browsers -->";

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : bytes < 1e7 ? 1 : 0)} MB`;
const digits = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(2));

export function asTable(results, { times, changes }) {
  const head = [
    "",
    "engine, compressed",
    "first result, cold",
    "warm",
    "a step",
    "at changing lengths",
  ];
  const columns = [...head, "memory", `after ${changes} changes`, "numbers"];
  const lines = results.map((row) => {
    const title = `${row.model}: ${row.engine}`;
    if (row.failed) return [title, `failed: ${row.failed}`, ...columns.slice(2).map(() => "")];
    const { bytes, compressed } = row.download;
    return [
      title,
      `${megabytes(bytes)}, ${megabytes(compressed)}`,
      `${digits(row.cold)} s`,
      `${digits(row.warm)} s`,
      `${digits(row.step)} ms`,
      `${digits(row.changing)} ms`,
      megabytes(row.memory.loaded),
      megabytes(row.memory.after),
      row.error <= row.tolerance ? `right (${row.error.toExponential(0)})` : "WRONG",
    ];
  });
  const rule = columns.map((_, i) => (i === 0 ? "---" : "---:"));
  const table = [columns, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const [load] = os.loadavg();
  const where = `${new Date().toISOString().slice(0, 10)}, ${os.cpus().length} cores of ${os.cpus()[0].model.trim()}`;
  const how = `Chromium with SwiftShader. Medians of ${times} runs. Load average at the end: ${load.toFixed(1)}.`;
  return `${where}, ${how}\n\n${table}`;
}

export function writeDocs(page, table) {
  const text = readFileSync(page, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for the table`);
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`);
}
