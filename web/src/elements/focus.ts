// Which keys belong to what has the focus. All others are the page's, wherever the focus is.

const ARROW_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
const VERTICAL_KEYS = ["ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
/** Inputs that no text is typed into. */
const NON_TEXT_INPUTS = ["button", "checkbox", "file", "range"];

/** What was reached with the Tab key: it is pressed by space, as whoever works without a mouse expects. */
let tabTarget: EventTarget | null = null;

/** Follows how the focus comes to where it is. A button that was clicked keeps no key: space is the page's again. */
export function trackFocus(): void {
  let tabbing = false;
  const capture = { capture: true };
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Tab") tabbing = true;
  }, capture);
  document.addEventListener("pointerdown", () => {
    tabbing = false;
    tabTarget = null;
  }, capture);
  document.addEventListener("focusin", ({ target }) => (tabTarget = tabbing ? target : null));
  // Some browsers press a button when space goes up.
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && event.target instanceof HTMLElement && event.target.closest("button, summary") !== null && !usesKey(event)) event.preventDefault();
  });
}

/** Whether a key belongs to the element that it was typed at. */
export function usesKey({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLInputElement && !NON_TEXT_INPUTS.includes(target.type)) return true;
  if (target instanceof HTMLInputElement && target.type === "range") return ARROW_KEYS.includes(key);
  if (key === " ") return target === tabTarget && target.closest("button, summary, a, input, select") !== null;
  if (target instanceof HTMLSelectElement) return ARROW_KEYS.includes(key);
  return target.closest("[role=listbox]") !== null && VERTICAL_KEYS.includes(key);
}
