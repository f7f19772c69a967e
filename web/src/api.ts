// The state of the page for tests, as `window.chasles`. It is read only and reports only what a person can see.

import type { App } from "./app.ts";
import type { Up } from "./document/playback.ts";
import type { Energy } from "./document/recording.ts";
import type { ShapeStatus } from "./document/frames.ts";
import type { Interpolation } from "./motion/interpolation.ts";
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
  /** Bodies that deform: whether the shape at the current time is shown, and the frames that it is blended from. */
  shapes: readonly { body: string; status: ShapeStatus; blend: Interpolation }[];
  /** Bytes of cached frames. */
  cachedBytes: number;
  /** The chosen finding: numbers of the report, and the highlighted features by the numbers of the files. */
  chosen: null | {
    kind: "contact" | "near" | "undecided" | "event";
    a: string;
    b: string;
    /** Time of entry; for an event, its time. */
    enter: readonly [number, number] | null;
    exit: readonly [number, number] | null;
    point: readonly number[] | null;
    normal: readonly number[] | null;
    features: { body: string; kind: string; numbers: readonly number[]; element: number; triangles: readonly number[] }[];
    /** Velocity of a relative to b, m/s. */
    velocity: readonly number[] | null;
  };
  body: string | null;
  /** Bodies drawn in the contact colour, including chosen ones. */
  touching: readonly string[];
  live: boolean;
  /**
   * The current line of a recording: its impulses in N s, strongest first, its energies, and the number of drawn
   * arrows.
   */
  recording: null | {
    line: number;
    impulses: readonly { a: string; b: string; magnitude: number }[];
    energy: Energy;
    arrows: number;
    releases: readonly { body: string; t: number | null }[];
  };
  /**
   * The response computed for the chosen contact: total impulse and velocities of both bodies after it; null if there
   * is no suggestion.
   */
  suggestion: null | { t: number; a: string; b: string; impulse: readonly number[]; after: readonly (readonly number[])[] };
  /** Number of drawn suggestion arrows: impulses, and velocities after them. */
  suggestedArrows: readonly [number, number];
  measured: readonly (readonly number[])[];
  traced: string | null;
  up: Up;
  /** Number of bodies whose section is filled. */
  caps: number;
  /** The axes x, y and z in view coordinates: right, up and towards the viewer. */
  axes: readonly (readonly number[])[];
  /**
   * Number of drawn frames, milliseconds of the last one, and whether the picture is complete; null without a picture.
   */
  frames: { frames: number; last: number; software: boolean; isIdle: boolean } | null;
  jog: null | {
    status: string;
    /** Number of hello messages from the server: one at first and one after each reconnection. */
    hellos: number;
    /** Number of requests without an answer. */
    unanswered: number;
    client: number | null;
    inControl: boolean;
    values: readonly number[];
    moves: number;
    refusal: unknown;
    verdict: unknown;
  };
  /** A simulation that a server runs: its last state, and the number of drawn arrows. */
  simulation: null | {
    status: string;
    inControl: boolean;
    unanswered: number;
    state: SimulationState | null;
    arrows: number;
  };
}

/** The connections of the page. */
export interface Connections {
  jog: Connection | null;
  simulation: LiveSimulation | null;
}

export interface PageApi {
  /** Version of this interface. */
  readonly version: 1;
  state(): PageState;
  /** Drawn pose of each body: x, y, z, qw, qx, qy, qz. */
  poses(): number[][];
  /** Drawn position of a vertex of a deforming body, in the world. */
  vertex(body: number, vertex: number): readonly number[] | null;
  /** Seconds from the start of the page's script to its first picture. */
  readonly loaded: number;
}

declare global {
  interface Window {
    chasles?: PageApi;
  }
}

/** Exposes the state of the page to tests. */
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
      body: app.nameOf(body), status: frames.status(body, time), blend: frames.blendAt(body, time) as Interpolation,
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
