// Names of bodies and joints in little space. A long name is truncated in the middle, so that both ends remain
// readable. The tooltip has the full name.

import { element } from "./dom.ts";
import { pairNames, type ReportPair } from "../document/report.ts";

/** Number of letters at the end that always remain; shorter names are not truncated. */
const TAIL_LENGTH = 8;
const SHORT_LENGTH = 12;

/** A name that CSS truncates in the middle. */
export function nameLabel(name: string, classes = ""): HTMLElement {
  const label = element("span", { class: `name ${classes}`.trim(), title: name });
  if (name.length <= SHORT_LENGTH) label.append(element("span", { class: "start", text: name }));
  else label.append(element("span", { class: "start", text: name.slice(0, -TAIL_LENGTH) }), element("span", { class: "end", text: name.slice(-TAIL_LENGTH) }));
  return label;
}

/** Both names of a pair, each truncated in the middle. */
export function pairLabel(pair: Pick<ReportPair, "a" | "b">): Node[] {
  const [a, b] = pairNames(pair);
  return b === null
    ? [nameLabel(a), element("span", { class: "with", text: " with itself" })]
    : [nameLabel(a), element("span", { class: "dash", text: " \u2013 " }), nameLabel(b)];
}

/** Truncates a text in the middle to a width. `widthOf` measures a text. */
export function truncateMiddle(text: string, maxWidth: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= maxWidth) return text;
  const cut = (length: number): string => `${text.slice(0, Math.ceil(length / 2))}\u2026${length < 2 ? "" : text.slice(-Math.floor(length / 2))}`;
  let [low, high] = [0, text.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(cut(middle)) <= maxWidth) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** Truncates a pair to a width, the longer name first. */
export function truncatePair(pair: Pick<ReportPair, "a" | "b">, maxWidth: number, widthOf: (text: string) => number): string {
  const [a, b] = pairNames(pair);
  if (b === null) return `${truncateMiddle(a, maxWidth - widthOf(" with itself"), widthOf)} with itself`;
  const space = maxWidth - widthOf(" \u2013 ");
  const half = space / 2;
  const [first, second] = [widthOf(a), widthOf(b)];
  return `${truncateMiddle(a, Math.max(half, space - second), widthOf)} \u2013 ${truncateMiddle(b, Math.max(half, space - first), widthOf)}`;
}
