// What the page shows now. Everything that can be chosen is here, in one place; whoever draws it is told what changed.

import type { Up } from "./document/playback.ts";
import type { Vec3 } from "./motion/vector.ts";

export type Theme = "light" | "dark";
export type Axis = "x" | "y" | "z";

/** A point on a body, in the body's frame. */
export interface BodyPoint {
  body: number;
  point: Vec3;
  /** Of a body that deforms: the triangle that it rides on, and the shares of its corners. */
  attachment?: { face: number; barycentric: Vec3 };
}

export interface PageValues {
  time: number;
  playing: boolean;
  speed: number;
  loop: boolean;
  /** Playing stops where a contact begins. */
  stops: boolean;
  /** Number in the list of happenings. */
  finding: number | null;
  /** The body whose screw and path are shown. */
  body: number | null;
  hidden: ReadonlySet<number>;
  wireframe: boolean;
  edges: boolean;
  boxes: boolean;
  cells: boolean;
  ghosts: boolean;
  screw: boolean;
  fade: boolean;
  /** Bodies have the colours of their file, but for those that something is told of. */
  ownColours: boolean;
  follow: boolean;
  floor: boolean;
  /** The places where features of bodies that deform have just met. */
  events: boolean;
  /** Where bodies touch, and the impulses that they give each other, of a recording; or that would follow, of keyframed bodies. */
  impulses: boolean;
  section: boolean;
  sectionAxis: Axis;
  /** Where along the axis, as a share of the scene's extent in [0, 1]. */
  sectionFraction: number;
  sectionFlipped: boolean;
  /** What a click on a surface does. */
  tool: "choose" | "measure" | "trace";
  traced: BodyPoint | null;
  measured: readonly BodyPoint[];
  theme: Theme;
  up: Up;
  /** The poses shown are those of the robot that is jogged, not of the playback. */
  live: boolean;
  /** Part of the time that the timeline shows, in seconds. */
  timeWindow: readonly [number, number];
}

type Listener<V> = (changed: ReadonlySet<keyof V>) => void;

/** The values, and who listens to their changes. */
export class State<V extends object = PageValues> {
  private readonly listeners: Listener<V>[] = [];

  constructor(private values: V) {}

  get now(): Readonly<V> {
    return this.values;
  }

  /** Changes some values; listeners hear of those that really changed, in the order in which they were added. */
  set(patch: Partial<V>): void {
    const changed = new Set<keyof V>();
    for (const key of Object.keys(patch) as (keyof V)[]) {
      if (!Object.is(this.values[key], patch[key])) changed.add(key);
    }
    if (changed.size === 0) return;
    this.values = { ...this.values, ...patch };
    for (const listener of this.listeners) listener(changed);
  }

  /** Calls `listener` now, and whenever one of `keys` changes. */
  watch(keys: readonly (keyof V)[], listener: Listener<V>): void {
    this.listeners.push((changed) => {
      if (keys.some((key) => changed.has(key))) listener(changed);
    });
    listener(new Set(keys));
  }
}

/** The values at the beginning. */
export function initialValues({ start, end, up }: { start: number; end: number; up: Up }, theme: Theme): PageValues {
  return {
    time: start, playing: false, speed: 1, loop: false, stops: true, finding: null, body: null, hidden: new Set(),
    wireframe: false, edges: true, boxes: false, cells: false, ghosts: false, screw: true, fade: true, ownColours: false, follow: true, floor: true, events: true, impulses: true,
    section: false, sectionAxis: "x", sectionFraction: 0.5, sectionFlipped: false,
    tool: "choose", traced: null, measured: [], theme, up, live: false, timeWindow: [start, end],
  };
}
