// What the native engine gave, and Python.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import path from "node:path";

export const web = path.join(import.meta.dirname, "../..");
export const root = path.join(web, "..");
export const native = path.join(root, "build/web-native");

/** Makes it anew where the programs have changed, or the engine that was installed. */
export function makeNative() {
  const script = path.join(web, "tests/native.py");
  const sources = [script, path.join(root, ".venv/highwater-installed-ON")];
  const times = sources.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const made = statSync(path.join(native, "shipped.json"), { throwIfNoEntry: false });
  if (made?.mtimeMs > Math.max(...times)) return;
  execFileSync(path.join(root, ".venv/bin/python"), [script, native], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}
