//! Groups of collisions that are practically simultaneous (Buss 2005, "Concurrent collisions").

/// Groups collisions that start close together: a collision that starts more than `within` after the start of the
/// current group starts a new one. Each group is a list of indices into `starts`, whose times must not decrease.
///
/// The times and `within` have the same unit. Each group is measured from its own start, so a chain of collisions,
/// each close to the next, does not join into one long group.
///
/// ```
/// assert_eq!(chasles::concurrent([0.0, 0.04, 0.05, 0.09, 0.2], 0.05), [vec![0, 1, 2], vec![3], vec![4]]);
/// ```
#[must_use]
pub fn concurrent(starts: impl IntoIterator<Item = f64>, within: f64) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut start = f64::NEG_INFINITY;
    for (index, time) in starts.into_iter().enumerate() {
        match groups.last_mut() {
            Some(group) if time - start <= within => group.push(index),
            _ => {
                start = time;
                groups.push(vec![index]);
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_measured_from_its_start() {
        // Each is within 1 of its predecessor, but not of the first.
        assert_eq!(concurrent([0.0, 0.75, 1.5, 2.25, 3.0], 1.0), [vec![0, 1], vec![2, 3], vec![4]]);
    }

    #[test]
    fn collisions_exactly_within_the_limit_are_together() {
        assert_eq!(concurrent([0.25, 0.5, 0.75], 0.25), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn with_a_limit_of_zero_only_equal_times_are_together() {
        assert_eq!(concurrent([0.5, 0.5, 0.5 + f64::EPSILON], 0.0), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn no_collisions_and_one_group_of_all() {
        assert_eq!(concurrent([], 1.0), Vec::<Vec<usize>>::new());
        assert_eq!(concurrent([0.0, 0.5, 1.0], f64::INFINITY), [vec![0, 1, 2]]);
    }
}
