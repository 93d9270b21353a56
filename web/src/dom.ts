// Short ways to make elements.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, String(value));
  }
}

/** An element with attributes (a function is a listener of the event with that name) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  for (const child of children) if (child) element.append(child);
  return element;
}

/** The same for elements of SVG. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  for (const child of children) if (child) element.append(child);
  return element;
}

/** Text with `code` between backquotes; of [links](address) the words only, for the pages they lead to are elsewhere. */
export function prose(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const plain = text.replace(/\[([^\]]+)\]\([^)\s]+\)/g, "$1");
  plain.split("`").forEach((part, i) => fragment.append(i % 2 === 1 ? h("code", {}, part) : part));
  return fragment;
}

/** A section of the page. A part that cannot be shown says why and leaves the other parts alone. */
export function section(id: string, title: string, build: () => Child[]): HTMLElement {
  const element = h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
  );
  try {
    for (const child of build()) if (child) element.append(child);
  } catch (error) {
    element.append(
      h("p", { class: "problem", role: "alert" }, `This part cannot be shown: ${(error as Error).message}`),
    );
  }
  return element;
}

/** Calls `changed` when `element` comes into sight, or nearly so, and when it leaves. */
export function watchSight(element: HTMLElement, changed: (seen: boolean) => void): void {
  new IntersectionObserver((entries) => changed(entries.some((e) => e.isIntersecting)), {
    rootMargin: "100px 0px",
  }).observe(element);
}

/** Calls `changed` with the width of `element` now and when it changes. */
export function watchWidth(element: HTMLElement, changed: (width: number) => void): void {
  let last = 0;
  new ResizeObserver(() => {
    const width = Math.floor(element.clientWidth);
    if (width === last || width === 0) return;
    last = width;
    changed(width);
  }).observe(element);
}
