// A plot over time: uPlot draws, this module feeds it with what the window needs and keeps the cursors.

import uPlot from "uplot";
import type { Clock } from "../clock";
import type { Event } from "../contract";
import { h, watchSight, watchWidth } from "../dom";
import { number, power, shortTicks, ticks } from "../format";
import { nearest } from "../search";
import { cssColour, onTheme, seriesColour, seriesDash } from "../theme";
import { quantity, unitText, withUnit } from "../units";
import { decimate, plain, sizeAbove, type Map } from "./decimate";
import { createLegend, type LegendEntry } from "./legend";
import type { View } from "./view";

export interface Series extends LegendEntry {
  values: () => ArrayLike<number>;
}

/** A single value that stands out, such as the worst one between rows. */
export interface Mark {
  t: number;
  value: number;
  /** The series it belongs to, by place: drawn in the colour of the first that is shown. */
  series: number[];
  text: string;
}

export interface TimePlot {
  id: string;
  title: string;
  note?: string | undefined;
  /** Of all series; without, each has its own. */
  unit?: string | null | undefined;
  timeUnit?: string | null | undefined;
  marks?: Mark[];
  log: boolean;
  /** Whole numbers that hold until the next time: orders of integrators. */
  stairs?: boolean;
  /** Relative change below which values count as constant. */
  flat?: number;
  time: ArrayLike<number>;
  series: Series[];
  events: Event[];
  /** Write the kinds of events beside their lines. */
  labelEvents?: boolean;
}

const HEIGHT = 280;
const ABOVE = 22; // room for the unit above the axis
const AXIS_WIDTH = 66; // the same for all plots, so that times stand above each other
const LOG_DEPTH = 1e-16; // a logarithmic axis reaches at most so far below its largest value ...
const ROUND_OFF = 1e-17; // ... and not below this, unless all values are about as small
const FLAT = 1e-12; // a relative change that is no more than rounding

export function createTimePlot(spec: TimePlot, view: View, clock: Clock): HTMLElement {
  const box = h("div", { class: "plot" });
  const reset = h(
    "button",
    { type: "button", class: "small", hidden: true, click: () => view.reset() },
    "reset zoom",
  );
  const figure = h(
    "figure",
    { class: "card", id: spec.id, "aria-label": spec.title },
    h("figcaption", {}, h("h3", {}, spec.title), reset),
    box,
  );

  let plot: uPlot | null = null;
  let width = 0;
  const draw = (): void => {
    if (!plot) return;
    const u = plot;
    const shown = spec.series.map((s) => (s.visible ? s.values() : null));
    const data = decimate(spec.time, shown, view.window, Math.max(50, width - AXIS_WIDTH), mapOf(spec));
    u.batch(() => {
      u.setData(data as uPlot.AlignedData, false);
      spec.series.forEach((s, i) => u.setSeries(i + 1, { show: s.visible }, false));
      u.setScale("x", { ...view.window });
    });
    reset.hidden = !view.zoomed;
    moveCursors();
  };

  const legend = createLegend(spec.series, () => {
    draw();
    showValues();
  });
  const showValues = (): void => {
    const row = spec.time.length === 0 ? -1 : nearest(spec.time, clock.hover ?? clock.time);
    legend.show(spec.series.map((s) => (s.visible && row >= 0 ? (s.values()[row] ?? null) : null)));
  };

  const now = h("div", { class: "now-line" });
  const hoverTime = h("span");
  const hover = h("div", { class: "hover-line", hidden: true }, hoverTime);
  const place = (line: HTMLElement, t: number | null): void => {
    const inside = plot !== null && t !== null && t >= view.window.min && t <= view.window.max;
    line.hidden = !inside;
    if (inside) line.style.transform = `translateX(${plot?.valToPos(t, "x") ?? 0}px)`;
  };
  const moveCursors = (): void => {
    place(now, clock.time);
    place(hover, clock.hover);
    if (clock.hover === null) return;
    hoverTime.textContent = `t = ${quantity(number(clock.hover, 5), spec.timeUnit)}`;
    hoverTime.classList.toggle("left", clock.hover > (view.window.min + view.window.max) / 2);
  };

  if (spec.note) figure.append(h("p", { class: "note" }, spec.note));
  for (const mark of spec.marks ?? []) figure.append(h("p", { class: "note" }, `\u25c7 ${mark.text}`));
  figure.append(legend.element);
  watchWidth(box, (w) => {
    width = w;
    if (plot) plot.setSize({ width, height: HEIGHT });
    else {
      plot = new uPlot(
        options(spec, view, width),
        [[], ...spec.series.map(() => [])] as uPlot.AlignedData,
        box,
      );
      plot.over.append(now, hover);
      listen(plot, view, clock);
      showValues();
    }
    draw();
  });
  view.subscribe(draw);
  onTheme(() => plot?.redraw());
  // while it plays only lines and values move, and those in sight only: curves are never drawn again
  let seen = true;
  const follow = (): void => {
    moveCursors();
    showValues();
  };
  watchSight(figure, (now) => {
    if (now && !seen) follow();
    seen = now;
  });
  clock.subscribe(() => {
    if (seen || !clock.playing) follow();
  });
  return figure;
}

const sizes = new WeakMap<Series, { smallest: number; largest: number }>();

/** The smallest size above zero and the largest one of a series. */
function sizesOf(series: Series): { smallest: number; largest: number } {
  const known = sizes.get(series);
  if (known) return known;
  let smallest = Infinity;
  let largest = 0;
  const values = series.values();
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i] as number);
    if (size > 0 && size < smallest) smallest = size;
    if (size > largest && size < Infinity) largest = size;
  }
  const found = { smallest, largest };
  sizes.set(series, found);
  return found;
}

/** The floor of a logarithmic axis: the power of ten below the smallest size of the shown series that means something. */
function mapOf(spec: TimePlot): Map {
  if (!spec.log) return plain;
  const found = spec.series.filter((s) => s.visible).map(sizesOf);
  const largest = Math.max(0, ...found.map((f) => f.largest));
  if (largest === 0) return sizeAbove(1e-17);
  const smallest = Math.min(...found.map((f) => f.smallest));
  const floor = Math.max(smallest, largest * LOG_DEPTH, Math.min(ROUND_OFF, largest / 100));
  return sizeAbove(10 ** decadeBelow(floor));
}

/** A range that leaves room, and does not blow up rounding errors of a constant. */
function linearRange(flat: number) {
  return (_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax => {
    if (min === null || max === null) return [0, 1];
    const size = Math.max(Math.abs(min), Math.abs(max));
    const span = max - min;
    if (size === 0) return [-1, 1];
    if (span <= flat * size) return [min - 0.1 * size, max + 0.1 * size];
    return [min - 0.06 * span, max + 0.06 * span];
  };
}

/** Whole numbers and one more on either side. */
function wholeRange(_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  return [Math.floor(min ?? 0) - 1, Math.ceil(max ?? 1) + 1];
}

/** Its exponent; a power of ten that is rounded down is still that power. */
function decadeBelow(value: number): number {
  return Math.floor(Math.log10(value) + 1e-9);
}

/** Whole decades around the values, and around the marks. */
function logRange(spec: TimePlot) {
  return (_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax => {
    if (min === null || max === null) return [1e-16, 1];
    const low = decadeBelow(min);
    const high = Math.ceil(Math.log10(Math.max(max, ...shownMarks(spec).map((m) => m.value))) - 1e-9);
    return [10 ** low, 10 ** Math.max(high, low + 1)];
  };
}

function shownMarks(spec: TimePlot): Mark[] {
  return (spec.marks ?? []).filter((m) => m.value > 0 && m.series.some((i) => spec.series[i]?.visible));
}

/** Powers of ten, at most about eight of them. */
function decades(_: uPlot, __: number, min: number, max: number): number[] {
  const low = Math.round(Math.log10(min));
  const high = Math.round(Math.log10(max));
  const step = Math.max(1, Math.ceil((high - low) / 8));
  const splits: number[] = [];
  for (let e = low; e <= high; e += step) splits.push(10 ** e);
  return splits;
}

function options(spec: TimePlot, view: View, width: number): uPlot.Options {
  const text = (): string => cssColour("--muted");
  const grid = { stroke: () => cssColour("--grid"), width: 1 };
  const axis = { stroke: text, grid, ticks: { show: false }, font: "12px system-ui, sans-serif" };
  let offset = "";
  const labels = (_: uPlot, values: number[]): string[] => {
    if (spec.log) return values.map(power);
    const short = shortTicks(values);
    offset = short.offset;
    return short.labels;
  };
  const y: uPlot.Axis = { ...axis, size: AXIS_WIDTH, values: labels as uPlot.Axis.Values };
  if (spec.log) y.splits = decades;
  if (spec.log) y.filter = (_, v) => v;
  if (spec.stairs) y.incrs = [1, 2, 5, 10];
  const stairs = spec.stairs ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  return {
    width,
    height: HEIGHT,
    padding: [ABOVE, null, null, null],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [view.window.min, view.window.max] },
      y: spec.log
        ? { distr: 3, range: logRange(spec) }
        : { range: spec.stairs ? wholeRange : linearRange(spec.flat ?? FLAT) },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: 70,
        values: (_, v) => ticks(v),
        label: withUnit("t", spec.timeUnit),
        labelSize: 18,
        labelFont: axis.font,
      },
      y,
    ],
    series: [
      {},
      ...spec.series.map((s, i) => ({
        label: s.name,
        show: s.visible,
        stroke: () => seriesColour(i),
        width: 1.6,
        pxAlign: 0, // smooth where curves are
        dash: seriesDash(i),
        points: { show: false },
        ...(stairs ? { paths: stairs } : {}),
      })),
    ],
    cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
    hooks: {
      setSelect: [
        (u) => {
          if (u.select.width > 3) {
            const left = u.posToVal(u.select.left, "x");
            const right = u.posToVal(u.select.left + u.select.width, "x");
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            view.set(left, right);
          }
        },
      ],
      drawClear: [(u) => drawEvents(u, spec)],
      drawAxes: [(u) => drawHead(u, offset, spec.unit)],
      draw: [(u) => drawMarks(u, spec)],
    },
  };
}

/** Above the axis: its unit, and the number that its labels are counted from. */
function drawHead(u: uPlot, offset: string, unit: string | null | undefined): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const text = offset ? quantity(`${offset} +`, unit) : unitText(unit);
  ctx.save();
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  ctx.fillStyle = cssColour("--muted");
  ctx.textBaseline = "alphabetic";
  // ends where the labels end, if it is short enough
  const fits = ctx.measureText(text).width <= bbox.left - 5 * ratio;
  ctx.textAlign = fits ? "right" : "left";
  ctx.fillText(text, fits ? bbox.left - 5 * ratio : 2 * ratio, bbox.top - 10 * ratio);
  ctx.restore();
}

function drawMarks(u: uPlot, spec: TimePlot): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  for (const mark of shownMarks(spec)) {
    const x = u.valToPos(mark.t, "x", true);
    const y = u.valToPos(mark.value, "y", true);
    if (!(x >= bbox.left && x <= bbox.left + bbox.width)) continue;
    const shown = mark.series.find((i) => spec.series[i]?.visible) ?? 0;
    const reach = 5.5 * ratio;
    ctx.save();
    ctx.lineWidth = 2 * ratio;
    ctx.strokeStyle = seriesColour(shown);
    ctx.fillStyle = cssColour("--card");
    ctx.beginPath();
    ctx.moveTo(x, y - reach);
    ctx.lineTo(x + reach, y);
    ctx.lineTo(x, y + reach);
    ctx.lineTo(x - reach, y);
    ctx.closePath();
    ctx.fill();
    ctx.stroke();
    ctx.restore();
  }
}

/** Vertical lines at events, singular poses in the colour of warnings. */
function drawEvents(u: uPlot, spec: TimePlot): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  let labelEnd = -Infinity;
  for (const event of spec.events) {
    const x = Math.round(u.valToPos(event.t, "x", true));
    if (!(x >= bbox.left && x <= bbox.left + bbox.width)) continue;
    const colour = cssColour(event.kind === "singular" ? "--warn" : "--muted");
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.globalAlpha = 0.75;
    ctx.lineWidth = 1.25 * ratio;
    ctx.setLineDash(event.kind === "singular" ? [] : [4 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (spec.labelEvents && x > labelEnd) {
      ctx.globalAlpha = 1;
      ctx.fillText(event.kind, x + 4 * ratio, bbox.top + 12 * ratio);
      labelEnd = x + ctx.measureText(event.kind).width + 10 * ratio;
    }
  }
  ctx.restore();
}

/** Moving shows values, a click sets the time, dragging zooms, a double click shows all. */
function listen(u: uPlot, view: View, clock: Clock): void {
  const at = (event: MouseEvent): number =>
    u.posToVal(event.clientX - u.over.getBoundingClientRect().left, "x");
  let pressed = 0;
  u.over.addEventListener("mousemove", (event) => clock.setHover(at(event)));
  u.over.addEventListener("mouseleave", () => clock.setHover(null));
  u.over.addEventListener("mousedown", (event) => (pressed = event.clientX));
  u.over.addEventListener("mouseup", (event) => {
    if (event.button === 0 && Math.abs(event.clientX - pressed) <= 3) clock.set(at(event));
  });
  u.over.addEventListener("dblclick", () => view.reset());
}
