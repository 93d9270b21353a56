// A headless Chromium and pages in it that must stay silent: no errors, no requests beyond the file itself.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { fill } from "../fixtures.mjs";

const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";
// drawing in software, so that the same happens on machines without a graphics card; CI runs as root, where the sandbox cannot
const FLAGS = [
  "--no-sandbox",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
];

let browser;
let directory;
let made = 0;

export async function startBrowser() {
  directory = mkdtempSync(join(tmpdir(), "keel-web-"));
  browser = await chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
}

export async function stopBrowser() {
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
}

/** Opens the page with the data, runs `use`, and checks that nothing went wrong meanwhile but what `loud` allows.
 *  Gives how often that was said. */
export async function withPage(data, use, options = {}) {
  const { before, loud, ...context } = options;
  const file = join(directory, `${made++}.html`);
  writeFileSync(file, fill(data));
  const opened = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...context });
  const page = await opened.newPage();
  const problems = [];
  let allowed = 0;
  const url = pathToFileURL(file).href;
  page.on("console", (message) => {
    // Chromium says that drawing in software, and reading what was drawn, is slow
    const slow = /GPU stall due to ReadPixels|willReadFrequently/.test(message.text());
    if (loud?.test(message.text())) allowed++;
    else if (["error", "warning"].includes(message.type()) && !slow) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const own = request.url().split("#")[0] === url || /^(data|blob):/.test(request.url());
    if (!own) problems.push(`request of ${request.url()}`);
  });
  try {
    if (before) await page.addInitScript(before);
    await page.goto(url);
    await use(page);
    assert.deepEqual(problems, []);
    return allowed;
  } finally {
    await opened.close();
    rmSync(file);
  }
}

/** Waits until the page has drawn what was asked before. */
export function drawn(page) {
  return page.evaluate(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
      ),
  );
}

/** What window.keelReport.`name` gives. */
export function ask(page, name, ...args) {
  return page.evaluate(
    ([key, values]) => {
      const entry = window.keelReport[key];
      return typeof entry === "function" ? entry(...values) : entry;
    },
    [name, args],
  );
}

export function near(actual, expected, tolerance, what = "value") {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} instead of ${expected}`);
}

/** The shown value of a series in the list below a plot. */
export async function shownValue(page, plot, series) {
  const text = await page
    .locator(`#${plot} .series`, { has: page.locator(`.name:text-is("${series}")`) })
    .locator(".value")
    .textContent();
  return Number.parseFloat(text.replace("\u2212", "-").replace("e\u2212", "e-"));
}
