//! A parametric surface as a target: its parameter domain is subdivided until patches are separated from a box or
//! inside it.

use glam::DVec3;

use super::path::PathBox;
use super::target::{PointTarget, SurfacePoint};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::direction::unit_along;
use crate::math::interval::RealInterval;
use crate::shape::{ParametricSurface, TapeMemory};

/// A parametric surface as a target, in B's frame: a surface without an interior.
#[derive(Debug)]
pub struct Parametric<'a> {
    surface: &'a ParametricSurface,
    memory: TapeMemory,
}

/// Patches smaller than this fraction of the box are not subdivided: the box is bisected instead.
const FINE: f64 = 0.125;

/// A range of both parameters.
type Parameters = [[f64; 2]; 2];

/// A patch of the surface, with interval bounds of its position.
struct ParameterRect {
    /// Bounds of each coordinate.
    values: [RealInterval; 3],
    /// The position at the middle of the parameters.
    middle: [RealInterval; 3],
    /// The remainder of the linear approximation in the parameters.
    rest: [RealInterval; 3],
    /// The derivatives of each coordinate with respect to each parameter.
    slopes: [[RealInterval; 2]; 3],
    /// The range of each parameter relative to its middle.
    half: [RealInterval; 2],
}

impl ParameterRect {
    /// The range of n . x, by the mean value form.
    fn along(&self, n: DVec3) -> RealInterval {
        let dot = |v: [RealInterval; 3]| {
            let [x, y, z] = [0, 1, 2].map(|axis| v[axis] * RealInterval::point(n[axis]));
            x + y + z
        };
        let by = |parameter: usize| dot(self.slopes.map(|slopes| slopes[parameter])) * self.half[parameter];
        dot(self.rest) + by(0) + by(1)
    }

    fn normal(&self) -> DVec3 {
        let [along_u, along_v] =
            [0, 1].map(|n| DVec3::from_array(self.slopes.map(|slopes| slopes[n].middle())));
        unit_along(along_u.cross(along_v))
    }

    /// An upper bound of how far the patch reaches from its middle along each parameter.
    fn reach(&self) -> [f64; 2] {
        [0, 1].map(|n| {
            let steep = DVec3::from_array(self.slopes.map(|slopes| slopes[n].magnitude())).length();
            steep * self.half[n].magnitude()
        })
    }
}

/// Whether two intervals have no number in common.
fn are_separated(a: RealInterval, b: RealInterval) -> bool {
    let ([low, high], [from, to]) = (a.bounds(), b.bounds());
    high < from || to < low
}

/// The halves of a range of parameters, split in one parameter, or `None` if there is no number in between.
fn halves(over: Parameters, across: usize) -> Option<[Parameters; 2]> {
    let [from, to] = over[across];
    let middle = 0.5 * from + 0.5 * to;
    let (mut low, mut high) = (over, over);
    (low[across], high[across]) = ([from, middle], [middle, to]);
    (from < middle && middle < to).then_some([low, high])
}

impl<'a> Parametric<'a> {
    /// The surface as a target.
    #[must_use]
    pub fn new(surface: &'a ParametricSurface) -> Self {
        Self { surface, memory: TapeMemory::default() }
    }

    fn patch(&mut self, over: Parameters) -> ParameterRect {
        let scale = RealInterval::point(self.surface.scale());
        let whole = over.map(|[from, to]| RealInterval::new(from, to));
        let at = whole.map(|range| RealInterval::point(range.middle()));
        let half = [0, 1].map(|n| whole[n] - at[n]);
        let [mut values, mut middle, mut rest] = [[RealInterval::ZERO; 3]; 3];
        let mut slopes = [[RealInterval::ZERO; 2]; 3];
        for (axis, formula) in self.surface.coordinates().iter().enumerate() {
            let centre = [at[0], at[1], RealInterval::ZERO];
            let sides = [half[0].magnitude(), half[1].magnitude(), 0.0];
            let (gradient, left, range) = formula.linear(&centre, &sides, &mut self.memory);
            values[axis] = scale * range;
            slopes[axis] = [0, 1].map(|n| scale * RealInterval::point(gradient[n]));
            rest[axis] = scale * left;
            middle[axis] = scale * formula.range(&centre, &mut self.memory);
        }
        ParameterRect { values, middle, rest, slopes, half }
    }
}

/// Whether a patch of the surface is proven separated from a box: along the coordinate axes, the axes of the box, or
/// the normal of the patch.
fn is_patch_separated(patch: &ParameterRect, region: &PathBox) -> bool {
    let [lower, upper] = region.bounds();
    let beyond = |axis: usize| are_separated(patch.values[axis], RealInterval::new(lower[axis], upper[axis]));
    (0..3).any(beyond)
        || region.axes.into_iter().chain([patch.normal()]).any(|n| {
            let dot = |v: DVec3| {
                let [x, y, z] =
                    [0, 1, 2].map(|axis| RealInterval::point(v[axis]) * RealInterval::point(n[axis]));
                x + y + z
            };
            let parts = region.axes.iter().zip(region.half);
            let spread = parts.map(|(axis, half)| dot(*axis) * RealInterval::new(-half, half));
            are_separated(patch.along(n), spread.fold(dot(region.centre), |sum, part| sum + part))
        })
}

impl PointTarget for Parametric<'_> {
    fn misses(&mut self, region: &PathBox, budget: &mut Budget<'_>) -> Result<bool, OutOfBudget> {
        let mut open = vec![self.surface.ranges()];
        while let Some(over) = open.pop() {
            budget.step()?;
            let patch = self.patch(over);
            if is_patch_separated(&patch, region) {
                continue;
            }
            let from_centre = DVec3::from_array(patch.middle.map(RealInterval::middle)) - region.centre;
            let mut within = region.axes.iter().zip(region.half);
            let [along_u, along_v] = patch.reach();
            if within.all(|(axis, half)| axis.dot(from_centre).abs() <= half)
                || along_u + along_v <= FINE * region.radius()
            {
                return Ok(false);
            }
            let Some(pieces) = halves(over, usize::from(along_v > along_u)) else { return Ok(false) };
            open.extend(pieces);
        }
        Ok(true)
    }

    fn near(
        &mut self,
        place: DVec3,
        within: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<SurfacePoint>, OutOfBudget> {
        let mut open = vec![self.surface.ranges()];
        while let Some(over) = open.pop() {
            budget.step()?;
            let patch = self.patch(over);
            let squared = |point: [RealInterval; 3]| {
                let [x, y, z] = [0, 1, 2].map(|axis| (point[axis] - RealInterval::point(place[axis])).sqr());
                (x + y + z).bounds()
            };
            let square = within * within;
            if squared(patch.values)[0] > square {
                continue;
            }
            if squared(patch.middle)[1] <= square {
                let point = DVec3::from_array(patch.middle.map(RealInterval::middle));
                return Ok(Some(SurfacePoint { point, normal: patch.normal() }));
            }
            let [along_u, along_v] = patch.reach();
            // Points that are closer by less than this are found when the box is smaller.
            if along_u + along_v > FINE * within
                && let Some(pieces) = halves(over, usize::from(along_v > along_u))
            {
                open.extend(pieces);
            }
        }
        Ok(None)
    }
}
