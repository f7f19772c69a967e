//! Solids at the limits of numbers. Some have no interior, or are empty by less than rounding: where they may be
//! there is neither a contact nor a proof of clearance. Some functions have values that are almost too large, or too
//! small, for doubles. A ball passes them on a straight path, so that its arrival time is known.

use std::sync::Arc;

use crate::cases::fewer;
use crate::shapes::solid_cases::{formula, part, scene};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, LevelSet, PairListing, PairReport, PairUndecidedReason,
    PairVerdict, PartShape, Pose, Primitive, SceneBody, Solid, SolidPart,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

const EPSILON: f64 = 1e-5;

/// The kind of a wall across the z axis.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wall {
    /// A plane without thickness.
    Skin,
    /// Empty, by less than rounding can resolve.
    Nothing,
    /// A plate of this thickness, in metres.
    Plate(f64),
}

fn half_space(normal: DVec3, offset: f64) -> SolidPart {
    part(PartShape::HalfSpace { normal, offset })
}

/// A wall at a height, and its formula.
fn wall(random: &mut Random, height: f64) -> (Wall, CollisionShape, String) {
    let tiny = 10.0_f64.powf(random.within(-32.0, -27.0));
    let thick = 10.0_f64.powf(random.within(-7.0, -3.0));
    let of_text = |wall, text: String| {
        let solid = Solid::new(vec![part(formula(&text, DVec3::ONE))]).unwrap();
        (wall, CollisionShape::solid(Arc::new(solid)).unwrap(), text)
    };
    let between = |wall, [low, high]: [f64; 2]| {
        let cube = part(PartShape::Primitive(Primitive::Box { size: DVec3::splat(2.0) }));
        let parts = vec![
            cube,
            half_space(DVec3::Z, high),
            half_space(-DVec3::Z, -low),
            part(PartShape::Intersection(vec![0, 1, 2])),
        ];
        let shape = CollisionShape::solid(Arc::new(Solid::new(parts).unwrap())).unwrap();
        (wall, shape, format!("half-spaces between {low:e} and {high:e}"))
    };
    match random.below(10) {
        0 => of_text(Wall::Skin, format!("(z - {height})^2")),
        1 => of_text(Wall::Skin, format!("abs(z - {height})")),
        2 => of_text(Wall::Skin, format!("max(z - {height}, {height} - z)")),
        3 => of_text(Wall::Skin, format!("(z - {height})^2*exp(x)")),
        4 => of_text(Wall::Nothing, format!("(z - {height})^2 + {tiny:e}")),
        5 => of_text(Wall::Nothing, format!("abs(z - {height}) + {:e}", 1e-14 * random.unit())),
        6 => of_text(Wall::Nothing, format!("(z - {height}/3)^2 + {tiny:e} + 0*x")),
        // The next number above.
        7 => between(Wall::Nothing, [height.next_up(), height]),
        8 => of_text(Wall::Plate(thick), format!("abs(z - {height}) - {:e}", 0.5 * thick)),
        _ => between(Wall::Plate(thick), [height - 0.5 * thick, height + 0.5 * thick]),
    }
}

fn body(name: &str, shape: CollisionShape, motion: BodyMotion) -> SceneBody {
    SceneBody { name: name.into(), shape: Some(shape), motion, parent: None, group: None, solid: true }
}

/// The wall rotated by a pose, and a ball that moves from one height of the wall's axis to another in one second.
fn check(wall: CollisionShape, pose: &Pose, [radius, from, to]: [f64; 3]) -> PairReport {
    let start = pose.compose(&Pose::from_position(from * DVec3::Z).unwrap());
    let linear = pose.transform_vector((to - from) * DVec3::Z);
    let ball = CollisionShape::primitive(Primitive::Sphere { radius }).unwrap();
    let goes = BodyMotion::Twist { start, linear, angular: DVec3::ZERO };
    let bodies = vec![body("wall", wall, BodyMotion::Still(*pose)), body("ball", ball, goes)];
    let scene = scene(bodies, 1.0, EPSILON);
    let options = CheckOptions { listed: PairListing::All, ..CheckOptions::default() };
    scene.check(&options, &()).unwrap().pairs[0].clone()
}

#[test]
fn a_surface_within_rounding_is_neither_contact_nor_clear() {
    let mut seen = [0; 3];
    for seed in 0..fewer(300, 5) {
        let random = &mut Random(seed);
        let height = 0.5 * random.side();
        let (wall, shape, text) = wall(random, height);
        let height = if text.contains("/3") { height / 3.0 } else { height };
        let turn = DQuat::from_axis_angle(random.direction(), random.within(0.0, 3.0));
        let pose =
            if random.one_in(3) { Pose::IDENTITY } else { Pose::new(random.vector(1.0), turn).unwrap() };
        let radius = random.within(0.01, 0.2);
        let from = height + radius + random.within(0.05, 0.4);
        let passes = !random.one_in(4);
        let to = if passes { height - random.within(0.5, 1.0) } else { height + radius + 0.01 };
        let report = check(shape, &pose, [radius, from, to]);
        let told = format!("seed {seed}: {text} at {pose:?}: {report:?}");
        if !passes {
            assert_eq!(report.verdict, PairVerdict::Clear, "{told}");
            continue;
        }
        // The time at which the ball is at distance `near` from where the wall is, or may be.
        let arrival = |near: f64| (from - height - radius - near) / (from - to);
        match wall {
            Wall::Plate(thick) => {
                seen[0] += 1;
                assert_eq!(report.verdict, PairVerdict::Contact, "{told}");
                let [lo, hi] = report.intervals[0].enter;
                let touch = arrival(0.5 * thick);
                assert!(lo <= touch + 1e-9 && touch <= hi + 1e-9 && hi - lo < 1e-4, "{touch} {told}");
            }
            Wall::Skin | Wall::Nothing => {
                seen[if wall == Wall::Skin { 1 } else { 2 }] += 1;
                assert_eq!(report.verdict, PairVerdict::Undecided, "{told}");
                assert_eq!(report.reason, Some(PairUndecidedReason::Rounding), "{told}");
                assert!(report.clear_until <= arrival(0.0) + 1e-9, "{} {told}", arrival(0.0));
                assert!(report.clear_until >= arrival(EPSILON) - 1e-9, "{} {told}", arrival(EPSILON));
            }
        }
    }
    assert!(seen.iter().all(|seen| *seen > 4), "{seen:?}");
}

#[test]
fn a_function_times_any_number_is_the_same_solid() {
    let samples = |factor: f64| {
        let node = |x: usize| x as f64 - 1.0;
        let values =
            (0..27).map(|i| factor * (node(i / 9).abs() + node(i / 3 % 3).abs() + node(i % 3).abs() - 1.0));
        let set = LevelSet::new(values.collect(), [3; 3], DVec3::ONE, DVec3::NEG_ONE).unwrap();
        PartShape::LevelSet(Arc::new(set))
    };
    let of = |shape: PartShape, heights: [f64; 2]| {
        let shape = CollisionShape::solid(Arc::new(Solid::new(vec![part(shape)]).unwrap())).unwrap();
        let report = check(shape, &Pose::IDENTITY, [0.1, heights[0], heights[1]]);
        let ends: Vec<_> = report.intervals.iter().map(|of| (of.enter, of.exit)).collect();
        (report.verdict, ends)
    };
    let ways = [
        ([1.5, 0.3], PairVerdict::Contact),
        ([0.5, -1.5], PairVerdict::Overlapping),
        ([1.3, 1.15], PairVerdict::Clear),
    ];
    for (heights, verdict) in ways {
        let same = [1.0, 3e154, 1e300, 3e307, 1e-160, 1e-250, 1e-300].map(|factor: f64| {
            let text = format!("{factor:e}*(x^2 + y^2) + {factor:e}*z^2 - {factor:e}");
            let ball = formula(&text, DVec3::ONE);
            let sampled = of(samples(factor.min(1e9)), heights);
            assert_eq!(
                (of(ball.clone(), heights).0, sampled.0),
                (verdict, verdict),
                "{factor:e} {heights:?}"
            );
            let near = |[a, b]: [f64; 2], [c, d]: [f64; 2]| (a - c).abs().max((b - d).abs()) < 2e-5;
            (of(ball, heights).1, sampled.1, near)
        });
        for (ball, sampled, near) in &same[1..] {
            for (one, other) in [(ball, &same[0].0), (sampled, &same[0].1)] {
                assert_eq!(one.len(), other.len(), "{heights:?}");
                for ((enter, exit), (other_enter, other_exit)) in one.iter().zip(other) {
                    assert!(near(*enter, *other_enter), "{enter:?} {other_enter:?}");
                    assert_eq!(exit.is_some(), other_exit.is_some());
                    assert!(exit.zip(*other_exit).is_none_or(|(exit, other)| near(exit, other)), "{exit:?}");
                }
            }
        }
    }
}
