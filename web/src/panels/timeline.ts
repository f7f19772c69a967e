// The timeline: buttons, a ruler with marks for releases, and a row for each pair with findings. Only visible rows are
// drawn, on one canvas, so that hundreds of rows are fast.

import type { App } from "../app.ts";
import { element, select } from "../elements/dom.ts";
import { clock, exact, seconds } from "../elements/format.ts";
import { iconButton, playButton } from "../elements/icons.ts";
import { Redraw } from "../elements/redraw.ts";
import { stepTime, playOrPause } from "../player.ts";
import { drawSpan, palette } from "../elements/theme.ts";
import type { Release } from "../document/recording.ts";
import { releaseWords } from "./recording.ts";
import { truncatePair } from "../elements/names.ts";
import { type Finding, type ReportPair } from "../document/report.ts";

const ROW_HEIGHT = 20;
const RULER_HEIGHT = 30;
/** Pixels from the centre of a mark to its corners. */
const MARK_SIZE = 5;
const SPEEDS = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

interface TimelineRow {
  pair: number;
  names: Pick<ReportPair, "a" | "b">;
  spans: { finding: Finding; number: number }[];
  /** Times of events of a pair with a deforming body, increasing. */
  events: number[];
}

export class Timeline {
  private readonly canvas = element("canvas", { attributes: { "aria-hidden": "true" } });
  private readonly scroller = element("div", { class: "lanes" });
  private readonly spacer = element("div", { class: "spacer" });
  private readonly slider: HTMLElement;
  private readonly rows: TimelineRow[];
  private readonly time = element("input", { class: "time", type: "text", attributes: { "aria-label": "Time in seconds", inputmode: "decimal", spellcheck: "false" } });
  private readonly redraw = new Redraw(() => this.draw());

  constructor(private readonly app: App, root: HTMLElement) {
    this.rows = rowsOf(app);
    const { start, end } = app.playback;
    this.slider = element("div", {
      class: "slider", role: "slider",
      attributes: { tabindex: "0", "aria-label": "Time", "aria-valuemin": String(start), "aria-valuemax": String(end) },
    }, this.canvas);
    this.scroller.append(this.slider, this.spacer);
    root.append(this.transport(), this.scroller);
    this.spacer.style.height = `${this.rows.length * ROW_HEIGHT + 6}px`;
    this.scroller.style.height = `${RULER_HEIGHT + Math.min(this.rows.length, 5) * ROW_HEIGHT + (this.rows.length > 0 ? 8 : 2)}px`;
    this.scroller.addEventListener("scroll", () => this.redraw.request());
    new ResizeObserver(() => this.redraw.request()).observe(this.scroller);
    this.pointer();
    this.slider.addEventListener("keydown", (event) => {
      if (event.key === "Home") app.seek(start);
      else if (event.key === "End") app.seek(end);
      else return;
      event.preventDefault();
    });
    app.state.watch(["finding"], () => this.reveal());
    app.state.watch(["time", "finding", "timeWindow", "theme"], () => {
      const { time } = app.state.now;
      this.slider.setAttribute("aria-valuenow", String(time));
      this.slider.setAttribute("aria-valuetext", `${clock(time, end - start)} seconds`);
      if (document.activeElement !== this.time) this.time.value = clock(time, end - start);
      this.time.title = `${exact(time)} s`;
      this.redraw.request();
    });
  }

  /** Scrolls to the row of the chosen finding. */
  private reveal(): void {
    const pair = this.app.chosen?.pair;
    const row = this.rows.findIndex((row) => row.pair === pair);
    if (row < 0) return;
    const space = this.scroller.clientHeight - RULER_HEIGHT - ROW_HEIGHT;
    const { scrollTop } = this.scroller;
    this.scroller.scrollTop = Math.min(row * ROW_HEIGHT, Math.max(scrollTop, row * ROW_HEIGHT - space));
  }

  private transport(): HTMLElement {
    const { app } = this;
    const { start, end } = app.playback;
    const { button: play, show } = playButton(() => playOrPause(app));
    app.state.watch(["playing"], () => show(app.state.now.playing));
    const previous = iconButton("previous", "Previous contact (P)", () => app.stepFinding(-1));
    const next = iconButton("next", "Next contact (N)", () => app.stepFinding(1));
    const back = iconButton("back", "A step back (left arrow)", () => stepTime(app, -1, "step"));
    const forward = iconButton("forward", "A step on (right arrow)", () => stepTime(app, 1, "step"));
    for (const button of [back, forward]) button.classList.add("step");
    previous.disabled = next.disabled = app.findings.length === 0;
    const speeds = select("Speed", SPEEDS.map((speed) => [String(speed), `${speed}\u00d7`] as const), (value) => app.state.set({ speed: Number(value) }));
    speeds.value = "1";
    const loop = iconButton("loop", "Repeat", () => app.state.set({ loop: !app.state.now.loop }));
    app.state.watch(["loop"], () => loop.setAttribute("aria-pressed", String(app.state.now.loop)));
    this.time.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.applyTypedTime();
      event.stopPropagation();
    });
    this.time.addEventListener("change", () => this.applyTypedTime());
    const showAll = iconButton("fit", "Show the whole time (double click on the ruler)", () => app.state.set({ timeWindow: [start, end] }));
    const zoomIn = iconButton("plus", "Zoom the timeline in (wheel on the ruler)", () => this.zoom(app.state.now.time, 0.25));
    const zoomOut = iconButton("minus", "Zoom the timeline out", () => this.zoom(app.state.now.time, 4));
    return element("div", { class: "transport", role: "toolbar", attributes: { "aria-label": "Playback" } },
      element("div", { class: "group" }, previous, back, play, forward, next),
      element("div", { class: "group" }, this.time, element("span", { class: "unit", text: `/ ${seconds(end)}` })),
      element("div", { class: "group" }, speeds, loop),
      element("div", { class: "group end" }, zoomOut, zoomIn, showAll));
  }

  private applyTypedTime(): void {
    const value = Number(this.time.value.trim().replace("\u2212", "-"));
    if (this.time.value.trim() !== "" && Number.isFinite(value)) {
      this.app.state.set({ playing: false });
      this.app.seek(value);
    }
    this.time.value = clock(this.app.state.now.time, this.app.playback.end - this.app.playback.start);
  }

  /** Scales the shown time by `factor` about a fixed time. */
  private zoom(about: number, factor: number): void {
    const { start, end } = this.app.playback;
    const [low, high] = this.app.state.now.timeWindow;
    const width = Math.min(end - start, Math.max((end - start) * 1e-9, (high - low) * factor));
    const fraction = high > low ? (about - low) / (high - low) : 0.5;
    const from = Math.min(end - width, Math.max(start, about - width * Math.min(1, Math.max(0, fraction))));
    this.app.state.set({ timeWindow: [from, from + width] });
  }

  private pointer(): void {
    const { app, slider } = this;
    let dragging = false;
    slider.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      slider.setPointerCapture(event.pointerId);
      dragging = true;
      app.state.set({ playing: false });
      const hit = this.findingAt(event);
      const [released] = this.releasesAt(event);
      if (hit !== null) app.choose(hit);
      else if (released !== undefined) app.goToRelease(released);
      else app.seek(this.timeAt(event));
    });
    slider.addEventListener("pointermove", (event) => {
      if (dragging && event.buttons & 1) {
        if (Math.abs(event.movementX) > 0) app.seek(this.timeAt(event));
        return;
      }
      const released = this.releasesAt(event);
      slider.title = released.map((release) => `${app.nameOf(release.body)}: ${releaseWords(release)}`).join("\n");
      slider.classList.toggle("over", released.length > 0 || this.findingAt(event) !== null);
    });
    for (const name of ["pointerup", "pointercancel"] as const) slider.addEventListener(name, () => (dragging = false));
    slider.addEventListener("dblclick", (event) => {
      if (this.findingAt(event) === null) app.state.set({ timeWindow: [app.playback.start, app.playback.end] });
    });
    slider.addEventListener("wheel", (event) => {
      const onRuler = event.clientY - slider.getBoundingClientRect().top < RULER_HEIGHT;
      if (!onRuler && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(this.timeAt(event), Math.exp(event.deltaY * 0.003));
    }, { passive: false });
  }

  private gutter(): number {
    return this.rows.length === 0 ? 12 : this.scroller.clientWidth < 560 ? 12 : 176;
  }

  private timeAt(event: MouseEvent): number {
    const [low, high] = this.app.state.now.timeWindow;
    const box = this.slider.getBoundingClientRect();
    const [from, width] = [this.gutter(), box.width - this.gutter() - 12];
    return low + ((event.clientX - box.left - from) / width) * (high - low);
  }

  /** Number of the finding under the pointer. */
  private findingAt(event: MouseEvent): number | null {
    const box = this.slider.getBoundingClientRect();
    const y = event.clientY - box.top - RULER_HEIGHT;
    if (y < 0) return null;
    const row = this.rows[Math.floor((y + this.scroller.scrollTop) / ROW_HEIGHT)];
    if (row === undefined) return null;
    // The hit area is a few pixels wider than the drawing, because contacts can be short.
    const [low, high] = this.app.state.now.timeWindow;
    const slack = ((high - low) / Math.max(1, box.width)) * 4;
    const time = this.timeAt(event);
    const hit = row.spans.find(({ finding }) => time >= finding.start - slack && time <= finding.end + slack);
    return hit?.number ?? null;
  }

  /** The releases under the pointer. */
  private releasesAt(event: MouseEvent): Release[] {
    const box = this.slider.getBoundingClientRect();
    const y = event.clientY - box.top;
    if (y < RULER_HEIGHT - 2 * MARK_SIZE - 2 || y > RULER_HEIGHT) return [];
    const [low, high] = this.app.state.now.timeWindow;
    const slack = ((high - low) / Math.max(1, box.width)) * (MARK_SIZE + 2);
    const time = this.timeAt(event);
    return (this.app.playback.recording?.releases ?? []).filter(({ t }) => t !== null && Math.abs(t - time) <= slack);
  }

  private draw(): void {
    const { app, canvas, scroller } = this;
    const ratio = Math.min(2, window.devicePixelRatio);
    const [width, height] = [scroller.clientWidth, scroller.clientHeight];
    if (width === 0) return;
    this.slider.style.height = `${height}px`;
    if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
      [canvas.width, canvas.height] = [width * ratio, height * ratio];
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");
    if (context === null) return;
    const colours = palette(app.state.now.theme);
    const [low, high] = app.state.now.timeWindow;
    const from = this.gutter();
    const plotWidth = width - from - 12;
    const x = (time: number): number => from + (high > low ? ((time - low) / (high - low)) * plotWidth : 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colours.panel;
    context.fillRect(0, 0, width, height);
    context.font = "11px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    context.save();
    context.beginPath();
    context.rect(0, RULER_HEIGHT, width, height - RULER_HEIGHT);
    context.clip();
    const firstRow = Math.floor(scroller.scrollTop / ROW_HEIGHT);
    for (let number = firstRow; number < this.rows.length; number += 1) {
      const y = RULER_HEIGHT + number * ROW_HEIGHT - scroller.scrollTop;
      if (y > height) break;
      this.drawRow(context, this.rows[number] as TimelineRow, { x, y, from, plotWidth });
    }
    context.restore();
    context.textBaseline = "middle";
    drawRuler(context, [low, high], x, colours, width);
    for (const { t } of app.playback.recording?.releases ?? []) {
      if (t !== null && t >= low && t <= high) drawRelease(context, x(t), colours);
    }
    const now = x(app.state.now.time);
    if (now >= from - 1 && now <= from + plotWidth + 1) {
      context.fillStyle = colours.accent;
      context.fillRect(now - 0.75, 16, 1.5, height - 16);
      context.beginPath();
      context.moveTo(now - 5.5, 15);
      context.lineTo(now + 5.5, 15);
      context.lineTo(now + 5.5, 21);
      context.lineTo(now, 27);
      context.lineTo(now - 5.5, 21);
      context.fill();
    }
  }

  private drawRow(
    context: CanvasRenderingContext2D, row: TimelineRow, place: { x: (time: number) => number; y: number; from: number; plotWidth: number },
  ): void {
    const colours = palette(this.app.state.now.theme);
    const { y, from, plotWidth, x } = place;
    const chosen = this.app.chosen;
    context.fillStyle = colours.row;
    context.fillRect(from, y + 3, plotWidth, ROW_HEIGHT - 6);
    context.save();
    context.beginPath();
    context.rect(from - 2, y, plotWidth + 4, ROW_HEIGHT);
    context.clip();
    for (const { finding } of row.spans) {
      const [start, end] = [x(finding.start), x(finding.end)];
      if (end < from - 2 || start > from + plotWidth + 2) continue;
      drawSpan(context, finding.kind, colours, { x: start, y: y + 3, width: end - start, height: ROW_HEIGHT - 6 });
      if (finding === chosen) {
        context.strokeStyle = colours.ink;
        context.lineWidth = 1.5;
        context.strokeRect(start - 1.5, y + 1.5, Math.max(2, end - start) + 3, ROW_HEIGHT - 3);
      }
    }
    // A tick for each event, at most one per pixel.
    context.fillStyle = colours.ink;
    let last = -Infinity;
    for (const time of row.events) {
      const at = Math.round(x(time));
      if (at === last || at < from - 2 || at > from + plotWidth + 2) continue;
      last = at;
      context.fillRect(at - 0.5, y + ROW_HEIGHT - 8, 1, 6);
    }
    if (chosen?.kind === "event" && row.pair === chosen.pair) {
      context.strokeStyle = colours.ink;
      context.lineWidth = 1.5;
      context.strokeRect(x(chosen.end) - 2.5, y + 1.5, 5, ROW_HEIGHT - 3);
    }
    context.restore();
    context.fillStyle = row.pair === chosen?.pair ? colours.ink : colours.muted;
    if (from > 100) context.fillText(truncatePair(row.names, from - 24, (text) => context.measureText(text).width), 12, y + ROW_HEIGHT / 2);
  }
}

function rowsOf(app: App): TimelineRow[] {
  const rows = new Map<number, TimelineRow>();
  app.findings.forEach((finding, number) => {
    const pair = app.report?.pairs[finding.pair] as ReportPair;
    const row = rows.get(finding.pair) ?? { pair: finding.pair, names: pair, spans: [], events: [] };
    row.spans.push({ finding, number });
    rows.set(finding.pair, row);
  });
  for (const event of app.events) rows.get(event.pair)?.events.push(event.end);
  return [...rows.values()];
}

function drawRuler(
  context: CanvasRenderingContext2D, shown: readonly [number, number], x: (time: number) => number,
  colours: { muted: string; grid: string }, width: number,
): void {
  const [low, high] = shown;
  if (!(high > low)) return;
  const minStep = (high - low) / Math.max(2, width / 110);
  const power = 10 ** Math.floor(Math.log10(minStep));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= minStep) ?? power * 10;
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  context.fillStyle = colours.muted;
  context.textAlign = "center";
  for (let number = Math.ceil(low / step - 1e-9); number * step <= high + step * 1e-9; number += 1) {
    const at = x(number * step);
    context.fillStyle = colours.grid;
    context.fillRect(at - 0.5, 19, 1, 5);
    context.fillStyle = colours.muted;
    context.fillText((number * step).toFixed(Math.min(12, decimals)), Math.min(Math.max(at, 16), width - 18), 8);
  }
  context.textAlign = "left";
}

/** A diamond at the bottom of the ruler. */
function drawRelease(context: CanvasRenderingContext2D, at: number, { ink, panel }: { ink: string; panel: string }): void {
  const middle = RULER_HEIGHT - MARK_SIZE - 1;
  context.beginPath();
  context.moveTo(at, middle - MARK_SIZE);
  context.lineTo(at + MARK_SIZE, middle);
  context.lineTo(at, middle + MARK_SIZE);
  context.lineTo(at - MARK_SIZE, middle);
  context.closePath();
  context.fillStyle = ink;
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = panel;
  context.stroke();
}
