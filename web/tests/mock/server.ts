// A server as small as can be, that speaks to the page as the program does: for tests of the page that need no program. Its robot is
// the arm of documents.ts; the shoulder is refused where the stretched arm meets the post.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";

import { armPoses } from "./documents.ts";
import type { MockSimulation } from "./simulation.ts";

/** The arm of half width 0.06 along the ray of the shoulder meets the post's corner (0.1, 1.2). */
export const STOP = Math.atan2(1.2, 0.1) - Math.asin(0.06 / Math.hypot(0.1, 1.2));

const POLICY = "default-src 'none'; script-src SCRIPT; style-src STYLE; img-src data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

interface Client {
  number: number;
  secret: string;
  socket: Socket;
}

export class MockServer {
  readonly asked: string[] = [];
  address = "";
  values: [number, number] = [0, 0];
  record: [number, number][] = [];
  revision = 0;
  /** Moves that are asked for while this is a list wait in it, until `letGo`. */
  held: (() => void)[] | null = null;
  /** What the next move parts, as from an overlap. */
  wayOut: { a: string; b: string; depth_before: number; depth: number }[] | null = null;
  /** A piece of the frames of a body; null: there is none; a text: why it cannot be read. */
  frames: (body: number, piece: number) => Buffer | string | null = () => null;
  private controller: number | null = null;
  private refusal: object | null = null;
  private verdict: object | null = null;
  private made = 0;
  private readonly names: string;
  private readonly secrets = new Map<string, number>();
  private readonly clients = new Set<Client>();
  private readonly server: Server;

  constructor(private readonly page: string, private readonly playback: object, private readonly simulation: MockSimulation | null = null) {
    const { robot } = playback as { robot: { joints: { name: string }[] } | null };
    this.names = robot?.joints.map(({ name }) => name).join() ?? "";
    this.server = createServer((request, response) => {
      const path = new URL(request.url ?? "/", "http://x").pathname;
      this.asked.push(path);
      const html = readFileSync(this.page, "utf8");
      const hash = (tag: string): string => {
        const text = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(html)?.[1] ?? "";
        return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
      };
      const say = (type: string, text: string): void => {
        response.writeHead(200, { "content-type": type, "content-security-policy": POLICY.replace("SCRIPT", hash("script")).replace("STYLE", hash("style")) });
        response.end(text);
      };
      if (path === "/") say("text/html; charset=utf-8", html);
      else if (path === "/playback") say("application/json", JSON.stringify(this.playback));
      else if (path === "/gap") say("application/json", JSON.stringify({ pair: [0, 1], times: [0, 1, 2], gap: [1, 0, 1] }));
      else if (path === "/frames") {
        const asked = new URL(request.url ?? "/", "http://x").searchParams;
        const piece = this.frames(Number(asked.get("body")), Number(asked.get("piece")));
        response.writeHead(piece === null ? 404 : typeof piece === "string" ? 409 : 200);
        response.end(piece ?? "found nothing");
      } else {
        response.writeHead(404);
        response.end("found nothing");
      }
    });
    this.server.on("upgrade", (request, socket) => {
      const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash("sha1").update(key).digest("base64");
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
      this.join(socket as Socket);
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.address = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
    return this;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      // Those that ask for nothing would be waited for.
      this.server.closeAllConnections();
    });
  }

  /** Carries out the moves that wait, and holds no more. */
  letGo(): void {
    const held = this.held ?? [];
    this.held = null;
    for (const move of held) move();
  }

  /** Ends all connections without a word. */
  cut(): void {
    for (const { socket } of this.clients) socket.destroy();
    this.clients.clear();
  }

  private join(socket: Socket): void {
    this.made += 1;
    const client = { number: this.made, secret: `secret ${this.made}`, socket };
    this.secrets.set(client.secret, client.number);
    this.clients.add(client);
    socket.on("error", () => this.clients.delete(client));
    socket.on("close", () => this.clients.delete(client));
    let waiting = Buffer.alloc(0);
    socket.on("data", (data) => {
      waiting = Buffer.concat([waiting, data]);
      for (;;) {
        const frame = unframed(waiting);
        if (frame === null) return;
        waiting = waiting.subarray(frame.size);
        if (frame.code === 8) socket.end();
        if (frame.code === 1) this.hear(client, frame.text);
      }
    });
    this.say(client, { type: "hello", client: client.number, secret: client.secret, state: this.state() });
  }

  private state(): object {
    const { revision, values, controller, refusal, verdict } = this;
    if (this.simulation !== null) return { revision, controller, ...this.simulation.state() };
    return { revision, values, poses: armPoses(values), moves: this.record.length, controller, way: null, refusal, way_out: this.wayOut, verdict };
  }

  private hear(client: Client, text: string): void {
    const message = JSON.parse(text) as { type: string; id: number; joints?: Record<string, { by?: number; to?: number }>; secret?: string; name?: string; text?: string };
    const mine = this.controller === client.number;
    const answer = (more: object): void => this.say(client, { type: "answer", id: message.id, ...more });
    const error = (words: string): void => answer({ result: "error", message: words });
    if (message.type === "path") {
      answer({ result: "done", csv: [`time,${this.names}`, ...[[0, 0], ...this.record].map(([a, b], i) => `${i},${a},${b}`)].join("\n") });
    } else if (message.type === "resume") {
      if (this.controller !== this.secrets.get(message.secret ?? "")) return error("found no control to resume");
      this.controller = client.number;
      this.changed(() => answer({ result: "done", client: client.number }));
    } else if (message.type === "take") {
      if (this.controller !== null && !mine) return error(`client ${this.controller} has control`);
      this.controller = client.number;
      this.changed(() => answer({ result: "done" }));
    } else if (!mine) {
      error("found a client without control");
    } else if (message.type === "release") {
      this.controller = null;
      this.changed(() => answer({ result: "done" }));
    } else if (this.simulation !== null) {
      const wrong = this.simulation.order(message);
      if (wrong === null) this.changed(() => answer({ result: "done" }));
      else error(wrong);
    } else if (message.type === "undo") {
      this.record.pop();
      this.values = this.record.at(-1) ?? [0, 0];
      this.refusal = null;
      this.changed(() => answer({ result: "done" }));
    } else if (message.type === "replay") {
      this.verdict = { name: message.name, verdict: "clear", segments: 2, of: 2, refusal: null };
      this.changed(() => answer({ result: "done" }));
    } else if (message.type === "move" && this.held !== null) {
      this.held.push(() => this.hear(client, text));
    } else if (message.type === "move") {
      const aim = ["shoulder", "elbow"].map((name, i) => {
        const asked = message.joints?.[name];
        return asked?.to ?? (this.values[i] as number) + (asked?.by ?? 0);
      }) as [number, number];
      const from = this.values[0];
      const stopped = aim[1] === 0 && from < STOP && aim[0] > STOP;
      const free = stopped ? (STOP - 1e-9 - from) / (aim[0] - from) : 1;
      this.values = stopped ? [STOP - 1e-9, 0] : aim;
      this.record.push([...this.values]);
      const met = {
        a: "fore", b: "post", verdict: "contact", joints: { shoulder: STOP, elbow: 0 }, point: [0.1, 1.2, 0], normal: [0, 1, 0],
        kind: "edge-edge", features: { a: [3, 7], b: [1, 5] }, why: null,
      };
      this.refusal = stopped ? { free, free_until: { shoulder: this.values[0], elbow: 0 }, pairs: [met], segments: null } : null;
      this.changed(() => answer(stopped ? { result: "refused", free, refusal: this.refusal } : { result: "done" }));
    } else {
      error(`found type ${message.type}`);
    }
  }

  /** Tells all clients where the robot is. */
  tell(): void {
    this.changed(() => undefined);
  }

  private changed(then: () => void): void {
    this.revision += 1;
    for (const client of this.clients) this.say(client, { type: "state", state: this.state() });
    then();
  }

  private say(client: Client, message: object): void {
    const text = Buffer.from(JSON.stringify(message));
    const head = text.length < 126 ? Buffer.from([0x81, text.length]) : Buffer.from([0x81, 126, text.length >> 8, text.length & 255]);
    client.socket.write(Buffer.concat([head, text]));
  }
}

/** The first whole frame of a client, or none yet. */
function unframed(data: Buffer): { code: number; text: string; size: number } | null {
  if (data.length < 6) return null;
  let length = (data[1] as number) & 127;
  let at = 2;
  if (length === 126) {
    length = data.readUInt16BE(2);
    at = 4;
  }
  if (data.length < at + 4 + length) return null;
  const mask = data.subarray(at, at + 4);
  const bytes = Uint8Array.from(data.subarray(at + 4, at + 4 + length), (byte, i) => byte ^ (mask[i & 3] as number));
  return { code: (data[0] as number) & 15, text: new TextDecoder().decode(bytes), size: at + 4 + length };
}
