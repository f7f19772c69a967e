//! Impulses that keep contacts from going on: contact by contact (projected Gauss-Seidel), from those of the step before on,
//! with steps of conjugate gradients between (nonsmooth nonlinear ones, 2010).

use glam::DVec3;

use crate::simulate::rows::contact::{ContactRows, ContactTarget};

/// The share of the greatest change at which sweeps end; and so many visits of contacts, in so many sweeps at least and
/// at most. Many contacts are settled less far, and go on in the step after.
const SETTLED: f64 = 1e-7;
const VISITS: usize = 15_000;
const SWEEPS: [usize; 2] = [15, 1000];

/// Sweeps before the first step of conjugate gradients.
const PLAIN: usize = 5;

/// What changes less than this share of what the last sweep changed is settled no further.
const LOCAL: f64 = 0.1;

/// Changes velocities by impulses that push, in the cones of friction, until no contact approaches more than it may,
/// or the sweeps are over. A sweep leaves out contacts of bodies that have not changed since it saw them last.
pub(crate) fn settle(
    contacts: &mut [ContactRows],
    asked: &[ContactTarget],
    velocities: &mut [[DVec3; 2]],
) -> Settled {
    let sweeps = (VISITS / contacts.len().max(1)).clamp(SWEEPS[0], SWEEPS[1]);
    settle_in([PLAIN, sweeps], contacts, asked, velocities)
}

/// [`settle`] in so many sweeps, at most, of which so many come before the first step of conjugate gradients. From no
/// impulses on, and where nothing asks for more than no approach, plain sweeps without friction make no energy.
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
    // By contact: the direction of the conjugate gradients. The squared length of what a sweep changes.
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
        // Beyond what the sweep changed, along the ways of those before.
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

/// What becomes of a contact where a solution goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum WarmStart {
    /// It had this relative velocity along its rows, and keeps it as far as others let it.
    AsIs(DVec3),
    /// So, with bodies that have been moved since.
    Disturbed(DVec3),
    /// Something else is asked of it now.
    Anew,
}

/// Goes on from a solution, whose impulses are in the velocities, where something else is asked of some contacts: until
/// all that follows from it is answered, as far as the solution was settled.
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

/// How far a solution is settled.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Settled {
    /// By how much the last sweep changed the relative velocity at a contact, at most.
    most: f64,
    /// Such changes, at most, and those of all that a contact got before.
    scale: f64,
}

/// When bodies changed.
struct Changes {
    bodies: Vec<u64>,
    /// By contact: when it was visited last.
    seen: Vec<u64>,
    now: u64,
    /// Changes of the relative velocity at a contact below this are none.
    least: f64,
    visits: usize,
}

impl Changes {
    fn new(bodies: usize, seen: Vec<u64>) -> Self {
        Self { bodies: vec![1; bodies], seen, now: 1, least: 0.0, visits: 0 }
    }

    /// Adjusts all contacts of bodies that changed since it saw them last, one after another; returns the greatest change.
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

    /// A change at a contact.
    fn note(&mut self, contact: &ContactRows, change: f64) {
        if change > self.least {
            self.now += 1;
            contact.touch.bodies.into_iter().for_each(|body| self.bodies[body] = self.now);
            let joined = contact.joined.iter().flat_map(|joined| joined.iter().flatten());
            joined.for_each(|(body, _)| self.bodies[*body] = self.now);
        }
    }
}
