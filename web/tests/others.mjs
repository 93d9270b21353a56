// Comparisons and reproductions.

import assert from "node:assert/strict";
import { comparison, reproduction } from "../fixtures.mjs";
import { drawn, withPage } from "./browser.mjs";

const cells = (page, column) => page.locator(`#runs tbody tr td:nth-child(${column})`).allTextContents();
const value = (text) => Number(text.replaceAll("\u2212", "-").replaceAll("\u202f", ""));

export default {
  "comparison: a line for each method, a mark for each run": () =>
    withPage(comparison(), async (page) => {
      assert.equal(await page.locator("#work-precision .series").count(), 28);
      assert.equal(await page.locator("#work-precision .series[aria-pressed=true]").count(), 12);
      await page.locator("#work-precision").getByText("all", { exact: true }).click();
      await drawn(page);
      // 28 methods with 5 runs, one of which failed and has no error
      assert.equal(await page.locator("#work-precision path.point").count(), 139);
      assert.equal(await page.locator("#runs tbody tr").count(), 140);
    }),

  "comparison: another cost": () =>
    withPage(comparison(), async (page) => {
      await page.getByLabel("seconds").check();
      assert.match(await page.locator("#work-precision h3").textContent(), /processor time/);
    }),

  "comparison: the table sorts, runs without a number last": () =>
    withPage(comparison(), async (page) => {
      const heading = page.locator("#runs th", { hasText: "error" });
      await heading.locator("button").click();
      assert.equal(await heading.getAttribute("aria-sort"), "ascending");
      const rising = await cells(page, 4);
      assert.equal(rising.at(-1), "\u2013");
      const numbers = rising.slice(0, -1).map(value);
      assert.deepEqual(
        numbers,
        [...numbers].sort((a, b) => a - b),
      );
      await heading.locator("button").click();
      assert.equal(await heading.getAttribute("aria-sort"), "descending");
      const falling = await cells(page, 4);
      assert.equal(falling.at(-1), "\u2013");
      assert.equal(falling[0], rising.at(-2));
    }),

  "comparison: methods are ranked, costs interpolated": () => {
    const run = (integrator, error, evaluations) => ({
      ...comparison().runs[0],
      integrator,
      method: "m",
      error,
      evaluations,
    });
    const runs = [run("a", 1e-2, 100), run("a", 1e-4, 10000), run("b", 1e-2, 50), run("b", 1e-5, 50000)];
    return withPage({ ...comparison(), runs }, async (page) => {
      const rows = await page.locator("#ranking tbody tr").allTextContents();
      assert.match(rows[0], /^b, m/); // the smaller error first
      assert.match(rows[1], /^a, m/);
      assert.match(rows[1], /1\u202f000$/); // halfway between the runs of a, in logarithms
      assert.match(rows[0], /500$/); // a third of the way between those of b: 50 * 1000^(1/3)
    });
  },

  "comparison: a coarse run that is better than asked for is the cost": () => {
    const run = (integrator, error, evaluations) => ({
      ...comparison().runs[0],
      integrator,
      method: "m",
      error,
      evaluations,
    });
    // in the wrong order, and with a dear run that is worse than a cheap one
    const runs = [run("a", 1e-8, 900), run("a", 1e-5, 300), run("b", 1e-2, 5000), run("b", 1e-4, 40)];
    return withPage({ ...comparison(), runs }, async (page) => {
      const headings = await page.locator("#ranking th").allTextContents();
      const level = headings.indexOf("evaluations for 10\u207b\u00b3");
      assert.notEqual(level, -1);
      const cells = await page.locator(`#ranking tbody td:nth-child(${level + 1})`).allTextContents();
      assert.deepEqual(cells, ["300", "40"]);
    });
  },

  "comparison: what an error is, and why runs failed": () => {
    const data = comparison();
    data.quantities = ["x", "y"];
    data.times = 301;
    data.runs[0] = { ...data.runs[0], status: "not_finite", reason: "t = 3: not a number", error: null };
    data.runs[1] = { ...data.runs[1], status: "not_finite", reason: "t = 2: not a number", error: null };
    return withPage(data, async (page) => {
      assert.match(
        await page.locator(".title .note").first().textContent(),
        /largest over 301 times, relative to the range of each column, of x, y\./,
      );
      const reasons = await page.locator("#failures li").allTextContents();
      assert.equal(reasons.length, 2); // of these two runs of one method, and of one that the sample has
      assert.match(reasons[0], /^dopri5, index 1 \(2 runs\) tolerance 0\.001: t = 3: not a number$/);
      assert.match(reasons[1], /^bdf, index 2 \(1 run\) .*: step_size$/);
    });
  },

  "comparison: a given ranking is followed": () => {
    const run = (method, integrator, error) => ({ ...comparison().runs[0], method, integrator, error });
    const runs = [run("rk/index1", "rk", 1e-9), run("bdf/index1", "bdf", 1e-3)];
    const ranking = [
      { rank: 1, method: "bdf/index1", evaluations: 7 },
      { rank: 2, method: "rk/index1", evaluations: null },
      { rank: 0, method: "x", evaluations: null },
    ];
    runs.unshift({ ...run("x", "x", null), status: "not run" });
    return withPage({ ...comparison(), runs, ranking, target: 1e-3 }, async (page) => {
      assert.deepEqual(await page.locator("#ranking tbody td:nth-child(2)").allTextContents(), [
        "bdf/index1",
        "rk/index1",
        "x",
      ]);
      assert.match(await page.locator("#ranking .note").textContent(), /an error of 0\.001/);
      // what is ranked by stands beside the method, once
      const headings = await page.locator("#ranking th").allTextContents();
      assert.deepEqual(headings.slice(0, 3), ["rank", "method", "evaluations for 10⁻³"]);
      assert.equal(headings.filter((h) => h === headings[2]).length, 1);
      assert.deepEqual(await page.locator("#ranking tbody td:nth-child(3)").allTextContents(), ["7", "–", "–"]);
    });
  },

  "comparison: the plot begins with the best of each integrator by rank": () => {
    const run = (method, integrator, error) => ({ ...comparison().runs[0], method, integrator, error });
    // ranks fall with errors: what ranks first has the largest error
    const ranked = [
      ...Array.from({ length: 13 }, (_, i) => ["rk", `rk/${i}`]),
      ["bdf", "bdf/0"],
      ["bdf", "bdf/1"],
      ["ida", "ida/0"],
    ];
    const runs = ranked.map(([integrator, method], i) => run(method, integrator, 10 ** -(2 + i / 2)));
    const ranking = ranked.map(([, method], i) => ({ rank: i + 1, method, evaluations: 100 + i }));
    runs.unshift({ ...run("x/0", "x", null), status: "not run" });
    return withPage({ ...comparison(), runs: runs.reverse(), ranking, target: 1e-2 }, async (page) => {
      const names = await page.locator("#work-precision .series .name").allTextContents();
      assert.deepEqual(names.slice(0, 5), ["rk/0", "bdf/0", "ida/0", "rk/1", "rk/2"]);
      assert.equal(names.at(-1), "x/0");
      const shown = await page.locator("#work-precision .series[aria-pressed=true] .name").allTextContents();
      assert.deepEqual(shown, names.slice(0, 12));
      assert.match(await page.locator("#precision .note").textContent(), /first 12/);
    });
  },

  "comparison: a tip names the run": () =>
    withPage(comparison(), async (page) => {
      const mark = page.locator("#work-precision path.point").first();
      await mark.hover({ force: true });
      assert.match(await page.locator("#work-precision .tip").textContent(), /tolerance .* error/);
    }),

  "reproduction: claims with verdicts, figures with their series": () =>
    withPage(reproduction(), async (page) => {
      assert.deepEqual(await page.locator(".tally > span").allTextContents(), [
        "✓agrees 2",
        "✗differs 1",
        "–not comparable 1",
      ]);
      assert.equal(await page.locator("#claims tbody tr").count(), 4);
      assert.match(await page.locator("#claims").textContent(), /with alpha = 5 it is 1\.2e-3/);
      assert.equal(await page.locator("#figures figure").count(), 2);
      assert.equal(await page.locator("#figure-1 .series").count(), 2);
      await drawn(page);
      assert.equal(await page.locator("#figure-1 path.point").count(), 20);
      assert.deepEqual(await page.locator("header code").allTextContents(), ["models/pendulum.yaml"]);
      assert.match(await page.locator("header").textContent(), /of the paper, see projection\.md\./);
      assert.equal(await page.locator("#tables tbody tr").count(), 2);
      assert.match(await page.locator("#claims tbody tr").first().textContent(), /robust/);
    }),

  "reproduction: claims sort by verdict": () =>
    withPage(reproduction(), async (page) => {
      await page.locator("#claims th", { hasText: "verdict" }).locator("button").click();
      await page.locator("#claims th", { hasText: "verdict" }).locator("button").click();
      assert.match(await page.locator("#claims tbody tr").first().textContent(), /not comparable/);
    }),
};
