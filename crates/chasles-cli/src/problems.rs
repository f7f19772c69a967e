//! Files of pair problems: opened, read line by line, answered by several threads, and the answers written in order.
//!
//! ```text
//! progress    a bar
//! lines       the lines of the file, one by one
//! in_order    a few of them at a time go to the threads; what comes back is in order again
//! posed       a problem as the engine takes it: two bodies and a screw
//! ```

pub(crate) mod progress;
pub(crate) mod lines;
pub(crate) mod in_order;
pub(crate) mod posed;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chasles_formats::Error;

use self::in_order::{InOrder, Next, in_order};
use self::lines::{Lines, ProblemLine};
use self::posed::PosedWarnings;
use self::progress::BatchProgress;
use crate::exit::{Failure, Status};
use crate::output::Output;
use crate::warnings;

/// How often the bar moves while an answer takes long.
const TICK: Duration = Duration::from_millis(200);

/// The file of problems, opened.
pub(crate) struct Problems {
    /// As messages name it; meshes are relative to its folder.
    pub(crate) path: PathBuf,
    bytes: Box<dyn Read + Send>,
    /// In bytes, where it has one that is known.
    pub(crate) length: Option<u64>,
}

impl Problems {
    /// Opens a file, or standard input where it is called `-`.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
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

    /// Its lines, each read when it is asked for, none of which may have more than `longest` bytes.
    pub(crate) fn lines(self, longest: u64) -> Lines<BufReader<Box<dyn Read + Send>>> {
        Lines::new(BufReader::new(self.bytes), &self.path, longest)
    }
}

/// A line answered.
#[derive(Debug)]
pub(crate) struct Answered {
    /// The answer, with its line end.
    pub(crate) text: String,
    /// What kind of answer it is.
    pub(crate) kind: Kind,
    /// Of its meshes, where there are any.
    pub(crate) warnings: Vec<PosedWarnings>,
}

/// What the exit status has to know of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What was asked for.
    Found,
    /// There are no impulses that satisfy all that is asked, or none were found.
    Unsolved,
    /// The line is bad.
    Error,
}

/// An answer, and how many bytes of the file it brings to an end.
pub(crate) type Answer = Result<(Answered, u64), Failure>;

/// Begins to answer lines with several threads, one for each processor where no number is given.
pub(crate) fn answers(
    lines: impl Iterator<Item = chasles_formats::Result<ProblemLine>> + Send + 'static,
    answer: impl Fn(&ProblemLine) -> Answered + Send + Sync + 'static,
    threads: Option<NonZeroUsize>,
) -> Result<InOrder<Answer>, Failure> {
    let work = move |line: chasles_formats::Result<ProblemLine>| {
        line.map(|line| (answer(&line), line.end)).map_err(Failure::from)
    };
    let threads = threads.or_else(|| std::thread::available_parallelism().ok());
    in_order(lines, work, threads.unwrap_or(NonZeroUsize::MIN))
        .map_err(|error| Failure::Bad(format!("cannot start a thread: {error}")))
}

/// Writes answers as their turns come. `length`: that of the file of problems, in bytes, where it has one.
pub(crate) fn write(
    mut answers: InOrder<Answer>,
    output: Output,
    length: Option<u64>,
    warnings: &warnings::Warnings,
) -> Result<Status, Failure> {
    let progress = BatchProgress::new(length, output.is_stdout());
    let mut writer = Writer { output, progress, told: HashSet::new(), warnings, counts: Counts::default() };
    match writer.take_all(&mut answers) {
        Ok(()) => writer.output.finish()?,
        Err(failure) => return Err(writer.output.give_up(failure)),
    }
    writer.counts.sentences().iter().for_each(|told| writer.progress.complain(told));
    Ok(writer.counts.status())
}

/// Opens where answers go: a file, which must not be that of the problems, or standard output.
pub(crate) fn open_output(output: Option<&Path>, problems: &Path) -> Result<Output, Failure> {
    let same = |output: &Path| {
        let [a, b] = [output, problems].map(std::fs::canonicalize);
        a.is_ok_and(|a| b.is_ok_and(|b| a == b))
    };
    match output {
        Some(output) if same(output) => {
            Err(Failure::Bad(format!("{}: is the file of problems, which stays", output.display())))
        }
        output => Output::open(output),
    }
}

/// How many answers there are.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    all: u64,
    errors: u64,
    unsolved: u64,
}

impl Counts {
    fn add(&mut self, kind: Kind) {
        self.all += 1;
        self.errors += u64::from(kind == Kind::Error);
        self.unsolved += u64::from(kind == Kind::Unsolved);
    }

    fn status(self) -> Status {
        match self {
            Self { errors: 1.., .. } => Status::Bad,
            Self { unsolved: 1.., .. } => Status::Unsolvable,
            _ => Status::Fine,
        }
    }

    /// What is to be said at the end about those that are not what was asked for.
    fn sentences(self) -> Vec<String> {
        let Self { all, errors, unsolved } = self;
        let lines = if all == 1 { "line" } else { "lines" };
        let mut sentences = Vec::new();
        if errors > 0 {
            sentences.push(format!("{errors} of {all} {lines} could not be answered: see \"error\" there"));
        }
        if unsolved > 0 {
            sentences.push(format!("{unsolved} of {all} {lines} not solved: see \"why\" there"));
        }
        sentences
    }
}

struct Writer<'a> {
    output: Output,
    progress: BatchProgress,
    /// The files whose warnings were told.
    told: HashSet<PathBuf>,
    warnings: &'a warnings::Warnings,
    counts: Counts,
}

impl Writer<'_> {
    fn take_all(&mut self, answers: &mut InOrder<Answer>) -> Result<(), Failure> {
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

    fn take(&mut self, (answered, end): &(Answered, u64)) -> Result<(), Failure> {
        for (file, warnings) in &answered.warnings {
            if self.told.insert(file.clone()) {
                for warning in warnings.iter() {
                    self.progress.complain(&format!("warning: {warning}"));
                    self.warnings.keep(warning.clone());
                }
            }
        }
        self.counts.add(answered.kind);
        self.progress.answered(*end);
        self.output.line(&answered.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_answer_decides() {
        let of = |kinds: &[Kind]| {
            let mut counts = Counts::default();
            kinds.iter().for_each(|kind| counts.add(*kind));
            (counts.status(), counts.sentences())
        };
        let error = "1 of 3 lines could not be answered: see \"error\" there".to_owned();
        let unsolved = "1 of 3 lines not solved: see \"why\" there".to_owned();
        assert_eq!(of(&[]), (Status::Fine, vec![]));
        assert_eq!(of(&[Kind::Found]), (Status::Fine, vec![]));
        let single = "1 of 1 line not solved: see \"why\" there".to_owned();
        assert_eq!(of(&[Kind::Unsolved]), (Status::Unsolvable, vec![single]));
        let some = [Kind::Found, Kind::Unsolved, Kind::Found];
        assert_eq!(of(&some), (Status::Unsolvable, vec![unsolved.clone()]));
        let all = [Kind::Error, Kind::Unsolved, Kind::Found];
        assert_eq!(of(&all), (Status::Bad, vec![error, unsolved]));
    }
}
