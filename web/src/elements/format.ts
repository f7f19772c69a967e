// Numbers as text: units and six significant digits. Tooltips show all digits.

import type { Enclosure } from "../document/report.ts";

/** Significant digits. */
const DIGITS = 6;

const PREFIXES: readonly [number, string][] = [[1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"]];
/** Narrow no-break space. */
const NARROW_SPACE = "\u202f";

/** Replaces a hyphen by a minus sign, which is as wide as a digit. */
const minus = (text: string): string => text.replace(/^-/, "\u2212");

/** With at most `digits` significant digits, without trailing zeros. */
export function short(value: number, digits = DIGITS): string {
  if (!Number.isFinite(value)) return "\u2013";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return minus(value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e"));
  return minus(String(Number(value.toPrecision(digits))));
}

/** A length in metres with a suitable prefix. */
export const metres = (value: number): string => prefixed(value, "m");

/** A count with its noun. */
export const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

/** A time in seconds with a suitable prefix. */
export const seconds = (value: number): string => prefixed(value, "s");

/** A speed in metres per second. */
export const speed = (value: number): string => prefixed(value, "m/s");

/** An energy in joules. */
export const joules = (value: number): string => prefixed(value, "J");

function prefixed(value: number, unit: string): string {
  if (!Number.isFinite(value)) return "\u2013";
  if (value === 0) return `0${NARROW_SPACE}${unit}`;
  const size = Math.abs(value);
  const [factor, prefix] = PREFIXES.find(([threshold]) => size >= threshold * 0.9999995) ?? [1e-9, "n"];
  if (size < 1e-12) return `${short(value)}${NARROW_SPACE}${unit}`;
  return `${short(value / factor)}${NARROW_SPACE}${prefix}${unit}`;
}


/** Radians as degrees. */
export const degrees = (value: number): string => `${short((value * 180) / Math.PI)}\u00b0`;

/** The value of a joint: degrees for revolute, metres for prismatic joints. Rounding errors become zero. */
export function jointValue(value: number, unit: "rad" | "m"): string {
  const rounded = Math.abs(value) < 1e-11 ? 0 : value;
  return unit === "rad" ? `${short((rounded * 180) / Math.PI)}\u00b0` : `${short(rounded)} m`;
}

/** All digits: the shortest text that parses to the same number. */
export const exact = (value: number): string => minus(String(Object.is(value, -0) ? 0 : value));

/** An enclosure: one number if both ends agree to six digits, else both. */
export function enclosure(value: Enclosure, print: (value: number) => string = (number) => short(number)): string {
  const [low, high] = value.map((end) => print(end)) as [string, string];
  return low === high ? low : `${low} to ${high}`;
}

/** Both ends with all digits. */
export const exactEnclosure = (value: Enclosure): string => `[${exact(value[0])}, ${exact(value[1])}]`;

/** Coordinates with the same number of decimals, chosen for the largest. */
export function vector(value: readonly number[], digits = DIGITS): string {
  const largest = Math.max(...value.map(Math.abs));
  if (!(largest < 1e6 && largest >= 1e-6)) return value.map((coordinate) => short(coordinate, digits)).join("  ");
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(largest)));
  return value.map((coordinate) => minus(String(Number(coordinate.toFixed(decimals)) + 0))).join("  ");
}

/** A time with as many decimals as its duration needs. */
export function clock(value: number, duration: number): string {
  const decimals = duration > 0 ? Math.min(9, Math.max(3, 5 - Math.floor(Math.log10(duration)))) : 3;
  return minus(value.toFixed(decimals));
}
