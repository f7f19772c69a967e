//! `chasles batch`: pair problems in, answers out, one a line, in the same order.
//!
//! ```text
//! solve       one line: parse it, get its meshes, ask the engine, write the answer
//! ```

mod solve;

use chasles::Options;
use chasles_formats::limits::PROBLEM_LINE;

use self::solve::{Question, Solver};
use crate::args::BatchArgs;
use crate::exit::{Failure, Status};
use crate::output::unfinished;
use crate::problems::{self, Problems};

/// Answers every problem of a file.
pub(crate) fn run(args: &BatchArgs) -> Result<Status, Failure> {
    let problems = Problems::open(&args.problems)?;
    let length = problems.length;
    let options = Options { tolerance: args.tolerance, ..Options::default() };
    let options = Options { budget: args.budget.unwrap_or(options.budget), ..options };
    let question = match args.all {
        false => Question::FirstContact,
        true => Question::AllContacts { rated: args.proper, concurrent: args.concurrent },
    };
    let solver = Solver::new(problems.path.clone(), question, options);
    let answers =
        problems::answers(problems.lines(PROBLEM_LINE), move |line| solver.solve(line), args.threads)?;
    unfinished::end_on_interrupt();
    problems::write(answers, problems::open_output(args.output.as_deref(), &args.problems)?, length)
}
