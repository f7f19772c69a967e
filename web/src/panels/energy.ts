// Energy over time: kinetic, potential, dissipated and total. A click seeks to a time.

import type { App } from "../app.ts";
import { totalEnergy, type EnergyHistory, type Energy } from "../document/recording.ts";
import { element } from "../elements/dom.ts";
import { joules, seconds } from "../elements/format.ts";
import { palette, type Palette } from "../elements/theme.ts";

const HEIGHT = 168;
const LEFT = 66;
const BOTTOM = 18;
const TOP = 8;

export interface EnergyCurve {
  readonly name: "kinetic" | "potential" | "dissipated" | "sum";
  readonly colour: (colours: Palette) => string;
  /** Pixels of dash and gap, because colour alone must not distinguish curves. */
  readonly dash: readonly number[];
  readonly value: (energy: Energy) => number;
}

export const CURVES: readonly EnergyCurve[] = [
  { name: "sum", colour: ({ ink }) => ink, dash: [], value: totalEnergy },
  { name: "kinetic", colour: ({ a }) => a, dash: [], value: ({ kinetic }) => kinetic },
  { name: "potential", colour: ({ near }) => near, dash: [7, 3], value: ({ potential }) => potential },
  { name: "dissipated", colour: ({ contact }) => contact, dash: [2, 3], value: ({ dissipated }) => dissipated },
];

/** The time axis of the plot. */
export interface EnergyPlotSource {
  /** The shown time interval. */
  interval(): readonly [number, number];
  /** The time of the marker. */
  now(): number;
  /** Seeks to a clicked time; null if that is not possible. */
  seek: ((time: number) => void) | null;
}

export class EnergyPlot {
  readonly root = element("figure", { class: "plot energy" });
  private readonly canvas = element("canvas", { role: "img", id: "energy-plot", attributes: { "aria-label": "Energy over time" } });
  /** The curves, cached for a width and a theme. The marker is drawn over them. */
  private readonly curves = document.createElement("canvas");
  private drawnFor = "";
  private range: readonly [number, number] = [0, 0];

  constructor(private readonly app: App, private readonly energies: EnergyHistory, private readonly shown: EnergyPlotSource) {
    this.root.append(element("figcaption", { text: "Energy over time" }), this.canvas);
    new ResizeObserver(() => this.draw()).observe(this.root);
    const seekAt = (event: PointerEvent): void => {
      const [start, end] = shown.interval();
      const box = this.canvas.getBoundingClientRect();
      shown.seek?.(start + ((event.clientX - box.left - LEFT) / (box.width - LEFT - 8)) * (end - start));
    };
    this.canvas.classList.toggle("still", shown.seek === null);
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.canvas.setPointerCapture(event.pointerId);
      seekAt(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seekAt(event);
    });
    app.state.watch(["time", "theme"], () => this.draw());
  }

  draw(): void {
    const { app, canvas, curves, energies: { times } } = this;
    const width = this.root.clientWidth;
    if (width < 40) return;
    const ratio = Math.min(2, window.devicePixelRatio);
    const key = [width, ratio, app.state.now.theme, times.length, times[times.length - 1]].join();
    if (key !== this.drawnFor) {
      for (const target of [canvas, curves]) [target.width, target.height] = [width * ratio, HEIGHT * ratio];
      canvas.style.width = `${width}px`;
      canvas.style.height = `${HEIGHT}px`;
      this.range = rangeOf(this.energies);
      this.drawCurves(width, ratio);
      this.drawnFor = key;
    }
    const context = canvas.getContext("2d");
    if (context === null) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(curves, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = palette(app.state.now.theme).accent;
    context.fillRect(this.xOf(this.shown.now(), width) - 0.75, TOP, 1.5, HEIGHT - BOTTOM - TOP);
  }

  private xOf(time: number, width: number): number {
    const [start, end] = this.shown.interval();
    return LEFT + (end > start ? (time - start) / (end - start) : 0) * (width - LEFT - 8);
  }

  private drawCurves(width: number, ratio: number): void {
    const context = this.curves.getContext("2d");
    if (context === null) return;
    const { app, energies, range: [low, high] } = this;
    const [start, end] = this.shown.interval();
    const colours = palette(app.state.now.theme);
    const bottom = HEIGHT - BOTTOM;
    const y = (value: number): number => bottom - (high > low ? (value - low) / (high - low) : 0) * (bottom - TOP);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "11px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
    context.fillStyle = colours.row;
    context.fillRect(LEFT, TOP, width - LEFT - 8, bottom - TOP);
    if (low < 0 && high > 0) {
      context.fillStyle = colours.grid;
      context.fillRect(LEFT, y(0) - 0.5, width - LEFT - 8, 1);
    }
    context.fillStyle = colours.muted;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(joules(high), LEFT - 6, TOP + 4, LEFT - 8);
    if (high > low) context.fillText(joules(low), LEFT - 6, bottom - 2, LEFT - 8);
    context.textBaseline = "top";
    context.fillText(seconds(end), width - 8, bottom + 5);
    context.textAlign = "left";
    context.fillText(seconds(start), LEFT, bottom + 5);
    context.lineJoin = "round";
    // The total is on top of the other curves.
    for (const curve of [...CURVES].reverse()) {
      context.strokeStyle = curve.colour(colours);
      context.lineWidth = curve.name === "sum" ? 1 : 1.75;
      context.setLineDash([...curve.dash]);
      context.beginPath();
      for (const [at, value] of curvePoints(energies, curve, (time) => this.xOf(time, width))) context.lineTo(at, y(value));
      context.stroke();
    }
    context.setLineDash([]);
  }
}

/** The range of all curves, including 0. */
function rangeOf(energies: EnergyHistory): readonly [number, number] {
  let [low, high] = [0, 0];
  for (let line = 0; line < energies.times.length; line += 1) {
    for (const { value } of CURVES) {
      const level = value(energies.energy(line));
      low = Math.min(low, level);
      high = Math.max(high, level);
    }
  }
  return [low, high];
}

/** The points of a curve: for each pixel the first, minimum, maximum and last value. */
export function curvePoints(energies: EnergyHistory, { value }: EnergyCurve, xOf: (time: number) => number): [number, number][] {
  const points: [number, number][] = [];
  let [pixel, low, high, last] = [NaN, 0, 0, 0];
  const close = (): void => {
    if (Number.isNaN(pixel)) return;
    for (const level of new Set([low, high, last])) points.push([pixel, level]);
  };
  for (let line = 0; line < energies.times.length; line += 1) {
    const at = Math.round(xOf(energies.times[line] as number) * 2) / 2;
    const level = value(energies.energy(line));
    if (at !== pixel) {
      close();
      points.push([at, level]);
      [pixel, low, high] = [at, level, level];
    }
    [low, high, last] = [Math.min(low, level), Math.max(high, level), level];
  }
  close();
  return points;
}
