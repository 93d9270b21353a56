// A table that sorts by a click on a heading.

import { h } from "./dom";

export interface TableColumn<Row> {
  title: string;
  /** What is sorted by; null comes last. */
  key(row: Row): number | string | null;
  /** What is shown; the key itself without. */
  cell?(row: Row): Node | string;
  numeric?: boolean;
  /** Takes a line of its own where cells stand in pairs. */
  wide?: boolean;
}

/** A table of more rows scrolls in its own box. */
const LONG = 60;

/** With `stack` a row becomes a list of its cells, each with its heading, where the screen is narrow; or of pairs of cells. */
export function sortableTable<Row>(
  label: string,
  columns: TableColumn<Row>[],
  rows: Row[],
  stack: boolean | "pairs" = false,
): HTMLElement {
  const body = h("tbody");
  const headings = columns.map((column, i) =>
    h(
      "th",
      { scope: "col", class: column.numeric ? "numeric" : null, "aria-sort": "none" },
      h(
        "button",
        { type: "button", click: () => sortBy(i) },
        column.title,
        h("span", { class: "arrow", "aria-hidden": "true" }),
      ),
    ),
  );
  const fill = (ordered: Row[]): void => {
    body.replaceChildren(
      ...ordered.map((row) =>
        h(
          "tr",
          {},
          ...columns.map((column) =>
            h(
              "td",
              { class: classOf(column), "data-title": stack ? column.title : null },
              column.cell ? column.cell(row) : String(column.key(row) ?? "\u2013"),
            ),
          ),
        ),
      ),
    );
  };

  function sortBy(index: number): void {
    const column = columns[index];
    const heading = headings[index];
    if (!column || !heading) return;
    const descending = heading.getAttribute("aria-sort") === "ascending";
    headings.forEach((other) => other.setAttribute("aria-sort", "none"));
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    fill([...rows].sort((a, b) => compare(column.key(a), column.key(b), descending)));
  }

  fill(rows);
  return h(
    "div",
    {
      class: rows.length > LONG ? "table-box long" : "table-box",
      tabindex: 0,
      role: "region",
      "aria-label": label,
    },
    h("table", { class: stack === "pairs" ? "stack pairs" : stack ? "stack" : null }, h("thead", {}, h("tr", {}, ...headings)), body),
  );
}

function classOf(column: { numeric?: boolean; wide?: boolean }): string | null {
  return [column.numeric ? "numeric" : "", column.wide ? "wide" : ""].join(" ").trim() || null;
}

function compare(a: number | string | null, b: number | string | null, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order =
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true });
  return descending ? -order : order;
}
