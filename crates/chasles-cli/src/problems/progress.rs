//! A bar on standard error while a long batch runs: only on a terminal, only where it disturbs no answers.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output::complain;

/// Work that is done sooner than this shows no bar.
const LONG: Duration = Duration::from_secs(1);

/// How far a batch is, by the bytes of its file that are answered.
#[derive(Debug)]
pub(crate) struct BatchProgress {
    /// Whether a bar may be shown at all.
    wanted: bool,
    begin: Instant,
    /// Length of the file of problems, in bytes, where it has one.
    total: Option<u64>,
    bytes: u64,
    answers: u64,
    bar: Option<ProgressBar>,
}

impl BatchProgress {
    /// Nothing is answered yet of `total` bytes. `answers_printed`: standard output takes the answers.
    pub(crate) fn new(total: Option<u64>, answers_printed: bool) -> Self {
        let disturbs = answers_printed && io::stdout().is_terminal();
        Self {
            wanted: io::stderr().is_terminal() && !disturbs,
            begin: Instant::now(),
            total,
            bytes: 0,
            answers: 0,
            bar: None,
        }
    }

    /// One more answer, which brings the file to `bytes`.
    pub(crate) fn answered(&mut self, bytes: u64) {
        self.answers += 1;
        self.bytes = bytes;
    }

    /// Shows how far the work is, if it takes long.
    pub(crate) fn draw(&mut self) {
        if !self.wanted || self.begin.elapsed() < LONG {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| new_bar(self.total).with_elapsed(self.begin.elapsed()));
        bar.set_message(format!("{} answered", self.answers));
        bar.set_position(self.bytes);
    }

    /// Tells the user something without breaking the bar.
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
