// The shapes of bodies that deform, over time. Their frames come in pieces when they are needed, those ahead of the time
// that runs a little before; so many are kept, and the longest unused are let go. In a page that is one file they are all there.

import type { FrameSequence, Playback } from "./playback.ts";

/** Bytes of frames that are kept, all bodies together; what one time needs is kept whatever its size. */
export const CAPACITY = 192 << 20;

/** Questions under way at a time. */
const MAX_IN_FLIGHT = 4;

/** Milliseconds after which what could not be read is asked for again, and what the server had no room for. */
const RETRY_FAILED = 5000;
const RETRY_BUSY = 1000;

/** Seconds of the clock for which frames are fetched ahead. */
const PREFETCH_SECONDS = 3;

/** Gives a piece, or throws an error that says why there is none. */
export type FetchChunk = (body: number, chunk: number, signal: AbortSignal) => Promise<ArrayBuffer>;

/** The server serves others first. */
export class ServerBusy extends Error {}

/** Whether a body is shown as it is at a time: it is, its frames are on their way, or they cannot be read. */
export type ShapeStatus = "shown" | "coming" | "missing";

/** Where a body is between its frames. */
export interface FrameBlend {
  readonly low: number;
  readonly high: number;
  /** How much of the way from one to the other is done. */
  readonly fraction: number;
}

interface CachedChunk {
  readonly numbers: Float32Array;
  /** When it was last used, as a count. */
  lastUsed: number;
}

interface ChunkFailure {
  readonly reason: string;
  /** By the page's clock. */
  readonly retryAt: number;
}

interface DeformingBody {
  readonly number: number;
  readonly data: FrameSequence;
  /** Numbers of a frame. */
  readonly size: number;
  readonly chunks: Map<number, CachedChunk>;
  readonly failures: Map<number, ChunkFailure>;
  /** The shape that was last worked out. */
  readonly last: { blend: FrameBlend | null; vertices: Float32Array };
}

/** A time that is needed beside the one that is shown. */
export interface ShapeRequest {
  readonly body: number;
  readonly time: number;
}

export class FrameCache {
  private readonly bodies = new Map<number, DeformingBody>();
  private readonly listeners: (() => void)[] = [];
  private readonly inFlight = new Map<string, AbortController>();
  /** Pieces that are wanted, the first first, as [body, piece]. */
  private queue: [number, number][] = [];
  private clock = 0;
  private timer = 0;
  private also: readonly ShapeRequest[] = [];
  private last = { time: 0, ahead: 0 };

  constructor(playback: Playback, private readonly fetchChunk: FetchChunk, private readonly capacity = CAPACITY) {
    playback.bodies.forEach(({ deforming, elements }, number) => {
      if (deforming === null) return;
      const size = playback.meshes[elements[0]?.mesh ?? -1]?.positions.length ?? 0;
      const body: DeformingBody = {
        number, data: deforming, size, chunks: new Map(), failures: new Map(),
        last: { blend: null, vertices: new Float32Array(size) },
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
    for (const { chunks } of this.bodies.values()) for (const { numbers } of chunks.values()) sum += numbers.byteLength;
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
  blendAt(body: number, time: number): FrameBlend | null {
    const times = this.bodies.get(body)?.data.times;
    return times === undefined ? null : frameBlend(times, time);
  }

  /**
   * Where the vertices of a body are at a time: x, y, z each, relative to the origin of its mesh; null where its frames are not
   * there. What is given holds until the next question about the body.
   */
  shapeAt(number: number, time: number): Float32Array | null {
    const body = this.bodies.get(number);
    if (body === undefined) return null;
    const blend = frameBlend(body.data.times, time);
    const { last } = body;
    const isUnchanged = last.blend !== null && last.blend.low === blend.low && last.blend.high === blend.high && last.blend.fraction === blend.fraction;
    if (isUnchanged) return last.vertices;
    const [from, to] = [this.frame(body, blend.low), this.frame(body, blend.high)];
    if (from === null || to === null) return null;
    const { fraction } = blend;
    const { vertices } = last;
    if (fraction === 0) vertices.set(from);
    else for (let at = 0; at < vertices.length; at += 1) vertices[at] = (from[at] as number) + fraction * ((to[at] as number) - (from[at] as number));
    last.blend = blend;
    return vertices;
  }

  status(number: number, time: number): ShapeStatus {
    const body = this.bodies.get(number);
    if (body === undefined || body.data.frames !== null) return "shown";
    const chunks = this.chunksAt(body, time);
    if (chunks.every((chunk) => body.chunks.has(chunk))) return "shown";
    return chunks.some((chunk) => !body.chunks.has(chunk) && body.failures.has(chunk)) ? "missing" : "coming";
  }

  /** Whether time need not wait: every body has its frames, or they cannot be read. */
  ready(time: number): boolean {
    return [...this.bodies.keys()].every((body) => this.status(body, time) !== "coming");
  }

  /** Why frames that a time needs cannot be read, by body. */
  failures(time: number): { body: number; reason: string }[] {
    return [...this.bodies.values()].flatMap((body) => {
      const chunk = this.chunksAt(body, time).find((chunk) => !body.chunks.has(chunk) && body.failures.has(chunk));
      return chunk === undefined ? [] : [{ body: body.number, reason: body.failures.get(chunk)?.reason ?? "" }];
    });
  }

  /** Says what is shown: frames of this time are fetched first, then those of the seconds ahead, as time runs at `speed`; 0: it rests. */
  prefetch(time: number, speed: number): void {
    this.last = { time, ahead: speed * PREFETCH_SECONDS };
    this.plan();
  }

  /** Says which times are needed beside it, until it is said again. */
  requestAlso(also: readonly ShapeRequest[]): void {
    this.also = also;
    this.plan();
  }

  private chunksAt(body: DeformingBody, time: number): number[] {
    const { low, high } = frameBlend(body.data.times, time);
    const [first, second] = [low, high].map((frame) => Math.floor(frame / body.data.framesPerChunk)) as [number, number];
    return first === second ? [first] : [first, second];
  }

  private frame(body: DeformingBody, frame: number): Float32Array | null {
    const { data, size } = body;
    if (data.frames !== null) return data.frames.subarray(frame * size, (frame + 1) * size);
    const chunk = body.chunks.get(Math.floor(frame / data.framesPerChunk));
    if (chunk === undefined) return null;
    this.clock += 1;
    chunk.lastUsed = this.clock;
    const at = (frame % data.framesPerChunk) * size;
    return chunk.numbers.subarray(at, at + size);
  }

  /** What is wanted: what is shown, then what is needed beside it, then what lies ahead, as much as half of what is kept. */
  private plan(): void {
    const { time, ahead } = this.last;
    const [list, seen]: [[number, number][], Set<string>] = [[], new Set()];
    let bytes = 0;
    const add = (body: DeformingBody, chunk: number): void => {
      const key = `${body.number}/${chunk}`;
      if (seen.has(key)) return;
      seen.add(key);
      list.push([body.number, chunk]);
      bytes += body.size * 4 * chunkLength(body.data, chunk);
    };
    const served = [...this.bodies.values()].filter(({ data }) => data.frames === null);
    for (const body of served) for (const chunk of this.chunksAt(body, time)) add(body, chunk);
    for (const { body: number, time: also } of this.also) {
      const body = this.bodies.get(number);
      if (body !== undefined && body.data.frames === null) for (const chunk of this.chunksAt(body, also)) add(body, chunk);
    }
    // Piece after piece of all bodies in turn, so that none runs ahead of the others; at rest the neighbours.
    const plans = served.map((body) => {
      const here = this.chunksAt(body, time);
      const [low, high] = [here[0] as number, here[here.length - 1] as number];
      const last = Math.floor((body.data.times.length - 1) / body.data.framesPerChunk);
      const lastAhead = ahead > 0 ? (this.chunksAt(body, time + ahead).at(-1) as number) : high + 1;
      const following = Array.from({ length: Math.max(0, Math.min(lastAhead, last, high + 4096) - high) }, (_, i) => high + 1 + i);
      return { body, pieces: ahead > 0 || low === 0 ? following : [...following, low - 1] };
    });
    for (let i = 0; plans.some(({ pieces: chunks }) => i < chunks.length) && bytes < this.capacity / 2; i += 1) {
      for (const { body, pieces: chunks } of plans) {
        const chunk = chunks[i];
        if (chunk !== undefined) add(body, chunk);
      }
    }
    this.queue = list;
    for (const [key, controller] of this.inFlight) if (!seen.has(key)) controller.abort();
    this.loadNext();
  }

  /** Asks for the first of what is wanted and not there. */
  private loadNext(): void {
    const now = performance.now();
    let nextRetry = Infinity;
    for (const [number, chunk] of this.queue) {
      if (this.inFlight.size >= MAX_IN_FLIGHT) return;
      const body = this.bodies.get(number);
      const key = `${number}/${chunk}`;
      if (body === undefined || body.chunks.has(chunk) || this.inFlight.has(key)) continue;
      const retryAt = body.failures.get(chunk)?.retryAt ?? 0;
      if (retryAt > now) nextRetry = Math.min(nextRetry, retryAt);
      else void this.load(body, chunk);
    }
    clearTimeout(this.timer);
    if (nextRetry < Infinity) this.timer = setTimeout(() => this.loadNext(), nextRetry - now + 1) as unknown as number;
  }

  private async load(body: DeformingBody, chunk: number): Promise<void> {
    const key = `${body.number}/${chunk}`;
    const controller = new AbortController();
    this.inFlight.set(key, controller);
    try {
      const bytes = await this.fetchChunk(body.number, chunk, controller.signal);
      const expected = body.size * 4 * chunkLength(body.data, chunk);
      if (bytes.byteLength !== expected) throw new Error(`piece ${chunk}: found ${bytes.byteLength} bytes, expected ${expected}`);
      this.clock += 1;
      body.chunks.set(chunk, { numbers: new Float32Array(bytes), lastUsed: this.clock });
      body.failures.delete(chunk);
      this.evict();
    } catch (error) {
      // What nobody wants any more failed by our own doing.
      if (!controller.signal.aborted) {
        const [reason, wait] = error instanceof ServerBusy ? ["the server is busy", RETRY_BUSY] : [error instanceof Error ? error.message : String(error), RETRY_FAILED];
        body.failures.set(chunk, { reason, retryAt: performance.now() + wait });
      }
    }
    this.inFlight.delete(key);
    if (!controller.signal.aborted) for (const listener of this.listeners) listener();
    this.loadNext();
  }

  /** Lets the longest unused pieces go, but none that is wanted. */
  private evict(): void {
    const queued = new Set(this.queue.map(([body, chunk]) => `${body}/${chunk}`));
    let bytes = this.bytes;
    while (bytes > this.capacity) {
      let [oldest, oldestUse]: [[DeformingBody, number, CachedChunk] | null, number] = [null, Infinity];
      for (const body of this.bodies.values()) {
        for (const [number, chunk] of body.chunks) {
          if (chunk.lastUsed < oldestUse && !queued.has(`${body.number}/${number}`)) [oldest, oldestUse] = [[body, number, chunk], chunk.lastUsed];
        }
      }
      if (oldest === null) return;
      const [body, number, piece] = oldest;
      body.chunks.delete(number);
      bytes -= piece.numbers.byteLength;
    }
  }
}

/** How many frames a piece has. */
function chunkLength({ times, framesPerChunk }: FrameSequence, chunk: number): number {
  return Math.max(0, Math.min(framesPerChunk, times.length - chunk * framesPerChunk));
}

/** Between which of increasing times another lies. */
export function frameBlend(times: Float64Array, time: number): FrameBlend {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return { low: 0, high: 0, fraction: 0 };
  const from = times[low - 1] as number;
  if (low === times.length || from === time) return { low: low - 1, high: low - 1, fraction: 0 };
  return { low: low - 1, high: low, fraction: (time - from) / ((times[low] as number) - from) };
}

/** Asks the server that gave the page. */
export const fetchFromServer: FetchChunk = async (body, chunk, signal) => {
  let answer: Response;
  try {
    answer = await fetch(`frames?body=${body}&piece=${chunk}`, { signal });
  } catch {
    throw new Error("the server cannot be reached");
  }
  if (answer.status === 503) throw new ServerBusy();
  if (!answer.ok) throw new Error((await answer.text()).trim().slice(0, 400));
  return answer.arrayBuffer();
};
