//! Pairs of bodies that do not move relative to each other. Tested pairs take one static query each. Pairs that
//! overlap in the model are named in the report, and do not affect the verdict.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::broad_phase::few_candidates;
use crate::error::Error;
use crate::mesh_screw::timed::PoseState;
use crate::pair::PairMemory;
use crate::scene::Scene;
use crate::scene::check::answer::query;
use crate::scene::check::candidates::{Bounds, CandidateBatches, Candidates};
use crate::scene::check::context::CheckContext;
use crate::scene::check::deformable_pairs::{ScenePair, scene_pair};
use crate::scene::check::found::{CheckRequest, Found, collect};
use crate::scene::check::pair_report::PairReportBuilder;
use crate::scene::definition::BodyPlacement;
use crate::scene::pairing::{PairClass, StaticPairs};
use crate::scene::report::{CheckOptions, Guarantee, ModelOverlaps, PairListing, PairVerdict};
use crate::trajectory::contacts::contact_timeline;
use crate::trajectory::moving_pair::MovingPair;

/// Maximum number of pairs with overlapping boxes that the search for overlaps of the model examines.
const PAIRS: usize = 1 << 9;

/// Budget, in steps, of all these pairs together, and the maximum for one pair.
const STEPS: u64 = 20_000_000;
const STEPS_OF_ONE: u64 = 1_000_000;

/// The results of the tested pairs that do not move relative to each other.
///
/// # Errors
/// As [`Scene::check`].
pub(crate) fn collect_at_rest(
    scene: &Scene,
    request: &CheckRequest<'_>,
    batch_size: usize,
) -> Result<Found, Error> {
    let CheckRequest { context, bounds, classes, .. } = request;
    let total = request.count_at_rest();
    if total == 0 {
        return Ok(Found::default());
    }
    let is_selected = |a: usize, b: usize| {
        let class = scene.pair_class(a, b);
        class != PairClass::Moving && classes.has(class) && !scene.is_exempt(a, b)
    };
    let at_start = bounds.at_start(scene.duration());
    let mut batches =
        CandidateBatches::new(scene, &is_selected, &at_start.boxes, (context.options.listed, batch_size));
    collect(scene, &mut batches, (total, batch_size), context)
}

/// The pairs of rigidly joined bodies, and of static bodies, that overlap; `None` if static pairs are ignored.
///
/// # Errors
/// As [`Scene::check`].
pub(crate) fn model_overlaps(
    scene: &Scene,
    request: &CheckRequest<'_>,
) -> Result<Option<ModelOverlaps>, Error> {
    let CheckRequest { context, bounds, counts, classes } = request;
    if context.options.statics == StaticPairs::Ignored {
        return Ok(None);
    }
    let is_named = |class: PairClass| match class {
        PairClass::RigidlyJoined => true,
        PairClass::Static => !classes.has(class),
        PairClass::Moving | PairClass::Resting => false,
    };
    let mut overlaps = ModelOverlaps::default();
    if !(is_named(PairClass::Static) && counts.statics > 0) && counts.joined == 0 {
        return Ok(Some(overlaps));
    }
    let (pairs, is_complete) = near_pairs(scene, bounds, &is_named);
    if !is_complete {
        overlaps.undecided = PAIRS + 1 - pairs.len();
    }
    let steps = (STEPS / pairs.len().max(1) as u64).min(STEPS_OF_ONE).min(context.options.budget);
    let options = CheckOptions { budget: steps, events: false, ..*context.options };
    let options = CheckOptions { guarantee: Guarantee::Surfaces, listed: PairListing::NotClear, ..options };
    let of_one = CheckContext { options: &options, points: None, earliest: None, ..*context };
    let results: Vec<Result<Option<bool>, Error>> = pairs
        .par_iter()
        .map_init(PairMemory::default, |memory, pair| is_overlapping(scene, pair, &of_one, memory))
        .collect();
    for (Candidates { bodies, .. }, result) in pairs.iter().zip(results) {
        match result? {
            Some(false) => {}
            Some(true) if scene.pair_class(bodies[0], bodies[1]) == PairClass::Static => {
                overlaps.statics.push(*bodies);
            }
            Some(true) => overlaps.assembled.push(*bodies),
            None => overlaps.undecided += 1,
        }
    }
    Ok(Some(overlaps))
}

/// The pairs of some classes whose boxes overlap at the start, and `true`. If there are more than `PAIRS` such
/// pairs, only the pairs among the first bodies, at most `PAIRS`, and `false`.
fn near_pairs(
    scene: &Scene,
    bounds: &Bounds,
    is_named: &(dyn Fn(PairClass) -> bool + Sync),
) -> (Vec<Candidates>, bool) {
    let mut assembly_sizes = FxHashMap::<usize, usize>::default();
    for BodyPlacement { assembly, .. } in &scene.placements {
        *assembly_sizes.entry(*assembly).or_default() += 1;
    }
    let mut boxes = bounds.at_start(scene.duration()).boxes;
    boxes.retain(|swept| {
        let BodyPlacement { assembly, can_move, .. } = scene.placements[swept.body as usize];
        !can_move || assembly_sizes.get(&assembly).is_some_and(|count| *count > 1)
    });
    let is_selected = |a: u32, b: u32| {
        let [a, b] = [a, b].map(|body| body as usize);
        is_named(scene.pair_class(a, b)) && !scene.is_exempt(a, b)
    };
    let whole = [0.0, scene.duration().next_up()];
    let mut is_complete = true;
    loop {
        if let Some(found) = few_candidates(&boxes, &is_selected, PAIRS) {
            let pairs = found.iter().map(|found| found.bodies.map(|body| body as usize));
            let pairs = pairs.map(|bodies| Candidates { bodies, spans: vec![whole] });
            return (pairs.collect(), is_complete);
        }
        is_complete = false;
        boxes.truncate(boxes.len() / 2);
    }
}

/// Whether two bodies that do not move relative to each other overlap; `None` if undecided.
///
/// # Errors
/// As [`Scene::check`].
fn is_overlapping(
    scene: &Scene,
    Candidates { bodies, spans }: &Candidates,
    context: &CheckContext<'_>,
    memory: &mut PairMemory,
) -> Result<Option<bool>, Error> {
    let CheckContext { options, watch, .. } = *context;
    if watch.is_over() {
        return Ok(None);
    }
    let pair = match scene_pair(scene, *bodies, options.guarantee)? {
        Some(ScenePair::Constant(pair)) => pair,
        Some(ScenePair::Deformable(pair)) => {
            let (row, _) = PairReportBuilder::Deformable(pair, spans).build(context)?;
            return Ok(match row.verdict {
                PairVerdict::Overlapping => Some(true),
                PairVerdict::Undecided => None,
                _ => Some(false),
            });
        }
        None => return Ok(Some(false)),
    };
    let (pair, relative) = (pair.with_epsilon(scene.epsilon()), scene.relative(*bodies));
    let moving = MovingPair { pair: &pair, relative: &relative, watch };
    let query = query(scene, options);
    let found = contact_timeline(&moving, (memory, spans), &query)?;
    let solid = bodies.map(|body| scene.bodies[body].solid);
    let is_inside = || {
        let has_interior = pair.rigid().is_some() && solid != [false; 2];
        has_interior && pair.is_within(solid, &relative.pose_at(0.0, 0.0))
    };
    Ok(match (found.start, found.undecided.is_empty()) {
        (PoseState::Intersecting, _) => Some(true),
        (_, false) => None,
        (_, true) => Some(found.intervals.is_empty() && is_inside()),
    })
}
