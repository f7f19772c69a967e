//! Bounds of floating-point errors, derived in one place.
//!
//! An operation rounds its result by at most half of EPSILON = 2^-52 times the result. This file derives the
//! resulting error bounds of a rotated vector, a composed pose, a path along a screw and a determinant; all bounds in
//! 64 bits use them. The constants are worked out term by term, in units of EPSILON; errors found in practice are at
//! most a third of the bounds.
//!
//! The error of a computed frame is a [`Rounding`]: metres at its origin, plus metres per metre of distance from
//! the origin. Poses, screws and chains of frames add to it; a query converts it to one distance.

use glam::DQuat;

/// Bound of the error of a computed frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Rounding {
    /// At the origin of the frame, in metres.
    pub(crate) shift: f64,
    /// Per metre of distance from the origin, in metres: about an angle in radians.
    pub(crate) tilt: f64,
}

/// A quaternion normalised to unit length, or kept if its length is off by 1 to 4 EPSILON. The length is off by 1 +
/// 2, which moves a rotated vector by 2 (1 + 2). Normalising moves each component by 1, which rotates by 2.
/// Normalising counts twice, once when read and once when composed: 10.
const NORMALISED: f64 = 10.0;

/// A vector rotated by a quaternion or by its matrix: matrix entries 4.5 (5 halves on the diagonal, 2 off it),
/// product 2.6 (3 halves of sqrt(3)); with the quaternion's own product, 2 for the scalar, 5 along and 3 across its
/// axis.
const TURNED: f64 = 10.0;

/// The product of two rotations: each component is a sum of four terms, 2 in the norm of all and twice that as an
/// angle, then normalised again.
const COMPOSED: f64 = 4.0 + NORMALISED + 4.0;

/// A direction that is rotated and normalised is off by 3 to 5; a rotation about it moves points by two to five
/// times that.
const AXIS: f64 = 25.0;

/// A point along a screw, relative to all lengths that enter: difference of positions 0.5, u and w 3 each, sine and
/// angle 2, sums 2, projection onto a direction 1.5: 12 in total.
const FOLLOWED: f64 = 12.0;

/// Displacement of a point by an axis known to 4 EPSILON in angle and 3 in direction, for a rotation by any angle,
/// relative to the point's distance from the place where the motion is known best: twice the 4 for a small angle,
/// five times the 3 for a large one.
const TWISTED: f64 = 16.0;

/// The difference of two positions projected onto a direction: length of the direction 2, two products 1.5 each,
/// difference 1.
const READ: f64 = 6.0;

/// A time as a fraction of an interval, and the angle or distance computed from it: two divisions.
const SHARED: f64 = 2.0;

/// A determinant of a difference and two edges, one rotated: edge 10 + 8 for its rotation and 8 for the axis, cross
/// and dot products 5 each in up to three terms, sums.
const DETERMINANT: f64 = 48.0;

/// Evaluation of a combination of the six basis functions: sine and cosine 1 each, angle 1, products and sums 3 for
/// each term.
const COMBINED: f64 = 8.0;

/// A cross product of two edges, relative to the product of their lengths.
const CROSSED: f64 = 8.0;

/// The lengths, in metres, and the angle, in radians, that determine the rounding error of a relative motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lengths {
    /// Bound of every coordinate, measured from the centre of the static body.
    pub(crate) reach: f64,
    /// Translation across the axis, as a speed.
    pub(crate) across: f64,
    /// Maximum distance of the moving body's points from the origin of its frame.
    pub(crate) arm: f64,
    /// Distance from the origin of that frame to the place where the motion is known best.
    pub(crate) lever: f64,
    /// The angle of rotation.
    pub(crate) angle: f64,
}

impl Rounding {
    /// The rounding of an exact frame: zero.
    pub(crate) const NONE: Self = Self { shift: 0.0, tilt: 0.0 };

    /// The rounding of a pose as given: its position is exact, its quaternion was normalised.
    pub(crate) const GIVEN: Self = Self { shift: 0.0, tilt: NORMALISED * f64::EPSILON };

    /// The rounding of a pose as given; zero if the quaternion has only one non-zero component, so that normalising
    /// is exact.
    pub(crate) fn given(rotation: DQuat) -> Self {
        let parts = rotation.to_array().into_iter().filter(|part| *part != 0.0).count();
        if parts > 1 { Self::GIVEN } else { Self::NONE }
    }

    /// The rounding of a pose along a screw at a fraction of its time: at most `place` metres from the origin,
    /// after a translation by `slide` metres and a rotation by `angle` radians.
    pub(crate) fn along(self, place: f64, slide: f64, angle: f64) -> Self {
        let shift = FOLLOWED * (place + slide);
        let tilt = COMPOSED + SHARED * angle;
        self.plus(Self { shift, tilt }.scaled(f64::EPSILON))
    }

    /// The rounding of a frame attached to a parent frame, `arm` metres from the parent's origin and within `reach`
    /// metres of the origin of the parent frame.
    pub(crate) fn carried(self, parent: Self, arm: f64, reach: f64) -> Self {
        let shift = times(parent.tilt, arm) + f64::EPSILON * (TURNED * arm + reach);
        self.plus(parent).plus(Self { shift, tilt: COMPOSED * f64::EPSILON })
    }

    /// The rounding of a frame relative to another frame, at most `distance` metres away; the same bound holds for
    /// the inverse.
    pub(crate) fn in_frame_of(self, other: Self, distance: f64) -> Self {
        let shift = times(other.tilt + (TURNED + 1.0) * f64::EPSILON, distance);
        self.plus(other).plus(Self { shift, tilt: (COMPOSED + AXIS) * f64::EPSILON })
    }

    /// Bound of the error of a point at distance `arm` from the frame's origin, in metres.
    #[inline]
    pub(crate) fn at(&self, arm: f64) -> f64 {
        self.shift + times(self.tilt, arm)
    }

    fn plus(self, other: Self) -> Self {
        Self { shift: self.shift + other.shift, tilt: self.tilt + other.tilt }
    }

    fn scaled(self, by: f64) -> Self {
        Self { shift: by * self.shift, tilt: by * self.tilt }
    }
}

/// The product of two bounds, either of which may be infinite. Zero times infinity is zero, because a tilt of zero,
/// or a point at the origin, causes no error.
#[inline]
pub(crate) fn times(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y }
}

/// Bound of the error of any computed position along a screw with these lengths, in metres, if the frame itself is
/// exact.
#[inline]
pub(crate) fn of_motion(lengths: &Lengths) -> f64 {
    let Lengths { reach, across, arm, lever, angle } = *lengths;
    // Equal rotations give an exact translation.
    let twist = if angle > 0.0 { arm + angle * (arm + lever) } else { 0.0 };
    f64::EPSILON * (FOLLOWED * (reach + across) + TURNED * arm + TWISTED * twist)
}

/// Bound of the error of a point placed by a frame's rotation and position, or of a gap along a direction;
/// `lengths` is the sum of all lengths that enter.
#[inline]
pub(crate) fn of_positions(lengths: f64) -> f64 {
    (TURNED + READ) * f64::EPSILON * lengths
}

/// The same bound for a value computed from four such points: the offset of two edges along their common normal, or
/// its speed.
#[inline]
pub(crate) fn of_edges(lengths: f64) -> f64 {
    4.0 * of_positions(lengths)
}

/// Bound of the error of the coefficients of a determinant of two edges and a difference of length at most
/// `length`; `edges` is the product of the edges' lengths.
#[inline]
pub(crate) fn of_determinant(length: f64, edges: f64) -> f64 {
    DETERMINANT * f64::EPSILON * length * edges
}

/// Bound of the error of a combination of basis functions; `total` is the sum of the absolute values of its terms.
#[inline]
pub(crate) fn of_combination(total: f64) -> f64 {
    COMBINED * f64::EPSILON * total + f64::MIN_POSITIVE
}

/// Bound of the error, in radians, of the common normal of two edges with the given lengths, if their ends are off
/// by `ends` metres and their cross product has length `across`.
#[inline]
pub(crate) fn of_direction_across(edges: [f64; 2], across: f64, ends: f64) -> f64 {
    let [l, m] = edges;
    (CROSSED * f64::EPSILON * l * m + 2.0 * ends * (l + m)) / across
}
