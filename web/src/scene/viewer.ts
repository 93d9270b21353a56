// The animation: canvas, its tools and the names over it.

import { Raycaster, Scene as Stage, Vector2, Vector3, type Object3D, type WebGLRenderer } from "three";
import type { Clock } from "../clock";
import type { Scene } from "../contract";
import { h, watchSight, watchWidth } from "../dom";
import { number } from "../format";
import { onTheme } from "../theme";
import { quantity } from "../units";
import { Actors } from "./actors";
import { createCamera, type CameraRig } from "./camera";
import { measure } from "./extent";
import type { Motion } from "./motion";
import { addLights, createFloor, createRenderer } from "./stage";
import { setResolution } from "./strokes";

export interface Viewer {
  element: HTMLElement;
  fit(): void;
  camera(): { follow: boolean; target: number[]; place: number[] };
}

export function noAnimation(reason: string): HTMLElement {
  return h(
    "p",
    { class: "problem", role: "status" },
    `The animation needs WebGL, which this browser does not offer here (${reason}). Everything else on the page works without it.`,
  );
}

/** Throws if the browser cannot draw in three dimensions. */
export function createViewer(scene: Scene, motion: Motion, clock: Clock): Viewer {
  const canvas = h("canvas", {
    tabindex: 0,
    role: "img",
    "aria-label":
      "animation of the mechanism; drag to move the view, shift and arrows to turn it, plus and minus to zoom",
  });
  const renderer = createRenderer(canvas);
  const stage = new Stage();
  const actors = new Actors(scene, motion);
  const extent = measure(scene, motion, actors);
  const floor = createFloor(scene, extent);
  stage.add(floor.grid, actors.root);

  let pending = false;
  const redraw = (): void => {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      draw();
    });
  };
  const rig = createCamera(scene, extent, canvas, redraw);
  const centre = new Vector3();
  const follow = (): void => {
    motion.setTime(clock.time);
    rig.track(actors.centre(centre));
    floor.lay(rig.following, centre);
  };
  follow();
  addLights(stage, rig);
  const labels = createLabels(actors, rig);
  const tip = h("div", { class: "tip", hidden: true, role: "status" });
  const frame = h("div", { class: "viewer" }, canvas, labels.element, tip);
  floor.paint();

  const draw = (): void => {
    follow();
    actors.update();
    setResolution(actors.strokes, renderer.getSize(new Vector2()));
    renderer.render(stage, rig.camera);
    labels.update(canvas.clientWidth, canvas.clientHeight);
  };

  watchSize(frame, renderer, rig, redraw);
  // what nobody sees is not drawn while it plays
  let seen = true;
  watchSight(frame, (now) => {
    if (now && !seen) redraw();
    seen = now;
  });
  clock.subscribe(() => {
    if (seen || !clock.playing) redraw();
  });
  onTheme(() => {
    actors.paint();
    floor.paint();
    redraw();
  });
  showTips(canvas, tip, rig, actors.root);
  listenToKeys(canvas, rig);

  const caption = h("p", { class: "note" });
  const describe = (): void => {
    const shared = scene.joints.some((j) => j.shared)
      ? " Red joints with a ring share their reaction with others."
      : "";
    caption.textContent = `One square is ${quantity(number(floor.spacing, 3), scene.unit)} wide.${shared}`;
  };
  describe();
  const followTool =
    extent.path > 1e-3 * scene.size
      ? toggle("follow", rig.following, (on) => {
          rig.setFollowing(on);
          follow();
          describe();
        })
      : null;
  if (followTool) followTool.title = "keep the moving bodies in the picture";
  return {
    element: h(
      "div",
      { class: "card" },
      tools(actors, rig, labels, followTool, redraw, scene.force_unit),
      frame,
      traceTools(actors, redraw),
      caption,
    ),
    fit: rig.fit,
    camera: () => ({ follow: rig.following, ...rig.state() }),
  };
}

function watchSize(frame: HTMLElement, renderer: WebGLRenderer, rig: CameraRig, redraw: () => void): void {
  watchWidth(frame, (width) => {
    const height = frame.clientHeight;
    renderer.setSize(width, height, false);
    rig.resize(width, height);
    redraw();
  });
}

function toggle(text: string, on: boolean, changed: (on: boolean) => void): HTMLElement {
  const button = h(
    "button",
    {
      type: "button",
      "aria-pressed": String(on),
      click: () => {
        const now = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(now));
        changed(now);
      },
    },
    text,
  );
  return button;
}

function tools(
  actors: Actors,
  rig: CameraRig,
  labels: Labels,
  followTool: HTMLElement | null,
  redraw: () => void,
  forceUnit: string | null | undefined,
): HTMLElement {
  const button = (text: string, label: string, click: () => void): HTMLElement =>
    h("button", { type: "button", "aria-label": label, title: label, click }, text);
  const views =
    rig.presets.length > 1
      ? rig.presets.map((p) => button(p.name, `view from ${p.name}`, () => rig.look(p)))
      : [];
  const bar = h(
    "div",
    { class: "tools", role: "toolbar", "aria-label": "animation" },
    h(
      "div",
      { class: "group", role: "group", "aria-label": "camera" },
      ...views,
      button("fit", "fit everything into the picture (f)", rig.fit),
      button("+", "zoom in", () => rig.zoom(1.25)),
      button("\u2212", "zoom out", () => rig.zoom(0.8)),
      followTool,
    ),
    h(
      "div",
      { class: "group", role: "group", "aria-label": "shown" },
      actors.hasJoints
        ? toggle("joints", true, (on) => {
            actors.setJointsVisible(on);
            redraw();
          })
        : null,
      toggle("names", false, (on) => {
        labels.element.hidden = !on;
        redraw();
      }),
      actors.forceUnit > 0 ? forceToggle(actors, redraw) : null,
    ),
  );
  if (actors.forceUnit > 0) bar.append(forceScale(actors, redraw, forceUnit));
  return bar;
}

function forceToggle(actors: Actors, redraw: () => void): HTMLElement {
  return toggle("forces", false, (on) => {
    actors.showForces = on;
    document.querySelector<HTMLElement>(".force-scale")?.toggleAttribute("hidden", !on);
    redraw();
  });
}

function forceScale(actors: Actors, redraw: () => void, unit: string | null | undefined): HTMLElement {
  const slider = h("input", {
    type: "range",
    min: -1,
    max: 1,
    step: 0.05,
    value: 0,
    "aria-label": "length of force arrows",
    input: () => {
      actors.forceScale = 10 ** Number(slider.value);
      redraw();
    },
  });
  return h(
    "label",
    { class: "force-scale", hidden: true },
    `reactions on the second body, usual size ${quantity(number(actors.forceUnit, 3), unit)}`,
    slider,
  );
}

function traceTools(actors: Actors, redraw: () => void): HTMLElement | null {
  if (actors.tracers.length === 0) return null;
  const chips = actors.tracers.map((tracer, i) =>
    toggle(tracer.name, tracer.on, (on) => {
      actors.setTrace(i, on);
      redraw();
    }),
  );
  return h(
    "div",
    { class: "tools traces", role: "group", "aria-label": "traces of points" },
    h("span", { class: "label" }, "traces"),
    ...chips,
  );
}

interface Labels {
  element: HTMLElement;
  update(width: number, height: number): void;
}

function createLabels(actors: Actors, rig: CameraRig): Labels {
  const spans = actors.named.map(({ name }) => h("span", {}, name));
  const element = h("div", { class: "labels", hidden: true, "aria-hidden": "true" }, ...spans);
  const place = new Vector3();
  return {
    element,
    update(width, height) {
      if (element.hidden) return;
      actors.named.forEach((named, i) => {
        place.copy(named.place).project(rig.camera);
        const span = spans[i];
        if (!span) return;
        span.hidden = Math.abs(place.z) > 1;
        span.style.transform = `translate(${((place.x + 1) / 2) * width + 8}px, ${((1 - place.y) / 2) * height - 20}px)`;
      });
    },
  };
}

/** What is under the mouse. */
function showTips(canvas: HTMLCanvasElement, tip: HTMLElement, rig: CameraRig, root: Object3D): void {
  const ray = new Raycaster();
  ray.params.Line = { threshold: 0 };
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons !== 0 || event.pointerType === "touch") return;
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    ray.setFromCamera(new Vector2((2 * x) / box.width - 1, 1 - (2 * y) / box.height), rig.camera);
    const meshes: Object3D[] = [];
    root.traverseVisible((part) => {
      if (part.userData["title"]) meshes.push(part);
    });
    const hits = ray.intersectObjects(meshes, false);
    const best = hits.sort(
      (a, b) => b.object.renderOrder - a.object.renderOrder || a.distance - b.distance,
    )[0];
    tip.hidden = !best;
    if (!best) return;
    tip.textContent = String(best.object.userData["title"]);
    tip.style.transform = `translate(${Math.min(x + 12, box.width - 160)}px, ${y + 14}px)`;
  });
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
}

function listenToKeys(canvas: HTMLCanvasElement, rig: CameraRig): void {
  const turns: Record<string, [number, number]> = {
    ArrowLeft: [-0.1, 0],
    ArrowRight: [0.1, 0],
    ArrowUp: [0, 0.1],
    ArrowDown: [0, -0.1],
  };
  canvas.addEventListener("keydown", (event) => {
    const turn = event.shiftKey ? turns[event.key] : undefined;
    if (turn) rig.orbit(...turn);
    else if (event.key === "+") rig.zoom(1.25);
    else if (event.key === "-") rig.zoom(0.8);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
