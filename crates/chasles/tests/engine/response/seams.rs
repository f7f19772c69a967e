//! Bodies that slide over the seams of flush bodies, static and keyframed.

use std::f64::consts::FRAC_PI_2;

use chasles::glam::{DQuat, DVec3};
use chasles::{BodyMotion, Dynamics, Friction, Pose, Primitive};

use crate::response::mechanics::cylinder;
use crate::response::setup::{Setup, block, sphere};

/// Boxes of this length in a row along x, flush, from -1 m to 3 m.
fn tiles(setup: &mut Setup, length: f64, misfit: f64) {
    let size = DVec3::new(length, 2.0, 0.5);
    let mut count = 0;
    while f64::from(count) * length < 4.0 {
        let height = if count % 2 == 0 { -0.25 } else { -0.25 + misfit };
        let middle = -1.0 + (f64::from(count) + 0.5) * length;
        let pose = Pose::from_position(DVec3::new(middle, 0.013, height)).unwrap();
        setup.body(&format!("tile {count}"), Primitive::Box { size }, pose, None);
        count += 1;
    }
}

#[test]
fn bodies_slide_over_seams_at_constant_speed() {
    let lying = DVec3::new(0.3, 0.2, 0.2);
    let shapes = [
        (Primitive::Box { size: lying }, block(1.0, lying), 0.1),
        (Primitive::Cylinder { radius: 0.1, height: 0.04 }, cylinder(0.1, 0.04), 0.02),
        (Primitive::Sphere { radius: 0.1 }, sphere(1.0, 0.1), 0.1),
        (Primitive::Capsule { radius: 0.06, height: 0.2 }, block(1.0, DVec3::splat(0.12)), 0.06),
    ];
    let cases =
        [(0, 9.81, 0.0), (0, 0.0, 0.0), (0, 9.81, 1e-9), (1, 9.81, 0.0), (2, 9.81, 0.0), (3, 9.81, 0.0)];
    for (i, gravity, misfit) in cases {
        let mut setup = Setup::new(0.4, gravity);
        tiles(&mut setup, 0.35, misfit);
        let (shape, dynamics, height) = shapes[i];
        let slider = Dynamics { linear: 3.0 * DVec3::X, ..dynamics };
        // A capsule lies across its path.
        let rotation = if i == 3 { DQuat::from_rotation_x(FRAC_PI_2) } else { DQuat::IDENTITY };
        let pose = Pose::new(height * DVec3::Z, rotation).unwrap();
        let own = setup.body("slider", shape, pose, Some(slider));
        setup.own[own].elasticity = 0.0;
        let (moments, _) = setup.run();
        let last = moments.last().unwrap();
        let [linear, angular] = last.velocities[0];
        assert!((linear - 3.0 * DVec3::X).length() < 2e-3, "{i}, {gravity}, {misfit}: {linear}");
        assert!(angular.length() < 0.05, "{i}, {gravity}, {misfit}: {angular}");
        assert!((last.poses[0].position().z - height).abs() < 3e-4);
    }
}

#[test]
fn a_wall_on_a_floor_and_a_high_tile_are_no_seams() {
    for height in [0.001, 0.5] {
        let mut setup = Setup::new(0.3, 9.81);
        tiles(&mut setup, 0.35, 0.0);
        let size = DVec3::new(0.3, 2.0, height);
        let pose = Pose::from_position(DVec3::new(0.5, 0.0, 0.5 * height)).unwrap();
        setup.body("obstacle", Primitive::Box { size }, pose, None);
        let size = DVec3::new(0.3, 0.2, 0.2);
        let slider = Dynamics { linear: 2.0 * DVec3::X, ..block(1.0, size) };
        let pose = Pose::from_position(0.1 * DVec3::Z).unwrap();
        let own = setup.body("slider", Primitive::Box { size }, pose, Some(slider));
        setup.own[own].elasticity = 0.0;
        let (moments, simulation) = setup.run();
        let speed = moments.last().unwrap().velocities[0][0].x;
        assert!(speed < if height > 0.1 { 0.01 } else { 1.9 }, "{height}: {speed}");
        assert!(simulation.summary().deepest.is_some_and(|depth| depth <= 1e-4));
    }
}

#[test]
fn a_box_slides_over_moving_tiles_as_over_a_single_belt() {
    // The tiles move together; a tile that rises by 5 mm is an obstacle.
    for (is_rising, [least, greatest]) in [(false, [0.999_999, 1.000_001]), (true, [0.0, 0.9])] {
        let mut setup = Setup::new(0.6, 9.81);
        tiles(&mut setup, 0.35, 0.0);
        let belt = DVec3::new(0.2, 0.05, 0.1);
        for (i, body) in setup.bodies.iter_mut().enumerate() {
            if let BodyMotion::Still(start) = body.motion {
                let linear = if is_rising && i == 4 { belt + 0.05 * DVec3::Z } else { belt };
                body.motion = BodyMotion::Twist { start, linear, angular: DVec3::ZERO };
            }
        }
        let size = DVec3::new(0.3, 0.2, 0.2);
        let slider = Dynamics { linear: DVec3::new(1.0, 0.05, 0.1), ..block(1.0, size) };
        let pose = Pose::from_position(0.1 * DVec3::Z).unwrap();
        let own = setup.body("slider", Primitive::Box { size }, pose, Some(slider));
        setup.own[own].elasticity = 0.0;
        let (moments, _) = setup.run();
        let speed = moments.last().unwrap().velocities[0][0].x;
        assert!((least..=greatest).contains(&speed), "{is_rising}: {speed}");
    }
}

#[test]
fn a_ball_slides_along_the_corners_of_tiles() {
    // Two rows of tiles of different lengths meet below the ball: its path crosses corners of flush tiles.
    let mut setup = Setup::new(0.4, 0.0);
    for (row, length) in [(0, 0.3), (1, 0.7)] {
        for i in -3..8 {
            let middle = DVec3::new(length * f64::from(i), 0.5 - f64::from(row), -0.25);
            let size = DVec3::new(length, 1.0, 0.5);
            let pose = Pose::from_position(middle).unwrap();
            setup.body(&format!("tile {row} {i}"), Primitive::Box { size }, pose, None);
        }
    }
    let ball = Dynamics { linear: 2.7 * DVec3::X, ..sphere(1.0, 0.1) };
    let pose = Pose::from_position(0.1 * DVec3::Z).unwrap();
    setup.body("ball", Primitive::Sphere { radius: 0.1 }, pose, Some(ball));
    let (moments, _) = setup.run();
    let [linear, _] = moments.last().unwrap().velocities[0];
    assert!((linear - 2.7 * DVec3::X).length() < 2e-3, "{linear}");
}

#[test]
fn friction_over_seams_is_that_of_the_weight() {
    for (radius, height) in [(0.1, 0.2), (0.12, 0.02)] {
        let mut setup = Setup::new(0.4, 9.81);
        tiles(&mut setup, 0.35, 0.0);
        let can = Dynamics { linear: 2.0 * DVec3::X, ..cylinder(radius, height) };
        let pose = Pose::from_position(0.5 * height * DVec3::Z).unwrap();
        let own = setup.body("can", Primitive::Cylinder { radius, height }, pose, Some(can));
        setup.own.iter_mut().for_each(|own| own.friction = Friction::Coefficient(0.2));
        setup.own[own].elasticity = 0.0;
        let (moments, _) = setup.run();
        let [linear, _] = moments.last().unwrap().velocities[0];
        let expected = 2.0 - 0.2 * 9.81 * 0.4;
        assert!((linear.x - expected).abs() < 5e-3 * expected, "{height}: {} for {expected}", linear.x);
    }
}
