//! Simulations of joints, slopes and many bodies: what holds, what slides, and what an early end changes.

use crate::response::setup::{AtOnce, Setup, block, finished, sphere, until_ended};
use chasles::glam::{DQuat, DVec3};
use chasles::{
    BodyMotion, Friction, JointKind, Pose, Primitive, SimulatedJoint, Simulation, SimulationSettings,
    SimulationState,
};
use chasles_testing::cases;

const GRAVITY: f64 = 9.81;

fn at(position: DVec3) -> Pose {
    Pose::from_position(position).unwrap()
}

#[test]
fn a_box_on_a_slope_slides_or_rests_by_its_friction() {
    let angle = 0.5_f64;
    for friction in [0.0, 0.3, 0.9] {
        let mut setup = Setup::new(0.5, GRAVITY);
        let turn = DQuat::from_rotation_y(angle);
        let slope = DVec3::new(20.0, 20.0, 1.0);
        let down = turn * DVec3::X;
        let pose = |height: f64| Pose::new(turn * (height * DVec3::Z), turn).unwrap();
        setup.body("slope", Primitive::Box { size: slope }, pose(-0.5), None);
        let size = DVec3::new(0.4, 0.3, 0.1);
        let own = setup.body("box", Primitive::Box { size }, pose(0.05), Some(block(2.0, size)));
        setup.own[own].elasticity = 0.0;
        setup.own[own].friction = Friction::Coefficient(friction);
        let (moments, _) = setup.run();
        let last = &moments[moments.len() - 1];
        let wanted = (GRAVITY * (angle.sin() - friction * angle.cos())).max(0.0) * 0.5;
        let speed = last.velocities[0][0].dot(down);
        assert!(
            (speed - wanted).abs() < 2e-3 * wanted.max(0.01),
            "{speed} for {wanted}, friction {friction}"
        );
        let taken = last.energy.dissipated;
        let way = last.poses[0].position().dot(down);
        let rubbed = if wanted > 0.0 { friction * 2.0 * GRAVITY * angle.cos() * way } else { 0.0 };
        assert!((taken - rubbed).abs() < 5e-3 * rubbed.max(0.1), "{taken} J taken, {rubbed} rubbed");
    }
}

/// A body that hangs on a post by a joint of a given kind with axis x, and is thrown.
fn hung(kind: JointKind) -> Vec<SimulationState> {
    let mut setup = Setup::new(0.5, GRAVITY);
    let size = DVec3::new(0.1, 0.15, 0.2);
    let post = setup.body("post", Primitive::Sphere { radius: 0.01 }, Pose::IDENTITY, None);
    let mut dynamics = block(1.0, size);
    (dynamics.linear, dynamics.angular) = (DVec3::new(0.3, 0.5, -0.2), DVec3::new(1.0, -2.0, 3.0));
    let own = setup.body("body", Primitive::Box { size }, at(0.4 * DVec3::Y), Some(dynamics));
    setup.joints = vec![SimulatedJoint { bodies: [post, own], point: DVec3::ZERO, kind }];
    setup.run().0
}

#[test]
fn joints_hold_their_constraints_and_leave_motion() {
    let axis = DVec3::X;
    let kinds = [
        JointKind::Ball,
        JointKind::Hinge { axis },
        JointKind::Slide { axis },
        JointKind::Piston { axis },
        JointKind::Plane { axis },
        JointKind::Fixed,
    ];
    for kind in kinds {
        let moments = hung(kind);
        // Velocities fit the joint from the first step: the initial impulse of the fit is not counted as the joint's
        // energy later.
        let energy = |moment: &SimulationState| moment.energy.kinetic + moment.energy.potential;
        let start = energy(&moments[1]);
        let mut moved = 0.0_f64;
        for moment in &moments[1..] {
            let pose = &moment.poses[0];
            // The joint's point on the body.
            let off = pose.transform_point(-0.4 * DVec3::Y);
            let turned = 2.0 * pose.rotation().w.abs().min(1.0).acos();
            let about = pose.rotation().xyz().reject_from(axis).length();
            let (point, turn) = match kind {
                JointKind::Ball => (off.length(), 0.0),
                JointKind::Hinge { .. } => (off.length(), about),
                JointKind::Slide { .. } => (off.reject_from(axis).length(), 0.0),
                JointKind::Piston { .. } => (off.reject_from(axis).length(), about),
                JointKind::Plane { .. } => (off.x.abs(), 0.0),
                JointKind::Fixed => (off.length(), pose.rotation().xyz().length()),
            };
            assert!(point < 1e-9 && turn < 1e-9, "{kind:?}: {point} {turn} at {}", moment.time);
            let drift = (energy(moment) - start).abs();
            assert!(drift < 5e-3, "{kind:?}: {drift} J at {}", moment.time);
            moved = moved.max(turned).max(pose.position().distance(0.4 * DVec3::Y));
        }
        assert_eq!(moved > 0.1, kind != JointKind::Fixed, "{kind:?} moved by {moved}");
    }
}

/// The maximum deviation of a double pendulum's energy from its start value, as a fraction of its energy above its
/// lowest position. It is released with its first rod horizontal and the second vertical, and tumbles repeatedly.
fn drift(seconds: f64, step: f64) -> f64 {
    let mut setup = Setup::new(seconds, GRAVITY);
    let (length, mass) = (0.4, [1.0, 0.7]);
    let post = setup.body("post", Primitive::Sphere { radius: 0.02 }, at(-0.1 * DVec3::Y), None);
    // Side by side, so that they pass.
    let sizes = [DVec3::new(length, 0.05, 0.05), DVec3::new(0.05, 0.05, length)];
    let places = [DVec3::new(0.5 * length, 0.0, 0.0), DVec3::new(length, 0.1, 0.5 * length)];
    let rods = [0, 1].map(|i| {
        let primitive = Primitive::Box { size: sizes[i] };
        setup.body(&format!("rod {i}"), primitive, at(places[i]), Some(block(mass[i], sizes[i])))
    });
    let kind = JointKind::Hinge { axis: DVec3::Y };
    let hinge = |bodies, point| SimulatedJoint { bodies, point, kind };
    setup.joints = vec![hinge([post, rods[0]], DVec3::ZERO), hinge(rods, length * DVec3::X)];
    setup.settings = SimulationSettings { step, record: 0.05, ..setup.settings };
    let definition = setup.definition();
    let mut simulation = Simulation::new(definition, false).unwrap();
    let moments = finished(&mut simulation);
    let energy = |moment: &SimulationState| moment.energy.kinetic + moment.energy.potential;
    let start = energy(&moments[0]);
    let lowest = -GRAVITY * (mass[0] * 0.5 * length + mass[1] * 1.5 * length);
    let strays = moments.iter().map(|moment| (energy(moment) - start).abs());
    for moment in &moments {
        let end = moment.poses[0].transform_point(-0.5 * length * DVec3::X);
        assert!(end.length() < 1e-9, "{end} at {}", moment.time);
    }
    let fastest = moments.iter().map(|moment| moment.velocities[1][1].y.abs()).fold(0.0, f64::max);
    assert!(fastest > 10.0, "{fastest} rad/s: it hardly moves");
    strays.fold(0.0, f64::max) / (start - lowest)
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let seconds = cases(20.0, 60.0);
    let told = drift(seconds, 1e-3);
    println!("{told:e} of the energy in {seconds} s at steps of 1e-3 s");
    assert!(told < 1e-3, "{told:e}");
    // Other steps, and the order of convergence: a quarter of the error at half the step.
    if std::env::var_os("CHASLES_LONG").is_some() {
        let told = [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4].map(|step| (step, drift(60.0, step)));
        println!("{told:?}");
        assert!(told.iter().all(|(step, share)| *share < 300.0 * step * step), "{told:?}");
    }
}

/// Five by five boxes, which fall on the floor and on each other's corners.
fn crowd() -> Setup {
    let mut setup = Setup::new(0.3, GRAVITY);
    setup.floor();
    let size = DVec3::new(0.2, 0.15, 0.1);
    for i in 0..25 {
        let place =
            DVec3::new(0.19 * f64::from(i % 5), 0.14 * f64::from(i / 5), 0.15 + 0.11 * f64::from(i % 3));
        let turn =
            DQuat::from_rotation_x(0.1 * f64::from(i % 4)) * DQuat::from_rotation_z(0.3 * f64::from(i));
        let lifted = place + 0.15 * f64::from(i % 2) * DVec3::Z;
        let pose = Pose::new(lifted * DVec3::new(1.6, 1.9, 1.0), turn).unwrap();
        let own = setup.body(&format!("box {i}"), Primitive::Box { size }, pose, Some(block(1.0, size)));
        setup.own[own].elasticity = 0.2;
        setup.own[own].friction = Friction::Coefficient(0.4);
    }
    setup
}

/// The common states of two runs: those at multiples of the time between records.
fn recorded(moments: &[SimulationState]) -> Vec<&SimulationState> {
    let is_recorded = |moment: &&SimulationState| {
        let number = moment.time / 1e-2;
        (number - number.round()).abs() < 1e-9
    };
    moments.iter().filter(is_recorded).collect()
}

#[test]
fn an_end_at_once_ends_a_try_and_goes_on_as_if_it_had_not_been() {
    let (moments, _) = crowd().run();
    for most in [0, 900, 9000] {
        let mut simulation = Simulation::new(crowd().definition(), true).unwrap();
        let watch = AtOnce::new(most);
        let mut told = until_ended(&mut simulation, &watch);
        // Each tested pair queries a few times more.
        let asked = watch.asked_after();
        assert!(asked < 500, "{asked} of {most}");
        told.extend(finished(&mut simulation));
        for (one, other) in recorded(&moments).into_iter().zip(recorded(&told)) {
            assert_eq!((&one.poses, &one.velocities), (&other.poses, &other.velocities), "{most}");
        }
        assert_eq!(recorded(&moments).len(), recorded(&told).len());
        assert!(simulation.summary().deepest.unwrap() <= 1e-4);
    }
}

#[test]
fn a_body_that_is_hit_within_the_first_step_is_no_bad_start() {
    let mut setup = Setup::new(0.02, 0.0);
    let size = DVec3::new(0.02, 1.0, 1.0);
    let paddle = setup.body("paddle", Primitive::Box { size }, Pose::IDENTITY, None);
    // A millimetre from the ball, at 100 metres a second.
    setup.bodies[paddle].motion =
        BodyMotion::Keyframes(vec![(0.0, Pose::IDENTITY), (0.02, at(2.0 * DVec3::X))]);
    setup.body("ball", Primitive::Sphere { radius: 0.05 }, at(0.061 * DVec3::X), Some(sphere(0.1, 0.05)));
    let (moments, simulation) = setup.run();
    let [linear, _] = moments[moments.len() - 1].velocities[0];
    assert!((linear - 200.0 * DVec3::X).length() < 1e-6, "{linear}");
    assert_eq!(simulation.summary().deepest, Some(0.0));
}

#[test]
fn boxes_that_turn_far_in_a_step_need_few_steps() {
    let mut setup = Setup::new(1.0, GRAVITY);
    setup.floor();
    let size = DVec3::splat(0.1);
    for i in 0..27 {
        let place = DVec3::new(f64::from(i % 3), f64::from(i / 3 % 3), 0.5 + f64::from(i / 9));
        let axis = DVec3::new(0.6, 0.48 * f64::from(i % 4 - 1), 0.64).normalize();
        let pose = Pose::new(0.19 * place, DQuat::from_axis_angle(axis, 0.7 * f64::from(i))).unwrap();
        let own = setup.body(&format!("box {i}"), Primitive::Box { size }, pose, Some(block(1.0, size)));
        setup.own[own].elasticity = 0.0;
        setup.own[own].friction = Friction::Coefficient(0.5);
    }
    let step = 1.0 / 60.0;
    setup.settings = SimulationSettings { step, record: step, depth: 1e-3, ..setup.settings };
    let definition = setup.definition();
    let mut simulation = Simulation::new(definition, true).unwrap();
    finished(&mut simulation);
    let summary = simulation.summary();
    // 78 without the contacts that a step reveals at its end.
    assert!(summary.steps <= 68, "{} steps", summary.steps);
    assert!(summary.deepest.is_some_and(|depth| depth <= 1e-3));
}
