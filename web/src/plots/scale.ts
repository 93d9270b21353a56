// Axes of a drawing: values to places, and where the ticks stand.

export interface Scale {
  place(value: number): number;
  ticks: number[];
  /** Ticks are powers of ten. */
  powers: boolean;
}

/** A scale for the values in the list, from place `start` to place `end`. */
export function createScale(values: number[], log: boolean, start: number, end: number): Scale {
  const usable = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  const low = usable.length > 0 ? usable.reduce((a, b) => Math.min(a, b)) : log ? 0.1 : 0;
  const high = usable.length > 0 ? usable.reduce((a, b) => Math.max(a, b)) : 1;
  return log ? logarithmic(low, high, start, end) : linear(low, high, start, end);
}

function logarithmic(low: number, high: number, start: number, end: number): Scale {
  const pad = 0.08 * Math.max(Math.log10(high / low), 0.5);
  const a = Math.log10(low) - pad;
  const b = Math.log10(high) + pad;
  const place = (value: number): number => start + ((Math.log10(value) - a) / (b - a)) * (end - start);
  const first = Math.ceil(a);
  const last = Math.floor(b);
  if (last > first) {
    const step = Math.max(1, Math.ceil((last - first) / 9));
    const ticks: number[] = [];
    for (let e = first; e <= last; e += step) ticks.push(10 ** e);
    return { place, ticks, powers: true };
  }
  // less than a decade or two: 1, 2 and 5 times powers of ten
  const ticks: number[] = [];
  for (let e = Math.floor(a); e <= last + 1; e++) {
    for (const lead of [1, 2, 5]) {
      const tick = lead * 10 ** e;
      if (Math.log10(tick) >= a && Math.log10(tick) <= b) ticks.push(tick);
    }
  }
  return { place, ticks, powers: false };
}

function linear(low: number, high: number, start: number, end: number): Scale {
  const span = high - low || Math.abs(high) || 1;
  const a = low - 0.05 * span;
  const b = high + 0.05 * span;
  const place = (value: number): number => start + ((value - a) / (b - a)) * (end - start);
  const rough = (b - a) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((lead) => lead * power >= rough) ?? 10);
  const ticks: number[] = [];
  for (let k = Math.ceil(a / step); k * step <= b; k++) ticks.push(k * step);
  return { place, ticks, powers: false };
}
