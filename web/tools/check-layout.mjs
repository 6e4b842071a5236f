// Has the C++ compiler say whether src/webgpu/layout.ts is how webgpu.h lies in wasm's memory.
import { execFileSync } from "node:child_process";
import { numbers, offsets, sizes } from "../dist/webgpu/layout.js";

export function checkLayout(webgpuFolder) {
  const lines = ["#include <cstddef>", "#include <webgpu.h>"];
  for (const [struct, fields] of Object.entries(offsets)) {
    for (const [field, offset] of Object.entries(fields)) {
      lines.push(`static_assert(offsetof(${struct}, ${field}) == ${offset});`);
    }
  }
  for (const [struct, size] of Object.entries(sizes)) {
    lines.push(`static_assert(sizeof(${struct}) == ${size});`);
  }
  for (const [name, number] of Object.entries(numbers)) {
    lines.push(`static_assert(${name} == ${number}u);`);
  }
  const flags = ["--target=wasm32-wasip1", "-std=c++20", "-fsyntax-only", "-x", "c++", "-"];
  const headers = ["-isystem", webgpuFolder, "-isystem", "/usr/include/wasm32-wasi"];
  const library = ["-nostdinc++", "-isystem", "/usr/lib/llvm-22/include/wasm32-wasi/c++/v1"];
  execFileSync("clang++-22", [...library, ...headers, ...flags], {
    input: lines.join("\n"),
    stdio: ["pipe", "inherit", "inherit"],
  });
  return lines.length - 2;
}
