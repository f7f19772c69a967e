// A running simulation: poses, recent impulses and the history of energies.

import { bytes } from "../document/base64.ts";
import type { Connection } from "../server/connection.ts";
import { visibleImpulses, type EnergyHistory, type Energy, type Impulse, type ImpulseBatch } from "../document/recording.ts";
import { IDENTITY, length, readPose, toWorld, type Pose, type Vec3 } from "../motion/vector.ts";
import type { RefusedMove } from "../live.ts";
import type { SimulationState } from "../server/simulation.ts";

/** Maximum number of stored energies; beyond it, every second one is dropped. */
const MAX_TIMES = 4000;
/** Maximum number of stored batches of impulses. */
const MAX_BATCHES = 200;
/** Seconds for which an impulse stays visible. */
const VISIBLE_SECONDS = 0.2;

export class LiveSimulation implements EnergyHistory {
  times: number[] = [];
  private energies: Energy[] = [];
  /** Batches of earlier states, newest first. */
  private lines: ImpulseBatch[] = [];
  private weaker = 0;
  private strongest = 0;
  private runs = 0;
  /** Minimum time between stored energies, seconds. */
  private minInterval = 0;
  private latest: SimulationState | null = null;
  private vertices: ReadonlyMap<number, Float32Array> = new Map();
  private readonly listeners: (() => void)[] = [];

  constructor(readonly connection: Connection<SimulationState>) {
    connection.watch(() => this.updateState());
  }

  watch(listener: () => void): void {
    this.listeners.push(listener);
  }

  get state(): SimulationState | null {
    return this.latest;
  }

  energy(line: number): Energy {
    return this.energies[line] ?? { kinetic: 0, potential: 0, dissipated: 0 };
  }

  /** Energies at the current time. */
  get now(): Energy {
    const [kinetic = 0, potential = 0, dissipated = 0] = this.latest?.energy ?? [];
    return { kinetic, potential, dissipated };
  }

  /** Poses of the moving bodies; null before the first message of the server. */
  poses(): (Pose | null)[] | null {
    return this.latest?.poses.map((pose) => (pose === null ? null : readPose(pose))) ?? null;
  }

  /** Vertices of flexible bodies, relative to the origins of their meshes. */
  shapes(): ReadonlyMap<number, Float32Array> {
    return this.vertices;
  }

  refusedMove(): RefusedMove | null {
    return null;
  }

  /** The impulses to draw, and the maximum since the start. */
  impulses(): { visible: Impulse[]; strongest: number } {
    return { visible: visibleImpulses(this.lines, this.latest?.time ?? 0, VISIBLE_SECONDS), strongest: this.strongest };
  }

  /** The impulses of the newest state. */
  latestImpulses(): { list: Impulse[]; weaker: number } {
    return { list: [...(this.lines[0]?.impulses ?? [])].sort((x, y) => y.magnitude - x.magnitude), weaker: this.weaker };
  }

  /** The ends of the mouse spring. */
  spring(): { from: Vec3; to: Vec3 } | null {
    const hand = this.latest?.hand;
    if (!hand) return null;
    const pose = this.latest?.poses[hand.body];
    return { from: toWorld(pose ? readPose(pose) : IDENTITY, hand.point), to: hand.target };
  }

  private updateState(): void {
    const { state } = this.connection;
    if (state === null || state === this.latest) return;
    if (state.runs !== this.runs) {
      [this.times, this.energies, this.lines] = [[], [], []];
      [this.runs, this.strongest, this.minInterval] = [state.runs, 0, 0];
    }
    this.latest = state;
    this.vertices = new Map(state.shapes.map(([body, text]) => [body, new Float32Array(bytes(text, `shape of body ${body}`, 12))]));
    const impulses = state.impulses.map(([a, b, [time, x, y, z, u, v, w]]): Impulse => {
      const impulse: Vec3 = [u, v, w];
      return { a, b, time, point: [x, y, z], impulse, magnitude: length(impulse) };
    });
    for (const { magnitude } of impulses) this.strongest = Math.max(this.strongest, magnitude);
    const [last] = this.lines;
    // A state without progress, such as after a request, belongs to the previous time.
    if (last?.end === state.time) {
      last.impulses.push(...impulses);
      this.weaker += state.weaker;
    } else {
      this.lines.unshift({ end: state.time, impulses });
      this.lines.length = Math.min(this.lines.length, MAX_BATCHES);
      this.weaker = state.weaker;
    }
    this.recordEnergy(state.time);
    for (const listener of this.listeners) listener();
  }

  private recordEnergy(time: number): void {
    const last = this.times.at(-1);
    if (last !== undefined && time - last <= this.minInterval) return;
    this.times.push(time);
    this.energies.push(this.now);
    if (this.times.length <= MAX_TIMES) return;
    this.times = this.times.filter((_, number) => number % 2 === 0);
    this.energies = this.energies.filter((_, number) => number % 2 === 0);
    this.minInterval = (time - (this.times[0] ?? 0)) / MAX_TIMES;
  }
}
