//! First contact of large meshes along random screws: its time, its growth with the number of triangles, and a
//! comparison with other libraries.
//!
//! `cargo run --release --bin first_contact -- [--queries N] [--sizes N,N] [--sets NAME,NAME] [--more on|off] [--peers on|off]
//! [--python PROGRAM] [--engine TEXT] [--out DIR]`

use std::error::Error;
use std::path::PathBuf;

use chasles_bench::first_contact::queries;
use chasles_bench::first_contact::rivals::Rivals;
use chasles_bench::first_contact::sets::{KINDS, Kind, Set};
use chasles_bench::first_contact::throughput::{
    Pools, add_all_contacts, add_batch, add_builds, all_contacts_table, batch_table, build_table,
};
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::{Report, Table};

/// The settings of a run.
struct Settings {
    queries: usize,
    sizes: Vec<usize>,
    kinds: Vec<(&'static str, Kind)>,
    /// Whether all contacts, batches and builds are measured as well.
    more: bool,
    peers: bool,
    /// The Python that is searched for python-fcl and coal.
    python: PathBuf,
    out: PathBuf,
    /// The commit of the engine, if it differs from this checkout.
    engine: Option<String>,
}

impl Settings {
    fn parse(mut arguments: BenchArguments) -> Result<Self, String> {
        let settings = Self {
            queries: arguments.value("--queries")?.unwrap_or(200),
            sizes: arguments
                .read_by("--sizes", |text| listed(text, size))?
                .unwrap_or(vec![1000, 20_000, 100_000, 500_000]),
            kinds: arguments.read_by("--sets", |text| listed(text, kind))?.unwrap_or(KINDS.to_vec()),
            more: arguments.read_by("--more", switch)?.unwrap_or(true),
            peers: arguments.read_by("--peers", switch)?.unwrap_or(true),
            python: arguments.text("--python").unwrap_or("python3".into()).into(),
            out: arguments.out(),
            engine: arguments.text("--engine"),
        };
        arguments.end()?;
        Ok(settings)
    }
}

/// Parses several values, separated by commas.
fn listed<T>(text: &str, one: fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    text.split(',').map(one).collect()
}

fn size(text: &str) -> Result<usize, String> {
    text.parse().map_err(|error| format!("{error}"))
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected on or off".into()),
    }
}

fn kind(name: &str) -> Result<(&'static str, Kind), String> {
    let names = KINDS.map(|(name, _)| name).join(", ");
    KINDS.into_iter().find(|k| k.0 == name).ok_or_else(|| format!("expected some of {names}"))
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::parse(BenchArguments::here()?)?;
    // Before the run, in case the sources change during the run.
    let mut machine = Machine::here();
    if let Some(engine) = &settings.engine {
        machine.engine.clone_from(engine);
    }
    let mut rivals = settings.peers.then(|| Rivals::new(&settings.python));
    let tables = run(&settings, &mut rivals)?;
    let names: Vec<_> = settings.kinds.iter().map(|k| k.0).collect();
    let pairs = [
        (
            "cases",
            format!(
                "{} of each set, {} of small motions",
                settings.queries,
                Kind::Near.number(settings.queries)
            ),
        ),
        ("sets", names.join(", ")),
        ("peers", rivals.map_or_else(|| "none run".into(), |rivals| rivals.versions())),
    ];
    let report = Report {
        title: "First contact of large meshes".into(),
        machine,
        settings: pairs.map(|(name, value)| (name.into(), value)).into(),
        tables,
    };
    Ok(report.publish(&settings.out, "first-contact")?)
}

/// All tables. Only one set is in memory at a time.
fn run(settings: &Settings, rivals: &mut Option<Rivals>) -> Result<Vec<Table>, Box<dyn Error>> {
    let pools = Pools::new()?;
    let [mut builds, mut batches, mut contacts] = [build_table(), batch_table(), all_contacts_table()];
    let (mut results, mut peers) = (Vec::new(), Vec::new());
    for (name, kind) in &settings.kinds {
        for size in kind.sizes(&settings.sizes) {
            eprintln!("{name}, {size}");
            let set = Set::new(*kind, size, kind.number(settings.queries))?;
            let queried = queries::run(&set)?;
            if settings.more {
                add_batch(&mut batches, &set, &pools)?;
                if matches!(kind, Kind::Knot | Kind::Torus) {
                    add_all_contacts(&mut contacts, &set, &queried)?;
                }
                if *kind == Kind::Knot {
                    add_builds(&mut builds, &set, &pools)?;
                }
            }
            if let Some(rivals) = rivals {
                peers.push(rivals.table(&set, &queried)?);
            }
            results.push((set.name(), queried));
        }
    }
    let mut tables = queries::tables(&results);
    tables.extend([contacts, batches, builds].into_iter().filter(|table| !table.rows.is_empty()));
    if let Some(rivals) = rivals {
        tables.extend(rivals.short());
    }
    tables.extend(peers);
    Ok(tables)
}
