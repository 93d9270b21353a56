// Which plots a report has, from the columns of its data.

import type { Column, Event, Group, Report } from "../contract";
import { numbers } from "../packed";
import type { Series, TimePlot } from "./timeplot";

export interface PlotSection {
  id: string;
  title: string;
  note?: string;
  plots: TimePlot[];
}

/** Series that are shown from the start in a plot of many. */
const PRESELECTED = 8;
const PRESELECTED_VIOLATIONS = 6;
/** Outputs of one plot differ in size by no more than this. */
const SAME_SIZE = 40;
/** An energy that changes by less is drawn as constant; its drift is a series of its own. */
const FLAT_ENERGY = 1e-7;
/** Names that a title lists. */
const LISTED = 3;

const SHARED = {
  word: "shared",
  meaning:
    "several constraints do this together; only their sum is determined, the shown part is the one of least norm",
};
const SHARED_NOTE =
  "Marked as shared: constraints that repeat each other. What they do together is determined, how they share it is not; " +
  "shown is the share of least norm.";

function largest(column: Column): number {
  const values = numbers(column.data);
  let max = 0;
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i] as number);
    if (size > max && size < Infinity) max = size;
  }
  return max;
}

function seriesOf(column: Column, visible: boolean): Series {
  return {
    name: column.name,
    unit: column.unit,
    visible,
    mark: column.shared ? SHARED : undefined,
    values: () => numbers(column.data),
  };
}

/** Columns of one unit and about one size, in the order in which they come. */
function alike(columns: Column[]): Column[][] {
  const parts: { unit: string; low: number; high: number; columns: Column[] }[] = [];
  for (const column of columns) {
    const size = largest(column);
    const unit = column.unit ?? "";
    const fits = parts.find(
      (p) =>
        p.unit === unit &&
        p.columns.length < PRESELECTED &&
        (size === 0 || p.high === 0 || Math.max(size, p.high) <= SAME_SIZE * Math.min(size, p.low)),
    );
    if (!fits) {
      parts.push({ unit, low: size || Infinity, high: size, columns: [column] });
      continue;
    }
    fits.columns.push(column);
    fits.high = Math.max(fits.high, size);
    if (size > 0) fits.low = Math.min(fits.low, size);
  }
  return parts.map((p) => p.columns);
}

function titleOf(columns: Column[], word: string): string {
  const names = columns.map((c) => c.name);
  const unit = columns[0]?.unit ? ` [${columns[0].unit}]` : "";
  const list =
    names.length <= LISTED
      ? names.join(", ")
      : `${names.length} ${word}, ${names[0]} to ${names[names.length - 1]}`;
  return list + unit;
}

export function plotSections(report: Report): PlotSection[] {
  const time = numbers(report.time);
  const group = (...groups: Group[]): Column[] => report.columns.filter((c) => groups.includes(c.group));
  const singular = report.events.filter((e) => e.kind === "singular");
  const plot = (id: string, title: string, series: Series[], more: Partial<TimePlot> = {}): TimePlot => ({
    id,
    title,
    log: false,
    time,
    series,
    events: singular,
    ...more,
  });
  /** One plot for each set of columns that fit together. */
  const split = (id: string, word: string, columns: Column[]): TimePlot[] =>
    alike(columns).map((part, i) =>
      plot(
        `${id}-${i + 1}`,
        titleOf(part, word),
        part.map((c) => seriesOf(c, true)),
        { note: part.some((c) => c.shared) ? SHARED_NOTE : undefined },
      ),
    );
  /** One plot for a whole group, the first few shown. */
  const whole = (id: string, title: string, columns: Column[], more: Partial<TimePlot> = {}): TimePlot[] =>
    columns.length === 0
      ? []
      : [
          plot(
            id,
            title,
            columns.map((c, i) => seriesOf(c, i < PRESELECTED)),
            more,
          ),
        ];
  const sharedNote = (columns: Column[]): Partial<TimePlot> => ({
    note: columns.some((c) => c.shared) ? SHARED_NOTE : undefined,
  });

  const multipliers = group("multiplier");
  const reactions = group("reaction");
  const sections: PlotSection[] = [
    { id: "outputs", title: "Outputs", plots: split("output", "outputs", group("output")) },
    {
      id: "violations",
      title: "Violation of the constraints",
      note: "Sizes on a logarithmic axis, in the units of the constraints; zeros lie on the lower edge. The worst are shown, choose others below.",
      plots: violations(group("violation"), plot),
    },
    {
      id: "energy",
      title: "Energy",
      plots: [
        ...split("energy", "energies", group("energy")).map((p) => ({ ...p, flat: FLAT_ENERGY })),
        ...whole("audit", "Audit: who made the drift", group("audit")),
      ],
    },
    {
      id: "reactions",
      title: "Reactions and multipliers",
      plots: [
        ...whole("reaction", "Reactions", reactions, sharedNote(reactions)),
        ...whole("multiplier", "Multipliers of the constraints", multipliers, sharedNote(multipliers)),
      ],
    },
    { id: "steps", title: "Steps of the integrator", plots: stepPlots(report, report.events) },
    {
      id: "states",
      title: "Coordinates and states",
      plots: [
        ...whole("coordinate", "Coordinates", group("coordinate")),
        ...whole("velocity", "Velocities", group("velocity")),
        ...whole("state", "First-order states", group("state")),
        ...whole("auxiliary", "Auxiliary unknowns", group("auxiliary")),
      ],
    },
  ];
  return sections.filter((s) => s.plots.length > 0);
}

/** The two summary series first, then the constraints from the worst to the best. Nothing if there is none to violate. */
function violations(
  columns: Column[],
  plot: (id: string, title: string, series: Series[], more: Partial<TimePlot>) => TimePlot,
): TimePlot[] {
  if (columns.length <= 2 && columns.every((c) => largest(c) === 0)) return [];
  const worst = columns
    .slice(2)
    .map((column) => ({ column, size: largest(column) }))
    .sort((a, b) => b.size - a.size)
    .map((entry) => entry.column);
  const ordered = [...columns.slice(0, 2), ...worst];
  return [
    plot(
      "violation",
      "Violation by constraint",
      ordered.map((c, i) => seriesOf(c, i < PRESELECTED_VIOLATIONS)),
      { log: true },
    ),
  ];
}

function stepPlots(report: Report, events: Event[]): TimePlot[] {
  const steps = report.steps;
  if (!steps || steps.t.count === 0) return [];
  const time = numbers(steps.t);
  const one = (name: string, values: () => ArrayLike<number>): Series[] => [{ name, visible: true, values }];
  const { order, gap } = steps;
  // a gap below zero was not looked for
  const gaps = gap ? numbers(gap).map((g) => (g < 0 ? NaN : g)) : [];
  const gapValues = (): ArrayLike<number> => gaps;
  const plots: TimePlot[] = [
    {
      id: "step-size",
      title: "Step size",
      log: true,
      time,
      events,
      series: one("step size", () => numbers(steps.size)),
    },
  ];
  if (order) {
    plots.push({
      id: "step-order",
      title: "Order",
      log: false,
      stairs: true,
      time,
      events,
      series: one("order", () => numbers(order)),
    });
  }
  if (gap) {
    plots.push({
      id: "gap",
      title: "Gap of the constraints",
      note: "How far the pose is from one in which constraints become dependent: 0 in a singular pose, 1 at most. Vertical lines are events.",
      log: true,
      time,
      events,
      labelEvents: true,
      series: one("gap", gapValues),
    });
  }
  return plots;
}
