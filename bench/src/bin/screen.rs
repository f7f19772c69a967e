//! All collisions of a motion: compares the exact screen with all contacts, the pixel screen at its levels, and the
//! penetration depth at the end.
//!
//! `cargo run --release --bin screen -- [--queries N] [--out DIR]`

use std::error::Error;

use chasles::{
    Account, Collisions, Options, PixelCollisions, PixelOptions, Prediction, PreparedMesh, Query, QueryKind,
    Screw, Workspace, pixel_collisions,
};
use chasles_bench::cases::experiments::{Experiment, experiments};
use chasles_bench::peers::Parry;
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::{Cell, Report, Table};
use chasles_bench::program::timing::{median, timed};

/// Repetitions of each query; the median counts.
const REPEATS: usize = 5;

/// Pixels along the diagonal of the smaller mesh.
const LEVELS: [u32; 3] = [32, 128, 512];

/// The results of one query, each with its time in seconds.
struct Measured {
    all: (Prediction, f64),
    whole: (Collisions, f64),
    alone: (Collisions, f64),
    pixels: [(PixelCollisions, f64); 3],
    depth: f64,
    sampled: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = BenchArguments::here()?;
    let count = arguments.value("--queries")?.unwrap_or(20);
    let out = arguments.out();
    arguments.end()?;
    let machine = Machine::here();
    let (mut times, mut ratios, mut found) = (times_table(), ratios_table(), found_table());
    for experiment in experiments(count)? {
        eprintln!("{}", experiment.name);
        let [a, b] = experiment.bodies()?;
        let parry = Parry::new(&experiment.meshes)?;
        let queried: Result<Vec<Measured>, chasles::Error> =
            experiment.screws.iter().map(|screw| run((&a, &b), screw, &parry)).collect();
        add(&experiment, &queried?, [&mut times, &mut ratios, &mut found]);
    }
    let settings = vec![("motions".into(), format!("{count} of each, fewer of some"))];
    let report = Report {
        title: "The collision screen".into(),
        machine,
        settings,
        tables: vec![times, ratios, found],
    };
    Ok(report.publish(&out, "screen")?)
}

fn run(
    (a, b): (&PreparedMesh, &PreparedMesh),
    screw: &Screw,
    parry: &Parry,
) -> Result<Measured, chasles::Error> {
    let (query, options, mut workspace) =
        (Query { a, b, screw: *screw }, Options::default(), Workspace::default());
    let (all, all_seconds) =
        timed(REPEATS, || query.predict(QueryKind::AllContacts, &options, &mut workspace));
    let mut collide = |account| timed(REPEATS, || query.collisions(account, &options, &mut workspace));
    let ((whole, whole_seconds), (alone, alone_seconds)) =
        (collide(Account::Whole), collide(Account::Collisions));
    let pixels = LEVELS.map(|resolution| {
        let options = PixelOptions { resolution, ..PixelOptions::default() };
        timed(REPEATS, || pixel_collisions(a, b, screw, &options))
    });
    let [(low, low_seconds), (medium, medium_seconds), (high, high_seconds)] = pixels;
    let (_, depth) = timed(REPEATS, || parry.depth(screw, 1.0));
    let (_, sampled) = timed(1, || parry.sampled_time(screw));
    Ok(Measured {
        all: (all?, all_seconds),
        whole: (whole?, whole_seconds),
        alone: (alone?, alone_seconds),
        pixels: [(low?, low_seconds), (medium?, medium_seconds), (high?, high_seconds)],
        depth,
        sampled,
    })
}

fn times_table() -> Table {
    Table::new(
        "Time of a query",
        "Medians over the motions, warm, on one core. *All contacts* is every contact of two features; the *exact \
            screen* keeps the contacts between parts that can collide and rates them; the *whole account* also counts \
            the contacts that the screen leaves out and reports which body is inside. *Depth* is parry's deepest \
            contact of the two meshes at the end of the motion: one pose, without time or path, which is not the same \
            query. *Sampled* is parry's static test at up to 100 poses until the first that intersects.",
        &[
            "experiment", "all contacts", "exact screen", "whole account", "pixels, low", "medium", "high",
            "depth, parry", "sampled, parry",
        ],
    )
}

fn ratios_table() -> Table {
    Table::new(
        "Ratios",
        "Ratios of the sums of times over all motions. *A collision* is the time of the exact screen for each listed \
            collision.",
        &[
            "experiment", "exact screen / all contacts", "whole / all contacts", "low / exact screen",
            "a collision",
        ],
    )
}

fn found_table() -> Table {
    Table::new(
        "What was found",
        "All motions together. *Proper, at low* is the fraction of the proper collisions that the pixel screen lists \
            with the same features; it lists others with neighbouring features.",
        &["experiment", "motions", "contacts", "collisions", "proper", "proper, at low", "medium", "high"],
    )
}

fn add(experiment: &Experiment, queried: &[Measured], [times, ratios, found]: [&mut Table; 3]) {
    let columns: [fn(&Measured) -> f64; 8] = [
        |m| m.all.1,
        |m| m.alone.1,
        |m| m.whole.1,
        |m| m.pixels[0].1,
        |m| m.pixels[1].1,
        |m| m.pixels[2].1,
        |m| m.depth,
        |m| m.sampled,
    ];
    let name = experiment.name;
    times.row(name, columns.map(|column| Cell::Time(median(queried.iter().map(column)))));
    let sum = |column: usize| queried.iter().map(columns[column]).sum::<f64>();
    let count = |of: fn(&Measured) -> usize| queried.iter().map(of).sum::<usize>();
    let collisions = count(|m| m.alone.0.collisions.len());
    ratios.row(
        name,
        [
            Cell::Ratio(sum(1) / sum(0)),
            Cell::Ratio(sum(2) / sum(0)),
            Cell::Ratio(sum(3) / sum(1)),
            Cell::Time(sum(1) / collisions as f64),
        ],
    );
    let proper = count(|m| m.alone.0.collisions.iter().filter(|c| c.proper).count());
    let same = |level: usize| {
        let listed = queried.iter().map(|m| {
            let answer = &m.pixels[level].0.collisions;
            let of = m.alone.0.collisions.iter().filter(|c| c.proper);
            of.filter(|c| answer.iter().any(|p| p.features == c.contact.features)).count()
        });
        Cell::Fraction(listed.sum::<usize>() as f64 / proper as f64)
    };
    let counts = [queried.len(), count(|m| m.all.0.contacts.len()), collisions, proper];
    let counts = counts.map(|n| Cell::Count(n as u64));
    found.row(name, counts.into_iter().chain([same(0), same(1), same(2)]));
}
