// Helpers for HTML elements. Styles are set only by classes and by the object model of the style sheet, because the
// page's policy forbids style attributes.

type ElementChild = Node | string | null | undefined | false;

interface ElementProperties {
  class?: string;
  title?: string;
  text?: string;
  id?: string;
  type?: string;
  role?: string;
  /** Other attributes, such as aria-*, data-* and for. */
  attributes?: Record<string, string>;
  on?: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
}

/** An element with its properties and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: ElementProperties = {}, ...children: ElementChild[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  if (properties.class !== undefined) node.className = properties.class;
  if (properties.title !== undefined) node.title = properties.title;
  if (properties.text !== undefined) node.textContent = properties.text;
  if (properties.id !== undefined) node.id = properties.id;
  if (properties.role !== undefined) node.setAttribute("role", properties.role);
  if (properties.type !== undefined) node.setAttribute("type", properties.type);
  else if (tag === "button") node.setAttribute("type", "button");
  for (const [name, value] of Object.entries(properties.attributes ?? {})) node.setAttribute(name, value);
  for (const [name, listener] of Object.entries(properties.on ?? {})) {
    node.addEventListener(name, listener as EventListener);
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

/** A button with a text. */
export function button(text: string, action: () => void, properties: ElementProperties = {}): HTMLButtonElement {
  return element("button", { ...properties, text, on: { click: action, ...properties.on } });
}

/** A checkbox with its label; `set` is called after a change by the user. */
export function toggle(text: string, on: boolean, set: (on: boolean) => void, title = ""): { root: HTMLElement; input: HTMLInputElement } {
  const input = element("input", { type: "checkbox" });
  input.checked = on;
  input.addEventListener("change", () => set(input.checked));
  const root = element("label", { class: "switch", title }, input, element("span", { text }));
  return { root, input };
}

/** A drop-down with choices as [value, text]. */
export function select(label: string, choices: readonly (readonly [string, string])[], set: (value: string) => void): HTMLSelectElement {
  const node = element("select", { attributes: { "aria-label": label }, title: label });
  for (const [value, text] of choices) {
    const option = element("option", { text });
    option.value = value;
    node.append(option);
  }
  node.addEventListener("change", () => set(node.value));
  return node;
}

/** Adds a name and its value to a list. */
export function addFact(list: HTMLElement, name: string | Node, value: string | Node, properties: ElementProperties = {}): void {
  list.append(element("dt", {}, name), element("dd", properties, value));
}

/** The element of index.html with this id. */
export function byId<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page lacks #${id}`);
  return found as T;
}

/** Replaces all children. */
export function fill(parent: HTMLElement, ...children: ElementChild[]): void {
  parent.replaceChildren(...children.filter((child): child is Node | string => Boolean(child)));
}

/** Fills a live region only if its text changes, because screen readers read every replacement. */
export function fillLiveRegion(place: HTMLElement, parts: HTMLElement[]): void {
  if (place.textContent !== parts.map((part) => part.textContent).join("")) fill(place, ...parts);
}

/** Downloads a blob as a file called `name`. */
export function save(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = element("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Shows a short message, also for screen readers. */
export function announce(text: string): void {
  const place = byId("announcer");
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(Number(place.dataset["timer"] ?? 0));
  place.dataset["timer"] = String(window.setTimeout(() => place.classList.remove("shown"), 4000));
}
