//! Impacts: contacts fast enough to rebound. Restitution gives the impulses of all touching bodies at one time.

use glam::DVec3;

use crate::error::Error;
use crate::impulses::problem::{
    ImpulseContact, ImpulseEnergy, ImpulseJoint, ImpulseOutcome, ImpulseProblem, Unsolvable,
};
use crate::simulate::definition::ImpactOrder;
use crate::simulate::recorded::{EnergyLosses, MomentContact};
use crate::simulate::rows::{ContactPoint, SolverBody};
use crate::simulate::state::joints::problem;
use crate::simulate::state::world::{MotionTime, World, rest_gap};
use crate::simulate::state::{AppliedImpulse, StepState, bounces, velocities};

/// The result of an impact.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Impact {
    /// New velocities of all bodies, the impulses, and the dissipated energy.
    Bounced { velocities: Vec<[DVec3; 2]>, impulses: Vec<AppliedImpulse>, losses: EnergyLosses },
    /// No velocities satisfy all contacts: these bodies block each other.
    Crushed(Vec<usize>),
    /// The solver did not converge.
    Unsettled,
}

/// The result of all impacts at one time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Impacts {
    /// Their contacts, and the dissipated energy.
    Solved { contacts: Vec<MomentContact>, losses: EnergyLosses },
    /// These bodies block each other.
    Crushed(Vec<usize>),
}

/// The contacts that start an impact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImpactStart<'m> {
    /// All bodies.
    pub(crate) solver_bodies: &'m [SolverBody],
    /// The numbers of these contacts.
    pub(crate) contacts: &'m [usize],
    /// The rest gap, in metres: contacts that rest take part if their gap is at most twice as large.
    pub(crate) rest: f64,
    pub(crate) rebound: Rebound,
}

/// How contacts rebound in an impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rebound {
    /// With the restitution of their surfaces.
    Elastic,
    /// Not at all.
    Inelastic,
}

/// The bodies and contacts of an impact as an impulse problem.
struct ImpactProblem {
    /// The numbers of the bodies in the scene.
    members: Vec<usize>,
    /// The numbers of the contacts.
    contacts: Vec<usize>,
    problem: ImpulseProblem,
}

/// The gap at which bodies rebound, as a fraction of the rest gap; they touch within `TOUCHING_FACTOR` times that gap.
const REBOUND_GAP: f64 = 1e-3;
const TOUCHING_FACTOR: f64 = 4.0;

/// Maximum number of successive impacts of several contacts at one time, and of impacts since the last whole step; later
/// contacts do not rebound.
const MAX_ROUNDS: u32 = 8;
pub(crate) const MAX_IMPACTS: u32 = 200;

/// Contacts that rest have a gap of at most this number of rest gaps.
const INCLUDED_GAP: f64 = 2.0;

/// Maximum number of contacts in one impact.
const MAX_CONTACTS: usize = 48;

/// The gap at which bodies rebound, in metres.
pub(crate) fn rebound_gap(world: &World) -> f64 {
    REBOUND_GAP * rest_gap(world)
}

/// The gap within which bodies touch, in metres.
pub(crate) fn touching_gap(world: &World) -> f64 {
    TOUCHING_FACTOR * REBOUND_GAP * rest_gap(world)
}

/// The contacts within a gap that approach fast enough to rebound faster than `min_rebound`.
fn bouncing_contacts(
    state: &StepState,
    velocities: &[[DVec3; 2]],
    max_gap: f64,
    min_rebound: f64,
) -> Vec<usize> {
    let is_bouncing = |i: &usize| {
        let contact = &state.contacts[*i];
        contact.touch.gap <= max_gap && bounces(contact, velocities, min_rebound)
    };
    (0..state.contacts.len()).filter(is_bouncing).collect()
}

/// Solves an impact of the contacts that rebound, with everything that contacts and joints connect to them.
///
/// # Errors
/// Velocities that are not finite.
pub(crate) fn solve_impact(
    state: &StepState,
    world: &World,
    start: &ImpactStart<'_>,
) -> Result<Impact, Error> {
    let solver_bodies = start.solver_bodies;
    let Some(own) = impact_problem(state, world, start) else { return Ok(Impact::Unsettled) };
    Ok(match own.problem.solve()? {
        ImpulseOutcome::Solved(answer) => {
            let mut velocities = velocities(solver_bodies);
            own.members.iter().zip(&answer.velocities).for_each(|(body, own)| velocities[*body] = *own);
            let all = own.contacts.iter().zip(&answer.contacts);
            let impulses = all.filter(|(_, own)| own.impulse != DVec3::ZERO).map(|(i, own)| {
                let touch = state.contacts[*i].touch;
                AppliedImpulse { touch, impulse: own.impulse, normal_impulse: own.impulse.dot(touch.normal) }
            });
            let impulses: Vec<AppliedImpulse> = impulses.collect();
            let losses = losses(&impulses, solver_bodies, &velocities, answer.energy);
            Impact::Bounced { velocities, impulses, losses }
        }
        ImpulseOutcome::Unsolvable(Unsolvable::Contact(contact)) => {
            Impact::Crushed(crushed_bodies(state, solver_bodies, &own.contacts, own.contacts[contact]))
        }
        ImpulseOutcome::Unsolvable(Unsolvable::Joint(_)) | ImpulseOutcome::Unsettled => Impact::Unsettled,
    })
}

/// The impact as an impulse problem; `None` if it has too many contacts.
fn impact_problem(state: &StepState, world: &World, start: &ImpactStart<'_>) -> Option<ImpactProblem> {
    let ImpactStart { solver_bodies, contacts, rest, rebound } = *start;
    let touching = closed_contacts(state, rest);
    let is_included = connected_bodies(state, world, start, &touching);
    let mut own: Vec<usize> = touching
        .into_iter()
        .chain(contacts.iter().copied())
        .filter(|i| {
            let bodies = state.contacts[*i].touch.bodies;
            bodies.iter().any(|body| is_included[*body] && solver_bodies[*body].mass.is_some())
                && bodies.iter().all(|body| is_included[*body])
        })
        .collect();
    own.sort_unstable();
    own.dedup();
    if own.len() > MAX_CONTACTS {
        return None;
    }
    let members: Vec<usize> = (0..solver_bodies.len()).filter(|body| is_included[*body]).collect();
    let number = |body: usize| members.binary_search(&body).unwrap_or(0);
    let bodies = members.iter().map(|body| solver_bodies[*body].body()).collect();
    let contacts = own.iter().map(|i| {
        let touch = &state.contacts[*i].touch;
        ImpulseContact {
            bodies: touch.bodies.map(number),
            point: touch.point,
            normal: touch.normal,
            elasticity: if rebound == Rebound::Elastic { touch.elasticity } else { 0.0 },
            friction: touch.friction,
        }
    });
    let contacts = contacts.collect();
    let mut joints: Vec<ImpulseJoint> = Vec::new();
    for articulation in &world.articulations {
        if articulation.members.iter().any(|body| is_included[*body] && solver_bodies[*body].mass.is_some()) {
            let part = problem(articulation, &world.joints, solver_bodies, &state.poses);
            let to = |body: usize| number(articulation.members[body]);
            joints.extend(
                part.joints.iter().map(|joint| ImpulseJoint { bodies: joint.bodies.map(to), ..*joint }),
            );
        }
    }
    let problem = ImpulseProblem { bodies, contacts, joints };
    Some(ImpactProblem { members, contacts: own, problem })
}

/// The closed contacts, through which an impact propagates: they touch, or their bodies had a contact impulse in the
/// last step and are near the rest gap. An open contact of bodies without an impulse has an impact of its own later.
fn closed_contacts(state: &StepState, rest: f64) -> Vec<usize> {
    let impulses = state.warm.iter().flat_map(|warm| &warm.impulses);
    let mut loaded_pairs: Vec<[usize; 2]> = impulses.map(|own| own.touch.bodies).collect();
    loaded_pairs.sort_unstable();
    let is_closed = |touch: &ContactPoint| {
        touch.gap <= TOUCHING_FACTOR * REBOUND_GAP * rest
            || touch.gap <= INCLUDED_GAP * rest && loaded_pairs.binary_search(&touch.bodies).is_ok()
    };
    (0..state.contacts.len()).filter(|i| is_closed(&state.contacts[*i].touch)).collect()
}

/// By body: whether dynamic bodies connect it to a contact that rebounds, through joints and the `touching`
/// contacts.
fn connected_bodies(
    state: &StepState,
    world: &World,
    start: &ImpactStart<'_>,
    touching: &[usize],
) -> Vec<bool> {
    let ImpactStart { solver_bodies, contacts, .. } = *start;
    let mut is_included = vec![false; solver_bodies.len()];
    let mut open: Vec<usize> = contacts.iter().flat_map(|i| state.contacts[*i].touch.bodies).collect();
    while let Some(body) = open.pop() {
        if is_included[body] {
            continue;
        }
        is_included[body] = true;
        if solver_bodies[body].mass.is_none() {
            continue;
        }
        if let Some((articulation, _)) = solver_bodies[body].joined {
            open.extend(&world.articulations[articulation].members);
        }
        for i in touching {
            let bodies = state.contacts[*i].touch.bodies;
            if bodies.contains(&body) {
                open.extend(bodies);
            }
        }
    }
    is_included
}

/// The bodies that block each other if a contact of an impact must approach: the contact's dynamic bodies, and
/// the keyframed bodies that touch them.
fn crushed_bodies(
    state: &StepState,
    solver_bodies: &[SolverBody],
    contacts: &[usize],
    contact: usize,
) -> Vec<usize> {
    let bodies = state.contacts[contact].touch.bodies;
    let mut crushed: Vec<usize> =
        bodies.into_iter().filter(|body| solver_bodies[*body].mass.is_some()).collect();
    let pairs = contacts.iter().map(|i| state.contacts[*i].touch.bodies);
    let beside = pairs.filter(|bodies| bodies.iter().any(|body| crushed.contains(body)));
    let keyframed: Vec<usize> = beside
        .flatten()
        .filter(|body| solver_bodies[*body].mass.is_none() && !crushed.contains(body))
        .collect();
    crushed.extend(keyframed);
    crushed.sort_unstable();
    crushed.dedup();
    crushed
}

/// The energy that an impact dissipated, by cause. The work of an impulse is its product with
/// the mean of the relative velocities before and after it.
fn losses(
    impulses: &[AppliedImpulse],
    solver_bodies: &[SolverBody],
    after: &[[DVec3; 2]],
    energy: ImpulseEnergy,
) -> EnergyLosses {
    let (mut impacts, mut friction) = (0.0, 0.0);
    for own in impulses {
        let velocity = |side: usize| {
            let body = own.touch.bodies[side];
            let [linear, angular] = [0, 1].map(|i| 0.5 * (solver_bodies[body].velocity[i] + after[body][i]));
            linear + angular.cross(own.touch.point - solver_bodies[body].center)
        };
        let relative = velocity(1) - velocity(0);
        let along = own.touch.normal * own.normal_impulse;
        impacts -= along.dot(relative);
        friction -= (own.impulse - along).dot(relative);
    }
    let joints = energy.dissipated - impacts - friction;
    let (impacts, repeated) = (impacts - energy.repeated, energy.repeated);
    EnergyLosses { impacts, repeated, friction, joints, ..EnergyLosses::default() }
}

/// The contact of these that approaches fastest.
fn fastest(state: &StepState, contacts: &[usize], velocities: &[[DVec3; 2]]) -> Option<usize> {
    let speed = |i: usize| state.contacts[i].along_normal(velocities);
    contacts.iter().copied().min_by(|i, k| speed(*i).total_cmp(&speed(*k)))
}

/// Solves successive impacts of the contacts that touch, and adds their number to `count`. If an impact is not solved,
/// or too many follow each other, `count` becomes `MAX_IMPACTS`: later contacts do not rebound.
pub(crate) fn impacts(
    world: &World,
    next: &mut StepState,
    at: MotionTime,
    min_rebound: f64,
    count: &mut u32,
) -> Result<Impacts, Error> {
    // A contact that collides alone is connected to no other one.
    let (rest, max_rounds) = match world.definition.touching {
        ImpactOrder::Together => (rest_gap(world), MAX_ROUNDS),
        ImpactOrder::OneByOne => (f64::NEG_INFINITY, MAX_IMPACTS),
    };
    let (mut contacts, mut sum) = (Vec::new(), EnergyLosses::default());
    for round in 0.. {
        let solver_bodies = world.solver_bodies(&next.rigid, at);
        let before = velocities(&solver_bodies);
        let mut bouncing = bouncing_contacts(next, &before, touching_gap(world), min_rebound);
        if world.definition.touching == ImpactOrder::OneByOne {
            bouncing = fastest(next, &bouncing, &before).into_iter().collect();
        }
        if bouncing.is_empty() {
            break;
        }
        let start = ImpactStart {
            solver_bodies: &solver_bodies,
            contacts: &bouncing,
            rest,
            rebound: Rebound::Elastic,
        };
        match solve_impact(next, world, &start)? {
            Impact::Bounced { velocities, impulses, losses } if round < max_rounds => {
                next.set_velocities(world, &velocities);
                contacts.extend(impulses.iter().map(|own| own.moment_contact(at.time)));
                sum += losses;
                *count += 1;
            }
            Impact::Crushed(bodies) => return Ok(Impacts::Crushed(bodies)),
            // The next step answers the remaining contacts, without a rebound.
            Impact::Bounced { .. } | Impact::Unsettled => {
                *count = MAX_IMPACTS;
                break;
            }
        }
    }
    Ok(Impacts::Solved { contacts, losses: sum })
}
