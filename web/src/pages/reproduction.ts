// A paper reproduced: its claims beside what was measured, and its figures.

import { badge, type Kind } from "../badge";
import type { Claim, Figure, Reproduction, Table } from "../contract";
import { h, prose, section } from "../dom";
import { publishStill } from "../hook";
import { showPage } from "../page";
import { createChart, type ChartPoint } from "../plots/chart";
import { sortableTable, type TableColumn } from "../table";

const KINDS: Record<Claim["verdict"], Kind> = { agrees: "good", differs: "bad", "not comparable": "neutral" };

/** Longer cells are sentences. */
const LONGEST_NUMBER = 24;

/** Numbers, also with a unit or as a range, stay on one line. */
function cellOf(text: string): HTMLElement {
  const isNumber = /^[<>~]?\s*[-+\u2212]?\.?\d/.test(text) && text.length <= LONGEST_NUMBER;
  return h("td", { class: isNumber ? "number" : null }, prose(text));
}

function tableOf(table: Table): HTMLElement {
  return h(
    "div",
    { class: "card" },
    h("h3", {}, table.title),
    table.text ? h("p", { class: "note" }, prose(table.text)) : null,
    h(
      "div",
      { class: "table-box", tabindex: 0, role: "region", "aria-label": table.title },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ...table.columns.map((c) => h("th", { scope: "col" }, c)))),
        h(
          "tbody",
          {},
          ...table.rows.map((row) => h("tr", {}, ...row.map((cell) => cellOf(cell ?? "\u2013")))),
        ),
      ),
    ),
  );
}

function chartOf(figure: Figure, index: number): HTMLElement {
  return createChart({
    id: `figure-${index + 1}`,
    title: figure.title,
    note: figure.text,
    xLabel: figure.x_label,
    yLabel: figure.y_label,
    xLog: figure.x_log,
    yLog: figure.y_log,
    series: figure.series.map((s) => ({
      name: s.name,
      marks: s.marks ?? false,
      scattered: s.marks ?? false,
      points: s.x.map((x, i): ChartPoint => ({ x: x ?? NaN, y: s.y[i] ?? NaN })),
    })),
  });
}

function words(title: string, key: (claim: Claim) => string | null): TableColumn<Claim> {
  return { title, key, cell: (claim) => prose(key(claim) ?? "") };
}

export function showReproduction(data: Reproduction): void {
  const verdicts = ["agrees", "differs", "not comparable"] as const;
  const claims = section("claims", "Claims", () => [
    h(
      "div",
      { class: "card" },
      sortableTable<Claim>(
        "claims",
        [
          { title: "id", key: (c) => c.id },
          words("what", (c) => c.what),
          words("paper", (c) => c.claim),
          words("measured", (c) => c.measured),
          {
            title: "verdict",
            key: (c) => verdicts.indexOf(c.verdict),
            cell: (c) =>
              h("span", {}, badge(KINDS[c.verdict], c.verdict), c.robust ? h("span", { class: "robust" }, "robust") : null),
          },
          words("why", (c) => c.why),
        ],
        data.claims,
        true,
      ),
    ),
  ]);
  const figures = section("figures", "Figures", () => [
    h("div", { class: "grid-of-plots" }, ...data.figures.map(chartOf)),
  ]);
  const tables = section("tables", "Tables", () => (data.tables ?? []).map(tableOf));
  const robust = data.claims.some((c) => c.robust);
  showPage({
    kind: "Reproduction of a paper",
    title: data.title,
    lead: [
      h("p", { class: "lead" }, data.paper),
      data.text ? h("p", { class: "note" }, prose(data.text)) : null,
      h(
        "div",
        { class: "tally" },
        ...verdicts.map((v) =>
          h("span", {}, badge(KINDS[v], v), ` ${data.claims.filter((c) => c.verdict === v).length}`),
        ),
      ),
      robust
        ? h("p", { class: "note" }, "Robust: does not depend on details that the paper leaves open.")
        : null,
    ],
    sections: [
      claims,
      ...(data.figures.length > 0 ? [figures] : []),
      ...(data.tables?.length ? [tables] : []),
    ],
    footer: "Made by Keel.",
  });
  publishStill(data.format);
}
