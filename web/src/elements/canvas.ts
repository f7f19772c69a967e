// Canvases with the resolution of the screen.

/** Sets the resolution of a canvas; returns its context, and its size in CSS pixels. */
export function fitCanvas(canvas: HTMLCanvasElement, around: HTMLElement): { context: CanvasRenderingContext2D; width: number; height: number } {
  const ratio = Math.min(window.devicePixelRatio, 2);
  const [width, height] = [Math.max(1, around.clientWidth), Math.max(1, around.clientHeight)];
  const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelWidth) canvas.width = pixelWidth;
  if (canvas.height !== pixelHeight) canvas.height = pixelHeight;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height };
}
