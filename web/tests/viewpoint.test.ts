// From where a contact is looked at: a place that is hidden from most sides is looked at from one that sees it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { DIRECTIONS, visibility, bestViewDirection, type Occluder, type ViewTarget } from "../src/picture/viewpoint.ts";
import { dot, length, unit, type Vec3 } from "../src/motion/vector.ts";

/** A wall, two triangles: its middle, and half of its two sides. */
function wall(middle: Vec3, u: Vec3, v: Vec3, clear = 0): Occluder {
  const corner = (s: number, t: number): number[] => middle.map((part, k) => part + s * (u[k] as number) + t * (v[k] as number));
  const same = (vector: Vec3): Vec3 => vector;
  return {
    positions: [...corner(-1, -1), ...corner(1, -1), ...corner(1, 1), ...corner(-1, 1)], triangles: [0, 1, 2, 0, 2, 3],
    place: same, direction: same, sphere: { centre: middle, radius: length(u) + length(v) }, transmittance: clear,
  };
}

/** A shaft about z, open above; or beside, at x > 0. */
const above = [wall([1, 0, 0], [0, 1, 0], [0, 0, 3]), wall([-1, 0, 0], [0, 1, 0], [0, 0, 3]), wall([0, 1, 0], [1, 0, 0], [0, 0, 3]), wall([0, -1, 0], [1, 0, 0], [0, 0, 3])];
const beside = [...above.slice(1), wall([0, 0, 3], [1, 0, 0], [0, 1, 0])];

const sight: ViewTarget = { point: [0, 0, 0], normal: [0, 1, 0], size: 0.05, eyeDistance: 20 };
const up: Vec3 = [0, 0, 1];

test("every direction is a unit vector, and none is vertical", () => {
  for (const direction of DIRECTIONS) assert.ok(Math.abs(length(direction) - 1) < 1e-12 && Math.abs(direction[2]) < 0.9);
});

test("a point in a shaft is viewed through its open side", () => {
  const steep: Vec3 = unit([0.1, -0.15, 1]);
  const tried = [...DIRECTIONS, steep];
  assert.deepEqual(bestViewDirection(sight, above, tried, { now: [0, -1, 0], up }), steep);
  assert.deepEqual(visibility(sight, above, [steep, [1, 0, 0]]), [1, 0]);
  const found = bestViewDirection(sight, beside, tried, { now: [0, -1, 0], up });
  assert.ok(found[0] > 0.5, String(found));
  assert.deepEqual(visibility(sight, beside, [found]), [1]);
});

test("without obstacles the viewpoint moves to the side of the normal, no more than necessary", () => {
  const now = unit([1, -0.3, 0.4]);
  assert.deepEqual(bestViewDirection(sight, [], [now, ...DIRECTIONS], { now, up }), now);
  const along = bestViewDirection(sight, [], [[0, 1, 0], ...DIRECTIONS], { now: [0, 1, 0], up });
  assert.ok(Math.abs(dot(along, sight.normal)) < 0.8, String(along));
});

test("bodies beyond the viewpoint, or transparent, hide less", () => {
  const far = wall([10, 0, 0], [0, 1, 0], [0, 0, 1]);
  assert.deepEqual(visibility({ ...sight, eyeDistance: 9 }, [far], [[1, 0, 0]]), [1]);
  assert.deepEqual(visibility(sight, [far], [[1, 0, 0]]), [0]);
  assert.deepEqual(visibility(sight, [wall([10, 0, 0], [0, 1, 0], [0, 0, 1], 0.7)], [[1, 0, 0]]), [0.7]);
});
