// The state of the screen page: the document with its layout, and the selected flow line.

import { ORIGIN, toWorld, type Vec3 } from "../motion/vector.ts";
import { screwPoint } from "../motion/screw.ts";
import { boundingBox, boundingSphere, boxCorners } from "../document/extent.ts";
import { State, type Theme } from "../state.ts";
import { usedVertices, type ScreenBody, type ScreenData } from "./document.ts";
import { layOut, patchAt, type BodyLayout } from "./layout.ts";
import { UNREACHABLE, UNOBSTRUCTED } from "./patches.ts";
import { maxTimeOf, timeText, type ClearanceScale } from "./scale.ts";
import { Unrolled, type ScreenPoint } from "./unroll.ts";

/** The selected flow line; points in the frame of B, with A at its start pose. */
export interface FlowLine {
  readonly from: "picture" | "screen" | "list";
  /** Text about a line that was chosen from a list. */
  readonly text?: string;
  readonly place: ScreenPoint;
  /** A point on the line. */
  readonly point: Vec3;
  readonly a: Vec3 | null;
  readonly b: Vec3 | null;
  /**
   * Clearance of A's patch, as a fraction of the motion, `UNREACHABLE` or `UNOBSTRUCTED`; null if the line misses A.
   */
  readonly time: number | null;
}

export interface ScreenValues {
  /** Position of A along its motion, in [0, 1]. */
  fraction: number;
  playing: boolean;
  line: FlowLine | null;
  /** Number of the chosen collision. */
  chosen: number | null;
  /** How B is drawn. */
  styleOfB: "translucent" | "solid" | "hidden";
  marks: boolean;
  /** End of the colour scale: the maximum time of all patches, or the end of the motion. */
  colourRange: "furthest" | "motion";
  theme: Theme;
}

/** Maximum number of marks; proper collisions come first. */
const MAX_MARKS = 2000;

/** The document with its layout, and the current values. */
export class ScreenApp {
  readonly state: State<ScreenValues>;
  readonly unrolled: Unrolled;
  readonly layouts: readonly [BodyLayout, BodyLayout];
  /** Screen points of the collisions. */
  readonly places: readonly ScreenPoint[];
  /** Collisions with marks, the earliest last, so that it is on top. */
  readonly markedCollisions: readonly number[];
  private readonly maxPatchTime: number;
  /** Corners of the boxes of both bodies at the start. */
  readonly extent: readonly Vec3[];
  readonly size: number;

  constructor(readonly data: ScreenData, theme: Theme) {
    const { a, b, screw, point, zero } = data;
    this.state = new State<ScreenValues>({ fraction: 0, playing: false, line: null, chosen: null, styleOfB: "translucent", marks: true, colourRange: "furthest", theme });
    const start = (place: Vec3): Vec3 => toWorld(screw.start, place);
    const [ofA, ofB] = [corners(a, start), corners(b, (place) => place)];
    this.extent = [...ofA, ...ofB];
    const [sizeA, sizeB] = [ofA, ofB].map((box) => 2 * boundingSphere(boundingBox(box)).radius) as [number, number];
    this.size = Math.max(sizeA, sizeB);
    const centre = boundingSphere(boundingBox(ofB)).centre;
    this.unrolled = new Unrolled(screw, { point, zero, centre, size: this.size });
    this.layouts = [layOut(a, this.unrolled, start, sizeA), layOut(b, this.unrolled, (place) => place, sizeB)];
    this.maxPatchTime = maxTimeOf(a.patches.times);
    const { collisions } = data;
    this.places = collisions.map((collision) => this.unrolled.toScreen(collision.point));
    const numbers = collisions.map((_, number) => number);
    const proper = numbers.filter((number) => collisions[number]?.proper);
    const others = numbers.filter((number) => !collisions[number]?.proper);
    this.markedCollisions = [...proper, ...others].slice(0, MAX_MARKS).sort((p, q) => q - p);
  }

  /** The current colour scale. */
  get scale(): ClearanceScale {
    const { duration, unit, screw } = this.data;
    return { maxTime: this.state.now.colourRange === "motion" ? 1 : this.maxPatchTime, duration, unit, angle: screw.angle };
  }

  /** The flow line through a point of a patch of A, given in A's frame. */
  lineOfA(patch: number, local: Vec3): FlowLine {
    const { screw, a } = this.data;
    const point = toWorld(screw.start, local);
    const time = a.patches.times[patch] as number;
    const b = time === UNOBSTRUCTED || time === UNREACHABLE ? null : screwPoint(screw, point, time);
    return { from: "picture", place: this.unrolled.toScreen(point), point, a: point, b, time };
  }

  /** The flow line through a point of B. */
  lineOfB(point: Vec3): FlowLine {
    const line = this.lineAt(this.unrolled.toScreen(point), "picture");
    return line === null ? { from: "picture", place: this.unrolled.toScreen(point), point, a: null, b: point, time: null } : { ...line, b: point };
  }

  /** The flow line at a screen point; null outside both bodies. */
  lineAt(place: ScreenPoint, from: FlowLine["from"]): FlowLine | null {
    const { a, b } = this.data;
    const ofA = patchAt(this.layouts[0], a.patches, place);
    if (ofA !== null) return { ...this.lineOfA(ofA.patch, ofA.point), from, place };
    const ofB = patchAt(this.layouts[1], b.patches, place);
    return ofB === null ? null : { from, place, point: ofB.point, a: null, b: ofB.point, time: null };
  }

  /** Chooses a collision and seeks to its time. */
  choose(number: number | null): void {
    const collision = number === null ? undefined : this.data.collisions[number];
    if (collision === undefined) {
      this.state.set({ chosen: null, line: null });
      return;
    }
    const { point, share: fraction } = collision;
    const { names, unit } = this;
    const text = `${names[0]} and ${names[1]} touch here, ${timeText(fraction, this.scale)}${unit} after the start.`;
    this.state.set({ chosen: number, fraction, playing: false, line: this.lineOfContact(point, fraction, text) });
  }

  /** The flow line of a contact point at a time. */
  lineOfContact(point: Vec3, fraction: number, text: string): FlowLine {
    // The point of A at the start: moved back along the motion.
    const start = screwPoint(this.data.screw, point, -fraction);
    return { from: "list", text, place: this.unrolled.toScreen(point), point, a: start, b: point, time: fraction };
  }

  get names(): readonly [string, string] {
    return [this.data.a.name, this.data.b.name];
  }

  /** Text after a time that is a fraction of the motion. */
  get unit(): string {
    return this.data.unit === "" ? " of the motion" : "";
  }

  /** Chooses the next or previous collision. */
  step(direction: 1 | -1): void {
    const { chosen, fraction } = this.state.now;
    const { collisions } = this.data;
    let next = (chosen ?? 0) + direction;
    if (chosen === null) {
      const later = collisions.findIndex((collision) => collision.share > fraction);
      next = direction === 1 ? (later < 0 ? collisions.length : later) : collisions.findLastIndex((collision) => collision.share < fraction);
    }
    if (next >= 0 && next < collisions.length) this.choose(next);
  }

  seek(fraction: number): void {
    this.state.set({ fraction: Math.min(1, Math.max(0, fraction)) });
  }

  /** Current position of a point that A has at its start pose. */
  now(point: Vec3): Vec3 {
    return screwPoint(this.data.screw, point, this.state.now.fraction);
  }
}

/** Corners of the box of a body. */
function corners(body: ScreenBody, transform: (point: Vec3) => Vec3): Vec3[] {
  return boxCorners(boundingBox(usedVertices(body)) ?? { low: ORIGIN, high: ORIGIN }).map(transform);
}
