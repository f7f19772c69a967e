// The page of the side panel that chooses what the picture shows, and how.

import type { App } from "../app.ts";
import type { BoundingSphere } from "../document/extent.ts";
import type { Up } from "../document/playback.ts";
import { button, element, select, toggle } from "../elements/dom.ts";
import * as format from "../elements/format.ts";
import type { Axis, PageValues } from "../state.ts";

type BooleanKey = { [K in keyof PageValues]: PageValues[K] extends boolean ? K : never }[keyof PageValues];

/** Switches of the picture, the section and the up axis. */
export function displayPanel(app: App, motionBall: BoundingSphere): HTMLElement {
  const { state } = app;
  const switchFor = (key: BooleanKey, text: string, title: string): HTMLElement => {
    const control = toggle(text, state.now[key], (on) => state.set({ [key]: on }), title);
    state.watch([key], () => (control.input.checked = state.now[key]));
    control.input.id = `show-${key}`;
    return control.root;
  };
  const slider = element("input", { type: "range", attributes: { min: "0", max: "1", step: "0.001", "aria-label": "Where the section cuts" } });
  slider.addEventListener("input", () => state.set({ sectionFraction: Number(slider.value), section: true }));
  const axis = select("Across which axis", [["x", "across x"], ["y", "across y"], ["z", "across z"]], (value) => state.set({ sectionAxis: value as Axis, section: true }));
  const flipButton = button("Other side", () => state.set({ sectionFlipped: !state.now.sectionFlipped, section: true }));
  const place = element("input", { type: "text", class: "number", id: "section-place", attributes: { inputmode: "decimal", spellcheck: "false" } });
  const middle = (): number => motionBall.centre["xyz".indexOf(state.now.sectionAxis)] ?? 0;
  const refresh = (): void => {
    const at = middle() + (2 * state.now.sectionFraction - 1) * motionBall.radius;
    slider.value = String(state.now.sectionFraction);
    axis.value = state.now.sectionAxis;
    // Rounding errors become zero.
    place.value = format.short(Math.abs(at) < 1e-9 * motionBall.radius ? 0 : at);
    place.setAttribute("aria-label", `Section at ${state.now.sectionAxis}, in metres`);
    unit.textContent = `m, ${state.now.sectionAxis}`;
  };
  const unit = element("span", { class: "unit" });
  // Without focus the shortcuts of the page work again.
  place.addEventListener("keydown", (event) => {
    if (event.key === "Enter") place.blur();
  });
  place.addEventListener("change", () => {
    const value = Number(place.value.trim().replace("\u2212", "-").replace(/\s*m$/, ""));
    if (place.value.trim() !== "" && Number.isFinite(value)) {
      const fraction = ((value - middle()) / motionBall.radius + 1) / 2;
      state.set({ sectionFraction: Math.min(1, Math.max(0, fraction)), section: true });
    }
    refresh();
  });
  state.watch(["sectionFraction", "sectionAxis"], refresh);
  const up = select("Up axis", [["z", "z is up"], ["y", "y is up"]], (value) => state.set({ up: value as Up }));
  state.watch(["up"], () => (up.value = state.now.up));
  const group = (title: string, ...children: Node[]): HTMLElement => element("fieldset", {}, element("legend", { text: title }), ...children);
  return element("div", { class: "display" },
    group("Bodies",
      switchFor("edges", "Feature edges", "Edges where the surface is not smooth (E)"),
      switchFor("wireframe", "Wireframe", "All edges of triangles (W)"),
      switchFor("fade", "Fade other bodies", "While a contact is chosen, all but its two bodies are faint"),
      ...(app.playback.bodies.some(({ colours }) => colours.length > 0) ? [switchFor("ownColours", "Colours of the file", "The colours of its materials; bodies in the report keep the colours of the page")] : []),
      switchFor("floor", "Grid", "A grid below everything, with its spacing in the corner"),
      element("div", { class: "buttons" }, up)),
    group("Section", switchFor("section", "Cut open", "Hides what is on one side of a plane (X); closed bodies are filled where it cuts them"),
      element("div", { class: "buttons" }, axis, flipButton, place, unit), slider),
    group("Motion",
      ...(app.playback.recording === null && app.playback.simulation === null && app.playback.suggested === null ? [] : [switchFor("impulses", "Impulses", "Where bodies touch, and the impulses that they give each other, or would give (I)")]),
      switchFor("events", "Events", "Where features of deforming bodies have just touched"),
      switchFor("stops", "Stop at contacts", "Playing stops where a contact begins, and shows it"),
      switchFor("ghosts", "Ghosts", "Where the bodies are at the start, at the contact and at the end (G)"),
      switchFor("screw", "Screw axis and helix", "Of the chosen body's motion now (H)"),
      switchFor("follow", "Go to contacts", "The view goes to a contact when it is chosen")),
    group("Search",
      switchFor("boxes", "Bounding volumes", "The oriented box of each mesh (B)"),
      switchFor("cells", "Grid cells", "The cells of a uniform grid that bodies reach into now; those of several bodies stand out")));
}
