// Icons of buttons, as paths in a box of 16.

const PATHS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  next: "M3 3v10l7-5zM11 3h2v10h-2z",
  previous: "M13 3v10L6 8zM3 3h2v10H3z",
  forward: "M6 3.5 11 8l-5 4.5z",
  back: "M10 3.5 5 8l5 4.5z",
  fit: "M2 6V2h4v1.5H3.5V6zM10 2h4v4h-1.5V3.5H10zM2 10h1.5v2.5H6V14H2zM12.5 10H14v4h-4v-1.5h2.5z",
  light: "M8 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM7.4 0.5h1.2v2.4H7.4zM7.4 13.1h1.2v2.4H7.4zM0.5 7.4h2.4v1.2H0.5zM13.1 7.4h2.4v1.2h-2.4zM2.3 3.2l.9-.9 1.7 1.7-.9.9zM11.1 12l.9-.9 1.7 1.7-.9.9zM3.2 13.7l-.9-.9L4 11.1l.9.9zM12 4.9l-.9-.9 1.7-1.7.9.9z",
  dark: "M6 1.5A6.8 6.8 0 1 0 14.5 10 5.6 5.6 0 0 1 6 1.5z",
  camera: "M5.5 3 6.5 1.5h3L10.5 3H14v10.5H2V3zM8 5a3.2 3.2 0 1 0 0 6.4A3.2 3.2 0 0 0 8 5zm0 1.4a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z",
  measure: "M1 10.5 10.5 1 15 5.5 5.5 15zM3.1 10.5l2.4 2.4 7.4-7.4-2.4-2.4-.9.9 1.2 1.2-.8.8-1.2-1.2-1 1 1.8 1.8-.8.8-1.8-1.8-1 1L7 8.7l-.8.8L5 8.3z",
  trace: "M2 13.5C2 6 6 10.5 8 8s1-5.500 6-5.500V4C10.500 4 11 6.500 9.400 8.800 7.500 11.500 4 8.500 3.500 13.500z",
  loop: "M4 4h6.500V2l3.500 2.800L10.500 7.500V5.500H4a1.500 1.500 0 0 0 0 3v1.500a3 3 0 0 1 0-6zM12 12H5.500v2L2 11.200 5.500 8.500v2H12a1.500 1.500 0 0 0 0-3V6a3 3 0 0 1 0 6z",
  plus: "M7 3h2v4h4v2H9v4H7V9H3V7h4z",
  minus: "M3 7h10v2H3z",
  undo: "M6 3v2.500h4a4 4 0 0 1 0 8H5V12h5a2.500 2.500 0 0 0 0-5H6v2.500L1.500 6.200z",
  eye: "M8 3C4.500 3 1.800 5.300.7 8c1.100 2.700 3.800 5 7.300 5s6.200-2.300 7.300-5C14.200 5.300 11.500 3 8 3zm0 1.800a3.200 3.200 0 1 1 0 6.400 3.200 3.200 0 0 1 0-6.400zM8 6.300a1.700 1.700 0 1 0 0 3.400 1.700 1.700 0 0 0 0-3.400z",
  close: "M3.500 2.500 8 7l4.500-4.500 1 1L9 8l4.500 4.500-1 1L8 9l-4.500 4.500-1-1L7 8 2.500 3.500z",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon that is hidden from screen readers. */
export function icon(name: IconName): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A button with an icon. The label is its tooltip and its accessible name. */
export function iconButton(name: IconName, label: string, action: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "icon";
  button.title = label;
  button.setAttribute("aria-label", label.replace(/ \(.*\)$/, ""));
  button.append(icon(name));
  button.addEventListener("click", action);
  return button;
}

/** The primary button that plays and pauses; `show` updates it. */
export function playButton(action: () => void): { button: HTMLButtonElement; show: (playing: boolean) => void } {
  const button = iconButton("play", "Play (space)", action);
  button.classList.add("primary");
  button.id = "play";
  const show = (playing: boolean): void => {
    button.replaceChildren(icon(playing ? "pause" : "play"));
    button.setAttribute("aria-label", playing ? "Pause" : "Play");
    button.title = playing ? "Pause (space)" : "Play (space)";
  };
  return { button, show };
}
