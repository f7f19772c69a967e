//! First contact of two polyhedra along random screws: the experiment of Kim and Rossignac (2003), with parry for
//! comparison.
//!
//! `cargo run --release --bin predict -- [--cases N] [--seed S] [--shapes lumps|prisms] [--size R] [--out DIR]`

use std::error::Error;
use std::path::PathBuf;

use chasles_bench::cases::pairs::{INNER, OUTER, Pair, SHAPE_SEEDS, Shapes};
use chasles_bench::paper::{self, Measured};
use chasles_bench::peers::{self, Parry};
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::Report;

/// Untimed cases that run first.
const WARM_UP: u64 = 20;

/// The settings of a run.
struct Settings {
    cases: u64,
    first_seed: u64,
    shapes: Shapes,
    /// The radius of each body about its origin. By default half of the pairs of objects are rejected.
    size: Option<f64>,
    out: PathBuf,
}

impl Settings {
    fn parse(mut arguments: BenchArguments) -> Result<Self, String> {
        let settings = Self {
            cases: arguments.value("--cases")?.unwrap_or(1000),
            first_seed: arguments.value("--seed")?.unwrap_or(0),
            shapes: arguments.read_by("--shapes", shapes)?.unwrap_or(Shapes::Lumps),
            size: arguments.value("--size")?,
            out: arguments.out(),
        };
        arguments.end()?;
        Ok(settings)
    }
}

fn shapes(text: &str) -> Result<Shapes, String> {
    match text {
        "lumps" => Ok(Shapes::Lumps),
        "prisms" => Ok(Shapes::Prisms),
        _ => Err("expected lumps or prisms".into()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::parse(BenchArguments::here()?)?;
    // Before the run, in case the sources change during the run.
    let machine = Machine::here();
    let size = settings.size.unwrap_or_else(|| settings.shapes.usual_size());
    let pair = Pair::new(settings.shapes, size)?;
    let seeds = settings.first_seed..settings.first_seed + settings.cases;
    for seed in seeds.clone().take(usize::try_from(WARM_UP)?) {
        Measured::new(&pair, seed)?;
    }
    let cases = seeds.clone().map(|seed| Measured::new(&pair, seed)).collect::<Result<Vec<_>, _>>()?;
    let mut tables = paper::tables(&pair, &cases);
    tables.push(peers::table(&Parry::new(&pair.raw)?, &cases));
    let [seed_a, seed_b] = SHAPE_SEEDS;
    let (shapes, name) = match settings.shapes {
        Shapes::Lumps => (format!("lumps of seed {seed_a} and {seed_b}"), "predict"),
        Shapes::Prisms => ("prisms".into(), "predict-prisms"),
    };
    let pairs = [
        ("cases", format!("{}, seeds {} to {}", settings.cases, seeds.start, seeds.end - 1)),
        ("shapes", format!("{shapes}, reaching {size} from their origins")),
        (
            "motions",
            format!(
                "the screw between two random poses in a cube of side {OUTER}, outside a cube of side {INNER}"
            ),
        ),
    ];
    let report = Report {
        title: "Predicting the first contact along a screw".into(),
        machine,
        settings: pairs.map(|(name, value)| (name.into(), value)).into(),
        tables,
    };
    Ok(report.publish(&settings.out, name)?)
}
