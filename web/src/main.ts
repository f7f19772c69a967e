// The entry point: reads the document and builds the page.

import "./style.css";

import { exposePage } from "./api.ts";
import { App, type Source } from "./app.ts";
import { header, notices, PRESETS, tabs, toolbar } from "./chrome.ts";
import { detailPanel } from "./panels/detail.ts";
import { byId, element } from "./elements/dom.ts";
import { boundingSphere, boxCorners, boxOfMotion, type Box } from "./document/extent.ts";
import { makePanelResizable } from "./elements/divider.ts";
import { jogPanel } from "./jog/panel.ts";
import { listenToKeys } from "./keys.ts";
import { Connection, socketAddress } from "./server/connection.ts";
import { listsPanel } from "./panels/lists.ts";
import { LiveRobot } from "./jog/live.ts";
import { bodiesPanel } from "./panels/bodies.ts";
import { displayPanel } from "./panels/display.ts";
import { recordingPanel } from "./panels/recording.ts";
import { readPlayback, type Playback, type PlaybackDocument } from "./document/playback.ts";
import { startPlayer } from "./player.ts";
import { Stage } from "./picture/stage.ts";
import type { ScreenDocument } from "./screen/document.ts";
import { openScreen } from "./screen/page.ts";
import { listenToDrag } from "./simulation/drag.ts";
import { LiveSimulation } from "./simulation/live.ts";
import { simulationPanel } from "./simulation/panel.ts";
import { SimulationControl } from "./simulation/control.ts";
import type { SimulationState } from "./server/simulation.ts";
import { transport } from "./simulation/transport.ts";
import { initialValues, State } from "./state.ts";
import { systemTheme } from "./elements/theme.ts";
import { Timeline } from "./panels/timeline.ts";
import { contactFacts } from "./contact.ts";
import { View } from "./view.ts";

void start();

async function start(): Promise<void> {
  document.documentElement.dataset["look"] = systemTheme();
  makePanelResizable(byId("divider"), byId("panel"));
  try {
    const screen = document.getElementById("chasles-screen");
    if (screen !== null) {
      openScreen(JSON.parse(screen.textContent ?? "") as ScreenDocument);
      return;
    }
    const { document: found, source } = await documentOf();
    open(readPlayback(found), source);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    document.body.classList.add("failed");
    byId("name").textContent = "Nothing can be shown";
    byId("no-picture").hidden = false;
    byId("no-picture").textContent = reason;
    throw error;
  }
}

/** The document in the page, or else from the server. */
async function documentOf(): Promise<{ document: PlaybackDocument; source: Source }> {
  const within = document.getElementById("chasles-playback");
  if (within !== null) return { document: JSON.parse(within.textContent ?? "") as PlaybackDocument, source: "file" };
  let answer: Response;
  try {
    answer = await fetch("playback");
  } catch {
    throw new Error("The server that gave this page cannot be reached.");
  }
  if (!answer.ok) throw new Error(`The server gives no playback: ${answer.status} ${await answer.text()}`);
  return { document: (await answer.json()) as PlaybackDocument, source: "server" };
}

function open(playback: Playback, source: Source): void {
  const state = new State(initialValues(playback, systemTheme()));
  // A bouncing body would stop playback at every bounce.
  if (playback.recording !== null) state.set({ stops: false });
  const app = new App(playback, state, source);
  const connection = playback.jog && source === "server" ? new Connection(socketAddress("jog")) : null;
  const control = playback.simulation !== null && source === "server" ? new SimulationControl(new Connection<SimulationState>(socketAddress("live"))) : null;
  const simulation = control === null ? null : new LiveSimulation(control.connection);
  if (simulation !== null) state.set({ live: true });
  const live = connection === null ? null : new LiveRobot(connection, playback);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.set({ theme: systemTheme() }));

  const motionBox = boxOfMotion(playback);
  const canvas = byId<HTMLCanvasElement>("canvas");
  const { centre, radius } = boundingSphere(motionBox);
  const stage = Stage.open(canvas, centre, radius);
  const view = typeof stage === "string" ? null : new View(app, stage, motionBox, simulation ?? live);
  header(app, view);
  startPlayer(app);
  notices(app);
  const presets = view === null ? [] : toolbar(app, view);
  if (view === null) withoutPicture(canvas, String(stage));
  else withPicture(app, view, motionBox);
  listenToKeys(app, view, presets, control);
  if (view !== null && control !== null) listenToDrag(app, view, control);

  if (control !== null && simulation !== null) {
    tabs([
      { name: "Simulation", content: simulationPanel(app, control, simulation) },
      { name: "Bodies", content: bodiesPanel(app, simulation) }, { name: "Display", content: displayPanel(app, boundingSphere(motionBox)) },
    ]);
    byId("footer").append(transport(control, simulation));
  } else {
    playbackPanels(app, { connection, live }, motionBox);
  }

  requestAnimationFrame(() => requestAnimationFrame(() => {
    exposePage(app, view, { jog: connection, simulation }, performance.now() / 1000);
    document.body.classList.add("ready");
  }));
}

/** The pages of a motion, a recording or a robot, and the timeline. */
function playbackPanels(app: App, { connection, live }: { connection: Connection | null; live: LiveRobot | null }, motionBox: Box): void {
  const { playback, state } = app;
  const contacts = element("div", { class: "contacts" }, listsPanel(app), detailPanel(app, (finding) => contactFacts(app, finding)));
  const pages = [{ name: "Contacts", content: contacts }, { name: "Bodies", content: bodiesPanel(app, live) }, { name: "Display", content: displayPanel(app, boundingSphere(motionBox)) }];
  const { recording } = playback;
  const recorded = recording === null ? [] : [{ name: "Recording", content: recordingPanel(app, recording) }];
  const jog = connection === null ? [] : [{ name: "Jog", content: jogPanel(app, connection), shown: (on: boolean) => state.set({ live: on || app.isLiveOnly }) }];
  // A robot without a path is only jogged.
  tabs(playback.end > playback.start || jog.length === 0 ? [...recorded, ...pages, ...jog] : [...jog, ...pages]);
  if (playback.end > playback.start) new Timeline(app, byId("footer"));
  else byId("footer").hidden = true;
}

function withPicture(app: App, view: View, motionBox: Box): void {
  view.stage.fitPoints(PRESETS[0] === undefined ? null : view.stage.worldDirection(PRESETS[0][1]), boxCorners(motionBox), "at once");
  app.state.watch(["measured", "cells", "screw", "body", "theme"], () => view.refresh());
  view.stage.canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault();
    byId("no-picture").hidden = false;
    byId("no-picture").textContent = "The graphics were lost; the lists still work. The picture comes back by itself if it can.";
  });
  view.stage.canvas.addEventListener("webglcontextrestored", () => {
    byId("no-picture").hidden = true;
    view.stage.invalidate();
  });
}

function withoutPicture(canvas: HTMLCanvasElement, reason: string): void {
  canvas.hidden = true;
  for (const id of ["presets", "tools"]) byId(id).hidden = true;
  byId("no-picture").hidden = false;
  byId("no-picture").textContent = reason;
}
