// The bar at the lower edge: play, time, speed. And the keys that do the same.

import type { Clock } from "./clock";
import { h } from "./dom";
import { number } from "./format";
import { reducedMotion } from "./theme";
import { quantity } from "./units";

/** Parts of the run that a press on an arrow key moves by, without and with shift. */
const LEAP = 0.01;
const SMALL_LEAP = 0.001;
/** Of the slider. */
const TICKS = 10000;
/** Seconds in which a run is shown when its own time is too short or too long to watch. */
const COMFORTABLE = 10;

export function createTransport(clock: Clock, unit: string | null | undefined): HTMLElement {
  const duration = clock.end - clock.start;
  clock.loop = !reducedMotion();
  const icon = h("span", { "aria-hidden": "true" }, "\u25b6");
  const button = h(
    "button",
    { type: "button", class: "play", "aria-label": "play", click: () => clock.toggle() },
    icon,
  );
  const slider = h("input", {
    type: "range",
    min: 0,
    max: TICKS,
    step: 1,
    value: 0,
    "aria-label": "time",
    input: () => clock.set(clock.start + (duration * Number(slider.value)) / TICKS),
  });
  const readout = h("output", { class: "time", "aria-live": "off" });
  const show = (): void => {
    icon.textContent = clock.playing ? "\u275a\u275a" : "\u25b6";
    button.setAttribute("aria-label", clock.playing ? "pause" : "play");
    slider.value = String(duration > 0 ? Math.round((TICKS * (clock.time - clock.start)) / duration) : 0);
    const text = `t = ${quantity(number(clock.time, 5), unit)}`;
    slider.setAttribute("aria-valuetext", text);
    readout.textContent = text;
  };
  clock.subscribe(show);
  show();
  return h(
    "div",
    { class: "transport", role: "group", "aria-label": "time" },
    button,
    slider,
    readout,
    speedChoice(clock, duration),
  );
}

function speedChoice(clock: Clock, duration: number): HTMLElement {
  const whole = duration / COMFORTABLE || 1;
  const rates = [0.001, 0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100].filter(
    (r) => duration / r >= 1 && duration / r <= 600,
  );
  const real = duration >= 2 && duration <= 30;
  clock.rate = real ? 1 : whole;
  const select = h(
    "select",
    { "aria-label": "speed", change: () => (clock.rate = Number(select.value)) },
    ...rates.map((r) => h("option", { value: r, selected: real && r === 1 }, `${number(r)} \u00d7`)),
    h("option", { value: whole, selected: !real }, `all in ${COMFORTABLE} s`),
  );
  return select;
}

/** Elements that want the space bar or the arrows for themselves. */
function takesKeys(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches("input[type=range]")) return key !== " ";
  if (target.matches("input, select, textarea")) return true;
  return key === " " && target.matches("button, summary, a");
}

export function listenToKeys(clock: Clock, actions: Record<string, () => void>): void {
  const move = (part: number): void => clock.set(clock.time + part * (clock.end - clock.start));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event.target, event.key)) return;
    const leap = event.shiftKey ? SMALL_LEAP : LEAP;
    const keys: Record<string, () => void> = {
      ...actions,
      " ": () => clock.toggle(),
      ArrowLeft: () => move(-leap),
      ArrowRight: () => move(leap),
      Home: () => clock.set(clock.start),
      End: () => clock.set(clock.end),
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
