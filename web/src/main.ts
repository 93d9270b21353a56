// Reads the data in the page and shows them.

import { parseData } from "./check";
import { showBench } from "./pages/bench";
import { showComparison } from "./pages/comparison";
import { showEmpty, showProblem } from "./pages/plain";
import { showReport } from "./pages/report";
import { showReproduction } from "./pages/reproduction";
import { startTheme } from "./theme";

function show(json: string): void {
  const data = parseData(json);
  if (data === null) showEmpty();
  else if (data.format === "keel-report") showReport(data);
  else if (data.format === "keel-comparison") showComparison(data);
  else if (data.format === "keel-reproduction") showReproduction(data);
  else showBench(data);
}

startTheme();
try {
  const holder = document.getElementById("keel-data");
  show(holder?.textContent ?? "");
  holder?.remove(); // the text may be large, and nobody needs it again
} catch (error) {
  showProblem((error as Error).message);
}
