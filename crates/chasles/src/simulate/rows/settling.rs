//! Solves for contact impulses: contact by contact (projected Gauss-Seidel), warm-started from the step before, with
//! steps of nonsmooth nonlinear conjugate gradients (2010) in between. Two sweeps between these steps have opposite
//! orders: such a pair is a symmetric preconditioner, and impulses travel through a tower upwards and downwards alike.
//! Islands with heavy and light bodies are then solved exactly, by `exact`.

use glam::DVec3;

use crate::simulate::rows::contact::{ContactRows, ContactTarget};
use crate::simulate::rows::exact::solve_islands;

/// Sweeps end at this fraction of the largest change, or after `MAX_UPDATES` contact updates, but within the
/// bounds `SWEEP_BOUNDS`. Many contacts are solved less exactly, and continue in the next step.
const TOLERANCE: f64 = 1e-7;
const MAX_UPDATES: usize = 15_000;
const SWEEP_BOUNDS: [usize; 2] = [15, 1000];

/// Sweeps after this number have the same order: friction may make sweeps in opposite orders undo each other for ever.
/// The order is the same from the start between heavy and light bodies, whose exact solutions then fail less often, and
/// at bodies with joints, whose legs then press less against each other.
const MAX_PAIRED_SWEEPS: usize = 150;

/// Sweeps between bodies converge slowly if the ratio of their masses exceeds this.
const MAX_MASS_RATIO: f64 = 30.0;

/// Sweeps end too early if the relative velocities by all impulses are more than this number of times the velocities to
/// correct, as between heavy and light bodies.
const MAX_SCALE: f64 = 1e3;

/// Maximum number of exact solutions after the sweeps, and the number of sweeps between two of them.
const EXACT_ROUNDS: usize = 8;
const EXACT_SWEEPS: usize = 10;

/// The rounding error of relative velocities, as a fraction of those by all impulses.
const MIN_TOLERANCE: f64 = 1e-13;

/// Sweeps before the first step of conjugate gradients.
const PLAIN_START: usize = 5;

/// If a solution is continued, changes below this fraction of its last change cause no update of other contacts.
const MIN_RELATIVE_CHANGE: f64 = 0.1;

/// Changes velocities by contact impulses in the friction cones until every contact meets its target, or the sweeps
/// are used up. A sweep skips contacts whose bodies have not changed since its last update.
pub(crate) fn settle(
    contacts: &mut [ContactRows],
    targets: &[ContactTarget],
    velocities: &mut [[DVec3; 2]],
) -> Convergence {
    let sweeps = (MAX_UPDATES / contacts.len().max(1)).clamp(SWEEP_BOUNDS[0], SWEEP_BOUNDS[1]);
    settle_with_sweeps([PLAIN_START, sweeps], contacts, targets, velocities)
}

/// [`settle`] with at most `sweeps` sweeps, of which `plain` come before the first step of conjugate gradients.
/// Starting without impulses, and if targets only stop an approach, plain sweeps without friction create no energy.
pub(crate) fn settle_with_sweeps(
    [plain, sweeps]: [usize; 2],
    contacts: &mut [ContactRows],
    targets: &[ContactTarget],
    velocities: &mut [[DVec3; 2]],
) -> Convergence {
    // Only for sweeps between heavy and light bodies: the maximum relative velocity to correct.
    let speed = (mass_ratio(contacts) > MAX_MASS_RATIO).then(|| {
        let all = contacts.iter().zip(targets);
        all.map(|(own, target)| target.missing_speed(own, velocities)).fold(0.0, f64::max)
    });
    let is_paired = speed.is_none() && contacts.iter().all(|own| own.joined.is_none());
    let mut scale = 0.0_f64;
    for contact in contacts.iter().filter(|contact| contact.impulses != [0.0; 3]) {
        let impulses = DVec3::from_array(contact.impulses);
        contact.apply(impulses, velocities);
        scale = scale.max((impulses.abs() * contact.response.diagonal()).max_element());
    }
    let mut changes = ChangeTracker::new(velocities.len(), vec![0; contacts.len()]);
    // By contact: the direction of the conjugate gradients. `length`: the squared length of the change in a sweep.
    let (mut directions, mut length) = (Vec::new(), f64::INFINITY);
    let impulses = |contact: &ContactRows| DVec3::from_array(contact.impulses);
    let mut sweep = 0;
    loop {
        let before: Vec<DVec3> = contacts.iter().map(impulses).collect();
        changes.minimum = 0.1 * TOLERANCE * scale;
        changes.is_alternating = is_paired && sweep < MAX_PAIRED_SWEEPS;
        let mut change = changes.sweep(contacts, targets, velocities);
        sweep += 1;
        if changes.is_alternating {
            change = change.max(changes.sweep(contacts, targets, velocities));
            sweep += 1;
        }
        scale = scale.max(change);
        let is_settled = change <= TOLERANCE * scale;
        if is_settled || sweep >= sweeps {
            let Some(speed) = speed.filter(|speed| !is_settled || scale > MAX_SCALE * speed) else {
                return Convergence { last_change: change, scale };
            };
            let exact = settle_exactly(contacts, targets, velocities, &mut changes, [speed, scale]);
            return Convergence { last_change: exact.unwrap_or(change), scale };
        }
        // Continues past the change in this sweep, along the earlier directions.
        let steps = contacts.iter().zip(before).map(|(own, before)| impulses(own) - before);
        let steps: Vec<DVec3> = steps.collect();
        let own: f64 = steps.iter().map(|step| step.length_squared()).sum();
        let fraction = own / length;
        length = own;
        // NaN, if two pairs of sweeps made no step.
        let is_falling = fraction <= 1.0;
        if !is_falling || sweep <= plain || directions.is_empty() {
            directions = steps;
            continue;
        }
        let all = contacts.iter_mut().zip(targets).zip(&mut directions).zip(steps);
        for (((contact, target), direction), step) in all {
            if contact.is_movable() && *direction != DVec3::ZERO {
                let change = contact.extend(target, fraction * *direction, velocities);
                changes.note(contact, change);
            }
            *direction = fraction * *direction + step;
        }
    }
}

/// The ratio of the largest mass of a body with a contact to the smallest.
fn mass_ratio(contacts: &[ContactRows]) -> f64 {
    let inverse_masses =
        contacts.iter().flat_map(ContactRows::inverse_masses).filter(|inverse| *inverse > 0.0);
    let [min, max] =
        inverse_masses.fold([f64::INFINITY, 0.0_f64], |[min, max], own| [min.min(own), max.max(own)]);
    max / min
}

/// After sweeps between heavy and light bodies: solves islands with few contacts exactly, in turn with sweeps, which
/// find the contacts that slide. `speed` is the maximum relative velocity to correct, `scale` that of the whole
/// impulses. Returns the last change of a relative velocity; `None` if there is nothing to solve.
fn settle_exactly(
    contacts: &mut [ContactRows],
    targets: &[ContactTarget],
    velocities: &mut [[DVec3; 2]],
    changes: &mut ChangeTracker,
    [speed, scale]: [f64; 2],
) -> Option<f64> {
    let rounding = MIN_TOLERANCE * scale;
    if !solve_islands(contacts, targets, velocities, TOLERANCE * scale.min(MAX_SCALE * speed) + rounding) {
        return None;
    }
    let mut last = 0.0;
    for _ in 1..EXACT_ROUNDS {
        changes.restart();
        for _ in 0..EXACT_SWEEPS {
            last = changes.sweep(contacts, targets, velocities);
        }
        if !solve_islands(contacts, targets, velocities, TOLERANCE * speed + rounding) {
            break;
        }
    }
    Some(last)
}

/// How a contact starts when a solution continues.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum WarmStart {
    /// It had this relative velocity along its rows, and keeps it as far as other contacts allow.
    Unchanged(DVec3),
    /// The same, but the velocities of its bodies have changed since.
    ChangedVelocities(DVec3),
    /// It has a new target.
    NewTarget,
}

/// Continues a solution, whose impulses are in the velocities, with new targets for some contacts, until all
/// consequences are solved as exactly as the solution was.
pub(crate) fn continue_settling(
    contacts: &mut [ContactRows],
    targets: &[ContactTarget],
    starts: &[WarmStart],
    velocities: &mut [[DVec3; 2]],
    convergence: &mut Convergence,
) {
    let visits = starts.iter().map(|start| u64::from(matches!(start, WarmStart::Unchanged(_)))).collect();
    let target = |((contact, target), start): ((&ContactRows, &ContactTarget), &WarmStart)| match start {
        WarmStart::Unchanged(relative) | WarmStart::ChangedVelocities(relative) => {
            target.final_target(contact, *relative)
        }
        WarmStart::NewTarget => *target,
    };
    let targets: Vec<ContactTarget> = contacts.iter().zip(targets).zip(starts).map(target).collect();
    let mut changes = ChangeTracker::new(velocities.len(), visits);
    while changes.updates < MAX_UPDATES {
        changes.minimum =
            (0.1 * TOLERANCE * convergence.scale).max(MIN_RELATIVE_CHANGE * convergence.last_change);
        let change = changes.sweep(contacts, &targets, velocities);
        convergence.scale = convergence.scale.max(change);
        if change <= changes.minimum {
            break;
        }
    }
}

/// The convergence of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Convergence {
    /// The maximum change of the relative velocity at a contact in the last sweep.
    last_change: f64,
    /// The maximum of all such changes, and of the initial impulses.
    scale: f64,
}

/// Tracks when bodies changed.
struct ChangeTracker {
    /// By body: its last change.
    bodies: Vec<u64>,
    /// By contact: its last update.
    contacts: Vec<u64>,
    now: u64,
    /// Smaller changes of the relative velocity at a contact are ignored.
    minimum: f64,
    updates: usize,
    /// Whether each sweep has the reverse order of the sweep before.
    is_alternating: bool,
    /// Whether the last sweep began with the last contact.
    is_reversed: bool,
}

impl ChangeTracker {
    fn new(bodies: usize, contacts: Vec<u64>) -> Self {
        Self {
            bodies: vec![1; bodies],
            contacts,
            now: 1,
            minimum: 0.0,
            updates: 0,
            is_alternating: true,
            is_reversed: true,
        }
    }

    /// Every contact is updated in the next sweep.
    fn restart(&mut self) {
        self.now += 1;
        self.bodies.fill(self.now);
    }

    /// Updates in turn all contacts whose bodies changed since their last update; returns the maximum change.
    fn sweep(
        &mut self,
        contacts: &mut [ContactRows],
        targets: &[ContactTarget],
        velocities: &mut [[DVec3; 2]],
    ) -> f64 {
        self.is_reversed = self.is_alternating && !self.is_reversed;
        let mut maximum = 0.0_f64;
        let count = contacts.len();
        for k in 0..count {
            let i = if self.is_reversed { count - 1 - k } else { k };
            let (contact, target) = (&mut contacts[i], &targets[i]);
            let is_new = contact.touch.bodies.iter().any(|body| self.bodies[*body] > self.contacts[i]);
            if !is_new || !contact.is_movable() {
                continue;
            }
            let change = contact.solve_target(target, velocities);
            maximum = maximum.max(change);
            self.contacts[i] = self.now;
            self.updates += 1;
            self.note(contact, change);
        }
        maximum
    }

    /// Notes a change at a contact.
    fn note(&mut self, contact: &ContactRows, change: f64) {
        if change > self.minimum {
            self.now += 1;
            contact.touch.bodies.into_iter().for_each(|body| self.bodies[body] = self.now);
            let joined = contact.joined.iter().flat_map(|joined| joined.iter().flatten());
            joined.for_each(|(body, _)| self.bodies[*body] = self.now);
        }
    }
}
