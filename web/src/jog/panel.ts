// Jogging: one row a joint with a slider and steps, postures that have names, who is in control, what was refused and why, and the
// record of moves.

import type { App } from "../app.ts";
import { announce, button, element, say, select } from "../elements/dom.ts";
import * as format from "../elements/format.ts";
import { iconButton } from "../elements/icons.ts";
import type { Answer, Link } from "../server/connection.ts";
import { nameLabel } from "../elements/names.ts";
import { Mover } from "./mover.ts";
import type { Joint } from "../document/playback.ts";
import { postureButtons } from "./postures.ts";
import { record } from "./record.ts";
import { refusalBlock } from "./refusal.ts";

const ANGLES = [0.01, 0.1, 0.5, 1, 5, 10, 30];
const LENGTHS = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1];

interface Row {
  joint: Joint;
  slider: HTMLInputElement;
  value: HTMLInputElement;
  parts: (HTMLInputElement | HTMLButtonElement)[];
  /** The slider is being dragged. */
  held: boolean;
  /** The field is being typed into. */
  typed: boolean;
}

export function jogPanel(app: App, link: Link): HTMLElement {
  const joints = app.playback.robot?.joints ?? [];
  const status = element("div", { class: "status", role: "status", id: "jog-status" });
  const control = button("", () => void toggleControl(link), { class: "wide", id: "jog-control" });
  const mover = new Mover(link, (answer) => {
    if (answer.result === "error") announce(answer.message ?? "The move cannot be made.");
    for (const row of rows) if (!row.held) show(row, link);
  });
  const steps = { rad: (1 * Math.PI) / 180, m: 0.01 };
  const angles = select("Step of joints that turn", ANGLES.map((step) => [String(step), `${step}\u00b0`] as const), (value) => (steps.rad = (Number(value) * Math.PI) / 180));
  angles.value = "1";
  const lengths = select("Step of joints that slide", LENGTHS.map((step) => [String(step), format.metres(step)] as const), (value) => (steps.m = Number(value)));
  lengths.value = "0.01";
  const rows = joints.map((joint, number) => jointRow(app, link, { joint, number, mover, steps }));
  const has = (unit: Joint["unit"]): boolean => joints.some((joint) => joint.unit === unit);
  const undo = button("Undo", () => void tell(link.ask({ type: "undo" })), { id: "jog-undo" });
  const stop = button("Stop", () => void tell(link.ask({ type: "stop" })), { id: "jog-stop" });
  const postures = postureButtons(app, link, mover);
  const recorded = record(app, link);

  link.watch(() => {
    say(status, standing(link));
    const mine = link.inControl;
    control.textContent = mine ? "Release control" : "Take control";
    control.classList.toggle("accent", !mine);
    control.disabled = link.standing !== "open" || (!mine && link.state?.controller !== null);
    for (const part of [undo, stop, ...rows.flatMap((row) => row.parts), ...(postures?.parts ?? [])]) part.disabled = !mine;
    for (const row of rows) if (!row.held) show(row, link);
  });
  return element("div", { class: "jog" }, status, control, refusalBlock(app, link),
    element("div", { class: "joints" }, ...rows.map((row) => row.slider.closest(".joint") as HTMLElement)),
    element("div", { class: "buttons" }, element("span", { text: "Step" }), has("rad") && angles, has("m") && lengths, undo, stop),
    postures?.root ?? "",
    recorded);
}

function jointRow(
  app: App, link: Link,
  given: { joint: Joint; number: number; mover: Mover; steps: { rad: number; m: number } },
): Row {
  const { joint, number, mover, steps } = given;
  const [low, high] = joint.limits ?? (joint.unit === "rad" ? [-Math.PI, Math.PI] : [-1, 1]);
  const id = `joint-${number}`;
  const slider = element("input", {
    type: "range", id,
    attributes: { min: String(low), max: String(high), step: "any", "aria-label": joint.name },
  });
  const value = element("input", {
    type: "text", class: "number",
    attributes: { "aria-label": `${joint.name} in ${joint.unit === "rad" ? "degrees" : "metres"}`, inputmode: "decimal", id: `${id}-value` },
  });
  const row: Row = { joint, slider, value, parts: [], held: false, typed: false };
  slider.addEventListener("input", () => {
    row.held = true;
    app.state.set({ live: true });
    mover.to({ [joint.name]: Number(slider.value) });
  });
  const letGo = (): void => {
    row.held = row.typed = false;
    show(row, link);
  };
  slider.addEventListener("change", letGo);
  slider.addEventListener("blur", letGo);
  value.addEventListener("keydown", (event) => event.stopPropagation());
  value.addEventListener("input", () => (row.typed = true));
  value.addEventListener("blur", letGo);
  value.addEventListener("change", () => {
    row.typed = false;
    app.state.set({ live: true });
    const typed = Number(value.value.replace(/[\u00b0\s]|m$/g, "").replace("\u2212", "-"));
    if (value.value.trim() !== "" && Number.isFinite(typed)) mover.to({ [joint.name]: joint.unit === "rad" ? (typed * Math.PI) / 180 : typed });
    else show(row, link);
  });
  const step = (way: 1 | -1) => (): void => {
    app.state.set({ live: true });
    mover.by(joint.name, way * steps[joint.unit]);
  };
  const less = repeating(iconButton("minus", `${joint.name}: a step back`, () => undefined), step(-1));
  const more = repeating(iconButton("plus", `${joint.name}: a step on`, () => undefined), step(1));
  row.parts = [slider, value, less, more];
  const label = element("label", { attributes: { for: id } }, nameLabel(joint.name));
  element("div", { class: "joint" }, label, value, less, slider, more);
  return row;
}

/** A button that goes on while it is held. */
function repeating(made: HTMLButtonElement, action: () => void): HTMLButtonElement {
  let timer = 0;
  const end = (): void => clearTimeout(timer);
  made.addEventListener("click", action);
  made.addEventListener("pointerdown", () => {
    const again = (): void => {
      action();
      timer = window.setTimeout(again, 90);
    };
    end();
    timer = window.setTimeout(again, 450);
  });
  for (const name of ["pointerup", "pointerleave", "pointercancel", "blur"] as const) made.addEventListener(name, end);
  return made;
}

function show(row: Row, link: Link): void {
  const number = Number(row.slider.id.slice("joint-".length));
  const value = link.state?.values[number];
  if (value === undefined) return;
  row.slider.value = String(value);
  const text = format.jointValue(value, row.joint.unit);
  row.slider.setAttribute("aria-valuetext", text);
  row.value.title = `${format.exact(value)} ${row.joint.unit}`;
  if (!row.typed) row.value.value = text;
}

async function toggleControl(link: Link): Promise<void> {
  await tell(link.ask({ type: link.inControl ? "release" : "take" }));
}

async function tell(asked: Promise<Answer>): Promise<void> {
  const answer = await asked;
  if (answer.result === "error") announce(answer.message ?? "That cannot be done.");
}

function standing(link: Link): HTMLElement[] {
  const dot = (kind: string, text: string): HTMLElement[] => [element("i", { class: `dot ${kind}` }), element("span", { text })];
  if (link.standing === "connecting") return dot("waiting", link.state === null ? "Connecting\u2026" : "Connecting again\u2026");
  if (link.standing === "lost") {
    return [...dot("lost", "Connection lost. What was recorded is kept by the server."), button("Try now", () => link.retry())];
  }
  if (link.inControl) return dot("mine", "You are in control.");
  const controller = link.state?.controller ?? null;
  return controller === null ? dot("free", "Nobody is in control.") : dot("other", `Client ${controller} is in control. You watch.`);
}
