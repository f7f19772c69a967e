//! Solids and clouds: formulas and parts against a mesh on a screw, clouds against tools and near an arm.
//!
//! `cargo run --release --bin shapes -- [--cases N] [--points N] [--only NAME] [--python PROGRAM] [--out DIR]`

mod points;

use std::error::Error;
use std::path::PathBuf;

use chasles::{CheckOptions, CollisionShape, JointPath, NearestReport, PairVerdict, Screw};
use chasles_bench::cases::arm::segments;
use chasles_bench::cases::scans::{cell, cloud, scan, through, tool};
use chasles_bench::cases::solids::{FAMILIES, Family, FormulaSolid, grazing, mover, passing};
use chasles_bench::checks::{CheckAnswer, check, measured, mesh, scene};
use chasles_bench::first_contact::outside::{Python, write_cases};
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::{Cell, Report, Table};
use chasles_bench::program::threads::pools;
use chasles_bench::program::timing::{median, quantile, timed};
use chasles_bench::sampling::{points_in, triangles_of, vertices_in};
use rayon::ThreadPool;

/// The settings of a run.
struct Settings {
    cases: u64,
    points: u32,
    only: Option<String>,
    python: PathBuf,
    out: PathBuf,
}

/// Epsilon, as a fraction of the size of the larger body.
const EPSILON: f64 = 1e-5;
const FINE_EPSILON: f64 = 1e-6;

/// The gap that is proven clear, as a fraction of the size.
const GAP: f64 = 0.01;

/// Cells along the longest edge for the triangulation for peers, and the number of solids of a family that peers get.
const CELLS: u32 = 120;
const FEW: u64 = 1;

fn main() -> Result<(), Box<dyn Error>> {
    let mut options = BenchArguments::here()?;
    let settings = Settings {
        cases: options.value("--cases")?.unwrap_or(30),
        points: options.value("--points")?.unwrap_or(1_000_000),
        only: options.text("--only"),
        python: options.text("--python").unwrap_or("python3".into()).into(),
        out: options.out(),
    };
    options.end()?;
    let machine = Machine::here();
    // All queries are timed on one thread.
    let [one, _] = pools()?;
    let mut marks = marks_table();
    let mut tables = Vec::new();
    let selected = |name: &str| settings.only.as_ref().is_none_or(|only| only == name);
    if selected("passing") || selected("fcl") {
        let all = one.install(|| random_motions(&settings))?;
        if selected("passing") {
            add_random_marks(&mut marks, &all);
            tables.push(random_table(&all));
        }
        if selected("fcl") {
            tables.extend(triangles_table(&settings, &all, &one)?);
        }
    }
    if selected("gap") {
        tables.push(one.install(|| grazing_table(&settings, &mut marks, GAP_TEXT, (GAP, EPSILON)))?);
    }
    if selected("near") {
        tables.push(one.install(|| {
            grazing_table(&settings, &mut marks, NEAR_TEXT, (2.0 * FINE_EPSILON, FINE_EPSILON))
        })?);
    }
    if selected("graze") {
        tables.push(
            one.install(|| grazing_table(&settings, &mut marks, GRAZE_TEXT, (-20.0 * EPSILON, EPSILON)))?,
        );
    }
    if selected("tools") {
        tables.push(one.install(|| tools_table(&settings, &mut marks))?);
    }
    if selected("points") {
        let (table, seconds) = one.install(|| points::table(&settings))?;
        add_marks(&mut marks, "points alone, a point against a level set", &seconds, [Some(1e-6), None]);
        tables.push(table);
    }
    if selected("arm") {
        tables.push(arm_table(&settings, &mut marks, &one)?);
    }
    let settings_of = vec![("cases".into(), format!("{} of each family", settings.cases))];
    tables.insert(0, marks);
    let report = Report { title: "Solids and clouds".into(), machine, settings: settings_of, tables };
    Ok(report.publish(&settings.out, "shapes")?)
}

const MARKS_TEXT: &str = "The marks that were set at the start of the work on solids, and the measured times divided \
    by them: below 1 the mark is met. All families together; the tables below list each family.";

fn marks_table() -> Table {
    let columns = ["", "median", "mark", "times the mark", "p95", "mark", "times the mark"];
    Table::new("Marks", MARKS_TEXT, &columns)
}

/// Adds the median and the 95th percentile of the times, in seconds, with their targets.
fn add_marks(marks: &mut Table, name: &str, seconds: &[f64], wished: [Option<f64>; 2]) {
    let cells = [0.5, 0.95].into_iter().zip(wished).flat_map(|(fraction, mark)| {
        let own = quantile(seconds.iter().copied(), fraction);
        let [wished, ratio] =
            mark.map_or([Cell::Empty, Cell::Empty], |mark| [Cell::Time(mark), Cell::Ratio(own / mark)]);
        [Cell::Time(own), wished, ratio]
    });
    marks.row(name, cells);
}

fn add_random_marks(marks: &mut Table, all: &[MotionResult]) {
    let wished = [Some(1e-3), Some(10e-3)];
    let whole: Vec<f64> = all.iter().map(|queried| queried.whole.seconds).collect();
    let until = |queried: &MotionResult| {
        queried.first.as_ref().map_or(queried.whole.seconds, |answer| answer.seconds)
    };
    let first: Vec<f64> = all.iter().map(until).collect();
    add_marks(marks, "solid against a mesh on a screw, every contact interval", &whole, wished);
    add_marks(marks, "the same until the first contact, or clear", &first, wished);
}

/// One case with its answers.
struct MotionResult {
    name: &'static str,
    seed: u64,
    screw: Screw,
    whole: CheckAnswer,
    /// The same motion, cut off at the first contact.
    first: Option<CheckAnswer>,
    /// The time of contact found by sampling, and the seconds that sampling took.
    sampled: Sampled,
}

/// The seed of a case, which determines the whole case.
fn seed_of(family: Family, case: u64) -> u64 {
    1000 * (1 + family as u64) + case
}

fn random_motions(settings: &Settings) -> Result<Vec<MotionResult>, chasles::Error> {
    let mut all = Vec::new();
    for (name, family) in FAMILIES {
        eprintln!("{name}");
        for case in 0..settings.cases {
            let seed = seed_of(family, case);
            all.push(one_random((name, family), seed)?);
        }
    }
    Ok(all)
}

fn one_random((name, family): (&'static str, Family), seed: u64) -> Result<MotionResult, chasles::Error> {
    let target = FormulaSolid::new(family, seed)?;
    let raw = mover(seed);
    let moving = mesh(&raw)?;
    let mut tries = seed << 8;
    loop {
        let screw = passing(tries)?;
        tries += 1;
        let epsilon = EPSILON * target.size().max(moving.diagonal());
        let sides = [(&moving, false), (&target.shape, true)];
        let whole = check(&scene(sides, &screw, (epsilon, 1.0))?)?;
        if whole.is(PairVerdict::Overlapping) {
            continue;
        }
        let first = until_first(&whole, sides, &screw, epsilon)?;
        let sampled = measured(|| vertices_in(&target, &raw.0, &screw));
        if whole.seconds > 0.3 {
            eprintln!("  seed {seed}, {:?}: {:.3} s", whole.pair.verdict, whole.seconds);
        }
        return Ok(MotionResult { name, seed, screw, whole, first, sampled });
    }
}

/// The same motion, cut off right after the first contact, if there is one.
fn until_first(
    whole: &CheckAnswer,
    sides: [(&CollisionShape, bool); 2],
    screw: &Screw,
    epsilon: f64,
) -> Result<Option<CheckAnswer>, chasles::Error> {
    let Some(contact_time) = whole.contact_time().filter(|_| whole.is(PairVerdict::Contact)) else {
        return Ok(None);
    };
    let until = (contact_time * (1.0 + 1e-6) + 1e-9).min(1.0);
    check(&scene(sides, screw, (epsilon, until))?).map(Some)
}

/// Median, 95th percentile and maximum.
fn times(seconds: &[f64]) -> [Cell; 3] {
    let of = |fraction| Cell::Time(quantile(seconds.iter().copied(), fraction));
    [of(0.5), of(0.95), of(1.0)]
}

fn count(n: usize) -> Cell {
    Cell::Count(n as u64)
}

const RANDOM_TEXT: &str = "A mesh of about 1,000 triangles (its surface) on a random screw past a solid; epsilon is \
    1e-5 of the larger diagonal. *Whole*: the check of the whole motion, which reports every contact interval with \
    its start and end. *First*: the same motion cut off right after the first contact. *Clear*: motions without \
    contact. *Sampled*: the value of the same formula, by the engine's plain evaluation, at every vertex of the mesh \
    at 100 evenly spaced poses up to the first that is inside; *missed* are the contacts that the engine proved and \
    sampling did not see. Unfair: sampling reports nothing between poses or vertices, and no end of a contact.";

fn random_table(all: &[MotionResult]) -> Table {
    let columns = [
        "", "meet", "whole, median", "p95", "longest", "first, median", "p95", "longest", "clear", "median",
        "p95", "longest", "undecided", "sampled, median", "p95", "missed",
    ];
    let mut table = Table::new("Random motions of a mesh of 1,000 triangles", RANDOM_TEXT, &columns);
    let names = FAMILIES.map(|(name, _)| name).into_iter().chain(["all"]);
    for name in names {
        let of: Vec<&MotionResult> =
            all.iter().filter(|queried| name == "all" || queried.name == name).collect();
        let seconds = |verdict: PairVerdict| -> Vec<f64> {
            of.iter().filter(|a| a.whole.is(verdict)).map(|a| a.whole.seconds).collect()
        };
        let (meet, clear) = (seconds(PairVerdict::Contact), seconds(PairVerdict::Clear));
        let first: Vec<f64> =
            of.iter().filter_map(|a| a.first.as_ref()).map(|answer| answer.seconds).collect();
        let sampled: Vec<f64> = of.iter().map(|a| a.sampled.1).collect();
        let missed = of.iter().filter(|a| a.whole.is(PairVerdict::Contact) && a.sampled.0.is_none()).count();
        let undecided = of.iter().filter(|a| a.whole.is(PairVerdict::Undecided)).count();
        let [sampled_median, sampled_p95, _] = times(&sampled);
        let mut cells = vec![count(meet.len())];
        cells.extend(times(&meet).into_iter().chain(times(&first)));
        cells.push(count(clear.len()));
        cells.extend(times(&clear));
        cells.extend([count(undecided), sampled_median, sampled_p95, count(missed)]);
        table.row(name, cells);
    }
    table
}

/// The time of contact found by sampling, and the seconds that sampling took.
type Sampled = (Option<f64>, f64);

/// Heading and text of a table of grazing motions.
type Heading = (&'static str, &'static str);

const GAP_TEXT: Heading = (
    "Clear by 1 % of the size",
    "The mesh rotates about an axis along a direction n, so that its points keep their heights along n; halfway its \
        lowest point is right above the solid's top, 1 % of the larger diagonal away. Epsilon is 1e-5 of this \
        diagonal. *Sampled* as above. The tops of metaballs are found by climbing, the tops of gyroids by trial to \
        about a thousandth.",
);

const NEAR_TEXT: Heading = (
    "Near misses at two epsilon",
    "The same, two epsilon away; epsilon is 1e-6 of the larger diagonal. Gyroids are left out, because their tops are \
        known less precisely.",
);

const GRAZE_TEXT: Heading =
    ("Grazing contacts", "The same, 20 epsilon deep; epsilon is 1e-5 of the larger diagonal.");

fn grazing_table(
    settings: &Settings,
    marks: &mut Table,
    (title, text): Heading,
    (gap, epsilon): (f64, f64),
) -> Result<Table, chasles::Error> {
    eprintln!("{title}");
    let columns = [
        "", "cases", "median", "p95", "longest", "clear", "contact", "overlapping", "undecided",
        "sampled, median", "sampled: inside",
    ];
    let mut table = Table::new(title, text, &columns);
    let mut all: Vec<(&str, CheckAnswer, Sampled)> = Vec::new();
    let families = FAMILIES.into_iter().filter(|(_, family)| *family != Family::Gyroid || gap == GAP);
    for (name, family) in families.clone() {
        for case in 0..settings.cases {
            let seed = seed_of(family, case);
            let (target, raw) = (FormulaSolid::new(family, seed)?, mover(seed));
            let moving = mesh(&raw)?;
            let size = target.size().max(moving.diagonal());
            let Some(screw) = grazing(&target, &raw, gap * size, seed)? else { continue };
            let scene = scene([(&moving, false), (&target.shape, true)], &screw, (epsilon * size, 1.0))?;
            let answer = check(&scene)?;
            if answer.seconds > 0.3 || answer.is(PairVerdict::Undecided) {
                eprintln!("  {name}, seed {seed}, {:?}: {:.3} s", answer.pair.verdict, answer.seconds);
            }
            let expected = if gap > 0.0 { PairVerdict::Clear } else { PairVerdict::Contact };
            if !answer.is(expected) && !answer.is(PairVerdict::Overlapping) {
                eprintln!("  {name}, seed {seed}: {:?} {:?}", answer.pair.verdict, answer.pair.intervals);
            }
            all.push((name, answer, measured(|| vertices_in(&target, &raw.0, &screw))));
        }
    }
    let seconds: Vec<f64> = all.iter().map(|queried| queried.1.seconds).collect();
    let wished = if gap == GAP { Some(2e-4) } else { (gap > 0.0).then_some(0.2) };
    let wished = [wished, None];
    add_marks(marks, title, &seconds, wished);
    for name in families.map(|(name, _)| name).chain(["all"]) {
        let of: Vec<_> = all.iter().filter(|queried| name == "all" || queried.0 == name).collect();
        let seconds: Vec<f64> = of.iter().map(|queried| queried.1.seconds).collect();
        let verdicts =
            [PairVerdict::Clear, PairVerdict::Contact, PairVerdict::Overlapping, PairVerdict::Undecided];
        let mut cells = vec![count(of.len())];
        cells.extend(times(&seconds));
        cells
            .extend(verdicts.map(|verdict| count(of.iter().filter(|queried| queried.1.is(verdict)).count())));
        cells.push(Cell::Time(median(of.iter().map(|queried| queried.2.1))));
        cells.push(count(of.iter().filter(|queried| queried.2.0.is_some()).count()));
        table.row(name, cells);
    }
    Ok(table)
}

const TRIANGLES_TEXT: &str = "The first solids of each family as triangles (marching tetrahedra, vertices on the \
    surface): their number, and their largest measured deviation from the solid as a fraction of the larger diagonal, \
    to be compared with epsilon's 1e-5. python-fcl tests the mesh against them at 100 evenly spaced poses up to the \
    first that intersects, in a Python loop; its hierarchy is built beforehand (*made*: the triangles alone). Chasles \
    proves the whole motion (*whole*), or the motion until its first contact (*first*). *First / fcl* above 1: \
    python-fcl is faster. *Missed*: the engine proved a contact that no pose showed; *claimed*: a pose shows a \
    contact although the engine proved the motion clear.";

fn triangles_table(
    settings: &Settings,
    all: &[MotionResult],
    pool: &ThreadPool,
) -> Result<Option<Table>, Box<dyn Error>> {
    let python = Python::find(&settings.python).filter(|python| python.has("fcl"));
    let Some(python) = python else {
        eprintln!("no python-fcl in {}", settings.python.display());
        return Ok(None);
    };
    let columns = [
        "", "triangles", "error, fraction of size", "made", "cases", "chasles, whole", "first",
        "fcl, median", "fcl, p95", "first / fcl", "missed", "claimed",
    ];
    let mut table =
        Table::new("Triangles instead of formulas: python-fcl 0.7.0.11", TRIANGLES_TEXT, &columns);
    for (name, family) in FAMILIES {
        eprintln!("triangles of {name}");
        let (mut answers, mut off, mut many, mut made) = (Vec::new(), 0.0_f64, Vec::new(), Vec::new());
        for case in 0..FEW.min(settings.cases) {
            // The same solid is used for several motions.
            let target = FormulaSolid::new(family, seed_of(family, case))?;
            let ((solid, deviation), seconds) = timed(0, || triangles_of(&target, CELLS));
            off = off.max(deviation / target.size());
            many.push(solid.1.len() as f64);
            made.push(seconds);
            let raw = mover(seed_of(family, case));
            let moving = mesh(&raw)?;
            let mut cases = Vec::new();
            let mut answer = Vec::new();
            let epsilon = EPSILON * target.size().max(moving.diagonal());
            let first =
                all.iter().find(|queried| queried.seed == seed_of(family, case)).map(|queried| queried.screw);
            let more = (0..10).filter_map(|n| passing((seed_of(family, case) << 8) + 128 + n).ok());
            for screw in first.into_iter().chain(more) {
                let sides = [(&moving, false), (&target.shape, true)];
                let scene = scene(sides, &screw, (epsilon, 1.0))?;
                let one = pool.install(|| check(&scene))?;
                if !one.is(PairVerdict::Overlapping) {
                    let first = pool.install(|| until_first(&one, sides, &screw, epsilon))?;
                    cases.push(([0, 1], screw));
                    answer.push((first.map_or(one.seconds, |answer| answer.seconds), one));
                }
            }
            let folder = std::env::temp_dir().join(format!("chasles-bench-shapes-{}", std::process::id()));
            write_cases(&folder, &[raw, solid], &cases)?;
            let queried = python.query(&folder, "fcl-sampled", 20.0)?;
            std::fs::remove_dir_all(&folder)?;
            answers.extend(answer.into_iter().zip(queried));
        }
        let of = |verdict: PairVerdict, seen: bool| {
            answers.iter().filter(|((_, own), (time, _))| own.is(verdict) && time.is_some() == seen).count()
        };
        let own = median(answers.iter().map(|((_, own), _)| own.seconds));
        let first = median(answers.iter().map(|((first, _), _)| *first));
        let peer: Vec<f64> = answers.iter().map(|(_, (_, seconds))| *seconds).collect();
        let [half, late, _] = times(&peer);
        table.row(
            name,
            [
                Cell::Count(median(many) as u64),
                Cell::TimeFraction(off),
                Cell::Time(median(made)),
                count(answers.len()),
                Cell::Time(own),
                Cell::Time(first),
                half,
                late,
                Cell::Ratio(first / median(peer)),
                count(of(PairVerdict::Contact, false)),
                count(of(PairVerdict::Clear, true)),
            ],
        );
    }
    Ok(Some(table))
}

const TOOLS_TEXT: &str = "A cloud of 100,000 points, scanned from boxes on a floor, each a ball of 2 mm; a solid \
    capsule or box moves through the cloud on a screw of up to 0.7 m and 1.5 rad; epsilon is 1e-5 of the cloud's \
    diagonal. The whole motion, and the motion up to the first contact. *Sampled*: the distance of the tool to every \
    point at 100 evenly spaced poses, up to the first within 2 mm, without a hierarchy.";

fn tools_table(settings: &Settings, marks: &mut Table) -> Result<Table, chasles::Error> {
    eprintln!("tools");
    let columns = [
        "", "cases", "median", "p95", "longest", "until first contact, median", "p95", "undecided",
        "sampled, median", "missed", "made",
    ];
    let mut table = Table::new("Tools through a cloud of 100,000 points", TOOLS_TEXT, &columns);
    let (points, radius) = (scan(100_000, 0.2, 1), 0.002);
    let shape = cloud(&points, radius)?;
    let epsilon = EPSILON * shape.diagonal();
    for solid in [true, false] {
        let (mut meet, mut clear, mut first, mut undecided) = (Vec::new(), Vec::new(), Vec::new(), 0);
        let (mut sampled, mut missed, mut made) = (Vec::new(), 0, None);
        let mut case = 0;
        while meet.len() + clear.len() < 4 * settings.cases as usize {
            case += 1;
            let (tool, screw) = (tool(case), through(case)?);
            let moving = CollisionShape::primitive(tool)?;
            let sides = [(&moving, solid), (&shape, false)];
            let whole = scene(sides, &screw, (epsilon, 1.0))?;
            // The hierarchy of the cloud is built at its first query.
            if made.is_none() {
                let (_, seconds) = timed(0, || check(&whole));
                made = Some(seconds);
            }
            let answer = check(&whole)?;
            if answer.seconds > 0.1 {
                eprintln!("  tool {case}, solid {solid}, {:?}: {:.3} s", answer.pair.verdict, answer.seconds);
            }
            match answer.pair.verdict {
                PairVerdict::Contact => {
                    meet.push(answer.seconds);
                    first.extend(until_first(&answer, sides, &screw, epsilon)?.map(|answer| answer.seconds));
                }
                PairVerdict::Clear => clear.push(answer.seconds),
                PairVerdict::Undecided => undecided += 1,
                _ => continue,
            }
            if solid {
                let (found, seconds) = timed(0, || points_in(&tool, (&points, radius), &screw));
                sampled.push(seconds);
                missed += usize::from(answer.is(PairVerdict::Contact) && found.is_none());
            }
        }
        let of = if solid { "solid tool" } else { "surface of the tool" };
        let both: Vec<f64> = meet.iter().chain(&clear).copied().collect();
        add_marks(marks, &format!("{of}, cloud of 100,000, whole motion"), &both, [Some(1e-4), None]);
        for (name, seconds, meets) in [("meet", &meet, true), ("clear", &clear, false)] {
            let mut cells = vec![count(seconds.len())];
            cells.extend(times(seconds));
            if meets {
                let [half, late, _] = times(&first);
                cells.extend([half, late, count(undecided)]);
                let sampled = if solid { Cell::Time(median(sampled.iter().copied())) } else { Cell::Empty };
                let missed = if solid { count(missed) } else { Cell::Empty };
                cells.extend([sampled, missed, made.map_or(Cell::Empty, Cell::Time)]);
            } else {
                cells.extend([Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty]);
            }
            table.row(&format!("{of}, {name}"), cells);
        }
    }
    Ok(table)
}

const ARM_TEXT: &str = "An arm with six joints and a UR5's proportions, each of its seven links a cylinder of 512 \
    triangles, in a cloud of 1,000,000 points, each a ball of 2 mm, scanned from boxes within its reach; paths of one \
    segment, with the fastest joint rotating by the given angle; all pairs, links with each other included; the \
    default epsilon, 1e-6 of the cloud's diagonal. *First contact*: the path cut off right after its first contact.";

fn arm_table(settings: &Settings, marks: &mut Table, one: &ThreadPool) -> Result<Table, Box<dyn Error>> {
    eprintln!("arm");
    let columns = [
        "", "pairs", "meet", "first contact, median", "p95", "longest", "whole, median", "p95", "free",
        "median", "p95", "longest", "undecided", "first path: hierarchy made",
    ];
    let mut table = Table::new("An arm beside a cloud of 1,000,000 points", ARM_TEXT, &columns);
    let points = scan(settings.points, 0.45, 2);
    let cell = cell(cloud(&points, 0.002)?)?;
    let options = CheckOptions { naming: NearestReport::Nothing, ..CheckOptions::default() };
    let check = |path: &JointPath| {
        one.install(|| {
            let (report, seconds) = measured(|| cell.check_path(path, &options, &()));
            report.map(|report| (report.report, seconds))
        })
    };
    for turn in [0.3, 1.0] {
        let (mut first, mut whole, mut free, mut undecided, mut pairs, mut made) =
            (Vec::new(), Vec::new(), Vec::new(), 0, 0, None);
        for (number, path) in
            segments(cell.robot(), 2 * settings.cases as usize, (turn, 3)).into_iter().enumerate()
        {
            if made.is_none() {
                let (_, seconds) = one.install(|| timed(0, || cell.check_path(&path, &options, &())));
                made = Some(seconds);
            }
            let (report, seconds) = check(&path)?;
            if seconds > 0.5 {
                eprintln!("  path {number} of {turn} rad, {:?}: {seconds:.3} s", report.verdict);
            }
            pairs = report.pairs_tested;
            match report.verdict {
                PairVerdict::Contact => {
                    whole.push(seconds);
                    let contact_time = report.pairs.iter().filter_map(|pair| pair.intervals.first());
                    let contact_time = contact_time.map(|interval| interval.enter[1]).fold(1.0, f64::min);
                    let until = (contact_time * (1.0 + 1e-6) + 1e-9).min(1.0);
                    let mut cut = path.clone();
                    cut.waypoints[1].positions = path.positions_at(until);
                    cut.waypoints[1].time = until;
                    first.push(check(&cut)?.1);
                }
                PairVerdict::Clear => free.push(seconds),
                PairVerdict::Undecided => undecided += 1,
                _ => {}
            }
        }
        add_marks(
            marks,
            &format!("arm, cloud of 1,000,000, {turn} rad, first contact"),
            &first,
            [Some(0.01), None],
        );
        let mut cells = vec![count(pairs), count(whole.len())];
        cells.extend(times(&first));
        let [half, late, _] = times(&whole);
        cells.extend([half, late, count(free.len())]);
        cells.extend(times(&free));
        cells.extend([count(undecided), made.map_or(Cell::Empty, Cell::Time)]);
        table.row(&format!("{turn} rad"), cells);
    }
    Ok(table)
}
