//! How a hand pulls: fast enough to be followed, not so hard that bodies are thrown about.

use chasles::glam::DVec3;
use chasles::{MouseForce, SimulationDefinition};

/// In radians a second: a body is where the hand is in a third of a second.
const RATE: f64 = 15.0;

/// The hand's strength: so many weights of what it pulls.
const WEIGHTS: f64 = 3.0;

/// And, for where there is little gravity, the pull of the spring where it is so many times as long as the largest body.
const LENGTHS: f64 = 0.2;

/// A pull at a body by a point, which goes nowhere yet.
pub(crate) fn pull(
    definition: &SimulationDefinition,
    body: usize,
    (point, target): (DVec3, DVec3),
) -> MouseForce {
    let gravity = definition.gravity.length();
    let long = LENGTHS * RATE * RATE * largest(definition);
    let most = mass(definition, body) * (WEIGHTS * gravity + long);
    MouseForce { body, point, target, rate: RATE, most: if most > 0.0 { most } else { 1.0 } }
}

/// The mass of a body and of all that joints hold to it, in kilograms.
fn mass(definition: &SimulationDefinition, body: usize) -> f64 {
    let mut held = vec![false; definition.bodies.len()];
    let mut open = vec![body];
    let mut sum = 0.0;
    while let Some(body) = open.pop() {
        let Some(dynamics) = definition.bodies.get(body).and_then(|own| own.dynamics) else { continue };
        if std::mem::replace(&mut held[body], true) {
            continue;
        }
        sum += dynamics.mass;
        let joints = definition.joints.iter().filter(|joint| joint.bodies.contains(&body));
        open.extend(joints.flat_map(|joint| joint.bodies));
    }
    sum
}

/// The greatest diagonal of a dynamic body, in metres.
fn largest(definition: &SimulationDefinition) -> f64 {
    let bodies = definition.scene.bodies().iter().zip(&definition.bodies);
    let dynamic = bodies.filter(|(_, own)| own.dynamics.is_some());
    let sizes = dynamic.filter_map(|(body, _)| Some(body.shape.as_ref()?.drawn().diagonal()));
    sizes.fold(0.0, f64::max)
}
