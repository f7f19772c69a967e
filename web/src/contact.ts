// What the picture and the numbers both show of a contact.

import type { App } from "./app.ts";
import { featureOf, type Feature } from "./document/features.ts";
import { contactOf, startTime, type Finding } from "./document/report.ts";
import { sub, type Pose, type Vec3 } from "./motion/vector.ts";

/** What the picture and these numbers both need of a contact. */
export interface ContactFacts {
  features: readonly Feature[];
  /** Of a relative to b at the contact, m/s; none where there is no contact with a place. */
  velocity: Vec3 | null;
}

/** What the numbers and the picture need of a happening; the same without a picture. Bodies that deform are as at the time shown. */
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
  // How fast the surface of a body that deforms moves there is not in its track.
  if (pair.some((body) => frames.has(body))) return { features, velocity: null };
  const [a, b] = tracks.map((track) => track?.velocity(time, contact.point) ?? ([0, 0, 0] as Vec3)) as [Vec3, Vec3];
  return { features, velocity: sub(a, b) };
}
