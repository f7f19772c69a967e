// Fills the section of closed bodies. The stencil buffer counts the back faces minus the front faces of the part that
// remains, and the plane is drawn where the count is not zero.

import {
  AlwaysStencilFunc, BackSide, Color, DecrementWrapStencilOp, DoubleSide, FrontSide, IncrementWrapStencilOp, Mesh, MeshBasicMaterial,
  NotEqualStencilFunc, PlaneGeometry, Vector3, ZeroStencilOp, type BufferGeometry, type Group, type Plane,
} from "three";

import type { MeshData } from "../document/playback.ts";
import type { Stage } from "./stage.ts";
import { weldVertices } from "./surface.ts";

/** Caps are darker than the surfaces around them. */
const DARKENING = 0.8;

/** Render order: after opaque objects, one body after the other, before translucent objects. */
const FIRST_ORDER = 0.2;
const ORDER_RANGE = 0.7;

/** A body that may be cut. */
export interface CappedBody {
  group: Group;
  geometry: BufferGeometry;
  meshes: readonly MeshData[];
}

interface Cap {
  stencils: readonly Mesh[];
  quad: Mesh<PlaneGeometry, MeshBasicMaterial>;
}

export class Caps {
  private caps: (Cap | null)[] | null = null;
  private colours: { colour: string; opacity: number; shown: boolean }[] = [];
  private isActive = false;

  constructor(private readonly stage: Stage, private readonly solids: readonly CappedBody[], private readonly planes: Plane[]) {}

  /** Number of filled bodies, which are the closed ones. */
  get count(): number {
    return this.isActive ? (this.caps ?? []).filter((cap) => cap !== null).length : 0;
  }

  /** Updates the caps after a change of the section plane. */
  update(): void {
    const [plane] = this.planes;
    this.isActive = plane !== undefined;
    if (plane !== undefined) this.caps ??= this.make();
    for (const cap of this.caps ?? []) {
      if (cap === null || plane === undefined) continue;
      plane.coplanarPoint(cap.quad.position);
      cap.quad.lookAt(cap.quad.position.clone().add(plane.normal));
    }
    this.show();
  }

  /** Sets colours, and which bodies are visible. */
  setColours(colours: { colour: string; opacity: number; shown: boolean }[]): void {
    this.colours = colours;
    this.show();
  }

  private show(): void {
    this.caps?.forEach((cap, body) => {
      if (cap === null) return;
      const { colour, opacity, shown } = this.colours[body] ?? { colour: "#888888", opacity: 1, shown: false };
      for (const mesh of [...cap.stencils, cap.quad]) mesh.visible = this.isActive && shown;
      const { material } = cap.quad;
      material.color.copy(new Color(colour).convertLinearToSRGB().multiplyScalar(DARKENING).convertSRGBToLinear());
      material.opacity = opacity;
      material.depthWrite = opacity >= 1;
    });
  }

  private make(): (Cap | null)[] {
    const closed = new Map<MeshData, boolean>();
    const isClosed = (mesh: MeshData): boolean => {
      const watertight = closed.get(mesh) ?? isWatertight(mesh);
      closed.set(mesh, watertight);
      return watertight;
    };
    const step = ORDER_RANGE / Math.max(1, this.solids.length);
    return this.solids.map(({ group, geometry, meshes }, body) => {
      if (meshes.length === 0 || !meshes.every(isClosed)) return null;
      const stencils = ([[BackSide, IncrementWrapStencilOp], [FrontSide, DecrementWrapStencilOp]] as const).map(([side, operation]) => {
        const stencil = new Mesh(geometry, new MeshBasicMaterial({
          side, clippingPlanes: this.planes, transparent: true, colorWrite: false, depthWrite: false, depthTest: false,
          stencilWrite: true, stencilFunc: AlwaysStencilFunc, stencilFail: operation, stencilZFail: operation, stencilZPass: operation,
        }));
        stencil.renderOrder = FIRST_ORDER + step * body;
        // Deforming bodies leave the bounding sphere of their geometry.
        stencil.frustumCulled = false;
        group.add(stencil);
        return stencil;
      });
      const quad = new Mesh(new PlaneGeometry(4 * this.stage.radius, 4 * this.stage.radius), new MeshBasicMaterial({
        side: DoubleSide, transparent: true, stencilWrite: true, stencilFunc: NotEqualStencilFunc, stencilRef: 0,
        // Resets the count for the next body.
        stencilFail: ZeroStencilOp, stencilZFail: ZeroStencilOp, stencilZPass: ZeroStencilOp,
      }));
      quad.renderOrder = FIRST_ORDER + step * (body + 0.5);
      quad.frustumCulled = false;
      quad.up = new Vector3(0.36, 0.48, 0.8);
      this.stage.scene.add(quad);
      return { stencils, quad };
    });
  }
}

/** Whether every edge has two triangles that use it in opposite directions; vertices at one place count as one. */
export function isWatertight({ positions, triangles }: Pick<MeshData, "positions" | "triangles">): boolean {
  const places = weldVertices(positions);
  const count = positions.length / 3;
  const edges = new Map<number, number>();
  for (let corner = 0; corner < triangles.length; corner += 1) {
    const face = corner - (corner % 3);
    const from = places[triangles[corner] as number] as number;
    const to = places[triangles[face + ((corner + 1) % 3)] as number] as number;
    if (from === to) continue;
    const [key, sign] = from < to ? [from * count + to, 1] : [to * count + from, -1];
    const sum = (edges.get(key) ?? 0) + sign;
    if (sum === 0) edges.delete(key);
    else edges.set(key, sum);
  }
  return triangles.length > 0 && edges.size === 0;
}
