// Chromium with WebGL in software, and pages that are watched: an error, a warning of the policy or a request elsewhere fails the test.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { chromium, type Browser, type Locator, type Page } from "playwright-core";

import type { PageState } from "../src/api.ts";
import type { ScreenState } from "../src/screen/api.ts";

/** The page as it was built; tests run in out/tests. */
export const PAGE = fileURLToPath(new URL("../../dist/index.html", import.meta.url));

/** What takes longer than this, in milliseconds, hangs: tests wait for conditions, and machines that test are shared. */
export const PATIENCE = 180_000;

/** Any browser that Playwright can drive. Its watchdog would end graphics that a busy machine makes wait. */
export const launch = (): Promise<Browser> => chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-watchdog"],
  timeout: PATIENCE,
});

const opened = new Set<Page>();

/** A page that is patient. */
export async function blank(browser: Browser, size = { width: 1280, height: 720 }): Promise<Page> {
  const page = await browser.newPage({ viewport: size });
  page.setDefaultTimeout(PATIENCE);
  opened.add(page);
  return page;
}

/** Closes all pages: what is over takes no time from what comes next. */
export async function closePages(): Promise<void> {
  for (const page of opened) await page.close();
  opened.clear();
}

export interface Watched {
  page: Page;
  /** What went wrong so far. */
  faults: string[];
  /** Addresses that were asked for. */
  requests: string[];
}

/** The driver of the graphics tells that it is slow, as where a picture is read: no fault of the page. */
const SLOW = /GL Driver Message \(OpenGL, Performance,/;

/** Opens an address; all that is asked of the network must begin with `allowed`. */
export async function open(browser: Browser, address: string, size = { width: 1280, height: 720 }, allowed = address): Promise<Watched> {
  const page = await blank(browser, size);
  const [faults, requests]: [string[], string[]] = [[], []];
  page.on("console", (message) => {
    if ((message.type() === "error" || message.type() === "warning") && !SLOW.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    requests.push(request.url());
    const url = request.url();
    const socket = allowed.replace(/^http/, "ws");
    if (!url.startsWith(allowed) && !url.startsWith(socket) && !/^(data|blob):/.test(url)) faults.push(`asked for ${url}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => window.chasles !== undefined || window.chaslesScreen !== undefined);
  return { page, faults, requests };
}

export const state = (page: Page): Promise<PageState> => page.evaluate(() => (window.chasles as NonNullable<typeof window.chasles>).state());

/** Waits until the page's state is as wanted: what is wanted must stay so until somebody acts, or a look may come too late. */
export async function until(page: Page, wanted: (state: PageState) => boolean, what: string): Promise<PageState> {
  const begin = Date.now();
  for (;;) {
    const now = await state(page);
    if (wanted(now)) return now;
    assert.ok(Date.now() - begin < PATIENCE, `never came: ${what}; ${JSON.stringify(now)}`);
    await page.waitForTimeout(25);
  }
}

/** Waits until the page of a screen is as wanted. */
export async function untilScreen(page: Page, wanted: (state: ScreenState) => boolean, what: string): Promise<ScreenState> {
  const begin = Date.now();
  for (;;) {
    const now = await page.evaluate(() => (window.chaslesScreen as NonNullable<typeof window.chaslesScreen>).state());
    if (wanted(now)) return now;
    assert.ok(Date.now() - begin < PATIENCE, `never came: ${what}; ${JSON.stringify(now)}`);
    await page.waitForTimeout(25);
  }
}

/** Waits until the picture shows all there is to show: changes are drawn, the camera stands, no pixel is left out. */
export async function rest(page: Page): Promise<void> {
  await until(page, ({ frames }) => frames?.isIdle === true, "a picture at rest");
  // What was drawn is on the screen with the next frame.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** The picture as it is seen, a PNG file. */
export async function picture(page: Page): Promise<Buffer> {
  await rest(page);
  return page.locator("#canvas").screenshot({ animations: "disabled" });
}

/** Presses a button once, by the keyboard: by the mouse it may be held for so long, on a busy machine, that it goes on. */
export async function once(button: Locator): Promise<void> {
  // Waits until it can be pressed.
  await button.click({ trial: true });
  await button.press("Enter");
}

export function clean({ faults }: Watched): void {
  assert.deepEqual(faults, []);
}

/** The page with a document in it, as a file of its own; `run` is given its address. */
export async function withFile(document: object, run: (address: string) => Promise<void>, element = "chasles-playback"): Promise<void> {
  await inFolder(async (folder) => {
    const text = JSON.stringify(document).replaceAll("<", "\\u003c");
    const file = join(folder, "page.html");
    const data = `<script id="${element}" type="application/json">${text}</script>`;
    writeFileSync(file, readFileSync(PAGE, "utf8").replace("</head>", () => `${data}</head>`));
    await run(pathToFileURL(file).href);
  });
}

/** A folder of its own for as long as `run` takes. */
export async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "chasles-page-"));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How many pixels of the picture are close to a colour. */
export async function pixels(page: Page, colour: readonly [number, number, number], within: number): Promise<number> {
  const shot = await picture(page);
  return page.evaluate(async ([data, [r, g, b], most]) => {
    const image = new Image();
    image.src = data;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    context.drawImage(image, 0, 0);
    const { data: bytes } = context.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < bytes.length; at += 4) {
      const away = Math.max(Math.abs((bytes[at] as number) - r), Math.abs((bytes[at + 1] as number) - g), Math.abs((bytes[at + 2] as number) - b));
      if (away <= most) count += 1;
    }
    return count;
  }, [`data:image/png;base64,${shot.toString("base64")}`, colour, within] as const);
}
