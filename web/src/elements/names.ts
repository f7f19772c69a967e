// Names of bodies and joints where room is scarce: what does not fit is left out in the middle, so that both ends are read, and of a
// pair both names. The whole is said where the pointer rests.

import { element } from "./dom.ts";
import { pairNames, type ReportPair } from "../document/report.ts";

/** Letters at the end of a name that always stay; names that are hardly longer have no middle. */
const END = 8;
const WHOLE = 12;

/** A name that gives way in its middle. */
export function nameLabel(name: string, classes = ""): HTMLElement {
  const made = element("span", { class: `name ${classes}`.trim(), title: name });
  if (name.length <= WHOLE) made.append(element("span", { class: "start", text: name }));
  else made.append(element("span", { class: "start", text: name.slice(0, -END) }), element("span", { class: "end", text: name.slice(-END) }));
  return made;
}

/** Both names of a pair, each of which gives way in its middle. */
export function pairLabel(pair: Pick<ReportPair, "a" | "b">): Node[] {
  const [a, b] = pairNames(pair);
  return b === null
    ? [nameLabel(a), element("span", { class: "with", text: " with itself" })]
    : [nameLabel(a), element("span", { class: "dash", text: " \u2013 " }), nameLabel(b)];
}

/** As much of a text as fits, both its ends and an ellipsis. `wide` tells how wide a text is drawn. */
export function shortened(text: string, most: number, wide: (text: string) => number): string {
  if (wide(text) <= most) return text;
  const cut = (kept: number): string => `${text.slice(0, Math.ceil(kept / 2))}\u2026${kept < 2 ? "" : text.slice(-Math.floor(kept / 2))}`;
  let [low, high] = [0, text.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (wide(cut(middle)) <= most) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** A pair as text of at most this width: the longer name gives way first. */
export function shortenedPair(pair: Pick<ReportPair, "a" | "b">, most: number, wide: (text: string) => number): string {
  const [a, b] = pairNames(pair);
  if (b === null) return `${shortened(a, most - wide(" with itself"), wide)} with itself`;
  const room = most - wide(" \u2013 ");
  const half = room / 2;
  const [first, second] = [wide(a), wide(b)];
  return `${shortened(a, Math.max(half, room - second), wide)} \u2013 ${shortened(b, Math.max(half, room - first), wide)}`;
}
