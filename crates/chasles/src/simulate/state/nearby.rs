//! Finds the pairs of bodies that are near each other, and the points where they nearly touch.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use crate::broad_phase::{SweptBox, candidates};
use crate::impulses::problem::SurfaceProperties;
use crate::math::budget::Budget;
use crate::motion::{Pose, Screw};
use crate::pair::PairMemory;
use crate::pair::shape::CollisionShape;
use crate::simulate::rows::ContactPoint;
use crate::simulate::state::seams::is_seam;
use crate::simulate::state::world::{World, bounding_box, middle};
use crate::touch::place::{Reach, TouchPlace};
use crate::trajectory::watch::ProgressMonitor;

/// Rounding error of positions, relative to the coordinates.
pub(crate) const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Maximum number of steps of one query of a pair.
pub(crate) const STEPS: u64 = 2_000_000;

/// Two bodies that are near each other, the lower number first, and a bound of their relative travel in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NearPair {
    pub(crate) bodies: [usize; 2],
    pub(crate) travel: f64,
}

/// A bound of the distance, in metres, of the points of a shape on a screw from the straight lines between their
/// positions at both ends: angle^2 / 8 times the distance from the axis.
pub(crate) fn chord_deviation(screw: &Screw, shape: &CollisionShape) -> f64 {
    let extent = shape.extent();
    let arm = screw.start_rotation() * middle(shape);
    let across =
        screw.velocity_across_at(arm).length() + screw.angle() * (extent.half.length() + extent.beyond);
    0.125 * screw.angle() * across * (1.0 + 1e-9)
}

/// The pairs of bodies that can collide if the points of each body move by at most `travels` from these poses.
pub(crate) fn near_pairs(world: &World, poses: &[Pose], travels: &[f64]) -> Vec<NearPair> {
    let boxed = |(body, pose): (usize, &Pose)| {
        let [min, max] = bounding_box(world, body, pose)?;
        let number = u32::try_from(body).ok()?;
        let travel = travels[body];
        Some(SweptBox { body: number, start: 0.0, end: 1.0, min: min - travel, max: max + travel })
    };
    let boxes: Vec<SweptBox> = poses.iter().enumerate().filter_map(boxed).collect();
    let found = candidates(&boxes, &|a, b| world.may_collide(a as usize, b as usize));
    let near = found.into_iter().map(|candidate| {
        let bodies = candidate.bodies.map(|body| body as usize);
        NearPair { bodies, travel: travels[bodies[0]] + travels[bodies[1]] }
    });
    near.collect()
}

/// The search for pairs that approach each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ApproachSearch {
    /// The time ahead, in seconds.
    pub(crate) time: f64,
    /// The maximum change of speeds in this time, in metres per second.
    pub(crate) speed_change: f64,
    /// Pairs are near at this gap, in metres.
    pub(crate) margin: f64,
}

/// Bodies that move alike collide in a step only if others stop one of them, so this fraction of their travel counts.
const STOPPED_FRACTION: f64 = 0.2;

/// The pairs that may come near in the time of the search. Contacts that it misses are found as anticipated contacts.
pub(crate) fn approaching_pairs(
    world: &World,
    poses: &[Pose],
    velocities: &[[DVec3; 2]],
    search: ApproachSearch,
) -> Vec<NearPair> {
    let ApproachSearch { time, speed_change, margin } = search;
    let travels = travels(world, velocities, time, speed_change);
    let padded: Vec<f64> = travels.iter().map(|travel| travel + margin).collect();
    let boxes: Vec<Option<[DVec3; 2]>> =
        poses.iter().enumerate().map(|(body, pose)| bounding_box(world, body, pose)).collect();
    let mut near = near_pairs(world, poses, &padded);
    near.retain_mut(|pair| {
        let [a, b] = pair.bodies;
        let [v, w] = pair.bodies.map(|body| velocities[body][0]);
        let own = |body: usize, speed: DVec3| (travels[body] - time * speed.length()).max(0.0);
        let (rotating, both) = (own(a, v) + own(b, w), travels[a] + travels[b]);
        let relative = rotating + time * (v - w).length() + STOPPED_FRACTION * both;
        pair.travel = relative.min(both) + 2.0 * margin;
        let Some(([low_a, high_a], [low_b, high_b])) = boxes[a].zip(boxes[b]) else { return true };
        (low_a - high_b).max(low_b - high_a).max_element() <= pair.travel
    });
    near
}

/// An upper bound of the distance of the points of a body from the point to which its velocity refers.
pub(crate) fn radius(world: &World, body: usize) -> f64 {
    let Some(shape) = world.scene().bodies()[body].shape.as_ref() else { return 0.0 };
    let center = world.definition.bodies[body].dynamics.filter(|_| world.numbers[body].is_some());
    let origin = center.map_or(DVec3::ZERO, |own| own.center);
    let extent = shape.extent();
    ((middle(shape) - origin).abs() + extent.half).length() + extent.beyond
}

/// An upper bound of how far each body moves in a time in which speeds change by at most `speed_change`.
fn travels(world: &World, velocities: &[[DVec3; 2]], time: f64, speed_change: f64) -> Vec<f64> {
    let own = |(body, [linear, angular]): (usize, &[DVec3; 2])| {
        if world.is_immobile(body) {
            return 0.0;
        }
        let extra = if world.numbers[body].is_some() { speed_change } else { 0.0 };
        time * (linear.length() + angular.length() * radius(world, body) + extra)
    };
    velocities.iter().enumerate().map(own).collect()
}

/// Normals of likely separating planes, from the first body to the second: from centre to centre, and along the axes
/// of both bodies.
pub(crate) fn plane_directions(world: &World, bodies: [usize; 2], poses: [&Pose; 2]) -> Option<[DVec3; 7]> {
    let [a, b] = [0, 1].map(|i| {
        let shape = world.scene().bodies()[bodies[i]].shape.as_ref()?;
        Some(poses[i].transform_point(middle(shape)))
    });
    let offset = b? - a?;
    let [first, second] = poses.map(|pose| DMat3::from_quat(pose.rotation()));
    let axes = [first.x_axis, first.y_axis, first.z_axis, second.x_axis, second.y_axis, second.z_axis];
    let [p, q, r, s, t, u] = axes.map(|axis| if axis.dot(offset) < 0.0 { -axis } else { axis });
    Some([offset.try_normalize()?, p, q, r, s, t, u])
}

/// An upper bound of the extent of a shape at a pose along a direction; `None` if it is not available.
pub(crate) fn support_along(shape: &CollisionShape, pose: &Pose, normal: DVec3) -> Option<f64> {
    let extent = shape.reach(pose.rotation().conjugate() * normal)?;
    let size = pose.position().abs().element_sum() + extent.abs();
    Some(normal.dot(pose.position()) + extent + ROUNDING * size)
}

/// Whether a plane proves that two bodies are further apart than the pair's travel.
fn is_beyond(world: &World, pair: &NearPair, poses: &[Pose]) -> bool {
    let [a, b] = pair.bodies.map(|body| world.scene().bodies()[body].shape.as_ref());
    let (Some(a), Some(b)) = (a, b) else { return false };
    let poses = pair.bodies.map(|body| &poses[body]);
    let normals = plane_directions(world, pair.bodies, poses);
    let overlap =
        |normal: DVec3| Some(support_along(a, poses[0], normal)? + support_along(b, poses[1], -normal)?);
    let is_beyond = |normal: &DVec3| overlap(*normal).is_some_and(|overlap| -overlap > pair.travel);
    normals.is_some_and(|normals| normals.iter().any(is_beyond))
}

/// The contact points of all pairs, in order. A pair that exceeds its budget gets none; its separation is proven
/// elsewhere. If the monitor requires an immediate stop, some points are missing.
pub(crate) fn contact_points(
    world: &World,
    near: &[NearPair],
    poses: &[Pose],
    watch: &dyn ProgressMonitor,
) -> Vec<ContactPoint> {
    let of_pair = |memory: &mut PairMemory, pair: &NearPair| -> Vec<ContactPoint> {
        let mut touches = pair_contact_points(world, pair, poses, memory, watch);
        touches.retain(|touch| !is_seam(world, poses, touch));
        touches
    };
    for_pairs(near, of_pair).into_iter().flatten().collect()
}

/// Whether a pair has contact points, and all of them are at seams: the faces that continue the surface bear the body.
pub(crate) fn is_borne_by_neighbours(
    world: &World,
    pair: &NearPair,
    poses: &[Pose],
    memory: &mut PairMemory,
    watch: &dyn ProgressMonitor,
) -> bool {
    if !pair.bodies.iter().any(|body| world.is_keyframed(*body)) {
        return false;
    }
    let touches = pair_contact_points(world, pair, poses, memory, watch);
    !touches.is_empty() && touches.iter().all(|touch| is_seam(world, poses, touch))
}

/// The contact points of a pair, at seams too.
fn pair_contact_points(
    world: &World,
    pair: &NearPair,
    poses: &[Pose],
    memory: &mut PairMemory,
    watch: &dyn ProgressMonitor,
) -> Vec<ContactPoint> {
    let [a, b] = pair.bodies;
    if is_beyond(world, pair, poses) {
        return Vec::new();
    }
    let Some(own) = world.scene().pair(pair.bodies) else { return Vec::new() };
    let relative = poses[b].inverse().compose(&poses[a]);
    let reach = Reach { gap: pair.travel, depth: world.definition.settings.depth };
    let facings = [world.facings[a], world.facings[b]];
    let is_final = || watch.is_final();
    let mut budget = Budget::new(STEPS).watched(Some(&is_final));
    let places = own.contact_points_at(memory, (&relative, &reach), facings, &mut budget).unwrap_or_default();
    let SurfaceProperties { elasticity, friction } = world.surface_properties(pair.bodies);
    let touch = |place: &TouchPlace| ContactPoint {
        bodies: pair.bodies,
        point: poses[b].transform_point(0.5 * (place.points[0] + place.points[1])),
        normal: poses[b].transform_vector(place.normal),
        gap: place.gap,
        key: place.key,
        elasticity,
        friction,
    };
    places.iter().map(touch).collect()
}

/// The results of a function for each pair, in order. Many pairs are computed in parallel.
pub(crate) fn for_pairs<T: Send>(
    near: &[NearPair],
    of_pair: impl Fn(&mut PairMemory, &NearPair) -> T + Send + Sync,
) -> Vec<T> {
    if near.len() < 16 {
        let mut memory = PairMemory::default();
        near.iter().map(|pair| of_pair(&mut memory, pair)).collect()
    } else {
        near.par_iter().map_init(PairMemory::default, of_pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use chasles_testing::Random;

    use super::*;
    use crate::shape::Primitive;

    #[test]
    fn points_on_a_screw_attain_the_bound_of_their_distance_from_the_chord() {
        let random = &mut Random(4);
        let mut closest = 0.0_f64;
        for _ in 0..2000 {
            // A long box or a ball, anywhere around the axis.
            let half = DVec3::new(random.within(0.01, 1.0), 0.01, 0.01);
            let radius = random.within(0.001, 1.0);
            let (primitive, points) = if random.below(2) == 0 {
                let signs = [-1.0, 1.0];
                let corners = signs.map(|x| signs.map(|y| signs.map(|z| half * DVec3::new(x, y, z))));
                (Primitive::Box { size: 2.0 * half }, corners.as_flattened().as_flattened().to_vec())
            } else {
                let points = (0..20).map(|_| radius * random.direction()).collect();
                (Primitive::Sphere { radius }, points)
            };
            let start = Pose::new(random.vector(0.1), random.even_rotation()).unwrap();
            let angle = 10.0_f64.powf(random.within(-3.0, 0.5));
            let axis = random.direction();
            let screw = Screw::about(start, axis, random.vector(2.0), random.side(), angle).unwrap();
            let bound = chord_deviation(&screw, &CollisionShape::primitive(primitive).unwrap());
            for point in points {
                let [first, last] = [0.0, 1.0].map(|time| screw.pose_at(time).transform_point(point));
                for time in [0.3, 0.5, random.unit()] {
                    let place = screw.pose_at(time).transform_point(point);
                    let error = place.distance(first.lerp(last, time));
                    assert!(error <= bound + 1e-14, "{error} {bound} {screw:?}");
                    closest = closest.max(error / bound);
                }
            }
        }
        assert!(closest > 0.95, "{closest}");
    }
}
