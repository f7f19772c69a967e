// The shapes of bodies that deform, over time. Their frames come in pieces when they are needed, those ahead of the time
// that runs a little before; so many are kept, and the longest unused are let go. In a page that is one file they are all there.

import type { Deforming, Playback } from "./playback.ts";

/** Bytes of frames that are kept, all bodies together; what one time needs is kept whatever its size. */
export const KEPT = 192 << 20;

/** Questions under way at a time. */
const AT_ONCE = 4;

/** Milliseconds after which what could not be read is asked for again, and what the server had no room for. */
const AGAIN = 5000;
const LATER = 1000;

/** Seconds of the clock for which frames are fetched ahead. */
const AHEAD = 3;

/** Gives a piece, or throws an error that says why there is none. */
export type Ask = (body: number, piece: number, signal: AbortSignal) => Promise<ArrayBuffer>;

/** The server serves others first. */
export class Busy extends Error {}

/** Whether a body is shown as it is at a time: it is, its frames are on their way, or they cannot be read. */
export type Standing = "shown" | "coming" | "missing";

/** Where a body is between its frames. */
export interface Between {
  readonly low: number;
  readonly high: number;
  /** How much of the way from one to the other is done. */
  readonly share: number;
}

interface Piece {
  readonly numbers: Float32Array;
  /** When it was last used, as a count. */
  used: number;
}

interface Failure {
  readonly why: string;
  /** By the page's clock. */
  readonly again: number;
}

interface Body {
  readonly number: number;
  readonly data: Deforming;
  /** Numbers of a frame. */
  readonly size: number;
  readonly pieces: Map<number, Piece>;
  readonly failures: Map<number, Failure>;
  /** The shape that was last worked out. */
  readonly last: { between: Between | null; places: Float32Array };
}

/** A time that is needed beside the one that is shown. */
export interface Needed {
  readonly body: number;
  readonly time: number;
}

export class Frames {
  private readonly bodies = new Map<number, Body>();
  private readonly listeners: (() => void)[] = [];
  private readonly asked = new Map<string, AbortController>();
  /** Pieces that are wanted, the first first, as [body, piece]. */
  private wanted: [number, number][] = [];
  private clock = 0;
  private timer = 0;
  private extra: readonly Needed[] = [];
  private last = { time: 0, ahead: 0 };

  constructor(playback: Playback, private readonly ask: Ask, private readonly most = KEPT) {
    playback.bodies.forEach(({ deforming, elements }, number) => {
      if (deforming === null) return;
      const size = playback.meshes[elements[0]?.mesh ?? -1]?.positions.length ?? 0;
      const body: Body = {
        number, data: deforming, size, pieces: new Map(), failures: new Map(),
        last: { between: null, places: new Float32Array(size) },
      };
      this.bodies.set(number, body);
    });
  }

  /** The bodies that deform, by their numbers. */
  get deforming(): Iterable<number> {
    return this.bodies.keys();
  }

  /** Bytes that are kept now. */
  get bytes(): number {
    let sum = 0;
    for (const { pieces } of this.bodies.values()) for (const { numbers } of pieces.values()) sum += numbers.byteLength;
    return sum;
  }

  /** Whether a body deforms. */
  has(body: number): boolean {
    return this.bodies.has(body);
  }

  /** Calls `listener` whenever frames have come, or could not be read. */
  watch(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Between which frames a body is at a time; held before the first and after the last. */
  between(body: number, time: number): Between | null {
    const times = this.bodies.get(body)?.data.times;
    return times === undefined ? null : betweenOf(times, time);
  }

  /**
   * Where the vertices of a body are at a time: x, y, z each, relative to the origin of its mesh; null where its frames are not
   * there. What is given holds until the next question about the body.
   */
  shape(number: number, time: number): Float32Array | null {
    const body = this.bodies.get(number);
    if (body === undefined) return null;
    const between = betweenOf(body.data.times, time);
    const { last } = body;
    const same = last.between !== null && last.between.low === between.low && last.between.high === between.high && last.between.share === between.share;
    if (same) return last.places;
    const [from, to] = [this.frame(body, between.low), this.frame(body, between.high)];
    if (from === null || to === null) return null;
    const { share } = between;
    const { places } = last;
    if (share === 0) places.set(from);
    else for (let at = 0; at < places.length; at += 1) places[at] = (from[at] as number) + share * ((to[at] as number) - (from[at] as number));
    last.between = between;
    return places;
  }

  standing(number: number, time: number): Standing {
    const body = this.bodies.get(number);
    if (body === undefined || body.data.frames !== null) return "shown";
    const pieces = this.piecesAt(body, time);
    if (pieces.every((piece) => body.pieces.has(piece))) return "shown";
    return pieces.some((piece) => !body.pieces.has(piece) && body.failures.has(piece)) ? "missing" : "coming";
  }

  /** Whether time need not wait: every body has its frames, or they cannot be read. */
  ready(time: number): boolean {
    return [...this.bodies.keys()].every((body) => this.standing(body, time) !== "coming");
  }

  /** Why frames that a time needs cannot be read, by body. */
  failures(time: number): { body: number; why: string }[] {
    return [...this.bodies.values()].flatMap((body) => {
      const piece = this.piecesAt(body, time).find((each) => !body.pieces.has(each) && body.failures.has(each));
      return piece === undefined ? [] : [{ body: body.number, why: body.failures.get(piece)?.why ?? "" }];
    });
  }

  /** Says what is shown: frames of this time are fetched first, then those of the seconds ahead, as time runs at `speed`; 0: it rests. */
  need(time: number, speed: number): void {
    this.last = { time, ahead: speed * AHEAD };
    this.plan();
  }

  /** Says which times are needed beside it, until it is said again. */
  needAlso(extra: readonly Needed[]): void {
    this.extra = extra;
    this.plan();
  }

  private piecesAt(body: Body, time: number): number[] {
    const { low, high } = betweenOf(body.data.times, time);
    const [first, second] = [low, high].map((frame) => Math.floor(frame / body.data.piece)) as [number, number];
    return first === second ? [first] : [first, second];
  }

  private frame(body: Body, frame: number): Float32Array | null {
    const { data, size } = body;
    if (data.frames !== null) return data.frames.subarray(frame * size, (frame + 1) * size);
    const piece = body.pieces.get(Math.floor(frame / data.piece));
    if (piece === undefined) return null;
    this.clock += 1;
    piece.used = this.clock;
    const at = (frame % data.piece) * size;
    return piece.numbers.subarray(at, at + size);
  }

  /** What is wanted: what is shown, then what is needed beside it, then what lies ahead, as much as half of what is kept. */
  private plan(): void {
    const { time, ahead } = this.last;
    const [list, seen]: [[number, number][], Set<string>] = [[], new Set()];
    let bytes = 0;
    const add = (body: Body, piece: number): void => {
      const key = `${body.number}/${piece}`;
      if (seen.has(key)) return;
      seen.add(key);
      list.push([body.number, piece]);
      bytes += body.size * 4 * framesOf(body.data, piece);
    };
    const served = [...this.bodies.values()].filter(({ data }) => data.frames === null);
    for (const body of served) for (const piece of this.piecesAt(body, time)) add(body, piece);
    for (const { body: number, time: also } of this.extra) {
      const body = this.bodies.get(number);
      if (body !== undefined && body.data.frames === null) for (const piece of this.piecesAt(body, also)) add(body, piece);
    }
    // Piece after piece of all bodies in turn, so that none runs ahead of the others; at rest the neighbours.
    const ways = served.map((body) => {
      const here = this.piecesAt(body, time);
      const [low, high] = [here[0] as number, here[here.length - 1] as number];
      const last = Math.floor((body.data.times.length - 1) / body.data.piece);
      const until = ahead > 0 ? (this.piecesAt(body, time + ahead).at(-1) as number) : high + 1;
      const on = Array.from({ length: Math.max(0, Math.min(until, last, high + 4096) - high) }, (_, i) => high + 1 + i);
      return { body, pieces: ahead > 0 || low === 0 ? on : [...on, low - 1] };
    });
    for (let i = 0; ways.some(({ pieces }) => i < pieces.length) && bytes < this.most / 2; i += 1) {
      for (const { body, pieces } of ways) {
        const piece = pieces[i];
        if (piece !== undefined) add(body, piece);
      }
    }
    this.wanted = list;
    for (const [key, control] of this.asked) if (!seen.has(key)) control.abort();
    this.fetch();
  }

  /** Asks for the first of what is wanted and not there. */
  private fetch(): void {
    const now = performance.now();
    let soonest = Infinity;
    for (const [number, piece] of this.wanted) {
      if (this.asked.size >= AT_ONCE) return;
      const body = this.bodies.get(number);
      const key = `${number}/${piece}`;
      if (body === undefined || body.pieces.has(piece) || this.asked.has(key)) continue;
      const again = body.failures.get(piece)?.again ?? 0;
      if (again > now) soonest = Math.min(soonest, again);
      else void this.fetchOne(body, piece);
    }
    clearTimeout(this.timer);
    if (soonest < Infinity) this.timer = setTimeout(() => this.fetch(), soonest - now + 1) as unknown as number;
  }

  private async fetchOne(body: Body, piece: number): Promise<void> {
    const key = `${body.number}/${piece}`;
    const control = new AbortController();
    this.asked.set(key, control);
    try {
      const bytes = await this.ask(body.number, piece, control.signal);
      const expected = body.size * 4 * framesOf(body.data, piece);
      if (bytes.byteLength !== expected) throw new Error(`piece ${piece}: found ${bytes.byteLength} bytes, expected ${expected}`);
      this.clock += 1;
      body.pieces.set(piece, { numbers: new Float32Array(bytes), used: this.clock });
      body.failures.delete(piece);
      this.letGo();
    } catch (error) {
      // What nobody wants any more failed by our own doing.
      if (!control.signal.aborted) {
        const [why, wait] = error instanceof Busy ? ["the server is busy", LATER] : [error instanceof Error ? error.message : String(error), AGAIN];
        body.failures.set(piece, { why, again: performance.now() + wait });
      }
    }
    this.asked.delete(key);
    if (!control.signal.aborted) for (const listener of this.listeners) listener();
    this.fetch();
  }

  /** Lets the longest unused pieces go, but none that is wanted. */
  private letGo(): void {
    const wanted = new Set(this.wanted.map(([body, piece]) => `${body}/${piece}`));
    let bytes = this.bytes;
    while (bytes > this.most) {
      let [oldest, least]: [[Body, number, Piece] | null, number] = [null, Infinity];
      for (const body of this.bodies.values()) {
        for (const [number, piece] of body.pieces) {
          if (piece.used < least && !wanted.has(`${body.number}/${number}`)) [oldest, least] = [[body, number, piece], piece.used];
        }
      }
      if (oldest === null) return;
      const [body, number, piece] = oldest;
      body.pieces.delete(number);
      bytes -= piece.numbers.byteLength;
    }
  }
}

/** How many frames a piece has. */
function framesOf({ times, piece: a }: Deforming, piece: number): number {
  return Math.max(0, Math.min(a, times.length - piece * a));
}

/** Between which of increasing times another lies. */
export function betweenOf(times: Float64Array, time: number): Between {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return { low: 0, high: 0, share: 0 };
  const from = times[low - 1] as number;
  if (low === times.length || from === time) return { low: low - 1, high: low - 1, share: 0 };
  return { low: low - 1, high: low, share: (time - from) / ((times[low] as number) - from) };
}

/** Asks the server that gave the page. */
export const askServer: Ask = async (body, piece, signal) => {
  let answer: Response;
  try {
    answer = await fetch(`frames?body=${body}&piece=${piece}`, { signal });
  } catch {
    throw new Error("the server cannot be reached");
  }
  if (answer.status === 503) throw new Busy();
  if (!answer.ok) throw new Error((await answer.text()).trim().slice(0, 400));
  return answer.arrayBuffer();
};
