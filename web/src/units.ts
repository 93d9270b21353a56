// Units as people write them. The data say "m/s^2"; "1" is a number without unit, "" is not known: nothing is shown for both.

const RAISED: Record<string, string> = { "-": "\u207b", "0": "\u2070", "1": "\u00b9", "2": "\u00b2", "3": "\u00b3" };
for (const digit of "456789") RAISED[digit] = String.fromCharCode(0x2070 + Number(digit));

/** Powers as people write them: "m\u00b2" for "m^2". */
export function raised(text: string): string {
  return text.replace(/\^(-?\d+)/g, (_, digits: string) => [...digits].map((d) => RAISED[d] ?? d).join(""));
}

/** "kg\u00b7m\u00b2" for "kg m^2"; empty if there is nothing to show. */
export function unitText(unit: string | null | undefined): string {
  if (!unit || unit === "1") return "";
  return raised(unit.trim()).replace(/\s+/g, "\u00b7");
}

/** A name with its unit in brackets, for headings and axes. */
export function withUnit(text: string, unit: string | null | undefined): string {
  const shown = unitText(unit);
  return shown ? `${text} [${shown}]` : text;
}

/** A number with its unit behind it. */
export function quantity(value: string, unit: string | null | undefined): string {
  const shown = unitText(unit);
  return shown ? `${value}\u202f${shown}` : value;
}
