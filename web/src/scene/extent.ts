// How large a mechanism is, and how far it travels: what the picture must hold.

import { CylinderGeometry, Mesh, SphereGeometry, Vector3, type Object3D } from "three";
import type { Joint, Scene, V3 } from "../contract";
import type { Actors } from "./actors";
import type { Motion } from "./motion";

export interface Extent {
  /** Everything, from some of the frames. */
  places: Vector3[];
  /** What moves, relative to the centre of the moving bodies in the same frame. */
  around: Vector3[];
  /** The centre's way: the longest edge of the box around it. */
  path: number;
  /** The same of what moves; 0 if it is a single point. */
  size: number;
}

const FRAMES = 60;
/** A shape so many times longer than the mechanism passes through the picture: a rack, a rail. */
const LONG = 1.5;
/** A mechanism that travels so many times its size is followed from the start. */
const FAR = 4;

export function travelsFar(extent: Extent): boolean {
  return extent.size > 0 && extent.path > FAR * extent.size;
}

/** Frames enough to know the motion. */
function frames(scene: Scene): number[] {
  const step = Math.max(1, Math.floor(scene.frames / FRAMES));
  const result: number[] = [];
  for (let frame = 0; frame < Math.max(1, scene.frames); frame += step) result.push(frame);
  if (scene.frames > 1 && result[result.length - 1] !== scene.frames - 1) result.push(scene.frames - 1);
  return result;
}

export function measure(scene: Scene, motion: Motion, actors: Actors): Extent {
  const places: Vector3[] = [];
  const around: Vector3[] = [];
  const bare: Vector3[] = []; // as `around`, without the size of signs for what has none
  const centres: Vector3[] = [];
  const moves = movingNames(scene, motion);
  const centre = new Vector3();
  const add = (place: Vector3, moving: boolean, sign: boolean): void => {
    places.push(place);
    if (!moving) return;
    around.push(place.clone().sub(centre));
    if (!sign) bare.push(place.clone().sub(centre));
  };
  for (const frame of frames(scene)) {
    motion.setFrame(frame);
    actors.update();
    actors.root.updateMatrixWorld(true);
    centres.push(actors.centre(centre).clone());
    actors.named.forEach(({ place }, i) => add(place.clone(), moves[i] ?? true, false));
    actors.bodies.forEach((body, i) => {
      for (const mesh of body.children)
        for (const place of outline(mesh, LONG * scene.size)) add(place, i > 0, mesh.userData["sign"] === true);
    });
    for (const spring of scene.springs)
      for (const end of [0, 1] as const)
        add(motion.place(spring.body[end], spring.at[end], new Vector3()), true, false);
  }
  return { places, around, path: longest(centres), size: longest(bare) };
}

/** Which joints, points and tracks belong to what moves. A point of the ground does if something is held by it. */
function movingNames(scene: Scene, motion: Motion): boolean[] {
  return [
    ...scene.joints.map((joint) => joint.body[0] > 0 || holds(scene, joint, motion)),
    ...scene.points.map((point) => point.body > 0),
    ...scene.tracks.map(() => true),
  ];
}

/** Do the two places of the joint keep their distance? Those of a rail or of a wheel on the ground do not. */
function holds(scene: Scene, joint: Joint, motion: Motion): boolean {
  const at = (end: 0 | 1): Vector3 => motion.place(joint.body[end], joint.at[end] as V3, new Vector3());
  let low = Infinity;
  let high = 0;
  for (const frame of frames(scene)) {
    motion.setFrame(frame);
    const distance = at(0).distanceTo(at(1));
    low = Math.min(low, distance);
    high = Math.max(high, distance);
  }
  return high - low < 1e-3 * scene.size;
}

/** The longest edge of the box around places. */
export function longest(places: Vector3[]): number {
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = low.clone().negate();
  for (const place of places) {
    low.min(place);
    high.max(place);
  }
  return places.length > 0 ? Math.max(...high.sub(low).toArray()) : 0;
}

/** Places around a mesh that are on its surface, so that the floor lies where a wheel touches it; none of long blocks. */
function outline(object: Object3D, longest: number): Vector3[] {
  if (!(object instanceof Mesh) || object.userData["mark"] === true) return [];
  const geometry = (object as Mesh).geometry;
  const result: Vector3[] = [];
  if (geometry instanceof CylinderGeometry) {
    const { radiusTop, height } = geometry.parameters;
    for (let k = 0; k < 16; k++) {
      const angle = (Math.PI * k) / 8;
      for (const y of [-height / 2, height / 2])
        result.push(new Vector3(radiusTop * Math.cos(angle), y, radiusTop * Math.sin(angle)));
    }
  } else if (geometry instanceof SphereGeometry) {
    const at = new Vector3().setFromMatrixPosition(object.matrixWorld);
    const { radius } = geometry.parameters;
    for (const axis of [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)])
      for (const side of [-radius, radius]) result.push(at.clone().addScaledVector(axis, side));
    return result;
  } else {
    geometry.computeBoundingBox();
    const box = geometry.boundingBox;
    if (!box || Math.max(...box.getSize(new Vector3()).toArray()) > longest) return [];
    for (const x of [box.min.x, box.max.x])
      for (const y of [box.min.y, box.max.y])
        for (const z of [box.min.z, box.max.z]) result.push(new Vector3(x, y, z));
  }
  return result.map((place) => place.applyMatrix4(object.matrixWorld));
}
