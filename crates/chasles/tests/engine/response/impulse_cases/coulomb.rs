//! Several contacts with friction, for which there is more than one answer: what the impulses that are told do, worked out
//! in 77 digits, and whether they keep to Coulomb's law.

use chasles::{Friction, ImpulseAnswer, ImpulseContact, ImpulseProblem};
use glam::DVec3;

use super::equations::{Pull, Velocities, exact, of_joints, rounded, units};
use super::real::Real;
use super::twin::{Directions, may_bear};

/// What the impulses that are told do.
pub(crate) struct Looked {
    pub(crate) velocities: Velocities,
    /// The energy that contacts and joints take.
    pub(crate) taken: Real,
    /// Whether impulses, made smaller by elasticities that the rule allows, are such of a compression that keeps to
    /// Coulomb's law.
    pub(crate) is_lawful: bool,
}

/// Coulomb's law is kept to this share, of the greatest speed and of impulses.
const LAWFUL: f64 = 1e-6;

/// Looks at an answer; `None` where joints cannot hold.
pub(crate) fn looked_at(problem: &ImpulseProblem, answer: &ImpulseAnswer, speed: f64) -> Option<Looked> {
    let contacts = &problem.contacts;
    let pulls = contacts.iter().flat_map(|own| units().map(|u| Pull::at_contact(problem, own, u)));
    let directions = Directions::new(problem, pulls.collect())?;
    let told: Vec<Real> = answer.contacts.iter().flat_map(|borne| exact(borne.impulse)).collect();
    let velocities = directions.velocities(&told);
    let bearing = contacts.iter().zip(&answer.contacts).filter(|(_, own)| own.impulse != DVec3::ZERO);
    let lowest = bearing.map(|(contact, _)| contact.elasticity).fold(1.0, f64::min);
    let own: Vec<f64> = contacts.iter().map(|contact| contact.elasticity).collect();
    // As the contacts have it, all with the lowest of those that bear an impulse, and without any.
    let choices = [own, vec![lowest; contacts.len()], vec![0.0; contacts.len()]];
    let keeps = |elasticities: &Vec<f64>| {
        let enlarged = |k: usize| Real::of(1.0).plus(&Real::of(elasticities[k / 3]));
        let compression: Vec<Real> = told.iter().enumerate().map(|(k, x)| x.over(&enlarged(k))).collect();
        let now = directions.after(&directions.b, &compression);
        contacts.iter().enumerate().all(|(i, contact)| {
            let [impulse, goes] =
                [&compression, &now].map(|of| rounded(&[0, 1, 2].map(|k| of[3 * i + k].clone())));
            // How fast a unit of impulse along the normal makes the contact go, but for friction.
            let answer = DVec3::from_array([0, 1, 2].map(|k| directions.d[3 * i + k][3 * i + k].double()));
            !may_bear(problem, contact)
                || is_coulombs(contact, [impulse, goes], (speed, answer.max_element()))
        })
    };
    let is_lawful = choices.iter().any(keeps);
    let borne = directions.pulls.into_iter().zip(told).collect::<Vec<_>>();
    let taken = of_joints(problem, &velocities, &borne)?.taken;
    Some(Looked { velocities, taken, is_lawful })
}

/// Coulomb's law for an impulse of compression, after which the contact goes like this.
fn is_coulombs(contact: &ImpulseContact, [impulse, goes]: [DVec3; 2], (speed, mobility): (f64, f64)) -> bool {
    let normal = contact.normal.normalize();
    let [across, leaves] = [impulse, goes].map(|v| v.dot(normal));
    let [along, slip] = [impulse, goes].map(|v| v - v.dot(normal) * normal);
    let (size, still) = (LAWFUL * impulse.length(), LAWFUL * speed);
    // An impulse that matters.
    let is_borne = across * mobility > still;
    let (is_in_cone, is_full) = match contact.friction {
        Friction::Rough => (true, !is_borne),
        Friction::Coefficient(most) => {
            (along.length() <= most * across + size, along.length() >= most * across - size)
        }
    };
    let is_against = along.dot(slip) <= LAWFUL * along.length() * slip.length();
    let may_slip = slip.length() <= still || is_full && is_against;
    across >= -size && is_in_cone && may_slip && leaves >= -still && (!is_borne || leaves <= still)
}
