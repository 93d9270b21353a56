// Runs all tests, or those whose name contains the first argument. Ends with the line 'N passed, N failed'.

import { startBrowser, stopBrowser } from "./browser.mjs";
import animation from "./animation.mjs";
import access from "./access.mjs";
import bench from "./bench.mjs";
import data from "./data.mjs";
import decimation from "./decimation.mjs";
import others from "./others.mjs";
import plots from "./plots.mjs";

const LIMIT = 120000; // milliseconds of one test: only against hanging

function limited(run) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished after ${LIMIT / 1000} s`)), LIMIT);
  });
  return Promise.race([run(), late]).finally(() => clearTimeout(timer));
}

const wanted = process.argv[2] ?? "";
const all = { ...plots, ...animation, ...access, ...data, ...decimation, ...others, ...bench };
const tests = Object.entries(all).filter(([name]) => name.includes(wanted));
let failed = 0;
await startBrowser();
for (const [name, run] of tests) {
  const start = Date.now();
  try {
    await limited(run);
    console.log(`ok      ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
await stopBrowser();
console.log(`${tests.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 || tests.length === 0 ? 1 : 0);
