//! First contact of large meshes along random screws: how long it takes, where it grows, and others beside it.
//!
//! `cargo run --release --bin first_contact -- [--queries N] [--sizes N,N] [--sets NAME,NAME] [--more on|off] [--peers on|off]
//! [--python PROGRAM] [--engine TEXT] [--out DIR]`

use std::error::Error;
use std::path::PathBuf;

use chasles_bench::machine::Machine;
use chasles_bench::queries;
use chasles_bench::rivals::Rivals;
use chasles_bench::sets::{KINDS, Kind, Set};
use chasles_bench::table::{Report, Table};
use chasles_bench::throughput::{
    Pools, add_all_contacts, add_batch, add_builds, all_contacts_table, batch_table, build_table,
};

/// What to run.
struct Settings {
    queries: usize,
    sizes: Vec<usize>,
    kinds: Vec<(&'static str, Kind)>,
    /// All contacts, batches and builds as well.
    more: bool,
    peers: bool,
    /// The Python in which python-fcl and coal are looked for.
    python: PathBuf,
    out: PathBuf,
    /// The commit of the engine, where it is not that of this checkout.
    engine: Option<String>,
}

impl Settings {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut settings = Self {
            queries: 200,
            sizes: vec![1000, 20_000, 100_000, 500_000],
            kinds: KINDS.to_vec(),
            more: true,
            peers: true,
            python: "python3".into(),
            out: PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/results")),
            engine: None,
        };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name}: a value must follow"))?;
            match name.as_str() {
                "--queries" => settings.queries = value.parse()?,
                "--sizes" => settings.sizes = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
                "--sets" => settings.kinds = value.split(',').map(kind).collect::<Result<_, _>>()?,
                "--more" => settings.more = switch(&name, &value)?,
                "--peers" => settings.peers = switch(&name, &value)?,
                "--python" => settings.python = value.into(),
                "--out" => settings.out = value.into(),
                "--engine" => settings.engine = Some(value),
                _ => {
                    let expected = "--queries, --sizes, --sets, --more, --peers, --python, --engine or --out";
                    return Err(format!("{name}: expected {expected}").into());
                }
            }
        }
        Ok(settings)
    }
}

fn switch(name: &str, value: &str) -> Result<bool, String> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("{name} {value}: expected on or off")),
    }
}

fn kind(name: &str) -> Result<(&'static str, Kind), String> {
    let names = KINDS.map(|(name, _)| name).join(", ");
    KINDS.into_iter().find(|k| k.0 == name).ok_or_else(|| format!("--sets {name}: expected some of {names}"))
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::parse(std::env::args().skip(1))?;
    // Before the run, lest the sources change during it.
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
        ("peers", rivals.map_or_else(|| "none asked".into(), |rivals| rivals.versions())),
    ];
    let report = Report {
        title: "First contact of large meshes".into(),
        machine,
        settings: pairs.map(|(name, value)| (name.into(), value)).into(),
        tables,
    };
    print!("{}", report.markdown());
    for path in report.write(&settings.out, "first-contact")? {
        eprintln!("{}", path.display());
    }
    Ok(())
}

/// All tables. One set is in memory at a time.
fn run(settings: &Settings, rivals: &mut Option<Rivals>) -> Result<Vec<Table>, Box<dyn Error>> {
    let pools = Pools::new()?;
    let [mut builds, mut batches, mut contacts] = [build_table(), batch_table(), all_contacts_table()];
    let (mut results, mut peers) = (Vec::new(), Vec::new());
    for (name, kind) in &settings.kinds {
        for size in kind.sizes(&settings.sizes) {
            eprintln!("{name}, {size}");
            let set = Set::new(*kind, size, kind.number(settings.queries))?;
            let asked = queries::ask(&set)?;
            if settings.more {
                add_batch(&mut batches, &set, &pools)?;
                if matches!(kind, Kind::Knot | Kind::Torus) {
                    add_all_contacts(&mut contacts, &set, &asked)?;
                }
                if *kind == Kind::Knot {
                    add_builds(&mut builds, &set, &pools)?;
                }
            }
            if let Some(rivals) = rivals {
                peers.push(rivals.table(&set, &asked)?);
            }
            results.push((set.name(), asked));
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
