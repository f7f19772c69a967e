//! Rapier, with boxes.

use std::time::Instant;

use chasles_bench::program::timing::of_all_threads;
use glam::{DQuat, DVec3};
use rapier3d_f64::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder};

use crate::depth::Measure;
use crate::scene::{Bodies, Case, FRICTION, GRAVITY};
use crate::{OUTPUT_INTERVAL, Outcome};

/// Simulates a case with rapier's default parameters. `None` for rocks.
pub(crate) fn simulated(case: &Case) -> Option<Outcome> {
    let Bodies::Boxes(size) = case.bodies else { return None };
    let mut world = PhysicsWorld::new();
    world.gravity = DVec3::new(0.0, 0.0, -GRAVITY);
    world.integration_parameters.dt = case.step;
    let floor = world.insert_body(RigidBodyBuilder::fixed().translation(-0.5 * DVec3::Z));
    world.insert_collider(ColliderBuilder::cuboid(10.0, 10.0, 0.5).friction(FRICTION), Some(floor));
    let half = 0.5 * size;
    let mut handles = Vec::new();
    for (at, turn) in &case.places {
        let handle =
            world.insert_body(RigidBodyBuilder::dynamic().translation(*at).rotation(turn.to_scaled_axis()));
        let shape = ColliderBuilder::cuboid(half.x, half.y, half.z).mass(1.0).friction(FRICTION);
        world.insert_collider(shape, Some(handle));
        handles.push(handle);
    }
    let measure = Measure::new(case);
    let steps = (case.seconds / case.step).round() as usize;
    let (mut wall, mut processor, mut deepest) = (0.0, 0.0, 0.0_f64);
    let stride = (OUTPUT_INTERVAL / case.step).round().max(1.0) as usize;
    for step in 0..steps {
        let (start, used) = (Instant::now(), of_all_threads());
        world.step();
        wall += start.elapsed().as_secs_f64();
        processor += of_all_threads() - used;
        if (step + 1) % stride == 0 {
            let places: Vec<(DVec3, DQuat)> = handles
                .iter()
                .map(|handle| {
                    let body = &world.bodies[*handle];
                    (body.translation(), *body.rotation())
                })
                .collect();
            deepest = deepest.max(measure.deepest(&places));
        }
    }
    let note = format!("{steps} steps");
    Some(Outcome { wall: wall / case.seconds, processor: processor / case.seconds, deepest, note })
}
