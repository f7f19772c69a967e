// The page of a screen: the bodies on one side, the unrolled screen on the other. What one points at on either is marked on both.

import { helpButton, PRESETS, tabs } from "../chrome.ts";
import { announce, button, byId, element, fill, select } from "../elements/dom.ts";
import * as format from "../elements/format.ts";
import { icon, iconButton } from "../elements/icons.ts";
import { systemTheme } from "../elements/theme.ts";
import { boundingSphere, boundingBox } from "../document/extent.ts";
import { Stage } from "../picture/stage.ts";
import type { Vec3 } from "../motion/vector.ts";
import { Chart } from "./chart.ts";
import { readScreen, type ScreenDocument } from "./document.ts";
import { KEYS, listen, play } from "./keys.ts";
import { legendOf } from "./legend.ts";
import { collisionsPanel, motionPanel } from "./panel.ts";
import { exposeScreen } from "./reader.ts";
import { timeOf, wordsOf } from "./scale.ts";
import { ScreenApp, type ScreenValues } from "./state.ts";
import { ScreenView } from "./view.ts";

const WORDS = { clear: "clear", contact: "contact", overlapping: "overlapping", undecided: "undecided" } as const;

/** Puts the page together. */
export function openScreen(document: ScreenDocument): void {
  const app = new ScreenApp(readScreen(document), systemTheme());
  const { state } = app;
  window.document.body.classList.add("screen");
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.set({ theme: systemTheme() }));
  const points = [...app.extent, ...app.extent.slice(0, 8).flatMap((corner) => motionOf(app, corner))];
  const { centre, radius } = boundingSphere(boundingBox(points));
  const canvas = byId<HTMLCanvasElement>("canvas");
  const stage = Stage.open(canvas, centre, radius);
  const view = typeof stage === "string" ? null : new ScreenView(app, stage);
  if (view === null) {
    canvas.hidden = true;
    byId("no-picture").hidden = false;
    byId("no-picture").textContent = String(stage);
  }
  header(app);
  const chart = screenSection(app);
  const presets = tools(app, view);
  tabs([{ name: `Collisions ${app.shown.collisions.length}`, content: collisionsPanel(app) }, { name: "Motion", content: motionPanel(app) }]);
  footer(app);
  listen(app, view, presets);
  view?.fit("ahead", "at once");
  requestAnimationFrame(() => requestAnimationFrame(() => {
    exposeScreen(app, view, chart);
    window.document.body.classList.add("ready");
  }));
}

/** Where a point of A comes along. */
function motionOf(app: ScreenApp, point: Vec3): Vec3[] {
  return app.unrolled.flowLine(point, 0, 1).filter((_, k, all) => k % Math.ceil(all.length / 16) === 0 || k === all.length - 1);
}

function header(app: ScreenApp): void {
  const { shown, state } = app;
  byId("name").textContent = shown.name;
  document.title = `${shown.name} \u2013 screen \u2013 Chasles`;
  const chip = byId("verdict");
  const found = shown.method === "pixels" && shown.verdict !== "undecided" ? `${WORDS[shown.verdict]}, not proven` : shown.verdict === "clear" ? "proven clear" : WORDS[shown.verdict];
  chip.textContent = found;
  chip.title = shown.why ?? "";
  chip.classList.add(shown.verdict === "overlapping" ? "contact" : shown.verdict);
  const proper = shown.collisions.filter((collision) => collision.proper).length;
  const count = shown.collisions.length;
  const collisions = count === 0 ? "no collisions" : `${count} ${count === 1 ? "collision" : "collisions"}, ${proper} proper`;
  byId("summary").textContent = `${shown.a.name} moves past ${shown.b.name}: ${collisions}`;
  const look = iconButton("dark", "Dark or light (D)", () => state.set({ theme: state.now.theme === "dark" ? "light" : "dark" }));
  state.watch(["theme"], () => {
    document.documentElement.dataset["look"] = state.now.theme;
    look.replaceChildren(icon(state.now.theme === "dark" ? "light" : "dark"));
  });
  byId("header-actions").append(look, helpButton(KEYS, "Drag turns the picture, with the right button it slides. On the screen the wheel zooms, drag slides, and a double click shows all."));
}

/** The unrolled screen with its words and legend, between the picture and the lists. */
function screenSection(app: ScreenApp): Chart {
  const canvas = element("canvas", {
    id: "screen-canvas", role: "application",
    attributes: {
      tabindex: "0", "aria-roledescription": "unrolled screen",
      "aria-label": "The unrolled screen. Arrow keys move the place that is pointed at, plus and minus zoom, Home shows all.",
    },
  });
  const field = element("div", { class: "field" }, canvas);
  const words = element("p", { id: "line-words", role: "status" });
  const title = element("h2", { text: app.unrolled.flat ? "Screen" : "Unrolled screen", title: "What one sees when looking along the flow lines" });
  const section = element("section", { id: "screen", attributes: { "aria-label": "Unrolled screen" } });
  byId("view").after(section);
  const chart = new Chart(app, canvas, field);
  const all = iconButton("fit", "Show all of the screen", () => chart.fit());
  const reach = select("Where the colours end (C)", [
    ["furthest", "Scale: furthest part"], ["motion", "Scale: whole motion"],
  ], (value) => app.state.set({ reach: value as ScreenValues["reach"] }));
  app.state.watch(["reach"], () => (reach.value = app.state.now.reach));
  section.append(element("header", {}, title, reach, all), field, words, legendOf(app, chart));
  app.state.watch(["line"], () => fill(words, ...wordsOfLine(app)));
  return chart;
}

/** What lies on the flow line that is pointed at. */
function wordsOfLine(app: ScreenApp): (string | HTMLElement)[] {
  const { line } = app.state.now;
  const { unrolled, scale, shown } = app;
  if (line === null) return [element("span", { class: "empty", text: "Point at a body or at the screen: its flow line is marked on both." })];
  const [r, h] = line.place.map(format.metres);
  const place = unrolled.flat ? `At (${r}, ${h}).` : `At r = ${r}, h = ${h}.`;
  const speed = unrolled.speedAt(line.place[0]);
  const without = line.b === null ? "Nothing lies here." : `No leading part of ${shown.a.name} is on this flow line.`;
  const said = line.said ?? (line.time === null ? without : wordsOf(line.time, speed, scale, app.names));
  return [element("strong", { text: said }), ` ${place}`];
}

function tools(app: ScreenApp, view: ScreenView | null): (() => void)[] {
  const { state } = app;
  const presets: readonly (readonly [string, Vec3 | "ahead"])[] = [["Ahead", "ahead"], ...PRESETS.slice(1)];
  const actions = presets.map(([, from]) => () => view?.fit(from));
  byId("presets").append(iconButton("fit", "Fit (F)", () => view?.fit(null)),
    ...presets.map(([name], number) => button(name, actions[number] as () => void, { title: `${name} (${number + 1})` })));
  const other = select(`How ${app.shown.b.name} is drawn`, [
    ["translucent", `${app.shown.b.name} translucent`], ["solid", `${app.shown.b.name} solid`], ["hidden", `${app.shown.b.name} hidden`],
  ], (value) => state.set({ other: value as ScreenValues["other"] }));
  const marks = button("Marks", () => state.set({ marks: !state.now.marks }), { title: "Marks of the collisions (M)" });
  state.watch(["other", "marks"], () => {
    other.value = state.now.other;
    marks.setAttribute("aria-pressed", String(state.now.marks));
  });
  byId("tools").append(other, marks);
  for (const id of ["presets", "tools"]) byId(id).hidden = view === null;
  return actions;
}

/** The slider that moves A. */
function footer(app: ScreenApp): void {
  const { state, shown } = app;
  const slider = element("input", { id: "way", type: "range", attributes: { min: "0", max: "1", step: "any", "aria-label": `How far ${shown.a.name} has gone` } });
  slider.addEventListener("input", () => state.set({ fraction: Number(slider.value), playing: false }));
  const now = element("output", { id: "way-now" });
  const start = iconButton("play", "Play, pause (Space)", () => play(app));
  start.classList.add("primary");
  state.watch(["fraction", "playing"], () => {
    const { fraction, playing } = state.now;
    slider.value = String(fraction);
    const turn = shown.screw.angle > 0 ? `, ${format.degrees(fraction * shown.screw.angle)}` : "";
    const text = `${timeOf(fraction, shown)}${app.unit}${turn}`;
    now.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    start.replaceChildren(icon(playing ? "pause" : "play"));
  });
  state.watch(["chosen"], () => {
    const collision = state.now.chosen === null ? undefined : shown.collisions[state.now.chosen];
    if (collision !== undefined) announce(`${collision.kind}, ${collision.proper ? "proper" : "not proper"}, at ${timeOf(collision.share, shown)}`);
  });
  const marks = element("div", { class: "marks", attributes: { "aria-hidden": "true" } });
  // A stroke for each collision, as many as can be told apart.
  const strokes = new Set(shown.collisions.map(({ share: fraction }) => Math.round(fraction * 500)));
  for (const stroke of strokes) {
    const tick = element("i");
    tick.style.left = `${stroke / 5}%`;
    marks.append(tick);
  }
  byId("footer").append(element("div", { class: "way" }, start, element("div", { class: "track" }, slider, marks), now));
}
