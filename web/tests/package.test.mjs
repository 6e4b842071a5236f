// What the package weighs, and what it holds.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { sizes } from "../tools/size.mjs";

const web = path.join(import.meta.dirname, "..");

describe("the package", () => {
  it("is small", () => {
    const { engine, scripts } = sizes();
    assert.ok(engine.bytes <= 600_000, `${engine.bytes} bytes of wasm`);
    assert.ok(engine.compressed <= 190_000, `${engine.compressed} bytes of wasm, compressed`);
    assert.ok(
      scripts.compressed <= 30_000,
      `${scripts.compressed} bytes of JavaScript, compressed`,
    );
  });

  it("holds all that its entries name, and no tests or tools", () => {
    const listed = execFileSync("npm", ["pack", "--dry-run", "--json"], {
      cwd: web,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const files = JSON.parse(listed)[0].files.map((file) => file.path);
    const { exports } = JSON.parse(readFileSync(path.join(web, "package.json"), "utf8"));
    const named = Object.values(exports).flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.values(entry),
    );
    for (const entry of named) assert.ok(files.includes(entry.slice(2)), entry);
    const strange = files.filter((file) => !/^(dist\/|package\.json|README|LICENSE)/.test(file));
    assert.deepEqual(strange, []);
  });
});
