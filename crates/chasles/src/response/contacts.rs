//! All contacts of a problem: compression, restitution, and what approaches still.
//!
//! The answers of the jointed bodies to unit impulses at all contacts make a dense matrix; without friction the least
//! of a quadratic function over impulses that push is sought, with friction contact by contact.

use glam::DVec3;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use crate::response::friction::{alone, among, can_stick};
use crate::response::joined::{Joined, Motion, Row, relative, squared};
use crate::response::problem::{ContactState, Friction, ImpulseProblem};
use crate::response::pushes::{SOFT, pushes, shortest};

/// What approaches by less than this share of the greatest speed does not.
const STILL: f64 = 1e-11;

/// Coulomb's law is kept to this share.
const LAWFUL: f64 = 1e-7;

/// What joints hold by all but this share of a contact's answer is held.
const HELD: f64 = 1e-12;

/// Sweeps over contacts with friction, at most, products of numbers in all of them, and when no impulse changes by more
/// than this share.
const SWEEPS: usize = 4_000;
const PRODUCTS: usize = 1 << 29;
const SETTLED: f64 = 1e-14;

/// Orders of sweeps, and the share of each correction that is made.
const ATTEMPTS: [(bool, f64); 5] = [(false, 1.0), (true, 1.0), (false, 0.5), (true, 0.2), (false, 0.05)];

/// The contacts of a problem that can bear impulses.
pub(super) struct Touching<'p> {
    pub(super) joined: &'p Joined<'p>,
    pub(super) contacts: Vec<Touch>,
    /// How a unit of impulse along each direction changes the velocities.
    answers: Vec<Motion>,
    /// How it changes the relative velocity along each direction.
    d: DMatrix<f64>,
    speed: f64,
}

/// A contact.
pub(super) struct Touch {
    pub(super) number: usize,
    /// The normal, and two directions across it.
    pub(super) frame: [DVec3; 3],
    pub(super) rows: [Row; 3],
    friction: Friction,
    pub(super) elasticity: f64,
}

/// Why contacts have no impulses.
pub(super) enum Failure {
    /// One would still approach.
    Approaches(usize),
    /// With friction none were found.
    Unsettled,
}

/// Impulses along the directions of each contact, and how they moved on each other.
#[derive(Clone)]
pub(super) struct Borne {
    pub(super) amounts: DVector<f64>,
    pub(super) states: Vec<ContactState>,
}

impl Borne {
    fn nothing(count: usize) -> Self {
        Self { amounts: DVector::zeros(3 * count), states: vec![ContactState::None; count] }
    }
}

impl<'p> Touching<'p> {
    pub(super) fn new(problem: &ImpulseProblem, joined: &'p Joined<'p>) -> Self {
        let mut contacts = Vec::new();
        for (number, contact) in problem.contacts.iter().enumerate() {
            let normal = (contact.normal / contact.normal.abs().max_element()).normalize();
            let (s, t) = normal.any_orthonormal_pair();
            let frame = [normal, s, t];
            let rows = frame.map(|u| joined.row(contact.bodies, contact.point, u, DVec3::ZERO));
            if !rows[0].is_empty() {
                let (friction, elasticity) = (contact.friction, contact.elasticity);
                contacts.push(Touch { number, frame, rows, friction, elasticity });
            }
        }
        let all = || contacts.iter().flat_map(|touch| &touch.rows);
        let answers: Vec<Motion> = all().map(|row| joined.answer(row)).collect();
        let rows: Vec<&Row> = all().collect();
        let held: Vec<bool> = rows
            .iter()
            .zip(&answers)
            .map(|(row, answer)| relative(row, answer, false) <= HELD * squared(row))
            .collect();
        let d = DMatrix::from_fn(rows.len(), rows.len(), |i, k| {
            if held[i] || held[k] {
                return 0.0;
            }
            0.5 * (relative(rows[i], &answers[k], false) + relative(rows[k], &answers[i], false))
        });
        Self { joined, contacts, answers, d, speed: joined.speed() }
    }

    /// The relative velocities along all directions.
    fn relatives(&self, motion: &Motion) -> DVector<f64> {
        let rows = self.contacts.iter().flat_map(|touch| &touch.rows);
        DVector::from_iterator(3 * self.contacts.len(), rows.map(|row| relative(row, motion, true)))
    }

    fn after(&self, start: &Motion, amounts: &DVector<f64>) -> Motion {
        let mut motion = start.clone();
        for (answer, amount) in self.answers.iter().zip(amounts.iter()).filter(|(_, amount)| **amount != 0.0)
        {
            motion.iter_mut().zip(answer).for_each(|(own, change)| *own += change * *amount);
        }
        motion
    }

    /// Compression, restitution, and compression of what approaches still; a contact that cannot but approach is told.
    pub(super) fn bounced(&self, start: &Motion, elasticities: &[f64]) -> Result<Borne, Failure> {
        let mut found = self.compressed(&self.relatives(start))?;
        for (amounts, elasticity) in found.amounts.as_mut_slice().chunks_mut(3).zip(elasticities) {
            amounts.iter_mut().for_each(|amount| *amount *= 1.0 + elasticity);
        }
        let now = self.relatives(&self.after(start, &found.amounts));
        if (0..self.contacts.len()).any(|i| now[3 * i] < -STILL * self.speed) {
            let more = self.compressed(&now)?;
            found.amounts += &more.amounts;
            for (state, own) in found.states.iter_mut().zip(more.states) {
                if own != ContactState::None {
                    *state = own;
                }
            }
        }
        Ok(found)
    }

    /// Impulses after which nothing approaches.
    fn compressed(&self, b: &DVector<f64>) -> Result<Borne, Failure> {
        let count = self.contacts.len();
        let is_plain = |touch: &Touch| touch.friction == Friction::Coefficient(0.0);
        let mut found = Borne::nothing(count);
        if self.contacts.iter().all(is_plain) {
            self.push(b, &mut found)?;
        } else {
            self.rub(b, &mut found);
        }
        let mut now = b + &self.d * &found.amounts;
        if (0..count).any(|i| now[3 * i] < -STILL * self.speed) {
            // What did not settle is pushed apart without more friction: that keeps to the cones.
            let mut more = Borne::nothing(count);
            self.push(&now, &mut more)?;
            found.amounts += &more.amounts;
            now += &self.d * &more.amounts;
        }
        let worst = (0..count).min_by(|i, k| now[3 * i].total_cmp(&now[3 * k]));
        match worst.filter(|i| now[3 * i] < -1e-9 * self.speed) {
            Some(i) => Err(Failure::Approaches(self.contacts[i].number)),
            None if !self.is_the_papers(b) && !self.keeps_to_the_law(&found.amounts, &now) => {
                Err(Failure::Unsettled)
            }
            None => Ok(found),
        }
    }

    /// Whether the friction is that of the paper, whose direction is that of the sticking impulse of one contact, and not
    /// against the slip.
    fn is_the_papers(&self, b: &DVector<f64>) -> bool {
        self.contacts.is_empty()
            || self.contacts.len() == 1
                && can_stick(&self.d.fixed_view::<3, 3>(0, 0).into(), &b.fixed_rows::<3>(0).into())
    }

    /// Whether impulses of compression, after which these are the relative velocities, keep to Coulomb's law.
    fn keeps_to_the_law(&self, amounts: &DVector<f64>, now: &DVector<f64>) -> bool {
        let law = |(i, touch): (usize, &Touch)| {
            let (across, leaves) = (amounts[3 * i], now[3 * i]);
            let (along, slip) = (amounts.fixed_rows::<2>(3 * i + 1), now.fixed_rows::<2>(3 * i + 1));
            // An impulse that matters.
            let is_borne = across * self.d[(3 * i, 3 * i)] > LAWFUL * self.speed;
            let (friction, slips) = (along.norm(), slip.norm() > LAWFUL * self.speed);
            let is_in_cone = match touch.friction {
                Friction::Rough => true,
                Friction::Coefficient(most) => friction <= most * across * (1.0 + LAWFUL),
            };
            let is_full = match touch.friction {
                Friction::Rough => !is_borne,
                Friction::Coefficient(most) => friction >= most * across * (1.0 - LAWFUL),
            };
            let is_against = along.dot(&slip) <= LAWFUL * friction * slip.norm();
            let may_slip = !slips || is_full && is_against;
            across >= 0.0 && is_in_cone && may_slip && (!is_borne || leaves <= LAWFUL * self.speed)
        };
        self.contacts.iter().enumerate().all(law)
    }

    /// Without friction.
    fn push(&self, b: &DVector<f64>, found: &mut Borne) -> Result<(), Failure> {
        let movable: Vec<usize> = (0..self.contacts.len()).filter(|i| self.d[(3 * i, 3 * i)] > 0.0).collect();
        let scale = |i: usize| 1.0 / self.d[(3 * movable[i], 3 * movable[i])].sqrt();
        let d = DMatrix::from_fn(movable.len(), movable.len(), |i, k| {
            self.d[(3 * movable[i], 3 * movable[k])] * scale(i) * scale(k)
        });
        let right = DVector::from_fn(movable.len(), |i, _| b[3 * movable[i]] * scale(i));
        let p = pushes(&d, &right, SOFT).ok_or(Failure::Unsettled)?;
        let slope = &d * &p + &right;
        // Those that may bear an impulse: they do not separate.
        let size = right.amax();
        let bearing: Vec<usize> = (0..movable.len()).filter(|i| slope[*i] <= 1e-9 * size).collect();
        let own = DMatrix::from_fn(bearing.len(), bearing.len(), |i, k| {
            self.d[(3 * movable[bearing[i]], 3 * movable[bearing[k]])]
        });
        let amounts = DVector::from_fn(bearing.len(), |i, _| p[bearing[i]] * scale(bearing[i]));
        let amounts = shortest(&own, amounts).ok_or(Failure::Unsettled)?;
        let most = amounts.amax();
        for (i, amount) in bearing.iter().zip(amounts.iter()).filter(|(_, amount)| **amount > 1e-15 * most) {
            found.amounts[3 * movable[*i]] = *amount;
            found.states[movable[*i]] = ContactState::Slide;
        }
        Ok(())
    }

    /// With friction: contact by contact, until nothing changes; where that goes round in circles, in the other order or
    /// by smaller steps.
    fn rub(&self, b: &DVector<f64>, found: &mut Borne) {
        for (backwards, share) in ATTEMPTS {
            found.amounts.fill(0.0);
            self.sweep(b, found, (backwards, share));
            if self.contacts.len() == 1
                || self.keeps_to_the_law(&found.amounts, &(b + &self.d * &found.amounts))
            {
                return;
            }
        }
    }

    fn sweep(&self, b: &DVector<f64>, found: &mut Borne, (backwards, share): (bool, f64)) {
        let count = self.contacts.len();
        for _ in 0..SWEEPS.min(PRODUCTS / (9 * count * count)) {
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for place in 0..count {
                let i = if backwards { count - 1 - place } else { place };
                let now: Vector3<f64> =
                    b.fixed_rows::<3>(3 * i) + self.d.fixed_rows::<3>(3 * i) * &found.amounts;
                let own: Matrix3<f64> = self.d.fixed_view::<3, 3>(3 * i, 3 * i).into();
                let before: Vector3<f64> = found.amounts.fixed_rows::<3>(3 * i).into();
                // The velocity without this contact.
                let free = now - own * before;
                let one = if count > 1 { among } else { alone };
                let (mut amount, state) = one(&own, &free, self.contacts[i].friction, STILL * self.speed);
                if count > 1 {
                    amount = before + share * (amount - before);
                }
                found.states[i] = state;
                found.amounts.fixed_rows_mut::<3>(3 * i).copy_from(&amount);
                let weight = own.trace();
                change = change.max((amount - before).norm() * weight);
                size = size.max(amount.norm() * weight);
            }
            if change <= share * SETTLED * size || count == 1 {
                break;
            }
        }
    }
}
