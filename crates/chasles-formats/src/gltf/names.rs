//! Names that differ from each other.

use std::collections::{HashMap, HashSet};

/// The names that are taken.
#[derive(Debug, Default)]
pub(crate) struct NameAllocator {
    taken: HashSet<String>,
    /// For a name that was wanted more than once, the number that was tried last.
    tried: HashMap<String, usize>,
}

impl NameAllocator {
    /// The name itself, or where it is taken the first of `name#2`, `name#3`, .. that is not.
    pub(crate) fn unique(&mut self, name: String) -> String {
        if self.taken.insert(name.clone()) {
            return name;
        }
        let tried = self.tried.entry(name.clone()).or_insert(1);
        loop {
            *tried += 1;
            let numbered = format!("{name}#{tried}");
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
    fn no_name_comes_twice() {
        let mut names = NameAllocator::default();
        let given = ["a", "a#2", "a", "b", "a", "a#2", "a#2"].map(|name| names.unique(name.into()));
        assert_eq!(given, ["a", "a#2", "a#3", "b", "a#4", "a#2#2", "a#2#3"]);
    }
}
