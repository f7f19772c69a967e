// The jog panel: a row with slider and steps for each joint, named configurations, control, refusals, and the record of
// moves.

import type { App } from "../app.ts";
import { announce, button, element, fillLiveRegion, select } from "../elements/dom.ts";
import * as format from "../elements/format.ts";
import { iconButton } from "../elements/icons.ts";
import type { Answer, Connection } from "../server/connection.ts";
import { nameLabel } from "../elements/names.ts";
import { MoveQueue } from "./moves.ts";
import type { Joint } from "../document/playback.ts";
import { configurationButtons } from "./configurations.ts";
import { recordPanel } from "./record.ts";
import { refusalPanel } from "./refusal.ts";

/** Steps that can be chosen, in degrees and in metres. */
const ANGLES = [0.01, 0.1, 0.5, 1, 5, 10, 30];
const LENGTHS = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1];

interface JointRow {
  joint: Joint;
  slider: HTMLInputElement;
  value: HTMLInputElement;
  parts: (HTMLInputElement | HTMLButtonElement)[];
  /** Whether the slider is being dragged. */
  isDragged: boolean;
  /** Whether the field is being edited. */
  isEdited: boolean;
}

export function jogPanel(app: App, connection: Connection): HTMLElement {
  const joints = app.playback.robot?.joints ?? [];
  const status = element("div", { class: "status", role: "status", id: "jog-status" });
  const control = button("", () => void toggleControl(connection), { class: "wide", id: "jog-control" });
  const mover = new MoveQueue(connection, (answer) => {
    if (answer.result === "error") announce(answer.message ?? "The move cannot be made.");
    for (const row of rows) if (!row.isDragged) show(row, connection);
  });
  const steps = { rad: (1 * Math.PI) / 180, m: 0.01 };
  const angles = select("Step of joints that turn", ANGLES.map((step) => [String(step), `${step}\u00b0`] as const), (value) => (steps.rad = (Number(value) * Math.PI) / 180));
  angles.value = "1";
  const lengths = select("Step of joints that slide", LENGTHS.map((step) => [String(step), format.metres(step)] as const), (value) => (steps.m = Number(value)));
  lengths.value = "0.01";
  const rows = joints.map((joint, number) => jointRow(app, connection, { joint, number, mover, steps }));
  const has = (unit: Joint["unit"]): boolean => joints.some((joint) => joint.unit === unit);
  const undo = button("Undo", () => void announceError(connection.request({ type: "undo" })), { id: "jog-undo" });
  const stop = button("Stop", () => void announceError(connection.request({ type: "stop" })), { id: "jog-stop" });
  const configurations = configurationButtons(app, connection, mover);
  const recorded = recordPanel(app, connection);

  connection.watch(() => {
    fillLiveRegion(status, statusLine(connection));
    const inControl = connection.inControl;
    control.textContent = inControl ? "Release control" : "Take control";
    control.classList.toggle("accent", !inControl);
    control.disabled = connection.status !== "open" || (!inControl && connection.state?.controller !== null);
    for (const part of [undo, stop, ...rows.flatMap((row) => row.parts), ...(configurations?.parts ?? [])]) part.disabled = !inControl;
    for (const row of rows) if (!row.isDragged) show(row, connection);
  });
  return element("div", { class: "jog" }, status, control, refusalPanel(app, connection),
    element("div", { class: "joints" }, ...rows.map((row) => row.slider.closest(".joint") as HTMLElement)),
    element("div", { class: "buttons" }, element("span", { text: "Step" }), has("rad") && angles, has("m") && lengths, undo, stop),
    configurations?.root ?? "",
    recorded);
}

function jointRow(
  app: App, connection: Connection,
  options: { joint: Joint; number: number; mover: MoveQueue; steps: { rad: number; m: number } },
): JointRow {
  const { joint, number, mover, steps } = options;
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
  const row: JointRow = { joint, slider, value, parts: [], isDragged: false, isEdited: false };
  slider.addEventListener("input", () => {
    row.isDragged = true;
    app.state.set({ live: true });
    mover.moveTo({ [joint.name]: Number(slider.value) });
  });
  const release = (): void => {
    row.isDragged = row.isEdited = false;
    show(row, connection);
  };
  slider.addEventListener("change", release);
  slider.addEventListener("blur", release);
  value.addEventListener("keydown", (event) => event.stopPropagation());
  value.addEventListener("input", () => (row.isEdited = true));
  value.addEventListener("blur", release);
  value.addEventListener("change", () => {
    row.isEdited = false;
    app.state.set({ live: true });
    const typed = Number(value.value.replace(/[\u00b0\s]|m$/g, "").replace("\u2212", "-"));
    if (value.value.trim() !== "" && Number.isFinite(typed)) mover.moveTo({ [joint.name]: joint.unit === "rad" ? (typed * Math.PI) / 180 : typed });
    else show(row, connection);
  });
  const step = (direction: 1 | -1) => (): void => {
    app.state.set({ live: true });
    mover.moveBy(joint.name, direction * steps[joint.unit]);
  };
  const less = repeatWhileHeld(iconButton("minus", `${joint.name}: a step back`, () => undefined), step(-1));
  const more = repeatWhileHeld(iconButton("plus", `${joint.name}: a step on`, () => undefined), step(1));
  row.parts = [slider, value, less, more];
  const label = element("label", { attributes: { for: id } }, nameLabel(joint.name));
  element("div", { class: "joint" }, label, value, less, slider, more);
  return row;
}

/** Repeats the action of a button while it is pressed. */
function repeatWhileHeld(control: HTMLButtonElement, action: () => void): HTMLButtonElement {
  let timer = 0;
  const end = (): void => clearTimeout(timer);
  control.addEventListener("click", action);
  control.addEventListener("pointerdown", () => {
    const again = (): void => {
      action();
      timer = window.setTimeout(again, 90);
    };
    end();
    timer = window.setTimeout(again, 450);
  });
  for (const name of ["pointerup", "pointerleave", "pointercancel", "blur"] as const) control.addEventListener(name, end);
  return control;
}

function show(row: JointRow, connection: Connection): void {
  const number = Number(row.slider.id.slice("joint-".length));
  const value = connection.state?.values[number];
  if (value === undefined) return;
  row.slider.value = String(value);
  const text = format.jointValue(value, row.joint.unit);
  row.slider.setAttribute("aria-valuetext", text);
  row.value.title = `${format.exact(value)} ${row.joint.unit}`;
  if (!row.isEdited) row.value.value = text;
}

async function toggleControl(connection: Connection): Promise<void> {
  await announceError(connection.request({ type: connection.inControl ? "release" : "take" }));
}

async function announceError(reply: Promise<Answer>): Promise<void> {
  const answer = await reply;
  if (answer.result === "error") announce(answer.message ?? "That cannot be done.");
}

function statusLine(connection: Connection): HTMLElement[] {
  const dot = (kind: string, text: string): HTMLElement[] => [element("i", { class: `dot ${kind}` }), element("span", { text })];
  if (connection.status === "connecting") return dot("waiting", connection.state === null ? "Connecting\u2026" : "Connecting again\u2026");
  if (connection.status === "lost") {
    return [...dot("lost", "Connection lost. What was recorded is kept by the server."), button("Try now", () => connection.retry())];
  }
  if (connection.inControl) return dot("mine", "You are in control.");
  const controller = connection.state?.controller ?? null;
  return controller === null ? dot("free", "Nobody is in control.") : dot("other", `Client ${controller} is in control. You watch.`);
}
