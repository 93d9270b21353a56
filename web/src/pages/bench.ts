// The benchmark: what is promised of Keel's speed, and work against precision on every problem.

import { badge, type Kind } from "../badge";
import type { Bench, BenchProblem, BenchPromise, BenchRow } from "../contract";
import { h, prose, section } from "../dom";
import { number, power } from "../format";
import { publishStill } from "../hook";
import { showPage } from "../page";
import { sortableTable, type TableColumn } from "../table";
import { createSelection, problemId, problemSection } from "./benchproblem";
import { isAuto, milliseconds } from "./benchtables";

const VERDICTS = {
  met: "good",
  "not met": "bad",
  "Keel does not get there": "bad",
  "no peer gets there": "neutral",
  "no peer was run": "neutral",
} satisfies Record<string, Kind>;
type Verdict = keyof typeof VERDICTS;
const WORDS = Object.keys(VERDICTS) as Verdict[];

function verdictOf(row: BenchRow, aim: number, data: Bench): Verdict {
  if (row.keel === null) return "Keel does not get there";
  if (row.peer_seconds === null) {
    const curves = data.problems.find((p) => p.name === row.problem)?.curves ?? [];
    return curves.some((c) => !c.own) ? "no peer gets there" : "no peer was run";
  }
  return (row.ratio ?? 0) >= aim ? "met" : "not met";
}

function linkTo(name: string, data: Bench): Node {
  return data.problems.some((p) => p.name === name)
    ? h("a", { href: `#${problemId(name)}` }, name)
    : document.createTextNode(name);
}

function ratioText(ratio: number | null): string {
  return ratio === null ? "\u2013" : `${number(ratio, ratio < 100 ? 2 : 3)}\u202f\u00d7`;
}

function promiseTable(promise: BenchPromise, data: Bench): HTMLElement {
  const verdict = (row: BenchRow): Verdict => verdictOf(row, promise.aim, data);
  return sortableTable<BenchRow>(
    promise.text,
    [
      { title: "problem", key: (r) => r.problem, cell: (r) => linkTo(r.problem, data) },
      { title: "error", key: (r) => r.error, cell: (r) => power(r.error), numeric: true },
      { title: "Keel ms", key: (r) => r.keel, cell: (r) => milliseconds(r.keel), numeric: true },
      { title: "peer", key: (r) => (r.peer === null ? null : `${r.peer} ${r.peer_method ?? ""}`) },
      { title: "its ms", key: (r) => r.peer_seconds, cell: (r) => milliseconds(r.peer_seconds), numeric: true },
      { title: "ratio", key: (r) => r.ratio, cell: (r) => ratioText(r.ratio), numeric: true },
      {
        title: "verdict",
        key: (r) => WORDS.indexOf(verdict(r)),
        cell: (r) => badge(VERDICTS[verdict(r)], verdict(r)),
        wide: true,
      },
    ],
    promise.rows,
    "pairs",
  );
}

/** Rows without a peer to compare with are counted apart. */
function promiseBadge(verdicts: Verdict[]): HTMLElement {
  const count = (kind: Kind): number => verdicts.filter((v) => VERDICTS[v] === kind).length;
  const [met, missed, open] = [count("good"), count("bad"), count("neutral")];
  if (met + missed === 0) return badge("neutral", "not compared");
  const rest = open > 0 ? `, ${open} not compared` : "";
  return badge(missed > 0 ? "bad" : "good", `${met} of ${met + missed} met${rest}`);
}

function promiseCard(promise: BenchPromise, data: Bench): HTMLElement {
  const verdicts = promise.rows.map((r) => verdictOf(r, promise.aim, data));
  return h(
    "div",
    { class: "card promise" },
    h("div", { class: "heading" }, h("h3", {}, prose(promise.text)), promiseBadge(verdicts)),
    h("p", { class: "note" }, `Aim: ${number(promise.aim)} times as fast as the fastest of these peers.`),
    promiseTable(promise, data),
  );
}

function promiseSection(data: Bench): HTMLElement {
  const left = data.promises.filter((p) => p.rows.length === 0);
  return section("promises", "Promises", () => [
    h(
      "p",
      { class: "note" },
      prose(
        "Keel's `auto` against the fastest peer at equal error in q. " +
          "The ratio is the time of the peer divided by that of Keel.",
      ),
    ),
    ...data.promises.filter((p) => p.rows.length > 0).map((p) => promiseCard(p, data)),
    left.length > 0 ? h("p", { class: "note" }, `Not run: ${left.map((p) => p.text).join("; ")}.`) : null,
  ]);
}

interface Glance {
  problem: BenchProblem;
  /** Seconds at each level of `auto` and of the fastest peer. */
  own: (number | null)[];
  peer: (number | null)[];
}

function glanceAt(problem: BenchProblem, data: Bench): Glance {
  const auto = problem.curves.find(isAuto);
  const peers = problem.curves.filter((c) => !c.own);
  return {
    problem,
    own: data.levels.map((_, i) => auto?.at[i] ?? null),
    peer: data.levels.map((_, i) => {
      const seconds = Math.min(...peers.map((c) => c.at[i] ?? Infinity));
      return Number.isFinite(seconds) ? seconds : null;
    }),
  };
}

function hasPeers(data: Bench): boolean {
  return data.problems.some((p) => p.curves.some((c) => !c.own));
}

/** A row for each problem, with links. */
function glanceTable(data: Bench): HTMLElement {
  const ratio = (g: Glance, i: number): number | null => {
    const [own, peer] = [g.own[i] ?? null, g.peer[i] ?? null];
    return own === null || peer === null ? null : peer / own;
  };
  const compared = hasPeers(data);
  const columns = data.levels.flatMap((level, i): TableColumn<Glance>[] => {
    const time: TableColumn<Glance> = {
      title: `ms at ${power(level)}`,
      key: (g) => g.own[i] ?? null,
      cell: (g) => milliseconds(g.own[i]),
      numeric: true,
    };
    const times: TableColumn<Glance> = {
      title: "ratio",
      key: (g) => ratio(g, i),
      cell: (g) => ratioText(ratio(g, i)),
      numeric: true,
    };
    return compared ? [time, times] : [time];
  });
  return sortableTable<Glance>(
    "problems",
    [
      { title: "name", key: (g) => g.problem.name, cell: (g) => linkTo(g.problem.name, data), wide: true },
      { title: "problem", key: (g) => g.problem.title, wide: true },
      ...columns,
    ],
    data.problems.map((p) => glanceAt(p, data)),
    "pairs",
  );
}

function glanceSection(data: Bench): HTMLElement {
  const ratios = hasPeers(data) ? ", and how many times as long the fastest peer takes" : "";
  return section("problems", "Problems", () => [
    h(
      "p",
      { class: "note" },
      prose(`CPU time of Keel's \`auto\` at an error in q${ratios}. A dash: the error was not reached.`),
    ),
    h("div", { class: "card" }, glanceTable(data)),
    h(
      "p",
      { class: "note" },
      prose(
        "In the plots below, lower and further left is better. Each line is a solver with a method, each mark a run; " +
          "Keel is blue, its `auto` is the strong line. Dashed vertical lines are the errors of the tables. " +
          "A click on a name hides its line.",
      ),
    ),
  ]);
}

/** n and p go to the next and the previous section. */
function listenToKeys(sections: HTMLElement[]): void {
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.type === "search";
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.key === "n" ? 1 : event.key === "p" ? -1 : 0;
    if (step === 0) return;
    const tops = sections.map((s) => s.getBoundingClientRect().top);
    // the heading of a section that was gone to stands a little below the upper edge
    const near = 100;
    const target = step > 0 ? tops.findIndex((top) => top > near) : tops.filter((top) => top < 0).length - 1;
    if (target >= 0) location.hash = sections[target]?.id ?? "";
  });
}

function leadOf(data: Bench, peers: string[]): string {
  const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
  const runs = data.problems.flatMap((p) => p.curves.flatMap((c) => c.points));
  const failed = runs.filter((p) => p.why !== null).length;
  const whom = peers.length > 0 ? `Keel and ${plural(peers.length, "peer")} (${peers.join(", ")})` : "Keel";
  const what = `${plural(data.problems.length, "problem")}: ${plural(runs.length, "run")}`;
  return `${whom} on ${what}, ${failed === 0 ? "none" : failed} of them failed. All times are CPU times of one machine.`;
}

export function showBench(data: Bench): void {
  const curves = data.problems.flatMap((p) => p.curves);
  const peers = [...new Set(curves.filter((c) => !c.own).map((c) => c.solver))];
  const selection = createSelection(data);
  const verdicts = data.promises.flatMap((p) => p.rows.map((r) => verdictOf(r, p.aim, data)));
  const sections = [
    ...(data.promises.length > 0 ? [promiseSection(data)] : []),
    glanceSection(data),
    ...data.problems.map((p) => problemSection(p, data, peers, selection)),
  ];
  showPage({
    kind: "Benchmark",
    title: data.title,
    lead: [
      h("p", { class: "lead" }, leadOf(data, peers)),
      h(
        "div",
        { class: "tally" },
        ...WORDS.filter((word) => verdicts.includes(word)).map((word) =>
          h("span", {}, badge(VERDICTS[word], word), ` ${verdicts.filter((v) => v === word).length}`),
        ),
      ),
    ],
    sections,
    footer: "Made by Keel.",
  });
  listenToKeys(sections);
  publishStill(data.format);
}
