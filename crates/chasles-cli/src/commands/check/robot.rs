//! Reads, checks and reports the paths of a robot in its cell, or of the movable objects of a world. Paths are
//! checked in parallel.

use std::path::PathBuf;

use chasles::{PathReport, ProgressMonitor as _, Robot, RobotCell};
use chasles_formats::report::static_pairs::ReportedIntersection;
use chasles_formats::report::subject::NamedResult;
use chasles_formats::report::{csv, json, junit, verdict};
use chasles_formats::scene::appearance::Appearance;
use chasles_formats::{Error, Subject};
use chasles_viewer::Playback;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::extras::Extras;
use super::limits;
use super::outputs::{CheckOutputs, ReportFormat, scope};
use super::path_table::path_table;
use super::static_pairs::{self, StaticIntersections};
use super::table;
use super::terms::{ended, options, print_stopped, status_of};
use super::watch::{self, WatchedFiles};
use crate::args::CheckArgs;
use crate::exit::{Failure, Status};
use crate::input::paths::{self, Fit, Paths, ReadPath};
use crate::input::robots::{self, ReadCell};
use crate::output::complain;
use crate::progress::{PairProgress, Part};
use crate::shown;
use crate::stop::Stop;
use crate::threads::Pool;
use crate::warnings::Warnings;

/// A robot in its cell, with its paths.
struct Program {
    /// The robot with its limits.
    robot: Robot,
    /// In this cell the robot has no limits, if paths that violate limits are to be checked.
    cell: RobotCell,
    appearance: Appearance,
    /// All files that were read, the robot's first.
    files: Vec<PathBuf>,
    /// Warnings about the robot and its world.
    warnings: Vec<String>,
    /// Surfaces of files that were left out, one sentence each.
    missing: Vec<String>,
    paths: Paths,
    /// The result for each source of `paths`.
    read: Vec<chasles_formats::Result<ReadPath>>,
}

/// The result for a path.
type Checked = Result<PathReport, String>;

/// Checks the paths of a robot and writes the reports.
pub(super) fn run(args: &CheckArgs, pool: &Pool, warnings: &Warnings) -> Result<Status, Failure> {
    if args.animation.is_some() {
        return Err(Error::file(&args.scene, "found --animation, which is not for robots").into());
    }
    if args.watch {
        return watch::watch(|watched_files, stop| once(args, watched_files, (pool, stop), warnings));
    }
    let program = read(args, warnings)?;
    match args.at {
        Some(time) => at(args, &program, (time, pool), warnings),
        // Before this point there are no results that Ctrl-C could lose.
        None => check(args, &program, (pool, &Stop::install()?)),
    }
}

/// Prints the pairs that intersect at a time on the only path.
fn at(
    args: &CheckArgs,
    program: &Program,
    (time, pool): (f64, &Pool),
    warnings: &Warnings,
) -> Result<Status, Failure> {
    let cell = &program.cell;
    // If there are several paths, the program refused them before reading any.
    let Some(Ok(ReadPath { file, path, .. })) = program.read.first() else {
        return Err(Failure::Bad("--at: found no path, expected one".into()));
    };
    static_pairs::is_within(time, path.interval(), "the path")?;
    let pairs = pool.install(|| cell.intersecting_at(path, time));
    let counts = cell.count_pairs_on(path).map_err(|error| Error::file(&file.file, error.to_string()))?;
    let result_of_path =
        |(pair, penetration)| ReportedIntersection { pair, penetration, interpenetration: None };
    let pairs = pairs.map_err(|error| Error::file(&file.file, error.to_string()))?;
    let intersections = StaticIntersections {
        title: format!("{} on {}", args.scene.display(), file.file.display()),
        names: (0..cell.count()).map(|body| cell.name(body)).collect(),
        time,
        tested: counts.moving + counts.at_rest(),
        pairs: pairs.into_iter().map(result_of_path).collect(),
    };
    static_pairs::print_result(args, &intersections, warnings)
}

/// One check for `--watch`. `watched_files` gets the state of each file before the file is read, but of meshes only
/// afterwards, because their names are not known earlier.
fn once(
    args: &CheckArgs,
    watched_files: &mut WatchedFiles,
    (pool, stop): (&Pool, &Stop),
    warnings: &Warnings,
) -> Result<Status, Failure> {
    warnings.restart();
    let robot = &args.robot;
    let paths = Paths::find(robot, &args.scene)?;
    let named = [&robot.cell.srdf, &robot.cell.world, &robot.cell.clearance_file].into_iter().flatten();
    let named: Vec<&PathBuf> =
        [&args.scene].into_iter().chain(named).chain(&robot.paths).chain(paths.files()).collect();
    named.iter().for_each(|file| watched_files.add_file(file));
    let program = read(args, warnings)?;
    let others = program.files.iter().filter(|file| !named.contains(file));
    others.for_each(|file| watched_files.add_file(file));
    match args.at {
        Some(time) => at(args, &program, (time, pool), warnings),
        None => check(args, &program, (pool, stop)),
    }
}

/// Reads the robot, its cell and its paths. Among several paths, a bad path becomes an entry of the report; a
/// single bad path is an error.
fn read(args: &CheckArgs, warnings: &Warnings) -> Result<Program, Failure> {
    let robot = &args.robot;
    let paths = Paths::find(robot, &args.scene)?;
    let alone = [(args.shows(), "one can be shown"), (args.at.map(|_| "--at"), "one is examined")];
    if let (Paths::Several(files), Some((Some(option), reason))) =
        (&paths, alone.iter().find(|(option, _)| option.is_some()))
    {
        let found = format!("{option}: found {} paths, expected one: {reason}", files.len());
        return Err(Failure::Bad(found));
    }
    let mut read_paths: Vec<_> = paths.sources().iter().map(|source| paths::read(source, robot)).collect();
    let model = robots::model_for(&args.scene, &robot.cell, &mut read_paths)?;
    let ReadCell { cell, appearance, files: of_cell, free, missing, .. } =
        robots::cell(model, (&args.scene, &robot.cell), args.clearance, warnings)?;
    let shared = warnings.list();
    let strict = cell.robot().clone();
    let cell = if limits::are_checked(args.limits) { cell.without_limits() } else { cell };
    let fit = |file| {
        let fit =
            Fit { cell: &cell, robot: (&strict, limits::treatment_on_reading(args.limits)), free: &free };
        let path = paths::fitted(file, &fit, robot, warnings)?;
        limits::refuse_violations(path, (&strict, args.limits))
    };
    let mut read = Vec::new();
    for file in read_paths {
        let path = file.and_then(fit);
        match (&paths, path) {
            (Paths::One(_), Err(error)) => return Err(error.into()),
            (_, path) => read.push(path),
        }
    }
    read.iter().filter_map(|path| path.as_ref().err()).for_each(|error| complain(&error.to_string()));
    warnings.refuse()?;
    let files = of_cell.into_iter().chain(paths.files().cloned()).collect();
    Ok(Program { robot: strict, cell, appearance, files, warnings: shared, missing, paths, read })
}

/// Checks every path and writes the reports.
fn check(args: &CheckArgs, program: &Program, (pool, stop): (&Pool, &Stop)) -> Result<Status, Failure> {
    // The files are opened now, so that a file that cannot be written is an error before hours of work.
    let outputs = CheckOutputs::open(args, &program.files)?;
    let checked = match &program.paths {
        Paths::One(_) => {
            let progress = PairProgress::new(stop, "pairs");
            let check = |path: &ReadPath| program.cell.check_path(&path.path, &options(args), &progress);
            let read = program.read.iter().filter_map(|path| path.as_ref().ok());
            read.map(|path| result_of_path(path, pool.install(|| check(path)))).collect()
        }
        Paths::Several(_) => check_several(args, program, (pool, stop)),
    };
    let names: Vec<String> = program.paths.sources().iter().map(paths::Source::name).collect();
    let alone = matches!(program.paths, Paths::One(_));
    let subjects: Vec<Option<Subject<'_>>> = program
        .read
        .iter()
        .zip(&checked)
        .map(|(read, found)| {
            let (read, found) = (read.as_ref().ok()?, found.as_ref().ok()?);
            let limits = (&program.robot, limits::treatment(args.limits));
            let subject = Subject::path(&program.cell, &read.file, found).with_limits(&read.breaches, limits);
            let shared = if alone { &program.warnings[..] } else { &[] };
            let subject = subject.with_missing(&program.missing);
            Some(subject.with_warnings([shared, &read.warnings].concat()))
        })
        .collect();
    let answers: Vec<NamedResult<'_>> = names
        .iter()
        .zip(&subjects)
        .zip(&checked)
        .map(|((name, subject), found)| NamedResult {
            name,
            found: match (subject, found) {
                (Some(subject), Ok(found)) => Ok((subject, &found.report)),
                (_, Err(message)) => Err(message),
                (None, Ok(_)) => Err("not read"),
            },
        })
        .collect();
    let result_of_path: Vec<_> = answers.iter().filter_map(|answer| answer.found.ok()).collect();
    print_stopped(&result_of_path);
    let robot = args.scene.display();
    let mut extras = None;
    let (written, verdict) = match (&program.paths, &answers[..]) {
        (Paths::One(_), [NamedResult { found: Err(message), .. }]) => {
            return Err(outputs.give_up(Failure::Bad((*message).to_owned())));
        }
        (Paths::One(_), [NamedResult { name, found: Ok((subject, report)) }]) => {
            let path = program.read.iter().find_map(|path| path.as_ref().ok());
            let found = Extras::of(args, &json::to_json(subject, report), |found| {
                let shown = shown::name(&args.scene);
                let path = path.map(|path| &path.path);
                let playback = Playback::of_robot(&shown, &program.cell, path, Some(found))?;
                Ok(playback.with_appearance(&program.appearance))
            });
            let found = match found {
                Ok(found) => found,
                Err(failure) => return Err(outputs.give_up(failure)),
            };
            let written = outputs.write(|form| match form {
                ReportFormat::Html => found.html.clone(),
                ReportFormat::Table => {
                    table::table(&format!("{robot} on {name}"), (subject, report), scope(args))
                }
                ReportFormat::Json => json::to_json(subject, report),
                ReportFormat::Csv => csv::to_csv(subject, report),
                ReportFormat::Junit => junit::to_junit(name, subject, report),
            });
            extras = Some(found);
            (written, Some(report.verdict))
        }
        _ => {
            let written = outputs.write(|form| match form {
                // Refused before the check.
                ReportFormat::Html => String::new(),
                ReportFormat::Table => path_table(&robot.to_string(), &answers, scope(args)),
                ReportFormat::Json => json::to_json_of_all(&answers, &program.warnings),
                ReportFormat::Csv => csv::to_csv_of_all(&answers, &program.warnings),
                ReportFormat::Junit => junit::to_junit_of_all(&answers, &program.warnings),
            });
            (written, verdict::worst_verdict(&answers))
        }
    };
    let mut status = verdict.map_or(Status::Bad, status_of);
    if status != Status::Bad && subjects.iter().flatten().any(Subject::exceeds_limits) {
        status = Status::Contact;
    }
    let status = ended(args, written, status)?;
    if let Some(extras) = extras {
        extras.view(args, stop)?;
    }
    Ok(status)
}

/// Checks paths in parallel. The results are in the order of the paths.
fn check_several(args: &CheckArgs, program: &Program, (pool, stop): (&Pool, &Stop)) -> Vec<Checked> {
    let progress = PairProgress::new(stop, "paths");
    progress.begin(program.read.len());
    let check = |path: &chasles_formats::Result<ReadPath>| {
        let checked = match path {
            Ok(path) => {
                result_of_path(path, program.cell.check_path(&path.path, &options(args), &Part(&progress)))
            }
            Err(error) => Err(error.to_string()),
        };
        progress.done(1);
        checked
    };
    let checked: Vec<Checked> = pool.install(|| program.read.par_iter().map(check).collect());
    for message in checked
        .iter()
        .zip(&program.read)
        .filter(|(_, read)| read.is_ok())
        .filter_map(|(c, _)| c.as_ref().err())
    {
        complain(message);
    }
    checked
}

/// The engine's result for a path, with the name of its file in an error.
fn result_of_path(path: &ReadPath, found: Result<PathReport, chasles::Error>) -> Checked {
    found.map_err(|error| Error::file(&path.file.file, error.to_string()).to_string())
}
