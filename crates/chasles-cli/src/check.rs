//! `chasles check`: which bodies of a scene meet, when and where.

mod table;
mod words;

use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chasles::{CheckOptions, Listed, PairVerdict, Scene};
use chasles_formats::scene_build::{self, BuiltScene};
use chasles_formats::{Error, scene_report};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::CheckArgs;
use crate::exit::{Failure, Status};
use crate::{complain, output};

/// Checks a scene and prints the report.
pub(crate) fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let BuiltScene { scene, warnings } = scene_build::read(&args.scene)?;
    warnings.iter().for_each(|warning| complain(&format!("warning: {warning}")));

    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = args.threads.map(NonZeroUsize::get) {
        pool = pool.num_threads(threads);
    }
    let pool = pool.build().map_err(|error| Failure::Bad(format!("cannot start threads: {error}")))?;
    let listed = if args.all_pairs { Listed::All } else { Listed::NotClear };
    let options = CheckOptions { listed, ..CheckOptions::default() };
    let options = CheckOptions { budget: args.budget.unwrap_or(options.budget), ..options };
    let progress = Progress::new(&scene);
    let checked = pool.install(|| scene.check(&options, &|| progress.one_more()));
    drop(progress);
    let report = checked.map_err(|error| Error::file(&args.scene, error.to_string()))?;

    let text = if args.json {
        scene_report::to_json(&scene, &report)
    } else {
        table::table(&args.scene, &scene, &report)
    };
    output::print(text.as_bytes())?;
    Ok(match report.verdict {
        PairVerdict::Clear => Status::Fine,
        PairVerdict::Contact | PairVerdict::Overlapping => Status::Contact,
        PairVerdict::Undecided => Status::Undecided,
    })
}

/// Work that is done sooner than this shows no bar.
const LONG: Duration = Duration::from_secs(1);

/// A bar on standard error, if that is a terminal and the work is long: how many pairs are done.
struct Progress {
    /// The pairs to be tested; none where no bar is wanted.
    total: Option<u64>,
    begin: Instant,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    fn new(scene: &Scene) -> Self {
        let wanted = io::stderr().is_terminal();
        let total = wanted.then(|| scene.count_tested_pairs() as u64);
        Self { total, begin: Instant::now(), done: AtomicU64::new(0), bar: OnceLock::new() }
    }

    fn one_more(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let Some(total) = self.total else { return };
        if self.begin.elapsed() < LONG {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let bar = ProgressBar::new(total).with_elapsed(self.begin.elapsed());
            match ProgressStyle::with_template("{bar:30} {pos} of {len} pairs, {elapsed}, about {eta} left") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
