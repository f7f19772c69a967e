// Visualises the motion: ghosts of bodies at other times, the axis and helix of a body's screw, and the path of a
// point.

import { Group, LineBasicMaterial, LineSegments, Mesh, Vector3 } from "three";

import type { Bodies } from "./bodies.ts";
import { PixelSizedObjects, clearGroup, polyline } from "./lines.ts";
import { surfaceMaterial, tint } from "./material.ts";
import type { Playback } from "../document/playback.ts";
import { axisPoint, screwPoint, type Screw } from "../motion/screw.ts";
import { DeformingSurface } from "./deforming.ts";
import type { Stage } from "./stage.ts";
import type { BodyPoint } from "../state.ts";
import type { Palette } from "../elements/theme.ts";
import type { Segment } from "../motion/track.ts";
import { add, dot, scale, sub, toWorld, type Vec3 } from "../motion/vector.ts";

/** Maximum number of points of a path. */
const MAX_POINTS = 20_000;

export class Traces {
  private readonly ghosts = new Group();
  private readonly screws = new Group();
  private readonly paths = new Group();
  private readonly pixelSized: PixelSizedObjects;

  constructor(private readonly playback: Playback, private readonly stage: Stage, private readonly bodies: Bodies) {
    this.pixelSized = new PixelSizedObjects(stage);
    stage.scene.add(this.ghosts, this.screws, this.paths);
  }

  /** Shows ghosts of bodies. `shape`: vertices of a deforming body at a time; null while they are loading. */
  showGhosts(
    ghosts: readonly { body: number; time: number; colour: string }[], colours: Palette,
    shape: (body: number, time: number) => Float32Array | null,
  ): void {
    clearGroup(this.ghosts);
    for (const { body, time, colour } of ghosts) {
      const [drawn, data] = [this.bodies.objects[body], this.playback.bodies[body]];
      const mesh = this.playback.meshes[data?.elements[0]?.mesh ?? -1];
      if (drawn === undefined || data === undefined || mesh === undefined) continue;
      let skin: DeformingSurface | null = null;
      if (drawn.surface !== null) {
        const places = shape(body, time);
        if (places === null) continue;
        skin = new DeformingSurface(mesh);
        skin.setPositions(places);
      }
      const material = surfaceMaterial([]);
      tint(material, colour, 0.2);
      const surface = new Mesh(skin?.geometry ?? drawn.mesh.geometry, material);
      const lines = new LineBasicMaterial({ color: colours.ink, transparent: true, opacity: 0.3 });
      const edges = new LineSegments(skin?.edges ?? drawn.edges.geometry, lines);
      // These buffers are shared with the body, so they must not be disposed.
      if (skin === null) for (const object of [surface, edges]) object.userData["shared"] = true;
      const group = new Group();
      group.matrixAutoUpdate = false;
      group.matrix.copy(this.bodies.objectMatrix(body, data.track.pose(time)));
      surface.renderOrder = 2;
      edges.renderOrder = 2;
      group.add(surface, edges);
      this.ghosts.add(group);
    }
    this.stage.invalidate();
  }

  /**
   * Shows the axis and helix of a segment; the helix is the path of `point`, given in the world at the segment's start.
   */
  showScrew(segment: Segment | null, point: Vec3, colours: Palette): void {
    this.pixelSized.remove(this.screws);
    clearGroup(this.screws);
    this.stage.invalidate();
    if (segment === null) return;
    const { screw } = segment;
    const helix = helixOf(screw, point).map((place) => this.stage.toScene(place));
    if (helix.length > 1) this.screws.add(polyline(helix, { colour: colours.screw, width: 2.5, through: "through", opacity: 0.9 }));
    const line = axisLine(screw, point);
    if (line === null) return;
    const [from, to] = line.map((place) => this.stage.toScene(place)) as [Vector3, Vector3];
    const dash = Math.max(from.distanceTo(to) / 60, 1e-12);
    this.screws.add(polyline([from, to], { colour: colours.screw, width: 1.5, dash, through: "through" }));
    const direction = new Vector3(...screw.direction);
    this.pixelSized.addArrow(this.screws, to, direction, { colour: colours.screw, pixels: 34 });
  }

  /** Shows the path of a point of a body over the whole time. */
  showPath(traced: BodyPoint | null, colours: Palette): void {
    this.pixelSized.remove(this.paths);
    clearGroup(this.paths);
    this.stage.invalidate();
    if (traced === null) return;
    for (const run of sweptPath(this.playback, traced)) {
      const points = run.map((place) => this.stage.toScene(place));
      if (points.length > 1) this.paths.add(polyline(points, { colour: colours.trace, width: 2, through: "through" }));
      const ends = [points[0], points[points.length - 1]];
      for (const end of ends) if (end) this.pixelSized.addSphere(this.paths, end, { colour: colours.trace, pixels: 6 });
    }
  }
}

/** The path of a point along a screw, from start to end. */
export function helixOf(screw: Screw, point: Vec3): Vec3[] {
  const steps = Math.max(1, Math.min(720, Math.ceil(screw.angle / 0.04)));
  return Array.from({ length: steps + 1 }, (_, i) => screwPoint(screw, point, i / steps));
}

/** The part of the axis beside the path of a point, slightly longer; null without rotation. */
export function axisLine(screw: Screw, point: Vec3): [Vec3, Vec3] | null {
  const place = axisPoint(screw);
  if (place === null) return null;
  const start = dot(sub(point, place), screw.direction);
  const [low, high] = [Math.min(start, start + screw.slide), Math.max(start, start + screw.slide)];
  const radius = Math.hypot(...sub(sub(point, place), scale(screw.direction, start)));
  const extension = Math.max((high - low) * 0.25, radius * 0.6);
  const at = (along: number): Vec3 => add(place, scale(screw.direction, along));
  return [at(low - extension), at(high + extension)];
}

/** The path of a point, split at jumps. */
export function sweptPath(playback: Playback, traced: BodyPoint): Vec3[][] {
  const track = playback.bodies[traced.body]?.track;
  if (track === undefined) return [];
  const maxSteps = Math.max(1, Math.floor(MAX_POINTS / track.count));
  const runs: Vec3[][] = [[toWorld(track.key(0), traced.point)]];
  for (let key = 0; key + 1 < track.count; key += 1) {
    const segment = track.segment(track.time(key));
    if (track.time(key) === track.time(key + 1) || segment === null) {
      runs.push([toWorld(track.key(key + 1), traced.point)]);
      continue;
    }
    const steps = Math.max(1, Math.min(maxSteps, Math.ceil(segment.screw.angle / 0.05)));
    const from = toWorld(segment.screw.start, traced.point);
    const run = runs[runs.length - 1] as Vec3[];
    for (let i = 1; i <= steps; i += 1) run.push(screwPoint(segment.screw, from, i / steps));
  }
  return runs;
}
