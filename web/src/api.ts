// What the page tells to tests, as `window.chasles`: read only, and nothing that a person does not see.

import type { App } from "./app.ts";
import type { Up } from "./document/playback.ts";
import type { Energy } from "./document/recording.ts";
import type { FrameBlend, ShapeStatus } from "./document/frames.ts";
import { contactFacts } from "./contact.ts";
import type { View } from "./view.ts";
import { eventOf, intervalOf, contactOf } from "./document/report.ts";
import type { Connection } from "./server/connection.ts";
import type { LiveSimulation } from "./simulation/live.ts";
import type { SimulationState } from "./server/simulation.ts";
import type { Pose } from "./motion/vector.ts";

/** The state of the page as plain data. */
export interface PageState {
  name: string;
  kind: "scene" | "robot";
  start: number;
  end: number;
  time: number;
  playing: boolean;
  speed: number;
  bodies: number;
  triangles: number;
  findings: number;
  events: number;
  /** Bodies that deform: whether they are shown as they are at the time, and between which of their frames. */
  shapes: readonly { body: string; status: ShapeStatus; blend: FrameBlend }[];
  /** Bytes of frames that the page keeps. */
  cachedBytes: number;
  /** What is chosen: the report's numbers and the features that are highlighted, by the numbers of the files. */
  chosen: null | {
    kind: "contact" | "near" | "undecided" | "event";
    a: string;
    b: string;
    /** Of an event its time. */
    enter: readonly [number, number] | null;
    exit: readonly [number, number] | null;
    point: readonly number[] | null;
    normal: readonly number[] | null;
    features: { body: string; kind: string; numbers: readonly number[]; element: number; triangles: readonly number[] }[];
    /** Of a relative to b, m/s. */
    velocity: readonly number[] | null;
  };
  body: string | null;
  /** The bodies that are painted as in contact, chosen ones among them. */
  touching: readonly string[];
  live: boolean;
  /** Of a recording: the line that is played, its impulses in N s, the strongest first, its energies, and how many arrows are drawn. */
  recording: null | {
    line: number;
    impulses: readonly { a: string; b: string; magnitude: number }[];
    energy: Energy;
    arrows: number;
    releases: readonly { body: string; t: number | null }[];
  };
  /** What would follow where the chosen contact begins: the sum of the impulses, and the velocities of both after it; null: nothing is suggested. */
  suggestion: null | { t: number; a: string; b: string; impulse: readonly number[]; after: readonly (readonly number[])[] };
  /** How many arrows of suggestions are drawn: of impulses, and of velocities after them. */
  suggestedArrows: readonly [number, number];
  measured: readonly (readonly number[])[];
  traced: string | null;
  up: Up;
  /** How many bodies are filled where a section cuts them. */
  caps: number;
  /** Where x, y and z point in the picture: to the right, upward, and out of it. */
  axes: readonly (readonly number[])[];
  /** Pictures drawn so far, milliseconds of the last, and whether it shows all there is to show; null where there is no picture. */
  frames: { frames: number; last: number; software: boolean; isIdle: boolean } | null;
  jog: null | {
    status: string;
    /** How often the server has greeted this page: once, and once more after each cut. */
    hellos: number;
    /** Requests without an answer yet. */
    unanswered: number;
    client: number | null;
    inControl: boolean;
    values: readonly number[];
    moves: number;
    refusal: unknown;
    verdict: unknown;
  };
  /** A simulation that a server runs: what it told last, and how many arrows are drawn. */
  simulation: null | {
    status: string;
    inControl: boolean;
    unanswered: number;
    state: SimulationState | null;
    arrows: number;
  };
}

/** What a page is connected to. */
export interface Connections {
  jog: Connection | null;
  simulation: LiveSimulation | null;
}

export interface PageApi {
  /** Of this reader. */
  readonly version: 1;
  state(): PageState;
  /** Where each body is shown: x, y, z, qw, qx, qy, qz. */
  poses(): number[][];
  /** Where a vertex of a body that deforms is drawn, in the world. */
  vertex(body: number, vertex: number): readonly number[] | null;
  /** Seconds from the beginning of the page's script to its first picture. */
  readonly loaded: number;
}

declare global {
  interface Window {
    chasles?: PageApi;
  }
}

/** Lets tests read the page. */
export function exposePage(app: App, view: View | null, links: Connections, loaded: number): void {
  const numbers = (pose: Pose): number[] => [...pose.position, ...pose.rotation];
  window.chasles = {
    version: 1,
    loaded,
    state: () => stateOf(app, view, links),
    vertex: (body, vertex) => view?.vertex(body, vertex) ?? null,
    poses: () => (view?.poses() ?? app.playback.bodies.map(({ track }) => track.pose(app.state.now.time))).map(numbers),
  };
}

function stateOf(app: App, view: View | null, { jog: connection, simulation }: Connections): PageState {
  const { playback, state, findings: list, frames } = app;
  const { time, playing, speed, body, live, traced } = state.now;
  const triangles = playback.bodies.reduce((sum, body) =>
    sum + body.elements.reduce((of, { mesh }) => of + (playback.meshes[mesh]?.triangles.length ?? 0) / 3, 0), 0);
  return {
    name: playback.name, kind: playback.kind, start: playback.start, end: playback.end, time, playing, speed,
    bodies: playback.bodies.length, triangles, findings: list.length, events: app.events.length,
    shapes: [...frames.deforming].map((body) => ({
      body: app.nameOf(body), status: frames.status(body, time), blend: frames.blendAt(body, time) as FrameBlend,
    })),
    cachedBytes: frames.bytes, chosen: chosenOf(app),
    body: body === null ? null : app.nameOf(body),
    touching: live ? [] : [...app.bodiesInContact()].sort((x, y) => x - y).map((body) => app.nameOf(body)), live,
    recording: recordingOf(app, view), suggestion: suggestionOf(app), suggestedArrows: view?.suggestions ?? [0, 0],
    measured: view?.measured() ?? [], traced: traced === null ? null : app.nameOf(traced.body),
    up: state.now.up, caps: view?.bodies.caps.count ?? 0, axes: view?.axes() ?? [],
    frames: view === null ? null : { ...view.stage.counts, software: view.stage.software, isIdle: view.stage.isIdle },
    jog: connection === null ? null : {
      status: connection.status, hellos: connection.hellos, unanswered: connection.unanswered, client: connection.client, inControl: connection.inControl,
      values: connection.state?.values ?? [], moves: connection.state?.moves ?? 0, refusal: connection.state?.refusal ?? null, verdict: connection.state?.verdict ?? null,
    },
    simulation: simulation === null ? null : {
      status: simulation.connection.status, inControl: simulation.connection.inControl, unanswered: simulation.connection.unanswered,
      state: simulation.state, arrows: view?.arrows ?? 0,
    },
  };
}

function recordingOf(app: App, view: View | null): PageState["recording"] {
  const { recording } = app.playback;
  if (recording === null) return null;
  const line = recording.lineAt(app.state.now.time);
  const impulses = recording.impulses(line).list.map(({ a, b, magnitude }) => ({ a: app.nameOf(a), b: app.nameOf(b), magnitude }));
  const releases = recording.releases.map(({ body, t }) => ({ body: app.nameOf(body), t }));
  return { line, impulses, energy: recording.energy(line), arrows: view?.arrows ?? 0, releases };
}

function suggestionOf(app: App): PageState["suggestion"] {
  const found = app.suggestionOf(app.chosen);
  if (found === null) return null;
  const [a, b] = found.sides;
  return { t: found.time, a: app.nameOf(a.body), b: app.nameOf(b.body), impulse: found.impulse, after: [a.after.linear, b.after.linear] };
}

function chosenOf(app: App): PageState["chosen"] {
  const { chosen, report } = app;
  const pair = chosen === null ? undefined : report?.pairs[chosen.pair];
  if (chosen === null || report === null || pair === undefined) return null;
  const interval = intervalOf(report, chosen);
  const contact = contactOf(report, chosen);
  const { features, velocity } = contactFacts(app, chosen);
  return {
    kind: chosen.kind, a: pair.a, b: pair.b, enter: interval?.enter ?? eventOf(report, chosen)?.time ?? null, exit: interval?.exit ?? null,
    point: contact?.point ?? null, normal: contact?.normal ?? null,
    features: features.map(({ body, kind, numbers, element, triangles }) => ({ body: app.nameOf(body), kind, numbers, element, triangles })),
    velocity,
  };
}
