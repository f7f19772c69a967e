// Instanced arrows, whose number changes from frame to frame: shaft, head, and a dot at the start.

import {
  ConeGeometry, CylinderGeometry, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3, type BufferGeometry,
} from "three";

import type { Vec3 } from "../motion/vector.ts";
import type { Stage } from "./stage.ts";

/** Maximum length of an arrow, as a fraction of the radius of the scene. */
export const MAX_LENGTH = 0.45;

/** Diameters in pixels; `shortest` is the minimum length, so that the direction stays visible. */
export interface ArrowSizes {
  dot: number;
  head: number;
  shaft: number;
  shortest: number;
}

/** An arrow in the world. */
export interface Arrow {
  from: Vec3;
  /** Direction; not zero. */
  along: Vec3;
  /** In metres. */
  length: number;
}

type InstancedShape = InstancedMesh<BufferGeometry, MeshBasicMaterial>;

export class Arrows {
  private readonly dots: InstancedShape;
  private readonly shafts: InstancedShape;
  private readonly heads: InstancedShape;
  private shown: { from: Vector3; rotation: Quaternion; direction: Vector3; length: number }[] = [];

  /** `capacity`: maximum number of arrows. */
  constructor(private readonly stage: Stage, private readonly sizes: ArrowSizes, private readonly capacity: number) {
    const instanced = (geometry: BufferGeometry, order: number): InstancedShape => {
      const mesh = new InstancedMesh(geometry, new MeshBasicMaterial({ depthTest: false, transparent: true }), capacity);
      mesh.renderOrder = order;
      mesh.frustumCulled = false;
      mesh.count = 0;
      stage.scene.add(mesh);
      return mesh;
    };
    // Above lines that are visible through surfaces.
    this.shafts = instanced(new CylinderGeometry(0.5, 0.5, 1, 10), 11);
    this.heads = instanced(new ConeGeometry(0.5, 1, 16), 11);
    this.dots = instanced(new SphereGeometry(0.5, 16, 12), 12);
    stage.onFrame(() => this.place());
  }

  /** Number of drawn arrows. */
  get count(): number {
    return this.shown.length;
  }

  /** Replaces the arrows; those beyond the capacity are dropped. */
  show(arrows: readonly Arrow[], colours: { dot: string; arrow: string }): void {
    const up = new Vector3(0, 1, 0);
    this.shown = arrows.slice(0, this.capacity).map(({ from, along, length }) => {
      const direction = new Vector3(...along).normalize();
      return { from: this.stage.toScene(from), direction, rotation: new Quaternion().setFromUnitVectors(up, direction), length };
    });
    for (const mesh of [this.dots, this.shafts, this.heads]) mesh.count = this.shown.length;
    this.dots.material.color.set(colours.dot);
    for (const { material } of [this.shafts, this.heads]) material.color.set(colours.arrow);
    this.stage.invalidate();
  }

  /** Sizes in pixels depend on the camera. */
  private place(): void {
    const matrix = new Matrix4();
    const none = new Quaternion();
    const { dot, head, shaft, shortest } = this.sizes;
    this.shown.forEach(({ from, rotation, direction, length }, number) => {
      const pixel = this.stage.metresPerPixel(from);
      const drawnLength = Math.max(length, shortest * pixel);
      const straight = drawnLength - head * pixel;
      this.dots.setMatrixAt(number, matrix.compose(from, none, new Vector3().setScalar(dot * pixel)));
      const middle = from.clone().addScaledVector(direction, straight / 2);
      this.shafts.setMatrixAt(number, matrix.compose(middle, rotation, new Vector3(shaft * pixel, straight, shaft * pixel)));
      const tip = from.clone().addScaledVector(direction, drawnLength - (head * pixel) / 2);
      this.heads.setMatrixAt(number, matrix.compose(tip, rotation, new Vector3(head * pixel, head * pixel, head * pixel)));
    });
    for (const mesh of [this.dots, this.shafts, this.heads]) mesh.instanceMatrix.needsUpdate = true;
  }
}
