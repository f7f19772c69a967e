//! A moving box against a standing one: during which part of a span of time can they meet?
//!
//! Along a fixed direction n the centre of the moving box moves by a known value, slope and bound of the second
//! derivative, and both boxes have known half extents, that of the turning box up to its rotation during the span. So n
//! leaves an interval of time. The six directions are the axes of both boxes (a separating-axis test without the nine
//! cross products, which cost more than they cut).

use glam::DVec3;

use crate::bvh::Node;
use crate::relative_motion::RelativeMotion;

/// The part of [lo, hi] during which two boxes can come within `pad` of each other; `None` if they cannot, proven.
pub(crate) fn meeting_span(
    motion: &RelativeMotion,
    (a, b): (&Node, &Node),
    (lo, hi): (f64, f64),
    pad: f64,
) -> Option<(f64, f64)> {
    let half_span = 0.5 * (hi - lo);
    let middle = lo + half_span;
    let basis = motion.basis(middle);
    let path = motion.path(a.centre);
    let between = path.at(&basis) - b.centre;
    let velocity = path.velocity(&basis);
    let axes = motion.rotation_at(&basis);
    // The corners of the turning box move by at most this along any direction that turns with the middle of the span.
    let turning = motion.angle * half_span * a.half.length();
    let pad = pad + 2.0 * motion.rounding + turning;
    let (mut first, mut last) = (-half_span, half_span);
    let mut clip = |direction: DVec3, extent: f64| {
        let bend = path.greatest_acceleration(motion.angle, direction);
        let reach = extent + pad + 0.5 * bend * half_span * half_span;
        let (distance, speed) = (direction.dot(between), direction.dot(velocity));
        // |distance + speed y| <= reach
        let slack = f64::EPSILON * 16.0 * motion.reach;
        if speed.abs() * half_span <= slack {
            return distance.abs() <= reach + slack;
        }
        let (enter, leave) = ((-distance - reach) / speed, (-distance + reach) / speed);
        let (enter, leave) = if speed > 0.0 { (enter, leave) } else { (leave, enter) };
        let rounding = 8.0 * f64::EPSILON * (1.0 + (distance.abs() + reach) / speed.abs());
        first = first.max(enter - rounding);
        last = last.min(leave + rounding);
        first <= last
    };
    let turned = axes.transpose();
    for i in 0..3 {
        // Row i of the rotation holds the components along axis i of B.
        let row = turned.col(i);
        if !clip(DVec3::AXES[i], b.half[i] + row.abs().dot(a.half)) {
            return None;
        }
        let column = axes.col(i);
        if !clip(column, a.half[i] + column.abs().dot(b.half)) {
            return None;
        }
    }
    Some(((middle + first).max(lo), (middle + last).min(hi)))
}
