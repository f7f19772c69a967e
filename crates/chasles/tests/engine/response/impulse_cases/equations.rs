//! The paper's equations (Moore and Wilhelms 1988, section 3.2), with all unknowns at once: final velocities, and
//! impulses of joints.

use chasles::{ImpulseContact, ImpulseProblem, JointKind};
use glam::DVec3;

use super::real::{Real, shortest, solved};

/// A vector of reals.
pub(crate) type Vector = [Real; 3];

/// Velocities of all bodies: linear, then angular.
pub(crate) type Velocities = Vec<[Vector; 2]>;

pub(crate) fn exact(v: DVec3) -> Vector {
    v.to_array().map(Real::of)
}

pub(crate) fn rounded(v: &Vector) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|k| v[k].double()))
}

pub(crate) fn units() -> [Vector; 3] {
    [DVec3::X, DVec3::Y, DVec3::Z].map(exact)
}

fn none() -> Vector {
    [Real::zero(), Real::zero(), Real::zero()]
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, k)| a[i].times(&b[k]).minus(&a[k].times(&b[i])))
}

pub(crate) fn dot(a: &Vector, b: &Vector) -> Real {
    (0..3).fold(Real::zero(), |sum, i| sum.plus(&a[i].times(&b[i])))
}

pub(crate) fn scaled(v: &Vector, by: &Real) -> Vector {
    [0, 1, 2].map(|i| v[i].times(by))
}

pub(crate) fn sum(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|i| a[i].plus(&b[i]))
}

fn unit(v: &Vector) -> Vector {
    let length = dot(v, v).sqrt();
    v.clone().map(|x| x.over(&length))
}

pub(crate) fn normal(contact: &ImpulseContact) -> Vector {
    unit(&exact(contact.normal))
}

/// Two unit vectors perpendicular to an axis and to each other.
fn across(axis: DVec3) -> [Vector; 2] {
    let mut other = none();
    other[axis.abs().min_position()] = Real::of(1.0);
    let first = unit(&cross(&exact(axis), &other));
    let second = unit(&cross(&exact(axis), &first));
    [first, second]
}

/// An impulse and a moment on B at a point, and their opposites on A.
pub(crate) struct Pull {
    bodies: [usize; 2],
    impulse: Vector,
    moment: Vector,
    /// Its effect on A and on B: on momentum and angular momentum.
    on: [[Vector; 2]; 2],
}

impl Pull {
    fn new(
        problem: &ImpulseProblem,
        bodies: [usize; 2],
        point: DVec3,
        [impulse, moment]: [Vector; 2],
    ) -> Self {
        let on = [0, 1].map(|side| {
            let center = exact(problem.bodies[bodies[side]].center);
            let point = exact(point);
            let arm = [0, 1, 2].map(|i| point[i].minus(&center[i]));
            let turning = sum(&cross(&arm, &impulse), &moment);
            let sign = Real::of([-1.0, 1.0][side]);
            [scaled(&impulse, &sign), scaled(&turning, &sign)]
        });
        Self { bodies, impulse, moment, on }
    }

    pub(crate) fn at_contact(problem: &ImpulseProblem, contact: &ImpulseContact, impulse: Vector) -> Self {
        Self::new(problem, contact.bodies, contact.point, [impulse, none()])
    }

    /// The relative velocity along the pull.
    pub(crate) fn along(&self, velocities: &Velocities) -> Real {
        (0..2).fold(Real::zero(), |all, side| {
            let [p, q] = &self.on[side];
            let [v, w] = &velocities[self.bodies[side]];
            all.plus(&dot(p, v)).plus(&dot(q, w))
        })
    }

    /// Its effect on a component of a body's momenta.
    fn part(&self, body: usize, part: usize, axis: usize) -> Real {
        let sides = (0..2).filter(|side| self.bodies[*side] == body);
        sides.fold(Real::zero(), |sum, side| sum.plus(&self.on[side][part][axis]))
    }
}

/// The directions in which each joint holds, as perpendicular unit vectors, with the joint's number.
fn joint_pulls(problem: &ImpulseProblem) -> Vec<(usize, Pull)> {
    let mut all = Vec::new();
    for (number, joint) in problem.joints.iter().enumerate() {
        let mut add = |own: [Vector; 2]| {
            all.push((number, Pull::new(problem, joint.bodies, joint.point, own)));
        };
        let (impulses, moments): (Vec<Vector>, Vec<Vector>) = match joint.kind {
            JointKind::Ball => (units().into(), vec![]),
            JointKind::Fixed => (units().into(), units().into()),
            JointKind::Hinge { axis } => (units().into(), across(axis).into()),
            JointKind::Slide { axis } => (across(axis).into(), vec![]),
            JointKind::Piston { axis } => (across(axis).into(), across(axis).into()),
            JointKind::Plane { axis } => (vec![unit(&exact(axis))], vec![]),
        };
        impulses.into_iter().for_each(|u| add([u, none()]));
        moments.into_iter().for_each(|u| add([none(), u]));
    }
    all
}

/// The directions in which joints hold, each as the change of a body's momenta per unit, rounded.
pub(crate) fn joint_directions(problem: &ImpulseProblem) -> Vec<impl Fn(usize) -> [DVec3; 2]> {
    let of = |(_, pull): (usize, Pull)| {
        move |body: usize| [0, 1].map(|part| rounded(&[0, 1, 2].map(|axis| pull.part(body, part, axis))))
    };
    joint_pulls(problem).into_iter().map(of).collect()
}

/// The components of the velocities of dynamic bodies: body, part, axis.
fn places(problem: &ImpulseProblem) -> impl Iterator<Item = (usize, usize, usize)> {
    let dynamic = (0..problem.bodies.len()).filter(|body| problem.bodies[*body].mass.is_some());
    dynamic.flat_map(|body| (0..6).map(move |k| (body, k / 3, k % 3)))
}

/// A component of the momenta of a dynamic body.
fn momentum(problem: &ImpulseProblem, velocities: &Velocities, place: (usize, usize, usize)) -> Real {
    let (body, part, _) = place;
    (0..3).fold(Real::zero(), |sum, k| sum.plus(&weight(problem, place, k).times(&velocities[body][part][k])))
}

fn weight(problem: &ImpulseProblem, (body, part, axis): (usize, usize, usize), k: usize) -> Real {
    let mass = problem.bodies[body].mass.unwrap();
    Real::of(match part {
        0 if k == axis => mass.mass,
        0 => 0.0,
        _ => mass.inertia.col(k)[axis],
    })
}

/// Bodies on joints.
pub(crate) struct Jointed {
    /// The velocities after the impulses of the joints alone.
    pub(crate) start: Velocities,
    /// The change of velocities per unit of each pull.
    pub(crate) answers: Vec<Velocities>,
}

pub(crate) fn given(problem: &ImpulseProblem) -> Velocities {
    problem.bodies.iter().map(|body| [exact(body.linear), exact(body.angular)]).collect()
}

impl Jointed {
    /// Solves the equations of momentum, angular momentum and joints for the given velocities, and for each pull on
    /// bodies at rest. `None` if joints cannot hold.
    pub(crate) fn new(problem: &ImpulseProblem, pulls: &[Pull]) -> Option<Self> {
        let (given, joints) = (given(problem), joint_pulls(problem));
        let places: Vec<_> = places(problem).collect();
        let unknowns = places.len() + joints.len();
        let mut rows = Vec::new();
        for &place in &places {
            let (body, part, axis) = place;
            let mut row = vec![Real::zero(); unknowns];
            for (column, other) in places.iter().enumerate() {
                if (other.0, other.1) == (body, part) {
                    row[column] = weight(problem, place, other.2);
                }
            }
            for (column, (_, pull)) in joints.iter().enumerate() {
                row[places.len() + column] = Real::zero().minus(&pull.part(body, part, axis));
            }
            row.push(momentum(problem, &given, place));
            row.extend(pulls.iter().map(|pull| pull.part(body, part, axis)));
            rows.push(row);
        }
        // The contribution of keyframed bodies to the relative velocities.
        let mut carried = given.clone();
        places.iter().for_each(|(body, part, axis)| carried[*body][*part][*axis] = Real::zero());
        for (_, pull) in &joints {
            let mut row: Vec<Real> =
                places.iter().map(|(body, part, axis)| pull.part(*body, *part, *axis)).collect();
            row.resize(unknowns, Real::zero());
            row.push(Real::zero().minus(&pull.along(&carried)));
            row.resize(unknowns + 1 + pulls.len(), Real::zero());
            rows.push(row);
        }
        let told = |found: Option<Vec<Real>>, mut velocities: Velocities| {
            for ((body, part, axis), x) in places.iter().zip(found?) {
                velocities[*body][*part][*axis] = x;
            }
            Some(velocities)
        };
        let still = vec![[none(), none()]; problem.bodies.len()];
        let mut found = solved(rows, unknowns).found.into_iter();
        let start = told(found.next()?, given)?;
        let answers = found.map(|own| told(own, still.clone())).collect::<Option<_>>()?;
        Some(Self { start, answers })
    }
}

/// The effect of joints.
pub(crate) struct JointTruth {
    /// The impulse of each joint and its moment, of minimum norm.
    pub(crate) impulses: Vec<[Vector; 2]>,
    /// The energy that the joints dissipate.
    pub(crate) taken: Real,
}

/// The joint impulses that give bodies these velocities, in addition to contact impulses; `None` if joints cannot do
/// so.
pub(crate) fn of_joints(
    problem: &ImpulseProblem,
    after: &Velocities,
    contacts: &[(Pull, Real)],
) -> Option<JointTruth> {
    let (given, joints) = (given(problem), joint_pulls(problem));
    let rows: Vec<Vec<Real>> = places(problem)
        .map(|place| {
            let (body, part, axis) = place;
            let change = momentum(problem, after, place).minus(&momentum(problem, &given, place));
            let left = contacts
                .iter()
                .fold(change, |left, (pull, amount)| left.minus(&pull.part(body, part, axis).times(amount)));
            joints.iter().map(|(_, pull)| pull.part(body, part, axis)).chain([left]).collect()
        })
        .collect();
    let amounts = shortest(&rows, joints.len())?;
    let mut impulses = vec![[none(), none()]; problem.joints.len()];
    for ((number, pull), amount) in joints.iter().zip(&amounts) {
        let [impulse, moment] = &mut impulses[*number];
        *impulse = sum(impulse, &scaled(&pull.impulse, amount));
        *moment = sum(moment, &scaled(&pull.moment, amount));
    }
    let all = joints.iter().zip(&amounts).map(|((_, pull), amount)| (pull, amount));
    let all = all.chain(contacts.iter().map(|(pull, amount)| (pull, amount)));
    let twice = all.fold(Real::zero(), |taken, (pull, amount)| {
        taken.minus(&amount.times(&pull.along(&given).plus(&pull.along(after))))
    });
    Some(JointTruth { impulses, taken: twice.times(&Real::of(0.5)) })
}
