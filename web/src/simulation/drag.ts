// Dragging a body of a simulation: the mouse pulls a point on the body in the plane of the screen, until the button is
// released.

import { Plane, Vector3 } from "three";

import type { App } from "../app.ts";
import { announce } from "../elements/dom.ts";
import { toWorld, type Pose, type Vec3 } from "../motion/vector.ts";
import type { View } from "../view.ts";
import type { SimulationControl } from "./control.ts";

/** Sends the target of the mouse spring: one request at a time, with the newest target. */
class DragSession {
  private inFlight = true;
  private pending: Vec3 | null = null;
  private isOver = false;

  constructor(private readonly control: SimulationControl, body: number, point: Vec3) {
    void this.afterReply(control.request({ type: "grab", body, point }));
  }

  moveTo(target: Vec3): void {
    this.pending = target;
    this.sendNext();
  }

  drop(): void {
    this.isOver = true;
    this.sendNext();
  }

  private sendNext(): void {
    if (this.inFlight) return;
    const { pending } = this;
    this.pending = null;
    if (this.isOver) {
      this.inFlight = true;
      void this.control.request({ type: "drop" });
    } else if (pending !== null) {
      this.inFlight = true;
      void this.afterReply(this.control.request({ type: "drag", target: pending }));
    }
  }

  private async afterReply(reply: Promise<{ result: string }>): Promise<void> {
    const { result } = await reply;
    // A refused grab ends the session.
    if (result !== "done") return;
    this.inFlight = false;
    this.sendNext();
  }
}

/** Starts a drag on dynamic bodies; elsewhere the mouse rotates the picture. */
export function listenToDrag(app: App, view: View, control: SimulationControl): void {
  const { stage } = view;
  const { canvas } = stage;
  const plane = new Plane();
  let drag: { pointer: number; session: DragSession } | null = null;
  const target = (event: PointerEvent): Vec3 | null => {
    const place = stage.ray(event.clientX, event.clientY).ray.intersectPlane(plane, new Vector3());
    return place === null ? null : stage.toWorld(place);
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0 || event.target !== canvas || app.state.now.tool !== "choose" || !control.canControl || drag !== null) return;
    const hit = view.pick({ x: event.clientX, y: event.clientY });
    if (hit !== null && app.playback.bodies[hit.body]?.flexible) announce(`${app.nameOf(hit.body)} is flexible: the hand cannot hold it yet.`);
    if (hit === null || app.playback.simulation?.[hit.body] !== true) return;
    const place = toWorld(view.poses()[hit.body] as Pose, hit.point);
    plane.setFromNormalAndCoplanarPoint(stage.camera.getWorldDirection(new Vector3()), stage.toScene(place));
    drag = { pointer: event.pointerId, session: new DragSession(control, hit.body, hit.point) };
    app.state.set({ body: hit.body });
    canvas.classList.add("holding");
    // Prevents a rotation of the picture.
    event.stopPropagation();
    event.preventDefault();
    canvas.focus();
  };
  // Runs before the listeners of the canvas.
  (canvas.parentElement ?? canvas).addEventListener("pointerdown", down, { capture: true });
  window.addEventListener("pointermove", (event) => {
    if (drag === null || event.pointerId !== drag.pointer) return;
    const to = target(event);
    if (to !== null) drag.session.moveTo(to);
  });
  const up = (event: Event): void => {
    if (drag === null || event instanceof PointerEvent && event.pointerId !== drag.pointer) return;
    drag.session.drop();
    drag = null;
    canvas.classList.remove("holding");
  };
  for (const name of ["pointerup", "pointercancel", "blur"] as const) window.addEventListener(name, up);
}
