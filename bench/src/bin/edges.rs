//! Edges for planners: microseconds an edge, free and blocked, of a robot among boxes.
//!
//! `cargo run --release --bin edges -- [--robot FILE.urdf --srdf FILE.srdf] [--edges N] [--repeats N] [--out DIR]`

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use chasles::{EdgeChecker, EdgeMemory, EdgeOptions, EdgeOutcome, RobotCell};
use chasles_bench::cases::arm::{Around, arm, cell};
use chasles_bench::program::options::Given;
use chasles_formats::robot::urdf::{self, UrdfOptions};
use chasles_testing::Random;

fn main() -> Result<(), Box<dyn Error>> {
    let mut given = Given::here()?;
    let robot: Option<PathBuf> = given.value("--robot")?;
    let srdf: Option<PathBuf> = given.value("--srdf")?;
    let count = given.value("--edges")?.unwrap_or(2000_usize);
    let repeats = given.value("--repeats")?.unwrap_or(5_usize);
    given.end()?;
    let robot = match robot {
        Some(file) => {
            let options = UrdfOptions { srdf, ..UrdfOptions::default() };
            chasles::Robot::new(urdf::read(&file, &options)?.definition)?
        }
        None => arm(false)?,
    };
    let cell = cell(robot, Around::Boxes, 7)?;
    let joints: Vec<usize> =
        (0..cell.robot().joints().len()).filter(|j| cell.robot().is_set(*j)).take(6).collect();
    let begin = Instant::now();
    let checker = EdgeChecker::new(&cell, &EdgeOptions { joints, ..EdgeOptions::default() })?;
    println!("built in {:.1} ms; standing {:?}", begin.elapsed().as_secs_f64() * 1e3, checker.standing());
    for (name, length) in [("local", 0.5), ("roadmap", 2.2)] {
        row(&cell, &checker, (name, length), (count, repeats))?;
    }
    Ok(())
}

fn row(
    _cell: &RobotCell,
    checker: &EdgeChecker,
    (name, length): (&str, f64),
    (count, repeats): (usize, usize),
) -> Result<(), Box<dyn Error>> {
    let random = &mut Random(3);
    let memory = &mut EdgeMemory::default();
    let is_free = |values: &[f64], memory: &mut EdgeMemory| -> Result<bool, chasles::Error> {
        Ok(checker.edge(values, values, memory)? == EdgeOutcome::Free)
    };
    let mut edges = Vec::new();
    while edges.len() < count {
        let from: Vec<f64> = checker.joints().iter().map(|_| random.within(-3.0, 3.0)).collect();
        let way: Vec<f64> = from.iter().map(|_| random.within(-1.0, 1.0)).collect();
        let long = way.iter().map(|x| x * x).sum::<f64>().sqrt();
        let to: Vec<f64> = from.iter().zip(&way).map(|(x, y)| x + y * length / long).collect();
        if to.iter().all(|x| x.abs() < 3.1) && is_free(&from, memory)? && is_free(&to, memory)? {
            edges.push((from, to));
        }
    }
    let mut times = vec![f64::INFINITY; count];
    let mut outcomes = vec![EdgeOutcome::Free; count];
    for _ in 0..repeats {
        for (i, (from, to)) in edges.iter().enumerate() {
            let begin = Instant::now();
            outcomes[i] = checker.edge(from, to, memory)?;
            times[i] = times[i].min(begin.elapsed().as_secs_f64() * 1e6);
        }
    }
    let mut fresh = EdgeMemory::default();
    for (from, to) in &edges {
        checker.edge(from, to, &mut fresh)?;
    }
    let mean = |wanted: &dyn Fn(&EdgeOutcome) -> bool| {
        let mut chosen: Vec<f64> =
            (0..count).filter(|i| wanted(&outcomes[*i])).map(|i| times[i]).collect();
        chosen.sort_by(f64::total_cmp);
        let n = chosen.len().max(1);
        let at = |q: f64| chosen.get((q * (n - 1) as f64) as usize).copied().unwrap_or(0.0);
        format!("{} mean {:.2} median {:.2} p95 {:.2} max {:.1}", chosen.len(), chosen.iter().sum::<f64>() / n as f64, at(0.5), at(0.95), at(1.0))
    };
    println!("{name}: free {}", mean(&|o| *o == EdgeOutcome::Free));
    println!("{name}: blocked {}", mean(&|o| matches!(o, EdgeOutcome::Blocked(_))));
    println!("{name}: undecided {}", mean(&|o| matches!(o, EdgeOutcome::Undecided(_))));
    println!("{:?}", fresh.work());
    Ok(())
}
