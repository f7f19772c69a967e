// What a server moves while the page shows it: a robot that is jogged, or a simulation that runs.

import type { Impulse } from "./document/recording.ts";
import type { Pose, Vec3 } from "./motion/vector.ts";
import type { Marked } from "./picture/marks.ts";

export interface Refused {
  moving: ReadonlySet<number>;
  obstacles: ReadonlySet<number>;
  /** Of the first pair that has one. */
  place: Marked | null;
}

/** What a server moves while the page looks on. */
export interface Followed {
  /** Calls `listener` after every change. */
  watch(listener: () => void): void;
  /** Where the bodies are; null: as the document has it. */
  poses(): (Pose | null)[] | null;
  /** Where the vertices of bodies are that bend, relative to the origins of their meshes. */
  shapes(): ReadonlyMap<number, Float32Array> | null;
  refused(): Refused | null;
  /** Those to be seen, and the strongest so far. */
  impulses(): { seen: Impulse[]; strongest: number } | null;
  hand(): { from: Vec3; to: Vec3 } | null;
}
