// Buttons for the configurations that an SRDF names. A button moves the joints like a slider, as far as the motion
// is free.

import type { App } from "../app.ts";
import { button, element } from "../elements/dom.ts";
import { nameLabel } from "../elements/names.ts";
import * as format from "../elements/format.ts";
import type { Joint, NamedConfiguration } from "../document/playback.ts";
import type { Connection } from "../server/connection.ts";
import type { MoveQueue } from "./moves.ts";

/** Smaller differences count as equal, in radians or metres. */
const VALUE_TOLERANCE = 1e-9;

/** The buttons, and those that are enabled while in control; null if the robot has no named configurations. */
export function configurationButtons(app: App, connection: Connection, mover: MoveQueue): { root: HTMLElement; parts: HTMLButtonElement[] } | null {
  const { joints = [], postures: configurations = [] } = app.playback.robot ?? {};
  if (configurations.length === 0) return null;
  const buttons = configurations.map((configuration) => {
    const control = button("", () => {
      app.state.set({ live: true });
      mover.moveTo(Object.fromEntries(configuration.joints));
    }, { title: titleOf(configuration, joints), attributes: { "aria-label": `Go to the configuration ${configuration.name}` } });
    control.append(nameLabel(configuration.name));
    control.disabled = true;
    return control;
  });
  const parts = buttons.filter((_, number) => (configurations[number]?.joints.length ?? 0) > 0);
  connection.watch(() => configurations.forEach((configuration, number) => {
    const isActive = isAt(configuration, joints, connection.state?.values ?? []);
    buttons[number]?.classList.toggle("there", isActive);
    buttons[number]?.setAttribute("aria-pressed", String(isActive));
  }));
  const root = element("section", { class: "configurations", attributes: { "aria-label": "Configurations" } },
    element("span", { text: "Configurations" }), ...buttons);
  return { root, parts };
}

/** Joint values and parts without effect, or the reason why the robot cannot reach it. */
function titleOf({ joints: values, doubts, error }: NamedConfiguration, joints: readonly Joint[]): string {
  if (error !== null) return error;
  const unit = (name: string): Joint["unit"] => joints.find((joint) => joint.name === name)?.unit ?? "rad";
  const set = values.map(([name, value]) => `${name} ${format.jointValue(value, unit(name))}`);
  return [...(set.length > 0 ? set : ["It sets no joint that can be moved."]), ...doubts].join("\n");
}

/** Whether the robot is in a configuration; joints that it does not name are ignored. */
function isAt({ joints: values }: NamedConfiguration, joints: readonly Joint[], now: readonly number[]): boolean {
  return values.length > 0 && values.every(([name, value]) => {
    const at = now[joints.findIndex((joint) => joint.name === name)];
    return at !== undefined && Math.abs(at - value) < VALUE_TOLERANCE;
  });
}
