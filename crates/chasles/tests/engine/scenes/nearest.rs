//! The nearest pair of a report that is clear: its bounds hold for every pair at every time.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cases::fewer;
use crate::cases::seeds::{Wrong, for_all};
use crate::scenes::scene_cases::{Kind, scene_case};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, NearestPair, PairListing, PairVerdict, Pose, Primitive, Scene,
    SceneBody, SceneDefinition, Screw, StaticPairs,
};
use chasles_testing::Random;
use glam::DVec3;

/// Number of additional times at which pairs are tested.
const TIMES: u32 = 40;

/// Compares the nearest pair with the gaps of all pairs, also at sampled times.
fn check(scene: &Scene, nearest: &NearestPair, statics: StaticPairs) -> Wrong {
    let mut wrong = Wrong::new();
    let NearestPair { bodies, gap: [lower, upper], time } = *nearest;
    if !(0.0 <= lower && lower <= upper && upper.is_finite()) {
        wrong.push(format!("no bounds: {nearest:?}"));
    }
    let at = |pair: [usize; 2], time: f64| scene.distances(pair, &[time]).unwrap().unwrap()[0];
    // At a jump, just before it or after.
    let near_then = at(bodies, time).lower.min(at(bodies, time * (1.0 - 1e-12)).lower);
    if near_then > upper * (1.0 + 1e-6) {
        wrong.push(format!("not as near then: {nearest:?} {:?}", at(bodies, time)));
    }
    let all = CheckOptions { listed: PairListing::All, statics, ..CheckOptions::default() };
    let report = scene.check(&all, &()).unwrap();
    for pair in &report.pairs {
        let [lo, hi] = pair.gap.unwrap();
        if lower > hi {
            wrong.push(format!("{:?} comes nearer, to [{lo}, {hi}]: {nearest:?}", pair.bodies));
        }
        for i in 0..=TIMES {
            let time = scene.duration() * (f64::from(i) / f64::from(TIMES));
            let found = at(pair.bodies, time);
            if lower > found.upper {
                wrong.push(format!("{:?} is nearer at {time}: {found:?} {nearest:?}", pair.bodies));
            }
        }
    }
    let of_all = report.nearest.unwrap();
    if of_all.gap[0] > upper || lower > of_all.gap[1] {
        wrong.push(format!("{of_all:?}, where all are listed, but {nearest:?}"));
    }
    wrong
}

#[test]
fn bounds_of_the_nearest_pair_hold_in_random_scenes() {
    let (clear, sharp) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let seeds = fewer(200, 3);
    for_all(seeds, |seed| {
        let random = &mut Random(seed);
        let kind = [Kind::Meshes, Kind::Round, Kind::Solid][random.below(3)];
        let scene = scene_case(random, kind).scene();
        let report = scene.check(&CheckOptions::default(), &()).unwrap();
        let Some(nearest) = report.nearest else {
            let said = report.verdict != PairVerdict::Clear || report.pairs_tested == 0;
            return if said { Wrong::new() } else { vec!["a clear report names no pair".into()] };
        };
        clear.fetch_add(1, Ordering::Relaxed);
        let [lower, upper] = nearest.gap;
        sharp.fetch_add(usize::from(lower >= 0.85 * upper), Ordering::Relaxed);
        check(&scene, &nearest, StaticPairs::Named)
    });
    let (clear, sharp) = (clear.into_inner(), sharp.into_inner());
    assert!(clear as u64 > seeds / 15 && sharp > clear * 2 / 3, "{sharp} of {clear}");
}

fn cube(name: &str, motion: BodyMotion) -> SceneBody {
    let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
    SceneBody { name: name.into(), shape: Some(shape), motion, parent: None, group: None, solid: false }
}

fn at(position: DVec3) -> Pose {
    Pose::from_position(position).unwrap()
}

fn scene(bodies: Vec<SceneBody>) -> Scene {
    Scene::new(SceneDefinition { duration: 2.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] })
        .unwrap()
}

#[test]
fn what_was_placed_a_metre_off_is_told_so() {
    // The tool should pass the part at 12 mm, and passes it at 1.012 m; the lamp is further away.
    let passes = Screw::translation(at(DVec3::new(-3.0, 2.012, 0.0)), DVec3::X * 6.0);
    let scene = scene(vec![
        cube("part", BodyMotion::Still(at(DVec3::ZERO))),
        cube("tool", BodyMotion::Screw(passes)),
        cube("lamp", BodyMotion::Still(at(DVec3::new(0.0, 5.0, 0.0)))),
    ]);
    let nearest = scene.check(&CheckOptions::default(), &()).unwrap().nearest.unwrap();
    assert_eq!(nearest.bodies, [0, 1]);
    let [lower, upper] = nearest.gap;
    assert!((0.9..=1.012).contains(&lower) && (1.012..1.0121).contains(&upper), "{nearest:?}");
    // They are abreast from 2/3 s to 4/3 s.
    assert!((0.66..1.34).contains(&nearest.time), "{nearest:?}");
    let all = CheckOptions { statics: StaticPairs::Tested, ..CheckOptions::default() };
    let nearest = scene.check(&all, &()).unwrap().nearest.unwrap();
    assert!(check(&scene, &nearest, StaticPairs::Tested).is_empty());
}

#[test]
fn the_nearest_pair_of_very_many_bodies_is_found() {
    // 225 cubes in a square that is shaken: two rows are closer to each other than all others.
    let mut bodies = Vec::new();
    for i in 0..15 {
        for k in 0..15 {
            let (x, y) = (1.5 * f64::from(i), 1.4 * f64::from(k));
            let near = if (i, k) == (7, 4) { 0.37 } else { 0.0 };
            let way = DVec3::new(0.0, 0.0, if i % 2 == 0 { 0.4 } else { -0.4 });
            let screw = Screw::translation(at(DVec3::new(x, y + near, 0.0)), way);
            bodies.push(cube("cube", BodyMotion::Screw(screw)));
        }
    }
    let scene = scene(bodies);
    let report = scene.check(&CheckOptions::default(), &()).unwrap();
    assert!(report.pairs_tested > 20_000 && report.verdict == PairVerdict::Clear);
    let nearest = report.nearest.unwrap();
    // The cube that was moved, and its neighbour in the row: 0.03 apart.
    assert_eq!(nearest.bodies, [7 * 15 + 4, 7 * 15 + 5]);
    assert!(nearest.gap[0] > 0.02 && (nearest.gap[1] - 0.03).abs() < 1e-3, "{nearest:?}");
    let seen = scene.distances(nearest.bodies, &[nearest.time]).unwrap().unwrap()[0];
    assert!(seen.lower <= nearest.gap[1]);
    // Far apart, so that no boxes are near.
    let far: Vec<SceneBody> = scene
        .bodies()
        .iter()
        .map(|body| {
            let BodyMotion::Screw(screw) = &body.motion else { panic!("a screw") };
            let start = at(100.0 * screw.start().position());
            cube("cube", BodyMotion::Screw(Screw::translation(start, DVec3::Z * 0.1)))
        })
        .collect();
    let scene = self::scene(far);
    let nearest = scene.check(&CheckOptions::default(), &()).unwrap().nearest.unwrap();
    assert!(nearest.gap[0] <= 102.0 && nearest.gap[1] >= 102.0, "{nearest:?}");
}
