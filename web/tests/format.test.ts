// Numbers for people: six digits, no more and no fewer.

import assert from "node:assert/strict";
import { test } from "node:test";

import * as format from "../src/elements/format.ts";

/** The digits that count of the first number of a text. */
const digits = (text: string): number => (/[\d.]+/.exec(text)?.[0] ?? "").replace(".", "").replace(/^0+/, "").length;

test("numbers have six digits, whatever their size and unit", () => {
  for (let power = -14; power <= 9; power += 1) {
    const value = 1.234567890123 * 10 ** power;
    for (const told of [format.short(value), format.metres(value), format.seconds(value), format.speed(value), format.joules(value), format.degrees(value), format.vector([value, 0, 0])]) {
      assert.equal(digits(told), 6, `${value}: ${told}`);
    }
  }
  assert.equal(format.short(0.1 + 0.2), "0.3");
  assert.equal(format.metres(0.1 + 0.2), "300\u202fmm");
  assert.equal(format.vector([0.1 + 0.2, 1, -1e-17]), "0.3  1  0");
});

test("rotating joints are shown in degrees, without rounding errors", () => {
  assert.equal(format.jointValue(Math.PI / 3, "rad"), "60\u00b0");
  assert.equal(format.jointValue(0.06105912345, "rad"), "3.49843\u00b0");
  assert.equal(format.jointValue(-1.2e-17, "rad"), "0\u00b0");
  assert.equal(format.jointValue(0.123456789, "m"), "0.123457 m");
});

test("an enclosure is one number if six digits agree, and both bounds otherwise", () => {
  assert.equal(format.enclosure([0.95, 0.95 + 1e-13], format.seconds), "950\u202fms");
  assert.equal(format.enclosure([0.95, 0.951]), "0.95 to 0.951");
  assert.equal(format.exactEnclosure([0.1, 0.1 + 0.2]), "[0.1, 0.30000000000000004]");
});
