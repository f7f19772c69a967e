//! Outputs: standard output, or a file that appears only when it is complete. Messages go to standard error.

pub(crate) mod unfinished;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use chasles_formats::printable::printable;

use self::unfinished::Unfinished;
use crate::exit::Failure;

/// Size of the buffer in bytes, if no reader waits for the output.
const ENOUGH: usize = 32 * 1024;

/// Buffers whole lines and writes them as whole lines.
///
/// The lines of a file are written to a temporary file beside it, which is renamed at the end. An interrupted run
/// leaves an older file unchanged, and no temporary file.
#[derive(Debug)]
pub(crate) struct Output {
    sink: Sink,
    pending: Vec<u8>,
}

#[derive(Debug)]
enum Sink {
    Stdout(io::Stdout),
    /// A device or named pipe, which cannot be replaced by a file; or a file that grows.
    Stream(File, PathBuf),
    File {
        file: Unfinished,
        path: PathBuf,
        content: Content,
    },
}

/// The content of an incomplete file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Nothing,
    Lines,
    /// A write was incomplete.
    Broken,
}

impl Output {
    /// Opens a file, or standard output if there is no path or the path is `-`.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let sink = match path {
            Some(path) if path != "-" => Sink::at(path).map_err(|error| Failure::writing(path, &error))?,
            _ => Sink::Stdout(io::stdout()),
        };
        Ok(Self { sink, pending: Vec::new() })
    }

    /// As [`open`](Self::open), but lines appear in the file as soon as they are flushed. The file has its final
    /// name at once, so an older file is lost.
    pub(crate) fn growing(path: &Path) -> Result<Self, Failure> {
        if path == "-" {
            return Self::open(None);
        }
        let file = File::create(path).map_err(|error| Failure::writing(path, &error))?;
        Ok(Self { sink: Sink::Stream(file, path.to_path_buf()), pending: Vec::new() })
    }

    /// As [`growing`](Self::growing), for a file that starts with the lines `prefix`. An older file is replaced
    /// after these lines were written completely, so they may come from that file.
    pub(crate) fn continued(path: &Path, prefix: &[u8]) -> Result<Self, Failure> {
        let mut output = Self::open(Some(path))?;
        output.bytes(prefix)?;
        output.flush()?;
        let sink = match output.sink {
            Sink::File { file, path, .. } => {
                let appending = file.finish().and_then(|()| File::options().append(true).open(&path));
                Sink::Stream(appending.map_err(|error| Failure::writing(&path, &error))?, path)
            }
            sink => sink,
        };
        Ok(Self { sink, pending: Vec::new() })
    }

    /// Whether the lines go to standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.sink, Sink::Stdout(_))
    }

    /// Takes a line with its end. The line may be written later: see [`Output::flush`].
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.bytes(line.as_bytes())
    }

    /// Takes bytes that need not be lines.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() < ENOUGH { Ok(()) } else { self.flush() }
    }

    /// Writes all buffered lines.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let lines = std::mem::take(&mut self.pending);
        match &mut self.sink {
            Sink::Stdout(stdout) => print_to(stdout, &lines),
            Sink::Stream(file, path) => {
                file.write_all(&lines).map_err(|error| Failure::writing(path, &error))
            }
            Sink::File { file, path, content } => {
                let written = file.write_all(&lines);
                *content = if written.is_ok() { Content::Lines } else { Content::Broken };
                written.map_err(|error| Failure::writing(path, &error))
            }
        }
    }

    /// Writes the rest and gives the file its name.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        match self.sink {
            Sink::File { file, path, .. } => file.finish().map_err(|error| Failure::writing(&path, &error)),
            Sink::Stdout(_) | Sink::Stream(..) => Ok(()),
        }
    }

    /// Ends a failed run. Complete lines are kept, and the failure names their file.
    pub(crate) fn give_up(mut self, failure: Failure) -> Failure {
        let flushed = self.flush();
        match self.sink {
            Sink::File { file, content: Content::Lines, .. } if flushed.is_ok() => {
                failure.and(&format!("the answers so far are in {}", file.keep().display()))
            }
            _ => failure,
        }
    }
}

impl Sink {
    fn at(path: &Path) -> io::Result<Self> {
        // For a symbolic link, the linked file is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let old = fs::metadata(&target).ok();
        if old.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return Ok(Self::Stream(File::options().write(true).open(&target)?, target));
        }
        let file = Unfinished::beside(target, old.map(|old| old.permissions()))?;
        Ok(Self::File { file, path: path.to_path_buf(), content: Content::Nothing })
    }
}

/// Prints on standard output.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    print_to(&mut io::stdout(), bytes)
}

fn print_to(stdout: &mut io::Stdout, bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = stdout.lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|error| Failure::printing(&error))
}

/// Prints a message on standard error, on one line. Errors are ignored: if standard error is closed, there is no
/// reader.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "chasles: {}", printable(message));
}

/// Whether two paths name the same file, which need not exist.
pub(crate) fn same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
    place(a).is_ok_and(|a| place(b).is_ok_and(|b| a == b))
}
