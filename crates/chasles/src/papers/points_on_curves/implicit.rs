//! A solid given by a formula, with enclosures of its values over boxes. A formula of `min` and `max` is a tree of
//! unions and intersections (CSG).

use glam::DVec3;

use super::path::PathBox;
use super::target::{PointTarget, SurfacePoint, near_by_gradient};
use crate::error::{Error, check_positive, check_vector};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::interval::RealInterval;
use crate::shape::{Expression, TapeMemory};

/// The points within a box at which a formula of x, y and z, in metres of B's frame, is not positive.
#[derive(Debug)]
pub struct Implicit<'a> {
    formula: &'a Expression,
    bounds: [DVec3; 2],
    memory: TapeMemory,
}

impl<'a> Implicit<'a> {
    /// The solid of a formula within its bounds, smallest corner first.
    ///
    /// # Errors
    /// Bounds that do not increase, or are NaN.
    pub fn new(formula: &'a Expression, bounds: [DVec3; 2]) -> Result<Self, Error> {
        for corner in bounds {
            check_vector(corner, || "bounds".into())?;
        }
        for size in (bounds[1] - bounds[0]).to_array() {
            check_positive(size, "size of the bounds")?;
        }
        Ok(Self { formula, bounds, memory: TapeMemory::default() })
    }
}

/// A box along the coordinate axes as an interval for each variable.
fn variables(lower: DVec3, upper: DVec3) -> [RealInterval; 3] {
    [0, 1, 2].map(|axis| RealInterval::new(lower[axis], upper[axis]))
}

impl PointTarget for Implicit<'_> {
    /// Tests the values on the axis-aligned box, and on the oriented box itself those of a linear approximation of
    /// the formula with its remainder.
    fn misses(&mut self, region: &PathBox, budget: &mut Budget<'_>) -> Result<bool, OutOfBudget> {
        budget.step()?;
        let [lower, upper] = region.bounds();
        let (lower, upper) = (lower.max(self.bounds[0]), upper.min(self.bounds[1]));
        if !lower.cmple(upper).all() {
            return Ok(true);
        }
        let over = variables(lower, upper);
        let centre = over.map(RealInterval::middle);
        let half = [0, 1, 2].map(|i| (over[i] - RealInterval::point(centre[i])).magnitude());
        let (gradient, rest, range) =
            self.formula.linear(&centre.map(RealInterval::point), &half, &mut self.memory);
        if range.bounds()[0] > 0.0 {
            return Ok(true);
        }
        let mut value = rest;
        for i in 0..3 {
            let off = RealInterval::point(region.centre[i]) - RealInterval::point(centre[i]);
            value = value + RealInterval::point(gradient[i]) * off;
        }
        for (axis, half) in region.axes.iter().zip(region.half) {
            let along = [0, 1, 2].map(|i| RealInterval::point(gradient[i]) * RealInterval::point(axis[i]));
            value = value + (along[0] + along[1] + along[2]) * RealInterval::new(-half, half);
        }
        Ok(value.bounds()[0] > 0.0)
    }

    fn near(
        &mut self,
        place: DVec3,
        within: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<SurfacePoint>, OutOfBudget> {
        near_by_gradient(place, within, self.bounds, budget, |at| {
            let (gradient, value, _) = self.formula.linear(&variables(at, at), &[0.0; 3], &mut self.memory);
            (value, DVec3::from_array(gradient))
        })
    }
}
