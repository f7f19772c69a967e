// The robot as it is jogged: its poses, which run along the last move for the eye, and what stands in its way.

import { featureOf } from "../document/features.ts";
import type { Link } from "../server/connection.ts";
import type { JogState, RefusedPair } from "../server/jog.ts";
import type { Refused } from "../live.ts";
import type { Marked } from "../picture/marks.ts";
import type { Playback } from "../document/playback.ts";
import { screwBetween, screwPose } from "../motion/screw.ts";
import { IDENTITY, poseAt, type Pose, type Vec3 } from "../motion/vector.ts";

/** How long the picture takes along a move, in milliseconds. */
const GLIDE = 160;

export class Live {
  private known: JogState | null = null;
  private way: Pose[][] | null = null;
  private begun = 0;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly link: Link, private readonly playback: Playback) {
    link.watch(() => this.changed());
  }

  watch(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Where the bodies are shown now; none before the server has told. */
  poses(): Pose[] | null {
    const { state } = this.link;
    if (state === null) return null;
    const { way } = this;
    const share = (performance.now() - this.begun) / GLIDE;
    if (way === null || way.length < 2 || share >= 1) return state.poses.map((pose) => poseAt(pose));
    const at = share * (way.length - 1);
    const [from, to] = [way[Math.floor(at)] ?? [], way[Math.min(way.length - 1, Math.floor(at) + 1)] ?? []];
    return from.map((pose, body) => screwPose(screwBetween(pose, to[body] ?? pose), at - Math.floor(at)));
  }

  /** What the last move would have met. */
  refused(): Refused | null {
    const refusal = this.link.state?.refusal;
    if (!refusal) return null;
    const number = (name: string): number => this.playback.bodies.findIndex((body) => body.name === name);
    const met = refusal.pairs.find(({ point }) => point !== null);
    return {
      moving: new Set(refusal.pairs.map(({ a }) => number(a))),
      obstacles: new Set(refusal.pairs.map(({ b }) => number(b))),
      place: met === undefined ? null : this.marked(met, [number(met.a), number(met.b)]),
    };
  }

  /** Robots keep their shapes. */
  shapes(): null {
    return null;
  }

  /** A robot is moved, not pushed. */
  impulses(): null {
    return null;
  }

  hand(): null {
    return null;
  }

  /** The features of a pair, where the bodies are: a hair before the contact. */
  private marked(met: RefusedPair, bodies: readonly [number, number]): Marked | null {
    if (met.point === null) return null;
    const [point, normal] = [met.point, met.normal ?? ([0, 0, 1] as Vec3)];
    const poses = this.link.state?.poses.map((pose) => poseAt(pose)) ?? [];
    const { kind, features: numbers } = met;
    if (kind === null || numbers === null) return { point, normal, velocity: null, features: [] };
    const contact = { kind, ...numbers, point, normal, touching: false };
    const features = bodies.map((body, side) => featureOf(this.playback, body, side === 0 ? "a" : "b", contact, poses[body] ?? IDENTITY));
    return { point, normal, velocity: null, features };
  }

  private changed(): void {
    const { state } = this.link;
    if (state === this.known) return;
    const first = this.known === null;
    this.known = state;
    this.way = state?.way && !first ? state.way.map((poses) => poses.map((pose) => poseAt(pose))) : null;
    this.begun = performance.now();
    this.glide();
  }

  private glide(): void {
    for (const listener of this.listeners) listener();
    if (this.way === null) return;
    if (performance.now() - this.begun > GLIDE) {
      this.way = null;
      return;
    }
    requestAnimationFrame(() => this.glide());
  }
}
