//! Checks of glTF animations that move the same nodes, one after the other, with one report.

use chasles::SceneReport;
use chasles_formats::report::subject::NamedResult;
use chasles_formats::report::{csv, json, junit, verdict};
use chasles_formats::scene::build::BuiltScene;
use chasles_formats::{Error, Subject, gltf};

use super::outputs::{CheckOutputs, ReportFormat, scope};
use super::path_table::table_of_all;
use super::terms::{ended, options, print_stopped, status_of};
use crate::args::CheckArgs;
use crate::exit::{Failure, Status};
use crate::input::scenes::{self, SceneRequest};
use crate::progress::PairProgress;
use crate::stop::Stop;
use crate::threads::Pool;
use crate::warnings::Warnings;

/// The names of the animations to check one after the other; empty if the scene is checked once.
pub(super) fn alternatives(args: &CheckArgs) -> Result<Vec<String>, Failure> {
    let scene_request = super::scene_request(args);
    if scene_request.animation != Some(gltf::ALL) || !gltf::is_gltf(&args.scene) {
        return Ok(Vec::new());
    }
    Ok(gltf::rivals(&args.scene)?)
}

/// Checks each of these animations together with the animations that it does not exclude, and writes the reports.
pub(super) fn run(
    args: &CheckArgs,
    names: &[String],
    pool: &Pool,
    warnings: &Warnings,
) -> Result<Status, Failure> {
    let alone = [args.shows(), args.at.map(|_| "--at"), args.watch.then_some("--watch")];
    if let Some(option) = alone.into_iter().flatten().next() {
        let found =
            format!("{option}: found {} animations that are checked in turn, expected one", names.len());
        return Err(Error::file(&args.scene, found).into());
    }
    let mut built: Vec<BuiltScene> = Vec::new();
    let mut files = Vec::new();
    for rival in 0..names.len() {
        let read = scenes::read(&SceneRequest { rival: Some(rival), ..super::scene_request(args) })?;
        built.push(scenes::build(&read, warnings)?);
        files = read.files;
    }
    warnings.refuse()?;
    let stop = Stop::install()?;
    // The files are opened now, so that a file that cannot be written is an error before hours of work.
    let outputs = CheckOutputs::open(args, &files)?;
    let mut reports: Vec<SceneReport> = Vec::new();
    for BuiltScene { scene, .. } in &built {
        let progress = PairProgress::new(&stop, "pairs");
        match pool.install(|| scene.check(&options(args), &progress)) {
            Ok(report) => reports.push(report),
            Err(error) => return Err(outputs.give_up(Error::file(&args.scene, error.to_string()).into())),
        }
    }
    let subjects: Vec<Subject<'_>> =
        built.iter().map(|built| Subject::scene(&built.scene).with_missing(&built.missing)).collect();
    let found: Vec<(&Subject<'_>, &SceneReport)> = subjects.iter().zip(&reports).collect();
    print_stopped(&found);
    let named = names.iter().map(|name| name.trim_matches('"'));
    let answers: Vec<NamedResult<'_>> =
        named.zip(&found).map(|(name, found)| NamedResult { name, found: Ok(*found) }).collect();
    let scene = args.scene.display().to_string();
    let warning_list = warnings.list();
    let written = outputs.write(|form| match form {
        // `--html` was refused before the first check.
        ReportFormat::Html => String::new(),
        ReportFormat::Table => table_of_all((&scene, "animation"), &answers, scope(args)),
        ReportFormat::Json => json::to_json_of_all(&answers, &warning_list),
        ReportFormat::Csv => csv::to_csv_of_all(&answers, &warning_list),
        ReportFormat::Junit => junit::to_junit_of_all(&answers, &warning_list),
    });
    ended(args, written, verdict::worst_verdict(&answers).map_or(Status::Bad, status_of))
}
