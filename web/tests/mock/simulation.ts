// A server that runs a simulation as small as can be: a ring of 1 kg that goes up by 0.1 m a step, pushed by 2 N s at each.

import type { PlaybackDocument } from "../../src/document/playback.ts";
import type { SimulationState } from "../../src/server/simulation.ts";
import { drop } from "./recording.ts";

export function live(ring: "rigid" | "flexible" = "rigid"): PlaybackDocument {
  const document = drop();
  const bodies = document.bodies.map((body) => ({ ...body, flexible: ring === "flexible" && body.name === "ring" }));
  return { ...document, bodies, name: "drop.toml", end: 3600, report: null, recording: null, simulation: [false, ring === "rigid"] };
}

/** The ring as it goes up and becomes wider by as much, in its frame at the beginning. */
function shape(up: number): string {
  const whole = Buffer.from(drop().meshes[1]?.positions ?? "", "base64");
  const places = new Float32Array(Uint8Array.from(whole).buffer);
  places.forEach((place, at) => (places[at] = at % 3 === 2 ? place + up : place * (1 + up)));
  return Buffer.from(places.buffer).toString("base64");
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

  constructor(private readonly ring: "rigid" | "flexible" = "rigid") {}

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
    const isRigid = this.ring === "rigid";
    const poses = [null, isRigid ? [0, 0, this.height, 1, 0, 0, 0] : null];
    const shapes: SimulationState["shapes"] = isRigid ? [] : [[1, shape(this.height - 0.5)]];
    return { time, running, pace: 1, runs, poses, shapes, impulses, weaker: 0, energy: [1, 9.81 * this.height, 0.5], hand, end: null, paused };
  }
}
