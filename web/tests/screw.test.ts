// Screws and tracks: against what a screw is, and against small steps, also where formulas are about to lose their digits.

import assert from "node:assert/strict";
import { test } from "node:test";

import { axisPoint, screwPoint, screwBetween, screwPose, velocityAt } from "../src/motion/screw.ts";
import { Track } from "../src/motion/track.ts";
import { helixOf } from "../src/picture/traces.ts";
import { add, cross, distance, dot, length, quatAbout, quatTimes, rotate, scale, sub, toBody, toWorld, unit, type Pose, type Quat, type Vec3 } from "../src/motion/vector.ts";

/** The same numbers for the same seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const spread = (next: () => number): number => 2 * next() - 1;
const vector = (next: () => number, size = 1): Vec3 => [spread(next) * size, spread(next) * size, spread(next) * size];
const pose = (next: () => number): Pose => ({ position: vector(next, 3), rotation: quatAbout(unit(vector(next)), spread(next) * 6) });

function near(a: Vec3, b: Vec3, within: number, what: string): void {
  assert.ok(distance(a, b) <= within, `${what}: ${a} and ${b} are ${distance(a, b)} apart`);
}

function sameTurn(a: Quat, b: Quat, within: number, what: string): void {
  for (const v of [[1, 0, 0], [0, 1, 0]] as Vec3[]) near(rotate(a, v), rotate(b, v), within, what);
}

test("a screw starts and ends at its poses", () => {
  const next = random(1);
  for (let run = 0; run < 2000; run += 1) {
    const [start, end] = [pose(next), pose(next)];
    const screw = screwBetween(start, end);
    assert.ok(screw.angle >= 0 && screw.angle <= Math.PI);
    near(screwPose(screw, 0).position, start.position, 1e-13, "start");
    near(screwPose(screw, 1).position, end.position, 1e-12, "end");
    sameTurn(screwPose(screw, 1).rotation, end.rotation, 1e-12, "end");
  }
});

test("halves of a screw are the same screw", () => {
  const next = random(2);
  for (let run = 0; run < 500; run += 1) {
    const screw = screwBetween(pose(next), pose(next));
    const middle = screwPose(screw, 0.5);
    const quarter = screwPose(screwBetween(screw.start, middle), 0.5);
    near(screwPose(screw, 0.25).position, quarter.position, 1e-11, "quarter");
    sameTurn(screwPose(screw, 0.25).rotation, quarter.rotation, 1e-11, "quarter");
  }
});

test("points keep their distance from the axis and move at constant speed", () => {
  const next = random(3);
  for (let run = 0; run < 500; run += 1) {
    const screw = screwBetween(pose(next), pose(next));
    const centre = axisPoint(screw);
    if (centre === null || screw.angle < 1e-3) continue;
    const point = vector(next, 2);
    const away = (p: Vec3): number => length(cross(sub(p, centre), screw.direction));
    const along = (p: Vec3): number => dot(sub(p, centre), screw.direction);
    for (const share of [0.2, 0.7, 1]) {
      const now = screwPoint(screw, point, share);
      assert.ok(Math.abs(away(now) - away(point)) < 1e-9 / screw.angle);
      assert.ok(Math.abs(along(now) - along(point) - share * screw.slide) < 1e-9 / screw.angle);
    }
  }
});

test("tiny rotations move points along straight lines", () => {
  const start: Pose = { position: [1, 2, 3], rotation: [1, 0, 0, 0] };
  for (const angle of [1e-3, 1e-6, 1e-8, 1e-10, 1e-12, 1e-15, 1e-30, 0]) {
    const end: Pose = { position: [4, 2, 3], rotation: quatAbout([0, 0, 1], angle) };
    const half = screwPose(screwBetween(start, end), 0.5);
    // The arc's height over its chord of 3 is 3/8 of the angle.
    const chord: Vec3 = [2.5, 2 - (3 / 8) * angle, 3];
    near(half.position, chord, 1e-13 + angle * angle * angle, `angle ${angle}`);
    assert.ok(Math.abs(half.position[1] - (2 - 1.5 * Math.tan(angle / 4))) < 5e-16 * 8, `bulge of ${angle}`);
  }
});

test("half-turn rotations have the axis whose first component is positive", () => {
  for (const axis of [[0, 0, 1], [0, 0, -1], [0, -1, 0], [-0.6, 0.8, 0], [0, -0.6, 0.8]] as Vec3[]) {
    const end: Pose = { position: [0, 0, 0], rotation: [0, ...axis] };
    const screw = screwBetween({ position: [0, 0, 0], rotation: [1, 0, 0, 0] }, end);
    const first = axis.find((c) => c !== 0) as number;
    near(screw.direction, scale(axis, Math.sign(first)), 1e-15, "axis");
    assert.ok(Math.abs(screw.angle - Math.PI) < 1e-15);
    sameTurn(screwPose(screw, 1).rotation, end.rotation, 1e-15, "end");
  }
});

test("velocities equal differences of small steps", () => {
  const next = random(4);
  for (let run = 0; run < 300; run += 1) {
    const screw = screwBetween(pose(next), pose(next));
    const share = 0.1 + 0.8 * next();
    const body = vector(next, 2);
    const at = (s: number): Vec3 => toWorld(screwPose(screw, s), body);
    const step = 1e-5;
    const difference = scale(sub(at(share + step), at(share - step)), 0.5 / step);
    near(velocityAt(screw, share, at(share)), difference, 1e-7, "velocity");
  }
});

test("a helix passes through the positions of its point", () => {
  const screw = screwBetween({ position: [1, 0, 0], rotation: [1, 0, 0, 0] }, { position: [-1, 0, 1], rotation: [0, 0, 0, 1] });
  const points = helixOf(screw, [1, 0, 0]);
  assert.ok(points.length > 60);
  points.forEach((point, i) => {
    const angle = (Math.PI * i) / (points.length - 1);
    near(point, [Math.cos(angle), Math.sin(angle), i / (points.length - 1)], 1e-12, `point ${i}`);
  });
});

const keysOf = (rows: number[][]): Float64Array => new Float64Array(rows.flat());

test("a track is constant outside its keys and follows screws between them", () => {
  const track = new Track(keysOf([[1, 0, 0, 0, 1, 0, 0, 0], [2, 1, 0, 0, 1, 0, 0, 0], [4, 1, 4, 0, 0, 0, 0, 1]]), "body");
  near(track.pose(0).position, [0, 0, 0], 0, "before");
  near(track.pose(1.25).position, [0.25, 0, 0], 1e-15, "between");
  near(track.pose(9).position, [1, 4, 0], 0, "after");
  assert.equal(track.segment(0.5), null);
  assert.equal(track.segment(4), null);
  assert.equal(track.segment(3)?.number, 1);
});

test("at a jump the later pose holds, and the velocity stays finite", () => {
  const track = new Track(keysOf([[0, 0, 0, 0, 1, 0, 0, 0], [1, 1, 0, 0, 1, 0, 0, 0], [1, 5, 0, 0, 1, 0, 0, 0], [2, 5, 1, 0, 1, 0, 0, 0]]), "body");
  near(track.pose(1).position, [5, 0, 0], 0, "at the jump");
  near(track.pose(1 - 1e-9).position, [1, 0, 0], 2e-9, "before the jump");
  near(track.velocity(0.5, [0, 0, 0]), [1, 0, 0], 1e-15, "before");
  near(track.velocity(1.5, [0, 0, 0]), [0, 1, 0], 1e-15, "after");
});

test("the velocity at a key is the velocity of the segment that ends there", () => {
  // Along x, then a quarter turn about z through (1, 0, 0) in 2 s, then at rest.
  const quarter = Math.SQRT1_2;
  const track = new Track(keysOf([
    [0, 0, 0, 0, 1, 0, 0, 0], [1, 1, 0, 0, 1, 0, 0, 0], [3, 1, 0, 0, quarter, 0, 0, quarter], [4, 1, 0, 0, quarter, 0, 0, quarter],
  ]), "body");
  const point: Vec3 = [1, 2, 0];
  const turning: Vec3 = [-Math.PI / 2, 0, 0];
  near(track.velocity(-1, point), [0, 0, 0], 0, "before the first key");
  near(track.velocity(0, point), [1, 0, 0], 1e-15, "at the first key: no segment ends there, so that of the next one");
  near(track.velocity(1, point), [1, 0, 0], 1e-15, "at a key between two segments");
  near(track.velocity(1 + 1e-9, point), turning, 1e-8, "just after that key");
  near(track.velocity(3, point), turning, 1e-14, "at the key where the rotation ends");
  near(track.velocity(4, point), [0, 0, 0], 0, "at the end of the rest");
  const last = new Track(keysOf([[0, 0, 0, 0, 1, 0, 0, 0], [2, 0, 6, 0, 1, 0, 0, 0]]), "body");
  near(last.velocity(2, point), [0, 3, 0], 1e-15, "at the last key");
  near(last.velocity(2.5, point), [0, 0, 0], 0, "after the last key");
  near(new Track(keysOf([[1, 0, 0, 0, 1, 0, 0, 0]]), "body").velocity(1, point), [0, 0, 0], 0, "of a single key");
});

test("the velocity at a jump is the velocity after it, like the pose", () => {
  const jumping = (...keys: number[][]): Track => new Track(keysOf(keys.map(([t = 0, x = 0, y = 0]) => [t, x, y, 0, 1, 0, 0, 0])), "body");
  const between = jumping([0, 0, 0], [1, 1, 0], [1, 5, 0], [2, 5, 2]);
  near(between.velocity(1 - 1e-9, [0, 0, 0]), [1, 0, 0], 1e-15, "just before the jump");
  near(between.velocity(1, [0, 0, 0]), [0, 2, 0], 1e-15, "at the jump");
  near(between.velocity(2, [0, 0, 0]), [0, 2, 0], 1e-15, "at the last key");
  const first = jumping([0, 0, 0], [0, 5, 0], [1, 5, 2]);
  near(first.velocity(0, [0, 0, 0]), [0, 2, 0], 1e-15, "at a jump at the start");
  const last = jumping([0, 0, 0], [1, 1, 0], [1, 5, 0]);
  near(last.velocity(1, [0, 0, 0]), [0, 0, 0], 0, "at a jump at the end: no motion follows");
});

test("the key before a time equals the result of a linear search", () => {
  const next = random(5);
  const times = Array.from({ length: 400 }, () => Math.floor(next() * 300) / 10).sort((a, b) => a - b);
  const track = new Track(keysOf(times.map((t, i) => [t, i, 0, 0, 1, 0, 0, 0])), "body");
  for (let run = 0; run < 3000; run += 1) {
    const t = Math.floor(next() * 320) / 10 - 1;
    assert.equal(track.keyBefore(t), times.findLastIndex((time) => time <= t));
  }
});

test("bad keys are errors with names", () => {
  assert.throws(() => new Track(new Float64Array(0), "cup"), /body cup: 0 numbers/);
  assert.throws(() => new Track(keysOf([[0, NaN, 0, 0, 1, 0, 0, 0]]), "cup"), /body cup: key 0 has a number/);
  assert.throws(() => new Track(keysOf([[1, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0]]), "cup"), /body cup: key 1 lies before key 0/);
});

test("points convert to body coordinates and back", () => {
  const next = random(6);
  for (let run = 0; run < 200; run += 1) {
    const [frame, place] = [pose(next), vector(next, 5)];
    near(toWorld(frame, toBody(frame, place)), place, 1e-13, "there and back");
    near(rotate(quatTimes(frame.rotation, frame.rotation), place), rotate(frame.rotation, rotate(frame.rotation, place)), 1e-13, "twice");
    near(add(place, scale(place, -1)), [0, 0, 0], 0, "nothing");
  }
});
