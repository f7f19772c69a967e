//! Reads files of pair problems line by line, answers them with several threads, and writes the answers in order.
//!
//! ```text
//! progress    a progress bar
//! lines       the lines of the file, one by one
//! in_order    distributes items to threads, and returns the results in order
//! posed       a problem in the form for the engine: two bodies and a screw
//! ```

pub(crate) mod progress;
pub(crate) mod lines;
pub(crate) mod ordered;
pub(crate) mod prepared;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chasles_formats::Error;

use self::lines::{Lines, ProblemLine};
use self::ordered::{InOrder, Next, process_in_order};
use self::prepared::MeshWarnings;
use self::progress::BatchProgress;
use crate::exit::{Failure, Status};
use crate::output::Output;
use crate::warnings;

/// The interval of updates of the progress bar while an answer takes long.
const TICK: Duration = Duration::from_millis(200);

/// The input of problems: path, unread bytes and length.
pub(crate) struct Problems {
    /// The name in messages; paths of meshes are relative to its folder.
    pub(crate) path: PathBuf,
    bytes: Box<dyn Read + Send>,
    /// In bytes, if the length is known.
    pub(crate) length: Option<u64>,
}

impl Problems {
    /// Opens a file, or standard input if the path is `-`.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if path == "-" {
            // Paths of meshes are then relative to the current folder.
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

    /// The lines of the file, read on demand; each may have at most `longest` bytes.
    pub(crate) fn lines(self, longest: u64) -> Lines<BufReader<Box<dyn Read + Send>>> {
        Lines::new(BufReader::new(self.bytes), &self.path, longest)
    }
}

/// An answered line.
#[derive(Debug)]
pub(crate) struct Answered {
    /// The answer, with its line end.
    pub(crate) text: String,
    /// The kind of the answer.
    pub(crate) kind: Kind,
    /// The warnings of its meshes.
    pub(crate) warnings: Vec<MeshWarnings>,
}

/// The kind of an answer, for the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A solution.
    Found,
    /// No impulses satisfy all the conditions, or none were found.
    Unsolved,
    /// The line is invalid.
    Error,
}

/// An answer, and the number of bytes of the file up to the end of its line.
pub(crate) type Answer = Result<(Answered, u64), Failure>;

/// Starts to answer lines with several threads, by default one for each processor.
pub(crate) fn answers(
    lines: impl Iterator<Item = chasles_formats::Result<ProblemLine>> + Send + 'static,
    answer: impl Fn(&ProblemLine) -> Answered + Send + Sync + 'static,
    threads: Option<NonZeroUsize>,
) -> Result<InOrder<Answer>, Failure> {
    let work = move |line: chasles_formats::Result<ProblemLine>| {
        line.map(|line| (answer(&line), line.end)).map_err(Failure::from)
    };
    let threads = threads.or_else(|| std::thread::available_parallelism().ok());
    process_in_order(lines, work, threads.unwrap_or(NonZeroUsize::MIN))
        .map_err(|error| Failure::Bad(format!("cannot start a thread: {error}")))
}

/// Writes answers in order. `length` is the length of the file of problems in bytes, if known.
pub(crate) fn write(
    mut answers: InOrder<Answer>,
    output: Output,
    length: Option<u64>,
    warnings: &warnings::Warnings,
) -> Result<Status, Failure> {
    let progress = BatchProgress::new(length, output.is_stdout());
    let mut writer =
        Writer { output, progress, reported_meshes: HashSet::new(), warnings, counts: Counts::default() };
    match writer.take_all(&mut answers) {
        Ok(()) => writer.output.finish()?,
        Err(failure) => return Err(writer.output.give_up(failure)),
    }
    writer.counts.sentences().iter().for_each(|reported_meshes| writer.progress.complain(reported_meshes));
    Ok(writer.counts.status())
}

/// Opens the output: a file other than the file of problems, or standard output.
pub(crate) fn open_output(output: Option<&Path>, problems: &Path) -> Result<Output, Failure> {
    let same = |output: &Path| {
        let [a, b] = [output, problems].map(std::fs::canonicalize);
        a.is_ok_and(|a| b.is_ok_and(|b| a == b))
    };
    match output {
        Some(output) if same(output) => Err(Failure::Bad(format!(
            "{}: is the file of problems, which is never overwritten",
            output.display()
        ))),
        output => Output::open(output),
    }
}

/// The numbers of answers.
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

    /// Sentences for the end about the answers that failed.
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
    /// The files whose warnings were printed.
    reported_meshes: HashSet<PathBuf>,
    warnings: &'a warnings::Warnings,
    counts: Counts,
}

impl Writer<'_> {
    fn take_all(&mut self, answers: &mut InOrder<Answer>) -> Result<(), Failure> {
        loop {
            let mut next = answers.next_within(Duration::ZERO);
            if matches!(next, Next::Later) {
                // A reader that waits for answers gets all that are available.
                self.output.flush()?;
                self.progress.draw();
                next = answers.next_within(TICK);
            }
            match next {
                Next::Ready(answered) => self.take(&answered?)?,
                Next::Later => {}
                Next::End => return Ok(()),
                Next::Panicked => {
                    // A bug of ours, whose message is on standard error. The answers so far are kept.
                    self.output.flush()?;
                    panic!("a thread that answers problems has panicked");
                }
            }
        }
    }

    fn take(&mut self, (answered, end): &(Answered, u64)) -> Result<(), Failure> {
        for (file, warnings) in &answered.warnings {
            if self.reported_meshes.insert(file.clone()) {
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
