//! Whether a problem has a meaning.

use glam::{DMat3, DVec3};

use crate::error::{Error, check_number, check_vector};
use crate::response::joined::matrix;
use crate::response::problem::{Friction, ImpulseProblem, InertiaFault, JointKind, RigidMass};

/// Contacts, at most: their answers are kept in a dense matrix.
const MOST_CONTACTS: usize = 256;

/// An inertia may be off its mirror image by this share of its largest number.
const SYMMETRIC: f64 = 1e-9;

/// An inertia this near to one that is not positive definite is not told apart from it by its digits. A share: of an
/// inertia in axes in which its diagonal is 1.
const LEAST_PIVOT: f64 = 1e-15;

impl RigidMass {
    /// What keeps a matrix from being an inertia, in the numbers as they are.
    #[must_use]
    pub fn inertia_fault(inertia: &DMat3) -> Option<InertiaFault> {
        let own = matrix(inertia);
        for (row, column) in [(0, 1), (0, 2), (1, 2)] {
            let apart = (own[(row, column)] - own[(column, row)]).abs();
            // A NaN is no number.
            if apart.is_nan() || apart > SYMMETRIC * own.amax() {
                return Some(InertiaFault::NotSymmetric { row, column });
            }
        }
        let scale = [0, 1, 2].map(|i| own[(i, i)].sqrt());
        let [xy, xz, yz] = [(0, 1), (0, 2), (1, 2)].map(|(i, k)| own[(i, k)] / scale[i] / scale[k]);
        // Cholesky's pivots.
        let second = 1.0 - xy * xy;
        let across = yz - xy * xz;
        let third = 1.0 - xz * xz - across * across / second;
        let is_definite =
            scale.iter().all(|scale| *scale > 0.0) && second > LEAST_PIVOT && third > LEAST_PIVOT;
        (!is_definite).then_some(InertiaFault::NotPositiveDefinite)
    }
}

impl ImpulseProblem {
    pub(super) fn validate(&self) -> Result<(), Error> {
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
                match RigidMass::inertia_fault(&mass.inertia) {
                    None => {}
                    Some(InertiaFault::NotSymmetric { row, column }) => {
                        let found = mass.inertia.col(column)[row];
                        let expected = "the number across the diagonal: an inertia is symmetric";
                        return Error::out_of_range(found, expected, place("inertia"));
                    }
                    Some(InertiaFault::NotPositiveDefinite) => {
                        let least = matrix(&mass.inertia).symmetric_eigenvalues().min();
                        return Error::out_of_range(least, "principal moments > 0", place("inertia"));
                    }
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
            if joint.bodies.iter().all(|body| self.bodies[*body].mass.is_none()) {
                return Error::out_of_range(0.0, "a body that is not keyframed", place);
            }
        }
        Ok(())
    }
}
