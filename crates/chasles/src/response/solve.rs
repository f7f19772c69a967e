//! The velocities after the impulses.
//!
//! Moore and Wilhelms (1988), "Collision Detection and Response for Computer Animation", section 3.2, for any number of
//! contacts and joints: joints are made to hold, contacts are compressed until none approaches, what they bore is
//! enlarged by their elasticity, and what approaches still is compressed once more.

use glam::DVec3;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use crate::error::{Error, check_number, check_vector};
use crate::response::joined::{Joined, Motion, Row, is_between_keyframed, matrix, relative, squared};
use crate::response::problem::{
    ContactImpulse, ContactState, Friction, ImpulseAnswer, ImpulseEnergy, ImpulseOutcome, ImpulseProblem,
    JointImpulse, JointKind, Unsolvable,
};
use crate::response::pushes::{pushes, shortest};

/// What approaches by less than this share of the greatest speed does not.
const STILL: f64 = 1e-11;

/// Coulomb's law is kept to this share.
const LAWFUL: f64 = 1e-7;

/// What joints hold by all but this share of a contact's answer is held.
const HELD: f64 = 1e-12;

/// Contacts, at most: their answers are kept in a dense matrix.
const MOST_CONTACTS: usize = 256;

/// An inertia may be off its mirror image by this share.
const SYMMETRIC: f64 = 1e-9;

/// Sweeps over contacts with friction, at most, products of numbers in all of them, and when no impulse changes by more
/// than this share.
const SWEEPS: usize = 4_000;
const PRODUCTS: usize = 1 << 29;
const SETTLED: f64 = 1e-14;

/// Orders of sweeps, and the share of each correction that is made.
const ATTEMPTS: [(bool, f64); 5] = [(false, 1.0), (true, 1.0), (false, 0.5), (true, 0.2), (false, 0.05)];

/// The coefficient of rough bodies that would have to pull so as not to slide: their impulse is along the surfaces alone.
const ROUGH: f64 = 1e9;

/// Directions of friction that are tried, and how often the angle between two of them is halved.
const DIRECTIONS: usize = 48;
const HALVINGS: usize = 54;

/// The contacts of a problem that can bear impulses.
struct Touching<'p> {
    joined: &'p Joined<'p>,
    contacts: Vec<Touch>,
    /// How a unit of impulse along each direction changes the velocities.
    answers: Vec<Motion>,
    /// How it changes the relative velocity along each direction.
    d: DMatrix<f64>,
    speed: f64,
}

struct Touch {
    number: usize,
    /// The normal, and two directions across it.
    frame: [DVec3; 3],
    rows: [Row; 3],
    friction: Friction,
    elasticity: f64,
}

/// Why contacts have no impulses.
enum Failure {
    /// One would still approach.
    Approaches(usize),
    /// With friction none were found.
    Unsettled,
}

impl From<Failure> for ImpulseOutcome {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Approaches(contact) => Self::Unsolvable(Unsolvable::Contact(contact)),
            Failure::Unsettled => Self::Unsettled,
        }
    }
}

/// Impulses along the directions of each contact, and how they moved on each other.
#[derive(Clone)]
struct Borne {
    amounts: DVector<f64>,
    states: Vec<ContactState>,
}

impl ImpulseProblem {
    /// The velocities after the impulses, and the impulses.
    ///
    /// Joints hold afterwards, no contact approaches, none pulls, and friction is within its cone: to 1e-9 of the
    /// greatest speed, where masses are within 1e4 of each other and loops are no closer to a dead point than that. No
    /// energy is made. Several contacts with friction keep to Coulomb's law, or none are told. Without friction velocities are unique; where impulses are not, those of least norm are told. The
    /// time is that of the joints where they make a tree, times the number of contacts.
    ///
    /// # Errors
    /// A body that is not there, or twice the same; a number that is not finite or out of range, or makes velocities that are
    /// not finite; an inertia that is not symmetric and positive definite; a joint of two keyframed bodies; more than 256
    /// contacts.
    ///
    /// # Example
    /// ```
    /// use chasles::glam::{DMat3, DVec3};
    /// use chasles::{Friction, ImpulseBody, ImpulseContact, ImpulseOutcome, ImpulseProblem, RigidMass};
    /// let ball = ImpulseBody {
    ///     mass: Some(RigidMass { mass: 2.0, inertia: DMat3::IDENTITY }),
    ///     center: DVec3::Z,
    ///     linear: -3.0 * DVec3::Z,
    ///     angular: DVec3::ZERO,
    /// };
    /// let floor = ImpulseBody { mass: None, center: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO };
    /// let friction = Friction::Coefficient(0.0);
    /// let contact =
    ///     ImpulseContact { bodies: [1, 0], point: DVec3::ZERO, normal: DVec3::Z, elasticity: 0.5, friction };
    /// let problem = ImpulseProblem { bodies: vec![ball, floor], contacts: vec![contact], joints: vec![] };
    /// let ImpulseOutcome::Solved(answer) = problem.solve()? else { panic!() };
    /// assert!((answer.velocities[0][0].z - 1.5).abs() < 1e-12);
    /// # Ok::<(), chasles::Error>(())
    /// ```
    pub fn solve(&self) -> Result<ImpulseOutcome, Error> {
        self.validate()?;
        let Some(joined) = Joined::new(self) else {
            return Error::out_of_range(0.0, "a positive definite inertia", "inertia");
        };
        let given = joined.given();
        let mut start = given.clone();
        if let Err(joint) = joined.fit(&mut start, false) {
            return Ok(ImpulseOutcome::Unsolvable(Unsolvable::Joint(joint)));
        }
        let touching = Touching::new(self, &joined);
        let elasticities: Vec<f64> = touching.contacts.iter().map(|touch| touch.elasticity).collect();
        let found = match touching.bounced(&start, &elasticities) {
            Ok(found) => found,
            Err(failure) => return Ok(failure.into()),
        };
        let mut answer = touching.answer(self, &given, &found)?;
        let bears = |(amounts, _): &(&[f64], &f64)| amounts.iter().any(|x| *x != 0.0);
        let all = found.amounts.as_slice();
        let lowest = all.chunks(3).zip(&elasticities).filter(bears).map(|(_, e)| *e).fold(1.0, f64::min);
        for elasticity in [lowest, 0.0] {
            let slack = 1e-12 * answer.energy.before.max(answer.energy.after);
            if answer.energy.dissipated >= -slack {
                break;
            }
            let found = touching.bounced(&start, &vec![elasticity; elasticities.len()]);
            match found {
                Ok(found) => answer = touching.answer(self, &given, &found)?,
                Err(failure) => return Ok(failure.into()),
            }
        }
        Ok(ImpulseOutcome::Solved(answer))
    }

    fn validate(&self) -> Result<(), Error> {
        if self.contacts.len() > MOST_CONTACTS {
            let expected = "at most 256 contacts";
            return Error::out_of_range(self.contacts.len() as f64, expected, "contacts");
        }
        for (number, body) in self.bodies.iter().enumerate() {
            let place = |what: &str| format!("{what} of body {number}");
            check_vector(body.center, || place("center"))?;
            check_vector(body.linear, || place("linear"))?;
            check_vector(body.angular, || place("angular"))?;
            if let Some(mass) = body.mass {
                if !(mass.mass > 0.0 && mass.mass < f64::MAX) {
                    return Error::out_of_range(mass.mass, "a finite number > 0", place("mass"));
                }
                for column in [mass.inertia.x_axis, mass.inertia.y_axis, mass.inertia.z_axis] {
                    check_vector(column, || place("inertia"))?;
                }
                let own = matrix(&mass.inertia);
                let off = (own - own.transpose()).amax();
                if off > SYMMETRIC * own.amax() {
                    return Error::out_of_range(off, "an inertia that is symmetric", place("inertia"));
                }
                if own.cholesky().is_none() {
                    let least = own.symmetric_eigenvalues().min();
                    return Error::out_of_range(least, "principal moments > 0", place("inertia"));
                }
            }
        }
        let check_pair = |bodies: [usize; 2], place: &str| {
            if bodies[0] == bodies[1] || bodies.iter().any(|body| *body >= self.bodies.len()) {
                return Error::out_of_range(bodies[1] as f64, "two bodies", place);
            }
            Ok(())
        };
        let check_axis = |axis: DVec3, place: String| {
            check_vector(axis, || place.clone())?;
            if axis == DVec3::ZERO {
                return Error::out_of_range(0.0, "a direction", place);
            }
            Ok(())
        };
        for (number, contact) in self.contacts.iter().enumerate() {
            let place = format!("contact {number}");
            check_pair(contact.bodies, &place)?;
            check_vector(contact.point, || place.clone())?;
            check_axis(contact.normal, place.clone())?;
            if !(0.0..=1.0).contains(&contact.elasticity) {
                return Error::out_of_range(contact.elasticity, "a number in [0, 1]", place);
            }
            if let Friction::Coefficient(coefficient) = contact.friction {
                check_number(coefficient, || place.clone())?;
                if coefficient < 0.0 {
                    return Error::out_of_range(coefficient, "a number >= 0", place);
                }
            }
        }
        for (number, joint) in self.joints.iter().enumerate() {
            let place = format!("joint {number}");
            check_pair(joint.bodies, &place)?;
            check_vector(joint.point, || place.clone())?;
            if let JointKind::Hinge { axis }
            | JointKind::Slide { axis }
            | JointKind::Piston { axis }
            | JointKind::Plane { axis } = joint.kind
            {
                check_axis(axis, place.clone())?;
            }
            if is_between_keyframed(self, joint) {
                return Error::out_of_range(0.0, "a body that is not keyframed", place);
            }
        }
        Ok(())
    }
}

impl<'p> Touching<'p> {
    fn new(problem: &ImpulseProblem, joined: &'p Joined<'p>) -> Self {
        let mut contacts = Vec::new();
        for (number, contact) in problem.contacts.iter().enumerate() {
            let normal = (contact.normal / contact.normal.abs().max_element()).normalize();
            let (s, t) = normal.any_orthonormal_pair();
            let frame = [normal, s, t];
            let rows = frame.map(|u| joined.row(contact.bodies, contact.point, u, DVec3::ZERO));
            if !rows[0].parts.is_empty() {
                let (friction, elasticity) = (contact.friction, contact.elasticity);
                contacts.push(Touch { number, frame, rows, friction, elasticity });
            }
        }
        let all = || contacts.iter().flat_map(|touch| &touch.rows);
        let count = joined.given().len();
        let answers: Vec<Motion> = all()
            .map(|row| {
                let mut motion = vec![nalgebra::SVector::zeros(); count];
                row.parts.iter().for_each(|(body, part)| motion[*body] += part);
                // Changes always fit.
                let _ = joined.fit(&mut motion, true);
                motion
            })
            .collect();
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
    fn bounced(&self, start: &Motion, elasticities: &[f64]) -> Result<Borne, Failure> {
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
        let mut found = Borne { amounts: DVector::zeros(3 * count), states: vec![ContactState::None; count] };
        if self.contacts.iter().all(is_plain) {
            self.push(b, &mut found);
        } else {
            self.rub(b, &mut found);
        }
        let mut now = b + &self.d * &found.amounts;
        if (0..count).any(|i| now[3 * i] < -STILL * self.speed) {
            // What did not settle is pushed apart without more friction: that keeps to the cones.
            let mut more = Borne { amounts: DVector::zeros(3 * count), states: found.states.clone() };
            self.push(&now, &mut more);
            found.amounts += &more.amounts;
            now += &self.d * &more.amounts;
        }
        let worst = (0..count).min_by(|i, k| now[3 * i].total_cmp(&now[3 * k]));
        match worst.filter(|i| now[3 * i] < -1e-9 * self.speed) {
            Some(i) => Err(Failure::Approaches(self.contacts[i].number)),
            None if count > 1 && !self.keeps_to_the_law(&found.amounts, &now) => Err(Failure::Unsettled),
            None => Ok(found),
        }
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
    fn push(&self, b: &DVector<f64>, found: &mut Borne) {
        let movable: Vec<usize> = (0..self.contacts.len()).filter(|i| self.d[(3 * i, 3 * i)] > 0.0).collect();
        let scale = |i: usize| 1.0 / self.d[(3 * movable[i], 3 * movable[i])].sqrt();
        let d = DMatrix::from_fn(movable.len(), movable.len(), |i, k| {
            self.d[(3 * movable[i], 3 * movable[k])] * scale(i) * scale(k)
        });
        let right = DVector::from_fn(movable.len(), |i, _| b[3 * movable[i]] * scale(i));
        let p = pushes(&d, &right, 1e-13);
        let slope = &d * &p + &right;
        // Those that may bear an impulse: they do not separate.
        let size = right.amax();
        let bearing: Vec<usize> = (0..movable.len()).filter(|i| slope[*i] <= 1e-9 * size).collect();
        let own = DMatrix::from_fn(bearing.len(), bearing.len(), |i, k| {
            self.d[(3 * movable[bearing[i]], 3 * movable[bearing[k]])]
        });
        let amounts = DVector::from_fn(bearing.len(), |i, _| p[bearing[i]] * scale(bearing[i]));
        let amounts = if bearing.is_empty() { amounts } else { shortest(&own, &amounts) };
        let most = amounts.amax();
        for (i, amount) in bearing.iter().zip(amounts.iter()).filter(|(_, amount)| **amount > 1e-15 * most) {
            found.amounts[3 * movable[*i]] = *amount;
            found.states[movable[*i]] = ContactState::Slide;
        }
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
                let friction = self.contacts[i].friction;
                let (mut amount, state) = match (alone(&own, &free, friction, STILL * self.speed), friction) {
                    // The paper's direction is that of one contact alone.
                    ((amount, ContactState::Slide), Friction::Coefficient(most))
                        if count > 1 && most > 0.0 =>
                    {
                        (slid(&own, &free, most, amount), ContactState::Slide)
                    }
                    ((amount, ContactState::Slide), Friction::Rough) if count > 1 => {
                        (slid(&own, &free, ROUGH, amount), ContactState::Slide)
                    }
                    (told, _) => told,
                };
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

    /// The velocities and impulses, all made anew from what contacts bear.
    fn answer(
        &self,
        problem: &ImpulseProblem,
        given: &Motion,
        found: &Borne,
    ) -> Result<ImpulseAnswer, Error> {
        // All at once, so that joints hold to the last bit that can be had.
        let mut bare = given.clone();
        for (row, amount) in self.contacts.iter().flat_map(|touch| &touch.rows).zip(found.amounts.iter()) {
            row.parts.iter().for_each(|(body, part)| bare[*body] += part * *amount);
        }
        let mut motion = bare.clone();
        let _ = self.joined.fit(&mut motion, false);
        let change: Motion = motion.iter().zip(&bare).map(|(after, before)| after - before).collect();
        let joints = self.joined.impulses(&change);
        let nothing = ContactImpulse { impulse: DVec3::ZERO, state: ContactState::None };
        let mut contacts = vec![nothing; problem.contacts.len()];
        for (i, touch) in self.contacts.iter().enumerate() {
            let impulse = (0..3).map(|k| found.amounts[3 * i + k] * touch.frame[k]).sum();
            let state = match found.states[i] {
                _ if impulse == DVec3::ZERO => ContactState::None,
                ContactState::None => ContactState::Stick,
                state => state,
            };
            contacts[touch.number] = ContactImpulse { impulse, state };
        }
        let before: Vec<[DVec3; 2]> = problem.bodies.iter().map(|body| [body.linear, body.angular]).collect();
        let velocities = self.joined.velocities(&motion, given);
        for (number, [linear, angular]) in velocities.iter().enumerate() {
            check_vector(*linear, || format!("linear velocity of body {number} after the impulses"))?;
            check_vector(*angular, || format!("angular velocity of body {number} after the impulses"))?;
        }
        let energy = energy(problem, [&before, &velocities], (&contacts, &joints));
        Ok(ImpulseAnswer { velocities, contacts, joints, energy })
    }
}

/// One contact, the others as they are: how it answers to impulses, and how it goes without one.
fn alone(
    d: &Matrix3<f64>,
    free: &Vector3<f64>,
    friction: Friction,
    still: f64,
) -> (Vector3<f64>, ContactState) {
    let nothing = (Vector3::zeros(), ContactState::None);
    if free[0] >= -still || d[(0, 0)] <= 0.0 {
        return nothing;
    }
    let sliding = |across: Vector3<f64>, coefficient: f64| {
        let direction = Vector3::new(1.0, coefficient * across[1], coefficient * across[2]);
        let answer = (d.row(0) * direction)[0];
        if answer > 0.0 { direction * (-free[0] / answer) } else { Vector3::zeros() }
    };
    if friction == Friction::Coefficient(0.0) {
        return (sliding(Vector3::zeros(), 0.0), ContactState::Slide);
    }
    let Ok(inverse) = d.pseudo_inverse(1e-13 * d.trace()) else { return nothing };
    let stick: Vector3<f64> = -(inverse * free);
    let across = Vector3::new(0.0, stick[1], stick[2]);
    match friction {
        Friction::Rough if stick[0] > 0.0 => (stick, ContactState::Stick),
        Friction::Coefficient(most) if stick[0] > 0.0 && across.norm() <= most * stick[0] => {
            (stick, ContactState::Stick)
        }
        Friction::Coefficient(most) => {
            let along = across.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
            (sliding(along, most), ContactState::Slide)
        }
        // The normal impulse falls to nothing as friction grows.
        Friction::Rough => {
            let along = across.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
            let answer = (d.row(0) * along)[0];
            let amount = if answer > 0.0 { along * (-free[0] / answer) } else { Vector3::zeros() };
            (amount, ContactState::Slide)
        }
    }
}

/// The impulse of a contact that slides, friction against the slip; as it is told where there is none such.
fn slid(d: &Matrix3<f64>, free: &Vector3<f64>, coefficient: f64, told: Vector3<f64>) -> Vector3<f64> {
    // The impulse with friction in a direction, and how the slip turns off that line; less than 0 along it is against it.
    let at = |angle: f64| -> Option<(Vector3<f64>, f64, f64)> {
        let (sin, cos) = angle.sin_cos();
        let direction = Vector3::new(1.0, coefficient * cos, coefficient * sin);
        let answer = (d.row(0) * direction)[0];
        let impulse = direction * (-free[0] / answer);
        let slip = free + d * impulse;
        (answer > 0.0).then(|| (impulse, cos * slip[2] - sin * slip[1], cos * slip[1] + sin * slip[2]))
    };
    let start = told[2].atan2(told[1]);
    let step = std::f64::consts::TAU / DIRECTIONS as f64;
    // Outward from the direction that is told.
    for i in 0..DIRECTIONS {
        let half = i.div_ceil(2) as f64;
        let mut lo = start + step * if i % 2 == 0 { half } else { -half };
        let mut hi = lo + step;
        let (Some(first), Some(last)) = (at(lo), at(hi)) else { continue };
        if (first.1 > 0.0) == (last.1 > 0.0) {
            continue;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (lo + hi);
            match at(middle) {
                Some(own) if (own.1 > 0.0) == (first.1 > 0.0) => lo = middle,
                Some(_) => hi = middle,
                None => break,
            }
        }
        if let Some((impulse, _, along)) = at(0.5 * (lo + hi))
            && along <= 0.0
        {
            return impulse;
        }
    }
    told
}

/// Kinetic energies, and what was taken.
fn energy(
    problem: &ImpulseProblem,
    [before, after]: [&[[DVec3; 2]]; 2],
    (contacts, joints): (&[ContactImpulse], &[JointImpulse]),
) -> ImpulseEnergy {
    let kinetic = |velocities: &[[DVec3; 2]]| -> f64 {
        let own = problem.bodies.iter().zip(velocities);
        own.filter_map(|(body, [linear, angular])| {
            let mass = body.mass?;
            Some(0.5 * (mass.mass * linear.length_squared() + angular.dot(mass.inertia * *angular)))
        })
        .sum()
    };
    // Twice the mean relative velocity at a point, and the turn.
    let both = |bodies: [usize; 2], point: DVec3| {
        let of = |body: usize, velocities: &[[DVec3; 2]]| {
            let [linear, angular] = velocities[body];
            [linear + angular.cross(point - problem.bodies[body].center), angular]
        };
        let [a, b] = bodies.map(|body| {
            let ([p, q], [r, s]) = (of(body, before), of(body, after));
            [p + r, q + s]
        });
        [b[0] - a[0], b[1] - a[1]]
    };
    let mut taken = 0.0;
    for (contact, borne) in problem.contacts.iter().zip(contacts) {
        taken -= 0.5 * borne.impulse.dot(both(contact.bodies, contact.point)[0]);
    }
    for (joint, borne) in problem.joints.iter().zip(joints) {
        let [shift, turn] = both(joint.bodies, joint.point);
        taken -= 0.5 * (borne.impulse.dot(shift) + borne.moment.dot(turn));
    }
    ImpulseEnergy { before: kinetic(before), after: kinetic(after), dissipated: taken }
}
