// The colour scale of the clearance, as in the still picture and the map, and the clearance as text.

import * as format from "../elements/format.ts";
import { UNREACHABLE, UNOBSTRUCTED } from "./patches.ts";

/** Colours at even fractions from near to far, with monotone brightness on each side of the middle. */
const COLOUR_STOPS: readonly (readonly [number, number, number])[] = [
  [165, 0, 38], [244, 109, 67], [254, 224, 144], [116, 173, 209], [49, 54, 149],
];

/** Colours of patches without an obstacle, and of patches that do not lead. */
const UNOBSTRUCTED_COLOUR: readonly [number, number, number] = [190, 226, 196];
const UNREACHABLE_COLOUR: readonly [number, number, number] = [154, 160, 168];

export type Colour = readonly [number, number, number];

/** The scale of colours, and the unit of times. */
export interface ClearanceScale {
  /** Time of the last colour, as a fraction of the motion. */
  readonly maxTime: number;
  readonly duration: number;
  readonly unit: string;
  /** Rotation of the whole motion, radians. */
  readonly angle: number;
}

/** The maximum of all times, or 1 without positive times. */
export function maxTimeOf(times: Float32Array): number {
  let max = 0;
  for (const time of times) if (time > max) max = time;
  return max > 0 ? max : 1;
}

/** The colour of a fraction from 0, near, to 1, far. */
export function colourOfFraction(fraction: number): Colour {
  const place = Math.min(1, Math.max(0, fraction)) * (COLOUR_STOPS.length - 1);
  const below = Math.min(COLOUR_STOPS.length - 2, Math.floor(place));
  const [low, high] = [COLOUR_STOPS[below] as Colour, COLOUR_STOPS[below + 1] as Colour];
  return [0, 1, 2].map((k) => Math.round((low[k] as number) + (place - below) * ((high[k] as number) - (low[k] as number)))) as unknown as Colour;
}

/** The colour of a patch. */
export function colourOfTime(time: number, maxTime: number): Colour {
  if (time === UNREACHABLE) return UNREACHABLE_COLOUR;
  return time === UNOBSTRUCTED ? UNOBSTRUCTED_COLOUR : colourOfFraction(time / maxTime);
}

export const cssColour = ([r, g, b]: Colour): string => `rgb(${r} ${g} ${b})`;

/** A time with its unit; a fraction of the motion has none. */
export function timeText(fraction: number, scale: Pick<ClearanceScale, "duration" | "unit">): string {
  const time = fraction * scale.duration;
  return scale.unit === "s" ? format.seconds(time) : format.short(time);
}

/** The clearance of a patch as text. */
export function clearanceText(time: number, speed: number, scale: ClearanceScale, [a, b]: readonly [string, string]): string {
  if (time === UNREACHABLE) return `This part of ${a} does not lead: it cannot collide on this motion.`;
  if (time === UNOBSTRUCTED) return `Nothing of ${b} lies ahead of this part of ${a}.`;
  const turn = scale.angle > 0 ? `, ${format.degrees(time * scale.angle)}` : "";
  const of = scale.unit === "" ? " of the motion" : "";
  return `${b} is ${format.metres(time * speed)} ahead: ${timeText(time, scale)}${of}${turn}.`;
}
