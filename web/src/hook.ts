// What the page tells to tests and to the curious in the console, as window.keelReport. It cannot change anything.

export interface Hook {
  readonly format: string;
  readonly time: number;
  readonly playing: boolean;
  readonly window: [number, number];
  plots(): { id: string; title: string; log: boolean; series: { name: string; visible: boolean }[] }[];
  /** Value of a series in the row nearest to t. */
  value(plot: string, series: string, t: number): number | null;
  /** Reference point and rotation (w x y z, from the drawn pose) of a body at the shown time. */
  pose(body: string): { place: number[]; rotation: number[] } | null;
  /** What the animation looks at and from where, and whether it follows the moving bodies; null without animation. */
  camera(): { follow: boolean; target: number[]; place: number[] } | null;
}

export function publish(hook: Hook): void {
  Object.defineProperty(window, "keelReport", { value: Object.freeze(hook), writable: false });
}

/** Of pages without time. */
export function publishStill(format: string): void {
  publish({
    format,
    time: 0,
    playing: false,
    window: [0, 0],
    plots: () => [],
    value: () => null,
    pose: () => null,
    camera: () => null,
  });
}
