// In a browser: the impulse that would follow where keyframed bodies with masses collide.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import type { Browser } from "playwright-core";

import { clean, closePages, launch, open, pixels, state, until, withFile } from "./browser.ts";
import { carts, suggested } from "./mock/suggested.ts";

let browser: Browser;
before(async () => (browser = await launch()));
afterEach(closePages);
after(() => browser.close());

/** The green of velocities that would follow. */
const AFTER = [0, 158, 115] as const;

const flat = (text: string): string => text.replace(/\s+/g, " ");

test("at a contact of keyframed bodies the page lists, draws and hides suggestions", async () => {
  await withFile(carts(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const without = await pixels(page, AFTER, 30);
    assert.deepEqual((await page.locator("[id^=contacts-row]").allInnerTexts()).map(flat), [
      "500 ms cart \u2013 crate 2.25 N s", "750 ms cart \u2013 wall 6 N s",
    ]);
    await page.keyboard.press("n");
    const { suggestion, suggestedArrows, time } = await until(page, (now) => now.suggestion !== null, "a suggestion");
    assert.deepEqual(suggestion, { t: 0.5, a: "cart", b: "crate", impulse: [2.25, 0, 0], after: [[1.25, 0, 0], [2.25, 0, 0]] });
    assert.deepEqual([suggestedArrows, time], [[2, 2], 0.5]);
    assert.equal(flat(await page.locator("#follows").innerText()), "The impulse that would follow On crate 2.25 0 0 N s "
      + "cart 1.25 0 0 m/s now 2 0 0 m/s crate 2.25 0 0 m/s turning by 0 0 7.5 rad/s now 0 0 0 m/s");
    const drawn = await pixels(page, AFTER, 30);
    assert.ok(drawn > without + 100, `${without}, then ${drawn} pixels`);
    // A wall without a mass stays, and has no arrow; the cart would stand.
    await page.keyboard.press("n");
    assert.deepEqual((await until(page, (now) => now.time === 0.75, "the wall")).suggestedArrows, [1, 0]);
    assert.match(flat(await page.locator("#follows").innerText()), /wall has no mass: does not give way$/);
    await page.keyboard.press("p");
    await until(page, (now) => now.suggestedArrows[1] === 2, "arrows");
    await page.keyboard.press("i");
    await until(page, (now) => now.suggestedArrows.every((count) => count === 0), "no arrows");
    clean(watched);
  });
});

test("a suggestion that playing passes is shown for a moment", async () => {
  await withFile(carts(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const arrows = async (time: number): Promise<readonly number[]> => {
      await page.getByLabel("Time in seconds").fill(String(time));
      await page.keyboard.press("Enter");
      return (await until(page, (now) => now.time === time, `${time} s`)).suggestedArrows;
    };
    assert.deepEqual([await arrows(0.49), await arrows(0.6), await arrows(0.72)], [[0, 0], [2, 2], [0, 0]]);
    clean(watched);
  });
});

test("documents without suggestions show none, and omitted ones are counted", async () => {
  await withFile(carts(null), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    await page.keyboard.press("n");
    await until(page, (now) => now.chosen !== null, "a contact");
    assert.deepEqual([(await state(page)).suggestion, await page.locator("#follows").count()], [null, 0]);
    assert.doesNotMatch(await page.locator("#panel").innerText(), /N.s|follow/);
    clean(watched);
  });
  await withFile(carts({ ...suggested(), left_out: 7 }), async (address) => {
    const watched = await open(browser, address);
    assert.match(await watched.page.locator(".lists").innerText(), /the first 2 collisions of keyframed bodies; 7 later ones are omitted/);
    clean(watched);
  });
});
