//! Islands at rest fall asleep, and wake when another body reaches them: no measurable difference results.

use crate::response::setup::{Setup, block, finished, sphere};
use chasles::glam::{DQuat, DVec3};
use chasles::{
    BodyMotion, Friction, JointKind, MouseForce, Pose, Primitive, SimulatedJoint, Simulation,
    SimulationDefinition, SimulationMethod, SimulationState, StepResult,
};

const GRAVITY: f64 = 9.81;

fn at(position: DVec3) -> Pose {
    Pose::from_position(position).unwrap()
}

/// Continues until a time, or the first state after it.
fn until(simulation: &mut Simulation, time: f64) -> Vec<SimulationState> {
    let mut moments: Vec<SimulationState> = Vec::new();
    while moments.last().is_none_or(|last| last.time < time - 1e-9) {
        match simulation.advance(&()).unwrap() {
            StepResult::Moments(more) => moments.extend(more),
            other => panic!("{other:?} after {:?}", moments.last()),
        }
    }
    moments
}

const SIZE: DVec3 = DVec3::new(0.4, 0.3, 0.2);

/// A floor and boxes stacked on it, of 2 kg each, with the given friction and elasticity.
fn stack(count: u32, (duration, friction, elasticity): (f64, f64, f64)) -> Setup {
    let mut setup = Setup::new(duration, GRAVITY);
    setup.floor();
    for i in 0..count {
        let pose = at((0.1 + 0.2 * f64::from(i)) * DVec3::Z);
        setup.body(&format!("box {i}"), Primitive::Box { size: SIZE }, pose, Some(block(2.0, SIZE)));
    }
    for own in &mut setup.own {
        (own.elasticity, own.friction) = (elasticity, Friction::Coefficient(friction));
    }
    setup
}

#[test]
fn a_stack_sleeps_and_its_contacts_bear_its_weight_as_before() {
    let mut simulation = Simulation::new(stack(5, (3.0, 0.5, 0.0)).definition(), true).unwrap();
    let moments = until(&mut simulation, 1.0);
    assert_eq!(simulation.asleep(), [1, 2, 3, 4, 5]);
    let steps = simulation.summary().steps;
    let last = moments.last().unwrap();
    for moment in finished(&mut simulation) {
        assert_eq!(moment.poses, last.poses, "{}", moment.time);
        assert!(moment.velocities.iter().flatten().all(|velocity| *velocity == DVec3::ZERO));
        let energy =
            [&moment, last].map(|own| own.energy.kinetic + own.energy.potential + own.energy.dissipated);
        assert!((energy[0] - energy[1]).abs() < 1e-12, "{energy:?}");
        for number in 1..6 {
            let below = moment
                .contacts
                .iter()
                .filter(|own| own.bodies == [number - 1, number] || number == 1 && own.bodies == [0, 1]);
            let borne: DVec3 = below.map(|own| own.impulse).sum();
            let weight = (6 - number) as f64 * 2.0 * GRAVITY * 0.01;
            assert!(
                (borne - weight * DVec3::Z).length() < 2e-6 * weight,
                "{borne} of body {number}, {weight}"
            );
        }
    }
    // If no body moves, there is one step for each recorded state.
    assert!(simulation.summary().steps <= steps + 201, "{}", simulation.summary().steps);
    assert!(simulation.summary().deepest.unwrap() <= 1e-4);
}

/// Boxes, and a ball of 2 kg that hits the lowest after two seconds.
fn struck(count: u32, friction: f64, elasticity: f64) -> SimulationDefinition {
    let mut setup = stack(count, (2.5, friction, elasticity));
    // The ball's flight under gravity ends at the height of the box.
    let mut ball = sphere(2.0, 0.05);
    ball.linear = DVec3::new(4.0, 0.0, 0.5 * GRAVITY * 2.0);
    setup.body("ball", Primitive::Sphere { radius: 0.05 }, at(DVec3::new(-8.25, 0.0, 0.1)), Some(ball));
    let own = setup.own.last_mut().unwrap();
    (own.elasticity, own.friction) = (elasticity, Friction::Coefficient(friction));
    setup.definition()
}

#[test]
fn a_sleeping_body_is_hit_like_an_awake_body() {
    for (count, friction, elasticity) in [(1, 0.0, 1.0), (1, 0.3, 0.5), (3, 0.3, 0.0)] {
        let definition = struck(count, friction, elasticity);
        let mut sleeping = Simulation::new(definition.clone(), true).unwrap();
        let before = until(&mut sleeping, 1.9).pop().unwrap();
        assert_eq!(sleeping.asleep(), (1..=count as usize).collect::<Vec<_>>());
        // A resumed simulation is awake at first.
        let mut awake = Simulation::resumed(definition, &before, true).unwrap();
        until(&mut awake, 1.98);
        assert!(awake.asleep().is_empty());
        let [one, other] = [&mut sleeping, &mut awake].map(|own| finished(own).pop().unwrap());
        for body in 0..=count as usize {
            let [p, q] = [&one, &other].map(|own| own.velocities[body][0]);
            assert!((p - q).length() < 1e-3, "body {body} of {count}: {p} and {q}");
            let [p, q] = [&one, &other].map(|own| own.poses[body].position());
            assert!((p - q).length() < 1e-3, "body {body} of {count}: {p} and {q}");
        }
        // A frictionless and elastic impact transfers all of the momentum.
        let (velocity, way) = (one.velocities[0][0], one.poses[0].position().x);
        assert!(way > 0.05 && (friction > 0.0 || (velocity.x - 4.0).abs() < 1e-6), "{velocity}, {way} m");
        assert!([sleeping, awake].iter().all(|own| own.summary().deepest.unwrap() <= 1e-4));
    }
}

#[test]
fn a_box_that_slides_into_a_sleeping_box_pushes_it_along() {
    let mut setup = stack(1, (3.0, 0.0, 0.0));
    let mut other = block(2.0, SIZE);
    other.linear = 0.2 * DVec3::X;
    let from = DVec3::new(-0.4 - 0.2, 0.0, 0.1);
    let number = setup.body("other", Primitive::Box { size: SIZE }, at(from), Some(other));
    (setup.own[number].elasticity, setup.own[number].friction) = (0.0, Friction::Coefficient(0.0));
    let mut simulation = Simulation::new(setup.definition(), true).unwrap();
    until(&mut simulation, 0.9);
    assert_eq!(simulation.asleep(), [1]);
    let moments = finished(&mut simulation);
    let last = moments.last().unwrap();
    for velocity in &last.velocities {
        assert!((velocity[0] - 0.1 * DVec3::X).length() < 1e-6, "{velocity:?}");
    }
    // They met after a second, and continued at half of the speed.
    assert!((last.poses[0].position().x - 0.1 * 2.0).abs() < 1e-3, "{:?}", last.poses);
    assert!(simulation.asleep().is_empty());
    assert!(simulation.summary().deepest.unwrap() <= 1e-4);
}

#[test]
fn nothing_sleeps_on_what_will_move_and_what_comes_pushes_what_sleeps() {
    let mut setup = stack(1, (2.0, 0.0, 0.0));
    let keys =
        |from: DVec3, to: DVec3| BodyMotion::Keyframes(vec![(0.0, at(from)), (1.0, at(from)), (2.0, at(to))]);
    // A pusher and a table that are static for a second.
    let pusher = setup.body("pusher", Primitive::Box { size: SIZE }, at(DVec3::ZERO), None);
    setup.bodies[pusher].motion = keys(DVec3::new(-0.5, 0.0, 0.11), DVec3::new(0.0, 0.0, 0.11));
    let table = setup.body("table", Primitive::Box { size: SIZE }, at(DVec3::ZERO), None);
    setup.bodies[table].motion = keys(DVec3::new(0.0, 2.0, 0.11), DVec3::new(0.0, 2.0, 0.61));
    let size = DVec3::splat(0.1);
    let cup =
        setup.body("cup", Primitive::Box { size }, at(DVec3::new(0.0, 2.0, 0.26)), Some(block(1.0, size)));
    for own in &mut setup.own {
        (own.elasticity, own.friction) = (0.0, Friction::Coefficient(0.0));
    }
    let mut simulation = Simulation::new(setup.definition(), true).unwrap();
    until(&mut simulation, 0.9);
    assert_eq!(simulation.asleep(), [1]);
    let moments = finished(&mut simulation);
    let last = moments.last().unwrap();
    assert!((last.poses[0].position().x - 0.4).abs() < 1e-4, "{:?}", last.poses);
    assert!((last.poses[1].position().z - 0.76).abs() < 1e-4, "{cup}: {:?}", last.poses);
    assert!(simulation.summary().deepest.unwrap() <= 1e-4);
}

#[test]
fn a_body_falls_when_its_support_is_pulled_away() {
    let mut simulation = Simulation::new(stack(2, (2.0, 0.1, 0.0)).definition(), true).unwrap();
    until(&mut simulation, 0.9);
    assert_eq!(simulation.asleep(), [1, 2]);
    let far = DVec3::new(0.0, 5.0, 0.1);
    simulation
        .pull(Some(MouseForce { body: 1, point: DVec3::ZERO, target: far, rate: 20.0, max_force: 1e4 }))
        .unwrap();
    assert!(simulation.asleep().is_empty());
    let moments = finished(&mut simulation);
    let last = moments.last().unwrap();
    assert!(last.poses[1].position().z < 0.21, "{:?}", last.poses);
    assert!(simulation.summary().deepest.unwrap() <= 1e-4);
}

#[test]
fn a_body_that_a_hand_holds_stays_awake() {
    let mut simulation = Simulation::new(stack(1, (2.0, 0.5, 0.0)).definition(), true).unwrap();
    // At its target the hand exerts no force, and the body rests on the floor.
    let target = 0.1 * DVec3::Z;
    let hand = MouseForce { body: 1, point: DVec3::ZERO, target, rate: 20.0, max_force: 10.0 };
    simulation.pull(Some(hand)).unwrap();
    until(&mut simulation, 1.0);
    assert!(simulation.asleep().is_empty());
    simulation.pull(None).unwrap();
    until(&mut simulation, 1.9);
    assert_eq!(simulation.asleep(), [1]);
}

#[test]
fn a_hanging_body_sleeps_at_rest_and_not_while_it_swings() {
    for angle in [0.0, 0.01] {
        let mut setup = Setup::new(2.0, GRAVITY);
        let post = setup.body("post", Primitive::Sphere { radius: 0.01 }, Pose::IDENTITY, None);
        let turn = DQuat::from_rotation_x(angle);
        let pose = Pose::new(turn * DVec3::new(0.0, 0.0, -0.5), turn).unwrap();
        let size = DVec3::new(0.1, 0.15, 0.2);
        let own = setup.body("body", Primitive::Box { size }, pose, Some(block(1.0, size)));
        setup.joints =
            vec![SimulatedJoint { bodies: [post, own], point: DVec3::ZERO, kind: JointKind::Ball }];
        if angle == 0.0 {
            // A ball hits it while it is asleep.
            let mut ball = sphere(1.0, 0.05);
            ball.linear = DVec3::new(0.0, 3.0, 0.5 * GRAVITY);
            let from = DVec3::new(0.0, -3.0 - 0.125, -0.5);
            setup.body("ball", Primitive::Sphere { radius: 0.05 }, at(from), Some(ball));
        }
        let mut simulation = Simulation::new(setup.definition(), true).unwrap();
        until(&mut simulation, 0.9);
        assert_eq!(simulation.asleep().len(), usize::from(angle == 0.0), "{angle}");
        let moments = finished(&mut simulation);
        assert!(simulation.asleep().is_empty());
        let last = moments.last().unwrap();
        let off = last.poses[0].transform_point(DVec3::new(0.0, 0.0, 0.5)).length();
        assert!(off < 1e-9, "{off}");
        if angle == 0.0 {
            assert!(last.velocities[0][0].length() > 0.1 || last.poses[0].position().y > 0.1, "{last:?}");
        }
    }
}

#[test]
fn what_springs_hold_or_no_weight_holds_does_not_sleep() {
    let mut sprung = stack(1, (1.0, 0.5, 0.0));
    sprung.settings.method = SimulationMethod::Spring;
    let mut weightless = stack(1, (1.0, 0.5, 0.0));
    weightless.settings.gravity = DVec3::ZERO;
    // It slides on a frictionless floor, slower than a thousandth of the speed that gravity gives in a second.
    let mut sliding = stack(1, (1.0, 0.0, 0.0));
    sliding.own[1].dynamics.as_mut().unwrap().linear = 1e-4 * DVec3::X;
    for setup in [sprung, weightless, sliding] {
        let (moments, simulation) = setup.run();
        assert!(simulation.asleep().is_empty(), "{:?}", moments.last());
    }
}
