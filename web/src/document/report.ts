// The report of `chasles check --json`, and the list of findings that the page shows.

import type { Vec3 } from "../motion/vector.ts";

/** An interval in seconds that certainly contains a time. */
export type Enclosure = readonly [number, number];

export type Verdict = "clear" | "near" | "undecided" | "contact" | "overlapping";

/** A contact point of two bodies in the world, with features by the numbers of the files. */
export interface ContactPlace {
  kind: "vertex-face" | "face-vertex" | "edge-edge" | "surfaces";
  a: number[];
  b: number[];
  point: Vec3;
  normal: Vec3;
  /** Absent for events. */
  touching?: boolean;
  approach_speed?: number;
  screw?: { moving: string; axis: Vec3; point: Vec3 | null; slide: number; angle: number; time: Enclosure; exact?: boolean };
}

/** An interval of contact, or of nearness for a pair that is only near. */
export interface ReportInterval {
  enter: Enclosure;
  exit: Enclosure | null;
  segment?: number;
  joints?: Record<string, number>;
  touching: boolean;
  contact?: ContactPlace;
}

/** The first contact of two features, for a pair with a deforming body. */
export interface ReportEvent extends ContactPlace {
  time: Enclosure;
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
  /** Sorted by time. */
  events?: ReportEvent[];
}

export interface Report {
  format: 1;
  verdict: Verdict;
  duration: number;
  bodies: number;
  pairs_tested: number;
  /** Number of untested pairs, which are rigidly joined or static. */
  pairs_standing?: number;
  tolerance: number;
  /** With a search for the first contact only, the end of the searched time. */
  followed_until?: number;
  clearance?: number;
  /** Rigidly joined bodies that overlap in the model. Such an overlap is not a contact. */
  assembled?: [string, string][];
  /** Overlapping static bodies. They have no effect on the verdict. */
  static_overlaps?: [string, string][];
  /** Bodies inside a closed surface that is not solid. This is no contact. */
  inside?: { body: string; inside: string; from: number }[];
  /** Warnings about the input. */
  warnings?: string[];
  pairs: ReportPair[];
}

/** Something to show on the timeline for a pair. Kinds differ in form as well as in colour. */
export interface Finding {
  readonly kind: "contact" | "near" | "undecided" | "event";
  /** Number of the pair in the report. */
  readonly pair: number;
  /** Index among the intervals, the unknown intervals or the events of the pair. */
  readonly index: number;
  /** Outer ends of the enclosures, in seconds, for drawing. */
  readonly start: number;
  readonly end: number;
}

/** Checks the parts of a report that the page relies on. */
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
      if (!isEnclosure(span)) throw new Error(`pair ${number} of the report has an undecided interval without times`);
    }
    (pair.events ?? []).forEach((event, index) => {
      const [vectors, lists] = [[event.point, event.normal], [event.a, event.b]];
      if (isEnclosure(event.time) && vectors.every(isVector) && lists.every(Array.isArray)) return;
      throw new Error(`event ${index} of pair ${number} of the report lacks its time, place or features`);
    });
  });
  return report;
}

function isEnclosure(value: unknown): value is Enclosure {
  return Array.isArray(value) && value.length === 2 && value.every((end) => Number.isFinite(end));
}

function isVector(value: unknown): value is Vec3 {
  return Array.isArray(value) && value.length === 3 && value.every((coordinate) => Number.isFinite(coordinate));
}

/** The names of a pair; the second is null for a body with itself. */
export const pairNames = ({ a, b }: Pick<ReportPair, "a" | "b">): readonly [string, string | null] => [a, a === b ? null : b];

/** The names of a pair as text. */
export function pairName(pair: Pick<ReportPair, "a" | "b">): string {
  const [a, b] = pairNames(pair);
  return b === null ? `${a} with itself` : `${a} \u2013 ${b}`;
}

/**
 * Times closer than this fraction of the duration count as equal, as in pictures of `chasles render`. Enclosures under
 * a moving parent differ slightly.
 */
export const TIME_TOLERANCE = 1e-6;

/** All findings except events, by time, then by pair. `end` is the end of the playback. */
export function findingsOf(report: Report, end: number): Finding[] {
  const list: Finding[] = [];
  report.pairs.forEach((pair, number) => {
    const kind = pair.verdict === "near" ? "near" : "contact";
    (pair.intervals ?? []).forEach((interval, index) => {
      // With a search for the first contact only, the exit is unknown.
      const exit = report.followed_until === undefined ? (interval.exit?.[1] ?? end) : interval.enter[1];
      list.push({ kind, pair: number, index, start: interval.enter[0], end: exit });
    });
    (pair.unknown ?? []).forEach((span, index) => {
      list.push({ kind: "undecided", pair: number, index, start: span[0], end: span[1] });
    });
    // Undecided from some time on, without unknown intervals.
    if (pair.verdict === "undecided" && !pair.unknown?.length) {
      list.push({ kind: "undecided", pair: number, index: 0, start: pair.clear_until ?? 0, end });
    }
  });
  return list.sort((x, y) => x.start - y.start || x.pair - y.pair || x.index - y.index);
}

/** All events, by time, then by pair. */
export function eventsOf(report: Report): Finding[] {
  const list = report.pairs.flatMap((pair, number) => (pair.events ?? []).map(
    ({ time }, index): Finding => ({ kind: "event", pair: number, index, start: time[0], end: time[1] })));
  return list.sort((x, y) => x.start - y.start || x.pair - y.pair || x.index - y.index);
}

/** The event of a finding. */
export function eventOf(report: Report, finding: Finding): ReportEvent | null {
  return finding.kind === "event" ? (report.pairs[finding.pair]?.events?.[finding.index] ?? null) : null;
}

/**
 * The contact point of a finding: of its interval, or of its event. Intervals of deforming bodies have no contact of
 * their own, so the first event at their start is used.
 */
export function contactOf(report: Report, finding: Finding): ContactPlace | null {
  const event = eventOf(report, finding);
  if (event !== null) return event;
  const interval = intervalOf(report, finding);
  if (interval === null || interval.contact !== undefined) return interval?.contact ?? null;
  const tolerance = TIME_TOLERANCE * report.duration;
  const [low, high] = [interval.enter[0] - tolerance, interval.enter[1] + tolerance];
  return report.pairs[finding.pair]?.events?.find(({ time }) => time[0] <= high && low <= time[1]) ?? null;
}

/** The interval of a finding; null for undecided findings and events. */
export function intervalOf(report: Report, finding: Finding): ReportInterval | null {
  if (finding.kind === "undecided" || finding.kind === "event") return null;
  return report.pairs[finding.pair]?.intervals?.[finding.index] ?? null;
}

/** The time at which to show a finding: inside the enclosure of its start. */
export function startTime(report: Report, finding: Finding): number {
  if (finding.kind === "event") return finding.end;
  const interval = intervalOf(report, finding);
  return interval === null ? finding.start : interval.enter[1];
}

/** Index of the first contact that starts after one time and not after another. */
export function nextContact(report: Report, list: readonly Finding[], after: number, until: number): number | null {
  const number = list.findIndex((finding) => {
    const time = startTime(report, finding);
    return finding.kind === "contact" && time > after && time <= until;
  });
  return number < 0 ? null : number;
}

/** The pairs that may be in contact at a time, by their numbers in the report. */
export function pairsInContact(list: readonly Finding[], time: number): number[] {
  return list.filter((finding) => finding.kind === "contact" && finding.start <= time && time <= finding.end).map((finding) => finding.pair);
}
