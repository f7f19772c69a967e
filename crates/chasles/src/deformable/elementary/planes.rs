//! Planes that separate two moving features.
//!
//! Along a fixed direction the distance of two points with constant velocities is a linear function of time. So a
//! direction along which one feature is ahead of the other at two times separates them between these times, and a
//! direction that separates them at one time gives the exact time until which it does. The next direction is
//! computed at that time.

use glam::DVec3;

use crate::deformable::elementary::features::{MovingFeatures, MovingKind};
use crate::features::contact::FirstContact;
use crate::math::distance::{Closest, point_triangle, segment_segment};

/// The maximum number of directions tried.
const TRIES: usize = 12;

/// Steps shorter than this indicate a contact.
const SHORT: f64 = 1e-12;

/// Sizes for which no product here overflows or loses digits to underflow.
const SIZES: std::ops::Range<f64> = 1e-70..1e70;

/// The rounding error of a coordinate along a direction, as a fraction of the size.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The maximum width of an enclosure.
const WIDEST: f64 = 5e-10;

/// Both features relative to the start of the first vertex, and the maximum coordinate from there.
struct CenteredPair {
    ends: [[DVec3; 4]; 2],
    size: f64,
    first_count: usize,
}

/// An enclosure of the time at which features first come within a distance. Undecided: they are further apart until
/// this time.
pub(in crate::deformable) fn separation(features: &MovingFeatures, distance: f64) -> FirstContact<[f64; 2]> {
    let centre = features.start[0];
    let ends = [features.start, features.end].map(|points| points.map(|p| p - centre));
    let size = ends.iter().flatten().fold(DVec3::ZERO, |most, p| most.max(p.abs())).max_element();
    let first_count = if features.kind == MovingKind::VertexFace { 1 } else { 2 };
    let local = CenteredPair { ends, size, first_count };
    if !SIZES.contains(&size) || distance > SIZES.end || distance > 0.0 && distance < SIZES.start {
        return FirstContact::Undecided(0.0);
    }
    if [DVec3::X, DVec3::Y, DVec3::Z].into_iter().any(|n| local.is_separated_throughout(n, distance)) {
        return FirstContact::Clear;
    }
    let mut time = 0.0;
    for _ in 0..TRIES {
        let Closest { a, b, squared, .. } = local.closest(features.kind, time);
        if squared == 0.0 {
            break;
        }
        let Some(next) = local.separated_until(b - a, time, distance) else { break };
        if next >= 1.0 {
            return FirstContact::Clear;
        }
        let step = next - time;
        time = next;
        if step < SHORT {
            break;
        }
    }
    // Whether the distance is reached at the very start is decided by rounding, unless the margin exceeds the
    // rounding error.
    if distance > 0.0
        && let Some(until) = local.contact_after(features.kind, time, distance)
    {
        return FirstContact::Contact([time, until]);
    }
    FirstContact::Undecided(time)
}

impl CenteredPair {
    /// The heights of all vertices along a direction, at t = 0 and at t = 1.
    fn heights(&self, n: DVec3) -> [[f64; 4]; 2] {
        self.ends.map(|points| points.map(|p| n.dot(p)))
    }

    /// The height difference that proves a separation.
    fn minimum_height(&self, n: DVec3, distance: f64) -> f64 {
        let length = n.length();
        length * (distance * (1.0 + ROUNDING) + 2.0 * ROUNDING * (self.size + distance))
    }

    /// Whether a direction, or its opposite, separates the features throughout.
    fn is_separated_throughout(&self, n: DVec3, distance: f64) -> bool {
        let enough = self.minimum_height(n, distance);
        let heights = self.heights(n);
        let gaps = |sign: f64| {
            heights.map(|h| {
                let (first, second) = h.split_at(self.first_count);
                let top = first.iter().map(|h| sign * h).fold(f64::NEG_INFINITY, f64::max);
                second.iter().map(|h| sign * h).fold(f64::INFINITY, f64::min) - top
            })
        };
        [1.0, -1.0].into_iter().any(|sign| gaps(sign).into_iter().all(|gap| gap > enough))
    }

    /// The time until which a direction separates them, given that it does at `time`; `None` if it does not.
    fn separated_until(&self, n: DVec3, time: f64, distance: f64) -> Option<f64> {
        let enough = self.minimum_height(n, distance);
        let [start, end] = self.heights(n);
        let mut until = f64::INFINITY;
        for i in 0..self.first_count {
            for j in self.first_count..4 {
                let (from, to) = (start[j] - start[i], end[j] - end[i]);
                let now = from + time * (to - from) - enough;
                if now.is_nan() || now <= 0.0 {
                    return None;
                }
                if to < enough {
                    until = until.min(time + now / (from - to) * (1.0 - ROUNDING));
                }
            }
        }
        (until > time).then_some(until)
    }

    fn at(&self, time: f64) -> [DVec3; 4] {
        let [start, end] = &self.ends;
        std::array::from_fn(|i| start[i] + time * (end[i] - start[i]))
    }

    fn closest(&self, kind: MovingKind, time: f64) -> Closest {
        closest(kind, &self.at(time))
    }

    /// A time at or shortly after `time` at which the features are certainly within a distance.
    fn contact_after(&self, kind: MovingKind, time: f64, distance: f64) -> Option<f64> {
        let mut step = 0.0;
        let most = if time > 0.0 { WIDEST } else { f64::MIN_POSITIVE };
        while step < most && time + step <= 1.0 {
            let gap = self.closest(kind, time + step).squared.sqrt();
            if gap + 4.0 * ROUNDING * (self.size + distance) <= distance {
                return Some(time + step);
            }
            step = if step == 0.0 { f64::EPSILON } else { 4.0 * step };
        }
        None
    }
}

/// The closest points of two features, the first feature's first.
pub(in crate::deformable) fn closest(kind: MovingKind, points: &[DVec3; 4]) -> Closest {
    let [a, b, c, d] = *points;
    match kind {
        MovingKind::VertexFace => point_triangle(a, &[b, c, d]),
        MovingKind::EdgeEdge => segment_segment([a, b], [c, d]),
    }
}
