//! The error type of this crate: where an error is, what was found, and what was expected.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::printable::{printable, printable_path};

/// Invalid input: the file, the place in it, what was found there and what was expected.
///
/// Printed on one line, for example `part.obj:12: vertex index 9 out of range: expected 1 to 8`. The text may
/// contain parts of the file, as [`printable`] text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The file with the error.
    pub file: PathBuf,
    /// The place in the file.
    pub place: ErrorLocation,
    /// The found and the expected value, as one sentence without a full stop.
    pub message: String,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorLocation {
    /// The file as a whole (it is missing, empty, of an unknown kind).
    File,
    /// A line, counted from 1.
    Line(usize),
    /// A character of a line, both counted from 1.
    Spot {
        /// The line.
        line: usize,
        /// The character in the line.
        column: usize,
    },
    /// A byte of a binary file, counted from 0.
    Byte(usize),
    /// A key of a structured file, as a dotted path, with its line if known.
    Key {
        /// Dotted path, for example `body "arm".motion.times`.
        path: String,
        /// Line, counted from 1; 0 if unknown.
        line: usize,
    },
}

/// A result of reading or writing a file.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error about a file as a whole.
    #[cold]
    pub fn file(file: &Path, message: impl Into<String>) -> Self {
        Self { file: file.to_path_buf(), place: ErrorLocation::File, message: message.into() }
    }

    /// An error on a line, counted from 1.
    #[cold]
    pub fn line(file: &Path, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_path_buf(), place: ErrorLocation::Line(line), message: message.into() }
    }

    /// An error at a character of a line, both counted from 1.
    #[cold]
    pub fn spot(file: &Path, line: usize, column: usize, message: impl Into<String>) -> Self {
        Self {
            file: file.to_path_buf(),
            place: ErrorLocation::Spot { line, column },
            message: message.into(),
        }
    }

    /// An error at a byte of a binary file, counted from 0.
    #[cold]
    pub fn byte(file: &Path, byte: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_path_buf(), place: ErrorLocation::Byte(byte), message: message.into() }
    }

    /// An error at a key of a structured file; `line` is 0 if unknown.
    #[cold]
    pub fn key(file: &Path, path: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self {
            file: file.to_path_buf(),
            place: ErrorLocation::Key { path: path.into(), line },
            message: message.into(),
        }
    }

    /// An error about a file that could not be opened, read or written.
    #[cold]
    pub fn io(file: &Path, error: &std::io::Error) -> Self {
        Self::file(file, format!("cannot be read: {error}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", printable_path(&self.file))?;
        match &self.place {
            ErrorLocation::File => {}
            ErrorLocation::Line(line) => write!(f, ":{line}")?,
            ErrorLocation::Spot { line, column } => write!(f, ":{line}:{column}")?,
            ErrorLocation::Byte(byte) => write!(f, ": byte {byte}")?,
            ErrorLocation::Key { path, line: 0 } => write!(f, ": {}", printable(path))?,
            ErrorLocation::Key { path, line } => write!(f, ":{line}: {}", printable(path))?,
        }
        write!(f, ": {}", printable(&self.message))
    }
}

impl std::error::Error for Error {}

/// Warnings about ignored or suspicious content of files, one sentence each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Warnings {
    list: Vec<String>,
    omitted: usize,
}

impl Warnings {
    /// A file may cause millions of warnings; only the first are kept.
    const MAX_WARNINGS: usize = 1000;

    /// Adds a warning: a sentence, or an error that describes it.
    pub(crate) fn push(&mut self, warning: impl ToString) {
        if self.list.len() < Self::MAX_WARNINGS {
            self.list.push(warning.to_string());
        } else {
            self.omitted += 1;
        }
    }

    /// Adds several warnings.
    pub(crate) fn extend(&mut self, warnings: impl IntoIterator<Item = impl ToString>) {
        warnings.into_iter().for_each(|warning| self.push(warning));
    }

    /// The kept warnings, and the number of further ones.
    #[must_use]
    pub(crate) fn list(&self) -> Vec<String> {
        let further = (self.omitted > 0).then(|| format!("{} more warnings are left out", self.omitted));
        self.list.iter().cloned().chain(further).collect()
    }
}
