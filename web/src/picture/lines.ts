// Lines with a width in pixels, and arrows and points of constant size on the screen.

import {
  BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, Group, LineBasicMaterial, LineSegments, Mesh,
  MeshBasicMaterial, Object3D, Quaternion, SphereGeometry, Vector3,
} from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

import type { Stage } from "./stage.ts";

export interface LineStyle {
  colour: string;
  /** In pixels. */
  width: number;
  /** Visible through surfaces. */
  through?: "through";
  /** Length of dashes, metres. */
  dash?: number;
  opacity?: number;
}

/** Segments between pairs of points. */
export function segments(points: readonly Vector3[], style: LineStyle): Object3D {
  const numbers = points.flatMap((point) => [point.x, point.y, point.z]);
  const geometry = new LineSegmentsGeometry();
  geometry.setPositions(numbers);
  const material = new LineMaterial({
    color: style.colour, linewidth: style.width, dashed: style.dash !== undefined,
    dashSize: style.dash ?? 1, gapSize: (style.dash ?? 1) * 0.7,
    transparent: true, opacity: style.opacity ?? 1,
    depthTest: style.through === undefined, depthWrite: false,
  });
  const object = new LineSegments2(geometry, material);
  if (style.dash !== undefined) object.computeLineDistances();
  object.renderOrder = style.through === undefined ? 5 : 10;
  object.frustumCulled = false;
  return object;
}

/** A line through all points. */
export function polyline(points: readonly Vector3[], style: LineStyle): Object3D {
  const pairs: Vector3[] = [];
  for (let at = 0; at + 1 < points.length; at += 1) pairs.push(points[at] as Vector3, points[at + 1] as Vector3);
  return segments(pairs, style);
}

/** Thin segments, which are cheap to draw. */
export function thinLines(points: readonly Vector3[], colour: string, opacity: number): Object3D {
  const geometry = new BufferGeometry().setFromPoints([...points]);
  const object = new LineSegments(geometry, new LineBasicMaterial({ color: colour, transparent: opacity < 1, opacity }));
  object.frustumCulled = false;
  object.renderOrder = 4;
  return object;
}

/** Flat triangles, three corners each, drawn on top of their surface. */
export function trianglePatch(corners: readonly Vector3[], colour: string, opacity: number): Object3D {
  const geometry = new BufferGeometry().setFromPoints([...corners]);
  const index = new Uint32Array(corners.length).map((_, at) => at);
  geometry.setIndex(new BufferAttribute(index, 1));
  const material = new MeshBasicMaterial({
    color: colour, transparent: true, opacity, side: 2, depthWrite: false,
    polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2,
  });
  const object = new Mesh(geometry, material);
  object.renderOrder = 3;
  object.frustumCulled = false;
  return object;
}

/** Objects whose size on the screen does not depend on the distance. */
export class PixelSizedObjects {
  private readonly pixelSizes = new Map<Object3D, number>();

  constructor(private readonly stage: Stage) {
    stage.onFrame(() => {
      const place = new Vector3();
      for (const [object, pixels] of this.pixelSizes) {
        object.getWorldPosition(place);
        object.scale.setScalar(stage.metresPerPixel(place) * pixels);
      }
    });
  }

  /** Adds a ball with a diameter in pixels to `parent`. */
  addSphere(parent: Object3D, place: Vector3, style: { colour: string; pixels: number }): void {
    const material = new MeshBasicMaterial({ color: style.colour, depthTest: false, transparent: true });
    const object = new Mesh(new SphereGeometry(0.5, 20, 14), material);
    object.position.copy(place);
    object.renderOrder = 12;
    this.add(parent, object, style.pixels);
  }

  /** Adds an arrow with a length in pixels that starts or ends at a place. */
  addArrow(parent: Object3D, place: Vector3, direction: Vector3, style: { colour: string; pixels: number; ends?: "here" }): void {
    const material = new MeshBasicMaterial({ color: style.colour, depthTest: false, transparent: true });
    const object = new Group();
    // The group has unit length and is scaled to pixels, so the shaft and head have constant thickness.
    const pixel = 1 / style.pixels;
    const shaft = new Mesh(new CylinderGeometry(1.25 * pixel, 1.25 * pixel, 1 - 12 * pixel, 10), material);
    shaft.position.y = (1 - 12 * pixel) / 2;
    const head = new Mesh(new ConeGeometry(5 * pixel, 16 * pixel, 18), material);
    head.position.y = 1 - 8 * pixel;
    // Leaves room for the ball at the place.
    if (style.ends) for (const part of [shaft, head]) part.position.y -= 1 + 6 * pixel;
    object.add(shaft, head);
    shaft.renderOrder = 11;
    head.renderOrder = 11;
    object.position.copy(place);
    object.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), direction.clone().normalize()));
    this.add(parent, object, style.pixels);
  }

  /** Removes the objects below `parent`. */
  remove(parent: Object3D): void {
    parent.traverse((object) => this.pixelSizes.delete(object));
  }

  private add(parent: Object3D, object: Object3D, pixels: number): void {
    parent.add(object);
    this.pixelSizes.set(object, pixels);
    this.stage.invalidate();
  }
}

/** Removes all children of a group and disposes their buffers. */
export function clearGroup(group: Object3D): void {
  for (const child of [...group.children]) {
    child.traverse((object) => {
      const owner = object as Partial<Mesh>;
      if (object.userData["shared"] === undefined) owner.geometry?.dispose();
      const materials = Array.isArray(owner.material) ? owner.material : owner.material ? [owner.material] : [];
      for (const material of materials) material.dispose();
    });
    group.remove(child);
  }
}
