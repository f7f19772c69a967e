// Canvases that are drawn as fine as the screen is.

/** Makes a canvas as fine as the screen; its size in pixels of the page. */
export function fit(canvas: HTMLCanvasElement, around: HTMLElement): { context: CanvasRenderingContext2D; width: number; height: number } {
  const ratio = Math.min(window.devicePixelRatio, 2);
  const [width, height] = [Math.max(1, around.clientWidth), Math.max(1, around.clientHeight)];
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height };
}
