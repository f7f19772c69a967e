//! Answers one line of a file of problems: parse it, get its meshes, query the engine, write the answer.

use std::cell::RefCell;
use std::path::PathBuf;

use chasles::{Options, Prediction, Query, QueryKind, Rating, Workspace, ratings};
use chasles_formats::problems::{BatchProblem, Problem, parse_batch_line};
use chasles_formats::report::answer::{ContactExtras, ProblemAnswer};

use crate::input::meshes::Meshes;
use crate::input::problems::lines::ProblemLine;
use crate::input::problems::prepared::{MeshWarnings, PreparedProblem, engine_error, warnings_of};
use crate::input::problems::{Answered, Kind};

/// The query for every problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BatchQuery {
    FirstContact,
    AllContacts {
        /// Whether the properness of each contact is reported.
        rated: bool,
        /// Contacts within this time of each other are grouped.
        concurrent: Option<f64>,
    },
}

/// Answers lines; may be shared by any number of threads.
#[derive(Debug)]
pub(super) struct Solver {
    /// The file of problems.
    path: PathBuf,
    question: BatchQuery,
    options: Options,
    meshes: Meshes,
}

/// The properness of each contact, if it can be computed.
type Ratings = Vec<Option<Rating>>;

thread_local! {
    /// The workspace of a worker thread, reused for all its problems.
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

impl Solver {
    pub(super) fn new(path: PathBuf, question: BatchQuery, options: Options) -> Self {
        Self { path, question, options, meshes: Meshes::new() }
    }

    pub(super) fn solve(&self, line: &ProblemLine) -> Answered {
        let mut warnings = Vec::new();
        let error = |name, error: &str, found: &[MeshWarnings]| {
            (ProblemAnswer::Error { name, error }.to_line(&warnings_of(found)), Kind::Error)
        };
        let (text, kind) = match parse_batch_line(&line.text, line.number, &self.path) {
            Err(bad) => error(bad.name.as_deref(), &bad.error, &[]),
            Ok(BatchProblem::Meshes(problem)) => match self.predict(&problem, line.number, &mut warnings) {
                Ok((prediction, ratings)) => {
                    let beside = ContactExtras { ratings: ratings.as_deref(), concurrent: self.concurrent() };
                    let answer =
                        ProblemAnswer::Found { name: &problem.name, prediction: &prediction, extras: beside };
                    (answer.to_line(&warnings_of(&warnings)), Kind::Found)
                }
                Err(engine_error) => error(Some(&problem.name), &engine_error, &warnings),
            },
            Ok(BatchProblem::Features(problem)) => {
                let name = &problem.name;
                let place = (self.path.as_path(), line.number);
                match problem.features.first_contact(problem.distance, self.options.budget) {
                    Ok(found_contact) => {
                        let answer = ProblemAnswer::Features {
                            name,
                            kind: problem.features.kind,
                            outcome: &found_contact,
                        };
                        (answer.to_line(&[]), Kind::Found)
                    }
                    Err(bad) => error(Some(name), &engine_error(place, "problem", &bad), &[]),
                }
            }
        };
        Answered { text, kind, warnings }
    }

    fn concurrent(&self) -> Option<f64> {
        match self.question {
            BatchQuery::FirstContact => None,
            BatchQuery::AllContacts { concurrent, .. } => concurrent,
        }
    }

    fn predict(
        &self,
        problem: &Problem,
        number: usize,
        warnings: &mut Vec<MeshWarnings>,
    ) -> Result<(Prediction, Option<Ratings>), String> {
        let place = (self.path.as_path(), number);
        let PreparedProblem { bodies: [a, b], screw } =
            PreparedProblem::new(problem, place, &self.meshes, warnings)?;
        let question_kind = match self.question {
            BatchQuery::FirstContact => QueryKind::FirstContact,
            BatchQuery::AllContacts { .. } => QueryKind::AllContacts,
        };
        let query = Query { a: &a, b: &b, screw };
        let answer =
            WORKSPACE.with_borrow_mut(|workspace| query.predict(question_kind, &self.options, workspace));
        let prediction = answer.map_err(|error| engine_error(place, "problem", &error))?;
        let rated = matches!(self.question, BatchQuery::AllContacts { rated: true, .. });
        let ratings = rated.then(|| ratings(&a, &b, &screw, &prediction.contacts));
        Ok((prediction, ratings))
    }
}
