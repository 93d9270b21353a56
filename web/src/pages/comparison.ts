// Methods compared: error against cost.

import type { Comparison, ComparisonRun } from "../contract";
import { h, prose, section } from "../dom";
import { count, number, power } from "../format";
import { publishStill } from "../hook";
import { showPage } from "../page";
import { createChart, type ChartPoint } from "../plots/chart";
import { sortableTable, type TableColumn } from "../table";

type Cost = "evaluations" | "seconds" | "steps" | "factorizations";

const COSTS: [Cost, string][] = [
  ["evaluations", "evaluations of the accelerations"],
  ["seconds", "processor time in seconds"],
  ["steps", "steps"],
  ["factorizations", "factorizations"],
];

/** The method, with its integrator unless that is part of its name already. */
function nameOf(run: ComparisonRun): string {
  return run.method.startsWith(run.integrator) || run.integrator === "auto"
    ? run.method
    : `${run.integrator}, ${run.method}`;
}

function setting(run: ComparisonRun): string {
  if (typeof run.tolerance === "number") return `tolerance ${number(run.tolerance, 3)}`;
  return typeof run.step === "number" ? `step ${number(run.step, 3)}` : "";
}

interface Method {
  name: string;
  integrator: string;
  runs: ComparisonRun[];
  /** Place among the methods at the target error; null if the data do not rank it. */
  rank: number | null;
  /** Evaluations for the target error, by which methods are ranked; null if it was not reached. */
  takes: number | null;
  best: number;
}

/** Best first: by rank, then by the smallest error that a method reached. */
function methodsOf(data: Comparison): Method[] {
  const lists = new Map<string, ComparisonRun[]>();
  for (const run of data.runs) lists.set(nameOf(run), [...(lists.get(nameOf(run)) ?? []), run]);
  const methods = [...lists].map(([name, runs]): Method => {
    const ranked = data.ranking?.find((r) => r.method === name);
    const rank = ranked?.rank ?? 0;
    const takes = ranked?.evaluations ?? null;
    const best = Math.min(...runs.map((r) => r.error ?? Infinity));
    return { name, integrator: runs[0]?.integrator ?? "", runs, rank: rank > 0 ? rank : null, takes, best };
  });
  const order = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
  return methods.sort((a, b) => order(a.rank ?? Infinity, b.rank ?? Infinity) || order(a.best, b.best));
}

/** So many methods are shown from the start, or one of each integrator if that is more. */
const SHOWN = 12;

/** The best of each integrator, then the others, both from the best on; the first `shown` are to be seen from the start. */
function forPlot(data: Comparison): { methods: Method[]; shown: number } {
  const methods = methodsOf(data);
  const first = new Map<string, Method>();
  for (const method of methods)
    if (Number.isFinite(method.best) && !first.has(method.integrator)) first.set(method.integrator, method);
  const others = methods.filter((method) => first.get(method.integrator) !== method);
  return { methods: [...first.values(), ...others], shown: Math.max(SHOWN, first.size) };
}

function workPrecision(data: Comparison, cost: Cost, label: string): HTMLElement {
  const point = (run: ComparisonRun): ChartPoint => ({
    x: run[cost] ?? NaN,
    y: run.error ?? NaN,
    text: `${nameOf(run)}, ${setting(run)}: error ${number(run.error, 3)}, ${cost} ${number(run[cost], 4)}`,
  });
  const { methods, shown } = forPlot(data);
  const series = methods.map((method, i) => ({
    name: method.name,
    marks: true,
    hidden: i >= shown,
    points: method.runs
      .filter((r) => r.error !== null && r[cost] !== null)
      .sort((a, b) => (b.tolerance ?? b.step ?? 0) - (a.tolerance ?? a.step ?? 0))
      .map(point),
  }));
  return createChart({
    id: "work-precision",
    title: `Error against ${label}`,
    xLabel: label,
    yLabel: "error",
    xLog: true,
    yLog: true,
    series,
    height: 440,
  });
}

interface Rank extends Method {
  bestRun: ComparisonRun | null;
  /** Evaluations for an error of LEVELS[i]; null if it was not reached. */
  needs: (number | null)[];
}

const LEVELS = [1e-3, 1e-6, 1e-9];
/** Errors below do not differ. */
const ROUND_OFF = 1e-16;

/**
 * Cost at an error as the program ranks by it: on the straight line, in logarithms, to the cheapest run that reaches the error
 * from the dearest of those that are cheaper still; the cost of that run where there is none.
 */
function evaluationsFor(runs: ComparisonRun[], level: number): number | null {
  const points = runs
    .filter((r) => r.error !== null && r.evaluations !== null && r.evaluations > 0)
    .map((r) => ({ error: Math.max(r.error as number, ROUND_OFF), cost: r.evaluations as number }))
    .sort((a, b) => a.cost - b.cost);
  const reached = points.findIndex((p) => p.error <= level);
  const end = points[reached];
  if (!end) return null;
  const before = points.slice(0, reached).filter((p) => p.cost < end.cost).pop();
  if (!before) return end.cost;
  const part = Math.log(before.error / level) / Math.log(before.error / end.error);
  return before.cost * (end.cost / before.cost) ** part;
}

function ranking(data: Comparison): Rank[] {
  return methodsOf(data).map((method) => ({
    ...method,
    bestRun: method.runs.find((r) => r.error === method.best) ?? null,
    needs: LEVELS.map((level) => evaluationsFor(method.runs, level)),
  }));
}

function rankedBy(data: Comparison): string {
  if (!data.ranking) return "Methods by the smallest error they reached.";
  return `Methods by their evaluations for an error${typeof data.target === "number" ? ` of ${number(data.target, 3)}` : ""}.`;
}

function isPower(value: number): boolean {
  return Math.abs(10 ** Math.round(Math.log10(value)) / value - 1) < 1e-9;
}

/** One row for each method. */
function rankTable(data: Comparison): HTMLElement {
  const ranks = ranking(data);
  const ranked = ranks.some((r) => r.rank !== null);
  const place: TableColumn<Rank> = { title: "rank", key: (r) => r.rank, numeric: true };
  const target = data.target ?? null;
  const takes: TableColumn<Rank> = {
    title: target === null ? "evaluations" : `evaluations for ${isPower(target) ? power(target) : number(target, 3)}`,
    key: (r) => r.takes,
    cell: (r) => count(r.takes),
    numeric: true,
  };
  const isTarget = (level: number): boolean =>
    ranked && target !== null && Math.abs(level / target - 1) < 1e-9;
  const reached = LEVELS.map((level, i) => ({ level, i })).filter(
    ({ level, i }) => !isTarget(level) && ranks.some((r) => r.needs[i] !== null),
  );
  return sortableTable<Rank>(
    "ranking",
    [
      ...(ranked ? [place] : []),
      { title: "method", key: (r) => r.name },
      ...(ranked ? [takes] : []),
      {
        title: "smallest error",
        key: (r) => r.bestRun?.error ?? null,
        cell: (r) => number(r.bestRun?.error, 3),
        numeric: true,
      },
      {
        title: "its evaluations",
        key: (r) => r.bestRun?.evaluations ?? null,
        cell: (r) => count(r.bestRun?.evaluations),
        numeric: true,
      },
      {
        title: "its seconds",
        key: (r) => r.bestRun?.seconds ?? null,
        cell: (r) => number(r.bestRun?.seconds, 3),
        numeric: true,
      },
      ...reached.map(({ level, i }) => ({
        title: `evaluations for ${power(level)}`,
        key: (r: Rank) => r.needs[i] ?? null,
        cell: (r: Rank) => count(r.needs[i]),
        numeric: true,
      })),
    ],
    ranks,
  );
}

function columns(): TableColumn<ComparisonRun>[] {
  const value = (
    title: string,
    key: (run: ComparisonRun) => number | null,
    digits = 3,
  ): TableColumn<ComparisonRun> => ({
    title,
    key,
    cell: (run) => number(key(run), digits),
    numeric: true,
  });
  const whole = (title: string, key: (run: ComparisonRun) => number | null): TableColumn<ComparisonRun> => ({
    title,
    key,
    cell: (run) => count(key(run)),
    numeric: true,
  });
  return [
    { title: "method", key: nameOf },
    value("tolerance or step", (r) => r.tolerance ?? r.step ?? null),
    {
      title: "status",
      key: (r) => r.status,
      cell: (r) =>
        h("span", { class: r.status === "ok" ? "status good" : "status bad", title: r.reason }, r.status),
    },
    value("error", (r) => r.error),
    value("violation", (r) => r.violation),
    value("energy", (r) => r.energy),
    whole("steps", (r) => r.steps),
    whole("evaluations", (r) => r.evaluations),
    whole("factorizations", (r) => r.factorizations),
    value("seconds", (r) => r.seconds),
  ];
}

/** What an error is: the largest difference of these columns, at so many times. */
function measured(data: Comparison): string {
  const columns = data.quantities ?? [];
  if (columns.length === 0) return "";
  const names = columns.slice(0, 6).join(", ") + (columns.length > 6 ? `, ... (${columns.length} columns)` : "");
  const times = typeof data.times === "number" ? ` over ${count(data.times)} times` : "";
  return ` The error is the largest${times}, relative to the range of each column, of ${names}.`;
}

/** The methods with runs that did not finish, and the reason of the first of them. */
function failures(data: Comparison): HTMLElement | null {
  const reasons = new Map<string, { reason: string; count: number }>();
  for (const run of data.runs) {
    if (run.status === "ok") continue;
    const known = reasons.get(nameOf(run));
    if (known) known.count++;
    else reasons.set(nameOf(run), { reason: `${setting(run)}: ${run.reason ?? run.status}`, count: 1 });
  }
  if (reasons.size === 0) return null;
  return h(
    "details",
    { class: "card", id: "failures" },
    h("summary", {}, `Methods with runs that did not finish: ${reasons.size}`),
    h(
      "ul",
      { class: "notes" },
      ...[...reasons].map(([name, { reason, count: runs }]) =>
        h("li", {}, h("b", {}, name), ` (${runs === 1 ? "1 run" : `${runs} runs`}) ${reason}`),
      ),
    ),
  );
}

export function showComparison(data: Comparison): void {
  const available = COSTS.filter(([cost]) => data.runs.some((r) => r[cost] !== null));
  const failed = data.runs.filter((r) => r.status !== "ok").length;
  const { methods, shown } = forPlot(data);
  const chart = section("precision", "Work and precision", () => {
    const place = h("div");
    const show = ([cost, label]: [Cost, string]): void =>
      place.replaceChildren(workPrecision(data, cost, label));
    const choices = available.map((choice, i) => {
      const radio = h("input", { type: "radio", name: "cost", checked: i === 0, change: () => show(choice) });
      return h("label", {}, radio, choice[0]);
    });
    if (available[0]) show(available[0]);
    return [
      h(
        "p",
        { class: "note" },
        `Lower and further left is better. Each line is a method, each mark a run. The best method of each integrator comes first, then the others, from the best on.${
          methods.length > shown ? ` Shown are the first ${shown}; choose others below.` : ""
        }`,
      ),
      h("fieldset", { class: "choices" }, h("legend", {}, "cost"), ...choices),
      place,
    ];
  });
  const ranks = section("ranking", "Ranking", () => [
    h(
      "p",
      { class: "note" },
      `${rankedBy(data)} Evaluations for an error are interpolated between the runs around it. A click on a heading sorts.`,
    ),
    h("div", { class: "card" }, rankTable(data)),
  ]);
  const table = section("runs", "All runs", () => [
    h("div", { class: "card" }, sortableTable("runs", columns(), data.runs)),
  ]);
  const why = failures(data);
  const notes = section("notes", "Notes", () => [
    ...(data.notes.length > 0 ? [h("ul", { class: "notes card" }, ...data.notes.map((n) => h("li", {}, prose(n))))] : []),
    ...(why ? [why] : []),
  ]);
  showPage({
    kind: "Comparison of methods",
    title: data.title,
    lead: [
      h("p", { class: "lead" }, `Reference: ${data.reference}`),
      h(
        "p",
        { class: "note" },
        `${methods.length} methods, ${data.runs.length} runs, ${failed} of them not finished.${measured(data)}`,
      ),
    ],
    sections: [chart, ranks, table, ...(data.notes.length > 0 || why ? [notes] : [])],
    footer: `Made by ${data.program ?? "Keel"}.`,
  });
  publishStill(data.format);
}
