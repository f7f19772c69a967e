// Features and velocity of a contact, for the picture and for the detail panel.

import type { App } from "./app.ts";
import { featureOf, type Feature } from "./document/features.ts";
import { contactOf, startTime, type Finding } from "./document/report.ts";
import { sub, type Pose, type Vec3 } from "./motion/vector.ts";

/** Features and velocity of a contact. */
export interface ContactFacts {
  features: readonly Feature[];
  /** Velocity of a relative to b at the contact, m/s; null without a contact point. */
  velocity: Vec3 | null;
}

/** Computes the features and the velocity of a finding. Deforming bodies have their shape at the current time. */
export function contactFacts(app: App, finding: Finding): ContactFacts {
  const { playback, report, frames } = app;
  const contact = report === null ? null : contactOf(report, finding);
  const pair = playback.pairs[finding.pair];
  const time = report === null ? 0 : startTime(report, finding);
  if (contact === null || pair === undefined) return { features: [], velocity: null };
  const tracks = pair.map((body) => playback.bodies[body]?.track);
  const shape = (body: number): Float32Array | null | undefined => (frames.has(body) ? frames.shapeAt(body, app.state.now.time) : undefined);
  const features = pair.map((body, side) =>
    featureOf(playback, body, side === 0 ? "a" : "b", contact, tracks[side]?.pose(time) as Pose, shape(body)));
  // The track of a deforming body does not contain the velocity of its surface.
  if (pair.some((body) => frames.has(body))) return { features, velocity: null };
  const [a, b] = tracks.map((track) => track?.velocity(time, contact.point) ?? ([0, 0, 0] as Vec3)) as [Vec3, Vec3];
  return { features, velocity: sub(a, b) };
}
