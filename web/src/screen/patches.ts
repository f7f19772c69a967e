// The patches of a body: its triangles are bisected into small ones, each with one sample of the clearance.

import type { Vec3 } from "../motion/vector.ts";

/** Instead of a time: the patch does not lead, so it cannot be hit. */
export const UNREACHABLE = -2;
/** Instead of a time: no obstacle lies ahead. */
export const UNOBSTRUCTED = -1;

export interface Patches {
  readonly count: number;
  /** Three corners x, y, z of each patch, in the body's frame. */
  readonly corners: Float64Array;
  /** Barycentric coordinates of each corner in its triangle. */
  readonly weights: Float32Array;
  /** The triangle of each patch. */
  readonly faces: Uint32Array;
  /** Fraction of the whole motion, or `UNREACHABLE` or `UNOBSTRUCTED`. */
  readonly times: Float32Array;
}

type Barycentric = readonly [number, number, number];

/** Bisects triangles by trees in depth-first order: 0 is a leaf; 1 to 3 bisect the edge that starts at that corner. */
export function patchesOf(
  mesh: { positions: Float64Array; triangles: Uint32Array }, cuts: Uint8Array, times: Float32Array, name: string,
): Patches {
  const count = times.length;
  const corners = new Float64Array(9 * count);
  const weights = new Float32Array(9 * count);
  const faces = new Uint32Array(count);
  let [at, next] = [0, 0];
  for (let face = 0; 3 * face < mesh.triangles.length; face += 1) {
    const stack: [Barycentric, Barycentric, Barycentric][] = [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]];
    for (let triangle = stack.pop(); triangle !== undefined; triangle = stack.pop()) {
      const cut = cuts[at] as number;
      at += 1;
      if (cut === 1 || cut === 2 || cut === 3) {
        const [p, q, r] = [0, 1, 2].map((k) => triangle[(cut - 1 + k) % 3]) as [Barycentric, Barycentric, Barycentric];
        const m: Barycentric = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2];
        // The stack returns the last one first.
        stack.push([m, q, r], [p, m, r]);
        continue;
      }
      if (cut !== 0 || next >= count) throw new Error(`${name}: the cuts do not fit the times`);
      triangle.forEach((corner, k) => {
        weights.set(corner, 9 * next + 3 * k);
        corners.set(interpolate(mesh, face, corner), 9 * next + 3 * k);
      });
      faces[next] = face;
      next += 1;
    }
  }
  if (next !== count || at !== cuts.length) throw new Error(`${name}: the cuts do not fit the times`);
  return { count, corners, weights, faces, times };
}

/** The point of a triangle with these barycentric coordinates. */
function interpolate(mesh: { positions: Float64Array; triangles: Uint32Array }, face: number, weights: Barycentric): number[] {
  return [0, 1, 2].map((axis) => weights.reduce((sum, fraction, k) => {
    const vertex = mesh.triangles[3 * face + k] as number;
    return fraction === 0 ? sum : sum + fraction * (mesh.positions[3 * vertex + axis] as number);
  }, 0));
}

/** A corner of a patch. */
export function cornerOf(patches: Patches, patch: number, corner: number): Vec3 {
  const at = 9 * patch + 3 * corner;
  return [patches.corners[at] as number, patches.corners[at + 1] as number, patches.corners[at + 2] as number];
}
