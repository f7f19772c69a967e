//! How long two bodies provably stay within a distance of each other: the counterpart of staying separated.
//!
//! Take a point p of A that moves on x(t), and a convex part K of B. Let c be the maximum acceleration of p. In an
//! interval of length h, x is at most h^2 c / 8 from the chord between its two positions. Along a chord the
//! distance from K is convex. So
//!
//! ```text
//! dist(x(t), K) <= max(dist(x(t0), K), dist(x(t1), K)) + h^2 c / 8
//! ```
//!
//! The same bound is valid for a point of B and a part of A. The nearest point of a convex part may change. Let q0
//! and q1 be the points of A nearest to K at t0 and t1, and R0 and R1 the rotations of A. At the fraction s of the
//! interval, take the point of A at q0 + s (q1 - q0). Its distance from the line between the two positions is
//!
//! ```text
//! s (1 - s) (R1 - R0) (q1 - q0)
//! ```
//!
//! This is zero if A does not rotate.

use glam::DVec3;

use crate::instant::triangle_gap::nearest_points;
use crate::math::distance::point_triangle;
use crate::motion::Pose;
use crate::motion::relative::RelativeMotion;
use crate::round::at_origin;
use crate::round::support::RoundShape;

/// A convex part of each body at one time of a smooth interval, and their nearest points at that time.
pub(crate) struct DistanceBound {
    parts: [ConvexPart; 2],
    /// Each in the frame of its own body.
    points: [DVec3; 2],
}

/// A convex part of a body, in its frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum ConvexPart {
    Triangle([DVec3; 3]),
    /// A whole round body.
    Round(RoundShape),
}

impl ConvexPart {
    /// The distance of a point from the part; negative inside a round body.
    fn distance(&self, point: DVec3) -> f64 {
        match self {
            Self::Triangle(corners) => point_triangle(point, corners).squared.sqrt(),
            Self::Round(round) => at_origin(*round).signed_distance(point).0,
        }
    }

    /// The centre and the radius of a sphere in the part, near `point`. The sphere moves with its centre.
    fn core(&self, point: DVec3) -> (DVec3, f64) {
        match *self {
            Self::Round(RoundShape::Sphere { radius }) => (DVec3::ZERO, radius),
            Self::Round(RoundShape::Capsule { radius, height }) => {
                (DVec3::Z * point.z.clamp(-0.5 * height, 0.5 * height), radius)
            }
            _ => (point, 0.0),
        }
    }
}

/// Computed distances are enlarged by this factor for the rounding of their computation.
const OUTSIDE: f64 = 1.0 + 1e-12;

impl DistanceBound {
    /// From the nearest parts and points of both bodies, with the points in B's frame, at a pose of A in B's frame.
    /// `None` if a nearest point of one body is inside the other body, which is round: the distance of the bodies
    /// then does not bound the distance of the surfaces.
    pub(super) fn of(parts: [ConvexPart; 2], pose: &Pose, [on_a, on_b]: [DVec3; 2]) -> Option<Self> {
        let back = pose.inverse();
        let is_outside = |part: &ConvexPart, point: DVec3| match part {
            ConvexPart::Triangle(_) => true,
            ConvexPart::Round(_) => part.distance(point) > 0.0,
        };
        let outside = is_outside(&parts[0], back.transform_point(on_b)) && is_outside(&parts[1], on_a);
        outside.then(|| Self { parts, points: [back.transform_point(on_a), on_b] })
    }

    /// An upper bound of the gap, in metres, between two times of the smooth interval that contains `within`. It is
    /// valid if the surfaces do not intersect in between.
    pub(crate) fn upper_bound(
        &self,
        relative: &RelativeMotion<'_>,
        [from, to]: [f64; 2],
        within: f64,
    ) -> f64 {
        let poses = [from, to].map(|time| relative.pose_at(time, within));
        let rounding = relative.rounding(from, within).max(relative.rounding(to, within));
        let rates = relative.rates(from, to);
        let rotation = poses[1].rotation() * poses[0].rotation().conjugate();
        let both = self.nearest_at_both(&poses);
        let mut smallest = f64::INFINITY;
        for (body, rate) in rates.iter().enumerate() {
            let chord_error = 0.125 * rate.change * (to - from) * (to - from);
            smallest = smallest.min(self.by_point(body, &poses) + chord_error);
            if let Some((gap, points)) = both {
                // |R1 - R0| is twice the sine of half the rotation angle, and s (1 - s) is at most a quarter.
                let moved = points[0][body].distance(points[1][body]);
                smallest = smallest.min(gap + 0.5 * rotation.xyz().length() * moved + chord_error);
            }
        }
        // A NaN is not a bound.
        if smallest.is_nan() { f64::INFINITY } else { smallest * OUTSIDE + 4.0 * rounding }
    }

    /// The larger distance, at two poses, of the nearest point of one body from the part of the other body.
    fn by_point(&self, body: usize, poses: &[Pose; 2]) -> f64 {
        let (core, radius) = self.parts[body].core(self.points[body]);
        let other = &self.parts[1 - body];
        let distance = |pose: &Pose| {
            let seen = if body == 0 { *pose } else { pose.inverse() };
            other.distance(seen.transform_point(core)) - radius
        };
        distance(&poses[0]).max(distance(&poses[1]))
    }

    /// The larger distance of two triangles at two poses, and their nearest points there, in the frames of A and B.
    fn nearest_at_both(&self, poses: &[Pose; 2]) -> Option<(f64, [[DVec3; 2]; 2])> {
        let [ConvexPart::Triangle(a), ConvexPart::Triangle(b)] = &self.parts else { return None };
        let nearest = poses.map(|pose| {
            let found = nearest_points(&a.map(|corner| pose.transform_point(corner)), b);
            (found.squared.sqrt(), [pose.inverse().transform_point(found.points[0]), found.points[1]])
        });
        Some((nearest[0].0.max(nearest[1].0), nearest.map(|(_, points)| points)))
    }
}
