// Light, floor and the canvas.

import {
  AmbientLight,
  BufferGeometry,
  DirectionalLight,
  Float32BufferAttribute,
  LineBasicMaterial,
  LineSegments,
  Scene as Stage,
  Vector3,
  WebGLRenderer,
} from "three";
import type { Scene } from "../contract";
import { cssColour } from "../theme";
import type { CameraRig } from "./camera";

export function createRenderer(canvas: HTMLCanvasElement): WebGLRenderer {
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  renderer.setClearAlpha(0);
  return renderer;
}

/** Light from above the reader's left shoulder. */
export function addLights(stage: Stage, rig: CameraRig): void {
  const light = new DirectionalLight(0xffffff, 2.2);
  light.position.set(-0.5, 0.8, 1);
  rig.camera.add(light);
  stage.add(new AmbientLight(0xffffff, 1.5), rig.camera);
}

/** 1, 2 or 5 times a power of ten, near `length`. */
function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const lead = length / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

/** A grid in the plane of drawing, or on the floor below everything. */
export function createGrid(
  scene: Scene,
  places: Vector3[],
): { grid: LineSegments; spacing: number; paint: () => void } {
  const up = scene.dimension === 2 ? new Vector3(0, 0, 1) : new Vector3(...scene.up).normalize();
  if (up.lengthSq() === 0) up.set(0, 0, 1);
  const a = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  a.addScaledVector(up, -a.dot(up)).normalize();
  const b = up.clone().cross(a);

  const middle = new Vector3();
  let low = Infinity;
  for (const p of places) {
    middle.add(p);
    low = Math.min(low, p.dot(up));
  }
  if (places.length > 0) middle.divideScalar(places.length);
  else low = 0;
  const height = scene.dimension === 2 ? -2 * scene.size : low - 0.02 * scene.size;
  const spacing = roundLength(scene.size / 8);
  const cells = scene.dimension === 2 ? 60 : 12;
  const round = (x: number): number => Math.round(x / spacing) * spacing;
  const origin = up
    .clone()
    .multiplyScalar(height)
    .addScaledVector(a, round(middle.dot(a)))
    .addScaledVector(b, round(middle.dot(b)));

  const vertices: number[] = [];
  const corner = (i: number, j: number): void => {
    vertices.push(
      ...origin
        .clone()
        .addScaledVector(a, i * spacing)
        .addScaledVector(b, j * spacing)
        .toArray(),
    );
  };
  for (let k = -cells; k <= cells; k++) {
    corner(k, -cells);
    corner(k, cells);
    corner(-cells, k);
    corner(cells, k);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(vertices, 3));
  const material = new LineBasicMaterial();
  const grid = new LineSegments(geometry, material);
  return { grid, spacing, paint: () => void material.color.set(cssColour("--grid")) };
}
