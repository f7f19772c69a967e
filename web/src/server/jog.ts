// Messages of the server about a jogged robot.

import type { ContactPlace } from "../document/report.ts";
import type { Vec3 } from "../motion/vector.ts";

/** The state of the robot; poses are x, y, z, qw, qx, qy, qz by body. */
export interface JogState {
  revision: number;
  values: number[];
  poses: number[][];
  /** Number of recorded moves. */
  moves: number;
  controller: number | null;
  /** Poses of all bodies at even steps of the last move. */
  way: number[][][] | null;
  refusal: Refusal | null;
  /** Overlaps that the last move reduced; null if it was not a move out of an overlap. */
  way_out?: DepthChange[] | null;
  verdict: ReplayVerdict | null;
}

/** The change of a penetration depth: the translation of a that separates it from b, metres; 0 if they are separate. */
export interface DepthChange {
  a: string;
  b: string;
  depth_before: number;
  depth: number;
}

/** The reason why a move stopped early. */
export interface Refusal {
  free: number;
  /** Joint values at the end of the part that is proven free. */
  free_until: Record<string, number>;
  pairs: RefusedPair[];
  segments?: number | null;
}

/** Two bodies that collide, or may collide. */
export interface RefusedPair {
  a: string;
  b: string;
  verdict: string;
  /** Joint values at the contact; null if the contact is not certain. */
  joints: Record<string, number> | null;
  point: Vec3 | null;
  normal: Vec3 | null;
  kind: ContactPlace["kind"] | null;
  features: { a: number[]; b: number[] } | null;
  why: string | null;
}

/** The result of replaying a path. */
export interface ReplayVerdict {
  name: string;
  verdict: string;
  /** Number of completed segments. */
  segments: number;
  of: number;
}
