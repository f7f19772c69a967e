// Recordings in a browser: impulses in the picture, their list, and energy over time.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import type { Browser, Page } from "playwright-core";

import { clean, closePages, launch, open, pixels, state, until, withFile } from "./browser.ts";
import { drop } from "./mock/recording.ts";

let browser: Browser;
before(async () => (browser = await launch()));
afterEach(closePages);
after(() => browser.close());

/** The blue of the arrows. */
const ARROW = [0, 114, 178] as const;

async function goTo(page: Page, time: number): Promise<void> {
  await page.getByLabel("Time in seconds").fill(String(time));
  await page.keyboard.press("Enter");
  await until(page, (now) => now.time === time, `${time} s`);
}

test("a recording shows the impulses of the time that is played, and hides them", async () => {
  await withFile(drop(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    await goTo(page, 0.5);
    assert.equal((await state(page)).recording?.arrows, 0);
    assert.match(await page.locator("#impulses").innerText(), /Nothing touches/);
    const without = await pixels(page, ARROW, 40);
    await goTo(page, 1);
    const { recording } = await state(page);
    assert.deepEqual([recording?.line, recording?.arrows, recording?.impulses], [10, 1, [{ a: "floor", b: "ring", magnitude: 4 }]]);
    const blow = await pixels(page, ARROW, 40);
    assert.ok(blow > without + 100, `${without} pixels, then ${blow}`);
    assert.match((await page.locator("#impulses").innerText()).replace(/\s+/g, " "), /floor ring 4/);
    // It is seen for a moment more, though its line is over; and weaker pushes are shorter.
    await goTo(page, 1.15);
    assert.deepEqual([(await state(page)).recording?.arrows, (await state(page)).recording?.impulses], [1, []]);
    await goTo(page, 3);
    const rest = await pixels(page, ARROW, 40);
    assert.ok(rest > without && rest < blow, `${without}, ${rest}, ${blow} pixels`);
    await page.getByText("Show impulses").click();
    await until(page, (now) => now.recording?.arrows === 0, "no arrows");
    const hidden = await pixels(page, ARROW, 40);
    assert.ok(hidden <= without, `${hidden} pixels, ${without} without arrows`);
    await page.locator("#canvas").press("i");
    await until(page, (now) => now.recording?.arrows === 1, "arrows");
    clean(watched);
  });
});

test("the energy plot has a time marker, and a click sets the time", async () => {
  await withFile(drop(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const told = async (): Promise<string> => (await page.locator("#energies").innerText()).replace(/\s+/g, " ");
    assert.match(await told(), /sum 11 J kinetic 0 J potential 11 J dissipated 0 J/);
    const plot = page.locator("#energy-plot");
    const box = await plot.boundingBox();
    assert.ok(box);
    await plot.click({ position: { x: 66 + (box.width - 74) / 2, y: 60 } });
    const { time, playing } = await until(page, (now) => now.time > 1, "the middle");
    assert.ok(Math.abs(time - 2) < 0.02 && !playing, `${time}`);
    assert.match(await told(), /kinetic 0 J potential 1 J dissipated 9 J/);
    // A recording plays on through its contacts.
    await goTo(page, 0.9);
    await page.keyboard.press("Escape");
    await page.locator("#play").click();
    await until(page, (now) => now.time > 1.2, "the time after the contact");
    assert.equal(await page.locator("#thinned").count(), 0);
    clean(watched);
  });
});

test("a long recording states what is omitted", async () => {
  await withFile(drop(3, 5), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    assert.equal(
      await page.locator("#thinned").innerText(),
      "A long recording: up to 3 lines of the recording are one here, and the weakest 5 of 27 impulses are left out.",
    );
    await goTo(page, 2);
    assert.match(await page.locator("#impulses").innerText(), /and 5 that this page was not given/);
    clean(watched);
  });
});

test("releases are listed and marked; a click sets the time, and the body has its state", async () => {
  await withFile(drop(1, 0, [{ body: 1, t: 1.5 }, { body: 0, t: null }]), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const list = page.getByLabel("Releases").locator(".row");
    assert.deepEqual((await list.allInnerTexts()).map((text) => text.replace(/\s+/g, " ")), ["1.5 s ring", "the end floor"]);
    await list.first().click();
    assert.equal((await until(page, (now) => now.time === 1.5, "the release")).body, "ring");
    await page.getByRole("tab", { name: "Bodies" }).click();
    assert.equal(await page.locator("#release").innerText(), "keyframed until 1.5\u202fs, dynamic since");
    assert.deepEqual(await page.getByLabel("Bodies").locator(".row .verdict").allInnerTexts(), ["keyframed", "released"]);
    // The mark is at the foot of the ruler.
    await goTo(page, 0.5);
    const slider = page.getByRole("slider", { name: "Time" });
    const box = await slider.boundingBox();
    assert.ok(box);
    const [from, width] = [176, box.width - 188];
    const place = { x: from + (1.5 / 4) * width + 3, y: 24 };
    await slider.hover({ position: place });
    assert.equal(await slider.getAttribute("title"), "ring: keyframed until 1.5\u202fs, dynamic since");
    await slider.click({ position: place });
    assert.equal((await until(page, (now) => now.time > 1, "the release")).time, 1.5);
    // Beside it a click goes to its own time.
    await slider.click({ position: { x: place.x + 30, y: 24 } });
    await until(page, (now) => now.time > 1.55, "beside the release");
    clean(watched);
  });
});

test("a recording without releases has no list of them", async () => {
  await withFile(drop(), async (address) => {
    const watched = await open(browser, address);
    assert.equal(await watched.page.getByLabel("Releases").count(), 0);
    clean(watched);
  });
});
