// Playback by the screen's clock at the chosen speed. It stops at the start of a contact, unless that is switched off.

import type { App } from "./app.ts";

/** Advances the time while the page plays. */
export function startPlayer(app: App): void {
  let last = 0;
  let running = false;
  const tick = (now: number): void => {
    const { playing, speed, loop, time } = app.state.now;
    if (!playing) {
      running = false;
      return;
    }
    requestAnimationFrame(tick);
    // Limits the step after the tab was inactive.
    const passed = Math.min(0.1, Math.max(0, (now - last) / 1000)) * speed;
    last = now;
    const { start, end } = app.playback;
    const next = time + passed;
    const contact = app.nextContact(time, Math.min(next, end));
    if (contact !== null) app.choose(contact);
    // Time waits for shapes that are still loading.
    else if (!app.frames.ready(Math.min(next, end))) app.frames.prefetch(Math.min(next, end), speed);
    else if (next < end) app.seek(next);
    else if (loop) app.seek(start);
    else {
      app.seek(end);
      app.state.set({ playing: false });
    }
  };
  app.state.watch(["playing"], () => {
    if (!app.state.now.playing || running) return;
    running = true;
    requestAnimationFrame((now) => {
      last = now;
      tick(now);
    });
  });
}

/** Plays or pauses; at the end it restarts. */
export function playOrPause(app: App): void {
  const { playing, time } = app.state.now;
  const { start, end } = app.playback;
  if (start === end) return;
  if (!playing && time >= end) app.seek(start);
  app.state.set({ playing: !playing, live: false });
}

/** A small step of time: a hundredth or a thousandth of the shown time. */
export function stepTime(app: App, direction: 1 | -1, size: "step" | "fine"): void {
  const [low, high] = app.state.now.timeWindow;
  app.state.set({ playing: false });
  app.seek(app.state.now.time + (direction * (high - low)) / (size === "fine" ? 1000 : 100));
}
