// Drawing before the browser shows its next picture: asked for often, done once.

export class Redraw {
  private pending = false;

  /** `draw` is given the time of the picture, as `requestAnimationFrame` tells it. */
  constructor(private readonly draw: (now: number) => void) {}

  /** Whether what was asked for is still to be drawn. */
  get isPending(): boolean {
    return this.pending;
  }

  request(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame((now) => {
      this.pending = false;
      this.draw(now);
    });
  }
}
