// What the report says, as `chasles check --json` writes it, and the list of things to jump to that comes of it.

import type { Vec3 } from "../motion/vector.ts";

/** A time for certain between two, in seconds. */
export type Enclosure = readonly [number, number];

export type Verdict = "clear" | "near" | "undecided" | "contact" | "overlapping";

/** Where and how two bodies meet, in the world; features by the numbers of the files. */
export interface ContactPlace {
  kind: "vertex-face" | "face-vertex" | "edge-edge" | "surfaces";
  a: number[];
  b: number[];
  point: Vec3;
  normal: Vec3;
  touching: boolean;
  approach_speed?: number;
  screw?: { moving: string; axis: Vec3; point: Vec3 | null; slide: number; angle: number; time: Enclosure };
}

/** A span of contact (or of nearness, of a pair that is only near). */
export interface ReportInterval {
  enter: Enclosure;
  exit: Enclosure | null;
  segment?: number;
  joints?: Record<string, number>;
  touching: boolean;
  contact?: ContactPlace;
}

export interface ReportPair {
  a: string;
  b: string;
  verdict: Verdict;
  intervals?: ReportInterval[];
  gap_at_least?: number;
  gap?: number;
  gap_time?: number;
  clearance?: number;
  deviation?: number;
  clear_until?: number;
  why?: string;
  unknown?: Enclosure[];
}

export interface Report {
  format: 1;
  verdict: Verdict;
  duration: number;
  bodies: number;
  pairs_tested: number;
  /** Not tested, since they never move relative to each other. */
  pairs_standing?: number;
  tolerance: number;
  clearance?: number;
  /** What is inside a closed surface that is not solid, which is no contact. */
  inside?: { body: string; inside: string; from: number }[];
  pairs: ReportPair[];
}

/** What happens to a pair from one time to another; kinds are told apart by more than colour. */
export interface Happening {
  readonly kind: "contact" | "near" | "undecided";
  /** Number of the pair in the report. */
  readonly pair: number;
  /** Number among the intervals of the pair, or among its unknown stretches. */
  readonly index: number;
  /** From and to, in seconds, for drawing: the outer ends of the enclosures. */
  readonly begin: number;
  readonly end: number;
}

/** A report checked for what the page relies on. */
export function readReport(value: unknown): Report {
  const report = value as Report;
  if (typeof report !== "object" || report === null || !Array.isArray(report.pairs)) {
    throw new Error("the report has no list of pairs");
  }
  report.pairs.forEach((pair, number) => {
    if (typeof pair.a !== "string" || typeof pair.b !== "string") throw new Error(`pair ${number} of the report lacks a name`);
    for (const interval of pair.intervals ?? []) {
      if (!isEnclosure(interval.enter) || (interval.exit !== null && !isEnclosure(interval.exit))) {
        throw new Error(`pair ${number} of the report (${pair.a} - ${pair.b}) has an interval without times`);
      }
    }
    for (const span of pair.unknown ?? []) {
      if (!isEnclosure(span)) throw new Error(`pair ${number} of the report has an unknown stretch without times`);
    }
  });
  return report;
}

function isEnclosure(value: unknown): value is Enclosure {
  return Array.isArray(value) && value.length === 2 && value.every((end) => Number.isFinite(end));
}

/** All that happens, in order of time, then of pairs; `end` is that of the playback. */
export function happenings(report: Report, end: number): Happening[] {
  const list: Happening[] = [];
  report.pairs.forEach((pair, number) => {
    const kind = pair.verdict === "near" ? "near" : "contact";
    (pair.intervals ?? []).forEach((interval, index) => {
      list.push({ kind, pair: number, index, begin: interval.enter[0], end: interval.exit?.[1] ?? end });
    });
    (pair.unknown ?? []).forEach((span, index) => {
      list.push({ kind: "undecided", pair: number, index, begin: span[0], end: span[1] });
    });
    // Undecided from some time on, with no stretches told.
    if (pair.verdict === "undecided" && !pair.unknown?.length) {
      list.push({ kind: "undecided", pair: number, index: 0, begin: pair.clear_until ?? 0, end });
    }
  });
  return list.sort((x, y) => x.begin - y.begin || x.pair - y.pair || x.index - y.index);
}

/** The interval that a happening is about; none for an undecided stretch. */
export function intervalOf(report: Report, happening: Happening): ReportInterval | null {
  if (happening.kind === "undecided") return null;
  return report.pairs[happening.pair]?.intervals?.[happening.index] ?? null;
}

/** The time to stand at to see a happening: within the enclosure of its beginning. */
export function timeOf(report: Report, happening: Happening): number {
  const interval = intervalOf(report, happening);
  return interval === null ? happening.begin : interval.enter[1];
}

/** The first contact after one time and not after another that begins there: its number in the list. */
export function contactBetween(report: Report, list: readonly Happening[], after: number, until: number): number | null {
  const number = list.findIndex((each) => {
    const time = timeOf(report, each);
    return each.kind === "contact" && time > after && time <= until;
  });
  return number < 0 ? null : number;
}

/** The pairs that may be in contact at a time, by their numbers in the report. */
export function pairsInContact(list: readonly Happening[], time: number): number[] {
  return list.filter((each) => each.kind === "contact" && each.begin <= time && time <= each.end).map((each) => each.pair);
}
