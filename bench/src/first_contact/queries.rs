//! Times of single first-contact queries, cold and warm, separately for colliding and clear cases.

use chasles::{Error, Outcome};

use crate::first_contact::engine::{Engine, WORK};
use crate::first_contact::sets::{Case, Set};
use crate::program::table::{Cell, Table};
use crate::program::timing::{median, once, quantile};

/// Consecutive runs of a query: the first is cold, the fastest counts as warm.
pub const REPEATS: usize = 3;

/// Untimed cases that run first.
const WARM_UP: usize = 20;

/// The result of one case.
#[derive(Debug, Clone)]
pub struct CaseResult {
    /// The case.
    pub case: Case,
    /// The proven answer.
    pub outcome: Outcome,
    /// Seconds of the first run, which comes right after another query.
    pub cold: f64,
    /// Seconds of the fastest run.
    pub warm: f64,
    /// The work of the query, in the order of [`WORK`].
    pub work: [u64; 4],
}

impl CaseResult {
    /// Whether the bodies collide, or overlap at the start.
    #[must_use]
    pub fn collides(&self) -> bool {
        matches!(self.outcome, Outcome::Contact(_) | Outcome::Overlapping(_))
    }

    /// Whether the bodies come near and do not collide.
    #[must_use]
    pub fn is_near_miss(&self) -> bool {
        self.outcome == Outcome::Clear && self.case.near
    }
}

/// Runs every case of a set, in order.
///
/// # Errors
/// Does not fail for the cases of the benches.
pub fn run(set: &Set) -> Result<Vec<CaseResult>, Error> {
    let mut engine = Engine::new();
    for case in set.cases.iter().take(WARM_UP) {
        engine.first(&set.query(case))?;
    }
    let mut queried = Vec::new();
    for case in &set.cases {
        let query = set.query(case);
        let (prediction, cold) = once(|| engine.first(&query));
        let again = (1..REPEATS).map(|_| once(|| engine.first(&query)).1);
        let warm = again.fold(cold, f64::min);
        let prediction = prediction?;
        let work = Engine::work(&prediction);
        queried.push(CaseResult { case: *case, outcome: prediction.outcome, cold, warm, work });
    }
    Ok(queried)
}

/// The tables of the queries of some sets.
#[must_use]
pub fn tables(results: &[(String, Vec<CaseResult>)]) -> Vec<Table> {
    vec![colliding(results), misses(results), work(results), answers(results)]
}

const PRECISE: &str = "One thread, bodies built beforehand, every case run 3 times in a row. *Warm* is the fastest of \
    the three runs, *cold* the first, which comes right after the query of another case.";

fn colliding(results: &[(String, Vec<CaseResult>)]) -> Table {
    let text = format!("{PRECISE} The table covers the cases that collide.");
    let columns = [
        "", "cases", "fraction of all", "warm, median", "warm, p95", "warm, longest", "cold, median",
        "cold, p95", "p95 / median",
    ];
    let mut table = Table::new("First contact, colliding", &text, &columns);
    for (name, queried) in results {
        let hits = || queried.iter().filter(|a| a.collides());
        let number = hits().count();
        let fraction = Cell::Fraction(number as f64 / queried.len() as f64);
        let ratio = quantile(hits().map(|a| a.warm), 0.95) / median(hits().map(|a| a.warm));
        let first = [Cell::Count(number as u64), fraction];
        table.row(name, first.into_iter().chain(times(hits())).chain([Cell::Ratio(ratio)]));
    }
    table
}

/// Warm median, 95th percentile and maximum; cold median and 95th percentile.
fn times<'a>(queried: impl Iterator<Item = &'a CaseResult> + Clone) -> [Cell; 5] {
    let warm = |fraction| Cell::Time(quantile(queried.clone().map(|a| a.warm), fraction));
    let cold = |fraction| Cell::Time(quantile(queried.clone().map(|a| a.cold), fraction));
    [warm(0.5), warm(0.95), warm(1.0), cold(0.5), cold(0.95)]
}

fn misses(results: &[(String, Vec<CaseResult>)]) -> Table {
    let text = "The table covers the cases proven clear; *near* are the cases in which the unit balls around the \
        bodies intersect, so that the balls alone prove nothing. *Mean of all* is over every case, colliding or not.";
    let columns = [
        "", "clear", "warm, median", "warm, p95", "warm, longest", "cold, median", "cold, p95", "near",
        "near, warm, median", "near, warm, p95", "mean of all, warm", "mean of all, cold",
    ];
    let mut table = Table::new("First contact, clear", text, &columns);
    for (name, queried) in results {
        let clear = || queried.iter().filter(|a| a.outcome == Outcome::Clear);
        let near = || queried.iter().filter(|a| a.is_near_miss());
        let mean =
            |f: fn(&CaseResult) -> f64| Cell::Time(queried.iter().map(f).sum::<f64>() / queried.len() as f64);
        let near_warm = |fraction| Cell::Time(quantile(near().map(|a| a.warm), fraction));
        let last = [
            Cell::Count(near().count() as u64),
            near_warm(0.5),
            near_warm(0.95),
            mean(|a| a.warm),
            mean(|a| a.cold),
        ];
        table.row(name, [Cell::Count(clear().count() as u64)].into_iter().chain(times(clear())).chain(last));
    }
    table
}

fn work(results: &[(String, Vec<CaseResult>)]) -> Table {
    let columns: Vec<_> = [""].into_iter().chain(WORK).collect();
    let text = "Medians of the engine's counters over the cases that collide.";
    let mut table = Table::new("Work of a colliding query", text, &columns);
    for (name, queried) in results {
        let hits = queried.iter().filter(|a| a.collides());
        table.row(
            name,
            [0, 1, 2, 3].map(|i| match median(hits.clone().map(|a| a.work[i] as f64)) {
                none if none.is_nan() => Cell::Empty,
                some => Cell::Count(some as u64),
            }),
        );
    }
    table
}

fn answers(results: &[(String, Vec<CaseResult>)]) -> Table {
    let text = "The number of answers of each kind. The mean time of first contact shows at a glance whether two \
        engines gave the same answers.";
    let columns = [
        "", "cases", "contact", "overlapping", "clear", "undecided", "mean time of first contact",
        "slowest, by number",
    ];
    let mut table = Table::new("Answers", text, &columns);
    for (name, queried) in results {
        let count = |selected: fn(&Outcome) -> bool| {
            Cell::Count(queried.iter().filter(|a| selected(&a.outcome)).count() as u64)
        };
        let times: Vec<f64> = queried
            .iter()
            .filter_map(|a| match &a.outcome {
                Outcome::Contact(contact) => Some(0.5 * (contact.time[0] + contact.time[1])),
                _ => None,
            })
            .collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let mut slowest: Vec<_> = queried.iter().map(|a| a.warm).zip(0..).collect();
        slowest.sort_unstable_by(|x: &(f64, usize), y| y.0.total_cmp(&x.0));
        let slowest: Vec<_> =
            slowest.iter().take(3).map(|(t, i)| format!("{i} ({:.0} us)", 1e6 * t)).collect();
        let cells = [
            Cell::Count(queried.len() as u64),
            count(|o| matches!(o, Outcome::Contact(_))),
            count(|o| matches!(o, Outcome::Overlapping(_))),
            count(|o| matches!(o, Outcome::Clear)),
            count(|o| matches!(o, Outcome::Undecided { .. })),
            Cell::Text(format!("{mean:.9}")),
            Cell::Text(slowest.join(", ")),
        ];
        table.row(name, cells);
    }
    table
}
