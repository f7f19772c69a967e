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

use crate::response::problem::{ImpulseBody, ImpulseProblem, JointImpulse, JointKind};
use crate::response::sparse::{Blocks, Factors, Part};

/// Velocities of the bodies that are not keyframed, scaled.
pub(crate) type Motion = Vec<Part>;

/// What acts on at most two bodies that are not keyframed.
type Acts = [Option<(usize, Part)>; 2];

/// A direction in which two bodies act on each other.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// What a unit of impulse does to the scaled velocities.
    parts: Acts,
    /// What the keyframed bodies add to the relative velocity.
    carried: f64,
}

impl Row {
    /// Whether it acts on keyframed bodies alone.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.iter().all(Option::is_none)
    }

    /// Adds what an impulse along it does.
    pub(crate) fn apply(&self, amount: f64, motion: &mut Motion) {
        self.parts.iter().flatten().for_each(|(body, part)| motion[*body] += part * amount);
    }
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

/// What makes scaled velocities of a body's, whose inertia is C C^T: the scaled turn is C^T w.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// The root of the mass.
    mass: f64,
    /// C^T, and its inverse.
    turn: Matrix3<f64>,
    back: Matrix3<f64>,
}

/// The bodies of a problem.
#[derive(Debug)]
pub(crate) struct Joined<'p> {
    problem: &'p ImpulseProblem,
    /// The number among those that are not keyframed.
    numbers: Vec<Option<usize>>,
    scales: Vec<Scale>,
    rows: Vec<JointRow>,
    /// Those of the rows of length one, with what is added to their diagonal.
    factors: Option<(Factors, f64)>,
}

/// How a row acts on A and on B.
const SIGNS: [f64; 2] = [-1.0, 1.0];

/// The e of corrections.
const SOFT: f64 = 1e-12;
const SOFT_PLAIN: f64 = 1e-9;

/// What is off by less than this share of the greatest speed holds.
const HOLDS: f64 = 1e-8;

/// Corrections, at most.
const CORRECTIONS: usize = 60;

fn vector(v: DVec3) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

fn part(p: Vector3<f64>, q: Vector3<f64>) -> Part {
    Part::new(p.x, p.y, p.z, q.x, q.y, q.z)
}

fn halves(own: &Part) -> [Vector3<f64>; 2] {
    [0, 3].map(|first| own.fixed_rows::<3>(first).into_owned())
}

pub(crate) fn matrix(m: &DMat3) -> Matrix3<f64> {
    Matrix3::from_columns(&[vector(m.x_axis), vector(m.y_axis), vector(m.z_axis)])
}

impl<'p> Joined<'p> {
    /// The bodies and joints of a problem, which is valid; `None` where roundings leave no factors.
    pub(crate) fn new(problem: &'p ImpulseProblem) -> Option<Self> {
        let (mut numbers, mut scales) = (Vec::new(), Vec::new());
        for body in &problem.bodies {
            numbers.push(body.mass.map(|_| scales.len()));
            if let Some(mass) = body.mass {
                let turn = matrix(&mass.inertia).cholesky()?.l().transpose();
                scales.push(Scale { mass: mass.mass.sqrt(), turn, back: turn.try_inverse()? });
            }
        }
        let mut joined = Self { problem, numbers, scales, rows: Vec::new(), factors: None };
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
            // No number of a sum of squares is more than that of its terms; that many lose as many roundings.
            let mut most = vec![0.0_f64; count];
            for (body, _) in joined.rows.iter().flat_map(|row| row.row.parts.iter().flatten()) {
                most[*body] += 1.0;
            }
            let soft = SOFT * most.into_iter().fold(1.0, f64::max);
            let mut scaled = Blocks::diagonal(count, soft);
            for JointRow { row, scale, .. } in &joined.rows {
                scaled.add_square(&row.parts.map(|own| own.map(|(body, part)| (body, part * *scale))));
            }
            joined.factors = Some((scaled.factors()?, soft));
        }
        Some(joined)
    }

    /// The velocities of the problem.
    pub(crate) fn given(&self) -> Motion {
        let dynamic = self.problem.bodies.iter().filter(|body| body.mass.is_some());
        dynamic
            .zip(&self.scales)
            .map(|(body, scale)| part(scale.mass * vector(body.linear), scale.turn * vector(body.angular)))
            .collect()
    }

    /// Velocities of all bodies, of which only those count that are not keyframed, scaled.
    pub(crate) fn scaled(&self, velocities: &[[DVec3; 2]]) -> Motion {
        let own = self.numbers.iter().zip(velocities).filter_map(|(number, own)| Some(((*number)?, own)));
        own.map(|(number, [linear, angular])| {
            let scale = &self.scales[number];
            part(scale.mass * vector(*linear), scale.turn * vector(*angular))
        })
        .collect()
    }

    /// The velocities of all bodies, unscaled: as they are given where nothing changed them.
    pub(crate) fn velocities(&self, motion: &Motion, given: &Motion) -> Vec<[DVec3; 2]> {
        let own = |(number, body): (usize, &ImpulseBody)| {
            if motion[number] == given[number] {
                return [body.linear, body.angular];
            }
            let Scale { mass, back, .. } = self.scales[number];
            let [linear, angular] = halves(&motion[number]);
            [linear / mass, back * angular].map(|v| DVec3::new(v.x, v.y, v.z))
        };
        let bodies = self.numbers.iter().zip(&self.problem.bodies);
        bodies
            .map(|(number, body)| number.map_or([body.linear, body.angular], |number| own((number, body))))
            .collect()
    }

    /// The row of an impulse and a moment that act on B at a point, and their opposites on A.
    pub(crate) fn row(&self, bodies: [usize; 2], point: DVec3, impulse: DVec3, moment: DVec3) -> Row {
        let mut carried = 0.0;
        for (body, sign) in bodies.into_iter().zip(SIGNS).filter(|(body, _)| self.numbers[*body].is_none()) {
            let own = &self.problem.bodies[body];
            let turning = (point - own.center).cross(impulse) + moment;
            carried += sign * (impulse.dot(own.linear) + turning.dot(own.angular));
        }
        let parts = self.acts(bodies, point, impulse, moment);
        Row {
            parts: parts.map(|own| own.map(|(number, own)| (number, self.scaled_act(number, &own)))),
            carried,
        }
    }

    /// The row of an impulse at a point that acts on one body alone, which is not keyframed.
    pub(crate) fn row_of_one(&self, body: usize, point: DVec3, impulse: DVec3) -> Row {
        let turning = (point - self.problem.bodies[body].center).cross(impulse);
        let own = part(vector(impulse), vector(turning));
        let part = self.numbers[body].map(|number| (number, self.scaled_act(number, &own)));
        Row { parts: [part, None], carried: 0.0 }
    }

    /// What the impulse and the moment of a row do to the momenta: the impulse, and its moment about the centre.
    fn acts(&self, bodies: [usize; 2], point: DVec3, impulse: DVec3, moment: DVec3) -> Acts {
        [0, 1].map(|i| {
            let turning = (point - self.problem.bodies[bodies[i]].center).cross(impulse) + moment;
            let [linear, angular] = [impulse, turning].map(|v| SIGNS[i] * vector(v));
            Some((self.numbers[bodies[i]]?, part(linear, angular)))
        })
    }

    /// What it is on scaled velocities.
    fn scaled_act(&self, number: usize, own: &Part) -> Part {
        let Scale { mass, back, .. } = self.scales[number];
        let [linear, angular] = halves(own);
        part(linear / mass, back.transpose() * angular)
    }

    /// What a change of scaled velocities is for each body that is not keyframed: of its centre, and angular.
    pub(crate) fn changes(&self, change: &Motion) -> Vec<(usize, [DVec3; 2])> {
        let dynamic = self.numbers.iter().enumerate().filter_map(|(body, number)| Some((body, (*number)?)));
        dynamic
            .map(|(body, number)| {
                let Scale { mass, back, .. } = self.scales[number];
                let [linear, angular] = halves(&change[number]);
                (body, [linear / mass, back * angular].map(|v| DVec3::new(v.x, v.y, v.z)))
            })
            .collect()
    }

    /// The greatest speed in sight, in metres per second.
    pub(crate) fn speed(&self) -> f64 {
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

    /// Changes velocities by the least that makes them fit the joints, as far as they can.
    pub(crate) fn fit(&self, motion: &mut Motion) {
        self.correct(motion, true, &[]);
    }

    /// The same, so that each direction of the joints has a relative velocity of its own ([`Self::directions`]).
    pub(crate) fn fit_to(&self, motion: &mut Motion, wanted: &[f64]) {
        self.correct(motion, true, wanted);
    }

    /// The relative velocity along each of these directions.
    pub(crate) fn relatives(&self, motion: &Motion) -> Vec<f64> {
        self.rows.iter().map(|row| relative(&row.row, motion, true)).collect()
    }

    /// Each direction in which a joint holds: the joint's number, a unit impulse and a unit moment, one of them zero.
    pub(crate) fn directions(&self) -> impl Iterator<Item = (usize, DVec3, DVec3)> + '_ {
        self.rows.iter().map(|row| (row.joint, row.impulse, row.moment))
    }

    /// How the velocities answer to a unit of impulse along a row.
    pub(crate) fn answer(&self, row: &Row) -> Motion {
        let mut change = vec![Part::zeros(); self.scales.len()];
        row.apply(1.0, &mut change);
        self.correct(&mut change, false, &[]);
        change
    }

    /// The joint that fits least, where it does not.
    pub(crate) fn broken(&self, motion: &Motion) -> Option<usize> {
        let off = self.rows.iter().map(|row| (relative(&row.row, motion, true).abs(), row.joint));
        let worst = off.max_by(|x, y| x.0.total_cmp(&y.0))?;
        (worst.0 > HOLDS * self.speed().max(f64::MIN_POSITIVE)).then_some(worst.1)
    }

    /// Changes velocities, or changes of them, to which keyframed bodies add nothing. What is wanted of a row is 0 unless
    /// it is said.
    fn correct(&self, motion: &mut Motion, with_keyframed: bool, wanted: &[f64]) {
        let Some((factors, soft)) = &self.factors else { return };
        let mut before = f64::INFINITY;
        let mut off = vec![0.0; self.rows.len()];
        for _ in 0..CORRECTIONS {
            let mut worst = 0.0_f64;
            for (i, (off, row)) in off.iter_mut().zip(&self.rows).enumerate() {
                let wanted = wanted.get(i).copied().unwrap_or(0.0);
                *off = row.scale * (wanted - relative(&row.row, motion, with_keyframed));
                worst = worst.max(off.abs());
            }
            if worst == 0.0 || worst >= 0.5 * before {
                break;
            }
            before = worst;
            // (e + R^T R)^-1 R^T off: the change that corrects it, but for a share of e.
            let mut change = vec![Part::zeros(); motion.len()];
            for (off, row) in off.iter().zip(&self.rows) {
                row.row.apply(row.scale * off, &mut change);
            }
            factors.solve(&mut change);
            // That change by the impulses that make it: what rounding adds to it is none of theirs.
            let left: Vec<f64> = off
                .iter()
                .zip(&self.rows)
                .map(|(off, row)| (off - row.scale * relative(&row.row, &change, false)) / soft)
                .collect();
            for (left, row) in left.iter().zip(&self.rows) {
                row.row.apply(row.scale * left, motion);
            }
        }
    }

    /// The impulses of least norm by which joints make this change of scaled velocities; `None` where roundings leave no
    /// factors.
    pub(crate) fn impulses(&self, change: &Motion) -> Option<Vec<JointImpulse>> {
        let mut all =
            vec![JointImpulse { impulse: DVec3::ZERO, moment: DVec3::ZERO }; self.problem.joints.len()];
        if self.rows.is_empty() {
            return Some(all);
        }
        let acts = |row: &JointRow| {
            let joint = &self.problem.joints[row.joint];
            self.acts(joint.bodies, joint.point, row.impulse, row.moment)
        };
        let rows: Vec<Acts> = self.rows.iter().map(acts).collect();
        let mut blocks = Blocks::diagonal(self.scales.len(), SOFT_PLAIN);
        rows.iter().for_each(|row| blocks.add_square(row));
        let factors = blocks.factors()?;
        // The momenta that the joints give; impulses are J y, of least norm by themselves, with J^T J y = momenta.
        let momenta: Vec<Part> = change
            .iter()
            .zip(&self.scales)
            .map(|(own, scale)| {
                let [linear, angular] = halves(own);
                part(scale.mass * linear, scale.turn.transpose() * angular)
            })
            .collect();
        let mut amounts = vec![0.0; self.rows.len()];
        let mut before = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            let mut rest = momenta.clone();
            for (amount, row) in amounts.iter().zip(&rows) {
                row.iter().flatten().for_each(|(body, part)| rest[*body] -= part * *amount);
            }
            let worst = rest.iter().map(|part| part.amax()).fold(0.0, f64::max);
            if worst == 0.0 || worst >= 0.5 * before {
                break;
            }
            before = worst;
            factors.solve(&mut rest);
            for (amount, row) in amounts.iter_mut().zip(&rows) {
                *amount += row.iter().flatten().map(|(body, part)| part.dot(&rest[*body])).sum::<f64>();
            }
        }
        for (amount, row) in amounts.into_iter().zip(&self.rows) {
            all[row.joint].impulse += amount * row.impulse;
            all[row.joint].moment += amount * row.moment;
        }
        Some(all)
    }
}

/// The relative velocity along a row.
pub(crate) fn relative(row: &Row, motion: &Motion, with_keyframed: bool) -> f64 {
    let own: f64 = row.parts.iter().flatten().map(|(body, part)| part.dot(&motion[*body])).sum();
    if with_keyframed { own + row.carried } else { own }
}

/// The square of the length of a row: how fast a unit of impulse makes the bodies go, apart from joints.
pub(crate) fn squared(row: &Row) -> f64 {
    row.parts.iter().flatten().map(|(_, part)| part.norm_squared()).sum()
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
