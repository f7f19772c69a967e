//! Lines about overlapping pairs that do not count in the verdict.

use std::fmt::Write as _;

use chasles::{ModelOverlaps, SceneReport};

use super::{CheckTable, Extent};
use crate::words::{count, wrapped};

/// The number of static pairs that a table names by default.
const NAMED: usize = 4;

/// The pairs that the table names: rigidly joined pairs, then static pairs.
fn named_pairs(overlaps: &ModelOverlaps, extent: Extent) -> [&[[usize; 2]]; 2] {
    let ModelOverlaps { assembled, statics, .. } = overlaps;
    match extent {
        Extent::Survey => [&[], &statics[..statics.len().min(NAMED)]],
        Extent::Pairs | Extent::All => [assembled, statics],
    }
}

/// The bodies of the pairs that the table names.
pub(super) fn named(report: &SceneReport, extent: Extent) -> impl Iterator<Item = usize> {
    let pairs = report.overlaps.iter().flat_map(move |overlaps| named_pairs(overlaps, extent));
    pairs.flatten().flatten().copied()
}

impl CheckTable<'_> {
    /// Three lines at most: rigidly joined bodies that overlap in the model, static bodies that overlap, and undecided
    /// pairs.
    pub(super) fn overlaps(&self) -> String {
        let Some(overlaps) = &self.report.overlaps else { return String::new() };
        let ModelOverlaps { assembled, statics, undecided } = overlaps;
        let names = |pairs: &[[usize; 2]]| {
            let pair = |[a, b]: &[usize; 2]| format!("{} and {}", self.name(*a), self.name(*b));
            pairs.iter().map(pair).collect::<Vec<_>>().join(", ")
        };
        let [joined, fixed] = named_pairs(overlaps, self.extent);
        let verb = |number: usize| if number == 1 { "overlaps" } else { "overlap" };
        let mut text = String::new();
        if !assembled.is_empty() {
            let bodies = if self.subject.is_path() { "links" } else { "bodies" };
            let (number, verb) = (count(assembled.len(), "pair"), verb(assembled.len()));
            let which = match joined.is_empty() {
                true => " (--all-pairs names them)".into(),
                false => format!(": {}", names(joined)),
            };
            text = wrapped("", &format!("{number} of rigidly joined {bodies} {verb} in the model{which}."));
        }
        if !statics.is_empty() {
            let (number, verb) = (count(statics.len(), "pair"), verb(statics.len()));
            let mut which = names(fixed);
            if statics.len() > fixed.len() {
                let _ = write!(which, " and {} more", statics.len() - fixed.len());
            }
            let line =
                format!("{number} of bodies that cannot move {verb}: {which} (--static makes this count).");
            text.push_str(&wrapped("", &line));
        }
        if *undecided > 0 {
            let line = format!(
                "{undecided} or more such pairs may overlap too: the work that is allowed for them ran out. --static tests those \
                 that cannot move."
            );
            text.push_str(&wrapped("", &line));
        }
        text
    }
}
