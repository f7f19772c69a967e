// Small helpers for elements of the page. Styles are set by classes and through the style sheet's object model only: the
// page's policy allows no style attributes.

type ElementChild = Node | string | null | undefined | false;

interface ElementProperties {
  class?: string;
  title?: string;
  text?: string;
  id?: string;
  type?: string;
  role?: string;
  /** Attributes by name: aria-*, data-*, for and the like. */
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

/** A button that says what it does. */
export function button(text: string, action: () => void, properties: ElementProperties = {}): HTMLButtonElement {
  return element("button", { ...properties, text, on: { click: action, ...properties.on } });
}

/** A switch with its label; `set` is told when a person changes it. */
export function toggle(text: string, on: boolean, set: (on: boolean) => void, title = ""): { root: HTMLElement; input: HTMLInputElement } {
  const input = element("input", { type: "checkbox" });
  input.checked = on;
  input.addEventListener("change", () => set(input.checked));
  const root = element("label", { class: "switch", title }, input, element("span", { text }));
  return { root, input };
}

/** A drop-down with its choices as [value, text]. */
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

/** A row of a list of facts: what, and its value. */
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

/** Fills what is read aloud, once: what is filled anew is read anew. */
export function fillLiveRegion(place: HTMLElement, parts: HTMLElement[]): void {
  if (place.textContent !== parts.map((part) => part.textContent).join("")) fill(place, ...parts);
}

/** Hands a file to the person: to be saved under `name`. */
export function save(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = element("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Says something briefly, also to readers of the screen. */
export function announce(text: string): void {
  const place = byId("announcer");
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(Number(place.dataset["timer"] ?? 0));
  place.dataset["timer"] = String(window.setTimeout(() => place.classList.remove("shown"), 4000));
}
