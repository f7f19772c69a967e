//! Construction of bodies, batches of queries, and all contacts.

use std::time::Instant;

use chasles::{Error, Mesh, PreparedMesh};
use rayon::{ThreadPool, ThreadPoolBuildError};

use crate::first_contact::engine::{Engine, Query, batch};
use crate::first_contact::queries::CaseResult;
use crate::first_contact::sets::{Set, thousands};
use crate::program::table::{Cell, Table};
use crate::program::threads::pools;
use crate::program::timing::{median, once, quantile};

/// The minimum and maximum number of repetitions of a build or batch; the fastest counts.
const REPEATS: [usize; 2] = [3, 100];

/// After this number of seconds, only the minimum number of repetitions runs. During this time other load on a
/// shared machine is likely to pause.
const ENOUGH: f64 = 1.0;

/// The number of colliding cases for all contacts, by the maximum number of triangles of a body.
const ALL_CONTACTS: [(usize, usize); 3] = [(1000, 40), (20_000, 10), (100_000, 3)];

/// Pools of one thread and of two.
#[derive(Debug)]
pub struct Pools([ThreadPool; 2]);

impl Pools {
    /// Starts the threads.
    ///
    /// # Errors
    /// The system cannot start threads.
    pub fn new() -> Result<Self, ThreadPoolBuildError> {
        pools().map(Self)
    }

    /// Wall times in seconds with one thread and with two: the fastest of several repetitions each, taken in turn.
    fn fastest(&self, f: impl Fn() + Sync) -> [f64; 2] {
        let mut fastest = [f64::INFINITY; 2];
        let start = Instant::now();
        for done in 0..REPEATS[1] {
            if done >= REPEATS[0] && start.elapsed().as_secs_f64() > ENOUGH {
                break;
            }
            for (pool, best) in self.0.iter().zip(&mut fastest) {
                let started = Instant::now();
                pool.install(&f);
                *best = best.min(started.elapsed().as_secs_f64());
            }
        }
        fastest
    }
}

/// An empty table of the times of building bodies.
#[must_use]
pub fn build_table() -> Table {
    let text = "`Mesh::new` and `Body::new` in pools of one thread and of two; wall time, fastest of 3 or more; each \
        time includes freeing the memory, and the time of `Mesh::new` a copy of its input.";
    let columns = [
        "body", "triangles", "bytes a triangle", "Mesh::new, 1 thread", "2 threads", "Body::new, 1 thread",
        "2 threads", "both, 1 thread", "both, 2 threads",
    ];
    Table::new("Building", text, &columns)
}

/// Adds the bodies of a set to the table of builds.
///
/// # Errors
/// None.
pub fn add_builds(table: &mut Table, set: &Set, pools: &Pools) -> Result<(), Error> {
    for (raw, name) in set.kind.raw(set.size).into_iter().zip(["knot", "bumpy sphere"]) {
        let count = raw.1.len();
        let mesh = Mesh::new(raw.0.clone(), raw.1.clone())?;
        let meshes = pools.fastest(|| drop(Mesh::new(raw.0.clone(), raw.1.clone())));
        // Body::new consumes its mesh, so the time of a copy is subtracted.
        let copies = pools.fastest(|| drop(mesh.clone()));
        let bodies = pools.fastest(|| drop(PreparedMesh::new(mesh.clone())));
        let bodies = [0, 1].map(|i| (bodies[i] - copies[i]).max(0.0));
        let cells =
            [meshes[0], meshes[1], bodies[0], bodies[1], meshes[0] + bodies[0], meshes[1] + bodies[1]];
        let name = format!("{name}, {}", thousands(set.size));
        let bytes = PreparedMesh::new(mesh).hierarchy_bytes();
        let counts = [Cell::Count(count as u64), Cell::Count((bytes / count) as u64)];
        table.row(&name, counts.into_iter().chain(cells.map(Cell::Time)));
    }
    Ok(())
}

/// An empty table of batches.
#[must_use]
pub fn batch_table() -> Table {
    let text = "All cases of a set as one batch of first contacts, bodies built beforehand; wall time, fastest of 3 \
        or more. If the machine does other work at the same time, two threads get less than two cores.";
    Table::new(
        "Batches",
        text,
        &[
            "", "cases", "1 thread", "2 threads", "a case, 1 thread", "a case, 2 threads",
            "1 thread / 2 threads",
        ],
    )
}

/// Adds a set to the table of batches.
///
/// # Errors
/// Does not fail for the cases of the benches.
pub fn add_batch(table: &mut Table, set: &Set, pools: &Pools) -> Result<(), Error> {
    let queries: Vec<Query> = set.cases.iter().map(|case| set.query(case)).collect();
    batch(&queries)?;
    let [one, two] = pools.fastest(|| drop(batch(&queries)));
    let number = queries.len() as f64;
    let times = [one, two, one / number, two / number].map(Cell::Time);
    table.row(
        &set.name(),
        [Cell::Count(queries.len() as u64)].into_iter().chain(times).chain([Cell::Ratio(one / two)]),
    );
    Ok(())
}

/// An empty table of all contacts.
#[must_use]
pub fn all_contacts_table() -> Table {
    let text = "Every contact of two features during the motion, computed once for the first colliding cases of a set.";
    Table::new(
        "All contacts",
        text,
        &[
            "", "cases", "median", "longest", "contacts, median", "a contact, mean", "a contact, median",
            "a contact, p95",
        ],
    )
}

/// Adds a set to the table of all contacts.
///
/// # Errors
/// Does not fail for the cases of the benches.
pub fn add_all_contacts(table: &mut Table, set: &Set, queried: &[CaseResult]) -> Result<(), Error> {
    let Some((_, number)) = ALL_CONTACTS.iter().find(|(maximum, _)| set.size <= *maximum) else {
        return Ok(());
    };
    let mut engine = Engine::new();
    let mut found: Vec<(f64, f64)> = Vec::new();
    for hit in queried.iter().filter(|a| a.collides()).take(*number) {
        let (prediction, seconds) = once(|| engine.all(&set.query(&hit.case)));
        found.push((prediction?.contacts.len() as f64, seconds));
    }
    if found.is_empty() {
        return Ok(());
    }
    let seconds = || found.iter().map(|f| f.1);
    let each = || found.iter().map(|f| f.1 / f.0);
    let contacts: f64 = found.iter().map(|f| f.0).sum();
    let cells = [
        Cell::Count(found.len() as u64),
        Cell::Time(median(seconds())),
        Cell::Time(quantile(seconds(), 1.0)),
        Cell::Count(median(found.iter().map(|f| f.0)) as u64),
        Cell::Time(seconds().sum::<f64>() / contacts),
        Cell::Time(median(each())),
        Cell::Time(quantile(each(), 0.95)),
    ];
    table.row(&set.name(), cells);
    Ok(())
}
