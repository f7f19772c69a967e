// The current values of the page. Listeners are called after changes.

import type { Up } from "./document/playback.ts";
import type { Vec3 } from "./motion/vector.ts";

export type Theme = "light" | "dark";
export type Axis = "x" | "y" | "z";

/** A point on a body, in the body's frame. */
export interface BodyPoint {
  body: number;
  point: Vec3;
  /** On a deforming body: a triangle and barycentric coordinates, with which the point moves. */
  attachment?: { face: number; barycentric: Vec3 };
}

export interface PageValues {
  time: number;
  playing: boolean;
  speed: number;
  loop: boolean;
  /** Playback stops at the start of a contact. */
  stops: boolean;
  /** Number of the chosen finding. */
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
  /** Bodies have the colours of their file, except highlighted ones. */
  ownColours: boolean;
  follow: boolean;
  floor: boolean;
  /** Recent events of deforming bodies. */
  events: boolean;
  /** Impulses of a recording, or suggested impulses of keyframed bodies. */
  impulses: boolean;
  section: boolean;
  sectionAxis: Axis;
  /** Position of the section along the axis, as a fraction of the scene's extent in [0, 1]. */
  sectionFraction: number;
  sectionFlipped: boolean;
  /** The action of a click on a surface. */
  tool: "choose" | "measure" | "trace";
  traced: BodyPoint | null;
  measured: readonly BodyPoint[];
  theme: Theme;
  up: Up;
  /** The poses are live ones of a server, not of the playback. */
  live: boolean;
  /** The time interval that the timeline shows, in seconds. */
  timeWindow: readonly [number, number];
}

type Listener<V> = (changed: ReadonlySet<keyof V>) => void;

/** Values with listeners. */
export class State<V extends object = PageValues> {
  private readonly listeners: Listener<V>[] = [];

  constructor(private values: V) {}

  get now(): Readonly<V> {
    return this.values;
  }

  /** Sets some values; calls the listeners of values that changed, in the order of registration. */
  set(patch: Partial<V>): void {
    const changed = new Set<keyof V>();
    for (const key of Object.keys(patch) as (keyof V)[]) {
      if (!Object.is(this.values[key], patch[key])) changed.add(key);
    }
    if (changed.size === 0) return;
    this.values = { ...this.values, ...patch };
    for (const listener of this.listeners) listener(changed);
  }

  /** Calls `listener` now, and after a change of one of `keys`. */
  watch(keys: readonly (keyof V)[], listener: Listener<V>): void {
    this.listeners.push((changed) => {
      if (keys.some((key) => changed.has(key))) listener(changed);
    });
    listener(new Set(keys));
  }
}

/** The initial values. */
export function initialValues({ start, end, up }: { start: number; end: number; up: Up }, theme: Theme): PageValues {
  return {
    time: start, playing: false, speed: 1, loop: false, stops: true, finding: null, body: null, hidden: new Set(),
    wireframe: false, edges: true, boxes: false, cells: false, ghosts: false, screw: true, fade: true, ownColours: false, follow: true, floor: true, events: true, impulses: true,
    section: false, sectionAxis: "x", sectionFraction: 0.5, sectionFlipped: false,
    tool: "choose", traced: null, measured: [], theme, up, live: false, timeWindow: [start, end],
  };
}
