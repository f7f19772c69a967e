// Types and reader of the document of the screen page. Coordinates are in the frame of B.

import { bytes } from "../document/base64.ts";
import type { Screw } from "../motion/screw.ts";
import { readPose, type Vec3 } from "../motion/vector.ts";
import { patchesOf, type Patches } from "./patches.ts";

type ScreenVerdict = "clear" | "contact" | "overlapping" | "undecided";

/** The document as it is written; see `document.rs` of the viewer. */
export interface ScreenDocument {
  format: 1;
  name: string;
  names: [string, string];
  way: "exact" | "pixels";
  verdict: ScreenVerdict;
  why: string | null;
  duration: number;
  unit: string;
  screw: { start: number[]; direction: Vec3; point: Vec3; zero: Vec3; slide: number; angle: number; velocity: Vec3 };
  bodies: [BodyDocument, BodyDocument];
  undecided: number;
  collisions: Collision[];
  play: Play | null;
}

export interface BodyDocument {
  positions: string;
  triangles: string;
  cuts: string;
  times: string;
  outline: string;
  creases: string;
}

export type CollisionKind = "vertex-face" | "face-vertex" | "edge-edge" | "surfaces";

/** A collision of two features. */
export interface Collision {
  readonly kind: CollisionKind;
  readonly a: readonly number[];
  readonly b: readonly number[];
  /** In the unit of the document. */
  readonly time: readonly [number, number];
  /** Fraction of the whole motion, in [0, 1]. */
  readonly share: number;
  readonly point: Vec3;
  readonly normal: Vec3;
  readonly properness: number;
  readonly proper: boolean;
  /** Whether a nearer part of B lies on the same flow line. */
  readonly behind: boolean;
}

/** The free motion of A in both directions. */
export interface Play {
  readonly forward: FreePlay;
  readonly backward: FreePlay;
}

export interface FreePlay {
  readonly verdict: "binds" | "free" | "undecided" | "overlapping";
  readonly time: readonly [number, number] | null;
  readonly angle: number | null;
  readonly slide: number | null;
  readonly point: Vec3 | null;
  readonly free_until: number | null;
  readonly why: string | null;
}

/** A body after reading. */
export interface ScreenBody {
  readonly name: string;
  /** x, y, z of each vertex, in the body's frame. */
  readonly positions: Float64Array;
  readonly triangles: Uint32Array;
  readonly patches: Patches;
  /** Ends of lines in the frame of B, six numbers each. */
  readonly outline: Float64Array;
  readonly creases: Float64Array;
}

/** The vertices of a body's triangles. */
export const usedVertices = ({ positions, triangles }: ScreenBody): Vec3[] =>
  Array.from(triangles, (vertex) => [0, 1, 2].map((k) => positions[3 * vertex + k]) as unknown as Vec3);

/** The document after reading. */
export interface ScreenData {
  readonly name: string;
  readonly method: "exact" | "pixels";
  readonly verdict: ScreenVerdict;
  readonly reason: string | null;
  readonly duration: number;
  readonly unit: string;
  readonly screw: Screw;
  /** A point on the axis, and the direction of angle zero. */
  readonly point: Vec3;
  readonly zero: Vec3;
  readonly a: ScreenBody;
  readonly b: ScreenBody;
  readonly undecided: number;
  readonly collisions: readonly Collision[];
  readonly play: Play | null;
}

/** Reads a document; throws an error that names the invalid part. */
export function readScreen(document: ScreenDocument): ScreenData {
  if (document.format !== 1) throw new Error(`format ${String(document.format)} of the screen: this page knows 1`);
  const { name, way: method, verdict, why: reason, duration, unit, screw, names, undecided, collisions, play } = document;
  const { direction, slide, angle, velocity, point, zero } = screw;
  return {
    name, method, verdict, reason, duration, unit, point, zero, undecided, collisions, play,
    screw: { start: readPose(screw.start), direction, slide, angle, velocity },
    a: readBody(document.bodies[0], names[0]),
    b: readBody(document.bodies[1], names[1]),
  };
}

function readBody(body: BodyDocument, name: string): ScreenBody {
  const positions = new Float64Array(bytes(body.positions, `positions of ${name}`, 24));
  const triangles = new Uint32Array(bytes(body.triangles, `triangles of ${name}`, 12));
  const vertices = positions.length / 3;
  const bad = triangles.find((vertex) => vertex >= vertices);
  if (bad !== undefined) throw new Error(`${name}: a triangle names vertex ${bad} of ${vertices}`);
  const cuts = new Uint8Array(bytes(body.cuts, `cuts of ${name}`, 1));
  const times = new Float32Array(bytes(body.times, `times of ${name}`, 4));
  return {
    name, positions, triangles,
    patches: patchesOf({ positions, triangles }, cuts, times, name),
    outline: new Float64Array(bytes(body.outline, `outline of ${name}`, 48)),
    creases: new Float64Array(bytes(body.creases, `creases of ${name}`, 48)),
  };
}
