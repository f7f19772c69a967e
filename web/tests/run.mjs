// Runs the tests: `npm test` all of them, `npm test -- unit` those without a browser, or those whose names hold a word.
//
// Those with a browser take Debian's chromium, or the one that CHROMIUM names; those with the real server take the program that
// CHASLES names, and are left out, with a word about it, where it names none.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../out/tests");
const word = process.argv[2] ?? "";

const wanted = (name) => word === "" || (word === "unit" ? name.endsWith(".test.ts") : name.includes(word));
let tests = readdirSync(here).filter((name) => /\.(test|spec)\.ts$/.test(name) && wanted(name));
if (process.env.CHASLES === undefined && tests.some((name) => name.startsWith("program"))) {
  console.log("CHASLES names no program: what needs the real server is left out");
  tests = tests.filter((name) => !name.startsWith("program"));
}
if (tests.length === 0) {
  console.error(`no tests are named ${word}`);
  process.exit(2);
}
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
  entryPoints: tests.map((name) => join(here, name)), outdir: out, outExtension: { ".js": ".mjs" },
  bundle: true, platform: "node", format: "esm", target: "node18", external: ["playwright-core", "esbuild"], logLevel: "warning",
});
if (tests.some((name) => name.endsWith(".spec.ts")) && process.env.CHASLES_PAGE_BUILT === undefined) {
  const built = spawnSync(process.execPath, [join(here, "../node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"], { cwd: join(here, ".."), stdio: "inherit" });
  if (built.status !== 0) process.exit(built.status ?? 1);
}
const files = readdirSync(out).filter((name) => name.endsWith(".mjs")).map((name) => join(out, name));
// One at a time, on any number of processors: each browser draws in software.
const failed = files.filter((file) => spawnSync(process.execPath, ["--test", file], { stdio: "inherit" }).status !== 0);
process.exit(failed.length > 0 ? 1 : 0);
