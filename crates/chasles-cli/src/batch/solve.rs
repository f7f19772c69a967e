//! One line of a file of problems: parse it, get its meshes, ask the engine, write the answer.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use chasles::{Ask, Options, Pose, Prediction, Query, Screw, Workspace};
use chasles_formats::Error;
use chasles_formats::problems::{Problem, ProblemMotion, parse_line};
use chasles_formats::report::answer::Answer;
use chasles_formats::scene_file::PoseEntry;

use super::lines::Line;
use crate::meshes::Meshes;

/// What is asked about every problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    FirstContact,
    AllContacts,
}

/// Answers lines, from any number of threads.
#[derive(Debug)]
pub(super) struct Solver {
    /// The file of the problems.
    path: PathBuf,
    question: Question,
    options: Options,
    meshes: Meshes,
}

/// A mesh file, and what the reader found doubtful in it.
pub(super) type Warnings = (PathBuf, Arc<[String]>);

/// A line answered.
#[derive(Debug)]
pub(super) struct Answered {
    /// The answer, with its line end.
    pub(super) line: String,
    /// Whether it is an error.
    pub(super) failed: bool,
    /// Bytes of the file of problems up to the end of the line.
    pub(super) end: u64,
    /// Of its meshes, where there are any.
    pub(super) warnings: Vec<Warnings>,
}

thread_local! {
    /// Memory from problem to problem of one worker.
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

impl Solver {
    pub(super) fn new(path: PathBuf, question: Question, options: Options) -> Self {
        Self { path, question, options, meshes: Meshes::new() }
    }

    pub(super) fn solve(&self, line: &Line) -> Answered {
        let mut warnings = Vec::new();
        let (text, failed) = match parse_line(&line.text, line.number, &self.path) {
            Err(bad) => (Answer::Error { name: bad.name.as_deref(), error: &bad.error }.to_line(), true),
            Ok(problem) => match self.predict(&problem, line.number, &mut warnings) {
                Ok(prediction) => {
                    (Answer::Found { name: &problem.name, prediction: &prediction }.to_line(), false)
                }
                Err(error) => (Answer::Error { name: Some(&problem.name), error: &error }.to_line(), true),
            },
        };
        Answered { line: text, failed, end: line.end, warnings }
    }

    fn predict(
        &self,
        problem: &Problem,
        number: usize,
        warnings: &mut Vec<Warnings>,
    ) -> Result<Prediction, String> {
        let at = |key: &str, error: chasles::Error| {
            Error::key(&self.path, key, number, error.to_string()).to_string()
        };
        // The motion first: where it is wrong no mesh need be read.
        let pose = |key: &str, entry: PoseEntry| {
            Pose::new(entry.position, entry.rotation).map_err(|error| at(key, error))
        };
        let start = pose("pose0", problem.pose0)?;
        let screw = match problem.motion {
            ProblemMotion::To(end) => Screw::between(start, pose("pose1", end)?),
            ProblemMotion::Screw { s, p, d, b } => {
                Screw::about(start, s, p, d, b).map_err(|error| at("screw", error))?
            }
        };
        let mut get = |path: &PathBuf| {
            let mesh = self.meshes.get(path);
            if !mesh.warnings.is_empty() {
                warnings.push((path.clone(), Arc::clone(&mesh.warnings)));
            }
            mesh
        };
        let [a, b] = [get(&problem.a), get(&problem.b)];
        let ask = match self.question {
            Question::FirstContact => Ask::FirstContact,
            Question::AllContacts => Ask::AllContacts,
        };
        let (a, b) = (a.body.as_ref().map_err(Clone::clone)?, b.body.as_ref().map_err(Clone::clone)?);
        let query = Query { a, b, screw };
        let answer = WORKSPACE.with_borrow_mut(|workspace| query.predict(ask, &self.options, workspace));
        answer.map_err(|error| at("problem", error))
    }
}
