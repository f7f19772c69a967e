// Keyframed bodies with masses whose collision is known: a cart of 3 kg that meets a crate of 1 kg, and a wall without a mass.

import type { PlaybackDocument } from "../../src/document/playback.ts";
import type { SuggestionsEntry } from "../../src/document/suggestions.ts";
import { box, keys } from "./shapes.ts";

const SIX = [0, 0, 0, 0, 0, 0];

/** The cart would continue with 1.25 m/s, the crate with 2.25 m/s and turning. */
export const suggested = (): SuggestionsEntry => ({
  list: [{
    t: 0.5, pair: [0, 1], centers: [[1, 0, 0], [1.3, 0, 0]],
    places: [[1.2, 0.1, 0, 1.25, 0, 0], [1.2, -0.1, 0, 1, 0, 0]],
    before: [[2, 0, 0, 0, 0, 0], SIX], after: [[1.25, 0, 0, 0, 0, 0], [2.25, 0, 0, 0, 0, 7.5]],
  }, {
    t: 0.75, pair: [0, 2], centers: [[1.5, 0, 0], [1.8, 0, 0]],
    places: [[1.7, 0, 0, 6, 0, 0]], before: [[2, 0, 0, 0, 0, 0], SIX], after: [SIX, SIX],
  }],
  left_out: 0,
});

/** The cart goes right with 2 m/s for a second, through the crate from 0.5 s on, and into the wall at 0.75 s. */
export function carts(entry: SuggestionsEntry | null = suggested()): PlaybackDocument {
  const identity = [0, 0, 0, 1, 0, 0, 0];
  const body = { frames: [identity], deviation: 0, drawn: 0, solid: false, moves: false, kind: "mesh" as const, parent: null, deforming: null };
  const meets = (b: string, enter: number, x: number): object => ({
    a: "cart", b, verdict: "contact", gap: 0, deviation: 0,
    intervals: [{
      enter: [enter, enter], exit: null, touching: false,
      contact: { kind: "face-vertex", a: [0], b: [0], point: [x, 0, 0], normal: [1, 0, 0], touching: false, approach_speed: 2 },
    }],
  });
  return {
    format: 1, kind: "scene", name: "carts.toml", begin: 0, end: 1, tolerance: 1e-9, epsilon: null,
    meshes: [box(0.4, 0.2, 0.2), box(0.2, 0.2, 0.2)],
    bodies: [
      { ...body, name: "cart", mesh: [0], moves: true, keys: keys([[0, 0, 0, 0, 1, 0, 0, 0], [1, 2, 0, 0, 1, 0, 0, 0]]) },
      { ...body, name: "crate", mesh: [1], keys: keys([[0, 1.3, 0, 0, 1, 0, 0, 0]]) },
      { ...body, name: "wall", mesh: [1], keys: keys([[0, 1.8, 0, 0, 1, 0, 0, 0]]) },
    ],
    report: {
      format: 1, verdict: "contact", duration: 1, bodies: 3, pairs_tested: 2, tolerance: 1e-9,
      pairs: [meets("crate", 0.5, 1.2), meets("wall", 0.75, 1.7)],
    },
    gaps: [], robot: null, recording: null, suggested: entry, jog: false,
  };
}
