//! A file that is being written, under an unpredictable temporary name. It gets its final name when it is complete,
//! and is removed if the program ends before, normally or by a signal.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// The temporary files that exist.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// An incomplete file; it is removed when dropped.
#[derive(Debug)]
pub(super) struct Unfinished {
    file: NamedTempFile,
    target: PathBuf,
    /// Dropped last.
    _entry: Entry,
}

impl Unfinished {
    /// Creates a temporary file beside its target, with the permissions of an older file.
    pub(super) fn beside(target: PathBuf, replaced: Option<Permissions>) -> io::Result<Self> {
        let Some(name) = target.file_name() else { return Err(io::ErrorKind::InvalidFilename.into()) };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // The system's error message about the folder is clearer than the library's message about a file in it.
        fs::metadata(folder)?;
        let prefix: OsString = [name, ".".as_ref()].into_iter().collect();
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // The permissions of any new file: the system applies the umask.
            builder.permissions(Permissions::from_mode(0o666));
            signals::remove_on(signals::SIGTERM);
            // A program under nohup continues when its terminal closes.
            if signals::ends(signals::SIGHUP) {
                signals::remove_on(signals::SIGHUP);
            }
        }
        // The lock is held until the file is listed, so that no signal can interrupt in between.
        let mut all = unfinished();
        let file = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        all.push(file.path().to_path_buf());
        drop(all);
        let _entry = Entry(file.path().to_path_buf());
        if let Some(replaced) = replaced {
            file.as_file().set_permissions(replaced)?;
        }
        Ok(Self { file, target, _entry })
    }

    /// Renames the file to its target, which replaces an older file.
    pub(super) fn finish(self) -> io::Result<()> {
        // The data must be on the disk before an older file is replaced.
        self.file.as_file().sync_all()?;
        self.file.persist(&self.target).map(|_| ()).map_err(|failed| failed.error)
    }

    /// Keeps the temporary file, and returns its path.
    pub(super) fn keep(mut self) -> PathBuf {
        self.file.disable_cleanup(true);
        self.file.path().to_path_buf()
    }
}

/// An entry in the list of incomplete files, until it is dropped.
#[derive(Debug)]
struct Entry(PathBuf);

impl Drop for Entry {
    fn drop(&mut self) {
        unfinished().retain(|other| *other != self.0);
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

/// Removes all incomplete files, because the program is about to end.
pub(crate) fn remove_all() {
    for file in unfinished().drain(..) {
        // If a file cannot be removed it stays; no reader is left for a message.
        let _ = fs::remove_file(file);
    }
}

/// Makes Ctrl-C end this program at once, as by default, but remove incomplete files first.
pub(crate) fn end_on_interrupt() {
    #[cfg(unix)]
    signals::remove_on(signals::SIGINT);
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    // No code that can panic runs between two consistent states.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod signals {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread;

    pub(super) use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag::register_conditional_default;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// Whether a signal is known to end this program, that is, not ignored.
    pub(super) fn ends(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 0)
    }

    /// Handles a signal from now on: removes files, then does the default action of the signal.
    ///
    /// If the system refuses, incomplete files remain after such a signal; there is no other consequence.
    pub(super) fn remove_on(signal: i32) {
        static MAX_ATTEMPTS: Mutex<Vec<i32>> = Mutex::new(Vec::new());
        let mut taken = MAX_ATTEMPTS.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.contains(&signal) {
            return;
        }
        let Ok(mut signals) = Signals::new([signal]) else { return };
        taken.push(signal);
        let wait = move || {
            if signals.forever().next().is_some() {
                super::remove_all();
                // If even this fails, there is no further fallback.
                let _ = emulate_default_handler(signal);
            }
        };
        if thread::Builder::new().name("signals".into()).spawn(wait).is_err() {
            // Without a waiting thread, the signal ends the program as if no handler had been registered.
            let _ = register_conditional_default(signal, Arc::new(AtomicBool::new(true)));
        }
    }
}
