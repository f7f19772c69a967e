// Impulses in the picture: a dot where bodies touch, and an arrow along the impulse on b.

import { MAX_IMPULSES, type Impulse } from "../document/recording.ts";
import type { Palette } from "../elements/theme.ts";
import { Arrows, MAX_LENGTH } from "./arrows.ts";
import type { Stage } from "./stage.ts";

/** The length of an arrow, metres: areas compare as impulses do, so that a gentle contact is seen beside a blow. */
export function arrowLength(amount: number, strongest: number, radius: number): number {
  return strongest > 0 ? MAX_LENGTH * radius * Math.sqrt(Math.min(1, amount / strongest)) : 0;
}

export class ImpulseMarks {
  private readonly arrows: Arrows;

  constructor(stage: Stage) {
    this.arrows = new Arrows(stage, { dot: 8, head: 11, shaft: 3, shortest: 20 }, MAX_IMPULSES);
  }

  /** How many arrows are drawn. */
  get count(): number {
    return this.arrows.count;
  }

  /** Draws these, so many metres long, and no others. */
  show(impulses: readonly (Pick<Impulse, "point" | "impulse" | "magnitude"> & { length: number })[], colours: Palette): void {
    const pushing = impulses.filter(({ magnitude }) => magnitude > 0);
    this.arrows.show(pushing.map(({ point, impulse, length }) => ({ from: point, along: impulse, length })), { dot: colours.contact, arrow: colours.screw });
  }
}
