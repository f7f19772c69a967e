//! `chasles check`: finds all contacts between bodies of a scene, or of a robot on its paths, with time and place.
//!
//! ```text
//! names       names of bodies, shortened to fit
//! terms       options of a check, and its end
//! limits      paths that violate joint limits
//! table       the report as a table
//! standing    --at: pairs that intersect at one time
//! outputs     the files for the reports
//! extras      the page shown with a report
//! follow      --watch: checks again whenever a file changes
//! path_table  the reports of several paths as one table
//! robot       a robot in its cell, and its paths
//! animations  animations of a glTF file that cannot be played together, checked one after the other
//! ```

mod names;
mod terms;
mod limits;
mod table;
mod static_pairs;
mod outputs;
mod extras;
mod watch;
mod path_table;
mod robot;
mod animations;

use chasles_formats::any_scene::AnyScene;
use chasles_formats::report::{csv, json, junit};
use chasles_formats::scene::build::BuiltScene;
use chasles_formats::{Error, Subject, gltf, vrml};

use self::extras::Extras;
use self::outputs::{CheckOutputs, ReportFormat, scope};
use self::terms::{ended, options, print_stopped, status_of};
use self::watch::WatchedFiles;
use crate::args::CheckArgs;
use crate::exit::{Failure, Status};
use crate::input::robots;
use crate::input::scenes::{self, SceneRequest};
use crate::progress::PairProgress;
use crate::shown;
use crate::stop::Stop;
use crate::threads::Pool;
use crate::warnings::Warnings;

/// Checks a scene, or the paths of a robot, and writes the reports.
pub(crate) fn run(args: &CheckArgs, warnings: &Warnings) -> Result<Status, Failure> {
    let pool = Pool::new(args.threads)?;
    if args.shows().is_some() {
        // Before any long work.
        shown::page()?;
    }
    let on_path = vrml::is_world(&args.scene) && args.robot.first_option().is_some();
    if on_path || robots::is_robot(&args.scene) {
        return robot::run(args, &pool, warnings);
    }
    if let Some(option) = args.robot.first_option().or(args.limits.map(|_| "--limits")) {
        let message = format!("found {option}, which is for robots (.urdf) and worlds (.wrl) only");
        return Err(Error::file(&args.scene, message).into());
    }
    let animations = animations::alternatives(args)?;
    if !animations.is_empty() {
        return animations::run(args, &animations, &pool, warnings);
    }
    if args.watch {
        return watch::watch(|watched_files, stop| once(args, watched_files, (&pool, stop), warnings));
    }
    let read = scenes::read(&scene_request(args))?;
    let built = scenes::build(&read, warnings)?;
    warnings.refuse()?;
    match args.at {
        Some(time) => static_pairs::at(args, &built.scene, (time, &pool), warnings),
        // Before this point there are no results that Ctrl-C could lose.
        None => check(args, &read, &built, (&pool, &Stop::install()?), warnings),
    }
}

/// One check for `--watch`. `watched_files` gets the state of each file before the file is read.
fn once(
    args: &CheckArgs,
    watched_files: &mut WatchedFiles,
    (pool, stop): (&Pool, &Stop),
    warnings: &Warnings,
) -> Result<Status, Failure> {
    warnings.restart();
    watched_files.add_file(&args.scene);
    let read = scenes::read(&scene_request(args))?;
    read.files[1..].iter().for_each(|file| watched_files.add_file(file));
    let built = scenes::build(&read, warnings)?;
    warnings.refuse()?;
    match args.at {
        Some(time) => static_pairs::at(args, &built.scene, (time, pool), warnings),
        None => check(args, &read, &built, (pool, stop), warnings),
    }
}

/// The name of an animation. The word `each` is a synonym for `all`.
fn animation_name(name: &str) -> &str {
    if name == "each" { gltf::ALL } else { name }
}

/// The scene that the arguments specify.
fn scene_request(args: &CheckArgs) -> SceneRequest<'_> {
    let unread = args.robot.cell.unread();
    let (animation, clearance) = (args.animation.as_deref().map(animation_name), args.clearance);
    SceneRequest { file: &args.scene, animation, rival: None, clearance, unread }
}

/// Checks a scene over its whole duration.
fn check(
    args: &CheckArgs,
    read: &AnyScene,
    built: &BuiltScene,
    (pool, stop): (&Pool, &Stop),
    warnings: &Warnings,
) -> Result<Status, Failure> {
    let scene = &built.scene;
    // The files are opened now, so that a file that cannot be written is an error before hours of work.
    let outputs = CheckOutputs::open(args, &read.files)?;
    let progress = PairProgress::new(stop, "pairs");
    let checked = pool.install(|| scene.check(&options(args), &progress));
    drop(progress);
    let report = match checked {
        Ok(report) => report,
        Err(error) => return Err(outputs.give_up(Error::file(&args.scene, error.to_string()).into())),
    };
    let subject = Subject::scene(scene).with_warnings(warnings.list()).with_missing(&built.missing);
    print_stopped(&[(&subject, &report)]);
    let name = args.scene.display().to_string();
    let json = json::to_json(&subject, &report);
    let extras = Extras::of(args, &json, |found| {
        let suggested = pool.install(|| scenes::suggestions_of(read, &PairProgress::new(stop, "pairs")));
        let playback = shown::of_scene(read, scene.clone(), (Some(found), suggested.as_deref()))?;
        Ok(playback.with_appearance(&built.appearance))
    });
    let extras = match extras {
        Ok(extras) => extras,
        Err(failure) => return Err(outputs.give_up(failure)),
    };
    let written = outputs.write(|form| match form {
        ReportFormat::Html => extras.html.clone(),
        ReportFormat::Table => table::table(&name, (&subject, &report), scope(args)),
        ReportFormat::Json => json::to_json(&subject, &report),
        ReportFormat::Csv => csv::to_csv(&subject, &report),
        ReportFormat::Junit => junit::to_junit(&name, &subject, &report),
    });
    let status = ended(args, written, status_of(report.verdict))?;
    extras.view(args, stop)?;
    Ok(status)
}
