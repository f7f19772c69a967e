// What the page of a screen tells to tests, as `window.chaslesScreen`: read only, and nothing that a person does not see.

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
  /** Pieces of A and of B. */
  patches: readonly [number, number];
  /** Whether both pictures show all there is to show. */
  isIdle: boolean;
}

export interface ScreenApi {
  readonly version: 1;
  state(): ScreenState;
  /** Where a point of the frame of B, and one that A has at the start, is seen in the 3D view: pixels of the page. */
  pixelOf(point: Vec3): readonly [number, number] | null;
  pixelOfA(point: Vec3): readonly [number, number] | null;
  /** Where a place is seen on the screen: pixels of the page. */
  pixelOfPlace(place: ScreenPoint): readonly [number, number];
  placeOf(point: Vec3): ScreenPoint;
}

declare global {
  interface Window {
    chaslesScreen?: ScreenApi;
  }
}

/** Lets tests read the page. */
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
      const { fraction, playing, chosen, line, styleOfB: other, theme } = app.state.now;
      return {
        fraction, playing, chosen, line, styleOfB: other, theme, collisions: app.data.collisions.length,
        patches: [app.data.a.patches.count, app.data.b.patches.count], isIdle: (view?.stage.isIdle ?? true) && chart.isIdle,
      };
    },
    pixelOf,
    pixelOfA: (point) => pixelOf(app.now(point)),
    pixelOfPlace: (place) => onPage(chart.canvas, chart.pixel(place)),
    placeOf: (point) => app.unrolled.toScreen(point),
  };
}
