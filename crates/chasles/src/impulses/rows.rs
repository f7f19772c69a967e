//! Constraint rows: the directions in which bodies act on each other, at contacts and in joints.
//!
//! Velocities are scaled by the square roots of masses and inertias, so that half of their squared length is the
//! kinetic energy.

use glam::DVec3;
use nalgebra::SVector;

use crate::impulses::problem::JointKind;

/// The scaled velocity of one body: linear, then angular.
pub(crate) type BodyVelocity = SVector<f64, 6>;

/// Scaled velocities of the bodies that are not keyframed.
pub(crate) type ScaledVelocity = Vec<BodyVelocity>;

/// A row of a Jacobian: a vector for each of at most two bodies that are not keyframed.
pub(super) type JacobianRow = [Option<(usize, BodyVelocity)>; 2];

/// A direction in which two bodies act on each other.
#[derive(Debug, Clone)]
pub(crate) struct ConstraintRow {
    /// The change of scaled velocities by a unit impulse.
    pub(super) parts: JacobianRow,
    /// The contribution of keyframed bodies to the relative velocity.
    pub(super) keyframed_speed: f64,
}

impl ConstraintRow {
    /// Whether it acts on keyframed bodies only.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.iter().all(Option::is_none)
    }

    /// Applies an impulse along it to the velocities.
    pub(crate) fn apply(&self, amount: f64, motion: &mut [BodyVelocity]) {
        self.parts.iter().flatten().for_each(|(body, part)| motion[*body] += part * amount);
    }

    /// The relative velocity along it, without the contribution of keyframed bodies.
    pub(super) fn relative(&self, motion: &[BodyVelocity]) -> f64 {
        self.parts.iter().flatten().map(|(body, part)| part.dot(&motion[*body])).sum()
    }

    /// The relative velocity after a unit impulse along another row, without joints.
    pub(super) fn product(&self, other: &Self) -> f64 {
        let same = |(body, part): &(usize, BodyVelocity)| {
            let all = other.parts.iter().flatten().filter(move |(own, _)| own == body);
            all.map(|(_, own)| part.dot(own)).sum::<f64>()
        };
        self.parts.iter().flatten().map(same).sum()
    }

    /// Its squared length: the response of the bodies to a unit impulse, without joints.
    pub(super) fn length_squared(&self) -> f64 {
        self.parts.iter().flatten().map(|(_, part)| part.norm_squared()).sum()
    }
}

/// A joint: the numbers of its bodies among those that are not keyframed, and its rows from `first` to before `end`.
#[derive(Debug, Clone, Copy)]
pub(super) struct JointRows {
    pub(super) numbers: [Option<usize>; 2],
    pub(super) first: usize,
    pub(super) end: usize,
}

/// A row of a joint.
#[derive(Debug, Clone)]
pub(super) struct JointRow {
    /// As in a [`ConstraintRow`]; zero for a keyframed body.
    pub(super) parts: [BodyVelocity; 2],
    pub(super) keyframed_speed: f64,
    /// 1 / the length of the row; 0 if it moves no body.
    pub(super) scale: f64,
    /// The impulse and the moment on B for a unit impulse along the row.
    pub(super) impulse: DVec3,
    pub(super) moment: DVec3,
}

impl JointRows {
    /// The velocities of A and of B along one of its rows.
    pub(super) fn velocities_along(&self, row: &JointRow, motion: &[BodyVelocity]) -> [f64; 2] {
        let [a, b] = self.numbers;
        let of = |number: Option<usize>, part: &BodyVelocity| {
            number.map_or(0.0, |number| dot(part, &motion[number]))
        };
        [of(a, &row.parts[0]), of(b, &row.parts[1])]
    }

    /// Applies an impulse along one of its rows to the velocities.
    pub(super) fn apply(&self, row: &JointRow, amount: f64, motion: &mut [BodyVelocity]) {
        let [a, b] = self.numbers;
        let mut add_to = |number: Option<usize>, part: &BodyVelocity| {
            if let Some(number) = number {
                motion[number] += part * amount;
            }
        };
        add_to(a, &row.parts[0]);
        add_to(b, &row.parts[1]);
    }
}

/// The dot product, in independent partial sums, because each addition waits for the one before.
pub(super) fn dot(a: &BodyVelocity, b: &BodyVelocity) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

/// The impulses and moments that a joint can transfer, as orthogonal unit vectors, and their number.
pub(super) fn directions(kind: &JointKind) -> ([(DVec3, DVec3); 6], usize) {
    const NOTHING: (DVec3, DVec3) = (DVec3::ZERO, DVec3::ZERO);
    let unit = |axis: DVec3| (axis / axis.abs().max_element()).normalize_or_zero();
    let across = |axis: DVec3| <[DVec3; 2]>::from(unit(axis).any_orthonormal_pair());
    let all = [DVec3::X, DVec3::Y, DVec3::Z];
    let mut found = [NOTHING; 6];
    let mut count = 0;
    let mut add = |impulses: &[DVec3], moments: &[DVec3]| {
        let impulses = impulses.iter().map(|u| (*u, DVec3::ZERO));
        for own in impulses.chain(moments.iter().map(|u| (DVec3::ZERO, *u))) {
            found[count] = own;
            count += 1;
        }
    };
    match *kind {
        JointKind::Ball => add(&all, &[]),
        JointKind::Fixed => add(&all, &all),
        JointKind::Hinge { axis } => add(&all, &across(axis)),
        JointKind::Slide { axis } => add(&across(axis), &[]),
        JointKind::Piston { axis } => add(&across(axis), &across(axis)),
        JointKind::Plane { axis } => add(&[unit(axis)], &[]),
    }
    (found, count)
}
