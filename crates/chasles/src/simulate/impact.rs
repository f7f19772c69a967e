//! Impacts: contacts fast enough to rebound. Restitution gives the impulses of all touching bodies at one time.

use glam::DVec3;

use crate::error::Error;
use crate::impulses::problem::{ImpulseContact, ImpulseJoint, ImpulseOutcome, ImpulseProblem, Unsolvable};
use crate::simulate::joints::problem;
use crate::simulate::recorded::MomentContact;
use crate::simulate::rows::SolverBody;
use crate::simulate::stepping::{AppliedImpulse, StepState, bounces};
use crate::simulate::world::{World, rest_gap};

/// The result of an impact.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Impact {
    /// New velocities of all bodies, the impulses, and the dissipated energy in joules.
    Bounced { velocities: Vec<[DVec3; 2]>, borne: Vec<AppliedImpulse>, taken: f64 },
    /// No velocities satisfy all contacts: these bodies block each other.
    Crushed(Vec<usize>),
    /// The solver did not converge.
    Unsettled,
}

/// The result of all impacts at one time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Impacts {
    /// Their contacts, and the dissipated energy in joules.
    Over(Vec<MomentContact>, f64),
    /// These bodies block each other.
    Crushed(Vec<usize>),
}

/// The gap at which bodies rebound, as a fraction of the rest gap; they touch within `MET` times that gap.
pub(crate) const HIT: f64 = 1e-3;
pub(crate) const MET: f64 = 4.0;

/// Maximum number of successive impacts at one time, and in one step; later contacts do not rebound.
const ROUNDS: u32 = 8;
pub(crate) const EVENTS: u32 = 200;

/// Contacts with a gap of at most `TOUCHING` rest gaps take part in an impact.
const TOUCHING: f64 = 2.0;

/// Maximum number of contacts in one impact.
const MOST: usize = 48;

impl StepState {
    /// The contacts within a gap that approach fast enough to rebound faster than `gentle`.
    pub(crate) fn bouncing(&self, velocities: &[[DVec3; 2]], upper: f64, gentle: f64) -> Vec<usize> {
        let is_bouncing = |i: &usize| {
            let contact = &self.contacts[*i];
            contact.touch.gap <= upper && bounces(contact, velocities, gentle)
        };
        (0..self.contacts.len()).filter(is_bouncing).collect()
    }

    /// Solves an impact of the contacts that rebound, with everything that contacts and joints connect to them.
    ///
    /// # Errors
    /// Velocities that are not finite.
    pub(crate) fn impact(
        &self,
        world: &World,
        (movers, bouncing): (&[SolverBody], &[usize]),
        rest: f64,
        elastic: bool,
    ) -> Result<Impact, Error> {
        let touching: Vec<usize> =
            (0..self.contacts.len()).filter(|i| self.contacts[*i].touch.gap <= TOUCHING * rest).collect();
        // The connected dynamic bodies.
        let mut included = vec![false; movers.len()];
        let mut open: Vec<usize> = bouncing.iter().flat_map(|i| self.contacts[*i].touch.bodies).collect();
        while let Some(body) = open.pop() {
            if included[body] {
                continue;
            }
            included[body] = true;
            if movers[body].mass.is_none() {
                continue;
            }
            if let Some((articulation, _)) = movers[body].joined {
                open.extend(&world.articulations[articulation].members);
            }
            for i in &touching {
                let bodies = self.contacts[*i].touch.bodies;
                if bodies.contains(&body) {
                    open.extend(bodies);
                }
            }
        }
        let mut own: Vec<usize> = touching
            .into_iter()
            .chain(bouncing.iter().copied())
            .filter(|i| {
                let bodies = self.contacts[*i].touch.bodies;
                bodies.iter().any(|body| included[*body] && movers[*body].mass.is_some())
                    && bodies.iter().all(|body| included[*body])
            })
            .collect();
        own.sort_unstable();
        own.dedup();
        if own.len() > MOST {
            return Ok(Impact::Unsettled);
        }
        let members: Vec<usize> = (0..movers.len()).filter(|body| included[*body]).collect();
        let number = |body: usize| members.binary_search(&body).unwrap_or(0);
        let bodies = members.iter().map(|body| movers[*body].body());
        let contacts = own.iter().map(|i| {
            let touch = &self.contacts[*i].touch;
            ImpulseContact {
                bodies: touch.bodies.map(number),
                point: touch.point,
                normal: touch.normal,
                elasticity: if elastic { touch.elasticity } else { 0.0 },
                friction: touch.friction,
            }
        });
        let mut joints: Vec<ImpulseJoint> = Vec::new();
        for articulation in &world.articulations {
            if articulation.members.iter().any(|body| included[*body] && movers[*body].mass.is_some()) {
                let part = problem(articulation, &world.joints, movers, &self.poses);
                let to = |body: usize| number(articulation.members[body]);
                joints.extend(
                    part.joints.iter().map(|joint| ImpulseJoint { bodies: joint.bodies.map(to), ..*joint }),
                );
            }
        }
        let asked = ImpulseProblem { bodies: bodies.collect(), contacts: contacts.collect(), joints };
        Ok(match asked.solve()? {
            ImpulseOutcome::Solved(answer) => {
                let mut velocities: Vec<[DVec3; 2]> = movers.iter().map(|mover| mover.velocity).collect();
                members.iter().zip(&answer.velocities).for_each(|(body, own)| velocities[*body] = *own);
                let borne = own.iter().zip(&answer.contacts).filter(|(_, own)| own.impulse != DVec3::ZERO);
                let borne = borne.map(|(i, own)| {
                    let touch = self.contacts[*i].touch;
                    AppliedImpulse { touch, impulse: own.impulse, push: own.impulse.dot(touch.normal) }
                });
                Impact::Bounced { velocities, borne: borne.collect(), taken: answer.energy.dissipated }
            }
            ImpulseOutcome::Unsolvable(Unsolvable::Contact(contact)) => {
                let bodies = self.contacts[own[contact]].touch.bodies;
                let dynamic = bodies.into_iter().filter(|body| movers[*body].mass.is_some());
                let mut crushed: Vec<usize> = dynamic.collect();
                let beside = own.iter().map(|i| self.contacts[*i].touch.bodies);
                let beside = beside.filter(|bodies| bodies.iter().any(|body| crushed.contains(body)));
                let keyed: Vec<usize> = beside
                    .flatten()
                    .filter(|body| movers[*body].mass.is_none() && !crushed.contains(body))
                    .collect();
                crushed.extend(keyed);
                crushed.sort_unstable();
                crushed.dedup();
                Impact::Crushed(crushed)
            }
            ImpulseOutcome::Unsolvable(Unsolvable::Joint(_)) | ImpulseOutcome::Unsettled => Impact::Unsettled,
        })
    }
}

impl AppliedImpulse {
    pub(crate) fn moment_contact(&self, time: f64) -> MomentContact {
        let touch = self.touch;
        MomentContact {
            bodies: touch.bodies,
            time,
            point: touch.point,
            normal: touch.normal,
            impulse: self.impulse,
        }
    }
}

/// Solves successive impacts of the contacts that touch.
pub(crate) fn impacts(
    world: &World,
    next: &mut StepState,
    (time, within): (f64, f64),
    gentle: f64,
    events: &mut u32,
) -> Result<Impacts, Error> {
    let rest = rest_gap(world);
    let (mut contacts, mut sum) = (Vec::new(), 0.0);
    for round in 0.. {
        let movers = world.movers(&next.rigid, time, within);
        let velocities: Vec<[DVec3; 2]> = movers.iter().map(|mover| mover.velocity).collect();
        let bouncing = next.bouncing(&velocities, MET * HIT * rest, gentle);
        if bouncing.is_empty() {
            break;
        }
        let impact = next.impact(world, (&movers, &bouncing), rest, true)?;
        match impact {
            Impact::Bounced { velocities, borne, taken } if round < ROUNDS => {
                next.set(world, &velocities);
                contacts.extend(borne.iter().map(|borne| borne.moment_contact(time)));
                sum += taken;
                *events += 1;
            }
            Impact::Crushed(bodies) => return Ok(Impacts::Crushed(bodies)),
            // The next step answers the remaining contacts, without a rebound.
            Impact::Bounced { .. } | Impact::Unsettled => {
                *events = EVENTS;
                break;
            }
        }
    }
    Ok(Impacts::Over(contacts, sum))
}
