//! Simulations with spring contacts only (paper 004, 3.1).

use crate::response::setup::{Setup, block, sphere};
use chasles::glam::{DQuat, DVec3};
use chasles::{
    BodyMotion, Friction, JointKind, Pose, Primitive, SimulatedJoint, Simulation, SimulationMethod,
    SimulationState, StepResult,
};

fn sprung(duration: f64, gravity: f64) -> Setup {
    let mut setup = Setup::new(duration, gravity);
    setup.settings.method = SimulationMethod::Spring;
    setup
}

fn at(position: DVec3) -> Pose {
    Pose::from_position(position).unwrap()
}

/// Energy never grows, and dissipation never decreases.
fn check_energy(moments: &[SimulationState]) {
    let most = moments.iter().map(|moment| moment.energy.kinetic).fold(0.0, f64::max);
    for pair in moments.windows(2) {
        let [first, second] = [&pair[0].energy, &pair[1].energy];
        assert!(second.dissipated >= first.dissipated, "{pair:?}");
    }
    let start = moments[0].energy.kinetic + moments[0].energy.potential;
    for moment in moments {
        let own = moment.energy.kinetic + moment.energy.potential + moment.energy.dissipated;
        assert!(own <= start + 5e-3 * most, "{own} of {start} at {}", moment.time);
    }
}

#[test]
fn the_speed_of_a_rebound_is_the_elasticity_times_that_of_the_impact() {
    for elasticity in [0.0, 0.3, 0.7, 1.0] {
        let mut setup = sprung(1.2, 9.81);
        setup.floor();
        let ball =
            setup.body("ball", Primitive::Sphere { radius: 0.1 }, at(1.1 * DVec3::Z), Some(sphere(0.5, 0.1)));
        setup.own[ball].elasticity = elasticity;
        let (moments, simulation) = setup.run();
        check_energy(&moments);
        let fall = (2.0 / 9.81_f64).sqrt();
        // In the middle of the flight after the first contact, or at rest.
        let time = fall * (1.0 + elasticity.max(0.1));
        let moment =
            moments.iter().min_by(|p, q| (p.time - time).abs().total_cmp(&(q.time - time).abs())).unwrap();
        let (z, v) = (moment.poses[0].position().z - 0.1, moment.velocities[0][0].z);
        let height = z + v * v / (2.0 * 9.81);
        assert!((height - elasticity * elasticity).abs() < 4e-3, "{height} for {elasticity}");
        assert!(simulation.summary().deepest.is_some_and(|depth| depth <= 1e-4));
        assert!(moments.len() < 200, "{} moments", moments.len());
    }
}

#[test]
fn a_box_that_touches_rests_where_it_is() {
    for elasticity in [0.0, 0.3, 0.9] {
        let mut setup = sprung(0.2, 9.81);
        setup.floor();
        let size = DVec3::new(0.4, 0.3, 0.2);
        let pose = Pose::new(DVec3::new(0.1, 0.2, 0.1), DQuat::from_rotation_z(0.3)).unwrap();
        let own = setup.body("box", Primitive::Box { size }, pose, Some(block(1.2, size)));
        setup.own[own].elasticity = elasticity;
        setup.own[own].friction = Friction::Coefficient(0.5);
        let (moments, _) = setup.run();
        check_energy(&moments);
        for moment in &moments {
            assert!(moment.poses[0].position().distance(pose.position()) < 1e-4, "{:?}", moment.poses[0]);
        }
        let late = moments.iter().filter(|moment| moment.time > 0.1 + 1e-9);
        let pushed: f64 = late.flat_map(|moment| &moment.contacts).map(|contact| contact.impulse.z).sum();
        assert!((pushed / (0.1 * 1.2 * 9.81) - 1.0).abs() < 2e-3, "{pushed} for {elasticity}");
    }
}

#[test]
fn a_tumbling_box_and_a_pendulum_bounce_without_making_energy() {
    let mut setup = sprung(0.6, 9.81);
    let floor = setup.floor();
    let size = DVec3::new(0.2, 0.3, 0.1);
    let pose = Pose::new(0.4 * DVec3::Z, DQuat::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), 0.7)).unwrap();
    let mut dynamics = block(1.0, size);
    (dynamics.linear, dynamics.angular) = (DVec3::new(0.5, 0.0, -1.0), DVec3::new(3.0, 1.0, 5.0));
    let own = setup.body("box", Primitive::Box { size }, pose, Some(dynamics));
    setup.own[own].elasticity = 0.6;
    setup.own[floor].friction = Friction::Coefficient(0.4);
    // A bob that swings against a wall.
    let pivot = DVec3::new(3.0, 0.0, 2.0);
    let bob =
        setup.body("bob", Primitive::Sphere { radius: 0.1 }, at(pivot + DVec3::X), Some(sphere(1.0, 0.1)));
    setup.own[bob].elasticity = 0.5;
    let post = setup.body("post", Primitive::Sphere { radius: 0.01 }, at(pivot), None);
    let wall = setup.body(
        "wall",
        Primitive::Box { size: DVec3::splat(1.0) },
        at(pivot - DVec3::new(0.6, 0.0, 1.0)),
        None,
    );
    setup.own[wall].friction = Friction::Coefficient(0.2);
    setup.joints = vec![SimulatedJoint { bodies: [post, bob], point: pivot, kind: JointKind::Ball }];
    let (moments, simulation) = setup.run();
    check_energy(&moments);
    for moment in &moments {
        assert!((moment.poses[1].position().distance(pivot) - 1.0).abs() < 1e-9);
    }
    let met = |a: usize, b: usize| moments.iter().flat_map(|m| &m.contacts).any(|c| c.bodies == [a, b]);
    assert!(met(floor, own) && met(bob, wall));
    assert!(simulation.summary().deepest.is_some_and(|depth| depth <= 1e-4));
}

#[test]
fn a_crushed_body_ends_the_simulation() {
    let mut setup = sprung(1.0, 0.0);
    setup.floor();
    let size = DVec3::new(1.0, 1.0, 0.1);
    let press = setup.body("press", Primitive::Box { size }, at(0.35 * DVec3::Z), None);
    setup.bodies[press].motion =
        BodyMotion::Keyframes(vec![(0.0, at(0.35 * DVec3::Z)), (0.1, at(0.2 * DVec3::Z))]);
    let egg =
        setup.body("egg", Primitive::Sphere { radius: 0.1 }, at(0.12 * DVec3::Z), Some(sphere(0.1, 0.1)));
    setup.own[egg].elasticity = 0.0;
    let mut simulation = Simulation::new(setup.definition(), true).unwrap();
    loop {
        match simulation.advance(&()).unwrap() {
            StepResult::Moments(_) => {}
            StepResult::Crushed { time, .. } | StepResult::Stuck { time, .. } => {
                assert!((time - 0.1 * 2.0 / 3.0).abs() < 1e-3, "{time}");
                break;
            }
            other => panic!("{other:?}"),
        }
    }
}
