// Dots at recent events, where features of deforming bodies first met. They fade over time.

import { BufferAttribute, BufferGeometry, Color, Points, ShaderMaterial } from "three";

import type { App } from "../app.ts";
import { TIME_TOLERANCE, eventOf } from "../document/report.ts";
import type { Palette } from "../elements/theme.ts";
import type { Stage } from "./stage.ts";

/** An event is shown for this fraction of the duration, as in pictures of `chasles render`. */
export const RECENT_FRACTION = 0.04;

const VERTEX = /* glsl */ `
attribute float time;
uniform float now;
uniform float recent;
uniform float beside;
uniform float size;
varying float age;
void main() {
  age = (now - time) / recent;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  bool seen = now >= time - beside && age <= 1.0;
  gl_PointSize = seen ? size : 0.0;
  if (!seen) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 colour;
uniform vec3 rim;
varying float age;
void main() {
  float away = length(gl_PointCoord - 0.5) * 2.0;
  if (away > 1.0) discard;
  gl_FragColor = vec4(away > 0.68 ? rim : colour, 1.0 - 0.75 * max(age, 0.0));
}`;

export class EventMarks {
  private readonly points: Points<BufferGeometry, ShaderMaterial> | null;

  constructor(app: App, private readonly stage: Stage) {
    const { report, events, playback: { start, end } } = app;
    if (report === null || events.length === 0) {
      this.points = null;
      return;
    }
    const [positions, times] = [new Float32Array(events.length * 3), new Float32Array(events.length)];
    events.forEach((finding, number) => {
      const event = eventOf(report, finding);
      if (event === null) return;
      const place = stage.toScene(event.point);
      positions.set([place.x, place.y, place.z], 3 * number);
      // Relative to the start, like `now`.
      times[number] = event.time[1] - start;
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(positions, 3));
    geometry.setAttribute("time", new BufferAttribute(times, 1));
    const pixels = 11 * stage.renderer.getPixelRatio();
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthTest: false, depthWrite: false,
      uniforms: {
        now: { value: 0 }, recent: { value: RECENT_FRACTION * (end - start) }, beside: { value: TIME_TOLERANCE * (end - start) }, size: { value: pixels },
        colour: { value: new Color() }, rim: { value: new Color() },
      },
    });
    this.points = new Points(geometry, material);
    this.points.frustumCulled = false;
    this.points.renderOrder = 11;
    stage.scene.add(this.points);
  }

  /** Shows the events before a time, in seconds from the start; null hides all. */
  show(now: number | null, colours: Palette): void {
    if (this.points === null) return;
    this.points.visible = now !== null;
    const { uniforms } = this.points.material;
    if (now !== null && uniforms["now"]) uniforms["now"].value = now;
    (uniforms["colour"]?.value as Color).set(colours.contact).convertLinearToSRGB();
    (uniforms["rim"]?.value as Color).set(colours.panel).convertLinearToSRGB();
    this.stage.invalidate();
  }
}
