// A simulation in a browser, against a server that is as small as can be.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import type { Browser } from "playwright-core";

import { clean, closePages, launch, open, PAGE, rest, state, until, type Watched } from "./browser.ts";
import { MockServer } from "./mock/server.ts";
import { live, MockSimulation } from "./mock/simulation.ts";

let browser: Browser;
before(async () => (browser = await launch()));
afterEach(closePages);
after(() => browser.close());

async function served(
  run: (server: MockServer, simulation: MockSimulation, client: () => Promise<Watched>) => Promise<void>, ring: "rigid" | "flexible" = "rigid",
): Promise<void> {
  const simulation = new MockSimulation(ring);
  const server = await new MockServer(PAGE, live(ring), simulation).start();
  try {
    await run(server, simulation, async () => {
      const client = await open(browser, server.address);
      await until(client.page, (now) => now.simulation?.status === "open", "a connection");
      return client;
    });
  } finally {
    await closePages();
    await server.stop();
  }
}

test("a simulation is played, paused, stepped and restarted by buttons and keys", async () => {
  await served(async (_, simulation, client) => {
    const watched = await client();
    const { page } = watched;
    assert.equal((await state(page)).simulation?.inControl, false);
    assert.match(await page.locator("#simulation-status").innerText(), /Nobody is in control/);
    // Who acts is in control.
    await page.getByRole("button", { name: "Play" }).click();
    await until(page, (now) => now.simulation?.inControl === true && now.simulation.state?.running === true, "control, and that it runs");
    await page.locator("#canvas").press(" ");
    await until(page, (now) => now.simulation?.state?.running === false, "a pause");
    await page.locator("#canvas").press(".");
    await until(page, (now) => now.simulation?.state?.time === 0.01 && now.simulation.arrows === 1, "a step with its impulse");
    const poses = await page.evaluate(() => window.chasles?.poses());
    assert.deepEqual([poses?.[0]?.[2], poses?.[1]?.[2]], [-0.1, 0.6]);
    await page.waitForFunction(() => /floor\s+ring\s+2/.test((document.querySelector("#impulses") as HTMLElement).innerText));
    assert.match((await page.locator("#energies").innerText()).replace(/\s+/g, " "), /kinetic 1 J potential 5.886 J dissipated 500 mJ/);
    assert.equal(await page.locator("#simulation-time").innerText(), "0.010 s");
    await page.getByRole("button", { name: "Begin again" }).click();
    await until(page, (now) => now.simulation?.state?.runs === 2 && now.simulation.arrows === 0, "a new beginning");
    assert.deepEqual(simulation.orders.map(({ type }) => type), ["play", "pause", "step", "restart"]);
    assert.equal(await page.getByRole("tab", { name: "Contacts" }).count(), 0);
    clean(watched);
  });
});

test("the mouse drags a body with a mass; elsewhere it rotates the picture", async () => {
  await served(async (_, simulation, client) => {
    const watched = await client();
    const { page } = watched;
    // From in front the ring is in the middle, some pixels above its hole.
    await page.getByRole("button", { name: "Front" }).click();
    await page.getByRole("button", { name: "Fit" }).click();
    await rest(page);
    const box = await page.locator("#canvas").boundingBox();
    assert.ok(box);
    let at: [number, number] | null = null;
    for (let y = box.height * 0.3; y < box.height * 0.8 && at === null; y += 6) {
      await page.mouse.click(box.x + box.width / 2, box.y + y);
      if ((await state(page)).body === "ring") at = [box.x + box.width / 2, box.y + y];
    }
    assert.ok(at, "the ring is somewhere");
    await until(page, (now) => now.simulation?.unanswered === 0 && now.simulation.state?.hand === null, "that it is let go");
    simulation.orders.length = 0;
    await page.mouse.move(...at);
    await page.mouse.down();
    await until(page, (now) => now.simulation?.state?.hand?.body === 1, "a hand");
    await page.mouse.move(at[0] + 60, at[1] - 80, { steps: 8 });
    await until(page, (now) => now.simulation?.unanswered === 0 && (now.simulation.state?.hand?.target[0] ?? 0) > 0.05, "a pull to the right");
    const { simulation: now } = await state(page);
    const target = now?.state?.hand?.target ?? [0, 0, 0];
    // Up and to the right in the plane of the screen, which is that of x and z.
    assert.ok(target[2] > 0.6, `${target}`);
    await page.mouse.up();
    await until(page, (later) => later.simulation?.state?.hand === null, "that it lets go");
    const types = simulation.orders.map(({ type }) => type);
    assert.deepEqual([types[0], types.at(-1), new Set(types.slice(1, -1))], ["grab", "drop", new Set(["drag"])]);
    // The floor has no mass.
    await page.mouse.move(box.x + 30, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 90, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    assert.equal(simulation.orders.length, types.length);
    clean(watched);
  });
});

test("a viewing client cannot act, and takes over when control is given up", async () => {
  await served(async (server, _, client) => {
    const [one, two] = [await client(), await client()];
    await one.page.getByRole("button", { name: "Play" }).click();
    await until(two.page, (now) => now.simulation?.state?.running === true, "that it runs");
    assert.match(await two.page.locator("#simulation-status").innerText(), /Client 1 is in control. You watch/);
    assert.ok(await two.page.locator("#play").isDisabled());
    await one.page.getByRole("button", { name: "Release control" }).click();
    await two.page.waitForFunction(() => !(document.querySelector("#play") as HTMLButtonElement).disabled);
    await two.page.locator("#play").click();
    await until(two.page, (now) => now.simulation?.inControl === true, "control");
    server.cut();
    await until(two.page, (now) => now.simulation?.status === "open", "a connection again");
    clean(one);
  });
});

test("a flexible body is drawn in the received shapes and cannot be dragged", async () => {
  await served(async (_, simulation, client) => {
    const watched = await client();
    const { page } = watched;
    const vertex = (): Promise<readonly number[] | null | undefined> => page.evaluate(() => window.chasles?.vertex(1, 0));
    // At (0.4, 0, 0) of its mesh, which begins at 1.1 m; numbers of 32 bits.
    const isAt = async (wanted: readonly number[]): Promise<void> => {
      const found = await vertex();
      assert.ok(found && wanted.every((place, axis) => Math.abs(place - (found[axis] ?? NaN)) < 1e-6), `${found} for ${wanted}`);
    };
    assert.equal(await page.locator("#summary").innerText(), "2 bodies, 1 with a mass");
    await isAt([0.4, 0, 1.1]);
    for (let step = 0; step < 20; step += 1) await page.locator("#canvas").press(".");
    await until(page, (now) => (now.simulation?.state?.time ?? 0) > 0.195 && now.simulation?.unanswered === 0, "20 steps");
    await isAt([1.2, 0, 3.1]);
    await page.getByRole("tab", { name: "Bodies" }).click();
    assert.deepEqual(await page.locator("[id^=bodies-row] .verdict").allInnerTexts(), ["stands", "flexible"]);
    // It is found where it is, and fills the picture with the floor.
    await page.getByRole("button", { name: "Front" }).click();
    await page.getByRole("button", { name: "Fit" }).click();
    await rest(page);
    const box = await page.locator("#canvas").boundingBox();
    assert.ok(box);
    for (let y = 0.04; y < 0.4 && (await state(page)).body !== "ring"; y += 0.01) await page.mouse.click(box.x + box.width / 2, box.y + y * box.height);
    assert.equal((await state(page)).body, "ring");
    assert.match(await page.locator("#announcer").innerText(), /ring/);
    assert.ok(!simulation.orders.some(({ type }) => type === "grab"));
    clean(watched);
  }, "flexible");
});
