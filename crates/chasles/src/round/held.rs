//! How long two bodies, at least one of them round, provably keep intersecting along a motion that is not a single
//! screw.
//!
//! Bodies that intersect by a margin keep intersecting until one of their points has moved that far. If they slide
//! or roll on each other, the speed is a poor bound; then the witnesses of the intersection are followed along a
//! screw near the motion.

use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::motion::Screw;
use crate::motion::relative::RelativeMotion;
use crate::round::{RoundMemory, RoundPair, RoundState};

/// After an interval in which they intersected throughout, the next interval is longer by this factor.
const LONGER: f64 = 4.0;

/// Steps of the budget for one sample of intersecting round bodies, including following their witnesses once.
const STEPS_A_LOOK: u64 = 100;

/// A time, at most `end`, until which surfaces that intersect at `time` provably still do, computed in steps longer
/// than `least`; `within` is a time of the smooth interval.
pub(crate) fn round_held_until(
    (pair, memory): (&RoundPair<'_>, &mut RoundMemory),
    (relative, within): (&RelativeMotion<'_>, f64),
    (time, end, least): (f64, f64, f64),
    budget: &mut Budget<'_>,
) -> f64 {
    let (mut now, mut span) = (time, 10.0 * least);
    while now < end && budget.take(STEPS_A_LOOK).is_ok() {
        let found = pair.found_at(memory, &relative.pose_at(now, within));
        let RoundState::Meeting { margin, .. } = found.state else { break };
        let rounding = relative.rounding(now, within);
        let mut next = displacement_within_until(relative, margin - rounding, TimeInterval::new(now, end))
            .unwrap_or(now);
        // The longest interval, of those tried, in which a screw is near the motion.
        loop {
            let to = (now + span).min(end);
            let (piece, deviation) = relative.screw(now, to);
            if deviation < 0.5 * margin {
                let share = pair.meets_for(&found, &piece.screw, deviation);
                next = next.max(piece.not_after(share.max(0.0)));
                span *= if next >= to { LONGER } else { 1.0 };
                break;
            }
            span *= 0.5;
            if span <= least {
                break;
            }
        }
        if next - now <= least {
            break;
        }
        now = next;
    }
    now
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
    // An interval with a good bound of the speed.
    let mut to = end;
    let mut fast = relative.speed(now, to);
    while now + margin / fast < now + 0.25 * (to - now) {
        to = now + 0.5 * (to - now);
        fast = relative.speed(now, to);
    }
    // A NaN speed proves nothing.
    let next = now + 0.999 * margin / fast;
    (!next.is_nan()).then(|| next.min(to))
}

/// The fraction of a distance that is reserved for the curvature of paths.
const BENT: f64 = 0.005;

/// For how long, in units of t, two bodies with a given state at a time of a screw certainly stay within the larger
/// of two distances of each other: the nearest points found are within the first distance now, and come within the
/// second. For bodies that intersect, the place is unknown, but `speed` bounds the speed of every point.
///
/// On a straight path the points are |w - v s| apart after s: a convex function, at most the larger of its values at
/// both ends. A path deviates from it by at most its maximum acceleration times s^2 / 2.
pub(super) fn intersecting_for(
    found: &RoundState,
    (screw, speed, t): (&Screw, f64, f64),
    [now, then]: [f64; 2],
) -> f64 {
    if let RoundState::Meeting { .. } = found {
        let certain = (1.0 - BENT) * then / speed;
        // A NaN is not greater.
        return if certain > 0.0 { certain } else { 0.0 };
    }
    let [x, y] = found.points();
    let away = y - x;
    let velocity = screw.velocity_at(x, t);
    let near = (1.0 - BENT) * then;
    let (along, squared) = (away.dot(velocity), velocity.length_squared());
    let inside = along * along - squared * (away.length_squared() - near * near);
    // A NaN proves nothing.
    if !(near > 0.0 && away.length() <= now - BENT * then && inside >= 0.0) {
        return 0.0;
    }
    let straight = (along + inside.sqrt()) / squared;
    let bends = screw.angle() * squared.sqrt();
    let certain = straight.min((2.0 * BENT * then / bends).sqrt());
    if certain > 0.0 { certain } else { 0.0 }
}
