// Which plots a report has, from the columns of its data.

import type { Column, Event, Group, Report } from "../contract";
import { number } from "../format";
import { numbers } from "../packed";
import { quantity, withUnit } from "../units";
import type { Mark, Series, TimePlot } from "./timeplot";

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
const SHARED_ZERO = { word: "shared, zero", meaning: `${SHARED.meaning}; here it is zero throughout` };
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
    mark: column.zero ? SHARED_ZERO : column.shared ? SHARED : undefined,
    values: () => numbers(column.data),
  };
}

function sharedNote(columns: Column[]): string | undefined {
  return columns.some((c) => c.shared) ? SHARED_NOTE : undefined;
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
  const list =
    names.length <= LISTED
      ? names.join(", ")
      : `${names.length} ${word}, ${names[0]} to ${names[names.length - 1]}`;
  return withUnit(list, columns[0]?.unit);
}

/** Columns by their unit, in the order in which units come. */
function byUnit(columns: Column[]): Column[][] {
  const parts = new Map<string, Column[]>();
  for (const column of columns) {
    const unit = column.unit ?? "";
    parts.set(unit, [...(parts.get(unit) ?? []), column]);
  }
  return [...parts.values()];
}

/** The first few that are not zero. */
function preselected(columns: Column[]): Series[] {
  let shown = 0;
  return columns.map((c) => seriesOf(c, !c.zero && shown++ < PRESELECTED));
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
    timeUnit: report.time_unit,
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
        { unit: part[0]?.unit, note: sharedNote(part) },
      ),
    );
  /** One plot for each unit of a group, the first few series shown. */
  const whole = (id: string, title: string, columns: Column[]): TimePlot[] =>
    byUnit(columns).map((part, i) =>
      plot(i === 0 ? id : `${id}-${i + 1}`, withUnit(title, part[0]?.unit), preselected(part), {
        unit: part[0]?.unit,
        note: sharedNote(part),
      }),
    );

  const violation = group("violation");
  const constraints = violation.length - 2;
  const sections: PlotSection[] = [
    { id: "outputs", title: "Outputs", plots: split("output", "outputs", group("output")) },
    {
      id: "violations",
      title: "Violation of the constraints",
      note: exact(violation, report)
        ? "Every constraint is met exactly in every row: all violations are zero."
        : "Sizes on a logarithmic axis, in the units of the constraints; zeros lie on the lower edge. The worst are shown, choose others below.",
      plots: violations(violation, plot, report),
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
        ...whole("reaction", "Reactions", group("reaction")),
        ...whole("multiplier", "Multipliers of the constraints", group("multiplier")),
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
  return sections.filter((s) => s.plots.length > 0 || (s.id === "violations" && constraints > 0));
}

/** Nothing was violated, so there is nothing to draw on a logarithmic axis. */
function exact(columns: Column[], report: Report): boolean {
  return columns.every((c) => largest(c) === 0) && !report.worst?.some((w) => w.value > 0);
}

/** The two summary series first, then the constraints from the worst to the best. Nothing if there is none to violate. */
function violations(
  columns: Column[],
  plot: (id: string, title: string, series: Series[], more: Partial<TimePlot>) => TimePlot,
  report: Report,
): TimePlot[] {
  if (exact(columns, report)) return [];
  const worst = columns
    .slice(2)
    .map((column) => ({ column, size: largest(column) }))
    .sort((a, b) => b.size - a.size)
    .map((entry) => entry.column);
  const ordered = [...columns.slice(0, 2), ...worst];
  const units = new Set(ordered.map((c) => c.unit ?? ""));
  return [
    plot(
      "violation",
      "Violation by constraint",
      ordered.map((c, i) => seriesOf(c, i < PRESELECTED_VIOLATIONS)),
      { log: true, unit: units.size === 1 ? ordered[0]?.unit : undefined, marks: worstMarks(report, ordered) },
    ),
  ];
}

/** The worst of all steps, with the column that met it and the summary column of its level. */
function worstMarks(report: Report, columns: Column[]): Mark[] {
  return (report.worst ?? []).map((w) => {
    const met = columns.findIndex((c, i) => i >= 2 && c.name === w.column);
    const value = quantity(number(w.value, 3), w.unit);
    const time = quantity(number(w.t, 5), report.time_unit);
    return {
      t: w.t,
      value: w.value,
      series: [...(met >= 0 ? [met] : []), w.level === "position" ? 0 : 1],
      text: `Worst ${w.level} violation of all steps, which may lie between rows: ${value} of ${w.column} at t = ${time}`,
    };
  });
}

function stepPlots(report: Report, events: Event[]): TimePlot[] {
  const steps = report.steps;
  if (!steps || steps.t.count === 0) return [];
  const time = numbers(steps.t);
  const timeUnit = report.time_unit;
  const one = (name: string, values: () => ArrayLike<number>, unit?: string | null): Series[] => [
    { name, unit, visible: true, values },
  ];
  const { order, gap } = steps;
  // a gap below zero was not looked for
  const gaps = gap ? numbers(gap).map((g) => (g < 0 ? NaN : g)) : [];
  const gapValues = (): ArrayLike<number> => gaps;
  const plots: TimePlot[] = [
    {
      id: "step-size",
      title: withUnit("Step size", steps.unit),
      unit: steps.unit,
      log: true,
      time,
      timeUnit,
      events,
      series: one("step size", () => numbers(steps.size), steps.unit),
    },
  ];
  if (order) {
    plots.push({
      id: "step-order",
      title: "Order",
      log: false,
      stairs: true,
      time,
      timeUnit,
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
      timeUnit,
      events,
      labelEvents: true,
      series: one("gap", gapValues),
    });
  }
  return plots;
}
