// The recording at the current time: energies and impulses; and the releases of bodies.

import type { App } from "../app.ts";
import { CURVES, EnergyPlot } from "./energy.ts";
import type { Energy, Impulse, Recording, Release } from "../document/recording.ts";
import { element, fill, toggle } from "../elements/dom.ts";
import * as format from "../elements/format.ts";
import { nameLabel } from "../elements/names.ts";
import { HEAD_HEIGHT, ROW_HEIGHT, Table } from "./table.ts";

/** Maximum number of rows; the strongest impulses are listed. */
const MAX_ROWS = 40;
/** Number of visible releases. */
const MAX_RELEASE_ROWS = 4;

export function recordingPanel(app: App, recording: Recording): HTMLElement {
  const { state } = app;
  const shown = toggle("Show impulses", state.now.impulses, (impulses) => state.set({ impulses }),
    "Dots where bodies touch, arrows along the impulse on the second body; a blow stays for a moment (I)");
  shown.input.id = "recording-impulses";
  state.watch(["impulses"], () => (shown.input.checked = state.now.impulses));
  const energy = element("dl", { class: "energies", id: "energies" });
  const head = element("h2", {});
  const list = element("div", { class: "impulses", id: "impulses", attributes: { tabindex: "0", "aria-label": "Impulses at this time" } });
  const { start, end } = app.playback;
  const plot = new EnergyPlot(app, recording, {
    interval: () => [start, end], now: () => state.now.time,
    seek: (time) => {
      state.set({ playing: false });
      app.seek(time);
    },
  });
  let lastLine = -1;
  state.watch(["time"], () => {
    const line = recording.lineAt(state.now.time);
    if (line === lastLine) return;
    lastLine = line;
    fill(energy, ...energyFacts(recording.energy(line)));
    const [from, to] = recording.interval(line);
    head.textContent = from === to ? `Contacts at ${format.seconds(to)}` : `Contacts, ${format.short(from)} to ${format.short(to)} s`;
    fill(list, ...impulseTable(app, recording.impulses(line)));
  });
  return element("div", { class: "recording" },
    element("section", { class: "detail", attributes: { "aria-label": "Energy" } }, plot.root, energy, omissionNote(recording)),
    releasesTable(app, recording),
    element("section", { class: "detail grows", attributes: { "aria-label": "Contacts" } }, element("header", {}, head, shown.root), list));
}

/** The bodies that are keyframed until their first contact. A click seeks to the release. Null without releases. */
function releasesTable(app: App, recording: Recording): HTMLElement | null {
  if (recording.releases.length === 0) return null;
  const table = new Table<Release>("Releases", [
    { title: "Until", class: "time", text: ({ t }) => (t === null ? "the end" : format.seconds(t)), key: ({ t }) => t ?? Infinity },
    { title: "Body", class: "pair", text: ({ body }) => app.nameOf(body), label: ({ body }) => [nameLabel(app.nameOf(body))], key: ({ body }) => app.nameOf(body), mark: ({ t }) => (t === null ? "waits" : "release") },
  ], recording.releases, (release) => app.goToRelease(release));
  app.state.watch(["body", "time"], () => {
    const { body, time } = app.state.now;
    table.mark(recording.releases.find((release) => release.body === body && (release.t === null || release.t === time)) ?? null);
  });
  table.root.style.height = `${HEAD_HEIGHT + ROW_HEIGHT * Math.min(recording.releases.length, MAX_RELEASE_ROWS)}px`;
  return element("section", { class: "detail releases", attributes: { "aria-label": "Releases" } },
    element("h2", { text: "Keyframed until the first contact" }), table.root);
}

/** The release of a body as text. */
export const releaseWords = ({ t }: Release): string => (t === null
  ? "keyframed until the end: nothing touched it"
  : `keyframed until ${format.seconds(t)}, dynamic since`);

/** The energies, with their curves as keys. */
export function energyFacts(now: Energy): HTMLElement[] {
  return CURVES.map(({ name, value }) => element("div", {},
    element("dt", { class: `curve ${name}`, text: name }),
    element("dd", { class: "number", text: format.joules(value(now)), title: `${format.exact(value(now))} J` })));
}

/** The omissions of a long recording, or null. */
function omissionNote(recording: Recording): HTMLElement | null {
  const parts = [
    recording.joined > 1 ? `up to ${recording.joined} lines of the recording are one here` : "",
    recording.omitted > 0 ? `the weakest ${recording.omitted} of ${recording.count + recording.omitted} impulses are left out` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? null : element("p", { class: "empty", id: "thinned", text: `A long recording: ${parts.join(", and ")}.` });
}

/** Impulses, strongest first. `weaker`: number of omitted ones. */
export function impulseTable(app: App, { list, weaker }: { list: readonly Impulse[]; weaker: number }): HTMLElement[] {
  if (list.length + weaker === 0) return [element("p", { class: "empty", text: "Nothing touches." })];
  const rows = list.slice(0, MAX_ROWS).map(({ a, b, impulse, magnitude, point }) => element("tr", {
    title: `impulse on ${app.nameOf(b)}: ${impulse.map(format.exact).join(", ")} N s\nat ${point.map(format.exact).join(", ")} m`,
  }, element("td", {}, nameLabel(app.nameOf(a))), element("td", {}, nameLabel(app.nameOf(b))), element("td", { class: "number", text: format.short(magnitude) })));
  const more = list.length - rows.length;
  const omitted = [more > 0 ? `${more} weaker ones` : "", weaker > 0 ? `${weaker} that this page was not given` : ""].filter((part) => part !== "");
  return [
    element("table", {},
      element("thead", {}, element("tr", {}, ...["a", "b", "Impulse, N s"].map((text) => element("th", { text })))),
      element("tbody", {}, ...rows)),
    ...(omitted.length > 0 ? [element("p", { class: "empty", text: `and ${omitted.join(" and ")}` })] : []),
  ];
}
