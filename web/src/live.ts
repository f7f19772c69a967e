// Live poses from a server: a jogged robot, or a running simulation.

import type { Impulse } from "./document/recording.ts";
import type { Pose, Vec3 } from "./motion/vector.ts";
import type { ContactMark } from "./picture/marks.ts";

export interface RefusedMove {
  movingBodies: ReadonlySet<number>;
  obstacles: ReadonlySet<number>;
  /** The first pair with a contact point. */
  contact: ContactMark | null;
}

/** A source of live poses. */
export interface LiveSource {
  /** Calls `listener` after every change. */
  watch(listener: () => void): void;
  /** Poses of the bodies; null for a pose of the document. */
  poses(): (Pose | null)[] | null;
  /** Vertices of deforming bodies, relative to the origins of their meshes. */
  shapes(): ReadonlyMap<number, Float32Array> | null;
  refusedMove(): RefusedMove | null;
  /** The impulses to draw, and the maximum since the start. */
  impulses(): { visible: Impulse[]; strongest: number } | null;
  spring(): { from: Vec3; to: Vec3 } | null;
}
