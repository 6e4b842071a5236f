// A project of a user's, with nothing in it but the package as it is published.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { root, web } from "./fixture.mjs";

const quiet = { stdio: ["ignore", "ignore", "inherit"] };

export class Project {
  folder = mkdtempSync(path.join(os.tmpdir(), "highwater-project-"));

  constructor(files) {
    this.write("package.json", JSON.stringify({ name: "app", private: true, type: "module" }));
    for (const [name, content] of Object.entries(files)) this.write(name, content);
    execFileSync("npm", ["pack", "--silent", "--pack-destination", this.folder], {
      ...quiet,
      cwd: web,
    });
    const { version } = JSON.parse(readFileSync(path.join(web, "package.json"), "utf8"));
    const options = ["--prefer-offline", "--no-audit", "--no-fund", "--silent"];
    execFileSync("npm", ["install", ...options, `./highwater-${version}.tgz`], {
      ...quiet,
      cwd: this.folder,
    });
  }

  file(name) {
    return path.join(this.folder, name);
  }
  write(name, content) {
    const file = this.file(name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  addModel() {
    for (const file of ["model.pte", "tokenizer.json"]) {
      cpSync(path.join(root, "models/kjv", file), path.join(this.folder, "public", file));
    }
  }
  /** Has a package that is installed for the tests in the project, too. */
  borrow(name) {
    const link = this.file(`node_modules/${name}`);
    mkdirSync(path.dirname(link), { recursive: true });
    if (!existsSync(link)) cpSync(path.join(web, "node_modules", name), link, { recursive: true });
  }
  /** Runs a tool of ours in the project. */
  run(tool, ...args) {
    const program = path.join(web, "node_modules/.bin", tool);
    return execFileSync(program, args, { cwd: this.folder, encoding: "utf8" });
  }
  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
