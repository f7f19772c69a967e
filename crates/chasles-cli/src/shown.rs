//! Prepares what is displayed, a scene or a robot on its path: reads it, checks it unless its report is given, and
//! creates the document of the page.

use std::path::Path;

use chasles::{CheckOptions, RobotCell, Scene, Suggestion};
use chasles_formats::any_scene::AnyScene;
use chasles_formats::report::breach::LimitTreatment;
use chasles_formats::report::json;
use chasles_formats::report::reported::{self, ReportFile};
use chasles_formats::robot::named_configurations::NamedConfiguration;
use chasles_formats::scene::build::BuiltScene;
use chasles_formats::{Error, Subject, vrml};
use chasles_viewer::{OmittedFrames, Playback, limits, page};

use crate::args::ShownArgs;
use crate::exit::Failure;
use crate::input::paths::{self, Fit, Paths, ReadPath};
use crate::input::robots::{self, ReadCell};
use crate::input::scenes::{self, SceneRequest};
use crate::output::complain;
use crate::progress::PairProgress;
use crate::stop::Stop;
use crate::warnings::Warnings;

/// The page, or an error if the program was built without it.
pub(crate) fn page() -> Result<&'static str, Failure> {
    page::html().map_err(|missing| Failure::Bad(missing.to_string()))
}

/// The name of a file, without its folder.
pub(crate) fn name(file: &Path) -> String {
    file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// The maximum number of events of a pair, for a scene that is displayed without `check`.
const MAX_EVENTS: usize = 10_000;

/// Adds the frames of deforming bodies to the document of a self-contained file, and prints a warning for frames
/// that do not fit.
pub(crate) fn with_frames(playback: &Playback) -> Result<Playback, Failure> {
    let (playback, omissions) = playback.clone().with_frames(limits::FRAMES_IN_FILE)?;
    for OmittedFrames { body, frames, omitted } in omissions {
        let maximum = limits::FRAMES_IN_FILE >> 20;
        complain(&format!(
            "warning: body {body:?}: {omitted} of {frames} frames are not in the page, which holds {maximum} MiB of frames; \
             chasles view shows all"
        ));
    }
    Ok(playback)
}

/// A displayed scene or robot.
pub(crate) struct Shown {
    pub(crate) playback: Playback,
    /// The cell of a robot, or of a world that is jogged.
    pub(crate) cell: Option<RobotCell>,
    /// The named configurations of the robot.
    pub(crate) configurations: Vec<NamedConfiguration>,
}

/// The meaning of a world without a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorldMode {
    /// The world is a scene, with its animation.
    Played,
    /// The world is a robot: rigid objects named with DEF can be moved.
    Jogged,
}

/// Whether contacts are displayed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Contacts<'a> {
    /// Contacts of the report, or of a check that may be stopped.
    Shown(&'a Stop),
    /// As `Shown`, with the suggested impulses of colliding keyframed bodies with masses.
    Explained(&'a Stop),
    /// Only the motion is displayed.
    Unknown,
}

/// Reads the file that the arguments name, and reads its report or checks it.
pub(crate) fn read(
    args: &ShownArgs,
    worlds: WorldMode,
    contacts: Contacts<'_>,
    warnings: &Warnings,
) -> Result<Shown, Failure> {
    let report = args.report.as_deref().map(reported::read).transpose()?;
    let is_robot = args.robot.first_option().is_some() || worlds == WorldMode::Jogged;
    if vrml::is_world(&args.scene) && is_robot || robots::is_robot(&args.scene) {
        return robot(args, report, contacts, warnings);
    }
    let only = args.robot.first_option().or((worlds == WorldMode::Jogged).then_some("--jog"));
    if let Some(option) = only {
        let message = format!("found {option}, which is for robots (.urdf) and worlds (.wrl) only");
        return Err(Error::file(&args.scene, message).into());
    }
    if args.scene.extension().is_some_and(|extension| extension == "json") {
        let message = "found JSON, expected a scene or a robot: a report of it is given as --report";
        return Err(Error::file(&args.scene, message).into());
    }
    let (animation, clearance, unread) =
        (args.animation.as_deref(), args.clearance, args.robot.cell.unread());
    let request = SceneRequest { file: &args.scene, animation, rival: None, clearance, unread };
    let read = scenes::read(&request)?;
    let BuiltScene { scene, appearance, .. } = scenes::build(&read, warnings)?;
    warnings.refuse()?;
    let report = match (report, contacts) {
        (None, Contacts::Shown(stop) | Contacts::Explained(stop)) => {
            Some(check(args, &scene, stop, warnings)?)
        }
        (report, _) => report,
    };
    let suggestions_of = match contacts {
        Contacts::Explained(stop) => scenes::suggestions_of(&read, &PairProgress::new(stop, "pairs")),
        Contacts::Shown(_) | Contacts::Unknown => None,
    };
    let playback = of_scene(&read, scene, (report.as_ref(), suggestions_of.as_deref()))?;
    let playback = playback.with_appearance(&appearance);
    Ok(Shown { playback, cell: None, configurations: Vec::new() })
}

/// The document of a checked scene, with its recording and its suggestions.
pub(crate) fn of_scene(
    read: &AnyScene,
    scene: Scene,
    (report, suggestions_of): (Option<&ReportFile>, Option<&[Suggestion]>),
) -> chasles_formats::Result<Playback> {
    let mut playback = Playback::of_scene(&name(&read.files[0]), scene, report)?;
    if let Some(recorded) = &read.dynamics {
        playback = playback.with_recording(recorded);
    }
    if let Some(suggestions_of) = suggestions_of {
        playback = playback.with_suggestions(suggestions_of);
    }
    Ok(playback)
}

fn check(args: &ShownArgs, scene: &Scene, stop: &Stop, warnings: &Warnings) -> Result<ReportFile, Failure> {
    let progress = PairProgress::new(stop, "pairs");
    let found = scene.check(&CheckOptions { events: true, ..CheckOptions::default() }, &progress);
    let mut found = found.map_err(|error| Error::file(&args.scene, error.to_string()))?;
    for pair in &mut found.pairs {
        let events = pair.events.len();
        if events > MAX_EVENTS {
            let [a, b] = pair.bodies.map(|body| &scene.bodies()[body].name);
            let what =
                format!("warning: {a:?} and {b:?}: the first {MAX_EVENTS} of {events} events are shown");
            complain(&Error::file(&args.scene, what).to_string());
            pair.events.truncate(MAX_EVENTS);
        }
    }
    let json = json::to_json(&Subject::scene(scene).with_warnings(warnings.list()), &found);
    Ok(reported::parse(&json, &args.scene)?)
}

fn robot(
    args: &ShownArgs,
    report: Option<ReportFile>,
    contacts: Contacts<'_>,
    warnings: &Warnings,
) -> Result<Shown, Failure> {
    if args.animation.is_some() {
        return Err(Error::file(&args.scene, "found --animation, which is not for robots").into());
    }
    let (robot, shown) = (&args.robot, name(&args.scene));
    if robot.paths.is_empty() {
        let model = robots::model(&args.scene, &robot.cell)?;
        let ReadCell { cell, appearance, configurations, .. } =
            robots::cell(model, (&args.scene, &robot.cell), args.clearance, warnings)?;
        warnings.refuse()?;
        if let Some(report) = report {
            return Err(Error::file(&report.file, "found a report without --path, expected its path").into());
        }
        let playback = Playback::of_robot(&shown, &cell, None, None)?.with_appearance(&appearance);
        return Ok(Shown { playback, cell: Some(cell), configurations });
    }
    let Paths::One(source) = Paths::find(robot, &args.scene)? else {
        return Err(Failure::Bad("--path: found several paths, expected one: one can be shown".into()));
    };
    let mut read = [paths::read(&source, robot)];
    let model = robots::model_for(&args.scene, &robot.cell, &mut read)?;
    let ReadCell { cell, appearance, configurations, free, .. } =
        robots::cell(model, (&args.scene, &robot.cell), args.clearance, warnings)?;
    let [file] = read;
    let fit = Fit { cell: &cell, robot: (cell.robot(), LimitTreatment::Reported), free: &free };
    let read = paths::fitted(file?, &fit, robot, warnings)?;
    warnings.refuse()?;
    let ReadPath { file, path, .. } = read;
    let report = match (report, contacts) {
        (None, Contacts::Shown(stop) | Contacts::Explained(stop)) => {
            let progress = PairProgress::new(stop, "pairs");
            let found = cell.check_path(&path, &CheckOptions::default(), &progress);
            let found = found.map_err(|error| Error::file(&file.file, error.to_string()))?;
            let json = json::to_json(
                &Subject::path(&cell, &file, &found).with_warnings(warnings.list()),
                &found.report,
            );
            Some(reported::parse(&json, &file.file)?)
        }
        (report, _) => report,
    };
    let playback = Playback::of_robot(&shown, &cell, Some(&path), report.as_ref())?;
    let playback = playback.with_appearance(&appearance);
    Ok(Shown { playback, cell: Some(cell), configurations })
}
