//! A round body and a deforming surface: the round body has its true surface, on its true path.
//!
//! Only the paths of the vertices are approximated by straight lines. At a time, the round body is a [`Placed`], and
//! a triangle is within a distance of it or not. As speeds are bounded, the result of one sample holds for a while.
//! Only surfaces count: a triangle wholly inside the round body is separated from it.
//!
//! ```text
//! face       one sample of a triangle: its distance from the round surface, or the depth of a crossing
//! intervals  all times of a step at which they are within a distance
//! nearest    the minimum gap of a step, and the place of a contact
//! ```

mod face;
mod nearest;
mod intervals;

use glam::DVec3;

use crate::deformable::moving_mesh::SmoothPart;
use crate::deformable::step::candidates::MovingSurface;
use crate::deformable::step::hierarchy::Aabb32;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::rounding::of_positions;
use crate::math::time_interval::TimeInterval;
use crate::motion::chain::{
    ChainBody, MovingBall, OUTSIDE, breaks, chain_pose, chain_rates, chain_segments, rounding_of,
};
use crate::round::support::{Placed, RoundShape};
use crate::shape::pieces::Pieces;

pub(crate) use face::{SampledFace, face_gap, rough_gap};
pub(super) use nearest::{NearestSample, RoundGap};

/// A round body on its carriers, and the connected pieces of the surface that it is tested against.
#[derive(Debug)]
pub(crate) struct MovingRoundBody<'s> {
    round: RoundShape,
    chain: Vec<ChainBody<'s>>,
    pieces: &'s Pieces,
    /// Whether the round body is the first of the pair.
    pub(super) is_first: bool,
}

/// The path of a round body during part of a smooth interval that contains `within`, in seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoundBodyPath<'a> {
    body: &'a MovingRoundBody<'a>,
    span: TimeInterval,
    within: f64,
    /// An upper bound of the path length of any of its points, in metres.
    length: f64,
    /// An upper bound of the rounding error of any of its points, in metres.
    pub(super) rounding: f64,
}

/// A round body and a surface during part of a smooth interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoundSides<'a> {
    pub(super) path: RoundBodyPath<'a>,
    pub(super) surface: MovingSurface<'a>,
    /// An upper bound of a vertex's deviation from its straight path, in metres, including rounding.
    pub(super) deviation: f64,
}

impl<'s> MovingRoundBody<'s> {
    pub(crate) fn new(
        round: RoundShape,
        chain: Vec<ChainBody<'s>>,
        pieces: &'s Pieces,
        is_first: bool,
    ) -> Self {
        Self { round, chain, pieces, is_first }
    }

    /// The times between 0 and a duration, both included, at which its path is not smooth.
    pub(super) fn breaks(&self, duration: f64) -> Vec<f64> {
        breaks(self.chain.iter(), duration)
    }

    /// Its path during part of a smooth interval.
    pub(super) fn path(&self, SmoothPart { interval: span, within }: SmoothPart) -> RoundBodyPath<'_> {
        let chain = || chain_segments(&self.chain, within);
        let ball = MovingBall { centre: DVec3::ZERO, radius: self.round.core_radius() };
        let speed = if self.chain.iter().all(|carrier| carrier.is_constant) {
            0.0
        } else {
            chain_rates(chain(), &ball, span).0.speed
        };
        let length = if span.end > span.start { speed * (span.end - span.start) * OUTSIDE } else { 0.0 };
        let bounds = rounding_of(chain(), span);
        let far = bounds.place.length() + bounds.displacement + self.round.radius();
        let rounding = bounds.rounding.at(self.round.radius()) + of_positions(far);
        RoundBodyPath { body: self, span, within, length, rounding }
    }
}

impl RoundBodyPath<'_> {
    /// Whether the round body is the first of the pair.
    pub(super) fn is_first(&self) -> bool {
        self.body.is_first
    }

    /// Its placement at a fraction of the interval.
    fn at(&self, fraction: f64) -> Placed {
        let TimeInterval { start: from, end: to } = self.span;
        let time = if fraction >= 1.0 { to } else { from + fraction * (to - from) };
        let pose = chain_pose(&self.body.chain, time, self.within);
        Placed {
            round: self.body.round,
            centre: pose.position(),
            axis: pose.transform_vector(DVec3::Z).normalize_or_zero(),
        }
    }
}

impl RoundSides<'_> {
    /// All faces that may come within a distance of the round body during the interval.
    fn faces(&self, distance: f64, budget: &mut Budget<'_>) -> Result<Vec<u32>, OutOfBudget> {
        let placed = self.path.at(0.5);
        let reach =
            placed.round.radius() + 0.5 * self.path.length + distance + self.deviation + self.path.rounding;
        let (centre, origin) = (placed.centre, self.surface.motion.centre);
        // The boxes contain the whole paths.
        let is_near = |bounds: &Aabb32| {
            let [min_corner, max_corner] = [bounds.min, bounds.max].map(|p| p.as_dvec3() + origin);
            let gap = (min_corner - centre).max(centre - max_corner).max(DVec3::ZERO);
            let is_far = gap.length() > reach * OUTSIDE + of_positions(centre.length() + origin.length());
            // A NaN counts as near.
            !is_far
        };
        let (tree, fitted) = (self.surface.tree, self.surface.fitted);
        let (mut found, mut waiting) = (Vec::new(), vec![0]);
        while let Some(node) = waiting.pop() {
            budget.step()?;
            if !is_near(&fitted.nodes[node as usize]) {
                continue;
            }
            match tree.children(node) {
                Some([left, right]) => waiting.extend([right, left]),
                None => {
                    let faces = tree.faces(node).iter().copied();
                    found.extend(faces.filter(|face| is_near(&fitted.faces[*face as usize])));
                }
            }
        }
        Ok(found)
    }
}
