// The page of a screen in a browser: what one points at on one picture is marked on the other.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import type { Browser, Page } from "playwright-core";

import type { Vec3 } from "../src/motion/vector.ts";
import type { ScreenPoint } from "../src/screen/unroll.ts";
import { clean, closePages, launch, open, untilScreen, withFile } from "./browser.ts";
import { cubes } from "./mock/screen.ts";

let browser: Browser;
before(async () => (browser = await launch()));
afterEach(closePages);
after(() => browser.close());

const near = (found: readonly number[] | null | undefined, wanted: readonly number[], within: number): void => {
  assert.ok(found, `nothing for ${wanted}`);
  wanted.forEach((value, k) => assert.ok(Math.abs((found[k] as number) - value) <= within, `${found} for ${wanted}`));
};

const pixelOfA = (page: Page, point: Vec3): Promise<readonly [number, number] | null> =>
  page.evaluate((at) => window.chaslesScreen?.pixelOfA(at) ?? null, point);
const pixelOfPlace = (page: Page, place: ScreenPoint): Promise<readonly [number, number] | null> =>
  page.evaluate((at) => window.chaslesScreen?.pixelOfPlace(at) ?? null, place);

/** Whether a canvas has pixels close to a colour around a place of the page. */
async function coloured(page: Page, canvas: string, [x, y]: readonly [number, number], colour: readonly [number, number, number]): Promise<boolean> {
  return page.evaluate(([selector, px, py, wanted]) => {
    const found = document.querySelector(selector) as HTMLCanvasElement;
    const box = found.getBoundingClientRect();
    const ratio = found.width / box.width;
    const copy = document.createElement("canvas");
    const side = Math.round(20 * ratio);
    [copy.width, copy.height] = [side, side];
    const context = copy.getContext("2d") as CanvasRenderingContext2D;
    context.drawImage(found, -(px - box.left - 10) * ratio, -(py - box.top - 10) * ratio);
    const { data } = context.getImageData(0, 0, side, side);
    for (let at = 0; at < data.length; at += 4) {
      if (wanted.every((value, k) => Math.abs((data[at + k] as number) - value) <= 24) && (data[at + 3] as number) > 200) return true;
    }
    return false;
  }, [canvas, x, y, colour] as const);
}

/** The rings on the 3D view around the part of A and of B, and the ring on the screen. */
const [RING_A, RING_B, RING] = [[0x1b, 0x5e, 0x9e], [0x9c, 0x5a, 0x00], [0x00, 0x72, 0xb2]] as const;

test("a point under the mouse is marked on body and screen", async () => {
  await withFile(cubes(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    await untilScreen(page, ({ isIdle }) => isIdle, "both pictures");
    assert.equal(await page.locator("#name").innerText(), "cubes <1>");
    assert.match(await page.locator("#summary").innerText(), /2 collisions, 1 proper/);

    // The body: a place on the side of A that leads, 2 m before B.
    const onA = await pixelOfA(page, [-2.5, 0.1, 0.2]);
    assert.ok(onA);
    await page.mouse.move(...onA);
    const byBody = await untilScreen(page, ({ line }) => line?.from === "picture", "a line from the picture");
    assert.equal(byBody.line?.time, 0.5);
    near(byBody.line?.place, [0.1, 0.2], 0.02);
    near(byBody.line?.b, [-0.5, 0.1, 0.2], 0.02);
    assert.match(await page.locator("#line-words").innerText(), /post is 2.m ahead: 0\.5 of the motion\./);
    await untilScreen(page, ({ isIdle }) => isIdle, "the mark on the screen");
    const mark = await pixelOfPlace(page, byBody.line?.place as ScreenPoint);
    assert.ok(mark && (await coloured(page, "#screen-canvas", mark, RING)), "the mark on the screen");

    // The screen: A and B are marked on the body.
    const place = await pixelOfPlace(page, [0.3, -0.3]);
    assert.ok(place);
    await page.mouse.move(...place);
    const byScreen = await untilScreen(page, ({ line }) => line?.from === "screen", "a line from the screen");
    near(byScreen.line?.a, [-2.5, 0.3, -0.3], 0.01);
    near(byScreen.line?.b, [-0.5, 0.3, -0.3], 0.01);
    await untilScreen(page, ({ isIdle }) => isIdle, "the marks on the body");
    const [ofA, ofB] = await page.evaluate(() => [window.chaslesScreen?.pixelOfA([-2.5, 0.3, -0.3]), window.chaslesScreen?.pixelOf([-0.5, 0.3, -0.3])]);
    assert.ok(ofA && ofB);
    assert.ok(await coloured(page, ".overlay", ofA, RING_A), "the mark on A");
    assert.ok(await coloured(page, ".overlay", ofB, RING_B), "the mark on B");

    // Where nothing of B lies ahead, and beside both.
    const beyond = await pixelOfPlace(page, [0.7, 0]);
    assert.ok(beyond);
    await page.mouse.move(...beyond);
    await untilScreen(page, ({ line }) => line?.time === -1, "nothing ahead");
    assert.match(await page.locator("#line-words").innerText(), /Nothing of post lies ahead/);
    await page.mouse.move(5, 5);
    await untilScreen(page, ({ line }) => line === null, "no line");
    clean(watched);
    assert.deepEqual(watched.requests, [address]);
  }, "chasles-screen");
});

test("a clicked collision moves the body there and is marked on both", async () => {
  await withFile(cubes(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    await page.locator("[role=listbox][aria-label=Collisions] [role=option]").first().click();
    const chosen = await untilScreen(page, ({ chosen, isIdle }) => chosen === 0 && isIdle, "a collision");
    assert.equal(chosen.fraction, 0.5);
    near(chosen.line?.place, [-0.25, -0.5], 1e-12);
    assert.equal(await page.locator("#way").inputValue(), "0.5");
    assert.match(await page.locator(".detail").innerText(), /vertex 1\b[^]*face 8\b/);
    const contact = [0xd5, 0x5e, 0x00] as const;
    const [onBody, onScreen] = await page.evaluate(() => [
      window.chaslesScreen?.pixelOf([-0.5, -0.25, -0.5]), window.chaslesScreen?.pixelOfPlace([-0.25, -0.5]),
    ]);
    assert.ok(onBody && onScreen);
    // The ring lies 13 pixels from the place.
    assert.ok(await coloured(page, ".overlay", [onBody[0] + 13, onBody[1]], contact), "the ring on the body");
    assert.ok(await coloured(page, "#screen-canvas", [onScreen[0], onScreen[1] - 13], contact), "the ring on the screen");
    await page.keyboard.press("ArrowDown");
    await untilScreen(page, ({ chosen }) => chosen === 1, "the next");
    assert.match(await page.locator(".detail").innerText(), /nearer part of post/);
    await page.getByRole("button", { name: "Clear" }).click();
    await untilScreen(page, ({ chosen }) => chosen === null, "none");
    clean(watched);
  }, "chasles-screen");
});

test("keys, the slider, playing and themes", async () => {
  await withFile(cubes(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    await page.locator("#way").focus();
    await page.keyboard.press("End");
    await untilScreen(page, ({ fraction }) => fraction === 1, "the end");
    await page.locator("#screen-canvas").focus();
    await page.keyboard.press("ArrowRight");
    await untilScreen(page, ({ line }) => line?.from === "screen", "a place by the keyboard");
    await page.keyboard.press("n");
    await untilScreen(page, ({ chosen }) => chosen === null, "nothing after the end");
    await page.keyboard.press("p");
    await untilScreen(page, ({ chosen, fraction }) => chosen === 1 && fraction === 0.5, "the last collision");
    await page.keyboard.press("b");
    await page.keyboard.press("d");
    const { styleOfB, theme: look } = await untilScreen(page, ({ styleOfB }) => styleOfB === "solid", "B solid");
    assert.deepEqual([styleOfB, look], ["solid", "dark"]);
    await page.getByRole("tab", { name: "Motion" }).click();
    assert.match(await page.locator(".play").innerText(), /Forward\s+2.m \(0\.49 of the motion\); binds at[^]*Backward\s+for ever/);
    await page.getByRole("button", { name: "Show where it binds forward" }).click();
    const { line } = await untilScreen(page, ({ line }) => line?.from === "list", "where it binds");
    near(line?.b, [-0.5, 0, 0.25], 0);
    assert.match(await page.locator(".ticks").innerText(), /0\.5\s/);
    await page.selectOption("#screen select", "motion");
    assert.match(await page.locator(".ticks").innerText(), /0\.75\s+1\s/);
    await page.locator("#canvas").focus();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Play, pause" }).click();
    await untilScreen(page, ({ playing, fraction }) => !playing && fraction === 1, "it plays to the end");
    clean(watched);
  }, "chasles-screen");
});

test("on a narrow screen one is below the other", async () => {
  await withFile(cubes(), async (address) => {
    const watched = await open(browser, address, { width: 420, height: 800 });
    const { page } = watched;
    const [view, screen] = [await page.locator("#view").boundingBox(), await page.locator("#screen").boundingBox()];
    assert.ok(view && screen && screen.y >= view.y + view.height - 1);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 420);
    clean(watched);
  }, "chasles-screen");
});
