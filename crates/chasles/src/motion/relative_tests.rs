//! Deviations, speeds and their consequences, compared with poses at many times.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use crate::body::PreparedMesh;
use crate::math::time_interval::TimeInterval;
use crate::motion::chain::MovingBall;
use crate::motion::relative::{MotionInterval, MovingBody, RelativeMotion};
use crate::motion::{CubicKey, Curve, Pose, Screw};
use crate::pair::shape::CollisionShape;
use crate::scene::{BodyMotion, Scene, SceneBody, SceneDefinition};
use crate::shape::{Mesh, Primitive};
use chasles_testing::{Random, cases};

fn below(random: &mut Random, n: u32) -> u32 {
    (0..n).rev().find(|i| random.unit() * f64::from(i + 1) < 1.0).unwrap_or(0)
}

fn rotation(random: &mut Random) -> DQuat {
    let v = random.vector(1.0);
    DQuat::from_xyzw(v.x, v.y, v.z, random.side()).normalize()
}

fn pose(random: &mut Random) -> Pose {
    Pose::from_parts(random.vector(2.0), rotation(random))
}

fn motion(random: &mut Random, duration: f64, kinds: u32) -> BodyMotion {
    let start = pose(random);
    match below(random, kinds) {
        0 => BodyMotion::Still(start),
        1 => {
            let angle = 12.0 * (random.unit() - 0.5);
            let slide = 2.0 * (random.unit() - 0.5);
            let axis = random.vector(1.0);
            BodyMotion::Screw(Screw::about(start, axis, random.vector(2.0), slide, angle).unwrap())
        }
        2 => {
            let (linear, angular) = (random.vector(3.0) / duration, random.vector(6.0) / duration);
            BodyMotion::Twist { start, linear, angular }
        }
        // Free fall: constant acceleration without rotation.
        3 | 4 => {
            let (from, out, change) = (random.vector(2.0), random.vector(2.0), random.vector(2.0));
            let key = |time: f64, s: f64| {
                let tangent = (out + 2.0 * s * change) / duration;
                let value = from + s * out + s * s * change;
                CubicKey { time, in_tangent: tangent, value, out_tangent: tangent }
            };
            let position = Curve::Cubic(vec![key(0.0, 0.0), key(duration, 1.0)]);
            let rotation = match below(random, 2) {
                0 => Curve::constant(rotation(random)),
                _ => Curve::Linear(vec![(0.0, rotation(random)), (duration, rotation(random))]),
            };
            BodyMotion::Curves { position, rotation }
        }
        _ => {
            let mut key = |time: f64| {
                let tangents = [random.vector(3.0), random.vector(3.0)].map(|v| v / duration);
                CubicKey {
                    time,
                    in_tangent: tangents[0],
                    value: random.vector(2.0),
                    out_tangent: tangents[1],
                }
            };
            let position = Curve::Cubic(vec![key(0.0), key(0.4 * duration), key(duration)]);
            let mut key = |time: f64| {
                let [mut before, mut after] = [0.0; 2].map(|_| rotation(random) * (1.5 / duration));
                if below(random, 3) == 0 {
                    (before, after) = (before * 0.0, after * 0.0);
                }
                CubicKey { time, in_tangent: before, value: rotation(random), out_tangent: after }
            };
            let rotation = Curve::Cubic(vec![key(0.1 * duration), key(0.7 * duration)]);
            BodyMotion::Curves { position, rotation }
        }
    }
}

/// Two bodies, each at the end of a chain of up to four parents, and their numbers. Among the seven kinds of
/// motion, the first is static and the second a screw.
fn scene(random: &mut Random, kinds: u32) -> (Scene, [usize; 2]) {
    let duration = 10.0_f64.powf(3.0 * random.unit() - 1.5);
    let mut bodies: Vec<SceneBody> = Vec::new();
    let mut numbers = [0; 2];
    for number in &mut numbers {
        let mut parent = None;
        let length = 1 + below(random, 4);
        for link in 0..length {
            let shape = (link + 1 == length).then(|| shape(random));
            let motion = motion(random, duration, kinds);
            bodies.push(SceneBody { name: "link".into(), shape, motion, parent, group: None, solid: false });
            parent = Some(bodies.len() - 1);
        }
        *number = bodies.len() - 1;
    }
    let definition = SceneDefinition::new(duration, bodies);
    (Scene::new(definition).unwrap(), numbers)
}

/// A triangle away from its origin, or a ball.
fn shape(random: &mut Random) -> CollisionShape {
    if below(random, 8) == 0 {
        return CollisionShape::primitive(Primitive::Sphere { radius: 0.5 }).unwrap();
    }
    let at = random.vector(1.0);
    let corners = (0..3).map(|_| at + random.vector(0.7)).collect();
    CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(corners, vec![[0, 1, 2]]).unwrap())))
}

/// The points of a body whose motion is bounded.
fn points(scene: &Scene, body: usize) -> Vec<DVec3> {
    let shape = scene.bodies[body].shape.as_ref().unwrap();
    match shape.round_primitive() {
        Some(_) => vec![DVec3::ZERO],
        None => (0..3).map(|i| shape.drawn().vertex(i)).collect(),
    }
}

/// A part of a smooth interval of a motion, from a millionth of its length to all of it.
fn part_of_smooth_interval(random: &mut Random, relative: &RelativeMotion<'_>) -> (f64, f64) {
    let intervals: Vec<_> = relative.smooth_intervals().map(|interval| interval.interval()).collect();
    let count = u32::try_from(intervals.len()).unwrap();
    let TimeInterval { start, end } = intervals[below(random, count) as usize];
    let length = (end - start) * 10.0_f64.powf(-4.0 * random.unit());
    let from = start + (end - start - length) * random.unit();
    (from, (from + length).min(end))
}

const SAMPLES: u32 = 16;

impl RelativeMotion<'_> {
    /// A bound of the accelerations of points within a metre of the centre of a body.
    fn rates_about(&self, mover: MovingBody, (start, end): (f64, f64)) -> f64 {
        let wide = |ball: &MovingBall| MovingBall { radius: ball.radius + 1.0, ..*ball };
        let mut wider = self.clone();
        wider.balls = [wide(&self.balls[0]), wide(&self.balls[1])];
        wider.motion_bounds_of(mover, start, end).change
    }
}

#[test]
fn moments_have_the_velocities_of_the_poses() {
    let (mut moved, mut spun) = (0, 0);
    for seed in 0..3000 {
        let random = &mut Random(seed);
        let (scene, numbers) = scene(random, 7);
        let relative = scene.relative(numbers);
        let (start, end) = part_of_smooth_interval(random, &relative);
        let within = 0.5 * (start + end);
        let time = start + (end - start) * random.unit();
        let step = 1e-5 * scene.duration();
        let (before, after) = ((time - step).max(start), (time + step).min(end));
        for mover in [MovingBody::A, MovingBody::B] {
            let bounds = relative.motion_bounds_of(mover, start, end);
            let state = relative.state_at(mover, time, within);
            let seen = |time: f64| match mover {
                MovingBody::A => relative.pose_at(time, within),
                MovingBody::B => relative.pose_at(time, within).inverse(),
            };
            assert!(seen(time).position().distance(state.pose.position()) < 1e-12);
            let centre = relative.balls[usize::from(mover == MovingBody::B)].centre;
            let arm = random.vector(0.5);
            for arm in [DVec3::ZERO, arm] {
                let own = state.pose.inverse().transform_vector(arm);
                let [from, to] = [before, after].map(|time| seen(time).transform_point(centre + own));
                let velocity = state.velocity + state.spin.cross(arm);
                let change = if arm == DVec3::ZERO {
                    bounds.change
                } else {
                    relative.rates_about(mover, (start, end))
                };
                let slack = (after - before) * change + 1e-11 / (after - before);
                let found = (to - from) / (after - before);
                assert!(found.distance(velocity) <= slack, "seed {seed}: {found} {velocity} {slack}");
                if slack < 0.01 * velocity.length() {
                    (moved, spun) =
                        (moved + 1, spun + i32::from(arm != DVec3::ZERO && state.spin.length() > 0.1));
                }
            }
        }
    }
    assert!(moved > 3000 && spun > 1000, "{moved} {spun}");
}

#[test]
fn the_screw_is_within_its_deviation_of_the_motion() {
    let (mut finite, mut tight) = (0, 0);
    for seed in 0..cases(1000, 3000) {
        let random = &mut Random(seed);
        let (scene, [a, b]) = scene(random, 7);
        let relative = scene.relative([a, b]);
        let (start, end) = part_of_smooth_interval(random, &relative);
        let middle = 0.5 * (start + end);
        let (piece, deviation) = relative.screw(start, end);
        assert!(deviation >= 0.0, "seed {seed}: {deviation}");
        if deviation.is_infinite() {
            continue;
        }
        finite += 1;
        // If one body is a ball, only the path of its centre counts, in any axes.
        let ball = relative.balls.iter().any(|ball| ball.radius == 0.0);
        let mut errors = [0.0_f64; 2];
        for i in 0..=SAMPLES {
            let time = start + (end - start) * f64::from(i) / f64::from(SAMPLES);
            let (truth, screw) = (relative.pose_at(time, middle), piece.pose_at(time));
            if ball {
                let [from_a, from_b] = [truth.inverse(), screw.inverse()].map(|pose| pose.position());
                let (at_a, at_b) = (truth.position(), screw.position());
                let difference = if relative.balls[0].radius == 0.0 { at_a - at_b } else { from_a - from_b };
                errors = errors.map(|error| error.max(difference.length()));
                continue;
            }
            for p in points(&scene, a) {
                errors[0] = errors[0].max(truth.transform_point(p).distance(screw.transform_point(p)));
            }
            let (back, screw) = (truth.inverse(), screw.inverse());
            for p in points(&scene, b) {
                errors[1] = errors[1].max(back.transform_point(p).distance(screw.transform_point(p)));
            }
        }
        let error = errors[0].min(errors[1]);
        assert!(error <= deviation + 1e-12, "seed {seed}: {errors:?} and {deviation} over {}", end - start);
        tight += u32::from(error > 0.6 * deviation && deviation > 1e-9);
    }
    // The deviation is often tight enough that a slightly smaller bound would fail.
    assert!(finite > 350 && tight > 18, "{finite} finite, {tight} tight");
}

#[test]
fn no_point_exceeds_its_bounds_of_speed_and_acceleration() {
    let (mut fast, mut sharp, mut changing, mut jerking, mut spinning) = (0, 0, 0, 0, 0);
    for seed in 0..4000 {
        let random = &mut Random(seed);
        let (scene, [a, b]) = scene(random, 7);
        let relative = scene.relative([a, b]);
        let (start, end) = part_of_smooth_interval(random, &relative);
        let middle = 0.5 * (start + end);
        let rates = relative.rates(start, end);
        let step = (end - start) / f64::from(SAMPLES);
        let poses: Vec<Pose> =
            (0..=SAMPLES).map(|i| relative.pose_at(start + step * f64::from(i), middle)).collect();
        let speeds = relative.speeds(&relative.balls, start, end);
        assert_eq!(relative.speed(start, end), speeds[0].min(speeds[1]), "seed {seed}");
        for (i, body) in [a, b].into_iter().enumerate() {
            let seen = |pose: &Pose| if i == 0 { *pose } else { pose.inverse() };
            for point in points(&scene, body) {
                // The speed of all points, and of this point alone.
                let mut alone = relative.balls;
                alone[i] = MovingBall { centre: point, radius: 0.0 };
                let alone = relative.speeds(&alone, start, end)[i];
                let path: Vec<DVec3> = poses.iter().map(|pose| seen(pose).transform_point(point)).collect();
                let slack = 1e-13 * path[0].length().max(1.0);
                for pair in path.windows(2) {
                    let moved = pair[0].distance(pair[1]);
                    let most = rates[i].speed * step;
                    assert!(moved <= most * (1.0 + 1e-12) + slack, "seed {seed}: {moved} and {most}");
                    fast += u32::from(moved > 0.8 * most && most > 1e-6);
                    for most in [speeds[i] * step, alone * step] {
                        assert!(moved <= most * (1.0 + 1e-12) + slack, "seed {seed}: {moved} and {most}");
                        sharp += u32::from(moved > 0.95 * most && most > 1e-6);
                    }
                }
                for four in path.windows(4) {
                    let jerk = (four[3] - 3.0 * four[2] + 3.0 * four[1] - four[0]).length();
                    let most = rates[i].jerk * step * step * step;
                    assert!(jerk <= most * (1.0 + 1e-12) + 8.0 * slack, "seed {seed}: {jerk} and {most}");
                    jerking += u32::from(jerk > 0.6 * most && most > 1e-6);
                }
                for three in path.windows(3) {
                    let bent = (three[0] - 2.0 * three[1] + three[2]).length();
                    let most = rates[i].change * step * step;
                    assert!(bent <= most * (1.0 + 1e-12) + 4.0 * slack, "seed {seed}: {bent} and {most}");
                    changing += u32::from(bent > 0.8 * most && most > 1e-6);
                }
            }
        }
        for pair in poses.windows(2) {
            let rotation = 2.0 * (pair[1].rotation() * pair[0].rotation().conjugate()).xyz().length().asin();
            let most = relative.spin(start, end) * step;
            assert!(rotation <= most + 1e-7 || most > 1.0, "seed {seed}: {rotation} and {most}");
            spinning += u32::from(rotation > 0.8 * most && most > 1e-3);
        }
    }
    let counts = [fast, sharp, changing, jerking, spinning];
    assert!(counts.iter().all(|count| *count > 1000), "{counts:?}");
}

#[test]
fn a_body_that_slides_outward_on_a_turntable_is_bounded_by_its_end() {
    let body = |shape, motion, parent| SceneBody { parent, ..SceneBody::new("body", shape, motion) };
    let ball = CollisionShape::primitive(Primitive::Sphere { radius: 0.5 }).unwrap();
    let turntable =
        BodyMotion::Twist { start: Pose::IDENTITY, linear: DVec3::X * 1e-3, angular: DVec3::Z * 6.0 };
    let position = Curve::Linear(vec![(0.0, DVec3::ZERO), (1.0, 10.0 * DVec3::X)]);
    let slide = BodyMotion::Curves { position, rotation: Curve::constant(DQuat::IDENTITY) };
    let bodies = vec![
        body(None, turntable, None),
        body(Some(ball.clone()), slide, Some(0)),
        body(Some(ball), BodyMotion::Still(Pose::IDENTITY), None),
    ];
    let scene = Scene::new(SceneDefinition::new(1.0, bodies)).unwrap();
    for (i, pair) in [[1, 2], [2, 1]].into_iter().enumerate() {
        let relative = scene.relative(pair);
        // At the end it is 10 from the middle: speeds of 60 along the rim and 10 outward, accelerations of 2 * 6 *
        // 10 and 36 * 10.
        let rates = relative.rates(0.0, 1.0)[i];
        assert!(rates.speed > 60.0_f64.hypot(10.0) - 0.1, "{rates:?}");
        assert!(rates.change > 360.0_f64.hypot(120.0) - 0.1, "{rates:?}");
    }
}

#[test]
fn smooth_intervals_follow_the_motion() {
    let mut exact = 0;
    for seed in 0..2000 {
        let random = &mut Random(seed);
        let (scene, [a, b]) = scene(random, 2);
        let relative = scene.relative([a, b]);
        let mut last = 0.0;
        for interval in relative.smooth_intervals() {
            let TimeInterval { start, end } = interval.interval();
            assert_eq!(start, last, "seed {seed}");
            last = end;
            let MotionInterval::Exact(piece) = interval else { continue };
            exact += 1;
            for i in 0..=SAMPLES {
                let time = start + (end - start) * f64::from(i) / f64::from(SAMPLES);
                let [truth, screw] = [relative.pose_at(time, 0.5 * (start + end)), piece.pose_at(time)];
                for p in points(&scene, a) {
                    let error = truth.transform_point(p).distance(screw.transform_point(p));
                    assert!(error < 1e-12, "seed {seed}: error {error} at {time}");
                }
            }
        }
        assert_eq!(last, scene.duration(), "seed {seed}");
    }
    assert!(exact > 200, "{exact}");
}

/// The parts of a gantry: bodies that only slide, in any order, give a relative motion of exactly one screw,
/// which agrees with the poses.
#[test]
fn a_motion_without_rotation_is_one_screw() {
    let definition = |bodies| SceneDefinition::new(2.0, bodies);
    for seed in 0..200 {
        let random = &mut Random(seed);
        let slide = |random: &mut Random, parent: Option<usize>| {
            let shape = Some(shape(random));
            let motion = BodyMotion::Screw(Screw::translation(pose(random), random.vector(2.0)));
            SceneBody { parent, ..SceneBody::new("axis", shape, motion) }
        };
        let bodies = vec![
            slide(random, None),
            slide(random, Some(0)),
            slide(random, Some(1)),
            slide(random, None),
            slide(random, Some(3)),
        ];
        let scene = Scene::new(definition(bodies)).unwrap();
        let relative = scene.relative([2, 4]);
        let [MotionInterval::Exact(piece)] = relative.smooth_intervals().collect::<Vec<_>>()[..] else {
            panic!("seed {seed}: no screw")
        };
        assert_eq!(piece.screw.angle(), 0.0);
        for time in [0.0, 0.3, 1.1, 2.0] {
            let (computed, truth) = (piece.pose_at(time), relative.pose_at(time, 1.0));
            let error = computed.position().distance(truth.position());
            assert!(error <= relative.rounding(time, 1.0), "seed {seed}, {time} s: {error:e}");
        }
        // If one body rotates, by however little, the motion is not one screw.
        let turning = Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::X, 0.5, 1e-3).unwrap();
        let mut bodies = scene.bodies().to_vec();
        bodies[1].motion = BodyMotion::Screw(turning);
        let scene = Scene::new(definition(bodies)).unwrap();
        let relative = scene.relative([2, 4]);
        assert!(matches!(relative.smooth_intervals().next(), Some(MotionInterval::General { .. })));
    }
}
