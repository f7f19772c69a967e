// The side panel of the screen page: the collisions, details of the chosen one, and the motion with its free play (how
// far A moves in each direction until it collides).

import { button, element, addFact, fill } from "../elements/dom.ts";
import * as format from "../elements/format.ts";
import { Table } from "../panels/table.ts";
import type { Collision, FreePlay } from "./document.ts";
import { timeText } from "./scale.ts";
import type { ScreenApp } from "./state.ts";

const SYMBOLS = { "vertex-face": "\u25b2", "face-vertex": "\u25bc", "edge-edge": "\u25a0", surfaces: "\u25a0" } as const;

const KINDS = {
  "vertex-face": ["vertex", "face"], "face-vertex": ["face", "vertex"], "edge-edge": ["edge", "edge"], surfaces: ["face", "face"],
} as const;

/** The table of collisions, and the details of the chosen one. */
export function collisionsPanel(app: ScreenApp): HTMLElement {
  const { data, state } = app;
  const { collisions } = data;
  if (collisions.length === 0) {
    const reason = data.verdict === "undecided" ? "Nothing was found, and nothing is proven." : `${data.a.name} collides with nothing on this motion.`;
    return element("div", { class: "contacts" }, element("p", { class: "empty", text: reason }));
  }
  const numbers = new Map(collisions.map((collision, number) => [collision, number]));
  const table = new Table<Collision>("Collisions", [
    { title: "Time", class: "time", text: (collision) => collisionTime(app, collision), key: (collision) => collision.time[0] },
    { title: "Meets", class: "pair", text: (collision) => `${SYMBOLS[collision.kind]} ${collision.kind}`, key: (collision) => collision.kind },
    { title: "Proper", class: "count proper", text: properText, key: (collision) => (collision.proper ? 0 : collision.behind ? 2 : 1) },
  ], collisions, (collision) => app.choose(numbers.get(collision) ?? null));
  const detail = element("section", { class: "detail", attributes: { "aria-label": "Collision" } });
  state.watch(["chosen"], () => {
    const chosen = state.now.chosen === null ? undefined : collisions[state.now.chosen];
    table.mark(chosen ?? null);
    fill(detail, ...detailOf(app, chosen));
  });
  return element("div", { class: "contacts" }, element("div", { class: "lists" }, table.root), detail);
}

const collisionTime = (app: ScreenApp, { share: fraction }: Collision): string => timeText(fraction, app.data);

const properText = ({ proper, behind }: Collision): string => (proper ? "yes" : "no") + (behind ? ", behind" : "");

function detailOf(app: ScreenApp, collision: Collision | undefined): HTMLElement[] {
  if (collision === undefined) {
    return [element("p", { class: "empty", text: "Choose a collision: A goes to its time, and its place is marked on both pictures." })];
  }
  const { a, b, unit } = app.data;
  const [ofA, ofB] = KINDS[collision.kind];
  const list = element("dl", { class: "facts" });
  addFact(list, a.name, `${ofA} ${collision.a.join("\u2013")}`, { class: "side-a" });
  addFact(list, b.name, `${ofB} ${collision.b.join("\u2013")}`, { class: "side-b" });
  addFact(list, app.data.method === "exact" ? "Time, enclosed" : "Time, about", `${format.enclosure(collision.time)}${unit === "" ? "" : ` ${unit}`}`, { title: format.exactEnclosure(collision.time) });
  addFact(list, "Proper", collision.proper ? "yes" : "no");
  addFact(list, "Properness", format.short(collision.properness));
  addFact(list, "Point", `${format.vector(collision.point)} m`);
  addFact(list, "Normal", format.vector(collision.normal));
  if (collision.behind) addFact(list, "Hidden", `a nearer part of ${b.name} lies on the same flow line`);
  const head = element("header", {},
    element("h2", { text: `${SYMBOLS[collision.kind]} ${collision.kind} at ${collisionTime(app, collision)}` }),
    button("Clear", () => app.choose(null)));
  return [head, list];
}

/** The motion, and how far A can move freely. */
export function motionPanel(app: ScreenApp): HTMLElement {
  const { data, unrolled } = app;
  const { screw, play, a, b } = data;
  const facts = element("dl", { class: "facts" });
  addFact(facts, "Duration", data.unit === "" ? "1, the unit of all times" : timeText(1, data));
  if (screw.angle > 0) addFact(facts, "Turns", format.degrees(screw.angle), { title: `${format.exact(screw.angle)} rad` });
  addFact(facts, "Slides", format.metres(screw.slide));
  addFact(facts, screw.angle > 0 ? "Axis" : "Along", format.vector(screw.direction));
  if (!unrolled.flat) addFact(facts, "through", `${format.vector(data.point)} m`);
  const parts: HTMLElement[] = [];
  if (play !== null) {
    const list = element("dl", { class: "facts play" });
    for (const [name, free, sense] of [["Forward", play.forward, 1], ["Backward", play.backward, -1]] as const) {
      const { point, time } = free;
      const show = point === null || time === null ? null : button("Show", () => {
        const text = `Here ${a.name} binds as it moves ${name.toLowerCase()}.`;
        app.state.set({ chosen: null, line: app.lineOfContact(point, (sense * time[1]) / data.duration, text) });
      }, { attributes: { "aria-label": `Show where it binds ${name.toLowerCase()}` } });
      const where = point === null ? "" : `; binds at ${format.vector(point)} m `;
      addFact(list, name, element("span", {}, `${freeText(app, free)}${where}`, show));
    }
    parts.push(element("h2", { text: `How far ${a.name} is free: proven` }), list);
  }
  parts.push(element("h2", { text: `How ${a.name} moves, seen from ${b.name}` }), facts,
    element("p", { class: "note", text: `Positions and directions are in the frame of ${b.name}, which is static.` }));
  if (data.undecided > 0) {
    const pieces = data.undecided === 1 ? "1 piece of A was" : `${data.undecided} pieces of A were`;
    parts.push(element("p", { class: "note", text: `${pieces} not decided, and look as if nothing lay ahead.` }));
  }
  return element("div", { class: "motion" }, ...parts);
}

/** How far A can move freely in one direction. */
export function freeText(app: ScreenApp, free: FreePlay): string {
  switch (free.verdict) {
    case "binds": {
      const { duration } = app.data;
      const parts = [
        ...(free.slide !== null && free.slide > 0 ? [format.metres(free.slide)] : []),
        ...(free.angle !== null && free.angle > 0 ? [format.degrees(free.angle)] : []),
      ];
      const fraction = (free.time?.[0] ?? 0) / duration;
      const until = `${timeText(fraction, app.data)}${app.unit}`;
      return parts.length > 0 ? `${parts.join(", ")} (${until})` : until;
    }
    case "free": return "for ever";
    case "overlapping": return "not at all: the surfaces intersect at the start";
    case "undecided": return `for ${timeText((free.free_until ?? 0) / app.data.duration, app.data)} at least; ${free.why ?? ""}`;
  }
}
