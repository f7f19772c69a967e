//! Disjoint sets of numbered things that are joined pair by pair.

/// Disjoint sets of numbers from 0, each named by one of its numbers.
#[derive(Debug, Clone)]
pub(crate) struct DisjointSets(Vec<usize>);

impl DisjointSets {
    /// Sets of one number each.
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The lowest number of the set that contains a number.
    pub(crate) fn lowest(&mut self, number: usize) -> usize {
        let mut lowest = number;
        while self.0[lowest] != lowest {
            self.0[lowest] = self.0[self.0[lowest]];
            lowest = self.0[lowest];
        }
        lowest
    }

    /// Joins the sets of two numbers; returns whether they were two.
    pub(crate) fn join(&mut self, a: usize, b: usize) -> bool {
        let [a, b] = [self.lowest(a), self.lowest(b)];
        self.0[a.max(b)] = a.min(b);
        a != b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_sets_have_their_lowest_number() {
        let mut sets = DisjointSets::new(6);
        assert!(sets.join(5, 3) && sets.join(1, 2) && sets.join(3, 2));
        assert!(!sets.join(1, 5), "they are one set already");
        let lowest: Vec<usize> = (0..6).map(|number| sets.lowest(number)).collect();
        assert_eq!(lowest, [0, 1, 1, 1, 4, 1]);
    }
}
