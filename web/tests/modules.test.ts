// The structure of the sources: imports without circles, and a unique name for each type.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** Tests run in out/tests. */
const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url));

/** The sources by their paths below src. */
function sources(folder = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(join(SOURCES, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) for (const [name, text] of sources(path)) found.set(name, text);
    else if (path.endsWith(".ts")) found.set(path, readFileSync(join(SOURCES, path), "utf8"));
  }
  return found;
}

/** The modules that a text imports, for types too. */
function imports(path: string, text: string): string[] {
  const matches = text.matchAll(/^(?:import|export)\b[^;]*?\bfrom "(\.[^"]+\.ts)";/gm);
  return [...matches].map(([, name = ""]) => posix.join(dirname(path), name));
}

/** A circle of a graph, or null. */
function circleOf(graph: ReadonlyMap<string, Iterable<string>>): string[] | null {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): string[] | null => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return null;
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next);
      if (circle !== null) return circle;
    }
    path.pop();
    done.add(node);
    return null;
  };
  for (const node of graph.keys()) {
    const circle = visit(node);
    if (circle !== null) return circle;
  }
  return null;
}

/** The folder of a module, or the module itself at the top. */
const roomOf = (path: string): string => (path.includes("/") ? dirname(path) : path);

const files = sources();
const graph = new Map([...files].map(([path, text]) => [path, imports(path, text)]));

test("import cycles are found", () => {
  assert.deepEqual(circleOf(new Map([["a", ["b"]], ["b", ["c", "d"]], ["c", []], ["d", ["b"]]])), ["b", "d", "b"]);
  assert.equal(circleOf(new Map([["a", ["b", "c"]], ["b", ["c"]], ["c", []]])), null);
});

test("imports are found, and name files", () => {
  assert.ok(files.size > 80, `${files.size} files`);
  const named = [...graph.values()].flat();
  assert.ok(named.length > 300, `${named.length} imports`);
  assert.deepEqual(named.filter((path) => !files.has(path)), []);
});

test("files have no import cycle", () => {
  assert.equal(circleOf(graph), null);
});

test("folders have no import cycle", () => {
  const rooms = new Map<string, Set<string>>();
  for (const [path, list] of graph) {
    const room = rooms.get(roomOf(path)) ?? new Set();
    for (const other of list) if (roomOf(other) !== roomOf(path)) room.add(roomOf(other));
    rooms.set(roomOf(path), room);
  }
  assert.equal(circleOf(rooms), null);
});

test("type names are unique", () => {
  const places = new Map<string, string[]>();
  for (const [path, text] of files) {
    for (const [, name = ""] of text.matchAll(/^(?:export )?(?:abstract )?(?:class|interface|type|enum) (\w+)/gm)) {
      places.set(name, [...(places.get(name) ?? []), path]);
    }
  }
  assert.ok(places.size > 100, `${places.size} types`);
  assert.deepEqual([...places].filter(([, list]) => list.length > 1), []);
});
