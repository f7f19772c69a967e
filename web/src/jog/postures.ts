// Postures that have names: a button each, which moves the joints there as a slider would, as far as the way is free.

import type { App } from "../app.ts";
import { button, element } from "../elements/dom.ts";
import { nameLabel } from "../elements/names.ts";
import * as format from "../elements/format.ts";
import type { Joint, Posture } from "../document/playback.ts";
import type { Link } from "../server/connection.ts";
import type { Mover } from "./mover.ts";

/** Values that differ by less are the same posture, in radians or metres. */
const SAME = 1e-9;

/** The buttons of all postures, and those of them that can be pressed by who has control; none where the robot has none. */
export function postureButtons(app: App, link: Link, mover: Mover): { root: HTMLElement; parts: HTMLButtonElement[] } | null {
  const { joints = [], postures = [] } = app.playback.robot ?? {};
  if (postures.length === 0) return null;
  const buttons = postures.map((posture) => {
    const made = button("", () => {
      app.state.set({ live: true });
      mover.to(Object.fromEntries(posture.joints));
    }, { title: titleOf(posture, joints), attributes: { "aria-label": `Go to the posture ${posture.name}` } });
    made.append(nameLabel(posture.name));
    made.disabled = true;
    return made;
  });
  const parts = buttons.filter((_, number) => (postures[number]?.joints.length ?? 0) > 0);
  link.watch(() => postures.forEach((posture, number) => {
    const there = isAt(posture, joints, link.state?.values ?? []);
    buttons[number]?.classList.toggle("there", there);
    buttons[number]?.setAttribute("aria-pressed", String(there));
  }));
  const root = element("section", { class: "postures", attributes: { "aria-label": "Postures" } },
    element("span", { text: "Postures" }), ...buttons);
  return { root, parts };
}

/** Where it leads, and what of it has no effect; or why the robot cannot have it. */
function titleOf({ joints: values, doubts, error }: Posture, joints: readonly Joint[]): string {
  if (error !== null) return error;
  const unit = (name: string): Joint["unit"] => joints.find((joint) => joint.name === name)?.unit ?? "rad";
  const set = values.map(([name, value]) => `${name} ${format.jointValue(value, unit(name))}`);
  return [...(set.length > 0 ? set : ["It sets no joint that can be moved."]), ...doubts].join("\n");
}

/** Whether the robot is in a posture: joints that it does not name may be anywhere. */
function isAt({ joints: values }: Posture, joints: readonly Joint[], now: readonly number[]): boolean {
  return values.length > 0 && values.every(([name, value]) => {
    const at = now[joints.findIndex((joint) => joint.name === name)];
    return at !== undefined && Math.abs(at - value) < SAME;
  });
}
