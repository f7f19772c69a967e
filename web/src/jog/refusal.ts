// The reason for the last refused move, in three lines, so that the sliders stay visible. A button expands the details.

import type { App } from "../app.ts";
import { button, element, addFact, fill, fillLiveRegion } from "../elements/dom.ts";
import * as format from "../elements/format.ts";
import { nameLabel } from "../elements/names.ts";
import type { Connection } from "../server/connection.ts";
import type { DepthChange, Refusal, RefusedPair } from "../server/jog.ts";

/** A panel of constant height, so that a dragged slider does not move. */
export function refusalPanel(app: App, connection: Connection): HTMLElement {
  const summary = element("div", { class: "told", role: "alert", id: "jog-refusal" });
  const details = element("div", { class: "rest", id: "jog-refusal-rest" });
  const more = button("", () => {
    details.hidden = !details.hidden;
    show();
  }, { id: "jog-refusal-all", attributes: { "aria-controls": details.id } });
  const root = element("div", { class: "refusal" }, summary, more, details);
  details.hidden = true;
  const show = (): void => {
    const refusal = connection.state?.refusal ?? null;
    const depthChanges = connection.state?.way_out ?? [];
    const free = depthChanges.length > 0 ? depthChangeLines(depthChanges) : [element("p", { class: "empty", text: "Moves are carried out as far as they are proven free." })];
    fillLiveRegion(summary, refusal === null ? free : refusalSummary(app, connection, refusal));
    root.classList.toggle("bad", refusal !== null);
    root.classList.toggle("out", refusal === null && depthChanges.length > 0);
    more.hidden = refusal === null;
    more.textContent = details.hidden ? "Show all" : "Show less";
    more.setAttribute("aria-expanded", String(!details.hidden));
    fill(details, ...(refusal === null ? [] : refusalDetails(app, connection, refusal)));
  };
  connection.watch(show);
  return root;
}

/** A move that reduces overlaps: the depth of the first pair. */
function depthChangeLines([first, ...others]: readonly DepthChange[]): HTMLElement[] {
  if (first === undefined) return [];
  const depth = first.depth > 0 ? `from ${format.metres(first.depth_before)} to ${format.metres(first.depth)} deep` : `separated, from ${format.metres(first.depth_before)} deep`;
  return [
    element("p", {}, element("strong", { text: "Escape from an overlap" })),
    element("p", { class: "line" }, nameLabel(first.a, "body-a"), " separates from ", nameLabel(first.b, "body-b"), others.length > 0 ? ` and ${others.length} more` : ""),
    element("p", { class: "line number", text: depth, title: "No move leads back in." }),
  ];
}

/** The reason, the first contact, and the joint values there. */
function refusalSummary(app: App, connection: Connection, refusal: Refusal): HTMLElement[] {
  const [first, ...others] = refusal.pairs;
  const values = first?.joints ?? refusal.free_until;
  const where = `${first?.joints ? "at" : "free until"} ${changedJoints(app, connection, values).map(([joint, text]) => `${joint} ${text}`).join(", ")}`;
  return [
    element("p", { class: "line heading" }, element("strong", { text: `Refused after ${format.short(refusal.free * 100)} %`, title: `${format.exact(refusal.free * 100)} % of the move` })),
    first === undefined ? element("p", { class: "line" }) : element("p", { class: "line", title: first.why ?? "" }, ...pairText(first), others.length > 0 ? ` and ${others.length} more` : ""),
    isOverlapping(refusal) ? element("p", { class: "line", text: "Only a move that separates them is carried out." }) : element("p", { class: "line number refused-at", text: where, title: where }),
  ];
}

function refusalDetails(app: App, connection: Connection, refusal: Refusal): HTMLElement[] {
  const lines: HTMLElement[] = [];
  for (const pair of refusal.pairs) {
    lines.push(element("p", {}, ...pairText(pair), pair.joints === null ? `: ${pair.why ?? "not known"}` : " at"));
    if (pair.joints !== null) lines.push(jointFacts(app, connection, pair.joints));
    if (pair.point !== null) lines.push(element("p", { class: "number", text: `place ${format.vector(pair.point)} m`, title: pair.point.map(format.exact).join(", ") }));
  }
  lines.push(element("p", { text: `Proven free for ${format.short(refusal.free * 100)} % of the move, until` }), jointFacts(app, connection, refusal.free_until));
  return lines;
}

/** Whether the move starts with overlapping bodies. */
const isOverlapping = ({ free, pairs }: Refusal): boolean => free === 0 && pairs[0]?.verdict === "overlapping";

function pairText({ a, b, joints, verdict }: RefusedPair): (HTMLElement | string)[] {
  const how = verdict === "overlapping" ? " overlaps " : joints === null ? " may touch " : " would touch ";
  return [nameLabel(a, "body-a"), how, nameLabel(b, "body-b")];
}

/**
 * Joints whose values differ from the current ones, because the robot stops before the contact; all joints if none
 * differ.
 */
function changedJoints(app: App, connection: Connection, values: Record<string, number>): (readonly [string, string, string])[] {
  const joints = app.playback.robot?.joints ?? [];
  const of = (name: string): number => joints.findIndex((joint) => joint.name === name);
  const entries = Object.entries(values);
  const changed = entries.filter(([name, value]) => connection.state?.values[of(name)] !== value);
  return (changed.length > 0 ? changed : entries).map(([name, value]) => {
    const unit = joints[of(name)]?.unit ?? "rad";
    return [name, format.jointValue(value, unit), `${format.exact(value)} ${unit}`];
  });
}

function jointFacts(app: App, connection: Connection, jointValues: Record<string, number>): HTMLElement {
  const list = element("dl", { class: "facts" });
  for (const [joint, text, exact] of changedJoints(app, connection, jointValues)) addFact(list, nameLabel(joint), text, { class: "number", title: exact });
  return list;
}
