//! Bodies that joints hold together: how their velocities answer to impulses.
//!
//! Velocities are scaled by the square roots of masses and inertias, so that half of the square of their length is the
//! kinetic energy. A joint is then some rows, each a direction across which the velocities are given; the velocities that
//! fit the joints and are nearest to given ones are those after the joints' impulses. They are found by corrections with
//! the matrix e + sum of r r^T over the rows r, made one long each, which has a block for each body and no more entries
//! than there are joints: each correction shrinks what is off by e / (e + s), s the least of the directions' own values
//! that is not 0. Redundant joints do no harm.

use glam::{DMat3, DVec3};
use nalgebra::{Matrix3, Vector3};

use crate::response::problem::{ImpulseBody, ImpulseJoint, ImpulseProblem, JointImpulse, JointKind};
use crate::response::sparse::{Blocks, Factors, Part};

/// Velocities of the bodies that are not keyframed, scaled.
pub(super) type Motion = Vec<Part>;

/// A direction in which two bodies act on each other.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// What a unit of impulse does to the scaled velocities; one or two bodies.
    pub(super) parts: Vec<(usize, Part)>,
    /// The same on the momenta: the impulse and its moment about the centre, unscaled.
    plain: Vec<(usize, Part)>,
    /// What the keyframed bodies add to the relative velocity.
    pub(super) carried: f64,
}

/// A joint's row.
#[derive(Debug, Clone)]
struct JointRow {
    joint: usize,
    row: Row,
    /// 1 / the length of the row; 0 where it moves nothing.
    scale: f64,
    /// The impulse of a unit, and the moment.
    impulse: DVec3,
    moment: DVec3,
}

/// The bodies of a problem.
#[derive(Debug)]
pub(super) struct Joined<'p> {
    problem: &'p ImpulseProblem,
    /// The number among those that are not keyframed.
    numbers: Vec<Option<usize>>,
    /// Scaled velocity to velocity: for the centre, and for the turn.
    scales: Vec<(f64, Matrix3<f64>)>,
    rows: Vec<JointRow>,
    factors: Option<Factors>,
    /// Of the rows as they are, for impulses of least norm.
    plain: Option<Factors>,
}

/// The e of corrections.
const SOFT: f64 = 1e-12;
const SOFT_PLAIN: f64 = 1e-9;

/// Corrections, at most.
const CORRECTIONS: usize = 60;

fn vector(v: DVec3) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

pub(super) fn matrix(m: &DMat3) -> Matrix3<f64> {
    Matrix3::from_columns(&[vector(m.x_axis), vector(m.y_axis), vector(m.z_axis)])
}

impl<'p> Joined<'p> {
    /// The bodies and joints of a problem; `None` where an inertia is not positive definite.
    pub(super) fn new(problem: &'p ImpulseProblem) -> Option<Self> {
        let (mut numbers, mut scales) = (Vec::new(), Vec::new());
        for body in &problem.bodies {
            numbers.push(body.mass.map(|_| scales.len()));
            if let Some(mass) = body.mass {
                // I = C C^T, and the scaled velocity is C^T w.
                let lower = matrix(&mass.inertia).cholesky()?.l();
                let turn = lower.transpose().try_inverse()?;
                scales.push((1.0 / mass.mass.sqrt(), turn));
            }
        }
        let mut joined = Self { problem, numbers, scales, rows: Vec::new(), factors: None, plain: None };
        for (number, joint) in problem.joints.iter().enumerate() {
            for (impulse, moment) in directions(&joint.kind) {
                let row = joined.row(joint.bodies, joint.point, impulse, moment);
                let length = squared(&row).sqrt();
                let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
                joined.rows.push(JointRow { joint: number, row, scale, impulse, moment });
            }
        }
        if !joined.rows.is_empty() {
            let count = joined.scales.len();
            let mut scaled = Blocks::diagonal(count, SOFT);
            let mut plain = Blocks::diagonal(count, SOFT_PLAIN);
            for JointRow { row, scale, .. } in &joined.rows {
                let parts: Vec<(usize, Part)> =
                    row.parts.iter().map(|(body, part)| (*body, part * *scale)).collect();
                scaled.add_square(&parts);
                plain.add_square(&row.plain);
            }
            joined.factors = Some(scaled.factors()?);
            joined.plain = Some(plain.factors()?);
        }
        Some(joined)
    }

    /// The velocities of the problem.
    pub(super) fn given(&self) -> Motion {
        let dynamic = self.problem.bodies.iter().filter(|body| body.mass.is_some());
        dynamic
            .zip(&self.scales)
            .map(|(body, (centre, turn))| {
                let linear = vector(body.linear) / *centre;
                // The inverse of the scale; it has one.
                let angular = turn.try_inverse().unwrap_or_else(Matrix3::zeros) * vector(body.angular);
                Part::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
            })
            .collect()
    }

    /// The velocities of all bodies, unscaled: as they are given where nothing changed them.
    pub(super) fn velocities(&self, motion: &Motion, given: &Motion) -> Vec<[DVec3; 2]> {
        let own = |(number, body): (usize, &ImpulseBody)| {
            if motion[number] == given[number] {
                return [body.linear, body.angular];
            }
            let (centre, turn) = self.scales[number];
            let part = motion[number];
            let linear = centre * DVec3::new(part[0], part[1], part[2]);
            let angular = turn * Vector3::new(part[3], part[4], part[5]);
            [linear, DVec3::new(angular.x, angular.y, angular.z)]
        };
        let bodies = self.numbers.iter().zip(&self.problem.bodies);
        bodies
            .map(|(number, body)| number.map_or([body.linear, body.angular], |number| own((number, body))))
            .collect()
    }

    /// The row of an impulse and a moment that act on B at a point, and their opposites on A.
    pub(super) fn row(&self, bodies: [usize; 2], point: DVec3, impulse: DVec3, moment: DVec3) -> Row {
        let mut row = Row { parts: Vec::new(), plain: Vec::new(), carried: 0.0 };
        for (body, sign) in bodies.into_iter().zip([-1.0, 1.0]) {
            let own = &self.problem.bodies[body];
            let turning = (point - own.center).cross(impulse) + moment;
            match self.numbers[body] {
                None => row.carried += sign * (impulse.dot(own.linear) + turning.dot(own.angular)),
                Some(number) => {
                    let (centre, turn) = self.scales[number];
                    let linear = sign * centre * vector(impulse);
                    let angular = sign * (turn.transpose() * vector(turning));
                    let part = |p: Vector3<f64>, q: Vector3<f64>| Part::new(p.x, p.y, p.z, q.x, q.y, q.z);
                    row.parts.push((number, part(linear, angular)));
                    row.plain.push((number, part(sign * vector(impulse), sign * vector(turning))));
                }
            }
        }
        row
    }

    /// The greatest speed in sight, in metres per second.
    pub(super) fn speed(&self) -> f64 {
        let problem = self.problem;
        let speed = |body: usize, point: DVec3| {
            let own = &problem.bodies[body];
            own.linear.length() + own.angular.length() * (1.0 + (point - own.center).length())
        };
        let contacts = problem.contacts.iter().map(|contact| (contact.bodies, contact.point));
        let joints = problem.joints.iter().map(|joint| (joint.bodies, joint.point));
        let all = contacts.chain(joints).flat_map(|(bodies, point)| bodies.map(|body| speed(body, point)));
        all.fold(0.0, f64::max)
    }

    /// Changes velocities by the least that makes them fit the joints; a joint that cannot fit is told. `is_change`: they are
    /// changes of velocities, to which keyframed bodies add nothing.
    pub(super) fn fit(&self, motion: &mut Motion, is_change: bool) -> Result<(), usize> {
        let Some(factors) = &self.factors else { return Ok(()) };
        let mut before = f64::INFINITY;
        let mut off = vec![0.0; self.rows.len()];
        for _ in 0..CORRECTIONS {
            let mut worst = 0.0_f64;
            for (off, row) in off.iter_mut().zip(&self.rows) {
                *off = -row.scale * relative(&row.row, motion, !is_change);
                worst = worst.max(off.abs());
            }
            if worst == 0.0 || worst >= 0.5 * before {
                break;
            }
            before = worst;
            // (e + R^T R)^-1 R^T off: the change that corrects it, but for a share of e.
            let mut change = vec![Part::zeros(); motion.len()];
            for (off, row) in off.iter().zip(&self.rows) {
                row.row.parts.iter().for_each(|(body, part)| change[*body] += part * (row.scale * off));
            }
            factors.solve(&mut change);
            // That change by the impulses that make it: what rounding adds to it is none of theirs.
            let left: Vec<f64> = off
                .iter()
                .zip(&self.rows)
                .map(|(off, row)| (off - row.scale * relative(&row.row, &change, false)) / SOFT)
                .collect();
            for (left, row) in left.iter().zip(&self.rows) {
                row.row.parts.iter().for_each(|(body, part)| motion[*body] += part * (row.scale * left));
            }
        }
        if is_change {
            return Ok(());
        }
        let speed = self.speed().max(f64::MIN_POSITIVE);
        let worst = self
            .rows
            .iter()
            .map(|row| (relative(&row.row, motion, true).abs(), row.joint))
            .fold((0.0, 0), |worst: (f64, usize), own| if own.0 > worst.0 { own } else { worst });
        if worst.0 > 1e-8 * speed { Err(worst.1) } else { Ok(()) }
    }

    /// The impulses of least norm by which joints change velocities from one to the other.
    pub(super) fn impulses(&self, change: &Motion) -> Vec<JointImpulse> {
        let mut all =
            vec![JointImpulse { impulse: DVec3::ZERO, moment: DVec3::ZERO }; self.problem.joints.len()];
        let Some(plain) = &self.plain else { return all };
        // The momenta that the joints give; impulses are J y, of least norm by themselves, with J^T J y = momenta.
        let momenta: Vec<Part> = change
            .iter()
            .zip(&self.scales)
            .map(|(part, (centre, turn))| {
                let linear = Vector3::new(part[0], part[1], part[2]) / *centre;
                let inverse = turn.try_inverse().unwrap_or_else(Matrix3::zeros).transpose();
                let angular = inverse * Vector3::new(part[3], part[4], part[5]);
                Part::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
            })
            .collect();
        let mut amounts = vec![0.0; self.rows.len()];
        let mut before = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            let mut rest = momenta.clone();
            for (amount, row) in amounts.iter().zip(&self.rows) {
                row.row.plain.iter().for_each(|(body, part)| rest[*body] -= part * *amount);
            }
            let worst = rest.iter().map(|part| part.amax()).fold(0.0, f64::max);
            if worst == 0.0 || worst >= 0.5 * before {
                break;
            }
            before = worst;
            plain.solve(&mut rest);
            for (amount, row) in amounts.iter_mut().zip(&self.rows) {
                *amount += row.row.plain.iter().map(|(body, part)| part.dot(&rest[*body])).sum::<f64>();
            }
        }
        for (amount, row) in amounts.into_iter().zip(&self.rows) {
            all[row.joint].impulse += amount * row.impulse;
            all[row.joint].moment += amount * row.moment;
        }
        all
    }
}

/// The relative velocity along a row.
pub(super) fn relative(row: &Row, motion: &Motion, with_keyframed: bool) -> f64 {
    let own: f64 = row.parts.iter().map(|(body, part)| part.dot(&motion[*body])).sum();
    if with_keyframed { own + row.carried } else { own }
}

/// The square of the length of a row: how fast a unit of impulse makes the bodies go, apart from joints.
pub(super) fn squared(row: &Row) -> f64 {
    row.parts.iter().map(|(_, part)| part.norm_squared()).sum()
}

/// The impulses and moments that a joint can give: units across each other.
fn directions(kind: &JointKind) -> Vec<(DVec3, DVec3)> {
    let unit = |axis: DVec3| (axis / axis.abs().max_element()).normalize_or_zero();
    let impulses = |all: &[DVec3]| all.iter().map(|u| (*u, DVec3::ZERO)).collect::<Vec<_>>();
    let moments = |all: &[DVec3]| all.iter().map(|u| (DVec3::ZERO, *u)).collect::<Vec<_>>();
    let all = [DVec3::X, DVec3::Y, DVec3::Z];
    let across = |axis: DVec3| <[DVec3; 2]>::from(unit(axis).any_orthonormal_pair());
    match *kind {
        JointKind::Ball => impulses(&all),
        JointKind::Fixed => [impulses(&all), moments(&all)].concat(),
        JointKind::Hinge { axis } => [impulses(&all), moments(&across(axis))].concat(),
        JointKind::Slide { axis } => impulses(&across(axis)),
        JointKind::Piston { axis } => [impulses(&across(axis)), moments(&across(axis))].concat(),
        JointKind::Plane { axis } => impulses(&[unit(axis)]),
    }
}

/// Whether a joint's bodies are both keyframed.
pub(super) fn is_between_keyframed(problem: &ImpulseProblem, joint: &ImpulseJoint) -> bool {
    joint.bodies.iter().all(|body| problem.bodies[*body].mass.is_none())
}
