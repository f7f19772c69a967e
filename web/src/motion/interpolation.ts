// Bisection in sorted times, and the interpolation between two of them.

/** The first index below `count` at which `holds` is true, or `count`. After that index it must stay true. */
export function firstIndex(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Position between two frames or keys. */
export interface Interpolation {
  readonly low: number;
  readonly high: number;
  /** Interpolation fraction from `low` to `high`. */
  readonly fraction: number;
}

/** Position of a time in increasing times; the first and last are held outside the range. */
export function interpolationAt(times: ArrayLike<number>, time: number): Interpolation {
  const next = firstIndex(times.length, (index) => !((times[index] as number) <= time));
  if (next === 0) return { low: 0, high: 0, fraction: 0 };
  const from = times[next - 1] as number;
  if (next === times.length || from === time) return { low: next - 1, high: next - 1, fraction: 0 };
  return { low: next - 1, high: next, fraction: (time - from) / ((times[next] as number) - from) };
}
