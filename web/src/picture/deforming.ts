// The surface of a deforming body. Vertices are replaced in each frame, and normals and feature edges follow them.
//
// Smoothness changes with the shape, so each triangle has separate corners. The normal of a corner averages the
// adjacent triangles that meet its own at a small angle. The adjacency is computed once.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Sphere, Vector3 } from "three";

import { boundingSphere, boundingBox, boxCorners } from "../document/extent.ts";
import type { MeshData } from "../document/playback.ts";
import { sub, type Vec3 } from "../motion/vector.ts";
import { cornerAdjacency, faceNormals, MAX_VALENCE, SMOOTH_COSINE, weldVertices, type CornerAdjacency } from "./surface.ts";

/** Triangles within half of the smooth angle of one direction are all smooth with each other. */
const HALF_SMOOTH_COSINE = Math.cos(Math.acos(SMOOTH_COSINE) / 2);

/** How triangles are connected. */
interface MeshTopology {
  /** The corners at each place; vertices that always coincide are one place. */
  adjacency: CornerAdjacency;
  places: Uint32Array;
  /** Edges, four numbers each: both ends and two triangles. A border or non-manifold edge repeats the same triangle. */
  edges: Uint32Array;
}

export class DeformingSurface {
  readonly geometry = new BufferGeometry();
  readonly edges = new BufferGeometry();
  /** Vertices by the numbers of the file, relative to the mesh's origin. */
  readonly places: Float32Array;
  private readonly corners: Float32Array;
  private readonly normals: Float32Array;
  /** Normals and areas of the triangles. */
  private readonly faces: Float32Array;
  private readonly edgeVertices: Uint32Array;
  private topology: MeshTopology;
  /** Whether vertices that coincided in the file have separated. */
  private isSplit = false;

  /** `where`: whether the box of the mesh contains all shapes, or bounds are recomputed for each shape. */
  constructor(private readonly mesh: MeshData, private readonly where: "in its box" | "goes anywhere" = "in its box") {
    const { triangles, positions, box, origin } = mesh;
    this.places = positions.slice();
    this.topology = topologyOf(triangles, weldVertices(positions));
    this.corners = new Float32Array(triangles.length * 3);
    this.normals = new Float32Array(triangles.length * 3);
    this.faces = new Float32Array((triangles.length / 3) * 4);
    // Separated vertices can double the number of edges.
    this.edgeVertices = new Uint32Array(triangles.length * 2);
    const dynamic = (array: Float32Array | Uint32Array, size: number): BufferAttribute => new BufferAttribute(array, size).setUsage(DynamicDrawUsage);
    this.geometry.setAttribute("position", dynamic(this.corners, 3));
    this.geometry.setAttribute("normal", dynamic(this.normals, 3));
    this.edges.setAttribute("position", dynamic(this.places, 3));
    this.edges.setIndex(dynamic(this.edgeVertices, 1));
    // A sphere around all shapes, so that it need not be updated.
    const [x, y, z] = sub(box.pose.position, origin);
    const ball = (): Sphere => new Sphere(new Vector3(x, y, z), Math.hypot(...box.half) * 1.001);
    this.geometry.boundingSphere = ball();
    this.edges.boundingSphere = ball();
    this.setPositions(positions);
  }

  /** Sets the vertices. */
  setPositions(places: Float32Array): void {
    const { triangles, positions } = this.mesh;
    this.places.set(places);
    if (!this.isSplit && areSeparated(places, this.topology.places)) {
      this.isSplit = true;
      this.topology = topologyOf(triangles, Uint32Array.from({ length: positions.length / 3 }, (_, vertex) => vertex));
    }
    faceNormals({ positions: this.places, triangles }, this.faces);
    const { corners } = this;
    for (let corner = 0; corner < triangles.length; corner += 1) {
      const to = 3 * corner;
      const from = 3 * (triangles[corner] as number);
      corners[to] = places[from] as number;
      corners[to + 1] = places[from + 1] as number;
      corners[to + 2] = places[from + 2] as number;
    }
    this.updateNormals();
    this.updateEdges();
    for (const name of ["position", "normal"]) (this.geometry.getAttribute(name) as BufferAttribute).needsUpdate = true;
    (this.edges.getAttribute("position") as BufferAttribute).needsUpdate = true;
    (this.edges.index as BufferAttribute).needsUpdate = true;
    if (this.where === "goes anywhere") {
      const { centre, radius } = boundingSphere(boundingBox(this.box().map((corner) => sub(corner, this.mesh.origin))));
      for (const geometry of [this.geometry, this.edges]) geometry.boundingSphere?.set(new Vector3(...centre), radius * 1.001);
    }
  }

  /** Corners of the box of the current shape, in the body's frame. */
  box(): Vec3[] {
    const { places, mesh: { origin } } = this;
    const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (let at = 0; at < places.length; at += 1) {
      const [axis, place] = [at % 3, (places[at] as number) + (origin[at % 3] as number)];
      low[axis] = Math.min(low[axis] as number, place);
      high[axis] = Math.max(high[axis] as number, place);
    }
    return boxCorners({ low: low as unknown as Vec3, high: high as unknown as Vec3 });
  }

  /** A point with barycentric coordinates on a triangle, in the body's frame. */
  pointOn(face: number, weights: Vec3): Vec3 {
    const { triangles, origin } = this.mesh;
    const at = (axis: number): number => weights.reduce((sum, fraction, corner) =>
      sum + fraction * (this.places[3 * (triangles[3 * face + corner] as number) + axis] as number), origin[axis] as number);
    return [at(0), at(1), at(2)];
  }

  /** Barycentric coordinates of a point of the body's frame on a triangle. */
  barycentric(face: number, point: Vec3): Vec3 {
    const corner = (k: number): Vec3 => this.pointOn(face, [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0]);
    const [a, b, c] = [corner(0), corner(1), corner(2)];
    const [u, v, w] = [sub(b, a), sub(c, a), sub(point, a)];
    const dot = (p: Vec3, q: Vec3): number => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    const [uu, uv, vv, wu, wv] = [dot(u, u), dot(u, v), dot(v, v), dot(w, u), dot(w, v)];
    const size = uu * vv - uv * uv;
    if (!(size > 0)) return [1, 0, 0];
    const [s, t] = [(wu * vv - wv * uv) / size, (wv * uu - wu * uv) / size];
    return [1 - s - t, s, t];
  }

  private updateNormals(): void {
    const { topology: { adjacency: { offsets, corners } } } = this;
    for (let place = 0; place + 1 < offsets.length; place += 1) {
      const [start, end] = [offsets[place] as number, offsets[place + 1] as number];
      if (start === end || this.shareNormal(start, end)) continue;
      for (let i = start; i < end; i += 1) {
        const face = 4 * Math.floor((corners[i] as number) / 3);
        if (end - start > MAX_VALENCE) this.setCornerNormal(i, i, i + 1, face);
        else this.setCornerNormal(i, start, end, face);
      }
    }
  }

  /** Gives all corners of a place one normal, if all its triangles lie within half of the smooth angle of it. */
  private shareNormal(start: number, end: number): boolean {
    const { normals, faces, topology: { adjacency: { corners } } } = this;
    let sx = 0;
    let sy = 0;
    let sz = 0;
    for (let i = start; i < end; i += 1) {
      const face = 4 * Math.floor((corners[i] as number) / 3);
      const area = faces[face + 3] as number;
      sx += (faces[face] as number) * area;
      sy += (faces[face + 1] as number) * area;
      sz += (faces[face + 2] as number) * area;
    }
    const size = Math.sqrt(sx * sx + sy * sy + sz * sz);
    if (!(size > 0)) return false;
    sx /= size;
    sy /= size;
    sz /= size;
    for (let i = start; i < end; i += 1) {
      const face = 4 * Math.floor((corners[i] as number) / 3);
      if ((faces[face] as number) * sx + (faces[face + 1] as number) * sy + (faces[face + 2] as number) * sz < HALF_SMOOTH_COSINE) return false;
    }
    for (let i = start; i < end; i += 1) {
      const at = 3 * (corners[i] as number);
      normals[at] = sx;
      normals[at + 1] = sy;
      normals[at + 2] = sz;
    }
    return true;
  }

  /** Sets the normal of corner `i` from the corners `from` to `to` whose triangles are smooth with its face. */
  private setCornerNormal(i: number, from: number, to: number, face: number): void {
    const { normals, faces, topology: { adjacency: { corners } } } = this;
    const x = faces[face] as number;
    const y = faces[face + 1] as number;
    const z = faces[face + 2] as number;
    let sx = 0;
    let sy = 0;
    let sz = 0;
    for (let j = from; j < to; j += 1) {
      const other = 4 * Math.floor((corners[j] as number) / 3);
      const ox = faces[other] as number;
      const oy = faces[other + 1] as number;
      const oz = faces[other + 2] as number;
      if (ox * x + oy * y + oz * z < SMOOTH_COSINE) continue;
      const area = faces[other + 3] as number;
      sx += ox * area;
      sy += oy * area;
      sz += oz * area;
    }
    const size = Math.sqrt(sx * sx + sy * sy + sz * sz) || 1;
    const at = 3 * (corners[i] as number);
    normals[at] = sx / size;
    normals[at + 1] = sy / size;
    normals[at + 2] = sz / size;
  }

  private updateEdges(): void {
    const { faces, topology: { edges } } = this;
    let count = 0;
    for (let at = 0; at < edges.length; at += 4) {
      const f = 4 * (edges[at + 2] as number);
      const g = 4 * (edges[at + 3] as number);
      const cosine = (faces[f] as number) * (faces[g] as number)
        + (faces[f + 1] as number) * (faces[g + 1] as number) + (faces[f + 2] as number) * (faces[g + 2] as number);
      if (f !== g && cosine >= SMOOTH_COSINE) continue;
      this.edgeVertices[count] = edges[at] as number;
      this.edgeVertices[count + 1] = edges[at + 1] as number;
      count += 2;
    }
    this.edges.setDrawRange(0, count);
  }
}

function areSeparated(places: Float32Array, first: Uint32Array): boolean {
  for (let vertex = 0; vertex < first.length; vertex += 1) {
    const other = first[vertex] as number;
    if (other === vertex) continue;
    for (let k = 0; k < 3; k += 1) if (places[3 * vertex + k] !== places[3 * other + k]) return true;
  }
  return false;
}

function topologyOf(triangles: Uint32Array, places: Uint32Array): MeshTopology {
  const adjacency = cornerAdjacency(triangles, places);
  const edges: number[] = [];
  const place = (corner: number): number => places[triangles[corner] as number] as number;
  for (let corner = 0; corner < triangles.length; corner += 1) {
    const face = Math.floor(corner / 3);
    const [from, to] = [place(corner), place(3 * face + ((corner + 1) % 3))];
    if (from === to) continue;
    const valence = (at: number): number => (adjacency.offsets[at + 1] as number) - (adjacency.offsets[at] as number);
    const [near, far] = valence(from) <= valence(to) ? [from, to] : [to, from];
    // Only the first triangle of an edge adds it.
    let [count, first, second] = [0, face, face];
    for (let i = adjacency.offsets[near] as number; i < (adjacency.offsets[near + 1] as number); i += 1) {
      const other = Math.floor((adjacency.corners[i] as number) / 3);
      if (place(3 * other) !== far && place(3 * other + 1) !== far && place(3 * other + 2) !== far) continue;
      count += 1;
      first = Math.min(first, other);
      if (other !== face) second = other;
    }
    if (first === face) edges.push(from, to, face, count === 2 ? second : face);
  }
  return { adjacency, places, edges: Uint32Array.from(edges) };
}
