//! Compares simulations with rapier and `MuJoCo`: boxes and rocks that fall into a heap, and a standing stack.
//!
//! `cargo run --release --bin simulate -- [--boxes N] [--rocks N] [--seconds S] [--python PROGRAM] [--only TEXT,TEXT] [--name NAME] [--out DIR]`

use std::error::Error;
use std::path::PathBuf;

use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::{Cell, Report, Table};

mod depth;
mod mujoco;
mod ours;
mod rapier;
mod scene;

/// The interval at which penetration is measured, in seconds.
const OUTPUT_INTERVAL: f64 = 1.0 / 60.0;

/// The result of a run.
struct Outcome {
    /// Wall time per simulated second.
    wall: f64,
    /// Time of all processors together per simulated second.
    processor: f64,
    /// The maximum depth of two bodies after a step, in metres.
    deepest: f64,
    note: String,
}

const TEXT: &str = "Wall time and CPU time of a simulated second, from one run. *Deepest* is the maximum penetration, \
    measured every sixtieth of a second by the same formula for all: for boxes the smallest translation that \
    separates two, for rocks the depth of a vertex below the surface of another rock. The bounds that chasles proves \
    hold between those times too. Unfair: rapier and MuJoCo have one thread here and chasles may use all; rapier lets \
    bodies penetrate and pushes them out, and puts bodies at rest to sleep; chasles repeats or shortens a step until \
    it is proven. MuJoCo is called through Python, once for each sixtieth of a second; its contacts are as stiff as \
    it allows (a time constant of two steps). It replaces the rocks by their convex hulls: if two hulls touch, the \
    rocks themselves are still separated, so the rocks penetrate little; the depth of the hulls, as MuJoCo reports \
    it, is in the note.";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = BenchArguments::here()?;
    let boxes: u32 = arguments.value("--boxes")?.unwrap_or(1_000);
    let rocks: u32 = arguments.value("--rocks")?.unwrap_or(50);
    let seconds: f64 = arguments.value("--seconds")?.unwrap_or(1.0);
    let python: Option<PathBuf> = arguments.text("--python").map(PathBuf::from);
    let only = arguments.text("--only");
    let name = arguments.text("--name").unwrap_or("simulate".into());
    let out: PathBuf = arguments.out();
    arguments.end()?;
    let mut cases = vec![
        scene::heap(100, 1.0 / 60.0, seconds),
        scene::heap(100, 1e-3, seconds),
        scene::heap(boxes, 1.0 / 60.0, seconds),
        scene::stack(1e-3, seconds),
        scene::rocks(rocks, 1e-3, seconds),
    ];
    let is_selected =
        |name: &str| only.as_ref().is_none_or(|only| only.split(',').any(|part| name.contains(part)));
    cases.retain(|case| is_selected(&case.name));
    let columns = ["scene", "step", "engine", "a second", "of processors", "to the first", "deepest", "note"];
    let mut table = Table::new("Heaps and a stack", TEXT, &columns);
    for case in &cases {
        let mut found: Vec<(&str, Outcome)> = Vec::new();
        found.extend(rapier::simulated(case).map(|own| ("rapier3d-f64", own)));
        if let Some(python) = &python {
            found.push(("MuJoCo, stiff", mujoco::simulated(case, python)?));
        }
        found.push(("chasles", ours::simulated(case, false)?));
        found.push(("chasles, depth reported", ours::simulated(case, true)?));
        let first = found[0].1.wall;
        for (name, outcome) in found {
            eprintln!("{}, {name}: {:.3} s", case.name, outcome.wall);
            table.row(
                &case.name,
                [
                    Cell::Time(case.step),
                    Cell::from(name),
                    Cell::Time(outcome.wall),
                    Cell::Time(outcome.processor),
                    Cell::Ratio(outcome.wall / first),
                    Cell::Text(format!("{:.4} mm", 1e3 * outcome.deepest)),
                    Cell::Text(outcome.note),
                ],
            );
        }
    }
    let report = Report {
        title: "Simulations".into(),
        machine: Machine::here(),
        settings: vec![("seconds".into(), format!("{seconds}"))],
        tables: vec![table],
    };
    Ok(report.publish(&out, &name)?)
}
