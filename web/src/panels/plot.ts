// The distance of a pair over time, with contact intervals behind the curve. A click seeks to a time.

import type { App } from "../app.ts";
import { element } from "../elements/dom.ts";
import { metres, seconds } from "../elements/format.ts";
import type { GapCurve } from "../document/playback.ts";
import { drawSpan, palette } from "../elements/theme.ts";

const HEIGHT = 132;
/** Room for six digits and a unit. */
const LEFT = 76;
const BOTTOM = 18;

export class GapPlot {
  readonly root = element("figure", { class: "plot" });
  private readonly canvas = element("canvas", { role: "img", attributes: { "aria-label": "Gap over time" } });
  private readonly caption = element("figcaption", {});
  private curve: GapCurve | null = null;
  private pair: readonly [number, number] | null = null;
  private readonly curves = new Map<string, GapCurve | null>();

  constructor(private readonly app: App) {
    this.root.append(this.caption, this.canvas);
    for (const curve of app.playback.gaps) this.curves.set(curve.pair.join(), curve);
    new ResizeObserver(() => this.draw()).observe(this.root);
    const seekAt = (event: PointerEvent): void => {
      const { start, end } = app.playback;
      const box = this.canvas.getBoundingClientRect();
      app.state.set({ playing: false });
      app.seek(start + ((event.clientX - box.left - LEFT) / (box.width - LEFT - 8)) * (end - start));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seekAt(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seekAt(event);
    });
    app.state.watch(["time", "theme", "finding"], () => this.draw());
  }

  /** Shows the curve of this pair as soon as it is loaded. */
  async show(pair: readonly [number, number]): Promise<void> {
    this.pair = pair;
    const key = pair.join();
    this.curve = this.curves.get(key) ?? null;
    this.setCaption("Gap over time");
    this.draw();
    if (this.curves.has(key) || this.app.source === "file") {
      if (this.curve === null) this.setCaption("The gap over time of this pair is not in this file.");
      return;
    }
    this.setCaption("Working out the gap over time\u2026");
    let found: GapCurve | null = null;
    let reason = "";
    try {
      const answer = await fetch(`gap?a=${pair[0]}&b=${pair[1]}`);
      if (answer.ok) found = (await answer.json()) as GapCurve;
      else reason = (await answer.text()).slice(0, 200);
    } catch {
      reason = "the server cannot be reached";
    }
    if (found !== null) this.curves.set(key, found);
    if (this.pair !== pair) return;
    this.curve = found;
    this.setCaption(found === null ? `No gap over time: ${reason}` : "Gap over time");
    this.draw();
  }

  /** Shows the reason why there is no curve. */
  showReason(reason: string): void {
    [this.pair, this.curve] = [null, null];
    this.setCaption(reason);
  }

  private setCaption(text: string): void {
    this.caption.textContent = text;
    this.canvas.hidden = this.curve === null;
  }

  private draw(): void {
    const { curve, canvas, app, pair } = this;
    const width = this.root.clientWidth;
    if (curve === null || pair === null || width < 40) return;
    const ratio = Math.min(2, window.devicePixelRatio);
    [canvas.width, canvas.height] = [width * ratio, HEIGHT * ratio];
    canvas.style.width = `${width}px`;
    canvas.style.height = `${HEIGHT}px`;
    const context = canvas.getContext("2d");
    if (context === null) return;
    const colours = palette(app.state.now.theme);
    const { start, end } = app.playback;
    const maxGap = Math.max(...curve.gap.map((gap) => gap ?? 0), 0);
    const [bottom, top] = [HEIGHT - BOTTOM, 8];
    const x = (time: number): number => LEFT + (end > start ? (time - start) / (end - start) : 0) * (width - LEFT - 8);
    const y = (gap: number): number => bottom - (maxGap > 0 ? gap / maxGap : 0) * (bottom - top);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "11px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
    context.fillStyle = colours.row;
    context.fillRect(LEFT, top, width - LEFT - 8, bottom - top);
    for (const finding of app.findings) {
      const [a, b] = app.playback.pairs[finding.pair] ?? [-1, -1];
      if (a !== pair[0] || b !== pair[1]) continue;
      context.globalAlpha = 0.4;
      const from = x(finding.start);
      drawSpan(context, finding.kind, colours, { x: from, y: top, width: x(finding.end) - from, height: bottom - top });
      context.globalAlpha = 1;
    }
    context.fillStyle = colours.muted;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(metres(maxGap), LEFT - 6, top + 4, LEFT - 8);
    context.fillText("0", LEFT - 6, bottom);
    context.textAlign = "left";
    context.textBaseline = "top";
    context.fillText(seconds(start), LEFT, bottom + 5);
    context.textAlign = "right";
    context.fillText(seconds(end), width - 8, bottom + 5);
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    context.beginPath();
    let broken = true;
    curve.times.forEach((time, i) => {
      const gap = curve.gap[i];
      if (gap === null || gap === undefined) {
        broken = true;
      } else {
        if (broken) context.moveTo(x(time), y(gap));
        else context.lineTo(x(time), y(gap));
        broken = false;
      }
    });
    context.stroke();
    context.fillStyle = colours.accent;
    context.fillRect(x(app.state.now.time) - 0.75, top, 1.5, bottom - top);
  }
}
