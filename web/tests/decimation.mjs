// The thinning of rows, without a browser.

import assert from "node:assert/strict";
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

async function load(path) {
  const entry = fileURLToPath(new URL(path, import.meta.url));
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: "esm" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}

const { decimate, plain, sizeAbove } = await load("../src/plots/decimate.ts");
const { shortTicks, ticks, number } = await load("../src/format.ts");
const { nearest } = await load("../src/search.ts");

const { unitText } = await load("../src/units.ts");

const time = Array.from({ length: 100000 }, (_, i) => i / 1000);

export default {
  "labels of values that hardly differ count from an offset": () => {
    assert.deepEqual(shortTicks([0, 0.5, 1]), { labels: ["0.0", "0.5", "1.0"], offset: "" });
    // 229.9705 in steps of 2e-6: labels of ten characters do not fit
    const values = [0, 1, 2, 3].map((k) => 229.9705 + 2e-6 * k);
    const { labels, offset } = shortTicks(values);
    assert.equal(offset, "229.9705");
    assert.deepEqual(labels, ["0", "+2e\u22126", "+4e\u22126", "+6e\u22126"]);
  },

  "units are written as people write them": () => {
    assert.equal(unitText("kg m^2"), "kg\u00b7m\u00b2");
    assert.equal(unitText("m/s^2"), "m/s\u00b2");
    assert.equal(unitText("1"), "");
    assert.equal(unitText(undefined), "");
  },

  "thinned rows keep the extremes of every pixel column": () => {
    const values = time.map((t, i) => Math.sin(40 * t) + (i === 77777 ? 9 : 0) - (i === 22222 ? 7 : 0));
    const [x, y] = decimate(time, [values], { min: 0, max: 100 }, 500, plain);
    assert.ok(x.length <= 1002 && x.length === y.length, `${x.length} points`);
    assert.equal(Math.max(...y), Math.max(...values));
    assert.equal(Math.min(...y), Math.min(...values));
    assert.ok(
      x.every((t, i) => i === 0 || t > x[i - 1]),
      "times must grow",
    );
  },

  "few rows are drawn as they are, with a neighbour on either side": () => {
    const [x, y] = decimate(time, [time], { min: 10.0005, max: 10.0105 }, 500, plain);
    assert.deepEqual(x, time.slice(10000, 10012));
    assert.deepEqual(y, x);
  },

  "hidden series cost nothing and have no values": () => {
    const [, hidden, shown] = decimate(time, [null, time], { min: 0, max: 100 }, 100, plain);
    assert.ok(hidden.every((v) => v === null));
    assert.equal(hidden.length, shown.length);
  },

  "sizes on a logarithmic axis: zeros at the floor, nothing where there is no number": () => {
    const [, y] = decimate([0, 1, 2, 3], [[-2, 0, NaN, 5]], { min: 0, max: 3 }, 100, sizeAbove(1e-9));
    assert.deepEqual(y, [2, 1e-9, null, 5]);
  },

  "rows that are not evenly spaced": () => {
    const t = [0, 1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 1];
    const [x] = decimate(t, [t], { min: 0, max: 1 }, 2, plain);
    assert.deepEqual(x, [0, 5e-6, 1]);
  },

  "labels of axes are true": () => {
    assert.deepEqual(ticks([0, 2.5, 5, 7.5]), ["0.0", "2.5", "5.0", "7.5"]);
    assert.deepEqual(ticks([0, 0.0025, 0.005]), ["0.0000", "0.0025", "0.0050"]);
    assert.deepEqual(ticks([-2e-12, -1e-12, 0, 1e-12]), [
      "\u22122e\u221212",
      "\u22121e\u221212",
      "0",
      "1e\u221212",
    ]);
    assert.deepEqual(ticks([0, 50, 100]), ["0", "50", "100"]);
    assert.equal(number(1.5e-7), "1.5e\u22127");
    assert.equal(number(20000, 3), "20000");
    assert.equal(number(NaN), "\u2013");
  },

  "the nearest row": () => {
    assert.equal(nearest([0, 1, 2], 1.4), 1);
    assert.equal(nearest([0, 1, 2], 1.6), 2);
    assert.equal(nearest([0, 1, 2], -5), 0);
    assert.equal(nearest([0, 1, 2], 9), 2);
  },
};
