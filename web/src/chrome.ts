// The page around the picture: header with verdict, camera and tool buttons, legend, readout, and the tabs of the
// panel.

import type { App } from "./app.ts";
import { announce, button, byId, element, fill, save } from "./elements/dom.ts";
import * as format from "./elements/format.ts";
import { gridStep } from "./picture/floor.ts";
import { iconButton, icon } from "./elements/icons.ts";
import { nameLabel } from "./elements/names.ts";
import { keysOf } from "./keys.ts";
import type { Report, Verdict } from "./document/report.ts";
import { length, sub, toWorld, type Vec3 } from "./motion/vector.ts";
import type { Theme } from "./state.ts";
import type { View } from "./view.ts";

const VERDICT_TEXTS: Record<Verdict, string> = {
  clear: "proven clear", near: "near", undecided: "undecided", contact: "contact", overlapping: "overlapping",
};

/** Camera directions, from the target to the eye. */
export const PRESETS: readonly [string, Vec3][] = [
  ["Corner", [1, -1.35, 0.85]], ["Front", [0, -1, 0]], ["Back", [0, 1, 0]], ["Left", [-1, 0, 0]],
  ["Right", [1, 0, 0]], ["Top", [0, 0, 1]], ["Bottom", [0, 0, -1]],
];

export function header(app: App, view: View | null): void {
  const { playback, report, state } = app;
  byId("name").textContent = playback.name;
  document.title = `${playback.name} \u2013 Chasles`;
  const chip = byId("verdict");
  chip.hidden = report === null;
  if (report !== null) {
    const nothingTested = report.verdict === "clear" && report.pairs_tested === 0;
    chip.textContent = nothingTested ? "nothing tested" : VERDICT_TEXTS[report.verdict];
    if (!nothingTested) chip.classList.add(report.verdict === "overlapping" ? "contact" : report.verdict);
    const bodies = `${format.count(report.bodies, "body", "bodies")}, ${format.count(report.pairs_tested, "pair", "pairs")} tested`;
    const untested = report.pairs_standing ? ` (${format.count(report.pairs_standing, "pair at rest is", "pairs at rest are")} not)` : "";
    byId("summary").textContent = `${bodies}${untested} over ${format.seconds(report.duration)}${insideText(report)}${overlapsText(report)}${warningsText(report)}`;
    const inside = (report.inside ?? []).map((entry) => `${entry.body} is inside ${entry.inside} from ${format.seconds(entry.from)}`);
    const overlaps = [...(report.static_overlaps ?? []), ...(report.assembled ?? [])].map(([a, b]) => `${a} and ${b} overlap, and never move relative to each other`);
    const warnings = (report.warnings ?? []).map((warning) => `Warning: ${warning}`);
    byId("summary").title = [...warnings, ...inside, ...overlaps].join("\n");
  }
  if (playback.simulation !== null) {
    const dynamicCount = playback.bodies.filter(({ flexible }, number) => flexible || playback.simulation?.[number] === true).length;
    byId("summary").textContent = `${format.count(playback.bodies.length, "body", "bodies")}, ${dynamicCount} with a mass`;
  }
  const shot = iconButton("camera", "Save the picture", () => void saveScreenshot(app, view));
  shot.disabled = view === null;
  byId("header-actions").append(shot, themeButton(state), helpButton(keysOf(app), `${playback.simulation === null ? "The wheel on the ruler zooms the timeline. Drag turns" : "Drag pulls at a body that has a mass; elsewhere it turns"} the picture, with the right button it slides.`));
}

/** State with a theme. */
interface ThemedState {
  readonly now: { readonly theme: Theme };
  set(patch: { theme: Theme }): void;
  watch(keys: readonly "theme"[], listener: () => void): void;
}

/** A button that switches the theme of the page. */
export function themeButton(state: ThemedState): HTMLButtonElement {
  const other = (): Theme => (state.now.theme === "dark" ? "light" : "dark");
  const control = iconButton("dark", "Dark or light (D)", () => state.set({ theme: other() }));
  state.watch(["theme"], () => {
    document.documentElement.dataset["look"] = state.now.theme;
    control.replaceChildren(icon(other()));
  });
  return control;
}

/** A summary of the bodies inside hollow bodies. */
function insideText(report: Report): string {
  const [first, ...more] = report.inside ?? [];
  if (first === undefined) return "";
  const others = more.length > 0 ? ` and ${more.length} more` : "";
  return `; inside ${first.inside}, which is hollow (solid = true fills it): ${first.body}${others}`;
}

/** A summary of overlapping pairs that are not part of the verdict. */
function overlapsText(report: Report): string {
  const [fixed, joined] = [report.static_overlaps?.length ?? 0, report.assembled?.length ?? 0];
  const parts = [
    fixed > 0 ? `${format.count(fixed, "pair", "pairs")} of bodies that cannot move` : "",
    joined > 0 ? `${format.count(joined, "pair", "pairs")} of rigidly joined bodies` : "",
  ].filter((part) => part !== "");
  return parts.length > 0 ? `; overlapping in the model: ${parts.join(", ")}` : "";
}

/** The warnings about the input: the text of a single one, or the number of several. */
function warningsText(report: Report): string {
  const [first, ...more] = report.warnings ?? [];
  if (first === undefined) return "";
  return more.length > 0 ? `; ${more.length + 1} warnings` : `; warning: ${first}`;
}

async function saveScreenshot(app: App, view: View | null): Promise<void> {
  const picture = await view?.stage.screenshot();
  if (!picture) return;
  const time = format.clock(app.state.now.time, app.playback.end - app.playback.start);
  save(`${app.playback.name.replace(/\.[^.]*$/, "")}-${time}s.png`, picture);
  announce("The picture is saved.");
}

/** A button that lists the keys, with a note about the mouse. */
export function helpButton(keys: readonly (readonly [string, string])[], note: string): HTMLElement {
  const dialog = element("dialog", { attributes: { "aria-label": "Keys" } },
    element("h2", { text: "Keys" }),
    element("dl", { class: "facts" }, ...keys.flatMap(([key, what]) => [element("dt", { text: key }), element("dd", { text: what })])),
    element("p", { class: "empty", text: note }),
    button("Close", () => dialog.close()));
  document.body.append(dialog);
  return button("?", () => dialog.showModal(), { class: "icon", title: "Keys", attributes: { "aria-label": "Keys" } });
}

/** Camera and tool buttons; returns the actions of the digit keys. */
export function toolbar(app: App, view: View): (() => void)[] {
  const { state } = app;
  const actions = PRESETS.map(([, from]) => () => view.fit(from));
  byId("presets").append(iconButton("fit", "Fit (F)", () => view.fit(null)),
    ...PRESETS.map(([name], number) => button(name, actions[number] as () => void, { title: `${name} (${number + 1})` })));
  const measure = iconButton("measure", "Measure between two points (M)", () => state.set({ tool: state.now.tool === "measure" ? "choose" : "measure" }));
  const trace = iconButton("trace", "Path of a point (T)", () => state.set({ tool: state.now.tool === "trace" ? "choose" : "trace" }));
  byId("tools").append(measure, trace);
  state.watch(["tool"], () => {
    measure.setAttribute("aria-pressed", String(state.now.tool === "measure"));
    trace.setAttribute("aria-pressed", String(state.now.tool === "trace"));
    view.stage.canvas.classList.toggle("aiming", state.now.tool !== "choose");
  });
  listenToClicks(app, view);
  readout(app, view);
  return actions;
}

function listenToClicks(app: App, view: View): void {
  const { canvas } = view.stage;
  const { state } = app;
  let down = { x: 0, y: 0 };
  canvas.addEventListener("pointerdown", (event) => (down = { x: event.clientX, y: event.clientY }));
  canvas.addEventListener("pointerup", (event) => {
    // A drag rotates the picture.
    if (event.button !== 0 || Math.hypot(event.clientX - down.x, event.clientY - down.y) > 4) return;
    const hit = view.pick({ x: event.clientX, y: event.clientY });
    const { tool, measured } = state.now;
    if (hit === null) {
      if (tool === "choose") state.set({ body: null });
      return;
    }
    if (tool === "measure") state.set({ measured: [...(measured.length >= 2 ? [] : measured), hit] });
    else if (tool === "trace" && app.deforms(hit.body)) announce(`${app.nameOf(hit.body)} deforms: the path of a point is drawn for rigid bodies only.`);
    else if (tool === "trace") state.set({ traced: hit, body: hit.body });
    else state.set({ body: hit.body });
    if (tool === "choose") {
      const data = app.playback.bodies[hit.body];
      announce(`${data?.name ?? ""}, triangle ${hit.face}${(data?.elements.length ?? 0) > 1 ? ` of element ${hit.element}` : ""}`);
    }
  });
}

/** Milliseconds that loading shapes may take before a notice appears. */
const NOTICE_DELAY = 300;

/** Shows a notice about shapes of deforming bodies that are loading, unreadable, or left out of the file. */
export function notices(app: App): void {
  const place = byId("notice");
  const list = (bodies: readonly number[]): string => bodies.map((body) => app.nameOf(body)).join(", ");
  const omitted = app.playback.bodies.filter(({ omitted: frames }) => frames > 0);
  let loadingSince: number | null = null;
  let timer = 0;
  const update = (): void => {
    const { time } = app.state.now;
    const failures = app.frames.failures(time);
    const loading = [...app.frames.deforming].filter((body) => app.frames.status(body, time) === "coming");
    loadingSince = loading.length === 0 ? null : (loadingSince ?? performance.now());
    clearTimeout(timer);
    const isLate = loadingSince !== null && performance.now() - loadingSince >= NOTICE_DELAY;
    if (loadingSince !== null && !isLate) timer = window.setTimeout(update, NOTICE_DELAY);
    const lines = [
      ...failures.map(({ body, reason }) => element("p", { class: "bad", text: `The shape of ${app.nameOf(body)} at this time cannot be read, so another one is drawn: ${reason}` })),
      ...(isLate ? [element("p", { text: `Reading the shapes of ${list(loading)}\u2026` })] : []),
      ...omitted.map(({ name, omitted: frames, deforming }) => element("p", {
        text: deforming === null
          ? `This file has no room for the ${frames} frames of ${name}: its first shape is drawn. chasles view shows all.`
          : `This file leaves out ${frames} of ${frames + deforming.times.length} frames of ${name}: between the others its shape is only about right. chasles view shows all.`,
      })),
    ];
    place.hidden = lines.length === 0;
    fill(place, ...lines);
  };
  app.frames.watch(update);
  app.state.watch(["time"], update);
}

function readout(app: App, view: View): void {
  const { state } = app;
  const place = byId("readout");
  state.watch(["measured", "tool", "time", "traced", "live"], () => {
    const { tool, measured, traced } = state.now;
    const lines: HTMLElement[] = [];
    const [from, to] = view.measured();
    if (from && to) {
      const offset = sub(to, from);
      lines.push(element("strong", { text: format.metres(length(offset)), title: `${format.exact(length(offset))} m` }));
      lines.push(element("span", { class: "number", text: `\u0394 ${format.vector(offset)} m` }));
    } else if (tool === "measure") {
      lines.push(element("span", { text: measured.length === 1 ? "Now the second point." : "Click two points on surfaces." }));
    }
    if (tool === "trace" && traced === null) lines.push(element("span", { text: "Click a point: its path over the whole time is drawn." }));
    if (traced !== null) {
      const pose = view.bodies.pose(traced.body);
      const now = pose === undefined ? null : toWorld(pose, traced.point);
      lines.push(element("span", {}, `Path of a point of ${app.nameOf(traced.body)}`), now && element("span", { class: "number", text: `now at ${format.vector(now)} m` }) || element("span", {}));
    }
    if (lines.length > 0 && (measured.length > 0 || traced !== null)) {
      lines.push(button("Clear", () => state.set({ measured: [], traced: null, tool: "choose" })));
    }
    place.hidden = lines.length === 0;
    fill(place, ...lines);
  });
  const legend = byId("legend");
  state.watch(["finding", "live", "floor", "events", "impulses"], () => {
    const pair = state.now.live ? undefined : app.chosen === null ? undefined : app.playback.pairs[app.chosen.pair];
    const items = pair === undefined ? [] : [element("span", { class: "key a" }, nameLabel(app.nameOf(pair[0])))];
    if (pair !== undefined && pair[0] !== pair[1]) items.push(element("span", { class: "key b" }, nameLabel(app.nameOf(pair[1]))));
    if (pair !== undefined) items.push(element("span", { class: "key normal", text: "place, normal" }));
    const hasSuggestion = state.now.impulses && !state.now.live && app.suggestionOf(app.chosen) !== null;
    if (pair !== undefined && !hasSuggestion && !pair.some((body) => app.frames.has(body))) items.push(element("span", { class: "key way", text: "approach" }));
    if (state.now.events && !state.now.live && app.events.length > 0) items.push(element("span", { class: "key event", text: "features have just touched" }));
    if (state.now.impulses && (app.playback.simulation !== null || app.playback.recording !== null && !state.now.live)) {
      items.push(element("span", { class: "key normal", text: "contact" }), element("span", { class: "key push", text: "impulse on b" }));
    }
    if (hasSuggestion) {
      items.push(element("span", { class: "key push", text: "impulse that would follow" }),
        element("span", { class: "key before", text: "velocities now" }), element("span", { class: "key after", text: "velocities after it" }));
    }
    if (state.now.floor) items.push(element("span", { class: "key grid", text: `grid ${format.metres(gridStep(view.stage.radius))}` }));
    legend.hidden = items.length === 0;
    fill(legend, ...items);
  });
}

/** Pages of the panel behind tabs; the arrow keys switch tabs. */
export function tabs(pages: readonly { name: string; content: HTMLElement; shown?: (shown: boolean) => void }[]): (number: number) => void {
  const [list, place] = [byId("tabs"), byId("pages")];
  const tabButtons = pages.map(({ name }, number) => button(name, () => show(number), {
    role: "tab", id: `tab-${number}`, attributes: { "aria-controls": `page-${number}` },
  }));
  const bodies = pages.map(({ content }, number) => element("div", {
    class: "page", role: "tabpanel", id: `page-${number}`, attributes: { "aria-labelledby": `tab-${number}` },
  }, content));
  list.append(...tabButtons);
  place.append(...bodies);
  let current = -1;
  const show = (number: number): void => {
    if (number === current) return;
    current = number;
    tabButtons.forEach((head, other) => {
      head.setAttribute("aria-selected", String(other === number));
      head.tabIndex = other === number ? 0 : -1;
    });
    bodies.forEach((body, other) => (body.hidden = other !== number));
    pages.forEach(({ shown }, other) => shown?.(other === number));
  };
  list.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const next = (current + step + pages.length) % pages.length;
    show(next);
    tabButtons[next]?.focus();
    event.preventDefault();
  });
  show(0);
  return show;
}
