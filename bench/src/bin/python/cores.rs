//! One thread and two threads: of a call, of the engine, and of Dask's workers.

use std::error::Error;
use std::time::Instant;

use chasles_bench::cases::meshes::{bumpy_sphere, torus_knot};
use chasles_bench::program::table::{Cell, Table};
use chasles_bench::program::threads::pools;
use chasles_bench::program::timing::{median, of_all_threads};

use crate::calls::yes_or_no;
use crate::questions::{Questions, assert_same};
use crate::settings::{Settings, in_turn, minimum};

/// The target speed-up of two threads, and of two workers.
const THREADS_MARK: f64 = 1.85;
const WORKERS_MARK: f64 = 1.7;

/// Triangles of the bodies for Dask's workers, such that a query takes about 30 us.
const DASK_TRIANGLES: usize = 320;

/// The number of different queries for Dask, which are repeated.
const DASK_DIFFERENT: usize = 20_000;

const SEED: u64 = 1;

const COLUMNS: [&str; 10] = [
    "", "queries", "one", "two", "a query, one", "one / two", "one / two, median of rounds", "cores of two",
    "mark", "met",
];

/// The queries about large bodies.
pub(crate) fn passing(settings: &Settings) -> Result<Questions, Box<dyn Error>> {
    let raw = [torus_knot(settings.triangles), bumpy_sphere(settings.triangles, SEED)];
    Ok(Questions::passing("passing", raw, settings.queries)?)
}

/// Measures queries of large bodies on one thread and on two.
pub(crate) fn threads(settings: &Settings) -> Result<Table, Box<dyn Error>> {
    let mut table = Table::new(
        "Two cores",
        "A torus knot moves past a bumpy sphere, each with the number of triangles given by `--triangles`, on random \
            screws (`cases::sweeps`) without overlap at the start; about half of them collide. `first_contact_many` \
            with `threads=1` and `threads=2`, and, to show the effect of the machine, `chasles::predictions` in rayon \
            pools of one thread and of two; all in turn, wall time, minimum of the rounds. *Cores of two*: the CPU \
            time of the process on two threads divided by the wall time. Every row equals the engine's bit for bit, \
            with both numbers of threads.",
        &COLUMNS,
    );
    let questions = passing(settings)?;
    questions.write(&settings.folder)?;
    let rows = questions.rows(&questions.screws)?;
    let count = settings.queries;
    let mut python = settings.start()?;
    python.query(&["prepare", questions.name, "arrays", &count.to_string()])?;
    let pools = pools()?;
    let mut cores = [Vec::new(), Vec::new()];
    let times: [Vec<f64>; 4] = in_turn(settings.rounds, |contestant| {
        let threads = contestant / 2;
        if contestant % 2 == 0 {
            let (started, had) = (Instant::now(), of_all_threads());
            pools[threads].install(|| questions.at_once())?;
            let seconds = started.elapsed().as_secs_f64();
            if threads == 1 {
                cores[0].push((of_all_threads() - had) / seconds);
            }
            return Ok(seconds);
        }
        let reply = python.query(&["many", &(threads + 1).to_string()])?;
        let seconds = reply.number("seconds")?;
        if threads == 1 {
            cores[1].push(reply.number("processor")? / seconds);
        }
        Ok(seconds)
    })?;
    for threads in ["1", "2"] {
        python.query(&["many", threads])?;
        python.query(&["keep"])?;
        assert_same(&settings.folder, &rows, count)?;
    }
    let [engine_one, python_one, engine_two, python_two] = &times;
    let mark = Some(THREADS_MARK);
    row(&mut table, ("`first_contact_many`", count, mark), [python_one, python_two], Some(&cores[1]));
    row(&mut table, ("engine: `predictions`", count, None), [engine_one, engine_two], Some(&cores[0]));
    Ok(table)
}

/// Compares two workers of Dask with one process.
pub(crate) fn dask(settings: &Settings) -> Result<Table, Box<dyn Error>> {
    let (count, different) = (settings.dask_queries, settings.dask_queries.min(DASK_DIFFERENT));
    let mut table = Table::new(
        "Dask",
        &format!(
            "`chasles.dask.first_contact_many` from NumPy arrays to a NumPy array, on a `LocalCluster` of two \
                processes of one thread each, while the client's process waits, beside `chasles.first_contact_many` \
                in the client's process: *one* is `threads=1`, *two* the cluster, or `threads=2`, which shows the \
                effect of the machine. A knot moves past a bumpy sphere of about {DASK_TRIANGLES} triangles each, \
                {different} different queries, repeated. All in turn, wall time, minimum of {} rounds. *Cold* is the \
                first call, which sends the bodies to the workers. Every row equals the engine's bit for bit. Unfair \
                to Dask: client, scheduler and both workers share the two cores.",
            settings.dask_rounds
        ),
        &COLUMNS,
    );
    let raw = [torus_knot(DASK_TRIANGLES), bumpy_sphere(DASK_TRIANGLES, SEED)];
    let questions = Questions::passing("dask", raw, different)?;
    questions.write(&settings.folder)?;
    let rows = questions.rows(&questions.screws)?;
    let mut python = settings.start()?;
    python.query(&["prepare", questions.name, "arrays", &count.to_string()])?;
    let start = python.seconds(&["cluster"])?;
    let cold = python.seconds(&["dask"])?;
    python.query(&["keep"])?;
    assert_same(&settings.folder, &rows, count)?;
    let times: [Vec<f64>; 3] = in_turn(settings.dask_rounds, |contestant| match contestant {
        0 => python.seconds(&["many", "1"]),
        1 => python.seconds(&["dask"]),
        _ => python.seconds(&["many", "2"]),
    })?;
    python.query(&["keep"])?;
    assert_same(&settings.folder, &rows, count)?;
    python.query(&["close"])?;
    let [one, cluster, two] = &times;
    row(&mut table, ("two workers", count, Some(WORKERS_MARK)), [one, cluster], None);
    row(&mut table, ("two workers, cold", count, None), [one, &vec![cold]], None);
    row(&mut table, ("one process, two threads", count, None), [one, two], None);
    table.text += &format!(" The cluster took {start:.1} s to start, once, which is not counted.");
    Ok(table)
}

fn row(
    table: &mut Table,
    (name, count, mark): (&str, usize, Option<f64>),
    [one, two]: [&Vec<f64>; 2],
    cores: Option<&Vec<f64>>,
) {
    let ratio = minimum(one) / minimum(two);
    table.row(
        name,
        [
            Cell::Count(count as u64),
            Cell::Time(minimum(one)),
            Cell::Time(minimum(two)),
            Cell::Time(minimum(one) / count as f64),
            Cell::Ratio(ratio),
            Cell::Ratio(median(one.iter().zip(two).map(|(one, two)| one / two))),
            cores.map_or(Cell::Empty, |cores| Cell::Ratio(median(cores.iter().copied()))),
            mark.map_or(Cell::Empty, Cell::Ratio),
            mark.map_or(Cell::Empty, |mark| yes_or_no(ratio >= mark)),
        ],
    );
}
