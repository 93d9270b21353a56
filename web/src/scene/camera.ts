// The camera: views, fitting, moving by mouse, fingers and keys.

import { OrthographicCamera, PerspectiveCamera, Vector3, MOUSE, TOUCH } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Scene } from "../contract";
import { travelsFar, type Extent } from "./extent";

export interface Preset {
  name: string;
  /** Towards the camera, and what is up on the screen. */
  from: Vector3;
  up: Vector3;
}

export interface CameraRig {
  camera: PerspectiveCamera | OrthographicCamera;
  presets: Preset[];
  look(preset: Preset): void;
  fit(): void;
  zoom(factor: number): void;
  orbit(right: number, up: number): void;
  resize(width: number, height: number): void;
  /** Does the view go along with the moving bodies? */
  readonly following: boolean;
  setFollowing(on: boolean): void;
  /** Tells where the centre of the moving bodies is now. */
  track(centre: Vector3): void;
  /** What the camera looks at, and from where. */
  state(): { target: number[]; place: number[] };
}

const MARGIN = 1.15;
const FIELD = 35; // degrees, upright

export function presetsOf(scene: Scene): Preset[] {
  const z = new Vector3(0, 0, 1);
  if (scene.dimension === 2) return [{ name: "top", from: z, up: new Vector3(0, 1, 0) }];
  const up = new Vector3(...scene.up);
  if (up.lengthSq() === 0) up.copy(z);
  up.normalize();
  const right = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  right.addScaledVector(up, -right.dot(up)).normalize();
  const front = right.clone().cross(up);
  const corner = front.clone().addScaledVector(right, 0.75).addScaledVector(up, 0.6).normalize();
  return [
    { name: "corner", from: corner, up },
    { name: "front", from: front, up },
    { name: "side", from: right, up },
    { name: "top", from: up.clone().addScaledVector(front, 1e-4).normalize(), up },
  ];
}

export function createCamera(
  scene: Scene,
  extent: Extent,
  canvas: HTMLCanvasElement,
  changed: () => void,
): CameraRig {
  const flat = scene.dimension === 2;
  const camera = flat ? new OrthographicCamera() : new PerspectiveCamera(FIELD);
  const presets = presetsOf(scene);
  const first = presets[0] as Preset;
  camera.up.copy(first.up);
  const controls = new OrbitControls(camera, canvas);
  controls.enableRotate = !flat;
  controls.enableZoom = false; // the wheel scrolls the page until the canvas is chosen
  if (flat) {
    controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
    controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
  }
  canvas.addEventListener("focus", () => (controls.enableZoom = true));
  canvas.addEventListener("blur", () => (controls.enableZoom = false));
  controls.addEventListener("change", changed);
  let aspect = 1;
  let touched = false;
  let following = travelsFar(extent);
  const centre = new Vector3();
  controls.addEventListener("start", () => (touched = true));

  const fit = (): void => {
    const back = camera.position.clone().sub(controls.target).normalize();
    const right = camera.up.clone().cross(back).normalize();
    const up = back.clone().cross(right);
    const range = (axis: Vector3): { middle: number; half: number } => {
      let low = Infinity;
      let high = -Infinity;
      const offset = following ? centre.dot(axis) : 0;
      for (const p of following ? extent.around : extent.places) {
        const d = p.dot(axis) + offset;
        low = Math.min(low, d);
        high = Math.max(high, d);
      }
      return low <= high
        ? { middle: (low + high) / 2, half: (high - low) / 2 }
        : { middle: 0, half: scene.size / 2 };
    };
    const [x, y, z] = [range(right), range(up), range(back)] as const;
    const half = MARGIN * Math.max(y.half, x.half / aspect, 0.05 * scene.size);
    controls.target
      .set(0, 0, 0)
      .addScaledVector(right, x.middle)
      .addScaledVector(up, y.middle)
      .addScaledVector(back, z.middle);
    const distance = flat ? 10 * scene.size : half / Math.tan((FIELD * Math.PI) / 360) + z.half;
    camera.position.copy(controls.target).addScaledVector(back, distance);
    camera.near = Math.max(distance - 50 * scene.size, distance / 200);
    camera.far = distance + 100 * scene.size;
    if (camera instanceof OrthographicCamera) {
      camera.zoom = 1;
      camera.userData["half"] = half;
      frame(camera, half, aspect);
    }
    camera.updateProjectionMatrix();
    controls.update();
    touched = false;
    changed();
  };

  const rig: CameraRig = {
    camera,
    presets,
    look(preset) {
      camera.up.copy(preset.up);
      camera.position.copy(controls.target).addScaledVector(preset.from, 10 * scene.size);
      fit();
    },
    fit,
    zoom(factor) {
      if (camera instanceof OrthographicCamera) camera.zoom *= factor;
      else camera.position.sub(controls.target).divideScalar(factor).add(controls.target);
      camera.updateProjectionMatrix();
      touched = true;
      controls.update();
      changed();
    },
    orbit(right, up) {
      if (flat) return;
      const offset = camera.position.clone().sub(controls.target);
      offset.applyAxisAngle(camera.up, -right);
      const side = camera.up.clone().cross(offset).normalize();
      const angle = offset.angleTo(camera.up) - up;
      if (angle > 0.02 && angle < Math.PI - 0.02) offset.applyAxisAngle(side, -up);
      camera.position.copy(controls.target).add(offset);
      touched = true;
      controls.update();
      changed();
    },
    resize(width, height) {
      aspect = width / height;
      if (camera instanceof PerspectiveCamera) camera.aspect = aspect;
      else frame(camera, (camera.userData["half"] as number | undefined) ?? scene.size, aspect);
      camera.updateProjectionMatrix();
      if (!touched) fit();
    },
    get following() {
      return following;
    },
    setFollowing(on) {
      following = on;
      fit();
    },
    track(now) {
      if (following) {
        camera.position.add(now).sub(centre);
        controls.target.add(now).sub(centre);
      }
      centre.copy(now);
    },
    state: () => ({ target: controls.target.toArray(), place: camera.position.toArray() }),
  };
  camera.position.copy(first.from).multiplyScalar(10 * scene.size);
  return rig;
}

function frame(camera: OrthographicCamera, half: number, aspect: number): void {
  camera.left = -half * aspect;
  camera.right = half * aspect;
  camera.top = half;
  camera.bottom = -half;
}
