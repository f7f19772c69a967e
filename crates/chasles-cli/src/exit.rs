//! How a command ends.

use std::io;
use std::path::Path;

/// The exit status of a command that did its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// 0: what was asked is answered.
    Fine,
    /// 1: bodies meet, or come within the clearance.
    Contact,
    /// 2: bad input, told on standard error or in the answers.
    Bad,
    /// 3: whether bodies meet could not be proven either way.
    Undecided,
    /// 3: there are no impulses that satisfy all that is asked.
    Unsolvable,
}

impl Status {
    /// What the process ends with.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Contact => 1,
            Self::Bad => 2,
            Self::Undecided | Self::Unsolvable => 3,
        }
    }
}

/// Why a command broke off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Bad input, or a file that cannot be read or written: one line for standard error.
    Bad(String),
    /// Nobody reads standard output any more: no fault of anyone's.
    ClosedPipe,
}

impl Failure {
    /// A file that cannot be written.
    pub(crate) fn writing(file: &Path, error: &io::Error) -> Self {
        Self::Bad(format!("{}: cannot be written: {error}", file.display()))
    }

    /// Standard output that does not take what we write.
    pub(crate) fn printing(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Bad(format!("standard output: cannot be written: {error}")),
        }
    }

    /// The failure with more to say; a closed pipe has nothing to say.
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
