//! Edges of a planner: compares `Robot.check_edges` with the engine's checker.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use chasles::{EdgeChecker, EdgeMemory, EdgeOptions, EdgeOutcome, Robot};
use chasles_bench::program::table::{Cell, Table};
use chasles_bench::program::timing::median;
use chasles_formats::robot::cell::{self, CellOptions};
use chasles_formats::robot::urdf::{self, UrdfOptions};
use chasles_testing::Random;

use crate::calls::yes_or_no;
use crate::questions::write_numbers;
use crate::settings::{Settings, in_turn, minimum};

/// The maximum ratio of Python's time to the engine's.
const MARK: f64 = 1.02;

/// The minimum duration of one measurement, in seconds; it has as many calls as needed.
const ENOUGH: f64 = 0.3;

const SEED: u64 = 5;

/// The straight line from one configuration to another.
type Edge = [Vec<f64>; 2];

/// Returns the engine's checker and random edges, which are also written to a folder for Python.
pub(crate) fn prepare(settings: &Settings) -> Result<(EdgeChecker, Vec<Edge>), Box<dyn Error>> {
    let read = urdf::read(&settings.robot, &UrdfOptions::default())?;
    let options = CellOptions { world: Some(settings.world.clone()), ..CellOptions::default() };
    let cell = cell::build(Robot::new(read.definition)?, &settings.robot, &options)?.cell;
    let checker = EdgeChecker::new(&cell, &EdgeOptions::default())?;
    let edges = random_edges(&checker, settings.edges);
    let folder = settings.folder.join("edges");
    std::fs::create_dir_all(&folder)?;
    for (end, name) in ["from", "to"].into_iter().enumerate() {
        write_numbers(&folder.join(name), edges.iter().flat_map(|edge| edge[end].iter().copied()))?;
    }

    Ok((checker, edges))
}

pub(crate) fn edges(settings: &Settings) -> Result<Table, Box<dyn Error>> {
    let (checker, edges) = prepare(settings)?;
    let mut python = settings.start()?;
    python.query(&["load", &text(&settings.robot), &text(&settings.world)])?;
    let answers = all(&checker, &edges)?;
    let started = Instant::now();
    all(&checker, &edges)?;
    let repeats = (ENOUGH / started.elapsed().as_secs_f64()).ceil().clamp(1.0, 10_000.0) as usize;
    let times: [Vec<f64>; 2] = in_turn(settings.rounds, |contestant| {
        if contestant == 1 {
            return python.seconds(&["check_edges", &repeats.to_string()]);
        }
        let started = Instant::now();
        for _ in 0..repeats {
            all(&checker, &edges)?;
        }
        Ok(started.elapsed().as_secs_f64())
    })?;
    python.query(&["keep"])?;
    let theirs = std::fs::read(settings.folder.join("answers"))?;
    if theirs != answers {
        return Err("check_edges has other answers than the engine".into());
    }

    let mut table = Table::new(
        "Edges of a planner",
        "`Robot.check_edges` with `threads=1` beside `EdgeChecker::check_edge` in a loop with one memory, new in each \
            run, on straight lines between random configurations within the limits of all joints that can be set. All \
            edges in one call, as many calls in a row as take 0.3 s, both sides in turn; wall time, minimum of the \
            rounds. The answers are the same. Work done once for a robot, before the first edge, is not counted on \
            either side.",
        &[
            "", "edges", "free", "blocked", "engine, an edge", "Python, an edge", "Python / engine",
            "median of rounds", "mark", "met",
        ],
    );
    let each = (repeats * edges.len()) as f64;
    let [engine, package] = times.each_ref().map(|times| minimum(times));
    let count = |number: u8| Cell::Count(answers.iter().filter(|answer| **answer == number).count() as u64);
    let name = |path: &Path| path.file_stem().map(|name| name.display().to_string()).unwrap_or_default();
    table.row(
        &format!("{} among {}", name(&settings.robot), name(&settings.world)),
        [
            Cell::Count(edges.len() as u64),
            count(FREE),
            count(BLOCKED),
            Cell::Time(engine / each),
            Cell::Time(package / each),
            Cell::Ratio(package / engine),
            Cell::Ratio(median(times[1].iter().zip(&times[0]).map(|(package, engine)| package / engine))),
            Cell::Ratio(MARK),
            yes_or_no(package <= MARK * engine),
        ],
    );
    Ok(table)
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> String {
    path.display().to_string()
}

/// The numbers of the outcomes in `check_edges`.
const FREE: u8 = 0;
const UNDECIDED: u8 = 2;
const BLOCKED: u8 = 3;

/// Checks all edges, one after the other.
fn all(checker: &EdgeChecker, edges: &[Edge]) -> Result<Vec<u8>, chasles::Error> {
    let memory = &mut EdgeMemory::default();
    let number = |[from, to]: &Edge| {
        Ok(match checker.check_edge(from, to, memory)? {
            EdgeOutcome::Free => FREE,
            EdgeOutcome::Undecided(_) => UNDECIDED,
            EdgeOutcome::Blocked(_) => BLOCKED,
        })
    };
    edges.iter().map(number).collect()
}

fn random_edges(checker: &EdgeChecker, count: usize) -> Vec<Edge> {
    let random = &mut Random(SEED);
    let joints = checker.cell().robot().joints();
    let limits: Vec<[f64; 2]> =
        checker.joints().iter().map(|joint| joints[*joint].limits.unwrap_or([-3.0, 3.0])).collect();
    let mut configuration = || limits.iter().map(|[low, high]| random.within(*low, *high)).collect();
    (0..count).map(|_| [configuration(), configuration()]).collect()
}
