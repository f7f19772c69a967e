// Suggested responses to collisions of keyframed bodies with masses: impulses, and the velocities after them.

import { TIME_TOLERANCE, type Finding, type Report } from "./report.ts";
import { length, type Vec3 } from "../motion/vector.ts";

/** The suggestions as they are written in the document. */
export interface SuggestionsEntry {
  list: {
    t: number;
    pair: [number, number];
    centers: [number[], number[]];
    /** Point and impulse on the second body. */
    places: number[][];
    /** Linear velocity of the centre and angular velocity of each body. */
    before: [number[], number[]];
    after: [number[], number[]];
  }[];
  left_out: number;
}

/** In the world: m/s of the centre of mass, and rad/s. */
export interface Velocity {
  readonly linear: Vec3;
  readonly angular: Vec3;
}

/** A body of a suggestion. */
export interface SuggestedBody {
  readonly body: number;
  /** Centre of mass, or position of a body without mass. */
  readonly centre: Vec3;
  readonly before: Velocity;
  readonly after: Velocity;
  /** False for a body without mass. */
  readonly velocityChanges: boolean;
}

/** The suggested response to a collision of two bodies. */
export interface Suggestion {
  readonly time: number;
  readonly sides: readonly [SuggestedBody, SuggestedBody];
  /** Contact points with impulses on the second body, N s. */
  readonly places: readonly { point: Vec3; impulse: Vec3; magnitude: number }[];
  /** The total impulse. */
  readonly impulse: Vec3;
}

/** Slower rotations, in rad/s, are rounding errors. */
const MIN_ANGULAR_SPEED = 1e-9;

export const rotates = ({ angular }: Velocity): boolean => length(angular) > MIN_ANGULAR_SPEED;

export class Suggestions {
  /** Sorted by time. */
  readonly list: readonly Suggestion[];
  /** Number of later suggestions that the document leaves out. */
  readonly omitted: number;

  /** Throws an error that names the invalid part. */
  constructor({ list, left_out }: SuggestionsEntry, bodies: number) {
    this.omitted = left_out;
    this.list = list.map((entry, number) => {
      const problem = (part: string): Error => new Error(`suggestion ${number}: ${part}`);
      if (!Number.isFinite(entry.t)) throw problem(`its time is ${entry.t}`);
      if (!entry.pair.every((body) => body < bodies)) throw problem(`it names bodies ${entry.pair.join(" and ")} of ${bodies}`);
      const readVectors = (numbers: number[] | undefined, part: string): [Vec3, Vec3] => {
        if (numbers?.length !== 6 || !numbers.every(Number.isFinite)) throw problem(`${part} is no list of six numbers`);
        const [x = 0, y = 0, z = 0, u = 0, v = 0, w = 0] = numbers;
        return [[x, y, z], [u, v, w]];
      };
      const velocity = (numbers: number[] | undefined, part: string): Velocity => {
        const [linear, angular] = readVectors(numbers, part);
        return { linear, angular };
      };
      const side = (at: 0 | 1): SuggestedBody => {
        const [before, after] = [velocity(entry.before[at], "a velocity"), velocity(entry.after[at], "a velocity")];
        const [centre] = readVectors([...(entry.centers[at] ?? []), 0, 0, 0], "a centre");
        const same = (x: Vec3, y: Vec3): boolean => x.every((coordinate, axis) => coordinate === y[axis]);
        const velocityChanges = !(same(before.linear, after.linear) && same(before.angular, after.angular));
        return { body: entry.pair[at], centre, before, after, velocityChanges };
      };
      const places = entry.places.map((numbers) => {
        const [point, impulse] = readVectors(numbers, "a place");
        return { point, impulse, magnitude: length(impulse) };
      });
      const sum = (axis: 0 | 1 | 2): number => places.reduce((total, { impulse }) => total + impulse[axis], 0);
      return { time: entry.t, sides: [side(0), side(1)], places, impulse: [sum(0), sum(1), sum(2)] };
    });
  }

  /** The suggestion at the start of a finding, or null. `pair`: the bodies of the finding. */
  at(report: Report, finding: Finding, pair: readonly number[]): Suggestion | null {
    if (finding.kind !== "contact") return null;
    const start = report.pairs[finding.pair]?.intervals?.[finding.index]?.enter[0];
    if (start === undefined) return null;
    const near = this.list.filter(({ time, sides }) =>
      sides.every(({ body }) => pair.includes(body)) && Math.abs(time - start) <= TIME_TOLERANCE * report.duration);
    return near.reduce<Suggestion | null>(
      (best, suggestion) => (best === null || Math.abs(suggestion.time - start) < Math.abs(best.time - start) ? suggestion : best), null);
  }

  /** The suggestions of the last `seconds` before a time, newest first. */
  recent(time: number, seconds: number): Suggestion[] {
    return this.list.filter((suggestion) => suggestion.time <= time && suggestion.time >= time - seconds).reverse();
  }
}
