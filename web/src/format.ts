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
  if (size >= 10 ** digits) return typographic(Math.round(value).toString());
  return typographic(trimZeros(value.toPrecision(digits)));
}

/** A whole number with narrow spaces between thousands. */
export function count(value: number | null | undefined): string {
  if (value === null || value === undefined) return "\u2013";
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Decimal places that show `step` as it is: 1 for 2.5, 3 for 0.025. */
function placesOf(step: number): number {
  const first = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const whole = (places: number): boolean =>
    Math.abs(step * 10 ** places - Math.round(step * 10 ** places)) < 1e-6;
  return whole(first) ? first : first + 1;
}

/** Labels of an axis with ticks at `ticks`, in as few characters as tell them apart. */
export function ticks(values: number[]): string[] {
  const largest = Math.max(...values.map(Math.abs));
  const step = values.length > 1 ? Math.abs((values[1] ?? 0) - (values[0] ?? 0)) : largest;
  if (largest === 0 || step === 0) return values.map((v) => number(v, 3));
  const isZero = (v: number): boolean => Math.abs(v) < step * 1e-6;
  if (largest >= 1e5 || largest < 1e-3) {
    const shift = 10 ** Math.floor(Math.log10(largest));
    const digits = Math.min(12, 1 + placesOf(step / shift));
    return values.map((v) => (isZero(v) ? "0" : number(v, digits)));
  }
  const places = Math.min(12, placesOf(step));
  return values.map((v) => typographic((isZero(v) ? 0 : v).toFixed(places)));
}

/** Longer labels do not fit beside an axis. */
const LONGEST_LABEL = 8;

/** Labels of an axis; where they are long because values hardly differ, of what comes on top of `offset`. */
export function shortTicks(values: number[]): { labels: string[]; offset: string } {
  const labels = ticks(values);
  const first = values[0] ?? 0;
  const step = Math.abs((values[1] ?? first) - first);
  if (step === 0 || labels.every((label) => label.length <= LONGEST_LABEL)) return { labels, offset: "" };
  const largest = Math.max(...values.map(Math.abs));
  if (largest < 100 * step) return { labels, offset: "" }; // long for another reason
  const digits = Math.min(15, Math.ceil(Math.log10(largest / step)) + 1);
  const above = values.map((v) => Math.round((v - first) / step) * step);
  return { labels: ticks(above).map((label) => (label === "0" ? label : `+${label}`)), offset: number(first, digits) };
}

/** A power of ten, 10⁻³ for 0.001. */
export function power(value: number): string {
  const exponent = Math.round(Math.log10(value));
  const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const digits = Math.abs(exponent)
    .toString()
    .split("")
    .map((d) => superscripts[Number(d)]);
  return `10${exponent < 0 ? "⁻" : ""}${digits.join("")}`;
}
