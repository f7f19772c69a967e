//! The paper's equations (Moore and Wilhelms 1988, section 3.2), all unknowns at once: velocities afterwards, impulses of
//! joints and contacts.

use std::cmp::Ordering;

use chasles::{ContactState, Friction, ImpulseContact, ImpulseProblem, JointKind};
use glam::DVec3;

use super::real::{Real, solved};

/// A vector of reals.
type Vector = [Real; 3];

/// Velocities of all bodies: linear, then angular.
pub(crate) type Velocities = Vec<[Vector; 2]>;

fn exact(v: DVec3) -> Vector {
    v.to_array().map(Real::of)
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, k)| a[i].times(&b[k]).minus(&a[k].times(&b[i])))
}

fn dot(a: &Vector, b: &Vector) -> Real {
    (0..3).fold(Real::zero(), |sum, i| sum.plus(&a[i].times(&b[i])))
}

fn scaled(v: &Vector, by: &Real) -> Vector {
    [0, 1, 2].map(|i| v[i].times(by))
}

fn sum(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|i| a[i].plus(&b[i]))
}

/// Two directions that with this one go everywhere, not across each other.
fn others(axis: DVec3) -> [Vector; 2] {
    let k = axis.abs().max_position();
    [1, 2].map(|i| {
        let mut unit = [Real::zero(), Real::zero(), Real::zero()];
        unit[(k + i) % 3] = Real::of(1.0);
        // Across the axis.
        cross(&exact(axis), &unit)
    })
}

/// An impulse and a moment on B at a point, their opposites on A.
struct Pull {
    bodies: [usize; 2],
    point: Vector,
    impulse: Vector,
    moment: Vector,
}

impl Pull {
    /// What of it acts on a body: on its momentum and its angular momentum.
    fn on(&self, problem: &ImpulseProblem, side: usize) -> [Vector; 2] {
        let center = exact(problem.bodies[self.bodies[side]].center);
        let arm = [0, 1, 2].map(|i| self.point[i].minus(&center[i]));
        let turning = sum(&cross(&arm, &self.impulse), &self.moment);
        let sign = Real::of([-1.0, 1.0][side]);
        [scaled(&self.impulse, &sign), scaled(&turning, &sign)]
    }

    /// The relative velocity along it.
    fn along(&self, problem: &ImpulseProblem, velocities: &Velocities) -> Real {
        (0..2).fold(Real::zero(), |all, side| {
            let [p, q] = self.on(problem, side);
            let [v, w] = &velocities[self.bodies[side]];
            all.plus(&dot(&p, v)).plus(&dot(&q, w))
        })
    }
}

fn joint_pulls(problem: &ImpulseProblem) -> Vec<Pull> {
    let none = || [Real::zero(), Real::zero(), Real::zero()];
    let units = || [DVec3::X, DVec3::Y, DVec3::Z].map(exact);
    let mut all = Vec::new();
    for joint in &problem.joints {
        let mut add = |impulse: Vector, moment: Vector| {
            all.push(Pull { bodies: joint.bodies, point: exact(joint.point), impulse, moment });
        };
        let (impulses, moments): (Vec<Vector>, Vec<Vector>) = match joint.kind {
            JointKind::Ball => (units().into(), vec![]),
            JointKind::Fixed => (units().into(), units().into()),
            JointKind::Hinge { axis } => (units().into(), others(axis).into()),
            JointKind::Slide { axis } => (others(axis).into(), vec![]),
            JointKind::Piston { axis } => (others(axis).into(), others(axis).into()),
            JointKind::Plane { axis } => (vec![exact(axis)], vec![]),
        };
        impulses.into_iter().for_each(|u| add(u, none()));
        moments.into_iter().for_each(|u| add(none(), u));
    }
    all
}

fn contact_pull(contact: &ImpulseContact, impulse: Vector) -> Pull {
    let moment = [Real::zero(), Real::zero(), Real::zero()];
    Pull { bodies: contact.bodies, point: exact(contact.point), impulse, moment }
}

/// Velocities after joints and some pulls, each of which stops a motion (a row, what it pulls with) or has an amount.
struct System<'p> {
    problem: &'p ImpulseProblem,
    before: &'p Velocities,
    joints: Vec<Pull>,
}

impl System<'_> {
    /// Solves for the velocities and the amounts of `wanted`, which stop the motion along `stopped`; `given` have their
    /// amounts. `None`: they cannot.
    fn after(
        &self,
        wanted: &[Pull],
        stopped: &[Pull],
        given: &[(Pull, Real)],
    ) -> Option<(Velocities, Vec<Real>)> {
        let bodies: Vec<usize> =
            (0..self.problem.bodies.len()).filter(|body| self.problem.bodies[*body].mass.is_some()).collect();
        let (own, joints) = (6 * bodies.len(), self.joints.len());
        let unknowns = own + joints + wanted.len();
        let mut rows = Vec::new();
        let row = || vec![Real::zero(); unknowns + 1];
        // Momentum, then angular momentum.
        for (place, &body) in bodies.iter().enumerate() {
            let mass = self.problem.bodies[body].mass.unwrap();
            for part in 0..2 {
                for axis in 0..3 {
                    let mut own = row();
                    for k in 0..3 {
                        let weight = match part {
                            0 if k == axis => mass.mass,
                            0 => 0.0,
                            _ => mass.inertia.col(k)[axis],
                        };
                        let weight = Real::of(weight);
                        own[6 * place + 3 * part + k] = weight.clone();
                        own[unknowns] = own[unknowns].plus(&weight.times(&self.before[body][part][k]));
                    }
                    for (k, pull) in self.joints.iter().chain(wanted).enumerate() {
                        for side in (0..2).filter(|side| pull.bodies[*side] == body) {
                            let amount = &pull.on(self.problem, side)[part][axis];
                            own[6 * bodies.len() + k] = own[6 * bodies.len() + k].minus(amount);
                        }
                    }
                    for (pull, amount) in given {
                        for side in (0..2).filter(|side| pull.bodies[*side] == body) {
                            let change = pull.on(self.problem, side)[part][axis].times(amount);
                            own[unknowns] = own[unknowns].plus(&change);
                        }
                    }
                    rows.push(own);
                }
            }
        }
        for pull in self.joints.iter().chain(stopped) {
            let mut own = row();
            for side in 0..2 {
                let body = pull.bodies[side];
                let parts = pull.on(self.problem, side);
                for part in 0..2 {
                    for k in 0..3 {
                        match bodies.iter().position(|other| *other == body) {
                            Some(place) => own[6 * place + 3 * part + k] = parts[part][k].clone(),
                            None => {
                                let carried = parts[part][k].times(&self.before[body][part][k]);
                                own[unknowns] = own[unknowns].minus(&carried);
                            }
                        }
                    }
                }
            }
            rows.push(own);
        }
        let found = solved(rows, unknowns)?;
        let mut velocities = self.before.clone();
        for (place, body) in bodies.iter().enumerate() {
            velocities[*body] = [0, 1].map(|part| [0, 1, 2].map(|k| found[6 * place + 3 * part + k].clone()));
        }
        Some((velocities, found[own + joints..].to_vec()))
    }
}

/// The velocities after the impulses, and how the only contact moved; `None` where there are none, or the twin does not
/// tell.
pub(crate) fn twin(problem: &ImpulseProblem) -> Option<(Velocities, ContactState)> {
    let given: Velocities =
        problem.bodies.iter().map(|body| [exact(body.linear), exact(body.angular)]).collect();
    let first = System { problem, before: &given, joints: joint_pulls(problem) };
    let (start, _) = first.after(&[], &[], &[])?;
    if problem.contacts.iter().all(|contact| contact.friction == Friction::Coefficient(0.0)) {
        let (velocities, is_hit) = pushed(problem, &start, 1.0 + problem.contacts[0].elasticity)?;
        // What approaches still is compressed once more.
        let (velocities, _) = pushed(problem, &velocities, 1.0)?;
        return Some((velocities, if is_hit { ContactState::Slide } else { ContactState::None }));
    }
    rubbed(problem, &start)
}

/// Without friction: of all sets of contacts that may bear impulses, one after which nothing approaches or pulls.
fn pushed(problem: &ImpulseProblem, start: &Velocities, enlarged: f64) -> Option<(Velocities, bool)> {
    let normals = || problem.contacts.iter().map(|contact| contact_pull(contact, exact(contact.normal)));
    let count = problem.contacts.len();
    let system = System { problem, before: start, joints: joint_pulls(problem) };
    let slack = Real::of(1e-25);
    let minus = Real::zero().minus(&slack);
    for set in 0..1_u32 << count {
        let is_in = |i: &usize| set >> i & 1 == 1;
        let some =
            || normals().enumerate().filter(|(i, _)| is_in(i)).map(|(_, pull)| pull).collect::<Vec<_>>();
        let Some((after, amounts)) = system.after(&some(), &some(), &[]) else { continue };
        let pushes = amounts.iter().all(|amount| *amount >= minus);
        let parts = normals().all(|pull| pull.along(problem, &after) >= minus);
        if pushes && parts {
            let enlarged = Real::of(enlarged);
            let given = some()
                .into_iter()
                .zip(amounts.iter().map(|amount| amount.times(&enlarged)))
                .collect::<Vec<_>>();
            let (velocities, _) = system.after(&[], &[], &given)?;
            return Some((velocities, amounts.iter().any(|amount| *amount > slack)));
        }
    }
    None
}

/// One contact with friction.
fn rubbed(problem: &ImpulseProblem, start: &Velocities) -> Option<(Velocities, ContactState)> {
    let contact = &problem.contacts[0];
    let normal = exact(contact.normal);
    let length = dot(&normal, &normal).sqrt();
    let normal = normal.map(|x| x.over(&length));
    let push = |u: &Vector| contact_pull(contact, u.clone());
    if push(&normal).along(problem, start).sign() != Ordering::Less {
        return Some((start.clone(), ContactState::None));
    }
    let system = System { problem, before: start, joints: joint_pulls(problem) };
    let units = || [DVec3::X, DVec3::Y, DVec3::Z].map(|u| push(&exact(u)));
    let enlarged = Real::of(1.0 + contact.elasticity);
    let (_, amounts) = system.after(&units(), &units(), &[])?;
    let impulse: Vector = [0, 1, 2].map(|i| amounts[i].clone());
    let across = dot(&impulse, &normal);
    let along = sum(&impulse, &scaled(&normal, &Real::zero().minus(&across)));
    let friction = dot(&along, &along).sqrt();
    let (direction, state) = match contact.friction {
        Friction::Rough if across.sign() == Ordering::Greater => (impulse, ContactState::Stick),
        Friction::Coefficient(most)
            if across.sign() == Ordering::Greater && friction <= across.times(&Real::of(most)) =>
        {
            (impulse, ContactState::Stick)
        }
        // The twin leaves it open where rough bodies would have to pull.
        Friction::Rough => return None,
        Friction::Coefficient(most) => {
            let unit = along.map(|x| x.over(&friction));
            (sum(&normal, &scaled(&unit, &Real::of(most))), ContactState::Slide)
        }
    };
    let amount = match state {
        ContactState::Stick => enlarged,
        _ => {
            let (_, amounts) = system.after(&[push(&direction)], &[push(&normal)], &[])?;
            amounts[0].times(&enlarged)
        }
    };
    let (velocities, _) = system.after(&[], &[], &[(push(&direction), amount)])?;
    Some((velocities, state))
}
