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
  /** Not told of events. */
  touching?: boolean;
  approach_speed?: number;
  screw?: { moving: string; axis: Vec3; point: Vec3 | null; slide: number; angle: number; time: Enclosure; exact?: boolean };
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

/** Two features that meet for the first time, of a pair with a body that deforms. */
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
  /** By time. */
  events?: ReportEvent[];
}

export interface Report {
  format: 1;
  verdict: Verdict;
  duration: number;
  bodies: number;
  pairs_tested: number;
  /** Pairs not tested, because they are rigidly joined or can never move. */
  pairs_standing?: number;
  tolerance: number;
  /** Where only the first contact was looked for: nothing after this time was. */
  followed_until?: number;
  clearance?: number;
  /** Rigidly joined bodies that overlap in the model. Such an overlap is not a contact. */
  assembled?: [string, string][];
  /** Bodies that overlap and can never move. They have no part in the verdict. */
  static_overlaps?: [string, string][];
  /** What is inside a closed surface that is not solid, which is no contact. */
  inside?: { body: string; inside: string; from: number }[];
  /** What is doubtful about the input. */
  warnings?: string[];
  pairs: ReportPair[];
}

/** What happens to a pair from one time to another; kinds are told apart by more than colour. */
export interface Finding {
  readonly kind: "contact" | "near" | "undecided" | "event";
  /** Number of the pair in the report. */
  readonly pair: number;
  /** Number among the intervals of the pair, among its unknown stretches, or among its events. */
  readonly index: number;
  /** From and to, in seconds, for drawing: the outer ends of the enclosures. */
  readonly start: number;
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

/** The two bodies of a pair; a body with itself has no second. */
export const pairNames = ({ a, b }: Pick<ReportPair, "a" | "b">): readonly [string, string | null] => [a, a === b ? null : b];

/** A pair in words. */
export function pairName(pair: Pick<ReportPair, "a" | "b">): string {
  const [a, b] = pairNames(pair);
  return b === null ? `${a} with itself` : `${a} \u2013 ${b}`;
}

/** Times within this share of the whole are one to the eye, as in pictures of `chasles render`: enclosures under a moving parent differ. */
export const TIME_TOLERANCE = 1e-6;

/** All that happens, in order of time, then of pairs; `end` is that of the playback. */
export function findingsOf(report: Report, end: number): Finding[] {
  const list: Finding[] = [];
  report.pairs.forEach((pair, number) => {
    const kind = pair.verdict === "near" ? "near" : "contact";
    (pair.intervals ?? []).forEach((interval, index) => {
      // Where only the first contact was looked for, how long it lasts is not known.
      const exit = report.followed_until === undefined ? (interval.exit?.[1] ?? end) : interval.enter[1];
      list.push({ kind, pair: number, index, start: interval.enter[0], end: exit });
    });
    (pair.unknown ?? []).forEach((span, index) => {
      list.push({ kind: "undecided", pair: number, index, start: span[0], end: span[1] });
    });
    // Undecided from some time on, with no stretches told.
    if (pair.verdict === "undecided" && !pair.unknown?.length) {
      list.push({ kind: "undecided", pair: number, index: 0, start: pair.clear_until ?? 0, end });
    }
  });
  return list.sort((x, y) => x.start - y.start || x.pair - y.pair || x.index - y.index);
}

/** All events of all pairs, by time, then by pairs. */
export function eventsOf(report: Report): Finding[] {
  const list = report.pairs.flatMap((pair, number) => (pair.events ?? []).map(
    ({ time }, index): Finding => ({ kind: "event", pair: number, index, start: time[0], end: time[1] })));
  return list.sort((x, y) => x.start - y.start || x.pair - y.pair || x.index - y.index);
}

/** The event that a happening is about. */
export function eventOf(report: Report, finding: Finding): ReportEvent | null {
  return finding.kind === "event" ? (report.pairs[finding.pair]?.events?.[finding.index] ?? null) : null;
}

/**
 * Where two bodies meet: the contact of an interval, or the features of an event. Intervals of bodies that deform have no
 * contact of their own; where there are events, that is the first at the begin.
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

/** The interval that a happening is about; none for an undecided stretch or an event. */
export function intervalOf(report: Report, finding: Finding): ReportInterval | null {
  if (finding.kind === "undecided" || finding.kind === "event") return null;
  return report.pairs[finding.pair]?.intervals?.[finding.index] ?? null;
}

/** The time to stand at to see a happening: within the enclosure of its beginning. */
export function startTime(report: Report, finding: Finding): number {
  if (finding.kind === "event") return finding.end;
  const interval = intervalOf(report, finding);
  return interval === null ? finding.start : interval.enter[1];
}

/** The first contact after one time and not after another that begins there: its number in the list. */
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
