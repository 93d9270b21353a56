// Pages without data, or with data that cannot be shown.

import { h } from "../dom";
import { showPage } from "../page";

export function showEmpty(): void {
  showPage({
    kind: "Report",
    title: "No results yet",
    lead: [
      h(
        "p",
        { class: "lead" },
        "This is the empty page that Keel fills with the results of a run. Make a report with one of these:",
      ),
      h(
        "pre",
        { class: "card" },
        "keel report models/four_bar.yaml -o four_bar.html   # run a model and show it\n" +
          "keel report results.csv -o results.html             # show a run that is done\n" +
          "keel compare models/pendulum.yaml                   # compare methods\n" +
          "keel reproduce all                                  # the papers' experiments",
      ),
    ],
    sections: [],
    footer: "Keel simulates constrained mechanical systems.",
  });
}

export function showProblem(message: string): void {
  showPage({
    kind: "Report",
    title: "These data cannot be shown",
    lead: [
      h("p", { class: "problem", role: "alert" }, message),
      h(
        "p",
        { class: "lead" },
        "The file may be cut off, or made by a version of Keel that does not fit this page. Make the report again.",
      ),
    ],
    sections: [],
    footer: "Keel simulates constrained mechanical systems.",
  });
}
