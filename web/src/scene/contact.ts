// Where things that roll or slide on a body touch it. The data tell some point of the plane, which stays behind.

import { Quaternion, Vector3 } from "three";
import type { Joint, Scene, Shape, V3 } from "../contract";
import type { Motion } from "./motion";

const ROLLS = ["wheel", "disc", "sphere"];
/** Of these the data name any point of a plane of the first body. */
const FLOATS = [...ROLLS, "skate", "planar", "point-on-plane"];

type Place = (out: Vector3) => Vector3;

/** How to find the place of a joint at the time that `motion` has. */
export function placeOfJoint(scene: Scene, joint: Joint, motion: Motion): Place {
  const second: Place = (out) => motion.place(joint.body[1], joint.at[1], out);
  if (joint.type === "skate") return second;
  if (!ROLLS.includes(joint.type)) return (out) => motion.place(joint.body[0], joint.at[0], out);
  const round = scene.bodies[joint.body[1]]?.shapes.find((s) => s.kind === "cylinder" || s.kind === "sphere");
  if (!round) return second;
  return scene.dimension === 2 ? onLine(joint, round, motion) : onPlane(joint, round, motion);
}

/** Places of the ground that joints hold, in an order in which a line through them can be drawn; closed around an area. */
export function groundLine(scene: Scene): Vector3[] {
  const left: Vector3[] = [];
  for (const joint of scene.joints) {
    const end = joint.body.indexOf(0);
    if (end < 0 || FLOATS.includes(joint.type)) continue;
    const place = new Vector3(...(joint.at[end] as V3));
    if (!left.some((p) => p.distanceTo(place) < 1e-6 * scene.size)) left.push(place);
  }
  if (left.length < 2) return [];
  const centre = left.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(left.length);
  const take = (value: (p: Vector3) => number): Vector3 => {
    const best = left.reduce((a, b) => (value(b) < value(a) ? b : a));
    left.splice(left.indexOf(best), 1);
    return best;
  };
  const line = [take((p) => -p.distanceTo(centre))];
  while (left.length > 0) {
    const last = line[line.length - 1] as Vector3;
    line.push(take((p) => p.distanceTo(last)));
  }
  const [first, second] = line as [Vector3, Vector3];
  const along = second.clone().sub(first).normalize();
  const aside = (p: Vector3): number => p.clone().sub(first).cross(along).length();
  return line.some((p) => aside(p) > 1e-3 * scene.size) ? [...line, first.clone()] : line;
}

type Round = Extract<Shape, { radius: number }>;

function onPlane(joint: Joint, round: Shape, motion: Motion): Place {
  const { radius } = round as Round;
  const axle = new Vector3();
  if (round.kind === "cylinder") axle.set(...round.to).sub(scratch.set(...round.from)).normalize();
  const normal = new Vector3();
  const side = new Vector3();
  return (out) => {
    motion.place(joint.body[0], joint.at[0], side);
    motion.place(joint.body[1], joint.at[1], out);
    motion.pose(joint.body[0], scratch, turn);
    normal.set(...joint.axis).applyQuaternion(turn);
    if (side.sub(out).dot(normal) > 0) normal.negate(); // towards the centre
    motion.pose(joint.body[1], scratch, turn);
    const a = side.copy(axle).applyQuaternion(turn);
    normal.addScaledVector(a, -normal.dot(a));
    return out.addScaledVector(normal.normalize(), -radius);
  };
}

/** The data have no normal of the line, but the disc usually starts at the point that they name. */
function onLine(joint: Joint, round: Shape, motion: Motion): Place {
  const { radius } = round as Round;
  const still = motion.mark();
  motion.setFrame(0);
  const down = motion.place(joint.body[0], joint.at[0], new Vector3());
  down.sub(motion.place(joint.body[1], joint.at[1], scratch));
  motion.pose(joint.body[0], scratch, turn);
  down.applyQuaternion(turn.invert());
  motion.restore(still);
  if (Math.abs(down.length() - radius) > 0.01 * radius) down.set(0, 0, 0);
  return (out) => {
    motion.place(joint.body[1], joint.at[1], out);
    motion.pose(joint.body[0], scratch, turn);
    return out.add(scratch.copy(down).applyQuaternion(turn));
  };
}

const scratch = new Vector3();
const turn = new Quaternion();
