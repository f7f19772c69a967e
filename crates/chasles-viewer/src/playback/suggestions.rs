//! The suggested impulses of colliding keyframed bodies, limited to the first suggestions that fit into a page.

use chasles::glam::DVec3;
use chasles::{SuggestedContact, Suggestion};

use super::document::{SuggestedEntry, SuggestionEntry};

/// The limits for a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct SuggestionLimits {
    /// The maximum number of suggestions, of about 300 bytes each.
    pub(super) suggestions: usize,
    /// The maximum number of contact points of all suggestions, of about 100 bytes each.
    pub(super) positions: usize,
}

impl SuggestionLimits {
    /// About 5 MiB.
    pub(super) const OF_PAGE: Self = Self { suggestions: 10_000, positions: 20_000 };
}

/// Creates the entry of a document that ends at `end`. `suggestions` must be sorted by time.
pub(super) fn entry(suggestions: &[Suggestion], end: f64, maximum: SuggestionLimits) -> SuggestedEntry {
    // The recording of an interrupted run is shorter than its scene.
    let within = suggestions.iter().take_while(|suggestion| suggestion.time <= end);
    let (mut list, mut left_out, mut positions) = (Vec::new(), 0, 0_usize);
    for suggestion in within {
        positions = positions.saturating_add(suggestion.contacts.len());
        if left_out > 0 || list.len() == maximum.suggestions || positions > maximum.positions {
            left_out += 1;
        } else {
            list.push(suggestion_entry(suggestion));
        }
    }
    SuggestedEntry { list, left_out }
}

fn suggestion_entry(suggestion: &Suggestion) -> SuggestionEntry {
    let place = |contact: &SuggestedContact| six(contact.point, contact.impulse);
    let velocities = |[linear, angular]: [DVec3; 2]| six(linear, angular);
    SuggestionEntry {
        t: suggestion.time,
        pair: suggestion.bodies,
        centers: suggestion.centers.map(|center| center.to_array()),
        places: suggestion.contacts.iter().map(place).collect(),
        before: suggestion.before.map(velocities),
        after: suggestion.after.map(velocities),
    }
}

fn six(one: DVec3, other: DVec3) -> [f64; 6] {
    let ([x, y, z], [u, v, w]) = (one.to_array(), other.to_array());
    [x, y, z, u, v, w]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A suggestion with this number of contact points.
    fn suggestion(time: f64, positions: usize) -> Suggestion {
        let contact = SuggestedContact { point: time * DVec3::X, normal: DVec3::Z, impulse: 2.0 * DVec3::Z };
        Suggestion {
            bodies: [1, 3],
            time,
            centers: [DVec3::ZERO, DVec3::Y],
            contacts: vec![contact; positions],
            before: [[DVec3::X, DVec3::ZERO], [DVec3::ZERO; 2]],
            after: [[DVec3::ZERO; 2], [DVec3::Y, 3.0 * DVec3::Z]],
        }
    }

    #[test]
    fn suggestions_have_points_and_velocities() {
        let SuggestedEntry { list, left_out } = entry(&[suggestion(0.5, 1)], 1.0, SuggestionLimits::OF_PAGE);
        let expected = SuggestionEntry {
            t: 0.5,
            pair: [1, 3],
            centers: [[0.0; 3], [0.0, 1.0, 0.0]],
            places: vec![[0.5, 0.0, 0.0, 0.0, 0.0, 2.0]],
            before: [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0; 6]],
            after: [[0.0; 6], [0.0, 1.0, 0.0, 0.0, 0.0, 3.0]],
        };
        assert_eq!((list, left_out), (vec![expected], 0));
    }

    #[test]
    fn the_first_suggestions_are_listed_and_the_others_counted() {
        let many: Vec<_> =
            [0.1, 0.2, 0.3, 0.4].into_iter().zip([2, 2, 3, 1]).map(|(time, n)| suggestion(time, n)).collect();
        let entry_with = |maximum, end| {
            let SuggestedEntry { list, left_out } = entry(&many, end, maximum);
            (list.iter().map(|entry| entry.t).collect::<Vec<_>>(), left_out)
        };
        assert_eq!(
            entry_with(SuggestionLimits { suggestions: 3, positions: 100 }, 9.0),
            (vec![0.1, 0.2, 0.3], 1)
        );
        // A suggestion is given whole or not at all, and after the first omitted suggestion all later ones are omitted.
        assert_eq!(entry_with(SuggestionLimits { suggestions: 9, positions: 6 }, 9.0), (vec![0.1, 0.2], 2));
        // Suggestions after the displayed time do not count as left out.
        assert_eq!(entry_with(SuggestionLimits::OF_PAGE, 0.3), (vec![0.1, 0.2, 0.3], 0));
    }
}
