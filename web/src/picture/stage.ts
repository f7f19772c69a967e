// The picture: renderer, camera and light. It is drawn only when something changed, so that a page that rests costs nothing.

import { PerspectiveCamera, Quaternion, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

import { boundingSphere, boundingBox } from "../document/extent.ts";
import { backdrop, paintBackdrop } from "./material.ts";
import { Redraw } from "../elements/redraw.ts";
import type { Palette } from "../elements/theme.ts";
import type { Up } from "../document/playback.ts";
import { sub, unit, type Vec3 } from "../motion/vector.ts";

/** Half of the camera's opening, from top to bottom. */
const HALF_FOV = (17.5 * Math.PI) / 180;

/** Pixels along each side, of one, while things move in software. */
const COARSE_RATIO = 0.6;
/** Milliseconds between pictures that are seen as stutter. */
const SLOW_FRAME = 50;

/** Room around what fills the picture. */
const FIT_MARGIN = 1.22;

export interface FrameCounts {
  /** Pictures drawn since the beginning. */
  frames: number;
  /** Milliseconds that the last took, as far as the page can tell. */
  last: number;
}

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 100);
  private controls: OrbitControls;
  /** From directions as they are where z is up to those of the world. */
  private upRotation = new Quaternion();
  readonly counts: FrameCounts = { frames: 0, last: 0 };
  private readonly frameCallbacks: (() => void)[] = [];
  private readonly backdrop = backdrop();
  private readonly redraw = new Redraw((now) => {
    this.adaptResolution(now);
    this.draw();
  });
  private lastDrawn = 0;
  private slowFrames = 0;
  private fineTimer = 0;
  private coarse = false;
  private flight: { from: Vector3[]; to: Vector3[]; start: number } | null = null;

  private constructor(
    readonly renderer: WebGLRenderer, readonly canvas: HTMLCanvasElement,
    /** What is drawn is relative to this place of the world, so that f32 is enough. */
    readonly anchor: Vec3,
    /** Of a ball around the anchor that holds the whole motion, metres. */
    readonly radius: number,
    readonly software: boolean,
  ) {
    this.camera.up.set(0, 0, 1);
    this.controls = this.createControls();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    this.scene.add(this.backdrop);
    this.resize();
  }

  /** A picture on `canvas`, or the reason why there is none. */
  static open(canvas: HTMLCanvasElement, anchor: Vec3, radius: number): Stage | string {
    const kind = graphics();
    if (kind === null) return "This browser offers no WebGL 2: the lists and times work, the picture does not.";
    try {
      // In software every sample costs time of the processor.
      const renderer = new WebGLRenderer({ canvas, antialias: kind === "device", stencil: true, powerPreference: "high-performance" });
      renderer.setPixelRatio(kind === "device" ? Math.min(window.devicePixelRatio, 2) : 1);
      renderer.localClippingEnabled = true;
      return new Stage(renderer, canvas, anchor, radius, kind === "software");
    } catch (error) {
      return `The picture cannot be drawn: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /** What turns the camera by the mouse; it takes the camera's up once and for all. */
  private createControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.screenSpacePanning = true;
    controls.zoomToCursor = true;
    controls.addEventListener("change", () => this.invalidate());
    controls.addEventListener("start", () => (this.flight = null));
    return controls;
  }

  /** Which axis of the world is up from now on. The camera goes to where it would be, had that been so before. */
  setUpAxis(up: Up): void {
    const upRotation = new Quaternion();
    // What is in front stays there: y goes to -z, as programs that write glTF turn it.
    if (up === "y") upRotation.setFromAxisAngle(new Vector3(1, 0, 0), -Math.PI / 2);
    const { target } = this.controls;
    const away = this.camera.position.clone().sub(target).applyQuaternion(this.upRotation.clone().conjugate()).applyQuaternion(upRotation);
    this.upRotation = upRotation;
    this.camera.up.set(0, 0, 1).applyQuaternion(upRotation).round();
    this.controls.dispose();
    this.controls = this.createControls();
    this.flight = null;
    this.setCamera(target.clone().add(away), target);
    this.invalidate();
  }

  /** A direction of the world from one that is told as if z were up. */
  worldDirection([x, y, z]: Vec3): Vec3 {
    const { x: right, y: on, z: above } = new Vector3(x, y, z).applyQuaternion(this.upRotation);
    return [right, on, above];
  }

  /** A place of the world as it is drawn. */
  toScene(place: Vec3): Vector3 {
    return new Vector3(...sub(place, this.anchor));
  }

  /** Where in the world a drawn place is. */
  toWorld(place: Vector3): Vec3 {
    return [place.x + this.anchor[0], place.y + this.anchor[1], place.z + this.anchor[2]];
  }

  /** Calls `prepare` before every picture. */
  onFrame(prepare: () => void): void {
    this.frameCallbacks.push(prepare);
  }

  /** Whether the last picture shows all there is to show: no change waits, the camera stands, and no pixel is left out. */
  get isIdle(): boolean {
    return !this.redraw.isPending && this.flight === null && !this.coarse;
  }

  /** Asks for a picture soon; asked often, drawn once. */
  invalidate(): void {
    this.redraw.request();
  }

  /**
   * In software what moves is drawn with fewer pixels where it would stutter; what rests has all of them. Pictures follow each other by
   * the screen's clock, so that the time between two of them is what one costs.
   */
  private adaptResolution(now: number): void {
    const passed = now - this.lastDrawn;
    this.lastDrawn = now;
    if (!this.software) return;
    // One slow picture is no motion that stutters: it may be the first.
    this.slowFrames = passed > SLOW_FRAME && passed < 1000 ? this.slowFrames + 1 : 0;
    if (this.slowFrames >= 4) this.resolution("coarse");
    clearTimeout(this.fineTimer);
    if (this.coarse) {
      this.fineTimer = window.setTimeout(() => {
        this.resolution("fine");
        [this.lastDrawn, this.slowFrames] = [0, 0];
        this.draw();
      }, 300);
    }
  }

  private resolution(wanted: "coarse" | "fine"): void {
    if (this.coarse === (wanted === "coarse")) return;
    this.coarse = wanted === "coarse";
    this.renderer.setPixelRatio(this.coarse ? COARSE_RATIO : 1);
  }

  draw(): void {
    const start = performance.now();
    this.advanceFlight(start);
    const away = this.camera.position.distanceTo(this.controls.target);
    const reach = this.camera.position.length() + this.radius * 1.5;
    this.camera.near = Math.max(away * 0.002, reach * 1e-6);
    this.camera.far = Math.max(reach * 1.2, away * 3);
    this.camera.updateProjectionMatrix();
    for (const prepare of this.frameCallbacks) prepare();
    this.renderer.render(this.scene, this.camera);
    this.counts.frames += 1;
    this.counts.last = performance.now() - start;
  }

  /** How many metres one pixel covers at a drawn place. */
  metresPerPixel(place: Vector3): number {
    const forward = this.camera.getWorldDirection(new Vector3());
    const depth = Math.max(this.camera.near, place.clone().sub(this.camera.position).dot(forward));
    return (2 * depth * Math.tan(HALF_FOV)) / Math.max(1, this.canvas.clientHeight);
  }

  /** Looks from a direction (in the world, from the target to the eye) at a ball. */
  lookAt(from: Vec3 | null, centre: Vec3, radius: number, flight: "fly" | "at once"): void {
    const away = this.camera.position.clone().sub(this.controls.target);
    const direction = from === null ? away.normalize() : new Vector3(...unit(from));
    if (direction.lengthSq() === 0) direction.set(1, -1, 0.7).applyQuaternion(this.upRotation).normalize();
    // Straight from above the camera would not know which way is up.
    const cosine = direction.dot(this.camera.up);
    if (Math.abs(cosine) > 1 - 5e-9) direction.set(0, -1e-4, Math.sign(cosine)).applyQuaternion(this.upRotation).normalize();
    const narrow = Math.min(1, this.camera.aspect);
    const distance = (Math.max(radius, this.radius * 1e-5) * 1.12) / Math.sin(Math.atan(Math.tan(HALF_FOV) * narrow));
    const target = this.toScene(centre);
    const eye = target.clone().addScaledVector(direction, distance);
    const isInstant = flight === "at once" || window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isInstant) {
      this.flight = null;
      this.setCamera(eye, target);
    } else {
      this.flight = { from: [this.camera.position.clone(), this.controls.target.clone()], to: [eye, target], start: performance.now() };
    }
    this.invalidate();
  }

  /** Looks from a direction so that these points just fill the picture, whose middle is theirs or the one that is given. */
  fitPoints(from: Vec3 | null, points: readonly Vec3[], flight: "fly" | "at once", middle?: Vec3): void {
    const ball = boundingSphere(boundingBox(points));
    this.lookAt(from, middle ?? ball.centre, ball.radius, flight);
    const [eye, target] = this.flight?.to ?? [this.camera.position.clone(), this.controls.target.clone()];
    if (eye === undefined || target === undefined) return;
    const back = eye.clone().sub(target).normalize();
    const right = this.camera.up.clone().cross(back).normalize();
    const up = back.clone().cross(right);
    const [tall, wide] = [Math.tan(HALF_FOV), Math.tan(HALF_FOV) * this.camera.aspect];
    const needed = points.map((point) => {
      const place = this.toScene(point).sub(target);
      return place.dot(back) + Math.max(Math.abs(place.dot(right)) / wide, Math.abs(place.dot(up)) / tall) * FIT_MARGIN;
    });
    eye.copy(target).addScaledVector(back, Math.max(...needed, this.radius * 1e-4));
    if (this.flight === null) this.setCamera(eye, target);
    this.invalidate();
  }

  /** The direction from what is looked at to the eye, a unit vector. */
  get eyeDirection(): Vec3 {
    const { x, y, z } = this.camera.position.clone().sub(this.controls.target);
    return unit([x, y, z]);
  }

  /** Upward, a unit vector. */
  get upDirection(): Vec3 {
    return this.worldDirection([0, 0, 1]);
  }

  /** Turns the camera about its target, by radians to the right and up. */
  orbit(right: number, up: number): void {
    const away = this.camera.position.clone().sub(this.controls.target).applyQuaternion(this.upRotation.clone().conjugate());
    const distance = away.length();
    const azimuth = Math.atan2(away.y, away.x) + right;
    const height = Math.min(1.55, Math.max(-1.55, Math.asin(Math.min(1, Math.max(-1, away.z / distance))) + up));
    const eye = new Vector3(Math.cos(height) * Math.cos(azimuth), Math.cos(height) * Math.sin(azimuth), Math.sin(height));
    this.setCamera(this.controls.target.clone().addScaledVector(eye.applyQuaternion(this.upRotation), distance), this.controls.target.clone());
    this.invalidate();
  }

  /** Goes nearer to the target (below 1) or away from it. */
  zoom(factor: number): void {
    const away = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
    this.setCamera(this.controls.target.clone().add(away), this.controls.target.clone());
    this.invalidate();
  }

  paint(colours: Palette): void {
    paintBackdrop(this.backdrop, colours.top, colours.bottom);
    this.invalidate();
  }

  /** The picture as a PNG file. */
  screenshot(): Promise<Blob | null> {
    this.resolution("fine");
    this.draw();
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }

  private setCamera(eye: Vector3, target: Vector3): void {
    this.camera.position.copy(eye);
    this.controls.target.copy(target);
    this.controls.update();
  }

  private advanceFlight(now: number): void {
    const flight = this.flight;
    if (flight === null) return;
    const fraction = Math.min(1, (now - flight.start) / 350);
    const eased = 1 - (1 - fraction) ** 3;
    const [eye, target] = [0, 1].map((i) => (flight.from[i] as Vector3).clone().lerp(flight.to[i] as Vector3, eased));
    this.setCamera(eye as Vector3, target as Vector3);
    if (fraction >= 1) this.flight = null;
    else this.invalidate();
  }

  private resize(): void {
    const box = (this.canvas.parentElement ?? this.canvas).getBoundingClientRect();
    const [width, height] = [Math.max(1, Math.round(box.width)), Math.max(1, Math.round(box.height))];
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.invalidate();
  }
}

/** Whether pictures are made by a device or in software, or not at all. */
function graphics(): "device" | "software" | null {
  const probe = document.createElement("canvas").getContext("webgl2");
  if (probe === null) return null;
  const extension = probe.getExtension("WEBGL_debug_renderer_info");
  const name = String(probe.getParameter(extension?.UNMASKED_RENDERER_WEBGL ?? probe.RENDERER));
  probe.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name) ? "software" : "device";
}

