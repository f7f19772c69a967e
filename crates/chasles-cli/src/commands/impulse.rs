//! `chasles impulse`: reads bodies that collide at one moment, and writes their velocities afterwards, one problem
//! per line.

use std::cell::RefCell;
use std::path::Path;

use chasles::{ImpulseOutcome, ImpulseWorkspace};
use chasles_formats::limits::IMPULSE_LINE;
use chasles_formats::problems::impulse;
use chasles_formats::report;
use chasles_formats::report::answer::ProblemAnswer;

use crate::args::ImpulseArgs;
use crate::exit::{Failure, Status};
use crate::input::problems::lines::ProblemLine;
use crate::input::problems::prepared::engine_error;
use crate::input::problems::{self, Answered, Kind, Problems};
use crate::output::unfinished;
use crate::warnings::Warnings;

/// Answers every problem of a file.
pub(crate) fn run(args: &ImpulseArgs, warnings: &Warnings) -> Result<Status, Failure> {
    let problems = Problems::open(&args.problems)?;
    let (path, length) = (problems.path.clone(), problems.length);
    let answer = move |line: &ProblemLine| answer(line, &path);
    let answers = problems::answers(problems.lines(IMPULSE_LINE), answer, args.threads)?;
    unfinished::end_on_interrupt();
    let output = problems::open_output(args.output.as_deref(), &args.problems)?;
    problems::write(answers, output, length, warnings)
}

thread_local! {
    /// The workspace of the engine, for each thread.
    static WORKSPACE: RefCell<ImpulseWorkspace> = RefCell::default();
}

/// Answers one line of the file at `path`: parse it, query the engine, write the answer.
fn answer(line: &ProblemLine, path: &Path) -> Answered {
    let error =
        |name: Option<&str>, error: &str| (ProblemAnswer::Error { name, error }.to_line(&[]), Kind::Error);
    let (text, kind) = match impulse::parse_line(&line.text, line.number, path) {
        Err(bad) => error(bad.name.as_deref(), &bad.error),
        Ok(named) => WORKSPACE.with_borrow_mut(|workspace| match named.problem.solve_with(workspace) {
            Err(bad) => error(Some(&named.name), &engine_error((path, line.number), "problem", &bad)),
            Ok(outcome) => (report::impulse::to_line(&named, outcome), kind(outcome)),
        }),
    };
    Answered { text, kind, warnings: Vec::new() }
}

fn kind(outcome: &ImpulseOutcome) -> Kind {
    match outcome {
        ImpulseOutcome::Solved(_) => Kind::Found,
        ImpulseOutcome::Unsolvable(_) | ImpulseOutcome::Unsettled => Kind::Unsolved,
    }
}
