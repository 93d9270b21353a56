// Plots: series, values, cursor, zoom, toggles, events.

import assert from "node:assert/strict";
import { equations, fourBar, long, spatial } from "../fixtures.mjs";
import { ask, drawn, near, shownValue, withPage } from "./browser.mjs";

const byId = async (page) => Object.fromEntries((await ask(page, "plots")).map((p) => [p.id, p]));
const names = (plot) => plot.series.map((s) => s.name);
const visible = (plot) => plot.series.filter((s) => s.visible).map((s) => s.name);

/** A place in the drawing area of a plot: a part of its width. */
async function placeIn(page, plot, part) {
  const over = page.locator(`#${plot} .u-over`);
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  return { x: box.x + part * box.width, y: box.y + box.height / 2 };
}

/** How strongly the canvas of a plot is painted at parts of its width, at a part of its height: 0 to 255, largest of 5 pixels. */
async function paint(page, plot, parts, height) {
  await page.locator(`#${plot}`).scrollIntoViewIfNeeded();
  await drawn(page);
  return page.evaluate(
    ([id, places, down]) => {
      const over = document.querySelector(`#${id} .u-over`);
      const canvas = document.querySelector(`#${id} canvas`);
      const ratio = canvas.width / canvas.clientWidth;
      const y = Math.round((over.offsetTop + down * over.clientHeight) * ratio);
      const row = canvas.getContext("2d").getImageData(0, y, canvas.width, 1).data;
      return places.map((part) => {
        const x = Math.round((over.offsetLeft + part * over.clientWidth) * ratio);
        return Math.max(...[-2, -1, 0, 1, 2].map((k) => row[4 * (x + k) + 3]));
      });
    },
    [plot, parts, height],
  );
}

export default {
  "plots have the series of their group": () =>
    withPage(fourBar(), async (page) => {
      const plots = await byId(page);
      assert.deepEqual(names(plots["output-1"]), ["crank", "rocker"]); // one plot for a unit
      assert.deepEqual(names(plots["output-2"]), ["torque"]);
      assert.deepEqual(names(plots["output-3"]), ["pin_A"]);
      assert.deepEqual(names(plots["energy-1"]), ["kinetic", "potential"]);
      assert.deepEqual(names(plots.audit), ["integrator", "projection"]);
      assert.deepEqual(names(plots.multiplier), ["B.x", "B.y", "C.normal"]);
      assert.deepEqual(names(plots.violation), ["position", "velocity", "B.y", "B.x"]); // the worse constraint first
      assert.ok(plots.violation.log && plots["step-size"].log && !plots["step-order"].log);
      assert.equal(await page.locator(".u-wrap").count(), Object.keys(plots).length);
    }),

  "values at a time are those of the data": () =>
    withPage(fourBar(), async (page) => {
      // closed forms of fixtures.mjs at the row t = 0.5
      near(await ask(page, "value", "output-1", "crank", 0.5), Math.PI, 1e-14);
      near(await ask(page, "value", "output-3", "pin_A", 0.5), 14 + 6 * Math.cos(3), 1e-14);
      // the cursor at half of the plot is at t = 1
      const place = await placeIn(page, "output-1", 0.5);
      await page.mouse.move(place.x, place.y);
      await drawn(page);
      near(await shownValue(page, "output-1", "crank"), 2 * Math.PI, 0.04, "crank under the cursor");
      near(
        await shownValue(page, "energy-1", "kinetic"),
        0.9 + 0.3 * Math.cos(4 * Math.PI),
        0.01,
        "kinetic in another plot",
      );
      assert.equal(await page.locator(".hover-line:visible").count(), await page.locator(".u-wrap").count());
    }),

  "units stand in titles, values and times; plots are of one unit": () =>
    withPage(fourBar(), async (page) => {
      const plots = await byId(page);
      assert.equal(plots["output-1"].title, "crank, rocker [rad]");
      assert.equal(plots["output-2"].title, "torque [N\u00b7m]");
      assert.deepEqual(names(plots.coordinate), ["q.1", "q.2"]);
      assert.deepEqual(names(plots["coordinate-2"]), ["q.3"]);
      assert.equal(plots["coordinate-2"].title, "Coordinates [m]");
      assert.equal(plots.multiplier.title, "Multipliers of the constraints"); // its unit is not known
      const values = await page.locator("#output-3 .value").allTextContents();
      assert.deepEqual(values, ["20\u202fN"]); // 14 + 6 cos 0
      assert.equal(await page.locator(".time").textContent(), "t = 0\u202fs");
      assert.match(await page.locator("#animation > .card > .note").textContent(), /0\.05\u202fm wide/);
    }),

  "the worst of all steps is marked, and the axis reaches it": () =>
    withPage(fourBar(), async (page) => {
      // 3e-12 at t = 0.85, far above all rows (4e-15): an opaque diamond where the plot is empty
      await page.locator("#violation").scrollIntoViewIfNeeded();
      await drawn(page);
      const painted = await page.evaluate(() => {
        const over = document.querySelector("#violation .u-over");
        const canvas = document.querySelector("#violation canvas");
        const ratio = canvas.width / canvas.clientWidth;
        const rows = Math.round(0.4 * over.clientHeight * ratio);
        const column = (part) => {
          const x = Math.round((over.offsetLeft + part * over.clientWidth) * ratio);
          const { data } = canvas.getContext("2d").getImageData(x, Math.round(over.offsetTop * ratio), 1, rows);
          return Array.from({ length: rows }, (_, k) => data[4 * k + 3]);
        };
        const beside = column(0.75 / 2);
        return column(0.85 / 2).filter((alpha, k) => alpha > 200 && beside[k] < 50).length;
      });
      assert.ok(painted >= 6, `${painted} pixels`);
      assert.match(
        await page.locator("#violation").textContent(),
        /Worst position violation.*3e\u221212\u202fm of B\.y at t = 0\.85\u202fs/,
      );
    }),

  "a share of zero is listed, and hidden at first": () =>
    withPage(fourBar(), async (page) => {
      const { reaction } = await byId(page);
      assert.deepEqual(names(reaction), ["C.force", "D.force"]);
      assert.deepEqual(visible(reaction), ["C.force"]);
      assert.match(await page.locator("#reaction .series", { hasText: "D.force" }).textContent(), /shared, zero/);
    }),

  "constraints that are met exactly need no plot": () => {
    const data = fourBar();
    const zeros = Buffer.alloc(8 * data.rows).toString("base64");
    for (const column of data.columns.filter((c) => c.group === "violation"))
      column.data = { type: "f64", count: data.rows, base64: zeros };
    data.worst = [];
    return withPage(data, async (page) => {
      assert.ok(!("violation" in (await byId(page))));
      assert.match(await page.locator("#violations").textContent(), /met exactly in every row/);
    });
  },

  "while it plays curves are not drawn again, and what is out of sight rests": () =>
    withPage(
      { ...long(), scene: fourBar().scene },
      async (page) => {
        const play = async (part) => {
          await page.locator(part).evaluate((e) => e.scrollIntoView({ behavior: "instant" }));
          await drawn(page);
          await page.locator(".play").click();
          await drawn(page);
          const counts = await page.evaluate(async () => {
            const { counts, keelReport } = window;
            const lines = [...document.querySelectorAll(".now-line")].map((l) => l.style.transform);
            Object.keys(counts).forEach((key) => (counts[key] = 0));
            const from = keelReport.time;
            let frames = 0;
            while (frames < 4 || keelReport.time === from) {
              await new Promise((done) => requestAnimationFrame(done));
              frames++;
            }
            const moved = [...document.querySelectorAll(".now-line")].filter((l, i) => l.style.transform !== lines[i]);
            return { ...counts, moved: moved.length, plots: lines.length };
          });
          await page.locator(".play").click();
          return counts;
        };
        const top = await play("#animation");
        assert.equal(top.curves, 0);
        assert.ok(top.scene > 0, "the animation stands still");
        const plots = await play("#states");
        assert.equal(plots.curves, 0);
        assert.equal(plots.scene, 0, "an animation out of sight is drawn");
        assert.ok(plots.moved > 0 && plots.moved < plots.plots, `${plots.moved} of ${plots.plots} cursors`);
        // a pause brings everything to the same time
        await drawn(page);
        const places = await page.evaluate(() => [
          ...new Set([...document.querySelectorAll("#outputs .now-line, #states .now-line")].map((l) => l.hidden)),
        ]);
        assert.deepEqual(places, [false]);
      },
      {
        before: () => {
          const counts = (window.counts = { curves: 0, scene: 0 });
          const count = (type, name, key) => {
            const original = type.prototype[name];
            type.prototype[name] = function (...args) {
              counts[key]++;
              return original.apply(this, args);
            };
          };
          for (const name of ["clearRect", "stroke"]) count(CanvasRenderingContext2D, name, "curves");
          for (const name of ["drawElements", "drawArrays", "drawElementsInstanced"])
            count(WebGL2RenderingContext, name, "scene");
        },
      },
    ),

  "a click sets the time for all": () =>
    withPage(fourBar(), async (page) => {
      const place = await placeIn(page, "output-1", 0.25);
      await page.mouse.click(place.x, place.y);
      await drawn(page);
      near(await ask(page, "time"), 0.5, 0.01);
    }),

  "dragging zooms all plots, the button shows all again": () =>
    withPage(fourBar(), async (page) => {
      const from = await placeIn(page, "output-1", 0.25);
      const to = await placeIn(page, "output-1", 0.5);
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move((from.x + to.x) / 2, from.y);
      await page.mouse.move(to.x, to.y);
      await page.mouse.up();
      const [min, max] = await ask(page, "window");
      near(min, 0.5, 0.02);
      near(max, 1, 0.02);
      await page.locator("#output-1").getByText("reset zoom").click();
      assert.deepEqual(await ask(page, "window"), [0, 2]);
    }),

  "series are shown and hidden": () =>
    withPage(fourBar(), async (page) => {
      const before = await page.locator("#output-1 .plot").screenshot();
      const button = page.locator("#output-1 .series", { hasText: "rocker" });
      await button.click();
      await drawn(page);
      assert.equal(await button.getAttribute("aria-pressed"), "false");
      assert.deepEqual(visible((await byId(page))["output-1"]), ["crank"]);
      assert.ok(
        !before.equals(await page.locator("#output-1 .plot").screenshot()),
        "the drawing did not change",
      );
    }),

  "the worst violations are shown first, others can be chosen": () =>
    withPage(spatial(), async (page) => {
      const { violation } = await byId(page);
      assert.equal(violation.series.length, 42);
      // of c0 ... c39 those with k % 8 = 7 are the largest
      assert.deepEqual(visible(violation).slice(0, 2), ["position", "velocity"]);
      for (const name of visible(violation).slice(2)) assert.equal(Number(name.slice(1)) % 8, 7, name);
      assert.equal(visible(violation).length, 6);
      await page.locator("#violation input[type=search]").fill("c12");
      await page.locator("#violation .series:visible").click();
      assert.ok(visible((await byId(page)).violation).includes("c12"));
    }),

  "shared multipliers are marked and explained": () =>
    withPage(fourBar(), async (page) => {
      assert.equal(await page.locator("#multiplier .mark").count(), 1);
      assert.match(
        await page.locator("#multiplier .series", { hasText: "C.normal" }).textContent(),
        /shared/,
      );
      assert.match(await page.locator("#multiplier .note").textContent(), /least norm/);
    }),

  "singular poses are lines in the plot of the gap": () =>
    withPage(
      { ...spatial(), events: [{ t: 3.45, kind: "singular", text: "rank 29 instead of 30" }] },
      async (page) => {
        // below the middle of the plot there is no curve at these times; lines of the grid stand at whole times
        const [event, before, after] = await paint(page, "gap", [3.45 / 6, 3.25 / 6, 3.7 / 6], 0.85);
        assert.ok(event > 100 && before < 20 && after < 20, `${event} ${before} ${after}`);
        assert.match(await page.locator("#events").textContent(), /rank 29 instead of 30/);
        await page.locator("#events button").first().click();
        assert.equal(await ask(page, "time"), 3.45);
      },
    ),

  "a report without steps and violations has no such plots": () =>
    withPage(equations(), async (page) => {
      const plots = await byId(page);
      assert.ok(!("violation" in plots) && !("step-size" in plots) && !("gap" in plots));
      assert.equal(await page.locator("#violations, #steps").count(), 0);
    }),

  "without constraints there is no plot of their violation": () => {
    const data = fourBar();
    const zeros = Buffer.alloc(8 * data.rows).toString("base64");
    const summary = data.columns.filter((c) => c.group === "violation").slice(0, 2);
    for (const column of summary) column.data = { type: "f64", count: data.rows, base64: zeros };
    data.columns = data.columns.filter((c) => c.group !== "violation" || summary.includes(c));
    data.worst = [];
    return withPage(data, async (page) => {
      assert.ok(!("violation" in (await byId(page))));
      assert.equal(await page.locator("#violations").count(), 0);
    });
  },

  "100 000 rows: a single spike is drawn, zoom and cursor work": () =>
    withPage(long(), async (page) => {
      await page.waitForFunction(() => document.querySelectorAll(".u-wrap").length > 3, null, {
        timeout: 60000,
      });
      assert.equal((await ask(page, "plots")).flatMap((p) => p.series).length, 30 + 2); // columns, step size and order
      assert.equal(await ask(page, "value", "output-2", "spike", 54.321), 1);
      // hide all but the spike: of 100 000 rows one stands out, and must be among the drawn pixels
      for (const name of ["out8", "out9"]) await page.locator("#output-2 .series", { hasText: name }).click();
      const [spike, beside] = await paint(page, "output-2", [0.54321, 0.51], 0.4);
      assert.ok(spike > 100 && beside < 20, `${spike} ${beside}`);
      const place = await placeIn(page, "output-1", 0.9);
      await page.mouse.move(place.x, place.y);
      await drawn(page);
      assert.ok(Math.abs(await shownValue(page, "output-1", "out0")) <= 1.06);
    }),
};
