//! The moves that were made, and the path that they are.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use chasles::{Robot, Session};
use chasles_formats::robot::joint_path;

/// The record of a robot. It is locked for moments only.
pub(crate) struct Record {
    robot: Robot,
    inner: Mutex<RecordState>,
    /// The record as CSV, and of which change it is.
    csv: Mutex<Option<(u64, Utf8Bytes)>>,
}

struct RecordState {
    /// As in the session: from the first to where the robot is.
    postures: Vec<Vec<f64>>,
    changes: u64,
}

impl Record {
    pub(crate) fn new(session: &Session) -> Self {
        let inner = RecordState { postures: session.postures().to_vec(), changes: 0 };
        Self { robot: session.cell().robot().clone(), inner: Mutex::new(inner), csv: Mutex::new(None) }
    }

    /// The robot has moved, or was refused. The first `kept` postures are as they were.
    pub(crate) fn set(&self, session: &Session, kept: usize) {
        let mut inner = self.lock();
        if kept < inner.postures.len() || kept < session.postures().len() {
            inner.postures.truncate(kept);
            inner.postures.extend_from_slice(&session.postures()[kept..]);
            inner.changes += 1;
        }
    }

    /// All moves as CSV, as `chasles jog` saves them. It may take a moment where there are many.
    ///
    /// # Errors
    /// In a sentence, if a joint has a name that CSV cannot have.
    pub(crate) fn path(&self) -> Result<Utf8Bytes, String> {
        // One at a time; whoever asks next is given the same.
        let mut csv = self.csv.lock().unwrap_or_else(PoisonError::into_inner);
        let (changes, postures) = {
            let inner = self.lock();
            if let Some((changes, text)) = &*csv
                && *changes == inner.changes
            {
                return Ok(text.clone());
            }
            (inner.changes, inner.postures.clone())
        };
        let path = joint_path::from_postures(&self.robot, &postures, Path::new("path.csv"));
        let text: Utf8Bytes = joint_path::to_csv(&path).map_err(|error| error.to_string())?.into();
        *csv = Some((changes, text.clone()));
        Ok(text)
    }

    fn lock(&self) -> MutexGuard<'_, RecordState> {
        // What is written under the lock is whole at any time.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
