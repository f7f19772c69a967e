// The legend of colours and marks below the unrolled screen.

import { element, fill } from "../elements/dom.ts";
import * as format from "../elements/format.ts";
import type { Chart } from "./chart.ts";
import { freeText } from "./panel.ts";
import { timeText } from "./scale.ts";
import type { ScreenApp } from "./state.ts";

const STEPS = [0, 0.25, 0.5, 0.75, 1];

/** The colour scale in time, angle and metres, and the keys of fills, lines and marks. */
export function screenLegend(app: ScreenApp, chart: Chart): HTMLElement {
  const root = element("div", { class: "scale" });
  app.state.watch(["colourRange"], () => fill(root, ...legendRows(app, chart)));
  return root;
}

function legendRows(app: ScreenApp, chart: Chart): (HTMLElement | null)[] {
  const { scale, unrolled, data } = app;
  const speed = unrolled.speedAt(chart.middle);
  const rows: [string, (fraction: number) => string][] = [
    [data.unit === "" ? "of the motion" : "time", (fraction) => timeText(fraction, scale)],
    ...(scale.angle > 0 ? [["turn", (fraction: number) => format.degrees(fraction * scale.angle)] as [string, (fraction: number) => string]] : []),
    [unrolled.flat ? "way" : `way at r = ${format.metres(chart.middle)}`, (fraction) => format.metres(fraction * speed)],
  ];
  const cells = rows.flatMap(([name, text]) => [
    element("span", { class: "name", text: name }), ...STEPS.map((step) => element("span", { class: "number", text: text(step * scale.maxTime) })),
  ]);
  const { a, b } = data;
  const has = (kind: string): boolean => data.collisions.some((collision) => collision.kind === kind);
  const marks = [
    ...(has("vertex-face") ? [`\u25b2 a vertex of ${a.name}`] : []), ...(has("face-vertex") ? [`\u25bc a vertex of ${b.name}`] : []),
    ...(has("edge-edge") ? ["\u25a0 two edges"] : []),
  ];
  const marksText = marks.length === 0 ? "" : `${marks.join("  ")}; filled: proper, white: not proper, hollow: behind a nearer part of ${b.name}${
    app.markedCollisions.length < data.collisions.length ? `. ${app.markedCollisions.length} of ${data.collisions.length} have marks, proper ones first` : ""}`;
  return [
    element("div", { class: "bar-row" }, element("span", { class: "name", text: "Until contact" }), element("div", { class: "bar", role: "img", attributes: { "aria-label": "Colours from red, near, to blue, far" } })),
    element("div", { class: "ticks" }, ...cells),
    element("div", { class: "keys" },
      element("span", { class: "key nothing", text: "nothing ahead" }), element("span", { class: "key idle", text: `${a.name} does not lead` }),
      element("span", { class: "key line-a", text: `${a.name}, leading` }), element("span", { class: "key line-b", text: `${b.name}, trailing` })),
    marksText === "" ? null : element("p", { class: "note", text: marksText }),
    element("p", { class: "note", text: proofText(app) }),
  ];
}

/** The proven statement about the clearance. */
function proofText(app: ScreenApp): string {
  const { play, a } = app.data;
  const samples = `The colours are samples, one for each small piece of ${a.name}, and no proof`;
  if (play === null) return `${samples}: chasles screen --play proves how far it is free.`;
  return `${samples}. Proven: it is free forward ${freeText(app, play.forward)}, backward ${freeText(app, play.backward)}.`;
}
