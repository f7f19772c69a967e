//! Simulations that resume from a recorded state.

use crate::response::setup::{Setup, block, finished};
use chasles::glam::{DQuat, DVec3};
use chasles::{
    BodyMotion, Dynamics, Friction, JointKind, Pose, Primitive, SimulatedJoint, Simulation,
    SimulationDefinition, SimulationState, StepResult,
};

const SIZE: DVec3 = DVec3::new(0.4, 0.2, 0.1);

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(DVec3::new(x, y, z)).unwrap()
}

/// A plate with a given motion, and a box of 1 kg and [`SIZE`] with these velocities, under gravity.
fn definition(
    plate: (&str, BodyMotion),
    (name, pose, [linear, angular]): (&str, Pose, [DVec3; 2]),
    joints: Vec<SimulatedJoint>,
) -> SimulationDefinition {
    let mut setup = Setup::new(0.6, 9.81);
    let size = DVec3::new(4.0, 4.0, 0.1);
    let own = setup.body(plate.0, Primitive::Box { size }, Pose::IDENTITY, None);
    setup.bodies[own].motion = plate.1;
    let dynamics = Dynamics { linear, angular, ..block(1.0, SIZE) };
    setup.body(name, Primitive::Box { size: SIZE }, pose, Some(dynamics));
    for own in &mut setup.own {
        (own.elasticity, own.friction) = (0.5, Friction::Coefficient(0.3));
    }
    setup.joints = joints;
    setup.definition()
}

/// A box that tumbles far from a floor that rises and falls.
fn flight() -> SimulationDefinition {
    let rising = BodyMotion::Keyframes(vec![
        (0.0, at(0.0, 0.0, -9.0)),
        (0.3, at(0.0, 0.0, -8.0)),
        (0.6, at(0.0, 0.0, -9.0)),
    ]);
    let free = [DVec3::new(0.5, 0.0, 3.0), DVec3::new(1.0, 5.0, -2.0)];
    definition(("floor", rising), ("box", at(0.0, 0.0, 1.0), free), vec![])
}

/// A box that falls on a corner, bounces and slides.
fn fall() -> SimulationDefinition {
    let pose = Pose::new(DVec3::new(0.0, 0.0, 0.4), DQuat::from_rotation_y(0.4)).unwrap();
    let free = [DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 2.0, 1.0)];
    let floor = BodyMotion::Still(at(0.0, 0.0, -0.05));
    definition(("floor", floor), ("box", pose, free), vec![])
}

/// A box that hangs on a hinge at the end of its longest edge.
fn pendulum() -> SimulationDefinition {
    let ceiling = BodyMotion::Still(at(0.0, 0.0, 2.0));
    let hinge = SimulatedJoint { bodies: [0, 1], point: DVec3::Z, kind: JointKind::Hinge { axis: DVec3::Y } };
    definition(("ceiling", ceiling), ("arm", at(0.2, 0.0, 1.0), [DVec3::ZERO; 2]), vec![hinge])
}

fn whole(definition: fn() -> SimulationDefinition) -> Vec<SimulationState> {
    finished(&mut Simulation::new(definition(), false).unwrap())
}

fn resumed(definition: fn() -> SimulationDefinition, from: &SimulationState) -> Vec<SimulationState> {
    finished(&mut Simulation::resumed(definition(), from, false).unwrap())
}

#[test]
fn free_flight_resumes_with_the_same_bits() {
    let moments = whole(flight);
    assert!(moments.len() > 60, "{}", moments.len());
    for (number, from) in moments.iter().enumerate().step_by(5) {
        assert_eq!(resumed(flight, from), moments[number + 1..], "from {}", from.time);
    }
}

#[test]
fn touching_bodies_resume_nearly_the_same_motion() {
    let moments = whole(fall);
    let last = &moments[moments.len() - 1];
    assert!(last.energy.dissipated > 1.0, "nothing happened: {last:?}");
    for from in moments.iter().step_by(14) {
        let rest = resumed(fall, from);
        let end = rest.last().unwrap_or(from);
        assert_eq!(end.time, last.time);
        assert!(rest.iter().all(|moment| moment.time > from.time), "from {}", from.time);
        let mut taken = from.energy.dissipated;
        for moment in &rest {
            assert!(moment.energy.dissipated >= taken, "from {} at {}", from.time, moment.time);
            taken = moment.energy.dissipated;
        }
        let off = end.poses[0].position().distance(last.poses[0].position());
        assert!(off < 1e-4, "from {}: off by {off} m", from.time);
        let joules = (taken - last.energy.dissipated).abs();
        assert!(joules < 1e-3, "from {}: {taken} J for {}", from.time, last.energy.dissipated);
    }
}

#[test]
fn joints_sit_where_they_did_at_time_0() {
    let moments = whole(pendulum);
    let from = &moments[moments.len() / 2];
    assert!(from.poses[0].position().distance(DVec3::new(0.2, 0.0, 1.0)) > 0.1, "{from:?}");
    let rest = resumed(pendulum, from);
    let start = moments[0].energy;
    for moment in &rest {
        let end = moment.poses[0].transform_point(DVec3::new(-0.2, 0.0, 0.0));
        assert!(end.distance(DVec3::Z) < 1e-9, "{end} at {}", moment.time);
        let drift = moment.energy.kinetic + moment.energy.potential - start.kinetic - start.potential;
        assert!(drift.abs() < 1e-4, "{drift} J at {}", moment.time);
    }
    let (end, last) = (&rest[rest.len() - 1], &moments[moments.len() - 1]);
    assert!(end.poses[0].position().distance(last.poses[0].position()) < 1e-9);
}

#[test]
fn what_is_new_is_counted_and_the_end_is_an_end() {
    let moments = whole(fall);
    let middle = moments.len() / 2;
    let mut simulation = Simulation::resumed(fall(), &moments[middle], true).unwrap();
    let begin = simulation.summary();
    assert_eq!((begin.steps, begin.records, begin.deepest), (0, 0, Some(0.0)));
    assert_eq!(begin.energy[0].dissipated, moments[middle].energy.dissipated);
    while simulation.advance(&()).unwrap() != StepResult::Finished {}
    let end = simulation.summary();
    let rest = (moments.len() - middle) as u64;
    assert!(end.records <= rest && end.steps > 100, "{end:?}");
    assert!(end.deepest.is_some_and(|deepest| deepest <= 1e-4), "{end:?}");
    assert_eq!(resumed(fall, &moments[moments.len() - 1]), []);
}

#[test]
fn a_recorded_moment_of_another_scene_is_refused() {
    let moment = whole(flight).swap_remove(10);
    let refused = |change: &dyn Fn(&mut SimulationState)| {
        let mut moment = moment.clone();
        change(&mut moment);
        Simulation::resumed(flight(), &moment, false).map(|_| ()).unwrap_err().to_string()
    };
    let told = |change: &dyn Fn(&mut SimulationState), words: &str| {
        let text = refused(change);
        assert!(text.contains(words), "{text:?} does not say {words:?}");
    };
    told(&|m| m.poses.push(at(0.0, 0.0, 0.0)), "poses of the moment");
    told(&|m| m.velocities.clear(), "velocities of the moment");
    for time in [-1e-9, 0.7, f64::NAN] {
        told(&|m| m.time = time, "time of the moment");
    }
    told(&|m| m.velocities[0][0].y = f64::NAN, "linear velocity of body \"box\"");
    told(&|m| m.velocities[0][1].z = f64::INFINITY, "angular velocity of body \"box\"");
    told(&|m| m.energy.dissipated = f64::NAN, "dissipated energy of the moment");
    // The top of the floor is at -8.6 m at this time.
    told(&|m| m.poses[0] = at(0.0, 0.0, -8.7), "deeper in each other");
}
