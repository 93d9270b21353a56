// What stands in the page: texts that look like markup, no data, bad data.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fourBar, pack } from "../fixtures.mjs";
import { withPage } from "./browser.mjs";

/** The message of the page for a report with a change. */
async function messageFor(change) {
  const report = fourBar();
  const data = change(report) ?? report;
  let message = "";
  await withPage(data, async (page) => {
    message = (await page.locator(".problem").first().textContent()) ?? "";
    assert.match(await page.locator("h1").textContent(), /cannot be shown/);
  });
  return message;
}

export default {
  "the template has one place for data and needs no network": () => {
    const page = readFileSync(new URL("../dist/report.html", import.meta.url), "utf8");
    assert.equal(page.split('<script id="keel-data" type="application/json">null</script>').length, 2);
    assert.equal(/<(script|link|img)[^>]+(src|href)="(?!data:)/.test(page), false);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)[1];
    for (const rule of ["default-src 'none'", "base-uri 'none'", "form-action 'none'"])
      assert.ok(policy.split("; ").includes(rule), rule);
    assert.match(policy, /; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}=';/);
    assert.doesNotMatch(policy, /unsafe/);
  },

  "what text of a model would become, were it markup, is not obeyed": async () => {
    const put = () => {
      window.refused = [];
      addEventListener("securitypolicyviolation", (e) => window.refused.push(e.effectiveDirective));
      const add = (markup) => document.body.insertAdjacentHTML("beforeend", markup);
      const script = document.createElement("script");
      script.textContent = "window.obeyed = true";
      document.body.append(script);
      add('<img src="data:," onerror="window.obeyed = true">');
      add('<p id="styled" style="color: rgb(1, 2, 3)"></p><base href="https://example.org/">');
      add('<form action="https://example.org/"><button id="send"></button></form>');
      setTimeout(() => document.getElementById("send").click(), 0);
    };
    const refusals = await withPage(
      fourBar(),
      async (page) => {
        await page.evaluate(put);
        await page.waitForFunction(() => window.refused.includes("form-action"));
        assert.equal(await page.evaluate(() => window.obeyed), undefined);
        const colour = await page.evaluate(() => getComputedStyle(document.getElementById("styled")).color);
        assert.notEqual(colour, "rgb(1, 2, 3)");
        assert.equal(await page.evaluate(() => document.baseURI), page.url());
        const refused = await page.evaluate(() => window.refused);
        for (const rule of ["script-src-elem", "script-src-attr", "style-src-attr", "base-uri", "form-action"])
          assert.ok(refused.includes(rule), `${rule} in ${refused}`);
      },
      { loud: /Content Security Policy/i },
    );
    assert.ok(refusals > 0);
  },

  "texts are never markup": () =>
    withPage(fourBar(), async (page) => {
      assert.match(await page.locator(".model").textContent(), /<\/script><b>not markup<\/b>/);
      assert.equal(await page.locator(".model b").count(), 0);
    }),

  "model, facts and summary are shown": () =>
    withPage(fourBar(), async (page) => {
      assert.equal(await page.locator(".model .line").count(), 14);
      assert.match(await page.locator("#facts").textContent(), /accepted steps412/);
      assert.equal(await page.locator("#facts details pre").isVisible(), false);
      await page.locator("#facts summary").click();
      assert.match(await page.locator("#facts details pre").textContent(), /"worst": "B.y"/);
      assert.equal(await page.title(), "four-bar crank-rocker \u2013 Keel");
    }),

  "without data the page says how to make some": () =>
    withPage(null, async (page) => {
      assert.match(await page.locator("main").textContent(), /keel report/);
    }),

  "bad data are told, with their place": async () => {
    assert.match(await messageFor(() => "{"), /not JSON/);
    assert.match(
      await messageFor(() => ({ format: "other", version: 1 })),
      /format: expected one of keel-report/,
    );
    assert.match(await messageFor((r) => void (r.version = 2)), /newer than this page/);
    assert.match(await messageFor((r) => void delete r.title), /title: expected a text/);
    assert.match(
      await messageFor((r) => void (r.columns[1].data = pack([1, 2]))),
      /columns\[1\]\.data: expected 401 numbers/,
    );
    assert.match(
      await messageFor((r) => void (r.time.base64 = r.time.base64.slice(4))),
      /time: expected \d+ characters/,
    );
    assert.match(await messageFor((r) => void (r.columns[0].group = "x")), /columns\[0\]\.group/);
    assert.match(
      await messageFor((r) => void (r.scene.joints[2].body = [0, 9])),
      /scene\.joints\[2\]\.body\[1\]: expected a body/,
    );
    assert.match(
      await messageFor((r) => void (r.scene.bodies[1].shapes[0].kind = "cone")),
      /shapes\[0\]\.kind/,
    );
    assert.match(await messageFor((r) => void (r.scene.poses = pack([], "f32"))), /scene\.poses: expected/);
    assert.match(await messageFor((r) => void (r.time.base64 = "!".repeat(r.time.base64.length))), /./);
  },

  "a report of nothing but a title is shown": () =>
    withPage(
      {
        ...fourBar(),
        rows: 0,
        time: pack([]),
        columns: [],
        steps: null,
        scene: null,
        model_text: null,
        verdict: [],
        facts: [],
        summary: null,
      },
      async (page) => {
        assert.equal(await page.locator("h1").textContent(), "four-bar crank-rocker");
        assert.equal(await page.locator(".transport").count(), 0);
      },
    ),

  "values that are not finite leave gaps": () => {
    const report = fourBar();
    const values = Array.from({ length: report.rows }, (_, i) =>
      i % 7 === 0 ? NaN : i % 11 === 0 ? Infinity : i,
    );
    report.columns[0].data = pack(values);
    report.columns.find((c) => c.group === "violation").data = pack(values.map((v) => v * 1e-15));
    return withPage(report, async (page) => {
      assert.equal(await page.locator(".problem").count(), 0);
    });
  },
};
