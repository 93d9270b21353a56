// Everything of a scene that can be seen, and how it follows the motion.

import {
  Color,
  ConeGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
  type Object3D,
} from "three";
import type { Line2 } from "three/examples/jsm/lines/Line2.js";
import type { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Joint, Scene } from "../contract";
import { cssColour, seriesColour } from "../theme";
import { groundLine, placeOfJoint } from "./contact";
import { carrierOf, jointGlyph, placeGlyph } from "./glyphs";
import type { Motion } from "./motion";
import { bodyGroup } from "./shapes";
import { coil, stretch, stroke, strokeMaterial, Trace } from "./strokes";

/** Parts of the scene's size. */
const POINT = 0.012;
const TRACK = 0.022;
const COIL = 0.02;
const ARROW = 0.3;
const LONGEST_ARROW = 0.8;
const SHAFT = 0.006;

export interface Named {
  name: string;
  place: Vector3;
}

export interface Tracer {
  name: string;
  on: boolean;
}

export class Actors {
  readonly root = new Group();
  readonly strokes: LineMaterial[] = [];
  readonly tracers: Tracer[];
  /** Places with names: joints, points, tracks. Kept up to date by `update`. */
  readonly named: Named[];
  showForces = false;
  forceScale = 1;
  /** The force that an arrow of scale 1 shows with its usual length; 0 without forces. */
  readonly forceUnit: number;
  readonly bodies: Group[];
  private readonly glyphs: Group[];
  private readonly jointPlaces: ((out: Vector3) => Vector3)[];
  private readonly movingTracks: boolean[];
  private readonly dots: Mesh[];
  private readonly arrows: Group[];
  private readonly coils: Line2[];
  private readonly lines: Line2[];
  /** Joints that keep a distance, and a line for each. */
  private readonly distances: Joint[];
  private readonly rods: Line2[];
  private readonly base: Line2[];
  private readonly traces: (Trace | null)[];
  private readonly bodyMaterials: MeshStandardMaterial[];
  private readonly joint = material();
  private readonly sharedJoint = material();
  private readonly stripe = material();
  private readonly dot = material();
  private readonly arrow = material();
  private readonly ink = strokeMaterial(2.5);
  private readonly spring = strokeMaterial(2);
  private readonly rod = strokeMaterial(2);
  private readonly faint = strokeMaterial(1.5, 0.5);
  private readonly flat: boolean;

  constructor(
    private readonly scene: Scene,
    private readonly motion: Motion,
  ) {
    this.flat = scene.dimension === 2;
    this.bodyMaterials = scene.bodies.map(() => material());
    this.bodies = scene.bodies.map((_, i) =>
      bodyGroup(scene, i, this.bodyMaterials[i] as MeshStandardMaterial, this.stripe),
    );
    this.glyphs = scene.joints.map((joint) => jointGlyph(joint, scene.size, this.joint, this.sharedJoint));
    this.jointPlaces = scene.joints.map((joint) => placeOfJoint(scene, joint, motion));
    this.movingTracks = scene.tracks.map((_, i) => this.trackMoves(i));
    this.dots = [
      ...scene.points.map((p) => this.makeDot(POINT, `point ${p.name}`)),
      ...scene.tracks.map((t) => this.makeDot(TRACK, t.name)),
    ];
    this.coils = scene.springs.map(() => coil(8, this.spring));
    this.lines = scene.lines.map(() => stroke([new Vector3(), new Vector3(0, 0, 1)], this.ink));
    this.distances = scene.joints.filter((joint) => joint.type === "distance");
    this.rods = this.distances.map(() => stroke([new Vector3(), new Vector3(0, 0, 1)], this.rod));
    const base = groundLine(scene);
    this.base = base.length > 1 ? [stroke(base, this.faint)] : [];
    this.arrows = scene.forces ? scene.joints.map(() => arrowGroup(this.arrow)) : [];
    this.named = [...scene.joints, ...scene.points, ...scene.tracks].map(({ name }) => ({
      name,
      place: new Vector3(),
    }));
    this.tracers = [
      ...scene.points.map((p) => ({ name: p.name, on: !this.onJoint(p.body, new Vector3(...p.at)) })),
      ...scene.tracks.map((t, i) => ({ name: t.name, on: this.movingTracks[i] === true })),
    ];
    this.traces = this.tracers.map(() => null);
    this.forceUnit = this.usualForce();
    this.strokes.push(this.ink, this.spring, this.rod, this.faint);
    this.root.add(...this.bodies, ...this.glyphs, ...this.dots, ...this.arrows, ...this.coils);
    for (const line of [...this.lines, ...this.rods, ...this.base]) this.root.add(line);
    if (this.flat) this.layer();
    this.paint();
  }

  /** Colours of the theme. */
  paint(): void {
    this.bodyMaterials.forEach((m, i) => m.color.set(i === 0 ? cssColour("--ground") : seriesColour(i - 1)));
    this.joint.color.set(cssColour("--joint"));
    this.stripe.color.set(cssColour("--joint"));
    this.sharedJoint.color.set(cssColour("--shared"));
    this.dot.color.set(cssColour("--text"));
    this.arrow.color.set(cssColour("--force"));
    this.ink.color = new Color(cssColour("--text"));
    this.spring.color = new Color(cssColour("--joint"));
    this.rod.color = new Color(cssColour("--joint"));
    this.faint.color = new Color(cssColour("--muted"));
    this.traces.forEach((trace, i) => trace?.colour(this.traceColour(i)));
  }

  get hasJoints(): boolean {
    return this.glyphs.length > 0;
  }

  setJointsVisible(visible: boolean): void {
    for (const glyph of this.glyphs) glyph.visible = visible;
  }

  setTrace(index: number, on: boolean): void {
    const tracer = this.tracers[index];
    if (tracer) tracer.on = on;
  }

  /** Everything to where it is at the time that the motion has. */
  update(): void {
    this.bodies.forEach((group, i) => {
      this.motion.pose(i, group.position, group.quaternion);
      if (this.flat) group.position.z += 1e-3 * i * this.scene.size;
    });
    this.scene.joints.forEach((joint, i) => {
      const place = this.place(i);
      this.jointPlaces[i]?.(place);
      this.motion.pose(carrierOf(joint), scratch, turn);
      placeGlyph(this.glyphs[i] as Group, joint, place, turn);
    });
    const joints = this.scene.joints.length;
    this.dots.forEach((dot, i) => dot.position.copy(this.tracerPlace(i, this.place(joints + i))));
    this.scene.springs.forEach((spring, i) => {
      this.motion.place(spring.body[0], spring.at[0], scratch);
      this.motion.place(spring.body[1], spring.at[1], scratchEnd);
      stretch(this.coils[i] as Line2, scratch, scratchEnd, COIL * this.scene.size);
    });
    this.distances.forEach((joint, i) => {
      this.motion.place(joint.body[0], joint.at[0], scratch);
      this.motion.place(joint.body[1], joint.at[1], scratchEnd);
      stretch(this.rods[i] as Line2, scratch, scratchEnd, 1);
    });
    this.scene.lines.forEach(([from, to], i) => this.updateLine(this.lines[i] as Line2, from, to));
    this.updateTraces();
    this.updateArrows();
  }

  /** The middle of the moving bodies, and of points of equation models, at the time that the motion has. */
  centre(out: Vector3): Vector3 {
    out.set(0, 0, 0);
    let count = 0;
    const add = (place: Vector3): void => {
      out.add(place);
      count++;
    };
    for (let body = 1; body < this.scene.bodies.length; body++) {
      this.motion.pose(body, scratch, turn);
      add(scratch);
    }
    this.scene.tracks.forEach((_, i) => {
      if (!this.movingTracks[i]) return;
      this.motion.track(i, scratch);
      add(scratch);
    });
    return count > 0 ? out.divideScalar(count) : out;
  }

  private place(index: number): Vector3 {
    return (this.named[index] as Named).place;
  }

  private tracerPlace(index: number, out: Vector3): Vector3 {
    const point = this.scene.points[index];
    if (point) return this.motion.place(point.body, point.at, out);
    this.motion.track(index - this.scene.points.length, out);
    return out;
  }

  private makeDot(radius: number, title: string): Mesh {
    const mesh = new Mesh(new SphereGeometry(radius * this.scene.size, 20, 14), this.dot);
    mesh.userData["title"] = title;
    return mesh;
  }

  private onJoint(body: number, at: Vector3): boolean {
    const near = (p: readonly [number, number, number]): boolean =>
      at.distanceTo(scratch.set(...p)) < 1e-6 * this.scene.size;
    return (
      body === 0 ||
      this.scene.joints.some(
        (j) => (j.body[0] === body && near(j.at[0])) || (j.body[1] === body && near(j.at[1])),
      )
    );
  }

  private trackMoves(index: number): boolean {
    this.motion.setFrame(0);
    this.motion.track(index, scratch);
    const step = Math.max(1, Math.floor(this.scene.frames / 100));
    for (let frame = 0; frame < this.scene.frames; frame += step) {
      this.motion.setFrame(frame);
      this.motion.track(index, scratchEnd);
      if (scratchEnd.distanceTo(scratch) > 1e-3 * this.scene.size) return true;
    }
    return false;
  }

  private updateLine(line: Line2, from: string, to: string): void {
    const at = (name: string): Vector3 | undefined =>
      this.named.slice(this.scene.joints.length).find((n) => n.name === name)?.place;
    const a = at(from);
    const b = at(to);
    line.visible = a !== undefined && b !== undefined;
    if (a && b) stretch(line, a, b, 1);
  }

  private traceColour(index: number): string {
    const point = this.scene.points[index];
    return seriesColour(point ? point.body - 1 + 8 : index);
  }

  /** A trace is made when it is first shown. */
  private updateTraces(): void {
    const passed = this.motion.framesPassed;
    this.tracers.forEach((tracer, i) => {
      if (tracer.on && !this.traces[i]) {
        const trace = new Trace(this.path(i));
        trace.colour(this.traceColour(i));
        this.strokes.push(...trace.materials);
        this.root.add(...trace.lines);
        this.traces[i] = trace;
      }
      const trace = this.traces[i];
      if (!trace) return;
      for (const line of trace.lines) line.visible = tracer.on;
      if (tracer.on) trace.show(passed);
    });
  }

  private path(index: number): Vector3[] {
    const still = this.motion.mark();
    const places: Vector3[] = [];
    for (let frame = 0; frame < this.scene.frames; frame++) {
      this.motion.setFrame(frame);
      places.push(this.tracerPlace(index, new Vector3()));
    }
    this.motion.restore(still);
    return places.length > 1 ? places : [new Vector3(), new Vector3()];
  }

  /** Nine of ten forces in the run are smaller than this: peaks in singular poses do not hide the rest. */
  private usualForce(): number {
    if (!this.scene.forces) return 0;
    const step = Math.max(1, Math.floor(this.scene.frames / 400));
    const sizes: number[] = [];
    for (let frame = 0; frame < this.scene.frames; frame += step) {
      this.motion.setFrame(frame);
      for (let j = 0; j < this.scene.joints.length; j++) {
        this.motion.force(j, scratch);
        sizes.push(scratch.length());
      }
    }
    sizes.sort((a, b) => a - b);
    return sizes[Math.floor(0.9 * (sizes.length - 1))] || sizes[sizes.length - 1] || 0;
  }

  private updateArrows(): void {
    const size = this.scene.size;
    this.arrows.forEach((arrow, i) => {
      const force = scratch;
      this.motion.force(i, force);
      const length =
        Math.min(((this.forceScale * ARROW) / (this.forceUnit || 1)) * force.length(), LONGEST_ARROW) * size;
      arrow.visible = this.showForces && length > 0.01 * size;
      if (!arrow.visible) return;
      const from = this.place(i);
      stretch(arrow, from, scratchEnd.copy(force).setLength(length).add(from), SHAFT * size);
      arrow.children[1]?.scale.set(1, 1, Math.min(0.6, (6 * SHAFT * size) / length));
    });
  }

  /** In the plane everything lies in one layer: order it as one would draw it. */
  private layer(): void {
    const order = (objects: Object3D[], at: number): void => {
      for (const object of objects) object.traverse((part) => (part.renderOrder = at));
    };
    order(this.bodies, 1);
    order([...this.coils, ...this.lines, ...this.rods], 2);
    order(this.glyphs, 3);
    order([...this.dots, ...this.arrows], 4);
    for (const m of [this.joint, this.sharedJoint, this.dot, this.arrow, this.ink, this.spring, this.rod])
      m.depthTest = false;
  }
}

const scratch = new Vector3();
const scratchEnd = new Vector3();
const turn = new Quaternion();

function material(): MeshStandardMaterial {
  return new MeshStandardMaterial({ roughness: 0.65, metalness: 0.05 });
}

/** From z = 0 to 1: the shaft, and the head, which ends at 1. */
function arrowGroup(m: MeshStandardMaterial): Group {
  const group = new Group();
  const shaft = new Mesh(new CylinderGeometry(1, 1, 0.9, 16).rotateX(Math.PI / 2).translate(0, 0, 0.45), m);
  const head = new Mesh(new ConeGeometry(2.8, 1, 20).rotateX(Math.PI / 2).translate(0, 0, -0.5), m);
  head.position.z = 1;
  group.add(shaft, head);
  return group;
}
