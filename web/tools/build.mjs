// Makes dist/: the engine in wasm, made smaller, and JavaScript with its types. `npm run build`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";

const web = path.join(import.meta.dirname, "..");
const root = path.join(web, "..");
const built = path.join(root, "build/wasm");
const program = (name) => path.join(web, "node_modules/.bin", name);
const run = (command, ...args) => execFileSync(command, args, { cwd: root, stdio: "inherit" });

// The environment of the project's own, which tools/setup made, has CMake and webgpu.h.
const environment = [".venv", ".venv-light"].find((name) =>
  existsSync(path.join(root, name, "bin/cmake")),
);
if (!environment) {
  console.error("tools/setup --web has to run first: it installs what this is built with");
  process.exit(1);
}
process.env.PATH = `${path.join(root, environment, "bin")}:${process.env.PATH}`;

function buildEngine() {
  const toolchain = "-DCMAKE_TOOLCHAIN_FILE=cmake/WasiToolchain.cmake";
  if (!existsSync(path.join(built, "build.ninja"))) {
    const python = `-DPython3_EXECUTABLE=${path.join(root, environment, "bin/python")}`;
    run("cmake", "-S", ".", "-B", built, "-G", "Ninja", toolchain, python, "-DHIGHWATER_UNITY=ON");
  }
  run("cmake", "--build", built);
}

// What clang uses by default, which all browsers with WebGPU have.
const features = ["bulk-memory", "bulk-memory-opt", "multivalue", "mutable-globals"]
  .concat("nontrapping-float-to-int", "reference-types", "sign-ext")
  .map((feature) => `--enable-${feature}`);

function optimize() {
  const from = path.join(built, "highwater.wasm");
  const to = path.join(built, "highwater.opt.wasm");
  if (!existsSync(to) || statSync(to).mtimeMs < statSync(from).mtimeMs) {
    // Nothing lies in the first kilobyte: there the stack ends.
    const passes = ["--low-memory-unused", "-Oz"].concat([
      "--merge-similar-functions",
      "-Oz",
      "--strip-producers",
    ]);
    run(program("wasm-opt"), "--mvp-features", ...features, ...passes, from, "-o", to);
  }
  return to;
}

buildEngine();
rmSync(path.join(web, "dist"), { recursive: true, force: true });
mkdirSync(path.join(web, "dist"));
run("cp", optimize(), path.join(web, "dist/highwater.wasm"));
run("cp", path.join(root, "LICENSE"), path.join(web, "dist/LICENSE"));
run(program("tsc"), "-p", web);
const { checkLayout } = await import("./check-layout.mjs");
console.log(`webgpu.h is as the shim has it: ${checkLayout(path.join(built, "webgpu"))} checks`);
