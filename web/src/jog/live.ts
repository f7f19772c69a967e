// The jogged robot: its poses, animated along the last move, and the contact that blocked it.

import { featureOf } from "../document/features.ts";
import type { Connection } from "../server/connection.ts";
import type { JogState, RefusedPair } from "../server/jog.ts";
import type { RefusedMove } from "../live.ts";
import type { ContactMark } from "../picture/marks.ts";
import type { Playback } from "../document/playback.ts";
import { screwBetween, screwPose } from "../motion/screw.ts";
import { IDENTITY, readPose, type Pose, type Vec3 } from "../motion/vector.ts";

/** Milliseconds of the animation of a move. */
const ANIMATION_MS = 160;

export class LiveRobot {
  private lastState: JogState | null = null;
  private path: Pose[][] | null = null;
  private startedAt = 0;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly connection: Connection, private readonly playback: Playback) {
    connection.watch(() => this.updateState());
  }

  watch(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** The current poses of the bodies; null before the first message of the server. */
  poses(): Pose[] | null {
    const { state } = this.connection;
    if (state === null) return null;
    const { path } = this;
    const fraction = (performance.now() - this.startedAt) / ANIMATION_MS;
    if (path === null || path.length < 2 || fraction >= 1) return state.poses.map((pose) => readPose(pose));
    const at = fraction * (path.length - 1);
    const [from, to] = [path[Math.floor(at)] ?? [], path[Math.min(path.length - 1, Math.floor(at) + 1)] ?? []];
    return from.map((pose, body) => screwPose(screwBetween(pose, to[body] ?? pose), at - Math.floor(at)));
  }

  /** The contact that blocked the last move. */
  refusedMove(): RefusedMove | null {
    const refusal = this.connection.state?.refusal;
    if (!refusal) return null;
    const number = (name: string): number => this.playback.bodies.findIndex((body) => body.name === name);
    const blocked = refusal.pairs.find(({ point }) => point !== null);
    return {
      movingBodies: new Set(refusal.pairs.map(({ a }) => number(a))),
      obstacles: new Set(refusal.pairs.map(({ b }) => number(b))),
      contact: blocked === undefined ? null : this.contactMark(blocked, [number(blocked.a), number(blocked.b)]),
    };
  }

  /** A robot has no deforming bodies. */
  shapes(): null {
    return null;
  }

  /** A robot has no impulses. */
  impulses(): null {
    return null;
  }

  spring(): null {
    return null;
  }

  /** The features of a pair at the current poses, which are just before the contact. */
  private contactMark(blocked: RefusedPair, bodies: readonly [number, number]): ContactMark | null {
    if (blocked.point === null) return null;
    const [point, normal] = [blocked.point, blocked.normal ?? ([0, 0, 1] as Vec3)];
    const poses = this.connection.state?.poses.map((pose) => readPose(pose)) ?? [];
    const { kind, features: numbers } = blocked;
    if (kind === null || numbers === null) return { point, normal, velocity: null, features: [] };
    const contact = { kind, ...numbers, point, normal, touching: false };
    const features = bodies.map((body, side) => featureOf(this.playback, body, side === 0 ? "a" : "b", contact, poses[body] ?? IDENTITY));
    return { point, normal, velocity: null, features };
  }

  private updateState(): void {
    const { state } = this.connection;
    if (state === this.lastState) return;
    const first = this.lastState === null;
    this.lastState = state;
    this.path = state?.way && !first ? state.way.map((poses) => poses.map((pose) => readPose(pose))) : null;
    this.startedAt = performance.now();
    this.animate();
  }

  private animate(): void {
    for (const listener of this.listeners) listener();
    if (this.path === null) return;
    if (performance.now() - this.startedAt > ANIMATION_MS) {
      this.path = null;
      return;
    }
    requestAnimationFrame(() => this.animate());
  }
}
