//! Conservative advancement of one pair of features: the first time at which they come within a distance.
//!
//! At the current time a direction n is chosen that separates the two features. For every point on a screw, n.x(t)
//! has a known value, slope and bound of the second derivative, so a parabola is a lower bound of the gap along n.
//! The time at which the parabola falls to the required distance is a safe step. Any n is safe: a badly chosen n
//! only shortens the step. Steps towards a face converge quadratically, and sliding along a face takes one step.

use glam::DVec3;

use crate::math::budget::{Budget, OutOfBudget};
use crate::math::direction::unit_along;
use crate::math::distance::{Closest, point_segment_squared, point_triangle, segment_segment};
use crate::math::rounding::of_direction_across;
use crate::math::safe_time::safe_time;
use crate::math::screw_function::Basis;
use crate::math::time_interval::TimeInterval;
use crate::motion::helix::Helix;

/// Two features, the first moving and the second static.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Features {
    /// A point and a triangle.
    PointTriangle(Helix, [DVec3; 3]),
    /// Two segments.
    Segments([Helix; 2], [DVec3; 2]),
}

/// Parameters of a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Angle of the screw.
    pub(crate) angle: f64,
    /// Bound of the rounding of a position.
    pub(crate) rounding: f64,
}

/// A direction, with the gap along it at one time.
#[derive(Debug, Clone, Copy)]
struct SeparatingDirection {
    direction: DVec3,
    gap: f64,
}

impl Features {
    /// The closest points at a time.
    pub(crate) fn closest(&self, basis: &Basis) -> Closest {
        match self {
            Self::PointTriangle(point, triangle) => point_triangle(point.at(basis), triangle),
            Self::Segments(a, b) => segment_segment([a[0].at(basis), a[1].at(basis)], *b),
        }
    }

    /// A bound of the speed of any point of the moving feature.
    pub(crate) fn speed(&self) -> f64 {
        self.moving().iter().map(Helix::speed).fold(0.0, f64::max)
    }

    /// The minimum distance of the closest points from the borders of their features.
    pub(crate) fn distance_to_border(&self, basis: &Basis, closest: &Closest) -> f64 {
        match self {
            Self::PointTriangle(_, [a, b, c]) => [[*a, *b], [*b, *c], [*c, *a]]
                .map(|edge| point_segment_squared(closest.b, edge))
                .into_iter()
                .fold(f64::INFINITY, f64::min)
                .sqrt(),
            Self::Segments(a, b) => {
                let on_a = a.map(|h| h.at(basis).distance(closest.a));
                let on_b = b.map(|p| p.distance(closest.b));
                on_a.into_iter().chain(on_b).fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// A bound of the distance between the closest points and the true intersection, if points have an error of up
    /// to `error` metres: a small displacement of one of two nearly parallel edges moves their intersection far.
    pub(crate) fn play(&self, basis: &Basis, error: f64) -> f64 {
        match self {
            Self::PointTriangle(..) => error,
            Self::Segments(a, b) => {
                let (l, m) = (a[1].at(basis) - a[0].at(basis), b[1] - b[0]);
                2.0 * error * l.length() * m.length() / l.cross(m).length()
            }
        }
    }

    /// The signed gap, at the closest points, across the plane of the face or across both lines, with a bound of
    /// its rounding. It changes sign together with the features' function.
    ///
    /// If the points are close to each other, the bound is little more than the rounding of a position, however
    /// thin the face or small the angle of the edges. The rounding of the function itself grows as the features
    /// become degenerate.
    pub(crate) fn signed_gap(&self, basis: &Basis, limits: Limits) -> (f64, f64) {
        let closest = self.closest(basis);
        let (l, m) = match self {
            Self::PointTriangle(_, [a, b, c]) => (*b - *a, *c - *a),
            Self::Segments(a, b) => (a[1].at(basis) - a[0].at(basis), b[1] - b[0]),
        };
        let normal = l.cross(m);
        let between = closest.a - closest.b;
        let tilt = of_direction_across([l.length(), m.length()], normal.length(), limits.rounding);
        (unit_along(normal).dot(between), 4.0 * limits.rounding + tilt * between.length())
    }

    fn moving(&self) -> &[Helix] {
        match self {
            Self::PointTriangle(point, _) => std::slice::from_ref(point),
            Self::Segments(a, _) => a,
        }
    }

    fn fixed(&self) -> &[DVec3] {
        match self {
            Self::PointTriangle(_, triangle) => triangle,
            Self::Segments(_, b) => b,
        }
    }

    /// The candidate direction, from the moving to the static feature, with the largest proven gap. The direction
    /// between the closest points alone does not suffice: at distances of 1e-9 of the size it consists of rounding.
    fn separation(&self, basis: &Basis, closest: &Closest) -> SeparatingDirection {
        let between = closest.b - closest.a;
        let across = |edge: DVec3| between - between.dot(edge) / edge.length_squared() * edge;
        let mut best = SeparatingDirection { direction: DVec3::ZERO, gap: f64::NEG_INFINITY };
        let moved = self.moved(basis);
        let mut offer = |candidate: DVec3| {
            let unit = unit_along(candidate);
            let direction = if unit.dot(between) < 0.0 { -unit } else { unit };
            // An edge of zero length gives no direction across it.
            if direction == DVec3::ZERO {
                return;
            }
            let gap = self.gap_along(direction, &moved);
            if gap > best.gap {
                best = SeparatingDirection { direction, gap };
            }
        };
        offer(between);
        match self {
            Self::PointTriangle(_, [a, b, c]) => {
                offer((*b - *a).cross(*c - *a));
                for edge in [*b - *a, *c - *b, *a - *c] {
                    offer(across(edge));
                }
            }
            Self::Segments(_, b) => {
                let (l, m) = (moved[1] - moved[0], b[1] - b[0]);
                offer(l.cross(m));
                offer(across(l));
                offer(across(m));
            }
        }
        best
    }

    /// The ends of the moving feature at a time; a point is listed twice.
    fn moved(&self, basis: &Basis) -> [DVec3; 2] {
        match self {
            Self::PointTriangle(point, _) => [point.at(basis); 2],
            Self::Segments(a, _) => [a[0].at(basis), a[1].at(basis)],
        }
    }

    fn gap_along(&self, direction: DVec3, moved: &[DVec3; 2]) -> f64 {
        let near = self.fixed().iter().map(|p| direction.dot(*p)).fold(f64::INFINITY, f64::min);
        near - direction.dot(moved[0]).max(direction.dot(moved[1]))
    }

    /// Whether the features are proven to be further apart than a distance at a time.
    pub(crate) fn are_beyond(&self, distance: f64, basis: &Basis, closest: &Closest, limits: Limits) -> bool {
        // No direction proves a gap larger than the distance of the closest points. The direction between them
        // usually proves almost that, so that no other direction need be tried.
        let straight = unit_along(closest.b - closest.a);
        closest.squared > distance * distance
            && (self.gap_along(straight, &self.moved(basis)) - limits.rounding > distance
                || self.separation(basis, closest).gap - limits.rounding > distance)
    }

    /// The time for which the gap along `separation` certainly stays above `distance`.
    fn safe_step(
        &self,
        separation: &SeparatingDirection,
        basis: &Basis,
        distance: f64,
        limits: Limits,
    ) -> f64 {
        let n = separation.direction;
        let near = self.fixed().iter().map(|p| n.dot(*p)).fold(f64::INFINITY, f64::min);
        let step = |h: &Helix| {
            let gap = near - n.dot(h.at(basis)) - limits.rounding - distance;
            safe_time(gap, n.dot(h.velocity(basis)), h.max_acceleration(limits.angle, n))
        };
        self.moving().iter().map(step).fold(f64::INFINITY, f64::min)
    }
}

/// The goal of [`first_within`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct WithinGoal {
    /// The distance to which the gap must fall.
    pub(crate) distance: f64,
    /// The search ends when the gap provably exceeds this.
    pub(crate) until: f64,
    /// The fraction of the distance by which a gap that counts as reached may exceed it.
    pub(crate) play: f64,
}

impl WithinGoal {
    /// The gap falls to a distance, with the usual [`PLAY`].
    pub(crate) fn at_distance(distance: f64) -> Self {
        Self { distance, until: f64::INFINITY, play: PLAY }
    }
}

/// The usual play. Without play, a gap that stays just above the distance could not be distinguished from a gap
/// that falls to it.
pub(crate) const PLAY: f64 = 0.01;

/// A time at which features come within a distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WithinTime {
    pub(crate) t: f64,
    /// Whether the features certainly come this close. Otherwise they may be slightly further apart, but no
    /// direction proves it: the features are so small or so far out that their normals have no correct digits.
    pub(crate) certain: bool,
}

/// The first time in [t0, t1] at which the features are within the goal's distance, enlarged by its play, and by
/// rounding if rounding is not small relative to the play. Before that time they are proven to be further apart
/// than the distance. `None` if they are proven further apart throughout, or until the goal ends the search.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn first_within(
    features: &Features,
    TimeInterval { start: t0, end: t1 }: TimeInterval,
    WithinGoal { distance, until, play }: WithinGoal,
    limits: Limits,
    budget: &mut Budget<'_>,
) -> Result<Option<WithinTime>, OutOfBudget> {
    // Rounding reduces the play if it is small enough; otherwise it enlarges the distance.
    let allowance = if 4.0 * limits.rounding < play * distance { -limits.rounding } else { limits.rounding };
    let reached = (1.0 + play) * distance + allowance;
    let mut t = t0;
    loop {
        budget.step()?;
        let basis = Basis::at(limits.angle, t);
        let closest = features.closest(&basis);
        if closest.squared <= reached * reached {
            return Ok(Some(WithinTime { t, certain: true }));
        }
        let separation = features.separation(&basis, &closest);
        if separation.gap - limits.rounding > until {
            return Ok(None);
        }
        let step = features.safe_step(&separation, &basis, distance, limits);
        let next = t + step;
        if next > t1 {
            return Ok(None);
        }
        // A NaN step proves nothing either.
        if next.is_nan() || next <= t {
            let certain = closest.squared <= 4.0 * reached * reached;
            return Ok(Some(WithinTime { t, certain }));
        }
        t = next;
    }
}
