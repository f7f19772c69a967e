//! A pair of bodies and their relative motion: the subject of every query along a motion.

use crate::math::budget::{Budget, price_of_turns};
use crate::motion::relative::{MotionInterval, RelativeMotion};
use crate::pair::Pair;
use crate::trajectory::watch::ProgressMonitor;

/// Two bodies and the motion of A relative to B.
#[derive(Clone, Copy)]
pub(crate) struct MovingPair<'a> {
    pub(crate) pair: &'a Pair<'a>,
    pub(crate) relative: &'a RelativeMotion<'a>,
    /// Can stop the query.
    pub(crate) watch: &'a dyn ProgressMonitor,
}

impl MovingPair<'_> {
    /// The budget for steps that may each include all turns of the motion: a step along many turns costs several
    /// steps of the given budget.
    pub(crate) fn budget_of_turns<'b>(&self, budget: &Budget<'b>) -> Budget<'b> {
        let angle = |stretch: MotionInterval| match stretch {
            MotionInterval::Exact(piece) => piece.screw.angle(),
            MotionInterval::General { begin, end } => self.relative.turning(begin, end),
        };
        let price = self.relative.smooth_intervals().map(angle).map(price_of_turns).max().unwrap_or(1);
        budget.part(budget.remaining() / price)
    }
}
