//! Bodies that are keyframed until their first contact, and dynamic from then on.
//!
//! While such a body waits, it moves as the scene says, and its contacts get no impulses. As for a bounce, a step
//! ends just before the body touches anything. There it is released with the velocities of its motion, and its
//! contacts are solved as those of any dynamic body.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::simulate::recorded::Released;
use crate::simulate::state::rigid::RigidState;
use crate::simulate::state::springs::PenaltySpring;
use crate::simulate::state::world::{MotionTime, World};
use crate::simulate::state::{StepState, satisfy_joints};

/// The waiting bodies that touch something, at a gap of at most `gap` (with springs, at least their zone), in order.
pub(crate) fn waiting_bodies_in_contact(world: &World, state: &StepState, gap: f64) -> Vec<usize> {
    let gap = if world.is_sprung() { gap.max(PenaltySpring::zone(world)) } else { gap };
    let touches = state.waiting_contacts.iter().filter(|touch| touch.gap <= gap);
    with_joined_bodies(world, touches.flat_map(|touch| touch.bodies).collect())
}

/// The waiting bodies among these, and all waiting bodies that joints connect to them, in order.
pub(crate) fn with_joined_bodies(world: &World, mut open: Vec<usize>) -> Vec<usize> {
    let mut is_found = vec![false; world.numbers.len()];
    while let Some(body) = open.pop() {
        if !world.awaits_contact([body; 2]) || std::mem::replace(&mut is_found[body], true) {
            continue;
        }
        let joints = world.definition.joints.iter().filter(|joint| joint.bodies.contains(&body));
        open.extend(joints.flat_map(|joint| joint.bodies));
    }
    (0..is_found.len()).filter(|body| is_found[*body]).collect()
}

/// Makes waiting bodies dynamic, at their poses at the time of `state`; `within` is a time of the smooth interval
/// of the keyframed motions that leads there. `state` then has the contacts at this time only. (A search for the
/// contacts of a whole step reaches further, and merges several contacts of a fast body into one.)
/// [`recollect_contacts`] finds the contacts of the next step.
///
/// Returns the energy that joints dissipate, in joules, because the velocities of the motions do not fit them.
///
/// # Errors
/// Joints whose equations are singular within rounding.
pub(crate) fn release(
    world: &mut World,
    state: &mut StepState,
    bodies: &[usize],
    within: f64,
) -> Result<f64, Error> {
    let time = state.time;
    let dynamic = world.dynamic.iter().copied().zip(&state.rigid);
    let all: BTreeMap<usize, RigidState> = dynamic
        .chain(world.waiting.iter().copied().zip(&state.waiting))
        .map(|(body, own)| (body, *own))
        .collect();
    world.released.extend(bodies.iter().map(|body| Released { body: *body, time }));
    world.classify_bodies();
    let rigid = world.dynamic.iter().filter_map(|body| all.get(body).copied()).collect();
    *state = rebuild(world, state, rigid, within, 0.0)?;
    satisfy_joints(world, state, MotionTime { time, within })
}

/// Finds again the contacts at the time of `state`, and no later ones.
///
/// # Errors
/// As [`release`].
pub(crate) fn present_contacts(world: &World, state: &mut StepState, within: f64) -> Result<(), Error> {
    *state = rebuild(world, state, state.rigid.clone(), within, 0.0)?;
    Ok(())
}

/// Finds again the contacts that the next step may have.
///
/// # Errors
/// As [`release`].
pub(crate) fn recollect_contacts(world: &World, state: &mut StepState, within: f64) -> Result<(), Error> {
    *state = rebuild(world, state, state.rigid.clone(), within, world.definition.step)?;
    Ok(())
}

/// A state at the same time, with the contacts now or within a time.
fn rebuild(
    world: &World,
    state: &StepState,
    rigid: Vec<RigidState>,
    within: f64,
    ahead: f64,
) -> Result<StepState, Error> {
    let at = MotionTime { time: state.time, within };
    let mut next = StepState::new(world, rigid, at, ahead, &())?;
    if let Some(springs) = &state.springs {
        next.attach_springs(world, within, Some(springs));
    }
    next.warm = state.warm.clone();
    Ok(next)
}
