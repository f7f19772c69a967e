//! Bodies that are keyframed until their first contact, and dynamic from then on.
//!
//! While such a body waits, it moves as the scene says, and its contacts get no impulses. As for a bounce, a step
//! ends just before the body touches anything. There it is released with the velocities of its motion, and its
//! contacts are solved as those of any dynamic body.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::simulate::definition::SimulationMethod;
use crate::simulate::recorded::Released;
use crate::simulate::rigid::RigidState;
use crate::simulate::springs::PenaltySpring;
use crate::simulate::stepping::StepState;
use crate::simulate::world::World;

/// The waiting bodies that touch something, at a gap of at most `gap` (with springs, at least their zone), in order.
pub(crate) fn touching(world: &World, station: &StepState, gap: f64) -> Vec<usize> {
    let is_sprung = world.definition.method == SimulationMethod::Spring;
    let gap = if is_sprung { gap.max(PenaltySpring::zone(world)) } else { gap };
    let touches = station.awaited.iter().filter(|touch| touch.gap <= gap);
    with_joined(world, touches.flat_map(|touch| touch.bodies).collect())
}

/// The waiting bodies among these, and all waiting bodies that joints connect to them, in order.
pub(crate) fn with_joined(world: &World, mut open: Vec<usize>) -> Vec<usize> {
    let mut found = vec![false; world.numbers.len()];
    while let Some(body) = open.pop() {
        if !world.awaits_contact([body; 2]) || std::mem::replace(&mut found[body], true) {
            continue;
        }
        let joints = world.definition.joints.iter().filter(|joint| joint.bodies.contains(&body));
        open.extend(joints.flat_map(|joint| joint.bodies));
    }
    (0..found.len()).filter(|body| found[*body]).collect()
}

/// Makes waiting bodies dynamic, at their poses at the time of `station`; `within` is a time of the smooth interval
/// of the keyframed motions that leads there. `station` then has only the contacts right there, but for a fast body
/// all of them, which merge into one from further away. [`recollect_contacts`] finds the contacts of the next step.
///
/// # Errors
/// Joints whose equations are singular within rounding.
pub(crate) fn release(
    world: &mut World,
    station: &mut StepState,
    (bodies, within): (&[usize], f64),
) -> Result<(), Error> {
    let time = station.time;
    let dynamic = world.dynamic.iter().copied().zip(&station.rigid);
    let all: BTreeMap<usize, RigidState> = dynamic
        .chain(world.waiting.iter().copied().zip(&station.held))
        .map(|(body, own)| (body, *own))
        .collect();
    world.released.extend(bodies.iter().map(|body| Released { body: *body, time }));
    world.sort_bodies();
    let rigid = world.dynamic.iter().filter_map(|body| all.get(body).copied()).collect();
    *station = rebuilt(world, station, (rigid, within), 0.0)?;
    Ok(())
}

/// Finds again the contacts that the next step may have.
///
/// # Errors
/// As [`release`].
pub(crate) fn recollect_contacts(world: &World, station: &mut StepState, within: f64) -> Result<(), Error> {
    let rigid = std::mem::take(&mut station.rigid);
    *station = rebuilt(world, station, (rigid, within), world.definition.step)?;
    Ok(())
}

/// A state at the same time, with the contacts now or within a time.
fn rebuilt(
    world: &World,
    station: &StepState,
    (rigid, within): (Vec<RigidState>, f64),
    ahead: f64,
) -> Result<StepState, Error> {
    let mut next = StepState::new(world, rigid, (station.time, within), ahead, &())?;
    if let Some(springs) = &station.springs {
        next.attach(world, within, Some(springs));
    }
    next.warm = station.warm.clone();
    Ok(next)
}
