//! Place and direction of the contact of two moving features.

use glam::DVec3;

use crate::deformable::elementary::features::{MovingFeatures, MovingKind};
use crate::deformable::elementary::planes::closest;
use crate::math::direction::unit_along;

/// A place of contact, as in [`FeatureContact`](crate::FeatureContact).
pub(in crate::deformable) struct FeatureWeights {
    pub(in crate::deformable) weights: [f64; 2],
    pub(in crate::deformable) point: DVec3,
    pub(in crate::deformable) normal: DVec3,
}

/// How long before the contact the direction of approach is sampled, as fractions of the time.
const BEFORE: [f64; 4] = [1e-6, 1e-4, 1e-2, 0.5];

/// Shorter displacements are rounding errors.
const TINY: f64 = 1e-13;

/// The sine of an angle below which two directions are equal.
const PARALLEL: f64 = 1e-9;

/// The place of contact of features that come within a distance at a time.
pub(in crate::deformable) fn contact_place(
    features: &MovingFeatures,
    [lo, hi]: [f64; 2],
    distance: f64,
) -> FeatureWeights {
    let time = 0.5 * (lo + hi);
    let scaled = Scaled::new(features);
    let points = scaled.at(time);
    let (weights, [a, b]) = nearest(features.kind, &points);
    let point = scaled.centre + b * scaled.unit;
    let normal = scaled.normal(features.kind, time, b - a, distance);
    FeatureWeights { weights, point, normal }
}

/// Features in coordinates of moderate size, relative to the last vertex at the start.
struct Scaled {
    centre: DVec3,
    unit: f64,
    ends: [[DVec3; 4]; 2],
}

impl Scaled {
    fn new(features: &MovingFeatures) -> Self {
        // Half of a difference never overflows.
        let centre = features.start[3];
        let half = [features.start, features.end].map(|points| points.map(|p| 0.5 * p - 0.5 * centre));
        let size = half.iter().flatten().fold(DVec3::ZERO, |size, p| size.max(p.abs())).max_element();
        let (up, down) = power_of_two_near(size);
        Self { centre, unit: 2.0 * up, ends: half.map(|points| points.map(|p| p * down)) }
    }

    fn at(&self, time: f64) -> [DVec3; 4] {
        let [start, end] = &self.ends;
        std::array::from_fn(|i| (1.0 - time) * start[i] + time * end[i])
    }

    /// The unit direction from the first to the second feature as they approach.
    fn normal(&self, kind: MovingKind, time: f64, between: DVec3, distance: f64) -> DVec3 {
        if distance > 0.0 && unit_along(between) != DVec3::ZERO {
            return unit_along(between);
        }
        // Shortly before the contact they are separated by the remaining displacement.
        let earlier = BEFORE.map(|fraction| {
            let points = self.at(time * (1.0 - fraction));
            let (_, [a, b]) = nearest(kind, &points);
            b - a
        });
        let approach = earlier.into_iter().find(|between| between.length() > TINY).map(unit_along);
        let [a, b, c, d] = self.at(time);
        let across = match kind {
            MovingKind::VertexFace => unit_along(c - b).cross(unit_along(d - b)),
            MovingKind::EdgeEdge => unit_along(b - a).cross(unit_along(d - c)),
        };
        let across = if across.length() > PARALLEL { unit_along(across) } else { DVec3::ZERO };
        match approach {
            Some(approach) if across == DVec3::ZERO => approach,
            Some(approach) => {
                // If it is nearly the normal of the face, or of both edges, use that normal.
                if approach.dot(across).abs() > 0.999 {
                    across * approach.dot(across).signum()
                } else {
                    approach
                }
            }
            None if across != DVec3::ZERO => across,
            None => DVec3::Z,
        }
    }
}

/// A power of two near a size, and its inverse; both are normal numbers.
fn power_of_two_near(size: f64) -> (f64, f64) {
    if !(f64::MIN_POSITIVE..=1e300).contains(&size) {
        return if size > 1.0 {
            (f64::powi(2.0, 1000), f64::powi(0.5, 1000))
        } else {
            (f64::powi(0.5, 1000), f64::powi(2.0, 1000))
        };
    }
    let power = f64::from_bits(size.to_bits() & 0x7ff0_0000_0000_0000);
    if power < 1e-300 { (f64::powi(0.5, 1000), f64::powi(2.0, 1000)) } else { (power, 1.0 / power) }
}

/// The weights of the nearest points of two features, as in [`FeatureContact`](crate::FeatureContact), and these
/// points.
pub(crate) fn nearest(kind: MovingKind, points: &[DVec3; 4]) -> ([f64; 2], [DVec3; 2]) {
    let found = closest(kind, points);
    let [a, b, c, d] = *points;
    match kind {
        MovingKind::VertexFace => {
            let [u, v] = barycentric(found.b - b, [c - b, d - b]);
            ([u, v], [found.a, b + u * (c - b) + v * (d - b)])
        }
        MovingKind::EdgeEdge => {
            let fraction = |p: DVec3, from: DVec3, to: DVec3| {
                let side = to - from;
                let length = side.length_squared();
                if length > 0.0 { ((p - from).dot(side) / length).clamp(0.0, 1.0) } else { 0.0 }
            };
            let (u, v) = (fraction(found.a, a, b), fraction(found.b, c, d));
            ([u, v], [a + u * (b - a), c + v * (d - c)])
        }
    }
}

/// The weights of two sides of a triangle for one of its points. For a triangle that has shrunk to a segment, up to
/// rounding, its three sides give better weights than its normal.
pub(in crate::deformable) fn barycentric(p: DVec3, [e, f]: [DVec3; 2]) -> [f64; 2] {
    let along = |p: DVec3, side: DVec3| {
        let length = side.length_squared();
        if length > 0.0 { (p.dot(side) / length).clamp(0.0, 1.0) } else { 0.0 }
    };
    let n = e.cross(f);
    let area = n.length_squared();
    let [u, v] = [p.cross(f).dot(n), e.cross(p).dot(n)]
        .map(|volume| if area > 0.0 { (volume / area).clamp(0.0, 1.0) } else { 0.0 });
    let over = (u + v).max(1.0);
    let far = along(p - e, f - e);
    let candidates = [[u / over, v / over], [1.0 - far, far], [along(p, e), 0.0], [0.0, along(p, f)]];
    let error = |[u, v]: [f64; 2]| (u * e + v * f - p).length_squared();
    candidates
        .into_iter()
        .fold(candidates[0], |best, next| if error(next) < error(best) { next } else { best })
}
