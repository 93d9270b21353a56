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
import { longest, type Extent } from "./extent";

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

export interface Floor {
  grid: LineSegments;
  /** Width of a square. */
  readonly spacing: number;
  paint(): void;
  /** Under the whole way, or, when `following`, under what moves: then it goes along with `centre` by whole squares. */
  lay(following: boolean, centre: Vector3): void;
}

/** Squares from the middle to the edge. */
const CELLS = { plane: 60, floor: 12, followed: 30 };

/** A grid in the plane of drawing, or on the floor below everything. */
export function createFloor(scene: Scene, extent: Extent): Floor {
  const flat = scene.dimension === 2;
  const up = flat ? new Vector3(0, 0, 1) : new Vector3(...scene.up).normalize();
  if (up.lengthSq() === 0) up.set(0, 0, 1);
  const a = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  a.addScaledVector(up, -a.dot(up)).normalize();
  const b = up.clone().cross(a);

  const middle = new Vector3();
  let low = Infinity;
  for (const p of extent.places) {
    middle.add(p);
    low = Math.min(low, p.dot(up));
  }
  if (extent.places.length > 0) middle.divideScalar(extent.places.length);
  else low = 0;
  const height = flat ? -2 * scene.size : low - 0.005 * scene.size;
  // the size of the scene is that of the drawing: what travels, or is much larger, needs larger squares
  const reach = longest(extent.places);
  const spacings = {
    whole: roundLength((reach > 4 * scene.size ? reach : scene.size) / 8),
    followed: roundLength(Math.max(extent.size, scene.size) / 8),
  };

  const material = new LineBasicMaterial();
  const grid = new LineSegments(new BufferGeometry(), material);
  grid.frustumCulled = false;
  let spacing = 0;
  let cells = 0;
  const draw = (): void => {
    const vertices: number[] = [];
    const corner = (i: number, j: number): void => {
      const place = a.clone().multiplyScalar(i * spacing);
      vertices.push(...place.addScaledVector(b, j * spacing).toArray());
    };
    for (let k = -cells; k <= cells; k++) {
      corner(k, -cells);
      corner(k, cells);
      corner(-cells, k);
      corner(cells, k);
    }
    grid.geometry.setAttribute("position", new Float32BufferAttribute(vertices, 3));
  };
  const floor: Floor = {
    grid,
    get spacing() {
      return spacing;
    },
    paint: () => void material.color.set(cssColour("--grid")),
    lay(following, centre) {
      const wanted = following ? spacings.followed : spacings.whole;
      const count = flat ? CELLS.plane : following ? CELLS.followed : CELLS.floor;
      if (wanted !== spacing || count !== cells) {
        spacing = wanted;
        cells = count;
        draw();
      }
      const under = following ? centre : middle;
      const round = (x: number): number => Math.round(x / spacing) * spacing;
      grid.position
        .copy(up)
        .multiplyScalar(height)
        .addScaledVector(a, round(under.dot(a)))
        .addScaledVector(b, round(under.dot(b)));
    },
  };
  return floor;
}
