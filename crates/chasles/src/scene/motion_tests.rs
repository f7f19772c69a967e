//! Joints and shifted motions compared with their definitions, and clearances of single pairs.

use glam::{DQuat, DVec3};

use crate::math::time_interval::TimeInterval;
use crate::motion::{CubicKey, Curve, JointAxis, Pose, Screw};
use crate::pair::shape::CollisionShape;
use crate::scene::report::CheckOptions;
use crate::scene::report::{PairListing, PairVerdict, SceneReport};
use crate::scene::{BodyMotion, Scene, SceneBody, SceneDefinition};
use crate::shape::Primitive;

fn body(motion: BodyMotion) -> SceneBody {
    let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).ok();
    SceneBody::new("b", shape, motion)
}

fn scene_of(motions: Vec<BodyMotion>, duration: f64) -> Scene {
    let bodies = motions.into_iter().map(body).collect();
    Scene::new(SceneDefinition::new(duration, bodies)).unwrap()
}

#[track_caller]
fn refused(motion: BodyMotion, message: &str) {
    let bodies = vec![body(motion)];
    let definition = SceneDefinition::new(2.0, bodies);
    assert_eq!(Scene::new(definition).unwrap_err().to_string(), message);
}

fn tilted() -> Pose {
    Pose::new(DVec3::new(0.4, -0.2, 0.7), DQuat::from_xyzw(0.1, 0.7, -0.3, 0.4)).unwrap()
}

fn key(time: f64, value: f64, tangents: [f64; 2]) -> CubicKey<f64> {
    CubicKey { time, in_tangent: tangents[0], value, out_tangent: tangents[1] }
}

/// Joint values over 3 seconds: steps, linear, cubic; over more than two revolutions.
fn courses() -> [Curve<f64>; 3] {
    let keys = vec![(0.0, -1.0), (1.25, 14.0), (2.5, 13.5), (4.0, 2.0)];
    let tangents = [[0.0, -2.0], [3.0, 1.0], [-9.0, 4.0], [0.5, 0.0]];
    let cubic = keys.iter().zip(tangents).map(|((time, value), tangents)| key(*time, *value, tangents));
    [Curve::Step(keys.clone()), Curve::Linear(keys.clone()), Curve::Cubic(cubic.collect())]
}

/// The value of a curve; for a cubic curve by de Casteljau's algorithm.
fn value_at(curve: &Curve<f64>, time: f64) -> f64 {
    let times = curve.times();
    let values = curve.values();
    let k = times.partition_point(|key| *key <= time).saturating_sub(1);
    if time < times[0] || k + 1 == times.len() {
        return values[k];
    }
    let h = times[k + 1] - times[k];
    let s = (time - times[k]) / h;
    let mix = |x: f64, y: f64| x + s * (y - x);
    match curve {
        Curve::Step(_) => values[k],
        Curve::Linear(_) => mix(values[k], values[k + 1]),
        Curve::Cubic(keys) => {
            let points = [
                values[k],
                values[k] + h / 3.0 * keys[k].out_tangent,
                values[k + 1] - h / 3.0 * keys[k + 1].in_tangent,
                values[k + 1],
            ];
            let [a, b, c] = [0, 1, 2].map(|i| mix(points[i], points[i + 1]));
            mix(mix(a, b), mix(b, c))
        }
    }
}

#[test]
fn a_joint_has_the_pose_of_its_value() {
    let along = DVec3::new(2.0, -1.0, 2.0) / 3.0;
    for values in courses() {
        for axis in [JointAxis::Revolute(5.0 * along), JointAxis::Prismatic(0.01 * along)] {
            let origin = tilted();
            let scene = scene_of(vec![BodyMotion::Joint { origin, axis, values: values.clone() }], 3.0);
            for i in 0..=96 {
                let time = f64::from(i) / 32.0;
                let value = value_at(&values, time);
                let point = DVec3::new(0.3, -1.1, 0.5);
                // In the frame of the joint, by Rodrigues' formula.
                let moved = match axis {
                    JointAxis::Revolute(_) => {
                        let across = along.cross(point);
                        point + value.sin() * across + (1.0 - value.cos()) * along.cross(across)
                    }
                    JointAxis::Prismatic(_) => point + value * along,
                };
                let off =
                    scene.pose_at(0, time).transform_point(point).distance(origin.transform_point(moved));
                assert!(off < 1e-13, "{values:?} {axis:?} {time}: {off}");
            }
        }
    }
}

#[test]
fn a_joint_keeps_its_rates() {
    const STEPS: u32 = 512;
    for values in courses() {
        for axis in [JointAxis::Revolute(DVec3::X), JointAxis::Prismatic(DVec3::X)] {
            let motion = BodyMotion::Joint { origin: tilted(), axis, values: values.clone() };
            let scene = scene_of(vec![motion], 3.0);
            for piece in &scene.placements[0].track.0 {
                for share in [1.0, 0.1, 0.01] {
                    for from in [0.0, 0.3, 0.77] {
                        let length = piece.end() - piece.start();
                        let begin = piece.start() + from * length * (1.0 - share);
                        let step = share * length / f64::from(STEPS);
                        let rates = piece.rates(TimeInterval::new(begin, begin + share * length));
                        let [fastest, quickest] = match axis {
                            JointAxis::Revolute(_) => [rates.spin, rates.spin_change],
                            JointAxis::Prismatic(_) => [rates.speed, rates.speed_change],
                        };
                        // Inside the segment, so that a step curve does not jump.
                        let at = |i: u32| {
                            let time = begin + step * f64::from(i);
                            value_at(&values, time.min(piece.end().next_down()))
                        };
                        let speeds: Vec<f64> = (0..STEPS).map(|i| (at(i + 1) - at(i)) / step).collect();
                        let most = speeds.iter().fold(0.0_f64, |most, speed| most.max(speed.abs()));
                        let noise = 1e-13 / step;
                        assert!(most <= fastest * (1.0 + 1e-9) + noise, "{axis:?} {most} {fastest}");
                        assert!(most >= 0.3 * fastest - noise, "{axis:?} {most} {fastest}");
                        let bent = speeds.windows(2).map(|pair| (pair[1] - pair[0]).abs() / step);
                        let bent = bent.fold(0.0, f64::max);
                        assert!(bent <= quickest * (1.0 + 1e-6) + noise / step, "{axis:?} {bent} {quickest}");
                    }
                }
            }
        }
    }
}

#[test]
fn bad_joints_and_shifts_are_refused() {
    let joint = |axis, values| BodyMotion::Joint { origin: Pose::IDENTITY, axis, values };
    let turning = JointAxis::Revolute(DVec3::Z);
    refused(
        joint(JointAxis::Revolute(DVec3::ZERO), Curve::constant(1.0)),
        "joint axis of body \"b\": found zero length, expected a direction",
    );
    refused(
        joint(JointAxis::Prismatic(DVec3::splat(f64::NAN)), Curve::constant(1.0)),
        "joint axis of body \"b\": found NaN, expected a finite number",
    );
    refused(
        joint(turning, Curve::Linear(vec![(0.0, 1.0), (1.0, f64::NAN)])),
        "joint value of body \"b\": found NaN, expected a finite number",
    );
    refused(
        joint(turning, Curve::Cubic(vec![key(0.0, 0.0, [0.0, f64::INFINITY])])),
        "joint value of body \"b\": found inf, expected a finite number",
    );
    refused(
        joint(turning, Curve::Linear(vec![(1.0, 1.0), (1.0, 2.0)])),
        "keyframes of body \"b\": found 1, expected times that are finite and increase",
    );
    refused(
        joint(turning, Curve::Linear(vec![])),
        "keyframes of body \"b\": found 0, expected at least one key",
    );
    let during = |start, duration, motion| BodyMotion::During { start, duration, motion: Box::new(motion) };
    let rests = BodyMotion::Still(Pose::IDENTITY);
    refused(
        during(f64::NAN, 1.0, rests.clone()),
        "start of the motion of body \"b\": found NaN, expected a finite number",
    );
    let duration = "duration of the motion of body \"b\": found";
    refused(
        during(0.0, 0.0, rests.clone()),
        &format!("{duration} 0, expected a finite number greater than 0"),
    );
    refused(
        during(0.0, f64::INFINITY, rests),
        &format!("{duration} inf, expected a finite number greater than 0"),
    );
    // Nested motions are checked, too.
    let nested = during(0.0, 1.0, during(0.0, 1.0, BodyMotion::Keyframes(vec![])));
    refused(nested, "keyframes of body \"b\": found 0, expected at least one key");
}

/// Motions of all kinds.
fn motions() -> Vec<BodyMotion> {
    let at = |x: f64| Pose::new(DVec3::new(x, 1.0, -x), DQuat::from_rotation_y(x)).unwrap();
    let turns = Screw::about(tilted(), DVec3::new(1.0, 2.0, 0.5), DVec3::X, 0.8, 17.0).unwrap();
    let place = |time: f64, x: f64| CubicKey {
        time,
        in_tangent: DVec3::new(x, -1.0, 0.4),
        value: DVec3::splat(x),
        out_tangent: DVec3::new(0.2, x, 2.0),
    };
    let turn = |time: f64, x: f64| CubicKey {
        time,
        in_tangent: DQuat::from_xyzw(0.3, x, 0.0, 0.1),
        value: DQuat::from_rotation_x(x),
        out_tangent: DQuat::from_xyzw(x, 0.1, 0.2, 0.0),
    };
    let [steps, even, cubic] = courses();
    let places = |k: f64| vec![(0.3, DVec3::X), (0.9 * k, DVec3::Y), (1.6, DVec3::ONE)];
    let turned = |k: f64| {
        vec![
            (-0.4, DQuat::IDENTITY),
            (0.6 * k, DQuat::from_rotation_z(2.0)),
            (1.1, DQuat::from_rotation_x(1.0)),
        ]
    };
    let joint = |axis, values| BodyMotion::Joint { origin: tilted(), axis, values };
    vec![
        BodyMotion::Still(tilted()),
        BodyMotion::Screw(turns),
        BodyMotion::Keyframes(vec![(-0.5, at(0.0)), (0.2, at(1.0)), (0.7, at(4.0)), (9.0, at(3.0))]),
        BodyMotion::Twist { start: tilted(), linear: DVec3::X, angular: DVec3::new(0.0, 3.0, 1.0) },
        BodyMotion::Twist { start: tilted(), linear: DVec3::X, angular: DVec3::ZERO },
        BodyMotion::Curves { position: Curve::Step(places(1.0)), rotation: Curve::Step(turned(1.0)) },
        BodyMotion::Curves { position: Curve::Linear(places(1.0)), rotation: Curve::Linear(turned(1.1)) },
        BodyMotion::Curves {
            position: Curve::Cubic(vec![place(0.1, 1.0), place(1.0, -1.0), place(3.0, 2.0)]),
            rotation: Curve::Cubic(vec![turn(-1.0, 0.3), turn(2.0, 0.9)]),
        },
        joint(JointAxis::Revolute(DVec3::Y), steps),
        joint(JointAxis::Prismatic(DVec3::Y), even.clone()),
        joint(JointAxis::Revolute(DVec3::ONE), even),
        joint(JointAxis::Prismatic(DVec3::ONE), cubic.clone()),
        joint(JointAxis::Revolute(DVec3::X), cubic),
    ]
}

#[test]
fn a_shifted_motion_is_the_motion_of_its_own_scene_later() {
    let lasting = 1.375;
    for motion in motions() {
        let own = scene_of(vec![motion.clone()], lasting);
        for start in [0.0, 0.5, -0.375, 1.9, -1.3, 2.0, 5.0, -1.375, -7.0, 1e-17, 0.1] {
            let during = BodyMotion::During { start, duration: lasting, motion: Box::new(motion.clone()) };
            // Shifted twice, to the same motion.
            let twice = BodyMotion::During {
                start: start - 0.25,
                duration: lasting + 8.0,
                motion: Box::new(BodyMotion::During {
                    start: 0.25,
                    duration: lasting,
                    motion: Box::new(motion.clone()),
                }),
            };
            let scene = scene_of(vec![during, twice], 2.0);
            for i in 0..=128 {
                // Never at a key.
                let time = (f64::from(i) / 64.0 + 1e-3 / 3.0).min(2.0);
                let expected = own.pose_at(0, (time - start).clamp(0.0, lasting));
                for body in [0, 1] {
                    let found = scene.pose_at(body, time);
                    for x in [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 2.0, 1.0)] {
                        let off = found.transform_point(x).distance(expected.transform_point(x));
                        assert!(off < 1e-12, "{motion:?} from {start}, body {body} at {time}: {off}");
                    }
                }
            }
            for body in [0, 1] {
                let pieces = &scene.placements[body].track.0;
                assert_eq!(
                    (pieces[0].start(), pieces[pieces.len() - 1].end()),
                    (0.0, 2.0),
                    "{motion:?} {start}"
                );
                assert!(pieces.iter().all(|piece| piece.start() < piece.end()), "{motion:?} {start}");
                assert!(pieces.windows(2).all(|pair| pair[0].end() == pair[1].start()), "{motion:?} {start}");
            }
        }
    }
}

#[test]
fn a_shifted_motion_is_as_fast_as_it_was() {
    let lasting = 1.375;
    for motion in motions() {
        let own = scene_of(vec![motion.clone()], lasting);
        let later = BodyMotion::During { start: 0.5, duration: lasting, motion: Box::new(motion.clone()) };
        let later = scene_of(vec![later], 2.0);
        for i in 0..10 {
            let (from, to) = (0.1 * f64::from(i) + 0.013, 0.1 * f64::from(i) + 0.017);
            let [x, y] = [(&own, 0.0), (&later, 0.5)].map(|(scene, by)| {
                let rates = scene.placements[0]
                    .track
                    .segment_at(0.5 * (from + to) + by)
                    .rates(TimeInterval::new(from + by, to + by));
                [rates.spin, rates.spin_change, rates.speed, rates.speed_change]
            });
            for (x, y) in x.iter().zip(y) {
                assert!((x - y).abs() <= 1e-9 * (1.0 + x.abs()), "{motion:?}: {x} {y}");
            }
        }
    }
}

#[test]
fn a_motion_too_short_for_its_place_in_time_is_a_jump() {
    let at = |x: f64| Pose::from_position(DVec3::new(x, 0.0, 0.0)).unwrap();
    let inner = BodyMotion::Keyframes(vec![(0.0, at(1.0)), (1e-20, at(2.0)), (2e-20, at(9.0))]);
    let during = BodyMotion::During { start: 1.0, duration: 2e-20, motion: Box::new(inner) };
    let scene = scene_of(vec![during, BodyMotion::Still(at(9.0))], 2.0);
    assert_eq!(scene.pose_at(0, 0.999).position().x, 1.0);
    assert_eq!(scene.pose_at(0, 1.0).position().x, 9.0);
    let report = scene.check(&CheckOptions::default(), &()).unwrap();
    assert_eq!(report.verdict, PairVerdict::Contact);
    assert_eq!((report.pairs[0].intervals[0].enter, report.pairs[0].intervals[0].exit), ([1.0; 2], None));
}

#[test]
fn single_pairs_have_clearances_of_their_own() {
    let at = |y: f64| Pose::from_position(DVec3::new(0.0, y, 0.0)).unwrap();
    // One body slides past three others, 0.1, 0.2 and 0.3 above them.
    let slide = Screw::translation(at(0.0), DVec3::new(8.0, 0.0, 0.0));
    let mut motions = vec![BodyMotion::Screw(slide)];
    for (i, gap) in [(1.0, 0.1), (2.0, 0.2), (3.0, 0.3)] {
        let pose = Pose::from_position(DVec3::new(2.0 * i, -1.0 - gap, 0.0)).unwrap();
        motions.push(BodyMotion::Still(pose));
    }
    let near = |general: f64, own: &[([usize; 2], f64)], listed| {
        let bodies = motions.iter().cloned().map(body).collect();
        let definition = SceneDefinition { clearance: general, ..SceneDefinition::new(1.0, bodies) };
        let scene = Scene::new(definition).unwrap().with_clearances(own).unwrap();
        let options = CheckOptions { listed, ..CheckOptions::default() };
        let report = scene.check(&options, &()).unwrap();
        assert_eq!(
            report.pairs_clear + report.pairs.iter().filter(|p| p.verdict != PairVerdict::Clear).count(),
            3
        );
        report
            .pairs
            .iter()
            .filter(|p| p.verdict == PairVerdict::Near)
            .map(|p| p.bodies[1])
            .collect::<Vec<_>>()
    };
    for listed in [PairListing::All, PairListing::NotClear] {
        assert_eq!(near(0.0, &[], listed), []);
        assert_eq!(near(0.15, &[], listed), [1]);
        assert_eq!(near(0.15, &[([3, 0], 0.31)], listed), [1, 3]);
        assert_eq!(near(0.0, &[([0, 2], 0.21)], listed), [2]);
        // Clearances below the clearance of all other pairs, and of 0.
        assert_eq!(near(0.35, &[([0, 3], 0.29), ([1, 0], 0.0)], listed), [2]);
        // The last of several clearances counts.
        assert_eq!(near(0.0, &[([0, 1], 0.5), ([0, 2], 0.5), ([1, 0], 0.05)], listed), [2]);
        assert_eq!(near(0.0, &[([1, 0], 0.05), ([0, 1], 0.5)], listed), [1]);
    }
    let scene = scene_of(motions, 1.0);
    assert_eq!(scene.clone().with_clearances(&[([2, 1], 0.5)]).unwrap().clearance_of([1, 2]), 0.5);
    let refused = |own| scene.clone().with_clearances(&[own]).unwrap_err().to_string();
    assert_eq!(refused(([0, 4], 0.1)), "clearance: found 4, expected the number of a body");
    assert_eq!(refused(([0, 1], -0.1)), "clearance: found -0.1, expected a finite number, not negative");
    assert_eq!(refused(([0, 1], f64::NAN)), "clearance: found NaN, expected a finite number, not negative");
}

#[test]
fn a_jump_at_the_last_moment_counts() {
    let at = |x: f64| Pose::from_position(DVec3::new(x, 0.1, 0.2)).unwrap();
    let jump_after = |after: f64, from: f64, to: f64| BodyMotion::Curves {
        position: Curve::Step(vec![(0.0, at(from).position()), (after, at(to).position())]),
        rotation: Curve::constant(DQuat::IDENTITY),
    };
    let jump = |from: f64, to: f64| jump_after(2.0, from, to);
    let motion = Box::new(jump_after(1.5, 3.0, 0.6));
    let shifted = BodyMotion::During { start: 0.5, duration: 1.5, motion };
    let still = |x: f64| BodyMotion::Still(at(x));
    let check = |motions: [BodyMotion; 2], solid: bool, clearance: f64| {
        let small = CollisionShape::primitive(Primitive::Box { size: DVec3::splat(0.5) }).unwrap();
        let mut bodies = motions.map(body).to_vec();
        bodies[0].shape = Some(small);
        bodies[1].solid = solid;
        let definition = SceneDefinition { clearance, ..SceneDefinition::new(2.0, bodies) };
        Scene::new(definition).unwrap().check(&CheckOptions::default(), &()).unwrap()
    };
    let spans = |report: &SceneReport| -> Vec<_> {
        report.pairs.iter().flat_map(|pair| &pair.intervals).map(|span| (span.enter, span.exit)).collect()
    };
    // Jumps of either body into contact, and out of contact.
    for motions in [[jump(3.0, 0.6), still(0.0)], [still(0.0), jump(3.0, 0.6)], [shifted, still(0.0)]] {
        let report = check(motions, false, 0.0);
        assert_eq!((report.verdict, report.clear_until), (PairVerdict::Contact, 2.0));
        assert_eq!(spans(&report), [([2.0; 2], None)]);
    }
    for motions in [[jump(0.6, 3.0), still(0.0)], [still(0.0), jump(0.6, 3.0)]] {
        assert_eq!(spans(&check(motions, false, 0.0)), [([0.0; 2], Some([2.0; 2]))]);
    }
    // Jumps into a solid body, into a hollow body, which is no contact, and to a near position.
    assert_eq!(spans(&check([jump(3.0, 0.0), still(0.0)], true, 0.0)), [([2.0; 2], None)]);
    let hollow = check([jump(3.0, 0.0), still(0.0)], false, 0.0);
    assert_eq!((hollow.verdict, hollow.inside.len(), hollow.inside[0].from), (PairVerdict::Clear, 1, 2.0));
    let near = check([jump(3.0, 0.8), still(0.0)], false, 0.1);
    assert_eq!((near.verdict, spans(&near)), (PairVerdict::Near, vec![([2.0; 2], None)]));
}
