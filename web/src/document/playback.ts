// Types and reader of the document that the page shows. Large arrays are base64 of little-endian numbers.

import { bytes } from "./base64.ts";
import { Recording, type RecordingEntry } from "./recording.ts";
import { Suggestions, type SuggestionsEntry } from "./suggestions.ts";
import { readReport, type Report } from "./report.ts";
import { interpolationAt } from "../motion/interpolation.ts";
import { Track } from "../motion/track.ts";
import { readPose, type Pose, type Vec3 } from "../motion/vector.ts";

export type BodyKind = "mesh" | "sphere" | "cylinder" | "cone" | "capsule" | "solid" | "points" | "surface" | "deforming";

/** The axis that points up. */
export type Up = "y" | "z";

/** The document as it is written. */
export interface PlaybackDocument {
  format: 1;
  kind: "scene" | "robot";
  name: string;
  begin: number;
  end: number;
  tolerance: number;
  /** The convention of the file format; z if absent. */
  up?: Up;
  /** Tolerance for solids, clouds and parametric surfaces. */
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
    /** Maximum distance of the true surface from the drawn triangles, metres; null if unknown. */
    drawn: number | null;
    solid: boolean;
    moves: boolean;
    kind: BodyKind;
    parent: number | null;
    /** Colours of the file: numbers of consecutive triangles with their colour. */
    colours?: [number, string][];
    /** A server that runs the simulation sends its shapes. */
    flexible?: boolean;
    /** Frames of a deforming body: times, frames per request, and all frames if there is no server. */
    deforming: null | { times: string; piece: number; frames: string | null; left_out: number };
  }[];
  report: object | null;
  gaps: GapCurve[];
  robot: null | {
    joints: Joint[];
    rest: number[];
    path: null | { times: number[]; values: number[][] };
    /** Named configurations, if the robot can be jogged. */
    postures?: NamedConfiguration[];
  };
  /** Present for a simulation. */
  recording?: RecordingEntry | null;
  /** Present if keyframed bodies have masses. */
  suggested?: SuggestionsEntry | null;
  jog: boolean;
  /** Present if a server runs the simulation: whether each body is rigid and has a mass. */
  simulation?: boolean[] | null;
}

/** Sampled distance of two bodies over time, metres; null where unknown. */
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

/** A configuration with a name, which may set only some joints. */
export interface NamedConfiguration {
  name: string;
  /** Joint names and values. */
  joints: [string, number][];
  /** Parts without effect. */
  doubts: string[];
  /** Reason why the robot cannot reach it; then `joints` is empty. */
  error: string | null;
}

/** Triangles by the numbers of the file, in the mesh's frame. */
export interface MeshData {
  /** Offset of the positions, in f64. */
  readonly origin: Vec3;
  readonly positions: Float32Array;
  readonly triangles: Uint32Array;
  readonly box: { pose: Pose; half: Vec3 };
}

/** Frames of a deforming body. Its vertices move linearly between two frames. */
export interface FrameSequence {
  /** In seconds, increasing. */
  readonly times: Float64Array;
  /** Number of frames in a chunk. */
  readonly framesPerChunk: number;
  /** Positions of all frames, one after the other; null if a server has them. */
  readonly frames: Float32Array | null;
}

/** A mesh with its frame on a body. */
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
  /** Colours of the file: numbers of consecutive triangles with their colour; may be empty. */
  readonly colours: readonly (readonly [number, string])[];
  /** The server sends its shapes. */
  readonly flexible: boolean;
  /** Null if the shape is constant. */
  readonly deforming: FrameSequence | null;
  /** Number of frames that the document leaves out. */
  readonly omitted: number;
}

/** The document after reading. */
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

/** Reads a document; throws an error that names the invalid part. */
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
  const omitted = body.deforming?.left_out ?? 0;
  const colours = (body.colours ?? []).filter(([, colour]) => /^#[0-9a-f]{6}$/.test(colour));
  return { name, elements, track, deviation, drawn, solid, moves, kind, parent, colours, flexible: body.flexible ?? false, deforming, omitted };
}

/** `sizes`: length of the positions of each of the body's meshes. */
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

/** Joint values on the robot's path at t seconds, or null without a path. */
export function jointsAt(playback: Playback, t: number): number[] | null {
  const path = playback.robot?.path;
  if (!path || path.times.length === 0) return null;
  const { times, values } = path;
  const { low, high, fraction } = interpolationAt(times, t);
  const [from, to] = [values[low] ?? [], values[high] ?? []];
  return from.map((value, joint) => value + fraction * ((to[joint] ?? value) - value));
}
