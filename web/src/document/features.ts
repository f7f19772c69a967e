// The features of a contact on a body: triangles, edges and vertices of its meshes, by the numbers of the file.

import type { BodyData, MeshData, Playback } from "./playback.ts";
import type { ContactPlace } from "./report.ts";
import { add, cross, distance, dot, length, scale, sub, toBody, toWorld, type Pose, type Vec3 } from "../motion/vector.ts";

export interface Feature {
  readonly body: number;
  readonly kind: "vertex" | "edge" | "face" | "round surface";
  /** Number of the vertex, ends of the edge, or number of the face; empty for a round surface. */
  readonly numbers: readonly number[];
  /** Index among the body's meshes. */
  readonly element: number;
  /** Triangles of that mesh that contain the feature. */
  readonly triangles: readonly number[];
  /** One, two or three corners, in the body's frame. */
  readonly corners: readonly Vec3[];
  /** Corners of `triangles`, three each, in the body's frame. */
  readonly surface: readonly Vec3[];
}

/**
 * The feature of body `side` of a contact. `pose` is the body's pose at the contact. `shape` has the vertices of a
 * deforming body; null if they are not loaded, which leaves the feature without corners.
 */
export function featureOf(
  playback: Playback, body: number, side: "a" | "b", contact: ContactPlace, pose: Pose, shape?: Float32Array | null,
): Feature {
  const numbers = contact[side];
  const kind = featureKind(contact, side);
  const noFeature: Feature = { body, kind: "round surface", numbers: [], element: 0, triangles: [], corners: [], surface: [] };
  const data = playback.bodies[body];
  if (data === undefined || kind === "round surface") return noFeature;
  if (shape !== undefined) return featureOnElement(playback, data, 0, { body, kind, numbers }, shape) ?? noFeature;
  const place = toBody(pose, contact.point);
  // A link may have several meshes. The report does not say which one the numbers are for, so take the nearest.
  let [best, minDistance] = [noFeature, Infinity];
  data.elements.forEach((_, element) => {
    const found = featureOnElement(playback, data, element, { body, kind, numbers });
    if (found === null) return;
    const separation = distanceTo(found.corners, place);
    if (separation < minDistance) [best, minDistance] = [found, separation];
  });
  return best;
}

function featureKind(contact: ContactPlace, side: "a" | "b"): Feature["kind"] {
  if (contact[side].length === 0) return "round surface";
  if (contact.kind === "edge-edge") return "edge";
  if (contact.kind === "surfaces") return "face";
  return (contact.kind === "vertex-face") === (side === "a") ? "vertex" : "face";
}

function featureOnElement(
  playback: Playback, body: BodyData, element: number, feature: Pick<Feature, "body" | "kind" | "numbers">, shape?: Float32Array | null,
): Feature | null {
  const { mesh, frame } = body.elements[element] ?? { mesh: -1, frame: null };
  const data = playback.meshes[mesh];
  if (data === undefined || frame === null) return null;
  const limit = feature.kind === "face" ? data.triangles.length / 3 : data.positions.length / 3;
  if (feature.numbers.some((number) => number >= limit)) return null;
  const at = (vertex: number): Vec3 => toWorld(frame, vertexPosition({ ...data, positions: shape ?? data.positions }, vertex));
  const vertices = feature.kind === "face" ? triangle(data, feature.numbers[0] as number) : feature.numbers;
  // Vertices of a deforming body may coincide for a while without being the same.
  const matchBy = shape === undefined ? "place" : "number";
  const triangles = feature.kind === "face" ? [...feature.numbers] : trianglesWith(data, vertices, matchBy);
  if (shape === null) return { ...feature, element, triangles, corners: [], surface: [] };
  return {
    ...feature, element, triangles, corners: vertices.map(at),
    surface: triangles.flatMap((face) => triangle(data, face).map(at)),
  };
}

function triangle(mesh: MeshData, face: number): number[] {
  return [0, 1, 2].map((corner) => mesh.triangles[3 * face + corner] as number);
}

/** A vertex in the mesh's frame, in f64. */
export function vertexPosition(mesh: Pick<MeshData, "positions" | "origin">, vertex: number): Vec3 {
  const p = (axis: number): number => (mesh.positions[3 * vertex + axis] as number) + (mesh.origin[axis] as number);
  return [p(0), p(1), p(2)];
}

/** The triangles that contain these vertices. By place, vertices with equal coordinates count as the same. */
export function trianglesWith(mesh: MeshData, vertices: readonly number[], matchBy: "place" | "number" = "place"): number[] {
  const p = mesh.positions;
  const same = (x: number, y: number): boolean =>
    x === y || (matchBy === "place" && p[3 * x] === p[3 * y] && p[3 * x + 1] === p[3 * y + 1] && p[3 * x + 2] === p[3 * y + 2]);
  const found: number[] = [];
  for (let face = 0; 3 * face < mesh.triangles.length; face += 1) {
    const has = vertices.every((vertex) => {
      for (let k = 0; k < 3; k += 1) if (same(mesh.triangles[3 * face + k] as number, vertex)) return true;
      return false;
    });
    if (has) found.push(face);
  }
  return found;
}

/** Distance from a point to a vertex, an edge or a triangle. */
export function distanceTo(corners: readonly Vec3[], point: Vec3): number {
  const [a, b, c] = corners;
  if (a === undefined) return Infinity;
  if (b === undefined) return distance(a, point);
  if (c === undefined) return distanceToSegment(a, b, point);
  const normal = cross(sub(b, a), sub(c, a));
  const size = length(normal);
  const edges: [Vec3, Vec3][] = [[a, b], [b, c], [c, a]];
  const inside = size > 0 && edges.every(([from, to]) => dot(cross(sub(to, from), sub(point, from)), normal) >= 0);
  if (inside) return Math.abs(dot(sub(point, a), normal)) / size;
  return Math.min(...edges.map(([from, to]) => distanceToSegment(from, to, point)));
}

function distanceToSegment(a: Vec3, b: Vec3, point: Vec3): number {
  const along = sub(b, a);
  const square = dot(along, along);
  const fraction = square > 0 ? Math.min(1, Math.max(0, dot(sub(point, a), along) / square)) : 0;
  return distance(add(a, scale(along, fraction)), point);
}
