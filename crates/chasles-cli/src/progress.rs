//! A progress bar on standard error for long work, if it is a terminal, with an estimate of the remaining time.

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chasles::ProgressMonitor;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use crate::stop::Stop;
use crate::threads;

/// Shorter work shows no bar.
const LONG: Duration = Duration::from_secs(1);

/// The progress of a check, and whether it is to be stopped.
#[derive(Debug)]
pub(crate) struct PairProgress<'a> {
    stop: &'a Stop,
    /// Whether a bar may be shown.
    is_shown: bool,
    start: Instant,
    /// The name of the counted items.
    unit: &'static str,
    /// The number of items: pairs to be tested, or paths.
    total: AtomicU64,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
}

impl<'a> PairProgress<'a> {
    /// The start of a check. The check reports the number of items, and the completed items.
    pub(crate) fn new(stop: &'a Stop, unit: &'static str) -> Self {
        stop.end_reading();
        Self {
            stop,
            unit,
            is_shown: io::stderr().is_terminal(),
            start: Instant::now(),
            total: AtomicU64::new(0),
            done: AtomicU64::new(0),
            bar: OnceLock::new(),
        }
    }

    fn new_bar(&self) -> ProgressBar {
        let bar = ProgressBar::new(self.total.load(Ordering::Relaxed)).with_elapsed(self.start.elapsed());
        // A pair may take long by itself, so the elapsed time is updated.
        if threads::are_granted() {
            bar.enable_steady_tick(LONG);
        }
        let template =
            format!("{{bar:30}} {{pos}} of {{len}} {}, {{elapsed}}, about {{left}} left", self.unit);
        match ProgressStyle::with_template(&template) {
            Ok(style) => bar.with_style(style.with_key("left", write_remaining)),
            Err(_) => bar,
        }
    }
}

/// The remaining time, if the remaining pairs take as long as the completed pairs.
fn write_remaining(state: &ProgressState, text: &mut dyn fmt::Write) {
    let (done, total) = (state.pos() as f64, state.len().unwrap_or(0) as f64);
    let remaining = state.elapsed().as_secs_f64() * (total - done) / done;
    // If the bar cannot be written, the user sees no bar.
    let _ = match Duration::try_from_secs_f64(remaining) {
        Ok(remaining) => write!(text, "{:#}", HumanDuration(remaining)),
        Err(_) => text.write_char('?'),
    };
}

impl ProgressMonitor for PairProgress<'_> {
    fn begin(&self, pairs: usize) {
        self.total.store(pairs as u64, Ordering::Relaxed);
    }

    fn done(&self, pairs: usize) {
        let done = self.done.fetch_add(pairs as u64, Ordering::Relaxed) + pairs as u64;
        if self.is_shown && self.start.elapsed() >= LONG {
            self.bar.get_or_init(|| self.new_bar()).set_position(done);
        }
    }

    fn is_over(&self) -> bool {
        self.stop.is_requested()
    }

    fn is_final(&self) -> bool {
        self.is_over()
    }
}

/// A part of the work, which is stopped together with it but not counted in the bar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a>(pub(crate) &'a PairProgress<'a>);

impl ProgressMonitor for Part<'_> {
    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    fn is_final(&self) -> bool {
        self.0.is_final()
    }
}

impl Drop for PairProgress<'_> {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
