//! The rule of impulses by plain search, in 77 digits: among all sets of contacts that may bear impulses, a set after
//! which no contact approaches; friction of one contact as in the paper.

use std::cmp::Ordering;

use chasles::{ContactState, Friction, ImpulseContact, ImpulseProblem};
use glam::DVec3;

use super::equations::{
    JointTruth, Jointed, Pull, Vector, Velocities, dot, exact, normal, of_joints, scaled, sum, units,
};
use super::real::{Real, shortest, solved};

/// The twin's answer to a problem.
pub(crate) struct Truth {
    pub(crate) velocities: Velocities,
    /// The state of the first contact.
    pub(crate) state: ContactState,
    /// The maximum approach speed of the contacts.
    pub(crate) pushes: f64,
    /// The impulse of each contact.
    pub(crate) contacts: Vec<Vector>,
    pub(crate) joints: JointTruth,
    /// Whether impulses are far from non-unique ones, so that rounding does not decide them.
    pub(crate) is_firm: bool,
}

/// The reason why the twin has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untold {
    /// No velocities satisfy all equations.
    Impossible,
    /// No impulse makes the contact stick, so the direction that the paper uses does not exist.
    NoStick,
}

/// Equations whose pivots differ by more binary digits are not firm: joints hold the contacts in a direction except
/// for a fraction of some 1e-4.
const FIRM: u64 = 14;

/// Smaller numbers count as zero.
const SLACK: f64 = 1e-25;

/// Directions at contacts, and the response of the jointed bodies to impulses along them.
pub(super) struct Directions {
    pub(super) pulls: Vec<Pull>,
    start: Velocities,
    answers: Vec<Velocities>,
    /// The speed along each direction before impulses.
    pub(super) b: Vec<Real>,
    /// The change along the first direction per unit of impulse along the second.
    pub(super) d: Vec<Vec<Real>>,
}

impl Directions {
    pub(super) fn new(problem: &ImpulseProblem, pulls: Vec<Pull>) -> Option<Self> {
        let Jointed { start, answers } = Jointed::new(problem, &pulls)?;
        let b = pulls.iter().map(|pull| pull.along(&start)).collect();
        let row = |pull: &Pull| answers.iter().map(|answer| pull.along(answer)).collect();
        let d = pulls.iter().map(row).collect();
        Some(Self { pulls, start, answers, b, d })
    }

    /// The speed along each direction after impulses.
    pub(super) fn after(&self, b: &[Real], amounts: &[Real]) -> Vec<Real> {
        let one = |(b, row): (&Real, &Vec<Real>)| {
            row.iter().zip(amounts).fold(b.clone(), |sum, (d, amount)| sum.plus(&d.times(amount)))
        };
        b.iter().zip(&self.d).map(one).collect()
    }

    pub(super) fn velocities(&self, amounts: &[Real]) -> Velocities {
        let mut all = self.start.clone();
        for (answer, amount) in self.answers.iter().zip(amounts) {
            for (own, change) in all.iter_mut().flatten().flatten().zip(answer.iter().flatten().flatten()) {
                *own = own.plus(&change.times(amount));
            }
        }
        all
    }

    /// The equations for the impulses of a set: a row for each of these directions, with its right side.
    fn rows(&self, of: &[usize], set: &[usize], right: impl Fn(usize) -> Real) -> Vec<Vec<Real>> {
        let row = |i: &usize| set.iter().map(|k| self.d[*i][*k].clone()).chain([right(*i)]).collect();
        of.iter().map(row).collect()
    }
}

/// Whether at least one body of a contact is dynamic.
pub(super) fn may_bear(problem: &ImpulseProblem, contact: &ImpulseContact) -> bool {
    contact.bodies.into_iter().any(|body| problem.bodies[body].mass.is_some())
}

/// Whether no contact has friction.
fn is_smooth(problem: &ImpulseProblem) -> bool {
    problem.contacts.iter().all(|contact| contact.friction == Friction::Coefficient(0.0))
}

/// The result of the impulses, for contacts without friction or for one contact.
pub(crate) fn twin(problem: &ImpulseProblem) -> Result<Truth, Untold> {
    let of_all = || {
        let mut smooth = problem.clone();
        smooth.contacts.iter_mut().for_each(|contact| contact.friction = Friction::Coefficient(0.0));
        told(&smooth)
    };
    match told(problem) {
        Some(truth) => Ok(truth),
        None if !is_smooth(problem) && of_all().is_some() => Err(Untold::NoStick),
        None => Err(Untold::Impossible),
    }
}

fn told(problem: &ImpulseProblem) -> Option<Truth> {
    let bearing: Vec<usize> =
        (0..problem.contacts.len()).filter(|i| may_bear(problem, &problem.contacts[*i])).collect();
    let pull = |i: usize, u: Vector| Pull::at_contact(problem, &problem.contacts[i], u);
    let mut contacts = vec![exact(DVec3::ZERO); problem.contacts.len()];
    if is_smooth(problem) {
        let normals: Vec<Vector> = bearing.iter().map(|i| normal(&problem.contacts[*i])).collect();
        let pulls = bearing.iter().zip(&normals).map(|(i, u)| pull(*i, u.clone())).collect();
        let directions = Directions::new(problem, pulls)?;
        let (mut amounts, mut is_firm) = pushed(&directions, &directions.b)?;
        for (amount, i) in amounts.iter_mut().zip(&bearing) {
            *amount = amount.times(&Real::of(1.0).plus(&Real::of(problem.contacts[*i].elasticity)));
        }
        // Contacts that still approach are compressed again.
        let (more, is_still_firm) = pushed(&directions, &directions.after(&directions.b, &amounts))?;
        is_firm &= is_still_firm;
        for ((amount, more), (i, normal)) in amounts.iter_mut().zip(more).zip(bearing.iter().zip(&normals)) {
            *amount = amount.plus(&more);
            contacts[*i] = scaled(normal, amount);
        }
        let is_hit = amounts.first().is_some_and(|amount| *amount > Real::of(SLACK));
        let state = if is_hit { ContactState::Slide } else { ContactState::None };
        let velocities = directions.velocities(&amounts);
        return truth(problem, directions, (velocities, state), (amounts, contacts, is_firm));
    }
    let pulls = bearing.iter().flat_map(|i| units().map(|u| pull(*i, u))).collect();
    let directions = Directions::new(problem, pulls)?;
    let (mut impulse, state, is_firm) = match bearing.first() {
        Some(_) => rubbed(&problem.contacts[0], &directions)?,
        None => (vec![], ContactState::None, true),
    };
    let enlarged = Real::of(1.0).plus(&Real::of(problem.contacts[0].elasticity));
    impulse.iter_mut().for_each(|x| *x = x.times(&enlarged));
    if let [x, y, z] = &impulse[..] {
        contacts[0] = [x, y, z].map(Clone::clone);
    }
    let velocities = directions.velocities(&impulse);
    truth(problem, directions, (velocities, state), (impulse, contacts, is_firm))
}

fn truth(
    problem: &ImpulseProblem,
    directions: Directions,
    (velocities, state): (Velocities, ContactState),
    (amounts, contacts, is_firm): (Vec<Real>, Vec<Vector>, bool),
) -> Option<Truth> {
    let normals = problem.contacts.iter().map(|own| Pull::at_contact(problem, own, normal(own)));
    let pushes = normals.map(|pull| -pull.along(&directions.start).double()).fold(0.0, f64::max);
    let borne: Vec<(Pull, Real)> = directions.pulls.into_iter().zip(amounts).collect();
    let joints = of_joints(problem, &velocities, &borne)?;
    Some(Truth { velocities, state, pushes, contacts, joints, is_firm })
}

/// All subsets.
fn subsets(of: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let chosen = |set: u32| of.iter().enumerate().filter(move |(k, _)| set >> k & 1 == 1).map(|(_, i)| *i);
    (0..1_u32 << of.len()).map(move |set| chosen(set).collect())
}

/// Without friction: among all sets of contacts that may bear impulses, a set after which no contact approaches or
/// pulls; among all impulses with this effect, the one of minimum norm. Also whether the result is firm.
fn pushed(directions: &Directions, b: &[Real]) -> Option<(Vec<Real>, bool)> {
    let all: Vec<usize> = (0..b.len()).collect();
    let minus = Real::of(-SLACK);
    let spread = |set: &[usize], found: Vec<Real>| {
        let mut amounts = vec![Real::zero(); b.len()];
        set.iter().zip(found).for_each(|(i, amount)| amounts[*i] = amount);
        amounts
    };
    let first = subsets(&all).find_map(|set| {
        let rows = directions.rows(&set, &set, |i| Real::zero().minus(&b[i]));
        let amounts = spread(&set, solved(rows, set.len()).found.pop().unwrap_or(Some(vec![]))?);
        let is_one = amounts.iter().all(|amount| *amount >= minus)
            && directions.after(b, &amounts).iter().all(|speed| *speed >= minus);
        is_one.then_some(amounts)
    })?;
    let now = directions.after(b, &first);
    let bearing: Vec<usize> = all.iter().copied().filter(|i| now[*i] <= Real::of(SLACK)).collect();
    let own = solved(directions.rows(&bearing, &bearing, |_| Real::zero()), bearing.len());
    let mut best = first.clone();
    if own.rank < bearing.len() {
        let change = |i: usize| now[i].minus(&b[i]);
        let length = |amounts: &[Real]| amounts.iter().fold(Real::zero(), |sum, x| sum.plus(&x.times(x)));
        let alike = subsets(&bearing).filter_map(|set| {
            let amounts = spread(&set, shortest(&directions.rows(&all, &set, change), set.len())?);
            amounts.iter().all(|amount| *amount >= minus).then_some(amounts)
        });
        best = alike.min_by(|p, q| length(p).cmp(&length(q)))?;
    }
    Some((best, own.spread <= FIRM))
}

/// One contact with friction: its impulse of compression, and whether the result is firm.
fn rubbed(contact: &ImpulseContact, directions: &Directions) -> Option<(Vec<Real>, ContactState, bool)> {
    let normal = normal(contact);
    let of = |v: &[Real]| [0, 1, 2].map(|k| v[k].clone());
    let approach = dot(&normal, &of(&directions.b));
    if approach >= Real::of(-SLACK) {
        return Some((vec![Real::zero(); 3], ContactState::None, true));
    }
    let all = [0, 1, 2];
    let rows = directions.rows(&all, &all, |i| Real::zero().minus(&directions.b[i]));
    let is_firm = solved(rows.clone(), 3).spread <= FIRM;
    let stick = of(&shortest(&rows, 3)?);
    let across = dot(&stick, &normal);
    let along = sum(&stick, &scaled(&normal, &Real::zero().minus(&across)));
    let friction = dot(&along, &along).sqrt();
    let is_in_cone = across.sign() == Ordering::Greater
        && match contact.friction {
            Friction::Rough => true,
            Friction::Coefficient(most) => friction <= across.times(&Real::of(most)),
        };
    if is_in_cone {
        return Some((stick.into(), ContactState::Stick, is_firm));
    }
    let unit = along.map(|x| x.over(&friction));
    let direction = match contact.friction {
        // The normal impulse vanishes as friction grows.
        Friction::Rough => unit,
        Friction::Coefficient(most) => sum(&normal, &scaled(&unit, &Real::of(most))),
    };
    let answer = (0..3)
        .map(|i| (0..3).fold(Real::zero(), |sum, k| sum.plus(&directions.d[i][k].times(&direction[k]))));
    let answer = dot(&normal, &of(&answer.collect::<Vec<_>>()));
    let impulse = scaled(&direction, &Real::zero().minus(&approach).over(&answer));
    Some((impulse.into(), ContactState::Slide, is_firm))
}
