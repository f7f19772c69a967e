// The screw motion between two poses (Chasles' theorem), in f64, for interpolation between keys and for the drawn axis
// and helix. As in the engine, it is the screw with the smaller angle. For half a turn, the first non-zero component of
// the axis is positive.

import {
  add, conjugate, cross, dot, length, quatAbout, quatTimes, quatUnit, rotate, scale, sub, unit,
  type Pose, type Vec3,
} from "./vector.ts";

/** A screw motion over fractions in [0, 1]: a rotation about an axis and a translation along it. */
export interface Screw {
  readonly start: Pose;
  /** Direction of the axis, a unit vector in the world. */
  readonly direction: Vec3;
  /** Translation along the axis, metres. */
  readonly slide: number;
  /** Rotation about the axis, radians, in [0, pi]. */
  readonly angle: number;
  /** Velocity of the start position perpendicular to the axis, per whole motion. It stays finite for a distant axis. */
  readonly velocity: Vec3;
}

/** The screw from one pose to another with the smallest angle. */
export function screwBetween(start: Pose, end: Pose): Screw {
  const displacement = sub(end.position, start.position);
  let [w, x, y, z] = quatTimes(end.rotation, conjugate(start.rotation));
  if (w < 0 || (w === 0 && firstIsNegative([x, y, z]))) [w, x, y, z] = [-w, -x, -y, -z];
  const sine = length([x, y, z]);
  // A smaller rotation changes no coordinate.
  if (sine < 1e-150) return translation(start, displacement);
  const angle = 2 * Math.atan2(sine, w);
  const direction = unit([x / sine, y / sine, z / sine]);
  const slide = dot(direction, displacement);
  const sideways = sub(displacement, scale(direction, slide));
  const halfCot = 0.5 * angle * (w / sine);
  const velocity = sub(scale(sideways, halfCot), scale(cross(direction, sideways), 0.5 * angle));
  const along = dot(direction, velocity);
  return { start, direction, slide, angle, velocity: sub(velocity, scale(direction, along)) };
}

function translation(start: Pose, displacement: Vec3): Screw {
  const size = length(displacement);
  const direction: Vec3 = size > 0 ? unit(displacement) : [0, 0, 1];
  return { start, direction, slide: size, angle: 0, velocity: [0, 0, 0] };
}

function firstIsNegative(v: Vec3): boolean {
  return (v.find((component) => component !== 0) ?? 0) < 0;
}

/** The pose at a fraction in [0, 1]. */
export function screwPose(screw: Screw, fraction: number): Pose {
  const { start, direction, slide, angle, velocity } = screw;
  const rotationAngle = angle * fraction;
  const rotation = quatAbout(direction, rotationAngle);
  const position = add(start.position, displacementAt(direction, velocity, { slide: slide * fraction, angle: rotationAngle, fraction }));
  return { position, rotation: quatUnit(quatTimes(rotation, start.rotation)) };
}

/** Displacement of the start position: along the axis, and on an arc about it, which may be almost straight. */
function displacementAt(direction: Vec3, velocity: Vec3, progress: { slide: number; angle: number; fraction: number }): Vec3 {
  const arc = scale(velocity, progress.fraction * sinOver(progress.angle));
  const bulge = scale(cross(direction, velocity), progress.fraction * versineOver(progress.angle));
  return add(scale(direction, progress.slide), add(arc, bulge));
}

/** sin(x) / x. */
function sinOver(x: number): number {
  return Math.abs(x) < 1e-8 ? 1 - (x * x) / 6 : Math.sin(x) / x;
}

/** (1 - cos(x)) / x, without cancellation. */
function versineOver(x: number): number {
  const half = Math.sin(x / 2);
  return x === 0 ? 0 : (2 * half * half) / x;
}

/** A point on the axis, or null without rotation (or if the rotation is too small to locate the axis). */
export function axisPoint(screw: Screw): Vec3 | null {
  if (screw.angle < 1e-9) return null;
  return add(screw.start.position, scale(cross(screw.direction, screw.velocity), 1 / screw.angle));
}

/** The position at a fraction of a point that moves with the screw and starts at `point`. */
export function screwPoint(screw: Screw, point: Vec3, fraction: number): Vec3 {
  const pose = screwPose(screw, fraction);
  const local = rotate(conjugate(screw.start.rotation), sub(point, screw.start.position));
  return add(pose.position, rotate(pose.rotation, local));
}

/** Velocity in the world, per whole motion, of the moving point that is at `point` at a fraction. */
export function velocityAt(screw: Screw, fraction: number, point: Vec3): Vec3 {
  const origin = screwPose(screw, fraction).position;
  const rotatedVelocity = rotate(quatAbout(screw.direction, screw.angle * fraction), screw.velocity);
  const originVelocity = add(rotatedVelocity, scale(screw.direction, screw.slide));
  return add(originVelocity, scale(cross(screw.direction, sub(point, origin)), screw.angle));
}
