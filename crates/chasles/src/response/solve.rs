//! The velocities after the impulses.
//!
//! Moore and Wilhelms (1988), "Collision Detection and Response for Computer Animation", section 3.2, for any number of
//! contacts and joints: joints are made to hold, contacts are compressed until none approaches, what they bore is
//! enlarged by their elasticity, and what approaches still is compressed once more.

use glam::{DMat3, DVec3};

use crate::error::{Error, check_vector};
use crate::response::contacts::{Borne, Failure, Touching};
use crate::response::joined::{Joined, Motion};
use crate::response::problem::{
    ContactImpulse, ContactState, Friction, ImpulseAnswer, ImpulseEnergy, ImpulseOutcome, ImpulseProblem,
    JointImpulse, RigidMass, Unsolvable,
};

/// Energy that is made by less than this share is rounding.
const MADE: f64 = 1e-12;

impl ImpulseProblem {
    /// The velocities after the impulses, and the impulses.
    ///
    /// Joints hold afterwards, no contact approaches, none pulls, and friction is within its cone: to 1e-9 of the
    /// greatest speed, where masses are within 1e4 of each other and loops are no closer to a dead point than that. No
    /// energy is made. Several contacts with friction keep to Coulomb's law, or none are told; so does one contact that no
    /// impulse makes stick, as that of a body on a rail with a belt. Without friction velocities are unique; where impulses
    /// are not, those of least norm are told. The time is that of the joints where they make a tree, times the number of
    /// contacts.
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
        match self.impulses()? {
            // Whether there are velocities at all does not depend on masses: roundings must not make it so.
            ImpulseOutcome::Unsolvable(_) if !self.is_impossible()? => Ok(ImpulseOutcome::Unsettled),
            outcome => Ok(outcome),
        }
    }

    /// Whether no velocities satisfy all joints and contacts, told of bodies that are all alike and smooth.
    fn is_impossible(&self) -> Result<bool, Error> {
        let mut alike = self.clone();
        for mass in alike.bodies.iter_mut().filter_map(|body| body.mass.as_mut()) {
            *mass = RigidMass { mass: 1.0, inertia: DMat3::IDENTITY };
        }
        for contact in &mut alike.contacts {
            (contact.elasticity, contact.friction) = (0.0, Friction::Coefficient(0.0));
        }
        Ok(matches!(alike.impulses()?, ImpulseOutcome::Unsolvable(_)))
    }

    /// The same without a second look at what is not solvable.
    fn impulses(&self) -> Result<ImpulseOutcome, Error> {
        let Some(joined) = Joined::new(self) else { return Ok(ImpulseOutcome::Unsettled) };
        let given = joined.given();
        let mut start = given.clone();
        joined.fit(&mut start);
        if let Some(joint) = joined.broken(&start) {
            return Ok(ImpulseOutcome::Unsolvable(Unsolvable::Joint(joint)));
        }
        let touching = Touching::new(self, &joined);
        let mut elasticities: Vec<f64> = touching.contacts.iter().map(|touch| touch.elasticity).collect();
        // As the contacts have it, all with the lowest of those that bear an impulse, and without any.
        for _ in 0..3 {
            let found = match touching.bounced(&start, &elasticities) {
                Ok(found) => found,
                Err(Failure::Approaches(contact)) => {
                    return Ok(ImpulseOutcome::Unsolvable(Unsolvable::Contact(contact)));
                }
                Err(Failure::Unsettled) => return Ok(ImpulseOutcome::Unsettled),
            };
            let Some(answer) = self.answer(&touching, &given, &found)? else {
                return Ok(ImpulseOutcome::Unsettled);
            };
            let slack = MADE * answer.energy.before.max(answer.energy.after);
            if answer.energy.dissipated >= -slack {
                return Ok(ImpulseOutcome::Solved(answer));
            }
            let amounts = found.amounts.as_slice().chunks(3);
            let bearing = amounts.zip(&elasticities).filter(|(own, _)| own.iter().any(|x| *x != 0.0));
            let lowest = bearing.map(|(_, elasticity)| *elasticity).fold(1.0, f64::min);
            let is_lowest = elasticities.iter().all(|elasticity| *elasticity == lowest);
            elasticities.fill(if is_lowest { 0.0 } else { lowest });
        }
        Ok(ImpulseOutcome::Unsettled)
    }

    /// The velocities and impulses, all made anew from what contacts bear; `None` where joints do not hold then.
    fn answer(
        &self,
        touching: &Touching<'_>,
        given: &Motion,
        found: &Borne,
    ) -> Result<Option<ImpulseAnswer>, Error> {
        // All at once, so that joints hold to the last bit that can be had.
        let mut bare = given.clone();
        for (row, amount) in touching.contacts.iter().flat_map(|touch| &touch.rows).zip(found.amounts.iter())
        {
            row.apply(*amount, &mut bare);
        }
        let mut motion = bare.clone();
        touching.joined.fit(&mut motion);
        if touching.joined.broken(&motion).is_some() {
            return Ok(None);
        }
        let change: Motion = motion.iter().zip(&bare).map(|(after, before)| after - before).collect();
        let Some(joints) = touching.joined.impulses(&change) else { return Ok(None) };
        let nothing = ContactImpulse { impulse: DVec3::ZERO, state: ContactState::None };
        let mut contacts = vec![nothing; self.contacts.len()];
        for (i, touch) in touching.contacts.iter().enumerate() {
            let impulse = (0..3).map(|k| found.amounts[3 * i + k] * touch.frame[k]).sum();
            let state = match found.states[i] {
                _ if impulse == DVec3::ZERO => ContactState::None,
                ContactState::None => ContactState::Stick,
                state => state,
            };
            contacts[touch.number] = ContactImpulse { impulse, state };
        }
        let before: Vec<[DVec3; 2]> = self.bodies.iter().map(|body| [body.linear, body.angular]).collect();
        let velocities = touching.joined.velocities(&motion, given);
        for (number, [linear, angular]) in velocities.iter().enumerate() {
            check_vector(*linear, || format!("linear velocity of body {number} after the impulses"))?;
            check_vector(*angular, || format!("angular velocity of body {number} after the impulses"))?;
        }
        let energy = energy(self, [&before, &velocities], (&contacts, &joints));
        Ok(Some(ImpulseAnswer { velocities, contacts, joints, energy }))
    }
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
