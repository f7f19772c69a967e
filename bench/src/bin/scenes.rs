//! Whole scenes: many moving bodies, a train of gears, near misses, knots on twists, round bodies; and a comparison
//! of the broad phases.
//!
//! `cargo run --release --bin scenes -- [--largest N] [--gears N] [--cases N] [--repeats N] [--out DIR]`

use std::error::Error;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use chasles::broad_phase::candidates;
use chasles::papers::methods::{self, BroadPhase};
use chasles::{
    CheckOptions, Options, PairListing, PairVerdict, ProgressMonitor, Scene, SceneReport, Screw,
    contact_intervals,
};
use chasles_bench::cases::gears::Train;
use chasles_bench::cases::moving::{ROUND, boxes, crowd, dip, knots, near_miss};
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::{Cell, Report, Table};
use chasles_bench::program::threads::pools;
use chasles_bench::program::timing::{median, of_all_threads, quantile};
use rayon::ThreadPool;

/// The settings of a run.
struct Settings {
    largest: u32,
    gears: u32,
    cases: u64,
    repeats: usize,
    out: PathBuf,
}

impl Settings {
    fn parse(mut arguments: BenchArguments) -> Result<Self, String> {
        let settings = Self {
            largest: arguments.value("--largest")?.unwrap_or(200_000),
            gears: arguments.value("--gears")?.unwrap_or(20_u32).max(2),
            cases: arguments.value("--cases")?.unwrap_or(50_u64).max(1),
            repeats: arguments.value("--repeats")?.unwrap_or(5_usize).max(1),
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
    let tables = vec![
        many(&settings, &pools)?,
        methods(&settings, &pools)?,
        train(&settings, &pools)?,
        near(&settings, &pools)?,
        intersecting_knots(&settings, &pools)?,
        round(&settings, &pools)?,
    ];
    let repeats = settings.repeats;
    let text = format!(
        "medians of {repeats} runs by wall time, after one warm-up run; a case that takes more than 5 s is run once"
    );
    let shared =
        "shared with other work; *processors had* is the CPU time of a run on two threads divided by its \
        wall time"
            .to_owned();
    let settings_of = vec![("repeats".into(), text), ("machine".into(), shared)];
    let report = Report { title: "Scenes".into(), machine, settings: settings_of, tables };
    Ok(report.publish(&settings.out, "scenes")?)
}

/// Records the start of a check, and the end of its broad phase: the first pairs that the check reports as done are
/// the pairs that the broad phase excluded.
#[derive(Debug, Default)]
struct Split {
    started: Mutex<Option<Instant>>,
    /// Seconds of the broad phase, and the number of pairs that it excluded.
    thrown_out: Mutex<Option<(f64, usize)>>,
}

impl ProgressMonitor for Split {
    fn begin(&self, _: usize) {
        if let Ok(mut started) = self.started.lock() {
            *started = Some(Instant::now());
        }
    }

    fn done(&self, pairs: usize) {
        if let (Ok(started), Ok(mut thrown_out)) = (self.started.lock(), self.thrown_out.lock())
            && let (Some(started), None) = (*started, *thrown_out)
        {
            *thrown_out = Some((started.elapsed().as_secs_f64(), pairs));
        }
    }
}

/// A checked scene.
struct Checked {
    report: SceneReport,
    /// Seconds: in total, and of the broad phase.
    seconds: [f64; 2],
    /// The average number of processors used.
    cores: f64,
    /// Pairs left after the broad phase.
    candidates: usize,
}

fn check(scene: &Scene, options: &CheckOptions, pool: &ThreadPool) -> Result<Checked, chasles::Error> {
    let watch = Split::default();
    let (start, had) = (Instant::now(), of_all_threads());
    let report = pool.install(|| scene.check(options, &watch))?;
    let whole = start.elapsed().as_secs_f64();
    let cores = (of_all_threads() - had) / whole;
    let thrown_out = watch.thrown_out.lock().ok().and_then(|seen| *seen);
    let (broad, thrown_out) = thrown_out.unwrap_or((0.0, 0));
    Ok(Checked { candidates: report.pairs_tested - thrown_out, seconds: [whole, broad], cores, report })
}

/// Checks a scene several times, and returns medians. The first run does not count, unless it takes more than a few
/// seconds.
fn checked(
    scene: &Scene,
    options: &CheckOptions,
    (pool, repeats): (&ThreadPool, usize),
) -> Result<Checked, chasles::Error> {
    let first = check(scene, options, pool)?;
    if first.seconds[0] > 5.0 {
        return Ok(first);
    }
    let runs = (0..repeats).map(|_| check(scene, options, pool)).collect::<Result<Vec<_>, _>>()?;
    for run in &runs {
        assert_eq!(run.report, first.report, "the same input gives the same bits");
    }
    let seconds = [0, 1].map(|i| median(runs.iter().map(|run| run.seconds[i])));
    let cores = median(runs.iter().map(|run| run.cores));
    Ok(Checked { seconds, cores, ..first })
}

/// Checks with one thread and with two, whose reports must be equal.
fn on_both(
    scene: &Scene,
    options: &CheckOptions,
    (pools, repeats): (&[ThreadPool; 2], usize),
) -> Result<[Checked; 2], chasles::Error> {
    let one = checked(scene, options, (&pools[0], repeats))?;
    let two = checked(scene, options, (&pools[1], repeats))?;
    assert_eq!(one.report, two.report, "any number of threads gives the same bits");
    Ok([one, two])
}

fn of_verdict(report: &SceneReport, selected: impl Fn(PairVerdict) -> bool) -> u64 {
    report.pairs.iter().filter(|pair| selected(pair.verdict)).count() as u64
}

fn meets(verdict: PairVerdict) -> bool {
    verdict >= PairVerdict::Contact
}

fn many(settings: &Settings, pools: &[ThreadPool; 2]) -> Result<Table, Box<dyn Error>> {
    let text = "Boxes and lumps of 12 to 80 triangles, each along its own screw about an axis through its centre: up \
        to 8 mean radii long, up to 3 rad; the cube's side leaves each body 10 mean radii of space. `Scene::check` \
        over the whole motion. *Broad* is the part of that time until the candidate pairs are known, bounding the \
        bodies included. *Alone* is `candidates` alone, called with boxes around the vertices in 16 time intervals of \
        each body; *found* is the number of its pairs.";
    let columns = [
        "bodies", "pairs tested", "candidates", "in contact", "undecided", "1 thread", "broad, 1 thread",
        "2 threads", "broad, 2 threads", "processors had", "a candidate, 1 thread", "alone, found",
        "alone, 1 thread", "alone, 2 threads",
    ];
    let mut table = Table::new("Many moving bodies", text, &columns);
    for bodies in [200, 2000, 20_000, 200_000].into_iter().filter(|n| *n <= settings.largest) {
        eprintln!("{bodies} bodies");
        let scene = crowd(bodies, 3)?;
        let repeats = if bodies > 20_000 { settings.repeats.min(3) } else { settings.repeats };
        let [one, two] = on_both(&scene, &CheckOptions::default(), (pools, repeats))?;
        let boxes = boxes(&scene);
        let mut found = 0;
        let alone = [0, 1].map(|i| {
            median(
                (0..repeats)
                    .map(|_| {
                        let start = Instant::now();
                        let all = pools[i].install(|| candidates(&boxes, &|_, _| true));
                        let seconds = start.elapsed().as_secs_f64();
                        let mut pairs: Vec<_> = all.iter().map(|candidate| candidate.bodies).collect();
                        pairs.dedup();
                        found = pairs.len();
                        seconds
                    })
                    .collect::<Vec<_>>(),
            )
        });
        let report = &one.report;
        let counts = [
            report.pairs_tested as u64,
            one.candidates as u64,
            of_verdict(report, meets),
            of_verdict(report, |verdict| verdict == PairVerdict::Undecided),
        ];
        let fraction = |run: &Checked| Cell::Fraction(run.seconds[1] / run.seconds[0]);
        let each = (one.seconds[0] - one.seconds[1]) / one.candidates.max(1) as f64;
        let times = [
            Cell::Time(one.seconds[0]),
            fraction(&one),
            Cell::Time(two.seconds[0]),
            fraction(&two),
            Cell::Ratio(two.cores),
            Cell::Time(each),
            Cell::Count(found as u64),
        ];
        let last = alone.map(Cell::Time);
        table.row(&bodies.to_string(), counts.map(Cell::Count).into_iter().chain(times).chain(last));
    }
    Ok(table)
}

fn methods(settings: &Settings, pools: &[ThreadPool; 2]) -> Result<Table, Box<dyn Error>> {
    let text =
        "The boxes of the scene of 2,000 bodies by each method. The bench stops if the candidates differ.";
    let columns = ["", "candidates", "1 thread", "2 threads"];
    let mut table = Table::new("Broad phases on one scene", text, &columns);
    let boxes = boxes(&crowd(2000, 3)?);
    let mut first = None;
    for method in BroadPhase::ALL {
        eprintln!("{}", method.name());
        let mut found = 0;
        let times = [0, 1].map(|i| {
            let timed = (0..settings.repeats).map(|_| {
                let start = Instant::now();
                let all = pools[i].install(|| methods::candidates(&boxes, &|_, _| true, method));
                let seconds = start.elapsed().as_secs_f64();
                found = all.len();
                assert!(*first.get_or_insert_with(|| all.clone()) == all, "{}", method.name());
                seconds
            });
            median(timed.collect::<Vec<_>>())
        });
        table.row(method.name(), [Cell::Count(found as u64)].into_iter().chain(times.map(Cell::Time)));
    }
    Ok(table)
}

fn train(settings: &Settings, pools: &[ThreadPool; 2]) -> Result<Table, Box<dyn Error>> {
    let text = format!(
        "{} spur gears in a row with 18, 24, 20 and 30 teeth in turn, involute, with a play of 0.1 modules in each \
            tooth; the first makes one turn, the others rotate by their gear ratios. *Wrong phase*: the middle gear \
            is rotated by half a tooth, so that it collides with both neighbours.",
        settings.gears
    );
    let columns = [
        "", "triangles", "candidates", "clear", "in contact", "undecided", "intervals", "1 thread",
        "2 threads", "processors had",
    ];
    let mut table = Table::new("A train of gears", &text, &columns);
    for (name, train) in [("right", Train::Right), ("wrong phase", Train::WrongPhase)] {
        eprintln!("gears, {name}");
        let scene = train.scene(settings.gears)?;
        let [one, two] = on_both(&scene, &CheckOptions::default(), (pools, settings.repeats))?;
        let report = &one.report;
        let triangles: usize = scene
            .bodies()
            .iter()
            .filter_map(|body| body.shape.as_ref())
            .map(|shape| shape.drawn().triangles().len())
            .sum();
        let undecided = of_verdict(report, |verdict| verdict == PairVerdict::Undecided);
        let intervals: usize = report.pairs.iter().map(|pair| pair.intervals.len()).sum();
        let counts = [
            triangles as u64,
            one.candidates as u64,
            report.pairs_clear as u64,
            of_verdict(report, meets),
            undecided,
            intervals as u64,
        ];
        let cores = Cell::Ratio(two.cores);
        let times = [one, two].map(|run| Cell::Time(run.seconds[0]));
        table.row(name, counts.map(Cell::Count).into_iter().chain(times).chain([cores]));
    }
    Ok(table)
}

fn near(settings: &Settings, pools: &[ThreadPool; 2]) -> Result<Table, Box<dyn Error>> {
    let text = format!(
        "Two lumps of 12 to 80 triangles that reach 1 from their origins, both on twists, with a known minimum \
            distance: each body stays on its side of two parallel planes, and a vertex of each touches its plane, one \
            above the other. {} cases by seed for each gap; one thread. *Plain*: only proves the pair clear. *All*: \
            also computes the minimum distance, which the report encloses. *Slack* is the distance of the enclosure's \
            lower end from the true gap, as a fraction of the gap.",
        settings.cases
    );
    let columns = [
        "gap",
        "clear",
        "undecided",
        "in contact",
        "plain, median",
        "plain, 95 %",
        "all, median",
        "all, 95 %",
        "gap_at_least / gap, median",
        "minimum",
        "slack to the true gap, maximum",
    ];
    let mut table = Table::new("Near misses", &text, &columns);
    let all = CheckOptions { listed: PairListing::All, ..CheckOptions::default() };
    for gap in [1e-2, 1e-3, 1e-4, 1e-5] {
        eprintln!("gap {gap:e}");
        let (mut plain, mut listed, mut ratios, mut slack) = (vec![], vec![], vec![], vec![]);
        let mut verdicts = [0_u64; 3];
        for seed in 0..settings.cases {
            let scene = near_miss(gap, seed)?;
            let run = checked(&scene, &CheckOptions::default(), (&pools[0], settings.repeats))?;
            plain.push(run.seconds[0]);
            verdicts[match run.report.verdict {
                PairVerdict::Clear | PairVerdict::Near => 0,
                PairVerdict::Undecided => 1,
                PairVerdict::Contact | PairVerdict::Overlapping => 2,
            }] += 1;
            let run = checked(&scene, &all, (&pools[0], settings.repeats))?;
            listed.push(run.seconds[0]);
            if let Some([lower, upper]) = run.report.pairs[0].gap {
                // The positions of vertices that were moved are exact only up to rounding.
                let rounding = 1e-13;
                assert!(
                    lower <= gap + rounding && gap <= upper + rounding,
                    "seed {seed}, gap {gap:e}: [{lower:e}, {upper:e}]"
                );
                ratios.push(lower / upper);
                slack.push(1.0 - lower / gap);
            }
        }
        let cells = [
            Cell::Time(median(plain.clone())),
            Cell::Time(quantile(plain, 0.95)),
            Cell::Time(median(listed.clone())),
            Cell::Time(quantile(listed, 0.95)),
            Cell::Ratio(median(ratios.clone())),
            Cell::Ratio(quantile(ratios, 0.0)),
            Cell::Fraction(quantile(slack, 1.0)),
        ];
        table.row(&format!("{gap:e}"), verdicts.map(Cell::Count).into_iter().chain(cells));
    }
    Ok(table)
}

fn intersecting_knots(settings: &Settings, pools: &[ThreadPool; 2]) -> Result<Table, Box<dyn Error>> {
    let text = "Two torus knots of some 1,000 triangles, both on twists, with `Scene::check`. For comparison, the \
        single screw from A's first pose to its last in B's frame, which has about the same length but is another \
        motion: with `Scene::check`, where A moves on the screw and B is static, and with `contact_intervals`. Cases \
        without contact in any of the three are left out. One thread. The *ratio* is each case's time divided by its \
        time on twists.";
    let columns = ["", "cases", "intervals", "median", "95 %", "ratio, median", "95 %"];
    let mut table = Table::new("Two knots that intersect", text, &columns);
    let names = ["both on twists", "one screw, scene", "one screw, contact_intervals"];
    let mut seconds = [const { Vec::new() }; 3];
    let mut intervals = [0; 3];
    for seed in 0..settings.cases {
        let case = knots(seed)?;
        let mut found = Vec::new();
        for scene in [&case.twists, &case.one_screw] {
            let run = checked(scene, &CheckOptions::default(), (&pools[0], settings.repeats))?;
            assert_ne!(run.report.verdict, PairVerdict::Undecided, "seed {seed}");
            found.push((run.report.pairs.iter().map(|pair| pair.intervals.len()).sum(), run.seconds[0]));
        }
        found.push(one_screw(&case.twists, &case.screw, settings.repeats)?);
        assert_eq!(found[1].0, found[2].0, "seed {seed}: the same screw");
        if found.iter().all(|(contact, _)| *contact > 0) {
            for (i, (contact, time)) in found.into_iter().enumerate() {
                intervals[i] += contact;
                seconds[i].push(time);
            }
        }
    }
    for (i, name) in names.into_iter().enumerate() {
        let ratios: Vec<f64> =
            seconds[i].iter().zip(&seconds[0]).map(|(time, twists)| time / twists).collect();
        let of = |fraction: f64| Cell::Time(quantile(seconds[i].iter().copied(), fraction));
        let ratio = |fraction: f64| Cell::Ratio(quantile(ratios.iter().copied(), fraction));
        let counts = [seconds[i].len() as u64, intervals[i] as u64].map(Cell::Count);
        table.row(name, counts.into_iter().chain([of(0.5), of(0.95), ratio(0.5), ratio(0.95)]));
    }
    Ok(table)
}

/// The number of contact intervals of the first two bodies along one screw, and the time in seconds.
fn one_screw(scene: &Scene, screw: &Screw, repeats: usize) -> Result<(usize, f64), chasles::Error> {
    let [Some(a), Some(b)] =
        [0, 1].map(|i| scene.bodies()[i].shape.as_ref().and_then(chasles::CollisionShape::body))
    else {
        return Ok((0, f64::NAN));
    };
    let options = Options { tolerance: Some(scene.tolerance()), ..Options::default() };
    let mut seconds = Vec::new();
    let mut contact = 0;
    for _ in 0..=repeats {
        // As in a check, each run has a new workspace.
        let start = Instant::now();
        let found = contact_intervals(a, b, screw, &options)?;
        seconds.push(start.elapsed().as_secs_f64());
        contact = found.intervals.len();
    }
    seconds.remove(0);
    Ok((contact, median(seconds)))
}

fn round(settings: &Settings, pools: &[ThreadPool; 2]) -> Result<Table, Box<dyn Error>> {
    let text = format!(
        "A round body dips into a slab and comes out again, on two screws with up to 2 rad each; {} cases by seed. \
            One thread. *Widest* is the maximum width of the enclosure of an interval's end, in seconds; the scene \
            lasts one second.",
        settings.cases
    );
    let columns = ["", "in contact", "undecided", "intervals", "median", "95 %", "slowest", "widest"];
    let mut table = Table::new("Round bodies that dip", &text, &columns);
    for (name, primitive) in ROUND {
        eprintln!("{name}");
        let (mut seconds, mut counts, mut widest) = (vec![], [0_u64; 3], 0.0_f64);
        for seed in 0..settings.cases {
            let run =
                checked(&dip(primitive, seed)?, &CheckOptions::default(), (&pools[0], settings.repeats))?;
            seconds.push(run.seconds[0]);
            counts[0] += u64::from(run.report.verdict == PairVerdict::Contact);
            counts[1] += u64::from(run.report.verdict == PairVerdict::Undecided);
            for interval in run.report.pairs.iter().flat_map(|pair| &pair.intervals) {
                counts[2] += 1;
                for [from, to] in std::iter::once(interval.enter).chain(interval.exit) {
                    widest = widest.max(to - from);
                }
            }
        }
        let times = [0.5, 0.95, 1.0].map(|fraction| Cell::Time(quantile(seconds.clone(), fraction)));
        let cells = counts.map(Cell::Count).into_iter().chain(times);
        table.row(name, cells.chain([Cell::TimeFraction(widest)]));
    }
    Ok(table)
}
