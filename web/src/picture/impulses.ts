// Impulses in the picture: a dot where bodies touch, and an arrow along the impulse on b. Their number changes with every
// picture, so that they are drawn as copies of three forms, which are made once.

import {
  ConeGeometry, CylinderGeometry, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3, type BufferGeometry,
} from "three";

import { MOST_DRAWN, type Impulse } from "../document/recording.ts";
import type { Palette } from "../elements/theme.ts";
import type { Stage } from "./stage.ts";

/** The longest arrow, as a share of the radius of the scene. */
const LONGEST = 0.45;
/** Pixels: of the dot, of the head and of the shaft across; and of the whole arrow at least, so that its direction is seen. */
const [DOT, HEAD, SHAFT, SHORTEST] = [8, 11, 3, 20];

/** The length of an arrow, metres: areas compare as impulses do, so that a gentle contact is seen beside a blow. */
export function arrowLength(amount: number, strongest: number, radius: number): number {
  return strongest > 0 ? LONGEST * radius * Math.sqrt(Math.min(1, amount / strongest)) : 0;
}

export class ImpulseMarks {
  private readonly dots: InstancedMesh<BufferGeometry, MeshBasicMaterial>;
  private readonly shafts: InstancedMesh<BufferGeometry, MeshBasicMaterial>;
  private readonly heads: InstancedMesh<BufferGeometry, MeshBasicMaterial>;
  private shown: { from: Vector3; turn: Quaternion; direction: Vector3; long: number }[] = [];

  constructor(private readonly stage: Stage) {
    const made = (geometry: BufferGeometry, order: number): InstancedMesh<BufferGeometry, MeshBasicMaterial> => {
      const mesh = new InstancedMesh(geometry, new MeshBasicMaterial({ depthTest: false, transparent: true }), MOST_DRAWN);
      mesh.renderOrder = order;
      mesh.frustumCulled = false;
      mesh.count = 0;
      stage.scene.add(mesh);
      return mesh;
    };
    this.shafts = made(new CylinderGeometry(0.5, 0.5, 1, 10), 9);
    this.heads = made(new ConeGeometry(0.5, 1, 16), 9);
    this.dots = made(new SphereGeometry(0.5, 16, 12), 10);
    stage.onFrame(() => this.place());
  }

  /** How many arrows are drawn. */
  get count(): number {
    return this.shown.length;
  }

  /** Draws these and no others; the longest arrow is that of the strongest of all. */
  show(impulses: readonly Impulse[], strongest: number, colours: Palette): void {
    const up = new Vector3(0, 1, 0);
    this.shown = impulses.filter(({ amount }) => amount > 0).slice(0, MOST_DRAWN).map(({ point, impulse, amount }) => {
      const direction = new Vector3(...impulse).normalize();
      return {
        from: this.stage.local(point), direction, turn: new Quaternion().setFromUnitVectors(up, direction),
        long: arrowLength(amount, strongest, this.stage.radius),
      };
    });
    for (const mesh of [this.dots, this.shafts, this.heads]) mesh.count = this.shown.length;
    this.dots.material.color.set(colours.contact);
    for (const { material } of [this.shafts, this.heads]) material.color.set(colours.screw);
    this.stage.invalidate();
  }

  /** Sizes in pixels hold for where the camera is now. */
  private place(): void {
    const matrix = new Matrix4();
    const none = new Quaternion();
    this.shown.forEach(({ from, turn, direction, long }, number) => {
      const pixel = this.stage.pixel(from);
      const whole = Math.max(long, SHORTEST * pixel);
      const shaft = whole - HEAD * pixel;
      this.dots.setMatrixAt(number, matrix.compose(from, none, new Vector3().setScalar(DOT * pixel)));
      const middle = from.clone().addScaledVector(direction, shaft / 2);
      this.shafts.setMatrixAt(number, matrix.compose(middle, turn, new Vector3(SHAFT * pixel, shaft, SHAFT * pixel)));
      const head = from.clone().addScaledVector(direction, whole - (HEAD * pixel) / 2);
      this.heads.setMatrixAt(number, matrix.compose(head, turn, new Vector3(HEAD * pixel, HEAD * pixel, HEAD * pixel)));
    });
    for (const mesh of [this.dots, this.shafts, this.heads]) mesh.instanceMatrix.needsUpdate = true;
  }
}
