//! Simulations against mechanics: impacts in order of time, rolling, rotating supports, fast rotation, and the causes
//! of dissipated energy.

use std::f64::consts::{FRAC_PI_2, PI};

use chasles::glam::{DMat3, DQuat, DVec3};
use chasles::{
    BodyMotion, Dynamics, EnergyLosses, Friction, ImpactOrder, JointKind, Pose, Primitive, SimulatedJoint,
    Simulation, SimulationSettings, SimulationState, StepResult,
};
use chasles_testing::Random;

use crate::response::setup::{Setup, block, finished, sphere};

/// Balls of radius 0.1 m in a row along x: positions, velocities and masses, in SI units.
struct Row {
    positions: Vec<f64>,
    velocities: Vec<f64>,
    masses: Vec<f64>,
    elasticity: f64,
}

impl Row {
    /// Three to six balls with gaps from a micrometre to a decimetre; the first one moves towards the others.
    fn random(random: &mut Random) -> Self {
        let count = 3 + random.below(4);
        let mut positions = vec![0.0];
        for _ in 1..count {
            let gap = 10f64.powf(random.within(-6.0, -1.0));
            positions.push(positions[positions.len() - 1] + 0.2 + gap);
        }
        positions[0] -= 0.3;
        let mut velocities = vec![0.0; count];
        velocities[0] = random.within(1.0, 6.0);
        let masses = (0..count).map(|_| 10f64.powf(random.within(-0.5, 0.5))).collect();
        let elasticity = if random.below(2) == 0 { 1.0 } else { 0.8 };
        Self { positions, velocities, masses, elasticity }
    }

    /// The velocities after some seconds, one impact after the other, and the time of the last impact.
    fn after(&self, duration: f64) -> (Vec<f64>, f64) {
        let (mut positions, mut velocities, mut time) =
            (self.positions.clone(), self.velocities.clone(), 0.0);
        let mut last = 0.0;
        loop {
            let wait = |i: usize| {
                let closing = velocities[i] - velocities[i + 1];
                let gap: f64 = positions[i + 1] - positions[i] - 0.2;
                if closing > 1e-13 { gap.max(0.0) / closing } else { f64::INFINITY }
            };
            let pairs = 0..positions.len() - 1;
            let Some(next) = pairs.min_by(|i, k| wait(*i).total_cmp(&wait(*k))) else { break };
            let wait = wait(next);
            if time + wait > duration {
                break;
            }
            (time, last) = (time + wait, time + wait);
            positions.iter_mut().zip(&velocities).for_each(|(x, v)| *x += wait * v);
            let [m, n] = [next, next + 1].map(|i| self.masses[i]);
            let [v, w] = [next, next + 1].map(|i| velocities[i]);
            let (mean, rebound) = ((m * v + n * w) / (m + n), self.elasticity * (v - w));
            velocities[next] = mean - n * rebound / (m + n);
            velocities[next + 1] = mean + m * rebound / (m + n);
        }
        (velocities, last)
    }

    fn setup(&self, duration: f64) -> Setup {
        let mut setup = Setup::new(duration, 0.0);
        for (i, x) in self.positions.iter().enumerate() {
            let ball = Dynamics { linear: self.velocities[i] * DVec3::X, ..sphere(self.masses[i], 0.1) };
            let pose = Pose::from_position(*x * DVec3::X).unwrap();
            let own = setup.body(&format!("ball {i}"), Primitive::Sphere { radius: 0.1 }, pose, Some(ball));
            setup.own[own].elasticity = self.elasticity;
        }
        setup
    }
}

#[test]
fn balls_in_a_row_collide_one_after_the_other() {
    let mut compared = 0;
    for seed in 0..40 {
        let random = &mut Random(seed);
        let row = Row::random(random);
        let (expected, last) = row.after(0.5);
        if last > 0.45 {
            continue;
        }
        let (moments, _) = row.setup(0.5).run();
        for (i, expected) in expected.iter().enumerate() {
            let found = moments.last().unwrap().velocities[i][0].x;
            let error = (found - expected).abs();
            assert!(error < 1e-6 * row.velocities[0], "seed {seed}, ball {i}: {found} for {expected}");
        }
        compared += 1;
    }
    assert!(compared > 25, "{compared}");
}

/// Balls that touch collide one after the other as balls with tiny gaps, if the scene says so.
#[test]
fn touching_balls_collide_as_with_tiny_gaps() {
    for seed in 0..40 {
        let random = &mut Random(seed);
        let count = 3 + random.below(3);
        let mut row = Row::random(random);
        for own in [&mut row.positions, &mut row.velocities, &mut row.masses] {
            own.resize(count, 0.0);
        }
        row.masses = vec![1.0; count];
        let positions = |gap: f64| (0..count).map(|i| (0.2 + gap) * i as f64).collect();
        row.positions = positions(1e-9);
        let (expected, _) = row.after(0.1);
        row.positions = positions(0.0);
        let definition = |touching| {
            let mut setup = row.setup(0.1);
            setup.settings.touching = touching;
            setup.definition()
        };
        let speeds = |touching| -> Vec<f64> {
            let moments = finished(&mut Simulation::new(definition(touching), true).unwrap());
            moments.last().unwrap().velocities.iter().map(|own| own[0].x).collect()
        };
        let found = speeds(ImpactOrder::OneByOne);
        let errors = found.iter().zip(&expected).map(|(found, expected)| (found - expected).abs());
        assert!(
            errors.fold(0.0, f64::max) < 1e-6 * row.velocities[0],
            "seed {seed}: {found:?} for {expected:?}"
        );
        let together = speeds(ImpactOrder::Together);
        assert!((together[count - 1] - expected[count - 1]).abs() > 0.1, "seed {seed}: {together:?}");
    }
}

/// Two balls strike a third one from both sides: the faster pair collides first.
#[test]
fn touching_balls_collide_in_the_order_of_their_speeds() {
    for seed in 0..40 {
        let random = &mut Random(seed);
        let mut speed = || random.within(0.5, 3.0);
        let (velocities, masses) = (vec![speed(), 0.0, -speed()], vec![speed(), speed(), speed()]);
        let positions = |gap: f64| (0..3).map(|i| (0.2 + gap) * f64::from(i)).collect();
        let mut row = Row { positions: positions(1e-9), velocities, masses, elasticity: 1.0 };
        let (expected, _) = row.after(0.1);
        row.positions = positions(0.0);
        let mut setup = row.setup(0.1);
        setup.settings.touching = ImpactOrder::OneByOne;
        let definition = setup.definition();
        let moments = finished(&mut Simulation::new(definition, true).unwrap());
        let last = moments.last().unwrap();
        let errors = last.velocities.iter().zip(&expected).map(|(own, expected)| (own[0].x - expected).abs());
        assert!(errors.fold(0.0, f64::max) < 1e-6, "seed {seed}: {:?} for {expected:?}", last.velocities);
    }
}

/// A ball that rotates fast falls freely: its short steps do not count as endless ones.
#[test]
fn a_ball_that_rotates_fast_falls_freely() {
    let mut setup = Setup::new(1.0, 9.81);
    let ball = Dynamics { angular: 2e5 * DVec3::Z, ..sphere(1.0, 0.01) };
    setup.body("ball", Primitive::Sphere { radius: 0.01 }, Pose::IDENTITY, Some(ball));
    setup.settings = SimulationSettings { record: 1.0, ..setup.settings };
    let definition = setup.definition();
    let mut simulation = Simulation::new(definition, false).unwrap();
    let moments = finished(&mut simulation);
    let last = moments.last().unwrap();
    assert!((last.velocities[0][0].z + 9.81).abs() < 1e-6 && simulation.summary().forced.is_empty());
    assert!(simulation.summary().steps > 100_000, "{}", simulation.summary().steps);
}

#[test]
fn a_simulation_ends_at_its_maximum_number_of_records() {
    for (max_records, needed) in [(11, 11), (10, 11), (3, 11), (1, 11)] {
        let mut setup = Setup::new(0.1, 9.81);
        setup.body("ball", Primitive::Sphere { radius: 0.1 }, Pose::IDENTITY, Some(sphere(1.0, 0.1)));
        setup.settings = SimulationSettings { max_records, ..setup.settings };
        let definition = setup.definition();
        let mut simulation = Simulation::new(definition, true).unwrap();
        let mut records = 0;
        let end = loop {
            match simulation.advance(&()) {
                Ok(StepResult::Moments(more)) => records += more.len() as u64,
                other => break other,
            }
        };
        assert_eq!(records, max_records.min(needed));
        match end {
            Ok(end) => assert_eq!((end, max_records), (StepResult::Finished, needed)),
            Err(error) => {
                assert!(max_records < needed && error.to_string().contains("max_records"), "{error}")
            }
        }
    }
}

#[test]
fn a_ball_between_a_cue_and_a_wall_keeps_the_energy() {
    for seed in 0..20 {
        let random = &mut Random(seed);
        let mut setup = Setup::new(0.6, 0.0);
        let size = DVec3::new(0.2, 4.0, 4.0);
        let gap = 10f64.powf(random.within(-5.0, -2.0));
        setup.body(
            "wall",
            Primitive::Box { size },
            Pose::from_position((0.2 + gap) * DVec3::X).unwrap(),
            None,
        );
        let size = DVec3::splat(0.2);
        if seed % 2 == 0 {
            setup.body("box", Primitive::Box { size }, Pose::IDENTITY, Some(block(1.0, size)));
        } else {
            setup.body("ball", Primitive::Sphere { radius: 0.1 }, Pose::IDENTITY, Some(sphere(1.0, 0.1)));
        }
        let cue =
            Dynamics { linear: random.within(2.0, 8.0) * DVec3::X, ..sphere(random.within(0.5, 2.0), 0.1) };
        let pose = Pose::from_position(-0.7 * DVec3::X).unwrap();
        setup.body("cue", Primitive::Sphere { radius: 0.1 }, pose, Some(cue));
        let (moments, _) = setup.run();
        let kinetic: Vec<f64> = moments.iter().map(|moment| moment.energy.kinetic).collect();
        let (first, last) = (kinetic[0], kinetic[kinetic.len() - 1]);
        assert!((last / first - 1.0).abs() < 1e-6, "seed {seed}: {first} J to {last} J");
    }
}

/// A cylinder of 1 kg.
pub(crate) fn cylinder(radius: f64, height: f64) -> Dynamics {
    let across = (3.0 * radius * radius + height * height) / 12.0;
    Dynamics {
        mass: 1.0,
        center: DVec3::ZERO,
        inertia: DMat3::from_diagonal(DVec3::new(across, across, 0.5 * radius * radius)),
        linear: DVec3::ZERO,
        angular: DVec3::ZERO,
    }
}

#[test]
fn wheels_roll_at_constant_speed() {
    for (radius, height, speed) in [(0.05, 0.05, 2.065), (0.1, 0.3, 0.7), (0.3, 0.15, 3.5)] {
        let mut setup = Setup::new(1.0, 9.81);
        let floor = setup.floor();
        let pose = Pose::new(DVec3::new(-2.0, 0.0, radius), DQuat::from_rotation_x(FRAC_PI_2)).unwrap();
        let wheel = Dynamics {
            linear: speed * DVec3::X,
            angular: speed / radius * DVec3::Y,
            ..cylinder(radius, height)
        };
        let own = setup.body("wheel", Primitive::Cylinder { radius, height }, pose, Some(wheel));
        for body in [floor, own] {
            (setup.own[body].friction, setup.own[body].elasticity) = (Friction::Coefficient(0.9), 0.0);
        }
        let (moments, _) = setup.run();
        let [linear, _] = moments.last().unwrap().velocities[0];
        assert!((linear.x - speed).abs() < 1e-3 * speed && linear.y.abs() < 1e-3 * speed, "{linear}");
    }
}

#[test]
fn a_body_stays_in_its_place_on_a_rotating_table() {
    for (rate, radius) in [(0.5, 1.0), (1.8, 0.6), (1.8, 1.1)] {
        let mut setup = Setup::new(1.5, 9.81);
        let table =
            setup.body("table", Primitive::Box { size: DVec3::new(3.0, 3.0, 0.2) }, Pose::IDENTITY, None);
        let start = Pose::from_position(-0.1 * DVec3::Z).unwrap();
        setup.bodies[table].motion =
            BodyMotion::Twist { start, linear: DVec3::ZERO, angular: rate * DVec3::Z };
        let size = DVec3::new(0.2, 0.2, 0.1);
        let rider =
            Dynamics { linear: rate * radius * DVec3::Y, angular: rate * DVec3::Z, ..block(1.0, size) };
        let pose = Pose::from_position(DVec3::new(radius, 0.0, 0.05)).unwrap();
        let own = setup.body("rider", Primitive::Box { size }, pose, Some(rider));
        for body in [table, own] {
            (setup.own[body].friction, setup.own[body].elasticity) = (Friction::Coefficient(0.9), 0.0);
        }
        let (moments, _) = setup.run();
        let expected = DQuat::from_rotation_z(1.5 * rate) * pose.position();
        let error = moments.last().unwrap().poses[0].position().distance(expected);
        assert!(error < 1e-3, "{rate} rad/s at {radius} m: {error}");
    }
}

#[test]
fn records_are_less_than_half_a_turn_apart() {
    for rate in [40.0, 314.0, 5000.0] {
        let mut setup = Setup::new(0.05, 0.0);
        let size = DVec3::new(0.3, 0.2, 0.1);
        let top = Dynamics { angular: rate * DVec3::Z, ..block(1.0, size) };
        setup.body("top", Primitive::Box { size }, Pose::IDENTITY, Some(top));
        let (moments, _) = setup.run();
        for pair in moments.windows(2) {
            assert!((pair[1].time - pair[0].time) * rate < PI, "{} s to {} s", pair[0].time, pair[1].time);
        }
        for moment in &moments {
            let expected = DQuat::from_rotation_z((rate * moment.time) % (2.0 * PI));
            let error = moment.poses[0].rotation().angle_between(expected);
            assert!(error < 1e-6, "{rate} rad/s at {}: {error}", moment.time);
        }
    }
}

#[test]
fn a_rod_that_rotates_fast_hits_a_post() {
    let mut setup = Setup::new(0.1, 0.0);
    let size = DVec3::new(2.0, 0.05, 0.05);
    let rod = Dynamics { angular: 6300.0 * DVec3::Z, ..block(1.0, size) };
    setup.body("rod", Primitive::Box { size }, Pose::IDENTITY, Some(rod));
    let post = Pose::from_position(0.8 * DVec3::new(0.5, 0.75_f64.sqrt(), 0.0)).unwrap();
    setup.body("post", Primitive::Cylinder { radius: 0.02, height: 1.0 }, post, None);
    let (moments, simulation) = setup.run();
    assert!(simulation.summary().impulses > 0);
    let hit = moments.iter().find(|moment| !moment.contacts.is_empty()).unwrap();
    assert!(hit.time <= 1.1 / 6300.0 + 1e-9, "{}", hit.time);
}

/// The losses at the end, after a comparison of their sum with the dissipated energy of each moment.
fn losses(moments: &[SimulationState]) -> EnergyLosses {
    for moment in moments {
        let (sum, dissipated) = (moment.losses.total(), moment.energy.dissipated);
        assert!((sum - dissipated).abs() <= 1e-12 * (1.0 + dissipated), "{sum} for {dissipated}");
    }
    moments.last().unwrap().losses
}

#[test]
fn dissipated_energy_has_its_causes() {
    for elasticity in [0.0, 0.3, 0.9] {
        let mut setup = Setup::new(0.6, 0.0);
        let size = DVec3::new(0.2, 2.0, 2.0);
        setup.body("wall", Primitive::Box { size }, Pose::from_position(DVec3::X).unwrap(), None);
        let ball = Dynamics { linear: 3.0 * DVec3::X, ..sphere(1.0, 0.1) };
        let own = setup.body("ball", Primitive::Sphere { radius: 0.1 }, Pose::IDENTITY, Some(ball));
        setup.own[own].elasticity = elasticity;
        let found = losses(&setup.run().0);
        let expected = (1.0 - elasticity * elasticity) * 4.5;
        assert!((found.impacts - expected).abs() < 1e-6 * 4.5, "{found:?} for {expected}");
        assert!((found.total() - found.impacts).abs() < 1e-9, "{found:?}");
    }
    let mut setup = Setup::new(1.0, 9.81);
    let floor = setup.floor();
    let size = DVec3::new(0.3, 0.3, 0.1);
    let slider = Dynamics { linear: 2.0 * DVec3::X, ..block(1.0, size) };
    let pose = Pose::from_position(0.05 * DVec3::Z).unwrap();
    let own = setup.body("slider", Primitive::Box { size }, pose, Some(slider));
    for body in [floor, own] {
        (setup.own[body].friction, setup.own[body].elasticity) = (Friction::Coefficient(0.5), 0.0);
    }
    let found = losses(&setup.run().0);
    assert!((found.friction - 2.0).abs() < 2e-3 * 2.0, "{found:?}");
    assert!(found.impacts.abs() + found.joints.abs() + found.springs.abs() < 2e-3 * 2.0, "{found:?}");
}

/// Landing within a long step: the sum of kinetic, potential and dissipated energy stays constant.
#[test]
fn landing_in_long_steps_keeps_the_account_of_energy() {
    for step in [1e-3, 5e-3, 1.0 / 60.0] {
        for seed in 0..20 {
            let mut random = Random(seed);
            let mut setup = Setup::new(0.5, 9.81);
            let floor = setup.floor();
            let size = DVec3::new(0.3, 0.2, 0.1);
            let falling = Dynamics { linear: random.vector(1.0) - 2.0 * DVec3::Z, ..block(2.0, size) };
            let pose = Pose::new(0.3 * DVec3::Z, random.even_rotation()).unwrap();
            let own = setup.body("block", Primitive::Box { size }, pose, Some(falling));
            for body in [floor, own] {
                (setup.own[body].friction, setup.own[body].elasticity) = (Friction::Coefficient(0.3), 0.0);
            }
            setup.settings = SimulationSettings { step, record: 0.05, ..setup.settings };
            let definition = setup.definition();
            let moments = finished(&mut Simulation::new(definition, true).unwrap());
            let sums =
                moments.iter().map(|own| own.energy.kinetic + own.energy.potential + own.energy.dissipated);
            let (low, high) =
                sums.fold((f64::INFINITY, 0.0_f64), |(low, high), own| (low.min(own), high.max(own)));
            assert!(high - low <= 2e-4 * high, "seed {seed}, step {step}: {low} J to {high} J");
        }
    }
}

#[test]
fn energy_of_velocities_that_do_not_fit_joints_has_its_cause() {
    for speed in [0.0, 0.5, -2.0] {
        let mut setup = Setup::new(0.05, 0.0);
        let size = DVec3::new(1.0, 0.1, 0.1);
        let post = setup.body("post", Primitive::Sphere { radius: 0.05 }, Pose::IDENTITY, None);
        let dynamics = Dynamics { linear: DVec3::new(1.0, speed, 0.0), ..block(2.0, size) };
        let at = 0.6;
        let pose = Pose::from_position(at * DVec3::X).unwrap();
        let arm = setup.body("arm", Primitive::Box { size }, pose, Some(dynamics));
        let kind = JointKind::Hinge { axis: DVec3::Z };
        setup.joints.push(SimulatedJoint { bodies: [post, arm], point: DVec3::ZERO, kind });
        // The joint keeps the angular momentum about its axis.
        let momentum = 2.0 * at * speed;
        let inertia = dynamics.inertia.z_axis.z + 2.0 * at * at;
        let expected = 1.0 + speed * speed - 0.5 * momentum * momentum / inertia;
        let (moments, simulation) = setup.run();
        let found = losses(&moments);
        assert!((found.joints_at_start - expected).abs() < 1e-12, "{found:?} for {expected}");
        assert!((found.total() - expected).abs() < 1e-12, "{found:?}");
        let [start, end] = simulation.summary().energy.map(|own| own.kinetic + own.dissipated);
        assert!((start - end).abs() < 1e-9, "{start} J to {end} J");
    }
}

/// Elastic balls in contact: the first comes with 1 m/s, the third leaves with 0.8 m/s. The first impact stops the
/// first ball, and the second has its speed; the second compression gives the others 0.9 m/s.
#[test]
fn energy_of_a_second_compression_has_its_cause() {
    let mut setup = Setup::new(0.1, 0.0);
    for (i, speed) in [1.0, 0.0, 0.8].into_iter().enumerate() {
        let ball = Dynamics { linear: speed * DVec3::X, ..sphere(1.0, 0.1) };
        let pose = Pose::from_position(0.2 * i as f64 * DVec3::X).unwrap();
        setup.body(&format!("ball {i}"), Primitive::Sphere { radius: 0.1 }, pose, Some(ball));
    }
    let moments = setup.run().0;
    let found = losses(&moments);
    assert!((found.repeated - 0.01).abs() < 1e-12 && found.impacts.abs() < 1e-12, "{found:?}");
    let speeds: Vec<f64> = moments.last().unwrap().velocities.iter().map(|own| own[0].x).collect();
    assert!(speeds.iter().zip([0.0, 0.9, 0.9]).all(|(own, other)| (own - other).abs() < 1e-12), "{speeds:?}");
}

#[test]
fn a_ball_loses_the_speed_across_the_edge_of_a_step() {
    // Without friction and rebound, it keeps the part of its velocity across the direction to the edge, and later only
    // the horizontal part of this.
    for (speed, height) in [(2.626, 0.002), (3.223, 0.005), (2.764, 0.002), (1.5, 0.005)] {
        let mut setup = Setup::new(0.2, 9.81);
        let size = DVec3::new(2.0, 2.0, 0.5);
        for (name, x, top) in [("low", -0.5, 0.0), ("high", 1.5, height)] {
            let pose = Pose::from_position(DVec3::new(x, 0.0, top - 0.25)).unwrap();
            let own = setup.body(name, Primitive::Box { size }, pose, None);
            setup.own[own].elasticity = 0.0;
        }
        let ball = Dynamics { linear: speed * DVec3::X, ..sphere(1.0, 0.1) };
        let pose = Pose::from_position(DVec3::new(0.4, 0.03, 0.1)).unwrap();
        let own = setup.body("ball", Primitive::Sphere { radius: 0.1 }, pose, Some(ball));
        setup.own[own].elasticity = 0.0;
        let (moments, _) = setup.run();
        let cosine = (0.1 - height) / 0.1;
        let (found, expected) = (moments.last().unwrap().velocities[0][0].x, speed * cosine * cosine);
        assert!((found - expected).abs() < 3e-3 * speed, "{speed}, {height}: {found} for {expected}");
    }
}

#[test]
fn heavy_bodies_rest_on_light_ones() {
    // In the last case the response of some contacts is nearly singular.
    let cases = [
        (1e2, 3, 0.001),
        (1e4, 3, 0.001),
        (2e5, 1, 0.001),
        (4e5, 3, 0.001),
        (2_103.992_735_306_395_6, 1, 0.002),
    ];
    for (ratio, count, step) in cases {
        let mut setup = Setup::new(0.3, 9.81);
        setup.settings.step = step;
        let size = DVec3::new(0.3, 0.3, 0.2);
        setup.floor();
        for i in 0..=count {
            let mass = if i == count { 0.1 * ratio } else { 0.1 };
            let pose = Pose::from_position((0.1 + 0.2 * f64::from(i)) * DVec3::Z).unwrap();
            setup.body(&format!("box {i}"), Primitive::Box { size }, pose, Some(block(mass, size)));
        }
        for own in &mut setup.own {
            (own.elasticity, own.friction) = (0.0, Friction::Coefficient(0.6));
        }
        let (moments, _) = setup.run();
        let last = moments.last().unwrap();
        assert!((last.time - 0.3).abs() < 1e-9, "{ratio}, {count}: it ended at {} s", last.time);
        for (first, last) in moments[0].poses.iter().zip(&last.poses) {
            let moved = first.position().distance(last.position());
            assert!(moved < 1e-3, "{ratio}, {count}: {moved} m");
        }
    }
}

#[test]
fn a_wall_with_a_brick_that_is_balanced_on_an_edge_keeps_its_place() {
    // Every other row is shifted by half a brick, so the centre of the last brick is above the end of the row below.
    // The brick tips over if the errors of the impulses are not small.
    let mut setup = Setup::new(1.0, 9.81);
    setup.settings.step = 0.002;
    setup.floor();
    let size = DVec3::new(0.2, 0.1, 0.1);
    for row in 0..6 {
        for i in 0..6 {
            let x = 0.2 * f64::from(i) + 0.1 * f64::from(row % 2);
            let pose = Pose::from_position(DVec3::new(x, 0.0, 0.05 + 0.1 * f64::from(row))).unwrap();
            setup.body(&format!("brick {row} {i}"), Primitive::Box { size }, pose, Some(block(1.0, size)));
        }
    }
    for own in &mut setup.own {
        (own.elasticity, own.friction) = (0.0, Friction::Coefficient(0.6));
    }
    let (moments, _) = setup.run();
    let [first, last] = [&moments[0], moments.last().unwrap()];
    for (before, after) in first.poses.iter().zip(&last.poses) {
        let moved = before.position().distance(after.position());
        assert!(moved < 1e-4, "{moved} m");
    }
}

#[test]
fn bodies_fall_on_rims_to_the_end() {
    let random = &mut Random(7);
    for case in 0..24 {
        let mut setup = Setup::new(0.5, 9.81);
        let below = if case % 3 == 0 {
            Primitive::Cone { radius: 0.4, height: 0.5 }
        } else {
            Primitive::Cylinder { radius: 0.3, height: 0.4 }
        };
        setup.body("below", below, Pose::IDENTITY, None);
        let size = DVec3::new(0.3, 0.2, 0.15);
        let (shape, dynamics) = if case % 6 == 0 {
            (Primitive::Cone { radius: 0.12, height: 0.25 }, block(1.0, DVec3::splat(0.15)))
        } else {
            (Primitive::Box { size }, block(1.0, size))
        };
        // Its middle is above the rim.
        let angle = random.within(-PI, PI);
        let at = DVec3::new(0.29 * angle.cos(), 0.29 * angle.sin(), 0.5);
        let axis = DVec3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), random.within(0.1, 1.0));
        let rotation = DQuat::from_axis_angle(axis.normalize(), random.within(-PI, PI));
        let falls = Dynamics { angular: 4.0 * axis, ..dynamics };
        setup.body("falls", shape, Pose::new(at, rotation).unwrap(), Some(falls));
        for own in &mut setup.own {
            (own.elasticity, own.friction) = (0.0, Friction::Coefficient(0.5));
        }
        let (moments, simulation) = setup.run();
        let end = moments.last().unwrap().time;
        assert!((end - 0.5).abs() < 1e-9, "case {case}: it ended at {end} s");
        let summary = simulation.summary();
        assert!(
            summary.deepest.is_some_and(|depth| depth <= 1e-4) && summary.forced.is_empty(),
            "case {case}"
        );
    }
}
