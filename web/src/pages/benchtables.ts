// Tables of a problem of the benchmark: its curves, and all runs.

import type { BenchCurve, BenchPoint, BenchProblem } from "../contract";
import { h } from "../dom";
import { count, number, power } from "../format";
import { sortableTable, type TableColumn } from "../table";

/** A violation of a peer that is larger deserves a look. */
export const LARGE_VIOLATION = 1e-6;

export function milliseconds(seconds: number | null | undefined): string {
  return number(typeof seconds === "number" ? 1e3 * seconds : null, 3);
}

export function isAuto(curve: BenchCurve): boolean {
  return curve.own && curve.method === "auto";
}

export function nameOf(curve: BenchCurve): string {
  return curve.method ? `${curve.solver} ${curve.method}` : curve.solver;
}

/** Keel's curves first, `auto` before all. */
export function ordered(curves: BenchCurve[]): BenchCurve[] {
  const place = (c: BenchCurve): number => (isAuto(c) ? 0 : c.own ? 1 : 2);
  return [...curves].sort((a, b) => place(a) - place(b));
}

type Value = (p: BenchPoint) => number | null;

function extreme(pick: (...values: number[]) => number, curve: BenchCurve, value: Value): number | null {
  const values = curve.points.map(value).filter((v) => v !== null);
  return values.length > 0 ? pick(...values) : null;
}

const largest = (c: BenchCurve, value: Value): number | null => extreme(Math.max, c, value);
const leastError = (c: BenchCurve): number | null => extreme(Math.min, c, (p) => p.error);

function violationCell(curve: BenchCurve, value: number | null): Node | string {
  const large = !curve.own && value !== null && value > LARGE_VIOLATION;
  return large
    ? h("strong", { class: "status bad", title: `above ${power(LARGE_VIOLATION)}` }, number(value, 2))
    : number(value, 2);
}

function failuresOf(curve: BenchCurve): BenchPoint[] {
  return curve.points.filter((p) => p.why !== null);
}

/** The reasons of runs that failed, each with the tolerances or steps where it was met; null if there are none. */
export function failureList(problem: BenchProblem): HTMLElement | null {
  const items = ordered(problem.curves).flatMap((curve) => {
    const values = new Map<string, string[]>();
    for (const p of failuresOf(curve)) {
      const why = p.why || "no reason given";
      values.set(why, [...(values.get(why) ?? []), number(p.value, 2)]);
    }
    return [...values].map(([why, list]) =>
      h("li", {}, h("strong", {}, nameOf(curve)), `, ${curve.parameter} ${list.join(", ")}: ${why}`),
    );
  });
  return items.length > 0 ? h("ul", { class: "failures" }, ...items) : null;
}

export function curveTable(problem: BenchProblem, levels: number[]): HTMLElement {
  const curves = ordered(problem.curves);
  const fastest = levels.map((_, i) => Math.min(...curves.map((c) => c.at[i] ?? Infinity)));
  const violation = (title: string, value: Value): TableColumn<BenchCurve> => ({
    title,
    key: (c) => largest(c, value),
    cell: (c) => violationCell(c, largest(c, value)),
    numeric: true,
  });
  return sortableTable<BenchCurve>(
    `methods on ${problem.name}`,
    [
      {
        title: "solver",
        key: nameOf,
        cell: (c) => (isAuto(c) ? h("strong", {}, nameOf(c)) : nameOf(c)),
        wide: true,
      },
      ...levels.map((level, i) => ({
        title: `ms at ${power(level)}`,
        key: (c: BenchCurve) => c.at[i] ?? null,
        cell: (c: BenchCurve) =>
          c.at[i] === fastest[i]
            ? h("strong", { title: "fastest" }, milliseconds(c.at[i]))
            : milliseconds(c.at[i]),
        numeric: true,
      })),
      {
        title: "least error",
        key: (c) => leastError(c),
        cell: (c) => number(leastError(c), 2),
        numeric: true,
      },
      violation("position violation", (p) => p.violation),
      violation("velocity violation", (p) => p.velocity_violation),
      {
        title: "failed runs",
        key: (c) => failuresOf(c).length,
        cell: (c) => `${failuresOf(c).length} of ${c.points.length}`,
        numeric: true,
      },
    ],
    curves,
    "pairs",
  );
}

interface Run {
  curve: BenchCurve;
  point: BenchPoint;
}

export function runTable(problem: BenchProblem): HTMLElement {
  const runs = ordered(problem.curves).flatMap((curve) => curve.points.map((point): Run => ({ curve, point })));
  const counted = runs.some((r) => r.point.instructions !== null);
  const column = (
    title: string,
    value: Value,
    text: (value: number | null) => string = (x) => number(x, 3),
  ): TableColumn<Run> => ({
    title,
    key: (r) => value(r.point),
    cell: (r) => text(value(r.point)),
    numeric: true,
  });
  return sortableTable<Run>(
    `runs of ${problem.name}`,
    [
      { title: "solver", key: (r) => nameOf(r.curve) },
      {
        title: "setting",
        key: (r) => r.point.value,
        cell: (r) => `${r.curve.parameter} ${number(r.point.value, 2)}`,
        numeric: true,
      },
      column("CPU ms", (p) => p.seconds, milliseconds),
      column("error in q", (p) => p.error),
      column("error in v", (p) => p.velocity_error),
      column("position violation", (p) => p.violation),
      column("velocity violation", (p) => p.velocity_violation),
      column("energy drift", (p) => p.energy),
      column("steps", (p) => p.steps, count),
      column("evaluations", (p) => p.evaluations, count),
      column("factorizations", (p) => p.factorizations, count),
      ...(counted ? [column("instructions", (p) => p.instructions)] : []),
    ],
    runs,
  );
}
