// What a recording of a simulation tells beside poses: impulses between bodies, and energy, line by line; and releases.

import { bytes } from "./base64.ts";
import { length, type Vec3 } from "../motion/vector.ts";

/** As it is written in the document. */
export interface RecordingEntry {
  /** Of lines, seconds, f64. */
  times: string;
  /** Kinetic, potential and dissipated of each line, joules, f64. */
  energy: string;
  /** Of each line the number of the impulse after its last, u32. */
  ends: string;
  /** How many impulses of each line are left out, weaker than all others, u32. */
  weaker: string;
  /** a and b of each impulse, u32. */
  bodies: string;
  /** Time, point and impulse on b of each, f64. */
  impulses: string;
  /** So many lines of the file at most are one here. */
  joined: number;
  releases: Release[];
}

/** A body that is keyframed until its first contact, where it is released: dynamic from then on. */
export interface Release {
  readonly body: number;
  /** Seconds; null: it waits until the end of the recording. */
  readonly t: number | null;
}

/** An impulse of one body on another. */
export interface Impulse {
  a: number;
  b: number;
  time: number;
  point: Vec3;
  /** On b, N s. */
  impulse: Vec3;
  magnitude: number;
}

/** In joules. */
export interface Energy {
  kinetic: number;
  potential: number;
  dissipated: number;
}

/** Energies over time. */
export interface EnergyHistory {
  /** Increasing, seconds. */
  readonly times: ArrayLike<number>;
  energy(line: number): Energy;
}

/** Impulses that were given until a time. */
export interface ImpulseBatch {
  end: number;
  impulses: Impulse[];
}

/** Impulses of one time are drawn up to so many, the strongest. */
export const MAX_IMPULSES = 200;
/** So many impulses are looked through for those that were just given. */
const MAX_INSPECTED = 4000;
/** A blow stays in sight unless the same two bodies have given each other at least this share of it since. */
const REPLACED_FRACTION = 1 / 3;

export class Recording implements EnergyHistory {
  readonly times: Float64Array;
  /** How many lines of the file are one at most. */
  readonly joined: number;
  /** How many impulses there are, and how many are left out. */
  readonly count: number;
  readonly leftOut: number;
  /** The strongest impulse of all, N s. */
  readonly strongest: number;
  /** By time; those that wait until the end come last. */
  readonly releases: readonly Release[];
  private readonly energies: Float64Array;
  private readonly ends: Uint32Array;
  private readonly weaker: Uint32Array;
  private readonly bodies: Uint32Array;
  private readonly numbers: Float64Array;

  /** Throws an error that says which part is bad. */
  constructor(entry: RecordingEntry, bodies: number) {
    this.times = new Float64Array(bytes(entry.times, "times of the recording", 8));
    this.energies = new Float64Array(bytes(entry.energy, "energies of the recording", 24));
    this.ends = new Uint32Array(bytes(entry.ends, "ends of the lines of the recording", 4));
    this.weaker = new Uint32Array(bytes(entry.weaker, "counts of weaker impulses", 4));
    this.bodies = new Uint32Array(bytes(entry.bodies, "bodies of impulses", 8));
    this.numbers = new Float64Array(bytes(entry.impulses, "impulses of the recording", 56));
    this.joined = entry.joined;
    this.count = this.numbers.length / 7;
    const lines = this.times.length;
    if (this.energies.length !== 3 * lines || this.ends.length !== lines || this.weaker.length !== lines) {
      throw new Error(`the recording has ${lines} times, ${this.energies.length / 3} energies and ${this.ends.length} ends`);
    }
    if (lines === 0) throw new Error("the recording has no line");
    this.times.forEach((time, line) => {
      if (!(Number.isFinite(time) && time > (this.times[line - 1] ?? -Infinity))) throw new Error(`line ${line} of the recording is at ${time} s`);
      if ((this.ends[line] as number) < (this.ends[line - 1] ?? 0)) throw new Error(`the impulses of line ${line} of the recording end before they begin`);
    });
    if (this.bodies.length !== 2 * this.count || (this.ends[lines - 1] as number) !== this.count) {
      throw new Error(`the recording has ${this.count} impulses of ${this.bodies.length / 2} pairs that end at ${this.ends[lines - 1]}`);
    }
    const unknown = this.bodies.find((body) => body >= bodies);
    if (unknown !== undefined) throw new Error(`an impulse names body ${unknown} of ${bodies}`);
    for (const { body, t } of entry.releases) {
      if (!(body < bodies)) throw new Error(`a release names body ${body} of ${bodies}`);
      if (t !== null && !Number.isFinite(t)) throw new Error(`body ${body} is released at ${t} s`);
    }
    this.releases = entry.releases;
    this.leftOut = this.weaker.reduce((totalEnergy, left) => totalEnergy + left, 0);
    let strongest = 0;
    for (let number = 0; number < this.count; number += 1) strongest = Math.max(strongest, this.impulse(number).magnitude);
    this.strongest = strongest;
  }

  /** The line that is played at a time: the first that ends at it or later. */
  lineAt(time: number): number {
    let [low, high] = [0, this.times.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] as number) >= time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** From when to when a line is played. */
  interval(line: number): readonly [number, number] {
    const end = this.times[line] ?? 0;
    return [this.times[line - 1] ?? end, end];
  }

  /** At the end of a line. */
  energy(line: number): Energy {
    const [kinetic = 0, potential = 0, dissipated = 0] = this.energies.subarray(3 * line, 3 * line + 3);
    return { kinetic, potential, dissipated };
  }

  /** When a body was released; null: it does not wait for a contact. */
  releaseOf(body: number): Release | null {
    return this.releases.find((release) => release.body === body) ?? null;
  }

  /** The impulses of a line, the strongest first, and how many weaker ones are left out. */
  impulses(line: number): { list: Impulse[]; weaker: number } {
    const list: Impulse[] = [];
    for (let number = this.ends[line - 1] ?? 0; number < (this.ends[line] ?? 0); number += 1) list.push(this.impulse(number));
    return { list: list.sort((x, y) => y.magnitude - x.magnitude), weaker: this.weaker[line] ?? 0 };
  }

  /** The impulses to be seen at a time, see `seenOf`. */
  visibleImpulses(time: number, seconds: number): Impulse[] {
    return visibleImpulses(this.batchesBefore(this.lineAt(time)), time, seconds);
  }

  /** A line and those before it. */
  private *batchesBefore(from: number): Generator<ImpulseBatch> {
    for (let line = from; line >= 0; line -= 1) yield { end: this.times[line] ?? 0, impulses: this.impulses(line).list };
  }

  private impulse(number: number): Impulse {
    const [time = 0, x = 0, y = 0, z = 0, u = 0, v = 0, w = 0] = this.numbers.subarray(7 * number, 7 * number + 7);
    const impulse: Vec3 = [u, v, w];
    return {
      a: this.bodies[2 * number] ?? 0, b: this.bodies[2 * number + 1] ?? 0, time, point: [x, y, z], impulse, magnitude: length(impulse),
    };
  }
}

/**
 * The impulses to be seen at a time, of lines of which the newest is the first: all of that; and those of the `lasting` seconds before,
 * for a blow is shorter than a picture, unless the same bodies have pushed each other as much since. The strongest first.
 */
export function visibleImpulses(lines: Iterable<ImpulseBatch>, time: number, seconds: number): Impulse[] {
  const list: Impulse[] = [];
  const since = new Map<string, number>();
  const key = ({ a, b }: Impulse): string => `${a},${b}`;
  let [inspected, isFirst] = [0, true];
  for (const { end, impulses } of lines) {
    if (!isFirst && (end < time - seconds || inspected >= MAX_INSPECTED)) break;
    list.push(...impulses.filter((impulse) => isFirst || (since.get(key(impulse)) ?? 0) < REPLACED_FRACTION * impulse.magnitude));
    inspected += impulses.length + 1;
    isFirst = false;
    for (const impulse of impulses) since.set(key(impulse), Math.max(since.get(key(impulse)) ?? 0, impulse.magnitude));
  }
  return list.sort((x, y) => y.magnitude - x.magnitude).slice(0, MAX_IMPULSES);
}

/** Kinetic, potential and dissipated: without bodies that are moved along it stays the same. */
export const totalEnergy = ({ kinetic, potential, dissipated }: Energy): number => kinetic + potential + dissipated;
