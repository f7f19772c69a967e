//! A point of the world, in doubles, that is strictly inside two hulls given in the frame of one body.
//!
//! The rotation of the frame is q v q* / |q|^2 for its stored quaternion q, whatever its length: the comparison is
//! free of rounding.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use crate::convex::hull::Hull;
use crate::convex::sides::sign;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::whole::{WholeUnit, cross, difference, dot};
use crate::motion::Pose;

/// The frame of hull coordinates: the point p of a hull is `pose` applied to `centre` + p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HullFrame {
    pub(crate) pose: Pose,
    pub(crate) centre: DVec3,
}

/// Number of doubles tried in each coordinate on either side of the nearest one.
const MAX_OFFSET: i32 = 2;

impl HullFrame {
    /// The double point nearest to a hull point in the world, in metres.
    pub(crate) fn point(&self, p: DVec3) -> DVec3 {
        self.pose.transform_point(self.centre + p)
    }

    /// A double point near the given hull point that is strictly inside both hulls. `None` if no candidate is
    /// inside, which happens only if the intersection of the hulls is as thin as the spacing of doubles.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn inside(
        &self,
        hulls: [&Hull; 2],
        near: DVec3,
        budget: &mut Budget<'_>,
    ) -> Result<Option<DVec3>, OutOfBudget> {
        let nearest = self.point(near);
        let around = -MAX_OFFSET..=MAX_OFFSET;
        let mut offsets: Vec<[i32; 3]> = around
            .clone()
            .flat_map(|x| around.clone().map(move |y| [x, y]))
            .flat_map(|[x, y]| around.clone().map(move |z| [x, y, z]))
            .collect();
        offsets.sort_by_key(|offset| offset.iter().map(|x| x * x).sum::<i32>());
        let mut last = [0; 2];
        for offset in offsets {
            let point = DVec3::from_array([0, 1, 2].map(|i| moved(nearest[i], offset[i])));
            if self.is_inside(hulls[0], point, &mut last[0], budget)?
                && self.is_inside(hulls[1], point, &mut last[1], budget)?
            {
                return Ok(Some(point));
            }
        }
        Ok(None)
    }

    /// Whether a point of the world is strictly inside a hull. `last` is used as in [`Hull::contains`].
    fn is_inside(
        &self,
        hull: &Hull,
        point: DVec3,
        last: &mut usize,
        budget: &mut Budget<'_>,
    ) -> Result<bool, OutOfBudget> {
        budget.take(hull.points().len() as u64)?;
        let position = self.pose.position();
        let lengths = hull.points().iter().chain([&point, &position, &self.centre]);
        let unit = WholeUnit::of(lengths.flat_map(|p| p.to_array()));
        let rotation = self.pose.rotation().to_array();
        let rotation_unit = WholeUnit::of(rotation.into_iter());
        let [x, y, z, w] = rotation.map(|x| rotation_unit.number(x));
        // Rotated back, in units of the squared length of the quaternion.
        let u = [-x, -y, -z];
        let (real, imaginary) = (&w * &w, dot(&u, &u));
        let (square, parallel_factor) = (&real + &imaginary, &real - &imaginary);
        let v = difference(&unit.point(point), &unit.point(position));
        let (along, across): (BigInt, _) = (dot(&u, &v) * 2, cross(&u, &v));
        let centre = unit.point(self.centre);
        let local: [BigInt; 3] = std::array::from_fn(|i| {
            &parallel_factor * &v[i] + &along * &u[i] + &w * &across[i] * 2 - &square * &centre[i]
        });
        for facet in hull.facets_from(*last) {
            budget.step()?;
            let [a, b, c] = hull.corners(facet).map(|corner| unit.point(corner));
            let normal = cross(&difference(&b, &a), &difference(&c, &a));
            let from = a.map(|x| &square * x);
            if sign(&dot(&normal, &difference(&local, &from))) != Ordering::Less {
                *last = facet;
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The double `by` steps above `x`, or below it if `by` is negative.
fn moved(x: f64, by: i32) -> f64 {
    let step = if by < 0 { f64::next_down } else { f64::next_up };
    (0..by.abs()).fold(x, |x, _| step(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn cuboid([lower, upper]: [DVec3; 2]) -> Hull {
        let side = |n: u32, bit: u32| if n >> bit & 1 == 1 { upper } else { lower };
        let points = (0..8).map(|n| DVec3::new(side(n, 0).x, side(n, 1).y, side(n, 2).z)).collect();
        Hull::of(points, &mut Budget::new(u64::MAX)).unwrap().unwrap()
    }

    /// A point inside both the unit cube and a box whose lower x is `doubles` steps below 1.
    fn between(doubles: i32, frame: &HullFrame) -> Option<DVec3> {
        let one = cuboid([DVec3::ZERO, DVec3::ONE]);
        let lower = moved(1.0, -doubles);
        let other = cuboid([DVec3::new(lower, -1.0, 0.25), DVec3::splat(2.0)]);
        let near = DVec3::new(0.5 * (1.0 + lower), 0.4, 0.7);
        frame.inside([&one, &other], near, &mut Budget::new(u64::MAX)).unwrap()
    }

    #[test]
    fn the_only_double_between_is_found_if_there_is_one() {
        let frame = HullFrame { pose: Pose::IDENTITY, centre: DVec3::ZERO };
        assert_eq!(between(2, &frame).unwrap().x, moved(1.0, -1));
        assert_eq!(between(1, &frame), None);
        // Doubles of larger magnitude have a wider spacing.
        let out = HullFrame { pose: Pose::from_position(DVec3::X * 3.0).unwrap(), centre: DVec3::ZERO };
        assert_eq!(between(4, &out), None);
        assert!(between(40, &out).is_some());
    }

    #[test]
    fn a_rotation_is_inverted_without_rounding() {
        // A quarter turn about z, exact, by a quaternion of squared length 2: x of the box is y of the world.
        let rotation = DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0);
        let frame =
            HullFrame { pose: Pose::from_parts(DVec3::ZERO, rotation), centre: DVec3::new(0.0, 0.0, -2.0) };
        let hull = cuboid([DVec3::ZERO, DVec3::new(1.0, 0.5, 3.0)]);
        let inside = |p: DVec3| frame.is_inside(&hull, p, &mut 0, &mut Budget::new(u64::MAX)).unwrap();
        let within = DVec3::new(-0.25, 0.75, 0.5);
        assert!(inside(within));
        assert!(!inside(DVec3::new(0.25, 0.75, 0.5)) && !inside(DVec3::new(-0.25, 0.75, 1.5)));
        assert!(!inside(DVec3::new(-0.5, 0.75, 0.5)) && inside(DVec3::new(moved(-0.5, 1), 0.75, 0.5)));
        assert!(!inside(DVec3::new(-0.25, 1.0, 0.5)) && inside(DVec3::new(-0.25, moved(1.0, -1), 0.5)));
    }
}
