// Whether the focused element or the page handles a key.

const ARROW_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
const VERTICAL_KEYS = ["ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
/** Input types without text entry. */
const NON_TEXT_INPUTS = ["button", "checkbox", "file", "range"];

/** The element that was reached with the Tab key. Space presses it, as keyboard users expect. */
let tabTarget: EventTarget | null = null;

/** Tracks how an element got the focus. After a click on a button, space belongs to the page. */
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
  // Some browsers press a button on keyup of space.
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && event.target instanceof HTMLElement && event.target.closest("button, summary") !== null && !usesKey(event)) event.preventDefault();
  });
}

/** Whether the target of a key event handles the key itself. */
export function usesKey({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLInputElement && !NON_TEXT_INPUTS.includes(target.type)) return true;
  if (target instanceof HTMLInputElement && target.type === "range") return ARROW_KEYS.includes(key);
  if (key === " ") return target === tabTarget && target.closest("button, summary, a, input, select") !== null;
  if (target instanceof HTMLSelectElement) return ARROW_KEYS.includes(key);
  return target.closest("[role=listbox]") !== null && VERTICAL_KEYS.includes(key);
}
