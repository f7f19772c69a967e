//! Robot paths: microseconds per segment, free and not, for arms among boxes and near a large mesh.
//!
//! `cargo run --release --bin robots -- [--segments N] [--repeats N] [--out DIR]`

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use chasles::{CheckOptions, JointPath, NearestReport, PairVerdict, RobotCell};
use chasles_bench::cases::arm::{Around, arm, cell, segments};
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::{Cell, Report, Table};
use chasles_bench::program::threads::pools;
use chasles_bench::program::timing::{median, of_all_threads, quantile};
use rayon::ThreadPool;
use rayon::prelude::*;

/// The settings of a run.
struct Settings {
    segments: usize,
    repeats: usize,
    out: PathBuf,
}

impl Settings {
    fn parse(mut arguments: BenchArguments) -> Result<Self, String> {
        let settings = Self {
            segments: arguments.value("--segments")?.unwrap_or(1000_usize).max(1),
            repeats: arguments.value("--repeats")?.unwrap_or(3_usize).max(1),
            out: arguments.out(),
        };
        arguments.end()?;
        Ok(settings)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::parse(BenchArguments::here()?)?;
    let pools = pools()?;
    let mut table = Table::new(
        "Segments of robot paths",
        "Each segment is a path of its own; all joints move at once, the fastest by the given angle. *Free*, *meets*: \
            median time of a check on one thread. *Free a second*: free segments, distributed over two threads. \
            *Cores*: processors that this run got.",
        &[
            "cell", "pairs", "free", "meet", "undecided", "free us", "p95", "meets us", "p95",
            "free a second", "cores",
        ],
    );
    for (name, seven, around) in [
        ("six axes, 20 boxes", false, Around::Boxes),
        ("seven axes, 20 boxes", true, Around::Boxes),
        ("six axes, 100,000 triangles", false, Around::Mesh(100_000)),
        ("seven axes, 100,000 triangles", true, Around::Mesh(100_000)),
    ] {
        let cell = cell(arm(seven)?, around, 7)?;
        for turn in [0.1, 0.5, 1.5] {
            let paths = segments(cell.robot(), settings.segments, (turn, 1));
            table.row(&format!("{name}, {turn} rad"), row(&cell, &paths, (&pools, settings.repeats))?);
        }
    }
    let text = format!("minimum of {} runs of a segment, wall time", settings.repeats);
    let settings_of = vec![("times".into(), text), ("segments".into(), settings.segments.to_string())];
    let machine = Machine::here();
    let report = Report { title: "Robots".into(), machine, settings: settings_of, tables: vec![table] };
    Ok(report.publish(&settings.out, "robots")?)
}

fn row(
    cell: &RobotCell,
    paths: &[JointPath],
    (pools, repeats): (&[ThreadPool; 2], usize),
) -> Result<Vec<Cell>, Box<dyn Error>> {
    // A user with thousands of segments does not need the nearest pair of a free segment.
    let options = CheckOptions { naming: NearestReport::Nothing, ..CheckOptions::default() };
    let check = |path: &JointPath| cell.check_path(path, &options, &());
    let (mut free, mut meets, mut undecided, mut pairs) = (Vec::new(), Vec::new(), 0, 0);
    let mut free_paths = Vec::new();
    for path in paths {
        let mut minimum = f64::INFINITY;
        let mut verdict = PairVerdict::Clear;
        for _ in 0..repeats {
            let start = Instant::now();
            let report = pools[0].install(|| check(path))?.report;
            minimum = minimum.min(start.elapsed().as_secs_f64());
            (verdict, pairs) = (report.verdict, report.pairs_tested);
        }
        match verdict {
            PairVerdict::Clear => {
                free.push(minimum);
                free_paths.push(path);
            }
            PairVerdict::Undecided => undecided += 1,
            // A planner has no segments that start in overlap.
            PairVerdict::Overlapping => {}
            _ => meets.push(minimum),
        }
    }
    let (start, had) = (Instant::now(), of_all_threads());
    let clear = pools[1].install(|| free_paths.par_iter().filter(|path| check(path).is_ok()).count());
    let seconds = start.elapsed().as_secs_f64();
    let cores = (of_all_threads() - had) / seconds;
    let time = |times: &[f64], fraction: Option<f64>| match times {
        [] => Cell::Empty,
        _ => Cell::Time(fraction.map_or_else(
            || median(times.iter().copied()),
            |fraction| quantile(times.iter().copied(), fraction),
        )),
    };
    Ok(vec![
        Cell::Count(pairs as u64),
        Cell::Count(free.len() as u64),
        Cell::Count(meets.len() as u64),
        Cell::Count(undecided),
        time(&free, None),
        time(&free, Some(0.95)),
        time(&meets, None),
        time(&meets, Some(0.95)),
        Cell::Count((clear as f64 / seconds) as u64),
        Cell::Ratio(cores),
    ])
}
