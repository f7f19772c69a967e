// What a server moves while the page shows it: a robot that is jogged, or a simulation that runs.

import type { Impulse } from "./document/recording.ts";
import type { Pose, Vec3 } from "./motion/vector.ts";
import type { ContactMark } from "./picture/marks.ts";

export interface RefusedMove {
  movingBodies: ReadonlySet<number>;
  obstacles: ReadonlySet<number>;
  /** Of the first pair that has one. */
  contact: ContactMark | null;
}

/** What a server moves while the page looks on. */
export interface LiveSource {
  /** Calls `listener` after every change. */
  watch(listener: () => void): void;
  /** Where the bodies are; null: as the document has it. */
  poses(): (Pose | null)[] | null;
  /** Where the vertices of bodies are that bend, relative to the origins of their meshes. */
  shapes(): ReadonlyMap<number, Float32Array> | null;
  refusedMove(): RefusedMove | null;
  /** Those to be seen, and the strongest so far. */
  impulses(): { visible: Impulse[]; strongest: number } | null;
  spring(): { from: Vec3; to: Vec3 } | null;
}
