// The list of a plot's series: a button for each that shows or hides it, with its value at the cursor.

import { h } from "../dom";
import { number } from "../format";
import { quantity, withUnit } from "../units";
import { seriesColour, seriesDash, onTheme } from "../theme";

export interface LegendEntry {
  name: string;
  unit?: string | null | undefined;
  /** A word behind the name, and what it means. */
  mark?: { word: string; meaning: string } | undefined;
  visible: boolean;
}

export interface Legend {
  element: HTMLElement;
  /** New values, one for each entry. */
  show(values: (number | null)[]): void;
}

/** From so many entries on there are a filter and buttons for all and none. */
const MANY = 9;

function swatch(index: number): HTMLElement {
  const element = h("span", { class: "swatch", "aria-hidden": "true" });
  const paint = (): void => {
    element.style.borderTopColor = seriesColour(index);
    const dash = seriesDash(index);
    element.style.borderTopStyle = dash.length === 0 ? "solid" : (dash[0] ?? 0) > 3 ? "dashed" : "dotted";
  };
  paint();
  onTheme(paint);
  return element;
}

/** `sign` draws how a series looks; without, it is a line. */
export function createLegend(
  entries: LegendEntry[],
  changed: () => void,
  sign: (index: number) => Element = swatch,
): Legend {
  const values = entries.map(() => h("span", { class: "value" }));
  const buttons = entries.map((entry, i) =>
    h(
      "button",
      {
        type: "button",
        class: "series",
        "aria-pressed": String(entry.visible),
        title: withUnit(entry.name, entry.unit) + (entry.mark ? `: ${entry.mark.meaning}` : ""),
        click: () => set(i, !entry.visible),
      },
      sign(i),
      h("span", { class: "name" }, entry.name),
      entry.mark ? h("span", { class: "mark" }, entry.mark.word) : null,
      values[i],
    ),
  );

  function set(i: number, visible: boolean): void {
    const entry = entries[i];
    if (!entry) return;
    entry.visible = visible;
    buttons[i]?.setAttribute("aria-pressed", String(visible));
    changed();
  }

  const matching = (): number[] => entries.map((_, i) => i).filter((i) => !buttons[i]?.hidden);
  const filter = h("input", {
    type: "search",
    placeholder: `filter ${entries.length} series`,
    "aria-label": "filter series",
    input: () => {
      const word = filter.value.toLowerCase();
      buttons.forEach(
        (button, i) => (button.hidden = !(entries[i]?.name.toLowerCase().includes(word) ?? false)),
      );
    },
  });
  const tools =
    entries.length < MANY
      ? null
      : h(
          "div",
          { class: "legend-tools" },
          filter,
          h(
            "button",
            { type: "button", class: "small", click: () => matching().forEach((i) => set(i, true)) },
            "all",
          ),
          h(
            "button",
            { type: "button", class: "small", click: () => matching().forEach((i) => set(i, false)) },
            "none",
          ),
        );

  return {
    element: h("div", { class: "legend" }, tools, h("div", { class: "legend-list" }, ...buttons)),
    show(numbers) {
      numbers.forEach((value, i) => {
        const element = values[i];
        const entry = entries[i];
        if (!element || !entry) return;
        const text = value === null ? "" : quantity(number(value), entry.unit);
        if (element.textContent !== text) element.textContent = text;
      });
    },
  };
}
