// What all parts of the page share: the playback, what happens in it, and what is shown now.

import { fetchFromServer, FrameCache } from "./document/frames.ts";
import { nextContact, eventsOf, findingsOf, pairsInContact, contactOf, startTime, type Finding, type Report } from "./document/report.ts";
import type { Playback } from "./document/playback.ts";
import type { Release } from "./document/recording.ts";
import type { State } from "./state.ts";
import type { Suggestion } from "./document/suggestions.ts";

/** Where the document came from: the server, or the page itself. */
export type Source = "server" | "file";

export class App {
  /** Contacts, nearness and what is undecided. */
  readonly findings: readonly Finding[];
  /** Features of bodies that deform which meet; they are numbered after the list. */
  readonly events: readonly Finding[];
  readonly report: Report | null;
  /** The shapes of bodies that deform. */
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

  /** Whether bodies are always where the server has them: there is no time to go to. */
  get isLiveOnly(): boolean {
    const { simulation, jog, start, end } = this.playback;
    return simulation !== null || jog && start === end;
  }

  /** Whether a body changes its shape. */
  deforms(body: number): boolean {
    return this.frames.has(body) || this.playback.bodies[body]?.flexible === true;
  }

  /** What has a number: of the list, or an event. */
  finding(number: number): Finding | null {
    return this.findings[number] ?? this.events[number - this.findings.length] ?? null;
  }

  /** The happening that is chosen. */
  get chosen(): Finding | null {
    const number = this.state.now.finding;
    return number === null ? null : this.finding(number);
  }

  /** What would follow where a happening begins, of keyframed bodies with masses. */
  suggestionOf(finding: Finding | null): Suggestion | null {
    const { report, playback } = this;
    if (finding === null || report === null) return null;
    return playback.suggested?.at(report, finding, playback.pairs[finding.pair] ?? []) ?? null;
  }

  /** The contact at which playing on from one time to another stops: its number in the list. */
  nextContact(after: number, until: number): number | null {
    if (!this.state.now.stops || this.report === null) return null;
    return nextContact(this.report, this.findings, after, until);
  }

  /** The bodies that are in contact at the time that is shown. */
  bodiesInContact(): Set<number> {
    return new Set(pairsInContact(this.findings, this.state.now.time).flatMap((pair) => this.playback.pairs[pair] ?? []));
  }

  /** Chooses a happening, and goes to its beginning. */
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
   * To the next happening after the one chosen, or after the time now (at the begin: or there); or to the one before. From an event to
   * an event.
   */
  stepFinding(direction: 1 | -1): void {
    const { finding: happening, time } = this.state.now;
    const isEvent = happening !== null && happening >= this.findings.length;
    const [first, end] = isEvent ? [this.findings.length, this.findings.length + this.events.length] : [0, this.findings.length];
    let next: number;
    if (happening !== null) {
      next = happening + direction;
    } else if (direction === 1) {
      const isAtStart = time === this.playback.start;
      const found = this.findings.findIndex((finding) => this.report !== null && (isAtStart || startTime(this.report, finding) > time));
      next = found < 0 ? this.findings.length : found;
    } else {
      next = this.findings.findLastIndex((finding) => this.report !== null && startTime(this.report, finding) < time);
    }
    if (next >= first && next < end) this.choose(next);
  }

  /** Goes to where a body was released, and chooses the body. */
  goToRelease({ body, t }: Release): void {
    this.state.set({ finding: null, body, playing: false });
    if (t !== null) this.seek(t);
  }

  /** Goes to a time, within the playback; nowhere if that has no length, as of a robot that is only jogged. */
  seek(time: number): void {
    const { start, end } = this.playback;
    if (start === end) return;
    this.state.set({ time: Math.min(end, Math.max(start, time)), live: this.isLiveOnly });
    this.reveal(this.state.now.time);
  }

  /** Moves the part of the timeline that is shown so that `time` is in it. */
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
