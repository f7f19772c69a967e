//! One contact with friction, by Coulomb's law, while the other contacts keep their impulses.

use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use crate::impulses::problem::{ContactState, Friction};

/// Friction coefficient for rough surfaces that would have to pull to stick: their impulse is nearly tangential.
const ROUGH: f64 = 1e9;

/// A contact slips if more than this fraction of its velocity remains after sticking.
const SLIP_TOLERANCE: f64 = 1e-8;

/// Joints leave no motion along a direction whose response is below this fraction of the whole response.
const CONSTRAINED_RESPONSE: f64 = 1e-13;

/// Maximum number of iterations for the eigenvectors of a 3 x 3 matrix.
const MAX_ITERATIONS: usize = 300;

/// Friction directions that are tried, and bisections of the angle between two of them.
const DIRECTIONS: usize = 48;
const HALVINGS: usize = 54;

/// The impulse of a single contact, from its response `d` to impulses and its velocity `free` without an impulse.
/// An approach below `min_speed`, in metres per second, needs no impulse.
pub(super) fn single_contact_impulse(
    d: &Matrix3<f64>,
    free: &Vector3<f64>,
    friction: Friction,
    min_speed: f64,
) -> (Vector3<f64>, ContactState) {
    let nothing = (Vector3::zeros(), ContactState::None);
    if free[0] >= -min_speed || d[(0, 0)] <= 0.0 {
        return nothing;
    }
    let sliding = |across: Vector3<f64>, coefficient: f64| {
        let direction = Vector3::new(1.0, coefficient * across[1], coefficient * across[2]);
        let response = (d.row(0) * direction)[0];
        if response > 0.0 { direction * (-free[0] / response) } else { Vector3::zeros() }
    };
    if friction == Friction::Coefficient(0.0) {
        return (sliding(Vector3::zeros(), 0.0), ContactState::Slide);
    }
    let Some(stick) = sticking_impulse(d, free) else { return nothing };
    let across = Vector3::new(0.0, stick[1], stick[2]);
    if slips_despite_sticking(d, free, &stick) {
        let along = across.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        let impulse = match friction {
            Friction::Coefficient(coefficient) => {
                sliding_impulse(d, free, coefficient, sliding(along, coefficient))
            }
            Friction::Rough => stick,
        };
        return (impulse, ContactState::Slide);
    }
    match friction {
        Friction::Rough if stick[0] > 0.0 => (stick, ContactState::Stick),
        Friction::Coefficient(coefficient) if stick[0] > 0.0 && across.norm() <= coefficient * stick[0] => {
            (stick, ContactState::Stick)
        }
        Friction::Coefficient(coefficient) => {
            let along = across.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
            (sliding(along, coefficient), ContactState::Slide)
        }
        // The normal impulse vanishes as friction grows.
        Friction::Rough => {
            let along = across.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
            let response = (d.row(0) * along)[0];
            let amount = if response > 0.0 { along * (-free[0] / response) } else { Vector3::zeros() };
            (amount, ContactState::Slide)
        }
    }
}

/// The shortest impulse that minimizes the velocity of a contact.
fn sticking_impulse(d: &Matrix3<f64>, free: &Vector3<f64>) -> Option<Vector3<f64>> {
    // Uses the matrix itself: the libraries' 3 x 3 decompositions work on its square, and lose half of the digits.
    let own = SymmetricEigen::try_new(*d, f64::EPSILON, MAX_ITERATIONS)?;
    let shortest = |v: &Vector3<f64>| {
        let mut along = own.eigenvectors.tr_mul(v);
        for (along, value) in along.iter_mut().zip(&own.eigenvalues) {
            *along = if *value > CONSTRAINED_RESPONSE * d.trace() { *along / value } else { 0.0 };
        }
        own.eigenvectors * along
    };
    let first = -shortest(free);
    Some(first - shortest(&(free + d * first)))
}

/// Whether the contact still slips after this impulse, because joints and keyframed bodies force it to.
fn slips_despite_sticking(d: &Matrix3<f64>, free: &Vector3<f64>, stick: &Vector3<f64>) -> bool {
    let slip = free + d * stick;
    slip.norm() > SLIP_TOLERANCE * free.norm()
}

/// Whether some impulse makes a contact stick, so that the paper's friction direction exists.
pub(super) fn can_stick(d: &Matrix3<f64>, free: &Vector3<f64>) -> bool {
    sticking_impulse(d, free).is_some_and(|stick| !slips_despite_sticking(d, free, &stick))
}

/// As [`single_contact_impulse`], beside other contacts with friction. Friction then acts against the slip: the paper's
/// direction, along the sticking impulse, would make a sliding box rotate.
pub(super) fn impulse_among_contacts(
    d: &Matrix3<f64>,
    free: &Vector3<f64>,
    friction: Friction,
    min_speed: f64,
) -> (Vector3<f64>, ContactState) {
    let (impulse, state) = single_contact_impulse(d, free, friction, min_speed);
    let amount = match (state, friction) {
        (ContactState::Slide, Friction::Coefficient(coefficient)) if coefficient > 0.0 => {
            sliding_impulse(d, free, coefficient, impulse)
        }
        (ContactState::Slide, Friction::Rough) => sliding_impulse(d, free, ROUGH, impulse),
        _ => impulse,
    };
    (amount, state)
}

/// The impulse of a sliding contact with friction against the slip; `first` if there is no such impulse. The
/// search starts at the direction of `first`.
fn sliding_impulse(
    d: &Matrix3<f64>,
    free: &Vector3<f64>,
    coefficient: f64,
    first: Vector3<f64>,
) -> Vector3<f64> {
    // The impulse with friction at an angle, the slip across this direction, and along it (negative: against it).
    let at = |angle: f64| -> Option<(Vector3<f64>, f64, f64)> {
        let (sin, cos) = angle.sin_cos();
        let direction = Vector3::new(1.0, coefficient * cos, coefficient * sin);
        let response = (d.row(0) * direction)[0];
        let impulse = direction * (-free[0] / response);
        let slip = free + d * impulse;
        (response > 0.0).then(|| (impulse, cos * slip[2] - sin * slip[1], cos * slip[1] + sin * slip[2]))
    };
    let start = first[2].atan2(first[1]);
    let step = std::f64::consts::TAU / DIRECTIONS as f64;
    // Searches outward from the given direction.
    for i in 0..DIRECTIONS {
        let half = i.div_ceil(2) as f64;
        let mut lo = start + step * if i % 2 == 0 { half } else { -half };
        let mut hi = lo + step;
        let (Some(low), Some(high)) = (at(lo), at(hi)) else { continue };
        if (low.1 > 0.0) == (high.1 > 0.0) {
            continue;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (lo + hi);
            match at(middle) {
                Some(own) if (own.1 > 0.0) == (low.1 > 0.0) => lo = middle,
                Some(_) => hi = middle,
                None => break,
            }
        }
        if let Some((impulse, _, along)) = at(0.5 * (lo + hi))
            && along <= 0.0
        {
            return impulse;
        }
    }
    first
}
