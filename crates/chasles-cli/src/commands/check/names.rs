//! Names of bodies, joints and paths in tables: on one line, and shortened only if standard output is a terminal.
//!
//! A name is shortened in its middle, because most similar names differ at their ends. If shortened names would be
//! equal, they get more room; if no room suffices, they are not shortened.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _};

use chasles_formats::printable::printable;

/// The room for names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableWidth {
    /// Standard output goes to another program or a file: names are complete.
    Unbounded,
    /// Standard output is a terminal: lines should fit into 100 columns.
    Terminal,
}

impl TableWidth {
    /// The room on standard output.
    pub(super) fn of_output() -> Self {
        if io::stdout().is_terminal() { Self::Terminal } else { Self::Unbounded }
    }
}

/// Names may exceed their intended length by this factor before they are left complete.
const MORE: usize = 4;

/// A set of names, and their maximum length in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    max_length: usize,
}

impl Names {
    /// Fits the names of one table into `max_length` characters each, if possible.
    pub(super) fn fitting<'a>(
        width: TableWidth,
        names: impl Iterator<Item = &'a str>,
        max_length: usize,
    ) -> Self {
        if width == TableWidth::Unbounded {
            return Self { max_length: usize::MAX };
        }
        let mut plain: Vec<String> = names.map(|name| printable(name).into_owned()).collect();
        plain.sort_unstable();
        plain.dedup();
        let longest = plain.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let are_distinct = |max_length: &usize| {
            let mut watched_files = BTreeSet::new();
            plain.iter().all(|name| watched_files.insert(cut(name, *max_length)))
        };
        let enough = (max_length..longest.min(MORE * max_length)).find(are_distinct);
        Self { max_length: enough.unwrap_or(longest) }
    }

    /// A name, shortened if necessary.
    pub(super) fn of(&self, name: &str) -> String {
        cut(&printable(name), self.max_length)
    }
}

/// Shortens a name to at most `max_length` characters; two dots replace the omitted part.
fn cut(name: &str, max_length: usize) -> String {
    let length = name.chars().count();
    if length <= max_length {
        return name.into();
    }
    let kept_characters = max_length.saturating_sub(2);
    let head = kept_characters.div_ceil(2);
    name.chars()
        .take(head)
        .chain("..".chars())
        .chain(name.chars().skip(length - (kept_characters - head)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(names: &[&str], max_length: usize) -> Vec<String> {
        let fitting = Names::fitting(TableWidth::Terminal, names.iter().copied(), max_length);
        names.iter().map(|name| fitting.of(name)).collect()
    }

    #[test]
    fn names_do_not_break_lines() {
        let complete = Names::fitting(TableWidth::Unbounded, ["short"].into_iter(), 3);
        assert_eq!(complete.of("a\nb \"c' and very much more"), "a\\nb \"c' and very much more");
        assert_eq!(complete.of("\u{1b}[31mred"), "\\u{1b}[31mred");
    }

    #[test]
    fn long_names_are_cut_in_the_middle() {
        assert_eq!(fitted(&["gripper", "äöüäöüäöü"], 8), ["gripper", "äöü..äöü"]);
        assert_eq!(fitted(&["abcdefghij"], 7), ["abc..ij"]);
        assert_eq!(fitted(&["abc"], 2), [".."]);
        assert_eq!(fitted(&[], 7), Vec::<String>::new());
    }

    #[test]
    fn shortened_names_are_distinct() {
        let fingers = ["robotiq_85_left_finger_tip_link", "robotiq_85_right_finger_tip_link"];
        assert_eq!(fitted(&fingers, 22), ["robotiq_85_l..er_tip_link", "robotiq_85_r..er_tip_link"]);
        // The names differ exactly in the part that shortening removes, so no shortening keeps the difference.
        let middles = ["x".repeat(50) + "a" + &"y".repeat(50), "x".repeat(50) + "b" + &"y".repeat(50)];
        let names = [middles[0].as_str(), middles[1].as_str()];
        assert_eq!(fitted(&names, 20), names);
        // The same name twice does not need more room.
        assert_eq!(fitted(&["abcdefghij", "abcdefghij"], 7), ["abc..ij", "abc..ij"]);
    }
}
