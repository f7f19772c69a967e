// Documents, reports, features, surfaces, boxes and numbers: what the page makes of what it is given.

import assert from "node:assert/strict";
import { test } from "node:test";

import { gridCells } from "../src/picture/bounds.ts";
import { boundingSphere, boxOfMotion } from "../src/document/extent.ts";
import { distanceTo, featureOf, trianglesWith } from "../src/document/features.ts";
import * as format from "../src/elements/format.ts";
import { jointsAt, readPlayback, type PlaybackDocument } from "../src/document/playback.ts";
import { findingsOf, intervalOf, startTime, type Report } from "../src/document/report.ts";
import { gridStep } from "../src/picture/floor.ts";
import { surfaceOf } from "../src/picture/surface.ts";
import { sweptPath } from "../src/picture/traces.ts";
import { distance, type Vec3 } from "../src/motion/vector.ts";
import { arm, armPoses, large, plate, swing } from "./mock/documents.ts";
import { box, torus } from "./mock/shapes.ts";

const readMesh = (mesh: ReturnType<typeof box>) => {
  const document = { ...plate(), meshes: [mesh], bodies: [], report: null };
  return readPlayback(document).meshes[0] as NonNullable<ReturnType<typeof readPlayback>["meshes"][0]>;
};

test("a document is read exactly", () => {
  const playback = readPlayback(plate());
  assert.equal(playback.meshes[0]?.positions[0], -0.5);
  assert.equal(playback.bodies[0]?.track.pose(0.95).position[0], -2 + 4 * (0.95 / 2));
  assert.deepEqual(playback.pairs, [[0, 1], [0, 2], [1, 2]]);
});

test("bad documents are errors that name the bad part", () => {
  const bad = (change: (document: PlaybackDocument) => void): PlaybackDocument => {
    const document = structuredClone(plate());
    change(document);
    return document;
  };
  const cases: [(document: PlaybackDocument) => void, RegExp][] = [
    [(d) => ((d as { format: number }).format = 2), /format 2 .* knows 1/],
    [(d) => (d.end = -1), /runs from 0 to -1/],
    [(d) => (d.meshes[1]!.positions = "AAAA"), /positions of mesh 1: 3 bytes/],
    [(d) => (d.meshes[0]!.positions = "%"), /positions of mesh 0: not base64/],
    [(d) => (d.meshes[0]!.positions = d.meshes[0]!.positions.slice(0, 32)), /mesh 0: triangle 0 names vertex \d of 2/],
    [(d) => (d.bodies[2]!.mesh = [7]), /body pole names mesh 7 of 3/],
    [(d) => (d.bodies[2]!.frames = []), /body pole: mesh 0 has no frame/],
    [(d) => ((d.report as Report).pairs[0]!.a = "cup"), /names a body cup/],
    [(d) => ((d.report as unknown as { pairs: unknown }).pairs = 3), /no list of pairs/],
    [(d) => ((d.report as Report).pairs[0]!.intervals![0]!.enter = [1] as never), /pair 0 .*cube - plate.* without times/],
  ];
  for (const [change, message] of cases) assert.throws(() => readPlayback(bad(change)), message);
});

test("all events are listed in order, undecided pairs separately", () => {
  const { report, end } = readPlayback(plate());
  assert.ok(report);
  const list = findingsOf(report, end);
  assert.deepEqual(list.map(({ kind }) => kind), ["near", "contact", "undecided"]);
  assert.deepEqual(list.map((each) => startTime(report, each)), [0.7, 0.9500000000001, 1.2]);
  assert.equal(intervalOf(report, list[2]!), null);
  // Undecided without stretches: from where it is proven clear to the end.
  const told: Report = { ...report, pairs: [{ a: "x", b: "y", verdict: "undecided", clear_until: 0.5 }] };
  assert.deepEqual(findingsOf(told, 2), [{ kind: "undecided", pair: 0, index: 0, start: 0.5, end: 2 }]);
  // A contact that lasts is drawn to the end.
  const lasting: Report = { ...report, pairs: [{ a: "x", b: "y", verdict: "contact", intervals: [{ enter: [1, 1], exit: null, touching: false }] }] };
  assert.equal(findingsOf(lasting, 2)[0]?.end, 2);
  // The first contact alone is drawn where it begins: how long it lasts is not known.
  assert.equal(findingsOf({ ...lasting, followed_until: 1 }, 2)[0]?.end, 1);
});

test("features equal the report, with their triangles", () => {
  const playback = readPlayback(plate());
  const contact = playback.report?.pairs[0]?.intervals?.[0]?.contact;
  assert.ok(contact);
  const [cube, plateBody] = [0, 1].map((body) => featureOf(playback, body, body === 0 ? "a" : "b", contact, playback.bodies[body]!.track.pose(0.95)));
  assert.equal(cube?.kind, "vertex");
  assert.deepEqual(cube?.numbers, [1]);
  const numbers = [...playback.meshes[0]!.triangles];
  assert.deepEqual(cube?.triangles, [...numbers.keys()].filter((at) => numbers[at] === 1).map((at) => Math.floor(at / 3)));
  assert.deepEqual(plateBody?.triangles, [8]);
  assert.equal(plateBody?.corners.length, 3);
});

test("the mesh at the contact is highlighted in a body of several meshes", () => {
  const document = structuredClone(plate());
  document.bodies[0]!.mesh = [0, 0];
  document.bodies[0]!.frames = [[0, 0, 0, 1, 0, 0, 0], [0, 0, -3, 1, 0, 0, 0]];
  const playback = readPlayback(document);
  const contact = { ...playback.report!.pairs[0]!.intervals![0]!.contact!, point: [0.4, -0.5, -3.5] as Vec3 };
  const feature = featureOf(playback, 0, "a", contact, playback.bodies[0]!.track.pose(0.95));
  assert.equal(feature.element, 1);
  assert.ok(distance(feature.corners[0]!, [0.5, -0.5, -3.5]) < 1e-12);
});

test("vertices at one place are one vertex", () => {
  const mesh = readMesh({ ...box(1, 1, 1), positions: Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, -0, 0, 0, 1, 0, 0, 0, 0, 1]).buffer).toString("base64"), triangles: Buffer.from(new Uint32Array([0, 1, 2, 3, 5, 4]).buffer).toString("base64") });
  assert.deepEqual(trianglesWith(mesh, [0, 1]), [0, 1]);
  assert.deepEqual(trianglesWith(mesh, [5]), [1]);
  const surface = surfaceOf(mesh);
  // Five edges: the common one is a crease, drawn once.
  assert.equal(surface.edges.length, 5 * 6);
});

test("distances to vertex, edge and triangle", () => {
  const [a, b, c]: Vec3[] = [[0, 0, 0], [2, 0, 0], [0, 2, 0]];
  assert.equal(distanceTo([a!], [3, 4, 0]), 5);
  assert.equal(distanceTo([a!, b!], [1, 2, 0]), 2);
  assert.equal(distanceTo([a!, b!], [5, 4, 0]), 5);
  assert.equal(distanceTo([a!, b!, c!], [0.5, 0.5, -2]), 2);
  assert.equal(distanceTo([a!, b!, c!], [-3, -4, 0]), 5);
  assert.equal(distanceTo([], [0, 0, 0]), Infinity);
});

test("a box has twelve sharp edges, a torus none", () => {
  const cube = surfaceOf(readMesh(box(1, 2, 3)));
  assert.equal(cube.edges.length, 12 * 6);
  // Triangles that are collapsed to an edge or a place are no part of the surface: two of them along a diagonal of a side.
  const split = readMesh(box(1, 2, 3));
  const [a = 0, b = 0, c = 0] = split.triangles;
  const more = [[a, a, b], [b, a, a], [b, c, c], [c, c, c], [c, a, c]].flat();
  assert.equal(surfaceOf({ ...split, triangles: Uint32Array.of(...more, ...split.triangles, ...more) }).edges.length, 12 * 6);
  assert.equal(cube.positions.length, 24 * 3);
  const ring = surfaceOf(readMesh(torus(1, 0.3, 48, 24)));
  assert.equal(ring.edges.length, 0);
  assert.equal(ring.positions.length, 48 * 24 * 3);
  for (let at = 0; at < ring.normals.length; at += 3) {
    assert.ok(Math.abs(Math.hypot(ring.normals[at]!, ring.normals[at + 1]!, ring.normals[at + 2]!) - 1) < 1e-6);
  }
});

test("a fan of fifty thousand triangles is drawn in time linear in them", () => {
  const count = 50_000;
  const positions = [0, 0, 0];
  const triangles: number[] = [];
  for (let i = 0; i < count; i += 1) {
    positions.push(Math.cos((2 * Math.PI * i) / count), Math.sin((2 * Math.PI * i) / count), i % 2);
    triangles.push(0, 1 + i, 1 + ((i + 1) % count));
  }
  const mesh = { origin: [0, 0, 0] as Vec3, positions: new Float32Array(positions), triangles: new Uint32Array(triangles), box: { pose: { position: [0, 0, 0] as Vec3, rotation: [1, 0, 0, 0] as const }, half: [1, 1, 1] as Vec3 } };
  assert.ok(worked(() => assert.equal(surfaceOf(mesh).triangles.length, 3 * count)) < 5);
});

test("the bounding sphere contains the whole motion", () => {
  const playback = readPlayback(swing());
  const ball = boundingSphere(boxOfMotion(playback));
  for (let t = 0; t <= 3; t += 0.1) {
    const { position } = playback.bodies[0]!.track.pose(t);
    assert.ok(distance(position, ball.centre) <= ball.radius);
  }
});

test("a swept path is on the arc, and is interrupted at jumps", () => {
  const playback = readPlayback(swing());
  const runs = sweptPath(playback, { body: 0, point: [0, 0, 0] });
  assert.equal(runs.length, 2);
  // A screw of half a turn about z through the middle: the radius stays.
  for (const point of runs[0]!) assert.ok(Math.abs(Math.hypot(point[0], point[1]) - 1) < 1e-12);
});

test("grid cells contain their boxes and count the bodies in them", () => {
  const boxes = [0, 1, 2].map((k) => ({ low: [k * 0.6, 0, 0] as Vec3, high: [k * 0.6 + 1, 1, 1] as Vec3 }));
  const cells = gridCells(boxes);
  for (const box of boxes) {
    const inside = cells.some(({ low, high }) => low.every((value, axis) => value <= box.low[axis]! && box.low[axis]! <= high[axis]!));
    assert.ok(inside);
  }
  assert.ok(cells.some(({ bodies }) => bodies === 3) || cells.some(({ bodies }) => bodies === 2));
  assert.deepEqual(gridCells([]), []);
  // Points have no size; they still have a cell.
  assert.equal(gridCells([{ low: [1, 1, 1], high: [1, 1, 1] }]).length, 1);
  const far = (k: number): number => (k * 0.618034) % 1 * 1000;
  const scattered = Array.from({ length: 2000 }, (_, k) => ({ low: [far(k), far(k * 7 + 1), far(k * 13 + 2)] as Vec3, high: [far(k) + 1, far(k * 7 + 1) + 1, far(k * 13 + 2) + 1] as Vec3 }));
  assert.ok(gridCells(scattered).length <= 6000);
  assert.ok(gridCells(Array.from({ length: 60 }, (_, k) => ({ low: [k, 0, 0] as Vec3, high: [k === 0 ? 1000 : k + 0.1, 0.1, 1000] as Vec3 }))).length <= 6000);
});

test("joint values are interpolated between waypoints", () => {
  const document = arm();
  document.robot!.path = { times: [0, 1, 3], values: [[0, 0], [1, 2], [1, 0]] };
  const playback = readPlayback(document);
  assert.deepEqual(jointsAt(playback, -1), [0, 0]);
  assert.deepEqual(jointsAt(playback, 0.5), [0.5, 1]);
  assert.deepEqual(jointsAt(playback, 2), [1, 1]);
  assert.deepEqual(jointsAt(playback, 9), [1, 0]);
  assert.equal(jointsAt(readPlayback(plate()), 0), null);
  assert.ok(distance(armPoses([Math.PI / 2, 0])[1]!.slice(0, 3) as unknown as Vec3, [0, 1, 0]) < 1e-15);
});

test("numbers have units and six digits; exact ones have all", () => {
  assert.equal(format.metres(0.0021), "2.1\u202fmm");
  assert.equal(format.metres(0), "0\u202fm");
  assert.equal(format.seconds(1.5e-7), "150\u202fns");
  assert.equal(format.metres(12345.678), "12345.7\u202fm");
  assert.equal(format.metres(-0.5), "\u2212500\u202fmm");
  assert.equal(format.exact(0.39551064005842407), "0.39551064005842407");
  assert.equal(format.exact(-1e-9), "\u22121e-9");
  assert.equal(format.clock(0.95, 2), "0.95000");
  assert.equal(format.short(Number.NaN), "\u2013");
  assert.equal(format.vector([0.5, -1e-9, -0.25]), "0.5  0  \u22120.25");
  assert.equal(format.vector([0, 0, 0]), "0  0  0");
  assert.equal(format.vector([12345.678, 1.5, 0]), "12345.7  1.5  0");
  assert.equal(format.degrees(Math.PI), "180\u00b0");
});

test("the grid below has a spacing that reads well", () => {
  for (const radius of [1e-6, 0.3, 1, 7, 1e5]) {
    const step = gridStep(radius);
    const first = Number(step.toExponential().split("e")[0]);
    assert.ok([1, 2, 5, 10].some((value) => Math.abs(first - value) < 1e-9), `${step}`);
    assert.ok(step >= radius / 8 && step <= radius);
  }
});

test("a large document is read quickly", () => {
  const document = large(200);
  assert.ok(worked(() => assert.equal(readPlayback(document).bodies.length, 50)) < 2);
});

/** How long a processor worked at something, in seconds: others that use it do not count. */
function worked(action: () => void): number {
  const begin = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e6;
}
