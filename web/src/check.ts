// Is what stands in the page what the page can show? Says what is wrong otherwise, with the place in the data.

import { GROUPS, type Data } from "./contract";
import { base64Length } from "./packed";

/** The newest version of the data that this page knows. */
const VERSION = 1;

export class BadData extends Error {}

type Check = (value: unknown, place: string) => void;

function fail(place: string, expected: string): never {
  throw new BadData(`${place || "the data"}: expected ${expected}`);
}

const text: Check = (value, place) => {
  if (typeof value !== "string") fail(place, "a text");
};
const bool: Check = (value, place) => {
  if (typeof value !== "boolean") fail(place, "true or false");
};
const real: Check = (value, place) => {
  if (typeof value !== "number" || !Number.isFinite(value)) fail(place, "a number");
};
const natural: Check = (value, place) => {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0)
    fail(place, "a whole number, 0 or more");
};
const object: Check = (value, place) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(place, "an object");
};

const optional =
  (check: Check): Check =>
  (value, place) => {
    if (value !== null && value !== undefined) check(value, place);
  };
const oneOf =
  (...words: (string | number)[]): Check =>
  (value, place) => {
    if (!words.includes(value as string | number)) fail(place, `one of ${words.join(", ")}`);
  };
const list =
  (check: Check, length?: number): Check =>
  (value, place) => {
    if (!Array.isArray(value)) fail(place, "a list");
    if (length !== undefined && value.length !== length) fail(place, `a list of ${length}`);
    value.forEach((entry, i) => check(entry, `${place}[${i}]`));
  };
const fields =
  (checks: Record<string, Check>): Check =>
  (value, place) => {
    object(value, place);
    for (const [key, check] of Object.entries(checks)) {
      check((value as Record<string, unknown>)[key], place ? `${place}.${key}` : key);
    }
  };
const packed =
  (count?: number): Check =>
  (value, place) => {
    fields({ type: oneOf("f64", "f32"), count: natural, base64: text })(value, place);
    const p = value as { type: string; count: number; base64: string };
    if (count !== undefined && p.count !== count) fail(place, `${count} numbers, got ${p.count}`);
    const bytes = p.count * (p.type === "f64" ? 8 : 4);
    if (p.base64.length !== base64Length(bytes)) fail(place, `${base64Length(bytes)} characters of base64`);
  };

const v3 = list(real, 3);
const pair = (check: Check): Check => list(check, 2);

const shapes: Record<string, Check> = {
  rod: fields({ from: v3, to: v3, radius: real }),
  cylinder: fields({ from: v3, to: v3, radius: real }),
  box: fields({ size: v3, at: v3, axes: list(real, 9) }),
  plate: fields({ size: pair(real), thickness: real, at: v3, axes: list(real, 9) }),
  sphere: fields({ at: v3, radius: real }),
  mass: fields({ at: v3 }),
};

const shape: Check = (value, place) => {
  fields({ kind: oneOf(...Object.keys(shapes)) })(value, place);
  shapes[(value as { kind: string }).kind]?.(value, place);
};

const scene: Check = (value, place) => {
  fields({ bodies: list(fields({ name: text, shapes: list(shape) })), frames: natural })(value, place);
  const { bodies, frames } = value as { bodies: unknown[]; frames: number };
  const body: Check = (index, where) => {
    natural(index, where);
    if ((index as number) >= Math.max(bodies.length, 1)) fail(where, `a body, 0 to ${bodies.length - 1}`);
  };
  const link = { name: text, body: pair(body), at: pair(v3) };
  fields({
    dimension: oneOf(2, 3),
    up: v3,
    size: real,
    unit: optional(text),
    force_unit: optional(text),
    points: list(fields({ name: text, body, at: v3 })),
    joints: list(fields({ ...link, type: text, axis: v3, edge: optional(v3), cut: bool, shared: bool })),
    springs: list(fields(link)),
    tracks: list(fields({ name: text, data: packed(3 * frames) })),
    lines: list(pair(text)),
    frame_time: packed(frames),
    poses: packed(7 * frames * Math.max(bodies.length - 1, 0)),
  })(value, place);
  const { joints } = value as { joints: unknown[] };
  fields({ forces: optional(packed(3 * frames * joints.length)) })(value, place);
};

const steps: Check = (value, place) => {
  fields({ t: packed() })(value, place);
  const { count } = (value as { t: { count: number } }).t;
  fields({
    size: packed(count),
    order: optional(packed(count)),
    gap: optional(packed(count)),
    unit: optional(text),
  })(value, place);
};

const report: Check = (value, place) => {
  fields({ rows: natural })(value, place);
  const { rows } = value as { rows: number };
  fields({
    title: text,
    description: optional(text),
    program: text,
    model_text: optional(text),
    model_file: optional(text),
    verdict: list(fields({ ok: bool, known: optional(bool), text })),
    notes: optional(list(text)),
    finished: optional(bool),
    worst: optional(
      list(
        fields({
          level: oneOf("position", "velocity"),
          column: text,
          t: real,
          value: real,
          unit: optional(text),
        }),
      ),
    ),
    facts: list(pair(text)),
    summary: optional(object),
    time: packed(rows),
    time_unit: optional(text),
    columns: list(
      fields({
        name: text,
        group: oneOf(...GROUPS),
        unit: optional(text),
        shared: optional(bool),
        zero: optional(bool),
        data: packed(rows),
      }),
    ),
    events: list(fields({ t: real, kind: text, text })),
    steps: optional(steps),
    scene: optional(scene),
  })(value, place);
};

const comparison = fields({
  title: text,
  program: optional(text),
  reference: text,
  quantities: optional(list(text)),
  times: optional(real),
  target: optional(real),
  ranking: optional(list(fields({ rank: real, method: text, evaluations: optional(real) }))),
  runs: list(
    fields({
      method: text,
      integrator: text,
      tolerance: optional(real),
      step: optional(real),
      status: text,
      reason: optional(text),
      error: optional(real),
      violation: optional(real),
      energy: optional(real),
      steps: optional(real),
      evaluations: optional(real),
      factorizations: optional(real),
      seconds: optional(real),
    }),
  ),
  notes: list(text),
});

const series: Check = (value, place) => {
  fields({ name: text, x: list(optional(real)), y: list(optional(real)), marks: optional(bool) })(
    value,
    place,
  );
  const { x, y } = value as { x: unknown[]; y: unknown[] };
  if (x.length !== y.length) fail(place, "x and y of one length");
};

const reproduction = fields({
  title: text,
  paper: text,
  claims: list(
    fields({
      id: text,
      what: text,
      claim: optional(text),
      measured: optional(text),
      verdict: oneOf("agrees", "differs", "not comparable"),
      why: optional(text),
      robust: optional(bool),
    }),
  ),
  figures: list(
    fields({
      title: text,
      x_label: text,
      y_label: text,
      x_log: bool,
      y_log: bool,
      text: optional(text),
      series: list(series),
    }),
  ),
  text: optional(text),
  tables: optional(
    list(
      fields({ title: text, text: optional(text), columns: list(text), rows: list(list(optional(text))) }),
    ),
  ),
});

const bench: Check = (value, place) => {
  fields({ levels: list(real) })(value, place);
  const { levels } = value as { levels: number[] };
  const number = optional(real);
  const point = fields({
    value: real,
    why: optional(text),
    seconds: number,
    error: number,
    velocity_error: number,
    violation: number,
    velocity_violation: number,
    energy: number,
    steps: number,
    evaluations: number,
    factorizations: number,
    instructions: number,
  });
  const curve = fields({
    solver: text,
    method: text,
    own: bool,
    parameter: text,
    at: list(number, levels.length),
    points: list(point),
  });
  const row = fields({
    problem: text,
    error: real,
    keel: number,
    peer: optional(text),
    peer_method: optional(text),
    peer_seconds: number,
    ratio: number,
  });
  fields({
    title: text,
    promises: list(fields({ text, aim: real, rows: list(row) })),
    problems: list(
      fields({
        name: text,
        title: text,
        model: text,
        reference: text,
        uncertainty: number,
        curves: list(curve),
      }),
    ),
  })(value, place);
};

const formats: Record<string, Check> = {
  "keel-report": report,
  "keel-comparison": comparison,
  "keel-reproduction": reproduction,
  "keel-bench": bench,
};

/** The data in the page; null if it is the empty template. Throws BadData. */
export function parseData(json: string): Data | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new BadData(`the data are not JSON: ${(error as Error).message}`);
  }
  if (value === null) return null;
  fields({ format: oneOf(...Object.keys(formats)), version: natural })(value, "");
  const { format, version } = value as { format: string; version: number };
  if (version > VERSION)
    throw new BadData(`version ${version} of ${format} is newer than this page (${VERSION})`);
  formats[format]?.(value, "");
  return value as Data;
}
