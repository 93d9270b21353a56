// Small signs for joints, one for each type; their axis is y until the joint's axis turns them.

import {
  BoxGeometry,
  BufferGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshStandardMaterial,
  OctahedronGeometry,
  Quaternion,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from "three";
import type { Joint } from "../contract";

/** Of the scene's size. */
const GLYPH = 0.018;

const cylinder = (radius: number, length: number): BufferGeometry =>
  new CylinderGeometry(radius, radius, length, 28);
const ring = (radius: number, tube: number): BufferGeometry =>
  new TorusGeometry(radius, tube, 10, 36).rotateX(Math.PI / 2);

/** In units of the glyph's radius. */
const parts: Record<string, () => BufferGeometry[]> = {
  revolute: () => [cylinder(1, 2.6)],
  prismatic: () => [new BoxGeometry(1.5, 3.6, 1.5)],
  cylindrical: () => [cylinder(0.7, 4.2), cylinder(1.1, 1.6)],
  screw: () => [cylinder(0.6, 4.2), ...[-1.2, 0, 1.2].map((y) => ring(0.9, 0.25).translate(0, y, 0))],
  spherical: () => [new SphereGeometry(1.25, 24, 16)],
  universal: () => [cylinder(0.5, 3), cylinder(0.5, 3).rotateX(Math.PI / 2)],
  fixed: () => [new BoxGeometry(1.9, 1.9, 1.9)],
  planar: () => [cylinder(2, 0.4)],
  point_on_plane: () => [cylinder(2, 0.25), new SphereGeometry(0.8, 20, 12)],
  point_on_line: () => [cylinder(0.3, 5), new SphereGeometry(0.9, 20, 12)],
  gear: () => [ring(1.5, 0.35), cylinder(0.5, 1)],
  wheel: () => [ring(1.6, 0.3)],
  skate: () => [new BoxGeometry(0.7, 5, 0.7)],
};

const other = (): BufferGeometry[] => [new OctahedronGeometry(1.3)];

export function jointGlyph(
  joint: Joint,
  size: number,
  plain: MeshStandardMaterial,
  shared: MeshStandardMaterial,
): Group {
  const group = new Group();
  const make = parts[joint.type.replace(/-/g, "_")] ?? other;
  const material = joint.shared ? shared : plain;
  // the ring tells those apart who do not see the colour
  for (const geometry of joint.shared ? [...make(), ring(2.3, 0.3)] : make()) {
    const mesh = new Mesh(geometry, material);
    const remarks = [
      joint.type.replace(/_/g, " "),
      joint.shared ? "reaction shared" : "",
      joint.cut ? "closes a loop" : "",
    ];
    mesh.userData["title"] = `joint ${joint.name}: ${remarks.filter(Boolean).join(", ")}`;
    group.add(mesh);
  }
  group.scale.setScalar(GLYPH * size);
  return group;
}

const turn = new Quaternion();
const UP = new Vector3(0, 1, 0);

/** The body that a sign turns with: the first one, or that of the edge. */
export function carrierOf(joint: Joint): number {
  return joint.body[joint.edge ? 1 : 0];
}

/** Puts the sign at a place, its axis along the joint's axis or edge in the body with rotation `body`. */
export function placeGlyph(glyph: Group, joint: Joint, place: Vector3, body: Quaternion): void {
  const axis = new Vector3(...(joint.edge ?? joint.axis));
  glyph.position.copy(place);
  glyph.quaternion.copy(body);
  if (axis.lengthSq() > 0) glyph.quaternion.multiply(turn.setFromUnitVectors(UP, axis.normalize()));
}
