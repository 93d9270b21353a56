// Keys, dark mode, phones, reduced motion, names for screen readers.

import assert from "node:assert/strict";
import { bench, comparison, fourBar, long, reproduction, spatial } from "../fixtures.mjs";
import { ask, drawn, near, withPage } from "./browser.mjs";

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const brightness = (colour) => Math.max(...colour.match(/\d+/g).map(Number));

export default {
  "keys: space plays, arrows move, home and end": () =>
    withPage(fourBar(), async (page) => {
      await page.keyboard.press("ArrowRight");
      near(await ask(page, "time"), 0.02, 1e-12);
      await page.keyboard.press("Shift+ArrowRight");
      near(await ask(page, "time"), 0.022, 1e-12);
      await page.keyboard.press("ArrowLeft");
      near(await ask(page, "time"), 0.002, 1e-12);
      await page.keyboard.press("End");
      assert.equal(await ask(page, "time"), 2);
      await page.keyboard.press("Home");
      assert.equal(await ask(page, "time"), 0);
      await page.keyboard.press(" ");
      assert.equal(await ask(page, "playing"), true);
      await page.keyboard.press(" ");
      assert.equal(await ask(page, "playing"), false);
    }),

  "space on a button presses the button": () =>
    withPage(fourBar(), async (page) => {
      const button = page.locator("#output-1 .series").first();
      await button.focus();
      await page.keyboard.press(" ");
      assert.equal(await button.getAttribute("aria-pressed"), "false");
      assert.equal(await ask(page, "playing"), false);
    }),

  "everything can be reached with tab, and the focus is seen": () =>
    withPage(fourBar(), async (page) => {
      const reached = new Set();
      for (let i = 0; i < 80; i++) {
        await page.keyboard.press("Tab");
        reached.add(
          await page.evaluate(
            () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent,
          ),
        );
        if (i === 5) {
          const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
          assert.equal(outline, "solid");
        }
      }
      for (const label of ["to the content", "dark page", "play", "time", "speed"])
        assert.ok(reached.has(label), `${label} not reached`);
      assert.ok(
        [...reached].some((label) => label?.startsWith("animation of")),
        "the canvas is not reached",
      );
    }),

  "every control has a name": () =>
    withPage(spatial(), async (page) => {
      const nameless = await page.evaluate(() =>
        [...document.querySelectorAll("button, input, select, a, canvas[tabindex]")]
          .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")))
          .map((e) => e.outerHTML),
      );
      assert.deepEqual(nameless, []);
    }),

  "the verdict tells in words and colour": () =>
    withPage(spatial(), async (page) => {
      const lines = await page.locator(".verdict li").allTextContents();
      assert.equal(lines.length, 2);
      assert.match(lines[0], /^✓ok/);
      assert.match(lines[1], /^✗not ok/);
      assert.equal(await page.locator(".verdict.bad").count(), 1);
    }),

  "notes stand beside the verdict, which does not pass over them": async () => {
    const data = { ...fourBar(), finished: true, verdict: [{ ok: true, text: "reached t = 1" }] };
    const notes = ["hinge_2 repeats 5 conditions that hinge_1 already imposes, to 3e-07 m^2", "the start was moved"];
    await withPage({ ...data, notes }, async (page) => {
      assert.equal(await page.locator(".verdict.good > strong").textContent(), "All checks passed, with 2 notes");
      const lines = await page.locator(".worth-knowing li").allTextContents();
      assert.deepEqual(lines, [notes[0].replace("m^2", "m\u00b2"), notes[1]]);
      assert.equal(await page.locator(".verdict > ul > li").count(), 1);
    });
    for (const none of [undefined, []])
      await withPage({ ...data, notes: none }, async (page) => {
        assert.equal(await page.locator(".verdict.good > strong").textContent(), "All checks passed");
        assert.equal(await page.locator(".worth-knowing").count(), 0);
      });
  },

  "powers of units are raised in the verdict and the facts, not in names of files": () =>
    withPage(
      {
        ...fourBar(),
        verdict: [{ ok: true, text: "constraints held to 1e-15 m^2 (worst: rod)" }],
        facts: [
          ["position violation", "1e-15 m^2 (rod)"],
          ["file", "out^2.csv"],
        ],
      },
      async (page) => {
        assert.match(await page.locator(".verdict li").textContent(), /1e-15 m\u00b2 \(worst/);
        const facts = await page.locator(".facts dd").allTextContents();
        assert.deepEqual(facts, ["1e-15 m\u00b2 (rod)", "out^2.csv"]);
      },
    ),

  "what a file cannot tell has not passed": () =>
    withPage(
      {
        ...fourBar(),
        finished: null,
        verdict: [
          { ok: true, known: false, text: "rows up to t = 2; a CSV file does not tell whether the run finished" },
          { ok: true, text: "constraints held to 4.7e-15 in the rows" },
        ],
      },
      async (page) => {
        assert.match(await page.locator(".verdict > strong").textContent(), /as far as the rows go.*not known/);
        assert.equal(await page.locator(".verdict.good, .verdict.bad").count(), 0);
        const lines = await page.locator(".verdict li").allTextContents();
        assert.match(lines[0], /^\?not known/);
        assert.match(lines[1], /^✓ok/);
      },
    ),

  "navigation and verdicts are not cut off": async () => {
    const inside = async (page, selector) => {
      const boxes = await page.locator(selector).evaluateAll((list) =>
        list.map((e) => ({ text: e.textContent, left: e.getBoundingClientRect().left, right: e.getBoundingClientRect().right })),
      );
      const width = await page.evaluate(() => innerWidth);
      assert.ok(boxes.length > 0);
      for (const { text, left, right } of boxes)
        assert.ok(left >= 0 && right <= width, `${text}: ${left} to ${right} of ${width}`);
    };
    for (const width of [390, 800]) {
      const options = { viewport: { width, height: 844 } };
      await withPage(fourBar(), (page) => inside(page, ".links a"), options);
      await withPage(reproduction(), (page) => inside(page, "#claims .badge"), options);
    }
  },

  "dark and light follow the system, and the button changes them": () =>
    withPage(
      fourBar(),
      async (page) => {
        assert.ok(brightness(await background(page)) < 60);
        await page.locator("button.theme").click();
        assert.ok(brightness(await background(page)) > 200);
        await page.reload();
        assert.ok(brightness(await background(page)) > 200, "the choice was forgotten");
        await drawn(page);
      },
      { colorScheme: "dark" },
    ),

  "no horizontal scrolling on a phone": async () => {
    for (const data of [fourBar(), spatial(), comparison(), reproduction(), bench(), null]) {
      await withPage(
        data,
        async (page) => {
          for (const fold of await page.locator("summary").all()) await fold.click();
          await drawn(page);
          const { inner, scroll } = await page.evaluate(() => ({
            inner: innerWidth,
            scroll: document.documentElement.scrollWidth,
          }));
          assert.ok(scroll <= inner, `${data?.title}: ${scroll} pixels in a window of ${inner}`);
        },
        { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
      );
    }
  },

  "plots follow the width of the window": () =>
    withPage(long(), async (page) => {
      await page.setViewportSize({ width: 600, height: 800 });
      await page.waitForFunction(() =>
        [...document.querySelectorAll(".u-wrap")].every((w) => w.clientWidth < 600),
      );
    }),

  "reduced motion: a run is played once": () =>
    withPage(
      fourBar(),
      async (page) => {
        await page.locator(".transport input").evaluate((slider) => {
          slider.value = "9900";
          slider.dispatchEvent(new Event("input"));
        });
        await page.keyboard.press(" ");
        await page.waitForFunction(() => !window.keelReport.playing);
        assert.equal(await ask(page, "time"), 2);
      },
      { reducedMotion: "reduce" },
    ),
};
