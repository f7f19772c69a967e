// Documents as the program would make them, with contacts known by formula: what tests of the page run on.

import type { PlaybackDocument } from "../../src/document/playback.ts";
import { aboutZ, box, keys, mesh, torus, type Mesh } from "./shapes.ts";

type Body = PlaybackDocument["bodies"][number];

const IDENTITY = [0, 0, 0, 1, 0, 0, 0];

function body(name: string, number: number, rows: readonly (readonly number[])[]): Body {
  return {
    name, mesh: [number], frames: [IDENTITY], keys: keys(rows), deviation: 0, drawn: 0, solid: false, moves: rows.length > 1, kind: "mesh", parent: null,
    deforming: null,
  };
}

function document(name: string, end: number, parts: { meshes: Mesh[]; bodies: Body[]; report: object | null }): PlaybackDocument {
  return {
    format: 1, kind: "scene", name, begin: 0, end, tolerance: 1e-9, epsilon: null, meshes: parts.meshes, bodies: parts.bodies,
    report: parts.report, gaps: [], robot: null, jog: false,
  };
}

/** Half of the cube. */
const HALF = 0.5;

/**
 * A cube flies along x through a plate of 0.2 m in 2 s, at 2 m/s from -2: its face x = +0.5 meets the plate's face at x = 0.4 when its
 * middle is at -0.1, at 0.95 s, and its rear leaves the far face x = 0.6 when the middle is at 1.1, at 1.55 s. A pole
 * stands aside, near; and a pair is undecided for a while.
 */
export function plate(): PlaybackDocument {
  const meshes = [box(1, 1, 1), box(0.2, 2, 2), mesh([0, 0, -1, 0.1, 0, -1, 0, 0.1, -1, 0, 0, 1], [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3])];
  const bodies = [
    body("cube", 0, [[0, -2, 0, 0, 1, 0, 0, 0], [2, 2, 0, 0, ...aboutZ(0)]]),
    body("plate", 1, [[0, 0.5, 0, 0, 1, 0, 0, 0]]),
    body("pole", 2, [[0, 0, 0.6, 0, 1, 0, 0, 0]]),
  ];
  const contact = {
    kind: "vertex-face", a: [1], b: [8], point: [0.4, -HALF, -HALF], normal: [1, 0, 0], touching: false, approach_speed: 2,
    screw: { moving: "cube", axis: [1, 0, 0], point: null, slide: 4, angle: 0, time: [0, 2] },
  };
  const interval = { enter: [0.9499999999999, 0.9500000000001], exit: [1.5499999999999, 1.5500000000001], touching: false, contact };
  const report = {
    format: 1, verdict: "contact", duration: 2, bodies: 3, pairs_tested: 3, tolerance: 1e-9, clearance: 0.2,
    pairs: [
      { a: "cube", b: "plate", verdict: "contact", intervals: [interval], gap: 0, deviation: 0 },
      { a: "cube", b: "pole", verdict: "near", intervals: [{ enter: [0.7, 0.7], exit: [1.3, 1.3], touching: false }], gap_at_least: 0.099, gap: 0.1, gap_time: 1, deviation: 0 },
      { a: "plate", b: "pole", verdict: "undecided", deviation: 0, clear_until: 1.2, why: "budget: the allowed steps of work were used up", unknown: [[1.2, 1.6]] },
    ],
  };
  const made = document("plate.toml", 2, { meshes, bodies, report });
  const times = Array.from({ length: 201 }, (_, i) => i / 100);
  made.gaps = [{ pair: [0, 1], times, gap: times.map((t) => Math.max(0, 0.4 - (-2 + 2 * t + HALF), -2 + 2 * t - HALF - 0.6)) }];
  return made;
}

/** A swing of a torus about an axis far from it, a half turn: arcs, not chords. */
export function swing(): PlaybackDocument {
  const meshes = [torus(0.3, 0.08, 48, 24), box(0.3, 0.3, 1)];
  const bodies = [
    body("ring", 0, [[0, 1, 0, 0, 1, 0, 0, 0], [1, -1, 0, 0.5, 0, 0, 0, 1], [1, -1, 0, -0.5, 0, 0, 0, 1], [3, 1, 0, 0, 1, 0, 0, 0]]),
    body("post", 1, [[0, 0, 0, 0, 1, 0, 0, 0]]),
  ];
  const report = { format: 1, verdict: "clear", duration: 3, bodies: 2, pairs_tested: 1, tolerance: 1e-9, pairs: [] };
  return document("swing.toml", 3, { meshes, bodies, report });
}

/** 50 bodies of 4,000 triangles, with `count` keys each, and hundreds of contacts. */
export function large(count = 200): PlaybackDocument {
  const meshes = [torus(0.35, 0.12, 50, 40)];
  const bodies = Array.from({ length: 50 }, (_, number) => {
    const [x, y, z] = [number % 5, Math.floor(number / 5) % 5, Math.floor(number / 25)];
    const rows = Array.from({ length: count }, (_, key) => {
      const t = (10 * key) / (count - 1);
      const angle = t * 0.7 + number;
      const sway = 0.3 * Math.sin(t + number);
      return [t, x + sway, y, z * 1.4, Math.cos(angle / 2), Math.sin(angle / 2) * 0.6, 0, Math.sin(angle / 2) * 0.8];
    });
    return body(`body ${number}`, 0, number % 10 === 9 ? rows.slice(0, 1) : rows);
  });
  const pairs = Array.from({ length: 300 }, (_, number) => {
    const [a, b] = [number % 49, (number % 49) + 1];
    const start = (number * 37) % 90 / 10;
    return {
      a: `body ${a}`, b: `body ${b}`, verdict: "contact", gap: 0, deviation: 0,
      intervals: [0, 0.4].map((later) => ({
        enter: [start + later, start + later + 1e-9], exit: [start + later + 0.2, start + later + 0.2 + 1e-9], touching: false,
        contact: { kind: "vertex-face", a: [number], b: [2 * number], point: [a % 5, Math.floor(a / 5) % 5, 0], normal: [0, 0, 1], touching: false, approach_speed: 0.1 },
      })),
    };
  });
  const report = { format: 1, verdict: "contact", duration: 10, bodies: 50, pairs_tested: 1225, tolerance: 1e-9, pairs };
  return document("large.toml", 10, { meshes, bodies, report });
}

/** An arm of two links about z, of 1 m and 0.8 m, and a post in its way; jogged. */
export function arm(): PlaybackDocument {
  const meshes = [box(1, 0.16, 0.16), box(0.8, 0.12, 0.12), box(0.2, 0.2, 0.9)];
  meshes.slice(0, 2).forEach((link, number) => (link.origin = [number === 0 ? 0.5 : 0.4, 0, 0]));
  meshes.slice(0, 2).forEach((link, number) => (link.box.pose[0] = number === 0 ? 0.5 : 0.4));
  const poses = armPoses([0, 0]);
  const bodies = ["upper", "fore", "post"].map((name, number) => body(name, number, [[0, ...(poses[number] as number[])]]));
  const made = document("arm.urdf", 0, { meshes, bodies, report: null });
  made.kind = "robot";
  made.jog = true;
  made.robot = { joints: [{ name: "shoulder", unit: "rad", limits: [-3, 3] }, { name: "elbow", unit: "rad", limits: null }], rest: [0, 0], path: null };
  return made;
}

/** Poses of the arm's bodies in a configuration. */
export function armPoses([shoulder, elbow]: readonly [number, number]): number[][] {
  const sum = shoulder + elbow;
  return [
    [0, 0, 0, ...aboutZ(shoulder)],
    [Math.cos(shoulder), Math.sin(shoulder), 0, ...aboutZ(sum)],
    [0, 1.3, 0, 1, 0, 0, 0],
  ];
}

/** Quads along the strip and across it. */
const [LONG, WIDE] = [6, 2] as const;

/** A strip from x = -1 to 1 in so many frames, a second each: flat at first, at last its right half lies folded back on the left. */
export function foldFrames(count: number): Float32Array[] {
  return Array.from({ length: count }, (_, frame) => {
    const angle = (Math.PI * frame) / (count - 1);
    const numbers: number[] = [];
    for (let i = 0; i <= LONG; i += 1) for (let j = 0; j <= WIDE; j += 1) {
      const x = (2 * i) / LONG - 1;
      numbers.push(x > 0 ? x * Math.cos(angle) : x, 0.6 * (j / WIDE - 0.5), x > 0 ? x * Math.sin(angle) : 0);
    }
    return Float32Array.from(numbers);
  });
}

/** The strip with pieces of so many frames, tested against itself; its end meets it near the end of the time. */
export function fold(count: number, piece: number, where: "served" | "in the file" = "served"): PlaybackDocument {
  const frames = foldFrames(count);
  const triangles: number[] = [];
  for (let i = 0; i < LONG; i += 1) for (let j = 0; j < WIDE; j += 1) {
    const [a, b] = [i * (WIDE + 1) + j, (i + 1) * (WIDE + 1) + j];
    triangles.push(a, b, b + 1, a, b + 1, a + 1);
  }
  const end = count - 1;
  const strip = mesh([...(frames[0] as Float32Array)], triangles);
  strip.box = { pose: [0, 0, 0.5, 1, 0, 0, 0], half: [1, 0.3, 0.5] };
  const base64 = (array: Float32Array | Float64Array): string => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
  const meet = 0.75 * end;
  const event = (time: number, number: number): object => ({ kind: "vertex-face", a: [number], b: [0], time: [time, time], point: [-1, 0, 0], normal: [0, 0, 1] });
  const pairs = [{
    a: "strip", b: "strip", verdict: "contact", gap: 0, deviation: 0, intervals: [{ enter: [meet, meet], exit: null, touching: false }],
    events: [event(meet, 18), event(meet, 19), event(0.875 * end, 15)],
  }];
  const report = { format: 1, verdict: "contact", duration: end, bodies: 1, pairs_tested: 1, tolerance: 1e-9, pairs };
  const made = document("fold.toml", end, { meshes: [strip], bodies: [body("strip", 0, [[0, 0, 0, 0, 1, 0, 0, 0]])], report });
  const times = base64(Float64Array.from(frames.keys()));
  const all = where === "served" ? null : base64(Float32Array.from(frames.flatMap((frame) => [...frame])));
  Object.assign(made.bodies[0] as Body, { kind: "deforming", moves: true, deforming: { times, piece, frames: all, left_out: 0 } });
  return made;
}
