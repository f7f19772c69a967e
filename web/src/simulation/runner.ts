// Orders to a simulation: whoever gives one takes control first, if nobody has it.

import type { Answer, Link } from "../server/connection.ts";
import { announce } from "../elements/dom.ts";
import type { SimulationRequest, SimulationState } from "../server/simulation.ts";

export class Runner {
  constructor(readonly link: Link<SimulationState>) {}

  get state(): SimulationState | null {
    return this.link.state;
  }

  /** Whether orders of this page are carried out: nobody else is in control. */
  get mayAct(): boolean {
    return this.link.standing === "open" && (this.link.inControl || this.state?.controller === null);
  }

  /** Gives an order; what is wrong with it is said. */
  async order(request: SimulationRequest): Promise<Answer> {
    if (!this.link.inControl) {
      const taken = await this.link.ask({ type: "take" });
      if (taken.result !== "done") return said(taken);
    }
    return said(await this.link.ask(request));
  }

  playOrPause(): void {
    void this.order({ type: this.state?.running === true ? "pause" : "play" });
  }

  step(): void {
    void this.order({ type: "step" });
  }

  restart(): void {
    void this.order({ type: "restart" });
  }
}

function said(answer: Answer): Answer {
  if (answer.result === "error") announce(answer.message ?? "That cannot be done.");
  return answer;
}
