//! Boxes around the bodies of a scene during intervals of time, for the broad phase.
//!
//! A body lies within its radius of its centre. In an interval of length h, the centre is within h^2 / 8 times its
//! maximum acceleration of the straight line between its positions at both ends. The same holds for each point of
//! the body, and all points lie in a box that rotates with the body. Along each axis the tighter of these two
//! bounds counts.

use glam::{DMat3, DQuat, DVec3};

use crate::broad_phase::SweptBox;
use crate::math::rounding::{Rounding, of_positions};
use crate::math::time_interval::TimeInterval;
use crate::motion::Pose;
use crate::motion::chain::{
    ChainBody, MovingBall, OUTSIDE, breaks, chain_rates, chain_segments, rounding_of,
};
use crate::pair::shape::CollisionShape;
use crate::scene::Scene;

/// The motion of a body is divided into intervals in which the body moves by about its own width, at most this number.
const MAX_INTERVALS: u32 = 64;

/// The swept boxes of all bodies, each enlarged by `pad` metres, sorted by body, then time.
pub(crate) fn swept_boxes(scene: &Scene, pad: f64) -> Vec<SweptBox> {
    let rigid = rigid_arms(scene);
    let shaped = |body: usize| scene.bodies()[body].shape.as_ref().map(|shape| (body, shape));
    (0..scene.bodies().len())
        .filter_map(shaped)
        .flat_map(|(body, shape)| boxes_of(scene, (body, shape), &rigid[body], pad))
        .collect()
}

/// The rigid part between a body and the lowest moving body among itself and its carriers.
#[derive(Debug, Clone, Copy)]
struct Arm {
    /// Pose of the body in the frame of the moving body; in the world if no body moves.
    pose: Pose,
    mover: Option<usize>,
    /// The sum of the lengths that contribute to the pose, in metres.
    length: f64,
    /// The rounding of the pose.
    rounding: Rounding,
}

/// The arms of all bodies. Each arm continues its parent's arm, so long chains are walked once.
fn rigid_arms(scene: &Scene) -> Vec<Arm> {
    let none = Arm { pose: Pose::IDENTITY, mover: None, length: 0.0, rounding: Rounding::NONE };
    let mut arms = vec![none; scene.bodies().len()];
    let mut order: Vec<usize> = (0..arms.len()).collect();
    order.sort_by_key(|body| scene.placements[*body].depth);
    for body in order {
        let above = scene.bodies()[body].parent.map_or(none, |parent| arms[parent]);
        arms[body] = match scene.placements[body].constant {
            None => Arm { mover: Some(body), ..none },
            Some(pose) => {
                let reach = pose.position().length();
                let own =
                    scene.placements[body].track.segment_at(0.0).rounding(TimeInterval::new(0.0, 0.0), reach);
                let length = above.length + reach;
                Arm {
                    pose: above.pose.compose(&pose),
                    mover: above.mover,
                    length,
                    rounding: own.carried(above.rounding, reach, length),
                }
            }
        };
    }
    arms
}

fn boxes_of(scene: &Scene, (body, shape): (usize, &CollisionShape), arm: &Arm, pad: f64) -> Vec<SweptBox> {
    let carriers = arm.mover.map_or(Vec::new(), |mover| scene.chain(mover, None));
    let extent = shape.extent();
    let reach = (extent.radius + extent.beyond) * OUTSIDE + pad;
    let centre_ball = MovingBall { centre: arm.pose.transform_point(extent.centre), radius: 0.0 };
    let half = (extent.half + DVec3::splat(extent.beyond)) * OUTSIDE;
    let extent = SweepRadius { radius: extent.radius, centre: extent.centre.length(), reach, half, pad, arm };
    let duration = scene.duration();
    let mut breaks = breaks(carriers.iter(), duration);
    let number = u32::try_from(body).unwrap_or(u32::MAX);
    let whole = chain_rates(
        chain_segments(&carriers, 0.5 * duration),
        &centre_ball,
        TimeInterval::new(0.0, duration),
    )
    .0;
    let count = if arm.mover.is_none() {
        1
    } else {
        // For a motion of many segments this is only an estimate; any number is valid.
        let wide = whole.speed * duration / (2.0 * reach);
        (1..MAX_INTERVALS).find(|count| f64::from(*count) >= wide).unwrap_or(MAX_INTERVALS)
    };
    breaks.extend((1..count).map(|i| duration * (f64::from(i) / f64::from(count))));
    breaks.sort_by(f64::total_cmp);
    breaks.dedup();
    let mut boxes: Vec<SweptBox> = Vec::new();
    for pair in breaks.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        let [min, max] = bounds((&carriers, &centre_ball), TimeInterval::new(start, end), &extent);
        let slot = |time: f64| (time / duration * f64::from(count)).floor();
        match boxes.last_mut().filter(|last| slot(0.5 * (last.start + last.end)) == slot(0.5 * (start + end)))
        {
            Some(last) => {
                (last.min, last.max, last.end) = (last.min.min(min), last.max.max(max), end);
            }
            None => boxes.push(SweptBox { body: number, start, end, min, max }),
        }
    }
    if let Some(last) = boxes.last_mut() {
        // If other bodies jump at the end, this body is still here then.
        last.end = duration.next_up();
    }
    boxes
}

/// The extent of a body around its centre, in metres.
struct SweepRadius<'a> {
    arm: &'a Arm,
    /// Distance of the centre from the body's origin.
    centre: f64,
    /// Radius of the mesh, or of a ball that contains the body.
    radius: f64,
    /// Extent in all directions, with the pad.
    reach: f64,
    /// Half extents along the body's own axes.
    half: DVec3,
    pad: f64,
}

/// A box, enlarged by the pad, that contains a body between two times of a smooth interval.
fn bounds(
    (carriers, centre_ball): (&[ChainBody<'_>], &MovingBall),
    interval: TimeInterval,
    extent: &SweepRadius<'_>,
) -> [DVec3; 2] {
    let TimeInterval { start, end } = interval;
    let middle = 0.5 * (start + end);
    let place = |time: f64| {
        let mut pose = Pose::IDENTITY;
        for piece in chain_segments(carriers, middle) {
            pose = piece.pose_at(time).compose(&pose);
        }
        (pose.transform_point(centre_ball.centre), pose.rotation() * extent.arm.pose.rotation())
    };
    let ((from, rotation), (to, rotation_at_end)) = (place(start), place(end));
    let factor = (end - start) * (end - start) / 8.0;
    let own = || chain_segments(carriers, middle);
    let chord_error =
        |radius: f64| factor * chain_rates(own(), &MovingBall { radius, ..*centre_ball }, interval).0.change;
    let known = rounding_of(own(), interval).rounding;
    let known = extent.arm.rounding.carried(known, extent.arm.length, extent.arm.length);
    let rounding = known.at(extent.centre + extent.reach)
        + of_positions(from.abs().max(to.abs()).max_element() + extent.reach);
    // Half extents of the box around the body's own rotated box.
    let half = |rotation: DQuat| {
        let axes = DMat3::from_quat(rotation);
        axes.x_axis.abs() * extent.half.x
            + axes.y_axis.abs() * extent.half.y
            + axes.z_axis.abs() * extent.half.z
    };
    let by_radius = DVec3::splat((extent.reach + chord_error(0.0) + rounding) * OUTSIDE);
    let swing = DVec3::splat((extent.pad + chord_error(extent.radius) + rounding) * OUTSIDE);
    let (first, last) = (half(rotation) + swing, half(rotation_at_end) + swing);
    let low = (from.min(to) - by_radius, (from - first).min(to - last));
    let high = (from.max(to) + by_radius, (from + first).max(to + last));
    // If a bound is NaN, `max` and `min` take the other bound.
    let axes = [0, 1, 2];
    let min = axes.map(|axis| low.0[axis].max(low.1[axis]));
    let max = axes.map(|axis| high.0[axis].min(high.1[axis]));
    [DVec3::from_array(min), DVec3::from_array(max)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{CubicKey, Curve};
    use crate::scene::definition::{BodyMotion, SceneBody, SceneDefinition};
    use crate::shape::Primitive;

    /// A plate or a cylinder, away from the centre of its carrier, which rotates and falls along an arc.
    fn falling(shape: Primitive, out: DVec3, turns: f64) -> Scene {
        let key = |time: f64, value: DVec3, tangent: DVec3| CubicKey {
            time,
            in_tangent: tangent,
            value,
            out_tangent: tangent,
        };
        let position = Curve::Cubic(vec![key(0.0, DVec3::ZERO, out), key(2.0, DVec3::X, -out)]);
        let arc = BodyMotion::Curves { position, rotation: Curve::constant(DQuat::IDENTITY) };
        let turning =
            BodyMotion::Twist { start: Pose::IDENTITY, linear: DVec3::Y, angular: DVec3::Z * turns };
        let shape = CollisionShape::primitive(shape).unwrap();
        let body = |shape, motion, parent| SceneBody { parent, ..SceneBody::new("body", shape, motion) };
        let at = Pose::from_position(DVec3::new(0.3, 0.0, 0.1)).unwrap();
        let bodies = vec![
            body(None, arc, None),
            body(None, turning, Some(0)),
            body(Some(shape), BodyMotion::Still(at), Some(1)),
        ];
        Scene::new(SceneDefinition::new(2.0, bodies)).unwrap()
    }

    #[test]
    fn a_body_is_in_its_box_at_every_time() {
        let plate = Primitive::Box { size: DVec3::new(0.1, 0.3, 0.02) };
        let roll = Primitive::Cylinder { radius: 0.05, height: 0.4 };
        // Closely spaced points on the rims of the cylinder.
        let rim = |i: u32| {
            let (sin, cos) = (f64::from(i / 2) * 0.1).sin_cos();
            DVec3::new(0.05 * cos, 0.05 * sin, if i.is_multiple_of(2) { 0.2 } else { -0.2 })
        };
        let corner = |i: u32| {
            let side = |bit: u32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
            DVec3::new(0.1, 0.3, 0.02) * DVec3::new(side(0), side(1), side(2))
        };
        let points: [Vec<DVec3>; 2] = [(0..8).map(corner).collect(), (0..126).map(rim).collect()];
        let mut tighter = 0;
        for i in 0..40 {
            let (out, turns) = (DVec3::new(0.0, 0.0, 0.5 * f64::from(i)), 0.7 * f64::from(i % 8));
            let which = i as usize % 2;
            let scene = falling([plate, roll][which], out, turns);
            let boxes = swept_boxes(&scene, 0.0);
            let radius = scene.bodies()[2].shape.as_ref().unwrap().drawn().radius();
            tighter +=
                boxes.iter().filter(|swept| (swept.max - swept.min).min_element() < 2.0 * radius).count();
            for k in 0..=4000 {
                let time = 2.0 * f64::from(k) / 4000.0;
                let pose = scene.pose_at(2, time);
                let holding = boxes.iter().filter(|swept| swept.start <= time && time <= swept.end);
                let is_inside = |swept: &SweptBox| {
                    points[which]
                        .iter()
                        .map(|p| pose.transform_point(*p))
                        .all(|p| swept.min.cmple(p + 1e-15).all() && swept.max.cmpge(p - 1e-15).all())
                };
                let (mut any, mut all) = (false, true);
                holding.for_each(|swept| (any, all) = (true, all && is_inside(swept)));
                assert!(any && all, "{i}: at {time} it is not in its box");
            }
        }
        assert!(tighter > 50, "{tighter}");
    }
}
