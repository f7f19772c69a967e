// A grid below the scene, which shows the scale.

import { Group, Vector3, type Object3D } from "three";

import { boundingSphere, type Box } from "../document/extent.ts";
import type { Up } from "../document/playback.ts";
import { thinLines } from "./lines.ts";
import type { Stage } from "./stage.ts";
import type { Palette } from "../elements/theme.ts";
import type { Vec3 } from "../motion/vector.ts";

/** The spacing of the grid: 1, 2 or 5 times a power of ten, for some twenty lines. */
export function gridStep(radius: number): number {
  const minStep = radius / 8;
  const power = 10 ** Math.floor(Math.log10(minStep));
  return ([1, 2, 5].map((factor) => factor * power).find((step) => step >= minStep) ?? power * 10);
}

export function floorGrid(stage: Stage, motion: Box, up: Up, colours: Palette): Object3D {
  const ball = boundingSphere(motion);
  const step = gridStep(ball.radius);
  const half = Math.ceil((ball.radius * 1.15) / step);
  const [across, along] = up === "z" ? ([0, 1] as const) : ([0, 2] as const);
  const height = motion.low[up === "z" ? 2 : 1] - ball.radius * 0.02;
  const place = (x: number, y: number): Vec3 => (up === "z" ? [x, y, height] : [x, height, y]);
  const [x0, y0] = [Math.round(ball.centre[across] / step) * step, Math.round(ball.centre[along] / step) * step];
  const [fine, strong]: [Vector3[], Vector3[]] = [[], []];
  for (let line = -half; line <= half; line += 1) {
    const reach = half * step;
    for (const [x, y, axis] of [[x0 + line * step, y0, "y"], [x0, y0 + line * step, "x"]] as const) {
      const [dx, dy] = axis === "y" ? [0, reach] : [reach, 0];
      const number = Math.round((axis === "y" ? x : y) / step);
      const into = number % 5 === 0 ? strong : fine;
      into.push(stage.toScene(place(x - dx, y - dy)), stage.toScene(place(x + dx, y + dy)));
    }
  }
  const group = new Group();
  for (const [points, opacity] of [[fine, 0.45], [strong, 0.9]] as const) {
    const lines = thinLines(points, colours.grid, opacity);
    lines.renderOrder = -1;
    group.add(lines);
  }
  return group;
}
