// Impulses in the picture: a dot at the contact point, and an arrow along the impulse on b.

import { MAX_IMPULSES, type Impulse } from "../document/recording.ts";
import type { Palette } from "../elements/theme.ts";
import { Arrows, MAX_LENGTH } from "./arrows.ts";
import type { Stage } from "./stage.ts";

/**
 * Length of an arrow, metres. It grows with the square root of the impulse, so that weak impulses stay visible beside
 * strong ones.
 */
export function arrowLength(amount: number, strongest: number, radius: number): number {
  return strongest > 0 ? MAX_LENGTH * radius * Math.sqrt(Math.min(1, amount / strongest)) : 0;
}

export class ImpulseMarks {
  private readonly arrows: Arrows;

  constructor(stage: Stage) {
    this.arrows = new Arrows(stage, { dot: 8, head: 11, shaft: 3, shortest: 20 }, MAX_IMPULSES);
  }

  /** Number of drawn arrows. */
  get count(): number {
    return this.arrows.count;
  }

  /** Replaces the impulses; `length` is in metres. */
  show(impulses: readonly (Pick<Impulse, "point" | "impulse" | "magnitude"> & { length: number })[], colours: Palette): void {
    const visible = impulses.filter(({ magnitude }) => magnitude > 0);
    this.arrows.show(visible.map(({ point, impulse, length }) => ({ from: point, along: impulse, length })), { dot: colours.contact, arrow: colours.screw });
  }
}
