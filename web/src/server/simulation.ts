// Messages of the server about a running simulation, and the requests to it.

import type { Vec3 } from "../motion/vector.ts";

export interface SimulationState {
  revision: number;
  controller: number | null;
  /** In seconds. */
  time: number;
  running: boolean;
  /** Simulated seconds per second of wall time. */
  pace: number;
  /** Number of starts. */
  runs: number;
  /** By body: x, y, z, qw, qx, qy, qz; null if it never moves. */
  poses: (number[] | null)[];
  /** Flexible bodies: number, and vertices as base64 of f32, like the positions of a mesh. */
  shapes: [number, string][];
  /** Since the last state: a, b, and time, point and impulse on b. */
  impulses: [number, number, [number, number, number, number, number, number, number]][];
  /** Number of omitted weaker impulses. */
  weaker: number;
  /** Kinetic, potential and dissipated energy, joules. */
  energy: [number, number, number];
  /** The mouse spring: the held point in the body's frame, and the target in the world. */
  hand: { body: number; point: Vec3; target: Vec3 } | null;
  /** Reason why the simulation ended. */
  end: string | null;
  /** Reason for a pause that was not requested. */
  paused: string | null;
}

export type SimulationRequest = { type: "play" | "pause" | "step" | "restart" | "drop" }
  | { type: "grab"; body: number; point: Vec3 }
  | { type: "drag"; target: Vec3 };
