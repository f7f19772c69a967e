// Picking a surface with the pointer, and the two measured points.

import { Group, Vector3, type Plane } from "three";

import type { Bodies } from "./bodies.ts";
import { PixelSizedObjects, clearGroup, polyline } from "./lines.ts";
import type { Playback } from "../document/playback.ts";
import type { Stage } from "./stage.ts";
import type { BodyPoint } from "../state.ts";
import type { Palette } from "../elements/theme.ts";
import { toWorld, type Vec3 } from "../motion/vector.ts";

export interface SurfaceHit extends BodyPoint {
  /** Index among the body's meshes, and number of the triangle in its file. */
  element: number;
  face: number;
}

/** The nearest visible surface at a position of the page that is not cut away. */
export function pick(stage: Stage, bodies: Bodies, playback: Playback, at: { x: number; y: number }, planes: readonly Plane[]): SurfaceHit | null {
  const shown = bodies.objects.filter(({ group }) => group.visible).map(({ mesh }) => mesh);
  const hits = stage.ray(at.x, at.y).intersectObjects(shown, false);
  const hit = hits.find(({ point }) => planes.every((plane) => plane.distanceToPoint(point) >= 0));
  if (hit === undefined || hit.faceIndex === undefined || hit.faceIndex === null) return null;
  const body = (hit.object.userData as { body: number }).body;
  const local = hit.object.worldToLocal(hit.point.clone());
  let [element, face] = [0, hit.faceIndex];
  for (const { mesh } of playback.bodies[body]?.elements ?? []) {
    const count = (playback.meshes[mesh]?.triangles.length ?? 0) / 3;
    if (face < count) break;
    face -= count;
    element += 1;
  }
  const point = bodies.toBodyFrame(body, local);
  const skin = bodies.objects[body]?.surface;
  return { body, point, element, face, ...(skin ? { attachment: { face, barycentric: skin.barycentric(face, point) } } : {}) };
}

/** The measured points and the line between them, which move with their bodies. */
export class MeasureMarks {
  private readonly group = new Group();
  private readonly pixelSized: PixelSizedObjects;

  constructor(private readonly stage: Stage, private readonly bodies: Bodies) {
    this.pixelSized = new PixelSizedObjects(stage);
    stage.scene.add(this.group);
  }

  /** Current positions of the points in the world. */
  places(points: readonly BodyPoint[]): Vec3[] {
    return points.flatMap((point) => {
      const pose = this.bodies.pose(point.body);
      return pose === undefined ? [] : [toWorld(pose, this.bodies.pointInBody(point))];
    });
  }

  show(points: readonly BodyPoint[], colours: Palette): void {
    this.pixelSized.remove(this.group);
    clearGroup(this.group);
    const places: Vector3[] = this.places(points).map((place) => this.stage.toScene(place));
    if (places.length === 2) this.group.add(polyline(places, { colour: colours.ink, width: 1.5, through: "through" }));
    for (const place of places) {
      this.pixelSized.addSphere(this.group, place, { colour: colours.panel, pixels: 10 });
      this.pixelSized.addSphere(this.group, place, { colour: colours.ink, pixels: 7 });
    }
    this.stage.invalidate();
  }
}
