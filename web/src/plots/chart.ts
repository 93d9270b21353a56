// A chart of y over x with few points, drawn as SVG: work-precision diagrams and figures of papers.

import { h, prose, svg, watchWidth } from "../dom";
import { number, power, ticks } from "../format";
import { onTheme, seriesColour, seriesDash } from "../theme";
import { createLegend } from "./legend";
import { createScale, type Scale } from "./scale";

export interface ChartPoint {
  x: number;
  y: number;
  /** What the point is, for the tip. */
  text?: string;
}

export interface ChartSeries {
  name: string;
  points: ChartPoint[];
  marks: boolean;
  /** Marks without a line between them. */
  scattered?: boolean;
  /** Hidden until it is chosen. */
  hidden?: boolean;
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
}

const MARGIN = { left: 70, right: 14, top: 12, bottom: 48 };
/** More points than this of one series are thinned for drawing. */
const MOST_POINTS = 4000;

export function createChart(chart: Chart): HTMLElement {
  const entries = chart.series.map((s) => ({ name: s.name, visible: !s.hidden }));
  const box = h("div", { class: "chart" });
  const tip = h("div", { class: "tip", hidden: true, role: "status" });
  let width = 0;
  const draw = (): void => {
    if (width === 0) return;
    const shown = chart.series.map((s, i) => (entries[i]?.visible ? s : null));
    box.replaceChildren(drawing(chart, shown, width, chart.height ?? 340, tip), tip);
  };
  const legend = createLegend(entries, draw, (i) => sign(chart.series[i] as ChartSeries, i));
  watchWidth(box, (w) => {
    width = w;
    draw();
  });
  onTheme(draw);
  return h(
    "figure",
    { class: "card", id: chart.id, "aria-label": chart.title },
    h("figcaption", {}, h("h3", {}, chart.title)),
    box,
    chart.note ? h("p", { class: "note" }, prose(chart.note)) : null,
    legend.element,
  );
}

function drawing(
  chart: Chart,
  series: (ChartSeries | null)[],
  width: number,
  height: number,
  tip: HTMLElement,
): SVGElement {
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
  series.forEach((s, i) => {
    if (s) root.append(...drawSeries(s, thin(kept[i] ?? []), i, x, y));
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

function drawSeries(
  series: ChartSeries,
  points: ChartPoint[],
  index: number,
  x: Scale,
  y: Scale,
): SVGElement[] {
  const colour = seriesColour(index);
  const parts: SVGElement[] = [];
  if (!series.scattered) {
    const path = points
      .map((p, i) => `${i === 0 ? "M" : "L"}${x.place(p.x).toFixed(2)} ${y.place(p.y).toFixed(2)}`)
      .join("");
    parts.push(
      svg("path", {
        d: path,
        fill: "none",
        stroke: colour,
        "stroke-width": 1.7,
        "stroke-dasharray": seriesDash(index).join(" "),
      }),
    );
  }
  if (series.marks) {
    for (const p of points) {
      const transform = `translate(${x.place(p.x).toFixed(2)} ${y.place(p.y).toFixed(2)})`;
      parts.push(
        svg("path", { class: "point", d: MARKS[index % MARKS.length] ?? "", transform, fill: colour }),
      );
    }
  }
  return parts;
}

/** How a series looks, for the list below. */
function sign(series: ChartSeries, index: number): SVGElement {
  const root = svg("svg", {
    class: "sign",
    width: 26,
    height: 12,
    viewBox: "0 0 26 12",
    "aria-hidden": "true",
  });
  const paint = (): void => {
    const stroke = {
      stroke: seriesColour(index),
      "stroke-width": 2,
      "stroke-dasharray": seriesDash(index).join(" "),
    };
    const line = series.scattered ? null : svg("path", { d: "M0 6H26", ...stroke });
    const mark = series.marks
      ? svg("path", {
          d: MARKS[index % MARKS.length] ?? "",
          transform: "translate(13 6)",
          fill: seriesColour(index),
        })
      : null;
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
