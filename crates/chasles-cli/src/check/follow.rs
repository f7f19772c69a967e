//! `--watch`: checks again whenever the scene file, or a mesh that it names, changes.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rayon::ThreadPool;

use super::stop::Stop;
use super::{build, check, read, standing};
use crate::args::CheckArgs;
use crate::complain;
use crate::exit::{Failure, Status};

/// How often the files are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// A file that has changed is read when it has not changed for so long: editors write in several steps.
const SETTLED: Duration = Duration::from_millis(100);

/// Checks until Ctrl-C; then the status is that of the last check. What is wrong with a file is told, and waited out.
pub(super) fn follow(args: &CheckArgs, pool: &ThreadPool) -> Result<Status, Failure> {
    let stop = Stop::install()?;
    loop {
        let mut seen = Seen(vec![]);
        let status = match once(args, &mut seen, (pool, &stop)) {
            Err(Failure::Bad(message)) => {
                complain(&message);
                Status::Bad
            }
            found => found?,
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

/// One check. `seen`: the files as they were before they were read.
fn once(args: &CheckArgs, seen: &mut Seen, (pool, stop): (&ThreadPool, &Stop)) -> Result<Status, Failure> {
    seen.look_at(&args.scene);
    let read = read(args)?;
    read.files[1..].iter().for_each(|file| seen.look_at(file));
    let built = build(args, &read)?;
    match args.at {
        Some(time) => standing::at(args, &built.scene, time, pool),
        None => check(args, &read, &built, (pool, stop)),
    }
}

/// Files, each with what tells one state of it from another; none where it is not there.
struct Seen(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl Seen {
    fn look_at(&mut self, file: &Path) {
        self.0.push((file.to_path_buf(), state(file)));
    }

    fn have_changed(&self) -> bool {
        self.0.iter().any(|(file, seen)| state(file) != *seen)
    }

    /// Waits until nothing changes any more.
    fn settle(&mut self, stop: &Stop) {
        while self.have_changed() && !stop.is_asked() {
            for (file, seen) in &mut self.0 {
                *seen = state(file);
            }
            stop.wait(SETTLED);
        }
    }
}

/// When a file was last written, and its length.
fn state(file: &Path) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
