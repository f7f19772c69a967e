// Bounding boxes of bodies, and of the whole motion.

import type { BodyData, Playback } from "./playback.ts";
import { distance, poseTimes, scale, add, toWorld, type Pose, type Vec3 } from "../motion/vector.ts";

/** An axis-aligned box in the world. */
export interface Box {
  low: Vec3;
  high: Vec3;
}

export interface BoundingSphere {
  centre: Vec3;
  radius: number;
}

const SAMPLES = 200;

/** Corners of the boxes of a body's meshes, in the body's frame. */
export function bodyCorners(playback: Playback, body: BodyData): Vec3[] {
  const list: Vec3[] = [];
  for (const { mesh, frame } of body.elements) {
    const box = playback.meshes[mesh]?.box;
    if (box === undefined) continue;
    const place = poseTimes(frame, box.pose);
    for (let k = 0; k < 8; k += 1) {
      const corner = box.half.map((half, axis) => ((k >> axis) & 1 ? half : -half)) as unknown as Vec3;
      list.push(toWorld(place, corner));
    }
  }
  return list;
}

/** The bounding box of points; null without points. */
export function boundingBox(points: readonly Vec3[]): Box | null {
  if (points.length === 0) return null;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const point of points) {
    for (let k = 0; k < 3; k += 1) {
      low[k] = Math.min(low[k] as number, point[k] as number);
      high[k] = Math.max(high[k] as number, point[k] as number);
    }
  }
  return { low: low as unknown as Vec3, high: high as unknown as Vec3 };
}

/** The world box of a body at `pose`. */
export const worldBox = (local: readonly Vec3[], pose: Pose): Box | null => boundingBox(local.map((corner) => toWorld(pose, corner)));

/** The bounding sphere of a box. */
export function boundingSphere(box: Box | null): BoundingSphere {
  if (box === null) return { centre: [0, 0, 0], radius: 1 };
  const centre = scale(add(box.low, box.high), 0.5);
  return { centre, radius: Math.max(distance(box.low, box.high) / 2, 1e-9) };
}

/** The bounding box of all bodies over the motion, sampled at even times, and at the keys if there are few. */
export function boxOfMotion(playback: Playback): Box {
  const points: Vec3[] = [];
  for (const body of playback.bodies) {
    const local = bodyCorners(playback, body);
    const { track } = body;
    const times = track.count <= SAMPLES
      ? Array.from({ length: track.count }, (_, key) => track.time(key))
      : [];
    for (let i = 0; i <= SAMPLES / 2; i += 1) {
      if (body.moves) times.push(playback.start + ((playback.end - playback.start) * i * 2) / SAMPLES);
    }
    const poses = times.length === 0 ? [track.pose(playback.start)] : times.map((t) => track.pose(t));
    const box = boundingBox(poses.flatMap((pose) => local.map((corner) => toWorld(pose, corner))));
    if (box !== null) points.push(box.low, box.high);
  }
  return boundingBox(points) ?? { low: [-1, -1, -1], high: [1, 1, 1] };
}

/** The eight corners of a box. */
export function boxCorners(box: Box): Vec3[] {
  const ends = [box.low, box.high];
  return Array.from({ length: 8 }, (_, k) => [0, 1, 2].map((axis) => ends[(k >> axis) & 1]?.[axis] ?? 0) as unknown as Vec3);
}
