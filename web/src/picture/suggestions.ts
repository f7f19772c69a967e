// What would follow where keyframed bodies collide: the impulses on b, and the velocities of both, those that they have and
// those that they would go on with. Velocities begin at the centres of mass.

import type { SuggestedBody, Suggestion } from "../document/suggestions.ts";
import type { Palette } from "../elements/theme.ts";
import { length, type Vec3 } from "../motion/vector.ts";
import { Arrows, type Arrow } from "./arrows.ts";
import { ImpulseMarks } from "./impulses.ts";
import type { Stage } from "./stage.ts";

/** The longest arrow, as a share of the radius of the smaller body: the view goes as near as that asks. */
const MAX_LENGTH = 0.8;
/** Velocities of so many collisions at a time. */
const MAX_COLLISIONS = 50;
/** Slower than this share of the fastest, a body is drawn as one that stands. */
const MIN_SPEED_FRACTION = 1e-6;

export class SuggestedMarks {
  private readonly impulses: ImpulseMarks;
  private readonly before: Arrows;
  private readonly after: Arrows;

  /** `radius`: of a ball around a body. */
  constructor(stage: Stage, private readonly radius: (body: number) => number) {
    this.impulses = new ImpulseMarks(stage);
    // What is told apart by colour is told apart by its weight too.
    this.before = new Arrows(stage, { dot: 4, head: 8, shaft: 2, shortest: 16 }, 2 * MAX_COLLISIONS);
    this.after = new Arrows(stage, { dot: 6, head: 13, shaft: 4, shortest: 20 }, 2 * MAX_COLLISIONS);
  }

  /** How many arrows are drawn: of impulses, and of velocities after them. */
  get counts(): readonly [number, number] {
    return [this.impulses.count, this.after.count];
  }

  /** Draws these and no others. Lengths compare within a collision. */
  show(suggestions: readonly Suggestion[], colours: Palette): void {
    const drawn = suggestions.slice(0, MAX_COLLISIONS).map((suggestion) => ({ suggestion, longest: MAX_LENGTH * Math.min(...suggestion.sides.map(({ body }) => this.radius(body))) }));
    this.impulses.show(drawn.flatMap(({ suggestion: { places }, longest }) => {
      const strongest = Math.max(0, ...places.map(({ magnitude }) => magnitude));
      return places.map((place) => ({ ...place, length: longest * Math.sqrt(place.magnitude / strongest) }));
    }), colours);
    const arrows = (velocity: (side: SuggestedBody) => Vec3 | null): Arrow[] => drawn.flatMap(({ suggestion: { sides }, longest }) => {
      const fastest = Math.max(...sides.flatMap(({ before, after }) => [length(before.linear), length(after.linear)]));
      return sides.flatMap((side) => {
        const along = velocity(side);
        if (along === null || !(length(along) > MIN_SPEED_FRACTION * fastest)) return [];
        return [{ from: side.centre, along, length: (longest * length(along)) / fastest }];
      });
    });
    this.before.show(arrows(({ before }) => before.linear), { dot: colours.ink, arrow: colours.ink });
    this.after.show(arrows(({ after, velocityChanges }) => (velocityChanges ? after.linear : null)), { dot: colours.near, arrow: colours.near });
  }
}
