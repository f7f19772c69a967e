//! `chasles batch`: reads pair problems and writes their answers, one per line, in the same order.
//!
//! ```text
//! solve       answers one line: parse it, get its meshes, query the engine, write the answer
//! ```

mod solve;

use chasles::Options;
use chasles_formats::Error;
use chasles_formats::limits::PROBLEM_LINE;

use self::solve::{BatchQuery, Solver};
use crate::args::{BatchArgs, Shard};
use crate::exit::{Failure, Status};
use crate::input::problems::lines::ProblemLine;
use crate::input::problems::{self, Problems};
use crate::output::unfinished;
use crate::warnings::Warnings;

/// Answers every problem of a file.
pub(crate) fn run(args: &BatchArgs, warnings: &Warnings) -> Result<Status, Failure> {
    let problems = Problems::open(&args.problems)?;
    let part = args.shard.map(|shard| shard_range(shard, &problems)).transpose()?;
    let (start, end) = part.unwrap_or((0, u64::MAX));
    let length = part.map_or(problems.length, |_| Some(end - start));
    let options = Options { tolerance: args.tolerance, ..Options::default() };
    let options = Options { budget: args.budget.unwrap_or(options.budget), ..options };
    let question = match args.all {
        false => BatchQuery::FirstContact,
        true => BatchQuery::AllContacts { rated: args.proper, concurrent: args.concurrent },
    };
    let solver = Solver::new(problems.path.clone(), question, options);
    let lines = problems.lines(PROBLEM_LINE);
    let lines = lines.skip_while(move |line| line.as_ref().is_ok_and(|line| line.end <= start));
    let lines = lines.take_while(move |line| line.as_ref().map_or(true, |line| line.end <= end));
    let lines = lines.map(move |line| line.map(|line| ProblemLine { end: line.end - start, ..line }));
    let answers = problems::answers(lines, move |line| solver.solve(line), args.threads)?;
    unfinished::end_on_interrupt();
    let output = problems::open_output(args.output.as_deref(), &args.problems)?;
    problems::write(answers, output, length, warnings)
}

/// The byte range of a shard: lines whose end is after the first number and not after the second.
fn shard_range(shard: Shard, problems: &Problems) -> Result<(u64, u64), Failure> {
    let Some(length) = problems.length else {
        let found = "found no file whose length is known, expected one for --shard";
        return Err(Error::file(&problems.path, found).into());
    };
    let byte_boundary = |number: u64| {
        let bytes = u128::from(length) * u128::from(number) / u128::from(shard.count);
        u64::try_from(bytes).unwrap_or(length)
    };
    Ok((byte_boundary(shard.number - 1), byte_boundary(shard.number)))
}
