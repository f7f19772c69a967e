// The robot as it is jogged: its poses, which run along the last move for the eye, and what stands in its way.

import type { JogState, Link } from "./link.ts";
import type { Playback } from "./playback.ts";
import { screwBetween, screwPose } from "./screw.ts";
import { poseAt, type Pose, type Vec3 } from "./vector.ts";

/** How long the picture takes along a move, in milliseconds. */
const GLIDE = 160;

export interface Refused {
  moving: ReadonlySet<number>;
  obstacles: ReadonlySet<number>;
  place: { point: Vec3; normal: Vec3 } | null;
}

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
    const first = refusal.pairs[0];
    return {
      moving: new Set(refusal.pairs.map(({ a }) => number(a))),
      obstacles: new Set(refusal.pairs.map(({ b }) => number(b))),
      place: first?.point ? { point: first.point, normal: first.normal ?? [0, 0, 1] } : null,
    };
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
