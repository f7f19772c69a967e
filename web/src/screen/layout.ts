// A body laid out on the unrolled screen: its patches as flat triangles, its outline as short lines, and the patch at a
// screen point. Parts that are visible in several periods have several images.

import { add, distance, scale, type Vec3 } from "../motion/vector.ts";
import { UNREACHABLE, cornerOf, UNOBSTRUCTED, type Patches } from "./patches.ts";
import type { ScreenPoint, Unrolled } from "./unroll.ts";

/** Maximum length of a part of a line, as a fraction of the body's size. */
const PART_FRACTION = 1 / 60;
/** Maximum number of parts of a line. */
const MAX_PARTS = 256;

export interface BodyLayout {
  /** Three screen points per triangle, six numbers; only patches that can collide. */
  readonly triangles: Float64Array;
  /** The patch of each triangle, in painting order: near ones last. */
  readonly patches: Uint32Array;
  readonly outline: readonly (readonly ScreenPoint[])[];
  readonly creases: readonly (readonly ScreenPoint[])[];
}

interface OutlinedBody {
  readonly patches: Patches;
  readonly outline: Float64Array;
  readonly creases: Float64Array;
}

/** Lays out a body; `transform` maps its own frame to the frame of B, in which its outline is given. */
export function layOut(body: OutlinedBody, unrolled: Unrolled, transform: (point: Vec3) => Vec3, size: number): BodyLayout {
  const { patches } = body;
  const order: number[] = [];
  for (let patch = 0; patch < patches.count; patch += 1) if (patches.times[patch] !== UNREACHABLE) order.push(patch);
  const depth = (patch: number): number => {
    const time = patches.times[patch] as number;
    return time === UNOBSTRUCTED ? Infinity : time;
  };
  order.sort((p, q) => {
    const [near, far] = [depth(q), depth(p)];
    return near === far ? p - q : near - far;
  });
  const [numbers, owners]: [number[], number[]] = [[], []];
  for (const patch of order) {
    const corners = [0, 1, 2].map((corner) => transform(cornerOf(patches, patch, corner)));
    for (const image of unrolled.images(corners)) {
      const flat = image.flat();
      if (!flat.every(Number.isFinite)) continue;
      numbers.push(...flat);
      owners.push(patch);
    }
  }
  const lines = (ends: Float64Array): ScreenPoint[][] => {
    const found: ScreenPoint[][] = [];
    for (let at = 0; at < ends.length; at += 6) {
      const [from, to] = [0, 3].map((k) => [ends[at + k], ends[at + k + 1], ends[at + k + 2]] as unknown as Vec3) as [Vec3, Vec3];
      const parts = Math.min(MAX_PARTS, Math.max(1, Math.ceil(distance(from, to) / (size * PART_FRACTION))));
      const point = (k: number): Vec3 => add(scale(from, 1 - k / parts), scale(to, k / parts));
      for (let k = 0; k < parts; k += 1) found.push(...unrolled.images([point(k), point(k + 1)]));
    }
    return found.filter((line) => line.flat().every(Number.isFinite));
  };
  return {
    triangles: new Float64Array(numbers), patches: new Uint32Array(owners),
    outline: lines(body.outline), creases: lines(body.creases),
  };
}

/** The patch at a screen point, and the point on it in the body's frame. */
export interface PatchHit {
  readonly patch: number;
  readonly point: Vec3;
}

/** The topmost patch at a screen point: for A, the nearest one to B. */
export function patchAt(layout: BodyLayout, patches: Patches, [x, y]: ScreenPoint): PatchHit | null {
  for (let k = layout.patches.length - 1; k >= 0; k -= 1) {
    const weights = barycentricAt(layout.triangles, 6 * k, x, y);
    if (weights === null) continue;
    const patch = layout.patches[k] as number;
    const corners = [0, 1, 2].map((corner) => scale(cornerOf(patches, patch, corner), weights[corner] as number));
    return { patch, point: corners.reduce(add) };
  }
  return null;
}

/** Barycentric coordinates of a screen point in a triangle, or null outside. */
function barycentricAt(numbers: Float64Array, at: number, x: number, y: number): number[] | null {
  const n = (i: number): number => numbers[at + i] as number;
  const [px, py] = [x - n(0), y - n(1)];
  const [ux, uy] = [n(2) - n(0), n(3) - n(1)];
  const [vx, vy] = [n(4) - n(0), n(5) - n(1)];
  const area = ux * vy - uy * vx;
  if (area === 0) return null;
  const [q, r] = [(px * vy - py * vx) / area, (ux * py - uy * px) / area];
  const slack = -1e-9;
  return q >= slack && r >= slack && q + r <= 1 - slack ? [1 - q - r, q, r] : null;
}

/** The bounding rectangle of layouts and screen points. */
export function rangeOf(layout: readonly BodyLayout[], places: readonly ScreenPoint[]): { low: ScreenPoint; high: ScreenPoint } | null {
  const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]] as [number[], number[]];
  const include = (value: number, axis: number): void => {
    low[axis] = Math.min(low[axis] as number, value);
    high[axis] = Math.max(high[axis] as number, value);
  };
  for (const { triangles, outline } of layout) {
    for (let k = 0; k < triangles.length; k += 1) include(triangles[k] as number, k % 2);
    for (const line of outline) for (const place of line) place.forEach(include);
  }
  for (const place of places) place.forEach(include);
  if (!((low[0] as number) <= (high[0] as number))) return null;
  return { low: low as unknown as ScreenPoint, high: high as unknown as ScreenPoint };
}
