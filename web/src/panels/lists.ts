// The lists of the page: findings, events and pairs.

import type { App } from "../app.ts";
import { button, element } from "../elements/dom.ts";
import { metres, seconds, short } from "../elements/format.ts";
import { eventOf, intervalOf, pairName, type Finding, type Report, type ReportPair } from "../document/report.ts";
import { pairLabel } from "../elements/names.ts";
import { Table, type Column } from "./table.ts";
import { length as length3 } from "../motion/vector.ts";

/** Pairs with more letters get two lines. */
const ONE_LINE = 22;

const ORDER = ["clear", "near", "undecided", "contact", "overlapping"];

/** The lists, with buttons to switch between them. */
export function listsPanel(app: App): HTMLElement {
  const root = element("div", { class: "lists" });
  if (app.report === null) {
    root.append(element("p", { class: "empty", text: "Nothing was checked: the page shows only the robot." }));
    return root;
  }
  if (app.report.pairs.length === 0) {
    root.append(element("p", { class: "empty", text: clearLine(app.report, app.playback.epsilon) }));
    return root;
  }
  if (app.report.followed_until !== undefined) root.append(element("p", { class: "empty", text: firstLine(app.report.followed_until) }));
  const omitted = app.playback.suggested?.omitted ?? 0;
  if (omitted > 0) root.append(element("p", { class: "empty", text: `The page shows what would follow for the first ${app.playback.suggested?.list.length} collisions of keyframed bodies; ${omitted} later ones are omitted.` }));
  const contacts = findingsTable(app);
  const pairs = pairsTable(app);
  const choices = [
    { name: `Contacts ${app.findings.length}`, root: contacts.root }, { name: `Pairs ${app.report.pairs.length}`, root: pairs.root },
    ...(app.events.length > 0 ? [{ name: `Events ${app.events.length}`, root: eventsTable(app).root }] : []),
  ];
  const show = (which: number): void => choices.forEach((choice, number) => {
    choice.root.hidden = number !== which;
    buttons[number]?.setAttribute("aria-pressed", String(number === which));
  });
  const buttons = choices.map(({ name }, number) => button(name, () => show(number)));
  root.append(element("div", { class: "choice", role: "group", attributes: { "aria-label": "List" } }, ...buttons), ...choices.map((choice) => choice.root));
  show(app.findings.length > 0 ? 0 : 1);
  return root;
}

/** The proven statement if there are no findings, with its tolerance. */
export function clearLine({ pairs_tested: tested, tolerance }: Pick<Report, "pairs_tested" | "tolerance">, epsilon: number | null): string {
  if (tested === 0) return "No two bodies are tested against each other: there is nothing to prove.";
  const proven = `Clear: ${tested === 1 ? "the one pair is" : `all ${tested} pairs are`} proven separated over the whole time`;
  if (epsilon === null) return `${proven}. Surfaces within ${short(tolerance)} m, the tolerance, would count as touching.`;
  return `${proven}; pairs with a solid, a cloud or a parametric surface down to epsilon = ${short(epsilon)} m.`;
}

/** The searched time if only the first contact was requested. */
export function firstLine(until: number): string {
  return `The first contact alone: nothing touches before it, and the time after ${seconds(until)} was not examined.`;
}

const linesOf = (pairs: readonly ReportPair[]): "one line" | "two lines" =>
  (pairs.some((pair) => pairName(pair).length > ONE_LINE) ? "two lines" : "one line");

function findingsTable(app: App): Table<Finding> {
  const pairOf = (finding: Finding): ReportPair => app.report?.pairs[finding.pair] as ReportPair;
  const length = (finding: Finding): number => finding.end - finding.start;
  const durationColumn: Column<Finding> = {
    title: "Lasts", class: "lasts", key: length,
    text: (row) => app.report?.followed_until !== undefined && row.kind === "contact" ? "unknown" : (intervalOf(app.report as NonNullable<typeof app.report>, row)?.exit === null ? "to the end" : seconds(length(row))),
  };
  // The suggested impulse replaces the duration, because keyframed bodies do not react to the contact.
  const impulseOf = (row: Finding): number => length3(app.suggestionOf(row)?.impulse ?? [0, 0, 0]);
  const impulseColumn: Column<Finding> = {
    title: "Impulse", class: "lasts", key: (row) => -impulseOf(row),
    text: (row) => (impulseOf(row) > 0 ? `${short(impulseOf(row))}\u202fN\u202fs` : "\u2013"),
  };
  const table = new Table<Finding>("Contacts", [
    { title: "Time", class: "time", text: (row) => seconds(row.start), key: (row) => row.start },
    {
      title: "Pair", class: "pair", text: (row) => pairName(pairOf(row)), label: (row) => pairLabel(pairOf(row)),
      key: (row) => `${pairOf(row).a} ${pairOf(row).b}`,
      mark: (row) => row.kind,
    },
    app.playback.suggested?.list.length ? impulseColumn : durationColumn,
  ], app.findings, (row) => app.choose(app.findings.indexOf(row)), linesOf(app.findings.map(pairOf)));
  app.state.watch(["finding"], () => table.mark(app.chosen));
  return table;
}

function eventsTable(app: App): Table<Finding> {
  const featuresText = (row: Finding): string => {
    const event = app.report === null ? null : eventOf(app.report, row);
    if (event === null) return "";
    const [a, b] = event.kind === "edge-edge" ? ["edge", "edge"] : event.kind.split("-");
    return `${a} ${event.a.join("\u2013")}, ${b} ${event.b.join("\u2013")}`;
  };
  const pairOf = (row: Finding): ReportPair => app.report?.pairs[row.pair] as ReportPair;
  const table = new Table<Finding>("Events", [
    { title: "Time", class: "time", text: (row) => seconds(row.start), key: (row) => row.start },
    { title: "Pair", class: "pair", text: (row) => pairName(pairOf(row)), label: (row) => pairLabel(pairOf(row)), key: (row) => pairName(pairOf(row)) },
    { title: "Features", class: "features", text: featuresText, key: featuresText },
  ], app.events, (row) => app.choose(app.findings.length + app.events.indexOf(row)), linesOf(app.events.map(pairOf)));
  app.state.watch(["finding"], () => table.mark(app.chosen?.kind === "event" ? app.chosen : null));
  return table;
}

function pairsTable(app: App): Table<ReportPair> {
  const pairs = app.report?.pairs ?? [];
  const kind = (row: ReportPair): string => (row.verdict === "overlapping" ? "contact" : row.verdict);
  const gap = (row: ReportPair): number => row.gap ?? Number.POSITIVE_INFINITY;
  const table = new Table<ReportPair>("Pairs", [
    { title: "Pair", class: "pair", text: pairName, label: pairLabel, key: (row) => `${row.a} ${row.b}` },
    { title: "Verdict", class: "verdict", text: (row) => row.verdict, key: (row) => -ORDER.indexOf(row.verdict), mark: kind },
    { title: "Times", class: "count", text: (row) => short(row.intervals?.length ?? 0), key: (row) => row.intervals?.length ?? 0 },
    { title: "Gap", class: "gap", text: (row) => (row.gap === undefined ? "\u2013" : metres(row.gap)), key: gap },
  ], pairs, (row) => {
    const pair = pairs.indexOf(row);
    const first = app.findings.findIndex((finding) => finding.pair === pair);
    if (first >= 0) app.choose(first);
    else if (row.gap_time !== undefined) app.seek(row.gap_time);
    table.mark(row);
  }, linesOf(pairs));
  app.state.watch(["finding"], () => table.mark(app.chosen === null ? null : (pairs[app.chosen.pair] ?? null)));
  return table;
}
