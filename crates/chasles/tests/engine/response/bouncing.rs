//! Simulations against closed forms: flight, bounces, rest, pendulums.

use crate::response::setup::{Setup, block, finished, sphere};
use chasles::glam::{DMat3, DQuat, DVec3};
use chasles::{
    BodyMotion, Dynamics, Friction, JointKind, Pose, Primitive, SimulatedJoint, Simulation,
    SimulationDefinition, StepResult,
};

#[test]
fn a_ball_bounces_as_high_as_it_fell() {
    let mut setup = Setup::new(3.0, 9.81);
    setup.floor();
    let pose = Pose::from_position(DVec3::new(0.2, 0.1, 1.3)).unwrap();
    setup.body("ball", Primitive::Sphere { radius: 0.1 }, pose, Some(sphere(0.5, 0.1)));
    let (moments, simulation) = setup.run();
    let fall = (2.0 * 1.2 / 9.81_f64).sqrt();
    for k in 1..3 {
        let top = 2.0 * f64::from(k) * fall;
        let moment =
            moments.iter().min_by(|p, q| (p.time - top).abs().total_cmp(&(q.time - top).abs())).unwrap();
        let (z, v) = (moment.poses[0].position().z, moment.velocities[0][0].z);
        let height = z + v * v / (2.0 * 9.81);
        assert!((height - 1.3).abs() < 3e-4, "{height} at {}", moment.time);
        assert!((moment.time + v / 9.81 - top).abs() < 2e-4, "{} for {top}", moment.time + v / 9.81);
    }
    assert_eq!(simulation.summary().deepest, Some(0.0));
}

/// An inelastic ball rebounds until its next flight would be shorter than a step, and then rests.
#[test]
fn a_ball_bounces_until_its_flight_is_shorter_than_a_step() {
    for (elasticity, step) in [(0.5, 1e-3), (0.8, 1e-3), (0.3, 5e-3), (0.7, 1.0 / 60.0), (0.9, 1.0 / 60.0)] {
        let mut setup = Setup::new(8.0, 9.81);
        setup.floor();
        let pose = Pose::from_position(0.6 * DVec3::Z).unwrap();
        let own = setup.body("ball", Primitive::Sphere { radius: 0.1 }, pose, Some(sphere(0.5, 0.1)));
        setup.own[own].elasticity = elasticity;
        let definition = SimulationDefinition { step, record: 1.0 / 60.0, ..setup.definition() };
        let moments = finished(&mut Simulation::new(definition, true).unwrap());
        let (speed, fall) = ((2.0 * 9.81 * 0.5_f64).sqrt(), (2.0 * 0.5 / 9.81_f64).sqrt());
        let flight = |k: i32| 2.0 * speed * elasticity.powi(k) / 9.81;
        // All flights, of which the last ones are shorter than a step.
        let end = fall + flight(1) / (1.0 - elasticity);
        let mut expected = fall;
        for k in (1..).take_while(|k| flight(*k) > step) {
            expected += flight(k);
        }
        assert!(end - expected <= step / (1.0 - elasticity));
        let mut awake =
            moments.iter().filter(|own| own.energy.kinetic > 1e-12 || own.poses[0].position().z > 0.1001);
        let rest = awake.next_back().unwrap().time;
        assert!(
            (rest - expected).abs() < 1.0 / 60.0 + 2.0 * step,
            "{elasticity}, {step}: {rest} for {expected}"
        );
        let losses = moments.last().unwrap().losses;
        assert!((losses.impacts - 0.5 * 9.81 * 0.5).abs() < 1e-3, "{losses:?}");
        assert!((losses.total() - losses.impacts).abs() < 1e-9, "{losses:?}");
    }
}

#[test]
fn a_box_rests() {
    let mut setup = Setup::new(2.0, 9.81);
    let floor = setup.floor();
    let size = DVec3::new(0.4, 0.3, 0.2);
    let pose = Pose::new(DVec3::new(0.1, 0.2, 0.1), DQuat::from_rotation_z(0.3)).unwrap();
    let own = setup.body("box", Primitive::Box { size }, pose, Some(block(1.2, size)));
    setup.own[floor].elasticity = 0.0;
    setup.own[own].friction = Friction::Coefficient(0.5);
    let (moments, simulation) = setup.run();
    for moment in &moments {
        assert!(moment.poses[0].position().distance(pose.position()) < 1e-4, "{:?}", moment.poses[0]);
    }
    let pushed: f64 =
        moments.iter().filter(|m| m.time > 1.0 + 1e-9).flat_map(|m| &m.contacts).map(|c| c.impulse.z).sum();
    assert!((pushed - 1.2 * 9.81).abs() < 1e-6, "{pushed}");
    // A body at rest dissipates no energy.
    let taken = moments[moments.len() - 1].energy.dissipated;
    assert!((0.0..1e-4 * 1.2 * 9.81).contains(&taken), "{taken}");
    assert!(simulation.summary().deepest.is_some_and(|depth| depth <= 1e-4));
    assert!(moments.len() < 230, "{} moments", moments.len());
}

#[test]
fn equal_boxes_stand_on_each_other() {
    // Their sides are coplanar, and their faces touch except for rounding.
    let mut setup = Setup::new(0.1, 9.81);
    setup.floor();
    let size = DVec3::new(0.4, 0.3, 0.2);
    for i in 0..6 {
        let pose = Pose::from_position((0.1 + 0.2 * f64::from(i)) * DVec3::Z).unwrap();
        let own = setup.body("box", Primitive::Box { size }, pose, Some(block(1.0, size)));
        setup.bodies[own].name = format!("box {i}");
        setup.own[own].elasticity = 0.0;
    }
    let (moments, simulation) = setup.run();
    for moment in &moments {
        for (i, pose) in moment.poses.iter().enumerate() {
            let place = (0.1 + 0.2 * i as f64) * DVec3::Z;
            assert!(pose.position().distance(place) < 2e-5, "{place} {pose:?} at {}", moment.time);
        }
    }
    assert!(simulation.summary().deepest.is_some_and(|depth| depth < 1e-5));
}

#[test]
fn no_screw_goes_round_a_corner_of_a_keyframed_motion() {
    let mut setup = Setup::new(0.02, 0.0);
    let at = |x: f64| Pose::from_position(x * DVec3::X).unwrap();
    let size = DVec3::new(0.02, 1.0, 1.0);
    let paddle = setup.body("paddle", Primitive::Box { size }, at(0.0), None);
    // It strikes and returns before the next recorded time.
    setup.bodies[paddle].motion =
        BodyMotion::Keyframes(vec![(0.0, at(0.0)), (0.0037, at(0.1)), (0.0074, at(0.0))]);
    setup.body("ball", Primitive::Sphere { radius: 0.05 }, at(0.1), Some(sphere(0.1, 0.05)));
    let (moments, _) = setup.run();
    let times: Vec<f64> = moments.iter().map(|moment| moment.time).collect();
    assert!(times.contains(&0.0037) && times.contains(&0.0074), "{times:?}");
    // It leaves with twice the speed of the paddle.
    let speed = 2.0 * 0.1 / 0.0037;
    let [linear, _] = moments[moments.len() - 1].velocities[0];
    assert!((linear - speed * DVec3::X).length() < 1e-6 * speed, "{linear}");
}

#[test]
fn scenes_that_cannot_be_simulated_are_refused_by_name() {
    let pose = Pose::from_position(DVec3::Z).unwrap();
    let with = |change: &dyn Fn(&mut SimulationDefinition)| {
        let mut setup = Setup::new(1.0, 9.81);
        setup.floor();
        setup.body("ball", Primitive::Sphere { radius: 0.1 }, pose, Some(sphere(0.5, 0.1)));
        let mut definition = setup.definition();
        change(&mut definition);
        Simulation::new(definition, false).map(|_| ()).unwrap_err().to_string()
    };
    let told = |change: &dyn Fn(&mut SimulationDefinition), words: &str| {
        let text = with(change);
        assert!(text.contains(words), "{text:?} does not say {words:?}");
    };
    told(&|d| d.step = 0.0, "step");
    told(&|d| d.record = f64::NAN, "record");
    told(&|d| d.gravity.x = f64::INFINITY, "gravity");
    told(&|d| d.bodies[1].elasticity = 1.5, "elasticity of body \"ball\"");
    told(
        &|d| d.bodies[1].dynamics = Some(Dynamics { mass: -1.0, ..sphere(0.5, 0.1) }),
        "mass of body \"ball\"",
    );
    told(
        &|d| d.bodies[1].dynamics = Some(Dynamics { inertia: DMat3::ZERO, ..sphere(0.5, 0.1) }),
        "inertia of body \"ball\"",
    );
    told(
        &|d| d.joints = vec![SimulatedJoint { bodies: [1, 1], point: DVec3::ZERO, kind: JointKind::Ball }],
        "joint 0",
    );
}

#[test]
fn overlaps_at_the_start_and_a_crushed_body_are_reported() {
    let at = |z: f64| Pose::from_position(z * DVec3::Z).unwrap();
    let mut setup = Setup::new(1.0, 9.81);
    setup.floor();
    setup.body("ball", Primitive::Sphere { radius: 0.1 }, at(0.05), Some(sphere(0.5, 0.1)));
    let text = Simulation::new(setup.definition(), false).map(|_| ()).unwrap_err().to_string();
    assert!(text.contains("\"floor\" and \"ball\""), "{text}");
    let mut setup = Setup::new(1.0, 0.0);
    setup.floor();
    let size = DVec3::new(1.0, 1.0, 0.1);
    let press = setup.body("press", Primitive::Box { size }, at(1.0), None);
    setup.bodies[press].motion = BodyMotion::Keyframes(vec![(0.0, at(1.0)), (1.0, at(0.0))]);
    let egg = setup.body("egg", Primitive::Sphere { radius: 0.1 }, at(0.5), Some(sphere(0.1, 0.1)));
    for body in &mut setup.own {
        body.elasticity = 0.0;
    }
    let mut simulation = Simulation::new(setup.definition(), true).unwrap();
    let mut last = 0.0;
    loop {
        match simulation.advance(&()).unwrap() {
            StepResult::Moments(moments) => last = moments[moments.len() - 1].time,
            StepResult::Crushed { time, bodies } => {
                assert_eq!(bodies, [0, press, egg]);
                // The space between the floor and the press equals the egg's size.
                assert!((time - 0.75).abs() < 1e-3 && (last - time).abs() < 2e-2, "{time} {last}");
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(simulation.summary().deepest.is_some_and(|depth| depth <= 1e-4));
}
