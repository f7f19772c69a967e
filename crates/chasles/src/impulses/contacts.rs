//! All contacts of a problem: compression, restitution, and a second compression of contacts that still approach.
//!
//! The responses of jointed bodies to unit impulses at all contacts form a dense matrix. Without friction, a
//! quadratic function is minimized over pushing impulses; with friction, contacts are solved one by one.

use glam::DVec3;
use nalgebra::{Matrix3, Vector3};

use crate::impulses::dense::SquareMatrix;
use crate::impulses::fitting::{Corrections, response_of_all, response_of_contacts};
use crate::impulses::friction::{can_stick, impulse_among_contacts, single_contact_impulse};
use crate::impulses::joined::{JointedBodies, reset};
use crate::impulses::non_negative::{ActiveSetMemory, non_negative_minimum, shortest_non_negative};
use crate::impulses::problem::{ContactState, Friction, ImpulseProblem};
use crate::impulses::rows::{BodyVelocity, ConstraintRow, ScaledVelocity, dot};

/// An approach below this fraction of the maximum speed counts as zero.
const MIN_SPEED: f64 = 1e-11;

/// Relative tolerance of Coulomb's law.
const FRICTION_TOLERANCE: f64 = 1e-7;

/// A direction whose response is below this fraction of the response without joints is constrained by joints.
const CONSTRAINED_RESPONSE: f64 = 1e-12;

/// For few jointed bodies, all responses are stored, up to this number of products. Along a
/// direction that joints hold, the product of two responses is exact to the square of rounding. The product of a row
/// and a response would leave a rounding error there, and the contact could slide along that direction.
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
pub(super) struct ContactSolver {
    pub(super) contacts: Vec<ImpactPoint>,
    /// The response of the relative velocities to unit impulses, by directions.
    d: SquareMatrix,
    speed: f64,
    /// The response of the velocities to a unit impulse along one direction, and along every direction.
    response: ScaledVelocity,
    responses: Vec<ScaledVelocity>,
    corrections: Corrections,
    /// By direction: whether joints leave no motion along it.
    is_constrained: Vec<bool>,
    /// Relative velocities along all directions: initial, current, and after one compression.
    first: Vec<f64>,
    now: Vec<f64>,
    after: Vec<f64>,
    /// Impulses: the result, the second compression, and the impulses that are added without friction.
    found: ImpulseComponents,
    second: ImpulseComponents,
    additional: ImpulseComponents,
    /// The energy that the normal impulses of the second compression dissipated, in joules.
    pub(super) repeated: f64,
    frictionless: FrictionlessSolver,
}

/// Solves contacts without friction, with reusable memory.
#[derive(Debug, Default)]
struct FrictionlessSolver {
    /// The contacts whose normal impulse moves a body, and the scales that make their responses 1.
    movable: Vec<usize>,
    scales: Vec<f64>,
    /// The scaled responses, the scaled relative velocities, and the scaled impulses.
    d: SquareMatrix,
    right: Vec<f64>,
    p: Vec<f64>,
    /// The movable contacts that do not separate, by index in `movable`, with their responses and impulses.
    closed: Vec<usize>,
    own: SquareMatrix,
    amounts: Vec<f64>,
    memory: ActiveSetMemory,
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
pub(super) struct ImpulseComponents {
    pub(super) amounts: Vec<f64>,
    pub(super) states: Vec<ContactState>,
}

impl ImpulseComponents {
    fn reset(&mut self, count: usize) {
        reset(&mut self.amounts, 3 * count, 0.0);
        reset(&mut self.states, count, ContactState::None);
    }

    fn add(&mut self, more: &[f64]) {
        self.amounts.iter_mut().zip(more).for_each(|(own, more)| *own += more);
    }
}

fn components(x: &[f64], contact: usize) -> Vector3<f64> {
    Vector3::new(x[3 * contact], x[3 * contact + 1], x[3 * contact + 2])
}

impl ContactSolver {
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
        reset(&mut self.is_constrained, count, false);
        let rows = || self.contacts.iter().flat_map(|touch| &touch.rows).enumerate();
        let products = count * count * joined.bodies();
        let is_small = joined.has_joints() && joined.has_few_bodies() && products <= MAX_STORED_PRODUCTS;
        if is_small {
            self.responses.resize_with(count.max(self.responses.len()), ScaledVelocity::new);
            for (k, row) in rows() {
                response_of_all(joined, row, &mut self.responses[k], &mut self.corrections);
            }
        }
        for (k, row) in rows() {
            if joined.has_joints() && !is_small {
                response_of_contacts(joined, row, &mut self.response, &mut self.corrections);
            }
            for (i, other) in rows() {
                *self.d.at_mut(i, k) = if is_small {
                    self.responses[i].iter().zip(&self.responses[k]).map(|(a, b)| dot(a, b)).sum()
                } else if joined.has_joints() {
                    other.relative(&self.response)
                } else {
                    other.product(row)
                };
            }
            self.is_constrained[k] = self.d.at(k, k) <= CONSTRAINED_RESPONSE * row.length_squared();
        }
        for i in 0..count {
            for k in 0..=i {
                let mean = 0.5 * (self.d.at(i, k) + self.d.at(k, i));
                let own = if self.is_constrained[i] || self.is_constrained[k] { 0.0 } else { mean };
                (*self.d.at_mut(i, k), *self.d.at_mut(k, i)) = (own, own);
            }
        }
    }

    /// The impulses of the last call of [`Self::rebound`].
    pub(super) fn impulses(&self) -> &ImpulseComponents {
        &self.found
    }

    /// Compression, restitution, and a second compression; the error names a contact that must approach.
    pub(super) fn rebound(&mut self, start: &[BodyVelocity], elasticities: &[f64]) -> Result<(), Failure> {
        let rows = self.contacts.iter().flat_map(|touch| &touch.rows);
        self.first.clear();
        self.first.extend(rows.map(|row| row.relative(start) + row.keyframed_speed));
        let mut found = std::mem::take(&mut self.found);
        let result = self.resolve_and_restitute(&mut found, elasticities);
        self.found = found;
        result
    }

    fn resolve_and_restitute(
        &mut self,
        found: &mut ImpulseComponents,
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
        self.repeated = 0.0;
        let result = if self.approaches(&now) {
            let mut second = std::mem::take(&mut self.second);
            let result = self.compress(&now, &mut second);
            found.add(&second.amounts);
            for (state, own) in found.states.iter_mut().zip(&second.states) {
                if *own != ContactState::None {
                    *state = *own;
                }
            }
            // `after` has the velocities after the compression.
            let normals = (0..second.amounts.len()).step_by(3);
            self.repeated = normals.map(|i| -0.5 * second.amounts[i] * (now[i] + self.after[i])).sum();
            self.second = second;
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
    fn compress(&mut self, b: &[f64], found: &mut ImpulseComponents) -> Result<(), Failure> {
        let count = self.contacts.len();
        let is_frictionless = |touch: &ImpactPoint| touch.friction == Friction::Coefficient(0.0);
        found.reset(count);
        let mut now = std::mem::take(&mut self.after);
        let mut result = Ok(());
        if self.contacts.iter().all(is_frictionless) {
            result = self.solve_frictionless(b, found);
        } else {
            self.apply_friction(b, found, &mut now);
        }
        self.velocities_after(b, &found.amounts, &mut now);
        if result.is_ok() && self.approaches(&now) {
            // Contacts that did not converge get further normal impulses, which leave friction in its cones.
            let mut more = std::mem::take(&mut self.additional);
            more.reset(count);
            result = self.solve_frictionless(&now, &mut more);
            found.add(&more.amounts);
            for (i, now) in now.iter_mut().enumerate() {
                *now += self.d.row_times(i, &more.amounts);
            }
            self.additional = more;
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
            || self.contacts.len() == 1 && can_stick(&self.response_matrix(0), &components(b, 0))
    }

    /// Whether compression impulses, with the relative velocities after them, obey Coulomb's law.
    fn obeys_friction_law(&self, amounts: &[f64], now: &[f64]) -> bool {
        let law = |(i, touch): (usize, &ImpactPoint)| {
            let (impulse, velocity) = (components(amounts, i), components(now, i));
            let (across, opening) = (impulse[0], velocity[0]);
            let (along, slip) = (impulse.fixed_rows::<2>(1), velocity.fixed_rows::<2>(1));
            // An impulse above the tolerance.
            let is_loaded = across * self.d.at(3 * i, 3 * i) > FRICTION_TOLERANCE * self.speed;
            let (friction, slips) = (along.norm(), slip.norm() > FRICTION_TOLERANCE * self.speed);
            let is_in_cone = match touch.friction {
                Friction::Rough => true,
                Friction::Coefficient(coefficient) => {
                    friction <= coefficient * across * (1.0 + FRICTION_TOLERANCE)
                }
            };
            let is_full = match touch.friction {
                Friction::Rough => !is_loaded,
                Friction::Coefficient(coefficient) => {
                    friction >= coefficient * across * (1.0 - FRICTION_TOLERANCE)
                }
            };
            let is_against = along.dot(&slip) <= FRICTION_TOLERANCE * friction * slip.norm();
            let may_slip = !slips || is_full && is_against;
            across >= 0.0
                && is_in_cone
                && may_slip
                && (!is_loaded || opening <= FRICTION_TOLERANCE * self.speed)
        };
        self.contacts.iter().enumerate().all(law)
    }

    /// Solves contacts without friction.
    fn solve_frictionless(&mut self, b: &[f64], found: &mut ImpulseComponents) -> Result<(), Failure> {
        let Self { d: whole, contacts, frictionless, .. } = self;
        let FrictionlessSolver { movable, scales, d, right, p, closed, own, amounts, memory } = frictionless;
        movable.clear();
        movable.extend((0..contacts.len()).filter(|i| whole.at(3 * i, 3 * i) > 0.0));
        scales.clear();
        scales.extend(movable.iter().map(|i| 1.0 / whole.at(3 * i, 3 * i).sqrt()));
        d.fill(movable.len(), |i, k| whole.at(3 * movable[i], 3 * movable[k]) * scales[i] * scales[k]);
        right.clear();
        right.extend(movable.iter().zip(scales.iter()).map(|(i, scale)| b[3 * i] * scale));
        non_negative_minimum(d, right, p, memory).ok_or(Failure::Unsettled)?;
        // The contacts that may have an impulse, because they do not separate.
        let size = right.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        closed.clear();
        closed.extend((0..movable.len()).filter(|i| d.row_times(*i, p) + right[*i] <= 1e-9 * size));
        own.fill(closed.len(), |i, k| whole.at(3 * movable[closed[i]], 3 * movable[closed[k]]));
        amounts.clear();
        amounts.extend(closed.iter().map(|i| p[*i] * scales[*i]));
        shortest_non_negative(own, amounts, memory).ok_or(Failure::Unsettled)?;
        let most = amounts.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (i, amount) in closed.iter().zip(amounts.iter()).filter(|(_, amount)| **amount > 1e-15 * most) {
            found.amounts[3 * movable[*i]] = *amount;
            found.states[movable[*i]] = ContactState::Slide;
        }
        Ok(())
    }

    /// Solves contacts with friction one by one until they converge; if they cycle, in reverse order or by smaller
    /// steps.
    fn apply_friction(&self, b: &[f64], found: &mut ImpulseComponents, now: &mut Vec<f64>) {
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

    fn sweep(&self, b: &[f64], found: &mut ImpulseComponents, mode: SweepMode) {
        let SweepMode { is_backward, relaxation } = mode;
        let count = self.contacts.len();
        for _ in 0..MAX_SWEEPS.min(MAX_PRODUCTS / (9 * count * count)) {
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for place in 0..count {
                let i = if is_backward { count - 1 - place } else { place };
                let row = |k: usize| b[3 * i + k] + self.d.row_times(3 * i + k, &found.amounts);
                let now = Vector3::new(row(0), row(1), row(2));
                let own = self.response_matrix(i);
                let before = components(&found.amounts, i);
                // The velocity without this contact.
                let free = now - own * before;
                let solve_contact = if count > 1 { impulse_among_contacts } else { single_contact_impulse };
                let (mut amount, state) =
                    solve_contact(&own, &free, self.contacts[i].friction, MIN_SPEED * self.speed);
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
        let row = || ConstraintRow { parts: [None, None], keyframed_speed: 0.0 };
        let contact = ImpactPoint {
            number: 0,
            frame: DVec3::AXES,
            rows: [row(), row(), row()],
            friction: Friction::Coefficient(0.5),
            elasticity: 0.0,
        };
        let mut contacts = ContactSolver { contacts: vec![contact], speed: 1.0, ..Default::default() };
        contacts.d.fill(3, |row, column| if row == column { 1.0 } else { 0.0 });
        let (full, partial) = ([1.0, 0.4, 0.3], [1.0, 0.2, 0.1]);
        assert!(contacts.obeys_friction_law(&full, &[0.0, -0.8, -0.6]));
        assert!(!contacts.obeys_friction_law(&full, &[0.0, 0.8, 0.6]), "along the slip");
        assert!(contacts.obeys_friction_law(&partial, &[0.0; 3]));
        assert!(!contacts.obeys_friction_law(&partial, &[0.0, -0.8, -0.6]), "less than sliding friction");
        assert!(!contacts.obeys_friction_law(&[1.0, 0.6, 0.0], &[0.0; 3]), "out of the cone");
    }
}
