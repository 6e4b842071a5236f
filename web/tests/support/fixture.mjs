// What the tests of a file share: the server, the browser, and what the native engine gave.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { openBrowser } from "./browser.mjs";
import { serve } from "../../tools/server.mjs";

export const web = path.join(import.meta.dirname, "../..");
export const root = path.join(web, "..");
const native = path.join(root, "build/web-native");

// Made anew where the programs have changed, or the engine that was installed.
function makeNative() {
  const script = path.join(web, "tests/native.py");
  const sources = [script, path.join(root, ".venv/highwater-installed-ON")];
  const times = sources.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const made = statSync(path.join(native, "shipped.json"), { throwIfNoEntry: false });
  if (made?.mtimeMs > Math.max(...times)) return;
  execFileSync(path.join(root, ".venv/bin/python"), [script, native], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

export async function openFixture(special = {}) {
  makeNative();
  const folders = {
    "/dist/": path.join(web, "dist"),
    "/node_modules/": path.join(web, "node_modules"),
    "/tests/": path.join(web, "tests"),
    "/models/": path.join(root, "models"),
    "/native/": native,
  };
  const server = await serve(folders, { special });
  const browser = await openBrowser();
  return {
    server,
    browser,
    page: () => browser.open(`${server.url}/tests/support/page.html`),
    native: (name) => JSON.parse(readFileSync(path.join(native, `${name}.json`), "utf8")),
    async close() {
      await browser.close();
      server.close();
    },
  };
}
