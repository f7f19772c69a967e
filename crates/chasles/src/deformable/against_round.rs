//! A round body beside a surface that deforms: its true surface, on its true way.
//!
//! Nothing is made straight but the ways of the vertices. At a time the round body is a [`Placed`], and a triangle is
//! within a distance of it or not; nothing moves further than the speeds say, so that what one look tells holds for a
//! while. Surfaces count: a triangle wholly inside the round body is apart from it.
//!
//! ```text
//! face     one look at a triangle: how far it is from the round surface, or how deep it crosses
//! spans    all times of a step at which they are within a distance
//! nearest  the least gap of a step, and the place of a contact
//! ```

mod face;
mod nearest;
mod spans;

use glam::DVec3;

use crate::deformable::candidates::Moving;
use crate::deformable::hierarchy::Aabb32;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::rounding::of_positions;
use crate::math::time_interval::TimeInterval;
use crate::motion::carried::{Carrier, MovingBall, OUTSIDE, breaks, carried, pieces, placed, rounding_of};
use crate::round::support::{Placed, RoundShape};
use crate::shape::pieces::Pieces;

pub(super) use nearest::{RoundGap, SeenNear};

/// A round body on its carriers, and the pieces of the surface beside it.
#[derive(Debug)]
pub(crate) struct RoundBeside<'s> {
    round: RoundShape,
    chain: Vec<Carrier<'s>>,
    pieces: &'s Pieces,
    /// Whether the round body is the first of both.
    pub(super) is_first: bool,
}

/// The way of a round body during a piece of a smooth stretch that holds `within`, in seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoundWay<'a> {
    beside: &'a RoundBeside<'a>,
    span: TimeInterval,
    within: f64,
    /// No point of it goes further during the piece, in metres.
    length: f64,
    /// How far any point may be from where it is computed, in metres.
    pub(super) rounding: f64,
}

/// A round body and a surface during a piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoundSides<'a> {
    pub(super) way: RoundWay<'a>,
    pub(super) surface: Moving<'a>,
    /// How far a vertex may be from its straight way, in metres, roundings included.
    pub(super) off: f64,
}

impl<'s> RoundBeside<'s> {
    pub(crate) fn new(
        round: RoundShape,
        chain: Vec<Carrier<'s>>,
        pieces: &'s Pieces,
        is_first: bool,
    ) -> Self {
        Self { round, chain, pieces, is_first }
    }

    /// The times between 0 and a duration, both among them, at which its way is not smooth.
    pub(super) fn breaks(&self, duration: f64) -> Vec<f64> {
        breaks(self.chain.iter(), duration)
    }

    /// Its way during a piece of a stretch that holds `within`.
    pub(super) fn path(&self, span: TimeInterval, within: f64) -> RoundWay<'_> {
        let chain = || pieces(&self.chain, within);
        let matter = MovingBall { centre: DVec3::ZERO, radius: self.round.core_radius() };
        let speed = if self.chain.iter().all(|carrier| carrier.is_constant) {
            0.0
        } else {
            carried(chain(), &matter, span).0.speed
        };
        let length = if span.end > span.start { speed * (span.end - span.start) * OUTSIDE } else { 0.0 };
        let off = rounding_of(chain(), span);
        let far = off.place.length() + off.swing + self.round.radius();
        let rounding = off.rounding.at(self.round.radius()) + of_positions(far);
        RoundWay { beside: self, span, within, length, rounding }
    }
}

impl RoundWay<'_> {
    /// Whether the round body is the first of both.
    pub(super) fn is_first(&self) -> bool {
        self.beside.is_first
    }

    /// Where it is after a share of the piece.
    fn at(&self, share: f64) -> Placed {
        let TimeInterval { start: from, end: to } = self.span;
        let time = if share >= 1.0 { to } else { from + share * (to - from) };
        let pose = placed(&self.beside.chain, time, self.within);
        Placed {
            round: self.beside.round,
            centre: pose.position(),
            axis: pose.transform_vector(DVec3::Z).normalize_or_zero(),
        }
    }
}

impl RoundSides<'_> {
    /// All faces that may come within a distance of the round body during the piece.
    fn faces(&self, distance: f64, budget: &mut Budget<'_>) -> Result<Vec<u32>, OutOfBudget> {
        let placed = self.way.at(0.5);
        let reach = placed.round.radius() + 0.5 * self.way.length + distance + self.off + self.way.rounding;
        let (centre, origin) = (placed.centre, self.surface.motion.centre);
        // The boxes hold the whole ways.
        let is_near = |bounds: &Aabb32| {
            let [least, greatest] = [bounds.min, bounds.max].map(|p| p.as_dvec3() + origin);
            let apart = (least - centre).max(centre - greatest).max(DVec3::ZERO);
            let is_far = apart.length() > reach * OUTSIDE + of_positions(centre.length() + origin.length());
            // What is not a number is near.
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
