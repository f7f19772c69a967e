// The picture: renderer, camera and background. It is drawn only after a change, so an idle page costs nothing.

import { PerspectiveCamera, Quaternion, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

import { boundingSphere, boundingBox } from "../document/extent.ts";
import { backdrop, paintBackdrop } from "./material.ts";
import { Redraw } from "../elements/redraw.ts";
import type { Palette } from "../elements/theme.ts";
import type { Up } from "../document/playback.ts";
import { sub, unit, type Vec3 } from "../motion/vector.ts";

/** Half of the vertical field of view, in radians. */
const HALF_FOV = (17.5 * Math.PI) / 180;

/** Pixel ratio during motion in software rendering. */
const COARSE_RATIO = 0.6;
/** Milliseconds between frames that are visible as stutter. */
const SLOW_FRAME = 50;

/** Margin around fitted points. */
const FIT_MARGIN = 1.22;

export interface FrameCounts {
  /** Number of drawn frames. */
  frames: number;
  /** Milliseconds of the last frame, as far as the page can measure. */
  last: number;
}

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 100);
  private controls: OrbitControls;
  /** Rotation from a z-up frame to the world. */
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
    /** Origin of the scene in the world, which makes f32 accurate enough. */
    readonly anchor: Vec3,
    /** Radius of a ball around the anchor that contains the whole motion, metres. */
    readonly radius: number,
    readonly software: boolean,
  ) {
    this.camera.up.set(0, 0, 1);
    this.controls = this.createControls();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    this.scene.add(this.backdrop);
    this.resize();
  }

  /** Creates the stage on `canvas`, or returns the reason for a failure. */
  static open(canvas: HTMLCanvasElement, anchor: Vec3, radius: number): Stage | string {
    const kind = graphics();
    if (kind === null) return "This browser offers no WebGL 2: the lists and times work, the picture does not.";
    try {
      // Software rendering pays for every sample.
      const renderer = new WebGLRenderer({ canvas, antialias: kind === "device", stencil: true, powerPreference: "high-performance" });
      renderer.setPixelRatio(kind === "device" ? Math.min(window.devicePixelRatio, 2) : 1);
      renderer.localClippingEnabled = true;
      return new Stage(renderer, canvas, anchor, radius, kind === "software");
    } catch (error) {
      return `The picture cannot be drawn: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /** Creates the orbit controls, which read the camera's up vector only once. */
  private createControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.screenSpacePanning = true;
    controls.zoomToCursor = true;
    controls.addEventListener("change", () => this.invalidate());
    controls.addEventListener("start", () => (this.flight = null));
    return controls;
  }

  /** Sets the up axis of the world, and rotates the camera with it. */
  setUpAxis(up: Up): void {
    const upRotation = new Quaternion();
    // The front stays in front: y maps to -z, as in glTF exporters.
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

  /** Converts a direction from a z-up frame to the world. */
  worldDirection([x, y, z]: Vec3): Vec3 {
    const { x: right, y: on, z: above } = new Vector3(x, y, z).applyQuaternion(this.upRotation);
    return [right, on, above];
  }

  /** From the world to the scene. */
  toScene(place: Vec3): Vector3 {
    return new Vector3(...sub(place, this.anchor));
  }

  /** From the scene to the world. */
  toWorld(place: Vector3): Vec3 {
    return [place.x + this.anchor[0], place.y + this.anchor[1], place.z + this.anchor[2]];
  }

  /** The ray through a position of the page. */
  ray(x: number, y: number): Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const caster = new Raycaster();
    this.camera.updateMatrixWorld();
    caster.setFromCamera(new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), this.camera);
    return caster;
  }

  /** Calls `prepare` before every frame. */
  onFrame(prepare: () => void): void {
    this.frameCallbacks.push(prepare);
  }

  /** Whether the picture is complete: no redraw is pending, the camera is at rest, and the resolution is full. */
  get isIdle(): boolean {
    return !this.redraw.isPending && this.flight === null && !this.coarse;
  }

  /** Requests a redraw; several requests are drawn once. */
  invalidate(): void {
    this.redraw.request();
  }

  /**
   * Reduces the resolution in software rendering if motion stutters, and restores it at rest. Frames follow the clock
   * of the screen, so the time between two frames measures the cost of one.
   */
  private adaptResolution(now: number): void {
    const passed = now - this.lastDrawn;
    this.lastDrawn = now;
    if (!this.software) return;
    // A single slow frame may be the first one, so it does not count as stutter.
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

  private resolution(mode: "coarse" | "fine"): void {
    if (this.coarse === (mode === "coarse")) return;
    this.coarse = mode === "coarse";
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

  /** Metres per pixel at a position of the scene. */
  metresPerPixel(place: Vector3): number {
    const forward = this.camera.getWorldDirection(new Vector3());
    const depth = Math.max(this.camera.near, place.clone().sub(this.camera.position).dot(forward));
    return (2 * depth * Math.tan(HALF_FOV)) / Math.max(1, this.canvas.clientHeight);
  }

  /** Looks at a ball from a direction in the world, from the target to the eye. */
  lookAt(from: Vec3 | null, centre: Vec3, radius: number, flight: "fly" | "at once"): void {
    const away = this.camera.position.clone().sub(this.controls.target);
    const direction = from === null ? away.normalize() : new Vector3(...unit(from));
    if (direction.lengthSq() === 0) direction.set(1, -1, 0.7).applyQuaternion(this.upRotation).normalize();
    // Exactly vertical directions have no defined up vector.
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

  /** Looks from a direction so that the points fill the picture, centred on `middle` or on the points. */
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

  /** Unit vector from the target to the eye. */
  get eyeDirection(): Vec3 {
    const { x, y, z } = this.camera.position.clone().sub(this.controls.target);
    return unit([x, y, z]);
  }

  /** The up direction, a unit vector. */
  get upDirection(): Vec3 {
    return this.worldDirection([0, 0, 1]);
  }

  /** Rotates the camera about its target, in radians to the right and up. */
  orbit(right: number, up: number): void {
    const away = this.camera.position.clone().sub(this.controls.target).applyQuaternion(this.upRotation.clone().conjugate());
    const distance = away.length();
    const azimuth = Math.atan2(away.y, away.x) + right;
    const height = Math.min(1.55, Math.max(-1.55, Math.asin(Math.min(1, Math.max(-1, away.z / distance))) + up));
    const eye = new Vector3(Math.cos(height) * Math.cos(azimuth), Math.cos(height) * Math.sin(azimuth), Math.sin(height));
    this.setCamera(this.controls.target.clone().addScaledVector(eye.applyQuaternion(this.upRotation), distance), this.controls.target.clone());
    this.invalidate();
  }

  /** Scales the distance to the target. */
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

/** Whether WebGL runs on a device or in software; null without WebGL. */
function graphics(): "device" | "software" | null {
  const probe = document.createElement("canvas").getContext("webgl2");
  if (probe === null) return null;
  const extension = probe.getExtension("WEBGL_debug_renderer_info");
  const name = String(probe.getParameter(extension?.UNMASKED_RENDERER_WEBGL ?? probe.RENDERER));
  probe.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name) ? "software" : "device";
}

