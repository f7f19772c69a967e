//! The translation that separates two penetrating bodies.

use glam::DVec3;

use crate::math::budget::OutOfBudget;
use crate::motion::Pose;
use crate::touch::place::TouchPlace;

/// Rounds of the search for the translation, and sweeps over the places in each round. While bodies penetrate, not
/// all places are visible; others appear when the bodies are nearly separated.
const ROUNDS: usize = 4;
const SWEEPS: usize = 200;

/// Changes of the translation by less than this fraction of its length do not count.
const SETTLED: f64 = 1e-6;

/// The shortest translation of A after which A is `gap` metres away from B at all given poses in B's frame, as
/// far as the places at which it nearly touches B show; `None` if none of length at most `most` was found.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn separating_translation(
    poses: &[Pose],
    [gap, most]: [f64; 2],
    mut touches: impl FnMut(&Pose) -> Result<Vec<TouchPlace>, OutOfBudget>,
) -> Result<Option<DVec3>, OutOfBudget> {
    let (mut shift, mut bounds) = (DVec3::ZERO, Vec::new());
    for _ in 0..ROUNDS {
        let mut is_separated = true;
        for pose in poses {
            for place in touches(&Pose::from_parts(pose.position() + shift, pose.rotation()))? {
                is_separated &= place.gap > 0.0;
                bounds.push((-place.normal, gap - place.gap - place.normal.dot(shift)));
            }
        }
        if is_separated {
            return Ok(Some(shift));
        }
        shift = shortest(&bounds);
        if shift.length() > most {
            break;
        }
    }
    Ok(None)
}

/// The shortest vector with at least a given component along each of some unit directions; a long vector if none
/// exists.
///
/// Hildreth's method: each direction in turn adds just enough, and takes back any excess that it added before.
fn shortest(bounds: &[(DVec3, f64)]) -> DVec3 {
    let mut added = vec![0.0; bounds.len()];
    let mut found = DVec3::ZERO;
    for _ in 0..SWEEPS {
        let mut change = 0.0_f64;
        for ((direction, bound), added) in bounds.iter().zip(&mut added) {
            let more = (bound - direction.dot(found)).max(-*added);
            *added += more;
            found += more * direction;
            change = change.max(more.abs());
        }
        if change <= SETTLED * found.length() {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_vector_satisfies_all_bounds() {
        for seed in 0..200 {
            let random = &mut chasles_testing::Random(seed);
            let preferred = random.direction();
            let bounds: Vec<(DVec3, f64)> = (0..1 + random.below(20))
                .map(|_| {
                    let direction = (random.direction() + 1.5 * preferred).normalize();
                    (direction, random.side())
                })
                .collect();
            let found = shortest(&bounds);
            assert!(bounds.iter().all(|(n, bound)| n.dot(found) > bound - 1e-3), "{seed} {found}");
            // Many random vectors that satisfy all bounds are no shorter.
            for _ in 0..2_000 {
                let other = found + 0.3 * random.unit() * random.direction();
                let is_feasible = bounds.iter().all(|(n, bound)| n.dot(other) >= *bound);
                assert!(!is_feasible || other.length() > found.length() - 1e-9, "{seed}");
            }
        }
    }
}
