// The divider of the side panel. Dragging it changes the panel's width, which the browser stores for this address.

const STORAGE_KEY = "chasles panel";
/** Pixels: minimum width of the panel, and of the picture beside it. */
const MIN_WIDTH = 280;
const MIN_REMAINDER = 320;
/** Pixels for each press of an arrow key. */
const STEP = 24;

export function makePanelResizable(divider: HTMLElement, panel: HTMLElement): void {
  let chosenWidth = storedWidth();
  const maxWidth = (): number => Math.max(MIN_WIDTH, window.innerWidth - MIN_REMAINDER);
  const setWidth = (pixels: number | null): void => {
    const wide = pixels === null ? null : Math.round(Math.min(maxWidth(), Math.max(MIN_WIDTH, pixels)));
    const { style } = document.documentElement;
    if (wide === null) style.removeProperty("--panel-width");
    else style.setProperty("--panel-width", `${wide}px`);
    updateAria();
  };
  const updateAria = (): void => {
    const values = { valuemin: MIN_WIDTH, valuemax: maxWidth(), valuenow: Math.round(panel.getBoundingClientRect().width) };
    for (const [name, value] of Object.entries(values)) divider.setAttribute(`aria-${name}`, String(value));
  };
  const now = (): number => panel.getBoundingClientRect().width;
  let from: { x: number; wide: number } | null = null;
  divider.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    divider.setPointerCapture(event.pointerId);
    from = { x: event.clientX, wide: now() };
  });
  divider.addEventListener("pointermove", (event) => {
    if (from === null) return;
    setWidth(from.wide + from.x - event.clientX);
    chosenWidth = now();
  });
  for (const name of ["pointerup", "pointercancel"] as const) divider.addEventListener(name, () => {
    if (from !== null) storeWidth(chosenWidth);
    from = null;
  });
  divider.addEventListener("dblclick", () => {
    chosenWidth = null;
    setWidth(chosenWidth);
    storeWidth(chosenWidth);
  });
  divider.addEventListener("keydown", (event) => {
    const direction = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    setWidth(now() + direction * STEP);
    chosenWidth = now();
    storeWidth(chosenWidth);
  });
  window.addEventListener("resize", () => setWidth(chosenWidth));
  setWidth(chosenWidth);
}

function storeWidth(wide: number | null): void {
  try {
    if (wide === null) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, String(wide));
  } catch {
    // Storage may be disabled. Then the width lasts until the page is closed.
  }
}

/** The stored width, or null. */
function storedWidth(): number | null {
  try {
    const stored = Number(localStorage.getItem(STORAGE_KEY) ?? Number.NaN);
    return Number.isFinite(stored) && stored > 0 ? stored : null;
  } catch {
    return null;
  }
}
