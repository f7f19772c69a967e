// Which keys belong to what has the focus. All others are the page's, wherever the focus is.

const ALONG = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
const DOWN = ["ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
/** Inputs that no text is typed into. */
const PRESSED = ["button", "checkbox", "file", "range"];

/** What was reached with the Tab key: it is pressed by space, as whoever works without a mouse expects. */
let walked: EventTarget | null = null;

/** Follows how the focus comes to where it is. A button that was clicked keeps no key: space is the page's again. */
export function followFocus(): void {
  let tabbing = false;
  const capture = { capture: true };
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Tab") tabbing = true;
  }, capture);
  document.addEventListener("pointerdown", () => {
    tabbing = false;
    walked = null;
  }, capture);
  document.addEventListener("focusin", ({ target }) => (walked = tabbing ? target : null));
  // Some browsers press a button when space goes up.
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && event.target instanceof HTMLElement && event.target.closest("button, summary") !== null && !keeps(event)) event.preventDefault();
  });
}

/** Whether a key belongs to the element that it was typed at. */
export function keeps({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLInputElement && !PRESSED.includes(target.type)) return true;
  if (target instanceof HTMLInputElement && target.type === "range") return ALONG.includes(key);
  if (key === " ") return target === walked && target.closest("button, summary, a, input, select") !== null;
  if (target instanceof HTMLSelectElement) return ALONG.includes(key);
  return target.closest("[role=listbox]") !== null && DOWN.includes(key);
}
