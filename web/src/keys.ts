// Keyboard shortcuts. Text fields keep the keys that are typed into them.

import type { App } from "./app.ts";
import { trackFocus, usesKey } from "./elements/focus.ts";
import { stepTime, playOrPause } from "./player.ts";
import type { SimulationControl } from "./simulation/control.ts";
import type { View } from "./view.ts";

export const KEYS: readonly [string, string][] = [
  ["Space", "play, pause"], ["N, P", "next, previous contact"], ["\u2190 \u2192", "a step of time; with Shift a tenth"],
  ["Home, End", "begin, end"], ["F", "fit"], ["1 \u2013 7", "camera: corner, front, back, left, right, top, bottom"],
  ["W, E", "wireframe, feature edges"], ["G, H", "ghosts, screw"], ["B, X", "bounding volumes, section"],
  ["I", "impulses"], ["M, T", "measure, path of a point"], ["D", "dark, light"], ["Esc", "clear the selection"],
];

/** Shortcuts of a running simulation. */
export const SIMULATION_KEYS: readonly [string, string][] = [["Space", "play, pause"], [".", "one step"], ["R", "begin again"]];
/** Shortcuts for seeking, which a running simulation does not have. */
const SEEK_KEYS: readonly string[] = ["Space", "N, P", "\u2190 \u2192", "Home, End", "G, H"];

/** The shortcuts of a page. */
export const keysOf = (app: App): readonly (readonly [string, string])[] =>
  (app.playback.simulation === null ? KEYS : [...SIMULATION_KEYS, ...KEYS.filter(([key]) => !SEEK_KEYS.includes(key))]);

export function listenToKeys(app: App, view: View | null, presets: readonly (() => void)[], control: SimulationControl | null): void {
  const { state } = app;
  const actions: Record<string, () => void> = {
    " ": () => playOrPause(app),
    n: () => app.stepFinding(1),
    p: () => app.stepFinding(-1),
    Home: () => app.seek(app.playback.start),
    End: () => app.seek(app.playback.end),
    f: () => view?.fit(null),
    w: () => state.set({ wireframe: !state.now.wireframe }),
    e: () => state.set({ edges: !state.now.edges }),
    g: () => state.set({ ghosts: !state.now.ghosts }),
    h: () => state.set({ screw: !state.now.screw }),
    b: () => state.set({ boxes: !state.now.boxes }),
    x: () => state.set({ section: !state.now.section }),
    i: () => state.set({ impulses: !state.now.impulses }),
    m: () => state.set({ tool: state.now.tool === "measure" ? "choose" : "measure" }),
    t: () => state.set({ tool: state.now.tool === "trace" ? "choose" : "trace" }),
    d: () => state.set({ theme: state.now.theme === "dark" ? "light" : "dark" }),
    Escape: () => state.set({ finding: null, body: null, tool: "choose", measured: [], traced: null }),
  };
  if (control !== null) {
    for (const key of ["n", "p", "Home", "End", "g", "h"]) delete actions[key];
    actions[" "] = () => control.playOrPause();
    actions["."] = () => control.step();
    actions["r"] = () => control.restart();
  }
  presets.forEach((preset, number) => (actions[String(number + 1)] = preset));
  trackFocus();
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") !== null) return;
    const target = event.target as HTMLElement;
    if (usesKey(event)) return;
    const onPicture = target.id === "canvas";
    if (event.key === "ArrowLeft" || event.key === "ArrowRight" || event.key === "ArrowUp" || event.key === "ArrowDown") {
      const direction = event.key === "ArrowLeft" || event.key === "ArrowDown" ? -1 : 1;
      if (onPicture && view !== null) {
        const sideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
        view.stage.orbit(sideways ? direction * 0.12 : 0, sideways ? 0 : direction * 0.12);
      } else if (control !== null) {
        return;
      } else if (event.key === "ArrowLeft" || event.key === "ArrowRight" || target.getAttribute("role") === "slider") {
        stepTime(app, direction, event.shiftKey ? "fine" : "step");
      } else {
        return;
      }
      event.preventDefault();
      return;
    }
    if (onPicture && view !== null && (event.key === "+" || event.key === "=" || event.key === "-")) {
      view.stage.zoom(event.key === "-" ? 1.15 : 1 / 1.15);
      return;
    }
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (action === undefined || event.repeat && event.key === " ") return;
    event.preventDefault();
    action();
  });
}
