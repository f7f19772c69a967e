// The screw between two poses (Chasles' theorem), in f64: what moves between two keys of the playback, and what is drawn
// as axis and helix. The same conventions as the engine's: the smaller angle, and for exactly half a turn the axis
// whose first non-zero component is positive.

import {
  add, conjugate, cross, dot, length, quatAbout, quatTimes, quatUnit, rotate, scale, sub, unit,
  type Pose, type Vec3,
} from "./vector.ts";

/** A motion over shares of its way in [0, 1]: it turns about an axis and slides along it. */
export interface Screw {
  readonly start: Pose;
  /** Direction of the axis, unit, in the world. */
  readonly direction: Vec3;
  /** Along the axis over the whole motion, metres. */
  readonly slide: number;
  /** About the axis over the whole motion, radians, in [0, pi]. */
  readonly angle: number;
  /** Velocity across the axis, per whole motion, of the position at the start: finite however far the axis is. */
  readonly velocity: Vec3;
}

/** The screw from one pose to another with the smallest angle. */
export function screwBetween(start: Pose, end: Pose): Screw {
  const displacement = sub(end.position, start.position);
  let [w, x, y, z] = quatTimes(end.rotation, conjugate(start.rotation));
  if (w < 0 || (w === 0 && firstIsNegative([x, y, z]))) [w, x, y, z] = [-w, -x, -y, -z];
  const sine = length([x, y, z]);
  // Smaller turns move nothing that a coordinate could show.
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

/** The pose at a share of the way in [0, 1]. */
export function screwPose(screw: Screw, fraction: number): Pose {
  const { start, direction, slide, angle, velocity } = screw;
  const rotationAngle = angle * fraction;
  const rotation = quatAbout(direction, rotationAngle);
  const position = add(start.position, displacementAt(direction, velocity, { slide: slide * fraction, angle: rotationAngle, fraction }));
  return { position, rotation: quatUnit(quatTimes(rotation, start.rotation)) };
}

/** What the starting position has travelled: along the axis, and around it on an arc that may be as flat as a line. */
function displacementAt(direction: Vec3, velocity: Vec3, progress: { slide: number; angle: number; fraction: number }): Vec3 {
  const arc = scale(velocity, progress.fraction * sinOver(progress.angle));
  const bulge = scale(cross(direction, velocity), progress.fraction * versineOver(progress.angle));
  return add(scale(direction, progress.slide), add(arc, bulge));
}

/** sin(x) / x. */
function sinOver(x: number): number {
  return Math.abs(x) < 1e-8 ? 1 - (x * x) / 6 : Math.sin(x) / x;
}

/** (1 - cos(x)) / x, without loss of digits. */
function versineOver(x: number): number {
  const half = Math.sin(x / 2);
  return x === 0 ? 0 : (2 * half * half) / x;
}

/** A point of the axis, or none where the motion only slides (or turns too little for its axis to be anywhere). */
export function axisPoint(screw: Screw): Vec3 | null {
  if (screw.angle < 1e-9) return null;
  return add(screw.start.position, scale(cross(screw.direction, screw.velocity), 1 / screw.angle));
}

/** Where a point of the world, carried along, is at a share of the way. */
export function screwPoint(screw: Screw, point: Vec3, fraction: number): Vec3 {
  const pose = screwPose(screw, fraction);
  const local = rotate(conjugate(screw.start.rotation), sub(point, screw.start.position));
  return add(pose.position, rotate(pose.rotation, local));
}

/** Velocity in the world, per whole motion, of a point where it is at `share`, if it is carried along. */
export function velocityAt(screw: Screw, fraction: number, point: Vec3): Vec3 {
  const origin = screwPose(screw, fraction).position;
  const rotationAngle = rotate(quatAbout(screw.direction, screw.angle * fraction), screw.velocity);
  const originVelocity = add(rotationAngle, scale(screw.direction, screw.slide));
  return add(originVelocity, scale(cross(screw.direction, sub(point, origin)), screw.angle));
}
