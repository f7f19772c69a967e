// Vectors and rotations in f64, as plain tuples: what is computed here is exact to rounding, whatever the picture shows.

/** Three coordinates, in metres unless said. */
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

/** `a` as long as one; z where it has no length. */
export function unit(a: Vec3): Vec3 {
  const size = length(a);
  return size > 0 ? scale(a, 1 / size) : [0, 0, 1];
}

/** Some unit vector across `a`. */
export function perpendicular(a: Vec3): Vec3 {
  const smallest = Math.abs(a[0]) <= Math.abs(a[1]) && Math.abs(a[0]) <= Math.abs(a[2]) ? 0 : Math.abs(a[1]) <= Math.abs(a[2]) ? 1 : 2;
  const basis: Vec3 = [smallest === 0 ? 1 : 0, smallest === 1 ? 1 : 0, smallest === 2 ? 1 : 0];
  return unit(cross(a, basis));
}

/** First `b`, then `a`. */
export const quatTimes = (a: Quat, b: Quat): Quat => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];

export const conjugate = (q: Quat): Quat => [q[0], -q[1], -q[2], -q[3]];

/** The same rotation as a unit quaternion; no rotation where there is no length. */
export function quatUnit(q: Quat): Quat {
  const size = Math.hypot(q[0], q[1], q[2], q[3]);
  return size > 0 ? [q[0] / size, q[1] / size, q[2] / size, q[3] / size] : [1, 0, 0, 0];
}

/** The rotation by `angle` radians about a unit axis. */
export function quatAbout(axis: Vec3, angle: number): Quat {
  const sine = Math.sin(angle / 2);
  return [Math.cos(angle / 2), axis[0] * sine, axis[1] * sine, axis[2] * sine];
}

/** A vector turned. */
export function rotate(q: Quat, v: Vec3): Vec3 {
  const u: Vec3 = [q[1], q[2], q[3]];
  const t = scale(cross(u, v), 2);
  return add(add(v, scale(t, q[0])), cross(u, t));
}

/** Where a point of the body is in the world. */
export const toWorld = (pose: Pose, point: Vec3): Vec3 => add(pose.position, rotate(pose.rotation, point));

/** Where a point of the world is on the body. */
export const toBody = (pose: Pose, point: Vec3): Vec3 =>
  rotate(conjugate(pose.rotation), sub(point, pose.position));

/** First `b`, then `a`: the pose in the world of what stands at `b` in the frame `a`. */
export const poseTimes = (a: Pose, b: Pose): Pose => ({
  position: toWorld(a, b.position),
  rotation: quatUnit(quatTimes(a.rotation, b.rotation)),
});

/** A pose of seven numbers x, y, z, qw, qx, qy, qz from `at`. */
export function readPose(numbers: ArrayLike<number>, at = 0): Pose {
  const n = (i: number): number => numbers[at + i] ?? Number.NaN;
  return { position: [n(0), n(1), n(2)], rotation: quatUnit([n(3), n(4), n(5), n(6)]) };
}
