// The page as the program serves it, and writes it: times, places and features are those of the report, and a robot stops where the
// formula says.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import type { Browser, Page, WebSocketRoute } from "playwright-core";

import { findingsOf, startTime } from "../src/document/report.ts";
import { blank, clean, closePages, inFolder, launch, once, open, pixels, state, until, untilScreen } from "./browser.ts";
import { expected, html, probed, recorded, report, screenHtml, suggested, viewed } from "./program.ts";

let browser: Browser;
before(async () => (browser = await launch()));
afterEach(closePages);
after(() => browser.close());

const SCENES = ["half-turn-gripper.toml", "figure1-edge-edge.toml", "round-dip.toml"];

/** Goes through all that happens, and holds the page to the report. */
async function walk(page: Page, args: string[]): Promise<void> {
  const told = report(...args);
  const list = findingsOf(told, told.duration);
  assert.ok(list.length > 0);
  for (const happening of list) {
    await page.keyboard.press("n");
    const { chosen, time } = await state(page);
    const pair = told.pairs[happening.pair];
    const interval = pair?.intervals?.[happening.index];
    assert.deepEqual([chosen?.a, chosen?.b, chosen?.kind], [pair?.a, pair?.b, happening.kind]);
    assert.deepEqual([chosen?.enter, chosen?.exit], [interval?.enter, interval?.exit]);
    assert.equal(time, startTime(told, happening));
    assert.deepEqual(chosen?.point, interval?.contact?.point);
    assert.deepEqual(chosen?.normal, interval?.contact?.normal);
    assert.deepEqual(chosen?.features.map(({ numbers }) => numbers), [interval?.contact?.a, interval?.contact?.b]);
    for (const { kind, numbers, triangles } of chosen?.features ?? []) {
      if (kind === "face") assert.deepEqual(triangles, numbers);
      else if (kind !== "round surface") assert.ok(triangles.length > 0, kind);
    }
    // The speed along the normal, from the keys that are drawn, is the one that the engine tells.
    const contact = interval?.contact;
    if (contact?.approach_speed !== undefined && !contact.touching) {
      const along = (chosen?.velocity ?? []).reduce((sum, v, axis) => sum + v * (contact.normal[axis] as number), 0);
      assert.ok(Math.abs(along - contact.approach_speed) < 1e-3 * Math.max(1, contact.approach_speed), `${along} and ${contact.approach_speed}`);
    }
    const enter = ((await page.locator("#enter").getAttribute("title")) ?? "").replaceAll("\u2212", "-");
    assert.ok(enter.startsWith(`[${interval?.enter[0]}, ${interval?.enter[1]}] s, `), enter);
  }
}

for (const scene of SCENES) {
  test(`${scene}: plays, scrubs, and shows what the report says`, async () => {
    await viewed([scene], async (address) => {
      const watched = await open(browser, address, undefined, new URL("/", address).href);
      const { page } = watched;
      await walk(page, [scene]);
      // So slow that no scene reaches its end before it is paused.
      await page.selectOption("select[aria-label=Speed]", "0.01");
      await page.locator(".slider").focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("Space");
      await until(page, ({ time }) => time > 0.005, "time runs");
      await page.keyboard.press("Space");
      assert.equal((await state(page)).playing, false);
      const box = await page.locator(".slider").boundingBox();
      assert.ok(box);
      const { time } = await state(page);
      await page.mouse.click(box.x + box.width - 60, box.y + 8);
      assert.ok((await state(page)).time > time);
      // The gap over time is worked out when it is asked for.
      await page.waitForFunction(() => document.querySelector(".plot figcaption")?.textContent === "Gap over time");
      clean(watched);
    });
  });
}

test("a file from disk is the same page and makes no request", () => inFolder(async (folder) => {
  const file = join(folder, "report.html");
  html(file, "half-turn-gripper.toml");
  const address = pathToFileURL(file).href;
  const watched = await open(browser, address);
  await walk(watched.page, ["half-turn-gripper.toml"]);
  assert.deepEqual(watched.requests.filter((request) => !/^(data|blob):/.test(request)), [address]);
  clean(watched);
}));

test("a recording is played with the impulses and energies of its lines", () => inFolder(async (folder) => {
  // Times that the field of the time shows with all their digits.
  const lines = recorded(folder, DROP).filter(({ t }) => Number(t.toFixed(5)) === t);
  await viewed([join(folder, "drop.jsonl")], async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const touched = lines.filter(({ contacts }) => contacts.length > 0);
    assert.ok(touched.length > 3);
    for (const { t, contacts, energy } of [lines[0], touched[0], touched.at(-1), lines.at(-1)].flatMap((line) => line ?? [])) {
      await page.getByLabel("Time in seconds").fill(String(t));
      await page.keyboard.press("Enter");
      const { recording } = await until(page, (now) => now.time === t, `${t} s`);
      const amounts = contacts.map(({ impulse }) => Math.hypot(...impulse)).sort((x, y) => y - x);
      assert.deepEqual([recording?.energy, recording?.impulses.map(({ magnitude }) => magnitude)], [energy, amounts]);
      assert.ok((recording?.arrows ?? -1) >= amounts.length);
    }
    clean(watched);
  });
}));

test("suggestions at a contact of keyframed bodies equal those of simulate --suggest", () => inFolder(async (folder) => {
  const [told] = suggested(folder, CARTS);
  assert.ok(told);
  await viewed([join(folder, "scene.toml")], async (address) => {
    const watched = await open(browser, address);
    await watched.page.keyboard.press("n");
    const { suggestion, time } = await until(watched.page, (now) => now.suggestion !== null, "a suggestion");
    assert.deepEqual([suggestion?.t, suggestion?.a, suggestion?.b, suggestion?.after], [told.t, told.a, told.b, [told.after.a.linear, told.after.b.linear]]);
    assert.ok(Math.abs(time - told.t) < 1e-6);
    assert.ok(suggestion?.impulse.every((amount, axis) => Math.abs(amount - (told.impulse[axis] ?? NaN)) < 1e-12));
    clean(watched);
  });
}));

test("a flexible body runs in the page, and falls", () => inFolder(async (folder) => {
  const file = join(folder, "jelly.toml");
  writeFileSync(file, JELLY);
  await viewed([file, "--simulate"], async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const heights = (): Promise<number[]> => page.evaluate(() => [0, 1, 2, 3, 4, 5, 6, 7].map((vertex) => window.chasles?.vertex(1, vertex)?.[2] ?? NaN));
    assert.ok(Math.abs(Math.min(...await heights()) - 0.3) < 1e-6, `${await heights()}`);
    await page.locator("#canvas").press(" ");
    // It lies on the table, in parts of a millimetre.
    await until(page, (now) => (now.simulation?.state?.time ?? 0) > 1, "a second");
    assert.ok(Math.abs(Math.min(...await heights())) < 1e-3 && Math.max(...await heights()) < 0.3, `${await heights()}`);
    clean(watched);
  });
}));

const CARTS = `format = 1
duration = 1.0
[[body]]
name = "cart"
box = [0.4, 0.2, 0.2]
mass = 3
release = "never"
elasticity = 0.5
motion = { kind = "twist", linear = [2, 0, 0], angular = [0, 0, 0] }
[[body]]
name = "crate"
box = [0.2, 0.2, 0.2]
mass = 1
release = "never"
elasticity = 0.5
pose = { position = [1.3, 0.05, 0] }
`;

const JELLY = `format = 1
duration = 2
[simulation]
gravity = [0, 0, -9.81]
[[body]]
name = "table"
box = [1, 1, 0.1]
pose = { position = [0, 0, -0.05] }
[[body]]
name = "jelly"
box = [0.2, 0.2, 0.2]
mass = 1
flexible = { stiffness = 500, damping = 0.1 }
pose = { position = [0, 0, 0.4] }
`;

const DROP = `format = 1
duration = 0.6
[simulation]
gravity = [0, 0, -9.81]
[[body]]
name = "floor"
box = [1, 1, 0.2]
pose = { position = [0, 0, -0.1] }
elasticity = 0.5
[[body]]
name = "ball"
sphere = 0.1
mass = 1.0
pose = { position = [0, 0, 0.3] }
`;

const ROBOT = ["robots/arm.urdf", "--world", "robots/wire.toml"];

test("a robot is jogged into a wire, and the move is refused at the value of the formula", async () => {
  const [first] = expected("arm-wire").pairs.flatMap(({ intervals }) => intervals.map(({ joints }) => joints?.["turn"] ?? Infinity)).sort((a, b) => a - b);
  assert.ok(first !== undefined && Number.isFinite(first));
  await viewed(ROBOT, async (address) => {
    const watched = await open(browser, address, undefined, new URL("/", address).href);
    const { page } = watched;
    await until(page, ({ jog }) => jog?.status === "open", "a connection");
    await page.getByRole("tab", { name: "Jog" }).click();
    await page.getByRole("button", { name: "Take control" }).click();
    await until(page, ({ jog }) => jog?.inControl === true, "control");
    await page.getByLabel("turn in degrees").fill("60");
    await page.keyboard.press("Enter");
    const { jog } = await until(page, (now) => now.jog?.refusal !== null, "a refusal");
    const told = Number(/^at turn ([\d.]+)\u00b0/.exec((await page.locator(".refused-at").textContent()) ?? "")?.[1]);
    assert.equal(told, Number(((first * 180) / Math.PI).toPrecision(6)));
    assert.ok((jog?.values[0] ?? 9) <= first && (jog?.values[0] ?? 0) > first - 1e-3);
    assert.match((await page.locator("#jog-refusal").textContent()) ?? "", /left would touch wire/);
    // Away from it is free.
    await once(page.getByLabel("turn: a step back"));
    await until(page, (now) => now.jog?.refusal === null, "a way back");
    clean(watched);
  });
});

test("a move to a configuration of the SRDF ends where the edge is blocked", async () => {
  const [first] = expected("arm-wire").pairs.flatMap(({ intervals }) => intervals.map(({ joints }) => joints?.["turn"] ?? Infinity)).sort((a, b) => a - b);
  assert.ok(first !== undefined && Number.isFinite(first));
  await inFolder(async (folder) => {
    const state = (name: string, turn: number): string => `<group_state name="${name}" group="arm"><joint name="turn" value="${turn}"/></group_state>`;
    writeFileSync(`${folder}/arm.srdf`, `<robot name="arm">${state("aside", -0.5)}${state("behind the wire", 1)}${state("nowhere", 9)}</robot>`);
    await viewed([...ROBOT, "--srdf", `${folder}/arm.srdf`], async (address) => {
      const watched = await open(browser, address, undefined, new URL("/", address).href);
      const { page } = watched;
      const at = (name: string) => page.getByRole("button", { name: `Go to the configuration ${name}`, exact: true });
      await until(page, ({ jog }) => jog?.status === "open", "a connection");
      await page.getByRole("button", { name: "Take control" }).click();
      await until(page, ({ jog }) => jog?.inControl === true, "control");
      assert.ok(await at("nowhere").isDisabled());
      assert.match((await at("nowhere").getAttribute("title")) ?? "", /arm\.srdf:1: .*beyond its limits/);
      await at("aside").click();
      await until(page, ({ jog }) => jog?.values[0] === -0.5, "a configuration");
      assert.equal(await at("aside").getAttribute("aria-pressed"), "true");
      await at("behind the wire").click();
      const { jog } = await until(page, (now) => now.jog?.refusal !== null, "a refusal");
      const told = Number(/^at turn ([\d.]+)\u00b0/.exec((await page.locator(".refused-at").textContent()) ?? "")?.[1]);
      assert.equal(told, Number(((first * 180) / Math.PI).toPrecision(6)));
      assert.ok((jog?.values[0] ?? 9) <= first && (jog?.values[0] ?? 0) > first - 1e-3);
      assert.equal(await at("behind the wire").getAttribute("aria-pressed"), "false");
      clean(watched);
    });
  });
});

test("a robot and a world that is jogged have the colours of their materials", () => inFolder(async (folder) => {
  const link = (name: string, material: string): string => `<link name="${name}"><visual><geometry><sphere radius="1"/></geometry>${material}</visual>`
    + `<collision><geometry><box size="1 1 1"/></geometry></collision></link>`;
  writeFileSync(`${folder}/two.urdf`, `<robot name="two">${link("a", '<material name="red"/>')}${link("b", '<material name="m"><color rgba="0 0 1 1"/></material>')}
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="2 0 0"/></joint>
    <material name="red"><color rgba="1 0 0 1"/></material></robot>`);
  const shape = (x: number, colour: string): string => `DEF B${x} Transform { translation ${x} 0 0 children Shape { appearance Appearance { material Material { diffuseColor ${colour} } } geometry Box { size 1 1 1 } } }`;
  writeFileSync(`${folder}/two.wrl`, `#VRML V2.0 utf8\n${shape(0, "1 0 0")}\n${shape(2, "0 0 1")}\n`);
  for (const file of [["two.urdf"], ["two.wrl", "--jog"]]) {
    await viewed([`${folder}/${file[0]}`, ...file.slice(1)], async (address) => {
      const watched = await open(browser, address, undefined, new URL("/", address).href);
      const { page } = watched;
      await page.getByRole("tab", { name: "Display" }).click();
      const seen = async (): Promise<number[]> => [await pixels(page, [205, 0, 0], 50), await pixels(page, [0, 0, 205], 50)];
      assert.deepEqual(await seen(), [0, 0]);
      await page.locator("#show-ownColours").check();
      const [red = 0, blue = 0] = await seen();
      assert.ok(red > 500 && blue > 500, `${file[0]}: ${red} and ${blue} pixels`);
      clean(watched);
    });
  }
}));

test("two clients see one robot; a lost connection resumes with control and record", async () => {
  await viewed(ROBOT, async (address) => {
    const origin = new URL("/", address).href;
    const other = await open(browser, address, undefined, origin);
    const page = await blank(browser);
    const routes: WebSocketRoute[] = [];
    await page.routeWebSocket(/\/jog$/, (route) => {
      route.connectToServer();
      // The page is cut off, and the server need not see it: what it keeps for a time only is tested there.
      route.onClose(() => undefined);
      routes.push(route);
    });
    await page.goto(address);
    await page.waitForFunction(() => window.chasles !== undefined);
    await page.getByRole("tab", { name: "Jog" }).click();
    await page.getByRole("button", { name: "Take control" }).click();
    await until(page, ({ jog }) => jog?.inControl === true, "control");
    await once(page.getByLabel("turn: a step back"));
    await until(other.page, ({ jog }) => (jog?.values[0] ?? 0) < 0, "the move of the other");
    assert.equal((await state(other.page)).jog?.inControl, false);
    const { jog: before } = await until(page, ({ jog }) => jog?.moves === 1, "a record");
    await routes[0]?.close();
    const { jog } = await until(page, (now) => now.jog?.hellos === 2 && now.jog.inControl, "control again");
    assert.equal(routes.length, 2);
    assert.deepEqual([jog?.values, jog?.moves], [before?.values, 1]);
    await once(page.getByLabel("turn: a step back"));
    await until(page, (now) => now.jog?.moves === 2, "another move");
    clean(other);
  });
});

test("the page of a screen that the program writes opens from a disk", () => inFolder(async (folder) => {
  for (const [scene, a, b, collisions, duration] of [["plug-in-socket.toml", "plug", "socket", 7, 1], ["bolt-in-nut.toml", "bolt", "nut", 0, 2]] as const) {
    const file = join(folder, `${a}.html`);
    screenHtml(file, scene, "--pair", a, b, "--play");
    const watched = await open(browser, pathToFileURL(file).href);
    const { page } = watched;
    const now = await untilScreen(page, ({ isIdle }) => isIdle, "both pictures");
    assert.equal(now.collisions, collisions);
    assert.ok(now.patches[0] > 1000 && now.patches[1] > 1000, String(now.patches));
    assert.equal(await page.locator("#name").innerText(), scene);
    if (collisions > 0) {
      await page.keyboard.press("n");
      const { line } = await untilScreen(page, ({ chosen }) => chosen === 0, "the first collision");
      assert.ok(line);
      // What is pointed at is as far away as the engine says of its flow line.
      for (const place of [[0, 0.001], [-0.001, 0], [0.002, -0.002]] as const) {
        const at = await page.evaluate((wanted) => window.chaslesScreen?.pixelOfPlace(wanted), place);
        assert.ok(at);
        await page.mouse.move(...at);
        const { line: pointed } = await untilScreen(page, ({ line }) => line?.from === "screen" && Math.abs(line.place[0] - place[0]) < 1e-4, `${place}`);
        assert.ok(pointed?.a && pointed.time !== null);
        const [time] = probed([pointed.a], scene, "--pair", a, b);
        // Of a piece: a sixtieth of the body.
        assert.ok(time !== null && time !== undefined && Math.abs(pointed.time * duration - time) < 0.05 * duration, `${pointed.time}, ${time}`);
      }
    }
    await page.getByRole("tab", { name: "Motion" }).click();
    assert.match(await page.locator(".play").innerText(), /Forward\s+[\d.]+.mm/);
    clean(watched);
  }
}));
