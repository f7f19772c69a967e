// The page in a browser, on documents that were made for it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";

import type { Browser } from "playwright-core";

import { blank, clean, closePages, launch, open, picture, pixels, rest, state, until, withFile } from "./browser.ts";
import { large, plate, swing } from "./mock/documents.ts";

let browser: Browser;
before(async () => (browser = await launch()));
afterEach(closePages);
after(() => browser.close());

test("the page plays, scrubs, steps and stops at the end", async () => {
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    await page.selectOption("select[aria-label=Speed]", "5");
    await page.keyboard.press("Space");
    await until(page, ({ time }) => time > 0.2, "time runs");
    // It stops where a contact begins, and shows it; nearness is passed by. From there it goes on.
    await until(page, ({ playing, time }) => !playing && time === 0.9500000000001, "it stops at the contact");
    assert.equal((await state(page)).chosen?.kind, "contact");
    await page.keyboard.press("Space");
    await until(page, ({ playing, time }) => !playing && time === 2, "it stops at the end");
    await page.locator(".slider").focus();
    await page.keyboard.press("Home");
    assert.equal((await state(page)).time, 0);
    await page.keyboard.press("ArrowRight");
    assert.ok(Math.abs((await state(page)).time - 0.02) < 1e-12);
    await page.keyboard.press("Shift+ArrowLeft");
    assert.ok(Math.abs((await state(page)).time - 0.018) < 1e-12);
    const box = await page.locator(".slider").boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 300, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + 700, box.y + 8, { steps: 5 });
    await page.mouse.up();
    const { time } = await state(page);
    const expected = (2 * (700 - 176)) / (box.width - 176 - 12);
    assert.ok(Math.abs(time - expected) < 1e-9, `${time} and ${expected}`);
    await page.fill("input.time", "1.25");
    await page.keyboard.press("Enter");
    assert.equal((await state(page)).time, 1.25);
    clean(watched);
  });
});

test("the summary has the warnings", async () => {
  for (const [warnings, shown] of [[["a is odd"], "; warning: a is odd"], [["a is odd", "b is even"], "; 2 warnings"]] as const) {
    const made = swing();
    made.report = { ...(made.report as object), warnings };
    await withFile(made, async (address) => {
      const watched = await open(browser, address);
      const summary = watched.page.locator("#summary");
      assert.ok((await summary.innerText()).endsWith(shown), await summary.innerText());
      assert.equal(await summary.getAttribute("title"), warnings.map((warning) => `Warning: ${warning}`).join("\n"));
      clean(watched);
    });
  }
});

test("the page steps from contact to contact, with the numbers of the report", async () => {
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    await page.keyboard.press("n");
    assert.equal((await state(page)).chosen?.kind, "near");
    await page.keyboard.press("n");
    const { chosen, time, body } = await state(page);
    assert.deepEqual(chosen?.enter, [0.9499999999999, 0.9500000000001]);
    assert.equal(time, 0.9500000000001);
    assert.equal(body, "cube");
    assert.deepEqual(chosen?.features.map(({ kind, numbers }) => [kind, numbers]), [["vertex", [1]], ["face", [8]]]);
    assert.deepEqual(chosen?.velocity?.map((v) => Math.round(v * 1e9) / 1e9), [2, 0, 0]);
    // Six digits, and all of them where the pointer rests.
    assert.equal(await page.locator("#enter").innerText(), "950\u202fms");
    assert.match((await page.locator("#enter").getAttribute("title")) ?? "", /^\[0\.9499999999999, 0\.9500000000001\] s, [\d.]+e-13\u202fs wide$/);
    assert.match(await page.locator(".detail").first().innerText(), /Approach\s+2\s?m\/s/);
    await page.keyboard.press("n");
    assert.equal((await state(page)).chosen?.kind, "undecided");
    assert.match(await page.locator(".detail").first().innerText(), /budget: the allowed steps/);
    await page.keyboard.press("p");
    await page.keyboard.press("p");
    assert.equal((await state(page)).chosen?.kind, "near");
    clean(watched);
  });
});

test("keys work with any focus, and elements that need a key keep it", async () => {
  const made = plate();
  // A contact from the very begin.
  const pairs = (made.report as { pairs: { intervals?: { enter: [number, number] }[] }[] }).pairs;
  pairs[1]?.intervals?.forEach((interval) => (interval.enter = [0, 0]));
  await withFile(made, async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const paused = async (): Promise<boolean> => {
      const { playing } = await state(page);
      if (playing) await page.keyboard.press("Space");
      return !(await state(page)).playing;
    };
    await page.keyboard.press("n");
    assert.equal((await state(page)).chosen?.b, "pole");
    assert.equal((await state(page)).time, 0);
    await page.selectOption("select[aria-label=Speed]", "0.01");
    const loop = page.getByRole("button", { name: "Repeat" });
    const isLoop = async (): Promise<boolean> => (await loop.getAttribute("aria-pressed")) === "true";
    // After a click on a button, a tab, a list's head or a choice, space plays and letters are what they always are.
    const display = page.getByRole("tab", { name: "Display" });
    for (const press of [loop, page.getByRole("button", { name: "Pairs 3" }), display, page.locator("#show-ghosts")]) {
      await press.click();
      const loops = await isLoop();
      await page.keyboard.press("Space");
      assert.ok((await state(page)).playing, String(press));
      assert.ok(await paused());
      assert.equal(await isLoop(), loops);
      await page.keyboard.press("Home");
      assert.equal((await state(page)).time, 0);
      await page.keyboard.press("n");
      assert.ok((await state(page)).chosen !== null);
      await page.keyboard.press("Escape");
    }
    for (const label of ["Speed", "Across which axis"]) {
      await page.getByLabel(label).focus();
      await page.keyboard.press("n");
      assert.ok((await state(page)).chosen !== null, label);
      await page.keyboard.press("Space");
      assert.ok((await state(page)).playing, label);
      assert.ok(await paused());
      await page.keyboard.press("Escape");
      await page.keyboard.press("Home");
    }
    // A slider keeps the arrows, a field of text keeps all.
    const slider = page.getByLabel("Where the section cuts");
    await slider.focus();
    const [{ time }, cut] = [await state(page), await slider.inputValue()];
    await page.keyboard.press("ArrowRight");
    assert.equal((await state(page)).time, time);
    assert.notEqual(await slider.inputValue(), cut);
    await page.keyboard.press("n");
    assert.ok((await state(page)).chosen !== null);
    await page.keyboard.press("Escape");
    await page.getByLabel("Time in seconds").focus();
    await page.keyboard.press("n");
    assert.equal((await state(page)).chosen, null);
    // A button that was reached with the Tab key is pressed by space.
    await page.getByLabel("Speed").focus();
    await page.keyboard.press("Tab");
    const loops = await isLoop();
    await page.keyboard.press("Space");
    assert.equal(await isLoop(), !loops);
    assert.ok(!(await state(page)).playing);
    clean(watched);
  });
});

test("lists are sorted by their headings and operated by keyboard", async () => {
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const rows = (): Promise<string[]> => page.locator("[role=listbox][aria-label=Contacts] [role=option] .pair").allTextContents();
    assert.deepEqual(await rows(), ["cube \u2013 pole", "cube \u2013 plate", "plate \u2013 pole"]);
    await page.getByRole("button", { name: /^Time/ }).click();
    assert.deepEqual(await rows(), ["plate \u2013 pole", "cube \u2013 plate", "cube \u2013 pole"]);
    await page.getByRole("button", { name: /^Lasts/ }).click();
    assert.equal((await rows())[0], "plate \u2013 pole");
    await page.locator("[role=listbox][aria-label=Contacts]").focus();
    await page.keyboard.press("ArrowDown");
    assert.deepEqual((await state(page)).chosen?.a, "plate");
    await page.getByRole("button", { name: "Pairs 3" }).click();
    await page.getByRole("button", { name: /^Verdict/ }).click();
    assert.equal(await page.locator("[aria-label=Pairs] [role=option] .verdict").first().innerText(), "contact");
    clean(watched);
  });
});

test("both names of a pair are readable at any length", async () => {
  const long = (name: string): string => `assembly/station_4/${name}_with_a_long_name/collision_of_${name}_0`;
  const text = JSON.stringify(plate()).replace(/"(cube|plate|pole)"/g, (_, name: string) => JSON.stringify(long(name)));
  await withFile(JSON.parse(text) as object, async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    for (const list of ["Contacts", "Pairs"]) {
      await page.getByRole("button", { name: `${list} 3` }).click();
      const told = await page.evaluate((label) => [...document.querySelectorAll(`[aria-label=${label}] .row .pair`)].map((cell) => {
        const box = cell.getBoundingClientRect();
        const shown = [...cell.querySelectorAll(".name")].map((name) => {
          const ends = [".start", ".end"].map((part) => (name.querySelector(part) as HTMLElement).getBoundingClientRect());
          return { title: (name as HTMLElement).title, widths: ends.map(({ width }) => width), inside: ends.every(({ left, right }) => left >= box.left && right <= box.right + 0.5) };
        });
        return { title: (cell as HTMLElement).title, shown };
      }), list);
      assert.equal(told.length, 3);
      for (const { title, shown } of told) {
        assert.equal(shown.length, 2);
        assert.equal(title, shown.map((name) => name.title).join(" \u2013 "));
        for (const { widths, inside } of shown) assert.ok(inside && widths.every((width) => width > 12), `${widths} of ${title}`);
      }
    }
    clean(watched);
  });
});

test("a contact is drawn: both bodies, its point and its features", async () => {
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const contact = [213, 94, 0] as const;
    assert.equal(await pixels(page, contact, 12), 0);
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    assert.ok((await pixels(page, contact, 12)) > 150, "the mark of the contact");
    await page.keyboard.press("Escape");
    clean(watched);
  });
});

test("bodies in contact at the shown time are coloured, selected or not", async () => {
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const seek = async (time: string): Promise<void> => {
      await page.fill("input.time", time);
      await page.keyboard.press("Enter");
      await page.locator("canvas").first().focus();
    };
    const touching = async (): Promise<readonly string[]> => (await state(page)).touching;
    assert.deepEqual(await touching(), []);
    await seek("1.25");
    assert.deepEqual((await state(page)).chosen, null);
    assert.deepEqual(await touching(), ["cube", "plate"]);
    const shaded = [196, 91, 9] as const;
    const coloured = await pixels(page, shaded, 40);
    assert.ok(coloured > 2000, `the cube and the plate, ${coloured} pixels`);
    // Near the pole, and past the plate.
    for (const time of ["0.8", "1.7"]) {
      await seek(time);
      assert.deepEqual(await touching(), []);
      assert.ok((await pixels(page, shaded, 40)) < coloured / 20, time);
    }
    clean(watched);
  });
});

test("playing continues through contacts on request", async () => {
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    await page.getByRole("tab", { name: "Display" }).click();
    await page.locator("#show-stops").uncheck();
    await page.selectOption("select[aria-label=Speed]", "5");
    await page.keyboard.press("Escape");
    await page.locator("[aria-label=Play]").click();
    await until(page, ({ playing, time }) => !playing && time === 2, "it stops at the end");
    assert.equal((await state(page)).chosen, null);
    clean(watched);
  });
});

test("switches, section, camera and theme", async () => {
  await withFile(swing(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const shots = [(await picture(page)).toString("base64")];
    for (const key of ["w", "w", "e", "e", "b", "x", "g", "3", "6", "d"]) {
      await page.keyboard.press(key);
      shots.push((await picture(page)).toString("base64"));
    }
    // Pressed twice, a switch is back where it was; every other picture is one of its own.
    assert.deepEqual([shots[2] === shots[0], shots[4] === shots[0]], [true, true]);
    assert.equal(new Set(shots).size, shots.length - 2);
    assert.equal(await page.evaluate(() => document.documentElement.dataset["look"]), "dark");
    await page.getByRole("tab", { name: "Display" }).click();
    for (const id of ["boxes", "ghosts", "section"]) assert.ok(await page.locator(`#show-${id}`).isChecked(), id);
    await page.locator("#show-cells").check();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the picture" }).click()]);
    assert.equal(download.suggestedFilename(), "swing-0.00000s.png");
    assert.ok(readFileSync((await download.path()) ?? "").subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1")));
    await page.getByRole("button", { name: "Keys" }).click();
    await page.getByRole("button", { name: "Close" }).click();
    clean(watched);
  });
});

test("a scene with y up is shown upright, and the up axis can be changed", async () => {
  await withFile({ ...plate(), up: "y" }, async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const axes = async (): Promise<number[][]> => {
      await rest(page);
      return (await state(page)).axes.map((axis) => axis.map((part) => Math.round(part * 1e3) / 1e3 + 0));
    };
    const upright = ([x, y, z]: number[][], up: "y" | "z"): void => {
      // What is up has no part to the right, and more upward than the others.
      const [of, others] = up === "y" ? [y, [x, z]] : [z, [x, y]];
      assert.ok(Math.abs(of?.[0] ?? 1) < 1e-3 && (of?.[1] ?? 0) > 0.5, `${up}: ${JSON.stringify([x, y, z])}`);
      for (const other of others) assert.ok(Math.abs(other?.[1] ?? 1) < (of?.[1] ?? 0));
    };
    assert.equal((await state(page)).up, "y");
    upright(await axes(), "y");
    await page.keyboard.press("2");
    // From the front: x to the right, y up, z towards the eye.
    const front = await axes();
    assert.ok((front[0]?.[0] ?? 0) > 0.99 && (front[1]?.[1] ?? 0) > 0.99 && (front[2]?.[2] ?? 0) > 0.99, JSON.stringify(front));
    await page.keyboard.press("6");
    const above = await axes();
    assert.ok((above[0]?.[0] ?? 0) > 0.99 && (above[1]?.[2] ?? 0) > 0.99 && (above[2]?.[1] ?? 0) < -0.99, JSON.stringify(above));
    await page.keyboard.press("1");
    await page.locator("#canvas").focus();
    for (const key of ["ArrowLeft", "ArrowUp", "ArrowUp", "ArrowRight"]) await page.keyboard.press(key);
    upright(await axes(), "y");
    const before = await picture(page);
    await page.getByRole("tab", { name: "Display" }).click();
    await page.getByLabel("Up axis").selectOption("z");
    assert.equal((await state(page)).up, "z");
    upright(await axes(), "z");
    assert.ok(!(await picture(page)).equals(before));
    await page.keyboard.press("2");
    const again = await axes();
    assert.ok((again[0]?.[0] ?? 0) > 0.99 && (again[2]?.[1] ?? 0) > 0.99, JSON.stringify(again));
    clean(watched);
  });
});

test("the lists are made wider by dragging their edge or by keys, and stay so", async () => {
  await withFile(plate(), async (address) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
    try {
      const page = await context.newPage();
      const load = async (): Promise<void> => {
        await page.goto(address);
        await page.waitForFunction(() => window.chasles !== undefined);
      };
      const wide = async (): Promise<number> => (await page.locator("#panel").boundingBox())?.width ?? 0;
      await load();
      assert.equal(await wide(), 356);
      const drag = async (by: number): Promise<void> => {
        const box = await page.locator("#divider").boundingBox();
        assert.ok(box);
        await page.mouse.move(box.x + box.width / 2, box.y + 200);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width / 2 - by, box.y + 230, { steps: 4 });
        await page.mouse.up();
      };
      await drag(180);
      assert.equal(await wide(), 536);
      await page.locator("#divider").focus();
      await page.keyboard.press("ArrowRight");
      assert.equal(await wide(), 512);
      await load();
      assert.equal(await wide(), 512);
      // The picture keeps some room, the panel too.
      await drag(5000);
      assert.equal(await wide(), 960);
      await page.setViewportSize({ width: 1000, height: 720 });
      assert.equal(await wide(), 680);
      await drag(-5000);
      assert.equal(await wide(), 280);
      await page.locator("#divider").dblclick();
      assert.equal(await wide(), 356);
    } finally {
      await context.close();
    }
  });
});

test("the axes in the corner rotate with the camera and have letters", async () => {
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const axes = async (): Promise<number[][]> => {
      await rest(page);
      return (await state(page)).axes.map((axis) => axis.map((part) => Math.round(part * 1e3) / 1e3 + 0));
    };
    const corner = async (): Promise<string> => {
      await rest(page);
      return (await page.locator("#triad").screenshot()).toString("base64");
    };
    const seen = new Set<string>();
    // From the front, the left, and above: which of the axes point to the right, upward and out of the picture.
    for (const [key, right, up, out] of [["2", 0, 2, -1], ["4", -1, 2, -0], ["6", 0, 1, 2]] as const) {
      await page.keyboard.press(key);
      const found = await axes();
      if (right >= 0) assert.ok((found[right]?.[0] ?? 0) > 0.99, `${key}: ${JSON.stringify(found)}`);
      assert.ok((found[up]?.[1] ?? 0) > 0.99, `${key}: ${JSON.stringify(found)}`);
      if (out > 0) assert.ok((found[out]?.[2] ?? 0) > 0.99, `${key}: ${JSON.stringify(found)}`);
      seen.add(await corner());
    }
    assert.equal(seen.size, 3);
    clean(watched);
  });
});

test("a section fills closed bodies, and its position can be typed", async () => {
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    await page.getByRole("tab", { name: "Display" }).click();
    await page.getByLabel("Across which axis").selectOption("y");
    const place = page.locator("#section-place");
    // Through the middle of the cube and the plate, in front of the pole: from the front all of both cuts is seen.
    await place.fill("0.1 m");
    await place.press("Enter");
    await page.getByRole("button", { name: "Other side" }).click();
    await page.locator("#show-edges").uncheck();
    await page.locator("#canvas").focus();
    await page.keyboard.press("2");
    const { caps } = await state(page);
    assert.equal(caps, 3);
    assert.equal(await place.inputValue(), "0.1");
    // A cap has one tone, that of its body, darker: #93a1b3 and #b9bec6.
    const [moves, stands] = [await pixels(page, [118, 129, 143], 2), await pixels(page, [148, 152, 158], 2)];
    assert.ok(moves > 2000 && stands > 700, `${moves} and ${stands} pixels`);
    // The cube is as wide as high, and the plate a tenth as wide as high.
    assert.ok(moves / stands > 2 && moves / stands < 3, `${moves} and ${stands} pixels`);
    await place.fill("-0.9");
    await place.press("Enter");
    assert.equal(await place.inputValue(), "\u22120.9");
    assert.ok((await pixels(page, [118, 129, 143], 2)) < 50);
    await place.fill("nowhere");
    await place.press("Enter");
    assert.equal(await place.inputValue(), "\u22120.9");
    clean(watched);
  });
});

test("the colours of the file can be switched on", async () => {
  const made = plate();
  Object.assign(made.bodies[0] as object, { colours: [[6, "#ff0000"], [6, "#00ff00"]] });
  Object.assign(made.bodies[1] as object, { colours: [[12, "#0000ff"]] });
  await withFile(made, async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const seen = async (): Promise<number[]> => {
      const found = [];
      for (const colour of [[205, 0, 0], [0, 205, 0], [0, 0, 205]] as const) found.push(await pixels(page, colour, 50));
      return found;
    };
    assert.deepEqual(await seen(), [0, 0, 0]);
    await page.getByRole("tab", { name: "Display" }).click();
    await page.locator("#show-ownColours").check();
    const [red, green, blue] = await seen();
    assert.ok((red ?? 0) > 500 && (green ?? 0) > 500 && (blue ?? 0) > 500, `${red} ${green} ${blue}`);
    // A contact has its colours all the same.
    await page.locator("#canvas").focus();
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    const [, none, nothing] = await seen();
    assert.ok((none ?? 1) < 50 && (nothing ?? 1) < 50, `${none} ${nothing}`);
    await page.keyboard.press("Escape");
    await page.locator("#show-ownColours").uncheck();
    assert.deepEqual(await seen(), [0, 0, 0]);
    clean(watched);
  });
});

test("two points are measured, and the path of a point is drawn", async () => {
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    // From the front the plate's narrow side is seen; from the left its face and, before it, the cube's.
    await page.keyboard.press("4");
    await rest(page);
    const box = await page.locator("#canvas").boundingBox();
    assert.ok(box);
    await page.keyboard.press("m");
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.click(box.x + box.width / 2 + 40, box.y + box.height / 2);
    const { measured } = await state(page);
    assert.equal(measured.length, 2);
    // Both on the cube's face x = -2.5.
    for (const point of measured) assert.ok(Math.abs((point[0] as number) + 2.5) < 1e-6, `${point}`);
    assert.match(await page.locator("#readout").innerText(), /mm|m/);
    await page.keyboard.press("t");
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.equal((await state(page)).traced, "cube");
    clean(watched);
  });
});

test("without WebGL the lists still work, and the page says why there is no picture", async () => {
  const page = await blank(browser);
  await page.addInitScript(() => {
    const get = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function context(this: HTMLCanvasElement, kind: string, ...rest: unknown[]) {
      return kind.startsWith("webgl") ? null : (get as (...all: unknown[]) => unknown).call(this, kind, ...rest);
    } as typeof get;
  });
  await withFile(plate(), async (address) => {
    await page.goto(address);
    await page.waitForFunction(() => window.chasles !== undefined);
    assert.match(await page.locator("#no-picture").innerText(), /no WebGL/);
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    assert.equal((await state(page)).chosen?.b, "plate");
    assert.equal((await state(page)).frames, null);
  });
});

test("a bad document gives a message that names the bad part", async () => {
  const page = await blank(browser);
  await withFile({ ...plate(), end: -3 }, async (address) => {
    await page.goto(address);
    await page.waitForFunction(() => document.body.classList.contains("failed"));
    assert.match(await page.locator("#no-picture").innerText(), /runs from 0 to -3/);
  });
});

test("on a phone nothing is wider than the screen", async () => {
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address, { width: 390, height: 844 });
    const { page } = watched;
    await page.keyboard.press("n");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390));
    for (const name of ["Contacts", "Bodies", "Display"]) {
      await page.getByRole("tab", { name }).click();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), name);
    }
    clean(watched);
  });
});

test("every control has a name and can be reached by keyboard", async () => {
  await withFile(plate(), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, [role=slider], [role=listbox]")]
      .filter((each) => {
        const label = each.getAttribute("aria-label") ?? (each as HTMLInputElement).labels?.[0]?.textContent ?? each.textContent ?? "";
        return label.trim() === "";
      }).map((each) => each.outerHTML));
    assert.deepEqual(nameless, []);
    assert.equal(await page.evaluate(() => document.querySelectorAll("[style]").length > 0 && [...document.querySelectorAll("[style]")].some((each) => each.closest("head") !== null)), false);
    const reached = new Set<string>();
    for (let press = 0; press < 45; press += 1) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement?.id || document.activeElement?.getAttribute("aria-label") || document.activeElement?.textContent || ""));
    }
    for (const name of ["canvas", "play", "Time", "Next contact", "Contacts"]) assert.ok(reached.has(name), `${name} of ${[...reached].join(", ")}`);
    clean(watched);
  });
});

test("two hundred thousand triangles in fifty bodies with ten thousand keys are fast enough", async () => {
  await withFile(large(10_000), async (address) => {
    const watched = await open(browser, address);
    const { page } = watched;
    const loaded = await page.evaluate(() => window.chasles?.loaded ?? Infinity);
    const { triangles, bodies } = await state(page);
    assert.deepEqual([triangles, bodies], [200_000, 50]);
    const scrub = await page.evaluate(async () => {
      const slider = document.querySelector(".slider") as HTMLElement;
      const box = slider.getBoundingClientRect();
      const times: number[] = [];
      slider.dispatchEvent(new PointerEvent("pointerdown", { clientX: box.left + 200, clientY: box.top + 5, button: 0, buttons: 1, pointerId: 1, bubbles: true }));
      for (let i = 0; i < 40; i += 1) {
        const begin = performance.now();
        slider.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + 200 + i * 20, clientY: box.top + 5, movementX: 20, buttons: 1, pointerId: 1, bubbles: true }));
        times.push(performance.now() - begin);
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return Math.max(...times);
    }).catch((error: Error) => assert.fail(error.message));
    await page.keyboard.press("Home");
    await page.getByRole("tab", { name: "Display" }).click();
    await page.locator("#show-stops").uncheck();
    await page.keyboard.press("Escape");
    await rest(page);
    const before = (await state(page)).frames?.frames ?? 0;
    const begin = Date.now();
    await page.locator("[aria-label=Play]").click();
    const { time, frames } = await until(page, (now) => (now.frames?.frames ?? 0) >= before + 40, "forty pictures");
    const fps = ((frames?.frames ?? 0) - before) / ((Date.now() - begin) / 1000);
    assert.ok(time > 0);
    console.log(`loaded in ${loaded.toFixed(2)} s, ${fps.toFixed(1)} pictures a second, slowest step of a scrub ${scrub.toFixed(1)} ms`);
    // How fast is told, not asked: machines that test are shared.
    assert.ok(Number.isFinite(loaded) && fps > 0 && scrub > 0);
    clean(watched);
  });
});
