// The data that the program `keel` writes into the page. docs/report.md describes them for people.

export type V3 = [number, number, number];

/** Numbers as base64 of their little-endian bytes. */
export interface Packed {
  type: "f64" | "f32";
  count: number;
  base64: string;
}

export const GROUPS = [
  "output",
  "coordinate",
  "velocity",
  "state",
  "auxiliary",
  "multiplier",
  "reaction",
  "energy",
  "audit",
  "violation",
] as const;
export type Group = (typeof GROUPS)[number];

export interface Column {
  name: string;
  group: Group;
  /** Such as "m/s^2"; "1" is known to have none, "" is not known. */
  unit?: string | null;
  shared?: boolean;
  /** Of a reaction that is shared: this share is zero throughout. */
  zero?: boolean;
  data: Packed;
}

/** The largest violation at any step, which may lie between rows. */
export interface Worst {
  level: "position" | "velocity";
  /** The column of group violation that met it. */
  column: string;
  t: number;
  value: number;
  unit?: string | null;
}

export interface Verdict {
  ok: boolean;
  /** False if this could not be checked; then `ok` says nothing. */
  known?: boolean;
  text: string;
}

export interface Event {
  t: number;
  kind: string;
  text: string;
}

/** One entry for each accepted step. */
export interface Steps {
  t: Packed;
  size: Packed;
  order: Packed | null;
  gap: Packed | null;
  /** Of t and size. */
  unit?: string | null;
}

export interface Report {
  format: "keel-report";
  version: number;
  title: string;
  description: string | null;
  program: string;
  model_text: string | null;
  model_file: string | null;
  verdict: Verdict[];
  /** What was noted and warned of, as that the start was moved; absent in older data. */
  notes?: string[];
  /** Whether the run reached its end; null if the data cannot tell, absent in older data. */
  finished?: boolean | null;
  worst?: Worst[];
  facts: [string, string][];
  summary: object | null;
  time: Packed;
  time_unit?: string | null;
  rows: number;
  columns: Column[];
  events: Event[];
  steps: Steps | null;
  scene: Scene | null;
}

/** Places are relative to the body's reference point, in axes that are the world's in the drawn pose. */
export type Shape =
  | { kind: "rod" | "cylinder"; from: V3; to: V3; radius: number }
  | { kind: "box"; size: V3; at: V3; axes: number[] }
  | { kind: "plate"; size: [number, number]; thickness: number; at: V3; axes: number[] }
  | { kind: "sphere"; at: V3; radius: number }
  | { kind: "mass"; at: V3 };

export interface Body {
  name: string;
  shapes: Shape[];
}

export interface Point {
  name: string;
  body: number;
  at: V3;
}

export interface Joint {
  name: string;
  type: string;
  body: [number, number];
  at: [V3, V3];
  axis: V3;
  /** Of a skate: what it slides along, in the axes of the second body. */
  edge?: V3 | null;
  cut: boolean;
  shared: boolean;
}

export interface Spring {
  name: string;
  body: [number, number];
  at: [V3, V3];
}

export interface Scene {
  dimension: 2 | 3;
  up: V3;
  size: number;
  /** Of lengths and of forces. */
  unit?: string | null;
  force_unit?: string | null;
  /** bodies[0] is the ground. */
  bodies: Body[];
  points: Point[];
  joints: Joint[];
  springs: Spring[];
  /** Places of points of equation models, [frames][3]. */
  tracks: { name: string; data: Packed }[];
  /** Pairs of names of points or tracks. */
  lines: [string, string][];
  frames: number;
  frame_time: Packed;
  /** [frames][bodies - 1][x y z, qw qx qy qz]. */
  poses: Packed;
  /** [frames][joints][3]: reaction on the second body, world axes. */
  forces: Packed | null;
}

export interface ComparisonRun {
  method: string;
  integrator: string;
  tolerance?: number | null;
  step?: number | null;
  status: string;
  error: number | null;
  violation: number | null;
  energy: number | null;
  steps: number | null;
  evaluations: number | null;
  factorizations: number | null;
  seconds: number | null;
  /** Why it did not finish. */
  reason?: string | null;
}

export interface Comparison {
  format: "keel-comparison";
  version: number;
  title: string;
  program?: string;
  reference: string;
  /** The columns that errors are taken of, and how many times. */
  quantities?: string[];
  times?: number;
  /** The error at which methods are ranked by their cost; null without. */
  target?: number | null;
  ranking?: { rank: number; method: string; evaluations: number | null }[];
  runs: ComparisonRun[];
  notes: string[];
}

export interface Claim {
  id: string;
  what: string;
  claim: string | null;
  measured: string | null;
  verdict: "agrees" | "differs" | "not comparable";
  why: string | null;
  /** Does not depend on what the paper leaves open. */
  robust?: boolean;
}

export interface Figure {
  title: string;
  x_label: string;
  y_label: string;
  x_log: boolean;
  y_log: boolean;
  text?: string | null;
  series: { name: string; x: (number | null)[]; y: (number | null)[]; marks?: boolean }[];
}

export interface Table {
  title: string;
  text?: string | null;
  columns: string[];
  rows: (string | null)[][];
}

export interface Reproduction {
  format: "keel-reproduction";
  version: number;
  title: string;
  paper: string;
  /** How the experiments were made. */
  text?: string | null;
  claims: Claim[];
  figures: Figure[];
  tables?: Table[];
}

/** A run; null where it failed, or where the solver does not count. */
export interface BenchPoint {
  /** Tolerance or step. */
  value: number;
  /** Why it failed; null if it did not. */
  why: string | null;
  seconds: number | null;
  /** Of q and of v at the end: largest difference from the reference. */
  error: number | null;
  velocity_error: number | null;
  violation: number | null;
  velocity_violation: number | null;
  energy: number | null;
  steps: number | null;
  evaluations: number | null;
  factorizations: number | null;
  instructions: number | null;
}

export interface BenchCurve {
  solver: string;
  method: string;
  /** Of Keel. */
  own: boolean;
  /** What `value` of a point is: tol or step. */
  parameter: string;
  /** Seconds at the errors `levels`; null where it does not get there. */
  at: (number | null)[];
  /** From coarse to fine. */
  points: BenchPoint[];
}

export interface BenchProblem {
  name: string;
  title: string;
  model: string;
  /** Where the reference comes from. */
  reference: string;
  /** Difference of q between the reference and the nearest run of a peer. */
  uncertainty: number | null;
  curves: BenchCurve[];
}

/** Seconds at an error in q: Keel's auto and the fastest of the peers that are meant; null where nobody gets there. */
export interface BenchRow {
  problem: string;
  error: number;
  keel: number | null;
  peer: string | null;
  peer_method: string | null;
  peer_seconds: number | null;
  /** Peer / Keel. */
  ratio: number | null;
}

export interface BenchPromise {
  text: string;
  /** Least ratio. */
  aim: number;
  rows: BenchRow[];
}

export interface Bench {
  format: "keel-bench";
  version: number;
  title: string;
  /** Errors in q at which solvers are compared. */
  levels: number[];
  promises: BenchPromise[];
  problems: BenchProblem[];
}

export type Data = Report | Comparison | Reproduction | Bench;
