// Lines that are some pixels wide: traces of points, lines between points, distances, coils of springs.

import { Color, Quaternion, Vector2, Vector3 } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

export function strokeMaterial(width: number, opacity = 1): LineMaterial {
  return new LineMaterial({ linewidth: width, transparent: opacity < 1, opacity, worldUnits: false });
}

export function stroke(places: Vector3[], material: LineMaterial): Line2 {
  const geometry = new LineGeometry();
  geometry.setPositions(places.flatMap((p) => p.toArray()));
  const line = new Line2(geometry, material);
  line.frustumCulled = false; // its places change
  return line;
}

/** The path of a point, faint, and the part that is passed, strong. */
export class Trace {
  readonly lines: Line2[];
  readonly materials: LineMaterial[] = [strokeMaterial(1.5, 0.35), strokeMaterial(2.5)];

  constructor(places: Vector3[]) {
    this.lines = this.materials.map((material) => stroke(places, material));
  }

  show(framesPassed: number): void {
    const passed = this.lines[1];
    if (!passed) return;
    passed.visible = framesPassed > 1;
    passed.geometry.instanceCount = Math.max(0, framesPassed - 1);
  }

  colour(colour: string): void {
    for (const material of this.materials) material.color = new Color(colour);
  }
}

const Z = new Vector3(0, 0, 1);
const direction = new Vector3();

/** From z = 0 to 1; stretched to the length of the spring, so that windings stay as wide as they are. */
export function coil(turns: number, material: LineMaterial): Line2 {
  const places = [new Vector3(0, 0, 0), new Vector3(0, 0, 0.12)];
  const steps = turns * 20;
  for (let i = 0; i <= steps; i++) {
    const angle = (2 * Math.PI * i) / 20;
    places.push(new Vector3(Math.cos(angle), Math.sin(angle), 0.12 + (0.76 * i) / steps));
  }
  places.push(new Vector3(0, 0, 0.88), new Vector3(0, 0, 1));
  return stroke(places, material);
}

/** Lays an object that runs from z = 0 to 1 between two places. */
export function stretch(
  object: { position: Vector3; quaternion: Quaternion; scale: Vector3 },
  from: Vector3,
  to: Vector3,
  radius: number,
): void {
  direction.copy(to).sub(from);
  const length = direction.length();
  object.position.copy(from);
  object.scale.set(radius, radius, Math.max(length, 1e-9));
  if (length > 0) object.quaternion.setFromUnitVectors(Z, direction.multiplyScalar(1 / length));
}

/** Materials of lines in pixels must know the size of the canvas. */
export function setResolution(materials: LineMaterial[], size: Vector2): void {
  for (const material of materials) material.resolution.copy(size);
}
