//! When can two bodies be near each other at all? Their bounding spheres say, in 64 bits.

use glam::DVec3;

use crate::features::screw_motion::ScrewMotion;
use crate::math::safe_time::safe_time;
use crate::motion::helix::Helix;

/// Steps from either end; wherever they stop, the answer holds.
const STEPS: usize = 32;

/// A step of less than this share of the distance ends the advance.
const CLOSE: f64 = 0.02;

/// The part of [first, last] outside which A's centre is proven to be further than `reach` from B's centre. `None` if
/// it is so throughout.
///
/// Conservative advancement from both ends: along the direction between the centres the gap has a known value, slope
/// and bound of the second derivative.
pub(crate) fn near_span(motion: &ScrewMotion, (first, last): (f64, f64), reach: f64) -> Option<(f64, f64)> {
    let begin = near_from(motion, (first, last), reach)?;
    let path = motion.path(DVec3::ZERO);
    let end = advance(motion, &path, (last, last - begin, -1.0), padded(motion, reach)).unwrap_or(begin);
    Some((begin, end.max(begin)))
}

/// The begin of [`near_span`] alone.
pub(crate) fn near_from(motion: &ScrewMotion, (first, last): (f64, f64), reach: f64) -> Option<f64> {
    let path = motion.path(DVec3::ZERO);
    advance(motion, &path, (first, last - first, 1.0), padded(motion, reach))
}

fn padded(motion: &ScrewMotion, reach: f64) -> f64 {
    reach + 2.0 * motion.rounding
}

/// Until when the centre certainly stays away, from a time on, for at most `room`, forwards or backwards.
fn advance(
    motion: &ScrewMotion,
    path: &Helix,
    (start, room, sense): (f64, f64, f64),
    reach: f64,
) -> Option<f64> {
    let mut gone = 0.0;
    for _ in 0..STEPS {
        let basis = motion.basis((start + sense * gone).max(0.0));
        let place = path.at(&basis);
        let distance = place.length();
        let gap = distance - reach;
        if gap <= 0.0 {
            break;
        }
        let towards = -place / distance;
        let speed = sense * towards.dot(path.velocity(&basis));
        let bend = path.greatest_acceleration(motion.angle, towards);
        let step = safe_time(gap, speed, bend);
        gone += step;
        if gone > room {
            return None;
        }
        if step * path.speed() < CLOSE * reach {
            break;
        }
    }
    Some(start + sense * gone)
}
