// A server that runs a simulation as small as can be: a ring of 1 kg that goes up by 0.1 m a step, pushed by 2 N s at each.

import type { PlaybackDocument } from "../../src/document/playback.ts";
import type { SimulationState } from "../../src/simulation/state.ts";
import { drop } from "./recording.ts";

export function live(): PlaybackDocument {
  return { ...drop(), name: "drop.toml", end: 3600, report: null, recording: null, simulation: [false, true] };
}

interface Asked {
  type: string;
  body?: number;
  point?: [number, number, number];
  target?: [number, number, number];
}

export class MockSimulation {
  time = 0;
  height = 0.5;
  readonly orders: Asked[] = [];
  private running = false;
  private runs = 1;
  private hand: SimulationState["hand"] = null;
  private impulses: SimulationState["impulses"] = [];
  /** Why it was paused. */
  paused: string | null = null;

  /** Carries out an order; what is wrong with it. */
  order(asked: Asked): string | null {
    this.orders.push(asked);
    this.impulses = [];
    const { body, point, target } = asked;
    if (asked.type === "play" || asked.type === "pause") this.running = asked.type === "play";
    else if (asked.type === "step") {
      this.time += 0.01;
      this.height += 0.1;
      this.impulses = [[0, 1, [this.time, 0, 0, 0, 0, 0, 2]]];
    } else if (asked.type === "restart") [this.time, this.height, this.runs, this.running] = [0, 0.5, this.runs + 1, false];
    else if (asked.type === "grab" && body !== undefined && point) this.hand = { body, point, target: [0, 0, this.height] };
    else if (asked.type === "drag" && this.hand && target) this.hand = { ...this.hand, target };
    else if (asked.type === "drop") this.hand = null;
    else return `found type ${asked.type}`;
    return null;
  }

  state(): Omit<SimulationState, "revision" | "controller"> {
    const { time, running, runs, hand, impulses, paused } = this;
    const poses = [null, [0, 0, this.height, 1, 0, 0, 0]];
    return { time, running, pace: 1, runs, poses, impulses, weaker: 0, energy: [1, 9.81 * this.height, 0.5], hand, end: null, paused };
  }
}
