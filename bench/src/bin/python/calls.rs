//! The overhead of a row of a batch and of a single call, compared with the engine.

use std::error::Error;

use chasles_bench::program::table::{Cell, Table};
use chasles_bench::program::timing::median;

use crate::questions::{Questions, assert_same};
use crate::settings::{Settings, in_turn, minimum};
use crate::talk::Python;

/// The maximum overhead per query, in seconds.
const ROW_MARK: f64 = 1e-6;
const CALL_MARK: f64 = 3e-6;

/// A form of giving a motion: the script's word for it, and a description.
type Form = (&'static str, &'static str);

const BATCHES: [Form; 4] = [
    ("arrays", "`starts`, `ends`: arrays (K, 7)"),
    ("matrices", "arrays (K, 4, 4)"),
    ("objects", "lists of `Pose`"),
    ("screws", "a list of `Screw`"),
];

const CALLS: [Form; 5] = [
    ("arrays", "`start`, `end`: arrays (7,)"),
    ("objects", "two `Pose`"),
    ("screws", "a `Screw`"),
    ("matrices", "arrays (4, 4)"),
    ("tuples", "tuples of arrays (3,) and (4,)"),
];

const COLUMNS: [&str; 9] = [
    "", "queries", "engine", "engine, from numbers", "Python", "more than the engine",
    "more, median of rounds", "mark", "met",
];

/// Measures rows of a batch.
pub(crate) fn rows(settings: &Settings) -> Result<Table, Box<dyn Error>> {
    let mut table = Table::new(
        "A row of a batch",
        "`first_contact_many` on two cubes of 12 triangles that their bounding boxes prove clear, with `threads=1`: \
            the time of a query. *Engine*: `Query::predict` in a loop with one workspace, on screws that are made \
            beforehand; *from numbers*: the same, but each screw is made in the loop from the 14 numbers of its ends, \
            a step that the package cannot avoid. *More* is Python's time minus *engine*, both the minimum of all \
            rounds, or the median of the differences in a round. Wall time, both in turn. Every row equals the \
            engine's bit for bit. Unfair to Python: it writes every answer into an array of 107 bytes a row, which is \
            new in each call, while the Rust loop drops the answer.",
        &COLUMNS,
    );
    let questions = Questions::clear(settings.rows)?;
    questions.write(&settings.folder)?;
    let mut python = settings.start()?;
    for form in BATCHES {
        let queried = CallRounds { settings, questions: &questions, count: settings.rows, mark: ROW_MARK };
        let times = queried.times(&mut python, form.0, &["many", "1"])?;
        python.query(&["keep"])?;
        queried.row(&mut table, form, times)?;
    }
    Ok(table)
}

/// Measures single calls.
pub(crate) fn calls(settings: &Settings) -> Result<Table, Box<dyn Error>> {
    let mut table = Table::new(
        "A single call",
        "`first_contact(a, b, ...)` with `Body`, one call after the other in a Python loop, whose own time is \
            counted: the cubes that are clear at once, and cubes that collide, whose answers hold a contact. Columns \
            as above. The arrays (7,) and (4, 4) are the rows of a larger array. Every answer equals the engine's bit \
            for bit.",
        &COLUMNS,
    );
    let mut python = settings.start()?;
    for (questions, forms) in
        [(Questions::clear(settings.calls)?, &CALLS[..]), (Questions::meeting(settings.calls)?, &CALLS[..3])]
    {
        questions.write(&settings.folder)?;
        for form in forms {
            let queried =
                CallRounds { settings, questions: &questions, count: settings.calls, mark: CALL_MARK };
            let times = queried.times(&mut python, form.0, &["single"])?;
            python.query(&["answer_singles"])?;
            python.query(&["keep"])?;
            queried.row(&mut table, *form, times)?;
        }
    }
    Ok(table)
}

struct CallRounds<'a> {
    settings: &'a Settings,
    questions: &'a Questions,
    count: usize,
    mark: f64,
}

impl CallRounds<'_> {
    /// The total times of all queries in each round, in seconds: of the engine, of the engine with poses as
    /// numbers, of Python.
    fn times(
        &self,
        python: &mut Python,
        form: &str,
        words: &[&str],
    ) -> Result<[Vec<f64>; 3], Box<dyn Error>> {
        python.query(&["prepare", self.questions.name, form, &self.count.to_string()])?;
        in_turn(self.settings.rounds, |contestant| match contestant {
            0 => Ok(self.questions.ready(self.count)?),
            1 => Ok(self.questions.making_screws(self.count)?),
            _ => python.seconds(words),
        })
    }

    /// Adds a row of times, after checking that the answers equal the engine's.
    fn row(&self, table: &mut Table, form: Form, times: [Vec<f64>; 3]) -> Result<(), Box<dyn Error>> {
        let screws = match form.0 {
            "matrices" => &self.questions.by_matrices()?,
            _ => &self.questions.screws,
        };
        assert_same(&self.settings.folder, &self.questions.rows(screws)?, self.count)?;
        let count = self.count as f64;
        let [engine, numbers, python] = times.each_ref().map(|times| minimum(times) / count);
        let differences = times[2].iter().zip(&times[0]).map(|(python, engine)| (python - engine) / count);
        let more = python - engine;
        table.row(
            &format!("{}: {}", self.questions.name, form.1),
            [
                Cell::Count(self.count as u64),
                Cell::Time(engine),
                Cell::Time(numbers),
                Cell::Time(python),
                Cell::Time(more),
                Cell::Time(median(differences)),
                Cell::Time(self.mark),
                yes_or_no(more <= self.mark),
            ],
        );
        Ok(())
    }
}

/// Whether a target is met.
pub(crate) fn yes_or_no(is_met: bool) -> Cell {
    Cell::from(if is_met { "yes" } else { "NO" })
}
