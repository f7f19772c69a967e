// The edge of the side panel, which is dragged to make it wider. How wide it was is kept by the browser, for pages of this address.

const KEPT = "chasles panel";
/** Pixels: of the panel, and of the picture beside it, at least. */
const LEAST = 280;
const BESIDE = 320;
/** Pixels of a press of an arrow key. */
const STEP = 24;

export function widenPanel(divider: HTMLElement, panel: HTMLElement): void {
  let wanted = read();
  const most = (): number => Math.max(LEAST, window.innerWidth - BESIDE);
  const widen = (pixels: number | null): void => {
    const wide = pixels === null ? null : Math.round(Math.min(most(), Math.max(LEAST, pixels)));
    const { style } = document.documentElement;
    if (wide === null) style.removeProperty("--panel-width");
    else style.setProperty("--panel-width", `${wide}px`);
    tell();
  };
  const tell = (): void => {
    const values = { valuemin: LEAST, valuemax: most(), valuenow: Math.round(panel.getBoundingClientRect().width) };
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
    widen(from.wide + from.x - event.clientX);
    wanted = now();
  });
  for (const name of ["pointerup", "pointercancel"] as const) divider.addEventListener(name, () => {
    if (from !== null) keep(wanted);
    from = null;
  });
  divider.addEventListener("dblclick", () => {
    wanted = null;
    widen(wanted);
    keep(wanted);
  });
  divider.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    widen(now() + way * STEP);
    wanted = now();
    keep(wanted);
  });
  window.addEventListener("resize", () => widen(wanted));
  widen(wanted);
}

function keep(wide: number | null): void {
  try {
    if (wide === null) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, String(wide));
  } catch {
    // A browser that keeps nothing: the panel is as wide as it was made until the page is closed.
  }
}

/** How wide it was made. */
function read(): number | null {
  try {
    const kept = Number(localStorage.getItem(KEPT) ?? Number.NaN);
    return Number.isFinite(kept) && kept > 0 ? kept : null;
  } catch {
    return null;
  }
}
