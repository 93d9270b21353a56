// Where things that roll or slide on a body touch it. The data tell some point of the plane, which stays behind.

import { Quaternion, Vector3 } from "three";
import type { Joint, Scene, Shape } from "../contract";
import type { Motion } from "./motion";

const ROLLS = ["wheel", "disc", "sphere"];

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
