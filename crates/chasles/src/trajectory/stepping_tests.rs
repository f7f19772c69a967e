//! Contact along motions: closed forms, and times of reported intersection compared with exact tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DQuat, DVec3};

use crate::body::PreparedMesh;
use crate::mesh_screw::overlap::triangles_intersect;
use crate::mesh_screw::query::Options;
use crate::mesh_screw::timed::PoseState;
use crate::motion::relative::MotionInterval;
use crate::motion::{Curve, Pose, Screw};
use crate::pair::shape::CollisionShape;
use crate::pair::{Pair, PairMemory};
use crate::scene::report::CheckOptions;
use crate::scene::report::PairUndecidedReason;
use crate::scene::{BodyMotion, Scene, SceneBody, SceneDefinition};
use crate::shape::{Mesh, Primitive};
use crate::trajectory::contact_intervals::ContactTimeline;
use crate::trajectory::contacts::contact_timeline;
use crate::trajectory::moving_pair::MovingPair;
use crate::trajectory::progress::SearchProgress;
use crate::trajectory::search::ContactSearch;
use crate::trajectory::watch::ProgressMonitor;
use chasles_testing::{Random, meshes};

/// A unit cube with a motion and a static one.
fn cubes(motion: BodyMotion, static_motion: BodyMotion, duration: f64) -> Scene {
    let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).ok();
    let body = |motion| SceneBody::new("cube", shape.clone(), motion);
    let bodies = vec![body(motion), body(static_motion)];
    let definition = SceneDefinition { tolerance: Some(1e-9), ..SceneDefinition::new(duration, bodies) };
    Scene::new(definition).unwrap()
}

fn contacts_of(scene: &Scene, budget: u64) -> ContactTimeline {
    let shapes = [0, 1].map(|body| scene.bodies[body].shape.as_ref().unwrap());
    let shapes = Pair::new(shapes[0], shapes[1]);
    let relative = scene.relative([0, 1]);
    let options = Options { tolerance: Some(1e-9), budget, ..Options::default() };
    let intervals = [[0.0, scene.duration()]];
    let moving = MovingPair { pair: &shapes, relative: &relative, watch: &() };
    contact_timeline(&moving, (&mut PairMemory::default(), &intervals), &options).unwrap()
}

const STATIC: BodyMotion = BodyMotion::Still(Pose::IDENTITY);

fn at(x: f64) -> Pose {
    Pose::from_position(DVec3::new(x, 0.1, 0.2)).unwrap()
}

fn keys(keys: &[(f64, f64)]) -> BodyMotion {
    BodyMotion::Keyframes(keys.iter().map(|&(time, x)| (time, at(x))).collect())
}

/// One of the cubes moves through keys (time, x) along x.
fn along_x(points: &[(f64, f64)], duration: f64) -> ContactTimeline {
    contacts_of(&cubes(keys(points), STATIC, duration), 1_000_000)
}

/// Each interval contains the times, and is as sharp as the tolerance permits.
#[track_caller]
fn assert_contacts(found: &ContactTimeline, expected: &[(f64, Option<f64>)]) {
    assert!(found.undecided.is_empty());
    let sharp = |[lo, hi]: [f64; 2], t: f64| lo <= t + 1e-8 && hi >= t - 1e-8 && hi - lo <= 1e-8;
    assert_eq!(found.intervals.len(), expected.len(), "{:?}", found.intervals);
    for (interval, (enter, exit)) in found.intervals.iter().zip(expected) {
        assert!(sharp(interval.enter, *enter), "{interval:?} {enter}");
        assert_eq!(interval.exit.is_some(), exit.is_some(), "{interval:?}");
        assert!(interval.exit.is_none_or(|found| sharp(found, exit.unwrap())), "{interval:?} {exit:?}");
    }
}

#[test]
fn an_interval_across_keys_is_not_cut() {
    let found = along_x(&[(0.0, 3.0), (1.0, 0.5), (2.0, 0.0), (3.0, -3.0)], 4.0);
    assert_contacts(&found, &[(0.8, Some(2.0 + 1.0 / 3.0))]);
    assert!(!found.intervals[0].touching && found.start == PoseState::Separated);
}

#[test]
fn contact_before_the_first_key_and_after_the_last_counts() {
    let found = along_x(&[(1.0, 0.5), (2.0, 3.0), (3.0, 3.0), (4.0, 0.5)], 6.0);
    assert_contacts(&found, &[(0.0, Some(1.2)), (3.8, None)]);
    assert_eq!(found.start, PoseState::Intersecting);
}

#[test]
fn a_bounce_at_a_key_is_one_short_interval() {
    let found = along_x(&[(0.0, 2.0), (1.0, 1.0), (2.0, 2.0)], 2.0);
    assert_contacts(&found, &[(1.0, Some(1.0))]);
    assert!(found.intervals[0].touching);
}

#[test]
fn a_crossing_that_ends_just_after_a_key_ends_there_or_with_the_touch_after_it() {
    // At the key the depth is 1e-10, less than the tolerance of 1e-9, which the gap exceeds 5.5e-10 s later.
    let found = along_x(&[(0.0, -2.0), (1.0, 1.0 - 1e-10), (2.0, 3.0)], 2.0);
    let [interval] = &found.intervals[..] else { panic!("{:?}", found.intervals) };
    let [from, to] = interval.exit.unwrap();
    let (crossing, touch) = (0.5e-10, 5.5e-10);
    assert!(from <= 1.0 + crossing && 1.0 + touch <= to + 1e-15 && to < 1.0 + 1e-9, "{:?}", interval.exit);
    assert!(!interval.touching);
}

#[test]
fn resting_over_keys_and_landing_at_one() {
    let found = along_x(&[(0.0, 2.0), (1.0, 1.0), (2.0, 1.0), (3.0, 1.0)], 4.0);
    assert_contacts(&found, &[(1.0, None)]);
    assert!(found.intervals[0].touching);
    let found = along_x(&[(0.0, 1.0), (1.0, 1.0), (3.0, 2.0)], 4.0);
    assert_contacts(&found, &[(0.0, Some(1.0))]);
    assert_eq!(found.start, PoseState::Touching);
}

#[test]
fn no_result_contradicts_the_truth_if_the_budget_is_too_small() {
    let scene = cubes(keys(&[(0.0, 3.0), (1.0, 0.5), (2.0, 0.0), (3.0, -3.0)]), STATIC, 4.0);
    for budget in [1, 10, 30, 100, 200, 300, 400, 600, 1000, 2000] {
        let found = contacts_of(&scene, budget);
        // The truth is [0.8, 2.333]; the result must not contradict it.
        let first = found.intervals.first().map_or(f64::INFINITY, |interval| interval.enter[0]);
        let undecided = found.undecided.first().map_or(f64::INFINITY, |undecided| undecided.from);
        assert!(first.min(undecided) <= 0.8 + 1e-9, "{budget}: {found:?}");
        if found.undecided.is_empty() {
            assert_contacts(&found, &[(0.8, Some(2.0 + 1.0 / 3.0))]);
        }
        for interval in &found.intervals {
            let is_in_contact = |t: f64| (0.8 - 1e-8..=7.0 / 3.0 + 1e-8).contains(&t);
            assert!(is_in_contact(interval.enter[1]), "{budget}: {found:?}");
            let covered = |t: f64| found.undecided.iter().any(|u| u.from <= t && u.to >= t);
            assert!(
                interval
                    .exit
                    .is_none_or(|e| is_in_contact(e[0]) && (e[1] >= 7.0 / 3.0 - 1e-8 || covered(e[1])))
            );
        }
    }
}

#[test]
fn several_turns_are_one_screw() {
    // A cube circles three times at distance 3 past a static one; they are in contact when the angle is small.
    let start = Pose::from_position(DVec3::new(0.0, 3.0, 0.2)).unwrap();
    let screw = Screw::about(start, DVec3::Z, DVec3::new(3.0, 3.0, 0.0), 0.0, 6.0 * std::f64::consts::PI);
    let far = Pose::from_position(DVec3::new(6.0, 3.0, 0.0)).unwrap();
    let found =
        contacts_of(&cubes(BodyMotion::Screw(screw.unwrap()), BodyMotion::Still(far), 3.0), 1_000_000);
    assert_eq!(found.intervals.len(), 3);
    for (rotation, interval) in (0_i32..).zip(&found.intervals) {
        // Half a turn after the start the cubes are closest; the contact is symmetric about that time.
        let [enter, exit] = [interval.enter, interval.exit.unwrap()].map(|[lo, hi]| 0.5 * (lo + hi));
        assert!((0.5 * (enter + exit) - 0.5 - f64::from(rotation)).abs() < 1e-8, "{interval:?}");
    }
}

#[test]
fn two_moving_bodies_have_the_contacts_of_their_relative_motion() {
    // Both slide, so that their relative motion is the same as in the other tests; then both also rotate with the
    // frame of reference.
    let slides = |x: f64, speed: f64| BodyMotion::Twist {
        start: at(x),
        linear: DVec3::new(speed, 0.0, 0.0),
        angular: DVec3::ZERO,
    };
    let found = contacts_of(&cubes(slides(3.0, -1.0), slides(0.0, 1.5), 2.0), 10_000_000);
    assert_contacts(&found, &[(0.8, Some(1.6))]);
    let spins = |x: f64, speed: f64| BodyMotion::Twist {
        start: at(x),
        linear: DVec3::new(speed, 0.0, 0.0),
        angular: DVec3::new(2.0 * speed, 0.0, 0.0),
    };
    // About the line on which they touch: face against face, in any rotation.
    let found = contacts_of(&cubes(spins(3.0, -1.0), spins(0.0, 1.5), 2.0), 100_000_000);
    assert_contacts(&found, &[(0.8, Some(1.6))]);
}

#[test]
fn bodies_with_equal_motions_are_one_static_screw() {
    // Face on face, both moving by the same twist: one static screw, examined once.
    let twist = |start| BodyMotion::Twist {
        start,
        linear: DVec3::new(1.0, -2.0, 0.5),
        angular: DVec3::new(0.3, 4.0, 1.0),
    };
    let scene = cubes(twist(Pose::IDENTITY), twist(Pose::IDENTITY), 2.0);
    let found = contacts_of(&scene, 1_000_000);
    assert_contacts(&found, &[(0.0, None)]);
    assert!(
        found.deviation == 0.0
            && matches!(scene.relative([0, 1]).smooth_intervals().next(), Some(MotionInterval::Exact(_)))
    );
    // From another pose the same twist is another motion.
    let scene = cubes(twist(at(3.0)), twist(Pose::IDENTITY), 2.0);
    assert!(matches!(scene.relative([0, 1]).smooth_intervals().next(), Some(MotionInterval::General { .. })));
    assert_contacts(&contacts_of(&scene, 100_000_000), &[]);
}

#[test]
fn a_jump_causes_no_contact_between_its_poses() {
    let steps = |points: &[(f64, f64)]| BodyMotion::Curves {
        position: Curve::Step(points.iter().map(|&(time, x)| (time, at(x).position())).collect()),
        rotation: Curve::constant(DQuat::IDENTITY),
    };
    let found = contacts_of(&cubes(steps(&[(0.0, 3.0), (1.0, -3.0)]), STATIC, 2.0), 1_000_000);
    assert_contacts(&found, &[]);
    let found = contacts_of(&cubes(steps(&[(0.0, 3.0), (0.5, 0.25), (1.25, -3.0)]), STATIC, 2.0), 1_000_000);
    assert_contacts(&found, &[(0.5, Some(1.25))]);
    assert_eq!((found.intervals[0].enter, found.intervals[0].exit), ([0.5; 2], Some([1.25; 2])));
}

/// A bent surface of triangles.
fn skin(random: &mut Random, across: u32) -> CollisionShape {
    let (vertices, triangles) = meshes::bent_square(random, across);
    CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())))
}

/// A search along the motion of two bodies.
fn with_search<T>(scene: &Scene, act: impl FnOnce(&mut ContactSearch<'_>) -> T) -> T {
    let [a, b] = [0, 1].map(|body| scene.bodies[body].shape.as_ref().unwrap());
    let (shapes, relative) = (Pair::new(a, b), scene.relative([0, 1]));
    let (mut memory, options) =
        (PairMemory::default(), Options { tolerance: Some(1e-9), ..Options::default() });
    let progress = SearchProgress::new(&relative, &options, &|| false);
    let mut search = ContactSearch::new(shapes.rigid().unwrap(), progress, &mut memory, &options);
    act(&mut search)
}

#[test]
fn surfaces_intersect_until_the_proven_time() {
    let (mut long, mut times) = (0, 0);
    for seed in 0..300 {
        let random = &mut Random(seed);
        let mut body = |shape: Option<CollisionShape>| {
            let motion = BodyMotion::Twist {
                start: Pose::from_parts(
                    0.6 * random.vector(1.0),
                    DQuat::from_scaled_axis(3.0 * random.vector(1.0)),
                ),
                linear: 2.0 * random.vector(1.0),
                angular: 4.0 * random.vector(1.0),
            };
            let shape = shape.or_else(|| Some(skin(random, 3 + (seed % 4) as u32)));
            SceneBody::new("skin", shape, motion)
        };
        // Every third against a sphere.
        let ball = CollisionShape::primitive(Primitive::Sphere { radius: 0.5 }).ok();
        let bodies = vec![body(ball.filter(|_| seed % 3 == 0)), body(None)];
        let definition = SceneDefinition { tolerance: Some(1e-9), ..SceneDefinition::new(1.0, bodies) };
        let scene = Scene::new(definition).unwrap();
        let until = with_search(&scene, |search| search.intersecting_until((0.0, 0.5), 1.0, 1e-9));
        assert!((0.0..=1.0).contains(&until), "seed {seed}: {until}");
        long += u32::from(until > 0.02);
        let relative = scene.relative([0, 1]);
        for i in 0..=40 {
            if until == 0.0 {
                break;
            }
            let pose = relative.pose_at(until * f64::from(i) / 40.0, 0.5);
            times += 1;
            assert!(intersect(&scene, &pose), "seed {seed}: apart before {until}");
        }
    }
    assert!(long > 60 && times > 2000, "{long} {times}");
}

/// The reference twin: every pair of triangles, or the distances of a sphere's centre from all triangles.
fn intersect(scene: &Scene, pose: &Pose) -> bool {
    let [a, b] = [0, 1].map(|body| scene.bodies[body].shape.as_ref().unwrap());
    let mesh = b.drawn();
    let corners = |mesh: &Mesh, face: &[u32; 3]| face.map(|v| mesh.vertex(v));
    if a.round_primitive().is_some() {
        let centre = pose.position();
        let near = |face: &[u32; 3]| {
            let [p, q, r] = corners(mesh, face);
            crate::math::distance::point_triangle(centre, &[p, q, r]).squared.sqrt()
        };
        let least = mesh.triangles().iter().map(near).fold(f64::INFINITY, f64::min);
        // The surface is open: its border may be inside as long as part of the border is not.
        let furthest = mesh.triangles().iter().flatten().map(|v| mesh.vertex(*v).distance(centre));
        return least <= 0.5 && furthest.fold(0.0, f64::max) >= 0.5;
    }
    let moved = |face: &[u32; 3]| corners(a.drawn(), face).map(|p| pose.transform_point(p));
    let faces: Vec<_> = a.drawn().triangles().iter().map(moved).collect();
    faces.iter().any(|x| mesh.triangles().iter().any(|y| triangles_intersect(x, &corners(mesh, y))))
}

/// A cube that slides and rotates on a large plate, which moves too, and rises at a speed in metres per second.
fn sliding(gap: f64, rise: f64, plate: f64) -> Scene {
    let shape = |size: DVec3| CollisionShape::primitive(Primitive::Box { size }).unwrap();
    let body = |shape: CollisionShape, z: f64, linear: DVec3, angular: f64| {
        let start = Pose::from_position(DVec3::new(0.0, 0.1, z)).unwrap();
        let motion = BodyMotion::Twist { start, linear, angular: DVec3::Z * angular };
        SceneBody::new("cube", Some(shape), motion)
    };
    let bodies = vec![
        body(shape(DVec3::ONE), 1.0 + gap, DVec3::new(0.1, 0.02, rise), 0.1),
        body(shape(DVec3::new(plate, 8.0, 1.0)), 0.0, DVec3::new(-0.1, 0.0, 0.0), 0.0),
    ];
    Scene::new(SceneDefinition { tolerance: Some(1e-6), ..SceneDefinition::new(2.0, bodies) }).unwrap()
}

#[test]
fn a_resting_cube_touches_until_it_has_risen_by_the_tolerance() {
    let check = |scene: &Scene| {
        let shapes = [0, 1].map(|body| scene.bodies[body].shape.as_ref().unwrap());
        let (shapes, relative) = (Pair::new(shapes[0], shapes[1]), scene.relative([0, 1]));
        let options = Options { tolerance: Some(1e-6), ..Options::default() };
        let moving = MovingPair { pair: &shapes, relative: &relative, watch: &() };
        contact_timeline(&moving, (&mut PairMemory::default(), &[[0.0, 2.0]]), &options).unwrap()
    };
    for (gap, rise, end) in [
        (0.0, 0.0, None),
        (5e-7, 0.0, None),
        (9e-7, 0.0, None),
        (0.0, 1e-6, Some(1.0)),
        (4e-7, 4e-7, Some(1.5)),
    ] {
        let found = check(&sliding(gap, rise, 8.0));
        assert!(found.undecided.is_empty() && found.intervals.len() == 1, "{gap} {rise}: {found:?}");
        let interval = &found.intervals[0];
        assert!(interval.touching && interval.enter == [0.0; 2], "{gap} {rise}: {interval:?}");
        match (interval.exit, end) {
            (None, None) => {}
            // A touch is sharp to a hundredth of the tolerance, plus half of that for the deviation.
            (Some([lo, hi]), Some(end)) => {
                let play = 0.016 * 1e-6 / rise;
                assert!(lo <= end + play && hi >= end - 1e-6 && hi - lo < 2.0 * play, "{lo} {hi} {end}");
            }
            other => panic!("{gap} {rise}: {other:?}"),
        }
    }
    // Bodies further apart than the tolerance have no contact; on a narrow plate the cube rests as long.
    assert!(check(&sliding(1.1e-6, 0.0, 8.0)).intervals.is_empty());
    let found = check(&sliding(0.0, 0.0, 0.4));
    assert!(found.intervals.len() == 1 && found.intervals[0].exit.is_none(), "{found:?}");
}

/// A monitor that stops the check after a number of calls.
struct LimitedMonitor {
    calls: AtomicUsize,
    limit: usize,
}

impl ProgressMonitor for LimitedMonitor {
    fn is_over(&self) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) >= self.limit
    }
}

/// A cube, and a disc, that circle another cube more often than can be examined: no end is in sight, and the budget
/// suffices for thousands of calls of the monitor.
#[test]
fn a_search_along_a_long_screw_ends_soon_after_a_stop() {
    let start = Pose::from_position(DVec3::new(1.5, 0.0, 0.0)).unwrap();
    let around =
        Screw::about(start, DVec3::new(0.01, 0.02, 1.0), DVec3::new(-0.3, 0.0, 0.0), 1e-3, 1e9).unwrap();
    let disc = CollisionShape::primitive(Primitive::Cylinder { radius: 0.5, height: 0.5 }).unwrap();
    for round in [false, true] {
        let mut scene = cubes(BodyMotion::Screw(around), STATIC, 1.0);
        if round {
            scene.bodies[0].shape = Some(disc.clone());
        }
        let watch = LimitedMonitor { calls: AtomicUsize::new(0), limit: 20 };
        // With this number of turns each step costs 5000 steps of the budget.
        let options = CheckOptions { budget: 5_000 * 2_000_000, ..CheckOptions::default() };
        let report = scene.check(&options, &watch).unwrap();
        let reason = report.pairs.first().and_then(|pair| pair.reason);
        assert_eq!(reason, Some(PairUndecidedReason::Stopped), "{report:?}");
        // The monitor is called at most some more times, about once a millisecond.
        assert!(watch.calls.into_inner() < 60);
    }
}
