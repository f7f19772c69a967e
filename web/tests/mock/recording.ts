// A recording whose numbers are known: a ball that falls on a floor, bounces once and rests.

import type { PlaybackDocument } from "../../src/document/playback.ts";
import type { RecordingEntry, Release } from "../../src/document/recording.ts";
import { box, keys, torus } from "./shapes.ts";

/** An impulse: a, b, time, point, impulse. */
export type Row = readonly [number, number, number, readonly [number, number, number], readonly [number, number, number]];

export interface Line {
  t: number;
  /** Kinetic, potential, dissipated. */
  energy: readonly [number, number, number];
  impulses: readonly Row[];
  weaker?: number;
}

const base64 = (numbers: Float64Array | Uint32Array): string => Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64");

export function recorded(lines: readonly Line[], joined = 1): RecordingEntry {
  const all = lines.flatMap(({ impulses }) => impulses);
  let end = 0;
  return {
    times: base64(Float64Array.from(lines, ({ t }) => t)),
    energy: base64(Float64Array.from(lines.flatMap(({ energy }) => energy))),
    ends: base64(Uint32Array.from(lines, ({ impulses }) => (end += impulses.length))),
    weaker: base64(Uint32Array.from(lines, ({ weaker }) => weaker ?? 0)),
    bodies: base64(Uint32Array.from(all.flatMap(([a, b]) => [a, b]))),
    impulses: base64(Float64Array.from(all.flatMap(([, , t, point, impulse]) => [t, ...point, ...impulse]))),
    joined, releases: [],
  };
}

/** The ring falls from 1 m, hits the floor at 1 s with 4 N s, and rests on it from 2 s on with 0.04 N s a line. */
export function drop(joined = 1, weaker = 0, releases: Release[] = []): PlaybackDocument {
  const height = (t: number): number => 0.1 + (t < 1 ? 1 - t * t : t < 2 ? 0.5 * (t - 1) * (2 - t) : 0);
  const lines = Array.from({ length: 41 }, (_, number): Line => {
    const t = number / 10;
    const push = number === 10 ? 4 : number >= 20 ? 0.04 : 0;
    return {
      t, energy: [t < 1 ? 10 * t * t : 0, 10 * height(t), t < 1 ? 0 : 9], impulses: push === 0 ? [] : [[0, 1, t, [0, 0, 0], [0, 0, push]]],
      weaker: number === 20 ? weaker : 0,
    };
  });
  const identity = [0, 0, 0, 1, 0, 0, 0];
  const body = { mesh: [0], frames: [identity], deviation: 0, drawn: 0, solid: false, moves: false, kind: "mesh" as const, parent: null, deforming: null };
  return {
    format: 1, kind: "scene", name: "drop.jsonl", begin: 0, end: 4, tolerance: 1e-9, epsilon: null,
    meshes: [box(3, 3, 0.2), torus(0.3, 0.1, 24, 12)],
    bodies: [
      { ...body, name: "floor", keys: keys([[0, 0, 0, -0.1, 1, 0, 0, 0]]) },
      { ...body, name: "ring", mesh: [1], moves: true, keys: keys(lines.map(({ t }) => [t, 0, 0, height(t), 1, 0, 0, 0])) },
    ],
    report: {
      format: 1, verdict: "contact", duration: 4, bodies: 2, pairs_tested: 1, tolerance: 1e-9,
      pairs: [{
        a: "floor", b: "ring", verdict: "contact", gap: 0, deviation: 0,
        intervals: [{ enter: [1, 1], exit: [1.01, 1.01], touching: true, contact: { kind: "vertex-face", a: [0], b: [0], point: [0, 0, 0], normal: [0, 0, 1], touching: true, approach_speed: 2 } }],
      }],
    },
    gaps: [], robot: null, recording: { ...recorded(lines, joined), releases }, jog: false,
  };
}
