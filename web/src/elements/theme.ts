// Colours of the picture and of canvases. They are the palette of Okabe and Ito, which is safe for colour blindness.
// Form also distinguishes the kinds: contact is solid, near is outlined, undecided is hatched.

import type { Theme } from "../state.ts";

export interface Palette {
  top: string;
  bottom: string;
  static: string;
  moving: string;
  edge: string;
  a: string;
  b: string;
  contact: string;
  near: string;
  undecided: string;
  screw: string;
  trace: string;
  grid: string;
  ink: string;
  muted: string;
  line: string;
  panel: string;
  row: string;
  accent: string;
  /** Colours of x, y and z, dark enough for white letters. */
  axes: readonly [string, string, string];
}

const LIGHT: Palette = {
  top: "#f7f8fa", bottom: "#dfe3e8", static: "#b9bec6", moving: "#93a1b3", edge: "#343b46",
  a: "#3f94d1", b: "#e6a11c", contact: "#d55e00", near: "#009e73", undecided: "#b0578d",
  screw: "#0072b2", trace: "#009e73", grid: "#c3c9d1", ink: "#1d2229", muted: "#626b77", line: "#d9dde3",
  panel: "#ffffff", row: "#f3f5f7", accent: "#0069a6",
  axes: ["#c0392b", "#2e8540", "#2563b0"],
};

const DARK: Palette = {
  top: "#2a2f36", bottom: "#16191d", static: "#7d858f", moving: "#8d9eb4", edge: "#0f1114",
  a: "#56b4e9", b: "#e69f00", contact: "#ff7a1f", near: "#2cc295", undecided: "#dd8fbb",
  screw: "#79c6f2", trace: "#2cc295", grid: "#3d444d", ink: "#e8ebef", muted: "#9aa4b0", line: "#363c44",
  panel: "#1f2328", row: "#262b31", accent: "#62b5ea",
  axes: ["#c94f42", "#34914a", "#3f7fcf"],
};

export const palette = (theme: Theme): Palette => (theme === "dark" ? DARK : LIGHT);

/** The preference of the user's system. */
export function systemTheme(): Theme {
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Kinds with a colour and a form of their own. */
export type FindingKind = "contact" | "near" | "undecided" | "event";

/** The colour of a kind of finding. */
export function colourOf(kind: FindingKind, colours: Palette): string {
  return colours[kind === "event" ? "contact" : kind];
}

/** Fills a rectangle by kind: solid, outlined, or hatched; at least two pixels wide. */
export function drawSpan(
  context: CanvasRenderingContext2D, kind: FindingKind, colours: Palette,
  box: { x: number; y: number; width: number; height: number },
): void {
  const { x, y, height } = box;
  const width = Math.max(2, box.width);
  const colour = colourOf(kind, colours);
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.fillStyle = colour;
  context.strokeStyle = colour;
  if (kind === "contact" || kind === "event") {
    context.fillRect(x, y, width, height);
  } else if (kind === "near") {
    context.globalAlpha = 0.25;
    context.fillRect(x, y, width, height);
    context.globalAlpha = 1;
    context.fillRect(x, y, width, 1.5);
    context.fillRect(x, y + height - 1.5, width, 1.5);
  } else {
    context.globalAlpha = 0.18;
    context.fillRect(x, y, width, height);
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    context.beginPath();
    // The hatching is anchored to the canvas, so that it continues across neighbours.
    for (let at = Math.floor((x - height) / 5) * 5; at < x + width; at += 5) {
      context.moveTo(at, y + height);
      context.lineTo(at + height, y);
    }
    context.stroke();
  }
  context.restore();
}
