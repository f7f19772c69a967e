//! The interface of targets: three queries that any geometry can answer.

use glam::DVec3;

use super::path::PathBox;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::direction::unit_along;
use crate::math::interval::RealInterval;

/// A surface or solid in B's frame, in metres.
///
/// Algorithm 1 needs only the first two queries of "a stationary solid S". The third, the ray query of the variation,
/// has a default implementation by these two, which a kind of geometry may improve. Every query takes at least one
/// step from the budget.
pub trait PointTarget {
    /// Whether no point of the target lies in the box. `true` is proven; `false` may mean undecided. As boxes around
    /// a point outside the target shrink, the result must become `true`.
    ///
    /// # Errors
    /// When the budget does not suffice.
    fn misses(&mut self, region: &PathBox, budget: &mut Budget<'_>) -> Result<bool, OutOfBudget>;

    /// A point of the target at most `within` metres from `place`. `Some` is proven; `None` may mean undecided.
    ///
    /// # Errors
    /// When the budget does not suffice.
    fn near(
        &mut self,
        place: DVec3,
        within: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<SurfacePoint>, OutOfBudget>;

    /// The first point of a segment that reaches the target: it is at most `within` metres from the target, and no
    /// point before it lies in the target, unless within `within` metres of it.
    ///
    /// The default implementation bisects the segment until its parts are shorter than `within`.
    ///
    /// # Errors
    /// When the budget does not suffice.
    fn first_on(
        &mut self,
        segment: [DVec3; 2],
        within: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Hit>, OutOfBudget> {
        let [from, to] = segment;
        let length = from.distance(to);
        let mut open = vec![[0.0, 1.0]];
        while let Some([start, end]) = open.pop() {
            budget.step()?;
            let ends = [start, end].map(|fraction| from + fraction * (to - from));
            if self.misses(&PathBox::around(ends, 0.0), budget)? {
                continue;
            }
            let length_of_part = length * (end - start);
            if length_of_part <= within
                && let Some(surface) = self.near(0.5 * (ends[0] + ends[1]), 0.5 * within, budget)?
            {
                return Ok(Some(Hit { fraction: start, surface }));
            }
            let middle = 0.5 * (start + end);
            // A part that stays undecided is no hit: only a touch can be lost.
            if length_of_part > SHORTEST * within && start < middle && middle < end {
                open.extend([[middle, end], [start, middle]]);
            }
        }
        Ok(None)
    }
}

/// Parts of a segment shorter than this fraction of the allowed distance are not bisected any further.
const SHORTEST: f64 = 1.0 / 64.0;

/// A point of a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfacePoint {
    /// The position, in B's frame.
    pub point: DVec3,
    /// The unit normal: outward for a solid, by the winding for a triangle. Zero if there is none.
    pub normal: DVec3,
}

/// The first point of a segment at a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The position as a fraction of the segment.
    pub fraction: f64,
    /// A point of the target there.
    pub surface: SurfacePoint,
}

/// A point at most `within` from `place`, inside the bounds, at which a function is not positive. It is found by
/// steps down the gradient, and proven by the value there. `field` returns the function's value, rounded outward, and
/// its gradient.
pub(crate) fn near_by_gradient(
    place: DVec3,
    within: f64,
    [lower, upper]: [DVec3; 2],
    budget: &mut Budget<'_>,
    mut field: impl FnMut(DVec3) -> (RealInterval, DVec3),
) -> Result<Option<SurfacePoint>, OutOfBudget> {
    let beyond = (place - upper).max(DVec3::ZERO) - (lower - place).max(DVec3::ZERO);
    let mut at = place.max(lower).min(upper);
    for _ in 0..MAX_STEPS {
        budget.step()?;
        if at.distance(place).is_nan() || at.distance(place) > within {
            return Ok(None);
        }
        let (value, gradient) = field(at);
        let [_, high] = value.bounds();
        if high <= 0.0 {
            let normal = if beyond == DVec3::ZERO { unit_along(gradient) } else { unit_along(beyond) };
            return Ok(Some(SurfacePoint { point: at, normal }));
        }
        let slope = gradient.length();
        if !(slope > 0.0 && high < f64::INFINITY) {
            return Ok(None);
        }
        // Slightly beyond the surface, so that rounding cannot make the result uncertain.
        at -= (high / slope + BEYOND_SURFACE * within) * unit_along(gradient);
        at = at.max(lower).min(upper);
    }
    Ok(None)
}

/// Maximum number of gradient steps. Newton's iteration needs two or three on smooth functions.
const MAX_STEPS: u32 = 8;

/// How far beyond the surface a step aims, as a fraction of the allowed distance.
const BEYOND_SURFACE: f64 = 1e-3;
