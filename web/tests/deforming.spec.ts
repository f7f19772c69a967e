// Bodies that deform, in a browser: they are drawn as they are at the time, from a server or a file, and what is missing is told.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import type { Browser, Page } from "playwright-core";

import { clean, closePages, launch, open, PAGE, pixels, state, until, withFile } from "./browser.ts";
import { fold, foldFrames, plate } from "./mock/documents.ts";
import { MockServer } from "./mock/server.ts";

let browser: Browser;
before(async () => (browser = await launch()));
afterEach(closePages);
after(() => browser.close());

/** Where the strip's vertex at its right end is drawn, at a time of ten frames. */
function expected(time: number, count: number): number[] {
  const frames = foldFrames(count);
  const at = (frame: number): number[] => [...(frames[Math.min(count - 1, frame)] as Float32Array)].slice(54, 57);
  const [from, to] = [at(Math.floor(time)), at(Math.ceil(time))];
  return from.map((x, axis) => x + (time % 1) * ((to[axis] as number) - x));
}

async function holds(page: Page, time: number, count: number): Promise<void> {
  await until(page, ({ shapes }) => shapes.every(({ status }) => status === "shown"), `the shape at ${time}`);
  const found = await page.evaluate(() => window.chasles?.vertex(0, 18));
  expected(time, count).forEach((x, axis) => assert.ok(Math.abs((found?.[axis] ?? NaN) - x) < 1e-6, `${time}: ${found}`));
}

async function seek(page: Page, time: number): Promise<void> {
  await page.fill("input.time", String(time));
  await page.keyboard.press("Enter");
  await page.locator("canvas").first().focus();
}

/** A server with the frames of the strip, of which those of one piece may be missing. */
async function served(count: number, piece: number, run: (server: MockServer) => Promise<void>): Promise<void> {
  const server = new MockServer(PAGE, fold(count, piece));
  const frames = foldFrames(count);
  server.frames = (_, number) => {
    const some = frames.slice(number * piece, (number + 1) * piece);
    return some.length === 0 ? null : Buffer.from(Float32Array.from(some.flatMap((frame) => [...frame])).buffer);
  };
  await server.start();
  try {
    await run(server);
  } finally {
    await server.stop();
  }
}

test("a deforming body is drawn at the shown time while a server sends its frames", async () => {
  await served(200, 4, async (server) => {
    const watched = await open(browser, server.address);
    const { page } = watched;
    for (const time of [0, 0.25, 150.5, 199, 3.75]) {
      await seek(page, time);
      await holds(page, time, 200);
    }
    // Few of fifty pieces were asked for.
    assert.ok(server.asked.filter((path) => path === "/frames").length < 16);
    // Played to the contact with itself, which it stops at, it is folded there.
    await seek(page, 140);
    await page.selectOption("select[aria-label=Speed]", "10");
    await page.locator("[aria-label=Play]").click();
    const { chosen, touching } = await until(page, ({ playing, time }) => !playing && time === 149.25, "it stops at the contact");
    assert.deepEqual([chosen?.a, chosen?.b, touching], ["strip", "strip", ["strip"]]);
    await holds(page, 149.25, 200);
    assert.equal(await page.locator(".detail h2").first().innerText(), "strip with itself");
    assert.equal(await page.locator("#summary").innerText().then((text) => text.split(" over")[0]), "1 body, 1 pair tested");
    clean(watched);
  });
});

test("events are listed, selected and marked", async () => {
  await withFile(fold(5, 2, "in the file"), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const red = [213, 94, 0] as const;
    await seek(page, 2.9);
    // The legend has a dot always, and the strip is red where it touches itself.
    const before = await pixels(page, red, 2);
    await seek(page, 3);
    const met = await pixels(page, red, 2);
    assert.ok(met > before + 20, `where they have just met: ${before}, ${met}`);
    await page.getByRole("tab", { name: "Display" }).click();
    await page.locator("#show-events").uncheck();
    const off = await pixels(page, red, 2);
    assert.ok(off < met - 20, `switched off: ${met}, ${off}`);
    await page.locator("#show-events").check();
    // A twenty-fifth of the whole time later they are gone.
    await seek(page, 3.2);
    const gone = await pixels(page, red, 2);
    assert.ok(gone < met - 20, `gone: ${met}, ${gone}`);
    await page.getByRole("tab", { name: "Contacts" }).click();
    await page.getByRole("button", { name: "Events 3" }).click();
    const rows = page.locator("[role=listbox][aria-label=Events] [role=option]");
    assert.deepEqual(await rows.locator(".features").allInnerTexts(), ["vertex 18, face 0", "vertex 19, face 0", "vertex 15, face 0"]);
    await rows.nth(2).click();
    const { chosen, time } = await until(page, (now) => now.chosen?.kind === "event", "the event");
    assert.equal(time, 3.5);
    assert.deepEqual([chosen?.enter, chosen?.features.map(({ kind, numbers }) => [kind, numbers])], [[3.5, 3.5], [["vertex", [15]], ["face", [0]]]]);
    // From an event to an event, and no further than the first.
    await page.locator("#canvas").focus();
    await page.keyboard.press("p");
    assert.deepEqual((await state(page)).chosen?.features[0]?.numbers, [19]);
    await page.keyboard.press("p");
    await page.keyboard.press("p");
    assert.deepEqual((await state(page)).chosen?.features[0]?.numbers, [18]);
    clean(watched);
  });
});

test("a changed cache is reported, the page continues, and the shape returns with the file", async () => {
  await served(100, 2, async (server) => {
    const watched = await open(browser, server.address);
    const { page } = watched;
    await holds(page, 0, 100);
    const frames = server.frames;
    server.frames = () => "body \"strip\", frame 60: strip.pc2: cannot be read: it ends too soon\n";
    await seek(page, 60);
    await page.waitForFunction(() => document.querySelector("#notice")?.textContent?.includes("it ends too soon"));
    assert.deepEqual((await state(page)).shapes.map(({ status }) => status), ["missing"]);
    assert.match(await page.locator("#notice").innerText(), /shape of strip at this time cannot be read, so another one is drawn/);
    // Time runs on, and what was read before is shown.
    await page.selectOption("select[aria-label=Speed]", "10");
    await page.keyboard.press("Escape");
    await page.locator("[aria-label=Play]").click();
    await until(page, ({ time }) => time > 62, "time runs");
    // It may have come to the contact since, where it stops by itself.
    await page.evaluate(() => (document.querySelector("[aria-label=Pause]") as HTMLElement | null)?.click());
    await seek(page, 0.5);
    await holds(page, 0.5, 100);
    assert.equal(await page.locator("#notice").isVisible(), false);
    server.frames = frames;
    await seek(page, 60);
    await holds(page, 60, 100);
    // A browser tells of every answer that is an error.
    watched.faults.splice(0, watched.faults.length, ...watched.faults.filter((fault) => !/409/.test(fault)));
    clean(watched);
  });
});

test("a file with omitted frames states it", async () => {
  const document = fold(5, 2, "in the file");
  document.bodies[0]!.deforming!.left_out = 12;
  await withFile(document, async (address) => {
    const watched = await open(browser, address);
    assert.match(await watched.page.locator("#notice").innerText(), /leaves out 12 of 17 frames of strip/);
    clean(watched);
  });
  const none = fold(5, 2);
  Object.assign(none.bodies[0]!.deforming!, { times: "", frames: "", left_out: 9 });
  await withFile(none, async (address) => {
    const watched = await open(browser, address);
    assert.match(await watched.page.locator("#notice").innerText(), /no room for the 9 frames of strip: its first shape/);
    clean(watched);
  });
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address);
    assert.equal(await watched.page.locator("#notice").isVisible(), false);
    clean(watched);
  });
});
