// The drawn bodies: one buffer each, for any number of meshes, placed by poses in f64.

import {
  BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, Quaternion, Vector3,
  type Plane, type ShaderMaterial,
} from "three";

import { Caps } from "./caps.ts";
import { setSectionCut, showVertexColours, surfaceMaterial, tint } from "./material.ts";
import type { BodyData, Playback } from "../document/playback.ts";
import { DeformingSurface } from "./deforming.ts";
import type { Stage } from "./stage.ts";
import { surfaceOf, type Surface } from "./surface.ts";
import type { Occluder } from "./viewpoint.ts";
import type { Palette } from "../elements/theme.ts";
import type { BodyPoint } from "../state.ts";
import { add, rotate, sub, toWorld, type Pose, type Vec3 } from "../motion/vector.ts";

/** How a body is highlighted. */
export type Role = "plain" | "a" | "b" | "faded" | "touching" | "blocked";

interface BodyObjects {
  group: Group;
  mesh: Mesh<BufferGeometry, ShaderMaterial>;
  edges: LineSegments<BufferGeometry, LineBasicMaterial>;
  /** Origin of the drawn positions in the body's frame, in f64. */
  offset: Vec3;
  /** The surface of a deforming body. */
  surface: DeformingSurface | null;
}

interface BodyGeometry {
  geometry: BufferGeometry;
  edges: BufferGeometry;
  offset: Vec3;
}

export class Bodies {
  readonly objects: BodyObjects[];
  readonly triangles: number;
  readonly caps: Caps;
  private poses: Pose[] = [];

  constructor(private readonly playback: Playback, private readonly stage: Stage, planes: Plane[]) {
    const surfaces = new Map<number, Surface>();
    const shapes = new Map<string, BodyGeometry>();
    this.objects = playback.bodies.map((body, number) => {
      // Bodies with the same meshes share buffers. Deforming bodies have their own.
      const isMulticoloured = body.colours.length > 1 && deformation(body) === "keeps its shape";
      const key = JSON.stringify([body.elements, isMulticoloured ? body.colours : []]);
      const surface = deformingGeometry(playback, body);
      const shape = surface ?? shapes.get(key) ?? (isMulticoloured ? colouredGeometry : bodyGeometry)(playback, body, surfaces);
      if (surface === null) shapes.set(key, shape);
      const mesh = new Mesh(shape.geometry, surfaceMaterial(planes, isMulticoloured ? "painted" : "one colour"));
      const edges = new LineSegments(shape.edges, new LineBasicMaterial({ clippingPlanes: planes, transparent: true }));
      mesh.userData = { body: number };
      const group = new Group();
      group.matrixAutoUpdate = false;
      group.add(mesh, edges);
      stage.scene.add(group);
      return { group, mesh, edges, offset: shape.offset, surface: surface?.surface ?? null };
    });
    this.caps = new Caps(stage, this.objects.map(({ group, mesh: { geometry } }, body) => ({
      group, geometry, meshes: (playback.bodies[body]?.elements ?? []).flatMap(({ mesh }) => playback.meshes[mesh] ?? []),
    })), planes);
    const corners = ({ mesh: { geometry } }: BodyObjects): number => geometry.index?.count ?? geometry.getAttribute("position").count;
    this.triangles = this.objects.reduce((sum, drawn) => sum + corners(drawn) / 3, 0);
  }

  /** Sets the vertices of a deforming body, relative to the origin of its mesh. */
  setShape(body: number, places: Float32Array): void {
    this.objects[body]?.surface?.setPositions(places);
    this.stage.invalidate();
  }

  /** Corners of the current box of a flexible body, in the body's frame; null for other bodies. */
  corners(body: number): Vec3[] | null {
    const surface = this.objects[body]?.surface;
    return surface && this.playback.bodies[body]?.flexible ? surface.box() : null;
  }

  /** A point in the body's frame; on a deforming body it moves with its triangle. */
  pointInBody({ body, point, attachment: on }: BodyPoint): Vec3 {
    const surface = this.objects[body]?.surface;
    return on === undefined || !surface ? point : surface.pointOn(on.face, on.barycentric);
  }

  /** Bodies that may hide a contact; `transmittance`: fraction of light that a body lets through. */
  occluders(bodies: readonly number[], transmittance: (body: number) => number): Occluder[] {
    return bodies.flatMap((body) => {
      const drawn = this.objects[body];
      const index = drawn?.mesh.geometry.index;
      if (drawn === undefined || !index) return [];
      const { geometry } = drawn.mesh;
      if (geometry.boundingSphere === null || drawn.surface !== null) geometry.computeBoundingSphere();
      const { center, radius } = geometry.boundingSphere ?? { center: new Vector3(), radius: 0 };
      const within = drawn.group.matrix.clone().invert();
      const buffer = new Vector3();
      return [{
        positions: geometry.getAttribute("position").array, triangles: index.array, transmittance: transmittance(body),
        sphere: { centre: center.toArray(), radius },
        place: (point: Vec3): Vec3 => this.stage.toScene(point).applyMatrix4(within).toArray(),
        direction: (direction: Vec3): Vec3 => buffer.set(...direction).transformDirection(within).toArray(),
      }];
    });
  }

  /** The drawn pose of a body. */
  pose(body: number): Pose | undefined {
    return this.poses[body];
  }

  /** Sets the poses of all bodies. */
  setPoses(poses: Pose[]): void {
    this.poses = poses;
    poses.forEach((pose, body) => {
      const drawn = this.objects[body];
      if (drawn === undefined) return;
      drawn.group.matrix.copy(this.objectMatrix(body, pose));
      drawn.group.matrixWorldNeedsUpdate = true;
    });
    this.stage.invalidate();
  }

  /** The matrix of a body's group at `pose`. */
  objectMatrix(body: number, pose: Pose): Matrix4 {
    const offset = this.objects[body]?.offset ?? [0, 0, 0];
    const [w, x, y, z] = pose.rotation;
    return new Matrix4().compose(
      this.stage.toScene(toWorld(pose, offset)), new Quaternion(x, y, z, w), new Vector3(1, 1, 1),
    );
  }

  /** From a body's frame to its group. */
  toGroupFrame(body: number, place: Vec3): Vector3 {
    return new Vector3(...sub(place, this.objects[body]?.offset ?? [0, 0, 0]));
  }

  /** From a body's group to its frame. */
  toBodyFrame(body: number, place: Vector3): Vec3 {
    return add([place.x, place.y, place.z], this.objects[body]?.offset ?? [0, 0, 0]);
  }

  /** Sets colours by role, or colours of the files for bodies without a role. `shown`: whether a body is visible. */
  setColours(colours: Palette, roles: readonly Role[], shown: (body: number) => boolean, plain: "as in the file" | "by motion"): void {
    const caps = this.objects.map(({ group, mesh, edges }, body) => {
      const role = roles[body] ?? "plain";
      const { moves = false, parent = null, colours: fileColours = [] } = this.playback.bodies[body] ?? {};
      const fileColour = plain === "as in the file" && (role === "plain" || role === "faded") ? mainColour(fileColours) : null;
      // Links of a robot can move, even if its playback is static.
      const base = fileColour !== null ? fileColour : moves || parent !== null ? colours.moving : colours.static;
      const colour = { plain: base, faded: base, a: colours.a, b: colours.b, touching: colours.contact, blocked: colours.contact }[role];
      const opacity = role === "faded" ? 0.22 : 1;
      tint(mesh.material, colour, opacity);
      showVertexColours(mesh.material, fileColour !== null);
      edges.material.color.set(colours.edge);
      // Edges also mark touching bodies, in addition to the colour.
      edges.material.opacity = role === "faded" ? 0.18 : role === "touching" ? 1 : 0.62;
      mesh.renderOrder = role === "faded" ? 1 : 0;
      edges.renderOrder = role === "faded" ? 2 : 1;
      group.visible = shown(body);
      return { colour, opacity, shown: group.visible };
    });
    this.caps.setColours(caps);
    this.stage.invalidate();
  }

  /** Sets wireframe, edges and section. */
  setStyle(style: { wireframe: boolean; edges: boolean; section: boolean }): void {
    for (const { mesh, edges } of this.objects) {
      mesh.material.wireframe = style.wireframe;
      edges.visible = style.edges && !style.wireframe;
      setSectionCut(mesh.material, style.section ? "open" : "whole");
    }
    this.stage.invalidate();
  }
}

const deformation = ({ deforming, flexible }: BodyData): "deforms" | "keeps its shape" => (deforming !== null || flexible ? "deforms" : "keeps its shape");

/** The colour with the most triangles. */
function mainColour(colours: BodyData["colours"]): string | null {
  const counts = new Map<string, number>();
  for (const [triangles, colour] of colours) counts.set(colour, (counts.get(colour) ?? 0) + triangles);
  return [...counts].reduce<[string, number] | null>((best, entry) => (best === null || entry[1] > best[1] ? entry : best), null)?.[0] ?? null;
}

/** Like `bodyGeometry`, with separate corners for each triangle, which have the triangle's colour. */
function colouredGeometry(playback: Playback, body: BodyData, surfaces: Map<number, Surface>): BodyGeometry {
  const shape = bodyGeometry(playback, body, surfaces);
  const geometry = shape.geometry.toNonIndexed();
  const corners = geometry.getAttribute("position").count;
  const paint = new Float32Array(3 * corners);
  const colour = new Color();
  let at = 0;
  for (const [triangles, hex] of body.colours) {
    colour.set(hex).convertLinearToSRGB();
    for (const end = Math.min(paint.length, at + 9 * triangles); at < end; at += 3) paint.set([colour.r, colour.g, colour.b], at);
  }
  // Triangles without a colour get the last one.
  for (; at < paint.length; at += 3) paint.set([colour.r, colour.g, colour.b], at);
  geometry.setAttribute("paint", new BufferAttribute(paint, 3));
  geometry.setIndex(new BufferAttribute(Uint32Array.from({ length: corners }, (_, corner) => corner), 1));
  geometry.computeBoundingSphere();
  return { ...shape, geometry };
}

/** Geometry of a deforming body, which is one mesh in the body's frame. */
function deformingGeometry(playback: Playback, { deforming, flexible, elements }: BodyData): (BodyGeometry & { surface: DeformingSurface }) | null {
  const mesh = playback.meshes[elements[0]?.mesh ?? -1];
  if (deforming === null && !flexible || mesh === undefined) return null;
  const surface = new DeformingSurface(mesh, flexible ? "goes anywhere" : "in its box");
  return { geometry: surface.geometry, edges: surface.edges, offset: mesh.origin, surface };
}

/** All meshes of a body in one buffer; triangles keep their order. */
function bodyGeometry(playback: Playback, body: BodyData, surfaces: Map<number, Surface>): BodyGeometry {
  const parts = body.elements.map(({ mesh, frame }) => {
    const data = playback.meshes[mesh];
    if (data === undefined) throw new Error(`body ${body.name} names mesh ${mesh}, which is missing`);
    const surface = surfaces.get(mesh) ?? surfaceOf(data);
    surfaces.set(mesh, surface);
    return { surface, frame, origin: data.origin };
  });
  const first = parts[0];
  const offset: Vec3 = first === undefined ? [0, 0, 0] : toWorld(first.frame, first.origin);
  const total = (count: (surface: Surface) => number): number => parts.reduce((sum, part) => sum + count(part.surface), 0);
  const positions = new Float32Array(total((s) => s.positions.length));
  const normals = new Float32Array(positions.length);
  const triangles = new Uint32Array(total((s) => s.triangles.length));
  const edges = new Float32Array(total((s) => s.edges.length));
  let [vertices, corners, ends] = [0, 0, 0];
  for (const { surface, frame, origin } of parts) {
    const move = (p: Vec3): Vec3 => sub(toWorld(frame, add(origin, p)), offset);
    mapVectors(surface.positions, positions, vertices * 3, move);
    mapVectors(surface.normals, normals, vertices * 3, (n) => rotate(frame.rotation, n));
    mapVectors(surface.edges, edges, ends, move);
    for (let at = 0; at < surface.triangles.length; at += 1) triangles[corners + at] = (surface.triangles[at] as number) + vertices;
    vertices += surface.positions.length / 3;
    corners += surface.triangles.length;
    ends += surface.edges.length;
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  geometry.computeBoundingSphere();
  const lines = new BufferGeometry();
  lines.setAttribute("position", new BufferAttribute(edges, 3));
  return { geometry, edges: lines, offset };
}

function mapVectors(from: Float32Array, to: Float32Array, at: number, map: (v: Vec3) => Vec3): void {
  for (let i = 0; i < from.length; i += 3) {
    to.set(map([from[i] as number, from[i + 1] as number, from[i + 2] as number]), at + i);
  }
}
