// Names that do not fit: both ends of each stay.

import assert from "node:assert/strict";
import { test } from "node:test";

import { truncateMiddle, truncatePair } from "../src/elements/names.ts";

const wide = (text: string): number => text.length;

test("a long name is shortened in its middle, no more than necessary", () => {
  assert.equal(truncateMiddle("elbow", 5, wide), "elbow");
  assert.equal(truncateMiddle("left_finger_tip", 9, wide), "left\u2026_tip");
  for (let most = 1; most < 20; most += 1) {
    const told = truncateMiddle("left_finger_tip", most, wide);
    assert.equal(told.length, Math.min(most, 15), told);
  }
  assert.equal(truncateMiddle("left_finger_tip", 0, wide), "\u2026");
});

test("both names of a pair stay, and the longer one is shortened first", () => {
  const pair = { a: "left_finger_of_the_gripper", b: "part" };
  assert.equal(truncatePair(pair, 40, wide), "left_finger_of_the_gripper \u2013 part");
  assert.equal(truncatePair(pair, 20, wide), "left_f\u2026ripper \u2013 part");
  assert.equal(truncatePair({ a: pair.b, b: pair.a }, 20, wide), "part \u2013 left_f\u2026ripper");
  assert.equal(truncatePair({ a: pair.a, b: `${pair.a}_2` }, 21, wide), "left\u2026pper \u2013 left\u2026er_2");
  assert.equal(truncatePair({ a: "a_long_cloth_of_wool", b: "a_long_cloth_of_wool" }, 24, wide), "a_long\u2026_wool with itself");
});
