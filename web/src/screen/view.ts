// The 3D view of the screen page: both bodies, the marks of collisions, and the selected flow line.

import { Group, Vector3 } from "three";

import { boundingSphere, boundingBox } from "../document/extent.ts";
import { fitCanvas } from "../elements/canvas.ts";
import { byId, element } from "../elements/dom.ts";
import { palette, type Palette } from "../elements/theme.ts";
import { axisPoint, screwPose } from "../motion/screw.ts";
import { add, cross, dot, length, rotate, scale, sub, unit, type Vec3 } from "../motion/vector.ts";
import { clearGroup, polyline } from "../picture/lines.ts";
import type { Stage } from "../picture/stage.ts";
import { Triad } from "../picture/triad.ts";
import { glyph, ring } from "./glyph.ts";
import { BodyMesh } from "./mesh.ts";
import { UNREACHABLE, cornerOf } from "./patches.ts";
import type { FlowLine, ScreenApp } from "./state.ts";

/** A collision of bodies with fewer pixels is zoomed in. */
const MIN_BODY_PIXELS = 60;

/** With more marks, the marks are smaller. */
const MANY_MARKS = 40;

/**
 * The direction to the eye that shows most of the leading surface, among directions from above. Directions that show
 * the bodies beside each other are preferred.
 */
function leadingView({ data, extent }: ScreenApp): Vec3 {
  const { patches } = data.a;
  const leading: Vec3[] = [];
  for (let patch = 0; patch < patches.count; patch += 1) {
    if (patches.times[patch] === UNREACHABLE) continue;
    const [p, q, r] = [0, 1, 2].map((corner) => cornerOf(patches, patch, corner)) as [Vec3, Vec3, Vec3];
    leading.push(rotate(data.screw.start.rotation, cross(sub(q, p), sub(r, p))));
  }
  const total = leading.reduce((sum, normal) => sum + length(normal), 0) || 1;
  const middles = [extent.slice(0, 8), extent.slice(8)].map((corners) => boundingSphere(boundingBox(corners)).centre) as [Vec3, Vec3];
  const between = unit(sub(middles[0], middles[1]));
  let [best, bestScore]: [Vec3, number] = [[1, -1.35, 0.85], -1];
  for (let turn = 0; turn < 16; turn += 1) {
    const angle = ((turn + 0.5) * Math.PI) / 8;
    const from = unit([Math.cos(angle), Math.sin(angle), 0.5]);
    const visibleArea = leading.reduce((sum, normal) => sum + Math.max(0, dot(normal, from)), 0) / total;
    const score = visibleArea + 0.5 * (1 - dot(between, from) ** 2);
    if (score > bestScore) [best, bestScore] = [from, score];
  }
  return best;
}

export class ScreenView {
  private readonly a: BodyMesh;
  private readonly b: BodyMesh;
  private readonly lines = new Group();
  private readonly axis = new Group();
  private readonly overlay = element("canvas", { class: "overlay", attributes: { "aria-hidden": "true" } });

  constructor(private readonly app: ScreenApp, readonly stage: Stage) {
    const { data, state } = app;
    this.a = BodyMesh.patches(stage, data.a);
    this.b = BodyMesh.uniform(stage, data.b);
    stage.scene.add(this.lines, this.axis);
    byId("view").append(this.overlay);
    stage.onFrame(() => this.drawMarks());
    const triad = new Triad(stage);
    state.watch(["theme"], () => {
      stage.paint(this.colours);
      triad.paint(this.colours);
      this.a.setStyle(this.colours.a, "solid", this.colours);
      this.drawAxis();
    });
    state.watch(["theme", "styleOfB"], () => this.b.setStyle(this.colours.b, state.now.styleOfB, this.colours));
    state.watch(["colourRange"], () => this.a.setPatchColours(data.a, app.scale.maxTime));
    state.watch(["chosen"], () => this.flyToCollision());
    state.watch(["fraction"], () => this.a.setPose(screwPose(data.screw, state.now.fraction)));
    state.watch(["line", "theme"], () => this.drawLine());
    state.watch(["fraction", "line", "chosen", "marks", "theme"], () => stage.invalidate());
    this.listen();
  }

  private get colours(): Palette {
    return palette(this.app.state.now.theme);
  }

  /** Fits both bodies at their current poses, seen from a direction. */
  fit(from: Vec3 | "ahead" | null, flight: "fly" | "at once" = "fly"): void {
    const { extent, data } = this.app;
    const now = extent.slice(0, 8).map((corner) => this.app.now(corner));
    const marks = data.collisions.slice(0, 64).map(({ point }) => point);
    this.stage.fitPoints(from === "ahead" ? leadingView(this.app) : from, [...extent, ...now, ...marks], flight);
  }

  /** The flow line through the surface at a position of the page. */
  lineAt(x: number, y: number): FlowLine | null {
    const ray = this.stage.ray(x, y);
    const { styleOfB } = this.app.state.now;
    const onA = ray.intersectObject(this.a.mesh, false)[0];
    const onB = styleOfB === "hidden" ? undefined : ray.intersectObject(this.b.mesh, false)[0];
    // A translucent B does not hide A.
    if (onA !== undefined && (onB === undefined || styleOfB === "translucent" || onA.distance <= onB.distance)) {
      return this.app.lineOfA(onA.faceIndex ?? 0, this.a.toBodyFrame(onA.point));
    }
    return onB === undefined ? null : this.app.lineOfB(this.b.toBodyFrame(onB.point));
  }

  /** Canvas pixel of a point in the frame of B; null behind the eye. */
  pixel(point: Vec3): [number, number] | null {
    const { camera, canvas } = this.stage;
    const place = this.stage.toScene(point).project(camera);
    if (!(Math.abs(place.z) <= 1)) return null;
    return [((place.x + 1) / 2) * canvas.clientWidth, ((1 - place.y) / 2) * canvas.clientHeight];
  }

  /** Zooms to the chosen collision if the bodies are tiny. */
  private flyToCollision(): void {
    const { chosen } = this.app.state.now;
    const collision = chosen === null ? undefined : this.app.data.collisions[chosen];
    if (collision === undefined) return;
    const pixels = this.app.size / this.stage.metresPerPixel(this.stage.toScene(collision.point));
    if (pixels < MIN_BODY_PIXELS) this.stage.lookAt(null, collision.point, this.app.size, "fly");
  }

  private listen(): void {
    const { canvas } = this.stage;
    const { state } = this.app;
    let latest: PointerEvent | null = null;
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons !== 0) return;
      const first = latest === null;
      latest = event;
      if (!first) return;
      requestAnimationFrame(() => {
        const at = latest;
        latest = null;
        if (at !== null) state.set({ line: this.lineAt(at.clientX, at.clientY) });
      });
    });
    canvas.addEventListener("pointerleave", () => {
      latest = null;
      if (state.now.line?.from === "picture") state.set({ line: null });
    });
  }

  /** The flow line from A to its contact with B, and slightly beyond. */
  private drawLine(): void {
    clearGroup(this.lines);
    const { line } = this.app.state.now;
    const { unrolled, data } = this.app;
    this.stage.invalidate();
    if (line === null) return;
    const ahead = line.time !== null && line.time >= 0 ? line.time : null;
    const [from, to] = line.a === null ? [-1, 0.15] : [-0.1, Math.max(1, ahead ?? 1) + 0.1];
    const start = line.a ?? line.b ?? line.point;
    const draw = (low: number, high: number, theme: { width: number; opacity: number }): void => {
      // A pure rotation closes after one turn.
      const turn = data.screw.slide === 0 && data.screw.angle > 0 ? (2 * Math.PI) / data.screw.angle : Infinity;
      const points = unrolled.flowLine(start, low, Math.min(high, low + turn)).map((point) => this.stage.toScene(point));
      if (points.length > 1) this.lines.add(polyline(points, { colour: this.colours.screw, through: "through", ...theme }));
    };
    // Many turns would hide the bodies.
    const winds = data.screw.angle * Math.max(1, ahead ?? 1) > 4 * Math.PI;
    draw(from, to, { width: winds ? 1 : 1.5, opacity: 0.55 });
    if (ahead !== null && ahead > 0 && line.a !== null) draw(0, ahead, { width: winds ? 1.8 : 3.5, opacity: 0.95 });
  }

  /** The axis of the motion beside the bodies. */
  private drawAxis(): void {
    clearGroup(this.axis);
    const { data, extent, unrolled } = this.app;
    const point = axisPoint(data.screw);
    if (unrolled.flat || point === null) return;
    const { direction } = data.screw;
    const along = extent.map((corner) => dot(sub(corner, point), direction));
    const [low, high] = [Math.min(...along), Math.max(...along)];
    const extension = 0.15 * Math.max(high - low, this.app.size);
    const ends = [low - extension, high + extension].map((offset) => this.stage.toScene(add(point, scale(direction, offset)))) as [Vector3, Vector3];
    const dash = Math.max(ends[0].distanceTo(ends[1]) / 60, 1e-12);
    this.axis.add(polyline(ends, { colour: this.colours.screw, width: 1.2, dash, through: "through", opacity: 0.7 }));
  }

  /** The marks are drawn over the picture. */
  private drawMarks(): void {
    const { app, colours } = this;
    const { line, marks, chosen } = app.state.now;
    const { context, width, height } = fitCanvas(this.overlay, byId("view"));
    context.clearRect(0, 0, width, height);
    this.stage.camera.updateMatrixWorld();
    const { collisions } = app.data;
    const style = { size: collisions.length > MANY_MARKS ? 3.5 : 5, ink: "#101010", paper: "#ffffff" };
    if (marks) {
      for (const number of app.markedCollisions) {
        const collision = collisions[number];
        const at = collision === undefined ? null : this.pixel(collision.point);
        if (collision !== undefined && at !== null) glyph(context, at, collision, style);
      }
    }
    const picked = chosen === null ? undefined : collisions[chosen];
    const place = picked === undefined ? null : this.pixel(picked.point);
    if (picked !== undefined && place !== null) {
      glyph(context, place, picked, { ...style, size: 7 });
      ring(context, place, 13, colours.contact, "#ffffff");
    }
    if (line === null) return;
    const [ofA, ofB] = [line.a === null ? null : this.pixel(app.now(line.a)), line.b === null ? null : this.pixel(line.b)];
    if (ofB !== null) ring(context, ofB, 6, "#9c5a00", "#ffffff");
    if (ofA !== null) ring(context, ofA, 6, "#1b5e9e", "#ffffff");
  }
}
