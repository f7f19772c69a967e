// The shapes of deforming bodies over time. Frames are loaded in chunks on demand, with some seconds of prefetch during
// playback. The cache is bounded, and the least recently used chunks are evicted. A page in one file contains all
// frames.

import type { FrameSequence, Playback } from "./playback.ts";
import { interpolationAt, type Interpolation } from "../motion/interpolation.ts";

/** Capacity of the cache in bytes, for all bodies. The frames of one time are kept whatever their size. */
export const CAPACITY = 192 << 20;

/** Maximum number of concurrent requests. */
const MAX_IN_FLIGHT = 4;

/** Milliseconds before a retry: after a failure, and after an answer that the server is busy. */
const RETRY_FAILED = 5000;
const RETRY_BUSY = 1000;

/** Seconds of wall time to prefetch. */
const PREFETCH_SECONDS = 3;

/** Loads a chunk, or throws an error with the reason. */
export type FetchChunk = (body: number, chunk: number, signal: AbortSignal) => Promise<ArrayBuffer>;

/** The server is busy with other requests. */
export class ServerBusy extends Error {}

/** Whether the shape at a time is available, loading, or unreadable. */
export type ShapeStatus = "shown" | "coming" | "missing";

interface CachedChunk {
  readonly numbers: Float32Array;
  /** Value of the access counter at the last use. */
  lastUsed: number;
}

interface ChunkFailure {
  readonly reason: string;
  /** In milliseconds of `performance.now`. */
  readonly retryAt: number;
}

interface DeformingBody {
  readonly number: number;
  readonly data: FrameSequence;
  /** Numbers in a frame. */
  readonly size: number;
  readonly chunks: Map<number, CachedChunk>;
  readonly failures: Map<number, ChunkFailure>;
  /** The last interpolated shape. */
  readonly last: { blend: Interpolation | null; vertices: Float32Array };
}

/** A shape that is needed in addition to those at the current time. */
export interface ShapeRequest {
  readonly body: number;
  readonly time: number;
}

export class FrameCache {
  private readonly bodies = new Map<number, DeformingBody>();
  private readonly listeners: (() => void)[] = [];
  private readonly inFlight = new Map<string, AbortController>();
  /** Chunks to load, in order of priority, as [body, chunk]. */
  private queue: [number, number][] = [];
  private clock = 0;
  private timer = 0;
  private extraShapes: readonly ShapeRequest[] = [];
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

  /** Numbers of the deforming bodies. */
  get deforming(): Iterable<number> {
    return this.bodies.keys();
  }

  /** Bytes in the cache. */
  get bytes(): number {
    let sum = 0;
    for (const { chunks } of this.bodies.values()) for (const { numbers } of chunks.values()) sum += numbers.byteLength;
    return sum;
  }

  /** Whether a body deforms. */
  has(body: number): boolean {
    return this.bodies.has(body);
  }

  /** Calls `listener` after a chunk has loaded or failed. */
  watch(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** The frames around a time; the first and last frame are held outside the range. */
  blendAt(body: number, time: number): Interpolation | null {
    const times = this.bodies.get(body)?.data.times;
    return times === undefined ? null : interpolationAt(times, time);
  }

  /**
   * The vertices of a body at a time: x, y, z each, relative to the origin of its mesh; null while its frames are
   * missing. The array is reused by the next call for the same body.
   */
  shapeAt(number: number, time: number): Float32Array | null {
    const body = this.bodies.get(number);
    if (body === undefined) return null;
    const blend = interpolationAt(body.data.times, time);
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

  /** Whether playback can continue: no body has frames that are still loading. */
  ready(time: number): boolean {
    return [...this.bodies.keys()].every((body) => this.status(body, time) !== "coming");
  }

  /** Reasons for unreadable frames at a time, by body. */
  failures(time: number): { body: number; reason: string }[] {
    return [...this.bodies.values()].flatMap((body) => {
      const chunk = this.chunksAt(body, time).find((chunk) => !body.chunks.has(chunk) && body.failures.has(chunk));
      return chunk === undefined ? [] : [{ body: body.number, reason: body.failures.get(chunk)?.reason ?? "" }];
    });
  }

  /** Sets the current time and the playback speed, 0 at rest. Frames at this time load first, then the prefetch. */
  prefetch(time: number, speed: number): void {
    this.last = { time, ahead: speed * PREFETCH_SECONDS };
    this.plan();
  }

  /** Sets the additional shapes, replacing earlier ones. */
  requestAlso(extraShapes: readonly ShapeRequest[]): void {
    this.extraShapes = extraShapes;
    this.plan();
  }

  private chunksAt(body: DeformingBody, time: number): number[] {
    const { low, high } = interpolationAt(body.data.times, time);
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

  /** Builds the queue: the current time, then the additional shapes, then the prefetch up to half of the capacity. */
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
    for (const { body: number, time: extraTime } of this.extraShapes) {
      const body = this.bodies.get(number);
      if (body !== undefined && body.data.frames === null) for (const chunk of this.chunksAt(body, extraTime)) add(body, chunk);
    }
    // Interleaves the bodies, so that none runs ahead of the others. At rest, the neighbouring chunks are added.
    const plans = served.map((body) => {
      const current = this.chunksAt(body, time);
      const [low, high] = [current[0] as number, current[current.length - 1] as number];
      const last = Math.floor((body.data.times.length - 1) / body.data.framesPerChunk);
      const lastAhead = ahead > 0 ? (this.chunksAt(body, time + ahead).at(-1) as number) : high + 1;
      const following = Array.from({ length: Math.max(0, Math.min(lastAhead, last, high + 4096) - high) }, (_, i) => high + 1 + i);
      return { body, chunks: ahead > 0 || low === 0 ? following : [...following, low - 1] };
    });
    for (let i = 0; plans.some(({ chunks }) => i < chunks.length) && bytes < this.capacity / 2; i += 1) {
      for (const { body, chunks } of plans) {
        const chunk = chunks[i];
        if (chunk !== undefined) add(body, chunk);
      }
    }
    this.queue = list;
    for (const [key, controller] of this.inFlight) if (!seen.has(key)) controller.abort();
    this.loadNext();
  }

  /** Starts loading the first chunks of the queue that are missing. */
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
      // An aborted request is no failure.
      if (!controller.signal.aborted) {
        const [reason, wait] = error instanceof ServerBusy ? ["the server is busy", RETRY_BUSY] : [error instanceof Error ? error.message : String(error), RETRY_FAILED];
        body.failures.set(chunk, { reason, retryAt: performance.now() + wait });
      }
    }
    this.inFlight.delete(key);
    if (!controller.signal.aborted) for (const listener of this.listeners) listener();
    this.loadNext();
  }

  /** Evicts the least recently used chunks that are not in the queue. */
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

/** Number of frames in a chunk. */
function chunkLength({ times, framesPerChunk }: FrameSequence, chunk: number): number {
  return Math.max(0, Math.min(framesPerChunk, times.length - chunk * framesPerChunk));
}

/** Loads a chunk from the server of this page. */
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
