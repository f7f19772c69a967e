//! `--watch`: checks again whenever one of the files it read changes.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::exit::{Failure, Status};
use crate::output::complain;
use crate::stop::Stop;

/// The interval at which files are examined.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// A changed file is read only after it was stable for this long, because editors write in several steps.
const SETTLE_TIME: Duration = Duration::from_millis(100);

/// Checks until Ctrl-C, and returns the status of the last check. While files are read, Ctrl-C ends the program.
/// Errors in files are printed, and the loop waits for the next change.
///
/// `once` makes one check and records the state of each file before it reads the file.
pub(super) fn watch(
    mut once: impl FnMut(&mut WatchedFiles, &Stop) -> Result<Status, Failure>,
) -> Result<Status, Failure> {
    let stop = Stop::install_before_reading()?;
    loop {
        let mut watched = WatchedFiles(vec![]);
        stop.start_reading();
        let found = once(&mut watched, &stop);
        stop.end_reading();
        let status = match found {
            Err(Failure::Bad(message)) => {
                complain(&message);
                Status::Bad
            }
            other => other?,
        };
        if !stop.is_requested() {
            let files =
                if watched.0.len() == 1 { "1 file".into() } else { format!("{} files", watched.0.len()) };
            complain(&format!("watching {files}; Ctrl-C ends"));
        }
        while !watched.have_changed() {
            if stop.is_requested() {
                return Ok(status);
            }
            stop.wait(POLL_INTERVAL);
        }
        watched.settle(&stop);
    }
}

/// Files with their states; `None` for a file that does not exist.
pub(super) struct WatchedFiles(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl WatchedFiles {
    pub(super) fn add_file(&mut self, file: &Path) {
        self.0.push((file.to_path_buf(), state(file)));
    }

    fn have_changed(&self) -> bool {
        self.0.iter().any(|(file, watched)| state(file) != *watched)
    }

    /// Waits until no file changes any more.
    fn settle(&mut self, stop: &Stop) {
        while self.have_changed() && !stop.is_requested() {
            for (file, watched) in &mut self.0 {
                *watched = state(file);
            }
            stop.wait(SETTLE_TIME);
        }
    }
}

/// The modification time of a file, and its length.
fn state(file: &Path) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
