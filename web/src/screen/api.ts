// The state of the screen page for tests, as `window.chaslesScreen`. It is read only and reports only what a person can
// see.

import type { Vec3 } from "../motion/vector.ts";
import type { Chart } from "./chart.ts";
import type { ScreenApp, ScreenValues } from "./state.ts";
import type { ScreenPoint } from "./unroll.ts";
import type { ScreenView } from "./view.ts";

export interface ScreenState {
  fraction: number;
  playing: boolean;
  chosen: number | null;
  line: ScreenValues["line"];
  styleOfB: ScreenValues["styleOfB"];
  theme: ScreenValues["theme"];
  collisions: number;
  /** Number of patches of A and of B. */
  patches: readonly [number, number];
  /** Whether both pictures are complete. */
  isIdle: boolean;
}

export interface ScreenApi {
  readonly version: 1;
  state(): ScreenState;
  /** Page pixel of a point in the 3D view: in the frame of B, or on A at its start pose. */
  pixelOf(point: Vec3): readonly [number, number] | null;
  pixelOfA(point: Vec3): readonly [number, number] | null;
  /** Page pixel of a screen point. */
  pixelOfPlace(place: ScreenPoint): readonly [number, number];
  placeOf(point: Vec3): ScreenPoint;
}

declare global {
  interface Window {
    chaslesScreen?: ScreenApi;
  }
}

/** Exposes the state of the page to tests. */
export function exposeScreen(app: ScreenApp, view: ScreenView | null, chart: Chart): void {
  const onPage = (canvas: HTMLCanvasElement, at: readonly [number, number]): readonly [number, number] => {
    const { left, top } = canvas.getBoundingClientRect();
    return [at[0] + left, at[1] + top];
  };
  const pixelOf = (point: Vec3): readonly [number, number] | null => {
    const at = view?.pixel(point) ?? null;
    return at === null || view === null ? null : onPage(view.stage.canvas, at);
  };
  window.chaslesScreen = {
    version: 1,
    state: () => {
      const { fraction, playing, chosen, line, styleOfB, theme } = app.state.now;
      return {
        fraction, playing, chosen, line, styleOfB, theme, collisions: app.data.collisions.length,
        patches: [app.data.a.patches.count, app.data.b.patches.count], isIdle: (view?.stage.isIdle ?? true) && chart.isIdle,
      };
    },
    pixelOf,
    pixelOfA: (point) => pixelOf(app.now(point)),
    pixelOfPlace: (place) => onPage(chart.canvas, chart.pixel(place)),
    placeOf: (point) => app.unrolled.toScreen(point),
  };
}
