// Meshes of bodies: their shapes, or a skeleton between the places where something is attached.

import {
  BoxGeometry,
  BufferGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  DoubleSide,
  Group,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from "three";
import type { Scene, Shape, V3 } from "../contract";

const UP = new Vector3(0, 1, 0);
/** Parts of the scene's size: thinnest visible rod, lines on discs, bones of skeletons, bodies that are only a mass. */
const THINNEST = 0.004;
const LINE = 0.003;
const BONE = 0.011;
const MASS = 0.03;
/** A cylinder is a disc if its radius is so many times its length. */
const DISC = 2;

/** A cylinder from one place to another. */
export function bar(from: Vector3, to: Vector3, radius: number, material: MeshStandardMaterial): Mesh {
  const along = to.clone().sub(from);
  const mesh = new Mesh(new CylinderGeometry(radius, radius, along.length(), radius > along.length() ? 64 : 24), material);
  mesh.position.copy(from).add(to).multiplyScalar(0.5);
  if (along.lengthSq() > 0) mesh.quaternion.copy(new Quaternion().setFromUnitVectors(UP, along.normalize()));
  return mesh;
}

function ball(at: Vector3, radius: number, material: MeshStandardMaterial): Mesh {
  const mesh = new Mesh(new SphereGeometry(radius, 32, 20), material);
  mesh.position.copy(at);
  return mesh;
}

/** A ball that stands for a mass of no known size. */
function sign(at: Vector3, size: number, material: MeshStandardMaterial): Mesh {
  const mesh = ball(at, MASS * size, material);
  mesh.userData["sign"] = true;
  return mesh;
}

/** Lines on a mesh, which do not count when its size is measured. */
function markOn(mesh: Mesh, geometry: BufferGeometry, material: MeshStandardMaterial): Mesh {
  const mark = new Mesh(geometry, material);
  mark.position.copy(mesh.position);
  mark.quaternion.copy(mesh.quaternion);
  mark.userData["mark"] = true;
  return mark;
}

/** A line across both faces of a disc, so that one sees it turn, and one along its rim, so that one sees where it ends. */
function discMarks(mesh: Mesh, size: number, material: MeshStandardMaterial): Mesh[] {
  if (!(mesh.geometry instanceof CylinderGeometry)) return [];
  const { radiusTop: radius, height } = mesh.geometry.parameters;
  if (radius < DISC * height) return [];
  const width = Math.min(0.025 * radius, LINE * size);
  const rim = (y: number): BufferGeometry =>
    new TorusGeometry(radius - width, width, 8, 96).rotateX(Math.PI / 2).scale(1, 0.3, 1).translate(0, y, 0);
  return [
    new BoxGeometry(1.9 * radius, 1.04 * height, 2 * width),
    ...[height / 2, -height / 2].map(rim),
  ].map((geometry) => markOn(mesh, geometry, material));
}

/** A block so many times longer than wide is a rack or rail: lines across it show that it moves. */
const RAIL = 5;
const MOST_LINES = 400;

function railMarks(mesh: Mesh, material: MeshStandardMaterial): Mesh[] {
  if (!(mesh.geometry instanceof BoxGeometry)) return [];
  const { width, height, depth } = mesh.geometry.parameters;
  if (width < RAIL * height || width < RAIL * depth) return [];
  const count = Math.min(MOST_LINES, Math.floor(width / height));
  const spacing = width / count;
  return Array.from({ length: count - 1 }, (_, k) =>
    markOn(
      mesh,
      new BoxGeometry(0.12 * height, 1.02 * height, 1.02 * depth).translate((k + 1) * spacing - width / 2, 0, 0),
      material,
    ),
  );
}

/** `axes` is a rotation matrix by rows: its columns are the axes of the block. */
function block(size: V3, at: V3, axes: number[], material: MeshStandardMaterial): Mesh {
  const mesh = new Mesh(new BoxGeometry(...size), material);
  const [a = 1, b = 0, c = 0, d = 0, e = 1, f = 0, g = 0, k = 0, l = 1] = axes;
  mesh.quaternion.setFromRotationMatrix(new Matrix4().set(a, b, c, 0, d, e, f, 0, g, k, l, 0, 0, 0, 0, 1));
  mesh.position.set(...at);
  return mesh;
}

function meshOf(shape: Shape, size: number, material: MeshStandardMaterial): Mesh {
  const thick = (length: number): number => Math.max(length, THINNEST * size);
  switch (shape.kind) {
    case "rod":
    case "cylinder":
      return bar(new Vector3(...shape.from), new Vector3(...shape.to), thick(shape.radius), material);
    case "box":
      return block(shape.size.map(thick) as V3, shape.at, shape.axes, material);
    case "plate":
      return block(
        [thick(shape.size[0]), thick(shape.size[1]), thick(shape.thickness)],
        shape.at,
        shape.axes,
        material,
      );
    case "sphere":
      return ball(new Vector3(...shape.at), thick(shape.radius), material);
    case "mass":
      return sign(new Vector3(...shape.at), size, material);
  }
}

/** Places of a body where joints, springs and points are, without repetitions. */
export function attachments(scene: Scene, body: number): Vector3[] {
  const places: Vector3[] = [];
  const add = (at: V3): void => {
    const place = new Vector3(...at);
    if (!places.some((p) => p.distanceTo(place) < 1e-6 * scene.size)) places.push(place);
  };
  for (const link of [...scene.joints, ...scene.springs]) {
    if (link.body[0] === body) add(link.at[0]);
    if (link.body[1] === body) add(link.at[1]);
  }
  for (const point of scene.points) if (point.body === body) add(point.at);
  return places;
}

/** On one line: a bar from end to end; three: a triangle; more: bars from the reference point; one: a bar to the mass. */
function skeleton(places: Vector3[], size: number, material: MeshStandardMaterial): Mesh[] {
  const reference = new Vector3();
  const bone = (a: Vector3, b: Vector3): Mesh => bar(a, b, BONE * size, material);
  const first = places[0];
  if (!first) return [sign(reference, size, material)];
  if (places.length === 1) return [bone(reference, first), sign(reference, size, material)];

  const far = places.reduce((best, p) => (p.distanceTo(first) > best.distanceTo(first) ? p : best), first);
  const direction = far.clone().sub(first).normalize();
  const along = (p: Vector3): number => p.clone().sub(first).dot(direction);
  const aside = (p: Vector3): number => p.clone().sub(first).addScaledVector(direction, -along(p)).length();
  if (places.every((p) => aside(p) < 1e-3 * size)) {
    const ordered = [...places].sort((a, b) => along(a) - along(b));
    return [bone(ordered[0] as Vector3, ordered[ordered.length - 1] as Vector3)];
  }
  if (places.length === 3) {
    const [a, b, c] = places as [Vector3, Vector3, Vector3];
    return [bone(a, b), bone(b, c), bone(c, a), triangle(a, b, c, material)];
  }
  return places.map((p) => bone(reference, p));
}

/** A mass beside other shapes is held from the nearest place where something is attached. */
function arm(scene: Scene, body: number, at: V3, material: MeshStandardMaterial): Mesh[] {
  const mass = new Vector3(...at);
  const places = attachments(scene, body);
  if (places.length === 0) return [];
  const near = places.reduce((a, b) => (b.distanceTo(mass) < a.distanceTo(mass) ? b : a));
  return near.distanceTo(mass) < MASS * scene.size ? [] : [bar(near, mass, BONE * scene.size, material)];
}

function triangle(a: Vector3, b: Vector3, c: Vector3, like: MeshStandardMaterial): Mesh {
  const geometry = new BufferGeometry();
  geometry.setAttribute(
    "position",
    new Float32BufferAttribute(
      [a, b, c].flatMap((p) => p.toArray()),
      3,
    ),
  );
  geometry.computeVertexNormals();
  const material = like.clone();
  material.transparent = true;
  material.opacity = 0.35;
  material.side = DoubleSide;
  return new Mesh(geometry, material);
}

/** In the plane discs lie behind what is fixed to them. */
function sinkDiscs(meshes: Mesh[], size: number): void {
  const discs = meshes.filter(({ geometry }) => {
    if (!(geometry instanceof CylinderGeometry)) return false;
    return geometry.parameters.radiusTop >= DISC * geometry.parameters.height;
  });
  if (discs.length > 0) for (const mesh of meshes) mesh.position.z -= 0.5 * size;
}

/** The body in its drawn pose, around its reference point. The ground has no skeleton. */
export function bodyGroup(
  scene: Scene,
  index: number,
  material: MeshStandardMaterial,
  mark: MeshStandardMaterial,
): Group {
  const group = new Group();
  const body = scene.bodies[index];
  if (!body) return group;
  const meshes =
    body.shapes.length > 0
      ? body.shapes.flatMap((shape) => {
          const mesh = meshOf(shape, scene.size, material);
          if (index === 0) return [mesh];
          const marks = [...discMarks(mesh, scene.size, mark), ...railMarks(mesh, mark)];
          const holder = shape.kind === "mass" && body.shapes.length > 1 ? arm(scene, index, shape.at, material) : [];
          return [mesh, ...marks, ...holder];
        })
      : index > 0
        ? skeleton(attachments(scene, index), scene.size, material)
        : [];
  for (const mesh of meshes) mesh.userData["title"] = index > 0 ? `body ${body.name}` : body.name;
  if (scene.dimension === 2) sinkDiscs(meshes, scene.size);
  if (meshes.length > 0) group.add(...meshes);
  return group;
}
