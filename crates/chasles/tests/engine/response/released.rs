//! Bodies that are keyframed until their first contact: its time, their velocities there, and the result.

use crate::response::setup::{Restless, Setup, block, finished, finished_past, sphere};
use chasles::glam::{DMat3, DQuat, DVec3};
use chasles::{
    BodyMotion, CubicKey, Curve, Dynamics, Friction, JointKind, Pose, Primitive, Release, Released, Screw,
    SimulatedJoint, Simulation, SimulationDefinition, SimulationMethod, SimulationState,
};

const WALL: DVec3 = DVec3::new(0.2, 4.0, 4.0);

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(DVec3::new(x, y, z)).unwrap()
}

fn twist(start: Pose, linear: DVec3, angular: DVec3) -> BodyMotion {
    BodyMotion::Twist { start, linear, angular }
}

impl Setup {
    /// A body with a given motion until its first contact.
    fn waiting(&mut self, name: &str, primitive: Primitive, motion: BodyMotion, dynamics: Dynamics) -> usize {
        let own = self.body(name, primitive, Pose::IDENTITY, Some(dynamics));
        self.bodies[own].motion = motion;
        self.own[own].release = Release::Contact;
        own
    }

    /// A ball of 0.1 m and 1 kg that flies along x until its first contact.
    fn ball(&mut self, x: f64, speed: f64) -> usize {
        let motion = twist(at(x, 0.0, 0.0), speed * DVec3::X, DVec3::ZERO);
        self.waiting("ball", Primitive::Sphere { radius: 0.1 }, motion, sphere(1.0, 0.1))
    }

    /// A wall with its face at the given x.
    fn wall(&mut self, x: f64) -> usize {
        self.body("wall", Primitive::Box { size: WALL }, at(x + 0.1, 0.0, 0.0), None)
    }
}

/// The release of a body, which is recorded at its own time.
#[track_caller]
fn release(moments: &[SimulationState], body: usize) -> (f64, &SimulationState) {
    let first = moments.iter().find(|moment| moment.released.iter().any(|own| own.body == body));
    let first = first.expect("it was never released");
    let time = first.released.iter().find(|own| own.body == body).unwrap().time;
    assert_eq!(time, first.time, "the moment of the release is not told");
    (time, first)
}

/// Bodies are exactly at the poses of their motions before a time.
#[track_caller]
fn follows(definition: &SimulationDefinition, moments: &[SimulationState], bodies: &[usize], until: f64) {
    let told: Vec<usize> =
        (0..definition.bodies.len()).filter(|body| definition.bodies[*body].dynamics.is_some()).collect();
    let mut count = 0;
    for moment in moments.iter().take_while(|moment| moment.time < until) {
        for body in bodies {
            let number = told.iter().position(|own| own == body).unwrap();
            let wanted = definition.scene.pose_at(*body, moment.time);
            let own = &moment.poses[number];
            assert!(
                own.position().distance(wanted.position()) < 1e-15
                    && own.rotation().dot(wanted.rotation()).abs() > 1.0 - 1e-15,
                "{own:?} for {wanted:?} at {}",
                moment.time
            );
            count += 1;
        }
    }
    assert!(count > 3, "{count}");
}

/// The first time at which a continuous function is not above 0; it is above 0 at time 0.
fn first_zero(f: impl Fn(f64) -> f64, step: f64) -> f64 {
    let mut low = 0.0;
    while f(low + step) > 0.0 {
        low += step;
    }
    let mut high = low + step;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    high
}

#[test]
fn a_body_is_released_where_its_motion_first_touches_with_the_velocities_of_its_motion() {
    // A rod that sinks and rotates: a corner touches first. Its centre of mass differs from its origin.
    let (half, sinks, turns) = (DVec3::new(0.5, 0.1, 0.05), 0.7, 3.0);
    let center = DVec3::new(0.2, 0.03, 0.01);
    for elasticity in [0.0, 0.8] {
        let mut setup = Setup::new(1.0, 9.81);
        setup.floor();
        let motion = twist(at(0.0, 0.0, 0.9), -sinks * DVec3::Z, turns * DVec3::Y);
        let rod = Primitive::Box { size: 2.0 * half };
        let body = setup.waiting("rod", rod, motion, Dynamics { center, ..block(2.0, 2.0 * half) });
        setup.own[body].elasticity = elasticity;
        let definition = setup.definition();
        let mut simulation = Simulation::new(definition.clone(), true).unwrap();
        let moments = finished(&mut simulation);
        let lowest = |t: f64| {
            let (sin, cos) = (turns * t).sin_cos();
            0.9 - sinks * t - half.x * sin.abs() - half.z * cos.abs()
        };
        let wanted = first_zero(lowest, 1e-3);
        let (time, moment) = release(&moments, body);
        assert!((time - wanted).abs() < 1e-8, "{time} for {wanted}");
        assert_eq!(simulation.released(), [Released { body, time }]);
        follows(&definition, &moments, &[body], time);
        let turn = DQuat::from_rotation_y(turns * time);
        let linear = -sinks * DVec3::Z + (turns * DVec3::Y).cross(turn * center);
        let [own, angular] = moment.velocities[0];
        if elasticity == 0.0 {
            // The impulse follows in the next step.
            assert!(own.distance(linear) < 1e-12, "{own} for {linear}");
            assert!(angular.distance(turns * DVec3::Y) < 1e-12, "{angular}");
        } else {
            let contact = moment.contacts.last().expect("no impulse at the release");
            assert_eq!((contact.time, contact.bodies), (time, [0, body]));
            assert!((2.0 * (own - linear)).distance(contact.impulse) < 1e-9, "{own} after {linear}");
        }
        assert!(simulation.summary().deepest.is_some_and(|deepest| deepest <= 1e-4));
        // After that it falls, and leaves its motion.
        let last = &moments[moments.len() - 1];
        assert!(last.poses[0].position().distance(definition.scene.pose_at(body, 1.0).position()) > 0.02);
    }
}

#[test]
fn no_wall_is_passed_at_large_steps() {
    // A step is up to fifty thousand times as long as the time to cross the wall.
    let (ball, size) = (Primitive::Sphere { radius: 0.01 }, DVec3::splat(0.02));
    let cube = Primitive::Box { size };
    let (own, reaches) = (sphere(1.0, 0.01), [0.01, 0.01]);
    let cases = [
        (ball, own, reaches, (1e-3, 1000.0, 0.05)),
        (ball, own, reaches, (1e-4, 10.0, 1.0)),
        (cube, block(1.0, size), [0.01, 0.01 * 3.0_f64.sqrt()], (1e-3, 37.0, 0.02)),
    ];
    for (shape, dynamics, reaches, (thick, speed, step)) in cases {
        for turning in [DVec3::ZERO, DVec3::new(3.0, -20.0, 11.0)] {
            for method in [SimulationMethod::Both, SimulationMethod::Spring] {
                let mut setup = Setup::new(1.0, 0.0);
                setup.settings.method = method;
                let size = DVec3::new(thick, 2.0, 2.0);
                setup.body("wall", Primitive::Box { size }, at(5.0, 0.0, 0.0), None);
                let motion = twist(at(0.0, 0.0, 0.0), speed * DVec3::X, turning);
                let body = setup.waiting("thrown", shape, motion, dynamics);
                setup.own[body].elasticity = 0.5;
                let mut definition = setup.definition();
                (definition.settings.step, definition.settings.record) = (step, step);
                let moments = finished(&mut Simulation::new(definition, true).unwrap());
                let (time, _) = release(&moments, body);
                let [last, first] = reaches.map(|reach| (5.0 - 0.5 * thick - reach) / speed);
                // Springs start at half the depth.
                let early = if method == SimulationMethod::Spring { 5e-5 / speed } else { 0.0 };
                assert!(
                    time <= last + 1e-10 && time > first - early - 1e-8 / speed,
                    "{time}, at {speed} m/s"
                );
                for moment in &moments {
                    let x = moment.poses[0].position().x;
                    assert!(x < 5.0 - 0.5 * thick, "{x} at {}, {speed} m/s", moment.time);
                }
                assert!(moments.last().unwrap().velocities[0][0].x < 0.0);
            }
        }
    }
}

#[test]
fn momentum_and_energy_stay_after_the_release() {
    for method in [SimulationMethod::Both, SimulationMethod::Spring] {
        let mut setup = Setup::new(1.0, 0.0);
        setup.settings.method = method;
        let ball = setup.ball(-1.0, 4.0);
        let free = Primitive::Sphere { radius: 0.1 };
        setup.body("free", free, at(0.5, 0.0, 0.0), Some(sphere(3.0, 0.1)));
        let moments = setup.run().0;
        let (time, _) = release(&moments, ball);
        assert!((time - 1.3 / 4.0).abs() < 2e-5, "{time}");
        let mass = [1.0, 3.0];
        let momentum =
            |moment: &SimulationState| (0..2).map(|i| mass[i] * moment.velocities[i][0]).sum::<DVec3>();
        for moment in &moments {
            assert!(momentum(moment).distance(4.0 * DVec3::X) < 1e-9, "{moment:?}");
        }
        let last = &moments[moments.len() - 1];
        // An elastic collision on a line.
        let wanted = [-2.0, 2.0];
        for (i, wanted) in wanted.into_iter().enumerate() {
            let speed = last.velocities[i][0].x;
            assert!((speed - wanted).abs() < 1e-3, "{speed} for {wanted}, {method:?}");
        }
        // The energy includes the waiting body: it does not jump.
        assert!((moments[0].energy.kinetic - 8.0).abs() < 1e-12);
        assert!((last.energy.kinetic + last.energy.dissipated - 8.0).abs() < 1e-2, "{last:?}");
    }
}

#[test]
fn two_bodies_that_wait_release_each_other() {
    let mut setup = Setup::new(1.0, 0.0);
    let one = setup.ball(-1.0, 2.0);
    let other = setup.ball(1.0, -1.0);
    setup.bodies[other].name = "other".into();
    let bystander = setup.ball(-3.0, 0.5);
    setup.bodies[bystander].name = "bystander".into();
    let (moments, simulation) = setup.run();
    let (time, moment) = release(&moments, one);
    assert_eq!((time, moment.released.len()), (release(&moments, other).0, 2));
    assert!((time - 1.8 / 3.0).abs() < 1e-8, "{time}");
    let speeds: Vec<f64> = moments.last().unwrap().velocities.iter().map(|own| own[0].x).collect();
    assert!((speeds[0] + 1.0).abs() < 1e-9 && (speeds[1] - 2.0).abs() < 1e-9, "{speeds:?}");
    // No body comes near the third.
    assert_eq!(simulation.released().len(), 2);
    assert_eq!(speeds[2], 0.5);
}

#[test]
fn a_body_that_is_set_down_gently_is_released_where_it_stands() {
    // Along a cubic curve that ends on the floor, with zero speed.
    let mut setup = Setup::new(1.5, 9.81);
    setup.floor();
    let key = |time: f64, z: f64| CubicKey {
        time,
        in_tangent: DVec3::ZERO,
        value: z * DVec3::Z,
        out_tangent: DVec3::ZERO,
    };
    let position = Curve::Cubic(vec![key(0.0, 1.0), key(1.0, 0.1)]);
    let rotation = Curve::Linear(vec![
        (0.0, DQuat::IDENTITY),
        (1.0, DQuat::from_rotation_x(1.5)),
        (2.0, DQuat::IDENTITY),
    ]);
    let motion = BodyMotion::Curves { position, rotation };
    let ball = setup.waiting("ball", Primitive::Sphere { radius: 0.1 }, motion, sphere(1.0, 0.1));
    let definition = setup.definition();
    let moments = whole(definition.clone());
    let (time, _) = release(&moments, ball);
    // The gap is 2.7 s^2, with s the remaining time.
    assert!(time <= 1.0 && time > 1.0 - (4.1e-9 / 2.7_f64).sqrt(), "{time}");
    follows(&definition, &moments, &[ball], time);
    let last = &moments[moments.len() - 1];
    assert!(
        (last.poses[0].position().z - 0.1).abs() < 1e-4 && last.velocities[0][0].length() < 1e-2,
        "{last:?}"
    );
}

#[test]
fn what_stands_and_waits_stays_so_beside_others_that_do() {
    // Balls in a row, a millionth of a metre apart: the first is hit, and pushes the next.
    let mut setup = Setup::new(1.0, 0.0);
    let radius = 0.1;
    let shooter = setup.ball(-1.0, 3.0);
    for i in 0..3 {
        let still = BodyMotion::Still(at(f64::from(i) * (2.0 * radius + 1e-6), 0.0, 0.0));
        let own = setup.waiting("ball", Primitive::Sphere { radius }, still, sphere(1.0, radius));
        setup.bodies[own].name = format!("ball {i}");
    }
    let moments = whole(setup.definition());
    let times: Vec<f64> = (0..4).map(|body| release(&moments, body).0).collect();
    assert!((times[shooter] - 0.8 / 3.0).abs() < 1e-8, "{times:?}");
    for (i, wanted) in [(1, 0.8 / 3.0), (2, 0.800_001 / 3.0), (3, 0.800_002 / 3.0)] {
        assert!((times[i] - wanted).abs() < 1e-8, "{times:?}");
    }
    let last = &moments[moments.len() - 1];
    // The last ball takes all of the momentum.
    for (body, wanted) in [0.0, 0.0, 0.0, 3.0].into_iter().enumerate() {
        assert!((last.velocities[body][0].x - wanted).abs() < 1e-6, "{last:?}");
    }
}

/// A floor, and a ball that floats until a body touches it.
fn hanging(motion: BodyMotion, speed: f64) -> (Setup, usize) {
    let mut setup = Setup::new(0.9, 9.81);
    setup.floor();
    let ball = Primitive::Sphere { radius: 0.1 };
    let hanging = setup.waiting("hanging", ball, motion, sphere(1.0, 0.1));
    let dart = Dynamics { linear: speed * DVec3::X, ..sphere(0.1, 0.05) };
    setup.body("dart", Primitive::Sphere { radius: 0.05 }, at(-2.0, 0.0, 3.0), Some(dart));
    (setup, hanging)
}

#[test]
fn a_body_without_a_motion_stands_in_the_air_until_it_is_hit() {
    // They meet where the dart falls to: it falls by g t^2 / 2 meanwhile.
    let (speed, gravity) = (8.0, 9.81);
    let (mut setup, ball) = hanging(BodyMotion::Still(at(0.0, 0.0, 2.7)), speed);
    setup.own[ball].elasticity = 0.3;
    let definition = setup.definition();
    let moments = finished(&mut Simulation::new(definition.clone(), true).unwrap());
    let (time, _) = release(&moments, ball);
    let apart = |t: f64| {
        let dart = DVec3::new(-2.0 + speed * t, 0.0, 3.0 - 0.5 * gravity * t * t);
        dart.distance(DVec3::new(0.0, 0.0, 2.7)) - 0.15
    };
    let wanted = first_zero(apart, 1e-3);
    // The error of the integrator.
    assert!((time - wanted).abs() < 1e-4, "{time} for {wanted}");
    follows(&definition, &moments, &[ball], time);
    let last = &moments[moments.len() - 1];
    assert!(last.velocities[0][0].z < -4.0 && last.velocities[0][0].x > 0.1, "{last:?}");
}

#[test]
fn bodies_that_touch_at_time_0_are_dynamic_from_then_on() {
    for gap in [0.0, 1e-7] {
        let mut setup = Setup::new(0.2, 9.81);
        setup.floor();
        let size = DVec3::splat(0.2);
        let motion = twist(at(0.0, 0.0, 0.1 + gap), 0.5 * DVec3::X, DVec3::ZERO);
        let own = setup.waiting("box", Primitive::Box { size }, motion, block(1.0, size));
        setup.own[own].elasticity = 0.0;
        setup.own[own].friction = Friction::Coefficient(0.5);
        let moments = setup.run().0;
        let last = &moments[moments.len() - 1];
        if gap == 0.0 {
            assert_eq!(moments[0].released, [Released { body: own, time: 0.0 }]);
            // It slides to rest.
            assert!(last.velocities[0][0].length() < 1e-3, "{last:?}");
        } else {
            assert!(last.released.is_empty());
            assert!((last.poses[0].position().x - 0.1).abs() < 1e-15);
        }
    }
}

#[test]
fn only_contacts_that_count_release() {
    // It flies through a wall of its group, past an edge, and through a body that it is not tested against.
    let mut setup = Setup::new(1.0, 9.81);
    let ball = setup.ball(-1.0, 3.0);
    let wall = setup.wall(0.0);
    let size = DVec3::new(0.2, 1.0, 1.0);
    setup.body("edge", Primitive::Box { size }, at(-0.5, 0.0, 0.601), None);
    let free = sphere(1.0, 0.1);
    setup.body("free", Primitive::Sphere { radius: 0.1 }, at(-0.8, 3.0, 0.0), Some(free));
    for body in [ball, wall] {
        setup.bodies[body].group = Some("ghosts".into());
    }
    let definition = setup.definition();
    let moments = finished(&mut Simulation::new(definition.clone(), true).unwrap());
    assert!(moments.iter().all(|moment| moment.released.is_empty()));
    follows(&definition, &moments, &[ball], 2.0);
    // Other bodies bounce meanwhile without an effect on the ball.
    assert!(moments.last().unwrap().velocities[1][0].z < -9.0);
}

#[test]
fn a_keyframed_body_releases_the_bodies_that_it_hits() {
    let mut setup = Setup::new(1.0, 0.0);
    let size = DVec3::splat(0.2);
    let ram = setup.body("ram", Primitive::Box { size }, Pose::IDENTITY, None);
    setup.bodies[ram].motion =
        BodyMotion::Screw(Screw::translation(at(-1.0, 0.0, 0.0), DVec3::new(2.0, 0.0, 0.0)));
    let still = BodyMotion::Still(at(0.3, 0.0, 0.0));
    let own = setup.waiting("ball", Primitive::Sphere { radius: 0.1 }, still, sphere(1.0, 0.1));
    let moments = setup.run().0;
    let (time, _) = release(&moments, own);
    assert!((time - 1.1 / 2.0).abs() < 1e-8, "{time}");
    // Elastic, against an immovable body.
    assert!((moments.last().unwrap().velocities[0][0].x - 4.0).abs() < 1e-9);
}

/// A tumbling box is thrown along keyframes at static balls in a row, over a floor.
fn skittles() -> SimulationDefinition {
    let mut setup = Setup::new(0.8, 9.81);
    setup.floor();
    let size = DVec3::new(0.3, 0.2, 0.1);
    let turned = Pose::new(DVec3::new(0.2, 0.05, 0.5), DQuat::from_rotation_y(2.0)).unwrap();
    let keys = vec![(0.0, at(-1.5, 0.0, 0.8)), (0.2, at(-0.8, 0.1, 0.6)), (0.4, turned)];
    let thrown =
        setup.waiting("thrown", Primitive::Box { size }, BodyMotion::Keyframes(keys), block(2.0, size));
    let radius = 0.12;
    for i in 0..5 {
        let still = BodyMotion::Still(at(0.28 * f64::from(i), 0.02, 0.4));
        let own = setup.waiting("ball", Primitive::Sphere { radius }, still, sphere(0.3, radius));
        setup.bodies[own].name = format!("ball {i}");
    }
    for own in &mut setup.own {
        (own.elasticity, own.friction) = (0.4, Friction::Coefficient(0.3));
    }
    setup.own[thrown].elasticity = 0.6;
    setup.definition()
}

fn whole(definition: SimulationDefinition) -> Vec<SimulationState> {
    finished(&mut Simulation::new(definition, false).unwrap())
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let told = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| whole(skittles()))
    };
    let moments = told(1);
    assert!(moments.last().unwrap().released.len() >= 4, "{:?}", moments.last());
    assert_eq!(moments, told(3));
}

#[test]
fn a_simulation_resumes_before_and_after_a_release() {
    let moments = whole(skittles());
    let last = &moments[moments.len() - 1];
    let first = last.released[0].time;
    let mut before = 0;
    for from in moments.iter().step_by(14) {
        let rest = finished(&mut Simulation::resumed(skittles(), from, false).unwrap());
        let end = rest.last().unwrap_or(from);
        before += usize::from(from.time < first);
        assert_eq!((end.time, end.released.len()), (last.time, last.released.len()), "from {}", from.time);
        assert!(end.released.starts_with(&from.released));
        for (own, other) in end.released.iter().zip(&last.released) {
            assert_eq!(own.body, other.body);
            assert!((own.time - other.time).abs() < 1e-6, "{own:?} for {other:?} from {}", from.time);
        }
        // Until the first release a state contains everything that the solver uses.
        if from.time < first {
            let number = moments.iter().position(|moment| moment.time == from.time).unwrap();
            assert_eq!(rest, moments[number + 1..], "from {}", from.time);
        }
    }
    assert!(before > 0, "{before}");
}

#[test]
fn a_stop_in_between_does_not_matter() {
    let mut simulation = Simulation::new(skittles(), false).unwrap();
    let (moments, stops) = finished_past(&mut simulation, &Restless::new());
    assert!(stops > 10, "{stops}");
    assert_eq!(moments, whole(skittles()));
}

#[test]
fn bodies_that_joints_hold_together_are_released_together() {
    // Two halves that fly side by side and rotate about a hinge; one of them hits a post. The keyframes let them
    // drift apart: the joint holds from the release.
    let mut setup = Setup::new(1.0, 0.0);
    setup.body("post", Primitive::Sphere { radius: 0.1 }, at(1.0, 0.3, 0.0), None);
    let size = DVec3::new(0.1, 0.4, 0.1);
    let motion = |y: f64, drift: f64| twist(at(0.0, y, 0.0), DVec3::new(2.0, drift, 0.0), DVec3::ZERO);
    let left = setup.waiting("left", Primitive::Box { size }, motion(0.25, 0.0), block(1.0, size));
    let right = setup.waiting("right", Primitive::Box { size }, motion(-0.25, -0.05), block(1.0, size));
    let alone = setup.waiting("alone", Primitive::Box { size }, motion(-3.0, 0.0), block(1.0, size));
    let hinge = JointKind::Hinge { axis: DVec3::Z };
    setup.joints = vec![SimulatedJoint { bodies: [left, right], point: DVec3::ZERO, kind: hinge }];
    let definition = setup.definition();
    let moments = whole(definition.clone());
    let (time, moment) = release(&moments, left);
    assert!((time - 0.85 / 2.0).abs() < 1e-8, "{time}");
    let bodies: Vec<usize> = moment.released.iter().map(|own| own.body).collect();
    assert_eq!(bodies, [left, right]);
    assert!(moments.last().unwrap().released.iter().all(|own| own.body != alone));
    // The hinge's points on both bodies, as at the release.
    let points = |moment: &SimulationState, on_right: DVec3| {
        let on_left = moment.poses[0].transform_point(DVec3::new(0.0, -0.25, 0.0));
        on_left.distance(moment.poses[1].transform_point(on_right))
    };
    let on_right = DVec3::new(0.0, 0.25 + 0.05 * time, 0.0);
    let after: Vec<&SimulationState> = moments.iter().filter(|moment| moment.time >= time).collect();
    assert!(after.len() > 50);
    let worst = after.iter().map(|moment| points(moment, on_right)).fold(0.0, f64::max);
    assert!(worst < 1e-8, "{worst}");
    // The joint stops the drift of the velocities.
    let last = &moments[moments.len() - 1];
    assert!(last.velocities[0][1].z.abs() > 0.1, "{last:?}");
    // The hinge's points also coincide if the simulation resumes from the middle.
    let from = after[after.len() / 2];
    let rest = finished(&mut Simulation::resumed(definition, from, false).unwrap());
    let worst = rest.iter().map(|moment| points(moment, on_right)).fold(0.0, f64::max);
    assert!(worst < 1e-8, "{worst}");
    let off = rest.last().unwrap().poses[1].position().distance(last.poses[1].position());
    assert!(off < 1e-6, "{off}");
}

#[test]
fn what_hangs_on_a_body_that_waits_hangs_on_its_motion() {
    let mut setup = Setup::new(1.0, 9.81);
    let motion = twist(at(0.0, 0.0, 0.0), DVec3::X, DVec3::ZERO);
    let crane = setup.waiting("crane", Primitive::Sphere { radius: 0.1 }, motion, sphere(5.0, 0.1));
    let load = Dynamics { linear: DVec3::X, ..sphere(1.0, 0.1) };
    let load = setup.body("load", Primitive::Sphere { radius: 0.1 }, at(0.0, 0.0, -0.5), Some(load));
    setup.joints = vec![SimulatedJoint { bodies: [crane, load], point: DVec3::ZERO, kind: JointKind::Ball }];
    setup.wall(0.6);
    let moments = setup.run().0;
    let (time, _) = release(&moments, crane);
    assert!((time - 0.5).abs() < 1e-8, "{time}");
    for moment in &moments {
        // The load hangs straight below until the crane is stopped; then both fall.
        let [crane, load] = [0, 1].map(|body| moment.poses[body].position());
        assert!((crane.distance(load) - 0.5).abs() < 1e-8, "{moment:?}");
        if moment.time <= time {
            assert!(load.distance(crane - 0.5 * DVec3::Z) < 1e-9, "{moment:?}");
        }
    }
    assert!(moments.last().unwrap().velocities[0][0].z < -3.0);
}

#[test]
fn what_has_no_meaning_is_refused() {
    let refused = |change: &dyn Fn(&mut Setup, usize)| {
        let mut setup = Setup::new(1.0, 0.0);
        let ball = setup.ball(0.0, 1.0);
        setup.wall(0.5);
        change(&mut setup, ball);
        Simulation::new(setup.definition(), false).map(|_| ()).unwrap_err().to_string()
    };
    let told = |change: &dyn Fn(&mut Setup, usize), words: &[&str]| {
        let text = refused(change);
        assert!(words.iter().all(|words| text.contains(words)), "{text:?} does not say {words:?}");
    };
    told(
        &|s, ball| s.own[ball].release = Release::Start,
        &["motion of body \"ball\"", "before its first contact"],
    );
    told(&|s, ball| s.bodies[ball].parent = Some(ball + 1), &["parent of body \"ball\""]);
    let position = Curve::Step(vec![(0.0, DVec3::ZERO), (0.5, DVec3::Y)]);
    let rotation = Curve::constant(DQuat::IDENTITY);
    let jumps = BodyMotion::Curves { position, rotation };
    told(&|s, ball| s.bodies[ball].motion = jumps.clone(), &["motion of body \"ball\"", "jumps"]);
    let nothing = DMat3::ZERO;
    told(&|s, ball| s.own[ball].dynamics.as_mut().unwrap().inertia = nothing, &["inertia of body \"ball\""]);

    let definition = || {
        let mut setup = Setup::new(1.0, 0.0);
        let ball = setup.ball(0.0, 1.0);
        setup.body("free", Primitive::Sphere { radius: 0.1 }, at(0.0, 1.0, 0.0), Some(sphere(1.0, 0.1)));
        assert_eq!(ball, 0);
        setup.definition()
    };
    let moment = whole(definition()).swap_remove(10);
    for (released, words) in [
        (vec![Released { body: 1, time: 0.0 }], "released body of the moment"),
        (vec![Released { body: 7, time: 0.0 }], "released body of the moment"),
        (vec![Released { body: 0, time: 0.0 }; 2], "released body of the moment"),
        (vec![Released { body: 0, time: 0.2 }], "release of body \"ball\""),
        (vec![Released { body: 0, time: f64::NAN }], "release of body \"ball\""),
    ] {
        let from = SimulationState { released, ..moment.clone() };
        let text = Simulation::resumed(definition(), &from, false).map(|_| ()).unwrap_err().to_string();
        assert!(text.contains(words), "{text:?} does not say {words:?}");
    }
}
