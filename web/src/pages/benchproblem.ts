// A problem of the benchmark: cost against error, a curve for each solver and method, and their tables.

import type { Bench, BenchCurve, BenchPoint, BenchProblem } from "../contract";
import { h, prose, section } from "../dom";
import { count, number, power } from "../format";
import { createChangingChart, type ChartView, type Look } from "../plots/chart";
import {
  curveTable,
  failureList,
  isAuto,
  LARGE_VIOLATION,
  milliseconds,
  nameOf,
  ordered,
  runTable,
} from "./benchtables";

type Cost = "seconds" | "evaluations" | "instructions";
type Err = "error" | "velocity_error";

const COSTS: Record<Cost, { word: string; label: string; value(p: BenchPoint): number; text(p: BenchPoint): string }> = {
  seconds: {
    word: "CPU time",
    label: "CPU time in ms",
    value: (p) => 1e3 * (p.seconds ?? NaN),
    text: (p) => `${milliseconds(p.seconds)} ms`,
  },
  evaluations: {
    word: "evaluations",
    label: "evaluations",
    value: (p) => p.evaluations ?? NaN,
    text: (p) => `${count(p.evaluations)} evaluations`,
  },
  instructions: {
    word: "instructions",
    label: "instructions",
    value: (p) => p.instructions ?? NaN,
    text: (p) => `${number(p.instructions, 3)} instructions`,
  },
};

const ERRORS: Record<Err, string> = { error: "error in q", velocity_error: "error in v" };

export function problemId(name: string): string {
  return `problem-${name}`;
}

/** What the plots of all problems show. A choice beside one of them holds for all. */
export interface Selection {
  readonly cost: Cost;
  readonly error: Err;
  controls(problem: string): HTMLElement;
  onChange(listener: () => void): void;
}

export function createSelection(data: Bench): Selection {
  const points = data.problems.flatMap((p) => p.curves.flatMap((c) => c.points));
  const costs = (Object.keys(COSTS) as Cost[]).filter((cost) => points.some((p) => p[cost] !== null));
  const errors = (Object.keys(ERRORS) as Err[]).filter((error) => points.some((p) => p[error] !== null));
  const chosen = { cost: costs[0] ?? "seconds", error: errors[0] ?? "error" };
  const listeners: (() => void)[] = [];

  function group<K extends "cost" | "error">(
    problem: string,
    key: K,
    words: [(typeof chosen)[K], string][],
  ): HTMLElement {
    const choices = words.map(([value, word]) => {
      const choose = (): void => {
        chosen[key] = value;
        for (const listener of listeners) listener();
      };
      const radio = h("input", { type: "radio", name: `${key}-${problem}`, change: choose });
      const follow = (): boolean => (radio.checked = chosen[key] === value);
      follow();
      listeners.push(follow);
      return h("label", {}, radio, word);
    });
    return h("fieldset", { class: "choices" }, h("legend", {}, key), ...choices);
  }

  return {
    get cost() {
      return chosen.cost;
    },
    get error() {
      return chosen.error;
    },
    controls: (problem) =>
      h(
        "div",
        { class: "choices-row" },
        group(problem, "cost", costs.map((cost) => [cost, COSTS[cost].word])),
        group(problem, "error", errors.map((error) => [error, ERRORS[error].replace("error ", "")])),
      ),
    onChange: (listener) => listeners.push(listener),
  };
}

/** All colours but Keel's blue and the one that is near to it. */
const PEER_COLOURS = [1, 2, 3, 4, 6, 7];

/**
 * Keel is of the first colour, `auto` strong, other methods thin with marks of their own. A peer keeps one colour and one mark on
 * all plots; its methods differ by dashes.
 */
function looksOf(curves: BenchCurve[], peers: string[]): Look[] {
  const met = new Map<string, number>();
  return curves.map((curve): Look => {
    if (isAuto(curve)) return { colour: 0, dash: 0, mark: 0, weight: "strong" };
    const solver = curve.own ? "" : curve.solver;
    const nth = met.get(solver) ?? 0;
    met.set(solver, nth + 1);
    if (curve.own) return { colour: 0, dash: Math.floor(nth / 4), mark: 1 + (nth % 4), weight: "thin" };
    const peer = peers.indexOf(curve.solver);
    return { colour: PEER_COLOURS[peer % PEER_COLOURS.length] ?? 1, dash: nth, mark: peer, weight: "plain" };
  });
}

/** Curves that cannot be seen, and why. */
function missing(curves: BenchCurve[], cost: Cost, error: Err): string {
  const names = (list: BenchCurve[]): string => list.map(nameOf).join(", ");
  const failed = curves.filter((c) => c.points.every((p) => p.why !== null));
  const silent = curves.filter(
    (c) => !failed.includes(c) && c.points.every((p) => p[cost] === null || p[error] === null),
  );
  return [
    silent.length > 0 ? `Without a count of ${COSTS[cost].word}: ${names(silent)}.` : "",
    failed.length > 0 ? `No run finished: ${names(failed)}.` : "",
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function viewOf(curves: BenchCurve[], levels: number[], { cost, error }: Selection): ChartView {
  const { word, label, value, text } = COSTS[cost];
  return {
    title: `${word} against ${ERRORS[error]}`.replace(/^./, (c) => c.toUpperCase()),
    note: missing(curves, cost, error),
    xLabel: `${ERRORS[error]} at the end`,
    yLabel: label,
    guides: error === "error" ? levels : [],
    points: curves.map((c) =>
      c.points
        .filter((p) => p.why === null)
        .map((p) => ({
          x: p[error] ?? NaN,
          y: value(p),
          text:
            `${nameOf(c)}, ${c.parameter} ${number(p.value, 3)}: ` +
            `${ERRORS[error]} ${number(p[error], 3)}, ${text(p)}`,
        })),
    ),
  };
}

function plotOf(problem: BenchProblem, data: Bench, peers: string[], selection: Selection): HTMLElement {
  const curves = ordered(problem.curves);
  const looks = looksOf(curves, peers);
  const { points, ...view } = viewOf(curves, data.levels, selection);
  const chart = createChangingChart({
    ...view,
    id: `plot-${problem.name}`,
    xLog: true,
    yLog: true,
    height: 440,
    series: curves.map((c, i) => ({
      name: nameOf(c),
      marks: true,
      look: looks[i] as Look,
      points: points[i] ?? [],
    })),
  });
  selection.onChange(() => chart.show(viewOf(curves, data.levels, selection)));
  return chart.element;
}

/** What is inside is made when it is opened for the first time. */
function fold(title: string, build: () => (HTMLElement | null)[]): HTMLElement {
  const element = h("details", { class: "card" }, h("summary", {}, title));
  element.addEventListener("toggle", () => element.append(...build().filter((part) => part !== null)), {
    once: true,
  });
  return element;
}

function referenceText(problem: BenchProblem): string {
  const { reference, uncertainty } = problem;
  const end = uncertainty === null ? "." : `; the nearest run of a peer differs from it by ${number(uncertainty, 2)} in q.`;
  return `Reference: ${reference}${end}`;
}

export function problemSection(
  problem: BenchProblem,
  data: Bench,
  peers: string[],
  selection: Selection,
): HTMLElement {
  const runs = problem.curves.flatMap((c) => c.points);
  const failed = runs.filter((p) => p.why !== null).length;
  const element = section(problemId(problem.name), problem.title, () => [
    h(
      "p",
      { class: "note" },
      prose(`\`${problem.name}\`, model \`${problem.model}\`. ${referenceText(problem)}`),
    ),
    selection.controls(problem.name),
    plotOf(problem, data, peers, selection),
    fold(`${problem.curves.length} methods: times, least errors, violations, failed runs`, () => [
      h(
        "p",
        { class: "note" },
        "Times are interpolated between the runs around an error in q; the fastest is bold, a dash means that it was " +
          "not reached. Violations are the largest of all runs; those of peers above " +
          `${power(LARGE_VIOLATION)} are marked.`,
      ),
      curveTable(problem, data.levels),
      failureList(problem),
    ]),
    fold(`${runs.length} runs, ${failed} failed`, () => [runTable(problem)]),
  ]);
  element.dataset["short"] = problem.name;
  return element;
}
