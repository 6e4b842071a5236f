// How much memory a browser's processes have, the one for the GPU among them. From Linux's /proc.
import { readdirSync, readFileSync } from "node:fs";

function processes() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
        const status = readFileSync(`/proc/${name}/status`, "utf8");
        const field = (key) =>
          Number(status.match(new RegExp(`^${key}:\\s+(\\d+)`, "m"))?.[1] ?? 0);
        // What it shares with others is not its own.
        const bytes = 1024 * field("RssAnon");
        return [{ id: Number(name), parent: field("PPid"), command, bytes }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}

/** Of the browser with this profile, and of all processes that it has started. */
export function memoryOf(profile) {
  const all = processes();
  const family = new Set(
    all.filter(({ command }) => command.includes(profile)).map(({ id }) => id),
  );
  for (let grown = true; grown;) {
    const more = all.filter(({ id, parent }) => family.has(parent) && !family.has(id));
    for (const { id } of more) family.add(id);
    grown = more.length > 0;
  }
  return all.filter(({ id }) => family.has(id)).reduce((sum, { bytes }) => sum + bytes, 0);
}
