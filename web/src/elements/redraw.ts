// Redraws once before the next frame, however often it is requested.

export class Redraw {
  private pending = false;

  /** `draw` gets the time of the frame from `requestAnimationFrame`. */
  constructor(private readonly draw: (now: number) => void) {}

  /** Whether a redraw is pending. */
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
