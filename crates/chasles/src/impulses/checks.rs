//! Validates a problem.

use glam::{DMat3, DVec3};

use crate::error::{Error, check_number, check_vector};
use crate::impulses::joined::matrix;
use crate::impulses::problem::{
    Friction, ImpulseContact, ImpulseJoint, ImpulseProblem, InertiaFault, RigidMass, SurfaceProperties,
};

/// Maximum number of contacts: their responses are stored in a dense matrix.
const MAX_CONTACTS: usize = 256;

/// Allowed asymmetry of an inertia, relative to its largest number.
const MAX_ASYMMETRY: f64 = 1e-9;

/// A pivot of an inertia below this, scaled to a unit diagonal, is zero within rounding.
const MIN_PIVOT: f64 = 1e-15;

impl RigidMass {
    /// The reason why a matrix is not an inertia, judged from its numbers as they are.
    #[must_use]
    pub fn inertia_fault(inertia: &DMat3) -> Option<InertiaFault> {
        let own = matrix(inertia);
        for (row, column) in [(0, 1), (0, 2), (1, 2)] {
            let difference = (own[(row, column)] - own[(column, row)]).abs();
            // A NaN counts as asymmetric.
            if difference.is_nan() || difference > MAX_ASYMMETRY * own.amax() {
                return Some(InertiaFault::NotSymmetric { row, column });
            }
        }
        let scale = [0, 1, 2].map(|i| own[(i, i)].sqrt());
        let [xy, xz, yz] = [(0, 1), (0, 2), (1, 2)].map(|(i, k)| own[(i, k)] / scale[i] / scale[k]);
        // Cholesky's pivots.
        let second = 1.0 - xy * xy;
        let across = yz - xy * xz;
        let third = 1.0 - xz * xz - across * across / second;
        let is_definite = scale.iter().all(|scale| *scale > 0.0) && second > MIN_PIVOT && third > MIN_PIVOT;
        (!is_definite).then_some(InertiaFault::NotPositiveDefinite)
    }
}

/// Checks a mass; `place` names its fields.
pub(crate) fn check_mass(mass: &RigidMass, place: impl Fn(&str) -> String) -> Result<(), Error> {
    if !(mass.mass > 0.0 && mass.mass < f64::MAX) {
        return Error::out_of_range(mass.mass, "a finite number > 0", place("mass"));
    }
    for column in [mass.inertia.x_axis, mass.inertia.y_axis, mass.inertia.z_axis] {
        check_vector(column, || place("inertia"))?;
    }
    match RigidMass::inertia_fault(&mass.inertia) {
        None => Ok(()),
        Some(InertiaFault::NotSymmetric { row, column }) => {
            let found = mass.inertia.col(column)[row];
            let expected = "the number across the diagonal: an inertia is symmetric";
            Error::out_of_range(found, expected, place("inertia"))
        }
        Some(InertiaFault::NotPositiveDefinite) => {
            let minimum = matrix(&mass.inertia).symmetric_eigenvalues().min();
            Error::out_of_range(minimum, "principal moments > 0", place("inertia"))
        }
    }
}

/// Checks restitution and friction; `place` names them.
pub(crate) fn check_surface(surface: SurfaceProperties, place: impl Fn(&str) -> String) -> Result<(), Error> {
    let SurfaceProperties { elasticity, friction } = surface;
    if !(0.0..=1.0).contains(&elasticity) {
        return Error::out_of_range(elasticity, "a number in [0, 1]", place("elasticity"));
    }
    if let Friction::Coefficient(coefficient) = friction {
        check_number(coefficient, || place("friction"))?;
        if coefficient < 0.0 {
            return Error::out_of_range(coefficient, "a number >= 0", place("friction"));
        }
    }
    Ok(())
}

/// Checks a joint among `count` bodies; `is_dynamic` says whether impulses move a body, `place` names the joint.
pub(crate) fn check_joint(
    joint: &ImpulseJoint,
    count: usize,
    is_dynamic: impl Fn(usize) -> bool,
    place: impl Fn() -> String,
) -> Result<(), Error> {
    check_pair(joint.bodies, count, &place)?;
    check_vector(joint.point, &place)?;
    if let Some(axis) = joint.kind.axis() {
        check_axis(axis, &place)?;
    }
    if !joint.bodies.into_iter().any(is_dynamic) {
        return Error::out_of_range(0.0, "a body that is not keyframed", place());
    }
    Ok(())
}

fn check_pair(bodies: [usize; 2], count: usize, place: impl Fn() -> String) -> Result<(), Error> {
    if bodies[0] == bodies[1] || bodies.iter().any(|body| *body >= count) {
        return Error::out_of_range(bodies[1] as f64, "two bodies", place());
    }
    Ok(())
}

fn check_axis(axis: DVec3, place: impl Fn() -> String) -> Result<(), Error> {
    check_vector(axis, &place)?;
    if axis == DVec3::ZERO {
        return Error::out_of_range(0.0, "a direction", place());
    }
    Ok(())
}

/// Checks the numbers of a problem, and the indices of its bodies.
pub(super) fn check_problem(problem: &ImpulseProblem) -> Result<(), Error> {
    if problem.contacts.len() > MAX_CONTACTS {
        let expected = "at most 256 contacts";
        return Error::out_of_range(problem.contacts.len() as f64, expected, "contacts");
    }
    for (number, body) in problem.bodies.iter().enumerate() {
        let place = |what: &str| format!("{what} of body {number}");
        check_vector(body.center, || place("center"))?;
        check_vector(body.linear, || place("linear"))?;
        check_vector(body.angular, || place("angular"))?;
        if let Some(mass) = &body.mass {
            check_mass(mass, place)?;
        }
    }
    for (number, contact) in problem.contacts.iter().enumerate() {
        let place = || format!("contact {number}");
        check_pair(contact.bodies, problem.bodies.len(), place)?;
        check_vector(contact.point, place)?;
        check_axis(contact.normal, place)?;
        let ImpulseContact { elasticity, friction, .. } = *contact;
        check_surface(SurfaceProperties { elasticity, friction }, |_| place())?;
    }
    let is_dynamic = |body: usize| problem.bodies[body].mass.is_some();
    for (number, joint) in problem.joints.iter().enumerate() {
        let place = || format!("joint {number}");
        check_joint(joint, problem.bodies.len(), is_dynamic, place)?;
    }
    Ok(())
}
