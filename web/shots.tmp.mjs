import { chromium } from "playwright-core";
import { readFileSync, writeFileSync } from "node:fs";
const names = process.argv.slice(2);
const page0 = readFileSync("/tmp/wt-page/web/dist/index.html", "utf8");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-watchdog"] });
for (const spec of names) {
  const [name, act = "", size = "1440x810"] = spec.split(":");
  const html = readFileSync(`/tmp/pg/${name}.html`, "utf8");
  const m = /<script id="chasles-screen"[^]*?<\/script>/.exec(html);
  writeFileSync(`/tmp/pg/${name}.view.html`, page0.replace("</head>", () => m[0] + "</head>"));
  const [width, height] = size.split("x").map(Number);
  const page = await browser.newPage({ viewport: { width, height } });
  page.on("console", (x) => { if (!/GL Driver/.test(x.text())) console.log(name, x.type(), x.text()); });
  page.on("pageerror", (e) => console.log(name, "ERROR", e.stack));
  const begin = Date.now();
  await page.goto(`file:///tmp/pg/${name}.view.html`, { timeout: 120000 });
  await page.waitForFunction(() => window.chaslesScreen !== undefined, null, { timeout: 60000 });
  console.log(name, "open", Date.now() - begin, "ms", JSON.stringify(await page.evaluate(() => window.chaslesScreen.state())));
  if (act.includes("c")) await page.locator("[role=option]").first().click();
  if (act.includes("d")) await page.keyboard.press("d");
  if (act.includes("m")) await page.getByRole("tab", { name: "Motion" }).click();
  if (act.includes("x")) await page.keyboard.press("m");
  if (act.includes("s")) { const b = await page.locator("#screen-canvas").boundingBox(); await page.mouse.move(b.x + b.width * 0.5, b.y + b.height * 0.45); }
  if (act.includes("v")) { const b = await page.locator("#canvas").boundingBox(); let t; for (const [fx, fy] of [[0.5,0.5],[0.4,0.5],[0.6,0.5],[0.5,0.4],[0.5,0.6],[0.35,0.4],[0.6,0.35],[0.3,0.5],[0.7,0.5]]) { await page.mouse.move(b.x + b.width * fx, b.y + b.height * fy); await page.waitForTimeout(150); t = await page.evaluate(() => window.chaslesScreen.state().line?.time); if (t > 0) break; } }
  await page.waitForFunction(() => window.chaslesScreen.state().resting);
  await page.waitForTimeout(300);
  await page.screenshot({ path: `/tmp/pg/${name}${act ? "-" + act : ""}${spec.split(":")[2] ? "-n" : ""}.png` });
  await page.close();
}
await browser.close();
