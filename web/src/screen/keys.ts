// Keyboard shortcuts of the screen page, and its playback.

import { trackFocus, usesKey } from "../elements/focus.ts";
import type { ScreenApp } from "./state.ts";
import type { ScreenView } from "./view.ts";

export const KEYS: readonly (readonly [string, string])[] = [
  ["Space", "play, pause"], ["N, P", "next, previous collision"], ["\u2190 \u2192", "a step of the motion; with Shift a tenth"],
  ["Home, End", "begin, end"], ["F", "fit"], ["1 \u2013 7", "camera: ahead, front, back, left, right, top, bottom"],
  ["B", "the static body translucent, solid, hidden"], ["M", "marks"], ["C", "where the colours end"], ["D", "dark, light"],
  ["Esc", "clear the selection"], ["on the screen", "arrows move the place pointed at, + and \u2212 zoom, Home shows all"],
];

/** Milliseconds of the playback of the whole motion. */
const PLAYED = 6000;

/** Plays or pauses the motion of A; at the end it restarts. */
export function play(app: ScreenApp): void {
  const { state } = app;
  if (state.now.playing) {
    state.set({ playing: false });
    return;
  }
  state.set({ playing: true, fraction: state.now.fraction >= 1 ? 0 : state.now.fraction });
  let last = performance.now();
  const tick = (now: number): void => {
    if (!state.now.playing) return;
    // Limits the step after the tab was inactive.
    const next = state.now.fraction + Math.min(100, Math.max(0, now - last)) / PLAYED;
    last = now;
    state.set({ fraction: Math.min(1, next), playing: next < 1 });
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

export function listen(app: ScreenApp, view: ScreenView | null, presets: readonly (() => void)[]): void {
  const { state } = app;
  const styles = ["translucent", "solid", "hidden"] as const;
  const actions: Record<string, () => void> = {
    " ": () => play(app),
    n: () => app.step(1),
    p: () => app.step(-1),
    Home: () => app.seek(0),
    End: () => app.seek(1),
    f: () => view?.fit(null),
    b: () => state.set({ styleOfB: styles[(styles.indexOf(state.now.styleOfB) + 1) % styles.length] ?? "translucent" }),
    m: () => state.set({ marks: !state.now.marks }),
    c: () => state.set({ colourRange: state.now.colourRange === "motion" ? "furthest" : "motion" }),
    d: () => state.set({ theme: state.now.theme === "dark" ? "light" : "dark" }),
    Escape: () => app.choose(null),
  };
  presets.forEach((preset, number) => (actions[String(number + 1)] = preset));
  const arrows: Record<string, readonly [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  trackFocus();
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") !== null) return;
    const target = event.target as HTMLElement;
    if (usesKey(event)) return;
    const arrow = arrows[event.key];
    if (arrow !== undefined) {
      if (target.id === "canvas") view?.stage.orbit(arrow[0] * 0.12, arrow[1] * 0.12);
      else if (arrow[0] !== 0) app.seek(state.now.fraction + arrow[0] * (event.shiftKey ? 0.001 : 0.01));
      else return;
      event.preventDefault();
      return;
    }
    if (target.id === "canvas" && ["+", "=", "-"].includes(event.key)) {
      view?.stage.zoom(event.key === "-" ? 1.15 : 1 / 1.15);
      return;
    }
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (action === undefined || (event.repeat && event.key === " ")) return;
    event.preventDefault();
    action();
  });
}
