//! The settings of a run, and a function that runs contestants in turn.

use std::error::Error;
use std::path::{Path, PathBuf};

use chasles_bench::program::options::BenchArguments;

use crate::talk::Python;

/// The parts, in order.
pub(crate) const PARTS: [&str; 8] = ["rows", "calls", "cores", "edges", "import", "memory", "dask", "fcl"];

/// The text of `--help`.
pub(crate) const HELP: &str = "\
The Python package beside the engine, on the same questions, in one run.

--python PROGRAM    python3: the Python in which chasles is installed
--only NAME,NAME    rows, calls, cores, edges, import, memory, dask, fcl: all of them
--quick on          few of everything, to see that it runs
--rounds N          7: number of runs of both sides, in turn
--rows N            1,000,000: queries of a batch that are clear at once
--calls N           20,000: single calls a round
--queries N         25,000: of large bodies, on one thread and on two
--triangles N       5,000: of these bodies
--edges N           2,000
--robot FILE.urdf   scenes/robots/arm.urdf
--world FILE.toml   scenes/robots/wire.toml
--imports N         15: so often each import is timed
--memory-calls N    100,000: of each kind
--dask-queries N    1,000,000
--dask-rounds N     3
--fcl-queries N     200: the first of --queries
--fcl-seconds S     60: how long each peer is asked in a round
--out DIR           bench/results: where <date>-python.md and .csv go
";

pub(crate) struct Settings {
    pub(crate) python: PathBuf,
    only: Vec<String>,
    pub(crate) rounds: usize,
    pub(crate) rows: usize,
    pub(crate) calls: usize,
    pub(crate) queries: usize,
    pub(crate) triangles: usize,
    pub(crate) edges: usize,
    pub(crate) robot: PathBuf,
    pub(crate) world: PathBuf,
    pub(crate) imports: usize,
    pub(crate) memory_calls: usize,
    pub(crate) dask_queries: usize,
    pub(crate) dask_rounds: usize,
    pub(crate) fcl_queries: usize,
    pub(crate) fcl_seconds: f64,
    pub(crate) out: PathBuf,
    /// The folder with the queries for both sides.
    pub(crate) folder: PathBuf,
}

impl Settings {
    pub(crate) fn parse(mut arguments: BenchArguments) -> Result<Self, Box<dyn Error>> {
        let python = PathBuf::from(arguments.text("--python").unwrap_or("python3".into()));
        let only: Vec<String> = arguments.text("--only").map_or_else(
            || PARTS.map(str::to_owned).into(),
            |text| text.split(',').map(str::to_owned).collect(),
        );
        if let Some(odd) = only.iter().find(|name| !PARTS.contains(&name.as_str())) {
            return Err(format!("--only {odd}: expected some of {}", PARTS.join(",")).into());
        }
        let is_quick = match arguments.text("--quick").as_deref() {
            None | Some("off") => false,
            Some("on") => true,
            Some(odd) => return Err(format!("--quick {odd}: expected on or off").into()),
        };
        let mut number = |name, usual: usize, quick: usize| {
            let usual = if is_quick { quick } else { usual };
            arguments.value(name).map(|value| value.unwrap_or(usual).max(1))
        };
        let [rounds, rows, calls] = [
            number("--rounds", 7, 3)?,
            number("--rows", 1_000_000, 20_000)?,
            number("--calls", 20_000, 2_000)?,
        ];
        let [queries, triangles, edges] = [
            number("--queries", 25_000, 500)?,
            number("--triangles", 5_000, 5_000)?,
            number("--edges", 2_000, 200)?,
        ];
        let [imports, memory_calls] =
            [number("--imports", 15, 3)?, number("--memory-calls", 100_000, 5_000)?];
        let [dask_queries, dask_rounds] =
            [number("--dask-queries", 1_000_000, 40_000)?, number("--dask-rounds", 3, 2)?];
        let fcl_queries = number("--fcl-queries", 200, 10)?;
        let scene = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/robots").join(name);
        let mut file = |name, usual| {
            let path = arguments.text(name).map_or_else(|| scene(usual), PathBuf::from);
            path.canonicalize().map_err(|error| format!("{name} {}: {error}", path.display()))
        };
        let (robot, world) = (file("--robot", "arm.urdf")?, file("--world", "wire.toml")?);
        let settings = Self {
            // The program starts in another folder. Links are not resolved, because they may lead out of a virtual
            // environment.
            python: if python.components().count() > 1 { std::path::absolute(python)? } else { python },
            only,
            rounds,
            rows,
            calls,
            queries,
            triangles,
            edges,
            robot,
            world,
            imports,
            memory_calls,
            dask_queries,
            dask_rounds,
            fcl_queries,
            fcl_seconds: arguments.value("--fcl-seconds")?.unwrap_or(60.0),
            out: arguments.out(),
            folder: std::env::temp_dir().join(format!("chasles-bench-{}", std::process::id())),
        };
        arguments.end()?;
        Ok(settings)
    }

    pub(crate) fn has(&self, part: &str) -> bool {
        self.only.iter().any(|name| name == part)
    }

    /// Starts a new process of the Python side.
    pub(crate) fn start(&self) -> Result<Python, Box<dyn Error>> {
        Python::start(&self.python, &self.folder)
    }
}

/// Runs N contestants in turn for several rounds. Returns the seconds of each contestant in each round.
pub(crate) fn in_turn<const N: usize>(
    rounds: usize,
    mut run: impl FnMut(usize) -> Result<f64, Box<dyn Error>>,
) -> Result<[Vec<f64>; N], Box<dyn Error>> {
    let mut seconds = [(); N].map(|()| Vec::new());
    for _ in 0..rounds {
        for (contestant, times) in seconds.iter_mut().enumerate() {
            times.push(run(contestant)?);
        }
    }
    Ok(seconds)
}

/// The minimum.
pub(crate) fn minimum(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
