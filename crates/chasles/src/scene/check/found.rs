//! The results of pairs, collected batch by batch.

use crate::error::Error;
use crate::scene::Scene;
use crate::scene::check::candidates::{BATCH_SIZE, Bounds, CandidateBatches};
use crate::scene::check::context::CheckContext;
use crate::scene::check::rounds::answers;
use crate::scene::pairing::{PairCounts, TestedClasses};
use crate::scene::report::{Containment, NearestReport, PairListing, PairReport, PairVerdict, SceneReport};

/// Maximum number of rows of a report, which take some gigabytes with their text.
const ROWS: usize = 1 << 20;

/// The options of a check, and the scene data that it needs.
pub(crate) struct CheckRequest<'a> {
    pub(crate) context: CheckContext<'a>,
    pub(crate) bounds: Bounds,
    pub(crate) counts: PairCounts,
    pub(crate) classes: TestedClasses,
}

impl CheckRequest<'_> {
    /// The number of tested pairs that do not move relative to each other.
    pub(crate) fn count_at_rest(&self) -> usize {
        self.classes.count_at_rest(&self.counts)
    }
}

/// The results of some pairs of a scene.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    /// The listed pairs.
    pub(crate) rows: Vec<PairReport>,
    pub(crate) inside: Vec<Containment>,
    /// The number of pairs that are not clear.
    pub(crate) unclear: usize,
    /// The number of pairs that were not examined because the check was stopped.
    pub(crate) unexamined: usize,
    /// Pairs whose boxes overlap, if the report names the nearest pair.
    pub(crate) near_pairs: Vec<[usize; 2]>,
}

impl Found {
    /// Adds the result of a pair.
    pub(crate) fn add(&mut self, row: PairReport, listed: PairListing) {
        let clear = row.verdict == PairVerdict::Clear;
        self.unclear += usize::from(!clear);
        if !clear || listed == PairListing::All {
            self.rows.push(row);
        }
    }
}

impl SceneReport {
    /// Adds the results of some pairs, which counted as clear until now.
    pub(crate) fn add_found(&mut self, found: Found) {
        for row in &found.rows {
            self.verdict = self.verdict.max(row.verdict);
            self.clear_until = self.clear_until.min(row.clear_until);
        }
        self.pairs.extend(found.rows);
        self.inside.extend(found.inside);
        self.pairs_clear -= found.unclear + found.unexamined;
        if found.unexamined > 0 {
            // Pairs that were not examined are not listed, since there may be millions.
            self.verdict = self.verdict.max(PairVerdict::Undecided);
            (self.clear_until, self.followed_until) = (0.0, 0.0);
        }
    }
}

/// Checks pairs, about `batch_size` at a time. `total` also counts the pairs that the broad phase excludes.
///
/// # Errors
/// A motion leaves the range of coordinates; more than a million pairs to list.
pub(crate) fn collect(
    scene: &Scene,
    batches: &mut CandidateBatches<'_>,
    (total, batch_size): (usize, usize),
    context: &CheckContext<'_>,
) -> Result<Found, Error> {
    let CheckContext { options, watch, .. } = context;
    let counted = batches.count();
    if let Some(count) = counted {
        watch.done(total - count);
    }
    let names_nearest = options.naming == NearestReport::Nearest && options.listed == PairListing::NotClear;
    let (mut found, mut checked) = (Found::default(), 0);
    while let Some(pairs) = batches.next(batch_size) {
        checked += pairs.len();
        if names_nearest {
            let remaining = BATCH_SIZE.saturating_sub(found.near_pairs.len());
            found.near_pairs.extend(pairs.iter().map(|pair| pair.bodies).take(remaining));
        }
        for (row, inside) in answers(scene, &pairs, context)? {
            found.inside.extend(inside);
            found.add(row, options.listed);
        }
        if found.rows.len().max(found.inside.len()) > ROWS {
            let expected = "no more than 1048576 pairs that are not clear, or are listed all the same";
            return Error::out_of_range(found.rows.len() as f64, expected, "report");
        }
        if watch.is_over() && counted.is_none() {
            found.unexamined = total - checked;
            return Ok(found);
        }
    }
    if counted.is_none() {
        watch.done(total - checked);
    }
    Ok(found)
}
