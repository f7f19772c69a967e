// Vectors and rotations in f64, as plain tuples. The drawing in f32 does not affect them.

/** Three coordinates, in metres unless stated otherwise. */
export type Vec3 = readonly [number, number, number];

/** A rotation as a unit quaternion (w, x, y, z). */
export type Quat = readonly [number, number, number, number];

/** Position and rotation of a body. */
export interface Pose {
  readonly position: Vec3;
  readonly rotation: Quat;
}

export const ORIGIN: Vec3 = [0, 0, 0];
export const IDENTITY: Pose = { position: ORIGIN, rotation: [1, 0, 0, 0] };

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, factor: number): Vec3 => [a[0] * factor, a[1] * factor, a[2] * factor];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);
export const distance = (a: Vec3, b: Vec3): number => length(sub(a, b));

export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** `a` scaled to length one; the z axis for a zero vector. */
export function unit(a: Vec3): Vec3 {
  const size = length(a);
  return size > 0 ? scale(a, 1 / size) : [0, 0, 1];
}

/** A unit vector perpendicular to `a`. */
export function perpendicular(a: Vec3): Vec3 {
  const smallest = Math.abs(a[0]) <= Math.abs(a[1]) && Math.abs(a[0]) <= Math.abs(a[2]) ? 0 : Math.abs(a[1]) <= Math.abs(a[2]) ? 1 : 2;
  const basis: Vec3 = [smallest === 0 ? 1 : 0, smallest === 1 ? 1 : 0, smallest === 2 ? 1 : 0];
  return unit(cross(a, basis));
}

/** The product a b: first `b`, then `a`. */
export const quatTimes = (a: Quat, b: Quat): Quat => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];

export const conjugate = (q: Quat): Quat => [q[0], -q[1], -q[2], -q[3]];

/** Normalises a quaternion; the identity for zero. */
export function quatUnit(q: Quat): Quat {
  const size = Math.hypot(q[0], q[1], q[2], q[3]);
  return size > 0 ? [q[0] / size, q[1] / size, q[2] / size, q[3] / size] : [1, 0, 0, 0];
}

/** The rotation by `angle` radians about a unit axis. */
export function quatAbout(axis: Vec3, angle: number): Quat {
  const sine = Math.sin(angle / 2);
  return [Math.cos(angle / 2), axis[0] * sine, axis[1] * sine, axis[2] * sine];
}

/** Rotates a vector. */
export function rotate(q: Quat, v: Vec3): Vec3 {
  const u: Vec3 = [q[1], q[2], q[3]];
  const t = scale(cross(u, v), 2);
  return add(add(v, scale(t, q[0])), cross(u, t));
}

/** From the body's frame to the world. */
export const toWorld = (pose: Pose, point: Vec3): Vec3 => add(pose.position, rotate(pose.rotation, point));

/** From the world to the body's frame. */
export const toBody = (pose: Pose, point: Vec3): Vec3 =>
  rotate(conjugate(pose.rotation), sub(point, pose.position));

/** The product of poses: maps from the frame `b`, given in `a`, to the frame of `a`. */
export const poseTimes = (a: Pose, b: Pose): Pose => ({
  position: toWorld(a, b.position),
  rotation: quatUnit(quatTimes(a.rotation, b.rotation)),
});

/** Reads a pose from seven numbers x, y, z, qw, qx, qy, qz, starting at `at`. */
export function readPose(numbers: ArrayLike<number>, at = 0): Pose {
  const n = (i: number): number => numbers[at + i] ?? Number.NaN;
  return { position: [n(0), n(1), n(2)], rotation: quatUnit([n(3), n(4), n(5), n(6)]) };
}
