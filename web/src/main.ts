// The page begins here: it reads the document, and puts its parts together.

import "./style.css";

import { offer } from "./api.ts";
import { App, type Source } from "./app.ts";
import { header, notices, PRESETS, tabs, toolbar } from "./chrome.ts";
import { detail } from "./panels/detail.ts";
import { byId, element } from "./elements/dom.ts";
import { ballOf, cornersOf, wholeMotion, type Box } from "./document/extent.ts";
import { widenPanel } from "./elements/divider.ts";
import { jogPanel } from "./jog/panel.ts";
import { listenToKeys } from "./keys.ts";
import { Link, socketAddress } from "./server/connection.ts";
import { lists } from "./panels/lists.ts";
import { Live } from "./jog/live.ts";
import { bodiesPanel, displayPanel } from "./panels/pages.ts";
import { recordingPanel } from "./panels/recording.ts";
import { readPlayback, type Playback, type PlaybackDocument } from "./document/playback.ts";
import { startPlayer } from "./player.ts";
import { Stage } from "./picture/stage.ts";
import type { ScreenDocument } from "./screen/document.ts";
import { openScreen } from "./screen/open.ts";
import { listenToHand } from "./simulation/hand.ts";
import { LiveSimulation } from "./simulation/live.ts";
import { simulationPanel } from "./simulation/panel.ts";
import { Runner } from "./simulation/runner.ts";
import type { SimulationState } from "./server/simulation.ts";
import { transport } from "./simulation/transport.ts";
import { initial, State } from "./state.ts";
import { systemLook } from "./elements/theme.ts";
import { Timeline } from "./panels/timeline.ts";
import { contactFacts } from "./contact.ts";
import { View } from "./view.ts";

void begin();

async function begin(): Promise<void> {
  document.documentElement.dataset["look"] = systemLook();
  widenPanel(byId("divider"), byId("panel"));
  try {
    const screen = document.getElementById("chasles-screen");
    if (screen !== null) {
      openScreen(JSON.parse(screen.textContent ?? "") as ScreenDocument);
      return;
    }
    const { document: found, source } = await documentOf();
    open(readPlayback(found), source);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    document.body.classList.add("failed");
    byId("name").textContent = "Nothing can be shown";
    byId("no-picture").hidden = false;
    byId("no-picture").textContent = why;
    throw error;
  }
}

/** The document within the page, or else the server's. */
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
  const state = new State(initial(playback, systemLook()));
  // What bounces would stop at every bounce.
  if (playback.recording !== null) state.set({ stops: false });
  const app = new App(playback, state, source);
  const link = playback.jog && source === "server" ? new Link(socketAddress("jog")) : null;
  const runner = playback.simulation !== null && source === "server" ? new Runner(new Link<SimulationState>(socketAddress("live"))) : null;
  const simulated = runner === null ? null : new LiveSimulation(runner.link);
  if (simulated !== null) state.set({ live: true });
  const live = link === null ? null : new Live(link, playback);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.set({ look: systemLook() }));

  const whole = wholeMotion(playback);
  const canvas = byId<HTMLCanvasElement>("canvas");
  const { centre, radius } = ballOf(whole);
  const stage = Stage.open(canvas, centre, radius);
  const view = typeof stage === "string" ? null : new View(app, stage, whole, simulated ?? live);
  header(app, view);
  startPlayer(app);
  notices(app);
  const presets = view === null ? [] : toolbar(app, view);
  if (view === null) withoutPicture(canvas, String(stage));
  else withPicture(app, view, whole);
  listenToKeys(app, view, presets, runner);
  if (view !== null && runner !== null) listenToHand(app, view, runner);

  if (runner !== null && simulated !== null) {
    tabs([
      { name: "Simulation", content: simulationPanel(app, runner, simulated) },
      { name: "Bodies", content: bodiesPanel(app, simulated) }, { name: "Display", content: displayPanel(app, ballOf(whole)) },
    ]);
    byId("footer").append(transport(runner, simulated));
  } else {
    pagesOf(app, { link, live }, whole);
  }

  requestAnimationFrame(() => requestAnimationFrame(() => {
    offer(app, view, { jog: link, simulation: simulated }, performance.now() / 1000);
    document.body.classList.add("ready");
  }));
}

/** The pages of a motion, a recording or a robot, and the timeline. */
function pagesOf(app: App, { link, live }: { link: Link | null; live: Live | null }, whole: Box): void {
  const { playback, state } = app;
  const contacts = element("div", { class: "contacts" }, lists(app), detail(app, (happening) => contactFacts(app, happening)));
  const pages = [{ name: "Contacts", content: contacts }, { name: "Bodies", content: bodiesPanel(app, live) }, { name: "Display", content: displayPanel(app, ballOf(whole)) }];
  const { recording } = playback;
  const recorded = recording === null ? [] : [{ name: "Recording", content: recordingPanel(app, recording) }];
  const jog = link === null ? [] : [{ name: "Jog", content: jogPanel(app, link), shown: (on: boolean) => state.set({ live: on || app.followed }) }];
  // A robot without a path is there to be jogged.
  tabs(playback.end > playback.begin || jog.length === 0 ? [...recorded, ...pages, ...jog] : [...jog, ...pages]);
  if (playback.end > playback.begin) new Timeline(app, byId("footer"));
  else byId("footer").hidden = true;
}

function withPicture(app: App, view: View, whole: Box): void {
  view.stage.frame(PRESETS[0] === undefined ? null : view.stage.facing(PRESETS[0][1]), cornersOf(whole), "at once");
  app.state.watch(["measured", "cells", "screw", "body", "look"], () => view.refresh());
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

function withoutPicture(canvas: HTMLCanvasElement, why: string): void {
  canvas.hidden = true;
  for (const id of ["presets", "tools"]) byId(id).hidden = true;
  byId("no-picture").hidden = false;
  byId("no-picture").textContent = why;
}
