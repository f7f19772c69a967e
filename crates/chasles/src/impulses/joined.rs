//! Bodies with joints: the response of their velocities to impulses.
//!
//! Velocities are scaled by the square roots of masses and inertias, so that half of their squared length is the
//! kinetic energy. A joint is a set of rows; each row prescribes the velocity along a direction. The joint
//! impulses lead from the initial velocities to the nearest velocities that satisfy the joints. Corrections find these
//! velocities, down to rounding.
//!
//! For joints that form trees, `tree` computes the corrections. For loops and duplicate joints, corrections use the
//! matrix e + sum of r r^T over the rows r, scaled to unit length. It has a diagonal block for each body, and
//! at most one further block for each joint. Each correction reduces the error by the factor e / (e + s), where s is
//! the smallest nonzero eigenvalue of the sum. Redundant joints do no harm.

use glam::{DMat3, DVec3};
use nalgebra::{Matrix3, Vector3};

use crate::impulses::problem::{ImpulseBody, ImpulseJoint, ImpulseProblem};
use crate::impulses::rows::{
    BodyVelocity, ConstraintRow, JacobianRow, JointRow, JointRows, ScaledVelocity, directions,
};
use crate::impulses::sparse::{Blocks, Elimination};
use crate::impulses::tree::Forest;

/// Scales the velocities of a body with inertia C C^T: the scaled angular velocity is C^T w.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    /// The square root of the mass.
    mass: f64,
    /// C^T, and its inverse.
    factor: Matrix3<f64>,
    inverse: Matrix3<f64>,
}

/// The method for joint impulses.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Method {
    /// There are no joints.
    #[default]
    None,
    Tree,
    /// Some joints form loops; the number is the e of the corrections.
    Loops(f64),
}

/// Data of the bodies and joints of a problem, in memory that is reused.
#[derive(Debug, Default)]
pub(crate) struct JointSystem {
    /// By body: its number among the bodies that are not keyframed.
    numbers: Vec<Option<usize>>,
    pub(super) scales: Vec<Scale>,
    pub(super) joints: Vec<JointRows>,
    pub(super) rows: Vec<JointRow>,
    pub(super) speed: f64,
    pub(super) method: Method,
    pub(super) forest: Forest,
    pub(super) elimination: Elimination,
    /// The factors of the matrix for loops.
    pub(super) scaled: Blocks,
    /// The number of rows of each body.
    counts: Vec<usize>,
}

/// The bodies of a problem.
#[derive(Debug)]
pub(crate) struct JointedBodies<'p> {
    pub(super) problem: &'p ImpulseProblem,
    pub(super) system: JointSystem,
}

/// The signs of a row's action on A and on B.
const SIGNS: [f64; 2] = [-1.0, 1.0];

/// Up to this number of bodies, more exact methods are used.
const FEW_BODIES: usize = 64;

/// The e of the corrections, for one row per body.
const REGULARIZATION: f64 = 1e-12;

fn vector(v: DVec3) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

fn spatial(p: Vector3<f64>, q: Vector3<f64>) -> BodyVelocity {
    BodyVelocity::new(p.x, p.y, p.z, q.x, q.y, q.z)
}

fn linear_and_angular(own: &BodyVelocity) -> [Vector3<f64>; 2] {
    [Vector3::new(own[0], own[1], own[2]), Vector3::new(own[3], own[4], own[5])]
}

pub(crate) fn matrix(m: &DMat3) -> Matrix3<f64> {
    Matrix3::from_columns(&[vector(m.x_axis), vector(m.y_axis), vector(m.z_axis)])
}

/// Refills a list in its existing memory.
pub(super) fn reset<T: Clone>(list: &mut Vec<T>, count: usize, value: T) {
    list.clear();
    list.resize(count, value);
}

impl JointSystem {
    /// Reads the bodies and joints of a valid problem; returns whether the factors exist despite rounding.
    pub(crate) fn fill(&mut self, problem: &ImpulseProblem) -> bool {
        self.numbers.clear();
        self.scales.clear();
        for body in &problem.bodies {
            self.numbers.push(body.mass.map(|_| self.scales.len()));
            let Some(mass) = body.mass else { continue };
            let Some(factor) = matrix(&mass.inertia).cholesky() else { return false };
            let factor = factor.l().transpose();
            let Some(inverse) = factor.try_inverse() else { return false };
            self.scales.push(Scale { mass: mass.mass.sqrt(), factor, inverse });
        }
        self.joints.clear();
        self.rows.clear();
        for joint in &problem.joints {
            self.add(problem, joint);
        }
        self.speed = speed(problem);
        self.method = Method::None;
        let numbers = &self.numbers;
        let preferred_roots =
            problem.contacts.iter().flat_map(|contact| contact.bodies).filter_map(|body| numbers[body]);
        if self.rows.is_empty() {
            return true;
        }
        if self.forest.order(self.scales.len(), &self.joints, preferred_roots.clone())
            && self.forest.factor(&self.rows)
        {
            self.forest.mark(preferred_roots);
            self.method = Method::Tree;
            return true;
        }
        self.factor()
    }

    /// Adds a joint and its rows.
    fn add(&mut self, problem: &ImpulseProblem, joint: &ImpulseJoint) {
        let [a, b] = joint.bodies;
        let numbers = [self.numbers[a], self.numbers[b]];
        let arms = [joint.point - problem.bodies[a].center, joint.point - problem.bodies[b].center];
        let first = self.rows.len();
        let (all, count) = directions(&joint.kind);
        for (impulse, moment) in &all[..count] {
            let (mut parts, mut keyframed_speed) = ([BodyVelocity::zeros(); 2], 0.0);
            for i in 0..2 {
                let total_moment = arms[i].cross(*impulse) + *moment;
                match numbers[i] {
                    Some(number) => {
                        let own = spatial(SIGNS[i] * vector(*impulse), SIGNS[i] * vector(total_moment));
                        parts[i] = self.scales[number].velocity_change(&own);
                    }
                    None => {
                        let own = &problem.bodies[joint.bodies[i]];
                        keyframed_speed +=
                            SIGNS[i] * (impulse.dot(own.linear) + total_moment.dot(own.angular));
                    }
                }
            }
            let length = (parts[0].norm_squared() + parts[1].norm_squared()).sqrt();
            let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
            self.rows.push(JointRow { parts, keyframed_speed, scale, impulse: *impulse, moment: *moment });
        }
        self.joints.push(JointRows { numbers, first, end: self.rows.len() });
    }

    /// Computes the factors for joints that form loops; returns whether they exist.
    pub(super) fn factor(&mut self) -> bool {
        let count = self.scales.len();
        // An entry of the sum of squares is at most its number of terms, and its rounding grows with that number.
        reset(&mut self.counts, count, 0);
        for joint_rows in &self.joints {
            joint_rows
                .numbers
                .iter()
                .flatten()
                .for_each(|body| self.counts[*body] += joint_rows.end - joint_rows.first);
        }
        let regularization =
            REGULARIZATION * self.counts.iter().fold(1.0, |most, own| (*own as f64).max(most));
        let joined = self
            .joints
            .iter()
            .filter_map(|joint_rows| Some([joint_rows.numbers[0]?, joint_rows.numbers[1]?]));
        self.elimination.order(count, joined);
        self.scaled.reset(&self.elimination, regularization);
        for joint_rows in &self.joints {
            for JointRow { parts, scale, .. } in &self.rows[joint_rows.first..joint_rows.end] {
                let own = [0, 1].map(|i| joint_rows.numbers[i].map(|number| (number, parts[i] * *scale)));
                self.scaled.add_square(&self.elimination, &own);
            }
        }
        self.method = Method::Loops(regularization);
        self.scaled.factor(&self.elimination)
    }
}

impl Scale {
    fn scaled_velocity(&self, [linear, angular]: [DVec3; 2]) -> BodyVelocity {
        spatial(self.mass * vector(linear), self.factor * vector(angular))
    }

    /// The velocities of a body from scaled ones.
    fn velocities(&self, own: &BodyVelocity) -> [DVec3; 2] {
        let [linear, angular] = linear_and_angular(own);
        let (linear, angular) = (linear / self.mass, self.inverse * angular);
        [DVec3::new(linear.x, linear.y, linear.z), DVec3::new(angular.x, angular.y, angular.z)]
    }

    /// The momenta for scaled velocities.
    pub(super) fn momenta(&self, own: &BodyVelocity) -> BodyVelocity {
        let [linear, angular] = linear_and_angular(own);
        spatial(self.mass * linear, self.factor.transpose() * angular)
    }

    /// The change of scaled velocities by an impulse and its moment about the centre.
    fn velocity_change(&self, own: &BodyVelocity) -> BodyVelocity {
        let [linear, angular] = linear_and_angular(own);
        spatial(linear / self.mass, self.inverse.transpose() * angular)
    }
}

impl<'p> JointedBodies<'p> {
    /// The bodies and joints of a valid problem; `None` if rounding prevents factors.
    pub(crate) fn new(problem: &'p ImpulseProblem) -> Option<Self> {
        let mut system = JointSystem::default();
        system.fill(problem).then_some(Self { problem, system })
    }

    /// The same, for data that is already filled.
    pub(super) fn from_system(problem: &'p ImpulseProblem, system: JointSystem) -> Self {
        Self { problem, system }
    }

    /// The memory, for another problem.
    pub(super) fn into_system(self) -> JointSystem {
        self.system
    }

    /// The velocities of the problem, scaled.
    pub(super) fn initial_velocities(&self, motion: &mut ScaledVelocity) {
        motion.clear();
        let dynamic = self.problem.bodies.iter().filter(|body| body.mass.is_some());
        let scaled = dynamic
            .zip(&self.system.scales)
            .map(|(body, scale)| scale.scaled_velocity([body.linear, body.angular]));
        motion.extend(scaled);
    }

    /// Scales the velocities of all bodies; keyframed bodies are dropped.
    pub(crate) fn scaled_velocities(&self, velocities: &[[DVec3; 2]]) -> ScaledVelocity {
        let own = self.system.numbers.iter().zip(velocities).filter(|(number, _)| number.is_some());
        own.zip(&self.system.scales).map(|((_, own), scale)| scale.scaled_velocity(*own)).collect()
    }

    /// The velocities of all bodies, unscaled. A body whose scaled velocity has not changed keeps its initial velocity
    /// exactly.
    pub(super) fn velocities(&self, [motion, initial]: [&[BodyVelocity]; 2], result: &mut Vec<[DVec3; 2]>) {
        let own = |(number, body): (&Option<usize>, &ImpulseBody)| match *number {
            Some(number) if motion[number] != initial[number] => {
                self.system.scales[number].velocities(&motion[number])
            }
            _ => [body.linear, body.angular],
        };
        result.clear();
        result.extend(self.system.numbers.iter().zip(&self.problem.bodies).map(own));
    }

    /// The row of an impulse and a moment that act on B at a point, with their opposites on A.
    pub(crate) fn row(
        &self,
        bodies: [usize; 2],
        point: DVec3,
        impulse: DVec3,
        moment: DVec3,
    ) -> ConstraintRow {
        let mut keyframed_speed = 0.0;
        for (body, sign) in
            bodies.into_iter().zip(SIGNS).filter(|(body, _)| self.system.numbers[*body].is_none())
        {
            let own = &self.problem.bodies[body];
            let total_moment = (point - own.center).cross(impulse) + moment;
            keyframed_speed += sign * (impulse.dot(own.linear) + total_moment.dot(own.angular));
        }
        let parts = self.momentum_row(bodies, point, impulse, moment);
        ConstraintRow {
            parts: parts.map(|own| {
                own.map(|(number, own)| (number, self.system.scales[number].velocity_change(&own)))
            }),
            keyframed_speed,
        }
    }

    /// The row of an impulse at a point that acts on a single body, which is not keyframed.
    pub(crate) fn row_of_body(&self, body: usize, point: DVec3, impulse: DVec3) -> ConstraintRow {
        let total_moment = (point - self.problem.bodies[body].center).cross(impulse);
        let own = spatial(vector(impulse), vector(total_moment));
        let part = self.system.numbers[body]
            .map(|number| (number, self.system.scales[number].velocity_change(&own)));
        ConstraintRow { parts: [part, None], keyframed_speed: 0.0 }
    }

    /// The change of momenta by the impulse and the moment of a row: the impulse, and its moment about the centre.
    fn momentum_row(&self, bodies: [usize; 2], point: DVec3, impulse: DVec3, moment: DVec3) -> JacobianRow {
        [0, 1].map(|i| {
            let total_moment = (point - self.problem.bodies[bodies[i]].center).cross(impulse) + moment;
            let [linear, angular] = [impulse, total_moment].map(|v| SIGNS[i] * vector(v));
            Some((self.system.numbers[bodies[i]]?, spatial(linear, angular)))
        })
    }

    /// The same for a row of a joint.
    pub(super) fn joint_momentum_row(&self, joint: usize, row: &JointRow) -> JacobianRow {
        let ImpulseJoint { bodies, point, .. } = self.problem.joints[joint];
        self.momentum_row(bodies, point, row.impulse, row.moment)
    }

    /// The linear and angular velocity change of each body that is not keyframed, from a change of scaled velocities.
    pub(crate) fn changes(&self, change: &ScaledVelocity) -> Vec<(usize, [DVec3; 2])> {
        let numbers = self.system.numbers.iter().enumerate();
        let dynamic = numbers.filter_map(|(body, number)| Some((body, (*number)?)));
        dynamic.map(|(body, number)| (body, self.system.scales[number].velocities(&change[number]))).collect()
    }

    /// The number of bodies that are not keyframed.
    pub(super) fn bodies(&self) -> usize {
        self.system.scales.len()
    }

    /// Whether there are so few such bodies that there is time for more exact methods.
    pub(super) fn has_few_bodies(&self) -> bool {
        self.bodies() <= FEW_BODIES
    }

    pub(super) fn has_joints(&self) -> bool {
        !self.system.rows.is_empty()
    }

    /// The maximum speed in the problem, in metres per second.
    pub(super) fn speed(&self) -> f64 {
        self.system.speed
    }

    /// The relative velocity along each joint direction.
    pub(crate) fn relatives(&self, motion: &ScaledVelocity) -> Vec<f64> {
        let own = |joint_rows: &JointRows, row: &JointRow| {
            joint_rows.velocities_along(row, motion).iter().sum::<f64>() + row.keyframed_speed
        };
        let joints = self.system.joints.iter();
        joints
            .flat_map(|joint_rows| {
                self.system.rows[joint_rows.first..joint_rows.end].iter().map(move |row| own(joint_rows, row))
            })
            .collect()
    }

    /// Each direction that a joint holds: the joint's number, a unit impulse and a unit moment, one of them zero.
    pub(crate) fn directions(&self) -> impl Iterator<Item = (usize, DVec3, DVec3)> + '_ {
        let joints = self.system.joints.iter().enumerate();
        joints.flat_map(|(joint, joint_rows)| {
            self.system.rows[joint_rows.first..joint_rows.end]
                .iter()
                .map(move |row| (joint, row.impulse, row.moment))
        })
    }
}

/// The maximum speed in the problem, in metres per second.
fn speed(problem: &ImpulseProblem) -> f64 {
    let speed = |body: usize, point: DVec3| {
        let own = &problem.bodies[body];
        own.linear.length() + own.angular.length() * (1.0 + (point - own.center).length())
    };
    let contacts = problem.contacts.iter().map(|contact| (contact.bodies, contact.point));
    let joints = problem.joints.iter().map(|joint| (joint.bodies, joint.point));
    let all = contacts.chain(joints).flat_map(|(bodies, point)| bodies.map(|body| speed(body, point)));
    all.fold(0.0, f64::max)
}
