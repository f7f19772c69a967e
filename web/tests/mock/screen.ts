// Documents of screens whose numbers are known: a cube that moves past another.

import type { BodyDocument, Collision, ScreenDocument } from "../../src/screen/document.ts";
import { box } from "./shapes.ts";

type Point = [number, number, number];

const base64 = (array: Float64Array | Float32Array | Uint32Array | Uint8Array): string =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");

/** The numbers of a cube of side 1 whose vertex k is at the low or high end of axis i by bit i of k. */
export function cube(): { positions: Float64Array; triangles: Uint32Array } {
  const bytes = Buffer.from(box(1, 1, 1).triangles, "base64");
  const triangles = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const positions = new Float64Array(24);
  for (let k = 0; k < 8; k += 1) for (let axis = 0; axis < 3; axis += 1) positions[3 * k + axis] = (k >> axis) & 1 ? 0.5 : -0.5;
  return { positions, triangles };
}

/** A body whose faces that `matters` chooses are cut so often, with the times of the middles of their pieces. */
function body(matters: (normal: Point) => boolean, time: (middle: Point) => number, depth: number): BodyDocument {
  const { positions, triangles } = cube();
  const [cuts, times]: [number[], number[]] = [[], []];
  const at = (vertex: number): Point => [0, 1, 2].map((axis) => positions[3 * vertex + axis]) as Point;
  const away = (p: Point, q: Point): number => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  const half = (p: Point, q: Point): Point => p.map((x, axis) => (x + (q[axis] as number)) / 2) as Point;
  const cut = (three: [Point, Point, Point], left: number): void => {
    if (left === 0) {
      cuts.push(0);
      times.push(time([0, 1, 2].map((axis) => three.reduce((sum, corner) => sum + (corner[axis] as number), 0) / 3) as Point));
      return;
    }
    const lengths = three.map((corner, k) => away(corner, three[(k + 1) % 3] as Point));
    const longest = lengths.indexOf(Math.max(...lengths));
    cuts.push(longest + 1);
    const [p, q, r] = [0, 1, 2].map((k) => three[(longest + k) % 3]) as [Point, Point, Point];
    cut([p, half(p, q), r], left - 1);
    cut([half(p, q), q, r], left - 1);
  };
  for (let face = 0; face < triangles.length; face += 3) {
    const three = [0, 1, 2].map((k) => at(triangles[face + k] as number)) as [Point, Point, Point];
    const normal = [0, 1, 2].map((axis) => (three.every((corner) => corner[axis] === three[0][axis]) ? Math.sign(three[0][axis] as number) : 0)) as Point;
    if (matters(normal)) {
      cut(three, depth);
      continue;
    }
    cuts.push(0);
    times.push(-2);
  }
  return {
    positions: base64(positions), triangles: base64(triangles), cuts: base64(new Uint8Array(cuts)), times: base64(new Float32Array(times)),
    outline: "", creases: "",
  };
}

/** The four edges of the side of a cube at x, whose middle is at y. */
const square = (x: number, y: number): string => {
  const corners: Point[] = [[x, y - 0.5, -0.5], [x, y + 0.5, -0.5], [x, y + 0.5, 0.5], [x, y - 0.5, 0.5]];
  return base64(new Float64Array(corners.flatMap((corner, k) => [...corner, ...(corners[(k + 1) % 4] as Point)])));
};

/** A cube that slides 4 m along x from 3 m before another, a quarter aside: it meets the other at half the way. */
export function cubes(): ScreenDocument {
  const moving = body(([x]) => x > 0, ([, y]) => (y + 0.25 > 0.5 ? -1 : 0.5), 8);
  const standing = body(([x]) => x < 0, () => 0, 6);
  const collision = (numbers: Pick<Collision, "kind" | "a" | "b" | "point" | "proper" | "behind">): Collision => ({
    ...numbers, time: [0.4999999, 0.5000001], share: 0.5, normal: [1, 0, 0], properness: numbers.proper ? 0.5 : -0.5,
  });
  return {
    format: 1, name: "cubes <1>", names: ["slider", "post"], way: "exact", verdict: "contact", why: null, duration: 1, unit: "",
    screw: { start: [-3, 0.25, 0, 1, 0, 0, 0], direction: [1, 0, 0], point: [0, 0, 0], zero: [0, 1, 0], slide: 4, angle: 0, velocity: [0, 0, 0] },
    bodies: [{ ...moving, outline: square(-2.5, 0.25) }, { ...standing, outline: square(-0.5, 0) }],
    undecided: 0,
    collisions: [
      collision({ kind: "vertex-face", a: [1], b: [8], point: [-0.5, -0.25, -0.5], proper: true, behind: false }),
      collision({ kind: "edge-edge", a: [1, 5], b: [2, 6], point: [-0.5, 0.5, 0.5], proper: false, behind: true }),
    ],
    play: {
      forward: { verdict: "binds", time: [0.49, 0.5], angle: 0, slide: 2, point: [-0.5, 0, 0.25], free_until: null, why: null },
      backward: { verdict: "free", time: null, angle: null, slide: null, point: null, free_until: null, why: null },
    },
  };
}
