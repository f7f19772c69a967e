//! The report of a pair, from the results of its searches. All pairs get their reports here: rigid and deforming
//! ones, and the points of bodies. Reports of parts are joined afterwards ([`merged`](super::fused::merged)).

use crate::error::Error;
use crate::math::budget::Budget;
use crate::scene::check::context::{CheckContext, FoundContacts, FoundIntervals};
use crate::scene::check::deformable_pairs::{DeformableBodies, constant_meshes};
use crate::scene::check::rigid_pairs::{ContactScope, RigidSearch};
use crate::scene::report::{Containment, PairListing, PairReport, PairUndecidedReason, PairVerdict};

/// A pair whose report is to be built.
pub(crate) enum PairReportBuilder<'a> {
    Rigid(RigidSearch<'a>),
    /// A pair with a body that deforms, or a body with itself; and intervals, in seconds, outside of which the bodies
    /// are known to be separated.
    Deformable(Box<DeformableBodies<'a>>, &'a [[f64; 2]]),
}

impl PairReportBuilder<'_> {
    /// The report, and which body is inside the other, a hollow body, without contact.
    ///
    /// # Errors
    /// A frame cannot be read; a motion leaves the range of coordinates.
    pub(crate) fn build(
        mut self,
        context: &CheckContext<'_>,
    ) -> Result<(PairReport, Vec<Containment>), Error> {
        let CheckContext { scene, options, watch, .. } = *context;
        let is_over = || watch.is_over();
        let new_budget = || Budget::new(options.budget).watched(Some(&is_over));
        let mut budget = new_budget();
        let (bodies, end, epsilon) = match &self {
            Self::Rigid(search) => (search.bodies, scene.duration(), search.epsilon(scene)),
            // No epsilon decides a pair that deforms.
            Self::Deformable(pair, _) => (pair.bodies, scene.whole_duration(), None),
        };
        let FoundContacts { found, overlaps, inside } = match &mut self {
            Self::Rigid(search) => search.contacts(context),
            Self::Deformable(pair, spans) => pair.contacts(spans, context, &mut budget)?,
        };
        let mut report = PairReport { epsilon, ..PairReport::clear(bodies, end) };
        set_intervals(&mut report, found, PairVerdict::Contact);
        if overlaps {
            report.verdict = PairVerdict::Overlapping;
        }
        if report.verdict == PairVerdict::Clear && bodies[0] != bodies[1] {
            let clearance = scene.clearance_of(bodies);
            if clearance > 0.0 {
                let near = match &mut self {
                    Self::Rigid(search) => search.near(clearance, new_budget())?,
                    Self::Deformable(pair, spans) => {
                        Some(pair.near(spans, clearance, context, new_budget())?)
                    }
                };
                let Some(near) = near else {
                    return Ok((PairReport::unexamined(bodies, end, PairUndecidedReason::Stopped), inside));
                };
                set_intervals(&mut report, near, PairVerdict::Near);
            }
            let is_listed = options.listed == PairListing::All;
            let (is_near, is_clear) =
                (report.verdict == PairVerdict::Near, report.verdict == PairVerdict::Clear);
            let gap = match &mut self {
                Self::Rigid(search) if is_near || is_listed => Some(search.gap(scene, new_budget())?),
                Self::Deformable(pair, _) if is_near || (is_clear && is_listed) => {
                    pair.gap(scene, new_budget())?
                }
                Self::Rigid(_) | Self::Deformable(..) => None,
            };
            (report.gap, report.gap_time) = gap.unzip();
        }
        match self {
            Self::Rigid(_) => report.end_at(end),
            // After a jump at the end, a deforming pair may have times up to the next double.
            Self::Deformable(..) => {}
        }
        report.set_clear_until(end);
        if !options.events || !matches!(report.verdict, PairVerdict::Contact | PairVerdict::Overlapping) {
            return Ok((report, inside));
        }
        // Only meshes have features. The reason for undecided contacts of a rigid pair stays.
        let (meshes, reason) = match self {
            Self::Rigid(RigidSearch { scope: ContactScope::Surfaces, .. }) => {
                (constant_meshes(scene, bodies)?, report.reason)
            }
            Self::Rigid(RigidSearch { scope: ContactScope::Points, .. }) => (None, report.reason),
            Self::Deformable(pair, _) => (Some(*pair), None),
        };
        if let Some(mut meshes) = meshes {
            let (events, is_complete) = meshes.events(scene, &report.intervals, &mut budget)?;
            report.events = events;
            if !is_complete {
                report.reason = reason.or_else(|| Some(context.spent_reason()));
            }
        }
        Ok((report, inside))
    }
}

/// Sets the intervals of a report and all that follows from them. `verdict`: of a pair with an interval.
fn set_intervals(report: &mut PairReport, found: FoundIntervals, verdict: PairVerdict) {
    report.verdict = match (found.intervals.is_empty(), found.undecided.is_empty()) {
        (false, _) => verdict,
        (true, true) => PairVerdict::Clear,
        (true, false) => PairVerdict::Undecided,
    };
    report.deviation = report.deviation.max(found.deviation);
    (report.intervals, report.undecided, report.reason) = (found.intervals, found.undecided, found.reason);
}
