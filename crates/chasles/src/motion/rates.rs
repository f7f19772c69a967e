//! Bounds of how fast a moving frame, and a body carried by frames, can move: what a deviation is proven from.
//!
//! A point q of a frame that moves as p = R q + d has, with the angular speed w and acceleration a of R,
//!
//! ```text
//! |p'|  <= w |q| + |q'| + |d'|
//! |p''| <= (w^2 + a) |q| + 2 w |q'| + |q''| + |d''|
//! ```
//!
//! and seen the other way, q = R^T (p - d), the same with |p - d| for |q|. Applied frame by frame this bounds the motion of one
//! body as seen from another, whatever carries them.

/// How fast a frame moves at most in its parent's, over some span of time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Rates {
    /// Angular speed, in radians per second.
    pub(crate) spin: f64,
    /// Angular acceleration, in radians per second squared.
    pub(crate) spin_change: f64,
    /// Speed of the origin, in metres per second.
    pub(crate) speed: f64,
    /// Acceleration of the origin, in metres per second squared.
    pub(crate) speed_change: f64,
}

/// How fast the points of a body move at most in some frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct PointRates {
    /// In metres per second.
    pub(crate) speed: f64,
    /// In metres per second squared.
    pub(crate) change: f64,
    /// Angular speed of the body, in radians per second.
    pub(crate) spin: f64,
}

impl PointRates {
    /// Of the same points seen from the parent of their frame, from whose origin they are at most `reach` metres away.
    pub(crate) fn carried(&self, frame: &Rates, reach: f64) -> Self {
        Self {
            speed: times(frame.spin, reach) + self.speed + frame.speed,
            change: times(frame.spin * frame.spin + frame.spin_change, reach)
                + 2.0 * times(frame.spin, self.speed)
                + self.change
                + frame.speed_change,
            spin: self.spin + frame.spin,
        }
    }

    /// Of the same points seen from a frame that moves in theirs, from whose origin they are at most `reach` metres away.
    pub(crate) fn seen_from(&self, frame: &Rates, reach: f64) -> Self {
        let (speed, change) = (self.speed + frame.speed, self.change + frame.speed_change);
        Self {
            speed: times(frame.spin, reach) + speed,
            change: times(frame.spin * frame.spin + frame.spin_change, reach)
                + 2.0 * times(frame.spin, speed)
                + change,
            spin: self.spin + frame.spin,
        }
    }
}

/// The product of two bounds, either of which may be infinite: what does not turn, or is at the origin, is not moved.
fn times(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinite_bound_stays_one() {
        let still = Rates::default();
        let wild = Rates { spin: f64::INFINITY, spin_change: f64::INFINITY, ..still };
        let sliding = Rates { speed: 1.0, ..still };
        let rates = PointRates::default().carried(&wild, 0.5).carried(&sliding, f64::INFINITY);
        assert_eq!((rates.speed, rates.change), (f64::INFINITY, f64::INFINITY));
        let rates = PointRates::default().carried(&wild, 0.5).seen_from(&sliding, f64::INFINITY);
        assert_eq!((rates.speed, rates.change), (f64::INFINITY, f64::INFINITY));
        // A point at the origin of a frame stays there, however that turns.
        assert_eq!(PointRates::default().carried(&wild, 0.0).change, 0.0);
    }
}
