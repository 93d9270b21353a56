// Where everything is at a time: frames of the data, interpolated.

import { Quaternion, Vector3 } from "three";
import type { Scene, V3 } from "../contract";
import { numbers } from "../packed";
import { lastAtOrBefore } from "../search";

const POSE = 7;

export class Motion {
  readonly times: ArrayLike<number>;
  private readonly poses: ArrayLike<number>;
  private readonly tracks: ArrayLike<number>[];
  private readonly forces: ArrayLike<number> | null;
  private readonly moving: number;
  private frame = 0;
  private next = 0;
  private part = 0;

  constructor(private readonly scene: Scene) {
    this.times = numbers(scene.frame_time);
    this.poses = numbers(scene.poses);
    this.tracks = scene.tracks.map((track) => numbers(track.data));
    this.forces = scene.forces ? numbers(scene.forces) : null;
    this.moving = Math.max(scene.bodies.length - 1, 0);
  }

  /** Number of whole frames at or before the time that is set. */
  get framesPassed(): number {
    return this.frame + 1;
  }

  setTime(t: number): void {
    const last = this.times.length - 1;
    this.frame = Math.max(0, lastAtOrBefore(this.times, t));
    this.next = Math.min(this.frame + 1, Math.max(last, 0));
    const from = this.times[this.frame] ?? 0;
    const span = (this.times[this.next] ?? from) - from;
    this.part = span > 0 ? Math.min(1, Math.max(0, (t - from) / span)) : 0;
  }

  setFrame(frame: number): void {
    this.frame = this.next = frame;
    this.part = 0;
  }

  /** The time that is set, to come back to. */
  mark(): [number, number, number] {
    return [this.frame, this.next, this.part];
  }

  restore(mark: [number, number, number]): void {
    [this.frame, this.next, this.part] = mark;
  }

  /** Place of the reference point and rotation from the drawn pose; body 0, the ground, rests. */
  pose(body: number, place: Vector3, rotation: Quaternion): void {
    if (body === 0 || this.scene.frames === 0) {
      place.set(0, 0, 0);
      rotation.identity();
      return;
    }
    const a = POSE * (this.frame * this.moving + body - 1);
    const b = POSE * (this.next * this.moving + body - 1);
    this.mix(this.poses, a, b, place);
    quaternion(this.poses, a + 3, rotation);
    if (this.part > 0) rotation.slerp(quaternion(this.poses, b + 3, other), this.part);
  }

  track(index: number, place: Vector3): void {
    const values = this.tracks[index];
    if (values) this.mix(values, 3 * this.frame, 3 * this.next, place);
  }

  /** Reaction of a joint on its second body; false if the data have none. */
  force(joint: number, force: Vector3): boolean {
    if (!this.forces) return false;
    const count = this.scene.joints.length;
    this.mix(this.forces, 3 * (this.frame * count + joint), 3 * (this.next * count + joint), force);
    return true;
  }

  /** World place of a place in a body. */
  place(body: number, at: V3, out: Vector3): Vector3 {
    this.pose(body, origin, turn);
    return out
      .set(...at)
      .applyQuaternion(turn)
      .add(origin);
  }

  private mix(values: ArrayLike<number>, a: number, b: number, out: Vector3): void {
    const get = (k: number): number => {
      const from = values[a + k] ?? 0;
      return from + this.part * ((values[b + k] ?? from) - from);
    };
    out.set(get(0), get(1), get(2));
  }
}

const other = new Quaternion();
const turn = new Quaternion();
const origin = new Vector3();

/** The data have w first. */
function quaternion(values: ArrayLike<number>, at: number, out: Quaternion): Quaternion {
  return out.set(values[at + 1] ?? 0, values[at + 2] ?? 0, values[at + 3] ?? 0, values[at] ?? 1).normalize();
}
