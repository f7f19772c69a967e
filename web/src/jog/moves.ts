// Queue of moves. A slider produces more targets than a robot can reach, so only the newest pending target is sent, and
// only one move at a time.

import type { Answer, Connection } from "../server/connection.ts";

type JointTargets = Record<string, { by: number } | { to: number }>;

export class MoveQueue {
  private inFlight = false;
  private pending: JointTargets | null = null;
  private readonly steps: JointTargets[] = [];

  constructor(private readonly connection: Connection, private readonly onAnswer: (answer: Answer) => void) {}

  /** Requests joint values, replacing pending values of the same joints. */
  moveTo(joints: Record<string, number>): void {
    this.pending = { ...this.pending, ...Object.fromEntries(Object.entries(joints).map(([name, to]) => [name, { to }])) };
    void this.next();
  }

  /** Requests a step. Steps are not merged; at most four are queued. */
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
