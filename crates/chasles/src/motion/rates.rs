//! Bounds of the speed and acceleration of a moving frame, and of a body in a chain of moving frames. The deviation of
//! a screw from a motion is proven with these bounds.
//!
//! A point q of a frame that moves as p = R q + d has, with the angular speed w of R, its acceleration a and jerk
//! j,
//!
//! ```text
//! |p'|   <= w |q| + |q'| + |d'|
//! |p''|  <= (w^2 + a) |q| + 2 w |q'| + |q''| + |d''|
//! |p'''| <= (w^3 + 3 w a + j) |q| + 3 (w^2 + a) |q'| + 3 w |q''| + |q'''| + |d'''|
//! ```
//!
//! and the inverse, q = R^T (p - d), has the same bounds with |p - d| for |q|. Applied frame by frame, they bound
//! the relative motion of the first bodies of any two chains.

use crate::math::rounding::times;

/// Upper bounds of the motion of a frame in its parent's frame, over an interval of time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Rates {
    /// Angular speed, in radians per second.
    pub(crate) spin: f64,
    /// Angular acceleration, in radians per second squared.
    pub(crate) spin_change: f64,
    /// Angular jerk, in radians per second cubed; infinite if unknown.
    pub(crate) spin_jerk: f64,
    /// Speed of the origin, in metres per second.
    pub(crate) speed: f64,
    /// Acceleration of the origin, in metres per second squared.
    pub(crate) speed_change: f64,
    /// Jerk of the origin, in metres per second cubed; infinite if unknown.
    pub(crate) speed_jerk: f64,
}

/// Upper bounds of the motion of a body's points in some frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct PointRates {
    /// Speed, in metres per second.
    pub(crate) speed: f64,
    /// Acceleration, in metres per second squared.
    pub(crate) change: f64,
    /// Jerk, in metres per second cubed; infinite if unknown.
    pub(crate) jerk: f64,
    /// Angular speed of the body, in radians per second.
    pub(crate) spin: f64,
}

impl PointRates {
    /// The rates of the same points in the parent of their frame. The points are at most `reach` metres from the
    /// frame's origin.
    pub(crate) fn carried(&self, frame: &Rates, reach: f64) -> Self {
        let rotated = self.rotated(frame, reach);
        Self {
            speed: rotated.speed + frame.speed,
            change: rotated.change + frame.speed_change,
            jerk: rotated.jerk + frame.speed_jerk,
            spin: rotated.spin,
        }
    }

    /// The rates of the same points in a frame that moves in theirs. The points are at most `reach` metres from the
    /// moving frame's origin.
    pub(crate) fn in_frame_of(&self, frame: &Rates, reach: f64) -> Self {
        let moved = Self {
            speed: self.speed + frame.speed,
            change: self.change + frame.speed_change,
            jerk: self.jerk + frame.speed_jerk,
            spin: self.spin,
        };
        moved.rotated(frame, reach)
    }

    /// The rates of points at most `reach` metres from an origin, with the rotation of `frame` about that origin,
    /// or its inverse, added.
    fn rotated(&self, frame: &Rates, reach: f64) -> Self {
        let Rates { spin, spin_change, spin_jerk, .. } = *frame;
        let first = spin;
        let second = spin * spin + spin_change;
        let third = spin * spin * spin + 3.0 * times(spin, spin_change) + spin_jerk;
        Self {
            speed: times(first, reach) + self.speed,
            change: times(second, reach) + 2.0 * times(first, self.speed) + self.change,
            jerk: times(third, reach)
                + 3.0 * times(second, self.speed)
                + 3.0 * times(first, self.change)
                + self.jerk,
            spin: self.spin + spin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinite_bound_stays_infinite() {
        let still = Rates::default();
        let wild =
            Rates { spin: f64::INFINITY, spin_change: f64::INFINITY, spin_jerk: f64::INFINITY, ..still };
        let sliding = Rates { speed: 1.0, ..still };
        let rates = PointRates::default().carried(&wild, 0.5).carried(&sliding, f64::INFINITY);
        assert_eq!([rates.speed, rates.change, rates.jerk], [f64::INFINITY; 3]);
        let rates = PointRates::default().carried(&wild, 0.5).in_frame_of(&sliding, f64::INFINITY);
        assert_eq!([rates.speed, rates.change, rates.jerk], [f64::INFINITY; 3]);
        // A point at the origin of a frame is not moved by the frame's rotation.
        let rates = PointRates::default().carried(&wild, 0.0);
        assert_eq!([rates.change, rates.jerk], [0.0; 2]);
    }
}
