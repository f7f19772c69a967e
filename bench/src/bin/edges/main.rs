//! Edges for planners: microseconds per edge, free and blocked, of a robot among 20 boxes, on one thread, and
//! seconds for a whole roadmap.
//!
//! `cargo run --release --bin edges -- [--robot FILE.urdf --srdf FILE.srdf] [--edges N] [--repeats N] [--cases DIR]
//! [--out DIR]`
//!
//! With `--cases`, writes the edges into a folder for a sampler: see `cases` and `bench/python/planning_edges.py`.
//! `bench/python/planning_edges.py`.

mod cases;

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use chasles::{EdgeChecker, EdgeMemory, EdgeOptions, EdgeOutcome, EdgeWork, Robot};
use chasles_bench::cases::arm::{Around, arm, cell};
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::{Cell, Report, Table};
use chasles_bench::program::threads::pools;
use chasles_bench::program::timing::{median, of_all_threads, once, quantile};
use chasles_formats::robot::urdf::{self, UrdfOptions};
use chasles_testing::Random;

/// Edges grouped by length, in radians over all joints.
const SETS: [Set; 2] = [
    Set { name: "local", length: 0.5, marks: [12e-6, 40e-6] },
    Set { name: "roadmap", length: 2.2, marks: [30e-6, 80e-6] },
];

/// The number of edges of a roadmap, and its target time in seconds.
const ROADMAP: usize = 2000;
const ROADMAP_MARK: f64 = 0.1;

/// The number of joints of a planner: those of the arm, without the gripper.
const JOINTS: usize = 6;

/// The seed of the boxes, and the seed of the edges.
const SEEDS: [u64; 2] = [7, 3];

struct Set {
    name: &'static str,
    length: f64,
    /// The target mean times of free edges and of blocked edges, in seconds.
    marks: [f64; 2],
}

/// The settings of a run.
struct Settings {
    robot: Option<(PathBuf, Option<PathBuf>)>,
    edges: usize,
    repeats: usize,
    cases: Option<PathBuf>,
    out: PathBuf,
}

impl Settings {
    fn parse(mut arguments: BenchArguments) -> Result<Self, String> {
        let [robot, srdf, cases] =
            ["--robot", "--srdf", "--cases"].map(|name| arguments.text(name).map(PathBuf::from));
        if robot.is_none() && srdf.is_some() {
            return Err("--srdf: found no --robot, expected the one that it belongs to".into());
        }
        let settings = Self {
            robot: robot.map(|robot| (robot, srdf)),
            edges: arguments.value("--edges")?.unwrap_or(2000_usize).max(1),
            repeats: arguments.value("--repeats")?.unwrap_or(3_usize).max(1),
            cases,
            out: arguments.out(),
        };
        arguments.end()?;
        Ok(settings)
    }

    /// The robot, and its name in the report.
    fn robot(&self) -> Result<(Robot, String), Box<dyn Error>> {
        let Some((file, srdf)) = &self.robot else {
            return Ok((arm(false)?, "six axes (cases::arm)".into()));
        };
        let read = urdf::read(file, &UrdfOptions { srdf: srdf.clone(), ..UrdfOptions::default() })?;
        Ok((
            Robot::new(read.definition)?,
            file.file_name().map_or_else(String::new, |f| f.display().to_string()),
        ))
    }
}

/// An edge, its outcome, and its shortest time in seconds.
struct EdgeResult {
    from: Vec<f64>,
    to: Vec<f64>,
    outcome: EdgeOutcome,
    seconds: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::parse(BenchArguments::here()?)?;
    let (robot, name) = settings.robot()?;
    let cell = cell(robot, Around::Boxes, SEEDS[0])?;
    let joints: Vec<usize> =
        (0..cell.robot().joints().len()).filter(|j| cell.robot().is_set(*j)).take(JOINTS).collect();
    let start = Instant::now();
    let checker = EdgeChecker::new(&cell, &EdgeOptions { joints, ..EdgeOptions::default() })?;
    let built = start.elapsed().as_secs_f64();

    let [mut times, mut work, mut roadmaps] = tables();
    let mut found = Vec::new();
    for set in &SETS {
        let (queried, done) = query(&checker, set, &settings)?;
        outcome_rows(&mut times, set, &queried);
        work.row(&named(set), work_cells(&done));
        roadmap_rows(&mut roadmaps, set, (&checker, &queried, settings.repeats))?;
        found.push((set.name, queried));
    }
    if let Some(folder) = &settings.cases {
        cases::write(folder, &checker, &found)?;
    }
    let report = Report {
        title: "Edges for planners".into(),
        machine: Machine::here(),
        settings: [
            ("robot", name),
            (
                "standing",
                format!("{} pairs touch that no joint of the planner moves", checker.static_contacts().len()),
            ),
            ("preparing", format!("{:.0} ms of wall time, once", 1e3 * built)),
            ("edges", settings.edges.to_string()),
            ("times", format!("minimum of {} runs of an edge, all edges in turn", settings.repeats)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        tables: vec![times, roadmaps, work],
    };
    Ok(report.publish(&settings.out, "edges")?)
}

fn named(set: &Set) -> String {
    format!("{}, {} rad", set.name, set.length)
}

/// Checks random edges one by one. Also returns their total work.
fn query(
    checker: &EdgeChecker,
    set: &Set,
    settings: &Settings,
) -> Result<(Vec<EdgeResult>, EdgeWork), chasles::Error> {
    let memory = &mut EdgeMemory::default();
    let mut queried = edges(checker, (set.length, settings.edges), memory)?;
    for _ in 0..settings.repeats {
        for EdgeResult { from, to, outcome, seconds } in &mut queried {
            let (found, took) = once(|| checker.check_edge(from, to, memory));
            (*outcome, *seconds) = (found?, seconds.min(took));
        }
    }
    let mut counted = EdgeMemory::default();
    for EdgeResult { from, to, .. } in &queried {
        checker.check_edge(from, to, &mut counted)?;
    }
    Ok((queried, counted.work()))
}

/// Random edges with both ends free.
fn edges(
    checker: &EdgeChecker,
    (length, count): (f64, usize),
    memory: &mut EdgeMemory,
) -> Result<Vec<EdgeResult>, chasles::Error> {
    let random = &mut Random(SEEDS[1]);
    let mut found = Vec::new();
    while found.len() < count {
        let from: Vec<f64> = checker.joints().iter().map(|_| random.within(-3.0, 3.0)).collect();
        let direction: Vec<f64> = from.iter().map(|_| random.within(-1.0, 1.0)).collect();
        let long = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        let to: Vec<f64> = from.iter().zip(&direction).map(|(x, y)| x + y * length / long).collect();
        let mut is_free = |values: &[f64]| {
            checker.check_edge(values, values, memory).map(|outcome| outcome == EdgeOutcome::Free)
        };
        if to.iter().all(|x| x.abs() < 3.1) && is_free(&from)? && is_free(&to)? {
            found.push(EdgeResult { from, to, outcome: EdgeOutcome::Free, seconds: f64::INFINITY });
        }
    }
    Ok(found)
}

/// Adds a row for each outcome.
fn outcome_rows(table: &mut Table, set: &Set, queried: &[EdgeResult]) {
    for (word, mark) in [("free", Some(set.marks[0])), ("blocked", Some(set.marks[1])), ("undecided", None)] {
        let times: Vec<f64> = queried
            .iter()
            .filter(|queried| cases::word(&queried.outcome) == word)
            .map(|queried| queried.seconds)
            .collect();
        let time = |seconds| if times.is_empty() { Cell::Empty } else { Cell::Time(seconds) };
        let quantile = |fraction| quantile(times.iter().copied(), fraction);
        table.row(
            &format!("{}: {word}", named(set)),
            [
                Cell::Count(times.len() as u64),
                time(times.iter().sum::<f64>() / times.len() as f64),
                time(median(times.iter().copied())),
                time(quantile(0.95)),
                time(quantile(1.0)),
                mark.map_or(Cell::Empty, Cell::Time),
            ],
        );
    }
}

fn work_cells(work: &EdgeWork) -> [Cell; 6] {
    let each = |count: u64| Cell::Ratio(count as f64 / work.edges as f64);
    [
        Cell::Count(work.edges),
        Cell::Fraction(work.by_spheres as f64 / work.edges as f64),
        each(work.sphere_tests),
        each(work.pairs),
        each(work.intersection_tests),
        Cell::Count(work.by_path),
    ]
}

/// Adds a row for each number of threads.
fn roadmap_rows(
    table: &mut Table,
    set: &Set,
    (checker, queried, repeats): (&EdgeChecker, &[EdgeResult], usize),
) -> Result<(), Box<dyn Error>> {
    let queried = &queried[..queried.len().min(ROADMAP)];
    let edges: Vec<[&[f64]; 2]> = queried.iter().map(|queried| [&*queried.from, &*queried.to]).collect();
    for pool in pools()? {
        let (mut minimum, mut cores, mut same) = (f64::INFINITY, 0.0, true);
        for _ in 0..repeats {
            let (start, had) = (Instant::now(), of_all_threads());
            let outcomes = pool.install(|| checker.check_edges(&edges))?;
            let seconds = start.elapsed().as_secs_f64();
            if seconds < minimum {
                (minimum, cores) = (seconds, (of_all_threads() - had) / seconds);
            }
            same &= outcomes.iter().eq(queried.iter().map(|queried| &queried.outcome));
        }
        table.row(
            &named(set),
            [
                Cell::Count(pool.current_num_threads() as u64),
                Cell::Count(edges.len() as u64),
                Cell::Time(minimum),
                Cell::Time(minimum / edges.len() as f64),
                Cell::Ratio(cores),
                Cell::from(if same { "yes" } else { "NO" }),
                Cell::Time(ROADMAP_MARK),
            ],
        );
    }
    Ok(())
}

fn tables() -> [Table; 3] {
    let times = Table::new(
        "Time of an edge",
        "Straight lines in joint space between two configurations, with all joints moving; the length is the square \
            root of the sum of the joints' squared rotations. Both ends are free, as in a planner. \
            `EdgeChecker::check_edge` on one thread with warm memory: *free* is proven along the whole edge, \
            *blocked* ends at the first contact that is proven, which need not be the earliest. *Mark*: the target \
            for the mean.",
        &["edges", "how many", "mean", "median", "p95", "longest", "mark"],
    );
    let roadmaps = Table::new(
        "A whole roadmap",
        "`EdgeChecker::check_edges` on the first 2,000 edges of a set at once, free and blocked; wall time, minimum \
            of the runs, each with new memory. *Cores*: processors that the run got. *Same*: the answers equal the \
            answers of single calls.",
        &["edges", "threads", "how many", "time", "an edge", "cores", "same", "mark"],
    );
    let work = Table::new(
        "Work of an edge",
        "The checker's own counters. *By balls*: edges that balls alone prove free. *Balls*: tested pairs of a ball \
            with a box or another ball. *Pairs*: pairs of shapes that balls did not separate, tested by their \
            triangles. *Looks*: tests whether two shapes intersect at one time. *By path*: pairs so close that the \
            check of whole paths has to decide.",
        &["edges", "how many", "by balls", "balls an edge", "pairs an edge", "looks an edge", "by path"],
    );
    [times, work, roadmaps]
}
