// Places in sorted lists of times.

/** The last i with times[i] <= t; -1 if t is before all. */
export function lastAtOrBefore(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The i with times[i] nearest to t. */
export function nearest(times: ArrayLike<number>, t: number): number {
  const before = lastAtOrBefore(times, t);
  if (before < 0) return 0;
  if (before === times.length - 1) return before;
  return t - (times[before] as number) <= (times[before + 1] as number) - t ? before : before + 1;
}
