// The drawn bodies of the screen page: A with a colour for each patch, B in one translucent colour.

import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, Quaternion, Vector3, type ShaderMaterial } from "three";

import type { MeshData } from "../document/playback.ts";
import { boundingSphere, boundingBox } from "../document/extent.ts";
import type { Palette } from "../elements/theme.ts";
import { IDENTITY, sub, toWorld, type Pose, type Vec3 } from "../motion/vector.ts";
import { surfaceMaterial, tint } from "../picture/material.ts";
import type { Stage } from "../picture/stage.ts";
import { surfaceOf, type Surface } from "../picture/surface.ts";
import { usedVertices, type ScreenBody } from "./document.ts";
import { colourOfTime } from "./scale.ts";
import type { ScreenValues } from "./state.ts";

export class BodyMesh {
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;
  private readonly group = new Group();
  private readonly edges: LineSegments<BufferGeometry, LineBasicMaterial>;
  /** Origin of the drawn positions in the body's frame. */
  private readonly offset: Vec3;

  private constructor(private readonly stage: Stage, parts: { geometry: BufferGeometry; surface: Surface; offset: Vec3 }, paint: "one colour" | "painted") {
    this.offset = parts.offset;
    this.mesh = new Mesh(parts.geometry, surfaceMaterial([], paint));
    const lines = new BufferGeometry();
    lines.setAttribute("position", new BufferAttribute(parts.surface.edges, 3));
    this.edges = new LineSegments(lines, new LineBasicMaterial({ transparent: true }));
    this.group.matrixAutoUpdate = false;
    this.group.add(this.mesh, this.edges);
    stage.scene.add(this.group);
    this.setPose(IDENTITY);
  }

  /** A body with a colour for each patch. */
  static patches(stage: Stage, body: ScreenBody): BodyMesh {
    const data = meshOf(body);
    const surface = surfaceOf(data);
    const { patches } = body;
    const positions = new Float32Array(9 * patches.count);
    const normals = new Float32Array(9 * patches.count);
    for (let patch = 0; patch < patches.count; patch += 1) {
      const face = patches.faces[patch] as number;
      for (let corner = 0; corner < 3; corner += 1) {
        const at = 9 * patch + 3 * corner;
        for (let axis = 0; axis < 3; axis += 1) {
          positions[at + axis] = (patches.corners[at + axis] as number) - (data.origin[axis] as number);
          let sum = 0;
          for (let k = 0; k < 3; k += 1) {
            const vertex = surface.triangles[3 * face + k] as number;
            sum += (patches.weights[at + k] as number) * (surface.normals[3 * vertex + axis] as number);
          }
          normals[at + axis] = sum;
        }
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(positions, 3));
    geometry.setAttribute("normal", new BufferAttribute(normals, 3));
    geometry.setAttribute("paint", new BufferAttribute(new Float32Array(9 * patches.count), 3));
    geometry.computeBoundingSphere();
    return new BodyMesh(stage, { geometry, surface, offset: data.origin }, "painted");
  }

  /** Sets the colour of each patch by its time. */
  setPatchColours({ patches }: ScreenBody, maxTime: number): void {
    const paint = this.mesh.geometry.getAttribute("paint");
    for (let patch = 0; patch < patches.count; patch += 1) {
      const [r, g, b] = colourOfTime(patches.times[patch] as number, maxTime);
      for (let corner = 0; corner < 3; corner += 1) paint.setXYZ(3 * patch + corner, r / 255, g / 255, b / 255);
    }
    paint.needsUpdate = true;
    this.stage.invalidate();
  }

  static uniform(stage: Stage, body: ScreenBody): BodyMesh {
    const data = meshOf(body);
    const surface = surfaceOf(data);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(surface.positions, 3));
    geometry.setAttribute("normal", new BufferAttribute(surface.normals, 3));
    geometry.setIndex(new BufferAttribute(surface.triangles, 1));
    geometry.computeBoundingSphere();
    return new BodyMesh(stage, { geometry, surface, offset: data.origin }, "one colour");
  }

  setPose(pose: Pose): void {
    const [w, x, y, z] = pose.rotation;
    this.group.matrix = new Matrix4().compose(this.stage.toScene(toWorld(pose, this.offset)), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
    this.group.matrixWorldNeedsUpdate = true;
    this.stage.invalidate();
  }

  setStyle(colour: string, how: ScreenValues["styleOfB"], colours: Palette): void {
    const opacity = how === "translucent" ? 0.26 : 1;
    tint(this.mesh.material, colour, opacity);
    this.mesh.renderOrder = how === "translucent" ? 1 : 0;
    this.edges.renderOrder = 2;
    this.edges.material.color.set(colours.edge);
    this.edges.material.opacity = how === "translucent" ? 0.3 : 0.5;
    this.group.visible = how !== "hidden";
    this.stage.invalidate();
  }

  /** From the scene to the body's frame. */
  toBodyFrame(place: Vector3): Vec3 {
    const { x, y, z } = this.mesh.worldToLocal(place.clone());
    return [x + this.offset[0], y + this.offset[1], z + this.offset[2]];
  }
}

/** The mesh in f32 relative to its centre, for drawing. */
function meshOf(body: ScreenBody): MeshData {
  const { positions, triangles } = body;
  const origin = boundingSphere(boundingBox(usedVertices(body))).centre;
  const near = new Float32Array(positions.length);
  for (let at = 0; at < positions.length; at += 3) {
    near.set(sub([positions[at] as number, positions[at + 1] as number, positions[at + 2] as number], origin), at);
  }
  return { origin, positions: near, triangles, box: { pose: IDENTITY, half: [0, 0, 0] } };
}
