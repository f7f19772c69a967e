// What the server tells of a robot that is jogged.

import type { ContactPlace } from "../document/report.ts";
import type { Vec3 } from "../motion/vector.ts";

/** What the server tells of the robot; poses are x, y, z, qw, qx, qy, qz by body. */
export interface JogState {
  revision: number;
  values: number[];
  poses: number[][];
  /** Moves that are recorded. */
  moves: number;
  controller: number | null;
  /** Poses of all bodies at some even steps of the last move. */
  way: number[][][] | null;
  refusal: Refusal | null;
  /** What the last move parted, of bodies that overlap; null: it was no way out. */
  way_out?: DepthChange[] | null;
  verdict: ReplayVerdict | null;
}

/** Two bodies on the way out of an overlap: how far the first must be moved to be parted from the second, metres; 0: they are apart. */
export interface DepthChange {
  a: string;
  b: string;
  depth_before: number;
  depth: number;
}

/** Why a move was not carried out to its end. */
export interface Refusal {
  free: number;
  /** Where the part that is proven free ends. */
  free_until: Record<string, number>;
  pairs: RefusedPair[];
  segments?: number | null;
}

/** Two bodies that would meet, or that may. */
export interface RefusedPair {
  a: string;
  b: string;
  verdict: string;
  /** Where the joints are at the contact; null where it is not known to be one. */
  joints: Record<string, number> | null;
  point: Vec3 | null;
  normal: Vec3 | null;
  kind: ContactPlace["kind"] | null;
  features: { a: number[]; b: number[] } | null;
  why: string | null;
}

/** What became of a path that was replayed. */
export interface ReplayVerdict {
  name: string;
  verdict: string;
  /** How many of its segments were carried out. */
  segments: number;
  of: number;
}
