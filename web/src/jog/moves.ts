// Moves as a person asks for them: a slider asks for more places than a robot can go to, so that of those that wait only
// the newest is sent, and never more than one at a time.

import type { Answer, Connection } from "../server/connection.ts";

type JointTargets = Record<string, { by: number } | { to: number }>;

export class MoveQueue {
  private inFlight = false;
  private pending: JointTargets | null = null;
  private readonly steps: JointTargets[] = [];

  constructor(private readonly connection: Connection, private readonly onAnswer: (answer: Answer) => void) {}

  /** Asks for values; what waited for the same joints is forgotten. */
  moveTo(joints: Record<string, number>): void {
    this.pending = { ...this.pending, ...Object.fromEntries(Object.entries(joints).map(([name, to]) => [name, { to }])) };
    void this.next();
  }

  /** Asks for a step; every step counts, up to a few. */
  moveBy(joint: string, by: number): void {
    if (this.steps.length < 4) this.steps.push({ [joint]: { by } });
    void this.next();
  }

  private async next(): Promise<void> {
    if (this.inFlight) return;
    const joints = this.steps.shift() ?? this.pending;
    if (joints === null || joints === undefined) return;
    if (joints === this.pending) this.pending = null;
    this.inFlight = true;
    const answer = await this.connection.request({ type: "move", joints });
    this.inFlight = false;
    this.onAnswer(answer);
    if (answer.result !== "done") this.steps.length = 0;
    void this.next();
  }
}
