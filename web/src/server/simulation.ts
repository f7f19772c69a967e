// What the server tells of a simulation that runs, and what it may be asked.

import type { Vec3 } from "../motion/vector.ts";

export interface SimulationState {
  revision: number;
  controller: number | null;
  /** In seconds. */
  time: number;
  running: boolean;
  /** How many seconds of it pass in one of the clock. */
  pace: number;
  /** How often it has begun. */
  runs: number;
  /** By body: x, y, z, qw, qx, qy, qz; null: it never moves. */
  poses: (number[] | null)[];
  /** Of each flexible body its number and its vertices, base64 of f32, as positions of its mesh. */
  shapes: [number, string][];
  /** Since the state before: a, b, and time, point and impulse on b. */
  impulses: [number, number, [number, number, number, number, number, number, number]][];
  /** How many weaker ones there were. */
  weaker: number;
  /** Kinetic, potential, dissipated, joules. */
  energy: [number, number, number];
  /** What pulls at a body: by a point of its frame, to a place in the world. */
  hand: { body: number; point: Vec3; target: Vec3 } | null;
  /** Why it does not go on. */
  end: string | null;
  /** Why it was paused, where nobody asked for it. */
  paused: string | null;
}

export type SimulationRequest = { type: "play" | "pause" | "step" | "restart" | "drop" }
  | { type: "grab"; body: number; point: Vec3 }
  | { type: "drag"; target: Vec3 };
