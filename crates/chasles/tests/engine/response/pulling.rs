//! A body that is pulled by a hand, compared with closed forms.

use crate::response::setup::{Setup, block, finished};
use chasles::glam::DVec3;
use chasles::{Friction, MouseForce, Pose, Primitive, Simulation, SimulationState, StepResult};

/// A floor, and a block of 2 kg at a height above it; gravity pulls down.
fn simulation(height: f64, gravity: f64) -> Simulation {
    let mut setup = Setup::new(2.0, gravity);
    setup.floor();
    let size = DVec3::new(0.4, 0.2, 0.1);
    let pose = Pose::from_position(height * DVec3::Z).unwrap();
    setup.body("block", Primitive::Box { size }, pose, Some(block(2.0, size)));
    for own in &mut setup.own {
        (own.elasticity, own.friction) = (0.5, Friction::Coefficient(0.3));
    }
    Simulation::new(setup.definition(), true).unwrap()
}

fn pull(point: DVec3, target: DVec3) -> MouseForce {
    MouseForce { body: 1, point, target, rate: 20.0, max_force: 1e6 }
}

/// The position of a point of the block.
fn place(moment: &SimulationState, point: DVec3) -> DVec3 {
    moment.poses[0].transform_point(point)
}

#[test]
fn a_pulled_point_goes_to_its_place_as_a_critically_damped_spring() {
    for (point, gravity) in [(DVec3::ZERO, 0.0), (DVec3::new(0.2, 0.1, 0.05), 9.81)] {
        let mut simulation = simulation(3.0, gravity);
        let from = point + 3.0 * DVec3::Z;
        let target = from + DVec3::new(0.3, -0.1, 0.2);
        simulation.pull(Some(pull(point, target))).unwrap();
        let moments = finished(&mut simulation);
        for moment in &moments {
            let (t, whole) = (20.0 * moment.time, target.distance(from));
            let expected = (1.0 + t) * (-t).exp() * whole;
            let off = target.distance(place(moment, point));
            // Steps are a fiftieth of the spring's time; if the body rotates, the point's effective mass changes.
            let allowed = if point == DVec3::ZERO { 0.01 } else { 0.1 };
            assert!((off - expected).abs() < allowed * whole, "{} s: {off} and {expected}", moment.time);
            // The hand gives and takes energy without a contact.
            assert_eq!((moment.energy.dissipated, moment.contacts.len()), (0.0, 0), "{}", moment.time);
        }
        let last = moments.last().unwrap();
        // A body that hangs at a corner continues to swing for a while.
        let [off, speed] = if point == DVec3::ZERO { [1e-6, 1e-4] } else { [0.03, 2.0] };
        let (found, velocity) = (place(last, point).distance(target), last.velocities[0][0].length());
        assert!(found < off && velocity < speed, "{found} m, {velocity} m/s");
    }
}

#[test]
fn a_hand_that_pulls_a_body_into_a_floor_never_pushes_it_in_and_is_let_go() {
    let mut simulation = simulation(0.5, 9.81);
    let hand = pull(DVec3::new(0.2, 0.0, 0.0), DVec3::new(0.0, 0.0, -1.0));
    simulation.pull(Some(MouseForce { max_force: 500.0, ..hand })).unwrap();
    let mut moments = Vec::new();
    while moments.last().is_none_or(|moment: &SimulationState| moment.time < 1.0) {
        let StepResult::Moments(more) = simulation.advance(&()).unwrap() else {
            panic!("{:?}", moments.last())
        };
        moments.extend(more);
    }
    // 500 N down on the floor, over a tenth of a second.
    let late = moments.iter().filter(|moment| moment.time > 0.9).flat_map(|moment| &moment.contacts);
    let push: f64 = late.map(|contact| contact.impulse.z.abs()).sum();
    assert!(push > 10.0 && push < 60.0, "{push}");
    simulation.pull(None).unwrap();
    moments.extend(finished(&mut simulation));
    let mut before = 0.0;
    for moment in &moments {
        assert!(moment.energy.dissipated >= before);
        before = moment.energy.dissipated;
    }
    assert!(simulation.summary().deepest.unwrap() <= 1e-4);
    let last = moments.last().unwrap();
    let lowest = [0.2, -0.2].map(|x| place(last, DVec3::new(x, 0.0, -0.05)).z);
    assert!(lowest.iter().all(|z| z.abs() < 0.11), "{lowest:?}");
    assert!(last.velocities[0][0].length() < 0.05, "{:?}", last.velocities);
}

#[test]
fn a_pulling_force_has_a_maximum() {
    let mut simulation = simulation(3.0, 0.0);
    let hand = MouseForce { max_force: 4.0, ..pull(DVec3::ZERO, DVec3::new(100.0, 0.0, 3.0)) };
    simulation.pull(Some(hand)).unwrap();
    let last = finished(&mut simulation).pop().unwrap();
    // 4 N on 2 kg for 2 s.
    assert!((last.velocities[0][0] - 4.0 * DVec3::X).length() < 1e-9, "{:?}", last.velocities);
}

#[test]
fn an_invalid_pull_is_an_error() {
    let mut simulation = simulation(1.0, 0.0);
    let good = pull(DVec3::ZERO, DVec3::Z);
    for (bad, message) in [
        (MouseForce { body: 0, ..good }, "pulled body: found 0, expected the number of a dynamic body"),
        (MouseForce { body: 2, ..good }, "pulled body: found 2, expected the number of a dynamic body"),
        (MouseForce { point: DVec3::NAN, ..good }, "pulled point: found NaN"),
        (MouseForce { target: DVec3::INFINITY, ..good }, "target of the pull: found inf"),
        (MouseForce { rate: 0.0, ..good }, "rate of the pull: found 0"),
        (MouseForce { max_force: -1.0, ..good }, "force of the pull: found -1"),
    ] {
        let told = simulation.pull(Some(bad)).unwrap_err().to_string();
        assert!(told.starts_with(message), "{told}");
    }
    // A spring that is too fast for the steps does not build up oscillations.
    simulation.pull(Some(MouseForce { rate: 1e9, target: 1.1 * DVec3::Z, ..good })).unwrap();
    let moments = finished(&mut simulation);
    assert!(moments.iter().all(|moment| (0.99..1.12).contains(&moment.poses[0].position().z)));
    assert!((moments.last().unwrap().poses[0].position().z - 1.1).abs() < 1e-6, "{:?}", moments.last());
}
