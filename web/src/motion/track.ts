// The motion of a body: keys in the world, with a screw motion between successive keys. Bisection finds a key, so
// scrubbing is fast for thousands of keys.

import { firstIndex } from "./interpolation.ts";
import { screwBetween, screwPose, velocityAt, type Screw } from "./screw.ts";
import { readPose, type Pose, type Vec3 } from "./vector.ts";

const KEY_SIZE = 8;

/** The motion between two keys along one screw, in seconds. */
export interface Segment {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly screw: Screw;
}

/** Keys of a body, eight numbers each: t, x, y, z, qw, qx, qy, qz. */
export class Track {
  readonly count: number;
  private cached: Segment | null = null;

  /** Throws without keys, for a number that is not finite, and for decreasing times. */
  constructor(readonly keys: Float64Array, name: string) {
    this.count = keys.length / KEY_SIZE;
    if (this.count < 1 || !Number.isInteger(this.count)) throw new Error(`body ${name}: ${keys.length} numbers are no whole keys`);
    for (let at = 0; at < keys.length; at += 1) {
      if (!Number.isFinite(keys[at])) throw new Error(`body ${name}: key ${Math.floor(at / KEY_SIZE)} has a number that is not finite`);
    }
    for (let key = 1; key < this.count; key += 1) {
      if (this.time(key) < this.time(key - 1)) throw new Error(`body ${name}: key ${key} lies before key ${key - 1}`);
    }
  }

  /** The time of a key, in seconds. */
  time(number: number): number {
    return this.keys[number * KEY_SIZE] ?? Number.NaN;
  }

  /** The pose of a key. */
  key(number: number): Pose {
    return readPose(this.keys, number * KEY_SIZE + 1);
  }

  /**
   * Index of the last key at or before t; -1 before the first. At a jump, which has several keys at one time, it is
   * the last key.
   */
  keyBefore(t: number): number {
    return firstIndex(this.count, (key) => !(this.time(key) <= t)) - 1;
  }

  /** The pose at t seconds; constant before the first key and after the last. */
  pose(t: number): Pose {
    const segment = this.segment(t);
    if (segment === null) return this.key(Math.max(0, this.keyBefore(t)));
    return screwPose(segment.screw, fractionAt(segment, t));
  }

  /** The segment at t; null where the pose is constant. */
  segment(t: number): Segment | null {
    const number = this.keyBefore(t);
    if (number < 0 || number + 1 >= this.count) return null;
    if (this.cached?.number !== number) {
      const screw = screwBetween(this.key(number), this.key(number + 1));
      this.cached = { number, start: this.time(number), end: this.time(number + 1), screw };
    }
    return this.cached;
  }

  /**
   * Velocity in m/s of the body's point that is at `point` at time t. At a key it is the limit from before the key. At
   * a jump it is the velocity after it, like the pose.
   */
  velocity(t: number, point: Vec3): Vec3 {
    let segment = this.segment(t);
    if ((segment === null || segment.start === t) && t > this.time(0)) segment = this.previous(t) ?? segment;
    if (segment === null) return [0, 0, 0];
    const velocity = velocityAt(segment.screw, fractionAt(segment, t), point);
    const seconds = segment.end - segment.start;
    return [velocity[0] / seconds, velocity[1] / seconds, velocity[2] / seconds];
  }

  private previous(t: number): Segment | null {
    const number = this.keyBefore(t) - 1;
    if (number < 0 || this.time(number) >= this.time(number + 1) || this.time(number + 1) !== t) return null;
    const screw = screwBetween(this.key(number), this.key(number + 1));
    return { number, start: this.time(number), end: this.time(number + 1), screw };
  }
}

function fractionAt(segment: Segment, t: number): number {
  return Math.min(1, Math.max(0, (t - segment.start) / (segment.end - segment.start)));
}
