// The lists of the page: all that happens, by time or otherwise, and all pairs that the report tells of.

import type { App } from "../app.ts";
import { button, element } from "../elements/dom.ts";
import { metres, seconds, short } from "../elements/format.ts";
import { intervalOf, type Happening, type ReportPair } from "../document/report.ts";
import { Table } from "./table.ts";

const ORDER = ["clear", "near", "undecided", "contact", "overlapping"];

/** The lists, with buttons that tell which is shown. */
export function lists(app: App): HTMLElement {
  const root = element("div", { class: "lists" });
  if (app.report === null) {
    root.append(element("p", { class: "empty", text: "Nothing was checked: there is only the robot as it stands." }));
    return root;
  }
  if (app.report.pairs.length === 0) {
    const { pairs_tested: tested } = app.report;
    root.append(element("p", { class: "empty", text: `Clear: ${tested === 1 ? "the one pair is" : `all ${tested} pairs are`} proven apart over the whole time.` }));
    return root;
  }
  const contacts = happeningsTable(app);
  const pairs = pairsTable(app);
  const show = (which: "contacts" | "pairs"): void => {
    contacts.root.hidden = which !== "contacts";
    pairs.root.hidden = which !== "pairs";
    buttons[0].setAttribute("aria-pressed", String(which === "contacts"));
    buttons[1].setAttribute("aria-pressed", String(which === "pairs"));
  };
  const buttons = [
    button(`Contacts ${app.list.length}`, () => show("contacts")),
    button(`Pairs ${app.report.pairs.length}`, () => show("pairs")),
  ] as const;
  root.append(element("div", { class: "choice", role: "group", attributes: { "aria-label": "List" } }, ...buttons), contacts.root, pairs.root);
  show(app.list.length > 0 ? "contacts" : "pairs");
  return root;
}

function happeningsTable(app: App): Table<Happening> {
  const pairOf = (happening: Happening): ReportPair => app.report?.pairs[happening.pair] as ReportPair;
  const length = (happening: Happening): number => happening.end - happening.begin;
  const table = new Table<Happening>("Contacts", [
    { title: "Time", class: "time", text: (row) => seconds(row.begin), key: (row) => row.begin },
    {
      title: "Pair", class: "pair", text: (row) => `${pairOf(row).a} \u2013 ${pairOf(row).b}`,
      key: (row) => `${pairOf(row).a} ${pairOf(row).b}`,
      mark: (row) => row.kind,
    },
    {
      title: "Lasts", class: "lasts", key: length,
      text: (row) => (intervalOf(app.report as NonNullable<typeof app.report>, row)?.exit === null ? "to the end" : seconds(length(row))),
    },
  ], app.list, (row) => app.choose(app.list.indexOf(row)));
  app.state.watch(["happening"], () => table.mark(app.chosen));
  return table;
}

function pairsTable(app: App): Table<ReportPair> {
  const pairs = app.report?.pairs ?? [];
  const kind = (row: ReportPair): string => (row.verdict === "overlapping" ? "contact" : row.verdict);
  const gap = (row: ReportPair): number => row.gap ?? Number.POSITIVE_INFINITY;
  const table = new Table<ReportPair>("Pairs", [
    { title: "Pair", class: "pair", text: (row) => `${row.a} \u2013 ${row.b}`, key: (row) => `${row.a} ${row.b}` },
    { title: "Verdict", class: "verdict", text: (row) => row.verdict, key: (row) => -ORDER.indexOf(row.verdict), mark: kind },
    { title: "Times", class: "count", text: (row) => short(row.intervals?.length ?? 0), key: (row) => row.intervals?.length ?? 0 },
    { title: "Gap", class: "gap", text: (row) => (row.gap === undefined ? "\u2013" : metres(row.gap)), key: gap },
  ], pairs, (row) => {
    const pair = pairs.indexOf(row);
    const first = app.list.findIndex((happening) => happening.pair === pair);
    if (first >= 0) app.choose(first);
    else if (row.gap_time !== undefined) app.seek(row.gap_time);
    table.mark(row);
  });
  app.state.watch(["happening"], () => table.mark(app.chosen === null ? null : (pairs[app.chosen.pair] ?? null)));
  return table;
}
