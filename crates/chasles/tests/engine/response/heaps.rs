//! Heaps of boxes with long time steps, which are repeated if bodies obstruct each other.

use crate::cases::count;
use crate::response::setup::{AtOnce, Restless, Setup, block, finished, finished_past, until_ended};
use chasles::glam::DVec3;
use chasles::{
    Friction, MouseForce, Pose, Primitive, Screw, Simulation, SimulationDefinition, SimulationState,
    SimulationSummary, StepResult,
};
use chasles_testing::Random;

const SIDE: f64 = 0.1;
const DEPTH: f64 = 1e-3;

/// Columns of boxes, randomly rotated, that fall into a heap in steps of a sixtieth of a second.
fn heap(across: u32, layers: u32) -> SimulationDefinition {
    heap_in(Setup::new(0.7, 9.81), (across, layers))
}

/// The same, added to a given setup.
fn heap_in(mut setup: Setup, (across, layers): (u32, u32)) -> SimulationDefinition {
    let floor = setup.floor();
    setup.own[floor].friction = Friction::Coefficient(0.5);
    let random = &mut Random(3);
    for i in 0..across * across * layers {
        let (x, y, z) = (i % across, i / across % across, i / (across * across));
        let mut spread = || 0.02 * random.side() * 0.1;
        let at = DVec3::new(
            0.2 * f64::from(x) + spread(),
            0.2 * f64::from(y) + spread(),
            0.1 + 0.19 * f64::from(z),
        );
        let (size, turn) = (DVec3::splat(SIDE), random.rotation());
        let body = setup.body(
            &format!("b{i}"),
            Primitive::Box { size },
            Pose::new(at, turn).unwrap(),
            Some(block(1.0, size)),
        );
        setup.own[body].elasticity = 0.0;
        setup.own[body].friction = Friction::Coefficient(0.5);
    }
    SimulationDefinition { step: 1.0 / 60.0, record: 1.0 / 60.0, depth: DEPTH, ..setup.definition() }
}

/// The shortest translation that separates two cubes, by the fifteen candidate axes; negative if they are separated.
fn depth_of([a, b]: [&Pose; 2]) -> f64 {
    let axes = |pose: &Pose| DVec3::AXES.map(|axis| pose.rotation() * axis);
    let (of_a, of_b) = (axes(a), axes(b));
    let crossed = of_a.iter().flat_map(|p| of_b.iter().map(move |q| p.cross(*q)));
    let all = of_a.into_iter().chain(of_b).chain(crossed);
    let overlap = |axis: DVec3| {
        let reach: f64 = of_a.iter().chain(&of_b).map(|own| 0.5 * SIDE * own.dot(axis).abs()).sum();
        reach - axis.dot(b.position() - a.position()).abs()
    };
    // Nearly parallel edges give no useful axis.
    all.filter(|axis| axis.length() > 1e-6)
        .map(|axis| overlap(axis.normalize()))
        .fold(f64::INFINITY, f64::min)
}

/// The maximum penetration of bodies in each other or in the floor, at several times between consecutive states.
fn deepest(moments: &[SimulationState]) -> f64 {
    let mut deepest = f64::NEG_INFINITY;
    for pair in moments.windows(2) {
        for share in [0.25, 0.5, 0.75, 1.0] {
            let way = |i: usize| Screw::between(pair[0].poses[i], pair[1].poses[i]).pose_at(share);
            let poses: Vec<Pose> = (0..pair[0].poses.len()).map(way).collect();
            for (i, a) in poses.iter().enumerate() {
                let reach: f64 =
                    DVec3::AXES.iter().map(|axis| 0.5 * SIDE * (a.rotation() * *axis).z.abs()).sum();
                deepest = deepest.max(reach - a.position().z);
                for b in &poses[i + 1..] {
                    if a.position().distance_squared(b.position()) < 3.0 * SIDE * SIDE {
                        deepest = deepest.max(depth_of([a, b]));
                    }
                }
            }
        }
    }
    deepest
}

fn run(definition: SimulationDefinition) -> (Vec<SimulationState>, SimulationSummary) {
    let mut simulation = Simulation::new(definition, true).unwrap();
    let moments = finished(&mut simulation);
    (moments, simulation.summary())
}

#[test]
fn a_heap_at_long_steps_keeps_its_depth_and_makes_no_energy() {
    let (moments, summary) = run(heap(7, 7));
    assert!(summary.deepest.unwrap() <= DEPTH);
    let deepest = deepest(&moments);
    assert!(deepest <= DEPTH * (1.0 + 1e-9), "{deepest}");
    let sum = |own: &SimulationState| own.energy.kinetic + own.energy.potential;
    let sums: Vec<f64> = moments.iter().map(sum).collect();
    // Some bodies that are pushed back by a millimetre at most gain height.
    let pushed = 343.0 * 9.81 * DEPTH;
    for (before, after) in sums.iter().zip(&sums[1..]) {
        assert!(*after <= before + pushed, "{before} J, then {after} J");
    }
    let lost = sums[0] - sums.last().unwrap() - moments.last().unwrap().energy.dissipated;
    assert!(lost.abs() < 0.05 * sums[0], "{lost} J of {} J", sums[0]);
    // Most steps have the full length, because obstacles are predicted and resolved.
    assert!(summary.steps <= 52, "{} steps for 42", summary.steps);
}

#[test]
fn a_heap_has_the_same_bits_with_any_threads_and_stops() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (expected, summary) = one.install(|| run(heap(4, 5)));
    let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert_eq!(three.install(|| run(heap(4, 5))), (expected.clone(), summary.clone()));
    let mut simulation = Simulation::new(heap(4, 5), true).unwrap();
    let (moments, stops) = finished_past(&mut simulation, &Restless::new());
    assert!(stops > 40, "{stops} stops");
    assert_eq!((&moments, simulation.summary()), (&expected, summary.clone()));
    for most in [500, 2_001] {
        let mut simulation = Simulation::new(heap(4, 5), true).unwrap();
        let mut moments = until_ended(&mut simulation, &AtOnce::new(most));
        moments.extend(finished(&mut simulation));
        assert_eq!((&moments, simulation.summary()), (&expected, summary.clone()), "{most}");
    }
}

/// A hand that starts to pull during an unfinished step pulls in that step.
#[test]
fn a_hand_pulls_from_the_middle_of_a_step_on() {
    let mut told = 0;
    for stop in (0..14).step_by(if count(1) == 1 { 4 } else { 1 }) {
        let mut setup = Setup::new(0.7, 9.81);
        let at = Pose::from_position(DVec3::new(9.0, 0.0, 9.0)).unwrap();
        let size = DVec3::splat(SIDE);
        let alone = setup.body("alone", Primitive::Box { size }, at, Some(block(1.0, size)));
        let mut simulation = Simulation::new(heap_in(setup, (4, 5)), true).unwrap();
        let restless = Restless::new();
        let (mut last, mut stops) = (None, 0);
        let after = loop {
            match simulation.advance(&restless).unwrap() {
                StepResult::Moments(more) if stops > stop => break Some(more[0].clone()),
                StepResult::Moments(more) => last = more.last().cloned(),
                StepResult::Stopped
                    if last.as_ref().is_some_and(|own: &SimulationState| own.time > 0.5) && stops <= stop =>
                {
                    stops += 1;
                    if stops > stop {
                        let target = DVec3::new(10.0, 0.0, 8.0);
                        let pull = MouseForce {
                            body: alone,
                            point: DVec3::ZERO,
                            target,
                            rate: 20.0,
                            max_force: 1e6,
                        };
                        simulation.pull(Some(pull)).unwrap();
                    }
                }
                StepResult::Stopped => {}
                StepResult::Finished => break None,
                other => panic!("{other:?}"),
            }
        };
        let (Some(after), Some(last)) = (after, last) else {
            break;
        };
        if after.time < last.time + 0.99 / 60.0 {
            // It may be reported late, for a time before the hand.
            continue;
        }
        let [before, after] = [&last, &after].map(|own| own.poses[alone].position().x);
        assert!(after > before + 1e-3, "stop {stop}: {before} m, then {after} m");
        told += 1;
    }
    assert!(told > 1, "{told}");
}
