//! The check of all pairs of a scene. This file is the one to read first.
//!
//! ```text
//! sweeping          boxes around bodies during intervals of time, for the broad phase
//! candidates        candidate pairs, in batches of bounded size
//! fused             the report of two bodies, from the reports of their parts
//! context           the options of a check, and the results of a search
//! rigid_pairs       pairs of constant shapes that move
//! deformable_pairs  pairs with a body that deforms, and bodies with themselves
//! pair_report       the report of a pair, of any kind
//! answer            the check of one pair
//! rounds            many pairs, side by side in time
//! found             the results of pairs, collected batch by batch
//! resting           pairs that do not move relative to each other
//! ```

pub(crate) mod sweeping;
pub(crate) mod candidates;
pub(crate) mod fused;
pub(crate) mod context;
pub(crate) mod rigid_pairs;
pub(crate) mod deformable_pairs;
pub(crate) mod pair_report;
pub(crate) mod answer;
pub(crate) mod rounds;
pub(crate) mod found;
pub(crate) mod resting;

use rayon::prelude::*;

use crate::error::{Error, check_positive};
use crate::pair::shape::CollisionShape;
use crate::scene::Scene;
use crate::scene::check::candidates::{Bounds, CandidateBatches};
use crate::scene::check::context::CheckContext;
use crate::scene::check::deformable_pairs::deformable_bodies;
use crate::scene::check::found::{CheckRequest, Found, collect};
use crate::scene::check::pair_report::PairReportBuilder;
use crate::scene::check::resting::{collect_at_rest, model_overlaps};
use crate::scene::closed_surfaces::ClosedSurfaces;
use crate::scene::nearest::{NearestPair, SweptBoxes, nearest};
use crate::scene::pairing::PairClass;
use crate::scene::report::{
    CheckOptions, Guarantee, Horizon, NearestReport, PairListing, PairReport, PairUndecidedReason,
    PairVerdict, SceneReport, SkippedPairs,
};
use crate::trajectory::watch::{EarliestContact, ProgressMonitor};

/// Checks to the end, with about `batch_size` candidates in memory at a time. The report does not depend on
/// `batch_size`.
pub(crate) fn check_in_batches(
    scene: &Scene,
    options: &CheckOptions,
    watch: &dyn ProgressMonitor,
    batch_size: usize,
) -> Result<SceneReport, Error> {
    with_request(scene, (options, watch), |request| {
        let mut report = all_clear_report(scene, request);
        watch.begin(report.pairs_tested);
        report.overlaps = model_overlaps(scene, request)?;
        let at_rest = collect_at_rest(scene, request, batch_size)?;
        answer_all(scene, report, request, at_rest, batch_size)
    })
}

/// Prepares the data for queries about pairs, and calls `run` with it.
///
/// # Errors
/// An error of `run`; a spacing of points that is not greater than 0.
pub(crate) fn with_request<T>(
    scene: &Scene,
    (options, watch): (&CheckOptions, &dyn ProgressMonitor),
    run: impl FnOnce(&CheckRequest<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let (closed_surfaces, points) = (ClosedSurfaces::new(scene), points(scene, options.guarantee)?);
    let earliest = (options.horizon == Horizon::FirstContact).then(EarliestContact::new);
    let (points, earliest) = (points.as_deref(), earliest.as_ref());
    run(&CheckRequest {
        context: CheckContext { scene, closed_surfaces: &closed_surfaces, points, options, watch, earliest },
        bounds: Bounds::of(scene),
        counts: scene.count_pairs(),
        classes: scene.tested_classes(options.resting, options.statics),
    })
}

/// A report in which all tested pairs are clear.
pub(crate) fn all_clear_report(scene: &Scene, request: &CheckRequest<'_>) -> SceneReport {
    let CheckRequest { context: CheckContext { options, .. }, counts, classes, .. } = request;
    let tested = counts.moving + request.count_at_rest() + scene.self_tested().count();
    SceneReport {
        verdict: PairVerdict::Clear,
        pairs_tested: tested,
        untested: SkippedPairs::of(counts, *classes),
        pairs_clear: tested,
        pairs: Vec::new(),
        overlaps: None,
        tolerance: scene.tolerance(),
        epsilon: reported_epsilon(scene, options.guarantee),
        guarantee: options.guarantee,
        horizon: options.horizon,
        all_contacts: options.all_contacts,
        events: options.events,
        clear_until: scene.duration(),
        followed_until: scene.duration(),
        nearest: None,
        inside: Vec::new(),
    }
}

/// Completes a report with the results of the pairs at rest, and checks the pairs that move. With
/// [`Horizon::FirstContact`], times after the first contact of any pair are reported or unknown.
///
/// # Errors
/// As [`Scene::check`].
pub(crate) fn answer_all(
    scene: &Scene,
    mut report: SceneReport,
    request: &CheckRequest<'_>,
    at_rest: Found,
    batch_size: usize,
) -> Result<SceneReport, Error> {
    let CheckRequest { context, bounds, counts, classes } = request;
    let CheckContext { options, watch, .. } = *context;
    let self_tested: Vec<usize> = scene.self_tested().collect();
    let is_selected =
        |a: usize, b: usize| scene.pair_class(a, b) == PairClass::Moving && !scene.is_exempt(a, b);
    let mut batches = CandidateBatches::new(scene, &is_selected, &bounds.boxes, (options.listed, batch_size));
    let mut moving = collect(scene, &mut batches, (counts.moving, batch_size), context)?;
    moving.near_pairs.extend(&at_rest.near_pairs);
    let near_pairs = std::mem::take(&mut moving.near_pairs);
    let is_incomplete = at_rest.unexamined + moving.unexamined > 0;
    report.add_found(at_rest);
    report.add_found(moving);
    if is_incomplete {
        report.pairs_clear -= self_tested.len();
        return Ok(report);
    }
    let rows: Vec<Result<PairReport, Error>> = self_tested
        .par_iter()
        .map(|body| {
            let whole = [[0.0, scene.duration()]];
            let pair = deformable_bodies(scene, [*body; 2], options.guarantee);
            let row =
                pair.and_then(|pair| PairReportBuilder::Deformable(Box::new(pair), &whole).build(context));
            watch.done(1);
            row.map(|(row, _)| row)
        })
        .collect();
    let mut of_self_tested = Found::default();
    for row in rows {
        of_self_tested.add(row?, options.listed);
    }
    report.add_found(of_self_tested);
    report.pairs.sort_by_key(|pair| pair.bodies);
    report.inside.sort_by_key(|inside| [inside.inner.min(inside.outer), inside.inner.max(inside.outer)]);
    report.followed_until = decided_until(&report.pairs, scene.duration());
    // The nearest pair is named for surfaces. The search for its gap alone does not handle deforming bodies.
    let is_known =
        options.listed == PairListing::All || !(0..scene.bodies.len()).any(|body| scene.is_deforming(body));
    let names_nearest =
        options.naming == NearestReport::Nearest && options.guarantee == Guarantee::Surfaces && is_known;
    if report.verdict == PairVerdict::Clear && names_nearest {
        report.nearest = match options.listed {
            PairListing::All => nearest_of(&report.pairs),
            PairListing::NotClear => {
                let Bounds { boxes, pad } = bounds;
                let bounds = SweptBoxes { boxes, pad: *pad, near_pairs: &near_pairs, classes: *classes };
                let nearest = nearest(scene, &bounds, watch);
                nearest.map(|nearest| NearestPair { time: nearest.time.min(scene.duration()), ..nearest })
            }
        };
    }
    Ok(report)
}

/// The epsilon, if it may decide any pair.
fn reported_epsilon(scene: &Scene, guarantee: Guarantee) -> Option<f64> {
    let has_set = || scene.bodies.iter().filter_map(|body| body.shape.as_ref()).any(CollisionShape::is_set);
    (guarantee != Guarantee::Surfaces || scene.states_epsilon() || has_set()).then(|| scene.epsilon())
}

/// The points of each body, if only points are tested.
fn points(scene: &Scene, guarantee: Guarantee) -> Result<Option<Vec<Option<CollisionShape>>>, Error> {
    let Guarantee::Points { spacing } = guarantee else { return Ok(None) };
    check_positive(spacing.unwrap_or(1.0), "spacing")?;
    let points = scene.bodies.par_iter().map(|body| {
        let points = body.shape.as_ref().map_or(Ok(None), |shape| shape.points(spacing));
        points.map_err(|e| Error::new(e.kind().clone(), format!("body {:?}: {}", body.name, e.place())))
    });
    Ok(Some(points.collect::<Result<_, _>>()?))
}

/// The time until which every pair is decided, also after a stop.
pub(crate) fn decided_until(pairs: &[PairReport], duration: f64) -> f64 {
    let stopped = pairs.iter().filter(|pair| pair.reason == Some(PairUndecidedReason::Stopped));
    stopped.filter_map(|pair| Some(pair.undecided.first()?[0])).fold(duration, f64::min)
}

/// The nearest of the pairs with a known gap.
fn nearest_of(pairs: &[PairReport]) -> Option<NearestPair> {
    let known = pairs.iter().filter_map(|pair| Some((pair.bodies, pair.gap?, pair.gap_time?)));
    let (bodies, gap, time) = known.min_by(|(_, x, _), (_, y, _)| x[1].total_cmp(&y[1]))?;
    let lower = pairs.iter().filter_map(|pair| pair.gap).map(|gap| gap[0]).fold(gap[0], f64::min);
    Some(NearestPair { bodies, gap: [lower, gap[1]], time })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use glam::{DQuat, DVec3};

    use super::*;
    use crate::motion::{Pose, Screw};
    use crate::pair::shape::CollisionShape;
    use crate::scene::definition::{BodyMotion, SceneBody, SceneDefinition};
    use crate::scene::pairing::StaticPairs;
    use crate::scene::report::{ModelOverlaps, PairUndecidedReason};
    use crate::shape::Primitive;

    fn cube(name: &str, motion: BodyMotion) -> SceneBody {
        let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
        SceneBody::new(name, Some(shape), motion)
    }

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose::from_position(DVec3::new(x, y, z)).unwrap()
    }

    impl ProgressMonitor for AtomicUsize {
        fn done(&self, pairs: usize) {
            self.fetch_add(pairs, Ordering::Relaxed);
        }
    }

    /// Cubes in a row at distance 3, and a cube that swings above them; `swinger` is its number.
    fn row_of_cubes(swinger: usize) -> Scene {
        let mut bodies: Vec<_> = (0..4)
            .map(|i| cube(&format!("c{i}"), BodyMotion::Still(at(3.0 * f64::from(i), 0.0, 0.0))))
            .collect();
        // Half a revolution about a horizontal axis, down between the second cube and the third, and up again.
        let screw = Screw::about(at(3.1, 0.1, 2.0), -DVec3::Y, DVec3::new(4.6, 0.0, 2.0), 0.0, PI).unwrap();
        bodies.insert(swinger, cube("swinger", BodyMotion::Screw(screw)));
        Scene::new(SceneDefinition::new(4.0, bodies)).unwrap()
    }

    #[test]
    fn the_place_of_the_swinger_in_the_list_changes_only_the_normal() {
        let first = row_of_cubes(0).check(&CheckOptions::default(), &()).unwrap();
        let last = row_of_cubes(4).check(&CheckOptions::default(), &()).unwrap();
        assert_eq!((first.pairs_tested, last.pairs_tested), (4, 4));
        assert_eq!((first.pairs.len(), last.pairs.len()), (2, 2));
        for (x, y) in first.pairs.iter().zip(&last.pairs) {
            let [i, j] = [&x.intervals[0], &y.intervals[0]];
            assert!((i.enter[1] - j.enter[1]).abs() < 1e-9);
            let [c, d] = [i.contact.unwrap(), j.contact.unwrap()];
            assert!(c.contact.point.distance(d.contact.point) < 1e-7, "{c:?} {d:?}");
            assert!(c.contact.normal.distance(-d.contact.normal) < 1e-7);
            // The swinger rotates about the same line in the world, by the same angle, whether it is A or B.
            assert_eq!((c.moving, c.static_body, d.moving, d.static_body), (0, x.bodies[1], 4, y.bodies[0]));
            for axis in [c.axis, d.axis].map(Option::unwrap) {
                assert!(axis.direction.distance(-DVec3::Y) < 1e-12 && (axis.angle - PI).abs() < 1e-12);
                let off = axis.point.unwrap() - DVec3::new(4.6, 0.0, 2.0);
                assert!(off.x.hypot(off.z) < 1e-12);
            }
            assert_eq!(c.interval, [0.0, 4.0]);
        }
    }

    #[test]
    fn place_and_speed_are_those_of_the_world() {
        // In a rotated and distant frame: from x' = 3, at 2 m/s along -x'.
        let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 1.0);
        let world = Pose::new(DVec3::new(100.0, -50.0, 20.0), turn).unwrap();
        let start = world.compose(&at(3.0, 0.2, 0.1));
        let screw = Screw::translation(start, turn * DVec3::new(-4.0, 0.0, 0.0));
        let bodies = vec![cube("wall", BodyMotion::Still(world)), cube("cart", BodyMotion::Screw(screw))];
        let definition = SceneDefinition { tolerance: Some(1e-7), ..SceneDefinition::new(2.0, bodies) };
        let scene = Scene::new(definition).unwrap();
        let report = scene.check(&CheckOptions::default(), &()).unwrap();
        let contact = report.pairs[0].intervals[0].contact.unwrap().contact;
        let local = world.inverse().transform_point(contact.point);
        assert!((local.x - 0.5).abs() < 1e-6 && local.abs().max_element() < 0.7, "{local}");
        assert!(contact.normal.distance(turn * DVec3::X) < 1e-9);
        assert!(
            (contact.approach_speed - 2.0).abs() < 1e-9 && contact.time == report.pairs[0].intervals[0].enter
        );
        assert!((contact.time[1] - 1.0).abs() < 1e-6 && report.clear_until == contact.time[0]);
    }

    #[test]
    fn bodies_that_overlap_and_cannot_move_are_named_or_tested() {
        let mut riding = cube("riding", BodyMotion::Still(at(0.9, 0.1, 0.2)));
        riding.parent = Some(0);
        let carrier = Screw::translation(at(0.0, 5.0, 0.0), DVec3::X);
        let mut bodies = vec![
            cube("carrier", BodyMotion::Screw(carrier)),
            riding,
            cube("floor", BodyMotion::Still(at(0.0, 0.0, 0.0))),
            cube("sunk", BodyMotion::Still(at(0.1, 0.2, 0.9))),
            cube("on it", BodyMotion::Still(at(0.0, 1.0, 0.0))),
        ];
        let check = |bodies: &[SceneBody], statics| {
            let bodies = bodies.to_vec();
            let definition = SceneDefinition::new(1.0, bodies);
            let options = CheckOptions { statics, ..CheckOptions::default() };
            Scene::new(definition).unwrap().check(&options, &()).unwrap()
        };
        let ignored = check(&bodies, StaticPairs::Ignored);
        assert_eq!((ignored.verdict, ignored.pairs_tested, ignored.pairs_clear), (PairVerdict::Clear, 6, 6));
        let untested = SkippedPairs { joined: 1, statics: 3, ..SkippedPairs::default() };
        assert_eq!((ignored.untested, ignored.overlaps), (untested, None));
        let named = check(&bodies, StaticPairs::Named);
        assert_eq!((named.verdict, named.pairs_tested, named.untested), (PairVerdict::Clear, 6, untested));
        // Bodies that only touch do not overlap.
        let overlaps = ModelOverlaps { assembled: vec![[0, 1]], statics: vec![[2, 3], [3, 4]], undecided: 0 };
        assert_eq!(named.overlaps, Some(overlaps));
        let all = check(&bodies, StaticPairs::Tested);
        assert_eq!(
            (all.pairs_tested, all.untested),
            (9, SkippedPairs { joined: 1, ..SkippedPairs::default() })
        );
        let overlaps = ModelOverlaps { assembled: vec![[0, 1]], ..ModelOverlaps::default() };
        assert_eq!(all.overlaps, Some(overlaps));
        let found: Vec<_> = all.pairs.iter().map(|pair| (pair.bodies, pair.verdict)).collect();
        use PairVerdict::{Contact, Overlapping};
        assert_eq!(found, [([2, 3], Overlapping), ([2, 4], Contact), ([3, 4], Overlapping)]);
        for pair in &all.pairs {
            let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
            assert_eq!((interval.enter, interval.exit), ([0.0; 2], None));
            assert_eq!(interval.touching, pair.verdict == Contact);
        }
        // Filters apply here, too.
        bodies[2].group = Some("building".into());
        bodies[3].group = Some("building".into());
        let grouped = check(&bodies, StaticPairs::Tested);
        let untested = SkippedPairs { joined: 1, exempt: 1, ..SkippedPairs::default() };
        assert_eq!((grouped.pairs.len(), grouped.untested), (2, untested));
        // If no body moves, static pairs are tested; a body with a parent is still joined to it.
        let mut assembly = bodies.clone();
        assembly[0].motion = BodyMotion::Still(at(0.0, 5.0, 0.0));
        let found = check(&assembly, StaticPairs::Named);
        let pairs: Vec<_> = found.pairs.iter().map(|pair| (pair.bodies, pair.verdict)).collect();
        assert_eq!(pairs, [([2, 4], Contact), ([3, 4], Overlapping)]);
        assert_eq!((found.verdict, found.pairs_tested, found.clear_until), (Overlapping, 8, 0.0));
        assert_eq!(found.overlaps.unwrap().assembled, [[0, 1]]);
        assert_eq!(check(&assembly, StaticPairs::Ignored).pairs_tested, 0);
    }

    #[test]
    fn the_report_does_not_depend_on_the_batch_size() {
        let scene = row_of_cubes(2);
        for listed in [PairListing::NotClear, PairListing::All] {
            let options = CheckOptions { listed, ..CheckOptions::default() };
            let whole = scene.check(&options, &()).unwrap();
            for batch_size in [1, 2] {
                let count = AtomicUsize::new(0);
                assert_eq!(check_in_batches(&scene, &options, &count, batch_size).unwrap(), whole);
                assert_eq!(count.into_inner(), whole.pairs_tested);
            }
        }
    }

    /// Long chains are walked once, and static bodies are not compared with all other static bodies.
    #[test]
    fn a_long_chain_of_static_bodies_takes_no_time() {
        let count = 20_000;
        let shape = cube("link", BodyMotion::Still(at(0.0, 0.0, 0.0))).shape;
        let bodies = (0..count).map(|i: usize| {
            let motion = match i {
                1 => BodyMotion::Screw(Screw::translation(at(0.0, -3.0, 0.0), DVec3::Y)),
                _ => BodyMotion::Still(at(1e-3, 0.0, 0.0)),
            };
            let parent = i.checked_sub(1).filter(|_| i > 1).map(|i| if i == 1 { 0 } else { i });
            SceneBody { name: "link".into(), shape: shape.clone(), motion, parent, group: None, solid: false }
        });
        let definition = SceneDefinition::new(1.0, bodies.collect());
        let report = Scene::new(definition).unwrap().check(&CheckOptions::default(), &()).unwrap();
        // All but one ride on the first body, which is static; the moving body stays below them.
        assert_eq!((report.pairs_tested, report.verdict), (count - 1, PairVerdict::Clear));
    }

    #[test]
    fn verdicts_listing_and_progress() {
        let count = AtomicUsize::new(0);
        let scene = row_of_cubes(2);
        let all = CheckOptions { listed: PairListing::All, ..CheckOptions::default() };
        let report = scene.check(&all, &count).unwrap();
        assert_eq!((report.pairs.len(), count.into_inner(), scene.count_moving_pairs()), (4, 4, 4));
        assert_eq!(report.verdict, PairVerdict::Contact);
        let near_pairs = report.pairs.iter().filter(|pair| pair.verdict == PairVerdict::Contact).count();
        assert_eq!((report.pairs_clear, report.pairs_clear + near_pairs), (2, 4));
        let none = CheckOptions { budget: 1, ..CheckOptions::default() };
        let report = scene.check(&none, &()).unwrap();
        assert_eq!(report.verdict, PairVerdict::Undecided);
        assert_eq!(report.pairs[0].reason, Some(PairUndecidedReason::Budget));
    }
}
