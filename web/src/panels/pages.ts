// Two pages of the side panel: the bodies (and joints), and what of the picture is shown.

import type { App } from "../app.ts";
import { button, element, fact, fill, select, toggle } from "../elements/dom.ts";
import * as format from "../elements/format.ts";
import { nameLabel } from "../elements/names.ts";
import type { Ball } from "../document/extent.ts";
import { jointsAt, type BodyData, type Up } from "../document/playback.ts";
import type { Axis, Values } from "../state.ts";
import { releaseWords } from "./recording.ts";
import { Table } from "./table.ts";
import { axisPoint } from "../motion/screw.ts";
import type { Pose } from "../motion/vector.ts";
import type { Followed } from "../live.ts";

/** The bodies: which are shown, and the screw of the one that is chosen. */
export function bodiesPanel(app: App, live: Pick<Followed, "poses" | "watch"> | null): HTMLElement {
  const { playback, state } = app;
  const triangles = (body: number): number => (playback.bodies[body]?.elements ?? [])
    .reduce((sum, { mesh }) => sum + (playback.meshes[mesh]?.triangles.length ?? 0) / 3, 0);
  const moves = (body: number): string => {
    const release = playback.recording?.releaseOf(body);
    if (release) return release.t === null ? "keyframed" : "released";
    if (playback.bodies[body]?.flexible) return "flexible";
    return playback.bodies[body]?.deforming ? "deforms" : playback.bodies[body]?.moves ? "moves" : "stands";
  };
  const rows = playback.bodies.map((_, number) => number);
  const table = new Table<number>("Bodies", [
    { title: "Body", class: "pair", text: (body) => app.nameOf(body), label: (body) => [nameLabel(app.nameOf(body))], key: (body) => app.nameOf(body), mark: (body) => (playback.bodies[body]?.moves ? "moves" : "stands") },
    { title: "Moves", class: "verdict", text: moves, key: (body) => (playback.bodies[body]?.moves ? 0 : 1) },
    { title: "Triangles", class: "lasts", text: (body) => String(triangles(body)), key: (body) => -triangles(body) },
  ], rows, (body) => state.set({ body }));
  state.watch(["body"], () => table.mark(state.now.body));
  const facts = element("div", { class: "detail" });
  const poseOf = (body: number): Pose | null => (state.now.live ? live?.poses() : null)?.[body] ?? null;
  state.watch(["body", "time", "hidden", "live"], () => fill(facts, bodyFacts(app, poseOf)));
  // Where the body is now, without making anew what may be pressed just then.
  live?.watch(() => {
    const pose = state.now.body === null ? null : poseOf(state.now.body);
    const told = facts.querySelectorAll<HTMLElement>(".pose");
    if (pose !== null) poseFacts(pose).forEach(([, text, title], number) => Object.assign(told[number] ?? {}, { textContent: text, title }));
  });
  const off = playback.bodies.map((body) => body.drawn ?? 0).reduce((most, drawn) => Math.max(most, drawn), 0);
  const legend = off > 0
    ? element("p", { class: "empty", text: `Drawn with flat triangles: true surfaces lie within ${format.metres(off)} of them. The check uses the true ones.` })
    : null;
  return element("div", { class: "bodies" }, table.root, legend, facts, jointsTable(app));
}

function shapeOf({ kind, solid }: BodyData): string {
  if (kind === "solid") return solid ? "solid" : "surface of a solid";
  return solid ? `${kind}, solid` : kind;
}

/** Where a body is: names, what is told, and all digits of it. */
function poseFacts({ position, rotation }: Pose): [string, string, string][] {
  return [
    ["Position, m", format.vector(position), position.map(format.exact).join(", ")],
    ["Rotation, wxyz", format.vector(rotation), rotation.map(format.exact).join(", ")],
  ];
}

/** `poseOf`: where a body is that a server moves; null of any other. */
function bodyFacts(app: App, poseOf: (body: number) => Pose | null): HTMLElement {
  const { state, playback } = app;
  const number = state.now.body;
  const body = number === null ? undefined : playback.bodies[number];
  if (number === null || body === undefined) return element("p", { class: "empty", text: "Choose a body here or in the picture." });
  const list = element("dl", { class: "facts" });
  const { time, hidden } = state.now;
  const shown = toggle("Shown", !hidden.has(number), (on) => {
    const next = new Set(state.now.hidden);
    if (on) next.delete(number);
    else next.add(number);
    state.set({ hidden: next });
  });
  const alone = button("Only this", () => state.set({ hidden: new Set(playback.bodies.map((_, other) => other).filter((other) => other !== number)) }));
  const all = button("All", () => state.set({ hidden: new Set() }));
  fact(list, "Shape", shapeOf(body));
  if (body.drawn !== null && body.drawn > 0) {
    fact(list, "Surface within", format.metres(body.drawn), { class: "number", title: "How far any point of the true surface may be from the triangles that are drawn: the check uses the true surface" });
  }
  const release = playback.recording?.releaseOf(number) ?? null;
  if (release !== null) fact(list, "Motion", releaseWords(release), { id: "release", title: release.t === null ? "" : `${format.exact(release.t)} s` });
  if (body.parent !== null) fact(list, "Rides on", nameLabel(app.nameOf(body.parent)));
  const between = app.frames.between(number, time);
  if (body.deforming !== null && between !== null) {
    const [from, to] = [body.deforming.times[between.low] ?? 0, body.deforming.times[between.high] ?? 0];
    const held = from === to ? `that at ${format.seconds(from)}` : `between ${format.seconds(from)} and ${format.seconds(to)}`;
    const words = { shown: held, coming: `${held}, being read`, missing: `${held}, which cannot be read` };
    fact(list, "Frame", words[app.frames.standing(number, time)]);
    fact(list, "Frames", String(body.deforming.times.length), { class: "number", title: "Those between which the body is while it is shown" });
  }
  const pose = state.now.live ? poseOf(number) : body.track.pose(time);
  for (const [name, text, title] of pose === null ? [] : poseFacts(pose)) fact(list, name, text, { class: "number pose", title });
  if (!state.now.live) {
    const segment = body.track.segment(time);
    if (segment !== null) {
      const { screw } = segment;
      fact(list, "Segment, s", `${format.short(segment.begin)} to ${format.short(segment.end)}`, { class: "number" });
      fact(list, "Screw axis", format.vector(screw.direction), { class: "number" });
      const through = axisPoint(screw);
      if (through !== null) fact(list, "through, m", format.vector(through), { class: "number" });
      fact(list, "Angle", format.degrees(screw.angle), { class: "number", title: `${format.exact(screw.angle)} rad` });
      fact(list, "Slide", format.metres(screw.slide), { class: "number" });
    } else {
      fact(list, "Screw", "stands still now");
    }
    if (body.deviation > 0) fact(list, "Drawn within", format.metres(body.deviation), { class: "number", title: "How far what is drawn between keys may be off the true motion" });
  }
  return element("div", {}, element("header", {}, element("h2", { text: body.name })), list,
    element("div", { class: "buttons" }, shown.root, alone, all));
}

/** The robot's joints at the time now. */
function jointsTable(app: App): HTMLElement | null {
  const joints = app.playback.robot?.joints;
  if (!joints || jointsAt(app.playback, app.playback.begin) === null) return null;
  const list = element("dl", { class: "facts" });
  const root = element("section", { class: "detail", attributes: { "aria-label": "Joints" } }, element("h2", { text: "Joints" }), list);
  app.state.watch(["time"], () => {
    const values = jointsAt(app.playback, app.state.now.time) ?? [];
    list.replaceChildren();
    joints.forEach((joint, number) => {
      const value = values[number] ?? 0;
      fact(list, nameLabel(joint.name), format.jointValue(value, joint.unit), { class: "number", title: `${format.exact(value)} ${joint.unit}` });
    });
  });
  return root;
}

type Switch = { [K in keyof Values]: Values[K] extends boolean ? K : never }[keyof Values];

/** What is drawn, and how. */
export function displayPanel(app: App, whole: Ball): HTMLElement {
  const { state } = app;
  const flip = (key: Switch, text: string, title: string): HTMLElement => {
    const made = toggle(text, state.now[key], (on) => state.set({ [key]: on }), title);
    state.watch([key], () => (made.input.checked = state.now[key]));
    made.input.id = `show-${key}`;
    return made.root;
  };
  const share = element("input", { type: "range", attributes: { min: "0", max: "1", step: "0.001", "aria-label": "Where the section cuts" } });
  share.addEventListener("input", () => state.set({ sectionShare: Number(share.value), section: true }));
  const axis = select("Across which axis", [["x", "across x"], ["y", "across y"], ["z", "across z"]], (value) => state.set({ sectionAxis: value as Axis, section: true }));
  const turn = button("Other side", () => state.set({ sectionFlipped: !state.now.sectionFlipped, section: true }));
  const place = element("input", { type: "text", class: "number", id: "section-place", attributes: { inputmode: "decimal", spellcheck: "false" } });
  const middle = (): number => whole.centre["xyz".indexOf(state.now.sectionAxis)] ?? 0;
  const tell = (): void => {
    const at = middle() + (2 * state.now.sectionShare - 1) * whole.radius;
    share.value = String(state.now.sectionShare);
    axis.value = state.now.sectionAxis;
    // Less than can be seen is nothing.
    place.value = format.short(Math.abs(at) < 1e-9 * whole.radius ? 0 : at);
    place.setAttribute("aria-label", `Section at ${state.now.sectionAxis}, in metres`);
    unit.textContent = `m, ${state.now.sectionAxis}`;
  };
  const unit = element("span", { class: "unit" });
  // Then keys are those of the page again.
  place.addEventListener("keydown", (event) => {
    if (event.key === "Enter") place.blur();
  });
  place.addEventListener("change", () => {
    const typed = Number(place.value.trim().replace("\u2212", "-").replace(/\s*m$/, ""));
    if (place.value.trim() !== "" && Number.isFinite(typed)) {
      const wanted = ((typed - middle()) / whole.radius + 1) / 2;
      state.set({ sectionShare: Math.min(1, Math.max(0, wanted)), section: true });
    }
    tell();
  });
  state.watch(["sectionShare", "sectionAxis"], tell);
  const up = select("Up axis", [["z", "z is up"], ["y", "y is up"]], (value) => state.set({ up: value as Up }));
  state.watch(["up"], () => (up.value = state.now.up));
  const group = (title: string, ...children: Node[]): HTMLElement => element("fieldset", {}, element("legend", { text: title }), ...children);
  return element("div", { class: "display" },
    group("Bodies",
      flip("edges", "Feature edges", "Edges where the surface is not smooth (E)"),
      flip("wireframe", "Wireframe", "All edges of triangles (W)"),
      flip("fade", "Fade other bodies", "While a contact is chosen, all but its two bodies are faint"),
      ...(app.playback.bodies.some(({ colours }) => colours.length > 0) ? [flip("ownColours", "Colours of the file", "Those of its materials; bodies that something is told of keep the colours of the page")] : []),
      flip("floor", "Grid", "A grid below everything, with its spacing in the corner"),
      element("div", { class: "buttons" }, up)),
    group("Section", flip("section", "Cut open", "Hides what is on one side of a plane (X); closed bodies are filled where it cuts them"),
      element("div", { class: "buttons" }, axis, turn, place, unit), share),
    group("Motion",
      ...(app.playback.recording === null && app.playback.simulation === null && app.playback.suggested === null ? [] : [flip("impulses", "Impulses", "Where bodies touch, and the impulses that they give each other, or would give (I)")]),
      flip("events", "Events", "Where features of bodies that deform have just met"),
      flip("stops", "Stop at contacts", "Playing stops where a contact begins, and shows it"),
      flip("ghosts", "Ghosts", "Where the bodies are at the start, at the contact and at the end (G)"),
      flip("screw", "Screw axis and helix", "Of the chosen body's motion now (H)"),
      flip("follow", "Go to contacts", "The view goes to a contact when it is chosen")),
    group("Search",
      flip("boxes", "Bounding volumes", "The oriented box of each mesh (B)"),
      flip("cells", "Grid cells", "The cells of a uniform grid that bodies reach into now; those of several bodies stand out")));
}
