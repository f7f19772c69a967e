//! Compares deforming surfaces with ipc-toolkit: single pairs of features, then whole simulation steps. A large
//! cloth and the methods of the paper follow.
//!
//! `cargo run --release --bin deforming -- [--queries DIR] [--steps DIR] [--python PROGRAM] [--seconds S] [--out DIR]`
//!
//! For the contents of the folders, see `queries` and `steps`. Without its folder, a table is left out. ipc-toolkit
//! runs through its Python package, if installed.

mod cloth;
mod paper;
mod queries;
mod steps;

use std::error::Error;
use std::path::PathBuf;

use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::Report;

/// ipc-toolkit.
struct Peer {
    python: PathBuf,
    /// The time limit for one table and method, in seconds.
    seconds: f64,
}

const METHODS: [[&str; 2]; 2] = [["tight", "Tight Inclusion"], ["additive", "Additive CCD"]];

const BUDGET: u64 = 100_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = BenchArguments::here()?;
    let [of_queries, of_steps] = ["--queries", "--steps"].map(|name| arguments.text(name).map(PathBuf::from));
    let python = arguments.text("--python").unwrap_or("python3".into()).into();
    let peer = Peer { python, seconds: arguments.value("--seconds")?.unwrap_or(120.0) };
    let out = arguments.out();
    arguments.end()?;
    let (mut settings, mut tables) = (Vec::new(), Vec::new());
    if let Some(folder) = &of_queries {
        let (count, table) = queries::table(folder, &peer)?;
        settings.push(("queries".into(), count.to_string()));
        tables.push(table);
    }
    if let Some(folder) = &of_steps {
        tables.push(steps::table(folder, &peer)?);
    }
    tables.push(cloth::table()?);
    tables.extend(paper::tables()?);
    let report = Report { title: "Deforming surfaces".into(), machine: Machine::here(), settings, tables };
    Ok(report.publish(&out, "deforming")?)
}
