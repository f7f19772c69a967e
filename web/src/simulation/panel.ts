// The panel of a running simulation: control, energies, and impulses between bodies.

import type { App } from "../app.ts";
import { element, button, fill, toggle } from "../elements/dom.ts";
import { EnergyPlot } from "../panels/energy.ts";
import { energyFacts, impulseTable } from "../panels/recording.ts";
import type { LiveSimulation } from "./live.ts";
import type { SimulationControl } from "./control.ts";

/** Milliseconds between updates, slow enough to read. */
const UPDATE_INTERVAL = 100;

export function simulationPanel(app: App, control: SimulationControl, live: LiveSimulation): HTMLElement {
  const { state } = app;
  const { connection } = control;
  const status = element("div", { class: "status", role: "status", id: "simulation-status" });
  const release = button("Release control", () => void connection.request({ type: "release" }), { id: "simulation-release" });
  const retry = button("Try now", () => connection.retry());
  const shown = toggle("Show impulses", state.now.impulses, (impulses) => state.set({ impulses }),
    "Dots where bodies touch, arrows along the impulse on the second body; a blow stays for a moment (I)");
  state.watch(["impulses"], () => (shown.input.checked = state.now.impulses));
  const plot = new EnergyPlot(app, live, { interval: () => [live.times[0] ?? 0, Math.max(live.times.at(-1) ?? 0, (live.times[0] ?? 0) + 0.1)], now: () => live.state?.time ?? 0, seek: null });
  const energy = element("dl", { class: "energies", id: "energies" });
  const list = element("div", { class: "impulses", id: "impulses", attributes: { tabindex: "0", "aria-label": "Impulses now" } });
  let timer = 0;
  const show = (): void => {
    timer = 0;
    plot.draw();
    fill(energy, ...energyFacts(live.now));
    fill(list, ...impulseTable(app, live.latestImpulses()));
  };
  live.watch(() => {
    if (timer === 0) timer = window.setTimeout(show, UPDATE_INTERVAL);
  });
  let shownText = "";
  connection.watch(() => {
    const [dot, text] = statusText(control);
    release.hidden = !connection.inControl;
    retry.hidden = connection.status !== "lost";
    if (text === shownText) return;
    shownText = text;
    fill(status, element("i", { class: `dot ${dot}` }), element("span", { text }), release, retry);
  });
  return element("div", { class: "recording" },
    element("section", { class: "detail", attributes: { "aria-label": "Control" } }, status,
      element("p", { class: "empty", text: "Play, and drag a body with the mouse: a spring pulls it to the pointer. Beside bodies a drag turns the picture." })),
    element("section", { class: "detail", attributes: { "aria-label": "Energy" } }, plot.root, energy),
    element("section", { class: "detail grows", attributes: { "aria-label": "Contacts" } }, element("header", {}, element("h2", { text: "Contacts now" }), shown.root), list));
}

function statusText({ connection }: SimulationControl): readonly [string, string] {
  if (connection.status === "connecting") return ["waiting", connection.state === null ? "Connecting\u2026" : "Connecting again\u2026"];
  if (connection.status === "lost") return ["lost", "Connection lost: the simulation is paused."];
  if (connection.inControl) return ["mine", "You are in control."];
  const controller = connection.state?.controller ?? null;
  return controller === null ? ["free", "Nobody is in control. Who acts first is."] : ["other", `Client ${controller} is in control. You watch.`];
}
