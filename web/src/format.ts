// Numbers as text.

const MINUS = "\u2212";

function typographic(text: string): string {
  return text.replace(/-/g, MINUS);
}

function trimZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** `digits` significant digits, exponents where they are shorter. */
export function number(value: number | null | undefined, digits = 6): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "\u2013";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa = "", exponent = ""] = value.toExponential(digits - 1).split("e");
    return typographic(`${trimZeros(mantissa)}e${exponent.replace("+", "")}`);
  }
  return typographic(trimZeros(value.toPrecision(digits)));
}

/** A whole number with narrow spaces between thousands. */
export function count(value: number | null | undefined): string {
  if (value === null || value === undefined) return "\u2013";
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Labels of an axis with ticks at `ticks`, in as few characters as tell them apart. */
export function ticks(values: number[]): string[] {
  const largest = Math.max(...values.map(Math.abs));
  const step = values.length > 1 ? Math.abs((values[1] ?? 0) - (values[0] ?? 0)) : largest;
  if (largest === 0 || step === 0) return values.map((v) => number(v, 3));
  const scientific = largest >= 1e5 || largest < 1e-3;
  const digits = Math.max(0, Math.ceil(Math.log10(largest / step) + 1e-9));
  if (scientific) {
    return values.map((v) => (Math.abs(v) < step * 1e-6 ? "0" : number(v, Math.min(digits + 1, 12))));
  }
  const places = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return values.map((v) => typographic((Math.abs(v) < step * 1e-6 ? 0 : v).toFixed(places)));
}

/** A power of ten, 10⁻³ for 0.001. */
export function power(value: number): string {
  const exponent = Math.round(Math.log10(value));
  const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const digits = Math.abs(exponent).toString().split("").map((d) => superscripts[Number(d)]);
  return `10${exponent < 0 ? "⁻" : ""}${digits.join("")}`;
}
