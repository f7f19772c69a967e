// All packages of the page run with the oldest Node that package.json allows. Debian has that one, and machines with a newer one
// would never tell.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

type Version = readonly [number, number, number];
interface Package { engines?: { node?: string } }

/** Tests run in out/tests. */
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"));

function version(text: string): Version {
  const match = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(text);
  assert.ok(match, `expected a version, found ${text}`);
  return [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)];
}

const before = (a: Version, b: Version): boolean => a[0] !== b[0] ? a[0] < b[0] : a[1] !== b[1] ? a[1] < b[1] : a[2] < b[2];

/** Whether a version is in a range such as `^18.1 || >=20`. */
function allows(range: string, node: Version): boolean {
  return range.split("||").map((part) => part.trim()).some((part) => {
    const match = /^(\^|>=)\s*(\S+)$/.exec(part);
    assert.ok(match, `expected ^VERSION or >=VERSION, found ${part}`);
    const least = version(match[2] as string);
    return !before(node, least) && (match[1] === ">=" || node[0] === least[0]);
  });
}

const lock = read("package-lock.json") as { packages: Record<string, Package> };
const oldest = version(((lock.packages[""] as Package).engines?.node ?? "").replace(">=", ""));

test("ranges of versions", () => {
  const range = "^18.2.0 || >=20.1";
  const inside = ["18.2.0", "18.20.4", "20.1.0", "22.0.0"].filter((text) => allows(range, version(text)));
  assert.deepEqual(inside, ["18.2.0", "18.20.4", "20.1.0", "22.0.0"]);
  const outside = ["17.9.9", "18.1.9", "19.5.0", "20.0.9"].filter((text) => allows(range, version(text)));
  assert.deepEqual(outside, []);
  assert.throws(() => allows("18.x", version("18.0.0")), /found 18\.x/);
});

test("every package runs with the oldest Node that the page is built with", () => {
  assert.deepEqual((read("package.json") as Package).engines, lock.packages[""]?.engines);
  const named = Object.entries(lock.packages).filter(([, { engines }]) => engines?.node !== undefined);
  assert.ok(named.length > 10, `${named.length} packages name a Node`);
  const refusing = named.filter(([, { engines }]) => !allows(engines?.node ?? "", oldest)).map(([name]) => name);
  assert.deepEqual(refusing, []);
});
