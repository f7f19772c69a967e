// Drawing before the browser shows its next picture: asked for often, done once.

export class Redraw {
  private asked = false;

  /** `draw` is given the time of the picture, as `requestAnimationFrame` tells it. */
  constructor(private readonly draw: (now: number) => void) {}

  /** Whether what was asked for is still to be drawn. */
  get waits(): boolean {
    return this.asked;
  }

  ask(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => {
      this.asked = false;
      this.draw(now);
    });
  }
}
