// The mouse spring: a line from the held point of the body to the pointer.

import { Group } from "three";

import { PixelSizedObjects, clearGroup, polyline } from "./lines.ts";
import type { Palette } from "../elements/theme.ts";
import type { Vec3 } from "../motion/vector.ts";
import type { Stage } from "./stage.ts";

export class SpringMark {
  private readonly group = new Group();
  private readonly pixelSized: PixelSizedObjects;

  constructor(private readonly stage: Stage) {
    this.pixelSized = new PixelSizedObjects(stage);
    stage.scene.add(this.group);
  }

  /** Shows this spring, or hides it. */
  show(spring: { from: Vec3; to: Vec3 } | null, colours: Palette): void {
    if (spring === null && this.group.children.length === 0) return;
    this.pixelSized.remove(this.group);
    clearGroup(this.group);
    if (spring !== null) {
      const [from, to] = [this.stage.toScene(spring.from), this.stage.toScene(spring.to)];
      this.group.add(polyline([from, to], { colour: colours.ink, width: 2, through: "through" }));
      this.pixelSized.addSphere(this.group, from, { colour: colours.ink, pixels: 9 });
      this.pixelSized.addSphere(this.group, to, { colour: colours.ink, pixels: 12 });
      this.pixelSized.addSphere(this.group, to, { colour: colours.panel, pixels: 7 });
    }
    this.stage.invalidate();
  }
}
