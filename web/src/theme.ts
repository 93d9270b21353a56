// Light and dark, and the colours of series. Blue, orange, green, ... after Okabe and Ito: apart also for people who do not see
// all colours; series beyond eight repeat the colours with other dashes.

type Choice = "auto" | "light" | "dark";

const LIGHT = ["#0072b2", "#d55e00", "#00875f", "#b5568f", "#a87400", "#2b9bd6", "#5b4bb5", "#4d4d4d"];
const DARK = ["#4fa8e8", "#ff8a3d", "#2fc79a", "#e59ac6", "#f0b93a", "#9bd4f7", "#a99cf5", "#c9c9c9"];
const DASHES: number[][] = [[], [7, 4], [2, 3], [10, 3, 2, 3]];

const KEY = "keel-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let choice: Choice = remembered();

function remembered(): Choice {
  try {
    const word = localStorage.getItem(KEY);
    return word === "light" || word === "dark" ? word : "auto";
  } catch {
    return "auto"; // a browser may refuse to remember for pages from files
  }
}

function apply(): void {
  document.documentElement.dataset["theme"] = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function isDark(): boolean {
  return choice === "dark" || (choice === "auto" && system.matches);
}

export function toggleTheme(): void {
  choice = isDark() ? "light" : "dark";
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // then it holds for this visit only
  }
  apply();
}

export function startTheme(): void {
  system.addEventListener("change", apply);
  apply();
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

/** So many colours there are before they repeat. */
export const COLOURS = LIGHT.length;

export function seriesColour(index: number): string {
  return (isDark() ? DARK : LIGHT)[index % LIGHT.length] ?? "#888";
}

export function seriesDash(index: number): number[] {
  return lineDash(Math.floor(index / LIGHT.length));
}

/** The dashes themselves; the first is a line without gaps. */
export function lineDash(kind: number): number[] {
  return DASHES[kind % DASHES.length] ?? [];
}

/** A colour of the style sheet, such as "--line". */
export function cssColour(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

export function reducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
