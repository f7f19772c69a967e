//! Writes the edges for a sampler: `world.toml`, the boxes as a scene file with static bodies, and `edges.csv`,
//! with a line for each edge: its configurations, the proven answer and the time that it took.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use chasles::{EdgeChecker, EdgeContact, EdgeOutcome};
use chasles_bench::cases::arm::boxes;
use chasles_testing::Random;

use crate::{EdgeResult, SEEDS};

/// The word for an outcome.
pub(crate) fn word(outcome: &EdgeOutcome) -> &'static str {
    match outcome {
        EdgeOutcome::Free => "free",
        EdgeOutcome::Blocked(_) => "blocked",
        EdgeOutcome::Undecided(_) => "undecided",
    }
}

/// Writes both files into a folder, and prints their names on standard error.
pub(crate) fn write(
    folder: &Path,
    checker: &EdgeChecker,
    sets: &[(&str, Vec<EdgeResult>)],
) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    for (name, text) in [("world.toml", world()?), ("edges.csv", edges(checker, sets))] {
        let path = folder.join(name);
        std::fs::write(&path, text)?;
        eprintln!("{}", path.display());
    }
    Ok(())
}

fn world() -> Result<String, chasles::Error> {
    let mut text = String::from("format = 1\nduration = 1.0\n");
    for (number, (size, pose)) in boxes(&mut Random(SEEDS[0]))?.into_iter().enumerate() {
        let ([x, y, z], turn) = (pose.position().to_array(), pose.rotation());
        let _ = writeln!(
            text,
            "\n[[body]]\nname = \"box{number}\"\nbox = {:?}\npose = {{ position = {:?}, rotation = {:?} }}",
            size.to_array(),
            [x, y, z],
            [turn.w, turn.x, turn.y, turn.z],
        );
    }
    Ok(text)
}

fn edges(checker: &EdgeChecker, sets: &[(&str, Vec<EdgeResult>)]) -> String {
    let cell = checker.cell();
    let names: Vec<&str> = checker.joints().iter().map(|j| &*cell.robot().joints()[*j].name).collect();
    let mut text = String::from("set,outcome,a,b,from,until,seconds");
    for end in ["from", "to"] {
        for name in &names {
            let _ = write!(text, ",{end} {name}");
        }
    }
    text.push('\n');
    for (set, queried) in sets {
        for EdgeResult { from, to, outcome, seconds } in queried {
            let _ = write!(text, "{set},{}", word(outcome));
            let _ = match outcome {
                EdgeOutcome::Free => write!(text, ",,,,"),
                EdgeOutcome::Blocked(EdgeContact { bodies: [a, b], at: [low, high] }) => {
                    write!(text, ",{},{},{low:?},{high:?}", cell.name(*a), cell.name(*b))
                }
                EdgeOutcome::Undecided([a, b]) => write!(text, ",{},{},,", cell.name(*a), cell.name(*b)),
            };
            let _ = write!(text, ",{seconds:.4e}");
            for value in from.iter().chain(to) {
                let _ = write!(text, ",{value:?}");
            }
            text.push('\n');
        }
    }
    text
}
