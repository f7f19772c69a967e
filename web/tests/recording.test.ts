// Recordings: which line is played, which impulses are seen, and how long ones are drawn.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Recording } from "../src/document/recording.ts";
import { CURVES, curvePoints } from "../src/panels/energy.ts";
import { releaseWords } from "../src/panels/recording.ts";
import { arrowLength } from "../src/picture/impulses.ts";
import { drop, recorded, type Line, type Row } from "./mock/recording.ts";

const push = (a: number, b: number, t: number, amount: number): Row => [a, b, t, [1, 2, 3], [0, 0, -amount]];
const line = (t: number, ...impulses: Row[]): Line => ({ t, energy: [t, -1, 2], impulses });
const magnitudes = (list: readonly { magnitude: number }[]): number[] => list.map(({ magnitude }) => magnitude);

test("a line covers the time from the line before it to its own time", () => {
  const recording = new Recording(recorded([line(0), line(0.1, push(0, 1, 0.05, 3)), line(0.3, push(1, 0, 0.3, 1), push(0, 2, 0.2, 2))]), 3);
  assert.deepEqual([0, 0.001, 0.1, 0.10001, 0.3, 9].map((time) => recording.lineAt(time)), [0, 1, 1, 2, 2, 2]);
  assert.deepEqual([0, 1, 2].map((number) => recording.interval(number)), [[0, 0], [0, 0.1], [0.1, 0.3]]);
  assert.deepEqual(recording.energy(2), { kinetic: 0.3, potential: -1, dissipated: 2 });
  const { list, weaker } = recording.impulses(2);
  assert.deepEqual([magnitudes(list), weaker], [[2, 1], 0]);
  assert.deepEqual(list[1], { a: 1, b: 0, time: 0.3, point: [1, 2, 3], impulse: [0, 0, -1], magnitude: 1 });
  assert.deepEqual([recording.count, recording.omitted, recording.strongest], [3, 0, 3]);
});

test("an impulse stays visible for a moment, unless the bodies push each other as much later", () => {
  const recording = new Recording(recorded([
    line(0), line(0.1, push(0, 1, 0.1, 9), push(1, 2, 0.1, 1)), line(0.2, push(0, 1, 0.2, 1)), line(0.3, push(0, 1, 0.3, 1), push(1, 2, 0.3, 1)),
  ]), 3);
  assert.deepEqual(magnitudes(recording.visibleImpulses(0.1, 0.2)), [9, 1]);
  // The push of the line that is played, and the blow before it; the other pair's is as old.
  assert.deepEqual(magnitudes(recording.visibleImpulses(0.2, 0.15)), [9, 1, 1]);
  // What still pushes as it did is seen once.
  assert.deepEqual(magnitudes(recording.visibleImpulses(0.3, 0.25)), [9, 1, 1]);
  assert.deepEqual(magnitudes(recording.visibleImpulses(0.3, 0.05)), [1, 1]);
});

test("only the strongest impulses are drawn", () => {
  const many = Array.from({ length: 1000 }, (_, number) => push(0, 1 + (number % 5), 0.1, number + 1));
  const recording = new Recording(recorded([line(0), line(0.1, ...many)]), 6);
  const seen = magnitudes(recording.visibleImpulses(0.1, 1));
  assert.deepEqual([seen.length, seen[0], seen[199]], [200, 1000, 801]);
});

test("arrows grow as the root of their impulses", () => {
  const [whole, quarter] = [arrowLength(8, 8, 2), arrowLength(2, 8, 2)];
  assert.ok(whole > 0.5 && whole < 1.5 && Math.abs(quarter - whole / 2) < 1e-12);
  assert.deepEqual([arrowLength(0, 8, 2), arrowLength(0, 0, 2)], [0, 0]);
});

test("curves of long recordings keep their peaks", () => {
  const lines = Array.from({ length: 20_000 }, (_, number): Line => ({ t: number / 1000, energy: [number === 7777 ? 50 : 1, 0, 0], impulses: [] }));
  const recording = new Recording(recorded(lines), 1);
  const [kinetic] = CURVES.filter(({ name }) => name === "kinetic");
  assert.ok(kinetic);
  const points = curvePoints(recording, kinetic, (time) => (time / 20) * 300);
  assert.ok(points.length < 3000, `${points.length} points`);
  assert.equal(Math.max(...points.map(([, value]) => value)), 50);
  assert.ok(points.every(([at], number) => at >= (points[number - 1]?.[0] ?? 0)));
});

test("invalid recordings are errors", () => {
  const entry = drop().recording;
  assert.ok(entry);
  const told = (change: object): string => {
    try {
      new Recording({ ...entry, ...change }, 2);
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  assert.equal(told({}), "");
  assert.match(told({ times: "AAAA" }), /times of the recording: 3 bytes are not whole items of 8/);
  assert.match(told({ energy: "" }), /the recording has 41 times, 0 energies/);
  assert.match(told(recorded([])), /the recording has no line/);
  assert.match(told(recorded([line(1), line(1)])), /line 1 of the recording is at 1 s/);
  assert.match(told(recorded([line(0, push(0, 2, 0, 1))])), /an impulse names body 2 of 2/);
  assert.match(told({ impulses: "" }), /the recording has 0 impulses of 22 pairs that end at 22/);
  assert.match(told({ releases: [{ body: 2, t: null }] }), /a release names body 2 of 2/);
});

test("releases are described in words", () => {
  const recording = new Recording({ ...recorded([line(0)]), releases: [{ body: 1, t: 0.4275 }, { body: 0, t: null }] }, 3);
  const told = [0, 1, 2].map((body) => recording.releaseOf(body)).map((release) => release && releaseWords(release));
  assert.deepEqual(told, ["keyframed until the end: nothing touched it", "keyframed until 427.5\u202fms, dynamic since", null]);
});
