// The few calls of WASI that the C library makes: clocks, variables, and words before it gives up.
import type { Memory } from "./memory.js";

const [ok, badFile] = [0, 8];

export function wasiFunctions(memory: () => Memory, variables: Record<string, string>) {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\0`);
  return {
    environ_sizes_get: (count: number, size: number) => {
      const bytes = lines.reduce((sum, line) => sum + memory().encode(line).length, 0);
      memory().setWord(count, lines.length);
      memory().setWord(size, bytes);
      return ok;
    },
    environ_get: (pointers: number, at: number) => {
      for (const [i, line] of lines.entries()) {
        const bytes = memory().encode(line);
        memory().setWord(pointers + 4 * i, at);
        memory().slice(at, bytes.length).set(bytes);
        at += bytes.length;
      }
      return ok;
    },
    clock_time_get: (_clock: number, _precision: bigint, out: number) => {
      memory().setLong(out, Math.round(performance.now() * 1e6));
      return ok;
    },
    fd_write: (_file: number, pieces: number, count: number, out: number) => {
      let text = "";
      let written = 0;
      for (let i = 0; i < count; i++) {
        const size = memory().word(pieces + 8 * i + 4);
        text += memory().text(memory().word(pieces + 8 * i), size);
        written += size;
      }
      if (text.trim()) console.error(text.trimEnd());
      memory().setWord(out, written);
      return ok;
    },
    fd_close: () => badFile,
    fd_seek: () => badFile,
    proc_exit: (code: number) => {
      throw new Error(`the engine ended with code ${code}`);
    },
  };
}
