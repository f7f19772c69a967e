// The mouse as a hand: it takes a body by a point and pulls it in the plane of the screen, until the button is let go.

import { Plane, Raycaster, Vector2, Vector3 } from "three";

import type { App } from "../app.ts";
import { announce } from "../elements/dom.ts";
import { toWorld, type Pose, type Vec3 } from "../motion/vector.ts";
import type { View } from "../view.ts";
import type { Runner } from "./runner.ts";

/** Sends where the hand is: one request at a time, and of the places that wait the newest. */
class Hold {
  private underWay = true;
  private waiting: Vec3 | null = null;
  private over = false;

  constructor(private readonly runner: Runner, body: number, point: Vec3) {
    void this.next(runner.order({ type: "grab", body, point }));
  }

  to(target: Vec3): void {
    this.waiting = target;
    this.go();
  }

  drop(): void {
    this.over = true;
    this.go();
  }

  private go(): void {
    if (this.underWay) return;
    const { waiting } = this;
    this.waiting = null;
    if (this.over) {
      this.underWay = true;
      void this.runner.order({ type: "drop" });
    } else if (waiting !== null) {
      this.underWay = true;
      void this.next(this.runner.order({ type: "drag", target: waiting }));
    }
  }

  private async next(asked: Promise<{ result: string }>): Promise<void> {
    const { result } = await asked;
    // What could not be taken is not held.
    if (result !== "done") return;
    this.underWay = false;
    this.go();
  }
}

/** Lets the mouse pull at bodies that have a mass; elsewhere it turns the picture as ever. */
export function listenToHand(app: App, view: View, runner: Runner): void {
  const { stage } = view;
  const { canvas } = stage;
  const ray = new Raycaster();
  const plane = new Plane();
  let hold: { pointer: number; hold: Hold } | null = null;
  const target = (event: PointerEvent): Vec3 | null => {
    const box = canvas.getBoundingClientRect();
    ray.setFromCamera(new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2), stage.camera);
    const place = ray.ray.intersectPlane(plane, new Vector3());
    return place === null ? null : stage.world(place);
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0 || event.target !== canvas || app.state.now.tool !== "choose" || !runner.mayAct || hold !== null) return;
    const hit = view.pick({ x: event.clientX, y: event.clientY });
    if (hit !== null && app.playback.bodies[hit.body]?.flexible) announce(`${app.nameOf(hit.body)} is flexible: the hand cannot hold it yet.`);
    if (hit === null || app.playback.simulation?.[hit.body] !== true) return;
    const place = toWorld(view.poses()[hit.body] as Pose, hit.point);
    plane.setFromNormalAndCoplanarPoint(stage.camera.getWorldDirection(new Vector3()), stage.local(place));
    hold = { pointer: event.pointerId, hold: new Hold(runner, hit.body, hit.point) };
    app.state.set({ body: hit.body });
    canvas.classList.add("holding");
    // The picture does not turn meanwhile.
    event.stopPropagation();
    event.preventDefault();
    canvas.focus();
  };
  // Before the canvas itself hears of it.
  (canvas.parentElement ?? canvas).addEventListener("pointerdown", down, { capture: true });
  window.addEventListener("pointermove", (event) => {
    if (hold === null || event.pointerId !== hold.pointer) return;
    const to = target(event);
    if (to !== null) hold.hold.to(to);
  });
  const up = (event: Event): void => {
    if (hold === null || event instanceof PointerEvent && event.pointerId !== hold.pointer) return;
    hold.hold.drop();
    hold = null;
    canvas.classList.remove("holding");
  };
  for (const name of ["pointerup", "pointercancel", "blur"] as const) window.addEventListener(name, up);
}
