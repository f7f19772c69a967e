//! `chasles check --at`: what intersects at one time.

use std::fmt::Write as _;
use std::path::Path;

use chasles::{Scene, StandingPair};
use chasles_formats::standing_report;
use rayon::ThreadPool;

use super::names::{Names, Room};
use super::table::columns;
use super::words::{count, number, wrapped};
use crate::args::CheckArgs;
use crate::exit::{Failure, Status};
use crate::output;

/// Names are cut to this, so that lines fit on 100 columns.
const NAME: usize = 30;

/// So many pairs of bodies are told with their triangles, and of each so many pairs of triangles.
const PAIRS: usize = 12;
const TRIANGLES: usize = 24;

/// Prints which bodies intersect at a time, and with which triangles.
pub(super) fn at(args: &CheckArgs, scene: &Scene, time: f64, pool: &ThreadPool) -> Result<Status, Failure> {
    let within = 0.0..=scene.duration();
    if !within.contains(&time) {
        let expected = format!("expected a time within the duration, 0 to {} s", scene.duration());
        return Err(Failure::Bad(format!("--at: found {time}, {expected}")));
    }
    let pairs = pool.install(|| scene.standing(time));
    let pairs = pairs.map_err(|error| Failure::Bad(format!("--at: {error}")))?;
    let text = if args.json {
        standing_report::to_json(scene, time, &pairs)
    } else {
        table(&args.scene, scene, time, &pairs)
    };
    let status = if pairs.is_empty() { Status::Fine } else { Status::Contact };
    match output::print(text.as_bytes()) {
        Err(Failure::ClosedPipe) if !args.watch => Ok(status),
        printed => printed.map(|()| status),
    }
}

/// What was found, on lines of at most 100 columns.
fn table(file: &Path, scene: &Scene, time: f64, pairs: &[StandingPair]) -> String {
    let counts = scene.count_pairs();
    let tested = count(counts.moving + counts.standing, "pair");
    let found = match pairs.len() {
        0 => format!("none of {tested} intersects"),
        1 => format!("1 of {tested} intersects"),
        many => format!("{many} of {tested} intersect"),
    };
    let mut text = format!("{} at {} s: {found}\n", file.display(), number(time));
    if pairs.is_empty() {
        return text;
    }
    let body = |body: usize| scene.bodies()[body].name.as_str();
    let fitting =
        Names::fitting(Room::of_output(), pairs.iter().flat_map(|pair| pair.bodies).map(body), NAME);
    let names = |pair: &StandingPair| pair.bodies.map(|number| fitting.of(body(number)));
    let mut rows = vec![["a", "b", "pairs of triangles"].map(String::from)];
    for pair in pairs {
        let [a, b] = names(pair);
        rows.push([a, b, pair.triangles.len().to_string()]);
    }
    text.push('\n');
    text.push_str(&columns(&rows));
    for pair in pairs.iter().take(PAIRS) {
        let [a, b] = names(pair);
        let shown = pair.triangles.iter().take(TRIANGLES).map(|[a, b]| format!("{a}-{b}"));
        let mut list = shown.collect::<Vec<_>>().join(", ");
        if pair.triangles.len() > TRIANGLES {
            let _ = write!(list, " and {} more", pair.triangles.len() - TRIANGLES);
        }
        // Writing to a string does not fail.
        let _ = writeln!(text, "\ntriangles of {a} and {b}:");
        text.push_str(&wrapped("  ", &list));
    }
    let cut = pairs.len() > PAIRS || pairs.iter().any(|pair| pair.triangles.len() > TRIANGLES);
    if cut {
        text.push_str("\n--json tells all triangles\n");
    }
    text
}
