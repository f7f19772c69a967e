// Numbers for people: units, and six digits everywhere. All digits are told where the pointer rests.

import type { Enclosure } from "../document/report.ts";

/** Digits that count, of a number for people. */
const DIGITS = 6;

const PREFIXES: readonly [number, string][] = [[1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"]];
/** Narrow, and never a place to break a line. */
const NARROW_SPACE = "\u202f";

/** A minus sign that is as wide as a digit. */
const minus = (text: string): string => text.replace(/^-/, "\u2212");

/** With about `digits` digits that count, without trailing noise. */
export function short(value: number, digits = DIGITS): string {
  if (!Number.isFinite(value)) return "\u2013";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return minus(value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e"));
  return minus(String(Number(value.toPrecision(digits))));
}

/** A length in metres, with the prefix that fits. */
export const metres = (value: number): string => prefixed(value, "m");

/** So many of something. */
export const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

/** A time in seconds, with the prefix that fits. */
export const seconds = (value: number): string => prefixed(value, "s");

/** A speed in metres a second. */
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

/** The value of a joint: degrees of one that turns, metres of one that slides. Less than can be seen is nothing. */
export function jointValue(value: number, unit: "rad" | "m"): string {
  const seen = Math.abs(value) < 1e-11 ? 0 : value;
  return unit === "rad" ? `${short((seen * 180) / Math.PI)}\u00b0` : `${short(seen)} m`;
}

/** All digits: the shortest text that reads back the same. */
export const exact = (value: number): string => minus(String(Object.is(value, -0) ? 0 : value));

/** A value that is known to lie between two: the one that both are to six digits, or else both. */
export function enclosure(value: Enclosure, print: (value: number) => string = (number) => short(number)): string {
  const [low, high] = value.map((end) => print(end)) as [string, string];
  return low === high ? low : `${low} to ${high}`;
}

/** Both ends with all digits. */
export const exactEnclosure = (value: Enclosure): string => `[${exact(value[0])}, ${exact(value[1])}]`;

/** The coordinates of a place or a direction: as many decimals each as the largest has digits that count. */
export function vector(value: readonly number[], digits = DIGITS): string {
  const largest = Math.max(...value.map(Math.abs));
  if (!(largest < 1e6 && largest >= 1e-6)) return value.map((coordinate) => short(coordinate, digits)).join("  ");
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(largest)));
  return value.map((coordinate) => minus(String(Number(coordinate.toFixed(decimals)) + 0))).join("  ");
}

/** A time on the clock: as many decimals as the whole duration makes sense of. */
export function clock(value: number, duration: number): string {
  const decimals = duration > 0 ? Math.min(9, Math.max(3, 5 - Math.floor(Math.log10(duration)))) : 3;
  return minus(value.toFixed(decimals));
}
