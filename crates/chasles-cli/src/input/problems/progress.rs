//! A progress bar on standard error for a long batch: only on a terminal, and only if no answers are printed there.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output::complain;

/// Shorter work shows no bar.
const LONG: Duration = Duration::from_secs(1);

/// The progress of a batch, in bytes of its file.
#[derive(Debug)]
pub(crate) struct BatchProgress {
    /// Whether a bar may be shown.
    is_shown: bool,
    start: Instant,
    /// The length of the file of problems, in bytes, if known.
    total: Option<u64>,
    bytes: u64,
    answers: u64,
    bar: Option<ProgressBar>,
}

impl BatchProgress {
    /// The start of a batch of `total` bytes. `answers_printed`: the answers go to standard output.
    pub(crate) fn new(total: Option<u64>, answers_printed: bool) -> Self {
        let disturbs = answers_printed && io::stdout().is_terminal();
        Self {
            is_shown: io::stderr().is_terminal() && !disturbs,
            start: Instant::now(),
            total,
            bytes: 0,
            answers: 0,
            bar: None,
        }
    }

    /// Adds an answer; `bytes` is the number of bytes of the file up to its line.
    pub(crate) fn answered(&mut self, bytes: u64) {
        self.answers += 1;
        self.bytes = bytes;
    }

    /// Draws the bar, if the work takes long.
    pub(crate) fn draw(&mut self) {
        if !self.is_shown || self.start.elapsed() < LONG {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| new_bar(self.total).with_elapsed(self.start.elapsed()));
        bar.set_message(format!("{} answered", self.answers));
        bar.set_position(self.bytes);
    }

    /// Prints a message without breaking the bar.
    pub(crate) fn complain(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| complain(message)),
            None => complain(message),
        }
    }
}

impl Drop for BatchProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => {
            (ProgressBar::new(total), "{bar:30} {percent:>3} %  {msg}, {elapsed}, about {eta} left")
        }
        None => (ProgressBar::new_spinner(), "{spinner} {msg}, {elapsed}"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
