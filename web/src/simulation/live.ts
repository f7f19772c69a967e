// A simulation as it runs: where bodies are, what they have just given each other, and how its energy went.

import { bytes } from "../document/base64.ts";
import type { Link } from "../server/connection.ts";
import { seenOf, type Energies, type Energy, type Impulse, type Line } from "../document/recording.ts";
import { IDENTITY, length, poseAt, toWorld, type Pose, type Vec3 } from "../motion/vector.ts";
import type { Refused } from "../live.ts";
import type { SimulationState } from "../server/simulation.ts";

/** Energies of so many times are kept; of more every second. */
const MOST_TIMES = 4000;
/** Lines of impulses that are kept. */
const MOST_LINES = 200;
/** A blow stays in sight for so many seconds. */
const SEEN = 0.2;

export class LiveSimulation implements Energies {
  times: number[] = [];
  private energies: Energy[] = [];
  /** Of the states before, the newest first. */
  private lines: Line[] = [];
  private weaker = 0;
  private strongest = 0;
  private runs = 0;
  /** Energies are kept that are so far apart, in seconds. */
  private apart = 0;
  private known: SimulationState | null = null;
  private told: ReadonlyMap<number, Float32Array> = new Map();
  private readonly listeners: (() => void)[] = [];

  constructor(readonly link: Link<SimulationState>) {
    link.watch(() => this.changed());
  }

  watch(listener: () => void): void {
    this.listeners.push(listener);
  }

  get state(): SimulationState | null {
    return this.known;
  }

  energy(line: number): Energy {
    return this.energies[line] ?? { kinetic: 0, potential: 0, dissipated: 0 };
  }

  /** At the time that is shown. */
  get now(): Energy {
    const [kinetic = 0, potential = 0, dissipated = 0] = this.known?.energy ?? [];
    return { kinetic, potential, dissipated };
  }

  /** Where the bodies are that move; none before the server has told. */
  poses(): (Pose | null)[] | null {
    return this.known?.poses.map((pose) => (pose === null ? null : poseAt(pose))) ?? null;
  }

  /** The shapes of flexible bodies: where their vertices are, relative to the origins of their meshes. */
  shapes(): ReadonlyMap<number, Float32Array> {
    return this.told;
  }

  refused(): Refused | null {
    return null;
  }

  /** What is to be seen of impulses, and the strongest so far. */
  impulses(): { seen: Impulse[]; strongest: number } {
    return { seen: seenOf(this.lines, this.known?.time ?? 0, SEEN), strongest: this.strongest };
  }

  /** The impulses of the newest state. */
  newest(): { list: Impulse[]; weaker: number } {
    return { list: [...(this.lines[0]?.impulses ?? [])].sort((x, y) => y.amount - x.amount), weaker: this.weaker };
  }

  /** From where to where a hand pulls. */
  hand(): { from: Vec3; to: Vec3 } | null {
    const hand = this.known?.hand;
    if (!hand) return null;
    const pose = this.known?.poses[hand.body];
    return { from: toWorld(pose ? poseAt(pose) : IDENTITY, hand.point), to: hand.target };
  }

  private changed(): void {
    const { state } = this.link;
    if (state === null || state === this.known) return;
    if (state.runs !== this.runs) {
      [this.times, this.energies, this.lines] = [[], [], []];
      [this.runs, this.strongest, this.apart] = [state.runs, 0, 0];
    }
    this.known = state;
    this.told = new Map(state.shapes.map(([body, text]) => [body, new Float32Array(bytes(text, `shape of body ${body}`, 12))]));
    const impulses = state.impulses.map(([a, b, [time, x, y, z, u, v, w]]): Impulse => {
      const impulse: Vec3 = [u, v, w];
      return { a, b, time, point: [x, y, z], impulse, amount: length(impulse) };
    });
    for (const { amount } of impulses) this.strongest = Math.max(this.strongest, amount);
    const [last] = this.lines;
    // What is told between two times, as of an order, is of the time before.
    if (last?.end === state.time) {
      last.impulses.push(...impulses);
      this.weaker += state.weaker;
    } else {
      this.lines.unshift({ end: state.time, impulses });
      this.lines.length = Math.min(this.lines.length, MOST_LINES);
      this.weaker = state.weaker;
    }
    this.note(state.time);
    for (const listener of this.listeners) listener();
  }

  private note(time: number): void {
    const last = this.times.at(-1);
    if (last !== undefined && time - last <= this.apart) return;
    this.times.push(time);
    this.energies.push(this.now);
    if (this.times.length <= MOST_TIMES) return;
    this.times = this.times.filter((_, number) => number % 2 === 0);
    this.energies = this.energies.filter((_, number) => number % 2 === 0);
    this.apart = (time - (this.times[0] ?? 0)) / MOST_TIMES;
  }
}
