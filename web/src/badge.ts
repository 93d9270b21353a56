// Verdicts in a sign, a word and a colour.

import { h } from "./dom";

export type Kind = "good" | "bad" | "neutral";

const SIGNS: Record<Kind, string> = { good: "\u2713", bad: "\u2717", neutral: "\u2013" };

export function badge(kind: Kind, words: string): HTMLElement {
  return h("span", { class: `badge ${kind}` }, h("span", { "aria-hidden": "true" }, SIGNS[kind]), words);
}
