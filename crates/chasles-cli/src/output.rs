//! Where answers go: standard output, or a file that is there only when it is whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::exit::Failure;

/// Bytes that are gathered before they are written, where nobody waits for them.
const ENOUGH: usize = 32 * 1024;

/// Takes whole lines and hands them on as whole lines.
///
/// The lines for a file are written beside it, to `<file>.part`, which takes the file's name at the end. A run that is
/// stopped leaves the lines that are done in `<file>.part`, and an older file as it was.
#[derive(Debug)]
pub(crate) struct Output {
    sink: Sink,
    pending: Vec<u8>,
}

#[derive(Debug)]
enum Sink {
    Stdout(io::Stdout),
    /// A device or a named pipe, which cannot be replaced by a file.
    Stream(File, PathBuf),
    Part {
        file: File,
        part: PathBuf,
        target: PathBuf,
        empty: bool,
    },
}

impl Output {
    /// Opens a file for answers, or standard output where none is named or it is called `-`.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let sink = match path {
            Some(path) if path != "-" => Sink::at(path).map_err(|error| Failure::writing(path, &error))?,
            _ => Sink::Stdout(io::stdout()),
        };
        Ok(Self { sink, pending: Vec::new() })
    }

    /// Whether standard output takes the lines.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.sink, Sink::Stdout(_))
    }

    /// Takes a line with its end. It may be written later: see [`Output::flush`].
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.bytes(line.as_bytes())
    }

    /// Takes what need not be lines.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() < ENOUGH { Ok(()) } else { self.flush() }
    }

    /// Writes all lines taken so far.
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
            Sink::Part { file, part, empty, .. } => {
                *empty = false;
                file.write_all(&lines).map_err(|error| Failure::writing(part, &error))
            }
        }
    }

    /// Writes what is left and gives the file its name.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        if let Sink::Part { file, part, target, .. } = self.sink {
            // On the disk before it replaces an older file.
            file.sync_all().map_err(|error| Failure::writing(&part, &error))?;
            drop(file);
            fs::rename(&part, &target).map_err(|error| Failure::writing(&target, &error))?;
        }
        Ok(())
    }

    /// Ends a run that broke off: writes what is left, and says with the failure where that is.
    pub(crate) fn give_up(mut self, failure: Failure) -> Failure {
        let flushed = self.flush();
        match self.sink {
            Sink::Part { part, empty: true, .. } => {
                // Nothing to keep; where it cannot be removed an empty file remains.
                let _ = fs::remove_file(part);
                failure
            }
            Sink::Part { part, .. } if flushed.is_ok() => {
                failure.and(&format!("the answers so far are in {}", part.display()))
            }
            _ => failure,
        }
    }
}

impl Sink {
    fn at(path: &Path) -> io::Result<Self> {
        // Behind a link the file itself is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let old = fs::metadata(&target).ok();
        if old.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return Ok(Self::Stream(File::options().write(true).open(&target)?, target));
        }
        let Some(name) = target.file_name() else { return Err(io::ErrorKind::InvalidFilename.into()) };
        let part = target.with_file_name([name, ".part".as_ref()].into_iter().collect::<OsString>());
        let file = File::create(&part)?;
        if let Some(old) = old {
            fs::set_permissions(&part, old.permissions())?;
        }
        Ok(Self::Part { file, part, target, empty: true })
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
