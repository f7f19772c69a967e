// Details of the chosen finding, in numbers with units. Proven numbers have all their digits.

import type { App } from "../app.ts";
import type { ContactFacts } from "../contact.ts";
import { element, addFact, fill } from "../elements/dom.ts";
import type { Feature } from "../document/features.ts";
import * as format from "../elements/format.ts";
import { rotates, type Suggestion } from "../document/suggestions.ts";
import { nameLabel } from "../elements/names.ts";
import { GapPlot } from "./plot.ts";
import { eventOf, intervalOf, contactOf, type ContactPlace, type Finding, type ReportInterval, type ReportPair } from "../document/report.ts";
import { dot, length, scale, sub } from "../motion/vector.ts";

/** The detail panel; `about` computes what the picture shows too. */
export function detailPanel(app: App, about: (finding: Finding) => ContactFacts): HTMLElement {
  const root = element("section", { class: "detail", attributes: { "aria-label": "The chosen contact" } });
  const text = element("div", {});
  const plot = new GapPlot(app);
  root.append(text, plot.root);
  app.state.watch(["finding"], () => {
    const { chosen, report } = app;
    plot.root.hidden = chosen === null;
    root.hidden = app.findings.length === 0;
    if (chosen === null || report === null) {
      fill(text, element("p", { class: "empty", text: "Choose a contact, or press N for the next." }));
      return;
    }
    const pair = report.pairs[chosen.pair] as ReportPair;
    const isFirst = report.followed_until !== undefined;
    const place = { interval: intervalOf(report, chosen), contact: contactOf(report, chosen), isFirst };
    const event = eventOf(report, chosen);
    const suggestion = app.suggestionOf(chosen);
    fill(text, heading(pair, chosen), suggestion === null ? null : suggestionSection(app, suggestion), contactList(app, pair, event === null ? chosen : event.time, { ...place, about: about(chosen) }));
    const numbers = app.playback.pairs[chosen.pair];
    if (numbers?.some((body) => app.playback.bodies[body]?.kind === "deforming")) plot.showReason("The gap over time of bodies that deform is not worked out.");
    else if (numbers) void plot.show(numbers);
  });
  return root;
}

function heading(pair: ReportPair, chosen: Finding): HTMLElement {
  const overlapping = pair.verdict === "overlapping" && chosen.index === 0;
  const words = { contact: overlapping ? "overlapping" : "contact", near: "near", undecided: "undecided", event: "features meet" };
  const names = pair.a === pair.b
    ? [element("span", { class: "body-a", text: pair.a }), " with itself"]
    : [element("span", { class: "body-a", text: pair.a }), " \u2013 ", element("span", { class: "body-b", text: pair.b })];
  return element("header", {}, element("h2", {}, ...names),
    element("span", { class: `chip ${chosen.kind === "event" ? "contact" : chosen.kind}`, text: words[chosen.kind] }));
}

/** The suggested impulse and the velocities after it. The motion itself does not change. */
export function suggestionSection(app: App, { sides, impulse, places }: Suggestion): HTMLElement {
  const list = element("dl", { class: "facts" });
  const [, b] = sides;
  const exact = (values: readonly number[]): string => values.map(format.exact).join(", ");
  addFact(list, nameLabel(`On ${app.nameOf(b.body)}`), `${format.vector(impulse)} N s`, {
    class: "number", title: `${exact(impulse)} N s, in sum, at ${format.count(places.length, "place", "places")}; the opposite on ${app.nameOf(sides[0].body)}`,
  });
  for (const { body, before, after, velocityChanges } of sides) {
    const velocityBefore = `${format.vector(before.linear)} m/s${rotates(before) ? `, turns by ${format.vector(before.angular)} rad/s` : ""}`;
    const velocityAfter = `${format.vector(after.linear)} m/s${rotates(after) ? `\nturning by ${format.vector(after.angular)} rad/s` : ""}`;
    addFact(list, nameLabel(app.nameOf(body)), velocityChanges ? `${velocityAfter}\nnow ${velocityBefore}` : "has no mass: does not give way", {
      class: "number", title: velocityChanges ? `would continue with ${exact(after.linear)} m/s, ${exact(after.angular)} rad/s` : "",
    });
  }
  return element("section", { class: "follows", id: "follows", attributes: { "aria-label": "The impulse that would follow" } },
    element("h3", { text: "The impulse that would follow" }), list);
}

/** `when`: the undecided finding, or the time of an event. */
function contactList(
  app: App, pair: ReportPair, when: Finding | readonly [number, number],
  { interval, contact, isFirst, about }: { interval: ReportInterval | null; contact: ContactPlace | null; isFirst: boolean; about: ContactFacts },
): HTMLElement {
  const list = element("dl", { class: "facts" });
  if (interval !== null) addTimes(list, interval, isFirst);
  else if ("kind" in when) addUndecided(list, pair, when);
  else addFact(list, "First", format.enclosure(when, format.seconds), { ...enclosureFact(when), id: "enter" });
  if (contact !== null) {
    addFact(list, "Kind", contact.kind + (contact.touching ? ", touching" : ""));
    about.features.forEach((feature, side) => addFact(list, nameLabel(pair.a === pair.b ? (side === 0 ? "One" : "The other") : side === 0 ? pair.a : pair.b), featureText(feature), { class: side === 0 ? "side-a" : "side-b" }));
    addFact(list, "Point, m", format.vector(contact.point), { class: "number", title: contact.point.map(format.exact).join(", ") });
    addFact(list, "Normal", format.vector(contact.normal), { class: "number", title: contact.normal.map(format.exact).join(", ") });
    if (contact.approach_speed !== undefined) addFact(list, "Approach", format.speed(contact.approach_speed), { class: "number" });
    if (about.velocity !== null) {
      const along = dot(about.velocity, contact.normal);
      const sideways = length(sub(about.velocity, scale(contact.normal, along)));
      addFact(list, "Relative speed", format.speed(length(about.velocity)), { class: "number", title: `${format.vector(about.velocity)} m/s` });
      addFact(list, "of that, sliding", format.speed(sideways), { class: "number" });
    }
    const screw = contact.screw;
    // For other motions the screw is one of many approximations, so it is left out.
    if (screw !== undefined && screw.exact !== false) {
      const parts = [screw.angle !== 0 && `turns ${format.degrees(screw.angle)}`, screw.slide !== 0 && `slides ${format.metres(screw.slide)}`].filter(Boolean);
      addFact(list, "Relative screw", `${screw.moving} ${parts.join(", ") || "is static"} in ${format.seconds(screw.time[1] - screw.time[0])}`, {
        title: `axis ${format.vector(screw.axis)}${screw.point === null ? "" : ` through ${format.vector(screw.point)} m`}, from ${format.exact(screw.time[0])} s to ${format.exact(screw.time[1])} s`,
      });
    }
  }
  if (interval?.segment !== undefined) addFact(list, "Segment", String(interval.segment), { class: "number" });
  for (const [joint, value] of Object.entries(interval?.joints ?? {})) {
    const unit = app.playback.robot?.joints.find(({ name }) => name === joint)?.unit ?? "rad";
    addFact(list, nameLabel(joint), format.jointValue(value, unit), { class: "number joint-value", title: `${format.exact(value)} ${unit}` });
  }
  if (pair.gap !== undefined && pair.gap > 0) addFact(list, "Least gap", format.metres(pair.gap), { class: "number" });
  if (pair.gap_at_least !== undefined) addFact(list, "Proven at least", format.metres(pair.gap_at_least), { class: "number" });
  if (pair.deviation !== undefined) addFact(list, "Deviation", format.metres(pair.deviation), { class: "number", title: "How far the motion that was examined may be off the true one: already taken into account" });
  return list;
}

function addTimes(list: HTMLElement, interval: ReportInterval, isFirst: boolean): void {
  addFact(list, "Enters", format.enclosure(interval.enter, format.seconds), { ...enclosureFact(interval.enter), id: "enter" });
  if (isFirst) {
    addFact(list, "Exits", "not followed", { id: "exit" });
    return;
  }
  if (interval.exit === null) addFact(list, "Exits", "not before the end", { id: "exit" });
  else addFact(list, "Exits", format.enclosure(interval.exit, format.seconds), { ...enclosureFact(interval.exit), id: "exit" });
  const end = interval.exit;
  if (end !== null) addFact(list, "Lasts", format.seconds((end[0] + end[1] - interval.enter[0] - interval.enter[1]) / 2), { class: "number" });
}

/** The tooltip of an enclosure: all digits of both ends. */
const enclosureFact = (ends: readonly [number, number]): { class: string; title: string } =>
  ({ class: "number", title: `${format.exactEnclosure(ends)} s, ${format.seconds(ends[1] - ends[0])} wide` });

function addUndecided(list: HTMLElement, pair: ReportPair, chosen: Finding): void {
  addFact(list, "Unknown", format.enclosure([chosen.start, chosen.end], format.seconds), enclosureFact([chosen.start, chosen.end]));
  if (pair.clear_until !== undefined) addFact(list, "Proven clear until", format.seconds(pair.clear_until), { class: "number", title: `${format.exact(pair.clear_until)} s` });
  if (pair.why !== undefined) addFact(list, "Why", pair.why);
}

function featureText(feature: Feature): string {
  if (feature.kind === "round surface") return "round surface";
  const numbers = feature.numbers.join("\u2013");
  const triangles = feature.kind === "face" ? "" : `, triangles ${abbreviate(feature.triangles)}`;
  const element = feature.element > 0 ? ` of element ${feature.element}` : "";
  return `${feature.kind} ${numbers}${element}${triangles}`;
}

function abbreviate(numbers: readonly number[]): string {
  return numbers.length > 8 ? `${numbers.slice(0, 8).join(", ")} and ${numbers.length - 8} more` : numbers.join(", ");
}
