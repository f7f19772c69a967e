//! The times at which the bounding spheres of two bodies can be near each other, in 64 bits.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::features::screw_motion::ScrewMotion;
use crate::math::safe_time::safe_time;
use crate::math::time_interval::TimeInterval;

/// Maximum number of steps from either end; the result is valid after any number of steps.
const STEPS: usize = 32;

/// Bound of the rounding of a point's circle about the axis, as a multiple of the rounding of the lengths involved.
const ROUNDINGS: f64 = 64.0;

/// A step of less than this fraction of the distance ends the advancement.
const CLOSE: f64 = 0.02;

/// The part of [first, last] outside which A's centre is proven to be further than `reach` from B's centre. `None`
/// if this holds throughout.
///
/// Conservative advancement from both ends: along the direction between the centres the gap has a known value,
/// slope and bound of the second derivative.
pub(crate) fn near_interval(
    motion: &ScrewMotion,
    interval: TimeInterval,
    reach: f64,
) -> Option<TimeInterval> {
    let start = near_from(motion, interval, reach)?;
    let rest = TimeInterval::new(start, interval.end);
    let end = advance(motion, rest, AdvanceFrom::End, reach).unwrap_or(start);
    Some(TimeInterval::new(start, end.max(start)))
}

/// The start of [`near_interval`] alone.
pub(crate) fn near_from(motion: &ScrewMotion, interval: TimeInterval, reach: f64) -> Option<f64> {
    let TimeInterval { start: first, end: last } = interval;
    // A screw of many turns is decided at once if its whole helix is proven to stay away.
    if (last - first) * motion.angle > TAU && is_ring_clear(motion, interval, reach) {
        return None;
    }
    advance(motion, interval, AdvanceFrom::Start, reach)
}

/// Whether a helix stays further than `reach` from the origin between two times, for every angle about the axis.
fn is_ring_clear(
    motion: &ScrewMotion,
    TimeInterval { start: first, end: last }: TimeInterval,
    reach: f64,
) -> bool {
    let path = motion.path(DVec3::ZERO);
    let s = motion.direction;
    // The centre of the circle about the axis at t = 0, and its radius.
    let middle = path.start + path.w / (motion.angle * motion.angle);
    let radius = path.u.length() / motion.angle;
    let along = [first, last].map(|t| s.dot(middle + t * path.slide));
    let off_along = (along[0].min(along[1])).max(-along[0].max(along[1])).max(0.0);
    let across = (middle - s.dot(middle) * s).length();
    let rounding = ROUNDINGS * f64::EPSILON * (middle.length() + radius + path.slide.length());
    // A NaN compares false, so it proves nothing.
    libm::hypot((across - radius).abs(), off_along) - rounding > padded(motion, reach)
}

fn padded(motion: &ScrewMotion, reach: f64) -> f64 {
    reach + 2.0 * motion.rounding
}

/// The end of an interval from which an advancement starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AdvanceFrom {
    Start,
    End,
}

/// The time until which the centre certainly stays away, advancing forwards from the start of an interval or
/// backwards from its end; `None` if it stays away throughout.
fn advance(motion: &ScrewMotion, interval: TimeInterval, from: AdvanceFrom, reach: f64) -> Option<f64> {
    let (start, sense) = match from {
        AdvanceFrom::Start => (interval.start, 1.0),
        AdvanceFrom::End => (interval.end, -1.0),
    };
    let path = motion.path(DVec3::ZERO);
    let reach = padded(motion, reach);
    let mut advanced = 0.0;
    for _ in 0..STEPS {
        let basis = motion.basis((start + sense * advanced).max(0.0));
        let place = path.at(&basis);
        let distance = place.length();
        let gap = distance - reach;
        if gap <= 0.0 {
            break;
        }
        let towards = -place / distance;
        let speed = sense * towards.dot(path.velocity(&basis));
        let acceleration = path.max_acceleration(motion.angle, towards);
        let step = safe_time(gap, speed, acceleration);
        advanced += step;
        if advanced > interval.length() {
            return None;
        }
        if step * path.speed() < CLOSE * reach {
            break;
        }
    }
    Some(start + sense * advanced)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh_screw::small_bodies::body;
    use crate::motion::{Pose, Screw};
    use chasles_testing::Random;

    #[test]
    fn a_clear_ring_has_no_near_time() {
        let (mut clear, mut near) = (0, 0);
        for seed in 0..400 {
            let random = &mut Random(seed);
            let (a, b) = (body(random), body(random));
            let start = Pose::new(3.0 * random.vector(1.0), random.even_rotation()).unwrap();
            let (axis, point) = (random.direction(), 2.0 * random.vector(1.0));
            let (slide, angle) = (4.0 * random.side(), 60.0 * random.unit());
            let screw = Screw::about(start, axis, point, slide, angle).unwrap();
            let motion = ScrewMotion::new(a.mesh(), b.mesh(), &screw);
            let (first, last) = (0.3 * random.unit(), 1.0 - 0.3 * random.unit());
            let reach = 2.0 * random.unit();
            let path = motion.path(DVec3::ZERO);
            let is_clear = is_ring_clear(&motion, TimeInterval::new(first, last), reach);
            let times = (0..=2000).map(|i| first + (last - first) * f64::from(i) / 2000.0);
            let nearest = times.map(|t| path.at(&motion.basis(t)).length()).fold(f64::INFINITY, f64::min);
            assert!(!is_clear || nearest > reach, "seed {seed}: {nearest} is within {reach}");
            clear += u32::from(is_clear);
            near += u32::from(nearest <= reach);
        }
        assert!(clear > 100 && near > 10, "{clear} {near}");
    }
}
