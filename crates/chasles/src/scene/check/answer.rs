//! The check of one pair of bodies.

use crate::error::Error;
use crate::mesh_screw::query::Options;
use crate::pair::{Pair, PairMemory};
use crate::scene::Scene;
use crate::scene::carriers::relative_of_points;
use crate::scene::check::candidates::Candidates;
use crate::scene::check::context::CheckContext;
use crate::scene::check::deformable_pairs::{ScenePair, scene_pair};
use crate::scene::check::fused::merged;
use crate::scene::check::pair_report::PairReportBuilder;
use crate::scene::check::rigid_pairs::{ContactScope, RigidSearch};
use crate::scene::report::{CheckOptions, Containment, PairReport, PairUndecidedReason, PairVerdict};
use crate::trajectory::contacts::{StagedSearch, SuspendedSearch, contact_stage, contact_timeline};
use crate::trajectory::moving_pair::MovingPair;
use crate::trajectory::watch::EarliestContact;

/// The progress of the check of a pair.
pub(crate) enum PairProgress {
    /// The complete results.
    Complete(PairReport, Vec<Containment>),
    /// No results yet: the pair was examined through its first smooth intervals.
    Suspended(Box<SuspendedSearch>),
}

impl PairProgress {
    /// Whether the results only say that the pair is clear; if only the first contact is required, clear up to the
    /// earliest contact of any pair.
    pub(crate) fn is_clear(&self, earliest: Option<&EarliestContact>) -> bool {
        let is_after_first_contact = |time: f64| earliest.is_some_and(|earliest| earliest.is_before(time));
        match self {
            Self::Complete(row, inside) => {
                let is_clear = row.verdict == PairVerdict::Clear || is_after_first_contact(row.clear_until);
                is_clear && inside.iter().all(|inside| is_after_first_contact(inside.from))
            }
            Self::Suspended(_) => false,
        }
    }
}

/// Checks one pair, through the smooth intervals that start before `until`, in seconds, from where the search
/// suspended. A pair of shapes that are not rigid surfaces is examined to its end at once. The report is complete
/// once the pair has been examined to its end.
///
/// # Errors
/// A motion leaves the range of coordinates.
pub(crate) fn answer(
    Candidates { bodies: [a, b], spans }: &Candidates,
    context: &CheckContext<'_>,
    memory: &mut PairMemory,
    (suspended, until): (Option<Box<SuspendedSearch>>, f64),
) -> Result<PairProgress, Error> {
    let (scene, [a, b]) = (context.scene, [*a, *b]);
    let unexamined = |reason| PairReport::unexamined([a, b], scene.duration(), reason);
    let complete = |(row, inside)| Ok(PairProgress::Complete(row, inside));
    let suspended = match suspended {
        None if context.watch.is_over() => {
            return complete((unexamined(PairUndecidedReason::Stopped), Vec::new()));
        }
        Some(suspended) if suspended.reached >= until && !context.watch.is_over() => {
            return Ok(PairProgress::Suspended(suspended));
        }
        suspended => suspended.map(|suspended| *suspended),
    };
    let whole = match scene_pair(scene, [a, b], context.options.guarantee)? {
        Some(ScenePair::Constant(pair)) => pair,
        Some(ScenePair::Deformable(pair)) => {
            return complete(PairReportBuilder::Deformable(pair, spans).build(context)?);
        }
        None => return complete((PairReport::clear([a, b], scene.duration()), Vec::new())),
    };
    let Some(points) = context.points else {
        let pair = whole.with_epsilon(scene.epsilon());
        let relative = scene.relative([a, b]);
        let moving = MovingPair { pair: &pair, relative: &relative, watch: context.watch };
        let query = query(scene, context.options);
        let stage = (suspended, until, context.earliest);
        let timeline = match contact_stage(&moving, (&mut *memory, spans), &query, stage)? {
            StagedSearch::Complete(timeline) => timeline,
            StagedSearch::Suspended(suspended) => return Ok(PairProgress::Suspended(Box::new(suspended))),
        };
        let search = RigidSearch { bodies: [a, b], moving, scope: ContactScope::Surfaces, timeline, memory };
        return complete(PairReportBuilder::Rigid(search).build(context)?);
    };
    // The points of each body against the other body.
    let relative = relative_of_points(scene, [a, b]);
    let bodies = [a, b].map(|body| &scene.bodies[body]);
    let (shapes, interiors) = (bodies.map(|body| body.shape.as_ref()), bodies.map(|body| body.interior()));
    let [points_a, points_b] = [a, b].map(|body| points[body].as_ref());
    let halves = [(points_a, shapes[1]), (shapes[0], points_b)];
    let mut parts = Vec::new();
    for (of_a, of_b) in halves {
        if let (Some(of_a), Some(of_b)) = (of_a, of_b) {
            let pair = Pair::with_interiors([of_a, of_b], interiors).with_epsilon(scene.epsilon());
            let moving = MovingPair { pair: &pair, relative: &relative, watch: context.watch };
            let query = query(scene, context.options);
            let timeline = contact_timeline(&moving, (&mut *memory, spans), &query)?;
            let scope = ContactScope::Points;
            let search = RigidSearch { bodies: [a, b], moving, scope, timeline, memory: &mut *memory };
            parts.push(PairReportBuilder::Rigid(search).build(context)?.0);
        }
    }
    if parts.is_empty() {
        return complete((unexamined(PairUndecidedReason::NoPoints), Vec::new()));
    }
    complete((merged([a, b], parts), Vec::new()))
}

/// The options of the query for each screw of a pair.
pub(crate) fn query(scene: &Scene, options: &CheckOptions) -> Options {
    Options {
        tolerance: Some(scene.tolerance()),
        budget: options.budget,
        memory: options.memory,
        ..Options::default()
    }
}
