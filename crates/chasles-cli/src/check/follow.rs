//! `--watch`: checks again whenever one of the files it read changes.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::exit::{Failure, Status};
use crate::output::complain;
use crate::stop::Stop;

/// The interval at which files are examined.
const LOOK: Duration = Duration::from_millis(500);

/// A changed file is read only after it was stable for this long, because editors write in several steps.
const SETTLED: Duration = Duration::from_millis(100);

/// Checks until Ctrl-C, and returns the status of the last check. While files are read, Ctrl-C ends the program.
/// Errors in files are printed, and the loop waits for the next change.
///
/// `once` makes one check and records the state of each file before it reads the file.
pub(super) fn follow(
    mut once: impl FnMut(&mut Seen, &Stop) -> Result<Status, Failure>,
) -> Result<Status, Failure> {
    let stop = Stop::install_before_reading()?;
    loop {
        let mut seen = Seen(vec![]);
        stop.read_again();
        let found = once(&mut seen, &stop);
        stop.begin();
        let status = match found {
            Err(Failure::Bad(message)) => {
                complain(&message);
                Status::Bad
            }
            other => other?,
        };
        if !stop.is_asked() {
            let files = if seen.0.len() == 1 { "1 file".into() } else { format!("{} files", seen.0.len()) };
            complain(&format!("watching {files}; Ctrl-C ends"));
        }
        while !seen.have_changed() {
            if stop.is_asked() {
                return Ok(status);
            }
            stop.wait(LOOK);
        }
        seen.settle(&stop);
    }
}

/// Files with their states; `None` for a file that does not exist.
pub(super) struct Seen(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl Seen {
    pub(super) fn look_at(&mut self, file: &Path) {
        self.0.push((file.to_path_buf(), state(file)));
    }

    fn have_changed(&self) -> bool {
        self.0.iter().any(|(file, seen)| state(file) != *seen)
    }

    /// Waits until no file changes any more.
    fn settle(&mut self, stop: &Stop) {
        while self.have_changed() && !stop.is_asked() {
            for (file, seen) in &mut self.0 {
                *seen = state(file);
            }
            stop.wait(SETTLED);
        }
    }
}

/// The modification time of a file, and its length.
fn state(file: &Path) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
