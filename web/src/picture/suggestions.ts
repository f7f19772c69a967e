// Suggested responses in the picture: the impulses on b, and the velocities of both bodies before and after, which
// start at the centres of mass.

import type { SuggestedBody, Suggestion } from "../document/suggestions.ts";
import type { Palette } from "../elements/theme.ts";
import { length, type Vec3 } from "../motion/vector.ts";
import { Arrows, type Arrow } from "./arrows.ts";
import { ImpulseMarks } from "./impulses.ts";
import type { Stage } from "./stage.ts";

/** Maximum length of an arrow, as a fraction of the radius of the smaller body, because the view zooms to that body. */
const MAX_LENGTH = 0.8;
/** Maximum number of collisions with drawn velocities. */
const MAX_COLLISIONS = 50;
/** Velocities below this fraction of the maximum are not drawn. */
const MIN_SPEED_FRACTION = 1e-6;

export class SuggestedMarks {
  private readonly impulses: ImpulseMarks;
  private readonly before: Arrows;
  private readonly after: Arrows;

  /** `radius`: bounding radius of a body. */
  constructor(stage: Stage, private readonly radius: (body: number) => number) {
    this.impulses = new ImpulseMarks(stage);
    // The arrows differ in thickness as well as in colour.
    this.before = new Arrows(stage, { dot: 4, head: 8, shaft: 2, shortest: 16 }, 2 * MAX_COLLISIONS);
    this.after = new Arrows(stage, { dot: 6, head: 13, shaft: 4, shortest: 20 }, 2 * MAX_COLLISIONS);
  }

  /** Number of drawn arrows: impulses, and velocities after them. */
  get counts(): readonly [number, number] {
    return [this.impulses.count, this.after.count];
  }

  /** Replaces the suggestions. Lengths are comparable within a collision. */
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
