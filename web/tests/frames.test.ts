// Shapes of bodies that deform: which frames are read and kept, what is between them, and the surface that follows.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ServerBusy, FrameCache, type FetchChunk } from "../src/document/frames.ts";
import { readPlayback, type Playback, type PlaybackDocument } from "../src/document/playback.ts";
import { eventsOf, pairName, contactOf, startTime } from "../src/document/report.ts";
import { featureOf } from "../src/document/features.ts";
import { clearLine } from "../src/panels/lists.ts";
import { DeformingSurface } from "../src/picture/deforming.ts";
import { interpolationAt } from "../src/motion/interpolation.ts";
import { IDENTITY } from "../src/motion/vector.ts";
import { fold, foldFrames } from "./mock/documents.ts";

/** The numbers of a piece of the strip. */
function pieceOf(document: PlaybackDocument, frames: readonly Float32Array[], piece: number): ArrayBuffer {
  const { piece: many } = document.bodies[0]!.deforming!;
  const some = frames.slice(piece * many, (piece + 1) * many);
  return Float32Array.from(some.flatMap((frame) => [...frame])).buffer;
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Frames of a strip of so many frames a piece, and which pieces were asked for. */
function served(count: number, a: number, most?: number): { frames: FrameCache; asked: number[]; playback: Playback; fail: { why: Error | null }; aborted: number[] } {
  const document = fold(count, a);
  const playback = readPlayback(document);
  const numbers = foldFrames(count);
  const [asked, aborted, fail]: [number[], number[], { why: Error | null }] = [[], [], { why: null }];
  const ask: FetchChunk = async (body, piece, signal) => {
    assert.equal(body, 0);
    asked.push(piece);
    signal.addEventListener("abort", () => aborted.push(piece));
    await Promise.resolve();
    if (fail.why !== null) throw fail.why;
    return pieceOf(document, numbers, piece);
  };
  return { frames: new FrameCache(playback, ask, most), asked, playback, fail, aborted };
}

test("a time is between two frames, and clamped before and after all frames", () => {
  const times = Float64Array.of(1, 2, 4);
  for (const [time, low, high, fraction] of [[0, 0, 0, 0], [1, 0, 0, 0], [1.25, 0, 1, 0.25], [2, 1, 1, 0], [3, 1, 2, 0.5], [4, 2, 2, 0], [9, 2, 2, 0]] as const) {
    assert.deepEqual(interpolationAt(times, time), { low, high, fraction }, String(time));
  }
});

test("vertices are interpolated between frames that arrived in chunks", async () => {
  const { frames, asked } = served(10, 3);
  assert.equal(frames.shapeAt(0, 0.25), null);
  assert.equal(frames.status(0, 0.25), "coming");
  assert.equal(frames.ready(0.25), false);
  frames.prefetch(0.25, 0);
  await settled();
  // What is shown first; at rest the neighbour too.
  assert.deepEqual(asked, [0, 1]);
  const numbers = foldFrames(10);
  for (const time of [0, 0.25, 1, 2.75, 3, 5]) {
    const shape = frames.shapeAt(0, time);
    assert.ok(shape, String(time));
    const [from, to] = [numbers[Math.floor(time)]!, numbers[Math.ceil(time)]!];
    for (let at = 0; at < shape.length; at += 1) {
      const expected = Math.fround(from[at]! + (time % 1) * (to[at]! - from[at]!));
      assert.equal(shape[at], expected, `${time}, ${at}`);
    }
  }
  // The third piece was not asked for; beyond the end the last frame holds.
  assert.equal(frames.shapeAt(0, 6.5), null);
  frames.prefetch(99, 0);
  await settled();
  assert.deepEqual([...(frames.shapeAt(0, 99) ?? [])], [...numbers[9]!]);
});

test("frames ahead of the playing time are loaded in advance", async () => {
  const { frames, asked } = served(100, 2);
  frames.prefetch(10.5, 2);
  await settled();
  // From the piece of frame 10 to that of frame 17, which the end of three seconds at twice the speed lies before.
  assert.deepEqual(asked, [5, 6, 7, 8]);
});

test("memory is bounded: chunks unused for longest are evicted, needed ones never", async () => {
  const size = foldFrames(2)[0]!.byteLength;
  const { frames, asked } = served(1000, 1, 20 * size);
  for (let time = 0; time < 999; time += 0.5) {
    frames.prefetch(time, 1);
    await settled();
    assert.ok(frames.shapeAt(0, time), String(time));
    assert.ok(frames.bytes <= 20 * size, `${time}: ${frames.bytes}`);
  }
  // Each once: nothing that lay ahead was let go before it was used.
  assert.deepEqual(asked, Array.from({ length: 1000 }, (_, piece) => piece));
  frames.prefetch(0, 0);
  await settled();
  assert.ok(frames.shapeAt(0, 0) && frames.bytes <= 20 * size);
  // What one time needs is kept whatever its size.
  const narrow = served(10, 1, 1).frames;
  narrow.prefetch(3.5, 1);
  await settled();
  assert.ok(narrow.shapeAt(0, 3.5) && narrow.bytes === 2 * size);
});

test("unreadable chunks are reported, and time does not wait for them", async () => {
  const { frames, asked, fail } = served(10, 1);
  fail.why = new Error("frame 4: a.pc2: cannot be read");
  let heard = 0;
  frames.watch(() => (heard += 1));
  frames.prefetch(4, 0);
  await settled();
  assert.deepEqual([frames.status(0, 4), frames.ready(4)], ["missing", true]);
  assert.deepEqual(frames.failures(4), [{ body: 0, reason: "frame 4: a.pc2: cannot be read" }]);
  assert.deepEqual(frames.failures(7), []);
  assert.ok(heard > 0);
  // It is not asked for at once again, as often as time is told.
  const before = asked.length;
  for (let i = 0; i < 10; i += 1) frames.prefetch(4, 0);
  await settled();
  assert.equal(asked.length, before);
  // A piece of another size is as bad: the file has changed.
  const other = new FrameCache(readPlayback(fold(10, 1)), (_, piece) => Promise.resolve(new ArrayBuffer(piece === 0 ? 8 : 252)));
  other.prefetch(0, 0);
  await settled();
  assert.match(other.failures(0)[0]?.reason ?? "", /piece 0: found 8 bytes, expected 252/);
  // Nobody waits for these any more, so that they are asked for no more.
  for (const each of [frames, other]) each.prefetch(9, 0);
  fail.why = null;
});

test("a request to a busy server is repeated", async () => {
  const { frames, fail } = served(4, 1);
  fail.why = new ServerBusy();
  frames.prefetch(0, 0);
  await settled();
  assert.equal(frames.shapeAt(0, 0), null);
  fail.why = null;
  await new Promise((resolve) => setTimeout(resolve, 1200));
  await settled();
  assert.ok(frames.shapeAt(0, 0));
});

test("requests that are no longer needed are cancelled", async () => {
  const document = fold(100, 1);
  const aborted: number[] = [];
  const ask: FetchChunk = (_, piece, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => {
    aborted.push(piece);
    reject(new Error("aborted"));
  }));
  const frames = new FrameCache(readPlayback(document), ask);
  frames.prefetch(10, 0);
  frames.prefetch(50, 0);
  await settled();
  assert.deepEqual(aborted.sort((x, y) => x - y), [9, 10, 11]);
  assert.deepEqual(frames.failures(10), []);
  // Ghosts need other times.
  frames.requestAlso([{ body: 0, time: 70 }]);
  frames.prefetch(80, 0);
  await settled();
  assert.ok(!aborted.includes(70) && aborted.includes(50));
});

test("a file has all frames and makes no request", () => {
  const playback = readPlayback(fold(5, 2, "in the file"));
  const frames = new FrameCache(playback, () => assert.fail("asked"));
  frames.prefetch(1.5, 1);
  assert.equal(frames.status(0, 1.5), "shown");
  const [from, to] = [foldFrames(5)[1]!, foldFrames(5)[2]!];
  assert.equal(frames.shapeAt(0, 1.5)?.[20], Math.fround(from[20]! + 0.5 * (to[20]! - from[20]!)));
});

test("documents with bad frames are errors that name the bad part", () => {
  const cases: [(body: PlaybackDocument["bodies"][number]) => void, RegExp][] = [
    [(b) => (b.deforming!.times = "AAAA"), /times of body strip: 3 bytes/],
    [(b) => (b.deforming!.piece = 0), /body strip: pieces of 0 frames/],
    [(b) => (b.deforming!.frames = b.deforming!.frames!.slice(0, 16)), /12 bytes|3 numbers are not 5 frames of 63/],
    [(b) => (b.mesh = [0, 0], b.frames = [b.frames[0]!, b.frames[0]!]), /has 2 meshes, not one/],
    [(b) => (b.deforming!.times = Buffer.from(new Float64Array([0, 1, 1, 2, 3]).buffer).toString("base64")), /frame 2 is at 1 s/],
  ];
  for (const [change, message] of cases) {
    const document = fold(5, 2, "in the file");
    change(document.bodies[0]!);
    assert.throws(() => readPlayback(document), message);
  }
});

test("the drawn surface follows the shape: corners, normals and sharp edges", () => {
  const playback = readPlayback(fold(2, 1));
  const skin = new DeformingSurface(playback.meshes[0]!);
  const normals = skin.geometry.getAttribute("normal");
  const lines = (): number => skin.edges.drawRange.count / 2;
  // Flat: its outline alone, 2 edges across and 6 along each side; all normals up.
  assert.equal(lines(), 16);
  for (let corner = 0; corner < normals.count; corner += 1) assert.deepEqual([normals.getX(corner), normals.getY(corner), normals.getZ(corner)], [0, 0, 1]);
  skin.setPositions(foldFrames(2)[1]!);
  // Folded back at the middle: the two edges there are sharp, and normals on either side look opposite ways.
  assert.equal(lines(), 18);
  const z = new Set(Array.from({ length: normals.count }, (_, corner) => Math.round(normals.getZ(corner) * 1e6) / 1e6));
  assert.deepEqual([...z].sort((x, y) => x - y), [-1, 1]);
  // Corners are those of the shape.
  const positions = skin.geometry.getAttribute("position");
  playback.meshes[0]!.triangles.forEach((vertex, corner) => assert.equal(positions.getX(corner), foldFrames(2)[1]![3 * vertex]));
});

test("vertices at one position are merged until they separate", () => {
  // A square of two triangles with vertices of their own.
  const flat = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0];
  const mesh = { origin: [0, 0, 0] as const, positions: Float32Array.from(flat), triangles: Uint32Array.of(0, 1, 2, 3, 4, 5), box: { pose: IDENTITY, half: [1, 1, 1] as const } };
  const skin = new DeformingSurface(mesh);
  assert.equal(skin.edges.drawRange.count / 2, 4, "no edge across");
  skin.setPositions(Float32Array.from(flat.map((x, at) => (at === 11 ? 0.5 : x))));
  assert.equal(skin.edges.drawRange.count / 2, 6, "two triangles");
});

test("a point moves with its triangle", () => {
  const skin = new DeformingSurface(readPlayback(fold(2, 1)).meshes[0]!);
  const corners = [0, 1, 2].map((k) => skin.pointOn(5, [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0]));
  const middle = [0, 1, 2].map((axis) => corners.reduce((sum, corner) => sum + corner[axis]! / 3, 0)) as unknown as [number, number, number];
  const shares = skin.barycentric(5, middle);
  for (const share of shares) assert.ok(Math.abs(share - 1 / 3) < 1e-6, String(shares));
  skin.setPositions(foldFrames(2)[1]!);
  const now = skin.pointOn(5, shares);
  const then = [0, 1, 2].map((k) => skin.pointOn(5, [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0]));
  now.forEach((x, axis) => assert.ok(Math.abs(x - then.reduce((sum, corner) => sum + corner[axis]! / 3, 0)) < 1e-6));
});

test("events are in order of time, and give a contact its point", () => {
  const { report, playback } = { report: readPlayback(fold(5, 2)).report!, playback: readPlayback(fold(5, 2)) };
  assert.equal(pairName(report.pairs[0]!), "strip with itself");
  const events = eventsOf(report);
  assert.deepEqual(events.map((event) => startTime(report, event)), [3, 3, 3.5]);
  // Intervals of bodies that deform have no contact: the first event at their start has the place.
  const place = contactOf(report, { kind: "contact", pair: 0, index: 0, start: 3, end: 4 });
  assert.deepEqual([place?.kind, place?.a], ["vertex-face", [18]]);
  assert.equal(contactOf(report, { kind: "contact", pair: 0, index: 1, start: 9, end: 9 }), null);
  // Its features lie on the shape that is shown; without one they have numbers alone.
  const shape = foldFrames(5)[3]!;
  const on = featureOf(playback, 0, "a", place!, IDENTITY, shape);
  assert.deepEqual(on.corners, [[shape[54], shape[55], shape[56]]]);
  const off = featureOf(playback, 0, "a", place!, IDENTITY, null);
  assert.deepEqual([off.numbers, off.triangles, off.corners], [on.numbers, on.triangles, []]);
});

test("the line of a clear scene states the proven clearance", () => {
  assert.equal(clearLine({ pairs_tested: 1, tolerance: 2e-9 }, null), "Clear: the one pair is proven separated over the whole time. Surfaces within 2e-9 m, the tolerance, would count as touching.");
  assert.equal(clearLine({ pairs_tested: 3, tolerance: 2e-9 }, 1e-6), "Clear: all 3 pairs are proven separated over the whole time; pairs with a solid, a cloud or a parametric surface down to epsilon = 1e-6 m.");
  assert.match(clearLine({ pairs_tested: 0, tolerance: 1e-9 }, null), /nothing to prove/);
});
