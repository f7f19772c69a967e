// Chooses the direction from which to look at a contact. The contact should not be occluded, and the two bodies should
// appear beside each other.

import { perpendicular, add, cross, dot, scale, unit, type Vec3 } from "../motion/vector.ts";

/** Triangles that may hide the contact, in their own frame. */
export interface Occluder {
  positions: ArrayLike<number>;
  /** Corners, three per triangle. */
  triangles: ArrayLike<number>;
  /** Maps from the frame of the rays to its own. */
  place: (point: Vec3) => Vec3;
  direction: (direction: Vec3) => Vec3;
  /** Bounding sphere in its own frame. */
  sphere: { centre: Vec3; radius: number };
  /** Fraction of light that passes, from 0 to 1. */
  transmittance: number;
}

/** A contact to look at. */
export interface ViewTarget {
  point: Vec3;
  normal: Vec3;
  /** Metres: size of the region that should be visible, and distance of the eye. */
  size: number;
  eyeDistance: number;
}

/** Maximum number of ray-triangle tests, so that large scenes do not stutter. */
const MAX_RAY_TESTS = 2e7;

/** Bonus in the score for the current direction. */
const STAY_BONUS = 0.4;

/** Number of azimuths, and the elevations in radians. */
const AZIMUTHS = 12;
const ELEVATIONS = [-0.35, 0.2, 0.55, 1];

/** Candidate directions to the eye, in a z-up frame. */
export const DIRECTIONS: readonly Vec3[] = ELEVATIONS.flatMap((height) => Array.from({ length: AZIMUTHS }, (_, turn): Vec3 => {
  const angle = ((turn + 0.4) * 2 * Math.PI) / AZIMUTHS;
  return [Math.cos(height) * Math.cos(angle), Math.cos(height) * Math.sin(angle), Math.sin(height)];
}));

/**
 * The best of the unit directions to the eye. `now` is the current direction, which is preferred among equals. `up` is
 * the up direction.
 */
export function bestViewDirection(sight: ViewTarget, occluders: readonly Occluder[], candidates: readonly Vec3[], { now, up }: { now: Vec3; up: Vec3 }): Vec3 {
  const seen = visibility(sight, occluders, candidates);
  let [best, bestScore] = [now, -Infinity];
  candidates.forEach((direction, number) => {
    // Along the normal one body hides the other. Perpendicular to it, the contact itself is hidden.
    const along = Math.abs(dot(direction, sight.normal));
    const sideScore = 1 - Math.abs(along - 0.35);
    const height = dot(direction, up);
    const score = 3 * (seen[number] ?? 0) + sideScore + 0.35 * dot(direction, now) + (height > 0 ? 0.25 : 0) - (height > 0.95 ? 0.2 : 0) + (direction === now ? STAY_BONUS : 0);
    if (score > bestScore) [best, bestScore] = [direction, score];
  });
  return best;
}

/** Visible fraction of the contact region from each direction, from 0 to 1. */
export function visibility({ point, normal, size, eyeDistance }: ViewTarget, occluders: readonly Occluder[], candidates: readonly Vec3[]): number[] {
  const count = occluders.reduce((sum, { triangles }) => sum + triangles.length / 3, 0);
  const side = perpendicular(normal);
  const other = cross(unit(normal), side);
  const offsets = [[0, 0], [1, 0.2], [-0.2, 1], [-1, -0.2], [0.2, -1]].map(([x = 0, y = 0]) => add(point, add(scale(side, x * size), scale(other, y * size))));
  const origins = count * candidates.length * offsets.length > MAX_RAY_TESTS ? offsets.slice(0, 1) : offsets;
  const stride = Math.max(1, Math.ceil((count * candidates.length * origins.length) / MAX_RAY_TESTS));
  return candidates.map((direction, number) => {
    // Large scenes skip some candidates.
    if (number % stride !== 0) return 0;
    let sum = 0;
    for (const origin of origins) {
      // Starts outside the touching surfaces.
      const from = add(origin, scale(direction, size * 0.2));
      let light = 1;
      for (const occluder of occluders) if (light > occluder.transmittance && isHit(occluder, from, direction, eyeDistance)) light = occluder.transmittance;
      sum += light;
    }
    return sum / origins.length;
  });
}

/** Whether a ray hits a triangle within `eyeDistance` (Moeller and Trumbore 1997). */
function isHit({ positions: p, triangles, place, direction, sphere }: Occluder, from: Vec3, towards: Vec3, eyeDistance: number): boolean {
  const [o, d] = [place(from), direction(towards)];
  const to: Vec3 = [sphere.centre[0] - o[0], sphere.centre[1] - o[1], sphere.centre[2] - o[2]];
  const along = dot(to, d);
  const squaredDistance = dot(to, to) - along * along;
  if (squaredDistance > sphere.radius ** 2 || along < -sphere.radius || along - sphere.radius > eyeDistance) return false;
  for (let at = 0; at < triangles.length; at += 3) {
    const [i, j, k] = [3 * (triangles[at] as number), 3 * (triangles[at + 1] as number), 3 * (triangles[at + 2] as number)];
    const [ax, ay, az] = [p[i] as number, p[i + 1] as number, p[i + 2] as number];
    const [ux, uy, uz] = [(p[j] as number) - ax, (p[j + 1] as number) - ay, (p[j + 2] as number) - az];
    const [vx, vy, vz] = [(p[k] as number) - ax, (p[k + 1] as number) - ay, (p[k + 2] as number) - az];
    const [hx, hy, hz] = [d[1] * vz - d[2] * vy, d[2] * vx - d[0] * vz, d[0] * vy - d[1] * vx];
    const volume = ux * hx + uy * hy + uz * hz;
    if (volume === 0) continue;
    const [sx, sy, sz] = [o[0] - ax, o[1] - ay, o[2] - az];
    const first = (sx * hx + sy * hy + sz * hz) / volume;
    if (first < 0 || first > 1) continue;
    const [qx, qy, qz] = [sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux];
    const second = (d[0] * qx + d[1] * qy + d[2] * qz) / volume;
    if (second < 0 || first + second > 1) continue;
    const far = (vx * qx + vy * qy + vz * qz) / volume;
    if (far > 0 && far < eyeDistance) return true;
  }
  return false;
}
