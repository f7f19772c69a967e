// A sortable table. Only visible rows are in the page, so that thousands of rows are fast.

import { element } from "../elements/dom.ts";

export interface Column<T> {
  title: string;
  /** CSS class of its cells, which sets the width. */
  class: string;
  text: (row: T) => string;
  /** Nodes in place of the text, for names that may not fit. */
  label?: (row: T) => Node[];
  /** Sort key of a row. */
  key: (row: T) => number | string;
  /** CSS class of the mark before the text. */
  mark?: (row: T) => string;
}

/** Pixels of a row, of a row with two lines, and of the head. */
export const ROW_HEIGHT = 28;
const TWO_LINE_ROW = 44;
export const HEAD_HEIGHT = 25;
const OVERSCAN = 6;

export class Table<T> {
  readonly root = element("div", { class: "table" });
  private readonly body: HTMLElement;
  private readonly spacer = element("div", { class: "spacer" });
  private readonly heads: HTMLButtonElement[];
  private order: T[];
  private sorting = { column: 0, direction: 1 as 1 | -1 };
  private chosen: T | null = null;
  private drawnRange = "";
  /** Pixels of a row. */
  private readonly height: number;

  constructor(
    private readonly label: string, private readonly columns: readonly Column<T>[], private readonly rows: readonly T[],
    private readonly choose: (row: T) => void, lines: "one line" | "two lines" = "one line",
  ) {
    this.height = lines === "two lines" ? TWO_LINE_ROW : ROW_HEIGHT;
    this.root.classList.toggle("two", lines === "two lines");
    this.order = [...rows];
    this.heads = columns.map((column, number) => {
      const head = element("button", { class: `head ${column.class}`, text: column.title, title: `Sort by ${column.title.toLowerCase()}` });
      head.addEventListener("click", () => this.sort(number));
      return head;
    });
    this.body = element("div", {
      class: "rows", role: "listbox", attributes: { tabindex: "0", "aria-label": label },
    }, this.spacer);
    this.root.append(element("div", { class: "heads" }, ...this.heads), this.body);
    this.body.addEventListener("scroll", () => this.draw("if moved"));
    this.body.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw("if moved")).observe(this.body);
    this.arrange();
  }

  /** Selects a row and scrolls to it. */
  mark(row: T | null): void {
    this.chosen = row;
    const at = row === null ? -1 : this.order.indexOf(row);
    if (at >= 0) {
      const top = at * this.height;
      const { scrollTop, clientHeight } = this.body;
      if (top < scrollTop) this.body.scrollTop = top;
      else if (top + this.height > scrollTop + clientHeight && clientHeight > 0) this.body.scrollTop = top + this.height - clientHeight;
    }
    this.draw("anew");
  }

  private sort(column: number): void {
    this.sorting = { column, direction: this.sorting.column === column ? (-this.sorting.direction as 1 | -1) : 1 };
    this.arrange();
  }

  private arrange(): void {
    const { column, direction } = this.sorting;
    const key = (this.columns[column] as Column<T>).key;
    const numbered = this.rows.map((row, number) => ({ row, number, key: key(row) }));
    numbered.sort((x, y) => (compare(x.key, y.key) || x.number - y.number) * direction);
    this.order = numbered.map(({ row }) => row);
    this.heads.forEach((head, number) => {
      const state = number === column ? (direction === 1 ? "ascending" : "descending") : "none";
      head.dataset["sorted"] = state;
      head.setAttribute("aria-label", `${this.columns[number]?.title}, sort${state === "none" ? "" : `ed ${state}`}`);
    });
    this.spacer.style.height = `${this.order.length * this.height}px`;
    this.draw("anew");
  }

  private key(event: KeyboardEvent): void {
    const at = this.chosen === null ? -1 : this.order.indexOf(this.chosen);
    const page = Math.max(1, Math.floor(this.body.clientHeight / this.height) - 1);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.order.length - 1, PageDown: at + page, PageUp: at - page }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const row = this.order[Math.min(this.order.length - 1, Math.max(0, to))];
    if (row !== undefined) this.choose(row);
  }

  private draw(when: "anew" | "if moved"): void {
    const first = Math.max(0, Math.floor(this.body.scrollTop / this.height) - OVERSCAN);
    const last = Math.min(this.order.length, Math.ceil((this.body.scrollTop + this.body.clientHeight) / this.height) + OVERSCAN);
    const range = `${first}-${last}`;
    if (when === "if moved" && range === this.drawnRange) return;
    this.drawnRange = range;
    const rows = this.order.slice(first, last).map((row, index) => this.row(row, first + index));
    this.body.replaceChildren(this.spacer, ...rows);
    const chosen = rows.find((row) => row.getAttribute("aria-selected") === "true");
    if (chosen) this.body.setAttribute("aria-activedescendant", chosen.id);
    else this.body.removeAttribute("aria-activedescendant");
  }

  private row(row: T, at: number): HTMLElement {
    const root = element("div", {
      class: "row", role: "option", id: `${this.label.toLowerCase()}-row-${at}`,
      attributes: {
        "aria-selected": String(row === this.chosen), "aria-setsize": String(this.order.length), "aria-posinset": String(at + 1),
      },
      on: { click: () => this.choose(row) },
    });
    root.style.top = `${at * this.height}px`;
    for (const column of this.columns) {
      const text = column.text(row);
      const mark = column.mark?.(row);
      root.append(element("span", { class: column.class, title: text }, mark && element("i", { class: `mark ${mark}` }), ...(column.label?.(row) ?? [text])));
    }
    return root;
  }
}

function compare(x: number | string, y: number | string): number {
  if (typeof x === "number" && typeof y === "number") return x < y ? -1 : x > y ? 1 : 0;
  return String(x).localeCompare(String(y), "en", { numeric: true });
}
