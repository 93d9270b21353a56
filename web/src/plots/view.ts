// The window of time that all plots of a report show together.

import type { Window } from "./decimate";

export interface View {
  readonly window: Window;
  readonly zoomed: boolean;
  set(min: number, max: number): void;
  reset(): void;
  subscribe(listener: () => void): void;
}

export function createView(start: number, end: number): View {
  const listeners: (() => void)[] = [];
  const whole: Window = end > start ? { min: start, max: end } : { min: start - 0.5, max: start + 0.5 };
  const shortest = (whole.max - whole.min) * 1e-9;
  let window = whole;
  return {
    get window() {
      return window;
    },
    get zoomed() {
      return window !== whole;
    },
    set(min, max) {
      if (max - min < shortest) return;
      window = { min: Math.max(min, whole.min), max: Math.min(max, whole.max) };
      for (const listener of listeners) listener();
    },
    reset() {
      window = whole;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.push(listener);
    },
  };
}
