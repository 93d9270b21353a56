// As many points as the screen can show: of the rows in each pixel column the smallest and the largest value of each series.

import { lastAtOrBefore } from "../search";

type Values = ArrayLike<number>;
type Drawn = (number | null)[];

export interface Window {
  min: number;
  max: number;
}

/** What becomes of a value before it is drawn; null is not drawn. */
export type Map = (value: number) => number | null;

export const plain: Map = (value) => (Number.isFinite(value) ? value : null);

/** Sizes for a logarithmic axis; zeros are drawn at `floor`. */
export function sizeAbove(floor: number): Map {
  return (value) => (Number.isFinite(value) ? Math.max(Math.abs(value), floor) : null);
}

/**
 * Times and values to draw in the window: all rows if there are few, else two points for each of `columns` equal parts of the
 * window. A series that is null is not drawn and costs nothing. The first list has the times.
 */
export function decimate(
  time: Values,
  series: (Values | null)[],
  window: Window,
  columns: number,
  map: Map,
): Drawn[] {
  // one row more on either side, so that lines reach the edges
  const first = Math.max(0, lastAtOrBefore(time, window.min));
  const end = Math.min(time.length, lastAtOrBefore(time, window.max) + 2);
  const edges =
    end - first <= 2 * columns ? single(first, end) : columnEdges(time, first, end, window, columns);

  const times: Drawn = [];
  for (let k = 0; k + 1 < edges.length; k++) {
    const from = edges[k] as number;
    const to = (edges[k + 1] as number) - 1;
    times.push(time[from] as number);
    if (to > from) times.push(time[to] as number);
  }
  const nothing: Drawn = new Array<null>(times.length).fill(null);
  return [times, ...series.map((values) => (values ? extremes(values, edges, map) : nothing))];
}

/** Every row for itself. */
function single(first: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - first) + 1 }, (_, i) => first + i);
}

/** Rows where a new pixel column begins, and the end. */
function columnEdges(time: Values, first: number, end: number, window: Window, columns: number): number[] {
  const edges = [first];
  const scale = columns / (window.max - window.min);
  let current = -Infinity;
  for (let i = first; i < end; i++) {
    const column = Math.floor(((time[i] as number) - window.min) * scale);
    if (column > current) {
      if (i > first) edges.push(i);
      current = column;
    }
  }
  edges.push(end);
  return edges;
}

/** Smallest and largest of each part in the order in which they come; one value for a part of one row. */
function extremes(values: Values, edges: number[], map: Map): Drawn {
  const drawn: Drawn = [];
  for (let k = 0; k + 1 < edges.length; k++) {
    const from = edges[k] as number;
    const to = edges[k + 1] as number;
    let low: number | null = null;
    let high: number | null = null;
    let lowRow = from;
    let highRow = from;
    for (let i = from; i < to; i++) {
      const value = map(values[i] as number);
      if (value === null) continue;
      if (low === null || value < low) {
        low = value;
        lowRow = i;
      }
      if (high === null || value > high) {
        high = value;
        highRow = i;
      }
    }
    if (to - from === 1) drawn.push(low);
    else if (lowRow <= highRow) drawn.push(low, high);
    else drawn.push(high, low);
  }
  return drawn;
}
