//! Impulses of few contacts by active sets, for islands in which sweeps converge slowly: between heavy and light
//! bodies.
//!
//! Friction is limited by the normal impulses of the last solution, so each solution minimizes a convex function; the
//! caller repeats it until the limits no longer change.

use glam::DVec3;

use crate::impulses::dense::SquareMatrix;
use crate::impulses::non_negative::{ActiveSetMemory, bounded_minimum};
use crate::math::disjoint_sets::DisjointSets;
use crate::simulate::rows::contact::{ContactRows, ContactTarget};

/// Maximum number of contacts of one island that are solved together.
const MAX_CONTACTS: usize = 64;

/// Maximum ratio of an impulse of the solution to the impulse that gives the heaviest body the missing velocity, plus the
/// largest impulse before.
const MAX_GROWTH: f64 = 100.0;

/// Regularization of the responses, whose diagonal is 1: impulses that change no velocity stay nearly as they are.
const REGULARIZATION: f64 = 1e-10;

/// Changes the impulses of all islands with few contacts, of which some contact misses its target by more than
/// `tolerance`, in metres per second, so that every contact meets its target. Contacts that slide keep their friction,
/// or less. Returns whether any impulse changed.
pub(super) fn solve_islands(
    contacts: &mut [ContactRows],
    targets: &[ContactTarget],
    velocities: &mut [[DVec3; 2]],
    tolerance: f64,
) -> bool {
    let mut memory = IslandSolver { changes: vec![[DVec3::ZERO; 2]; velocities.len()], ..Default::default() };
    let mut is_changed = false;
    for island in islands(contacts, targets, velocities.len()) {
        let is_small = island.len() <= MAX_CONTACTS;
        if is_small && island.iter().any(|i| is_missed(&contacts[*i], &targets[*i], velocities, tolerance)) {
            is_changed |= memory.solve(&island, contacts, targets, velocities).is_some();
        }
    }
    is_changed
}

/// Whether a contact approaches faster than its target, has an impulse although it separates faster, or slips although
/// its friction could be larger.
fn is_missed(
    contact: &ContactRows,
    target: &ContactTarget,
    velocities: &[[DVec3; 2]],
    tolerance: f64,
) -> bool {
    let relative = contact.relative(velocities);
    let excess = relative.x - target.min_speed;
    let slip = (relative.y - target.slip[0]).abs().max((relative.z - target.slip[1]).abs());
    excess < -tolerance
        || excess > tolerance && contact.impulses[0] > target.min_impulse
        || slip > tolerance && contact.is_sticking(target)
}

/// The contacts of each island: movable bodies connect them. Contacts that have no target, and those whose impulse is
/// limited, are not among them.
fn islands(contacts: &[ContactRows], targets: &[ContactTarget], bodies: usize) -> Vec<Vec<usize>> {
    let is_included = |i: &usize| {
        let ContactTarget { min_speed, max_impulse, .. } = targets[*i];
        contacts[*i].is_movable() && min_speed.is_finite() && max_impulse == f64::INFINITY
    };
    let movable: Vec<usize> = (0..contacts.len()).filter(is_included).collect();
    let mut sets = DisjointSets::new(bodies);
    for i in &movable {
        let moved = contacts[*i].moved_bodies();
        moved.iter().for_each(|body| {
            sets.join(moved[0], *body);
        });
    }
    let mut sorted: Vec<(usize, usize)> = movable
        .into_iter()
        .filter_map(|i| Some((sets.lowest(*contacts[i].moved_bodies().first()?), i)))
        .collect();
    sorted.sort_unstable();
    sorted.chunk_by(|p, q| p.0 == q.0).map(|island| island.iter().map(|own| own.1).collect()).collect()
}

/// An unknown: a contact's impulse along one of its rows.
#[derive(Debug, Clone, Copy)]
struct Unknown {
    contact: usize,
    row: usize,
    /// Makes the response of the row 1.
    scale: f64,
}

/// Reusable memory.
#[derive(Debug, Default)]
struct IslandSolver {
    /// Changes of the velocities by a unit impulse; zero between uses.
    changes: Vec<[DVec3; 2]>,
    response: SquareMatrix,
    free: Vec<f64>,
    impulses: Vec<f64>,
    active_sets: ActiveSetMemory,
}

impl IslandSolver {
    /// Solves one island: all normal impulses, and the friction of contacts that stick, within the limits by the normal
    /// impulses of before. Sliding friction stays as it is. `None`: no solution is found.
    fn solve(
        &mut self,
        island: &[usize],
        contacts: &mut [ContactRows],
        targets: &[ContactTarget],
        velocities: &mut [[DVec3; 2]],
    ) -> Option<()> {
        let unknowns = unknowns(island, contacts, targets);
        let count = unknowns.len();
        self.response.fill(count, |_, _| 0.0);
        for (k, own) in unknowns.iter().enumerate() {
            contacts[own.contact].apply(DVec3::AXES[own.row], &mut self.changes);
            for (i, other) in unknowns.iter().enumerate() {
                let response = contacts[other.contact].change(&self.changes)[other.row];
                *self.response.at_mut(i, k) = response * other.scale * own.scale;
            }
            for body in contacts[own.contact].moved_bodies() {
                self.changes[body] = [DVec3::ZERO; 2];
            }
        }
        for i in 0..count {
            for k in 0..i {
                let mean = 0.5 * (self.response.at(i, k) + self.response.at(k, i));
                (*self.response.at_mut(i, k), *self.response.at_mut(k, i)) = (mean, mean);
            }
        }
        // Impulses above their minimum, divided by the scales.
        let minimum = |own: &Unknown| if own.row == 0 { targets[own.contact].min_impulse } else { 0.0 };
        let amount = |own: &Unknown| (contacts[own.contact].impulses[own.row] - minimum(own)) / own.scale;
        let before: Vec<f64> = unknowns.iter().map(amount).collect();
        self.free.clear();
        for (i, own) in unknowns.iter().enumerate() {
            let ContactTarget { min_speed, slip, .. } = targets[own.contact];
            let target = [min_speed, slip[0], slip[1]][own.row];
            let missing = contacts[own.contact].relative(velocities)[own.row] - target;
            let regularized = REGULARIZATION * before[i];
            self.free.push(missing * own.scale - self.response.row_times(i, &before) - regularized);
        }
        for i in 0..count {
            *self.response.at_mut(i, i) += REGULARIZATION;
        }
        // Friction is limited by the normal impulses of before.
        let bounds = |own: &Unknown| {
            let target = &targets[own.contact];
            let limit = contacts[own.contact].current_friction_limit(target);
            let before = target.taken_back(contacts[own.contact].impulses[0])[own.row];
            if own.row == 0 {
                [0.0, f64::INFINITY]
            } else {
                [-limit, limit].map(|limit| (limit - before) / own.scale)
            }
        };
        let bounds: Vec<[f64; 2]> = unknowns.iter().map(bounds).collect();
        self.impulses.clone_from(&before);
        bounded_minimum(
            &self.response,
            &self.free,
            |i| bounds[i],
            &mut self.impulses,
            &mut self.active_sets,
        )?;
        let limit = impulse_limit(island, contacts, targets, velocities);
        let is_wrong =
            |(own, impulse): (&Unknown, &f64)| !impulse.is_finite() || (impulse * own.scale).abs() > limit;
        if unknowns.iter().zip(&self.impulses).any(is_wrong) {
            return None;
        }
        for ((own, after), before) in unknowns.iter().zip(&self.impulses).zip(&before) {
            let change = (after - before) * own.scale;
            contacts[own.contact].impulses[own.row] += change;
            contacts[own.contact].apply(change * DVec3::AXES[own.row], velocities);
        }
        // Friction stays within its limit.
        for i in island {
            contacts[*i].extend(&targets[*i], DVec3::ZERO, velocities);
        }
        Some(())
    }
}

/// The maximum impulse of a solution. Contacts at nearly the same point, with different normals, can have far larger
/// impulses that cancel each other, and whose rounding errors throw light bodies away.
fn impulse_limit(
    island: &[usize],
    contacts: &[ContactRows],
    targets: &[ContactTarget],
    velocities: &[[DVec3; 2]],
) -> f64 {
    let own = |i: &usize| {
        let inverse = contacts[*i].inverse_masses().into_iter().filter(|inverse| *inverse > 0.0);
        let mass = 1.0 / inverse.fold(f64::INFINITY, f64::min);
        let speed = targets[*i].missing_speed(&contacts[*i], velocities);
        let largest = contacts[*i].impulses.iter().fold(0.0_f64, |most, own| most.max(own.abs()));
        [mass, speed, largest]
    };
    let most = |[a, b, c]: [f64; 3], [d, e, f]: [f64; 3]| [a.max(d), b.max(e), c.max(f)];
    let [mass, speed, largest] = island.iter().map(own).fold([0.0; 3], most);
    MAX_GROWTH * (mass * speed + largest)
}

/// The unknowns of an island: the normal impulses, and the friction of contacts that stick.
fn unknowns(island: &[usize], contacts: &[ContactRows], targets: &[ContactTarget]) -> Vec<Unknown> {
    let unknown = |contact: usize, row: usize| {
        let response = contacts[contact].response.col(row)[row];
        (response > 0.0).then(|| Unknown { contact, row, scale: 1.0 / response.sqrt() })
    };
    let rows = |i: &usize| if contacts[*i].is_sticking(&targets[*i]) { 0..3 } else { 0..1 };
    island.iter().flat_map(|i| rows(i).filter_map(|row| unknown(*i, row))).collect()
}
