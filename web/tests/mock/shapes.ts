// Triangles of simple things, for documents that tests make.

import type { PlaybackDocument } from "../../src/document/playback.ts";

export type Mesh = PlaybackDocument["meshes"][number];

const base64 = (array: Float32Array | Uint32Array | Float64Array): string => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");

/** A mesh of these numbers; the box is the one along its axes. */
export function mesh(positions: readonly number[], triangles: readonly number[]): Mesh {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  positions.forEach((value, at) => {
    low[at % 3] = Math.min(low[at % 3] as number, value);
    high[at % 3] = Math.max(high[at % 3] as number, value);
  });
  const middle = low.map((value, axis) => (value + (high[axis] as number)) / 2);
  const half = low.map((value, axis) => ((high[axis] as number) - value) / 2) as [number, number, number];
  return {
    origin: [0, 0, 0], positions: base64(new Float32Array(positions)), triangles: base64(new Uint32Array(triangles)),
    box: { pose: [...middle, 1, 0, 0, 0], half },
  };
}

/** A box of these full sizes; vertex k is at the low or high end of axis i by bit i of k. */
export function box(x: number, y: number, z: number): Mesh {
  const positions: number[] = [];
  for (let k = 0; k < 8; k += 1) positions.push(k & 1 ? x / 2 : -x / 2, k & 2 ? y / 2 : -y / 2, k & 4 ? z / 2 : -z / 2);
  return mesh(positions, [
    0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
    2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5,
  ]);
}

/** A torus about z with `around` times `tube` quads. */
export function torus(radius: number, thickness: number, around: number, tube: number): Mesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i < around; i += 1) for (let j = 0; j < tube; j += 1) {
    const [u, v] = [(2 * Math.PI * i) / around, (2 * Math.PI * j) / tube];
    const r = radius + thickness * Math.cos(v);
    positions.push(r * Math.cos(u), r * Math.sin(u), thickness * Math.sin(v));
    const at = (a: number, b: number): number => (a % around) * tube + (b % tube);
    triangles.push(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1));
  }
  return mesh(positions, triangles);
}

/** Keys t, x, y, z, qw, qx, qy, qz as a document has them. */
export const keys = (rows: readonly (readonly number[])[]): string => base64(new Float64Array(rows.flat()));

/** About z. */
export const aboutZ = (angle: number): number[] => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
