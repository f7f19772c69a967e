// Bodies as they are drawn: one buffer each, however many meshes they have, placed by poses in f64.

import {
  BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, Quaternion, Vector3,
  type Plane, type ShaderMaterial,
} from "three";

import { Caps } from "./caps.ts";
import { cutOpen, showPaint, surfaceMaterial, tint } from "./material.ts";
import type { BodyData, Playback } from "../document/playback.ts";
import { DeformingSurface } from "./skin.ts";
import type { Stage } from "./stage.ts";
import { surfaceOf, type Surface } from "./surface.ts";
import type { Occluder } from "./vantage.ts";
import type { Palette } from "../elements/theme.ts";
import type { BodyPoint } from "../state.ts";
import { add, rotate, sub, toWorld, type Pose, type Vec3 } from "../motion/vector.ts";

/** What of a body is special now. */
export type Role = "plain" | "a" | "b" | "faded" | "touching" | "blocked";

interface BodyObjects {
  group: Group;
  mesh: Mesh<BufferGeometry, ShaderMaterial>;
  edges: LineSegments<BufferGeometry, LineBasicMaterial>;
  /** Of what is drawn, in the body's frame: added to drawn positions, in f64. */
  offset: Vec3;
  /** Of a body that deforms: what gives it its shapes. */
  skin: DeformingSurface | null;
}

interface BodyGeometry {
  geometry: BufferGeometry;
  edges: BufferGeometry;
  offset: Vec3;
}

export class Bodies {
  readonly drawn: BodyObjects[];
  readonly triangles: number;
  readonly caps: Caps;
  private poses: Pose[] = [];

  constructor(private readonly playback: Playback, private readonly stage: Stage, planes: Plane[]) {
    const surfaces = new Map<number, Surface>();
    const shapes = new Map<string, BodyGeometry>();
    this.drawn = playback.bodies.map((body, number) => {
      // Bodies with the same meshes in the same places share their buffers; what deforms has its own.
      const many = body.colours.length > 1 && skinned(body) === "keeps its shape";
      const key = JSON.stringify([body.elements, many ? body.colours : []]);
      const skin = skinOf(playback, body);
      const shape = skin ?? shapes.get(key) ?? (many ? paintedShape : shapeOf)(playback, body, surfaces);
      if (skin === null) shapes.set(key, shape);
      const mesh = new Mesh(shape.geometry, surfaceMaterial(planes, many ? "painted" : "one colour"));
      const edges = new LineSegments(shape.edges, new LineBasicMaterial({ clippingPlanes: planes, transparent: true }));
      mesh.userData = { body: number };
      const group = new Group();
      group.matrixAutoUpdate = false;
      group.add(mesh, edges);
      stage.scene.add(group);
      return { group, mesh, edges, offset: shape.offset, skin: skin?.skin ?? null };
    });
    this.caps = new Caps(stage, this.drawn.map(({ group, mesh: { geometry } }, body) => ({
      group, geometry, meshes: (playback.bodies[body]?.elements ?? []).flatMap(({ mesh }) => playback.meshes[mesh] ?? []),
    })), planes);
    const corners = ({ mesh: { geometry } }: BodyObjects): number => geometry.index?.count ?? geometry.getAttribute("position").count;
    this.triangles = this.drawn.reduce((sum, drawn) => sum + corners(drawn) / 3, 0);
  }

  /** Gives a body that deforms its shape: where its vertices are, relative to the origin of its mesh. */
  reshape(body: number, places: Float32Array): void {
    this.drawn[body]?.skin?.show(places);
    this.stage.invalidate();
  }

  /** The corners of a box around a flexible body as it is, in the body's frame; null of any other. */
  corners(body: number): Vec3[] | null {
    const skin = this.drawn[body]?.skin;
    return skin && this.playback.bodies[body]?.flexible ? skin.box() : null;
  }

  /** A point of a body in the body's frame: on one that deforms it rides on its triangle. */
  point({ body, point, attachment: on }: BodyPoint): Vec3 {
    const skin = this.drawn[body]?.skin;
    return on === undefined || !skin ? point : skin.riding(on.face, on.barycentric);
  }

  /** Bodies as what may stand before a place that is drawn; `clear`: how much light each lets through. */
  screens(bodies: readonly number[], clear: (body: number) => number): Occluder[] {
    return bodies.flatMap((body) => {
      const drawn = this.drawn[body];
      const index = drawn?.mesh.geometry.index;
      if (drawn === undefined || !index) return [];
      const { geometry } = drawn.mesh;
      if (geometry.boundingSphere === null || drawn.skin !== null) geometry.computeBoundingSphere();
      const { center, radius } = geometry.boundingSphere ?? { center: new Vector3(), radius: 0 };
      const within = drawn.group.matrix.clone().invert();
      const turned = new Vector3();
      return [{
        positions: geometry.getAttribute("position").array, triangles: index.array, clear: clear(body),
        ball: { centre: center.toArray(), radius },
        place: (point: Vec3): Vec3 => this.stage.local(point).applyMatrix4(within).toArray(),
        direction: (direction: Vec3): Vec3 => turned.set(...direction).transformDirection(within).toArray(),
      }];
    });
  }

  /** Where the bodies are drawn now. */
  pose(body: number): Pose | undefined {
    return this.poses[body];
  }

  /** Puts all bodies in their places. */
  place(poses: Pose[]): void {
    this.poses = poses;
    poses.forEach((pose, body) => {
      const drawn = this.drawn[body];
      if (drawn === undefined) return;
      drawn.group.matrix.copy(this.matrix(body, pose));
      drawn.group.matrixWorldNeedsUpdate = true;
    });
    this.stage.invalidate();
  }

  /** Where the drawing of a body goes if the body is at `pose`. */
  matrix(body: number, pose: Pose): Matrix4 {
    const offset = this.drawn[body]?.offset ?? [0, 0, 0];
    const [w, x, y, z] = pose.rotation;
    return new Matrix4().compose(
      this.stage.local(toWorld(pose, offset)), new Quaternion(x, y, z, w), new Vector3(1, 1, 1),
    );
  }

  /** A place in a body's frame as it is drawn within the body's group. */
  within(body: number, place: Vec3): Vector3 {
    return new Vector3(...sub(place, this.drawn[body]?.offset ?? [0, 0, 0]));
  }

  /** A place within a body's group in the body's frame. */
  ofBody(body: number, place: Vector3): Vec3 {
    return add([place.x, place.y, place.z], this.drawn[body]?.offset ?? [0, 0, 0]);
  }

  /** Colours by role, and of those that have none those of their files if they are wanted; `shown`: which bodies are shown at all. */
  paint(colours: Palette, roles: readonly Role[], shown: (body: number) => boolean, plain: "as in the file" | "by motion"): void {
    const caps = this.drawn.map(({ group, mesh, edges }, body) => {
      const role = roles[body] ?? "plain";
      const { moves = false, parent = null, colours: fileColours = [] } = this.playback.bodies[body] ?? {};
      const fileColour = plain === "as in the file" && (role === "plain" || role === "faded") ? mainColour(fileColours) : null;
      // Links of a robot that stands can be moved all the same.
      const base = fileColour !== null ? fileColour : moves || parent !== null ? colours.moving : colours.static;
      const colour = { plain: base, faded: base, a: colours.a, b: colours.b, touching: colours.contact, blocked: colours.contact }[role];
      const opacity = role === "faded" ? 0.22 : 1;
      tint(mesh.material, colour, opacity);
      showPaint(mesh.material, fileColour !== null);
      edges.material.color.set(colours.edge);
      // What touches is told by its edges, too.
      edges.material.opacity = role === "faded" ? 0.18 : role === "touching" ? 1 : 0.62;
      mesh.renderOrder = role === "faded" ? 1 : 0;
      edges.renderOrder = role === "faded" ? 2 : 1;
      group.visible = shown(body);
      return { colour, opacity, shown: group.visible };
    });
    this.caps.paint(caps);
    this.stage.invalidate();
  }

  /** How surfaces are drawn. */
  style(style: { wireframe: boolean; edges: boolean; section: boolean }): void {
    for (const { mesh, edges } of this.drawn) {
      mesh.material.wireframe = style.wireframe;
      edges.visible = style.edges && !style.wireframe;
      cutOpen(mesh.material, style.section ? "open" : "whole");
    }
    this.stage.invalidate();
  }
}

const skinned = ({ deforming, flexible }: BodyData): "deforms" | "keeps its shape" => (deforming !== null || flexible ? "deforms" : "keeps its shape");

/** The colour that most of the triangles have. */
function mainColour(colours: BodyData["colours"]): string | null {
  const counts = new Map<string, number>();
  for (const [triangles, colour] of colours) counts.set(colour, (counts.get(colour) ?? 0) + triangles);
  return [...counts].reduce<[string, number] | null>((best, entry) => (best === null || entry[1] > best[1] ? entry : best), null)?.[0] ?? null;
}

/** The same as `shapeOf` with corners of each triangle's own, which have its colour. */
function paintedShape(playback: Playback, body: BodyData, surfaces: Map<number, Surface>): BodyGeometry {
  const shape = shapeOf(playback, body, surfaces);
  const geometry = shape.geometry.toNonIndexed();
  const corners = geometry.getAttribute("position").count;
  const paint = new Float32Array(3 * corners);
  const colour = new Color();
  let at = 0;
  for (const [triangles, told] of body.colours) {
    colour.set(told).convertLinearToSRGB();
    for (const end = Math.min(paint.length, at + 9 * triangles); at < end; at += 3) paint.set([colour.r, colour.g, colour.b], at);
  }
  // What is not told has the last colour.
  for (; at < paint.length; at += 3) paint.set([colour.r, colour.g, colour.b], at);
  geometry.setAttribute("paint", new BufferAttribute(paint, 3));
  geometry.setIndex(new BufferAttribute(Uint32Array.from({ length: corners }, (_, corner) => corner), 1));
  geometry.computeBoundingSphere();
  return { ...shape, geometry };
}

/** What draws a body that deforms, which is one mesh in the body's frame. */
function skinOf(playback: Playback, { deforming, flexible, elements }: BodyData): (BodyGeometry & { skin: DeformingSurface }) | null {
  const mesh = playback.meshes[elements[0]?.mesh ?? -1];
  if (deforming === null && !flexible || mesh === undefined) return null;
  const skin = new DeformingSurface(mesh, flexible ? "goes anywhere" : "in its box");
  return { geometry: skin.geometry, edges: skin.edges, offset: mesh.origin, skin };
}

/** All elements of a body in one buffer; triangles keep the order of elements and files. */
function shapeOf(playback: Playback, body: BodyData, surfaces: Map<number, Surface>): BodyGeometry {
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
    spread(surface.positions, positions, vertices * 3, move);
    spread(surface.normals, normals, vertices * 3, (n) => rotate(frame.rotation, n));
    spread(surface.edges, edges, ends, move);
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

function spread(from: Float32Array, to: Float32Array, at: number, map: (v: Vec3) => Vec3): void {
  for (let i = 0; i < from.length; i += 3) {
    to.set(map([from[i] as number, from[i + 1] as number, from[i + 2] as number]), at + i);
  }
}
