// The unrolled screen: known points, and that what moves stays on its flow line.

import assert from "node:assert/strict";
import { test } from "node:test";

import { screwPoint, type Screw } from "../src/motion/screw.ts";
import { cross, dot, scale, sub, unit, type Vec3 } from "../src/motion/vector.ts";
import { readScreen } from "../src/screen/document.ts";
import { layOut, patchAt, rangeOf } from "../src/screen/layout.ts";
import { UNREACHABLE, cornerOf, UNOBSTRUCTED, patchesOf } from "../src/screen/patches.ts";
import { colourOfFraction, colourOfTime, clearanceText } from "../src/screen/scale.ts";
import { ScreenApp } from "../src/screen/state.ts";
import { ticksOf } from "../src/screen/ticks.ts";
import { Unrolled } from "../src/screen/unroll.ts";
import { cubes } from "./mock/screen.ts";

/** About an axis through a point; A starts at the origin. */
function about(direction: Vec3, point: Vec3, slide: number, angle: number): Screw {
  const s = unit(direction);
  const from = sub(scale(point, -1), scale(s, -dot(point, s)));
  return { start: { position: [0, 0, 0], rotation: [1, 0, 0, 0] }, direction: s, slide, angle, velocity: scale(cross(s, from), angle) };
}

const near = (found: readonly number[], wanted: readonly number[], within = 1e-12): void =>
  wanted.forEach((value, k) => assert.ok(Math.abs((found[k] as number) - value) <= within, `${found} for ${wanted}`));

const aboutZ = (slide: number, angle: number): Unrolled =>
  new Unrolled(about([0, 0, 1], [0, 0, 0], slide, angle), { point: [0, 0, 0], zero: [1, 0, 0], centre: [2, 0, 0], size: 1 });

test("known points: a screw about z", () => {
  const [d, b] = [0.5, 2];
  const unrolled = aboutZ(d, b);
  // r = 2, theta = pi / 2, z = 0.3.
  const speed = Math.hypot(b * 2, d);
  near(unrolled.toScreen([0, 2, 0.3]), [2, (b * 2 * 0.3 - d * 2 * (Math.PI / 2)) / speed]);
  near([unrolled.speedAt(2), unrolled.period(2)], [speed, (2 * Math.PI * 2 * d) / speed]);
  near(unrolled.toScreen([2, 0, 0]), [2, 0]);
});

test("a pure rotation has height along the axis, and one image", () => {
  const unrolled = aboutZ(0, 1.5);
  near(unrolled.toScreen([-3, 4, 0.7]), [5, 0.7]);
  assert.equal(unrolled.period(5), 0);
  assert.equal(unrolled.images([[1, 0, 0], [1, 0.1, 0]]).length, 1);
  near(unrolled.toScreen([0, 0, 0.25]), [0, 0.25]);
});

test("a translation is shown on the plane perpendicular to it", () => {
  const screw: Screw = { start: { position: [0, 0, 0], rotation: [1, 0, 0, 0] }, direction: [1, 0, 0], slide: 4, angle: 0, velocity: [0, 0, 0] };
  const unrolled = new Unrolled(screw, { point: [0, 0, 0], zero: [0, 1, 0], centre: [1, 2, 3], size: 1 });
  assert.ok(unrolled.flat);
  // Counted from the middle of B.
  near(unrolled.toScreen([7, 2.5, 3.25]), [0.5, 0.25]);
  near(unrolled.pointAt([0.5, 0.25]) as Vec3, [1, 2.5, 3.25]);
  assert.equal(unrolled.speedAt(9), 4);
});

test("an axis too far away for f64 is treated as a translation", () => {
  const screw = about([0, 0, 1], [1e9, 0, 0], 0, 1e-9);
  const unrolled = new Unrolled(screw, { point: [1e9, 0, 0], zero: [-1, 0, 0], centre: [0, 0, 0], size: 1 });
  assert.ok(unrolled.flat);
  const from = unrolled.toScreen([0.2, 0, 0.3]);
  near(unrolled.toScreen(screwPoint(screw, [0.2, 0, 0.3], 0.7)), from, 1e-6);
  near([unrolled.speedAt(0)], [1], 1e-6);
});

test("points on the screw keep their place over any number of revolutions", () => {
  const axis: Vec3 = [0.3, -0.8, 0.1];
  for (const [slide, angle] of [[0.5, 2], [0, 1], [-0.3, 40], [3, 7]] as const) {
    const screw = about([1, 2, 2], axis, slide, angle);
    const zero = unit(cross(screw.direction, [0, 0, 1]));
    const unrolled = new Unrolled(screw, { point: axis, zero, centre: [0, 0, 0], size: 1 });
    for (const point of [[1, 0, 0], [0.2, 1, -0.4], [-0.9, 0.3, 0.3]] as Vec3[]) {
      const place = unrolled.toScreen(point);
      for (const share of [0.2, 0.5, 1, 2.5]) {
        const later = unrolled.toScreen(screwPoint(screw, point, share));
        const apart = Math.abs(later[1] - place[1]);
        assert.ok(Math.abs(later[0] - place[0]) < 1e-12, `${slide} ${angle}`);
        assert.ok(Math.min(apart, Math.abs(apart - unrolled.period(place[0]))) < 1e-11, `${slide} ${angle} at ${share}: ${apart}`);
      }
      near(unrolled.toScreen(unrolled.pointAt(place) as Vec3), place, 1e-11);
      const line = unrolled.flowLine(point, 0, 1);
      near(line[line.length - 1] as Vec3, screwPoint(screw, point, 1), 1e-12);
    }
  }
});

test("shapes across the end of a revolution appear on both sides, each complete", () => {
  const unrolled = aboutZ(1, 2 * Math.PI);
  const period = unrolled.period(1);
  // At theta = 0, half a pitch up: that is half a period.
  const high = 0.5;
  const corners: Vec3[] = [[1, 0, high - 0.02], [1, 0, high + 0.02], [1.01, 0, high]];
  const images = unrolled.images(corners);
  assert.equal(images.length, 2);
  for (const image of images) for (const [, h] of image) assert.ok(Math.abs(h - (image[0]?.[1] ?? 0)) < 0.1 * period);
  assert.ok((images[0]?.[0]?.[1] ?? 0) * (images[1]?.[0]?.[1] ?? 0) < 0, "above and below");
  // Where theta jumps from pi to -pi nothing is torn.
  const [behind] = unrolled.images([[-1, 1e-3, 0.5], [-1, -1e-3, 0.5]]);
  assert.ok(Math.abs((behind?.[0]?.[1] ?? 0) - (behind?.[1]?.[1] ?? 9)) < 0.01);
});

test("pieces are cut as their trees state", () => {
  const mesh = { positions: new Float64Array([0, 0, 0, 4, 0, 0, 0, 4, 0]), triangles: new Uint32Array([0, 1, 2]) };
  // The edge from corner 1 is cut first: its middle is (2, 2). Then, of the first half (1, m, 0), the edge from its corner 2.
  const pieces = patchesOf(mesh, new Uint8Array([2, 3, 0, 0, 0]), new Float32Array([1, 2, 3]), "A");
  assert.deepEqual(cornersOf(pieces, 0), [[0, 0, 0], [2, 0, 0], [2, 2, 0]]);
  assert.deepEqual(cornersOf(pieces, 1), [[2, 0, 0], [4, 0, 0], [2, 2, 0]]);
  assert.deepEqual(cornersOf(pieces, 2), [[2, 2, 0], [0, 4, 0], [0, 0, 0]]);
  for (const [cuts, times] of [[[0], 2], [[0, 0], 2], [[7], 1], [[1, 0], 2]] as const) {
    assert.throws(() => patchesOf(mesh, new Uint8Array(cuts), new Float32Array(times), "A"), /cuts do not fit/);
  }
});

const cornersOf = (pieces: ReturnType<typeof patchesOf>, piece: number): Vec3[] => [0, 1, 2].map((corner) => cornerOf(pieces, piece, corner));

test("the cubes: points on a flow line", () => {
  const app = new ScreenApp(readScreen(cubes()), "light");
  assert.equal(app.scale.maxTime, 0.5);
  const range = rangeOf(app.layouts, []);
  near([...(range?.low ?? []), ...(range?.high ?? [])], [-0.5, -0.5, 0.75, 0.5]);
  const both = app.lineAt([0.2, 0.1], "screen");
  assert.equal(both?.time, 0.5);
  near(both?.a ?? [], [-2.5, 0.2, 0.1]);
  near(both?.b ?? [], [-0.5, 0.2, 0.1]);
  const onlyA = app.lineAt([0.7, 0.1], "screen");
  assert.deepEqual([onlyA?.time, onlyA?.b], [UNOBSTRUCTED, null]);
  const onlyB = app.lineAt([-0.4, 0.1], "screen");
  assert.deepEqual([onlyB?.time, onlyB?.a], [null, null]);
  near(onlyB?.b ?? [], [-0.5, -0.4, 0.1]);
  assert.equal(app.lineAt([2, 0], "screen"), null);
  app.choose(0);
  assert.equal(app.state.now.fraction, 0.5);
  near(app.now(app.state.now.line?.a ?? [0, 0, 0]), [-0.5, -0.25, -0.5]);
  app.step(1);
  assert.equal(app.state.now.chosen, 1);
});

test("of points at one place the nearest is painted last", () => {
  const mesh = { positions: new Float64Array([0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1]), triangles: new Uint32Array([0, 1, 2, 3, 4, 5]) };
  const screw: Screw = { start: { position: [0, 0, 0], rotation: [1, 0, 0, 0] }, direction: [1, 0, 0], slide: 4, angle: 0, velocity: [0, 0, 0] };
  const unrolled = new Unrolled(screw, { point: [0, 0, 0], zero: [0, 1, 0], centre: [0, 0, 0], size: 1 });
  const none = new Float64Array();
  for (const [times, first] of [[[0.5, 0.25], 1], [[0.25, 0.5], 0], [[UNOBSTRUCTED, 0.5], 1], [[0.5, UNREACHABLE], 0]] as const) {
    const pieces = patchesOf(mesh, new Uint8Array([0, 0]), new Float32Array(times), "A");
    const laid = layOut({ patches: pieces, outline: none, creases: none }, unrolled, (point) => point, 1);
    assert.equal(patchAt(laid, pieces, [0.2, 0.3])?.patch, first, String(times));
    assert.equal(patchAt(laid, pieces, [0.8, 0.8]), null);
  }
});

test("colours and words", () => {
  assert.deepEqual([colourOfFraction(0), colourOfFraction(1), colourOfFraction(0.125)], [[165, 0, 38], [49, 54, 149], [205, 55, 53]]);
  assert.notDeepEqual(colourOfTime(UNOBSTRUCTED, 1), colourOfTime(UNREACHABLE, 1));
  const scale = { maxTime: 1, duration: 2, unit: "s", angle: Math.PI };
  const plain = (text: string): string => text.replace(/\s/g, " ");
  assert.equal(plain(clearanceText(0.25, 3, scale, ["lid", "pot"])), "pot is 750 mm ahead: 500 ms, 45\u00b0.");
  assert.equal(plain(clearanceText(0.25, 3, { ...scale, duration: 1, unit: "", angle: 0 }, ["A", "B"])), "B is 750 mm ahead: 0.25 of the motion.");
  assert.equal(clearanceText(UNOBSTRUCTED, 1, scale, ["lid", "pot"]), "Nothing of pot lies ahead of this part of lid.");
});

test("axes have round numbers", () => {
  assert.deepEqual(ticksOf(-0.5, 0.75, 5).map(({ text }) => text), ["\u22120.5", "0", "0.5"]);
  assert.deepEqual(ticksOf(999.9, 1000.1, 4).map(({ text }) => text), ["999.90", "999.95", "1000.00", "1000.05", "1000.10"]);
  assert.deepEqual(ticksOf(0, 2e-9, 2).map(({ text }) => text), ["0", "1e-9", "2e-9"]);
  assert.deepEqual(ticksOf(1, 1, 4), []);
});

test("an inconsistent document is an error", () => {
  const document = cubes();
  assert.throws(() => readScreen({ ...document, format: 2 as 1 }), /format 2 of the screen/);
  const [a, b] = document.bodies;
  const other = Buffer.from(new Uint32Array([0, 1, 9]).buffer).toString("base64");
  assert.throws(() => readScreen({ ...document, bodies: [{ ...a, triangles: other }, b] }), /vertex 9 of 8/);
  assert.throws(() => readScreen({ ...document, bodies: [{ ...a, times: b.times }, b] }), /cuts do not fit/);
});
