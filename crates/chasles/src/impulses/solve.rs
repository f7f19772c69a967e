//! Computes the velocities after the impulses.
//!
//! The method of Moore and Wilhelms (1988), "Collision Detection and Response for Computer Animation", section 3.2,
//! for any number of contacts and joints: velocities are projected to the joints, contacts are compressed until none
//! approaches, their impulses are enlarged by the restitution, and contacts that still approach are compressed again.

use glam::{DMat3, DVec3};

use crate::error::{Error, check_vector};
use crate::impulses::checks::check_problem;
use crate::impulses::contacts::{ContactSolver, Failure};
use crate::impulses::fitting::{Corrections, joint_impulses, project_with_memory, violated_joint};
use crate::impulses::joined::{JointSystem, JointedBodies, reset};
use crate::impulses::problem::{
    ContactImpulse, ContactState, Friction, ImpulseAnswer, ImpulseBody, ImpulseContact, ImpulseEnergy,
    ImpulseOutcome, ImpulseProblem, JointImpulse, RigidMass, Unsolvable,
};
use crate::impulses::rows::ScaledVelocity;

/// An energy gain below this fraction of the energies, and of the work of the impulses, is rounding.
const MAX_CREATED_ENERGY: f64 = 1e-12;

/// Reusable memory of [`ImpulseProblem::solve_with`]. It serves the next problem, and no answer affects another.
#[derive(Debug, Default)]
pub struct ImpulseWorkspace {
    joints: JointSystem,
    corrections: Corrections,
    solver: ContactSolver,
    elasticities: Vec<f64>,
    /// Scaled velocities: initial, projected to the joints, after the contact impulses but without joint impulses, and
    /// final.
    initial: ScaledVelocity,
    start: ScaledVelocity,
    unconstrained: ScaledVelocity,
    motion: ScaledVelocity,
    outcome: Option<ImpulseOutcome>,
    answer: ImpulseAnswer,
    /// The same problem with equal masses.
    equal_masses: ImpulseProblem,
}

/// The outcome of an attempt; velocities and impulses are in the workspace.
#[derive(Debug, Clone, Copy, PartialEq)]
enum SolveOutcome {
    Solved,
    Unsolvable(Unsolvable),
    Unsettled,
}

impl ImpulseProblem {
    /// Computes the velocities after the impulses, and the impulses.
    ///
    /// Afterwards joints hold, no contact approaches, none pulls, and friction is in its cone: to 1e-9 of the maximum
    /// speed, if masses are within 1e4 of each other and loops are no closer to a dead point than that. No energy is
    /// created. Several contacts with friction obey Coulomb's law, or the outcome is `Unsettled`; so does one contact
    /// that no impulse makes stick, as for a body on a rail with a belt. Without friction the velocities are unique;
    /// if the impulses are not, they have the minimum norm. The time is that for the joints, if they form a tree,
    /// times the number of contacts.
    ///
    /// # Errors
    /// A body that does not exist, or the same body twice; a number that is not finite or out of range, or that leads
    /// to velocities that are not finite; an inertia that is not symmetric and positive definite; a joint of two
    /// keyframed bodies; more than 256 contacts.
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
        let mut workspace = ImpulseWorkspace::default();
        self.solve_with(&mut workspace)?;
        Ok(workspace.outcome.unwrap_or(ImpulseOutcome::Unsettled))
    }

    /// [`Self::solve`] with reusable memory, also for the answer: once grown, it suffices for the same problem and
    /// for smaller ones. The answer is the same to the last bit, whatever was solved before.
    ///
    /// It then allocates no memory, except for errors, and for contacts without friction whose impulses are not
    /// unique, as for the four corners of a box that lands flat, or that block each other: a library finds the
    /// impulses of minimum norm.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn solve_with<'w>(&self, workspace: &'w mut ImpulseWorkspace) -> Result<&'w ImpulseOutcome, Error> {
        if let Some(ImpulseOutcome::Solved(answer)) = workspace.outcome.take() {
            workspace.answer = answer;
        }
        check_problem(self)?;
        let outcome = match self.solve_once(workspace)? {
            // Solvability does not depend on masses, so rounding must not decide it.
            SolveOutcome::Unsolvable(_) if !self.is_impossible(workspace)? => SolveOutcome::Unsettled,
            outcome => outcome,
        };
        Ok(workspace.outcome.insert(match outcome {
            SolveOutcome::Solved => ImpulseOutcome::Solved(std::mem::take(&mut workspace.answer)),
            SolveOutcome::Unsolvable(own) => ImpulseOutcome::Unsolvable(own),
            SolveOutcome::Unsettled => ImpulseOutcome::Unsettled,
        }))
    }

    /// Whether no velocities satisfy all joints and contacts, decided with equal masses and without friction.
    fn is_impossible(&self, workspace: &mut ImpulseWorkspace) -> Result<bool, Error> {
        let mut equal_masses = std::mem::take(&mut workspace.equal_masses);
        equal_masses.bodies.clone_from(&self.bodies);
        equal_masses.contacts.clone_from(&self.contacts);
        equal_masses.joints.clone_from(&self.joints);
        for mass in equal_masses.bodies.iter_mut().filter_map(|body| body.mass.as_mut()) {
            *mass = RigidMass { mass: 1.0, inertia: DMat3::IDENTITY };
        }
        for contact in &mut equal_masses.contacts {
            (contact.elasticity, contact.friction) = (0.0, Friction::Coefficient(0.0));
        }
        let outcome = equal_masses.solve_once(workspace);
        workspace.equal_masses = equal_masses;
        Ok(matches!(outcome?, SolveOutcome::Unsolvable(_)))
    }

    /// As `solve`, without the second check of an unsolvable problem.
    fn solve_once(&self, workspace: &mut ImpulseWorkspace) -> Result<SolveOutcome, Error> {
        let mut system = std::mem::take(&mut workspace.joints);
        if !system.fill(self) {
            workspace.joints = system;
            return Ok(SolveOutcome::Unsettled);
        }
        let joined = JointedBodies::from_system(self, system);
        let outcome = self.solve_joined(&joined, workspace);
        workspace.joints = joined.into_system();
        outcome
    }

    fn solve_joined(
        &self,
        joined: &JointedBodies<'_>,
        workspace: &mut ImpulseWorkspace,
    ) -> Result<SolveOutcome, Error> {
        let ImpulseWorkspace { corrections, solver, elasticities, initial, start, .. } = &mut *workspace;
        joined.initial_velocities(initial);
        start.clone_from(initial);
        project_with_memory(joined, start, corrections);
        if let Some(joint) = violated_joint(joined, corrections) {
            return Ok(SolveOutcome::Unsolvable(Unsolvable::Joint(joint)));
        }
        solver.fill(self, joined);
        elasticities.clear();
        elasticities.extend(solver.contacts.iter().map(|touch| touch.elasticity));
        // With the given restitutions, then with the lowest among contacts with an impulse, then with none.
        for _ in 0..3 {
            match workspace.solver.rebound(&workspace.start, &workspace.elasticities) {
                Ok(()) => {}
                Err(Failure::Approaches(contact)) => {
                    return Ok(SolveOutcome::Unsolvable(Unsolvable::Contact(contact)));
                }
                Err(Failure::Unsettled) => return Ok(SolveOutcome::Unsettled),
            }
            if !self.compute_answer(joined, workspace)? {
                return Ok(SolveOutcome::Unsettled);
            }
            let energy = workspace.answer.energy;
            let work = work(self, &workspace.answer);
            if energy.dissipated >= -MAX_CREATED_ENERGY * energy.before.max(energy.after).max(work) {
                workspace.answer.energy.dissipated = energy.dissipated.max(0.0);
                return Ok(SolveOutcome::Solved);
            }
            let elasticities = &mut workspace.elasticities;
            let amounts = workspace.solver.impulses().amounts.chunks(3);
            let loaded = amounts.zip(&*elasticities).filter(|(own, _)| own.iter().any(|x| *x != 0.0));
            let lowest = loaded.map(|(_, elasticity)| *elasticity).fold(1.0, f64::min);
            let is_lowest = elasticities.iter().all(|elasticity| *elasticity == lowest);
            elasticities.fill(if is_lowest { 0.0 } else { lowest });
        }
        Ok(SolveOutcome::Unsettled)
    }

    /// Recomputes the velocities and impulses from the contact impulses; returns whether the joints hold.
    fn compute_answer(
        &self,
        joined: &JointedBodies<'_>,
        workspace: &mut ImpulseWorkspace,
    ) -> Result<bool, Error> {
        let ImpulseWorkspace { corrections, solver, initial, unconstrained, motion, answer, .. } = workspace;
        let found = solver.impulses();
        // All impulses at once, so that joints hold as exactly as possible.
        unconstrained.clone_from(initial);
        for (row, amount) in solver.contacts.iter().flat_map(|touch| &touch.rows).zip(&found.amounts) {
            row.apply(*amount, unconstrained);
        }
        motion.clone_from(unconstrained);
        project_with_memory(joined, motion, corrections);
        if violated_joint(joined, corrections).is_some() {
            return Ok(false);
        }
        // The change by the joints alone.
        unconstrained.iter_mut().zip(&*motion).for_each(|(own, after)| *own = after - *own);
        if !joint_impulses(joined, unconstrained, &mut answer.joints, corrections) {
            return Ok(false);
        }
        let nothing = ContactImpulse { impulse: DVec3::ZERO, state: ContactState::None };
        reset(&mut answer.contacts, self.contacts.len(), nothing);
        for (i, touch) in solver.contacts.iter().enumerate() {
            let impulse = (0..3).map(|k| found.amounts[3 * i + k] * touch.frame[k]).sum();
            let state = match found.states[i] {
                _ if impulse == DVec3::ZERO => ContactState::None,
                ContactState::None => ContactState::Stick,
                state => state,
            };
            answer.contacts[touch.number] = ContactImpulse { impulse, state };
        }
        joined.velocities([motion, initial], &mut answer.velocities);
        for (number, [linear, angular]) in answer.velocities.iter().enumerate() {
            check_vector(*linear, || format!("linear velocity of body {number} after the impulses"))?;
            check_vector(*angular, || format!("angular velocity of body {number} after the impulses"))?;
        }
        answer.energy = energy(self, &answer.velocities, &answer.contacts, &answer.joints);
        answer.energy.repeated = solver.repeated;
        Ok(true)
    }
}

/// The velocity of a point of a body.
fn point_velocity(body: &ImpulseBody, [linear, angular]: [DVec3; 2], point: DVec3) -> DVec3 {
    linear + angular.cross(point - body.center)
}

/// The work of the contact impulses on each body; the dissipated energy is a small difference of these large numbers.
fn work(problem: &ImpulseProblem, answer: &ImpulseAnswer) -> f64 {
    let of = |(contact, impulse): (&ImpulseContact, &ContactImpulse)| {
        let speed = |number: usize| {
            let body = &problem.bodies[number];
            let both = [[body.linear, body.angular], answer.velocities[number]];
            both.map(|own| point_velocity(body, own, contact.point).length()).into_iter().sum::<f64>()
        };
        impulse.impulse.length() * contact.bodies.into_iter().map(speed).sum::<f64>()
    };
    problem.contacts.iter().zip(&answer.contacts).map(of).sum()
}

/// Kinetic energies, and the dissipated energy, given the velocities after the impulses.
fn energy(
    problem: &ImpulseProblem,
    velocities: &[[DVec3; 2]],
    contacts: &[ContactImpulse],
    joints: &[JointImpulse],
) -> ImpulseEnergy {
    let (mut before, mut after) = (0.0, 0.0);
    for (body, own) in problem.bodies.iter().zip(velocities) {
        let Some(mass) = body.mass else { continue };
        let kinetic = |linear: DVec3, angular: DVec3| {
            0.5 * (mass.mass * linear.length_squared() + angular.dot(mass.inertia * angular))
        };
        before += kinetic(body.linear, body.angular);
        after += kinetic(own[0], own[1]);
    }
    // Twice the mean relative velocity at a point, and twice the mean relative angular velocity.
    let both = |bodies: [usize; 2], point: DVec3| {
        let of = |number: usize| {
            let (body, [linear, angular]) = (&problem.bodies[number], velocities[number]);
            let (linear, angular) = (body.linear + linear, body.angular + angular);
            [point_velocity(body, [linear, angular], point), angular]
        };
        let (a, b) = (of(bodies[0]), of(bodies[1]));
        [b[0] - a[0], b[1] - a[1]]
    };
    let mut dissipated = 0.0;
    for (contact, own) in problem.contacts.iter().zip(contacts) {
        dissipated -= 0.5 * own.impulse.dot(both(contact.bodies, contact.point)[0]);
    }
    for (joint, own) in problem.joints.iter().zip(joints) {
        let [translation, rotation] = both(joint.bodies, joint.point);
        dissipated -= 0.5 * (own.impulse.dot(translation) + own.moment.dot(rotation));
    }
    ImpulseEnergy { before, after, dissipated, repeated: 0.0 }
}
