// A recording of a simulation besides the poses: impulses and energies by line, and releases.

import { bytes } from "./base64.ts";
import { firstIndex } from "../motion/interpolation.ts";
import { length, type Vec3 } from "../motion/vector.ts";

/** The recording as it is written in the document. */
export interface RecordingEntry {
  /** Time of each line, seconds, f64. */
  times: string;
  /** Kinetic, potential and dissipated energy of each line, joules, f64. */
  energy: string;
  /** End of each line in `impulses`, u32. */
  ends: string;
  /** Number of omitted impulses of each line, all weaker than the listed ones, u32. */
  weaker: string;
  /** Bodies a and b of each impulse, u32. */
  bodies: string;
  /** Time, point and impulse on b of each impulse, f64. */
  impulses: string;
  /** Maximum number of lines of the file that were merged into one. */
  joined: number;
  releases: Release[];
}

/** A body that is keyframed until its first contact and dynamic after it. */
export interface Release {
  readonly body: number;
  /** Seconds; null if there was no contact. */
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

/** The impulses of the time step that ends at `end`. */
export interface ImpulseBatch {
  end: number;
  impulses: Impulse[];
}

/** Maximum number of impulses to draw; the strongest are chosen. */
export const MAX_IMPULSES = 200;
/** Maximum number of impulses to inspect for recent ones. */
const MAX_INSPECTED = 4000;
/** A recent impulse is hidden after the same pair has had an impulse of at least this fraction. */
const REPLACED_FRACTION = 1 / 3;

export class Recording implements EnergyHistory {
  readonly times: Float64Array;
  /** Maximum number of lines of the file that were merged into one. */
  readonly joined: number;
  /** Number of impulses, and of omitted ones. */
  readonly count: number;
  readonly omitted: number;
  /** The maximum impulse, N s. */
  readonly strongest: number;
  /** By time; bodies without contact come last. */
  readonly releases: readonly Release[];
  private readonly energies: Float64Array;
  private readonly ends: Uint32Array;
  private readonly weaker: Uint32Array;
  private readonly bodies: Uint32Array;
  private readonly numbers: Float64Array;

  /** Throws an error that names the invalid part. */
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
    this.omitted = this.weaker.reduce((total, count) => total + count, 0);
    let strongest = 0;
    for (let number = 0; number < this.count; number += 1) strongest = Math.max(strongest, this.impulse(number).magnitude);
    this.strongest = strongest;
  }

  /** The line at a time: the first one that ends at or after it. */
  lineAt(time: number): number {
    return Math.min(this.times.length - 1, firstIndex(this.times.length, (line) => (this.times[line] as number) >= time));
  }

  /** The time interval of a line. */
  interval(line: number): readonly [number, number] {
    const end = this.times[line] ?? 0;
    return [this.times[line - 1] ?? end, end];
  }

  /** Energies at the end of a line. */
  energy(line: number): Energy {
    const [kinetic = 0, potential = 0, dissipated = 0] = this.energies.subarray(3 * line, 3 * line + 3);
    return { kinetic, potential, dissipated };
  }

  /** The release of a body; null if it does not wait for a contact. */
  releaseOf(body: number): Release | null {
    return this.releases.find((release) => release.body === body) ?? null;
  }

  /** The impulses of a line, strongest first, and the number of omitted weaker ones. */
  impulses(line: number): { list: Impulse[]; weaker: number } {
    const list: Impulse[] = [];
    for (let number = this.ends[line - 1] ?? 0; number < (this.ends[line] ?? 0); number += 1) list.push(this.impulse(number));
    return { list: list.sort((x, y) => y.magnitude - x.magnitude), weaker: this.weaker[line] ?? 0 };
  }

  /** The impulses to draw at a time, see `visibleImpulses`. */
  visibleImpulses(time: number, seconds: number): Impulse[] {
    return visibleImpulses(this.batchesBefore(this.lineAt(time)), time, seconds);
  }

  /** A line and the lines before it. */
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
 * The impulses to draw at a time, strongest first. `lines` starts with the newest line, whose impulses are all
 * included. Older impulses remain for `seconds`, because a frame of the screen lasts longer than an impact, unless the
 * same pair has had a comparable impulse since.
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

/** Sum of the energies. It is constant unless keyframed bodies do work. */
export const totalEnergy = ({ kinetic, potential, dissipated }: Energy): number => kinetic + potential + dissipated;
