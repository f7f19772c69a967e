// Marks of a contact: the point, the normal from a to b, the approach of a, and both features with their triangles.

import { Group, Vector3, type Object3D } from "three";

import type { Bodies } from "./bodies.ts";
import type { Feature } from "../document/features.ts";
import { PixelSizedObjects, clearGroup, trianglePatch, polyline, segments } from "./lines.ts";
import type { Stage } from "./stage.ts";
import type { Palette } from "../elements/theme.ts";
import { length, type Vec3 } from "../motion/vector.ts";

/** A contact to draw; points and directions in the world. */
export interface ContactMark {
  point: Vec3;
  normal: Vec3;
  /** Velocity of a relative to b, m/s. */
  velocity: Vec3 | null;
  features: readonly Feature[];
}

export class ContactMarks {
  private readonly world = new Group();
  private readonly onBodies: Group[] = [];
  private readonly pixelSized: PixelSizedObjects;

  constructor(private readonly stage: Stage, private readonly bodies: Bodies) {
    this.pixelSized = new PixelSizedObjects(stage);
    stage.scene.add(this.world);
  }

  /** Shows only this contact. */
  show(contact: ContactMark | null, colours: Palette): void {
    this.clear();
    if (contact === null) return;
    const point = this.stage.toScene(contact.point);
    this.pixelSized.addArrow(this.world, point, new Vector3(...contact.normal), { colour: colours.contact, pixels: 92 });
    if (contact.velocity !== null && length(contact.velocity) > 0) {
      const colour = colours.screw;
      const direction = new Vector3(...contact.velocity).normalize();
      this.pixelSized.addArrow(this.world, point, direction, { colour, pixels: 74, ends: "here" });
    }
    this.pixelSized.addSphere(this.world, point, { colour: colours.panel, pixels: 13 });
    this.pixelSized.addSphere(this.world, point, { colour: colours.contact, pixels: 9 });
    contact.features.forEach((feature, side) => this.feature(feature, side === 0 ? colours.a : colours.b, colours));
    this.stage.invalidate();
  }

  private feature(feature: Feature, colour: string, colours: Palette): void {
    const body = this.bodies.objects[feature.body];
    if (body === undefined || feature.corners.length === 0) return;
    const group = new Group();
    body.group.add(group);
    this.onBodies.push(group);
    const within = (place: Vec3): Vector3 => this.bodies.toGroupFrame(feature.body, place);
    const corners = feature.corners.map(within);
    const add = (object: Object3D): void => void group.add(object);
    add(trianglePatch(feature.surface.map(within), feature.kind === "face" ? colours.contact : colour, feature.kind === "face" ? 0.4 : 0.55));
    const outline: Vector3[] = [];
    for (let at = 0; at < feature.surface.length; at += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => within(feature.surface[at + k] as Vec3)) as [Vector3, Vector3, Vector3];
      outline.push(a, b, b, c, c, a);
    }
    add(segments(outline, { colour: colours.contact, width: 1, opacity: 0.8 }));
    if (feature.kind === "edge") add(polyline(corners, { colour: colours.contact, width: 4, through: "through" }));
    if (feature.kind === "face") {
      add(polyline([...corners, corners[0] as Vector3], { colour: colours.contact, width: 2.5, through: "through" }));
    }
    if (feature.kind === "vertex") this.pixelSized.addSphere(group, corners[0] as Vector3, { colour: colours.contact, pixels: 12 });
  }

  private clear(): void {
    for (const group of [this.world, ...this.onBodies]) {
      this.pixelSized.remove(group);
      clearGroup(group);
    }
    for (const group of this.onBodies) group.removeFromParent();
    this.onBodies.length = 0;
    this.stage.invalidate();
  }
}
