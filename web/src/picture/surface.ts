// Smooth normals and feature edges of a mesh. Vertices at one place count as one, whatever their numbers in the file.

import type { MeshData } from "../document/playback.ts";

export interface Surface {
  /** Relative to the mesh's origin. */
  positions: Float32Array;
  normals: Float32Array;
  triangles: Uint32Array;
  /** Ends of feature edges, six numbers each. */
  edges: Float32Array;
}

/** Triangles that meet at a smaller angle are smooth. */
export const SMOOTH_COSINE = Math.cos((32 * Math.PI) / 180);

/** Places with more triangles are shaded flat, because the work at a place is quadratic in their number. */
export const MAX_VALENCE = 96;

/** The surface of a mesh, in time linear in its triangles. */
export function surfaceOf(mesh: MeshData): Surface {
  const places = weldVertices(mesh.positions);
  const faces = faceNormals(mesh);
  const adjacency = cornerAdjacency(mesh.triangles, places);
  const { positions, normals, triangles } = smoothNormals(mesh, places, faces, adjacency);
  return { positions, normals, triangles, edges: featureEdges(mesh, places, faces, adjacency) };
}

/** For each vertex, the first vertex at the same place. */
export function weldVertices(positions: Float32Array): Uint32Array {
  const count = positions.length / 3;
  const bits = new Uint32Array(positions.buffer, positions.byteOffset, positions.length);
  const size = 1 << Math.max(4, Math.ceil(Math.log2(count * 2 + 1)));
  const table = new Int32Array(size).fill(-1);
  const places = new Uint32Array(count);
  for (let vertex = 0; vertex < count; vertex += 1) {
    const at = 3 * vertex;
    // Both signs of zero are the same place.
    const word = (k: number): number => (positions[at + k] === 0 ? 0 : (bits[at + k] as number));
    let slot = Math.imul(word(0), 0x9e3779b1) ^ Math.imul(word(1), 0x85ebca6b) ^ Math.imul(word(2), 0xc2b2ae35);
    slot = (slot ^ (slot >>> 15)) & (size - 1);
    for (;;) {
      const other = table[slot] as number;
      if (other < 0) {
        table[slot] = vertex;
        places[vertex] = vertex;
        break;
      }
      const o = 3 * other;
      if (positions[o] === positions[at] && positions[o + 1] === positions[at + 1] && positions[o + 2] === positions[at + 2]) {
        places[vertex] = other;
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
  return places;
}

/** Unit normals of all triangles with the area as a fourth number, written to `out` if given. */
export function faceNormals({ positions: p, triangles }: Pick<MeshData, "positions" | "triangles">, out: Float32Array = new Float32Array((triangles.length / 3) * 4)): Float32Array {
  for (let face = 0; face * 3 < triangles.length; face += 1) {
    // Unrolled, because it runs for every frame of a deforming body.
    const a = 3 * (triangles[3 * face] as number);
    const b = 3 * (triangles[3 * face + 1] as number);
    const c = 3 * (triangles[3 * face + 2] as number);
    const ux = (p[b] as number) - (p[a] as number);
    const uy = (p[b + 1] as number) - (p[a + 1] as number);
    const uz = (p[b + 2] as number) - (p[a + 2] as number);
    const vx = (p[c] as number) - (p[a] as number);
    const vy = (p[c + 1] as number) - (p[a + 1] as number);
    const vz = (p[c + 2] as number) - (p[a + 2] as number);
    const x = uy * vz - uz * vy;
    const y = uz * vx - ux * vz;
    const z = ux * vy - uy * vx;
    const size = Math.sqrt(x * x + y * y + z * z);
    const fraction = size > 0 ? 1 / size : 0;
    out[4 * face] = x * fraction;
    out[4 * face + 1] = y * fraction;
    out[4 * face + 2] = z * fraction;
    out[4 * face + 3] = size;
  }
  return out;
}

export interface CornerAdjacency {
  /** Start of each place in `corners`; one more than places. */
  offsets: Uint32Array;
  /** Corners: three times the triangle plus the corner's index in it. */
  corners: Uint32Array;
}

/** The corners at each place. */
export function cornerAdjacency(triangles: Uint32Array, places: Uint32Array): CornerAdjacency {
  const offsets = new Uint32Array(places.length + 1);
  for (let corner = 0; corner < triangles.length; corner += 1) {
    const place = places[triangles[corner] as number] as number;
    offsets[place + 1] = (offsets[place + 1] as number) + 1;
  }
  for (let place = 0; place < places.length; place += 1) offsets[place + 1] = (offsets[place + 1] as number) + (offsets[place] as number);
  const next = offsets.slice(0, -1);
  const corners = new Uint32Array(triangles.length);
  for (let corner = 0; corner < triangles.length; corner += 1) {
    const place = places[triangles[corner] as number] as number;
    const at = next[place] as number;
    corners[at] = corner;
    next[place] = at + 1;
  }
  return { offsets, corners };
}

/** One vertex for each place and smooth patch around it. */
function smoothNormals(mesh: MeshData, places: Uint32Array, faces: Float32Array, adjacency: CornerAdjacency): Omit<Surface, "edges"> {
  const triangles = new Uint32Array(mesh.triangles.length);
  const positions = new Float32Array(mesh.triangles.length * 3);
  const normals = new Float32Array(mesh.triangles.length * 3);
  let vertices = 0;
  for (let place = 0; place < places.length; place += 1) {
    const [start, end] = [adjacency.offsets[place] as number, adjacency.offsets[place + 1] as number];
    const firstVertex = vertices;
    for (let i = start; i < end; i += 1) {
      const corner = adjacency.corners[i] as number;
      const face = 4 * Math.floor(corner / 3);
      const [x, y, z] = [faces[face] as number, faces[face + 1] as number, faces[face + 2] as number];
      let [sx, sy, sz] = [0, 0, 0];
      const [from, to] = end - start > MAX_VALENCE ? [i, i + 1] : [start, end];
      for (let j = from; j < to; j += 1) {
        const other = 4 * Math.floor((adjacency.corners[j] as number) / 3);
        const [ox, oy, oz] = [faces[other] as number, faces[other + 1] as number, faces[other + 2] as number];
        if (ox * x + oy * y + oz * z >= SMOOTH_COSINE) {
          const area = faces[other + 3] as number;
          sx += ox * area;
          sy += oy * area;
          sz += oz * area;
        }
      }
      const size = Math.hypot(sx, sy, sz) || 1;
      [sx, sy, sz] = [sx / size, sy / size, sz / size];
      let found = -1;
      for (let v = Math.max(firstVertex, vertices - MAX_VALENCE); v < vertices && found < 0; v += 1) {
        const n = 3 * v;
        const cosine = sx * (normals[n] as number) + sy * (normals[n + 1] as number) + sz * (normals[n + 2] as number);
        if (cosine > 0.9999) found = v;
      }
      if (found < 0) {
        found = vertices;
        vertices += 1;
        for (let k = 0; k < 3; k += 1) positions[3 * found + k] = mesh.positions[3 * place + k] as number;
        normals.set([sx, sy, sz], 3 * found);
      }
      triangles[corner] = found;
    }
  }
  return { positions: positions.slice(0, vertices * 3), normals: normals.slice(0, vertices * 3), triangles };
}

/** Edges between triangles at a large angle, borders, and edges with more than two triangles. */
function featureEdges(mesh: MeshData, places: Uint32Array, faces: Float32Array, adjacency: CornerAdjacency): Float32Array {
  const { triangles, positions } = mesh;
  const out: number[] = [];
  const place = (corner: number): number => places[triangles[corner] as number] as number;
  // A degenerate triangle is not part of a surface; its neighbours meet along it.
  const isDegenerate = (face: number): boolean => {
    const [a, b, c] = [place(3 * face), place(3 * face + 1), place(3 * face + 2)];
    return a === b || b === c || c === a;
  };
  for (let corner = 0; corner < triangles.length; corner += 1) {
    const face = Math.floor(corner / 3);
    const [from, to] = [place(corner), place(3 * face + ((corner + 1) % 3))];
    if (isDegenerate(face)) continue;
    // Visits the triangles that contain both ends, from the end with fewer triangles. The first triangle adds the edge.
    const valenceOf = (at: number): number => (adjacency.offsets[at + 1] as number) - (adjacency.offsets[at] as number);
    const [near, far] = valenceOf(from) <= valenceOf(to) ? [from, to] : [to, from];
    let [count, cosine, first] = [0, 1, face];
    for (let i = adjacency.offsets[near] as number; i < (adjacency.offsets[near + 1] as number); i += 1) {
      const other = Math.floor((adjacency.corners[i] as number) / 3);
      const has = place(3 * other) === far || place(3 * other + 1) === far || place(3 * other + 2) === far;
      if (!has || isDegenerate(other)) continue;
      count += 1;
      if (other < first) first = other;
      if (other !== face) {
        const [f, o] = [4 * face, 4 * other];
        cosine = (faces[f] as number) * (faces[o] as number)
          + (faces[f + 1] as number) * (faces[o + 1] as number) + (faces[f + 2] as number) * (faces[o + 2] as number);
      }
    }
    if (first !== face || (count === 2 && cosine >= SMOOTH_COSINE)) continue;
    for (const end of [from, to]) for (let k = 0; k < 3; k += 1) out.push(positions[3 * end + k] as number);
  }
  return new Float32Array(out);
}
