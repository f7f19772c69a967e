// The toolbar of a simulation: restart, play, one step, and its time.

import { element } from "../elements/dom.ts";
import { short } from "../elements/format.ts";
import { iconButton, playButton } from "../elements/icons.ts";
import type { LiveSimulation } from "./live.ts";
import type { SimulationControl } from "./control.ts";

/** A smaller deviation of the pace counts as real time. */
const PACE_TOLERANCE = 0.05;

export function transport(control: SimulationControl, live: LiveSimulation): HTMLElement {
  const { button: play, show: showPlaying } = playButton(() => control.playOrPause());
  const restart = iconButton("previous", "Begin again (R)", () => control.restart());
  const step = iconButton("forward", "One step (.)", () => control.step());
  const time = element("output", { class: "number", id: "simulation-time", attributes: { "aria-label": "Time of the simulation" } });
  const status = element("span", { class: "unit", id: "simulation-said", role: "status" });
  let running: boolean | null = null;
  const show = (): void => {
    const { state } = live;
    for (const button of [play, restart, step]) button.disabled = !control.canControl;
    if (state?.end) play.disabled = step.disabled = true;
    if (state !== null && state.running !== running) {
      running = state.running;
      showPlaying(running);
    }
    time.textContent = state === null ? "" : `${state.time.toFixed(3)} s`;
    const text = state === null ? "" : statusText(live);
    if (status.textContent !== text) status.textContent = text;
  };
  live.watch(show);
  control.connection.watch(show);
  return element("div", { class: "transport", role: "toolbar", attributes: { "aria-label": "Simulation" } },
    element("div", { class: "group" }, restart, play, step), element("div", { class: "group" }, time), status);
}

function statusText({ state }: LiveSimulation): string {
  if (state === null) return "";
  if (state.end !== null) return `Ended: ${state.end}.`;
  if (state.paused !== null) return `Paused: ${state.paused}.`;
  if (state.running && Math.abs(state.pace - 1) > PACE_TOLERANCE) return `${short(state.pace, 2)}\u00d7 as fast as the clock`;
  return "";
}
