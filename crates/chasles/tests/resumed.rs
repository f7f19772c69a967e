//! Simulations that go on from a moment that was told before.

use chasles::glam::{DMat3, DQuat, DVec3};
use chasles::{
    Advance, BodyMotion, Dynamics, Friction, JointKind, Moment, Pose, Primitive, Scene, SceneBody,
    SceneDefinition, SceneShape, SimulatedBody, SimulatedJoint, Simulation, SimulationDefinition,
    SimulationMethod,
};

const SIZE: DVec3 = DVec3::new(0.4, 0.2, 0.1);

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(DVec3::new(x, y, z)).unwrap()
}

/// A box of 1 kg, which turns if it is let go.
fn block(linear: DVec3, angular: DVec3) -> Dynamics {
    let s = SIZE * SIZE;
    let inertia = DMat3::from_diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) / 12.0);
    Dynamics { mass: 1.0, inertia, center: DVec3::ZERO, linear, angular }
}

/// Boxes with their motions, under gravity; those with dynamics are boxes of [`SIZE`].
fn definition(
    bodies: Vec<(&str, BodyMotion, Option<Dynamics>)>,
    joints: Vec<SimulatedJoint>,
) -> SimulationDefinition {
    let own = |dynamics: &Option<Dynamics>| SimulatedBody {
        dynamics: *dynamics,
        elasticity: 0.5,
        friction: Friction::Coefficient(0.3),
    };
    let simulated = bodies.iter().map(|(_, _, dynamics)| own(dynamics)).collect();
    let body = |(name, motion, dynamics): (&str, BodyMotion, Option<Dynamics>)| {
        let size = if dynamics.is_some() { SIZE } else { DVec3::new(4.0, 4.0, 0.1) };
        let shape = Some(SceneShape::primitive(Primitive::Box { size }).unwrap());
        SceneBody { name: name.into(), shape, motion, parent: None, group: None, solid: false }
    };
    let bodies = bodies.into_iter().map(body).collect();
    let scene = SceneDefinition { duration: 0.6, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
    SimulationDefinition {
        scene: Scene::new(scene).unwrap(),
        bodies: simulated,
        joints,
        gravity: -9.81 * DVec3::Z,
        step: 1e-3,
        record: 1e-2,
        method: SimulationMethod::Both,
        depth: 1e-4,
    }
}

/// A box that tumbles far from a floor that rises and falls.
fn flight() -> SimulationDefinition {
    let rising = BodyMotion::Keyframes(vec![
        (0.0, at(0.0, 0.0, -9.0)),
        (0.3, at(0.0, 0.0, -8.0)),
        (0.6, at(0.0, 0.0, -9.0)),
    ]);
    let free = block(DVec3::new(0.5, 0.0, 3.0), DVec3::new(1.0, 5.0, -2.0));
    definition(
        vec![("floor", rising, None), ("box", BodyMotion::Still(at(0.0, 0.0, 1.0)), Some(free))],
        vec![],
    )
}

/// A box that falls on a corner, bounces and slides.
fn fall() -> SimulationDefinition {
    let pose = Pose::new(DVec3::new(0.0, 0.0, 0.4), DQuat::from_rotation_y(0.4)).unwrap();
    let free = block(DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 2.0, 1.0));
    let floor = BodyMotion::Still(at(0.0, 0.0, -0.05));
    definition(vec![("floor", floor, None), ("box", BodyMotion::Still(pose), Some(free))], vec![])
}

/// A box that hangs on a hinge at the end of its longest edge.
fn pendulum() -> SimulationDefinition {
    let ceiling = BodyMotion::Still(at(0.0, 0.0, 2.0));
    let arm = block(DVec3::ZERO, DVec3::ZERO);
    let hinge = SimulatedJoint { bodies: [0, 1], point: DVec3::Z, kind: JointKind::Hinge { axis: DVec3::Y } };
    definition(
        vec![("ceiling", ceiling, None), ("arm", BodyMotion::Still(at(0.2, 0.0, 1.0)), Some(arm))],
        vec![hinge],
    )
}

fn run(mut simulation: Simulation) -> Vec<Moment> {
    let mut moments = Vec::new();
    loop {
        match simulation.advance(&()).unwrap() {
            Advance::Moments(more) => moments.extend(more),
            Advance::Finished => return moments,
            other => panic!("{other:?} after {:?}", moments.last()),
        }
    }
}

fn whole(definition: fn() -> SimulationDefinition) -> Vec<Moment> {
    run(Simulation::new(definition(), false).unwrap())
}

fn resumed(definition: fn() -> SimulationDefinition, from: &Moment) -> Vec<Moment> {
    run(Simulation::resumed(definition(), from, false).unwrap())
}

#[test]
fn free_flight_goes_on_with_the_same_bits() {
    let moments = whole(flight);
    assert!(moments.len() > 60, "{}", moments.len());
    for (number, from) in moments.iter().enumerate() {
        assert_eq!(resumed(flight, from), moments[number + 1..], "from {}", from.time);
    }
}

#[test]
fn bodies_that_touch_go_on_nearly_the_same_way() {
    let moments = whole(fall);
    let last = &moments[moments.len() - 1];
    assert!(last.energy.dissipated > 1.0, "nothing happened: {last:?}");
    for from in moments.iter().step_by(7) {
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
    while simulation.advance(&()).unwrap() != Advance::Finished {}
    let end = simulation.summary();
    let rest = (moments.len() - middle) as u64;
    assert!(end.records <= rest && end.steps > 100, "{end:?}");
    assert!(end.deepest.is_some_and(|deepest| deepest <= 1e-4), "{end:?}");
    assert_eq!(resumed(fall, &moments[moments.len() - 1]), []);
}

#[test]
fn a_moment_of_something_else_is_refused() {
    let moment = whole(flight).swap_remove(10);
    let refused = |change: &dyn Fn(&mut Moment)| {
        let mut moment = moment.clone();
        change(&mut moment);
        Simulation::resumed(flight(), &moment, false).map(|_| ()).unwrap_err().to_string()
    };
    let told = |change: &dyn Fn(&mut Moment), words: &str| {
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
    // The top of the floor is at -8.6 m then.
    told(&|m| m.poses[0] = at(0.0, 0.0, -8.7), "deeper in each other");
}
