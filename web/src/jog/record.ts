// The record of moves: shown, saved as a path; other paths are loaded, checked and replayed.

import type { App } from "../app.ts";
import { announce, button, element, fill, save } from "../elements/dom.ts";
import { jointValue, short } from "../elements/format.ts";
import type { Connection } from "../server/connection.ts";
import type { ReplayVerdict } from "../server/jog.ts";

/** Maximum size that the server accepts, bytes. */
const LONGEST = 1_000_000;

export function recordPanel(app: App, connection: Connection): HTMLElement {
  const count = element("h2", { text: "Record" });
  const shown = element("div", { class: "moves", attributes: { tabindex: "0", "aria-label": "Recorded moves" } });
  const verdict = element("div", { role: "status", id: "replay-verdict" });
  const file = element("input", { type: "file", class: "hidden", attributes: { accept: ".csv,text/csv", "aria-label": "Path to replay" } });
  const replay = button("Replay a path\u2026", () => file.click(), { id: "jog-replay" });
  const saveButton = button("Save as CSV", () => void saveRecord(app, connection), { id: "jog-save" });
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    if (chosen) void replayFile(app, connection, chosen);
    file.value = "";
  });
  let lastCount = -1;
  connection.watch(() => {
    const { state } = connection;
    const moves = state?.moves ?? 0;
    count.textContent = `Record: ${moves} ${moves === 1 ? "move" : "moves"}`;
    saveButton.disabled = connection.status !== "open" || moves === 0;
    replay.disabled = !connection.inControl;
    fill(verdict, state?.verdict ? verdictText(state.verdict) : null);
    if (state !== null && moves !== lastCount && connection.status === "open") {
      lastCount = moves;
      void showMoves(app, connection, shown);
    }
  });
  return element("section", { class: "detail", attributes: { "aria-label": "Record" } },
    element("header", {}, count), shown, element("div", { class: "buttons" }, saveButton, replay, file), verdict);
}

/** The last moves, newest first. */
async function showMoves(app: App, connection: Connection, shown: HTMLElement): Promise<void> {
  const answer = await connection.request({ type: "path" });
  const rows = (answer.csv ?? "").trim().split("\n").map((line) => line.split(","));
  const [head, ...moves] = rows;
  if (head === undefined || moves.length === 0) {
    fill(shown, element("p", { class: "empty", text: "Moves that are carried out are recorded here." }));
    return;
  }
  const units = head.map((name) => app.playback.robot?.joints.find((joint) => joint.name === name)?.unit);
  const cellText = (cell: string, column: number): string => {
    const unit = units[column];
    return unit === undefined ? short(Number(cell)) : jointValue(Number(cell), unit);
  };
  const table = element("table", {},
    element("thead", {}, element("tr", {}, ...head.map((name) => element("th", { text: name, title: name })))),
    element("tbody", {}, ...moves.slice(-50).reverse().map((cells) =>
      element("tr", {}, ...cells.map((cell, column) => element("td", { text: cellText(cell, column), title: `${cell} ${units[column] ?? "s"}` }))))));
  fill(shown, table);
}

async function saveRecord(app: App, connection: Connection): Promise<void> {
  const answer = await connection.request({ type: "path" });
  if (answer.csv === undefined) {
    announce(answer.message ?? "The record cannot be had.");
    return;
  }
  save(`${app.playback.name.replace(/\.[^.]*$/, "")}-moves.csv`, new Blob([answer.csv], { type: "text/csv" }));
}

async function replayFile(app: App, connection: Connection, file: File): Promise<void> {
  if (file.size > LONGEST) {
    announce(`${file.name} is larger than ${LONGEST} bytes.`);
    return;
  }
  app.state.set({ live: true });
  const answer = await connection.request({ type: "replay", name: file.name, text: await file.text() });
  if (answer.result === "error") announce(`${file.name}: ${answer.message ?? "cannot be followed"}`);
}

function verdictText(verdict: ReplayVerdict): HTMLElement {
  const word = verdict.verdict;
  const kind = { clear: "clear", near: "near", undecided: "undecided" }[word] ?? "contact";
  const how = verdict.segments < verdict.of ? ` after ${verdict.segments} of ${verdict.of} segments` : `, all ${verdict.of} segments`;
  return element("p", {}, `${verdict.name}: `, element("span", { class: `chip ${kind}`, text: word }), how);
}
