//! `chasles check`: which bodies of a scene, or links of a robot on its paths, meet, when and where.
//!
//! ```text
//! words       numbers, times and places as a person reads them
//! names       names as there is room for them
//! table       the report as a table
//! standing    --at: what intersects at one time
//! outputs     which reports go where
//! stop        Ctrl-C
//! progress    a bar, and whether to go on
//! follow      --watch: again whenever a file changes
//! paths       which files are the paths of a robot, and what they say
//! path_table  the reports of several paths as one table
//! robot       a robot in its cell, and its paths
//! ```

mod words;
mod names;
mod table;
mod standing;
pub(crate) mod outputs;
pub(crate) mod stop;
pub(crate) mod progress;
mod follow;
pub(crate) mod paths;
mod path_table;
mod robot;

use std::num::NonZeroUsize;

use chasles::{CheckOptions, Listed, PairDoubt, PairReport, PairVerdict, SceneReport, Standing};
use chasles_formats::scene_build::BuiltScene;
use chasles_formats::{Error, Subject, scene_csv, scene_junit, scene_report, urdf, vrml};
use chasles_viewer::Playback;
use rayon::ThreadPool;

use self::follow::Seen;
use self::names::Room;
use self::outputs::{Form, Outputs};
use self::progress::Progress;
use self::stop::Stop;
use crate::args::CheckArgs;
use crate::complain;
use crate::exit::{Failure, Status};
use crate::scenes::{self, Asked, ReadScene};
use crate::shown::{self, Extras};

/// Checks a scene, or the paths of a robot, and writes the reports.
pub(crate) fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = args.threads.map(NonZeroUsize::get) {
        pool = pool.num_threads(threads);
    }
    let pool = pool.build().map_err(|error| Failure::Bad(format!("cannot start threads: {error}")))?;
    if args.shows().is_some() {
        // Before anything that takes long.
        shown::page()?;
    }
    let on_path = vrml::is_world(&args.scene) && args.robot.given().is_some();
    if on_path || urdf::is_urdf(&args.scene) {
        return robot::run(args, &pool);
    }
    if let Some(option) = args.robot.given() {
        let message = format!("found {option}, which is for robots (.urdf) and worlds (.wrl) only");
        return Err(Error::file(&args.scene, message).into());
    }
    if args.watch {
        return follow::follow(|seen, stop| once(args, seen, (&pool, stop)));
    }
    let read = scenes::read(&asked(args))?;
    let built = read.build()?;
    match args.at {
        Some(time) => standing::at(args, &built.scene, time, &pool),
        // Not before there is something that could be lost.
        None => check(args, &read, &built, (&pool, &Stop::install()?)),
    }
}

/// One check for `--watch`. `seen`: the files as they were before they were read.
fn once(args: &CheckArgs, seen: &mut Seen, (pool, stop): (&ThreadPool, &Stop)) -> Result<Status, Failure> {
    seen.look_at(&args.scene);
    let read = scenes::read(&asked(args))?;
    read.files[1..].iter().for_each(|file| seen.look_at(file));
    let built = read.build()?;
    match args.at {
        Some(time) => standing::at(args, &built.scene, time, pool),
        None => check(args, &read, &built, (pool, stop)),
    }
}

/// The scene that the arguments name.
fn asked(args: &CheckArgs) -> Asked<'_> {
    Asked { file: &args.scene, animation: args.animation.as_deref(), clearance: args.clearance }
}

/// Checks a scene over its whole time.
fn check(
    args: &CheckArgs,
    read: &ReadScene,
    built: &BuiltScene,
    (pool, stop): (&ThreadPool, &Stop),
) -> Result<Status, Failure> {
    let scene = &built.scene;
    // Opened now: that one cannot be written should not come to light after hours.
    let outputs = Outputs::open(args, &read.files)?;
    let progress = Progress::new(stop, "pairs");
    let checked = pool.install(|| scene.check(&options(args), &progress));
    drop(progress);
    let report = match checked {
        Ok(report) => report,
        Err(error) => return Err(outputs.give_up(Error::file(&args.scene, error.to_string()).into())),
    };
    tell_stopped(&[&report]);
    let subject = Subject::scene(scene);
    let name = args.scene.display().to_string();
    let extras = Extras::of(args, &scene_report::to_json(&subject, &report), |found| {
        Playback::of_scene(&shown::name(&args.scene), scene.clone(), Some(found))
    });
    let extras = match extras {
        Ok(extras) => extras,
        Err(failure) => return Err(outputs.give_up(failure)),
    };
    let written = outputs.write(|form| match form {
        Form::Html => extras.html.clone(),
        Form::Table => table::table(&name, (&subject, &report), Room::of_output()),
        Form::Json => scene_report::to_json(&subject, &report),
        Form::Csv => scene_csv::to_csv(&subject, &report),
        Form::Junit => scene_junit::to_junit(&name, &subject, &report),
    });
    let status = ended(args, written, status_of(report.verdict))?;
    extras.view(args, stop)?;
    Ok(status)
}

/// How the arguments want a check to be made.
fn options(args: &CheckArgs) -> CheckOptions {
    let listed = if args.all_pairs { Listed::All } else { Listed::NotClear };
    let standing = if args.standing { Standing::Tested } else { Standing::Skipped };
    let options = CheckOptions { listed, standing, ..CheckOptions::default() };
    CheckOptions { budget: args.budget.unwrap_or(options.budget), ..options }
}

/// Says how many pairs are not answered since the check was stopped, if any are.
fn tell_stopped(reports: &[&SceneReport]) {
    let pairs = reports.iter().flat_map(|report| &report.pairs);
    let unanswered = pairs.filter(|pair| was_stopped(pair)).count();
    if unanswered > 0 {
        let tested: usize = reports.iter().map(|report| report.pairs_tested).sum();
        complain(&format!("stopped: {unanswered} of {tested} pairs are not answered"));
    }
}

/// The status of a check whose reports were written, or not.
fn ended(args: &CheckArgs, written: Result<(), Failure>, status: Status) -> Result<Status, Failure> {
    match written {
        // Whoever reads has seen enough; what was found is told none the less.
        Err(Failure::ClosedPipe) if !args.watch => Ok(status),
        written => written.map(|()| status),
    }
}

/// Whether a pair was left unanswered because the check was stopped.
fn was_stopped(pair: &PairReport) -> bool {
    pair.verdict == PairVerdict::Undecided && pair.doubt == Some(PairDoubt::Stopped)
}

fn status_of(verdict: PairVerdict) -> Status {
    match verdict {
        PairVerdict::Clear => Status::Fine,
        PairVerdict::Near | PairVerdict::Contact | PairVerdict::Overlapping => Status::Contact,
        PairVerdict::Undecided => Status::Undecided,
    }
}
