//! Solves for contact impulses: contact by contact (projected Gauss-Seidel), warm-started from the step before, with
//! steps of nonsmooth nonlinear conjugate gradients (2010) in between.

use glam::DVec3;

use crate::simulate::rows::contact::{ContactRows, ContactTarget};

/// Sweeps end at this fraction of the largest change, or after `VISITS` contact updates, but within the bounds
/// `SWEEPS`. Many contacts are solved less exactly, and continue in the next step.
const SETTLED: f64 = 1e-7;
const VISITS: usize = 15_000;
const SWEEPS: [usize; 2] = [15, 1000];

/// Sweeps before the first step of conjugate gradients.
const PLAIN: usize = 5;

/// Changes below this fraction of the last sweep's change are not followed.
const LOCAL: f64 = 0.1;

/// Changes velocities by contact impulses in the friction cones until every contact meets its target, or the sweeps
/// are used up. A sweep skips contacts whose bodies have not changed since its last visit.
pub(crate) fn settle(
    contacts: &mut [ContactRows],
    asked: &[ContactTarget],
    velocities: &mut [[DVec3; 2]],
) -> Settled {
    let sweeps = (VISITS / contacts.len().max(1)).clamp(SWEEPS[0], SWEEPS[1]);
    settle_in([PLAIN, sweeps], contacts, asked, velocities)
}

/// [`settle`] with at most `sweeps` sweeps, of which `plain` come before the first step of conjugate gradients.
/// Starting without impulses, and if targets only stop an approach, plain sweeps without friction create no energy.
pub(crate) fn settle_in(
    [plain, sweeps]: [usize; 2],
    contacts: &mut [ContactRows],
    asked: &[ContactTarget],
    velocities: &mut [[DVec3; 2]],
) -> Settled {
    let mut scale = 0.0_f64;
    for contact in contacts.iter().filter(|contact| contact.impulses != [0.0; 3]) {
        let impulses = DVec3::from_array(contact.impulses);
        contact.apply(impulses, velocities);
        scale = scale.max((impulses.abs() * contact.answer.diagonal()).max_element());
    }
    let mut changes = Changes::new(velocities.len(), vec![0; contacts.len()]);
    // By contact: the direction of the conjugate gradients. `length`: the squared length of the change in a sweep.
    let (mut ways, mut length) = (Vec::new(), f64::INFINITY);
    let impulses = |contact: &ContactRows| DVec3::from_array(contact.impulses);
    let mut sweep = 0;
    loop {
        sweep += 1;
        let before: Vec<DVec3> = contacts.iter().map(impulses).collect();
        changes.least = 0.1 * SETTLED * scale;
        let most = changes.sweep(contacts, asked, velocities);
        scale = scale.max(most);
        if most <= SETTLED * scale || sweep >= sweeps {
            return Settled { most, scale };
        }
        // Continues past the change in this sweep, along the earlier directions.
        let steps = contacts.iter().zip(before).map(|(own, before)| impulses(own) - before);
        let steps: Vec<DVec3> = steps.collect();
        let own: f64 = steps.iter().map(|step| step.length_squared()).sum();
        let share = own / length;
        length = own;
        if share > 1.0 || sweep <= plain || ways.is_empty() {
            ways = steps;
            continue;
        }
        for (((contact, asked), way), step) in contacts.iter_mut().zip(asked).zip(&mut ways).zip(steps) {
            if contact.is_movable() && *way != DVec3::ZERO {
                let change = contact.extend(asked, share * *way, velocities);
                changes.note(contact, change);
            }
            *way = share * *way + step;
        }
    }
}

/// How a contact starts when a solution continues.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum WarmStart {
    /// It had this relative velocity along its rows, and keeps it as far as other contacts allow.
    AsIs(DVec3),
    /// The same, but its bodies have moved since.
    Disturbed(DVec3),
    /// It has a new target.
    Anew,
}

/// Continues a solution, whose impulses are in the velocities, with new targets for some contacts, until all
/// consequences are solved as exactly as the solution was.
pub(crate) fn settle_on(
    contacts: &mut [ContactRows],
    (asked, left): (&[ContactTarget], &[WarmStart]),
    velocities: &mut [[DVec3; 2]],
    settled: &mut Settled,
) {
    let seen = left.iter().map(|left| u64::from(matches!(left, WarmStart::AsIs(_)))).collect();
    let own = |((contact, asked), left): ((&ContactRows, &ContactTarget), &WarmStart)| match left {
        WarmStart::AsIs(relative) | WarmStart::Disturbed(relative) => asked.final_target(contact, *relative),
        WarmStart::Anew => *asked,
    };
    let asked: Vec<ContactTarget> = contacts.iter().zip(asked).zip(left).map(own).collect();
    let mut changes = Changes::new(velocities.len(), seen);
    while changes.visits < VISITS {
        changes.least = (0.1 * SETTLED * settled.scale).max(LOCAL * settled.most);
        let most = changes.sweep(contacts, &asked, velocities);
        settled.scale = settled.scale.max(most);
        if most <= changes.least {
            break;
        }
    }
}

/// The convergence of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Settled {
    /// The maximum change of the relative velocity at a contact in the last sweep.
    most: f64,
    /// The maximum of all such changes, and of the initial impulses.
    scale: f64,
}

/// Tracks when bodies changed.
struct Changes {
    bodies: Vec<u64>,
    /// By contact: its last visit.
    seen: Vec<u64>,
    now: u64,
    /// Smaller changes of the relative velocity at a contact are ignored.
    least: f64,
    visits: usize,
}

impl Changes {
    fn new(bodies: usize, seen: Vec<u64>) -> Self {
        Self { bodies: vec![1; bodies], seen, now: 1, least: 0.0, visits: 0 }
    }

    /// Updates in turn all contacts whose bodies changed since their last visit; returns the maximum change.
    fn sweep(
        &mut self,
        contacts: &mut [ContactRows],
        asked: &[ContactTarget],
        velocities: &mut [[DVec3; 2]],
    ) -> f64 {
        let mut most = 0.0_f64;
        for (i, (contact, asked)) in contacts.iter_mut().zip(asked).enumerate() {
            let is_new = contact.touch.bodies.iter().any(|body| self.bodies[*body] > self.seen[i]);
            if !is_new || !contact.is_movable() {
                continue;
            }
            let change = contact.solve_target(asked, velocities);
            most = most.max(change);
            self.seen[i] = self.now;
            self.visits += 1;
            self.note(contact, change);
        }
        most
    }

    /// Notes a change at a contact.
    fn note(&mut self, contact: &ContactRows, change: f64) {
        if change > self.least {
            self.now += 1;
            contact.touch.bodies.into_iter().for_each(|body| self.bodies[body] = self.now);
            let joined = contact.joined.iter().flat_map(|joined| joined.iter().flatten());
            joined.for_each(|(body, _)| self.bodies[*body] = self.now);
        }
    }
}
