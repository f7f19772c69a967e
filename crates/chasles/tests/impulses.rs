//! Impulses against a twin that solves the paper's equations densely in 77 digits, and against the laws of mechanics.
//!
//! `CHASLES_LONG=1` asks 1,000,000 problems; `CHASLES_SEEDS=0..100000` beside it asks a part of them.

mod impulse_cases;
#[path = "scene_cases/seeds.rs"]
mod seeds;

use chasles::{ContactState, Friction, ImpulseAnswer, ImpulseOutcome, ImpulseProblem, JointKind};
use glam::DVec3;
use impulse_cases::problem;
use impulse_cases::twin::twin;
use seeds::{Counter, Wrong, for_each, seed_range};

/// Velocities are told to this share of the greatest.
const EXACT: f64 = 1e-9;

#[test]
fn velocities_are_those_of_the_twin() {
    let (sticks, slides, idle, left) =
        (Counter::default(), Counter::default(), Counter::default(), Counter::default());
    for_each(seed_range(600, 1_000_000), |seed| {
        let problem = problem(seed);
        let mut wrong = Wrong::new();
        let outcome = problem.solve().unwrap();
        let (answer, (velocities, state)) = match (outcome, twin(&problem)) {
            (ImpulseOutcome::Solved(answer), Some(truth)) => (answer, truth),
            (ImpulseOutcome::Solved(answer), None) if problem.contacts[0].friction == Friction::Rough => {
                left.add();
                return broken_laws(&problem, &answer);
            }
            (ImpulseOutcome::Unsolvable(_), None) => {
                left.add();
                return wrong;
            }
            (outcome, truth) => return vec![format!("{outcome:?}, twin {truth:?}")],
        };
        let speed = problem.bodies.iter().map(|body| body.linear.length() + body.angular.length());
        let speed = speed.fold(1.0, f64::max);
        for (number, ([v, w], told)) in velocities.iter().zip(&answer.velocities).enumerate() {
            let exact = [v, w].map(|v| DVec3::from_array([0, 1, 2].map(|k| v[k].double())));
            let off = exact[0].distance(told[0]).max(exact[1].distance(told[1]));
            if off.is_nan() || off > EXACT * speed.max(exact[0].length()).max(exact[1].length()) {
                wrong.push(format!("body {number}: {told:?}, twin {exact:?}"));
            }
        }
        if problem.contacts.len() == 1 {
            sticks.add_if(state == ContactState::Stick);
            slides.add_if(state == ContactState::Slide);
            idle.add_if(state == ContactState::None);
            if answer.contacts[0].state != state {
                wrong.push(format!("{:?}, twin {state:?}", answer.contacts));
            }
        }
        wrong.extend(broken_laws(&problem, &answer));
        wrong
    });
    let counts = [&sticks, &slides, &idle, &left].map(Counter::get);
    let all: usize = counts.iter().sum();
    assert!(
        10 * counts[0] > all && 5 * counts[1] > all && 10 * counts[2] > all && 5 * counts[3] < all,
        "{counts:?}"
    );
}

/// What an answer says that no impulses can do.
fn broken_laws(problem: &ImpulseProblem, answer: &ImpulseAnswer) -> Wrong {
    let mut wrong = Wrong::new();
    let mut momenta = vec![[DVec3::ZERO; 2]; problem.bodies.len()];
    let mut give = |bodies: [usize; 2], point: DVec3, impulse: DVec3, moment: DVec3| {
        for (body, sign) in bodies.into_iter().zip([-1.0, 1.0]) {
            let arm = point - problem.bodies[body].center;
            momenta[body][0] += sign * impulse;
            momenta[body][1] += sign * (arm.cross(impulse) + moment);
        }
    };
    let size = answer.contacts.iter().map(|contact| contact.impulse.length());
    let size = size.chain(answer.joints.iter().map(|joint| joint.impulse.length() + joint.moment.length()));
    let size = size.fold(1e-3, f64::max);
    for (contact, borne) in problem.contacts.iter().zip(&answer.contacts) {
        give(contact.bodies, contact.point, borne.impulse, DVec3::ZERO);
        let normal = contact.normal.normalize();
        let across = borne.impulse.dot(normal);
        let along = (borne.impulse - across * normal).length();
        let is_in_cone = match contact.friction {
            Friction::Rough => true,
            Friction::Coefficient(most) => along <= most * across + 1e-9 * size,
        };
        if across < -1e-12 * size || !is_in_cone {
            wrong.push(format!("{borne:?} pulls, or is out of the cone"));
        }
        if (borne.state == ContactState::None) != (borne.impulse == DVec3::ZERO) {
            wrong.push(format!("{borne:?}"));
        }
    }
    for (joint, borne) in problem.joints.iter().zip(&answer.joints) {
        give(joint.bodies, joint.point, borne.impulse, borne.moment);
        let (has_moment, along) = match joint.kind {
            JointKind::Ball => (false, 0.0),
            JointKind::Slide { axis } => (false, borne.impulse.dot(axis.normalize())),
            JointKind::Plane { axis } => (false, borne.impulse.cross(axis.normalize()).length()),
            JointKind::Hinge { axis } => (true, borne.moment.dot(axis.normalize())),
            JointKind::Piston { axis } => {
                (true, borne.impulse.dot(axis.normalize()).abs() + borne.moment.dot(axis.normalize()).abs())
            }
            JointKind::Fixed => (true, 0.0),
        };
        if along.abs() > 1e-9 * size || !has_moment && borne.moment != DVec3::ZERO {
            wrong.push(format!("{joint:?} cannot give {borne:?}"));
        }
    }
    for ((body, after), [p, q]) in problem.bodies.iter().zip(&answer.velocities).zip(&momenta) {
        let Some(mass) = body.mass else {
            if *after != [body.linear, body.angular] {
                wrong.push("a keyframed body has another velocity".into());
            }
            continue;
        };
        let off = (mass.mass * (after[0] - body.linear) - *p).length()
            + (mass.inertia * (after[1] - body.angular) - *q).length();
        if off > 1e-8 * (size + mass.mass) {
            wrong.push(format!("momentum is off by {off}"));
        }
    }
    let energy = answer.energy;
    if energy.dissipated < -1e-10 * energy.before.max(energy.after).max(1e-3) {
        wrong.push(format!("energy is made: {energy:?}"));
    }
    wrong
}
