//! The recorded moves, and the path that they form.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use chasles::{Robot, Session};
use chasles_formats::robot::joint_path;

/// The record of a robot. Its lock is held only briefly.
pub(crate) struct Record {
    robot: Robot,
    inner: Mutex<RecordState>,
    /// The record as CSV, with the number of the change that it belongs to.
    csv: Mutex<Option<(u64, Utf8Bytes)>>,
}

struct RecordState {
    /// As in the session: all configurations from the first to the current one.
    configurations: Vec<Vec<f64>>,
    changes: u64,
}

impl Record {
    pub(crate) fn new(session: &Session) -> Self {
        let inner = RecordState { configurations: session.configurations().to_vec(), changes: 0 };
        Self { robot: session.cell().robot().clone(), inner: Mutex::new(inner), csv: Mutex::new(None) }
    }

    /// Updates the record after a move or a refusal. The first `kept` configurations are unchanged.
    pub(crate) fn set(&self, session: &Session, kept: usize) {
        let mut inner = self.lock();
        if kept < inner.configurations.len() || kept < session.configurations().len() {
            inner.configurations.truncate(kept);
            inner.configurations.extend_from_slice(&session.configurations()[kept..]);
            inner.changes += 1;
        }
    }

    /// Returns all moves as CSV, in the format that `chasles jog` saves. This may take a moment for many moves.
    ///
    /// # Errors
    /// A message, if a joint has a name that CSV cannot represent.
    pub(crate) fn path(&self) -> Result<Utf8Bytes, String> {
        // One computation at a time; a second caller gets the same text.
        let mut csv = self.csv.lock().unwrap_or_else(PoisonError::into_inner);
        let (changes, configurations) = {
            let inner = self.lock();
            if let Some((changes, text)) = &*csv
                && *changes == inner.changes
            {
                return Ok(text.clone());
            }
            (inner.changes, inner.configurations.clone())
        };
        let path = joint_path::from_configurations(&self.robot, &configurations, Path::new("path.csv"));
        let text: Utf8Bytes = joint_path::to_csv(&path).map_err(|error| error.to_string())?.into();
        *csv = Some((changes, text.clone()));
        Ok(text)
    }

    fn lock(&self) -> MutexGuard<'_, RecordState> {
        // Data under the lock is consistent at any time, so a poisoned lock may be used.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
