//! Pairs that do not move relative to each other: some count in the verdict, and others are only named.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cases::fewer;
use crate::cases::seeds::{Wrong, for_all};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, Horizon, PairListing, PairVerdict, Pose, Primitive,
    RestingPairs, Scene, SceneBody, SceneDefinition, Screw, StaticPairs,
};
use chasles_testing::Random;
use glam::DVec3;

/// An axis-aligned box: its centre and half sizes.
type Block = [DVec3; 2];

fn body((number, [middle, half]): (usize, &Block), parent: Option<usize>) -> SceneBody {
    let shape = CollisionShape::primitive(Primitive::Box { size: 2.0 * *half }).unwrap();
    let motion = BodyMotion::Still(Pose::from_position(*middle).unwrap());
    SceneBody { name: format!("b{number}"), shape: Some(shape), motion, parent, group: None, solid: false }
}

/// The smallest overlap of two boxes along an axis. Boxes with one wholly inside the other have no overlap, because
/// their surfaces do not meet.
fn depth([p, a]: &Block, [q, b]: &Block) -> f64 {
    let along = (*a + *b) - (*p - *q).abs();
    let is_inside = ((*p - *q).abs().cmplt((*a - *b).abs())).all()
        && ((*a - *b).cmpgt(DVec3::ZERO).all() || (*b - *a).cmpgt(DVec3::ZERO).all());
    if is_inside { -1.0 } else { along.min_element() }
}

fn block(random: &mut Random, spread: f64) -> Block {
    let mut coordinate = |most: f64| DVec3::new(random.unit(), random.unit(), random.unit()) * most;
    [coordinate(spread), DVec3::splat(0.1) + coordinate(0.4)]
}

/// Boxes on a moving carrier, on a static carrier, and without a carrier.
#[test]
fn overlaps_of_boxes_are_those_of_their_intervals() {
    let (told, counted) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_all(fewer(200, 2), |seed| {
        let random = &mut Random(seed);
        let blocks: Vec<Block> = (0..9).map(|_| block(random, 2.0)).collect();
        let moves = random.below(3) > 0;
        // The first body carries the second and third, the fourth carries the fifth.
        let parents = [None, Some(0), Some(0), None, Some(3), None, None, None, None];
        let place = |number: usize| match parents[number] {
            Some(parent) => [blocks[parent][0] + blocks[number][0], blocks[number][1]],
            None => blocks[number],
        };
        let mut bodies: Vec<SceneBody> =
            blocks.iter().enumerate().zip(parents).map(|(own, parent)| body(own, parent)).collect();
        if moves {
            let start = Pose::from_position(blocks[0][0]).unwrap();
            bodies[0].motion = BodyMotion::Screw(Screw::translation(start, DVec3::Z * 50.0));
        }
        let scene = Scene::new(SceneDefinition {
            duration: 1.0,
            tolerance: None,
            clearance: 0.0,
            bodies,
            ignore: vec![],
        });
        let scene = scene.unwrap();
        let group = |number: usize| parents[number].unwrap_or(number);
        let (mut joined, mut statics, mut tested) = (vec![], vec![], 0);
        for a in 0..9 {
            for b in a + 1..9 {
                let overlaps = depth(&place(a), &place(b)) > 0.0;
                let (same, moving) = (group(a) == group(b), moves && (group(a) == 0) != (group(b) == 0));
                tested += usize::from(moving || !moves && !same);
                if overlaps && same {
                    joined.push([a, b]);
                }
                if overlaps && !same && !moving {
                    statics.push([a, b]);
                }
            }
        }
        counted.fetch_add(joined.len(), Ordering::Relaxed);
        told.fetch_add(statics.len(), Ordering::Relaxed);
        let mut wrong = Wrong::new();
        let mut check = |options: CheckOptions| {
            let report = scene.check(&options, &()).unwrap();
            let overlapping: Vec<[usize; 2]> = report
                .pairs
                .iter()
                .filter(|pair| {
                    pair.verdict == PairVerdict::Overlapping && (!moves || statics.contains(&pair.bodies))
                })
                .map(|pair| pair.bodies)
                .collect();
            let are_tested = !moves || options.statics == StaticPairs::Tested;
            let overlaps = report.overlaps.clone().unwrap();
            let expected = if are_tested { (&statics[..], &[][..]) } else { (&[][..], &statics[..]) };
            if (&overlapping[..], &overlaps.statics[..]) != expected
                || overlaps.assembled != joined
                || overlaps.undecided > 0
                || options.statics == StaticPairs::Named && report.pairs_tested != tested
                || report.pairs_tested + report.untested.at_rest() != 36
            {
                wrong.push(format!("{statics:?} {joined:?} {tested} {options:?}: {report:?}"));
            }
        };
        let usual = CheckOptions::default();
        check(usual);
        check(CheckOptions { statics: StaticPairs::Tested, ..usual });
        check(CheckOptions { statics: StaticPairs::Tested, listed: PairListing::All, ..usual });
        check(CheckOptions { horizon: Horizon::FirstContact, statics: StaticPairs::Tested, ..usual });
        // With everything ignored, pairs at rest are only counted in the report.
        let ignored = CheckOptions {
            resting: RestingPairs::Ignored,
            statics: StaticPairs::Ignored,
            ..CheckOptions::default()
        };
        let report = scene.check(&ignored, &()).unwrap();
        let moving = if moves { tested } else { 0 };
        if report.overlaps.is_some()
            || (report.pairs_tested, report.untested.at_rest()) != (moving, 36 - moving)
        {
            wrong.push(format!("ignored: {report:?}"));
        }
        wrong
    });
    let (told, counted) = (told.into_inner(), counted.into_inner());
    assert!(told > 40 && counted > 7, "{told} {counted}");
}

/// If very many bodies overlap, the work allows tests of the first pairs only, and the report counts the others.
#[test]
fn pairs_that_could_not_be_tested_are_reported() {
    let place =
        |i: usize| [DVec3::new(1e-3 * f64::from(u32::try_from(i).unwrap()), 0.0, 0.0), DVec3::splat(0.5)];
    let mut bodies: Vec<SceneBody> = (0..600).map(|i| body((i, &place(i)), None)).collect();
    let start = Pose::from_position(DVec3::new(0.0, 0.0, 9.0)).unwrap();
    bodies[599].motion = BodyMotion::Screw(Screw::translation(start, DVec3::Z));
    let definition =
        SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
    let report = Scene::new(definition).unwrap().check(&CheckOptions::default(), &()).unwrap();
    let overlaps = report.overlaps.unwrap();
    // The boxes of all 179101 pairs overlap. Only pairs among the first 18 bodies are tested.
    assert!(
        overlaps.statics.len() + overlaps.undecided > 1 << 9,
        "{} {}",
        overlaps.statics.len(),
        overlaps.undecided
    );
    assert!(overlaps.undecided > 0 && overlaps.statics.iter().flatten().all(|body| *body < 18));
    assert_eq!(report.verdict, PairVerdict::Clear);
}
