//! Data for display, compared with the original: keys against the true motion, distances against every pair of
//! triangles.

use std::f64::consts::PI;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cases::fewer;
use crate::cases::seeds::{Wrong, for_all};
use crate::scenes::scene_cases::sampled::{Pair, Sampled as _};
use crate::scenes::scene_cases::still::Detail;
use crate::scenes::scene_cases::{Kind, SceneCase, body, breaks, scene_case};
use chasles::{
    BodyMotion, CubicKey, Curve, JointAxis, KeyLimits, Pose, Scene, SceneDefinition, Screw, WorldKeys,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

const KINDS: [Kind; 3] = [Kind::Meshes, Kind::Round, Kind::Solid];

fn case_of(seed: u64) -> (Random, SceneCase) {
    let mut random = Random(seed);
    let case = scene_case(&mut random, KINDS[(seed % 3) as usize]);
    (random, case)
}

/// The pose that keys give, as a page computes it: on the screw from the last key that is not later to the next.
fn played(keys: &[(f64, Pose)], time: f64) -> Pose {
    let after = keys.partition_point(|(at, _)| *at <= time);
    let (from, first) = keys[after.max(1) - 1];
    match keys.get(after) {
        Some((to, last)) => Screw::between(first, *last).pose_at((time - from) / (to - from)),
        None => first,
    }
}

/// The maximum distance of a body's corners, at some times, from their true positions.
fn max_deviation((scene, body): (&Scene, usize), keys: &WorldKeys, corners: &[DVec3], times: &[f64]) -> f64 {
    let deviation_at = |time: &f64| {
        let (played, expected) = (played(&keys.keys, *time), scene.pose_at(body, *time));
        let distances =
            corners.iter().map(|c| played.transform_point(*c).distance(expected.transform_point(*c)));
        distances.fold(0.0, f64::max)
    };
    times.iter().map(deviation_at).fold(0.0, f64::max)
}

/// The maximum distance of a body, or of a body that carries it, from the origin, at some times.
fn max_distance_from_origin(scene: &Scene, times: &[f64]) -> f64 {
    let places = |time: &f64| {
        let far = (0..scene.bodies().len()).map(|body| scene.pose_at(body, *time).position().length());
        far.fold(0.0, f64::max)
    };
    times.iter().map(places).fold(0.0, f64::max)
}

#[test]
fn the_deviation_of_keys_from_the_motion_is_within_its_bound() {
    let (exact, cut, unproven) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    for_all(fewer(1500, 10), |seed| {
        let (mut random, case) = case_of(seed);
        let scene = case.scene();
        let duration = scene.duration();
        let mut times: Vec<f64> = (0..300).map(|_| duration * random.unit()).collect();
        times.extend([0.0, duration]);
        times.extend(breaks(&case.definition));
        let mut wrong = Wrong::new();
        for (number, made) in scene.bodies().iter().enumerate() {
            let Some(shape) = &made.shape else { continue };
            let mesh = shape.drawn();
            let (centre, radius) = (mesh.centre(), 0.5 * mesh.diagonal());
            let within = 1e-4 * mesh.diagonal();
            let keys = scene.keys(number, &KeyLimits { centre, radius, deviation: within, max_keys: 4000 });
            let counter = match keys.deviation {
                0.0 => &exact,
                off if off.is_finite() => &cut,
                _ => &unproven,
            };
            counter.fetch_add(1, Ordering::Relaxed);
            if keys.deviation.is_infinite() {
                continue;
            }
            // Rotations are computed from long sums of angles.
            let rounding =
                2e-13 * (max_distance_from_origin(&scene, &times) + mesh.diagonal() + centre.length());
            let corners: Vec<DVec3> =
                (0..u32::try_from(mesh.vertex_count()).unwrap()).map(|i| mesh.vertex(i)).collect();
            let off = max_deviation((&scene, number), &keys, &corners, &times);
            if off > keys.deviation + rounding {
                wrong.push(format!("body {number} is {off} off, not {}", keys.deviation));
            }
            if keys.deviation > within && keys.keys.len() < 4000 {
                wrong.push(format!("body {number}: {} where {within} is wanted", keys.deviation));
            }
            let in_order = keys.keys.windows(2).all(|pair| pair[0].0 <= pair[1].0);
            let whole =
                keys.keys.len() == 1 || keys.keys[0].0 == 0.0 && keys.keys[keys.keys.len() - 1].0 == duration;
            if !in_order || !whole {
                wrong.push(format!("body {number}: times {:?}", keys.keys.iter().map(|key| key.0)));
            }
        }
        wrong
    });
    let [exact, cut, unproven] = [exact, cut, unproven].map(AtomicUsize::into_inner);
    assert!(exact > 40 && cut > 40 && unproven < (exact + cut) / 7, "{exact} {cut} {unproven}");
}

/// A scene of one body without a surface on top of others.
fn carried(motions: Vec<BodyMotion>, duration: f64) -> Scene {
    let bodies = (0..).zip(motions).map(|(i, motion)| body(None, motion, (i > 0).then(|| i - 1)));
    let definition = SceneDefinition {
        duration,
        tolerance: None,
        clearance: 0.0,
        bodies: bodies.collect(),
        ignore: vec![],
    };
    Scene::new(definition).unwrap()
}

const UNIT: KeyLimits = KeyLimits { centre: DVec3::ZERO, radius: 1.0, deviation: 1e-4, max_keys: 10_000 };

#[test]
fn single_screws_are_exact_on_any_parent() {
    let at = |x: f64| Pose::from_position(DVec3::new(x, 0.0, 0.0)).unwrap();
    let turns = Screw::about(at(1.0), DVec3::Z, DVec3::ZERO, 2.0, 20.0).unwrap();
    let half = Pose::new(DVec3::Y, DQuat::from_rotation_z(PI)).unwrap();
    let keyed = BodyMotion::Keyframes(vec![(0.5, at(0.0)), (1.0, half), (1.5, at(2.0))]);
    for (motion, count) in [(BodyMotion::Still(at(3.0)), 1), (BodyMotion::Screw(turns), 8), (keyed, 7)] {
        for has_parent in [false, true] {
            let mut motions = vec![motion.clone()];
            if has_parent {
                let tilted = Pose::new(DVec3::ONE, DQuat::from_rotation_x(0.3)).unwrap();
                motions.insert(0, BodyMotion::Still(tilted));
                motions.push(BodyMotion::Still(tilted));
            }
            let scene = carried(motions, 2.0);
            let top = scene.bodies().len() - 1;
            let keys = scene.keys(top, &UNIT);
            assert_eq!((keys.deviation, keys.keys.len()), (0.0, count), "{keys:?}");
            let times: Vec<f64> = (0..=1000).map(|i| f64::from(i) / 500.0).collect();
            assert!(max_deviation((&scene, top), &keys, &[DVec3::ZERO, DVec3::ONE], &times) < 1e-13);
        }
    }
}

#[test]
fn a_jump_is_two_keys_of_one_time() {
    let [near, far] = [0.0, 5.0].map(|x| DVec3::new(x, 0.0, 0.0));
    let position = Curve::Step(vec![(0.0, near), (1.0, far)]);
    let rotation = Curve::Step(vec![(0.0, DQuat::IDENTITY)]);
    let keys = carried(vec![BodyMotion::Curves { position, rotation }], 2.0).keys(0, &UNIT);
    let places: Vec<(f64, f64)> = keys.keys.iter().map(|(time, pose)| (*time, pose.position().x)).collect();
    assert_eq!(places, [(0.0, 0.0), (1.0, 0.0), (1.0, 5.0), (2.0, 5.0)]);
    assert_eq!(keys.deviation, 0.0);
}

#[test]
fn what_cannot_be_proven_is_not_said_to_be() {
    // The quaternions pass through zero: half a turn in an instant.
    let key = |time: f64, w: f64| CubicKey {
        time,
        in_tangent: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0),
        value: DQuat::from_xyzw(0.0, 0.0, 0.0, w),
        out_tangent: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0),
    };
    let rotation = Curve::Cubic(vec![key(0.0, 1.0), key(2.0, -1.0)]);
    let position = Curve::Step(vec![(0.0, DVec3::ZERO)]);
    let keys = carried(vec![BodyMotion::Curves { position, rotation }], 2.0).keys(0, &UNIT);
    assert_eq!(keys.deviation, f64::INFINITY);
    assert!(keys.keys.len() <= 2 + UNIT.max_keys);
    // More turns than keys are allowed.
    let turns = Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::ZERO, 0.0, 1e6).unwrap();
    let keys = carried(vec![BodyMotion::Screw(turns)], 2.0).keys(0, &UNIT);
    assert_eq!((keys.deviation, keys.keys.len()), (f64::INFINITY, 10_001));
    // Two joints: fewer keys than the deviation requires.
    let swing = |x: f64| BodyMotion::Joint {
        origin: Pose::from_position(DVec3::new(x, 0.0, 0.0)).unwrap(),
        axis: JointAxis::Revolute(DVec3::Z),
        values: Curve::Linear(vec![(0.0, 0.0), (2.0, 2.0)]),
    };
    let scene = carried(vec![swing(0.0), swing(1.0)], 2.0);
    let few = scene.keys(1, &KeyLimits { max_keys: 3, ..UNIT });
    assert_eq!(few.keys.len(), 5);
    assert!(few.deviation > 1e-4 && few.deviation < 1.0, "{}", few.deviation);
    let times: Vec<f64> = (0..=1000).map(|i| f64::from(i) / 500.0).collect();
    assert!(max_deviation((&scene, 1), &few, &[DVec3::X, DVec3::Y], &times) <= few.deviation);
}

#[test]
fn distances_are_those_of_all_pairs_of_triangles() {
    let (separated, in_contact) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_all(fewer(600, 8), |seed| {
        let (mut random, case) = case_of(seed);
        let scene = case.scene();
        let surfaces: Vec<usize> =
            (0..scene.bodies().len()).filter(|body| scene.bodies()[*body].shape.is_some()).collect();
        let (mut pair, mut wrong) = ([surfaces[0], surfaces[1]], Wrong::new());
        if random.below(2) == 0 {
            pair.reverse();
        }
        let slow = Pair::new(&scene, pair, pair.map(|body| case.rounds[body]), &breaks(&case.definition));
        let times: Vec<f64> = (0..6).map(|_| scene.duration() * random.unit()).collect();
        let found = scene.distances(pair, &times).unwrap().unwrap();
        for (time, found) in times.iter().zip(found) {
            let expected = slow.sample(*time, Detail::Exact);
            let size = 2.0 * slow.size();
            let rounding = 100.0 * slow.rounding + 1e-12 * size;
            let [lo, hi] = [found.lower, found.upper];
            let context = format!("at {time}: found [{lo}, {hi}], expected {expected:?}");
            let gap = if expected.meets { 0.0 } else { expected.gap };
            if lo > gap + rounding || hi < gap - expected.slack - rounding {
                wrong.push(context.clone());
            }
            if hi - lo > (0.01 * hi).max(2e-7 * size) + rounding {
                wrong.push(format!("too wide {context}"));
            }
            let between = found.points[0].distance(found.points[1]);
            if gap > 0.0 && between > hi + rounding {
                wrong.push(format!("points {between} apart {context}"));
            }
            (if gap > 0.0 { &separated } else { &in_contact }).fetch_add(1, Ordering::Relaxed);
        }
        wrong
    });
    let [separated, in_contact] = [separated, in_contact].map(AtomicUsize::into_inner);
    assert!(separated > 100 && in_contact > 15, "{separated} {in_contact}");
}

#[test]
fn invalid_queries_are_refused() {
    let scene = carried(vec![BodyMotion::Still(Pose::IDENTITY); 2], 2.0);
    assert_eq!(scene.distances([0, 1], &[0.0, 2.0]).unwrap(), None);
    for (pair, time) in [([0, 2], 0.0), ([0, 1], 2.1), ([0, 1], -1.0), ([0, 1], f64::NAN)] {
        assert!(scene.distances(pair, &[time]).is_err(), "{pair:?} {time}");
    }
}
