// What the tests of a file share: the server, the browser, and what the native engine gave.
import { readFileSync } from "node:fs";
import path from "node:path";
import { openBrowser } from "./browser.mjs";
import { FragileFile } from "./fragile.mjs";
import { makeNative, native, root, web } from "./native.mjs";
import { serve } from "../../tools/server.mjs";

export { root, web };

// One that breaks off, and one that never ends.
const brokenDownloads = () => {
  const bytes = readFileSync(path.join(native, "words.pte"));
  const begin = (response) => response.writeHead(200, { "content-length": bytes.length });
  const part = bytes.subarray(0, 5000);
  return {
    "/breaks-off.pte": (_request, response) =>
      begin(response).write(part, () => response.destroy()),
    "/never-ends.pte": (_request, response) => begin(response).write(part),
  };
};

// A page whose policy allows the engine's WebAssembly, and no other code made at run time.
const strictPages = () => ({
  "/strict.html": (_request, response) =>
    response
      .writeHead(200, {
        "content-type": "text/html",
        "content-security-policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
      })
      .end("<!doctype html><title>Strict</title>"),
});

/** All tests share a page, because the kernels that it has made are there for the next. */
class Fixture {
  async start() {
    makeNative();
    const folders = {
      "/dist/": path.join(web, "dist"),
      "/node_modules/": path.join(web, "node_modules"),
      "/tests/": path.join(web, "tests"),
      "/models/": path.join(root, "models"),
      "/native/": native,
    };
    this.fragile = new FragileFile(readFileSync(path.join(native, "words.pte")));
    const special = {
      ...brokenDownloads(),
      ...strictPages(),
      "/fragile.pte": this.fragile.answer,
    };
    this.server = await serve(folders, { special });
    this.browser = await openBrowser();
    this.page = await this.open();
  }
  /** A page of one's own. */
  open() {
    return this.browser.open(`${this.server.url}/tests/support/page.html`);
  }
  /** What the native engine gave. */
  native(name) {
    return JSON.parse(readFileSync(path.join(native, `${name}.json`), "utf8"));
  }
  async stop() {
    await this.browser.close();
    this.server.close();
  }
}

export const fixture = new Fixture();
