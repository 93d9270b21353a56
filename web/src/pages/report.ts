// The report of one run.

import { Quaternion, Vector3 } from "three";
import { createClock, type Clock } from "../clock";
import type { Report, Verdict } from "../contract";
import { h, section } from "../dom";
import { number } from "../format";
import { publish, type Hook } from "../hook";
import { showPage } from "../page";
import { numbers } from "../packed";
import { plotSections, type PlotSection } from "../plots/figures";
import { createTimePlot } from "../plots/timeplot";
import { createView, type View } from "../plots/view";
import { Motion } from "../scene/motion";
import { createViewer, noAnimation, type Viewer } from "../scene/viewer";
import { nearest } from "../search";
import { createTransport, listenToKeys } from "../transport";
import { raised, withUnit } from "../units";
import { modelText } from "./model";

/** Short words for the navigation. */
const SHORT: Record<string, string> = {
  violations: "Violation",
  reactions: "Reactions",
  steps: "Steps",
  states: "States",
};

export function showReport(report: Report): void {
  const time = numbers(report.time);
  const scene = report.scene;
  const sceneTime = scene && scene.frames > 0 ? numbers(scene.frame_time) : time;
  const first = time.length > 0 ? time : sceneTime;
  const start = first[0] ?? 0;
  const end = first[first.length - 1] ?? start;
  const clock = createClock(start, end);
  const view = createView(start, end);

  let viewer: Viewer | null = null;
  const motion = scene ? new Motion(scene) : null;
  const sections: HTMLElement[] = [];
  const add = (element: HTMLElement): void => {
    element.dataset["short"] = SHORT[element.id] ?? element.querySelector("h2")?.textContent ?? "";
    sections.push(element);
  };

  if (scene && motion && scene.frames > 0) {
    add(
      section("animation", "Animation", () => {
        try {
          viewer = createViewer(scene, motion, clock);
          return [viewer.element];
        } catch (error) {
          return [noAnimation((error as Error).message)];
        }
      }),
    );
  }
  const plots = plotSections(report);
  for (const part of plots) add(plotSection(part, view, clock));
  if (report.events.length > 0) add(eventSection(report, clock));
  if (report.facts.length > 0 || report.summary) add(factSection(report));
  if (report.model_text !== null) {
    const text = report.model_text;
    add(section("model", "Model", () => [modelText(text, report.model_file)]));
  }

  showPage({
    kind: "Report of a run",
    title: titleOf(report),
    lead: lead(report),
    sections,
    footer: `Made by ${report.program}.`,
  });
  if (end > start) document.getElementById("app")?.append(createTransport(clock, report.time_unit));
  listenToKeys(clock, { f: () => viewer?.fit(), r: () => view.reset() });
  publish(hookOf(report, plots, clock, view, motion, () => viewer));
}

/** Rows without a model have the name of their file for a title: its folders stand among the facts. */
function titleOf(report: Report): string {
  const isFile = report.facts.some(([label, text]) => label === "file" && text === report.title);
  return isFile ? (report.title.split("/").pop() ?? report.title) : report.title;
}

/** Sign, word and class of a checked point. */
function judgement(v: Verdict): [string, string, string] {
  if (v.known === false) return ["?", "not known", "open"];
  return v.ok ? ["\u2713", "ok", "good"] : ["\u2717", "not ok", "bad"];
}

/** What all points say together: what could not be checked has not passed. */
function verdictOf(report: Report): [string, string] {
  if (report.finished === false || report.verdict.some((v) => v.known !== false && !v.ok))
    return ["bad", "Not all is well"];
  if (report.finished === null) return ["open", "Good as far as the rows go; whether the run finished is not known"];
  if (report.verdict.some((v) => v.known === false)) return ["open", "What could be checked is good, not all could"];
  const count = report.notes?.length ?? 0;
  return ["good", count === 0 ? "All checks passed" : `All checks passed, with ${count === 1 ? "a note" : `${count} notes`}`];
}

function lead(report: Report): (Node | null)[] {
  const [kind, heading] = verdictOf(report);
  return [
    report.description ? h("p", { class: "lead" }, report.description) : null,
    report.verdict.length === 0
      ? null
      : h(
          "div",
          { class: `verdict ${kind}` },
          h("strong", {}, heading),
          h(
            "ul",
            {},
            ...report.verdict.map((v) => {
              const [sign, word, state] = judgement(v);
              return h(
                "li",
                { class: state },
                h("span", { class: "badge" }, h("span", { "aria-hidden": "true" }, sign), word),
                h("span", {}, raised(v.text)),
              );
            }),
          ),
          notes(report),
        ),
  ];
}

/** All that was noted on the way: a start that was moved, a precision that was used, a branch that was chosen. */
function notes(report: Report): Node | null {
  if (!report.notes || report.notes.length === 0) return null;
  return h(
    "div",
    { class: "worth-knowing" },
    h("strong", {}, "Worth knowing"),
    h("ul", {}, ...report.notes.map((note) => h("li", {}, h("span", {}, raised(note))))),
  );
}

function plotSection(part: PlotSection, view: View, clock: Clock): HTMLElement {
  return section(part.id, part.title, () => [
    part.note ? h("p", { class: "note" }, part.note) : null,
    part.plots.length === 0
      ? null
      : h(
          "div",
          { class: part.plots.length > 1 ? "grid-of-plots" : "single-plot" },
          ...part.plots.map((p) => createTimePlot(p, view, clock)),
        ),
  ]);
}

function eventSection(report: Report, clock: Clock): HTMLElement {
  return section("events", "Events", () => [
    h(
      "div",
      { class: "table-box card", tabindex: 0, role: "region", "aria-label": "events" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { class: "numeric" }, withUnit("time", report.time_unit)),
            h("th", {}, "kind"),
            h("th", {}, "what happened"),
          ),
        ),
        h(
          "tbody",
          {},
          ...report.events.map((event) =>
            h(
              "tr",
              {},
              h(
                "td",
                { class: "numeric" },
                h(
                  "button",
                  { type: "button", class: "link", title: "show this time", click: () => clock.set(event.t) },
                  number(event.t),
                ),
              ),
              h("td", {}, event.kind),
              h("td", {}, event.text),
            ),
          ),
        ),
      ),
    ),
  ]);
}

function factSection(report: Report): HTMLElement {
  return section("facts", "Facts", () => [
    h(
      "div",
      { class: "card" },
      h(
        "dl",
        { class: "facts" },
        ...report.facts.map(([label, text]) => h("div", {}, h("dt", {}, label), h("dd", {}, label === "file" ? text : raised(text)))),
      ),
    ),
    report.summary
      ? h(
          "details",
          { class: "card" },
          h("summary", {}, "Summary as JSON"),
          h("pre", { tabindex: 0 }, JSON.stringify(report.summary, null, 2)),
        )
      : null,
  ]);
}

function hookOf(
  report: Report,
  plots: PlotSection[],
  clock: Clock,
  view: View,
  motion: Motion | null,
  viewer: () => Viewer | null,
): Hook {
  return {
    format: report.format,
    get time() {
      return clock.time;
    },
    get playing() {
      return clock.playing;
    },
    get window(): [number, number] {
      return [view.window.min, view.window.max];
    },
    plots: () =>
      plots
        .flatMap((s) => s.plots)
        .map((p) => ({
          id: p.id,
          title: p.title,
          log: p.log,
          series: p.series.map((s) => ({ name: s.name, visible: s.visible })),
        })),
    value(plot, series, t) {
      const found = plots.flatMap((s) => s.plots).find((p) => p.id === plot);
      const values = found?.series.find((s) => s.name === series)?.values();
      return found && values ? (values[nearest(found.time, t)] ?? null) : null;
    },
    pose(name) {
      const body = report.scene?.bodies.findIndex((b) => b.name === name) ?? -1;
      if (!motion || body < 0) return null;
      const place = new Vector3();
      const turn = new Quaternion();
      motion.setTime(clock.time);
      motion.pose(body, place, turn);
      return { place: place.toArray(), rotation: [turn.w, turn.x, turn.y, turn.z] };
    },
    camera: () => viewer()?.camera() ?? null,
  };
}
