// What all pages have: header, navigation, theme.

import { h } from "./dom";
import { isDark, onTheme, toggleTheme } from "./theme";

export interface Page {
  kind: string;
  title: string;
  /** Below the title. */
  lead: (Node | null)[];
  sections: HTMLElement[];
  footer: string;
}

function themeButton(): HTMLElement {
  const button = h("button", { type: "button", class: "theme", click: toggleTheme });
  const show = (): void => {
    button.textContent = isDark() ? "\u2600" : "\u263e";
    const label = isDark() ? "light page" : "dark page";
    button.setAttribute("aria-label", label);
    button.title = label;
  };
  onTheme(show);
  show();
  return button;
}

/** More links than this stay on one line that scrolls. */
const MANY_LINKS = 10;

/** Scrolls the line of links, not the page, until the link is in its middle. */
function bringIntoSight(link: HTMLElement | undefined): void {
  const line = link?.parentElement;
  if (!link || !line || line.scrollWidth <= line.clientWidth) return;
  const off = link.getBoundingClientRect().left - line.getBoundingClientRect().left;
  line.scrollTo({ left: line.scrollLeft + off - (line.clientWidth - link.clientWidth) / 2 });
}

/** Marks the link of the section that is being read. */
function followReading(sections: HTMLElement[], links: HTMLElement[]): void {
  const seen = new Set<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) seen.add(entry.target);
        else seen.delete(entry.target);
      }
      const current = sections.findIndex((s) => seen.has(s));
      links.forEach((link, i) => link.toggleAttribute("aria-current", i === current));
      bringIntoSight(links[current]);
    },
    { rootMargin: "-80px 0px -55% 0px" },
  );
  for (const element of sections) observer.observe(element);
}

export function showPage(page: Page): void {
  document.title = `${page.title} \u2013 Keel`;
  const links = page.sections.map((s) =>
    h("a", { href: `#${s.id}` }, s.dataset["short"] ?? s.querySelector("h2")?.textContent ?? s.id),
  );
  const app = document.getElementById("app");
  app?.replaceChildren(
    h("a", { class: "skip", href: "#content" }, "to the content"),
    h(
      "nav",
      { class: "top", "aria-label": "sections" },
      h("span", { class: "brand" }, "Keel"),
      h("div", { class: links.length > MANY_LINKS ? "links many" : "links" }, ...links),
      themeButton(),
    ),
    h(
      "main",
      { id: "content", tabindex: -1 },
      h(
        "header",
        { class: "title" },
        h("p", { class: "kind" }, page.kind),
        h("h1", {}, page.title),
        ...page.lead.filter((n) => n !== null),
      ),
      ...page.sections,
    ),
    h("footer", {}, page.footer),
  );
  followReading(page.sections, links);
}
