// Texts of numbers are those that C writes, so that messages are the same words everywhere.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { readNumber, writeNumber } from "../dist/numbers.js";

describe("numbers", () => {
  it("are written as printf's %g writes them", () => {
    const numbers = [0, -0, 1, -1.5, 0.1, 100000, 999999, 999999.5, 1e6, 123456789, 1.25e-5]
      .concat(0.0001, 0.00009999995, 1 / 3, 2 / 3, 1e21, 5e-324, 1.7976931348623157e308, -7e-10)
      .concat(NaN, Infinity, -Infinity, 16777217, 0.000123456789);
    const asPython = (number) =>
      Number.isFinite(number) ? (Object.is(number, -0) ? "-0.0" : number) : `float("${number}")`;
    const script = `print("\\n".join("%g" % x for x in [${numbers.map(asPython).join(",")}]))`;
    const expected = execFileSync("python3", ["-c", script], { encoding: "utf8" });
    assert.deepEqual(numbers.map(writeNumber), expected.trim().split("\n"));
  });

  it("are read whole or not at all", () => {
    for (const text of ["1", "-1", "0.5", "1e-05", "-2.5E+3"]) {
      assert.equal(readNumber(text), Number(text));
    }
    for (const text of ["", " ", "None", "1x", "--1"]) assert.ok(Number.isNaN(readNumber(text)));
  });
});
