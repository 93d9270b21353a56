// The text of the model with line numbers; keys and comments stand out a little.

import { h } from "../dom";

const LINE = /^(\s*(?:- )?)([A-Za-z_][\w .'-]*:)?(.*)$/;

/** Where a comment begins: a # at the start or after a space, outside of quotes. */
function commentStart(text: string): number {
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (quote) {
      if (c === quote) quote = "";
    } else if (c === '"' || c === "'") quote = c;
    else if (c === "#" && (i === 0 || /\s/.test(text[i - 1] as string))) return i;
  }
  return text.length;
}

function codeLine(line: string): HTMLElement {
  const cut = commentStart(line);
  const [, indent = "", key = "", rest = ""] = LINE.exec(line.slice(0, cut)) ?? [];
  const comment = line.slice(cut);
  return h(
    "span",
    { class: "line" },
    indent,
    key ? h("span", { class: "key" }, key) : null,
    rest,
    comment ? h("span", { class: "comment" }, comment) : null,
    "\n",
  );
}

export function modelText(text: string, file: string | null): HTMLElement {
  const lines = text.replace(/\n$/, "").split("\n");
  return h(
    "div",
    { class: "card" },
    file ? h("p", { class: "note" }, file) : null,
    h("pre", { class: "model", tabindex: 0, "aria-label": "text of the model" }, ...lines.map(codeLine)),
  );
}
