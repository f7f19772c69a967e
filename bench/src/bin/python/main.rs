//! Compares the Python package with the engine on the same queries, in one run: the overhead of a row of a batch
//! and of a single call, two cores, a planner's edges, the import, memory, Dask's workers, and python-fcl.
//!
//! `cargo run --release --bin python -- --python PROGRAM [--only NAME,NAME] [--quick on] [--out DIR]`
//!
//! `--help` lists the other options. The queries are written to a folder, from which `bench/python/binding.py`
//! reads them, so both sides get the same bits. If any bit of the answers differs, the run ends with an error.

mod talk;
mod settings;
mod questions;
mod calls;
mod cores;
mod edges;
mod process;
mod fcl;

use std::error::Error;

use chasles_bench::first_contact::outside::Python as Peers;
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::{Report, Table};

use crate::settings::{HELP, Settings};

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().any(|argument| argument == "--help") {
        print!("{HELP}");
        return Ok(());
    }
    let settings = Settings::parse(BenchArguments::here()?)?;
    std::fs::create_dir_all(&settings.folder)?;
    let report = run(&settings);
    std::fs::remove_dir_all(&settings.folder)?;
    Ok(report?.publish(&settings.out, "python")?)
}

fn run(settings: &Settings) -> Result<Report, Box<dyn Error>> {
    // Before the run itself causes load.
    let machine = Machine::here();
    let versions = settings.start()?.query(&["versions"])?;
    let peers = Peers::find(&settings.python).filter(|peers| peers.has("fcl"));
    let fcl = peers.as_ref().and_then(|peers| peers.libraries.iter().find(|(name, _)| name == "fcl"));
    let distributed = versions.text("distributed")?;
    let or_none = |version: &str| if version.is_empty() { "none" } else { version }.to_owned();
    let mut notes = vec![
        ("python", versions.text("python")?.to_owned()),
        ("chasles", format!("{}, its module built {} UTC", versions.text("chasles")?, versions.text("built")?)),
        ("numpy", versions.text("numpy")?.to_owned()),
        ("distributed", or_none(distributed)),
        ("python-fcl", or_none(fcl.map_or("", |(_, version)| version))),
        ("rounds", format!("{}; no thread is pinned to a processor", settings.rounds)),
        (
            "engine beside",
            "compiled in the workspace of the benches, the package in its own: same source, profile and compiler, \
             but other features (serde) and another place in memory"
                .into(),
        ),
    ];
    let mut tables: Vec<Table> = Vec::new();
    type Part = fn(&Settings) -> Result<Table, Box<dyn Error>>;
    let parts: [(&str, Part); 6] = [
        ("rows", calls::rows),
        ("calls", calls::calls),
        ("cores", cores::threads),
        ("edges", edges::edges),
        ("import", process::import),
        ("memory", process::memory),
    ];
    for (name, part) in parts.into_iter().filter(|(name, _)| settings.has(name)) {
        eprintln!("{name}");
        tables.push(part(settings)?);
    }
    if settings.has("dask") {
        eprintln!("dask");
        match distributed {
            "" => notes.push(("dask", "left out: pip install chasles[dask]".into())),
            _ => tables.push(cores::dask(settings)?),
        }
    }
    if settings.has("fcl") {
        eprintln!("fcl");
        match &peers {
            None => notes.push(("fcl", "left out: pip install python-fcl".into())),
            Some(peers) => tables.push(fcl::fcl(settings, peers)?),
        }
    }
    let settings = notes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Ok(Report { title: "The Python package beside the engine".into(), machine, settings, tables })
}
