//! All contacts of a problem: compression, restitution, and a second compression of contacts that still approach.
//!
//! The responses of jointed bodies to unit impulses at all contacts form a dense matrix. Without friction, a
//! quadratic function is minimized over pushing impulses; with friction, contacts are solved one by one.

use glam::DVec3;
use nalgebra::{Matrix3, Vector3};

use crate::impulses::dense::Square;
use crate::impulses::fitting::Corrections;
use crate::impulses::friction::{alone, among, can_stick};
use crate::impulses::joined::{JointedBodies, reset};
use crate::impulses::problem::{ContactState, Friction, ImpulseProblem};
use crate::impulses::pushes::{ImpulseMemory, pushes, shortest};
use crate::impulses::rows::{BodyVelocity, ConstraintRow, ScaledVelocity, dot};

/// An approach below this fraction of the maximum speed counts as zero.
const MIN_SPEED: f64 = 1e-11;

/// Relative tolerance of Coulomb's law.
const FRICTION_TOLERANCE: f64 = 1e-7;

/// A direction whose response is below this fraction of the response without joints is held by joints.
const HELD_RESPONSE: f64 = 1e-12;

/// For few jointed bodies, all responses are stored, up to this number of products. A product of two responses is
/// exact to the square of rounding in directions that joints hold; a product of a row and a response leaves a
/// rounding error there, which is a direction to slide in.
const MAX_STORED_PRODUCTS: usize = 1 << 16;

/// Maximum numbers of sweeps over contacts with friction, and of products in all sweeps; relative change of the
/// impulses at which sweeps end.
const MAX_SWEEPS: usize = 4_000;
const MAX_PRODUCTS: usize = 1 << 29;
const TOLERANCE: f64 = 1e-14;

/// How contacts with friction are swept, in the order in which the modes are tried.
const SWEEP_MODES: [SweepMode; 5] = [
    SweepMode { is_backward: false, relaxation: 1.0 },
    SweepMode { is_backward: true, relaxation: 1.0 },
    SweepMode { is_backward: false, relaxation: 0.5 },
    SweepMode { is_backward: true, relaxation: 0.2 },
    SweepMode { is_backward: false, relaxation: 0.05 },
];

/// How contacts are solved one by one.
#[derive(Debug, Clone, Copy)]
struct SweepMode {
    /// From the last contact to the first.
    is_backward: bool,
    /// The fraction of each correction that is applied.
    relaxation: f64,
}

/// The contacts of a problem that can have impulses, with reusable memory.
#[derive(Debug, Default)]
pub(super) struct BearingContacts {
    pub(super) contacts: Vec<ImpactPoint>,
    /// The response of the relative velocities to unit impulses, by directions.
    d: Square,
    speed: f64,
    /// The response of the velocities to a unit impulse, and the directions that joints hold.
    answer: ScaledVelocity,
    answers: Vec<ScaledVelocity>,
    corrections: Corrections,
    held: Vec<bool>,
    /// Relative velocities along all directions: initial, current, and after one compression.
    first: Vec<f64>,
    now: Vec<f64>,
    after: Vec<f64>,
    /// Impulses: all, of the second compression, and of the additional pushes.
    found: ContactLoads,
    again: ContactLoads,
    pushed: ContactLoads,
    push: Pushing,
}

/// Contacts that are pushed apart without friction, with reusable memory.
#[derive(Debug, Default)]
struct Pushing {
    movable: Vec<usize>,
    scales: Vec<f64>,
    d: Square,
    right: Vec<f64>,
    p: Vec<f64>,
    bearing: Vec<usize>,
    own: Square,
    amounts: Vec<f64>,
    memory: ImpulseMemory,
}

/// A contact.
#[derive(Debug)]
pub(super) struct ImpactPoint {
    pub(super) number: usize,
    /// The normal, and two tangents.
    pub(super) frame: [DVec3; 3],
    pub(super) rows: [ConstraintRow; 3],
    friction: Friction,
    pub(super) elasticity: f64,
}

/// The reason why no contact impulses were found.
pub(super) enum Failure {
    /// This contact would still approach.
    Approaches(usize),
    /// No impulses with friction were found.
    Unsettled,
}

/// Impulses along the directions of each contact, and whether it slides.
#[derive(Debug, Default)]
pub(super) struct ContactLoads {
    pub(super) amounts: Vec<f64>,
    pub(super) states: Vec<ContactState>,
}

impl ContactLoads {
    fn reset(&mut self, count: usize) {
        reset(&mut self.amounts, 3 * count, 0.0);
        reset(&mut self.states, count, ContactState::None);
    }

    fn add(&mut self, more: &[f64]) {
        self.amounts.iter_mut().zip(more).for_each(|(own, more)| *own += more);
    }
}

fn three(x: &[f64], contact: usize) -> Vector3<f64> {
    Vector3::new(x[3 * contact], x[3 * contact + 1], x[3 * contact + 2])
}

impl BearingContacts {
    /// Reads the contacts of a problem, which is also the problem of `joined`.
    pub(super) fn fill(&mut self, problem: &ImpulseProblem, joined: &JointedBodies<'_>) {
        self.speed = joined.speed();
        self.contacts.clear();
        for (number, contact) in problem.contacts.iter().enumerate() {
            let normal = (contact.normal / contact.normal.abs().max_element()).normalize();
            let (s, t) = normal.any_orthonormal_pair();
            let frame = [normal, s, t];
            let rows = frame.map(|u| joined.row(contact.bodies, contact.point, u, DVec3::ZERO));
            if !rows[0].is_empty() {
                let (friction, elasticity) = (contact.friction, contact.elasticity);
                self.contacts.push(ImpactPoint { number, frame, rows, friction, elasticity });
            }
        }
        let count = 3 * self.contacts.len();
        self.d.fill(count, |_, _| 0.0);
        reset(&mut self.held, count, false);
        let rows = || self.contacts.iter().flat_map(|touch| &touch.rows).enumerate();
        let products = count * count * joined.bodies();
        let is_small = joined.has_joints() && joined.is_of_few() && products <= MAX_STORED_PRODUCTS;
        if is_small {
            self.answers.resize_with(count.max(self.answers.len()), ScaledVelocity::new);
            for (k, row) in rows() {
                joined.answer_of_all_in(row, &mut self.answers[k], &mut self.corrections);
            }
        }
        for (k, row) in rows() {
            if joined.has_joints() && !is_small {
                joined.answer_in(row, &mut self.answer, &mut self.corrections);
            }
            for (i, other) in rows() {
                *self.d.at_mut(i, k) = if is_small {
                    self.answers[i].iter().zip(&self.answers[k]).map(|(a, b)| dot(a, b)).sum()
                } else if joined.has_joints() {
                    other.relative(&self.answer)
                } else {
                    other.product(row)
                };
            }
            self.held[k] = self.d.at(k, k) <= HELD_RESPONSE * row.squared();
        }
        for i in 0..count {
            for k in 0..=i {
                let mean = 0.5 * (self.d.at(i, k) + self.d.at(k, i));
                let own = if self.held[i] || self.held[k] { 0.0 } else { mean };
                (*self.d.at_mut(i, k), *self.d.at_mut(k, i)) = (own, own);
            }
        }
    }

    /// The impulses of the last call of [`Self::rebound`].
    pub(super) fn loads(&self) -> &ContactLoads {
        &self.found
    }

    /// Compression, restitution, and a second compression; the error names a contact that must approach.
    pub(super) fn rebound(&mut self, start: &[BodyVelocity], elasticities: &[f64]) -> Result<(), Failure> {
        let rows = self.contacts.iter().flat_map(|touch| &touch.rows);
        self.first.clear();
        self.first.extend(rows.map(|row| row.relative(start) + row.carried));
        let mut found = std::mem::take(&mut self.found);
        let result = self.resolve_and_restitute(&mut found, elasticities);
        self.found = found;
        result
    }

    fn resolve_and_restitute(
        &mut self,
        found: &mut ContactLoads,
        elasticities: &[f64],
    ) -> Result<(), Failure> {
        let first = std::mem::take(&mut self.first);
        let result = self.compress(&first, found);
        self.first = first;
        result?;
        for (amounts, elasticity) in found.amounts.chunks_mut(3).zip(elasticities) {
            amounts.iter_mut().for_each(|amount| *amount *= 1.0 + elasticity);
        }
        let mut now = std::mem::take(&mut self.now);
        self.velocities_after(&self.first, &found.amounts, &mut now);
        let result = if self.approaches(&now) {
            let mut again = std::mem::take(&mut self.again);
            let result = self.compress(&now, &mut again);
            found.add(&again.amounts);
            for (state, own) in found.states.iter_mut().zip(&again.states) {
                if *own != ContactState::None {
                    *state = *own;
                }
            }
            self.again = again;
            result
        } else {
            Ok(())
        };
        self.now = now;
        result
    }

    /// The relative velocities `b` after impulses.
    fn velocities_after(&self, b: &[f64], amounts: &[f64], now: &mut Vec<f64>) {
        now.clear();
        now.extend(b.iter().enumerate().map(|(i, b)| b + self.d.row_times(i, amounts)));
    }

    fn approaches(&self, now: &[f64]) -> bool {
        (0..self.contacts.len()).any(|i| now[3 * i] < -MIN_SPEED * self.speed)
    }

    /// Impulses after which no contact approaches.
    fn compress(&mut self, b: &[f64], found: &mut ContactLoads) -> Result<(), Failure> {
        let count = self.contacts.len();
        let is_plain = |touch: &ImpactPoint| touch.friction == Friction::Coefficient(0.0);
        found.reset(count);
        let mut now = std::mem::take(&mut self.after);
        let mut result = Ok(());
        if self.contacts.iter().all(is_plain) {
            result = self.push(b, found);
        } else {
            self.apply_friction(b, found, &mut now);
        }
        self.velocities_after(b, &found.amounts, &mut now);
        if result.is_ok() && self.approaches(&now) {
            // Contacts that did not converge are pushed apart without more friction, which keeps to the cones.
            let mut more = std::mem::take(&mut self.pushed);
            more.reset(count);
            result = self.push(&now, &mut more);
            found.add(&more.amounts);
            for (i, now) in now.iter_mut().enumerate() {
                *now += self.d.row_times(i, &more.amounts);
            }
            self.pushed = more;
        }
        let result = result.and_then(|()| self.check_compression(b, &found.amounts, &now));
        self.after = now;
        result
    }

    /// Checks compression impulses; the relative velocities are `b` before them, and `now` after them.
    fn check_compression(&self, b: &[f64], amounts: &[f64], now: &[f64]) -> Result<(), Failure> {
        let worst = (0..self.contacts.len()).min_by(|i, k| now[3 * i].total_cmp(&now[3 * k]));
        match worst.filter(|i| now[3 * i] < -1e-9 * self.speed) {
            Some(i) => Err(Failure::Approaches(self.contacts[i].number)),
            None if !self.follows_paper(b) && !self.obeys_friction_law(amounts, now) => {
                Err(Failure::Unsettled)
            }
            None => Ok(()),
        }
    }

    /// The response of a contact to impulses along its own directions.
    fn response_matrix(&self, contact: usize) -> Matrix3<f64> {
        Matrix3::from_fn(|i, k| self.d.at(3 * contact + i, 3 * contact + k))
    }

    /// Whether the paper's friction applies: its direction is along the sticking impulse of a single contact, and not
    /// against the slip.
    fn follows_paper(&self, b: &[f64]) -> bool {
        self.contacts.is_empty()
            || self.contacts.len() == 1 && can_stick(&self.response_matrix(0), &three(b, 0))
    }

    /// Whether compression impulses, with the relative velocities after them, obey Coulomb's law.
    fn obeys_friction_law(&self, amounts: &[f64], now: &[f64]) -> bool {
        let law = |(i, touch): (usize, &ImpactPoint)| {
            let (impulse, velocity) = (three(amounts, i), three(now, i));
            let (across, opening) = (impulse[0], velocity[0]);
            let (along, slip) = (impulse.fixed_rows::<2>(1), velocity.fixed_rows::<2>(1));
            // An impulse above the tolerance.
            let is_borne = across * self.d.at(3 * i, 3 * i) > FRICTION_TOLERANCE * self.speed;
            let (friction, slips) = (along.norm(), slip.norm() > FRICTION_TOLERANCE * self.speed);
            let is_in_cone = match touch.friction {
                Friction::Rough => true,
                Friction::Coefficient(coefficient) => {
                    friction <= coefficient * across * (1.0 + FRICTION_TOLERANCE)
                }
            };
            let is_full = match touch.friction {
                Friction::Rough => !is_borne,
                Friction::Coefficient(coefficient) => {
                    friction >= coefficient * across * (1.0 - FRICTION_TOLERANCE)
                }
            };
            let is_against = along.dot(&slip) <= FRICTION_TOLERANCE * friction * slip.norm();
            let may_slip = !slips || is_full && is_against;
            across >= 0.0
                && is_in_cone
                && may_slip
                && (!is_borne || opening <= FRICTION_TOLERANCE * self.speed)
        };
        self.contacts.iter().enumerate().all(law)
    }

    /// Solves contacts without friction.
    fn push(&mut self, b: &[f64], found: &mut ContactLoads) -> Result<(), Failure> {
        let Self { d: whole, contacts, push, .. } = self;
        let Pushing { movable, scales, d, right, p, bearing, own, amounts, memory } = push;
        movable.clear();
        movable.extend((0..contacts.len()).filter(|i| whole.at(3 * i, 3 * i) > 0.0));
        scales.clear();
        scales.extend(movable.iter().map(|i| 1.0 / whole.at(3 * i, 3 * i).sqrt()));
        d.fill(movable.len(), |i, k| whole.at(3 * movable[i], 3 * movable[k]) * scales[i] * scales[k]);
        right.clear();
        right.extend(movable.iter().zip(scales.iter()).map(|(i, scale)| b[3 * i] * scale));
        pushes(d, right, p, memory).ok_or(Failure::Unsettled)?;
        // The contacts that may have an impulse, because they do not separate.
        let size = right.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        bearing.clear();
        bearing.extend((0..movable.len()).filter(|i| d.row_times(*i, p) + right[*i] <= 1e-9 * size));
        own.fill(bearing.len(), |i, k| whole.at(3 * movable[bearing[i]], 3 * movable[bearing[k]]));
        amounts.clear();
        amounts.extend(bearing.iter().map(|i| p[*i] * scales[*i]));
        shortest(own, amounts, memory).ok_or(Failure::Unsettled)?;
        let most = amounts.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (i, amount) in bearing.iter().zip(amounts.iter()).filter(|(_, amount)| **amount > 1e-15 * most) {
            found.amounts[3 * movable[*i]] = *amount;
            found.states[movable[*i]] = ContactState::Slide;
        }
        Ok(())
    }

    /// Solves contacts with friction one by one until they converge; if they cycle, in reverse order or by smaller
    /// steps.
    fn apply_friction(&self, b: &[f64], found: &mut ContactLoads, now: &mut Vec<f64>) {
        for mode in SWEEP_MODES {
            found.amounts.fill(0.0);
            self.sweep(b, found, mode);
            if self.contacts.len() == 1 {
                return;
            }
            self.velocities_after(b, &found.amounts, now);
            if self.obeys_friction_law(&found.amounts, now) {
                return;
            }
        }
    }

    fn sweep(&self, b: &[f64], found: &mut ContactLoads, mode: SweepMode) {
        let SweepMode { is_backward, relaxation } = mode;
        let count = self.contacts.len();
        for _ in 0..MAX_SWEEPS.min(MAX_PRODUCTS / (9 * count * count)) {
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for place in 0..count {
                let i = if is_backward { count - 1 - place } else { place };
                let row = |k: usize| b[3 * i + k] + self.d.row_times(3 * i + k, &found.amounts);
                let now = Vector3::new(row(0), row(1), row(2));
                let own = self.response_matrix(i);
                let before = three(&found.amounts, i);
                // The velocity without this contact.
                let free = now - own * before;
                let one = if count > 1 { among } else { alone };
                let (mut amount, state) = one(&own, &free, self.contacts[i].friction, MIN_SPEED * self.speed);
                if count > 1 {
                    amount = before + relaxation * (amount - before);
                }
                found.states[i] = state;
                found.amounts[3 * i..3 * i + 3].copy_from_slice(amount.as_slice());
                let weight = own.trace();
                change = change.max((amount - before).norm() * weight);
                size = size.max(amount.norm() * weight);
            }
            if change <= relaxation * TOLERANCE * size || count == 1 {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_acts_against_the_slip() {
        let row = || ConstraintRow { parts: [None, None], carried: 0.0 };
        let contact = ImpactPoint {
            number: 0,
            frame: DVec3::AXES,
            rows: [row(), row(), row()],
            friction: Friction::Coefficient(0.5),
            elasticity: 0.0,
        };
        let mut contacts = BearingContacts { contacts: vec![contact], speed: 1.0, ..Default::default() };
        contacts.d.fill(3, |row, column| if row == column { 1.0 } else { 0.0 });
        let (full, partial) = ([1.0, 0.4, 0.3], [1.0, 0.2, 0.1]);
        assert!(contacts.obeys_friction_law(&full, &[0.0, -0.8, -0.6]));
        assert!(!contacts.obeys_friction_law(&full, &[0.0, 0.8, 0.6]), "along the slip");
        assert!(contacts.obeys_friction_law(&partial, &[0.0; 3]));
        assert!(!contacts.obeys_friction_law(&partial, &[0.0, -0.8, -0.6]), "less than sliding friction");
        assert!(!contacts.obeys_friction_law(&[1.0, 0.6, 0.0], &[0.0; 3]), "out of the cone");
    }
}
