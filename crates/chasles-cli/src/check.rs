//! `chasles check`: which bodies of a scene meet, when and where.
//!
//! ```text
//! words       numbers, times, places and names as a person reads them
//! table       the report as a table
//! standing    --at: what intersects at one time
//! outputs     which reports go where
//! stop        Ctrl-C
//! progress    a bar, and whether to go on
//! follow      --watch: again whenever a file changes
//! ```

mod words;
mod table;
mod standing;
mod outputs;
mod stop;
mod progress;
mod follow;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use chasles::broad_phase::BroadPhase;
use chasles::{CheckOptions, Listed, PairDoubt, PairReport, PairVerdict, SceneReport};
use chasles_formats::Error;
use chasles_formats::gltf::{self, GltfOptions};
use chasles_formats::scene_build::{self, BuiltScene};
use chasles_formats::scene_file::{self, SceneFile};
use chasles_formats::vrml::{self, VrmlOptions, World};
use rayon::ThreadPool;

use self::outputs::{Outputs, Reported};
use self::progress::Progress;
use self::stop::Stop;
use crate::args::CheckArgs;
use crate::complain;
use crate::exit::{Failure, Status};

/// Checks a scene and writes the reports.
pub(crate) fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = args.threads.map(NonZeroUsize::get) {
        pool = pool.num_threads(threads);
    }
    let pool = pool.build().map_err(|error| Failure::Bad(format!("cannot start threads: {error}")))?;
    if args.watch {
        return follow::follow(args, &pool);
    }
    let read = read(args)?;
    let built = build(args, &read)?;
    match args.at {
        Some(time) => standing::at(args, &built.scene, time, &pool),
        // Not before there is something that could be lost.
        None => check(args, &read, &built, (&pool, &Stop::install()?)),
    }
}

/// A scene with the files that were read for it.
struct Read {
    source: Source,
    /// The scene file first.
    files: Vec<PathBuf>,
}

/// What a scene is made from.
enum Source {
    Toml(SceneFile),
    Gltf(GltfOptions),
    World(Box<World>, VrmlOptions),
}

/// Reads the scene file, and what of it the arguments override.
fn read(args: &CheckArgs) -> Result<Read, Failure> {
    if gltf::is_gltf(&args.scene) {
        let clearance = args.clearance.unwrap_or(0.0);
        let source = Source::Gltf(GltfOptions { animation: args.animation.clone(), clearance });
        return Ok(Read { source, files: vec![args.scene.clone()] });
    }
    if args.animation.is_some() {
        return Err(Error::file(&args.scene, "--animation is for glTF files only").into());
    }
    if vrml::is_world(&args.scene) {
        let world = vrml::read(&args.scene)?;
        let (files, clearance) = (world.files(), args.clearance.unwrap_or(0.0));
        return Ok(Read { source: Source::World(Box::new(world), VrmlOptions { clearance }), files });
    }
    let mut file = scene_file::read(&args.scene)?;
    file.clearance = args.clearance.unwrap_or(file.clearance);
    let meshes = file.meshes().into_iter().map(PathBuf::from);
    let files = [args.scene.clone()].into_iter().chain(meshes).collect();
    Ok(Read { source: Source::Toml(file), files })
}

/// Reads the meshes and makes the scene.
fn build(args: &CheckArgs, read: &Read) -> Result<BuiltScene, Failure> {
    let built = match &read.source {
        Source::Toml(file) => scene_build::build(file, &args.scene)?,
        Source::Gltf(options) => gltf::read(&args.scene, options)?,
        Source::World(world, options) => world.scene(options)?,
    };
    built.warnings.iter().for_each(|warning| complain(&format!("warning: {warning}")));
    Ok(built)
}

/// Checks a scene over its whole time.
fn check(
    args: &CheckArgs,
    read: &Read,
    built: &BuiltScene,
    (pool, stop): (&ThreadPool, &Stop),
) -> Result<Status, Failure> {
    let scene = &built.scene;
    // Opened now: that one cannot be written should not come to light after hours.
    let outputs = Outputs::open(args, &read.files)?;
    let listed = if args.all_pairs { Listed::All } else { Listed::NotClear };
    let options = CheckOptions { listed, ..CheckOptions::default() };
    let named = |method: &BroadPhase| args.broad_phase.as_deref() == Some(method.name());
    let options = CheckOptions {
        budget: args.budget.unwrap_or(options.budget),
        broad_phase: BroadPhase::ALL.into_iter().find(named).unwrap_or_default(),
        ..options
    };
    let progress = Progress::new(stop);
    let checked = pool.install(|| scene.check(&options, &progress));
    drop(progress);
    let report = match checked {
        Ok(report) => report,
        Err(error) => return Err(outputs.give_up(Error::file(&args.scene, error.to_string()).into())),
    };
    let unanswered = report.pairs.iter().filter(|pair| was_stopped(pair)).count();
    if unanswered > 0 {
        let tested = report.pairs_tested;
        complain(&format!("stopped: {unanswered} of {tested} pairs are not answered"));
    }
    let status = status_of(&report);
    match outputs.write(&Reported { file: &args.scene, scene, report: &report }) {
        // Whoever reads has seen enough; what was found is told none the less.
        Err(Failure::ClosedPipe) if !args.watch => Ok(status),
        written => written.map(|()| status),
    }
}

/// Whether a pair was left unanswered because the check was stopped.
fn was_stopped(pair: &PairReport) -> bool {
    pair.verdict == PairVerdict::Undecided && pair.doubt == Some(PairDoubt::Stopped)
}

fn status_of(report: &SceneReport) -> Status {
    match report.verdict {
        PairVerdict::Clear => Status::Fine,
        PairVerdict::Near | PairVerdict::Contact | PairVerdict::Overlapping => Status::Contact,
        PairVerdict::Undecided => Status::Undecided,
    }
}
