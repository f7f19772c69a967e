// The connection to a server: requests with answers, the newest state, and reconnection. The server keeps the record,
// so a lost connection loses no data.

import type { JogState, Refusal } from "./jog.ts";
import type { SimulationRequest } from "./simulation.ts";

export interface Answer {
  type: "answer";
  id?: number;
  result: "done" | "refused" | "error";
  message?: string;
  free?: number;
  refusal?: Refusal;
  csv?: string;
}

/** Any message from the server. */
type ServerMessage<S> = { type?: string; state?: S; client?: number; secret?: string } & Omit<Partial<Answer>, "type">;

export type ConnectionStatus = "connecting" | "open" | "lost";

type ClientRequest = { type: "take" | "release" | "undo" | "path" | "stop" | "ping" }
  | { type: "move"; joints: Record<string, { by: number } | { to: number }> }
  | { type: "replay"; name: string; text: string }
  | SimulationRequest;

/** The first and the longest wait before a new attempt to connect, in milliseconds. */
const MIN_WAIT = 250;
const MAX_WAIT = 8000;

export class Connection<S extends { revision: number; controller: number | null } = JogState> {
  state: S | null = null;
  status: ConnectionStatus = "connecting";
  client: number | null = null;
  /** Number of hello messages. It grows with each reconnection, even if the disconnection went unnoticed. */
  hellos = 0;
  /** Time of the next attempt, in milliseconds of `performance.now`, while the connection is lost. */
  nextAttempt = 0;
  private socket: WebSocket | null = null;
  private secret: string | null = null;
  private wait = MIN_WAIT;
  private timer = 0;
  private nextId = 1;
  private readonly pending = new Map<number, (answer: Answer) => void>();
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly address: string) {
    this.connect();
    // A page that becomes visible or online reconnects at once.
    window.addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retry();
    });
  }

  get inControl(): boolean {
    return this.status === "open" && this.client !== null && this.state?.controller === this.client;
  }

  /** Number of requests without an answer. */
  get unanswered(): number {
    return this.pending.size;
  }

  /** Calls `listener` after every change. */
  watch(listener: () => void): void {
    this.listeners.push(listener);
    listener();
  }

  /** Sends a request. The promise always resolves; without a connection, with an error. */
  request(request: ClientRequest): Promise<Answer> {
    const { socket } = this;
    if (socket === null || this.status !== "open") {
      return Promise.resolve({ type: "answer", result: "error", message: "not connected" });
    }
    const id = this.nextId;
    this.nextId += 1;
    return new Promise((resolve) => {
      this.pending.set(id, resolve);
      socket.send(JSON.stringify({ ...request, id }));
    });
  }

  /** Reconnects now, if the connection is lost. */
  retry(): void {
    if (this.status !== "lost") return;
    clearTimeout(this.timer);
    this.connect();
  }

  private connect(): void {
    this.status = "connecting";
    this.notify();
    let socket: WebSocket;
    try {
      socket = new WebSocket(this.address);
    } catch {
      this.handleClose();
      return;
    }
    this.socket = socket;
    socket.addEventListener("message", (event) => {
      if (this.socket === socket) this.receive(String(event.data));
    });
    socket.addEventListener("close", () => {
      if (this.socket === socket) this.handleClose();
    });
  }

  private receive(text: string): void {
    let message: ServerMessage<S>;
    try {
      message = JSON.parse(text) as typeof message;
    } catch {
      return;
    }
    if (message.type === "hello") {
      this.status = "open";
      this.hellos += 1;
      this.wait = MIN_WAIT;
      this.client = message.client ?? null;
      const before = this.secret;
      this.secret = message.secret ?? null;
      if (message.state) this.state = message.state;
      // Restores the control that this page had before the disconnection.
      if (before !== null) this.resume(before);
    } else if (message.type === "state" && message.state) {
      if (this.state === null || message.state.revision >= this.state.revision) this.state = message.state;
    } else if (message.type === "answer" && message.id !== undefined) {
      const resolve = this.pending.get(message.id);
      this.pending.delete(message.id);
      resolve?.({ ...message, type: "answer" } as Answer);
    }
    this.notify();
  }

  private resume(secret: string): void {
    const id = this.nextId;
    this.nextId += 1;
    this.pending.set(id, (answer) => {
      const resumed = answer as Answer & { client?: number; secret?: string };
      if (resumed.result !== "done") return;
      if (resumed.client !== undefined) this.client = resumed.client;
      if (resumed.secret !== undefined) this.secret = resumed.secret;
      this.notify();
    });
    this.socket?.send(JSON.stringify({ type: "resume", secret, id }));
  }

  private handleClose(): void {
    this.socket = null;
    this.status = "lost";
    for (const resolve of this.pending.values()) resolve({ type: "answer", result: "error", message: "the connection was lost" });
    this.pending.clear();
    // Random delays, so that pages do not reconnect all at once.
    const wait = this.wait * (0.75 + 0.5 * Math.random());
    this.nextAttempt = performance.now() + wait;
    this.timer = window.setTimeout(() => this.connect(), wait);
    this.wait = Math.min(MAX_WAIT, this.wait * 2);
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** The address of a socket of the server. */
export function socketAddress(name: "jog" | "live"): string {
  const address = new URL(name, location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.search = "";
  address.hash = "";
  return address.href;
}
