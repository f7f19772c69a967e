//! The results and the remaining budget of a search along the motion of a pair.

use crate::math::budget::{Budget, IsOver};
use crate::mesh_screw::query::Options;
use crate::motion::relative::RelativeMotion;
use crate::trajectory::contact_intervals::ContactTimeline;
use crate::trajectory::watch::EarliestContact;

/// Steps after which the first search for a proof of separation ends. Each search that ends this way gives the next
/// one four times as many.
pub(crate) const QUICK: u64 = 50;

/// The progress of a search along a motion.
pub(crate) struct SearchProgress<'a> {
    pub(crate) relative: &'a RelativeMotion<'a>,
    /// The remaining budget.
    pub(crate) budget: Budget<'a>,
    pub(crate) found: ContactTimeline,
    /// The maximum number of steps of the next search for a proof of separation along a screw.
    pub(crate) quick: u64,
    /// Ends the search, if the query is for the first contact of all pairs only.
    pub(crate) earliest: Option<&'a EarliestContact>,
}

impl<'a> SearchProgress<'a> {
    /// The start of a motion.
    pub(crate) fn new(relative: &'a RelativeMotion<'a>, options: &Options, is_over: IsOver<'a>) -> Self {
        Self {
            relative,
            budget: Budget::new(options.budget).watched(Some(is_over)),
            found: ContactTimeline::new(relative.end()),
            quick: QUICK,
            earliest: None,
        }
    }

    /// Whether the caller wants to stop.
    pub(crate) fn is_over(&self) -> bool {
        self.budget.is_over().is_some_and(|is_over| is_over())
    }

    /// Reports the first contact of the bodies to the searches of other pairs.
    pub(crate) fn report_contact(&self) {
        if let (Some(earliest), Some(first)) = (self.earliest, self.found.intervals.first()) {
            earliest.contact_at(first.enter[1]);
        }
    }

    /// Whether the search may end because another pair has its first contact before `time`, up to which this pair
    /// was examined, and these bodies are separated then. All contacts up to the first of all pairs are known by
    /// then, in any order of the pairs. Undecided intervals must not depend on the order either, so bodies that may
    /// be in contact are examined until that is certain.
    pub(crate) fn is_after_first_contact(&self, time: f64) -> bool {
        let ContactTimeline { intervals, undecided, .. } = &self.found;
        let is_separated = intervals.last().map_or(undecided.is_empty(), |last| last.exit.is_some());
        is_separated && self.earliest.is_some_and(|earliest| earliest.is_before(time))
    }
}
