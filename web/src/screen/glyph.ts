// The marks of collisions, as in the still picture: a triangle up for a vertex of A, a triangle down for a vertex of B,
// a square for edges. They are filled if proper, white if not, and hollow if a nearer part of B is on the line.

import type { Collision } from "./document.ts";

export interface GlyphColours {
  ink: string;
  paper: string;
}

const SHAPES = {
  up: [[0, -1], [0.9, 0.7], [-0.9, 0.7]],
  down: [[0, 1], [0.9, -0.7], [-0.9, -0.7]],
  square: [[-0.75, -0.75], [0.75, -0.75], [0.75, 0.75], [-0.75, 0.75]],
} as const;

/** Draws the mark of a collision at a pixel; `size` is half its height. */
export function glyph(
  context: CanvasRenderingContext2D, [x, y]: readonly [number, number],
  collision: Pick<Collision, "kind" | "proper" | "behind">, { size, ink, paper }: GlyphColours & { size: number },
): void {
  // Proper collisions are the most important ones.
  const half = collision.proper ? size * 1.25 : size;
  const shape = SHAPES[collision.kind === "vertex-face" ? "up" : collision.kind === "face-vertex" ? "down" : "square"];
  context.beginPath();
  shape.forEach(([dx, dy], k) => context[k === 0 ? "moveTo" : "lineTo"](x + half * dx, y + half * dy));
  context.closePath();
  if (!collision.behind) {
    context.fillStyle = collision.proper ? ink : paper;
    context.fill();
  }
  // A light rim is legible on any colour.
  context.lineJoin = "round";
  context.strokeStyle = paper;
  context.lineWidth = collision.behind ? 3.5 : 3;
  if (collision.behind || collision.proper) context.stroke();
  context.strokeStyle = ink;
  context.lineWidth = 1.5;
  context.stroke();
}

/** A ring around a selected point. */
export function ring(context: CanvasRenderingContext2D, [x, y]: readonly [number, number], radius: number, colour: string, paper: string): void {
  for (const [width, style] of [[5, paper], [2.5, colour]] as const) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.lineWidth = width;
    context.strokeStyle = style;
    context.stroke();
  }
}
