//! Islands of resting bodies fall asleep, so that they cost no work, and wake when something approaches them.
//!
//! An island is a set of bodies that contacts and joints connect. It falls asleep when all its bodies have been slow
//! for a while, one of them leans on a static body, and no keyframed moving body or mouse force acts on it. While it
//! sleeps, its bodies keep their poses to the last bit, no forces act on them, and its contacts keep the impulses of
//! the last step. It wakes, as a whole, before an awake body comes within twice the rest gap, gives it an impulse, or
//! is blocked by it.

use glam::DVec3;

use crate::math::disjoint_sets::DisjointSets;
use crate::simulate::state::nearby::radius;
use crate::simulate::state::world::{World, rest_gap};
use crate::simulate::state::{AppliedImpulse, StepState, WarmImpulses};
use crate::simulate::stepping::FreeFlight;

/// A body rests while no point of it is faster than this fraction of the speed that gravity adds in a step.
const REST_SPEED: f64 = 1e-3;

/// An island sleeps after resting for this time in seconds, and for `REST_STEPS` of the largest steps.
const REST_TIME: f64 = 0.25;
const REST_STEPS: f64 = 10.0;

/// Bodies closer than `SUPPORT_GAP` rest gaps lean on each other; sleeping bodies wake within `WAKE_GAP` rest gaps.
const SUPPORT_GAP: f64 = 4.0;
const WAKE_GAP: f64 = 2.0;

/// How long each body has rested, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SleepTimers(Vec<f64>);

impl SleepTimers {
    pub(crate) fn new(bodies: usize) -> Self {
        Self(vec![0.0; bodies])
    }

    /// Updates the timers after a step.
    pub(crate) fn update_timers(&mut self, world: &World, flight: &FreeFlight, next: &StepState) {
        let slow = REST_SPEED * world.definition.gravity.length() * world.definition.step;
        for (rigid, body) in next.rigid.iter().zip(&world.dynamic) {
            let radius = radius(world, *body);
            let speed = |[linear, angular]: [DVec3; 2]| linear.length() + radius * angular.length();
            let fastest = speed([rigid.linear, rigid.angular]).max(speed(flight.velocities[*body]));
            let is_resting = fastest < slow && world.is_mobile(*body);
            self.0[*body] = if is_resting { self.0[*body] + flight.duration } else { 0.0 };
        }
    }

    /// Restarts the timers of islands that fall asleep: their bodies must rest again after waking, even in the next
    /// step.
    pub(crate) fn restart(&mut self, islands: &[Vec<usize>]) {
        islands.iter().flatten().for_each(|body| self.0[*body] = 0.0);
    }

    /// The islands that have rested long enough, their bodies sorted.
    pub(crate) fn islands(&self, world: &World, state: &StepState) -> Vec<Vec<usize>> {
        let rest_time = REST_TIME.max(REST_STEPS * world.definition.step);
        let is_resting = |body: usize| self.0[body] >= rest_time;
        let is_free = |body: usize| world.is_mobile(body);
        // Sleeping bodies cannot hold what springs hold in their zones.
        let may_sleep =
            !world.is_sprung() && world.dynamic.iter().any(|body| is_free(*body) && is_resting(*body));
        if !may_sleep {
            return Vec::new();
        }
        let mut islands = DisjointSets::new(world.numbers.len());
        let (mut is_supported, mut is_driven) =
            (vec![false; world.numbers.len()], vec![false; world.numbers.len()]);
        let near = SUPPORT_GAP * rest_gap(world);
        let touches = state.contact_points().into_iter().filter(|touch| touch.gap <= near);
        let joints = world.joints.iter().map(|joint| joint.bodies);
        for bodies in touches.map(|touch| touch.bodies).chain(joints) {
            for [one, other] in [bodies, [bodies[1], bodies[0]]] {
                if is_free(one) {
                    if is_free(other) {
                        islands.join(one, other);
                    } else if world.is_immobile(other)
                        && !world.stopped[other]
                        && !world.awaits_contact([other; 2])
                    {
                        is_supported[one] = true;
                    } else {
                        is_driven[one] = true;
                    }
                }
            }
        }
        if let Some(pull) = world.pull {
            is_driven[pull.body] = true;
        }
        let mut found: Vec<Vec<usize>> = vec![Vec::new(); world.numbers.len()];
        for body in world.dynamic.iter().copied().filter(|body| is_free(*body)) {
            found[islands.lowest(body)].push(body);
        }
        found.retain(|own| {
            own.iter().any(|body| is_supported[*body])
                && own.iter().all(|body| is_resting(*body) && !is_driven[*body])
        });
        found
    }
}

/// Puts islands to sleep; returns the kinetic energy that they lose, in joules. The state must then be rebuilt.
pub(crate) fn fall_asleep(world: &mut World, state: &mut StepState, islands: &[Vec<usize>]) -> f64 {
    let mut lost = 0.0;
    for island in islands {
        for body in island {
            world.asleep[*body] = island.first().copied();
            if let Some(number) = world.numbers[*body] {
                lost += state.rigid[number].halt();
            }
        }
    }
    world.link_articulations();
    lost
}

/// Wakes the islands of these bodies; returns whether there are any. The state must then be rebuilt.
pub(crate) fn wake(world: &mut World, bodies: &[usize]) -> bool {
    let woken: Vec<usize> = bodies.iter().filter_map(|body| world.asleep[*body]).collect();
    if woken.is_empty() {
        return false;
    }
    for own in &mut world.asleep {
        *own = own.filter(|island| !woken.contains(island));
    }
    world.link_articulations();
    true
}

/// The sleeping bodies among these.
pub(crate) fn sleeping_bodies(world: &World, bodies: impl Iterator<Item = usize>) -> Vec<usize> {
    bodies.filter(|body| world.asleep[*body].is_some()).collect()
}

/// The sleeping bodies that wake because a moving body is near.
pub(crate) fn disturbed_bodies(world: &World, state: &StepState) -> Vec<usize> {
    let near = WAKE_GAP * rest_gap(world);
    let contacts = state.contacts.iter().map(|contact| &contact.touch);
    sleeping_bodies(world, contacts.filter(|touch| touch.gap <= near).flat_map(|touch| touch.bodies))
}

/// The impulses of contacts between sleeping bodies in a time, scaled from the previous ones.
pub(crate) fn sleeping_impulses(world: &World, before: &WarmImpulses, duration: f64) -> Vec<AppliedImpulse> {
    let is_asleep = |body: &usize| world.asleep[*body].is_some();
    let sleeps = |own: &&AppliedImpulse| {
        let bodies = own.touch.bodies;
        bodies.iter().any(is_asleep) && bodies.iter().all(|body| world.is_immobile(*body))
    };
    let ratio = duration / before.duration;
    let scaled = |own: &AppliedImpulse| AppliedImpulse {
        impulse: ratio * own.impulse,
        normal_impulse: ratio * own.normal_impulse,
        ..*own
    };
    before.impulses.iter().filter(sleeps).map(scaled).collect()
}
