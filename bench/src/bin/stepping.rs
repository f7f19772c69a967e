//! The cost of following a motion, one pair or one arm at a time.
//!
//! `cargo run --release --bin stepping -- [--only NAME,NAME] [--largest N] [--segments N] [--repeats N] [--out DIR]`

use std::error::Error;
use std::f64::consts::{PI, TAU};
use std::path::PathBuf;
use std::sync::Arc;

use chasles::{
    BodyMotion, CheckOptions, CollisionShape, Mesh, PairVerdict, Pose, PreparedMesh, Scene, SceneBody,
    SceneDefinition, SceneReport, Screw,
};
use chasles_bench::cases::gears::Train;
use chasles_bench::cases::linkage::{Cell as ArmCell, Links, segment};
use chasles_bench::cases::meshes::{cube, cuboid, torus_knot};
use chasles_bench::cases::shapes::{Raw, lump};
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::BenchArguments;
use chasles_bench::program::table::{Cell, Report, Table};
use chasles_bench::program::timing::{median, quantile, timed};
use chasles_testing::Random;
use chasles_testing::gears::gear;
use glam::{DQuat, DVec3};
use rayon::ThreadPoolBuilder;

/// The settings of a run.
struct Settings {
    only: Vec<String>,
    largest: usize,
    segments: u64,
    repeats: usize,
    out: Option<PathBuf>,
}

impl Settings {
    fn parse(mut arguments: BenchArguments) -> Result<Self, String> {
        let settings = Self {
            only: arguments
                .text("--only")
                .map_or_else(Vec::new, |only| only.split(',').map(str::to_owned).collect()),
            largest: arguments.value("--largest")?.unwrap_or(20_000),
            segments: arguments.value("--segments")?.unwrap_or(200_u64).max(1),
            repeats: arguments.value("--repeats")?.unwrap_or(3_usize).max(1),
            out: arguments.text("--out").map(PathBuf::from),
        };
        arguments.end()?;
        Ok(settings)
    }

    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::parse(BenchArguments::here()?)?;
    let pool = ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut tables = Vec::new();
    for (name, table) in TABLES {
        if settings.wants(name) {
            tables.push(pool.install(|| table(&settings))?);
        }
    }
    let repeats = format!("medians of {} runs, by the processor time of one thread", settings.repeats);
    let title = "Following motions".to_owned();
    let report =
        Report { title, machine: Machine::here(), settings: vec![("repeats".into(), repeats)], tables };
    match settings.out {
        Some(out) => report.publish(&out, "stepping")?,
        None => print!("{}", report.markdown()),
    }
    Ok(())
}

type Tabled = Result<Table, chasles::Error>;
type Maker = fn(&Settings) -> Tabled;

const TABLES: [(&str, Maker); 5] =
    [("screws", screws), ("turning", turning), ("gears", gears), ("sliding", sliding), ("arm", arm)];

/// Checks a scene on this thread. Returns the report and the time.
fn check(scene: &Scene, settings: &Settings) -> Result<(SceneReport, f64), chasles::Error> {
    let options = CheckOptions::default();
    let (report, seconds) = timed(settings.repeats, || scene.check(&options, &()));
    Ok((report?, seconds))
}

fn pair(
    shapes: [CollisionShape; 2],
    motions: [BodyMotion; 2],
    duration: f64,
) -> Result<Scene, chasles::Error> {
    let bodies = shapes.into_iter().zip(motions).map(|(shape, motion)| SceneBody {
        name: "body".into(),
        shape: Some(shape),
        motion,
        parent: None,
        group: None,
        solid: false,
    });
    let bodies = bodies.collect();
    Scene::new(SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies, ignore: vec![] })
}

fn shape((points, triangles): Raw) -> Result<CollisionShape, chasles::Error> {
    Ok(CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points, triangles)?))))
}

/// Two bodies that fly towards each other, both on twists; and the same with the screw from the first pose to the last.
fn flying(shape: &CollisionShape, seed: u64) -> Result<[Scene; 2], chasles::Error> {
    let random = &mut Random(seed);
    let towards = random.direction_of_two();
    let mut twist = |side: f64| {
        Ok(BodyMotion::Twist {
            start: Pose::new(1.25 * side * towards, random.even_rotation())?,
            linear: random.vector(0.3) - side * towards,
            angular: random.within(0.5, 1.5) * random.direction_of_two(),
        })
    };
    let motions = [twist(-1.0)?, twist(1.0)?];
    let twists = pair([shape.clone(), shape.clone()], motions, 1.0)?;
    let seen = |time: f64| twists.pose_at(1, time).inverse().compose(&twists.pose_at(0, time));
    let screw = BodyMotion::Screw(Screw::between(seen(0.0), seen(1.0)));
    let still = BodyMotion::Still(Pose::IDENTITY);
    let one = pair([shape.clone(), shape.clone()], [screw, still], 1.0)?;
    Ok([twists, one])
}

fn screws(settings: &Settings) -> Tabled {
    let text = "Two equal bodies that fly at each other, both on twists; and one body on the screw from the first \
        pose to the last. Cases without contact in either are left out.";
    let columns = ["triangles", "cases", "twists, median", "95 %", "one screw, median", "95 %"];
    let mut table = Table::new("One screw", text, &columns);
    for triangles in [12, 80, 1000, 20_000].into_iter().filter(|n| *n <= settings.largest) {
        let raw = match triangles {
            12 => cube(),
            80 => lump(42, 1.0, 1),
            _ => torus_knot(triangles),
        };
        let shape = shape(raw)?;
        let mut seconds = [vec![], vec![]];
        for seed in 0..if triangles > 1000 { 5 } else { 20 } {
            let scenes = flying(&shape, seed)?;
            let found = [check(&scenes[0], settings)?, check(&scenes[1], settings)?];
            if found.iter().all(|(report, _)| report.verdict == PairVerdict::Contact) {
                for (seconds, (_, took)) in seconds.iter_mut().zip(found) {
                    seconds.push(took);
                }
            }
        }
        let cells = seconds.iter().flat_map(|all| {
            [Cell::Time(median(all.iter().copied())), Cell::Time(quantile(all.iter().copied(), 0.95))]
        });
        let count = Cell::Count(seconds[0].len() as u64);
        table.row(&triangles.to_string(), std::iter::once(count).chain(cells));
    }
    Ok(table)
}

fn turning(settings: &Settings) -> Tabled {
    let text = "A body that rotates many times beside a static body: a gear and a finger that reaches into its teeth, \
        or stays out of them.";
    let columns = ["case", "triangles", "intervals", "unknown", "time"];
    let mut table = Table::new("Many turns", text, &columns);
    for (name, reach, turns) in
        [("a finger, 1 turn", 8.3, 1.0), ("a finger, 10 turns", 8.3, 10.0), ("clear, 10 turns", 10.1, 10.0)]
    {
        let raw = gear(18);
        let count = raw.1.len() as u64;
        let start = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(0.1))?;
        let turn = BodyMotion::Screw(Screw::about(start, DVec3::Z, DVec3::ZERO, 0.0, turns * TAU)?);
        let at = BodyMotion::Still(Pose::from_position(DVec3::new(reach + 1.0, 0.0, 0.3))?);
        let finger = shape(cuboid(DVec3::new(2.0, 0.2, 0.7)))?;
        let scene = pair([shape(raw)?, finger], [turn, at], 1.0)?;
        let (report, seconds) = check(&scene, settings)?;
        let intervals: usize = report.pairs.iter().map(|pair| pair.intervals.len()).sum();
        let undecided: usize = report.pairs.iter().map(|pair| pair.undecided.len()).sum();
        table.row(
            name,
            [
                Cell::Count(count),
                Cell::Count(intervals as u64),
                Cell::Count(undecided as u64),
                Cell::Time(seconds),
            ],
        );
    }
    Ok(table)
}

fn gears(settings: &Settings) -> Tabled {
    let columns = ["case", "verdict", "time"];
    let text = "Two or three gears in mesh, one turn of the first.";
    let mut table = Table::new("Gears", text, &columns);
    for (name, train, count) in [("two", Train::Right, 2), ("three, wrong phase", Train::WrongPhase, 3)] {
        let (report, seconds) = check(&train.scene(count)?, settings)?;
        let verdict = format!("{:?}, {} pairs", report.verdict, report.pairs.len());
        table.row(name, [Cell::Text(verdict), Cell::Time(seconds)]);
    }
    Ok(table)
}

fn sliding(settings: &Settings) -> Tabled {
    let columns = ["case", "verdict", "intervals", "unknown", "time"];
    let text =
        "Two cubes that lie on each other, separated by less than the tolerance, and both move slowly.";
    let mut table = Table::new("Sliding", text, &columns);
    let cube = shape(cuboid(DVec3::ONE))?;
    for (name, gap, spin) in [
        ("slide", 0.0, 0.0),
        ("slide and spin", 0.0, 0.1),
        ("apart by half", 5e-10, 0.1),
        ("far apart by 1e-6", 1e-6, 0.1),
    ] {
        let twist = |z: f64, side: f64| {
            Ok(BodyMotion::Twist {
                start: Pose::from_position(DVec3::new(0.1 * side, 0.05, z))?,
                linear: DVec3::new(0.05 * side, 0.02, 0.0),
                angular: side * spin * DVec3::Z,
            })
        };
        let motions = [twist(0.0, 1.0)?, twist(1.0 + gap, -0.5)?];
        let scene = pair([cube.clone(), cube.clone()], motions, 2.0)?;
        let (report, seconds) = check(&scene, settings)?;
        let intervals: usize = report.pairs.iter().map(|pair| pair.intervals.len()).sum();
        let undecided: usize = report.pairs.iter().map(|pair| pair.undecided.len()).sum();
        let counts = [intervals, undecided].map(|count| Cell::Count(count as u64));
        let verdict = Cell::Text(format!("{:?}", report.verdict));
        table.row(name, std::iter::once(verdict).chain(counts).chain([Cell::Time(seconds)]));
    }
    Ok(table)
}

fn arm(settings: &Settings) -> Tabled {
    let columns = ["links", "segments", "pairs", "a segment, median", "mean", "95 %", "a segment of a path"];
    let text = "An arm of six joints among 20 boxes; segments that are clear, with all joints rotating at once by up \
        to 1 rad (short: 0.2). One thread.";
    let mut table = Table::new("An arm", text, &columns);
    for (name, links, maximum) in [
        ("boxes, short", Links::Boxes, 0.2),
        ("boxes", Links::Boxes, 1.0),
        ("1,000 triangles, short", Links::Meshes(1000), 0.2),
        ("1,000 triangles", Links::Meshes(1000), 1.0),
        ("10,000 triangles", Links::Meshes(10_000), 1.0),
    ] {
        let cell = ArmCell::new(links, 20, 5)?;
        let random = &mut Random(7);
        let (mut seconds, mut tested) = (vec![], 0);
        let mut path: Vec<[f64; 6]> = Vec::new();
        while (seconds.len() as u64) < settings.segments {
            let mut ends = segment(random, maximum);
            if let Some(last) = path.last().filter(|_| path.len() < 12) {
                let by: Vec<f64> = (0..6).map(|i| ends[1][i] - ends[0][i]).collect();
                ends = [*last, [0, 1, 2, 3, 4, 5].map(|i| (last[i] + by[i]).clamp(-PI, PI))];
            }
            let scene = cell.scene(&ends)?;
            if scene.check(&CheckOptions::default(), &())?.verdict != PairVerdict::Clear {
                if random.bits().is_multiple_of(20) && path.len() < 12 {
                    path.clear();
                }
                continue;
            }
            if path.is_empty() {
                path.push(ends[0]);
            }
            if path.len() < 12 {
                path.push(ends[1]);
            }
            let (report, took) = check(&scene, settings)?;
            tested = report.pairs_tested;
            seconds.push(took);
        }
        let (report, whole) = check(&cell.scene(&path)?, settings)?;
        assert_eq!(report.verdict, PairVerdict::Clear, "each of its segments is");
        let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
        table.row(
            name,
            [
                Cell::Count(seconds.len() as u64),
                Cell::Count(tested as u64),
                Cell::Time(median(seconds.iter().copied())),
                Cell::Time(mean),
                Cell::Time(quantile(seconds.iter().copied(), 0.95)),
                Cell::Time(whole / (path.len() - 1) as f64),
            ],
        );
    }
    Ok(table)
}
