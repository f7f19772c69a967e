// What would follow where keyframed bodies with masses collide: impulses, and the velocities that the bodies would go on with.

import { BESIDE, type Happening, type Report } from "./report.ts";
import { length, type Vec3 } from "../motion/vector.ts";

/** As it is written in the document. */
export interface SuggestedEntry {
  list: {
    t: number;
    pair: [number, number];
    centers: [number[], number[]];
    /** Point and impulse on the second body. */
    places: number[][];
    /** Of each body: velocity of its centre, angular velocity. */
    before: [number[], number[]];
    after: [number[], number[]];
  }[];
  left_out: number;
}

/** Of the centre of mass in m/s, and about it in rad/s, in the world. */
export interface Velocity {
  readonly linear: Vec3;
  readonly angular: Vec3;
}

/** A body of a suggestion. */
export interface Side {
  readonly body: number;
  /** Its centre of mass, or its position where it has no mass. */
  readonly centre: Vec3;
  readonly before: Velocity;
  readonly after: Velocity;
  /** Without a mass a body goes on as before. */
  readonly givesWay: boolean;
}

/** What would follow where two bodies collide. */
export interface Suggestion {
  readonly time: number;
  readonly sides: readonly [Side, Side];
  /** Where they touch; impulses on the second body, N s. */
  readonly places: readonly { point: Vec3; impulse: Vec3; amount: number }[];
  /** The sum. */
  readonly impulse: Vec3;
}

/** What turns no faster than this, rad/s, is rounding. */
const STILL = 1e-9;

export const turns = ({ angular }: Velocity): boolean => length(angular) > STILL;

export class Suggested {
  /** By time. */
  readonly list: readonly Suggestion[];
  /** So many later ones are not given. */
  readonly leftOut: number;

  /** Throws an error that says which part is bad. */
  constructor({ list, left_out }: SuggestedEntry, bodies: number) {
    this.leftOut = left_out;
    this.list = list.map((own, number) => {
      const bad = (what: string): Error => new Error(`suggestion ${number}: ${what}`);
      if (!Number.isFinite(own.t)) throw bad(`its time is ${own.t}`);
      if (!own.pair.every((body) => body < bodies)) throw bad(`it names bodies ${own.pair.join(" and ")} of ${bodies}`);
      const six = (numbers: number[] | undefined, what: string): [Vec3, Vec3] => {
        if (numbers?.length !== 6 || !numbers.every(Number.isFinite)) throw bad(`${what} is no list of six numbers`);
        const [x = 0, y = 0, z = 0, u = 0, v = 0, w = 0] = numbers;
        return [[x, y, z], [u, v, w]];
      };
      const velocity = (numbers: number[] | undefined, what: string): Velocity => {
        const [linear, angular] = six(numbers, what);
        return { linear, angular };
      };
      const side = (at: 0 | 1): Side => {
        const [before, after] = [velocity(own.before[at], "a velocity"), velocity(own.after[at], "a velocity")];
        const [centre] = six([...(own.centers[at] ?? []), 0, 0, 0], "a centre");
        const same = (x: Vec3, y: Vec3): boolean => x.every((coordinate, axis) => coordinate === y[axis]);
        const givesWay = !(same(before.linear, after.linear) && same(before.angular, after.angular));
        return { body: own.pair[at], centre, before, after, givesWay };
      };
      const places = own.places.map((numbers) => {
        const [point, impulse] = six(numbers, "a place");
        return { point, impulse, amount: length(impulse) };
      });
      const sum = (axis: 0 | 1 | 2): number => places.reduce((whole, { impulse }) => whole + impulse[axis], 0);
      return { time: own.t, sides: [side(0), side(1)], places, impulse: [sum(0), sum(1), sum(2)] };
    });
  }

  /** What would follow where a happening begins; null: nothing is suggested there. `pair`: the bodies of the happening. */
  of(report: Report, happening: Happening, pair: readonly number[]): Suggestion | null {
    if (happening.kind !== "contact") return null;
    const begin = report.pairs[happening.pair]?.intervals?.[happening.index]?.enter[0];
    if (begin === undefined) return null;
    const near = this.list.filter(({ time, sides }) =>
      sides.every(({ body }) => pair.includes(body)) && Math.abs(time - begin) <= BESIDE * report.duration);
    return near.reduce<Suggestion | null>(
      (best, own) => (best === null || Math.abs(own.time - begin) < Math.abs(best.time - begin) ? own : best), null);
  }

  /** Those of the `lasting` seconds until a time, the newest first. */
  seen(time: number, lasting: number): Suggestion[] {
    return this.list.filter((own) => own.time <= time && own.time >= time - lasting).reverse();
  }
}
