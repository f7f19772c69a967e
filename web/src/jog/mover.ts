// Moves as a person asks for them: a slider asks for more places than a robot can go to, so that of those that wait only
// the newest is sent, and never more than one at a time.

import type { Answer, Link } from "../server/connection.ts";

type Joints = Record<string, { by: number } | { to: number }>;

export class Mover {
  private underWay = false;
  private waiting: Joints | null = null;
  private readonly steps: Joints[] = [];

  constructor(private readonly link: Link, private readonly told: (answer: Answer) => void) {}

  /** Asks for values; what waited for the same joints is forgotten. */
  to(joints: Record<string, number>): void {
    this.waiting = { ...this.waiting, ...Object.fromEntries(Object.entries(joints).map(([name, to]) => [name, { to }])) };
    void this.next();
  }

  /** Asks for a step; every step counts, up to a few. */
  by(joint: string, by: number): void {
    if (this.steps.length < 4) this.steps.push({ [joint]: { by } });
    void this.next();
  }

  private async next(): Promise<void> {
    if (this.underWay) return;
    const joints = this.steps.shift() ?? this.waiting;
    if (joints === null || joints === undefined) return;
    if (joints === this.waiting) this.waiting = null;
    this.underWay = true;
    const answer = await this.link.ask({ type: "move", joints });
    this.underWay = false;
    this.told(answer);
    if (answer.result !== "done") this.steps.length = 0;
    void this.next();
  }
}
