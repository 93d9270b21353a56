// The page of the benchmark: promises, plots, tables.

import assert from "node:assert/strict";
import { bench } from "../fixtures.mjs";
import { drawn, near, withPage } from "./browser.mjs";

const value = (text) => Number(text.replaceAll("\u2212", "-").replaceAll("\u202f", ""));
const curves = (page, problem) => page.locator(`#plot-${problem} .chart path.curve`);
const marks = (page, problem) => page.locator(`#plot-${problem} .chart path.point`);
const button = (page, problem, name) =>
  page.locator(`#plot-${problem} .series`, { has: page.locator(`.name:text-is("${name}")`) });

/** The fixture's page, drawn. */
const withBench = (use) =>
  withPage(bench(), async (page) => {
    await drawn(page);
    await use(page);
  });

/** What the axes say of a mark: 10^(place between the labels of powers of ten). */
async function readOff(page, problem, mark) {
  const [px, py] = (await mark.getAttribute("transform")).match(/-?[\d.]+/g).map(Number);
  const labels = await page.locator(`#plot-${problem} .chart text`).evaluateAll((texts) =>
    texts.map((t) => ({
      text: t.textContent,
      anchor: t.getAttribute("text-anchor"),
      x: Number(t.getAttribute("x")),
      y: Number(t.getAttribute("y")),
    })),
  );
  const exponent = (text) =>
    Number(text.slice(2).replace("\u207b", "-").replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(d)));
  const powers = labels.filter((l) => /^10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+$/.test(l.text));
  const along = (ticks, key, shift, at) => {
    const [a, b] = [ticks[0], ticks.at(-1)];
    const part = (at - (a[key] - shift)) / (b[key] - a[key]);
    return 10 ** (exponent(a.text) + part * (exponent(b.text) - exponent(a.text)));
  };
  return {
    x: along(powers.filter((l) => l.anchor === "middle"), "x", 0, px),
    y: along(powers.filter((l) => l.anchor === "end"), "y", 4, py), // labels stand 4 pixels below their line
  };
}

export default {
  "bench: a curve for each solver and method, a mark for each run that finished": () =>
    withBench(async (page) => {
      assert.equal(await page.locator("figure").count(), 2);
      assert.equal(await curves(page, "arm").count(), 5);
      assert.equal(await marks(page, "arm").count(), 39); // 41 runs, 2 failed
      assert.equal(await page.locator("#plot-ring .series").count(), 4);
      assert.equal(await marks(page, "ring").count(), 24); // 32 runs, 8 failed
      assert.match(await page.locator("#plot-ring .note").textContent(), /^No run finished: other bdf\.$/);
      const names = await page.locator("#plot-arm .series .name").allTextContents();
      assert.deepEqual(names.slice(0, 3), ["keel auto", "keel dopri5/index1/projection", "rival euler"]);
    }),

  "bench: auto is strong and on top, peers have other colours": () =>
    withBench(async (page) => {
      const lines = await curves(page, "arm").evaluateAll((list) =>
        list.map((e) => ({ colour: e.getAttribute("stroke"), width: Number(e.getAttribute("stroke-width")) })),
      );
      const [thin, strong] = [lines[0], lines.at(-1)];
      assert.equal(thin.colour, strong.colour);
      assert.ok(strong.width > 2 * thin.width);
      for (const peer of lines.slice(1, -1)) assert.notEqual(peer.colour, strong.colour);
      // a peer has one colour wherever it is met
      const colour = (problem) => button(page, problem, "rival euler").locator("path").first().getAttribute("stroke");
      assert.equal(await colour("arm"), await colour("ring"));
    }),

  "bench: a mark stands where its run is, and a tip names it": () =>
    withBench(async (page) => {
      // auto is drawn last; its fifth run has the tolerance 1e-6
      const mark = marks(page, "arm").nth(30 + 4);
      const run = bench().problems[0].curves[1].points[4];
      const { x, y } = await readOff(page, "arm", mark);
      near(x / run.error, 1, 0.01, "error");
      near(y / (1e3 * run.seconds), 1, 0.01, "milliseconds");
      near(1e3 * run.seconds, 0.5 * 500 ** (1 / 8), 1e-12); // the fixture's formula: 1.087 ms
      await mark.hover({ force: true });
      assert.equal(
        await page.locator("#plot-arm .tip").textContent(),
        "keel auto, tol 1e\u22126: error in q 2e\u22126, 1.09 ms",
      );
    }),

  "bench: promises with verdicts": () =>
    withBench(async (page) => {
      assert.deepEqual(await page.locator(".tally > span").allTextContents(), [
        "✓met 2",
        "✗not met 1",
        "✗Keel does not get there 1",
        "–no peer gets there 2",
      ]);
      const rows = page.locator("#promises tbody tr");
      assert.deepEqual(await rows.locator("td:last-child").allTextContents(), [
        "✗not met",
        "✓met",
        "✓met",
        "–no peer gets there",
        "–no peer gets there",
        "✗Keel does not get there",
      ]);
      // 0.9 ms by 0.5 ms
      assert.deepEqual(await rows.first().locator("td").allTextContents(), [
        "arm",
        "10⁻³",
        "0.5",
        "rival euler",
        "0.9",
        "1.8\u202f×",
        "✗not met",
      ]);
      assert.deepEqual(await page.locator(".promise .heading .badge").allTextContents(), [
        "✗2 of 3 met",
        "✗0 of 1 met, 2 not compared",
      ]);
      assert.match(await page.locator("#promises > .note").last().textContent(), /Not run: a truck/);
    }),

  "bench: without peers nothing is said of them": () => {
    const data = bench();
    for (const problem of data.problems) problem.curves = problem.curves.filter((c) => c.own);
    for (const row of data.promises.flatMap((p) => p.rows))
      Object.assign(row, { peer: null, peer_method: null, peer_seconds: null, ratio: null });
    return withPage(data, async (page) => {
      const verdicts = await page.locator("#promises tbody td:last-child").allTextContents();
      assert.deepEqual(verdicts.slice(0, 5), Array(5).fill("–no peer was run"));
      assert.equal(await page.locator("#problems th", { hasText: "ratio" }).count(), 0);
    });
  },

  "bench: a hidden curve stays hidden when something else is plotted": () =>
    withBench(async (page) => {
      await button(page, "arm", "other bdf").focus();
      await page.keyboard.press("Enter");
      await drawn(page);
      assert.equal(await curves(page, "arm").count(), 4);
      await page.locator("#problem-arm").getByLabel("in v", { exact: true }).check();
      await drawn(page);
      assert.equal(await curves(page, "arm").count(), 4);
      assert.equal(await button(page, "arm", "other bdf").getAttribute("aria-pressed"), "false");
      assert.equal(await curves(page, "ring").count(), 4);
    }),

  "bench: a choice holds for all plots, and what cannot be shown is named": () =>
    withBench(async (page) => {
      await page.locator("#problem-ring").getByLabel("evaluations", { exact: true }).check();
      assert.ok(await page.locator("#problem-arm").getByLabel("evaluations", { exact: true }).isChecked());
      await page.locator("#problem-arm").getByLabel("in v", { exact: true }).check();
      for (const problem of ["arm", "ring"])
        assert.equal(await page.locator(`#plot-${problem} h3`).textContent(), "Evaluations against error in v");
      assert.equal(await page.locator("#plot-arm .note").textContent(), "Without a count of evaluations: rival euler.");
      await drawn(page);
      const { x, y } = await readOff(page, "arm", marks(page, "arm").last());
      const run = bench().problems[0].curves[1].points.at(-1);
      near(x / run.velocity_error, 1, 0.01, "error in v");
      near(y / run.evaluations, 1, 0.01, "evaluations");
    }),

  "bench: tables of a problem": () =>
    withBench(async (page) => {
      const [methods, runs] = await page.locator("#problem-arm details").all();
      assert.equal(await methods.locator("table").count(), 0);
      await methods.locator("summary").click();
      const cells = (row) => methods.locator(`tbody tr:nth-child(${row}) td`).allTextContents();
      await methods.locator("table").waitFor();
      const auto = await cells(1);
      assert.equal(auto[0], "keel auto");
      near(value(auto[2]), 0.5 * 1000 ** (1 / 8), 0.005, "ms at 1e-6");
      assert.equal(auto.at(-1), "0 of 9");
      // the drift of the rival is marked, that of others is not
      assert.deepEqual(await methods.locator("td .bad").allTextContents(), ["0.0004", "0.004"]);
      assert.deepEqual((await cells(3)).slice(0, 4), ["rival euler", "0.9", "–", "–"]);
      assert.deepEqual(await methods.locator(".failures li").allTextContents(), [
        "rival euler, h 0.01, 0.001: the step became too small at t = 0.0172 s: the iteration of joint 'B' does not converge",
      ]);
      await runs.locator("summary").click();
      await runs.locator("table").waitFor();
      assert.equal(await runs.locator("tbody tr").count(), 41);
      assert.match(await page.locator("#problem-arm > .note").textContent(), /known \(models\/arm\.yaml\).* by 2e−10 in q/);
    }),

  "bench: links and the keys n and p lead to problems": () =>
    withPage(
      bench(),
      async (page) => {
        const top = (id) => page.locator(`#${id}`).evaluate((e) => e.getBoundingClientRect().top);
        await page.locator("#problems a", { hasText: "ring" }).click();
        near(await top("problem-ring"), 72, 2, "place of the ring");
        await page.keyboard.press("p");
        near(await top("problem-arm"), 72, 2, "place of the arm");
        await page.keyboard.press("n");
        near(await top("problem-ring"), 72, 2, "place of the ring again");
      },
      { reducedMotion: "reduce" },
    ),

  "bench: links of many problems take one line": async () => {
    const data = bench();
    data.problems = Array.from({ length: 20 }, (_, i) => ({ ...data.problems[0], name: `problem-number-${i}` }));
    for (const width of [360, 1200])
      await withPage(
        data,
        async (page) => {
          await page.evaluate(() => (location.hash = "problem-problem-number-15"));
          await page.locator(".links a[aria-current]", { hasText: "number-15" }).waitFor();
          const bar = await page.locator(".top").boundingBox();
          assert.ok(bar.height < 80, `${bar.height} pixels high`);
          const link = await page.locator(".links a[aria-current]").boundingBox();
          assert.ok(link.x >= 0 && link.x + link.width <= width, `the link is at ${link.x}`);
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
        },
        { viewport: { width, height: 800 }, reducedMotion: "reduce" },
      );
  },

  "bench: bad data are told, with their place": async () => {
    const data = bench();
    data.problems[1].curves[0].at = [1, 2];
    await withPage(data, async (page) => {
      assert.match(await page.locator(".problem").textContent(), /problems\[1\]\.curves\[0\]\.at: expected a list of 3/);
    });
  },
};
