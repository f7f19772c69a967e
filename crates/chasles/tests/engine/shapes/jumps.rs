//! Formulas with `atan2`, which jumps by 2 pi across a half-plane: screw threads, whose surface does not contain the
//! jump, compared with the same thread rotated about its axis; and wedges, which end at the jump, compared with
//! half-spaces.

use std::sync::Arc;

use crate::cases::count;
use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::shapes::solid_cases::{formula, moved, part, scene};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, Horizon, PairUndecidedReason, PairVerdict, PartShape, Pose,
    Primitive, SceneBody, Solid, SolidPart,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

const EPSILON: f64 = 1e-6;

fn body(shape: CollisionShape, motion: BodyMotion, solid: bool) -> SceneBody {
    SceneBody { name: "body".into(), shape: Some(shape), motion, parent: None, group: None, solid }
}

fn shape_of(parts: Vec<SolidPart>) -> CollisionShape {
    CollisionShape::solid(Arc::new(Solid::new(parts).unwrap())).unwrap()
}

/// The contact of a ball that moves straight between two positions in a second with a body at rest.
fn met(random: &Random, shape: CollisionShape, (turn, solid): (f64, bool), horizon: Horizon) -> Answer {
    let random = &mut Random(random.0);
    let ball = CollisionShape::primitive(Primitive::Sphere { radius: random.within(0.01, 0.1) }).unwrap();
    let angle = random.within(2.8, 3.5);
    let from = DVec3::new(angle.cos(), angle.sin(), random.within(-0.2, 0.2));
    // Some pass beside the axis, some stop early.
    let to = 0.5 * random.vector(1.0) * random.unit();
    let at = |p: DVec3| Pose::from_position(p).unwrap();
    let way = BodyMotion::Keyframes(vec![(0.0, at(from)), (1.0, at(to))]);
    let stands = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(turn)).unwrap();
    let bodies = vec![body(shape, BodyMotion::Still(stands), solid), body(ball, way, true)];
    let options = CheckOptions {
        budget: 20_000_000,
        horizon,
        listed: chasles::PairListing::All,
        ..CheckOptions::default()
    };
    let report = scene(bodies, 1.0, EPSILON).check(&options, &()).unwrap();
    // With the first contact alone, clear pairs are not listed.
    let pair = report.pairs.first();
    let begin = pair.and_then(|pair| Some(pair.intervals.first()?.enter));
    Answer { verdict: report.verdict, begin, is_certain: pair.is_none_or(|pair| pair.undecided.is_empty()) }
}

/// The verdict on the pair, its first contact, and whether everything is decided.
#[derive(Debug)]
struct Answer {
    verdict: PairVerdict,
    begin: Option<[f64; 2]>,
    is_certain: bool,
}

#[derive(Debug, Default)]
struct Counts {
    clear: Counter,
    contact: Counter,
}

/// Compares two answers for the same scene: equal verdicts, and starts that differ by no more than epsilon explains.
fn compare(one: &Answer, other: &Answer, counts: &Counts) -> Wrong {
    let agree = match [one.begin, other.begin] {
        [Some(x), Some(y)] => x[0] <= y[1] + 1e-4 && y[0] <= x[1] + 1e-4,
        [None, None] => true,
        _ => false,
    };
    counts.clear.add_if(one.verdict == PairVerdict::Clear);
    counts.contact.add_if(one.verdict == PairVerdict::Contact);
    if one.is_certain && one.verdict == other.verdict && agree {
        Wrong::new()
    } else {
        vec![format!("{one:?}, {other:?}")]
    }
}

/// A screw thread about the z axis, rotated by a phase, in a box of one metre.
fn thread(random: &Random, phase: f64) -> CollisionShape {
    let random = &mut Random(random.0);
    let starts = [1, 2, -1, -3][random.below(4)];
    let [radius, height, pitch] =
        [random.within(0.2, 0.3), random.within(0.01, 0.06), random.within(5.0, 25.0)];
    let text = format!(
        "sqrt(x^2 + y^2) - {radius} - {height}*sin({pitch}*z - {starts}*atan2(y, x) + {starts}*{phase})"
    );
    shape_of(vec![part(formula(&text, DVec3::splat(0.5)))])
}

#[test]
fn a_thread_gives_the_same_result_wherever_atan2_jumps() {
    for (solid, cases) in [(true, count(30)), (false, count(6))] {
        let counts = Counts::default();
        for_all(cases, |seed| {
            let random = &Random(seed);
            let turn = Random(seed + 1000).within(0.5, 5.5);
            // Rotated back by the same angle in its frame. The box around it is far away.
            let at_the_cut = met(random, thread(random, 0.0), (0.0, solid), Horizon::End);
            let elsewhere = met(random, thread(random, -turn), (turn, solid), Horizon::End);
            let mut wrong = compare(&at_the_cut, &elsewhere, &counts);
            let first = met(random, thread(random, 0.0), (0.0, solid), Horizon::FirstContact);
            wrong.extend(compare(&first, &elsewhere, &Counts::default()));
            wrong
        });
        let [clear, contact] = [counts.clear.get(), counts.contact.get()].map(|count| count as u64);
        assert!(
            10 * clear >= cases && 5 * contact >= cases,
            "{clear} clear, {contact} in contact, of {cases}"
        );
    }
}

#[test]
fn a_wedge_that_ends_at_the_jump_is_that_of_half_spaces() {
    let counts = Counts::default();
    for_all(count(40), |seed| {
        let random = &Random(seed);
        let angle = Random(seed + 1000).within(0.3, 2.8);
        let half = DVec3::new(0.8, 0.7, 0.5);
        let by_angle = shape_of(vec![part(formula(&format!("atan2(y, x) - {angle}"), half))]);
        let (sine, cosine) = angle.sin_cos();
        let by_planes = shape_of(vec![
            part(PartShape::HalfSpace { normal: DVec3::Y, offset: 0.0 }),
            part(PartShape::HalfSpace { normal: DVec3::new(-sine, cosine, 0.0), offset: 0.0 }),
            part(PartShape::Union(vec![0, 1])),
            part(PartShape::Primitive(Primitive::Box { size: 2.0 * half })),
            part(PartShape::Intersection(vec![2, 3])),
        ]);
        let [one, other] = [by_angle, by_planes].map(|shape| met(random, shape, (0.0, true), Horizon::End));
        compare(&one, &other, &counts)
    });
    let [clear, contact] = [counts.clear.get(), counts.contact.get()];
    assert!(clear > 1 && contact > 10, "{clear} clear, {contact} in contact");
}

/// A sheet that is nowhere zero, but too close to zero for proofs, stays undecided. A ball behind it is certainly
/// hit.
#[test]
fn a_contact_after_an_undecided_interval_is_found() {
    let sheet = formula("(x - 1/3)^2 + 1e-26", DVec3::new(0.4, 0.3, 0.3));
    let ball = PartShape::Primitive(Primitive::Sphere { radius: 0.25 });
    let parts = vec![part(sheet), moved(ball, 2.0 * DVec3::X), part(PartShape::Union(vec![0, 1]))];
    let probe = CollisionShape::primitive(Primitive::Sphere { radius: 0.05 }).unwrap();
    let at = |x: f64| Pose::from_position(DVec3::new(x, 0.01, 0.02)).unwrap();
    let way = BodyMotion::Keyframes(vec![(0.0, at(-0.5)), (1.0, at(3.0))]);
    let bodies = vec![body(shape_of(parts), BodyMotion::Still(Pose::IDENTITY), true), body(probe, way, true)];
    let report = scene(bodies, 1.0, EPSILON).check(&CheckOptions::default(), &()).unwrap();
    let pair = &report.pairs[0];
    // The centres are 0.3 apart at that time.
    let begin = (2.5 - (0.3_f64 * 0.3 - 0.01 * 0.01 - 0.02 * 0.02).sqrt()) / 3.5;
    assert_eq!(
        (pair.verdict, pair.reason),
        (PairVerdict::Contact, Some(PairUndecidedReason::Rounding)),
        "{pair:?}"
    );
    let [from, to] = pair.intervals[0].enter;
    assert!(pair.undecided[0][0] < 0.3 && pair.undecided.last().unwrap()[1] < begin, "{pair:?}");
    assert!(from <= begin && begin <= to && to - from < 1e-5, "{pair:?}");
}
