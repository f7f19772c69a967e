// The page of the side panel with the bodies, their numbers, and the joints of a robot.

import type { App } from "../app.ts";
import { addFact, button, element, fill, toggle } from "../elements/dom.ts";
import * as format from "../elements/format.ts";
import { nameLabel } from "../elements/names.ts";
import { jointsAt, type BodyData } from "../document/playback.ts";
import { releaseWords } from "./recording.ts";
import { Table } from "./table.ts";
import { axisPoint } from "../motion/screw.ts";
import type { Pose } from "../motion/vector.ts";
import type { LiveSource } from "../live.ts";

/** The table of bodies, with their visibility and the screw of the chosen one. */
export function bodiesPanel(app: App, live: Pick<LiveSource, "poses" | "watch"> | null): HTMLElement {
  const { playback, state } = app;
  const triangles = (body: number): number => (playback.bodies[body]?.elements ?? [])
    .reduce((sum, { mesh }) => sum + (playback.meshes[mesh]?.triangles.length ?? 0) / 3, 0);
  const motionText = (body: number): string => {
    const release = playback.recording?.releaseOf(body);
    if (release) return release.t === null ? "keyframed" : "released";
    if (playback.bodies[body]?.flexible) return "flexible";
    return playback.bodies[body]?.deforming ? "deforms" : playback.bodies[body]?.moves ? "moves" : "stands";
  };
  const rows = playback.bodies.map((_, number) => number);
  const table = new Table<number>("Bodies", [
    { title: "Body", class: "pair", text: (body) => app.nameOf(body), label: (body) => [nameLabel(app.nameOf(body))], key: (body) => app.nameOf(body), mark: (body) => (playback.bodies[body]?.moves ? "moves" : "stands") },
    { title: "Moves", class: "verdict", text: motionText, key: (body) => (playback.bodies[body]?.moves ? 0 : 1) },
    { title: "Triangles", class: "lasts", text: (body) => String(triangles(body)), key: (body) => -triangles(body) },
  ], rows, (body) => state.set({ body }));
  state.watch(["body"], () => table.mark(state.now.body));
  const facts = element("div", { class: "detail" });
  const poseOf = (body: number): Pose | null => (state.now.live ? live?.poses() : null)?.[body] ?? null;
  state.watch(["body", "time", "hidden", "live"], () => fill(facts, bodyFacts(app, poseOf)));
  // Updates the pose in place, because replacing the buttons would interrupt a press.
  live?.watch(() => {
    const pose = state.now.body === null ? null : poseOf(state.now.body);
    const cells = facts.querySelectorAll<HTMLElement>(".pose");
    if (pose !== null) poseFacts(pose).forEach(([, text, title], number) => Object.assign(cells[number] ?? {}, { textContent: text, title }));
  });
  const maxDeviation = playback.bodies.map((body) => body.drawn ?? 0).reduce((max, drawn) => Math.max(max, drawn), 0);
  const legend = maxDeviation > 0
    ? element("p", { class: "empty", text: `Drawn with flat triangles: true surfaces lie within ${format.metres(maxDeviation)} of them. The check uses the true ones.` })
    : null;
  return element("div", { class: "bodies" }, table.root, legend, facts, jointsTable(app));
}

function shapeOf({ kind, solid }: BodyData): string {
  if (kind === "solid") return solid ? "solid" : "surface of a solid";
  return solid ? `${kind}, solid` : kind;
}

/** Rows for a pose: name, text and tooltip. */
function poseFacts({ position, rotation }: Pose): [string, string, string][] {
  return [
    ["Position, m", format.vector(position), position.map(format.exact).join(", ")],
    ["Rotation, wxyz", format.vector(rotation), rotation.map(format.exact).join(", ")],
  ];
}

/** `poseOf`: the live pose of a body, or null. */
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
  const onlyThis = button("Only this", () => state.set({ hidden: new Set(playback.bodies.map((_, other) => other).filter((other) => other !== number)) }));
  const all = button("All", () => state.set({ hidden: new Set() }));
  addFact(list, "Shape", shapeOf(body));
  if (body.drawn !== null && body.drawn > 0) {
    addFact(list, "Surface within", format.metres(body.drawn), { class: "number", title: "How far any point of the true surface may be from the triangles that are drawn: the check uses the true surface" });
  }
  const release = playback.recording?.releaseOf(number) ?? null;
  if (release !== null) addFact(list, "Motion", releaseWords(release), { id: "release", title: release.t === null ? "" : `${format.exact(release.t)} s` });
  if (body.parent !== null) addFact(list, "Rides on", nameLabel(app.nameOf(body.parent)));
  const blend = app.frames.blendAt(number, time);
  if (body.deforming !== null && blend !== null) {
    const [from, to] = [body.deforming.times[blend.low] ?? 0, body.deforming.times[blend.high] ?? 0];
    const frameText = from === to ? `that at ${format.seconds(from)}` : `between ${format.seconds(from)} and ${format.seconds(to)}`;
    const words = { shown: frameText, coming: `${frameText}, being read`, missing: `${frameText}, which cannot be read` };
    addFact(list, "Frame", words[app.frames.status(number, time)]);
    addFact(list, "Frames", String(body.deforming.times.length), { class: "number", title: "Those between which the body is while it is shown" });
  }
  const pose = state.now.live ? poseOf(number) : body.track.pose(time);
  for (const [name, text, title] of pose === null ? [] : poseFacts(pose)) addFact(list, name, text, { class: "number pose", title });
  if (!state.now.live) {
    const segment = body.track.segment(time);
    if (segment !== null) {
      const { screw } = segment;
      addFact(list, "Segment, s", `${format.short(segment.start)} to ${format.short(segment.end)}`, { class: "number" });
      addFact(list, "Screw axis", format.vector(screw.direction), { class: "number" });
      const through = axisPoint(screw);
      if (through !== null) addFact(list, "through, m", format.vector(through), { class: "number" });
      addFact(list, "Angle", format.degrees(screw.angle), { class: "number", title: `${format.exact(screw.angle)} rad` });
      addFact(list, "Slide", format.metres(screw.slide), { class: "number" });
    } else {
      addFact(list, "Screw", "is static now");
    }
    if (body.deviation > 0) addFact(list, "Drawn within", format.metres(body.deviation), { class: "number", title: "Maximum distance between drawn and true motion between keys" });
  }
  return element("div", {}, element("header", {}, element("h2", { text: body.name })), list,
    element("div", { class: "buttons" }, shown.root, onlyThis, all));
}

/** The robot's joints at the current time. */
function jointsTable(app: App): HTMLElement | null {
  const joints = app.playback.robot?.joints;
  if (!joints || jointsAt(app.playback, app.playback.start) === null) return null;
  const list = element("dl", { class: "facts" });
  const root = element("section", { class: "detail", attributes: { "aria-label": "Joints" } }, element("h2", { text: "Joints" }), list);
  app.state.watch(["time"], () => {
    const values = jointsAt(app.playback, app.state.now.time) ?? [];
    list.replaceChildren();
    joints.forEach((joint, number) => {
      const value = values[number] ?? 0;
      addFact(list, nameLabel(joint.name), format.jointValue(value, joint.unit), { class: "number", title: `${format.exact(value)} ${joint.unit}` });
    });
  });
  return root;
}
