//! How long two bodies, at least one of them round, provably keep intersecting along a motion that is not a single
//! screw.
//!
//! Bodies that intersect by a margin keep intersecting until one of their points has moved by that margin. If they
//! slide or roll on each other, the speed is a poor bound, so the witness points of the intersection are followed
//! along a screw near the motion.

use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::motion::Screw;
use crate::motion::relative::RelativeMotion;
use crate::round::{RoundFound, RoundMemory, RoundPair, RoundState};

/// After an interval in which they intersected throughout, the next interval is longer by this factor.
const LONGER: f64 = 4.0;

/// Steps of the budget for one sample of intersecting round bodies, including following their witnesses once.
const STEPS_PER_SAMPLE: u64 = 100;

/// A pair that intersects during a smooth interval of a relative motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundIntersectionProof<'a> {
    pub(crate) pair: &'a RoundPair<'a>,
    pub(crate) relative: &'a RelativeMotion<'a>,
    /// A time of the smooth interval, in seconds.
    pub(crate) within: f64,
}

impl RoundIntersectionProof<'_> {
    /// A time in an interval until which surfaces that intersect at its start provably still do, computed in steps
    /// longer than `shortest`, in seconds.
    pub(crate) fn intersecting_until(
        &self,
        memory: &mut RoundMemory,
        TimeInterval { start, end }: TimeInterval,
        shortest: f64,
        budget: &mut Budget<'_>,
    ) -> f64 {
        let Self { pair, relative, within } = *self;
        let (mut now, mut length) = (start, 10.0 * shortest);
        while now < end && budget.take(STEPS_PER_SAMPLE).is_ok() {
            let found = pair.found_at(memory, &relative.pose_at(now, within));
            let RoundState::Intersecting { margin } = found.state else { break };
            let rounding = relative.rounding(now, within);
            let remaining = TimeInterval::new(now, end);
            let mut next = displacement_within_until(relative, margin - rounding, remaining).unwrap_or(now);
            // The longest of several intervals in which a screw is near the motion.
            loop {
                let to = (now + length).min(end);
                let (timed_screw, deviation) = relative.screw(now, to);
                if deviation < 0.5 * margin {
                    let fraction = pair.intersects_for(&found, &timed_screw.screw, deviation);
                    next = next.max(timed_screw.not_after(fraction.max(0.0)));
                    length *= if next >= to { LONGER } else { 1.0 };
                    break;
                }
                length *= 0.5;
                if length <= shortest {
                    break;
                }
            }
            if next - now <= shortest {
                break;
            }
            now = next;
        }
        now
    }
}

/// The time until which every point has moved by less than a margin.
fn displacement_within_until(
    relative: &RelativeMotion<'_>,
    margin: f64,
    TimeInterval { start: now, end }: TimeInterval,
) -> Option<f64> {
    if margin <= 0.0 {
        return None;
    }
    // Shorter intervals have better bounds of the speed.
    let mut to = end;
    let mut speed = relative.speed(now, to);
    while now + margin / speed < now + 0.25 * (to - now) {
        to = now + 0.5 * (to - now);
        speed = relative.speed(now, to);
    }
    // A NaN speed proves nothing.
    let next = now + 0.999 * margin / speed;
    (!next.is_nan()).then(|| next.min(to))
}

/// The fraction of a distance that is reserved for the curvature of paths.
const CURVATURE_RESERVE: f64 = 0.005;

/// How long, in units of t, two bodies provably stay within a distance of each other. Their state at time `t` of a
/// screw is `found`. If their nearest points are within the distance `now` at `t`, the bodies stay within the larger of
/// the two distances as long as these points come within `then`. If the bodies intersect, `speed` bounds the speed of
/// every point.
///
/// On a straight path the points are |w - v s| apart after s: a convex function, at most the larger of its values at
/// both ends. A path deviates from it by at most its maximum acceleration times s^2 / 2.
pub(super) fn intersecting_for(
    found: &RoundFound,
    screw: &Screw,
    speed: f64,
    t: f64,
    [now, then]: [f64; 2],
) -> f64 {
    if let RoundState::Intersecting { .. } = found.state {
        let certain = (1.0 - CURVATURE_RESERVE) * then / speed;
        // A NaN is not greater.
        return if certain > 0.0 { certain } else { 0.0 };
    }
    let [x, y] = found.points;
    let between = y - x;
    let velocity = screw.velocity_at(x, t);
    let near = (1.0 - CURVATURE_RESERVE) * then;
    let (along, squared) = (between.dot(velocity), velocity.length_squared());
    let inside = along * along - squared * (between.length_squared() - near * near);
    // A NaN proves nothing.
    if !(near > 0.0 && between.length() <= now - CURVATURE_RESERVE * then && inside >= 0.0) {
        return 0.0;
    }
    let straight = (along + inside.sqrt()) / squared;
    let acceleration = screw.angle() * squared.sqrt();
    let certain = straight.min((2.0 * CURVATURE_RESERVE * then / acceleration).sqrt());
    if certain > 0.0 { certain } else { 0.0 }
}
