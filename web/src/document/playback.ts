// The document that the page is given: its types, and how it is read. Large arrays come as base64 of little-endian numbers.

import { bytes } from "./base64.ts";
import { Recording, type RecordingEntry } from "./recording.ts";
import { Suggestions, type SuggestionsEntry } from "./suggestions.ts";
import { readReport, type Report } from "./report.ts";
import { Track } from "../motion/track.ts";
import { readPose, type Pose, type Vec3 } from "../motion/vector.ts";

export type BodyKind = "mesh" | "sphere" | "cylinder" | "cone" | "capsule" | "solid" | "points" | "surface" | "deforming";

/** The axis that points upward. */
export type Up = "y" | "z";

/** The document as it is written. */
export interface PlaybackDocument {
  format: 1;
  kind: "scene" | "robot";
  name: string;
  begin: number;
  end: number;
  tolerance: number;
  /** As the kind of file has it; z where nothing is said. */
  up?: Up;
  /** Where a body is a solid, a cloud or a parametric surface. */
  epsilon: number | null;
  meshes: {
    origin: [number, number, number];
    positions: string;
    triangles: string;
    box: { pose: number[]; half: [number, number, number] };
  }[];
  bodies: {
    name: string;
    mesh: number[];
    frames: number[][];
    keys: string;
    deviation: number;
    /** How far any point of the true surface may be from the triangles that are drawn, metres; null: not known. */
    drawn: number | null;
    solid: boolean;
    moves: boolean;
    kind: BodyKind;
    parent: number | null;
    /** As its file has it: so many triangles in a row, and their colour. */
    colours?: [number, string][];
    /** A server that runs the simulation tells its shapes. */
    flexible?: boolean;
    /** Frames of a body that deforms: their times, how many a server gives at once, and all of them where no server does. */
    deforming: null | { times: string; piece: number; frames: string | null; left_out: number };
  }[];
  report: object | null;
  gaps: GapCurve[];
  robot: null | {
    joints: Joint[];
    rest: number[];
    path: null | { times: number[]; values: number[][] };
    /** Those that have names, where the robot is jogged. */
    postures?: NamedConfiguration[];
  };
  /** Of a simulation. */
  recording?: RecordingEntry | null;
  /** Where keyframed bodies have masses. */
  suggested?: SuggestionsEntry | null;
  jog: boolean;
  /** A server runs the simulation: whether each body is rigid and has a mass. */
  simulation?: boolean[] | null;
}

/** Sampled distance of two bodies over time, metres; null where it is not known. */
export interface GapCurve {
  pair: [number, number];
  times: number[];
  gap: (number | null)[];
}

/** A joint that can be set. */
export interface Joint {
  name: string;
  unit: "rad" | "m";
  limits: [number, number] | null;
}

/** A posture that has a name. */
export interface NamedConfiguration {
  name: string;
  /** The joints that it sets, and their values. */
  joints: [string, number][];
  /** What of it has no effect. */
  doubts: string[];
  /** Why the robot cannot have it; then it sets none. */
  error: string | null;
}

/** Triangles by the numbers of the file, in the mesh's frame. */
export interface MeshData {
  /** Added to positions, in f64. */
  readonly origin: Vec3;
  readonly positions: Float32Array;
  readonly triangles: Uint32Array;
  readonly box: { pose: Pose; half: Vec3 };
}

/** Frames of a body that deforms. Between two of them its vertices move evenly. */
export interface FrameSequence {
  /** In seconds, increasing. */
  readonly times: Float64Array;
  /** So many frames are a piece. */
  readonly framesPerChunk: number;
  /** All of them, as positions, frame after frame; null: a server has them. */
  readonly frames: Float32Array | null;
}

/** A mesh where it sits on a body. */
export interface BodyElement {
  readonly mesh: number;
  readonly frame: Pose;
}

export interface BodyData {
  readonly name: string;
  readonly elements: readonly BodyElement[];
  readonly track: Track;
  readonly deviation: number;
  readonly drawn: number | null;
  readonly solid: boolean;
  readonly moves: boolean;
  readonly kind: BodyKind;
  readonly parent: number | null;
  /** As its file has it: so many triangles in a row, and their colour; none where it tells none. */
  readonly colours: readonly (readonly [number, string])[];
  /** Its shapes are those that the server tells. */
  readonly flexible: boolean;
  /** None: its shape is always that of its meshes. */
  readonly deforming: FrameSequence | null;
  /** So many of its frames are not given. */
  readonly leftOut: number;
}

/** The document, read. */
export interface Playback {
  readonly kind: "scene" | "robot";
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly up: Up;
  readonly epsilon: number | null;
  readonly meshes: readonly MeshData[];
  readonly bodies: readonly BodyData[];
  readonly report: Report | null;
  readonly gaps: readonly GapCurve[];
  readonly robot: PlaybackDocument["robot"];
  readonly recording: Recording | null;
  readonly suggested: Suggestions | null;
  readonly jog: boolean;
  readonly simulation: readonly boolean[] | null;
  /** Numbers of the two bodies of each pair of the report. */
  readonly pairs: readonly (readonly [number, number])[];
}

/** Reads a document; throws an error that says which part is bad. */
export function readPlayback(document: PlaybackDocument): Playback {
  if (document.format !== 1) throw new Error(`format ${String(document.format)} of the playback: this page knows 1`);
  if (!(Number.isFinite(document.begin) && document.begin <= document.end && Number.isFinite(document.end))) {
    throw new Error(`the playback runs from ${document.begin} to ${document.end}`);
  }
  const meshes = document.meshes.map(readMesh);
  const bodies = document.bodies.map((body) => readBody(body, meshes));
  const report = document.report === null ? null : readReport(document.report);
  const numbers = new Map(bodies.map((body, number) => [body.name, number]));
  const pairs = (report?.pairs ?? []).map((pair) => {
    const find = (name: string): number => {
      const found = numbers.get(name);
      if (found === undefined) throw new Error(`the report names a body ${name} that the playback lacks`);
      return found;
    };
    return [find(pair.a), find(pair.b)] as const;
  });
  const { kind, name, begin: start, end, epsilon, gaps, robot, jog, up } = document;
  const simulation = document.simulation ?? null;
  const recording = document.recording ? new Recording(document.recording, bodies.length) : null;
  const suggested = document.suggested ? new Suggestions(document.suggested, bodies.length) : null;
  return {
    kind, name, start, end, up: up === "y" ? "y" : "z", epsilon: epsilon ?? null, meshes, bodies, report, gaps: gaps ?? [], robot, recording, suggested, jog, simulation, pairs,
  };
}

function readMesh(mesh: PlaybackDocument["meshes"][number], number: number): MeshData {
  const positions = new Float32Array(bytes(mesh.positions, `positions of mesh ${number}`, 12));
  const triangles = new Uint32Array(bytes(mesh.triangles, `triangles of mesh ${number}`, 12));
  const vertices = positions.length / 3;
  for (let at = 0; at < triangles.length; at += 1) {
    if ((triangles[at] as number) >= vertices) {
      throw new Error(`mesh ${number}: triangle ${Math.floor(at / 3)} names vertex ${triangles[at]} of ${vertices}`);
    }
  }
  return { origin: mesh.origin, positions, triangles, box: { pose: readPose(mesh.box.pose), half: mesh.box.half } };
}

function readBody(body: PlaybackDocument["bodies"][number], meshes: readonly MeshData[]): BodyData {
  const elements = body.mesh.map((mesh, index) => {
    const frame = body.frames[index];
    if (mesh >= meshes.length) throw new Error(`body ${body.name} names mesh ${mesh} of ${meshes.length}`);
    if (frame?.length !== 7) throw new Error(`body ${body.name}: mesh ${index} has no frame of seven numbers`);
    return { mesh, frame: readPose(frame) };
  });
  const track = new Track(new Float64Array(bytes(body.keys, `keys of body ${body.name}`, 64)), body.name);
  const { name, deviation, drawn, solid, moves, kind, parent } = body;
  const deforming = readDeforming(body, elements.map(({ mesh }) => (meshes[mesh] as MeshData).positions.length));
  const leftOut = body.deforming?.left_out ?? 0;
  const colours = (body.colours ?? []).filter(([, colour]) => /^#[0-9a-f]{6}$/.test(colour));
  return { name, elements, track, deviation, drawn, solid, moves, kind, parent, colours, flexible: body.flexible ?? false, deforming, leftOut };
}

/** `sizes`: numbers of the positions of each of the body's meshes. */
function readDeforming({ name, deforming }: PlaybackDocument["bodies"][number], sizes: readonly number[]): FrameSequence | null {
  if (!deforming) return null;
  const times = new Float64Array(bytes(deforming.times, `times of body ${name}`, 8));
  if (times.length === 0) return null;
  const [size, ...more] = sizes;
  if (size === undefined || more.length > 0) throw new Error(`body ${name} deforms and has ${sizes.length} meshes, not one`);
  times.forEach((time, frame) => {
    if (!Number.isFinite(time) || time <= (times[frame - 1] ?? -Infinity)) throw new Error(`body ${name}: frame ${frame} is at ${time} s`);
  });
  const { piece } = deforming;
  if (!(Number.isInteger(piece) && piece > 0)) throw new Error(`body ${name}: pieces of ${piece} frames`);
  const frames = deforming.frames === null ? null : new Float32Array(bytes(deforming.frames, `frames of body ${name}`, 4));
  if (frames !== null && frames.length !== size * times.length) {
    throw new Error(`body ${name}: ${frames.length} numbers are not ${times.length} frames of ${size}`);
  }
  return { times, framesPerChunk: piece, frames };
}

/** The values of a robot's joints on its path at t seconds, or none without a path. */
export function jointsAt(playback: Playback, t: number): number[] | null {
  const path = playback.robot?.path;
  if (!path || path.times.length === 0) return null;
  const { times, values } = path;
  let low = 0;
  let high = times.length - 1;
  if (t <= (times[0] as number)) return values[0] ?? null;
  if (t >= (times[high] as number)) return values[high] ?? null;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) <= t) low = middle;
    else high = middle;
  }
  const [start, end] = [times[low] as number, times[high] as number];
  const fraction = end > start ? (t - start) / (end - start) : 1;
  const [from, to] = [values[low] ?? [], values[high] ?? []];
  return from.map((value, joint) => value + fraction * ((to[joint] ?? value) - value));
}
