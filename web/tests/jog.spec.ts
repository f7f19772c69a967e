// Jogging in a browser, against a server that is as small as can be.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";

import type { Browser } from "playwright-core";

import { clean, closePages, launch, once, open, PAGE, until, type Watched } from "./browser.ts";
import { arm } from "./mock/documents.ts";
import { MockServer, STOP } from "./mock/server.ts";

let browser: Browser;
before(async () => (browser = await launch()));
afterEach(closePages);
after(() => browser.close());

async function served(run: (server: MockServer, client: () => Promise<Watched>) => Promise<void>, made = arm()): Promise<void> {
  const server = await new MockServer(PAGE, made).start();
  try {
    await run(server, async () => {
      const client = await open(browser, server.address);
      await until(client.page, ({ jog }) => jog?.status === "open", "a connection");
      return client;
    });
  } finally {
    await closePages();
    await server.stop();
  }
}

test("a robot is jogged into a post, and the move is refused at the exact value", async () => {
  await served(async (_, client) => {
    const watched = await client();
    const { page } = watched;
    assert.ok(await page.locator("#joint-0").isDisabled());
    await page.getByRole("button", { name: "Take control" }).click();
    await until(page, ({ jog }) => jog?.inControl === true, "control");
    await once(page.getByLabel("shoulder: a step on"));
    const stepped = await until(page, ({ jog }) => jog?.moves === 1, "a step");
    assert.ok(Math.abs((stepped.jog?.values[0] ?? 0) - Math.PI / 180) < 1e-12);
    const before = await page.locator("#joint-0").boundingBox();
    await page.getByLabel("shoulder in degrees").fill("120");
    await page.keyboard.press("Enter");
    const { jog } = await until(page, (now) => now.jog?.refusal !== null, "a refusal");
    const told = /^at shoulder ([\d.]+)\u00b0$/.exec((await page.locator(".refused-at").textContent()) ?? "")?.[1];
    assert.equal(told, String(Number(((STOP * 180) / Math.PI).toPrecision(6))));
    assert.ok((jog?.values[0] ?? 9) < STOP);
    assert.match((await page.locator("#jog-refusal").textContent()) ?? "", /^Refused after [\d.]+ %fore would touch postat /);
    // Three lines, and the sliders are where they were; the rest is opened.
    assert.equal(await page.locator("#jog-refusal p").count(), 3);
    assert.deepEqual(await page.locator("#joint-0").boundingBox(), before);
    await page.getByRole("button", { name: "Show all" }).click();
    assert.match((await page.locator("#jog-refusal-rest").textContent()) ?? "", /fore would touch post at.*place 0\.1 {2}1\.2 {2}0 m.*Proven free for [\d.]+ % of the move, until/);
    await page.getByRole("button", { name: "Show less" }).click();
    // The way back is free, and the record is kept.
    await page.getByRole("button", { name: "Undo" }).click();
    await until(page, (now) => now.jog?.refusal === null && now.jog.moves === 1, "an undo");
    const poses = await page.evaluate(() => window.chasles?.poses());
    assert.ok(Math.abs((poses?.[1]?.[0] ?? 0) - Math.cos(Math.PI / 180)) < 1e-12);
    clean(watched);
  });
});

test("a robot without a path is shown where it is, on every page", async () => {
  await served(async (server, client) => {
    const watched = await client();
    const { page } = watched;
    await page.getByRole("button", { name: "Take control" }).click();
    await until(page, ({ jog }) => jog?.inControl === true, "control");
    await page.getByLabel("shoulder in degrees").fill("30");
    await page.keyboard.press("Enter");
    await until(page, ({ jog }) => jog?.moves === 1, "a move");
    await page.getByRole("tab", { name: "Bodies" }).click();
    await page.getByRole("option", { name: "fore" }).click();
    const shown = async (): Promise<(number[] | undefined)[]> => (await page.evaluate(() => window.chasles?.poses())) ?? [];
    const place = (turn: number): string => [Math.cos(turn), Math.sin(turn), 0].map((x) => String(Number(x.toPrecision(6)))).join("  ");
    const told = page.locator(".pose").first();
    assert.equal(await told.textContent(), place(Math.PI / 6));
    assert.ok(Math.abs(((await shown())[1]?.[1] ?? 0) - 0.5) < 1e-12);
    // Where another moves it, what is told follows.
    server.values = [Math.PI / 3, 0];
    server.tell();
    await page.waitForFunction((text) => document.querySelector(".pose")?.textContent === text, place(Math.PI / 3));
    await page.getByRole("tab", { name: "Display" }).click();
    assert.ok(Math.abs(((await shown())[1]?.[1] ?? 0) - Math.sin(Math.PI / 3)) < 1e-12);
    clean(watched);
  });
});

test("a button moves to a named configuration as far as the edge is free", async () => {
  const made = arm();
  const configuration = (name: string, joints: [string, number][], more: object = {}): object => ({ name, joints, doubts: [], error: null, ...more });
  Object.assign(made.robot as object, {
    postures: [
      configuration("home", [["shoulder", 0], ["elbow", 0]]), configuration("bent", [["elbow", 1.25]], { doubts: ["the robot has no joint wrist"] }),
      configuration("beyond", [["shoulder", 2]]), configuration("fixed", []), configuration("bad", [], { error: "arm.srdf:7: a value beyond the limits" }),
    ],
  });
  await served(async (_, client) => {
    const watched = await client();
    const { page } = watched;
    const at = (name: string) => page.getByRole("button", { name: `Go to the configuration ${name}`, exact: true });
    const pressed = async (): Promise<(string | null)[]> => Promise.all(["home", "bent", "beyond", "bad"].map((name) => at(name).getAttribute("aria-pressed")));
    assert.ok(await at("bent").isDisabled());
    assert.equal(await at("bent").getAttribute("title"), "elbow 71.6197\u00b0\nthe robot has no joint wrist");
    assert.equal(await at("bad").getAttribute("title"), "arm.srdf:7: a value beyond the limits");
    assert.deepEqual(await pressed(), ["true", "false", "false", "false"]);
    await page.getByRole("button", { name: "Take control" }).click();
    await until(page, ({ jog }) => jog?.inControl === true, "control");
    assert.ok(await at("bad").isDisabled() && await at("fixed").isDisabled());
    assert.deepEqual([await at("fixed").getAttribute("title"), await at("fixed").getAttribute("aria-pressed")], ["It sets no joint that can be moved.", "false"]);
    // The shoulder, which it does not name, stays.
    await page.getByLabel("shoulder in degrees").fill("10");
    await page.keyboard.press("Enter");
    await until(page, ({ jog }) => jog?.moves === 1, "a move");
    await at("bent").click();
    const bent = await until(page, ({ jog }) => jog?.moves === 2, "a configuration");
    assert.deepEqual(bent.jog?.values, [(10 * Math.PI) / 180, 1.25]);
    assert.deepEqual(await pressed(), ["false", "true", "false", "false"]);
    assert.equal(await page.getByLabel("elbow in degrees").inputValue(), "71.6197\u00b0");
    await at("home").click();
    await until(page, ({ jog }) => jog?.moves === 3, "the way home");
    // The post is in the way.
    await at("beyond").click();
    const { jog } = await until(page, (now) => now.jog?.refusal !== null, "a refusal");
    assert.ok((jog?.values[0] ?? 9) < STOP);
    assert.deepEqual(await pressed(), ["false", "false", "false", "false"]);
    clean(watched);
  }, made);
});

test("a move that separates overlapping bodies is reported as such", async () => {
  await served(async (server, client) => {
    const watched = await client();
    const { page } = watched;
    await page.getByRole("button", { name: "Take control" }).click();
    server.wayOut = [{ a: "fore", b: "post", depth_before: 0.0123456789, depth: 0.01 }];
    await once(page.getByLabel("elbow: a step on"));
    await page.waitForFunction(() => /Escape from an overlapfore separates from postfrom 12\.3457.mm to 10.mm deep$/.test(document.querySelector("#jog-refusal")?.textContent ?? ""));
    server.wayOut = null;
    await once(page.getByLabel("elbow: a step on"));
    await page.waitForFunction(() => /^Moves are carried out/.test(document.querySelector("#jog-refusal")?.textContent ?? ""));
    clean(watched);
  });
});

test("a dragged slider waits for answers, and ends where it was released", async () => {
  await served(async (server, client) => {
    const { page } = await client();
    await page.getByRole("button", { name: "Take control" }).click();
    await until(page, ({ jog }) => jog?.inControl === true, "control");
    const box = await page.locator("#joint-1").boundingBox();
    assert.ok(box);
    await page.evaluate(() => document.querySelector("#joint-1")?.addEventListener("input", ({ target }) => {
      const slider = target as HTMLInputElement;
      slider.dataset["left"] = slider.value;
    }));
    server.held = [];
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2, { steps: 20 });
    await page.mouse.up();
    await until(page, ({ jog }) => jog?.unanswered === 1, "a move that is not answered");
    assert.ok(server.held.length <= 1, `${server.held.length} moves at a time`);
    server.letGo();
    // What is asked for next is asked for before the page hears anything else: nothing unanswered is the end.
    const { jog } = await until(page, (now) => now.jog?.unanswered === 0 && now.jog.moves > 0, "the last answer");
    assert.equal(jog?.values[1], server.values[1]);
    assert.ok((jog?.values[1] ?? 0) > 1);
    assert.equal(jog?.values[1], await page.evaluate(() => Number((document.querySelector("#joint-1") as HTMLElement).dataset["left"])));
    assert.equal(jog?.values[1], Number(await page.locator("#joint-1").inputValue()));
  });
});

test("a pressed button repeats its step until it is released", async () => {
  await served(async (server, client) => {
    const { page } = await client();
    await page.getByRole("button", { name: "Take control" }).click();
    await until(page, ({ jog }) => jog?.inControl === true, "control");
    await page.getByLabel("elbow: a step on").hover();
    await page.mouse.down();
    await until(page, ({ jog }) => (jog?.moves ?? 0) >= 3, "three steps");
    await page.mouse.up();
    const { jog } = await until(page, (now) => now.jog?.unanswered === 0, "the last answer");
    const moves = jog?.moves ?? 0;
    assert.ok(Math.abs((jog?.values[1] ?? 0) - (moves * Math.PI) / 180) < 1e-9, `${moves} steps to ${jog?.values[1]}`);
    // Ten times as long as from step to step: none follows.
    await page.waitForTimeout(900);
    assert.equal(server.record.length, moves);
  });
});

test("two clients: one jogs, the other sees it and cannot", async () => {
  await served(async (_, client) => {
    const [one, two] = [await client(), await client()];
    await one.page.getByRole("button", { name: "Take control" }).click();
    await until(two.page, ({ jog }) => jog?.inControl === false, "no control");
    await two.page.waitForFunction(() => /Client 1 is in control/.test(document.querySelector("#jog-status")?.textContent ?? ""));
    assert.ok(await two.page.locator("#jog-control").isDisabled());
    await once(one.page.getByLabel("elbow: a step on"));
    await until(two.page, ({ jog }) => (jog?.values[1] ?? 0) > 0, "the move of the other");
    await until(one.page, ({ jog }) => (jog?.values[1] ?? 0) > 0, "its own move");
    const poses = await Promise.all([one, two].map(({ page }) => page.evaluate(() => window.chasles?.poses())));
    assert.deepEqual(poses[0], poses[1]);
    await one.page.getByRole("button", { name: "Release control" }).click();
    await two.page.getByRole("button", { name: "Take control" }).click();
    await until(two.page, ({ jog }) => jog?.inControl === true, "control of the second");
    clean(one);
    clean(two);
  });
});

test("after a disconnection the page resumes control with its record", async () => {
  await served(async (server, client) => {
    const watched = await client();
    const { page } = watched;
    await page.getByRole("button", { name: "Take control" }).click();
    await once(page.getByLabel("elbow: a step on"));
    await until(page, ({ jog }) => jog?.moves === 1, "a move");
    // What the page says in between lasts for a moment: it is written down.
    await page.evaluate(() => {
      const status = document.querySelector("#jog-status") as HTMLElement;
      new MutationObserver(() => (status.dataset["said"] = `${status.dataset["said"] ?? ""}${status.textContent}\n`)).observe(status, { childList: true });
    });
    server.cut();
    const { jog } = await until(page, (now) => now.jog?.hellos === 2 && now.jog.inControl, "control again");
    const said = await page.evaluate(() => (document.querySelector("#jog-status") as HTMLElement).dataset["said"] ?? "");
    assert.match(said, /^Connection lost\. What was recorded[^]*\nConnecting again\u2026\n[^]*You are in control\.\n$/);
    assert.equal(jog?.moves, 1);
    await once(page.getByLabel("elbow: a step on"));
    await until(page, (now) => now.jog?.moves === 2, "another move");
    clean(watched);
  });
});

test("the record is shown, saved, and a path is replayed with its verdict", async () => {
  await served(async (_, client) => {
    const { page } = await client();
    await page.getByRole("button", { name: "Take control" }).click();
    await once(page.getByLabel("elbow: a step on"));
    await until(page, ({ jog }) => jog?.moves === 1, "a move");
    await page.waitForFunction(() => document.querySelectorAll(".moves tbody tr").length === 2);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as CSV" }).click()]);
    assert.equal(download.suggestedFilename(), "arm-moves.csv");
    assert.match(readFileSync((await download.path()) ?? "", "utf8"), /^time,shoulder,elbow\n0,0,0\n1,0,0\.017/);
    await page.locator("input[type=file]").setInputFiles({ name: "up.csv", mimeType: "text/csv", buffer: Buffer.from("time,elbow\n0,0\n1,1\n") });
    await page.waitForFunction(() => /up\.csv: clear, all 2 segments/.test(document.querySelector("#replay-verdict")?.textContent ?? ""));
  });
});

test("many joints with long names fit the panel", async () => {
  const made = arm();
  const joints = made.robot?.joints ?? [];
  for (let more = 0; more < 12; more += 1) joints.push({ name: `a_joint_with_a_rather_long_name_${more}`, unit: "m", limits: [0, 1] });
  await served(async (_, client) => {
    const { page } = await client();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 720 });
      await page.waitForFunction((wide) => window.innerWidth === wide, width);
      await page.waitForFunction(() => document.querySelectorAll(".moves p, .moves table").length > 0);
      const [inside, outside] = await page.evaluate(() => {
        const panel = document.querySelector(".page:not([hidden])") as HTMLElement;
        return [panel.scrollWidth, panel.clientWidth] as const;
      });
      assert.ok(inside <= outside, `${inside} in ${outside} at ${width}`);
    }
  }, made);
});
