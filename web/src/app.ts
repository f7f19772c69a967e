// State that all parts of the page share: the playback, its findings, and the current values.

import { fetchFromServer, FrameCache } from "./document/frames.ts";
import { nextContact, eventsOf, findingsOf, pairsInContact, contactOf, startTime, type Finding, type Report } from "./document/report.ts";
import type { Playback } from "./document/playback.ts";
import type { Release } from "./document/recording.ts";
import type { State } from "./state.ts";
import type { Suggestion } from "./document/suggestions.ts";

/** Origin of the document: the server, or the page itself. */
export type Source = "server" | "file";

export class App {
  /** Contacts, near intervals and undecided intervals. */
  readonly findings: readonly Finding[];
  /** First meetings of features of deforming bodies, numbered after `findings`. */
  readonly events: readonly Finding[];
  readonly report: Report | null;
  /** The shapes of deforming bodies. */
  readonly frames: FrameCache;

  constructor(readonly playback: Playback, readonly state: State, readonly source: Source) {
    this.report = playback.report;
    this.findings = playback.report === null ? [] : findingsOf(playback.report, playback.end);
    this.events = playback.report === null ? [] : eventsOf(playback.report);
    this.frames = new FrameCache(playback, fetchFromServer);
    state.watch(["time", "playing", "speed"], () => {
      const { time, playing, speed } = state.now;
      this.frames.prefetch(time, playing ? speed : 0);
    });
  }

  /** Whether the page shows only live poses, without a timeline. */
  get isLiveOnly(): boolean {
    const { simulation, jog, start, end } = this.playback;
    return simulation !== null || jog && start === end;
  }

  /** Whether a body changes its shape. */
  deforms(body: number): boolean {
    return this.frames.has(body) || this.playback.bodies[body]?.flexible === true;
  }

  /** The finding or event with this number. */
  finding(number: number): Finding | null {
    return this.findings[number] ?? this.events[number - this.findings.length] ?? null;
  }

  /** The chosen finding. */
  get chosen(): Finding | null {
    const number = this.state.now.finding;
    return number === null ? null : this.finding(number);
  }

  /** The suggested response at the start of a finding, for keyframed bodies with masses. */
  suggestionOf(finding: Finding | null): Suggestion | null {
    const { report, playback } = this;
    if (finding === null || report === null) return null;
    return playback.suggested?.at(report, finding, playback.pairs[finding.pair] ?? []) ?? null;
  }

  /** Number of the contact at which playback between two times stops, or null. */
  nextContact(after: number, until: number): number | null {
    if (!this.state.now.stops || this.report === null) return null;
    return nextContact(this.report, this.findings, after, until);
  }

  /** The bodies in contact at the current time. */
  bodiesInContact(): Set<number> {
    return new Set(pairsInContact(this.findings, this.state.now.time).flatMap((pair) => this.playback.pairs[pair] ?? []));
  }

  /** Chooses a finding and seeks to its start. */
  choose(number: number | null): void {
    if (number === null) {
      this.state.set({ finding: null });
      return;
    }
    const finding = this.finding(number);
    if (finding === null || this.report === null) return;
    const contact = contactOf(this.report, finding);
    const pair = this.playback.pairs[finding.pair];
    const moving = contact?.screw?.moving;
    const movingBody = moving === undefined ? -1 : this.playback.bodies.findIndex((body) => body.name === moving);
    const body = movingBody >= 0 ? movingBody : (pair?.find((side) => this.playback.bodies[side]?.moves) ?? pair?.[0] ?? null);
    this.state.set({ finding: number, time: startTime(this.report, finding), playing: false, body, live: this.isLiveOnly });
    this.reveal(this.state.now.time);
  }

  /**
   * Chooses the next or previous finding, relative to the chosen one or to the current time. At the start of the
   * playback a finding there counts as next. From an event it moves to an event.
   */
  stepFinding(direction: 1 | -1): void {
    const { finding: current, time } = this.state.now;
    const isEvent = current !== null && current >= this.findings.length;
    const [first, end] = isEvent ? [this.findings.length, this.findings.length + this.events.length] : [0, this.findings.length];
    let next: number;
    if (current !== null) {
      next = current + direction;
    } else if (direction === 1) {
      const isAtStart = time === this.playback.start;
      const found = this.findings.findIndex((finding) => this.report !== null && (isAtStart || startTime(this.report, finding) > time));
      next = found < 0 ? this.findings.length : found;
    } else {
      next = this.findings.findLastIndex((finding) => this.report !== null && startTime(this.report, finding) < time);
    }
    if (next >= first && next < end) this.choose(next);
  }

  /** Seeks to the release of a body, and chooses the body. */
  goToRelease({ body, t }: Release): void {
    this.state.set({ finding: null, body, playing: false });
    if (t !== null) this.seek(t);
  }

  /**
   * Seeks to a time, clamped to the playback; does nothing if the playback has no length, as for a robot that is only
   * jogged.
   */
  seek(time: number): void {
    const { start, end } = this.playback;
    if (start === end) return;
    this.state.set({ time: Math.min(end, Math.max(start, time)), live: this.isLiveOnly });
    this.reveal(this.state.now.time);
  }

  /** Scrolls the timeline so that `time` is visible. */
  private reveal(time: number): void {
    const [low, high] = this.state.now.timeWindow;
    if (time >= low && time <= high) return;
    const { start, end } = this.playback;
    const width = high - low;
    const from = Math.min(end - width, Math.max(start, time - width / 2));
    this.state.set({ timeWindow: [from, from + width] });
  }

  nameOf(body: number): string {
    return this.playback.bodies[body]?.name ?? "";
  }
}
