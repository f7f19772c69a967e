// What all parts of the page share: the playback, what happens in it, and what is shown now.

import { askServer, Frames } from "./document/frames.ts";
import { contactBetween, eventsOf, happenings, pairsInContact, placeOf, timeOf, type Happening, type Report } from "./document/report.ts";
import type { Playback } from "./document/playback.ts";
import type { Release } from "./document/recording.ts";
import type { State } from "./state.ts";
import type { Suggestion } from "./document/suggested.ts";

/** Where the document came from: the server, or the page itself. */
export type Source = "server" | "file";

export class App {
  /** Contacts, nearness and what is undecided. */
  readonly list: readonly Happening[];
  /** Features of bodies that deform which meet; they are numbered after the list. */
  readonly events: readonly Happening[];
  readonly report: Report | null;
  /** The shapes of bodies that deform. */
  readonly frames: Frames;

  constructor(readonly playback: Playback, readonly state: State, readonly source: Source) {
    this.report = playback.report;
    this.list = playback.report === null ? [] : happenings(playback.report, playback.end);
    this.events = playback.report === null ? [] : eventsOf(playback.report);
    this.frames = new Frames(playback, askServer);
    state.watch(["time", "playing", "speed"], () => {
      const { time, playing, speed } = state.now;
      this.frames.need(time, playing ? speed : 0);
    });
  }

  /** Whether bodies are always where the server has them: there is no time to go to. */
  get followed(): boolean {
    const { simulation, jog, begin, end } = this.playback;
    return simulation !== null || jog && begin === end;
  }

  /** Whether a body changes its shape. */
  bends(body: number): boolean {
    return this.frames.has(body) || this.playback.bodies[body]?.flexible === true;
  }

  /** What has a number: of the list, or an event. */
  happening(number: number): Happening | null {
    return this.list[number] ?? this.events[number - this.list.length] ?? null;
  }

  /** The happening that is chosen. */
  get chosen(): Happening | null {
    const number = this.state.now.happening;
    return number === null ? null : this.happening(number);
  }

  /** What would follow where a happening begins, of keyframed bodies with masses. */
  suggestionOf(happening: Happening | null): Suggestion | null {
    const { report, playback } = this;
    if (happening === null || report === null) return null;
    return playback.suggested?.of(report, happening, playback.pairs[happening.pair] ?? []) ?? null;
  }

  /** The contact at which playing on from one time to another stops: its number in the list. */
  contactBetween(after: number, until: number): number | null {
    if (!this.state.now.stops || this.report === null) return null;
    return contactBetween(this.report, this.list, after, until);
  }

  /** The bodies that are in contact at the time that is shown. */
  inContact(): Set<number> {
    return new Set(pairsInContact(this.list, this.state.now.time).flatMap((pair) => this.playback.pairs[pair] ?? []));
  }

  /** Chooses a happening, and goes to its beginning. */
  choose(number: number | null): void {
    if (number === null) {
      this.state.set({ happening: null });
      return;
    }
    const happening = this.happening(number);
    if (happening === null || this.report === null) return;
    const contact = placeOf(this.report, happening);
    const pair = this.playback.pairs[happening.pair];
    const moving = contact?.screw?.moving;
    const named = moving === undefined ? -1 : this.playback.bodies.findIndex((body) => body.name === moving);
    const body = named >= 0 ? named : (pair?.find((side) => this.playback.bodies[side]?.moves) ?? pair?.[0] ?? null);
    this.state.set({ happening: number, time: timeOf(this.report, happening), playing: false, body, live: this.followed });
    this.reveal(this.state.now.time);
  }

  /**
   * To the next happening after the one chosen, or after the time now (at the begin: or there); or to the one before. From an event to
   * an event.
   */
  step(way: 1 | -1): void {
    const { happening, time } = this.state.now;
    const isEvent = happening !== null && happening >= this.list.length;
    const [first, end] = isEvent ? [this.list.length, this.list.length + this.events.length] : [0, this.list.length];
    let next: number;
    if (happening !== null) {
      next = happening + way;
    } else if (way === 1) {
      const isBegin = time === this.playback.begin;
      const found = this.list.findIndex((each) => this.report !== null && (isBegin || timeOf(this.report, each) > time));
      next = found < 0 ? this.list.length : found;
    } else {
      next = this.list.findLastIndex((each) => this.report !== null && timeOf(this.report, each) < time);
    }
    if (next >= first && next < end) this.choose(next);
  }

  /** Goes to where a body was released, and chooses the body. */
  released({ body, t }: Release): void {
    this.state.set({ happening: null, body, playing: false });
    if (t !== null) this.seek(t);
  }

  /** Goes to a time, within the playback; nowhere if that has no length, as of a robot that is only jogged. */
  seek(time: number): void {
    const { begin, end } = this.playback;
    if (begin === end) return;
    this.state.set({ time: Math.min(end, Math.max(begin, time)), live: this.followed });
    this.reveal(this.state.now.time);
  }

  /** Moves the part of the timeline that is shown so that `time` is in it. */
  private reveal(time: number): void {
    const [low, high] = this.state.now.shown;
    if (time >= low && time <= high) return;
    const { begin, end } = this.playback;
    const width = high - low;
    const from = Math.min(end - width, Math.max(begin, time - width / 2));
    this.state.set({ shown: [from, from + width] });
  }

  nameOf(body: number): string {
    return this.playback.bodies[body]?.name ?? "";
  }
}
