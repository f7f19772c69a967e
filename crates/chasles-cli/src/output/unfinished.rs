//! A file that is being written, under a name of its own that nobody could foresee: it takes its true name when it is whole, and
//! vanishes when the program ends before, by itself or by a signal.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// Those that there are.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is not whole yet; dropped, it is removed.
#[derive(Debug)]
pub(super) struct Unfinished {
    file: NamedTempFile,
    target: PathBuf,
    /// Given up last.
    _entry: Entry,
}

impl Unfinished {
    /// A new file beside the one that it is to replace, with the rights of an older one.
    pub(super) fn beside(target: PathBuf, old: Option<Permissions>) -> io::Result<Self> {
        let Some(name) = target.file_name() else { return Err(io::ErrorKind::InvalidFilename.into()) };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // What the system says of a folder is plainer than what the library says of a file in it.
        fs::metadata(folder)?;
        let prefix: OsString = [name, ".".as_ref()].into_iter().collect();
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // Those of any new file: the system takes away what the user withholds.
            builder.permissions(Permissions::from_mode(0o666));
            signals::remove_on(signals::SIGTERM);
            // A program under nohup continues when its terminal closes.
            if signals::ends(signals::SIGHUP) {
                signals::remove_on(signals::SIGHUP);
            }
        }
        // Held until the file is entered: no signal comes between.
        let mut all = unfinished();
        let file = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        all.push(file.path().to_path_buf());
        drop(all);
        let _entry = Entry(file.path().to_path_buf());
        if let Some(old) = old {
            file.as_file().set_permissions(old)?;
        }
        Ok(Self { file, target, _entry })
    }

    /// Gives the file its name, in place of an older file.
    pub(super) fn finish(self) -> io::Result<()> {
        // On the disk before it replaces an older file.
        self.file.as_file().sync_all()?;
        self.file.persist(&self.target).map(|_| ()).map_err(|failed| failed.error)
    }

    /// Leaves the file where it is, and says where.
    pub(super) fn keep(mut self) -> PathBuf {
        self.file.disable_cleanup(true);
        self.file.path().to_path_buf()
    }
}

/// An entry in the list of files that are not whole, until it is dropped.
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

/// Removes all files that are not whole; the program is to end at once.
pub(crate) fn remove_all() {
    for file in unfinished().drain(..) {
        // Where it cannot be removed it stays: nobody is left to be told.
        let _ = fs::remove_file(file);
    }
}

/// Ctrl-C ends this program at once, as it does where nobody takes it, but removes what is not whole before.
pub(crate) fn end_on_interrupt() {
    #[cfg(unix)]
    signals::remove_on(signals::SIGINT);
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    // Nothing that can panic happens between two consistent states.
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

    /// Whether a signal is known to end this program: it is not ignored.
    pub(super) fn ends(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 0)
    }

    /// Takes a signal from now on; it then does what it would have done.
    ///
    /// Where the system does not grant that, files stay behind after such a signal, and nothing else is amiss.
    pub(super) fn remove_on(signal: i32) {
        static TAKEN: Mutex<Vec<i32>> = Mutex::new(Vec::new());
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.contains(&signal) {
            return;
        }
        let Ok(mut signals) = Signals::new([signal]) else { return };
        taken.push(signal);
        let wait = move || {
            if signals.forever().next().is_some() {
                super::remove_all();
                // Where even that fails there is nothing left to be tried.
                let _ = emulate_default_handler(signal);
            }
        };
        if thread::Builder::new().name("signals".into()).spawn(wait).is_err() {
            // Without a thread to wait for it the signal ends the program as if nothing had been registered.
            let _ = register_conditional_default(signal, Arc::new(AtomicBool::new(true)));
        }
    }
}
