// The table of `npm run bench`, and its place in docs/performance.md.
import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";

const begin = "<!-- npm run bench -- --write-docs writes from here -->";
const end = "<!-- to here, in browsers -->";

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : bytes < 1e7 ? 1 : 0)} MB`;
const digits = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(2));

const columns = [
  "",
  "engine, compressed",
  "first result, cold",
  "warm",
  "a step",
  "changing lengths",
  "memory",
  "after the changes",
  "numbers",
];

function cells(row) {
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
    `${row.error <= row.tolerance ? "right" : "WRONG"} (${row.error.toExponential(0)})`,
  ];
}

/** What was measured, with how busy the machine was. */
export function asTable(results) {
  const rule = columns.map((_, i) => (i === 0 ? "---" : "---:"));
  const lines = [columns, rule, ...results.map(cells)].map((line) => `| ${line.join(" | ")} |`);
  const loads = results.map(({ load }) => load);
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(0));
  const { times, changes } = results[0];
  const [{ model }, ...others] = os.cpus();
  return [
    `${new Date().toISOString().slice(0, 10)}, ${others.length + 1} cores of ${model.trim()}, Chromium with`,
    `SwiftShader. Medians of ${times} steps, and ${changes} changes of length. The load average was ${least} to ${most}.`,
    "",
    ...lines,
  ].join("\n");
}

export function writeDocs(page, table) {
  const text = readFileSync(page, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for the table`);
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`);
}
