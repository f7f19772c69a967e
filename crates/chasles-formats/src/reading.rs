//! Limits for all readers, set by the program or for one call: allowed folders, and memory.

use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::{Error, Result};
use crate::printable::printable_path;

/// Limits of all readers.
///
/// ```
/// use chasles_formats::reading::{ReadLimits, with_read_limits};
/// let folder = std::env::temp_dir();
/// let limits = ReadLimits { folders: ReadLimits::resolved(&[folder])?, ..ReadLimits::default() };
/// let read = with_read_limits(limits, || chasles_formats::scene::file::read("/etc/passwd".as_ref()));
/// assert!(read.unwrap_err().message.starts_with("lies outside "));
/// # Ok::<(), chasles_formats::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadLimits {
    /// Files must lie in one of these folders after links are resolved; [`ReadLimits::resolved`] makes such paths.
    /// If the list is empty, files may lie anywhere.
    pub folders: Vec<PathBuf>,
    /// Maximum memory in bytes for the files of one scene or world, their unpacked text and their parse trees.
    /// Triangles, points and samples have separate limits.
    pub memory: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { folders: Vec::new(), memory: 512 << 20 }
    }
}

impl ReadLimits {
    /// The absolute paths of folders, with links resolved.
    ///
    /// # Errors
    /// The path is not an existing folder.
    pub fn resolved(folders: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let resolve = |folder: &PathBuf| {
            let absolute_path = std::fs::canonicalize(folder).map_err(|error| Error::io(folder, &error))?;
            if absolute_path.is_dir() {
                Ok(absolute_path)
            } else {
                Err(Error::file(folder, "found a file, expected a folder"))
            }
        };
        folders.iter().map(resolve).collect()
    }

    /// Checks that a file, or its folder if the file is missing, lies in one of the folders.
    ///
    /// # Errors
    /// It lies outside.
    pub fn check(&self, path: &Path) -> Result<()> {
        if self.folders.is_empty() {
            return Ok(());
        }
        // The parent folder decides for a missing file, so messages do not reveal which files exist elsewhere.
        let here = |path: &Path| path.as_os_str().is_empty();
        let mut above = path.ancestors().map(|path| if here(path) { Path::new(".") } else { path });
        let found = above.find_map(|path| std::fs::canonicalize(path).ok());
        if found
            .is_some_and(|absolute_path| self.folders.iter().any(|folder| absolute_path.starts_with(folder)))
        {
            return Ok(());
        }
        let folders: Vec<String> =
            self.folders.iter().map(|folder| printable_path(folder).to_string()).collect();
        Err(Error::file(
            path,
            format!("lies outside {}, and reading is confined to it (--confine)", folders.join(" and ")),
        ))
    }
}

static OF_PROCESS: RwLock<Option<Arc<ReadLimits>>> = RwLock::new(None);

thread_local! {
    static OF_CALL: RefCell<Option<Arc<ReadLimits>>> = const { RefCell::new(None) };
}

/// Sets the limits of all readers of the process, in place of earlier ones.
pub fn set_read_limits(limits: ReadLimits) {
    *OF_PROCESS.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(limits));
}

/// Restores the earlier limits of a thread, also after a panic.
struct Restored(Option<Arc<ReadLimits>>);

impl Drop for Restored {
    fn drop(&mut self) {
        OF_CALL.set(self.0.take());
    }
}

/// Calls a function; these limits hold for all files that it reads on this thread.
pub fn with_read_limits<T>(limits: ReadLimits, call: impl FnOnce() -> T) -> T {
    let _restored = Restored(OF_CALL.replace(Some(Arc::new(limits))));
    call()
}

/// The limits of this thread.
fn current() -> Arc<ReadLimits> {
    let of_process = || OF_PROCESS.read().unwrap_or_else(PoisonError::into_inner).clone();
    OF_CALL.with_borrow(Option::clone).or_else(of_process).unwrap_or_default()
}

/// Opens a file, if reading it is allowed.
pub(crate) fn open(path: &Path) -> Result<File> {
    File::open(allowed(path)?).map_err(|error| Error::io(path, &error))
}

/// The path to open for a file, if reading it is allowed.
pub(crate) fn allowed(path: &Path) -> Result<PathBuf> {
    let limits = current();
    if limits.folders.is_empty() {
        return Ok(path.to_path_buf());
    }
    limits.check(path)?;
    let absolute_path = std::fs::canonicalize(path).map_err(|error| Error::io(path, &error))?;
    // A link may have changed since; the checked path is opened.
    limits.check(&absolute_path)?;
    Ok(absolute_path)
}

/// The maximum memory for files on this thread, in bytes.
pub(crate) fn memory() -> u64 {
    current().memory
}

/// Checks the memory of the files of a world against the limit.
///
/// # Errors
/// A message with both values.
pub(crate) fn check_limit(bytes: u64) -> std::result::Result<(), String> {
    let maximum = memory();
    if bytes <= maximum {
        return Ok(());
    }
    let [found, maximum] = [bytes, maximum].map(|bytes| bytes.div_ceil(1 << 20));
    Err(format!("takes {found} megabytes of memory to read, expected at most {maximum} (--memory)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_outside_the_folders_are_refused_whether_they_exist_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(inside.join("a.txt"), "a").unwrap();
        std::fs::write(folder.path().join("secret.txt"), "b").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret.txt"), inside.join("link.txt")).unwrap();
        let folders = ReadLimits::resolved(std::slice::from_ref(&inside)).unwrap();
        let limits = ReadLimits { folders, ..ReadLimits::default() };
        let refusal = |name: &str| {
            with_read_limits(limits.clone(), || open(&inside.join(name))).map_err(|error| error.message)
        };
        assert!(refusal("a.txt").is_ok() && refusal("./a.txt").is_ok() && refusal("../inside/a.txt").is_ok());
        for outside in ["link.txt", "../secret.txt", "../missing.txt", "/etc/passwd", "/missing/file"] {
            let message = refusal(outside).unwrap_err();
            assert!(message.starts_with("lies outside "), "{outside}: {message}");
        }
        assert!(refusal("missing.txt").unwrap_err().starts_with("cannot be read: "));
        // A relative name in the current folder.
        let here = with_read_limits(limits, || open("Cargo.toml".as_ref())).map_err(|error| error.message);
        assert!(here.unwrap_err().starts_with("lies outside "));
        assert!(open(&inside.join("link.txt")).is_ok());
        assert!(ReadLimits::resolved(&[inside.join("a.txt")]).is_err());
    }

    #[test]
    fn limits_end_with_their_call() {
        let limits = ReadLimits { memory: 10, ..ReadLimits::default() };
        let inner = || with_read_limits(ReadLimits { memory: 20, ..limits.clone() }, || check_limit(15));
        let (within, after) = with_read_limits(limits.clone(), || (inner(), check_limit(15)));
        assert!(within.is_ok() && after.is_err() && check_limit(15).is_ok());
        let panicked =
            std::panic::catch_unwind(|| with_read_limits(limits.clone(), || panic!("as it should")));
        assert!(panicked.is_err() && check_limit(15).is_ok());
    }

    /// No reader opens files in any other way.
    #[test]
    fn files_are_opened_only_in_this_module() {
        let mut folders = vec![PathBuf::from("src")];
        let mut files_checked = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let source = text.split("#[cfg(test)]").next().unwrap();
                let is_test = path.ends_with("tests.rs") || path.ends_with("reading.rs");
                for function_name in ["File::open", "fs::read", "OpenOptions"] {
                    assert!(
                        is_test || !source.contains(function_name),
                        "{function_name} in {}",
                        path.display()
                    );
                }
                files_checked += 1;
            }
        }
        assert!(files_checked > 100, "{files_checked}");
    }
}
