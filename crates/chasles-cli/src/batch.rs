//! `chasles batch`: pair problems in, answers out, one a line, in the same order.
//!
//! ```text
//! progress    a bar
//! lines       the lines of the file, one by one
//! in_order    a few of them at a time go to the threads; what comes back is in order again
//! solve       one line: parse it, get its meshes, ask the engine, write the answer
//! ```

mod progress;
mod lines;
mod in_order;
mod solve;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chasles::Options;
use chasles_formats::Error;

use self::in_order::{InOrder, Next, in_order};
use self::lines::{Line, Lines};
use self::progress::Progress;
use self::solve::{Answered, Question, Solver};
use crate::args::BatchArgs;
use crate::exit::{Failure, Status};
use crate::output::{Output, unfinished};

/// How often the bar moves while an answer takes long.
const TICK: Duration = Duration::from_millis(200);

/// Answers every problem of a file.
pub(crate) fn run(args: &BatchArgs) -> Result<Status, Failure> {
    let problems = Problems::open(&args.problems)?;
    let length = problems.length;
    let options = Options { tolerance: args.tolerance, ..Options::default() };
    let options = Options { budget: args.budget.unwrap_or(options.budget), ..options };
    let question = if args.all { Question::AllContacts } else { Question::FirstContact };
    let solver = Solver::new(problems.path.clone(), question, options);
    let lines = Lines::new(BufReader::new(problems.bytes), &problems.path);
    let work = move |line: chasles_formats::Result<Line>| {
        line.map(|line| solver.solve(&line)).map_err(Failure::from)
    };
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok());
    let answers = in_order(lines, work, threads.unwrap_or(NonZeroUsize::MIN))
        .map_err(|error| Failure::Bad(format!("cannot start a thread: {error}")))?;
    unfinished::end_on_interrupt();
    let output = open_output(args)?;
    let progress = Progress::new(length, output.is_stdout());
    Writer { output, progress, told: HashSet::new(), answers: 0, errors: 0 }.write(answers)
}

/// The file of problems, opened.
struct Problems {
    /// As messages name it; meshes are relative to its folder.
    path: PathBuf,
    bytes: Box<dyn Read + Send>,
    /// In bytes, where it has one that is known.
    length: Option<u64>,
}

impl Problems {
    fn open(path: &Path) -> Result<Self, Failure> {
        if path == "-" {
            // Lies in the folder in which we run, as far as meshes are concerned.
            let path = PathBuf::from("standard input");
            return Ok(Self { path, bytes: Box::new(io::stdin()), length: None });
        }
        let file = File::open(path).map_err(|error| Error::io(path, &error))?;
        let metadata = file.metadata().map_err(|error| Error::io(path, &error))?;
        if metadata.is_dir() {
            return Err(Error::file(path, "found a folder, expected a file of problems").into());
        }
        let length = metadata.is_file().then_some(metadata.len());
        Ok(Self { path: path.to_path_buf(), bytes: Box::new(file), length })
    }
}

fn open_output(args: &BatchArgs) -> Result<Output, Failure> {
    let same = |output: &Path| {
        let [a, b] = [output, &args.problems].map(std::fs::canonicalize);
        a.is_ok_and(|a| b.is_ok_and(|b| a == b))
    };
    match args.output.as_deref() {
        Some(output) if same(output) => {
            Err(Failure::Bad(format!("{}: is the file of problems, which stays", output.display())))
        }
        output => Output::open(output),
    }
}

/// Takes the answers as their turns come.
struct Writer {
    output: Output,
    progress: Progress,
    /// The files whose warnings were told.
    told: HashSet<PathBuf>,
    answers: u64,
    errors: u64,
}

impl Writer {
    fn write(mut self, mut answers: InOrder<Result<Answered, Failure>>) -> Result<Status, Failure> {
        match self.take_all(&mut answers) {
            Ok(()) => self.output.finish()?,
            Err(failure) => return Err(self.output.give_up(failure)),
        }
        if self.errors == 0 {
            return Ok(Status::Fine);
        }
        let lines = if self.answers == 1 { "line" } else { "lines" };
        self.progress.complain(&format!(
            "{} of {} {lines} could not be answered: see \"error\" there",
            self.errors, self.answers
        ));
        Ok(Status::Bad)
    }

    fn take_all(&mut self, answers: &mut InOrder<Result<Answered, Failure>>) -> Result<(), Failure> {
        loop {
            let mut next = answers.next_within(Duration::ZERO);
            if matches!(next, Next::Later) {
                // Whoever waits for the answers has all that there are.
                self.output.flush()?;
                self.progress.draw();
                next = answers.next_within(TICK);
            }
            match next {
                Next::Ready(answered) => self.take(&answered?)?,
                Next::Later => {}
                Next::End => return Ok(()),
                Next::Panicked => {
                    // A bug of ours, whose message stands on standard error: what is answered is kept.
                    self.output.flush()?;
                    panic!("a thread that answers problems has panicked");
                }
            }
        }
    }

    fn take(&mut self, answered: &Answered) -> Result<(), Failure> {
        for (file, warnings) in &answered.warnings {
            if self.told.insert(file.clone()) {
                warnings.iter().for_each(|warning| self.progress.complain(&format!("warning: {warning}")));
            }
        }
        self.answers += 1;
        self.errors += u64::from(answered.failed);
        self.progress.answered(answered.end);
        self.output.line(&answered.line)
    }
}
