//! Unique names.

use std::collections::{HashMap, HashSet};

/// The names that are taken.
#[derive(Debug, Default)]
pub(crate) struct NameAllocator {
    taken: HashSet<String>,
    /// For a name that was requested more than once, the last number tried.
    next_number: HashMap<String, usize>,
}

impl NameAllocator {
    /// Returns the name, or, if it is taken, the first free name among `name#2`, `name#3`, and so on.
    pub(crate) fn unique(&mut self, name: String) -> String {
        if self.taken.insert(name.clone()) {
            return name;
        }
        let next_number = self.next_number.entry(name.clone()).or_insert(1);
        loop {
            *next_number += 1;
            let numbered = format!("{name}#{next_number}");
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names = NameAllocator::default();
        let unique_names = ["a", "a#2", "a", "b", "a", "a#2", "a#2"].map(|name| names.unique(name.into()));
        assert_eq!(unique_names, ["a", "a#2", "a#3", "b", "a#4", "a#2#2", "a#2#3"]);
    }
}
