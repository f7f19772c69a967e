// What would follow where keyframed bodies collide: which contact it belongs to, and what is refused.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Finding, Report } from "../src/document/report.ts";
import { Suggestions, type SuggestionsEntry } from "../src/document/suggestions.ts";
import { carts, suggested } from "./mock/suggested.ts";

const REPORT = carts().report as Report;
const contact = (pair: number, index = 0): Finding => ({ kind: "contact", pair, index, start: 0, end: 1 });

test("a suggestion belongs to the pair that starts to touch at its time", () => {
  const read = new Suggestions(suggested(), 3);
  const crate = read.at(REPORT, contact(0), [0, 1]);
  assert.deepEqual([crate?.time, crate?.impulse, crate?.sides.map(({ velocityChanges: givesWay }) => givesWay)], [0.5, [2.25, 0, 0], [true, true]]);
  // Whoever comes first in the report.
  assert.equal(read.at(REPORT, contact(0), [1, 0]), crate);
  const wall = read.at(REPORT, contact(1), [0, 2]);
  assert.deepEqual([wall?.time, wall?.sides.map(({ velocityChanges: givesWay }) => givesWay)], [0.75, [true, false]]);
  // Not of other bodies, of another time, or of what is near alone.
  const later = new Suggestions({ list: suggested().list.map((own) => ({ ...own, t: own.t + 0.01 })), left_out: 0 }, 3);
  assert.equal(later.at(REPORT, contact(0), [0, 1]), null);
  assert.equal(read.at(REPORT, contact(1), [1, 2]), null);
  assert.equal(read.at(REPORT, contact(0), [0, 2]), null);
  assert.equal(read.at(REPORT, { ...contact(0), kind: "near" }, [0, 1]), null);
});

test("while a motion is played, a suggestion stays visible for a moment", () => {
  const read = new Suggestions(suggested(), 3);
  const seen = (time: number): number[] => read.recent(time, 0.3).map((own) => own.time);
  assert.deepEqual([0.49, 0.5, 0.76, 0.9, 1.1].map(seen), [[], [0.5], [0.75, 0.5], [0.75], []]);
});

test("broken suggestions are errors", () => {
  const told = (patch: Partial<SuggestionsEntry["list"][number]>): string => {
    try {
      const { list } = suggested();
      new Suggestions({ list: [{ ...(list[0] as SuggestionsEntry["list"][number]), ...patch }], left_out: 0 }, 2);
    } catch (error) {
      return String(error);
    }
    return "";
  };
  assert.equal(told({}), "");
  assert.match(told({ t: NaN }), /suggestion 0: its time is NaN/);
  assert.match(told({ pair: [0, 2] }), /suggestion 0: it names bodies 0 and 2 of 2/);
  assert.match(told({ places: [[1, 2, 3]] }), /suggestion 0: a place is no list of six numbers/);
  assert.match(told({ after: [[], []] }), /suggestion 0: a velocity is no list of six numbers/);
  assert.match(told({ centers: [[], []] }), /suggestion 0: a centre is no list of six numbers/);
});
