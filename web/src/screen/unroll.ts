// The unrolled screen: the view along the flow lines, on which the motion moves all points (Buss 2005). A point at the
// distance r from the axis, the angle theta around it and the height z along it moves at the speed S. Perpendicular to its
// flow line it lies at the height h of the unrolled cylinder, and it passes the screen at the time -tau:
//
//   S = sqrt(b^2 r^2 + d^2),   h = (b r z - d r theta) / S,   tau = (b r^2 theta + d z) / S^2
//
// Another revolution of theta is another image of the same flow line, higher or lower by the period 2 pi r d / S.
// The image nearest to height 0 is used. For a translation the screen is a plane perpendicular to it.

import { screwPoint, velocityAt, type Screw } from "../motion/screw.ts";
import { perpendicular, add, cross, dot, length, scale, sub, unit, type Vec3 } from "../motion/vector.ts";

/** Coordinates on the screen, in metres: r and h, or two coordinates perpendicular to a translation. */
export type ScreenPoint = readonly [number, number];

/** Cylindrical coordinates about the axis. */
export interface CylindricalPoint {
  readonly r: number;
  readonly theta: number;
  readonly z: number;
}

/** For an axis beyond this many body sizes, flow lines are practically straight. */
const FAR_AXIS = 1e6;

export interface UnrollFrame {
  /** A point on the axis, and the direction of theta = 0. */
  readonly point: Vec3;
  readonly zero: Vec3;
  /** The centre of B, and the size of the bodies. */
  readonly centre: Vec3;
  readonly size: number;
}

export class Unrolled {
  /** Whether the screen is a plane perpendicular to the motion. */
  readonly flat: boolean;
  private readonly along: Vec3;
  private readonly zero: Vec3;
  private readonly side: Vec3;
  private readonly origin: Vec3;
  private readonly speed: number;

  constructor(readonly screw: Screw, { point, zero, centre, size }: UnrollFrame) {
    const velocity = velocityAt(screw, 0, centre);
    this.speed = length(velocity);
    const far = length(cross(screw.direction, sub(centre, point))) > FAR_AXIS * size;
    this.flat = screw.angle === 0 || far;
    this.along = far && screw.angle !== 0 && this.speed > 0 ? unit(velocity) : screw.direction;
    const zeroDirection = screw.angle !== 0 && far ? perpendicular(this.along) : zero;
    [this.zero, this.side] = [zeroDirection, cross(this.along, zeroDirection)];
    this.origin = this.flat ? centre : point;
  }

  /** Speed of a point at a distance from the axis, metres per whole motion. */
  speedAt(r: number): number {
    return this.flat ? this.speed : Math.hypot(this.screw.angle * r, this.screw.slide);
  }

  /** Difference in height between images of a flow line; 0 if there is only one. */
  period(r: number): number {
    if (this.flat) return 0;
    const period = Math.abs((2 * Math.PI * r * this.screw.slide) / this.speedAt(r));
    return Number.isFinite(period) ? period : 0;
  }

  /** Cylindrical coordinates of a point, theta in (-pi, pi]. For a translation r is unused. */
  toCylindrical(point: Vec3): CylindricalPoint {
    const offset = sub(point, this.origin);
    const [x, y] = [dot(offset, this.zero), dot(offset, this.side)];
    return { r: Math.hypot(x, y), theta: Math.atan2(y, x), z: dot(offset, this.along) };
  }

  /** Height of a point; theta may be in any turn. */
  height({ r, theta, z }: CylindricalPoint): number {
    const { slide: d, angle: b } = this.screw;
    if (r === 0) return d === 0 ? z : 0;
    return (b * r * z - d * r * theta) / this.speedAt(r);
  }

  /** The image of a point that is nearest to height 0. */
  toScreen(point: Vec3): ScreenPoint {
    if (this.flat) return this.toPlane(point);
    const at = this.toCylindrical(point);
    const height = this.height(at);
    const period = this.period(at.r);
    return [at.r, period > 0 ? height - Math.round(height / period) * period : height];
  }

  /** The visible images of a short line or small triangle. The corners stay together in each image. */
  images(points: readonly Vec3[]): ScreenPoint[][] {
    if (this.flat) return [points.map((point) => this.toPlane(point))];
    const first = this.toCylindrical(points[0] as Vec3);
    const corners = points.map((point) => {
      const at = this.toCylindrical(point);
      const turns = Math.round((first.theta - at.theta) / (2 * Math.PI));
      return { ...at, theta: at.theta + 2 * Math.PI * turns };
    });
    const heights = corners.map((at) => this.height(at));
    const periods = corners.map(({ r }) => this.period(r));
    if (periods.some((period) => period === 0)) return [corners.map(({ r }, k): ScreenPoint => [r, heights[k] as number])];
    const turns = heights.map((height, k) => height / (periods[k] as number));
    const [low, high] = [Math.ceil(Math.min(...turns) - 0.5), Math.floor(Math.max(...turns) + 0.5)];
    const found: ScreenPoint[][] = [];
    for (let turn = low; turn <= Math.min(high, low + MAX_IMAGES); turn += 1) {
      found.push(corners.map(({ r }, k): ScreenPoint => [r, (heights[k] as number) - turn * (periods[k] as number)]));
    }
    return found;
  }

  /** A point of the flow line at a screen point; null outside the visible period. */
  pointAt([r, h]: ScreenPoint): Vec3 | null {
    if (this.flat) return add(this.origin, add(scale(this.zero, r), scale(this.side, h)));
    const period = this.period(r);
    if (r <= 0 || (period > 0 && Math.abs(h) > period / 2)) return null;
    const z = (h * this.speedAt(r)) / (this.screw.angle * r);
    return add(this.origin, add(scale(this.zero, r), scale(this.along, z)));
  }

  /** The flow line of a point between two times, sampled smoothly. */
  flowLine(point: Vec3, from: number, to: number): Vec3[] {
    const turns = ((to - from) * this.screw.angle) / (2 * Math.PI);
    const count = Math.min(MAX_POINTS, Math.max(2, Math.ceil(Math.abs(turns) * 72)));
    return Array.from({ length: count + 1 }, (_, k) => screwPoint(this.screw, point, from + ((to - from) * k) / count));
  }

  private toPlane(point: Vec3): ScreenPoint {
    const offset = sub(point, this.origin);
    return [dot(offset, this.zero), dot(offset, this.side)];
  }
}

/** Maximum number of further images of a patch. */
const MAX_IMAGES = 8;
const MAX_POINTS = 6000;
