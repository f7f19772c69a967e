// The drawn unrolled screen: both bodies, A in the colours of the clearance, and the marks of collisions. Layers that
// rarely change are cached.

import { fitCanvas } from "../elements/canvas.ts";
import { short } from "../elements/format.ts";
import { Redraw } from "../elements/redraw.ts";
import { palette } from "../elements/theme.ts";
import { glyph, ring } from "./glyph.ts";
import { rangeOf, type BodyLayout } from "./layout.ts";
import { ticksOf } from "./ticks.ts";
import { colourOfTime, cssColour } from "./scale.ts";
import type { ScreenApp } from "./state.ts";
import type { ScreenPoint } from "./unroll.ts";

/** Margins for labels: left, top, right, bottom, in pixels. */
const MARGINS = [62, 12, 14, 42] as const;

/** Both axes have the same scale unless this ratio is exceeded. */
const MAX_SCALE_RATIO = 2.5;

/** Triangles per path, because the cost of a path grows faster than its length. */
const BATCH = 64;

/** Outlines with more lines are thin. */
const CROWDED = 3000;

/** Number of distinct shades. */
const SHADES = 160;

/** With more marks, the marks are smaller. */
const MANY_MARKS = 40;

const OUTLINES = { light: { a: "#1b5e9e", b: "#9c5a00", fill: "#f4e3c6" }, dark: { a: "#79c1ef", b: "#f0b445", fill: "#4d4231" } };

/** The visible region: its centre, and pixels per metre of each axis. */
interface ChartWindow {
  middle: ScreenPoint;
  scale: ScreenPoint;
}

export class Chart {
  private readonly layer = document.createElement("canvas");
  private readonly extent: { low: ScreenPoint; high: ScreenPoint };
  private window: ChartWindow;
  private size: ScreenPoint = [1, 1];
  private stale = true;
  private readonly redraw = new Redraw(() => this.draw());
  /** True until the user zooms. */
  private fitted = true;

  constructor(private readonly app: ScreenApp, readonly canvas: HTMLCanvasElement, private readonly around: HTMLElement) {
    this.extent = this.clampToPeriod(rangeOf(app.layouts, app.places) ?? { low: [-1, -1], high: [1, 1] });
    this.window = { middle: [0, 0], scale: [1, 1] };
    new ResizeObserver(() => this.refresh()).observe(around);
    app.state.watch(["theme", "colourRange"], () => this.refresh());
    app.state.watch(["line", "chosen", "marks"], () => this.redraw.request());
    this.listen();
    this.refresh();
  }

  /** Ratio of the two scales, at least 1. */
  private get scaleRatio(): number {
    const [x, y] = this.window.scale;
    return Math.max(x / y, y / x);
  }

  /** Whether no redraw is pending. */
  get isIdle(): boolean {
    return !this.redraw.isPending;
  }

  /** The distance from the axis at the centre of the bodies. */
  get middle(): number {
    return this.app.unrolled.flat ? 0 : (this.extent.low[0] + this.extent.high[0]) / 2;
  }

  /** From a screen point to pixels of the canvas. */
  pixel([r, h]: ScreenPoint): [number, number] {
    const { middle, scale } = this.window;
    const [left, top, right, bottom] = this.field();
    return [(left + right) / 2 + (r - middle[0]) * scale[0], (top + bottom) / 2 - (h - middle[1]) * scale[1]];
  }

  /** From pixels of the canvas to a screen point. */
  placeAt([x, y]: readonly [number, number]): ScreenPoint {
    const { middle, scale } = this.window;
    const [left, top, right, bottom] = this.field();
    return [middle[0] + (x - (left + right) / 2) / scale[0], middle[1] - (y - (top + bottom) / 2) / scale[1]];
  }

  /** Fits the view to the bodies. */
  fit(): void {
    this.fitted = true;
    this.refresh();
  }

  /** Zooms in (above 1) or out about a pixel. */
  zoom(factor: number, at: readonly [number, number] | null): void {
    const [left, top, right, bottom] = this.field();
    const pixel = at ?? [(left + right) / 2, (top + bottom) / 2] as const;
    const anchor = this.placeAt(pixel);
    const { scale } = this.window;
    this.window.scale = [scale[0] * factor, scale[1] * factor];
    const now = this.placeAt(pixel);
    this.shift([anchor[0] - now[0], anchor[1] - now[1]]);
  }

  private shift([r, h]: ScreenPoint): void {
    this.fitted = false;
    this.window.middle = [this.window.middle[0] + r, this.window.middle[1] + h];
    this.stale = true;
    this.redraw.request();
  }

  /** Limits a range to half a period above and below; patches beyond appear on the other side too. */
  private clampToPeriod(range: { low: ScreenPoint; high: ScreenPoint }): { low: ScreenPoint; high: ScreenPoint } {
    const limit = this.app.unrolled.period(range.high[0]) / 2;
    if (!(limit > 0)) return range;
    return {
      low: [Math.max(0, range.low[0]), Math.max(range.low[1], -limit)],
      high: [range.high[0], Math.min(range.high[1], limit)],
    };
  }

  private field(): readonly [number, number, number, number] {
    const [left, top, right, bottom] = MARGINS;
    return [left, top, Math.max(left + 1, this.size[0] - right), Math.max(top + 1, this.size[1] - bottom)];
  }

  private fitWindow(): void {
    const { low, high } = this.extent;
    const [left, top, right, bottom] = this.field();
    const spans = [high[0] - low[0], high[1] - low[1]] as const;
    const maxSpan = Math.max(...spans);
    const space = [right - left - 16, bottom - top - 16] as const;
    const scales = [0, 1].map((k) => Math.max(1, space[k] as number) / Math.max(spans[k] as number, maxSpan * 1e-6, 1e-300)) as [number, number];
    const minScale = Math.min(...scales);
    // Scales the axes separately if one scale would leave a thin strip.
    const scale = scales.map((factor) => (factor > MAX_SCALE_RATIO * minScale ? factor : minScale)) as [number, number];
    this.window = { middle: [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2], scale };
  }

  private refresh(): void {
    this.stale = true;
    this.redraw.request();
  }

  private draw(): void {
    const { context, width, height } = fitCanvas(this.canvas, this.around);
    if (this.size[0] !== width || this.size[1] !== height) this.stale = true;
    this.size = [width, height];
    if (this.stale) {
      this.stale = false;
      if (this.fitted) this.fitWindow();
      this.drawLayer();
    }
    context.clearRect(0, 0, width, height);
    context.drawImage(this.layer, 0, 0, width, height);
    this.drawMarks(context);
  }

  /** Draws bodies and axes to the cached layer. */
  private drawLayer(): void {
    const { context, width, height } = fitCanvas(this.layer, this.around);
    const { app } = this;
    const colours = palette(app.state.now.theme);
    const outlines = OUTLINES[app.state.now.theme];
    context.clearRect(0, 0, width, height);
    const [left, top, right, bottom] = this.field();
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    const [a, b] = app.layouts;
    const times = app.data.a.patches.times;
    this.fill(context, b, () => outlines.fill);
    // Rounds to distinct shades, so that neighbours of one colour are filled at once.
    const { maxTime } = app.scale;
    const shade = (time: number): number => (time >= 0 ? (Math.round((time / maxTime) * SHADES) / SHADES) * maxTime : time);
    this.fill(context, a, (patch) => cssColour(colourOfTime(shade(times[patch] as number), maxTime)));
    for (const [layout, colour, dash] of [[b, outlines.b, [6, 3]], [a, outlines.a, []]] as const) {
      context.strokeStyle = colour;
      this.strokes(context, layout.creases, 0.6, []);
      this.strokes(context, layout.outline, layout.outline.length > CROWDED ? 1 : 2, dash);
    }
    const turn = this.turnOutline();
    if (turn !== null) {
      context.globalCompositeOperation = "destination-in";
      context.fill(turn);
    }
    context.globalCompositeOperation = "destination-over";
    context.fillStyle = colours.panel;
    context.fillRect(left, top, right - left, bottom - top);
    context.globalCompositeOperation = "source-over";
    if (turn !== null) {
      context.strokeStyle = colours.muted;
      context.lineWidth = 1;
      context.setLineDash([1, 3]);
      context.stroke(turn);
      context.setLineDash([]);
    }
    context.restore();
    this.axes(context);
  }

  /** The region of one period: from half a period below height 0 to half a period above. */
  private turnOutline(): Path2D | null {
    const { unrolled } = this.app;
    const [left, , right] = this.field();
    const edge: ScreenPoint[] = [];
    for (let x = left - 4; x <= right + 8; x += 4) {
      const r = Math.max(0, this.placeAt([x, 0])[0]);
      const period = unrolled.period(r);
      if (period > 0 || (r === 0 && unrolled.period(1) > 0)) edge.push([r, period / 2]);
    }
    if (edge.length < 2) return null;
    const path = new Path2D();
    edge.forEach((place, k) => path[k === 0 ? "moveTo" : "lineTo"](...this.pixel(place)));
    edge.reverse().forEach(([r, h]) => path.lineTo(...this.pixel([r, -h])));
    path.closePath();
    return path;
  }

  private fill(context: CanvasRenderingContext2D, layout: BodyLayout, colour: (patch: number) => string): void {
    context.lineWidth = 0.7;
    context.lineJoin = "round";
    let [style, path, count] = ["", new Path2D(), 0];
    const paint = (): void => {
      if (style === "") return;
      [context.fillStyle, context.strokeStyle] = [style, style];
      context.fill(path);
      // Without the stroke, the background would show between neighbours of different colours.
      context.stroke(path);
    };
    for (let k = 0; k < layout.patches.length; k += 1) {
      const next = colour(layout.patches[k] as number);
      if (next !== style || count >= BATCH) {
        paint();
        [style, path, count] = [next, new Path2D(), 0];
      }
      count += 1;
      const corners = [0, 1, 2].map((corner) => {
        const at = 6 * k + 2 * corner;
        return this.pixel([layout.triangles[at] as number, layout.triangles[at + 1] as number]);
      }) as [[number, number], [number, number], [number, number]];
      const [p, q, r] = corners;
      // Uses one orientation, because overlapping triangles of opposite orientation would cancel.
      const isClockwise = (q[0] - p[0]) * (r[1] - p[1]) < (q[1] - p[1]) * (r[0] - p[0]);
      path.moveTo(...p);
      path.lineTo(...(isClockwise ? r : q));
      path.lineTo(...(isClockwise ? q : r));
      path.closePath();
    }
    paint();
  }

  private strokes(context: CanvasRenderingContext2D, lines: readonly (readonly ScreenPoint[])[], width: number, dash: readonly number[]): void {
    context.lineWidth = width;
    context.lineCap = "round";
    context.setLineDash([...dash]);
    context.beginPath();
    let last: readonly [number, number] = [Number.NaN, Number.NaN];
    for (const [from, to] of lines) {
      if (from === undefined || to === undefined) continue;
      const [p, q] = [this.pixel(from), this.pixel(to)];
      // Continues the dashes from line to line.
      if (Math.hypot(p[0] - last[0], p[1] - last[1]) > 0.01 || Number.isNaN(last[0])) context.moveTo(...p);
      context.lineTo(...q);
      last = q;
    }
    context.stroke();
    context.setLineDash([]);
  }

  private axes(context: CanvasRenderingContext2D): void {
    const { app } = this;
    const colours = palette(app.state.now.theme);
    const [left, top, right, bottom] = this.field();
    context.strokeStyle = colours.muted;
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
    context.fillStyle = colours.ink;
    context.font = "11px system-ui, sans-serif";
    const [low, high] = [this.placeAt([left, bottom]), this.placeAt([right, top])];
    const names = app.unrolled.flat
      ? ["across the motion, m", "across the motion, at right angles to it, m"]
      : ["r: distance from the axis, m", "h: height across the motion, m"];
    context.textAlign = "center";
    // A distance from an axis is not negative.
    const nearest = app.unrolled.flat ? low[0] : Math.max(0, low[0]);
    for (const { value, text } of ticksOf(nearest, high[0], (right - left) / 70)) {
      const [x] = this.pixel([value, 0]);
      line(context, [x, bottom], [x, bottom + 4]);
      context.fillText(text, x, bottom + 16);
    }
    context.fillText(names[0] as string, (left + right) / 2, bottom + 33);
    // On the canvas, because text beside it would change the canvas size, and with it the text.
    if (this.scaleRatio > 1.01) {
      context.textAlign = "right";
      context.fillStyle = colours.muted;
      context.fillText(`stretched ${short(this.scaleRatio, 2)} : 1`, right, bottom + 33);
      context.fillStyle = colours.ink;
    }
    context.textAlign = "right";
    for (const { value, text } of ticksOf(low[1], high[1], (bottom - top) / 40)) {
      const [, y] = this.pixel([0, value]);
      line(context, [left - 4, y], [left, y]);
      context.fillText(text, left - 7, y + 4);
    }
    context.save();
    context.translate(12, (top + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(names[1] as string, 0, 0);
    context.restore();
  }

  private drawMarks(context: CanvasRenderingContext2D): void {
    const { app } = this;
    const { collisions } = app.data;
    const { line: pointed, chosen, marks, theme } = app.state.now;
    const colours = palette(theme);
    const size = collisions.length > MANY_MARKS ? 4 : 5.5;
    const style = { size, ink: "#101010", paper: "#ffffff" };
    const [left, top, right, bottom] = this.field();
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    for (const number of marks ? app.markedCollisions : []) {
      const [collision, place] = [collisions[number], app.places[number]];
      if (collision !== undefined && place !== undefined) glyph(context, this.pixel(place), collision, style);
    }
    const [picked, place] = chosen === null ? [] : [collisions[chosen], app.places[chosen]];
    if (picked !== undefined && place !== undefined) {
      const at = this.pixel(place);
      glyph(context, at, picked, { ...style, size: 7 });
      ring(context, at, 13, colours.contact, colours.panel);
    }
    if (pointed !== null) {
      const at = this.pixel(pointed.place);
      context.strokeStyle = colours.ink;
      context.lineWidth = 1;
      context.globalAlpha = 0.45;
      line(context, [at[0], top], [at[0], bottom]);
      line(context, [left, at[1]], [right, at[1]]);
      context.globalAlpha = 1;
      ring(context, at, 6, colours.screw, colours.panel);
    }
    context.restore();
  }

  private listen(): void {
    const { canvas } = this;
    const { state } = this.app;
    const at = (event: PointerEvent | WheelEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons === 1) this.shift([-event.movementX / this.window.scale[0], event.movementY / this.window.scale[1]]);
      else if (event.buttons === 0) this.pointAt(this.placeAt(at(event)));
    });
    canvas.addEventListener("pointerleave", () => {
      if (state.now.line?.from === "screen") state.set({ line: null });
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), at(event));
    }, { passive: false });
    canvas.addEventListener("dblclick", () => this.fit());
    canvas.addEventListener("click", (event) => {
      const number = this.markAt(at(event));
      if (number !== null) this.app.choose(number);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** Selects the flow line at a screen point. */
  pointAt(place: ScreenPoint): void {
    this.app.state.set({ line: this.app.lineAt(place, "screen") });
  }

  /** The collision whose mark is nearest to a pixel, within a few pixels. */
  private markAt([x, y]: readonly [number, number]): number | null {
    let [found, minDistance]: [number | null, number] = [null, 9];
    this.app.markedCollisions.forEach((number) => {
      const [px, py] = this.pixel(this.app.places[number] as ScreenPoint);
      const separation = Math.hypot(px - x, py - y);
      if (separation < minDistance) [found, minDistance] = [number, separation];
    });
    return found;
  }

  /** The arrow keys move the selected screen point. */
  private key(event: KeyboardEvent): void {
    const directions: Record<string, ScreenPoint> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const direction = directions[event.key];
    if (event.key === "+" || event.key === "=" || event.key === "-") this.zoom(event.key === "-" ? 1 / 1.2 : 1.2, null);
    else if (event.key === "Home") this.fit();
    else if (direction !== undefined) {
      const from = this.app.state.now.line?.place ?? this.window.middle;
      const step = event.shiftKey ? 2 : 10;
      const place: ScreenPoint = [from[0] + (direction[0] * step) / this.window.scale[0], from[1] + (direction[1] * step) / this.window.scale[1]];
      const line = this.app.lineAt(place, "screen");
      // Outside both bodies, the cursor still moves.
      const point = this.app.unrolled.pointAt(place);
      if (line !== null || point !== null) {
        this.app.state.set({ line: line ?? { from: "screen", place, point: point as NonNullable<typeof point>, a: null, b: null, time: null } });
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function line(context: CanvasRenderingContext2D, from: readonly [number, number], to: readonly [number, number]): void {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}
