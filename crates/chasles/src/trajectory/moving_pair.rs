//! A pair of bodies and their relative motion: the subject of every query along a motion.

use crate::math::budget::{Budget, price_of_turns};
use crate::motion::relative::RelativeMotion;
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
        let price = |interval| price_of_turns(self.relative.angle_in(&interval));
        let price = self.relative.smooth_intervals().map(price).max().unwrap_or(1);
        budget.part(budget.remaining() / price)
    }
}
