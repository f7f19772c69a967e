// Visualises the search: the oriented boxes of meshes, and the grid cells that the boxes of bodies cover.

import { Group, Vector3 } from "three";

import type { Bodies } from "./bodies.ts";
import { worldBox, bodyCorners, type Box } from "../document/extent.ts";
import { clearGroup, thinLines } from "./lines.ts";
import type { Playback } from "../document/playback.ts";
import type { Stage } from "./stage.ts";
import type { Palette } from "../elements/theme.ts";
import type { Pose, Vec3 } from "../motion/vector.ts";

/** Maximum mean number of cells per box, as in the engine's grid. */
const MEAN_CELLS = 16;
/** Maximum number of drawn cells, except for two per box. */
const MAX_CELLS = 6000;

const EDGES = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7];

/** A cell, and the number of bodies whose boxes reach into it. */
export interface Cell extends Box {
  bodies: number;
}

export class Bounds {
  private readonly cells = new Group();
  private readonly boxes: Group[] = [];
  private readonly local: Vec3[][];

  constructor(private readonly playback: Playback, private readonly stage: Stage, private readonly bodies: Bodies) {
    this.local = playback.bodies.map((body) => bodyCorners(playback, body));
    stage.scene.add(this.cells);
  }

  /** Shows the oriented box of each mesh, which moves with the body. */
  showBoxes(shown: boolean, colours: Palette): void {
    for (const group of this.boxes) {
      clearGroup(group);
      group.removeFromParent();
    }
    this.boxes.length = 0;
    this.stage.invalidate();
    if (!shown) return;
    this.local.forEach((boxCorners, body) => {
      const drawn = this.bodies.objects[body];
      // A flexible body leaves the box of its mesh.
      if (drawn === undefined || this.playback.bodies[body]?.flexible) return;
      const points: Vector3[] = [];
      for (let first = 0; first < boxCorners.length; first += 8) {
        for (const end of EDGES) points.push(this.bodies.toGroupFrame(body, boxCorners[first + end] as Vec3));
      }
      const group = new Group();
      group.add(thinLines(points, colours.accent, 0.9));
      drawn.group.add(group);
      this.boxes.push(group);
    });
  }

  /**
   * Shows the cells that bodies at these poses cover. Cells of several bodies are highlighted, because their pairs are
   * tested.
   */
  showCells(poses: readonly Pose[] | null, colours: Palette): void {
    clearGroup(this.cells);
    this.stage.invalidate();
    if (poses === null) return;
    const boxes = this.playback.bodies.flatMap((_, body) => worldBox(this.bodies.corners(body) ?? this.local[body] ?? [], poses[body] as Pose) ?? []);
    const groups: [Vector3[], Vector3[]] = [[], []];
    for (const cell of gridCells(boxes)) {
      const boxCorners = Array.from({ length: 8 }, (_, k) => this.stage.toScene([0, 1, 2].map((axis) => {
        return ((k >> axis) & 1 ? cell.high : cell.low)[axis] as number;
      }) as unknown as Vec3));
      for (const end of EDGES) groups[cell.bodies > 1 ? 1 : 0].push(boxCorners[end] as Vector3);
    }
    this.cells.add(thinLines(groups[0], colours.muted, 0.35), thinLines(groups[1], colours.contact, 0.95));
  }
}

/**
 * The cells of the uniform grid that boxes cover. The cell size starts at the mean size of the boxes and doubles until
 * boxes cover at most sixteen cells on average.
 */
export function gridCells(boxes: readonly Box[]): Cell[] {
  if (boxes.length === 0) return [];
  const size = [0, 1, 2].map((axis) => {
    const sum = boxes.reduce((total, box) => total + ((box.high[axis] as number) - (box.low[axis] as number)), 0);
    return sum / boxes.length;
  });
  const minSize = Math.max(...size) * 1e-3 || 1;
  let cell = size.map((side) => Math.max(side, minSize));
  const origin = [0, 1, 2].map((axis) => Math.min(...boxes.map((box) => box.low[axis] as number)));
  const range = (box: Box, axis: number): [number, number] => [box.low, box.high].map((end) =>
    Math.floor(((end[axis] as number) - (origin[axis] as number)) / (cell[axis] as number))) as [number, number];
  for (let tries = 0; tries < 64; tries += 1) {
    const covered = boxes.reduce((sum, box) => sum + [0, 1, 2].reduce((product, axis) => {
      const [low, high] = range(box, axis);
      return product * (high - low + 1);
    }, 1), 0);
    if (covered <= MEAN_CELLS * boxes.length && covered <= Math.max(MAX_CELLS, 2 * boxes.length)) break;
    cell = cell.map((side) => side * 2);
  }
  const counts = new Map<string, { at: number[]; bodies: number }>();
  for (const box of boxes) {
    const [x, y, z] = [range(box, 0), range(box, 1), range(box, 2)];
    for (let i = x[0]; i <= x[1]; i += 1) for (let j = y[0]; j <= y[1]; j += 1) for (let k = z[0]; k <= z[1]; k += 1) {
      const key = `${i},${j},${k}`;
      const found = counts.get(key);
      if (found) found.bodies += 1;
      else counts.set(key, { at: [i, j, k], bodies: 1 });
    }
  }
  const corner = (at: number[], more: number): Vec3 =>
    at.map((number, axis) => (origin[axis] as number) + (number + more) * (cell[axis] as number)) as unknown as Vec3;
  return [...counts.values()].map(({ at, bodies }) => ({ low: corner(at, 0), high: corner(at, 1), bodies }));
}
