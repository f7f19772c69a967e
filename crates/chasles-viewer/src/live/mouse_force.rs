//! The force of the hand: strong enough that a body follows the hand, too weak to fling it away.

use chasles::glam::DVec3;
use chasles::{MouseForce, SimulationDefinition};

/// In 1/s: a body reaches the hand within about a third of a second.
const RATE: f64 = 15.0;

/// The maximum force of the hand, as a multiple of the weight of the bodies that it pulls.
const WEIGHTS: f64 = 3.0;

/// Added to that force, so that the hand also works under weak gravity: the force of the spring when it is
/// stretched by this multiple of the largest body's size.
const LENGTHS: f64 = 0.2;

/// A pull at a point of a body, from `point` in the body's frame towards `target` in the world.
pub(crate) fn pull(
    definition: &SimulationDefinition,
    body: usize,
    (point, target): (DVec3, DVec3),
) -> MouseForce {
    let gravity = definition.settings.gravity.length();
    let long = LENGTHS * RATE * RATE * largest(definition);
    let maximum = mass(definition, body) * (WEIGHTS * gravity + long);
    MouseForce { body, point, target, rate: RATE, max_force: if maximum > 0.0 { maximum } else { 1.0 } }
}

/// Returns the mass of a body and of all bodies that joints connect to it, in kilograms.
fn mass(definition: &SimulationDefinition, body: usize) -> f64 {
    let mut is_connected = vec![false; definition.bodies.len()];
    let mut open = vec![body];
    let mut sum = 0.0;
    while let Some(body) = open.pop() {
        let Some(dynamics) = definition.bodies.get(body).and_then(|simulated| simulated.dynamics) else {
            continue;
        };
        if std::mem::replace(&mut is_connected[body], true) {
            continue;
        }
        sum += dynamics.mass;
        let joints = definition.joints.iter().filter(|joint| joint.bodies.contains(&body));
        open.extend(joints.flat_map(|joint| joint.bodies));
    }
    sum
}

/// The largest diagonal of a dynamic body, in metres.
fn largest(definition: &SimulationDefinition) -> f64 {
    let bodies = definition.scene.bodies().iter().zip(&definition.bodies);
    let dynamic = bodies.filter(|(_, simulated)| simulated.dynamics.is_some());
    let sizes = dynamic.filter_map(|(body, _)| Some(body.shape.as_ref()?.drawn().diagonal()));
    sizes.fold(0.0, f64::max)
}
