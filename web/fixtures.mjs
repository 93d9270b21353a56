// Data for tests and for looking at the page, made by formulas: the same at every run.
// `node fixtures.mjs DIRECTORY` writes a page for each.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PLACE = '<script id="keel-data" type="application/json">null</script>';

/** The page with data in it, as the program writes it. `data` may be a text, to write what is not JSON. */
export function fill(data) {
  const page = readFileSync(fileURLToPath(new URL("dist/report.html", import.meta.url)), "utf8");
  const json = (typeof data === "string" ? data : JSON.stringify(data)).replaceAll("<", "\\u003c");
  return page.replace(PLACE, () => PLACE.replace("null", () => json));
}

export function pack(values, type = "f64") {
  const array = type === "f64" ? Float64Array.from(values) : Float32Array.from(values);
  return { type, count: array.length, base64: Buffer.from(array.buffer).toString("base64") };
}

const range = (count, make) => Array.from({ length: count }, (_, i) => make(i));

function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const column = (name, group, values, more = {}) => ({ name, group, data: pack(values), ...more });

function reportOf(parts) {
  return {
    format: "keel-report",
    version: 1,
    description: null,
    program: "keel 0.1.0",
    model_text: null,
    model_file: null,
    verdict: [],
    facts: [],
    summary: null,
    events: [],
    steps: null,
    scene: null,
    columns: [],
    ...parts,
  };
}

function stepsOf(end, count, gapAt = null) {
  const t = range(count, (i) => (end * (i + 1)) / count);
  return {
    t: pack(t),
    size: pack(t.map((x) => 0.01 * (1.2 + Math.sin(5 * x)))),
    order: pack(t.map((x) => 3 + Math.floor(2.5 * (1 + Math.sin(3 * x))))),
    gap: gapAt === null ? null : pack(t.map((x) => Math.max(1e-6, Math.min(1, Math.abs(x - gapAt))))),
  };
}

/** The pose about z by an angle, rotation relative to the drawn one. */
const planarPose = ([x, y], angle) => [x, y, 0, Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];

/** A crank-rocker whose crank turns once a second; positions from the intersection of two circles. */
export function fourBar() {
  const O = [0, 0];
  const C = [0.3, 0];
  const crank = 0.1;
  const coupler = Math.hypot(0.25, 0.15);
  const rocker = Math.hypot(0.05, 0.25);
  const solve = (t) => {
    const angle = Math.PI / 2 + 2 * Math.PI * t;
    const A = [crank * Math.cos(angle), crank * Math.sin(angle)];
    const d = Math.hypot(C[0] - A[0], C[1] - A[1]);
    const a = (coupler ** 2 - rocker ** 2 + d ** 2) / (2 * d);
    const h = Math.sqrt(coupler ** 2 - a ** 2);
    const [ex, ey] = [(C[0] - A[0]) / d, (C[1] - A[1]) / d];
    return { angle, A, B: [A[0] + a * ex - h * ey, A[1] + a * ey + h * ex] };
  };
  const rows = 401;
  const time = range(rows, (i) => i / 200);
  const states = time.map(solve);
  const start = states[0];
  const middle = (p, q) => [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
  const heading = (p, q) => Math.atan2(q[1] - p[1], q[0] - p[0]);
  const bars = (s) => [
    [O, s.A],
    [s.A, s.B],
    [C, s.B],
  ];
  const drawn = bars(start);
  const local = (bar, p) => [p[0] - middle(...drawn[bar])[0], p[1] - middle(...drawn[bar])[1], 0];
  const poses = states.flatMap((s) =>
    bars(s).flatMap(([p, q], i) => planarPose(middle(p, q), heading(p, q) - heading(...drawn[i]))),
  );
  const P = [0.15, 0.27];
  const joints = [
    ["O", 0, 1, O],
    ["A", 1, 2, start.A],
    ["B", 2, 3, start.B],
    ["C", 0, 3, C],
  ];
  const inBody = (body, p) => (body === 0 ? [...p, 0] : local(body - 1, p));
  const forces = states.flatMap((s, i) =>
    joints.flatMap((_, j) => [8 * Math.sin(6 * time[i] + j), 12 + 6 * Math.cos(6 * time[i] - j), 0]),
  );
  const wobble = random(7);
  return reportOf({
    title: "four-bar crank-rocker",
    description:
      "A planar crank-rocker. A motor turns the crank once a second; what the pins carry are outputs.",
    model_file: "models/four_bar.yaml",
    model_text:
      "# A planar crank-rocker: </script><b>not markup</b>\nkeel: 1\nname: four-bar crank-rocker\nplanar: true\ngravity: 9.81   # downwards: -y\n\npoints:\n  O: [0, 0]\n  C: [0.3, 0]\n  A: [0, 0.1]\n  B: [0.25, 0.25]\n\nbodies:\n  crank: {shape: rod, from: O, to: A, radius: 0.008}\n",
    verdict: [
      { ok: true, text: "reached t = 2" },
      { ok: true, text: "constraints held to 4.7e-15 (worst: B.y)" },
      { ok: true, text: "energy drift 3.1e-12 of a largest energy of 1.9" },
    ],
    facts: [
      ["method", "rk45, index 1, projection"],
      ["tolerance", "1e-9"],
      ["accepted steps", "412"],
      ["rejected steps", "9"],
      ["evaluations", "2 954"],
      ["largest violation", "4.7e-15"],
      ["processor time", "0.021 s"],
    ],
    summary: { keel: "0.1.0", status: "ok", violation: { position: { max: 4.7e-15, worst: "B.y" } } },
    finished: true,
    time: pack(time),
    time_unit: "s",
    worst: [{ level: "position", column: "B.y", t: 0.85, value: 3e-12, unit: "m" }],
    rows,
    columns: [
      column(
        "crank",
        "output",
        states.map((s) => s.angle - Math.PI / 2),
        { unit: "rad" },
      ),
      column(
        "rocker",
        "output",
        states.map((s) => heading(C, s.B) - heading(C, start.B)),
        { unit: "rad" },
      ),
      column(
        "torque",
        "output",
        time.map((t) => 0.4 * Math.sin(2 * Math.PI * t) + 0.1 * Math.cos(6 * Math.PI * t)),
        { unit: "N m" },
      ),
      column(
        "pin_A",
        "output",
        time.map((t) => 14 + 6 * Math.cos(6 * t)),
        { unit: "N" },
      ),
      column(
        "q.1",
        "coordinate",
        states.map((s) => s.angle),
        { unit: "rad" },
      ),
      column(
        "q.2",
        "coordinate",
        states.map((s) => heading(s.A, s.B)),
        { unit: "rad" },
      ),
      column(
        "q.3",
        "coordinate",
        states.map((s) => s.B[0]),
        { unit: "m" },
      ),
      column(
        "v.1",
        "velocity",
        time.map(() => 2 * Math.PI),
        { unit: "rad/s" },
      ),
      column(
        "kinetic",
        "energy",
        time.map((t) => 0.9 + 0.3 * Math.cos(4 * Math.PI * t)),
        { unit: "J" },
      ),
      column(
        "potential",
        "energy",
        time.map((t) => 0.6 - 0.3 * Math.cos(4 * Math.PI * t)),
        { unit: "J" },
      ),
      column(
        "integrator",
        "audit",
        time.map((t) => 1e-12 * t),
        { unit: "J" },
      ),
      column(
        "projection",
        "audit",
        time.map((t) => -0.4e-12 * t),
        { unit: "J" },
      ),
      column(
        "B.x",
        "multiplier",
        time.map((t) => 8 * Math.sin(6 * t)),
      ),
      column(
        "B.y",
        "multiplier",
        time.map((t) => 12 + 6 * Math.cos(6 * t)),
      ),
      column(
        "C.normal",
        "multiplier",
        time.map((t) => 3 * Math.cos(3 * t)),
        { shared: true },
      ),
      column(
        "C.force",
        "reaction",
        time.map((t) => 9 + 2 * Math.cos(3 * t)),
        { unit: "N", shared: true },
      ),
      column(
        "D.force",
        "reaction",
        time.map(() => 0),
        { unit: "N", shared: true, zero: true },
      ),
      column(
        "position",
        "violation",
        time.map(() => 4e-15 * wobble()),
      ),
      column(
        "velocity",
        "violation",
        time.map(() => 2e-14 * wobble()),
      ),
      column(
        "B.x",
        "violation",
        time.map((_, i) => (i === 0 ? 0 : 1e-15 * wobble())),
      ),
      column(
        "B.y",
        "violation",
        time.map((_, i) => (i === 0 ? 0 : 4e-15 * wobble())),
      ),
    ],
    events: [],
    steps: stepsOf(2, 412),
    scene: {
      dimension: 2,
      up: [0, 1, 0],
      size: 0.45,
      unit: "m",
      force_unit: "N",
      bodies: [
        { name: "ground", shapes: [] },
        ...["crank", "coupler", "rocker"].map((name, i) => ({
          name,
          shapes: [{ kind: "rod", from: local(i, drawn[i][0]), to: local(i, drawn[i][1]), radius: 0.008 }],
        })),
      ],
      points: [{ name: "P", body: 2, at: local(1, P) }],
      joints: joints.map(([name, a, b, at]) => ({
        name,
        type: "revolute",
        body: [a, b],
        at: [inBody(a, at), inBody(b, at)],
        axis: [0, 0, 1],
        cut: name === "C",
        shared: name === "C",
      })),
      springs: [],
      tracks: [],
      lines: [],
      frames: rows,
      frame_time: pack(time),
      poses: pack(poses, "f32"),
      forces: pack(forces, "f32"),
    },
  });
}

/** All shapes and many joints: an arm turns about z, a body swings on it, a spring pulls, skeletons hang from a ring. */
export function spatial() {
  const rows = 301;
  const time = range(rows, (i) => i / 50);
  const turn = (axis, angle) => [Math.cos(angle / 2), ...axis.map((a) => a * Math.sin(angle / 2))];
  const times = (p, q) => [
    p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
    p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
    p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
    p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
  ];
  const rotate = (q, v) => times(times(q, [0, ...v]), [q[0], -q[1], -q[2], -q[3]]).slice(1);
  const plus = (...v) => [0, 1, 2].map((k) => v.reduce((sum, u) => sum + u[k], 0));
  const poses = time.flatMap((t) => {
    const arm = turn([0, 0, 1], 0.8 * t);
    const tip = plus([0, 0, 1.2], rotate(arm, [1, 0, 0]));
    const swing = times(arm, turn([0, 1, 0], 0.7 * Math.sin(3 * t)));
    const bob = plus(tip, rotate(swing, [0, 0, -0.5]));
    const slider = plus([0, 0, 1.2], rotate(arm, [-0.5 - 0.2 * Math.sin(2 * t), 0, 0]));
    const disc = times(arm, turn([1, 0, 0], 4 * t));
    const hanging = plus(bob, rotate(swing, [0, 0, -0.35]));
    return [
      [...[0, 0, 1.2], ...arm],
      [...bob, ...swing],
      [...slider, ...arm],
      [...slider, ...disc],
      [...hanging, ...times(swing, turn([0, 1, 0], Math.sin(5 * t)))],
    ].flat();
  });
  const eye = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const joint = (name, type, a, b, at, axis, more = {}) => ({
    name,
    type,
    body: [a, b],
    at,
    axis,
    cut: false,
    shared: false,
    ...more,
  });
  const singularAt = 2.5;
  return reportOf({
    title: "Arm, swing and flywheel",
    description: "A spatial mechanism with every shape and most signs of joints.",
    verdict: [
      { ok: true, text: "reached t = 6" },
      { ok: false, text: "constraints violated by 3.2e-4 (worst: swing.y), more than the tolerance 1e-6" },
    ],
    facts: [
      ["method", "newmark, index 3"],
      ["step", "0.02"],
    ],
    summary: null,
    time: pack(time),
    rows,
    columns: [
      column(
        "angle",
        "output",
        time.map((t) => 0.8 * t),
      ),
      column(
        "bob.z",
        "output",
        range(rows, (i) => poses[i * 35 + 9]),
      ),
      column(
        "load",
        "output",
        time.map((t) => 2500 + 800 * Math.sin(3 * t)),
      ),
      ...range(14, (k) =>
        column(
          `hinge${k + 1}.force`,
          "reaction",
          time.map((t) => 20 * Math.cos(t + k)),
          { shared: k % 5 === 0 },
        ),
      ),
      column(
        "position",
        "violation",
        time.map((t) => 1e-5 * Math.exp(t / 2)),
      ),
      column(
        "velocity",
        "violation",
        time.map((t) => 1e-4 * Math.exp(t / 2)),
      ),
      ...range(40, (k) =>
        column(
          `c${k}`,
          "violation",
          time.map((t) => 10 ** (-12 + (k % 8)) * (1.5 + Math.sin(t * (k + 1)))),
        ),
      ),
      column(
        "kinetic",
        "energy",
        time.map((t) => 40 + 12 * Math.sin(6 * t)),
      ),
      column(
        "drift",
        "energy",
        time.map((t) => -0.002 * t),
      ),
    ],
    events: [
      {
        t: singularAt,
        kind: "singular",
        text: "constraint 'swing.y' becomes dependent on others (rank 29 instead of 30)",
      },
      { t: 4.2, kind: "partition", text: "other coordinates became the dependent ones" },
    ],
    steps: stepsOf(6, 300, singularAt),
    scene: {
      dimension: 3,
      up: [0, 0, 1],
      size: 2.4,
      bodies: [
        { name: "ground", shapes: [{ kind: "cylinder", from: [0, 0, 0], to: [0, 0, 1.1], radius: 0.06 }] },
        { name: "arm", shapes: [{ kind: "rod", from: [-0.9, 0, 0], to: [1, 0, 0], radius: 0.035 }] },
        { name: "swing", shapes: [{ kind: "box", size: [0.12, 0.2, 0.7], at: [0, 0, 0.1], axes: eye }] },
        {
          name: "slider",
          shapes: [
            {
              kind: "plate",
              size: [0.3, 0.3],
              thickness: 0.04,
              at: [0, 0, 0],
              axes: [0, 0, 1, 1, 0, 0, 0, 1, 0],
            },
          ],
        },
        {
          name: "flywheel",
          shapes: [
            { kind: "cylinder", from: [-0.12, 0, 0], to: [-0.06, 0, 0], radius: 0.2 },
            { kind: "sphere", at: [-0.09, 0, 0.2], radius: 0.05 },
          ],
        },
        { name: "tail", shapes: [] },
      ],
      points: [
        { name: "end", body: 5, at: [0.2, 0, -0.3] },
        { name: "corner", body: 2, at: [0.06, 0.1, -0.25] },
      ],
      joints: [
        joint(
          "base",
          "revolute",
          0,
          1,
          [
            [0, 0, 1.2],
            [0, 0, 0],
          ],
          [0, 0, 1],
        ),
        joint(
          "swing",
          "spherical",
          1,
          2,
          [
            [1, 0, 0],
            [0, 0, 0.5],
          ],
          [0, 1, 0],
          { shared: true },
        ),
        joint(
          "rail",
          "prismatic",
          1,
          3,
          [
            [-0.5, 0, 0],
            [0, 0, 0],
          ],
          [1, 0, 0],
        ),
        joint(
          "axle",
          "cylindrical",
          3,
          4,
          [
            [0, 0, 0],
            [0, 0, 0],
          ],
          [1, 0, 0],
        ),
        joint(
          "hook",
          "universal",
          2,
          5,
          [
            [0, 0, -0.35],
            [0, 0, 0],
          ],
          [0, 1, 0],
          { cut: true },
        ),
      ],
      springs: [
        {
          name: "spring",
          body: [0, 2],
          at: [
            [0, 0, 0.3],
            [0, 0, -0.2],
          ],
        },
      ],
      tracks: [],
      lines: [],
      frames: rows,
      frame_time: pack(time),
      poses: pack(poses, "f32"),
      forces: pack(range(rows * 5, (i) => [10 * Math.sin(i), 5, 20]).flat(), "f32"),
    },
  });
}

/** A wheel that rolls 20 m along x: small compared with its way. */
export function rolling() {
  const rows = 201;
  const radius = 0.25;
  const time = range(rows, (i) => i / 50);
  const speed = 5;
  const poses = time.flatMap((t) => {
    const angle = (speed * t) / radius;
    return [speed * t, 1, radius, Math.cos(angle / 2), 0, Math.sin(angle / 2), 0];
  });
  return reportOf({
    title: "A wheel on its way",
    verdict: [{ ok: true, text: "reached t = 4" }],
    time: pack(time),
    rows,
    columns: [
      column(
        "x",
        "output",
        time.map((t) => speed * t),
        { unit: "m" },
      ),
    ],
    scene: {
      dimension: 3,
      up: [0, 0, 1],
      size: radius,
      bodies: [
        { name: "ground", shapes: [] },
        { name: "wheel", shapes: [{ kind: "cylinder", from: [0, -0.01, 0], to: [0, 0.01, 0], radius }] },
      ],
      points: [],
      joints: [
        {
          name: "tread",
          type: "wheel",
          body: [0, 1],
          at: [
            [0, 1, 0],
            [0, 0, 0],
          ],
          axis: [0, 0, 1],
          cut: true,
          shared: false,
        },
      ],
      springs: [],
      tracks: [],
      lines: [],
      frames: rows,
      frame_time: pack(time),
      poses: pack(poses, "f32"),
      forces: null,
    },
  });
}

/** A model of equations: three masses on strings, as tracks and lines. */
export function equations() {
  const rows = 501;
  const time = range(rows, (i) => i / 50);
  const chain = time.map((t) => {
    const places = [[0, 0, 0]];
    for (let k = 1; k <= 3; k++) {
      const angle = (0.9 / k) * Math.cos((1.5 + k) * t);
      const [x, y] = places[k - 1];
      places.push([x + 0.5 * Math.sin(angle), y - 0.5 * Math.cos(angle), 0]);
    }
    return places;
  });
  return reportOf({
    title: "three masses on strings",
    verdict: [{ ok: true, text: "reached t = 10" }],
    facts: [["method", "gauss, 3 stages"]],
    time: pack(time),
    rows,
    columns: [
      ...[1, 2, 3].flatMap((k) => [
        column(
          `x${k}`,
          "coordinate",
          chain.map((c) => c[k][0]),
        ),
        column(
          `y${k}`,
          "coordinate",
          chain.map((c) => c[k][1]),
        ),
      ]),
      column(
        "x3",
        "output",
        chain.map((c) => c[3][0]),
      ),
      ...[1, 2, 3].map((k) =>
        column(
          `string${k}`,
          "multiplier",
          time.map((t) => 9.81 * k + Math.sin(k * t)),
        ),
      ),
    ],
    scene: {
      dimension: 2,
      up: [0, 1, 0],
      size: 1.6,
      bodies: [{ name: "ground", shapes: [] }],
      points: [],
      joints: [],
      springs: [],
      tracks: range(4, (k) => ({
        name: k === 0 ? "O" : `P${k}`,
        data: pack(
          chain.flatMap((c) => c[k]),
          "f32",
        ),
      })),
      lines: [
        ["O", "P1"],
        ["P1", "P2"],
        ["P2", "P3"],
      ],
      frames: rows,
      frame_time: pack(time),
      poses: pack([], "f32"),
      forces: null,
    },
  });
}

/** 100 000 rows of 30 series. */
export function long() {
  const rows = 100000;
  const time = range(rows, (i) => i / 1000);
  const noise = random(3);
  return reportOf({
    title: "A hundred thousand rows",
    verdict: [{ ok: true, text: "reached t = 99.999" }],
    time: pack(time),
    rows,
    columns: [
      ...range(10, (k) =>
        column(
          `out${k}`,
          "output",
          time.map((t) => Math.sin(t * (1 + k / 7)) + 0.05 * noise()),
        ),
      ),
      column(
        "spike",
        "output",
        time.map((_, i) => (i === 54321 ? 1 : 0.01 * noise())),
      ),
      ...range(11, (k) =>
        column(
          `q${k}`,
          "coordinate",
          time.map((t) => Math.cos(t / (k + 1))),
        ),
      ),
      column(
        "position",
        "violation",
        time.map(() => 1e-12 * noise()),
      ),
      column(
        "velocity",
        "violation",
        time.map(() => 1e-11 * noise()),
      ),
      ...range(6, (k) =>
        column(
          `loop${k}`,
          "violation",
          time.map(() => 10 ** (-13 - k) * noise()),
        ),
      ),
    ],
    steps: stepsOf(99.999, 20000),
  });
}

export function comparison() {
  const noise = random(11);
  const integrators = ["dopri5", "dop853", "adams", "bdf", "radau5", "gauss", "ida"];
  const methods = ["index 1", "index 2", "projection", "null space"];
  const runs = integrators.flatMap((integrator, a) =>
    methods.flatMap((method, b) =>
      range(5, (k) => {
        const failed = integrator === "bdf" && k === 4 && b === 1;
        const tolerance = 10 ** (-3 - 2 * k);
        const evaluations = Math.round(400 * (1 + a / 3) * 10 ** (k / (1.5 + a / 3)) * (1 + 0.2 * b));
        return {
          method,
          integrator,
          tolerance,
          step: null,
          status: failed ? "step_size" : "ok",
          error: failed ? null : tolerance * (3 + 20 * noise()) * (1 + b),
          violation: b === 2 ? 1e-15 : tolerance * noise(),
          energy: tolerance * noise(),
          steps: Math.round(evaluations / 7),
          evaluations,
          factorizations: Math.round(evaluations * (b === 0 ? 1 : 0.4)),
          seconds: evaluations * 2.1e-6 * (1 + noise()),
        };
      }),
    ),
  );
  return {
    format: "keel-comparison",
    version: 1,
    title: "Andrews' squeezing mechanism: methods compared",
    reference: "radau5 at tolerance 1e-13; a second reference agrees to 2.4e-12",
    runs,
    notes: [
      "Errors are of the final coordinates, relative to 1 + their size.",
      "Processor times are of one run and vary.",
    ],
  };
}

export function reproduction() {
  const t = range(200, (i) => i / 20);
  return {
    format: "keel-reproduction",
    version: 1,
    title: "Stabilisation of constraints, reproduced",
    paper: "A. Author and B. Writer: On keeping constraints. Journal of Examples 1 (1990) 1-20.",
    claims: [
      {
        id: "table 1, row 1",
        what: "error of projection at h = 0.01",
        claim: "3.2e-5",
        measured: "3.18e-5",
        verdict: "agrees",
        why: "",
        robust: true,
      },
      {
        id: "table 1, row 2",
        what: "error of Baumgarte",
        claim: "1.1e-3",
        measured: "2.6e-3",
        verdict: "differs",
        why: "the paper does not tell its parameters; with alpha = 5 it is 1.2e-3",
      },
      {
        id: "figure 2",
        what: "drift grows with t\u00b2",
        claim: "exponent 2",
        measured: "1.98",
        verdict: "agrees",
        why: "",
      },
      {
        id: "table 3",
        what: "processor times",
        claim: "12 s",
        measured: "0.01 s",
        verdict: "not comparable",
        why: null,
      },
    ],
    text: "All runs are of `models/pendulum.yaml` with the steps of the paper, see [projection.md](projection.md).",
    tables: [
      {
        title: "Table 1",
        text: "Errors at t = 10.",
        columns: ["method", "error"],
        rows: [
          ["projection", "3.18e-5"],
          ["Baumgarte", null],
        ],
      },
    ],
    figures: [
      {
        title: "Figure 1: angle of the pendulum",
        x_label: "time [s]",
        y_label: "angle [rad]",
        x_log: false,
        y_log: false,
        series: [
          { name: "projection", x: t, y: t.map((x) => Math.cos(3 * x)) },
          {
            name: "paper",
            x: range(20, (i) => i / 2),
            y: range(20, (i) => Math.cos(1.5 * i) + 0.02),
            marks: true,
          },
        ],
      },
      {
        title: "Figure 2: drift of the constraints",
        x_label: "step [s]",
        y_label: "violation",
        x_log: true,
        y_log: true,
        series: [
          { name: "none", x: range(8, (k) => 2 ** -k / 10), y: range(8, (k) => 4 ** -k / 50), marks: true },
          {
            name: "Baumgarte",
            x: range(8, (k) => 2 ** -k / 10),
            y: range(8, (k) => (k === 3 ? null : 8 ** -k / 300)),
          },
        ],
      },
    ],
  };
}

/**
 * Two problems, Keel and two peers. Errors are those of methods of order p: cost grows with error^(-1/p). `rival` does not count
 * evaluations, does not get to 1e-9 on `arm`, and lets constraints drift; `other` fails everywhere on `ring`.
 */
export function bench() {
  const levels = [1e-3, 1e-6, 1e-9];
  const failure = (value, why) => ({
    value,
    why,
    seconds: null,
    error: null,
    velocity_error: null,
    violation: null,
    velocity_violation: null,
    energy: null,
    steps: null,
    evaluations: null,
    factorizations: null,
    instructions: null,
  });
  /** Tolerances 10^-2 ... 10^-9: error 2 tol, milliseconds `ms` at an error of 1e-3 and (1e-3 / error)^(1/order) times that. */
  const curve = (solver, method, ms, order, more = {}) => {
    const { count: size = 8, fails = {}, drift = 1e-14, counts = true } = more;
    const points = range(size, (k) => {
      const value = 10 ** (-2 - k);
      if (fails[k]) return failure(value, fails[k]);
      const error = 2 * value;
      const seconds = 1e-3 * ms * (1e-3 / error) ** (1 / order);
      const evaluations = Math.round(1e6 * seconds);
      return {
        ...failure(value, null),
        seconds,
        error,
        velocity_error: 30 * error,
        violation: drift,
        velocity_violation: 10 * drift,
        energy: error,
        steps: Math.round(evaluations / 7),
        evaluations: counts ? evaluations : null,
        factorizations: counts ? evaluations : null,
        instructions: counts && k === 5 ? 3e9 * seconds : null,
      };
    });
    const reached = points.filter((p) => p.error !== null).map((p) => p.error);
    const at = levels.map((level) =>
      Math.min(...reached) <= level ? 1e-3 * ms * (1e-3 / level) ** (1 / order) : null,
    );
    return { solver, method, own: solver === "keel", parameter: solver === "rival" ? "h" : "tol", at, points };
  };
  const row = (problem, level, own, peer) => {
    const [keel, peer_seconds] = [own.at[level], peer?.at[level] ?? null];
    return {
      problem,
      error: levels[level],
      keel,
      peer: peer_seconds === null ? null : peer.solver,
      peer_method: peer_seconds === null ? null : peer.method,
      peer_seconds,
      ratio: keel === null || peer_seconds === null ? null : peer_seconds / keel,
    };
  };
  const late = "the step became too small at t = 0.0172 s: the iteration of joint 'B' does not converge";
  const arm = [
    curve("keel", "dopri5/index1/projection", 0.8, 5, { count: 9 }),
    curve("keel", "auto", 0.5, 8, { count: 9 }),
    curve("rival", "euler", 0.9, 2, { count: 5, drift: 4e-4, counts: false, fails: { 0: late, 1: late } }),
    curve("other", "bdf", 4, 5, { count: 9 }),
    curve("other", "adams", 3, 6, { count: 9, drift: 1e-9 }),
  ];
  const ring = [
    curve("keel", "auto", 2, 4, { count: 6 }),
    curve("keel", "bdf/index1/projection", 3, 4, { count: 9 }),
    curve("other", "bdf", 5, 5, { fails: range(8, () => "redundant constraints") }),
    curve("rival", "euler", 40, 4, { count: 9, drift: 2e-7, counts: false }),
  ];
  return {
    format: "keel-bench",
    version: 1,
    title: "Work and precision",
    levels,
    promises: [
      {
        text: "an arm against everybody",
        aim: 2,
        rows: [row("arm", 0, arm[1], arm[2]), row("arm", 1, arm[1], arm[4]), row("arm", 2, arm[1], arm[4])],
      },
      {
        text: "a ring against other",
        aim: 10,
        rows: [row("ring", 0, ring[0], ring[2]), row("ring", 1, ring[0], ring[2]), row("ring", 2, ring[0], ring[3])],
      },
      { text: "a truck against everybody", aim: 5, rows: [] },
    ],
    problems: [
      {
        name: "arm",
        title: "an arm of two rods, 1 s",
        model: "arm.yaml",
        reference: "known (models/arm.yaml)",
        uncertainty: 2e-10,
        curves: arm,
      },
      {
        name: "ring",
        title: "a ring with repeated joints, 10 s",
        model: "ring.yaml",
        reference: "Keel, dop853/index1/projection at a tolerance of 1e-13",
        uncertainty: null,
        curves: ring,
      },
    ],
  };
}

export const pages = {
  "four-bar": fourBar,
  spatial,
  rolling,
  equations,
  long,
  comparison,
  reproduction,
  bench,
  empty: () => null,
};

export function writePages(directory, names = Object.keys(pages)) {
  mkdirSync(directory, { recursive: true });
  for (const name of names) writeFileSync(join(directory, `${name}.html`), fill(pages[name]()));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv[2]) {
    console.error("usage: node fixtures.mjs DIRECTORY");
    process.exit(2);
  }
  writePages(process.argv[2]);
}
