// A quiet grid below everything, for the eye's sense of size.

import { Group, Vector3, type Object3D } from "three";

import { ballOf, type Box } from "../document/extent.ts";
import { thin } from "./lines.ts";
import type { Stage } from "./stage.ts";
import type { Palette } from "../elements/theme.ts";

/** The spacing of the grid: 1, 2 or 5 times a power of ten, some twenty lines across. */
export function gridStep(radius: number): number {
  const rough = radius / 8;
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5].map((factor) => factor * power).find((step) => step >= rough) ?? power * 10);
}

export function floorGrid(stage: Stage, motion: Box, colours: Palette): Object3D {
  const whole = ballOf(motion);
  const step = gridStep(whole.radius);
  const half = Math.ceil((whole.radius * 1.15) / step);
  const height = motion.low[2] - whole.radius * 0.02;
  const [x0, y0] = [Math.round(whole.centre[0] / step) * step, Math.round(whole.centre[1] / step) * step];
  const [fine, strong]: [Vector3[], Vector3[]] = [[], []];
  for (let line = -half; line <= half; line += 1) {
    const reach = half * step;
    for (const [x, y, along] of [[x0 + line * step, y0, "y"], [x0, y0 + line * step, "x"]] as const) {
      const [dx, dy] = along === "y" ? [0, reach] : [reach, 0];
      const number = Math.round((along === "y" ? x : y) / step);
      const into = number % 5 === 0 ? strong : fine;
      into.push(stage.local([x - dx, y - dy, height]), stage.local([x + dx, y + dy, height]));
    }
  }
  const group = new Group();
  for (const [points, opacity] of [[fine, 0.45], [strong, 0.9]] as const) {
    const lines = thin(points, colours.grid, opacity);
    lines.renderOrder = -1;
    group.add(lines);
  }
  return group;
}
