// Numbers and their texts, for the engine: it would need tables for them that JavaScript has.

/** What all of the text is; NaN if that is not a number. */
export function readNumber(text: string): number {
  return text.trim() === "" ? NaN : Number(text);
}

/** With up to six digits, as %g of C writes it. */
export function writeNumber(number: number): string {
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number < 0 ? "-inf" : "inf";
  if (number === 0) return Object.is(number, -0) ? "-0" : "0";
  const [digits, power] = number.toExponential(5).split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return withoutZeros(number.toFixed(5 - exponent));
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${withoutZeros(digits)}e${exponent < 0 ? "-" : "+"}${size}`;
}

const withoutZeros = (digits: string) =>
  digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
