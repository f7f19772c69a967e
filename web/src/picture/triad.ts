// The axes of the world with their letters, in the corner of the picture.

import { Quaternion, Vector3 } from "three";

import { fitCanvas } from "../elements/canvas.ts";
import { element } from "../elements/dom.ts";
import type { Palette } from "../elements/theme.ts";
import type { Stage } from "./stage.ts";

/** Pixels: length of an axis that lies in the picture plane, and radius of the letters' discs. */
const AXIS_PIXELS = 26;
const DISC_PIXELS = 8.5;

const LETTERS = ["x", "y", "z"] as const;

export class Triad {
  private readonly canvas = element("canvas", { id: "triad", attributes: { "aria-hidden": "true" } });
  private readonly frame = element("div", { class: "triad" }, this.canvas);
  private colours: Palette | null = null;

  constructor(private readonly stage: Stage) {
    stage.canvas.parentElement?.append(this.frame);
    stage.onFrame(() => this.draw());
  }

  /** The unit vectors of the axes in view coordinates: right, up and towards the viewer. */
  get axes(): readonly Vector3[] {
    const turn = new Quaternion().copy(this.stage.camera.quaternion).conjugate();
    return LETTERS.map((_, axis) => new Vector3(Number(axis === 0), Number(axis === 1), Number(axis === 2)).applyQuaternion(turn));
  }

  paint(colours: Palette): void {
    this.colours = colours;
    this.stage.invalidate();
  }

  private draw(): void {
    if (this.colours === null) return;
    const { context, width, height } = fitCanvas(this.canvas, this.frame);
    context.clearRect(0, 0, width, height);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = "600 11.5px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
    const { axes, ink } = this.colours;
    // Axes that point away from the viewer are drawn first.
    const order = this.axes.map((to, axis) => ({ to, axis })).sort((one, other) => one.to.z - other.to.z);
    for (const { to, axis } of order) {
      const [x, y] = [width / 2 + AXIS_PIXELS * to.x, height / 2 - AXIS_PIXELS * to.y];
      const colour = axes[axis] ?? ink;
      context.globalAlpha = to.z < -0.25 ? 0.6 : 1;
      context.strokeStyle = colour;
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(width / 2, height / 2);
      context.lineTo(x, y);
      context.stroke();
      context.beginPath();
      context.arc(x, y, DISC_PIXELS, 0, 2 * Math.PI);
      context.fillStyle = colour;
      context.fill();
      context.fillStyle = "#ffffff";
      context.fillText(LETTERS[axis] ?? "", x, y - 0.5);
    }
    context.globalAlpha = 1;
  }
}
