//! The one account of what floating point loses.
//!
//! An operation rounds its result by at most half of EPSILON = 2^-52 times the result. This file derives, once, what
//! follows for a turned vector, a composed pose, a followed path and a determinant, and every bound in 64 bits uses
//! it. The constants are bounds, worked out term by term, in units of EPSILON; errors found in practice are a third of
//! them or less.
//!
//! A frame that was computed is off by a [`Rounding`]: so many metres at its origin, and so many metres more for each
//! metre away from it. Poses, screws and chains of frames add to it; a query turns it into one distance.

use glam::DQuat;

/// How far a computed frame may be from the true one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Rounding {
    /// At its origin, in metres.
    pub(crate) shift: f64,
    /// For each metre from its origin, in metres: about an angle in radians.
    pub(crate) tilt: f64,
}

/// A quaternion that is scaled to a unit, or kept where its length is 1 to 4 EPSILON. The length is off by 1 + 2,
/// which moves a turned vector by 2 (1 + 2). Scaling moves each component by 1, which turns by 2. Scaling is counted
/// twice, when read and when composed: 10.
const NORMALISED: f64 = 10.0;

/// A vector turned by a quaternion or by its matrix: entries of the matrix 4.5 (5 halves on the diagonal, 2 beside
/// it), product 2.6 (3 halves of sqrt(3)); as a quaternion's own product 2 for the scalar, 5 along and 3 across its
/// axis.
const TURNED: f64 = 10.0;

/// Two rotations that follow each other: each component of the product is a sum of four, 2 in the norm of all and
/// twice that as an angle, then scaled to a unit again.
const COMPOSED: f64 = 4.0 + NORMALISED + 4.0;

/// A direction that is turned and scaled to a unit is off by 3 to 5; a motion about it moves points by two to five
/// times that.
const AXIS: f64 = 25.0;

/// A point along a screw, relative to all lengths that go into it: the difference of places 0.5, u and w 3 each, sine
/// and angle 2, sums 2, the product of two vectors that reads it along a direction 1.5: 12 for the whole.
const FOLLOWED: f64 = 12.0;

/// How far an axis known to 4 EPSILON in angle and 3 in direction moves a point, over a turn of any length, relative
/// to the point's distance from where the motion is known best: twice the 4 for a short turn, five times the 3 for a
/// long one.
const TWISTED: f64 = 16.0;

/// The difference of two places read along a direction: the direction's length 2, two products 1.5 each, the
/// difference 1.
const READ: f64 = 6.0;

/// A time as a share of a piece, and the angle or the way made of it: two divisions' worth.
const SHARED: f64 = 2.0;

/// A determinant of a difference and two edges, one of them turned: the edge 10 + 8 for its rotation and 8 for the
/// axis, cross and dot products 5 each in up to three terms, sums.
const DETERMINANT: f64 = 48.0;

/// Evaluating a combination of the six basis functions: sine and cosine 1 each, the angle 1, products and sums 3 on
/// each term.
const COMBINED: f64 = 8.0;

/// A cross product of two edges, as a share of the product of their lengths.
const CROSSED: f64 = 8.0;

/// The lengths, in metres, and the angle, in radians, that determine the rounding of a relative motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lengths {
    /// A bound of every coordinate, from the centre of the standing body.
    pub(crate) reach: f64,
    /// The way across the axis, as a speed.
    pub(crate) across: f64,
    /// How far points of the moving body are from the origin of its frame.
    pub(crate) arm: f64,
    /// How far the origin of that frame is from where the motion is known best.
    pub(crate) lever: f64,
    /// The angle of the turn.
    pub(crate) angle: f64,
}

impl Rounding {
    /// The rounding of an exact frame: none.
    pub(crate) const NONE: Self = Self { shift: 0.0, tilt: 0.0 };

    /// The rounding of a pose as given: its place is exact, its quaternion was scaled to a unit.
    pub(crate) const GIVEN: Self = Self { shift: 0.0, tilt: NORMALISED * f64::EPSILON };

    /// The rounding of a pose as given; none where the quaternion lies along an axis, and is a unit exactly.
    pub(crate) fn given(rotation: DQuat) -> Self {
        let parts = rotation.to_array().into_iter().filter(|part| *part != 0.0).count();
        if parts > 1 { Self::GIVEN } else { Self::NONE }
    }

    /// The rounding of a pose along a screw at a share of its time: at most `place` metres from the origin, after
    /// `way` metres and `angle` radians.
    pub(crate) fn along(self, place: f64, way: f64, angle: f64) -> Self {
        let shift = FOLLOWED * (place + way);
        let tilt = COMPOSED + SHARED * angle;
        self.plus(Self { shift, tilt }.scaled(f64::EPSILON))
    }

    /// The rounding of a frame that rides on a carrier, `arm` metres from the carrier's origin, and within `reach`
    /// metres of the origin above.
    pub(crate) fn carried(self, carrier: Self, arm: f64, reach: f64) -> Self {
        let shift = times(carrier.tilt, arm) + f64::EPSILON * (TURNED * arm + reach);
        self.plus(carrier).plus(Self { shift, tilt: COMPOSED * f64::EPSILON })
    }

    /// The rounding of a frame as seen from another, never further than `distance` metres away; the same for the other
    /// as seen from this.
    pub(crate) fn in_frame_of(self, other: Self, distance: f64) -> Self {
        let shift = times(other.tilt + (TURNED + 1.0) * f64::EPSILON, distance);
        self.plus(other).plus(Self { shift, tilt: (COMPOSED + AXIS) * f64::EPSILON })
    }

    /// How far, in metres, a point at this distance from the frame's origin is off.
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

/// The product of two bounds, either of which may be infinite; zero times infinity is zero: a point that does not
/// turn, or is at the origin, is not moved.
#[inline]
pub(crate) fn times(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y }
}

/// How far, in metres, any computed position along a screw with these lengths is off, where the frame itself is exact.
#[inline]
pub(crate) fn of_motion(lengths: &Lengths) -> f64 {
    let Lengths { reach, across, arm, lever, angle } = *lengths;
    // Equal rotations give a translation, exactly.
    let twist = if angle > 0.0 { arm + angle * (arm + lever) } else { 0.0 };
    f64::EPSILON * (FOLLOWED * (reach + across) + TURNED * arm + TWISTED * twist)
}

/// How far a point at this distance from the origin of a frame, placed by the frame's rotation and position, is off,
/// as a share of all lengths that go into it; gaps along a direction included.
#[inline]
pub(crate) fn of_positions(lengths: f64) -> f64 {
    (TURNED + READ) * f64::EPSILON * lengths
}

/// The same for a value made of four such points: the place of an edge past another along a direction across both, or
/// its speed.
#[inline]
pub(crate) fn of_edges(lengths: f64) -> f64 {
    4.0 * of_positions(lengths)
}

/// How far the coefficients of a determinant of one difference, at most `span` long, and two edges are off; the
/// product of the edges' lengths is given.
#[inline]
pub(crate) fn of_determinant(span: f64, edges: f64) -> f64 {
    DETERMINANT * f64::EPSILON * span * edges
}

/// How far a combination of basis functions is off, given the sum of the absolute values of its terms.
#[inline]
pub(crate) fn of_combination(total: f64) -> f64 {
    COMBINED * f64::EPSILON * total + f64::MIN_POSITIVE
}

/// How far, in radians, the direction across two edges of these lengths is off, where their ends are off by this many
/// metres and their cross product has the length `across`.
#[inline]
pub(crate) fn of_direction_across(edges: [f64; 2], across: f64, ends: f64) -> f64 {
    let [l, m] = edges;
    (CROSSED * f64::EPSILON * l * m + 2.0 * ends * (l + m)) / across
}
