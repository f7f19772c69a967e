//! The state of a simulation, as it is sent to all clients.

use std::collections::BTreeMap;

use chasles::{MomentContact, SimulationDefinition, SimulationEnergy, SimulationState, StepResult};
use chasles_formats::figures::number;
use serde::Serialize;

use crate::jog::state::PlainPose;
use crate::limits;
use crate::playback::{packed_places, seven};

/// The state of a simulation, without the client in control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SimulationStatus {
    /// In seconds.
    pub(crate) time: f64,
    pub(crate) running: bool,
    /// Seconds of the simulation per second of real time; 1 if the simulation keeps up.
    pub(crate) pace: f64,
    /// The number of starts.
    pub(crate) runs: u64,
    /// The pose of each body of the scene, in the world. `None` for a body that never moves.
    pub(crate) poses: Vec<Option<PlainPose>>,
    /// For each flexible body: its number, and the positions of its vertices in the frame that it has at time 0,
    /// encoded like positions in the document.
    pub(crate) shapes: Vec<(usize, String)>,
    /// Impulses since the previous state: bodies a and b, then time, point, and impulse on b.
    pub(crate) impulses: Vec<(usize, usize, [f64; 7])>,
    /// The number of weaker impulses that were left out.
    pub(crate) weaker: usize,
    /// Kinetic, potential and dissipated energy, in joules.
    pub(crate) energy: [f64; 3],
    pub(crate) hand: Option<MouseGrab>,
    /// Why the simulation has ended. `None` while it can continue.
    pub(crate) end: Option<String>,
    /// Why the simulation was paused, if no client paused it.
    pub(crate) paused: Option<&'static str>,
}

/// The point at which a hand holds a body, and the target of the hand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct MouseGrab {
    pub(crate) body: usize,
    /// In the body's frame, in metres.
    pub(crate) point: [f64; 3],
    /// In the world, in metres.
    pub(crate) target: [f64; 3],
}

/// Poses of the bodies of a scene at a moment.
pub(crate) fn poses(
    definition: &SimulationDefinition,
    moves: &[bool],
    moment: &SimulationState,
) -> Vec<Option<PlainPose>> {
    let mut dynamic = moment.poses.iter();
    let bodies = definition.bodies.iter().zip(moves).enumerate();
    bodies
        .map(|(number, (body, moves))| match body.dynamics {
            Some(_) => dynamic.next().map(seven),
            None => moves.then(|| seven(&definition.scene.pose_at(number, moment.time))),
        })
        .collect()
}

/// The shapes of the flexible bodies at a moment.
pub(crate) fn shapes(definition: &SimulationDefinition, moment: &SimulationState) -> Vec<(usize, String)> {
    let scene = &definition.scene;
    let flexible_bodies = definition.flexible.iter().zip(&moment.flexible);
    flexible_bodies
        .filter_map(|(flexible_body, state)| {
            let shape = scene.bodies().get(flexible_body.body)?.shape.as_ref()?;
            let frame = scene.pose_at(flexible_body.body, 0.0).inverse();
            let places = state.vertices.iter().map(|vertex| frame.transform_point(*vertex));
            Some((flexible_body.body, packed_places(shape, places)))
        })
        .collect()
}

/// Impulses between the same two bodies are merged if the cosine of the angle between their normals exceeds this value.
const MERGE_COSINE: f64 = 0.95;

/// Merges the impulses of several moments: a lasting contact gets the sum of its impulses, with the point and time
/// of its last impulse.
fn merged(contacts: &[MomentContact]) -> Vec<MomentContact> {
    let mut sums: BTreeMap<[usize; 2], Vec<MomentContact>> = BTreeMap::new();
    for contact in contacts {
        let pair_contacts = sums.entry(contact.bodies).or_default();
        match pair_contacts.iter_mut().find(|sum| sum.normal.dot(contact.normal) > MERGE_COSINE) {
            Some(sum) => *sum = MomentContact { impulse: sum.impulse + contact.impulse, ..*contact },
            None => pair_contacts.push(*contact),
        }
    }
    sums.into_values().flatten().collect()
}

/// The strongest impulses, and the number of weaker ones that were left out.
pub(crate) fn strongest(contacts: &[MomentContact]) -> (Vec<(usize, usize, [f64; 7])>, usize) {
    let mut contacts = merged(contacts);
    contacts.sort_by(|one, other| other.impulse.length().total_cmp(&one.impulse.length()));
    let weaker = contacts.len().saturating_sub(limits::SIMULATION_IMPULSES);
    contacts.truncate(limits::SIMULATION_IMPULSES);
    let plain = |contact: MomentContact| {
        let ([x, y, z], [u, v, w]) = (contact.point.to_array(), contact.impulse.to_array());
        let [a, b] = contact.bodies;
        (a, b, [contact.time, x, y, z, u, v, w])
    };
    (contacts.into_iter().map(plain).collect(), weaker)
}

/// Kinetic, potential and dissipated energy, in joules.
pub(crate) fn energy(energy: SimulationEnergy) -> [f64; 3] {
    [energy.kinetic, energy.potential, energy.dissipated]
}

/// The reason for which a simulation has ended, as text; `None` if it has not ended.
pub(crate) fn end(definition: &SimulationDefinition, advance: &StepResult) -> Option<String> {
    let names = |bodies: &[usize]| {
        let name = |body: &usize| definition.scene.bodies().get(*body).map_or("", |body| body.name.as_str());
        bodies.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    match advance {
        StepResult::Finished => Some("the duration of the scene is over".into()),
        StepResult::Crushed { bodies, .. } => {
            Some(format!("crushed: no velocities keep {} out of each other", names(bodies)))
        }
        StepResult::Stuck { bodies, .. } => {
            let depth = number(definition.settings.depth);
            Some(format!("stuck: no step keeps {} from going deeper than {depth} m", names(bodies)))
        }
        StepResult::Moments(_) | StepResult::Stopped => None,
    }
}

#[cfg(test)]
mod tests {
    use chasles::glam::DVec3;

    use super::*;

    fn contact(bodies: [usize; 2], time: f64, impulse: DVec3) -> MomentContact {
        MomentContact { bodies, time, point: time * DVec3::X, normal: impulse.normalize(), impulse }
    }

    #[test]
    fn lasting_contacts_are_one_impulse_and_the_strongest_come_first() {
        let list = [
            contact([0, 1], 0.1, DVec3::Z),
            contact([0, 2], 0.1, DVec3::Z),
            contact([0, 1], 0.2, 2.0 * DVec3::Z),
            contact([0, 1], 0.2, 0.5 * DVec3::X),
        ];
        let (rate, weaker) = strongest(&list);
        let expected = [
            (0, 1, [0.2, 0.2, 0.0, 0.0, 0.0, 0.0, 3.0]),
            (0, 2, [0.1, 0.1, 0.0, 0.0, 0.0, 0.0, 1.0]),
            (0, 1, [0.2, 0.2, 0.0, 0.0, 0.5, 0.0, 0.0]),
        ];
        assert_eq!((rate, weaker), (expected.to_vec(), 0));
    }

    #[test]
    fn the_strongest_impulses_are_listed_and_the_others_counted() {
        let mut amount = 0.0;
        let list: Vec<MomentContact> = (0..1000)
            .map(|body| {
                amount += 1.0;
                contact([body, 1000], 0.1, amount * DVec3::Y)
            })
            .collect();
        let (rate, weaker) = strongest(&list);
        assert_eq!((rate.len(), weaker, rate[0].2[5], rate[199].2[5]), (200, 800, 1000.0, 801.0));
    }
}
