// Requests to a simulation. A request takes control first, if it is free.

import type { Answer, Connection } from "../server/connection.ts";
import { announce } from "../elements/dom.ts";
import type { SimulationRequest, SimulationState } from "../server/simulation.ts";

export class SimulationControl {
  constructor(readonly connection: Connection<SimulationState>) {}

  get state(): SimulationState | null {
    return this.connection.state;
  }

  /** Whether this page may send requests: no other client is in control. */
  get canControl(): boolean {
    return this.connection.status === "open" && (this.connection.inControl || this.state?.controller === null);
  }

  /** Sends a request, and announces an error. */
  async request(request: SimulationRequest): Promise<Answer> {
    if (!this.connection.inControl) {
      const taken = await this.connection.request({ type: "take" });
      if (taken.result !== "done") return announceError(taken);
    }
    return announceError(await this.connection.request(request));
  }

  playOrPause(): void {
    void this.request({ type: this.state?.running === true ? "pause" : "play" });
  }

  step(): void {
    void this.request({ type: "step" });
  }

  restart(): void {
    void this.request({ type: "restart" });
  }
}

function announceError(answer: Answer): Answer {
  if (answer.result === "error") announce(answer.message ?? "That cannot be done.");
  return answer;
}
