// A chart of y over x with few points, drawn as SVG: work-precision diagrams and figures of papers.

import { h, prose, svg, watchWidth } from "../dom";
import { number, power, ticks } from "../format";
import { COLOURS, lineDash, onTheme, seriesColour } from "../theme";
import { createLegend } from "./legend";
import { createScale, type Scale } from "./scale";

export interface ChartPoint {
  x: number;
  y: number;
  /** What the point is, for the tip. */
  text?: string;
}

/** How a series is drawn: numbers of its colour, dashes and mark. */
export interface Look {
  colour: number;
  dash: number;
  mark: number;
  weight: "thin" | "plain" | "strong";
}

export interface ChartSeries {
  name: string;
  points: ChartPoint[];
  marks: boolean;
  /** Marks without a line between them. */
  scattered?: boolean;
  /** Hidden until it is chosen. */
  hidden?: boolean;
  /** Without, colour, dashes and mark follow from the place among the series. */
  look?: Look;
}

export interface Chart {
  id: string;
  title: string;
  note?: string | null | undefined;
  xLabel: string;
  yLabel: string;
  xLog: boolean;
  yLog: boolean;
  series: ChartSeries[];
  height?: number;
  /** Vertical lines at these x, powers of ten. */
  guides?: number[];
}

/** Other numbers of the same series. */
export interface ChartView {
  title: string;
  note?: string | null;
  xLabel: string;
  yLabel: string;
  /** For each series. */
  points: ChartPoint[][];
  guides?: number[];
}

const MARGIN = { left: 70, right: 14, top: 12, bottom: 48 };
/** More points than this of one series are thinned for drawing. */
const MOST_POINTS = 4000;

export function createChart(chart: Chart): HTMLElement {
  return createChangingChart(chart).element;
}

/** A chart that can show other numbers; what was hidden stays hidden. */
export function createChangingChart(first: Chart): { element: HTMLElement; show(view: ChartView): void } {
  let chart = first;
  const looks = chart.series.map((s, i) => s.look ?? lookOf(i));
  const entries = chart.series.map((s) => ({ name: s.name, visible: !s.hidden }));
  const box = h("div", { class: "chart" });
  const tip = h("div", { class: "tip", hidden: true, role: "status" });
  const heading = h("h3");
  const note = h("p", { class: "note" });
  const element = h("figure", { class: "card", id: chart.id }, h("figcaption", {}, heading), box);
  let width = 0;
  const draw = (): void => {
    if (width === 0) return;
    const shown = chart.series.map((s, i) => (entries[i]?.visible ? s : null));
    tip.hidden = true;
    box.replaceChildren(drawing(chart, shown, looks, width, tip), tip);
  };
  const label = (): void => {
    element.setAttribute("aria-label", chart.title);
    heading.textContent = chart.title;
    note.replaceChildren(prose(chart.note ?? ""));
    if (chart.note) box.after(note);
    else note.remove();
  };
  element.append(
    createLegend(entries, draw, (i) => sign(chart.series[i] as ChartSeries, looks[i] as Look)).element,
  );
  label();
  watchWidth(box, (w) => {
    width = w;
    draw();
  });
  onTheme(draw);
  return {
    element,
    show({ points, ...words }) {
      chart = { ...chart, ...words, series: chart.series.map((s, i) => ({ ...s, points: points[i] ?? [] })) };
      label();
      draw();
    },
  };
}

function lookOf(index: number): Look {
  return { colour: index, dash: Math.floor(index / COLOURS), mark: index, weight: "plain" };
}

function drawing(
  chart: Chart,
  series: (ChartSeries | null)[],
  looks: Look[],
  width: number,
  tip: HTMLElement,
): SVGElement {
  const height = chart.height ?? 340;
  const fits = (p: ChartPoint): boolean =>
    Number.isFinite(p.x) && Number.isFinite(p.y) && (!chart.xLog || p.x > 0) && (!chart.yLog || p.y > 0);
  const kept = series.map((s) => (s ? s.points.filter(fits) : []));
  const all = kept.flat();
  const x = createScale(
    all.map((p) => p.x),
    chart.xLog,
    MARGIN.left,
    width - MARGIN.right,
  );
  const y = createScale(
    all.map((p) => p.y),
    chart.yLog,
    height - MARGIN.bottom,
    MARGIN.top,
  );

  const root = svg("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": chart.title,
  });
  root.append(...axes(chart, x, y, width, height));
  for (const weight of ["thin", "plain", "strong"]) // what matters most lies on top
    series.forEach((s, i) => {
      const look = looks[i];
      if (s && look?.weight === weight) root.append(...drawSeries(s, thin(kept[i] ?? []), look, x, y));
    });
  root.addEventListener("mousemove", (event) => {
    const area = root.getBoundingClientRect();
    showTip(tip, series, kept, x, y, event.clientX - area.left, event.clientY - area.top, width);
  });
  root.addEventListener("mouseleave", () => (tip.hidden = true));
  return root;
}

function axes(chart: Chart, x: Scale, y: Scale, width: number, height: number): SVGElement[] {
  const bottom = height - MARGIN.bottom;
  const parts: SVGElement[] = [];
  const labels = (scale: Scale): string[] =>
    scale.powers
      ? scale.ticks.map(power)
      : scale === x && chart.xLog
        ? scale.ticks.map((t) => number(t, 3))
        : ticks(scale.ticks);
  const xLabels = labels(x);
  // as many labels as have room
  const every = Math.max(1, Math.ceil((xLabels.length * 52) / (width - MARGIN.left - MARGIN.right)));
  x.ticks.forEach((t, i) => {
    const at = x.place(t);
    parts.push(svg("line", { class: "grid", x1: at, x2: at, y1: MARGIN.top, y2: bottom }));
    if (i % every === 0)
      parts.push(svg("text", { x: at, y: bottom + 17, "text-anchor": "middle" }, xLabels[i]));
  });
  const yLabels = labels(y);
  y.ticks.forEach((t, i) => {
    const at = y.place(t);
    parts.push(svg("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at }));
    parts.push(svg("text", { x: MARGIN.left - 8, y: at + 4, "text-anchor": "end" }, yLabels[i]));
  });
  for (const guide of chart.guides ?? []) {
    const at = x.place(guide);
    if (at >= MARGIN.left && at <= width - MARGIN.right)
      parts.push(
        svg("line", { class: "guide", x1: at, x2: at, y1: MARGIN.top, y2: bottom }),
        svg("text", { x: at + 4, y: MARGIN.top + 10 }, power(guide)),
      );
  }
  const middle = (MARGIN.top + bottom) / 2;
  parts.push(
    svg(
      "text",
      {
        class: "axis-label",
        x: (MARGIN.left + width - MARGIN.right) / 2,
        y: height - 8,
        "text-anchor": "middle",
      },
      chart.xLabel,
    ),
    svg(
      "text",
      { class: "axis-label", transform: `translate(14 ${middle}) rotate(-90)`, "text-anchor": "middle" },
      chart.yLabel,
    ),
  );
  return parts;
}

function thin(points: ChartPoint[]): ChartPoint[] {
  const step = Math.ceil(points.length / MOST_POINTS);
  return step <= 1 ? points : points.filter((_, i) => i % step === 0 || i === points.length - 1);
}

/** Outlines around a place: circle, square, triangle, diamond, so that series differ not by colour alone. */
const MARKS = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
  "M-3.6 -3.6h7.2v7.2h-7.2z",
  "M0 -4.8L4.5 3.4H-4.5z",
  "M0 -5L4.6 0L0 5L-4.6 0z",
  "M0 4.8L4.5 -3.4H-4.5z",
];

const LINE_WIDTH: Record<Look["weight"], number> = { thin: 1, plain: 1.7, strong: 3.4 };
const MARK_SIZE: Record<Look["weight"], number> = { thin: 0.8, plain: 1, strong: 1.3 };

function markOf(look: Look, x: number, y: number, name: string | null): SVGElement {
  return svg("path", {
    class: name,
    d: MARKS[look.mark % MARKS.length] ?? "",
    transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${MARK_SIZE[look.weight]})`,
    fill: seriesColour(look.colour),
  });
}

function lineOf(look: Look, d: string, name: string | null): SVGElement {
  return svg("path", {
    class: name,
    d,
    fill: "none",
    stroke: seriesColour(look.colour),
    "stroke-width": LINE_WIDTH[look.weight],
    "stroke-dasharray": lineDash(look.dash).join(" "),
  });
}

function drawSeries(
  series: ChartSeries,
  points: ChartPoint[],
  look: Look,
  x: Scale,
  y: Scale,
): SVGElement[] {
  const parts: SVGElement[] = [];
  if (!series.scattered) {
    const path = points
      .map((p, i) => `${i === 0 ? "M" : "L"}${x.place(p.x).toFixed(2)} ${y.place(p.y).toFixed(2)}`)
      .join("");
    parts.push(lineOf(look, path, "curve"));
  }
  if (series.marks) parts.push(...points.map((p) => markOf(look, x.place(p.x), y.place(p.y), "point")));
  return parts;
}

/** How a series looks, for the list below. */
function sign(series: ChartSeries, look: Look): SVGElement {
  const root = svg("svg", {
    class: "sign",
    width: 26,
    height: 12,
    viewBox: "0 0 26 12",
    "aria-hidden": "true",
  });
  const paint = (): void => {
    const line = series.scattered ? null : lineOf(look, "M0 6H26", null);
    const mark = series.marks ? markOf(look, 13, 6, null) : null;
    root.replaceChildren(...[line, mark].filter((part) => part !== null));
  };
  paint();
  onTheme(paint);
  return root;
}

function showTip(
  tip: HTMLElement,
  series: (ChartSeries | null)[],
  points: ChartPoint[][],
  x: Scale,
  y: Scale,
  mouseX: number,
  mouseY: number,
  width: number,
): void {
  let best: { name: string; point: ChartPoint } | null = null;
  let distance = 30;
  series.forEach((s, i) => {
    for (const point of s ? (points[i] ?? []) : []) {
      const d = Math.hypot(x.place(point.x) - mouseX, y.place(point.y) - mouseY);
      if (d < distance) {
        distance = d;
        best = { name: s?.name ?? "", point };
      }
    }
  });
  tip.hidden = best === null;
  if (best === null) return;
  const { name, point } = best as { name: string; point: ChartPoint };
  tip.textContent = point.text ?? `${name}: ${number(point.x, 5)}, ${number(point.y, 5)}`;
  tip.style.transform = `translate(${Math.min(mouseX + 12, Math.max(0, width - 240))}px, ${mouseY + 14}px)`;
}
