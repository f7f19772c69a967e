//! Compares our broad phases with parry's for many moving bodies, measures their growth, and compares the paper's
//! grid of triangles with its raw method.
//!
//! `cargo run --release --bin broad_phase -- [--bodies N] [--largest N] [--configurations N] [--repeats N] [--out DIR]`

use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use chasles::broad_phase::SweptBox;
use chasles::papers::methods::{BroadPhase, candidates};
use chasles::papers::static_check::{StaticMethod, colliding_bodies, first_hit};
use chasles::papers::triangle_grid::TriangleGrid;
use chasles::triangles_intersect;
use chasles_bench::cases::robot_world::{World, worlds};
use chasles_bench::cases::swarm::{SLOTS, Swarm};
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::{Cell, Report, Table};
use chasles_bench::program::threads::pools;
use chasles_bench::program::timing::{median, timed};
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rayon::ThreadPool;
use rayon::prelude::*;

/// The settings of a run.
struct Settings {
    bodies: u32,
    largest: u32,
    configurations: usize,
    repeats: usize,
    out: PathBuf,
}

impl Settings {
    fn parse(mut arguments: BenchArguments) -> Result<Self, String> {
        let settings = Self {
            bodies: arguments.value("--bodies")?.unwrap_or(20_000),
            largest: arguments.value("--largest")?.unwrap_or(200_000),
            configurations: arguments.value("--configurations")?.unwrap_or(100_usize).max(1),
            repeats: arguments.value("--repeats")?.unwrap_or(7_usize).max(1),
            out: arguments.out(),
        };
        arguments.end()?;
        Ok(settings)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::parse(BenchArguments::here()?)?;
    let machine = Machine::here();
    let pools = pools()?;
    let mut tables = Vec::new();
    for (name, path) in [("calm", 1.0), ("lively", 8.0), ("wild", 32.0)] {
        eprintln!("{name}");
        tables.push(against_parry(&settings, &pools, (name, path)));
    }
    tables.push(growth(&settings, &pools));
    tables.push(paper(&settings)?);
    let report = Report {
        title: "Broad phase".into(),
        machine,
        settings: vec![
            (
                "repeats".into(),
                format!(
                    "medians of {} runs by wall time; the machine is shared with other work",
                    settings.repeats
                ),
            ),
            ("peer".into(), "parry3d-f64 0.31, without its feature `parallel`".into()),
        ],
        tables,
    };
    Ok(report.publish(&settings.out, "broad-phase")?)
}

/// A method in the comparison.
#[derive(Clone, Copy, PartialEq)]
enum Contestant {
    Own(BroadPhase),
    /// One tree per time span.
    ParryIntervals(BvhBuildStrategy),
    /// A single tree for the boxes of all spans; pairs at different times are discarded.
    ParryAll,
    /// A single tree, with a box around each body's whole motion.
    ParryWhole,
}

impl Contestant {
    fn name(self) -> String {
        match self {
            Self::Own(method) => format!("chasles, {}", method.name()),
            Self::ParryIntervals(BvhBuildStrategy::Binned) => {
                "parry, a tree for each interval, binned".into()
            }
            Self::ParryIntervals(BvhBuildStrategy::Ploc) => "parry, a tree for each interval, PLOC".into(),
            Self::ParryAll => "parry, one tree of all boxes".into(),
            Self::ParryWhole => "parry, a box for each body".into(),
        }
    }

    /// The number of pairs found: for our methods the union over all spans, for parry's methods as reported.
    fn run(self, boxes: &[SweptBox]) -> usize {
        let slots = SLOTS as usize;
        let aabb = |b: &SweptBox| Aabb::new(b.min, b.max);
        match self {
            Self::Own(method) => candidates(boxes, &|_, _| true, method).len(),
            Self::ParryIntervals(strategy) => (0..slots)
                .into_par_iter()
                .map(|slot| {
                    let leaves: Vec<Aabb> = boxes[slot..].iter().step_by(slots).map(aabb).collect();
                    pairs(&Bvh::from_leaves(strategy, &leaves), |_, _| true)
                })
                .sum(),
            Self::ParryAll => {
                let leaves: Vec<Aabb> = boxes.iter().map(aabb).collect();
                pairs(&Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves), |a, b| {
                    a as usize % slots == b as usize % slots
                })
            }
            Self::ParryWhole => {
                let around = |b: &[SweptBox]| {
                    let (lo, hi) = (b.iter().map(|b| b.min), b.iter().map(|b| b.max));
                    Aabb::new(
                        lo.reduce(|x, y| x.min(y)).unwrap_or_default(),
                        hi.reduce(|x, y| x.max(y)).unwrap_or_default(),
                    )
                };
                let leaves: Vec<Aabb> = boxes.chunks(slots).map(around).collect();
                pairs(&Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves), |_, _| true)
            }
        }
    }
}

fn pairs(bvh: &Bvh, keep: impl Fn(u32, u32) -> bool) -> usize {
    let mut found: Vec<(u32, u32)> = Vec::new();
    bvh.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |a, b| {
        if keep(a, b) {
            found.push((a, b));
        }
    });
    found.len()
}

/// The number of pairs found, and the wall times in seconds with one thread and with two: medians over runs. The
/// contestants run in turn, so that other load on the machine affects all alike. A contestant that takes more than
/// a few seconds runs once.
fn race(
    contestants: &[Contestant],
    boxes: &[SweptBox],
    pools: &[ThreadPool; 2],
    repeats: usize,
) -> Vec<(usize, [f64; 2])> {
    let mut times = vec![[Vec::new(), Vec::new()]; contestants.len()];
    let mut found = vec![0; contestants.len()];
    for _ in 0..repeats {
        for (i, contestant) in contestants.iter().enumerate() {
            for (pool, times) in pools.iter().zip(&mut times[i]) {
                if times.first().is_some_and(|first| *first > 5.0) {
                    continue;
                }
                let start = Instant::now();
                found[i] = pool.install(|| contestant.run(boxes));
                times.push(start.elapsed().as_secs_f64());
            }
        }
    }
    let times = times.into_iter().map(|of_pools| of_pools.map(median));
    found.into_iter().zip(times).collect()
}

const INTERVALS: Contestant = Contestant::ParryIntervals(BvhBuildStrategy::Binned);

fn against_parry(settings: &Settings, pools: &[ThreadPool; 2], (name, path): (&str, f64)) -> Table {
    let swarm = Swarm { bodies: settings.bodies, spacing: 10.0, path, seed: 1 };
    let (boxes, triangles) = swarm.boxes();
    let found = candidates(&boxes, &|_, _| true, BroadPhase::Bvh);
    let mut contact: Vec<u32> = found.iter().flat_map(|c| c.bodies).collect();
    contact.sort_unstable();
    contact.dedup();
    let fraction = 100.0 * contact.len() as f64 / f64::from(swarm.bodies);
    let text = format!(
        "{} bodies, {} triangles in all; each body travels up to {path} mean radii and rotates by up to 3 rad; the \
            cube's side leaves each body 10 mean radii of space. {} time intervals, {} boxes. {fraction:.1} % of the \
            bodies have a candidate. Building is included. *To parry* is the time divided by the time of parry's \
            fastest method that keeps the intervals apart, on as many threads.\n\nUnfair: parry returns the pairs of \
            boxes of each interval, unsorted and without pairs whose intervals only touch; chasles joins them into \
            intervals for each pair of bodies, and sorts them. parry's f32 version uses vector instructions, its f64 \
            version does not. On two threads, we distribute its trees for each interval over the threads; its tree of \
            all boxes and its tree of one box for each body run on one thread.",
        swarm.bodies,
        triangles,
        SLOTS,
        boxes.len()
    );
    let columns = ["", "found", "1 thread", "2 threads", "to parry, 1 thread", "2 threads"];
    let mut table = Table::new(&format!("{} bodies, {name}", swarm.bodies), &text, &columns);
    let own = [BroadPhase::Bvh, BroadPhase::Grid, BroadPhase::Octree, BroadPhase::Sweep].map(Contestant::Own);
    let parry = [
        INTERVALS,
        Contestant::ParryIntervals(BvhBuildStrategy::Ploc),
        Contestant::ParryAll,
        Contestant::ParryWhole,
    ];
    let all = [own, parry].concat();
    let results = race(&all, &boxes, pools, settings.repeats);
    let best = |threads: usize| {
        let timed = all
            .iter()
            .zip(&results)
            .filter(|(c, _)| !matches!(c, Contestant::Own(_) | Contestant::ParryWhole));
        timed.map(|(_, r)| r.1[threads]).fold(f64::INFINITY, f64::min)
    };
    let best = [best(0), best(1)];
    for (contestant, (found, times)) in all.iter().zip(&results) {
        let ratios = [0, 1].map(|i| Cell::Ratio(times[i] / best[i]));
        let [a, b] = times.map(Cell::Time);
        table.row(&contestant.name(), [Cell::Count(*found as u64), a, b].into_iter().chain(ratios));
    }
    table
}

fn growth(settings: &Settings, pools: &[ThreadPool; 2]) -> Table {
    let text = "The *lively* swarm with an increasing number of bodies, in a world that grows with the number; one \
        thread. *A body* is the time of the hierarchy divided by the number of bodies, in microseconds. Methods that \
        would take minutes are left out.";
    let columns = [
        "bodies", "boxes", "found", "bvh", "a body, us", "grid", "octree", "sweep", "brute-force",
        "parry, spans", "bvh to parry",
    ];
    let mut table = Table::new("Growth", text, &columns);
    for bodies in [200, 2000, 20_000, 200_000].into_iter().filter(|n| *n <= settings.largest) {
        eprintln!("{bodies} bodies");
        let (boxes, _) = Swarm { bodies, spacing: 10.0, path: 8.0, seed: 2 }.boxes();
        let one = |contestant: Contestant, maximum: u32| {
            if bodies > maximum {
                return (0, f64::NAN);
            }
            let runs = if bodies > 20_000 { 3 } else { settings.repeats };
            let mut found = 0;
            let mut times = Vec::new();
            for _ in 0..runs {
                let start = Instant::now();
                found = pools[0].install(|| contestant.run(&boxes));
                times.push(start.elapsed().as_secs_f64());
                if times[0] > 5.0 {
                    break;
                }
            }
            (found, median(times))
        };
        let (found, bvh) = one(Contestant::Own(BroadPhase::Bvh), u32::MAX);
        let (_, parry) = one(INTERVALS, u32::MAX);
        let rest = [
            (BroadPhase::Grid, u32::MAX),
            (BroadPhase::Octree, u32::MAX),
            (BroadPhase::Sweep, 20_000),
            (BroadPhase::BruteForce, 2000),
        ];
        let rest = rest.map(|(method, maximum)| Cell::Time(one(Contestant::Own(method), maximum).1));
        let [grid, octree, sweep, brute] = rest;
        let per_body = Cell::Ratio(1e6 * bvh / f64::from(bodies));
        let cells = [Cell::Count(boxes.len() as u64), Cell::Count(found as u64), Cell::Time(bvh), per_body];
        let last = [grid, octree, sweep, brute, Cell::Time(parry), Cell::Ratio(bvh / parry)];
        table.row(&bodies.to_string(), cells.into_iter().chain(last));
    }
    table
}

/// Times of one world's configurations, in order.
#[derive(Default)]
struct Taken {
    plain: Vec<f64>,
    raw: Vec<f64>,
    grid: Vec<f64>,
    moved: Vec<f64>,
    pairs: [Vec<f64>; 2],
    colliding: usize,
}

fn paper(settings: &Settings) -> Result<Table, Box<dyn Error>> {
    let text = format!(
        "Sinjur expects the grid to be faster than the raw method by more than 80 % on a robot of some 1,500 \
            triangles (4, 6). Each world is tested in {} configurations by seed, with all dynamic bodies moved in \
            each; CPU time of one thread, medians over the configurations. *Plain*: the exact triangle test on every \
            pair, without an earlier test. *Raw* and *grid*: a test of the bounds first rejects triangles that are \
            separated. *With moving*: also takes the bodies out of their cells and puts them into the new ones; the \
            matching work of the raw method, moving the corners, is not counted. *Less* is the fraction of the time \
            that the grid saves, moving included. Rule *all*: all pairs of bodies that collide; *first*: up to the \
            first two triangles, over the configurations without a collision as well.",
        settings.configurations
    );
    let columns = [
        "world, rule", "triangles", "colliding", "pairs, raw", "pairs, grid", "plain", "raw", "grid",
        "with moving", "less than raw", "less than plain",
    ];
    let mut table = Table::new("The paper's claim, and where it breaks down", &text, &columns);
    for world in worlds(settings.configurations)? {
        for rule in ["all", "first"] {
            eprintln!("{}, {rule}", world.name);
            let taken = measure(&world, rule == "first")?;
            let [plain, raw, grid, moved] = [taken.plain, taken.raw, taken.grid, taken.moved].map(median);
            let [raw_pairs, grid_pairs] = taken.pairs.map(|pairs| Cell::Count(median(pairs) as u64));
            let fraction = Cell::Fraction(taken.colliding as f64 / settings.configurations as f64);
            let counts = [Cell::Count(world.triangles() as u64), fraction, raw_pairs, grid_pairs];
            let times = [plain, raw, grid, moved].map(Cell::Time);
            let less = [raw, plain].map(|other| Cell::Fraction(1.0 - moved / other));
            table.row(&format!("{}, {rule}", world.name), counts.into_iter().chain(times).chain(less));
        }
    }
    Ok(table)
}

fn measure(world: &World, first: bool) -> Result<Taken, Box<dyn Error>> {
    let mut taken = Taken::default();
    let mut grid = world.grid()?;
    for configuration in 0..world.poses.len() {
        let before = if configuration == 0 { world.poses.len() - 1 } else { configuration - 1 };
        // The two moves go there and back; half of the time counts as one move.
        let (moved, there_and_back) = timed(3, || {
            world.take_up(&mut grid, before)?;
            world.take_up(&mut grid, configuration)
        });
        moved?;
        let (by_grid, grid_time) = timed(3, || answer(&grid, StaticMethod::Grid, first));
        let (by_raw, raw_time) = timed(3, || answer(&grid, StaticMethod::Raw, first));
        let (hits, plain) = timed(0, || plain(&grid, first));
        assert!(by_grid.0 == by_raw.0 && (by_raw.0 > 0) == (hits > 0), "{}: {configuration}", world.name);
        taken.plain.push(plain);
        taken.raw.push(raw_time);
        taken.grid.push(grid_time);
        taken.moved.push(grid_time + 0.5 * there_and_back);
        taken.pairs[0].push(by_raw.1 as f64);
        taken.pairs[1].push(by_grid.1 as f64);
        taken.colliding += usize::from(hits > 0);
    }
    Ok(taken)
}

/// The number of hits, and the number of triangle pairs that were tested.
fn answer(grid: &TriangleGrid<'_>, method: StaticMethod, first: bool) -> (usize, u64) {
    if first {
        let found = first_hit(grid, method);
        (usize::from(found.triangles.is_some()), found.counters.pairs)
    } else {
        let found = colliding_bodies(grid, method);
        (found.bodies.len(), found.counters.pairs)
    }
}

/// The raw method without any test before the exact one: the number of intersecting triangle pairs, or whether
/// there is one.
fn plain(grid: &TriangleGrid<'_>, first: bool) -> usize {
    let mut hits = 0;
    let _ = grid.all_pairs(&mut |a, b| {
        hits += usize::from(triangles_intersect(&grid.triangle(a), &grid.triangle(b)));
        if first && hits > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    hits
}
