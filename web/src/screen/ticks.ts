// Round numbers for an axis, with enough decimals to differ.

/** Values from `low` to `high` with their texts, about `count` of them. */
export function ticksOf(low: number, high: number, count: number): { value: number; text: string }[] {
  const minStep = (high - low) / Math.max(1, count);
  if (!(minStep > 0) || !Number.isFinite(minStep)) return [];
  const power = 10 ** Math.floor(Math.log10(minStep));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= minStep * 0.999) ?? 10 * power;
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const plain = decimals <= 6 && largest < 1e7;
  const found: { value: number; text: string }[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) {
    const value = k * step;
    const digits = value === 0 ? 0 : Math.max(0, Math.floor(Math.log10(Math.abs(value)) - Math.log10(step) + 1e-9));
    const text = value === 0 ? "0" : plain ? value.toFixed(decimals) : value.toExponential(Math.min(15, digits));
    found.push({ value, text: text.replace(/^-/, "\u2212") });
  }
  return found;
}
