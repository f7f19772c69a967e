//! Status codes, the message of the last error, the version; and the boundary that no panic crosses.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The version of this interface. It changes when a function, a struct or a constant of this header changes its meaning
/// or its layout. A program may compare it with `chasles_interface_version()`, the version of the library at run time.
pub const CHASLES_INTERFACE_VERSION: u32 = 1;

/// The result of a call. All codes but `CHASLES_STATUS_OK` leave a message in `chasles_last_error()`.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The call succeeded.
    Ok = 0,
    /// An argument is invalid: a NULL, a count, a number. No result was computed.
    Argument = 1,
    /// A file cannot be read, or its content is invalid.
    File = 2,
    /// A fault of Chasles itself. Please report it, with the message. Handles stay valid.
    Internal = 3,
}

/// The reason why a call failed.
pub(crate) struct Failure {
    status: Status,
    message: String,
}

impl Failure {
    /// An invalid argument.
    #[cold]
    pub(crate) fn argument(place: impl Display, message: impl Display) -> Self {
        Self { status: Status::Argument, message: format!("{place}: {message}") }
    }

    /// The engine's error about an argument.
    #[cold]
    pub(crate) fn engine(place: impl Display, error: &chasles::Error) -> Self {
        Self::argument(place, error)
    }
}

impl From<chasles_formats::Error> for Failure {
    #[cold]
    fn from(error: chasles_formats::Error) -> Self {
        Self { status: Status::File, message: error.to_string() }
    }
}

thread_local! {
    /// The message of the last failed call of this thread.
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Runs the work of a call, and converts failures and panics to codes with messages.
pub(crate) fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> Status {
    // A panic may leave data half done. All such data is dropped, except handles, which no call changes.
    let Failure { status, message } = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return Status::Ok,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Failure { status: Status::Internal, message: format!("a fault of Chasles: {text}") }
        }
    };
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    // While the thread is ending, as in the destructor of a thread-local variable, the message may have no place
    // any more.
    let _ = LAST_ERROR.try_with(|last| last.replace(message));
    status
}

/// As [`guarded`], for calls that return their result. A failed call returns `otherwise`.
pub(crate) fn guarded_or<T>(otherwise: T, work: impl FnOnce() -> Result<T, Failure>) -> T {
    let mut found = otherwise;
    guarded(|| {
        found = work()?;
        Ok(())
    });
    found
}

/// The message of the last failed call of this thread, in UTF-8: what was wrong, where, what was found and what was
/// expected. Empty if no call has failed. It stays valid and unchanged until another call of this thread fails.
/// Never NULL; do not free it.
///
/// Threads: each has its own message.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_last_error() -> *const c_char {
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// The version of the library, such as `0.1.0`. Do not free it.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

/// The `CHASLES_INTERFACE_VERSION` of the library at run time.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_interface_version() -> u32 {
    CHASLES_INTERFACE_VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        LAST_ERROR.with_borrow(|last| last.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_panic_becomes_a_code_and_a_message() {
        assert_eq!(last(), "");
        assert_eq!(guarded(|| panic!("seven of {}", 9)), Status::Internal);
        assert_eq!(last(), "a fault of Chasles: seven of 9");
        assert_eq!(guarded(|| panic!("plain")), Status::Internal);
        assert_eq!(last(), "a fault of Chasles: plain");
        // Success leaves the message unchanged; another thread has no message.
        assert_eq!(guarded(|| Ok(())), Status::Ok);
        assert_eq!(last(), "a fault of Chasles: plain");
        assert_eq!(std::thread::spawn(last).join().unwrap(), "");
    }

    #[test]
    fn a_panic_of_another_thread_of_the_pool_becomes_a_code_too() {
        let everywhere = || rayon::join(|| panic!("there"), || ());
        let status = guarded(|| {
            everywhere();
            Ok(())
        });
        assert_eq!((status, last()), (Status::Internal, "a fault of Chasles: there".into()));
    }

    #[test]
    fn zero_bytes_do_not_end_a_message() {
        let failed = guarded(|| Err(Failure::argument("here", "found \0, expected none")));
        assert_eq!((failed, last()), (Status::Argument, "here: found  , expected none".into()));
        assert_eq!(guarded_or(7, || Err(Failure::argument("there", "found nothing"))), 7);
        assert_eq!(guarded_or(7, || Ok(8)), 8);
        assert_eq!(last(), "there: found nothing");
    }
}
