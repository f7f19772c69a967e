//! Several contacts with friction, which have more than one solution: the effect of the returned impulses, computed
//! in 77 digits, and whether they obey Coulomb's law.

use chasles::{Friction, ImpulseAnswer, ImpulseContact, ImpulseProblem};
use glam::DVec3;

use super::equations::{Pull, Velocities, exact, of_joints, rounded, units};
use super::real::Real;
use super::twin::{Directions, may_bear};

/// The effect of the returned impulses.
pub(crate) struct Looked {
    pub(crate) velocities: Velocities,
    /// The energy that contacts and joints dissipate.
    pub(crate) taken: Real,
    /// Whether the impulses, reduced by elasticities that the rule allows, are those of a compression that obeys
    /// Coulomb's law.
    pub(crate) is_lawful: bool,
}

/// Relative accuracy of Coulomb's law, as a fraction of the maximum speed and of impulses.
const LAWFUL: f64 = 1e-6;

/// Evaluates an answer; `None` if joints cannot hold.
pub(crate) fn looked_at(problem: &ImpulseProblem, answer: &ImpulseAnswer, speed: f64) -> Option<Looked> {
    let contacts = &problem.contacts;
    let pulls = contacts.iter().flat_map(|own| units().map(|u| Pull::at_contact(problem, own, u)));
    let directions = Directions::new(problem, pulls.collect())?;
    let told: Vec<Real> = answer.contacts.iter().flat_map(|borne| exact(borne.impulse)).collect();
    let velocities = directions.velocities(&told);
    let bearing = contacts.iter().zip(&answer.contacts).filter(|(_, own)| own.impulse != DVec3::ZERO);
    let lowest = bearing.map(|(contact, _)| contact.elasticity).fold(1.0, f64::min);
    let own: Vec<f64> = contacts.iter().map(|contact| contact.elasticity).collect();
    // The contacts' own elasticities, the lowest of all loaded contacts for all, and zero for all.
    let choices = [own, vec![lowest; contacts.len()], vec![0.0; contacts.len()]];
    let keeps = |elasticities: &Vec<f64>| {
        let enlarged = |k: usize| Real::of(1.0).plus(&Real::of(elasticities[k / 3]));
        let compression: Vec<Real> = told.iter().enumerate().map(|(k, x)| x.over(&enlarged(k))).collect();
        let now = directions.after(&directions.b, &compression);
        contacts.iter().enumerate().all(|(i, contact)| {
            let [impulse, goes] =
                [&compression, &now].map(|of| rounded(&[0, 1, 2].map(|k| of[3 * i + k].clone())));
            // The speed that a unit of impulse along the normal gives the contact, without friction.
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

/// Coulomb's law for an impulse of compression and the contact's velocity after it.
fn is_coulombs(contact: &ImpulseContact, [impulse, goes]: [DVec3; 2], (speed, mobility): (f64, f64)) -> bool {
    let normal = contact.normal.normalize();
    let [across, leaves] = [impulse, goes].map(|v| v.dot(normal));
    let [along, slip] = [impulse, goes].map(|v| v - v.dot(normal) * normal);
    let (size, still) = (LAWFUL * impulse.length(), LAWFUL * speed);
    // A significant impulse.
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
