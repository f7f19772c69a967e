//! Warnings about the input: printed on standard error, kept for the reports, and errors with `--strict`.

use std::sync::{Mutex, PoisonError};

use crate::exit::{Failure, Status};
use crate::output::complain;
use crate::words::count;

/// Whether warnings are errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WarningMode {
    /// The command continues.
    Printed,
    /// Errors: the exit status is 2.
    Errors,
}

/// The warnings of a run, in the order in which they were found.
#[derive(Debug)]
pub(crate) struct Warnings {
    mode: WarningMode,
    list: Mutex<Vec<String>>,
}

impl Warnings {
    pub(crate) fn new(mode: WarningMode) -> Self {
        Self { mode, list: Mutex::default() }
    }

    /// Prints a warning and keeps it.
    pub(crate) fn add(&self, warning: impl Into<String>) {
        let warning = warning.into();
        complain(&format!("warning: {warning}"));
        self.keep(warning);
    }

    /// Prints several warnings and keeps them.
    pub(crate) fn add_all(&self, warnings: &[String]) {
        warnings.iter().for_each(|warning| self.add(warning));
    }

    /// Keeps a warning that was printed elsewhere.
    pub(crate) fn keep(&self, warning: String) {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).push(warning);
    }

    /// Keeps several warnings that were printed elsewhere.
    pub(crate) fn keep_all(&self, warnings: &[String]) {
        warnings.iter().for_each(|warning| self.keep(warning.clone()));
    }

    /// All warnings of the run until now.
    pub(crate) fn list(&self) -> Vec<String> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Forgets the warnings, because the input is read again.
    pub(crate) fn restart(&self) {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// An error if warnings are errors and there is at least one.
    pub(crate) fn refuse(&self) -> Result<(), Failure> {
        match (self.mode, self.list().len()) {
            (WarningMode::Printed, _) | (_, 0) => Ok(()),
            (WarningMode::Errors, found) => {
                Err(Failure::Bad(format!("--strict: found {}, expected none", count(found, "warning"))))
            }
        }
    }

    /// The exit status: `status`, or an error if warnings are errors and there is at least one.
    pub(crate) fn status_with_warnings(&self, status: Status) -> Result<Status, Failure> {
        self.refuse().map(|()| status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_makes_warnings_errors() {
        for mode in [WarningMode::Printed, WarningMode::Errors] {
            let warnings = Warnings::new(mode);
            assert_eq!(warnings.status_with_warnings(Status::Contact), Ok(Status::Contact));
            warnings.keep("odd".into());
            let expected = Failure::Bad("--strict: found 1 warning, expected none".into());
            assert_eq!(warnings.refuse().err(), (mode == WarningMode::Errors).then_some(expected));
            assert_eq!(warnings.list(), ["odd"]);
            warnings.restart();
            assert_eq!((warnings.list().len(), warnings.refuse()), (0, Ok(())));
        }
    }
}
