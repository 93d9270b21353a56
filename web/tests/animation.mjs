// The animation: it moves, and shows the right pose at the right time.

import assert from "node:assert/strict";
import { equations, fourBar, rolling, spatial } from "../fixtures.mjs";
import { ask, drawn, near, withPage } from "./browser.mjs";

async function picture(page) {
  await drawn(page);
  return page.locator(".viewer canvas").screenshot();
}

async function scrub(page, part) {
  await page.locator(".transport input").evaluate((slider, value) => {
    slider.value = String(value * Number(slider.max));
    slider.dispatchEvent(new Event("input"));
  }, part);
  await drawn(page);
}

export default {
  "scrubbing shows the pose of that time": () =>
    withPage(fourBar(), async (page) => {
      // a quarter of a turn after the drawn pose the crank points to -x; its middle is half of 0.1 m away
      await scrub(page, 0.125);
      near(await ask(page, "time"), 0.25, 1e-12);
      const { place, rotation } = await ask(page, "pose", "crank");
      near(place[0], -0.05, 1e-7, "x");
      near(place[1], 0, 1e-7, "y");
      near(rotation[0], Math.SQRT1_2, 1e-6, "w");
      near(rotation[3], Math.SQRT1_2, 1e-6, "z");
    }),

  "between frames poses are interpolated": () =>
    withPage(fourBar(), async (page) => {
      // frames are 0.005 apart; halfway the crank has turned by 2 pi t to the accuracy of f32, its middle by that of a chord
      await scrub(page, 0.12625 + 0.00125);
      const t = await ask(page, "time");
      near((t / 0.005) % 1, 0, 1e-9, "on a frame");
      await scrub(page, 0.1263);
      const between = await ask(page, "time");
      near(between, 0.2526, 1e-12);
      const { place, rotation } = await ask(page, "pose", "crank");
      near(2 * Math.atan2(rotation[3], rotation[0]), 2 * Math.PI * between, 1e-6, "angle");
      near(Math.hypot(place[0], place[1]), 0.05, 1e-5, "radius");
    }),

  "the picture follows the time": () =>
    withPage(fourBar(), async (page) => {
      const first = await picture(page);
      await scrub(page, 0.2);
      const second = await picture(page);
      assert.ok(!first.equals(second), "two times look the same");
      await scrub(page, 0);
      assert.ok(first.equals(await picture(page)), "the first picture does not come back");
    }),

  "a distance is a line that follows, the ground a line between its joints": async () => {
    const seen = [];
    const pictures = (change) => {
      const data = fourBar();
      const { scene } = data;
      scene.forces = null;
      const joint = { ...scene.joints[0], name: "rope", cut: false, shared: false };
      const ends = { body: [1, 3], at: [[0, 0, 0], [0, 0, 0]] };
      scene.joints.push({ ...joint, type: "universal", ...ends });
      change(scene.joints);
      return withPage(data, async (page) => {
        await page.locator('#animation .tools button:text-is("joints")').click(); // their signs differ
        await page.mouse.move(0, 0);
        const first = await picture(page);
        await scrub(page, 0.2);
        seen.push([first, await picture(page)]);
      });
    };
    await pictures(() => {});
    await pictures((joints) => (joints.at(-1).type = "distance"));
    await pictures((joints) => joints.filter((j) => j.body[0] === 0).forEach((j) => (j.type = "skate")));
    const [without, distance, loose] = seen;
    for (const k of [0, 1]) {
      assert.ok(!without[k].equals(distance[k]), "no line for the distance");
      assert.ok(!without[k].equals(loose[k]), "no line for the ground");
    }
  },

  "a rack longer than the mechanism passes through the picture": async () => {
    const seen = [];
    for (const length of [1, 1000]) {
      const data = spatial();
      const axes = [1, 0, 0, 0, 1, 0, 0, 0, 1];
      data.scene.bodies[1].shapes.push({ kind: "box", size: [length, 0.1, 0.1], at: [0, 0, 0], axes });
      await withPage(data, async (page) => {
        await drawn(page);
        const { place, target } = await ask(page, "camera");
        seen.push(Math.hypot(...place.map((x, k) => x - target[k])));
      });
    }
    assert.ok(seen[1] < 1.5 * seen[0], `${seen[1]} away instead of ${seen[0]}`);
  },

  "a skate is a blade along its edge": async () => {
    const seen = [];
    for (const edge of [[1, 0, 0], [0, 1, 0]]) {
      const data = fourBar();
      Object.assign(data.scene.joints[0], { type: "skate", edge });
      await withPage(data, async (page) => seen.push(await picture(page)));
    }
    assert.ok(!seen[0].equals(seen[1]));
  },

  "playing moves, pausing rests": () =>
    withPage(spatial(), async (page) => {
      const first = await picture(page);
      await page.locator(".play").click();
      await page.waitForFunction(() => window.keelReport.time > 0.3);
      assert.equal(await page.locator(".play").getAttribute("aria-label"), "pause");
      await page.locator(".play").click();
      const time = await ask(page, "time");
      assert.ok(!first.equals(await picture(page)));
      await drawn(page);
      assert.equal(await ask(page, "time"), time);
    }),

  "views, fit, forces, names and traces change the picture": () =>
    withPage(spatial(), async (page) => {
      let last = await picture(page);
      const changes = async (name) => {
        await page.locator(`#animation .tools button:text-is("${name}")`).first().click();
        await page.mouse.move(0, 0);
        const next = await picture(page);
        assert.ok(!last.equals(next), `'${name}' changed nothing`);
        last = next;
      };
      for (const name of ["front", "side", "top", "corner", "+", "fit", "joints", "forces", "end"])
        await changes(name);
      await page.locator('#animation .tools button:text-is("names")').click();
      await drawn(page);
      assert.deepEqual(await page.locator(".labels span").allTextContents(), [
        "base",
        "swing",
        "rail",
        "axle",
        "hook",
        "end",
        "corner",
      ]);
    }),

  "the view turns with the mouse": () =>
    withPage(spatial(), async (page) => {
      const first = await picture(page);
      const box = await page.locator(".viewer canvas").boundingBox();
      await page.mouse.move(box.x + 200, box.y + 100);
      await page.mouse.down();
      await page.mouse.move(box.x + 260, box.y + 130, { steps: 4 });
      await page.mouse.up();
      await page.mouse.move(0, 0);
      assert.ok(!first.equals(await picture(page)));
    }),

  "what travels far is followed": () =>
    withPage(rolling(), async (page) => {
      const button = page.locator('#animation .tools button:text-is("follow")');
      const squares = async () => (await page.locator("#animation .note").textContent()).match(/is (\S+) wide/)[1];
      await page.locator('#animation .tools button:text-is("names")').click();
      assert.equal(await button.getAttribute("aria-pressed"), "true");
      for (const part of [0, 0.75]) {
        await scrub(page, part);
        const { place } = await ask(page, "pose", "wheel");
        near(place[0], 20 * part, 1e-5);
        const camera = await ask(page, "camera");
        assert.equal(camera.follow, true);
        for (const k of [0, 1, 2]) near(camera.target[k], place[k], 0.05, `target ${k} at ${part} of the run`);
        // as near as the wheel's size allows, not the way's
        const away = Math.hypot(...camera.place.map((x, k) => x - camera.target[k]));
        assert.ok(away > 0.5 && away < 2, `${away} away`);
        // the sign of the joint is where the wheel touches, below the middle of the picture
        const label = await page.locator(".labels span").boundingBox();
        const canvas = await page.locator(".viewer canvas").boundingBox();
        near(label.x, canvas.x + canvas.width / 2, 30, "label across");
        assert.ok(label.y > canvas.y + canvas.height / 2 && label.y < canvas.y + canvas.height, "label below");
      }
      assert.equal(await squares(), "0.05");
      await button.click();
      await drawn(page);
      const whole = await ask(page, "camera");
      assert.equal(whole.follow, false);
      near(whole.target[0], 10, 0.5, "middle of the way");
      assert.equal(await squares(), "2");
      await scrub(page, 0.1);
      assert.deepEqual(await ask(page, "camera"), whole);
      await button.click();
      await drawn(page);
      near((await ask(page, "camera")).target[0], 2, 0.05);
    }),

  "following keeps the reader's view": () =>
    withPage(rolling(), async (page) => {
      await page.locator('#animation .tools button:text-is("side")').click();
      await page.locator('#animation .tools button:text-is("+")').click();
      await drawn(page);
      const offset = ({ place, target }) => place.map((x, k) => x - target[k]);
      const first = offset(await ask(page, "camera"));
      await scrub(page, 0.5);
      const second = offset(await ask(page, "camera"));
      for (const k of [0, 1, 2]) near(second[k], first[k], 1e-9);
    }),

  "what stays is not followed": async () => {
    for (const data of [fourBar(), spatial(), equations()]) {
      await withPage(data, async (page) => {
        await drawn(page);
        const first = await ask(page, "camera");
        assert.equal(first.follow, false, data.title);
        await scrub(page, 0.3);
        assert.deepEqual(await ask(page, "camera"), first);
      });
    }
  },

  "equation models: tracks and lines move": () =>
    withPage(equations(), async (page) => {
      const first = await picture(page);
      await scrub(page, 0.05);
      assert.ok(!first.equals(await picture(page)));
      assert.deepEqual(await page.locator(".traces button[aria-pressed=true]").allTextContents(), [
        "P1",
        "P2",
        "P3",
      ]); // O rests
    }),

  "without WebGL the rest works": () =>
    withPage(
      fourBar(),
      async (page) => {
        assert.match(await page.locator("#animation .problem").textContent(), /needs WebGL/);
        await scrub(page, 0.125);
        near((await ask(page, "pose", "crank")).place[0], -0.05, 1e-7);
        assert.ok((await page.locator(".u-wrap").count()) > 5);
      },
      {
        before: () => {
          const original = HTMLCanvasElement.prototype.getContext;
          HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            return kind.startsWith("webgl") ? null : original.call(this, kind, ...rest);
          };
          console.error = () => {}; // three.js reports it there
        },
      },
    ),
};
