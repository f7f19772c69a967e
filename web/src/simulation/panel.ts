// What a simulation tells while it runs: who is in control, its energy, and the impulses between bodies.

import type { App } from "../app.ts";
import { element, button, fill, toggle } from "../elements/dom.ts";
import { EnergyPlot } from "../panels/energy.ts";
import { energyFacts, impulseTable } from "../panels/recording.ts";
import type { LiveSimulation } from "./live.ts";
import type { Runner } from "./runner.ts";

/** Numbers follow each other so slowly that they can be read, in milliseconds. */
const READABLE = 100;

export function simulationPanel(app: App, runner: Runner, live: LiveSimulation): HTMLElement {
  const { state } = app;
  const { link } = runner;
  const status = element("div", { class: "status", role: "status", id: "simulation-status" });
  const release = button("Release control", () => void link.ask({ type: "release" }), { id: "simulation-release" });
  const retry = button("Try now", () => link.retry());
  const shown = toggle("Show impulses", state.now.impulses, (impulses) => state.set({ impulses }),
    "Dots where bodies touch, arrows along the impulse on the second body; a blow stays for a moment (I)");
  state.watch(["impulses"], () => (shown.input.checked = state.now.impulses));
  const plot = new EnergyPlot(app, live, { span: () => [live.times[0] ?? 0, Math.max(live.times.at(-1) ?? 0, (live.times[0] ?? 0) + 0.1)], now: () => live.state?.time ?? 0, go: null });
  const energy = element("dl", { class: "energies", id: "energies" });
  const list = element("div", { class: "impulses", id: "impulses", attributes: { tabindex: "0", "aria-label": "Impulses now" } });
  let timer = 0;
  const show = (): void => {
    timer = 0;
    plot.draw();
    fill(energy, ...energyFacts(live.now));
    fill(list, ...impulseTable(app, live.newest()));
  };
  live.watch(() => {
    if (timer === 0) timer = window.setTimeout(show, READABLE);
  });
  let said = "";
  link.watch(() => {
    const [dot, text] = standing(runner);
    release.hidden = !link.inControl;
    retry.hidden = link.standing !== "lost";
    if (text === said) return;
    said = text;
    fill(status, element("i", { class: `dot ${dot}` }), element("span", { text }), release, retry);
  });
  return element("div", { class: "recording" },
    element("section", { class: "detail", attributes: { "aria-label": "Control" } }, status,
      element("p", { class: "empty", text: "Play, and drag a body with the mouse: a spring pulls it to the pointer. Beside bodies a drag turns the picture." })),
    element("section", { class: "detail", attributes: { "aria-label": "Energy" } }, plot.root, energy),
    element("section", { class: "detail grows", attributes: { "aria-label": "Contacts" } }, element("header", {}, element("h2", { text: "Contacts now" }), shown.root), list));
}

function standing({ link }: Runner): readonly [string, string] {
  if (link.standing === "connecting") return ["waiting", link.state === null ? "Connecting\u2026" : "Connecting again\u2026"];
  if (link.standing === "lost") return ["lost", "Connection lost: the simulation is paused."];
  if (link.inControl) return ["mine", "You are in control."];
  const controller = link.state?.controller ?? null;
  return controller === null ? ["free", "Nobody is in control. Who acts first is."] : ["other", `Client ${controller} is in control. You watch.`];
}
