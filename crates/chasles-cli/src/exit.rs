//! Exit status and failures of a command.

use std::io;
use std::path::Path;

/// The exit status of a command that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// 0: success.
    Fine,
    /// 1: bodies touch, or come within the clearance.
    Contact,
    /// 2: bad input, reported on standard error or in the answers.
    Bad,
    /// 3: it could not be proven whether bodies touch.
    Undecided,
    /// 3: no impulses satisfy all the conditions.
    Unsolvable,
}

impl Status {
    /// The exit code of the process.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Contact => 1,
            Self::Bad => 2,
            Self::Undecided | Self::Unsolvable => 3,
        }
    }
}

/// The reason why a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Bad input, or a file that cannot be read or written: one line for standard error.
    Bad(String),
    /// The reader of standard output has closed the pipe, which is not an error.
    ClosedPipe,
}

impl Failure {
    /// A file that cannot be written.
    pub(crate) fn writing(file: &Path, error: &io::Error) -> Self {
        Self::Bad(format!("{}: cannot be written: {error}", file.display()))
    }

    /// A write to standard output failed.
    pub(crate) fn printing(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Bad(format!("standard output: cannot be written: {error}")),
        }
    }

    /// Adds to the message. A closed pipe has no message.
    pub(crate) fn and(self, more: &str) -> Self {
        match self {
            Self::Bad(message) => Self::Bad(format!("{message}; {more}")),
            Self::ClosedPipe => Self::ClosedPipe,
        }
    }
}

impl From<chasles_formats::Error> for Failure {
    fn from(error: chasles_formats::Error) -> Self {
        Self::Bad(error.to_string())
    }
}
