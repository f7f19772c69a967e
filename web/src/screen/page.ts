// The screen page: bodies on one side, the unrolled screen on the other. A selected point is marked on both.

import { helpButton, PRESETS, tabs, themeButton } from "../chrome.ts";
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
import { screenLegend } from "./legend.ts";
import { collisionsPanel, motionPanel } from "./panel.ts";
import { exposeScreen } from "./api.ts";
import { timeText, clearanceText } from "./scale.ts";
import { ScreenApp, type ScreenValues } from "./state.ts";
import { ScreenView } from "./view.ts";

const WORDS = { clear: "clear", contact: "contact", overlapping: "overlapping", undecided: "undecided" } as const;

/** Builds the page. */
export function openScreen(document: ScreenDocument): void {
  const app = new ScreenApp(readScreen(document), systemTheme());
  const { state } = app;
  window.document.body.classList.add("screen");
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.set({ theme: systemTheme() }));
  const points = [...app.extent, ...app.extent.slice(0, 8).flatMap((corner) => sampledPath(app, corner))];
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
  tabs([{ name: `Collisions ${app.data.collisions.length}`, content: collisionsPanel(app) }, { name: "Motion", content: motionPanel(app) }]);
  footer(app);
  listen(app, view, presets);
  view?.fit("ahead", "at once");
  requestAnimationFrame(() => requestAnimationFrame(() => {
    exposeScreen(app, view, chart);
    window.document.body.classList.add("ready");
  }));
}

/** Sampled path of a point of A. */
function sampledPath(app: ScreenApp, point: Vec3): Vec3[] {
  return app.unrolled.flowLine(point, 0, 1).filter((_, k, all) => k % Math.ceil(all.length / 16) === 0 || k === all.length - 1);
}

function header(app: ScreenApp): void {
  const { data, state } = app;
  byId("name").textContent = data.name;
  document.title = `${data.name} \u2013 screen \u2013 Chasles`;
  const chip = byId("verdict");
  const found = data.method === "pixels" && data.verdict !== "undecided" ? `${WORDS[data.verdict]}, not proven` : data.verdict === "clear" ? "proven clear" : WORDS[data.verdict];
  chip.textContent = found;
  chip.title = data.reason ?? "";
  chip.classList.add(data.verdict === "overlapping" ? "contact" : data.verdict);
  const proper = data.collisions.filter((collision) => collision.proper).length;
  const count = data.collisions.length;
  const collisions = count === 0 ? "no collisions" : `${count} ${count === 1 ? "collision" : "collisions"}, ${proper} proper`;
  byId("summary").textContent = `${data.a.name} moves past ${data.b.name}: ${collisions}`;
  byId("header-actions").append(themeButton(state), helpButton(KEYS, "Drag turns the picture, with the right button it slides. On the screen the wheel zooms, drag slides, and a double click shows all."));
}

/** The section with the unrolled screen, its text and its legend. */
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
  const rangeSelect = select("Where the colours end (C)", [
    ["furthest", "Scale: furthest part"], ["motion", "Scale: whole motion"],
  ], (value) => app.state.set({ colourRange: value as ScreenValues["colourRange"] }));
  app.state.watch(["colourRange"], () => (rangeSelect.value = app.state.now.colourRange));
  section.append(element("header", {}, title, rangeSelect, all), field, words, screenLegend(app, chart));
  app.state.watch(["line"], () => fill(words, ...flowLineText(app)));
  return chart;
}

/** A description of the selected flow line. */
function flowLineText(app: ScreenApp): (string | HTMLElement)[] {
  const { line } = app.state.now;
  const { unrolled, scale, data } = app;
  if (line === null) return [element("span", { class: "empty", text: "Point at a body or at the screen: its flow line is marked on both." })];
  const [r, h] = line.place.map(format.metres);
  const place = unrolled.flat ? `At (${r}, ${h}).` : `At r = ${r}, h = ${h}.`;
  const speed = unrolled.speedAt(line.place[0]);
  const emptyText = line.b === null ? "Nothing lies here." : `No leading part of ${data.a.name} is on this flow line.`;
  const text = line.text ?? (line.time === null ? emptyText : clearanceText(line.time, speed, scale, app.names));
  return [element("strong", { text }), ` ${place}`];
}

function tools(app: ScreenApp, view: ScreenView | null): (() => void)[] {
  const { state } = app;
  const presets: readonly (readonly [string, Vec3 | "ahead"])[] = [["Ahead", "ahead"], ...PRESETS.slice(1)];
  const actions = presets.map(([, from]) => () => view?.fit(from));
  byId("presets").append(iconButton("fit", "Fit (F)", () => view?.fit(null)),
    ...presets.map(([name], number) => button(name, actions[number] as () => void, { title: `${name} (${number + 1})` })));
  const styleSelect = select(`How ${app.data.b.name} is drawn`, [
    ["translucent", `${app.data.b.name} translucent`], ["solid", `${app.data.b.name} solid`], ["hidden", `${app.data.b.name} hidden`],
  ], (value) => state.set({ styleOfB: value as ScreenValues["styleOfB"] }));
  const marks = button("Marks", () => state.set({ marks: !state.now.marks }), { title: "Marks of the collisions (M)" });
  state.watch(["styleOfB", "marks"], () => {
    styleSelect.value = state.now.styleOfB;
    marks.setAttribute("aria-pressed", String(state.now.marks));
  });
  byId("tools").append(styleSelect, marks);
  for (const id of ["presets", "tools"]) byId(id).hidden = view === null;
  return actions;
}

/** The slider that moves A. */
function footer(app: ScreenApp): void {
  const { state, data } = app;
  const slider = element("input", { id: "way", type: "range", attributes: { min: "0", max: "1", step: "any", "aria-label": `How far ${data.a.name} has gone` } });
  slider.addEventListener("input", () => state.set({ fraction: Number(slider.value), playing: false }));
  const now = element("output", { id: "way-now" });
  const start = iconButton("play", "Play, pause (Space)", () => play(app));
  start.classList.add("primary");
  state.watch(["fraction", "playing"], () => {
    const { fraction, playing } = state.now;
    slider.value = String(fraction);
    const turn = data.screw.angle > 0 ? `, ${format.degrees(fraction * data.screw.angle)}` : "";
    const text = `${timeText(fraction, data)}${app.unit}${turn}`;
    now.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    start.replaceChildren(icon(playing ? "pause" : "play"));
  });
  state.watch(["chosen"], () => {
    const collision = state.now.chosen === null ? undefined : data.collisions[state.now.chosen];
    if (collision !== undefined) announce(`${collision.kind}, ${collision.proper ? "proper" : "not proper"}, at ${timeText(collision.share, data)}`);
  });
  const marks = element("div", { class: "marks", attributes: { "aria-hidden": "true" } });
  // A tick for each collision, at most one per 1/500 of the slider.
  const strokes = new Set(data.collisions.map(({ share: fraction }) => Math.round(fraction * 500)));
  for (const stroke of strokes) {
    const tick = element("i");
    tick.style.left = `${stroke / 5}%`;
    marks.append(tick);
  }
  byId("footer").append(element("div", { class: "way" }, start, element("div", { class: "track" }, slider, marks), now));
}
