//! `chasles screen`: all collisions of two meshes along one screw, and related facts.
//!
//! ```text
//! ask         a pair, ready for queries, and its queries
//! table       the report as text
//! given       the problems of a file: one, or several
//! in_scene    two bodies of a scene with a relative motion along one screw
//! outputs     the files for the report, the picture, the map and the page
//! ```

mod query;
mod table;
mod source;
mod in_scene;
mod outputs;

use chasles_formats::report::answer::ProblemAnswer;
use chasles_formats::report::screen::{ScreenReport, ScreenVerdict};

use self::outputs::ScreenOutputs;
use self::query::{Reporter, Subject};
use self::source::ProblemSource;
use crate::args::ScreenArgs;
use crate::exit::{Failure, Status};
use crate::input::meshes::Meshes;
use crate::input::problems::lines::ProblemLine;
use crate::input::problems::prepared::warnings_of;
use crate::input::problems::{self, Answered, Kind, Problems};
use crate::output::{Output, unfinished};
use crate::warnings::Warnings;

/// Screens one pair, or every problem of a file.
pub(crate) fn run(args: &ScreenArgs, warnings: &Warnings) -> Result<Status, Failure> {
    unfinished::end_on_interrupt();
    let reporter = Reporter::new(args);
    if in_scene::is_scene(&args.file) {
        return one(args, &reporter, warnings, || in_scene::subject(args, warnings));
    }
    if let Some(option) = in_scene::option(args) {
        return Err(Failure::Bad(format!(
            "{}: found {option}, which is for scenes (.toml, .gltf, .glb, .wrl or .x3d)",
            args.file.display()
        )));
    }
    let problems = Problems::open(&args.file)?;
    let (path, length) = (problems.path.clone(), problems.length);
    let meshes = Meshes::new();
    let lines = match source::read(problems)? {
        ProblemSource::One(line) => {
            return one(args, &reporter, warnings, || {
                let mut found = Vec::new();
                let subject = reporter.subject(&line, &path, &meshes, &mut found);
                found.iter().for_each(|(_, found)| warnings.add_all(found));
                subject.map_err(|(_, error)| Failure::Bad(error))
            });
        }
        ProblemSource::Several(lines) => lines,
    };
    if let Some(option) = outputs::option(args) {
        return Err(Failure::Bad(format!(
            "{}: found {option} and several problems, expected one problem for it",
            path.display()
        )));
    }
    let json = args.json;
    let answer = move |line: &ProblemLine| {
        let mut warnings = Vec::new();
        let found = reporter
            .subject(line, &path, &meshes, &mut warnings)
            .and_then(|subject| reporter.report(&subject).map_err(|error| (Some(subject.name), error)));
        let kind = if found.is_err() { Kind::Error } else { Kind::Found };
        let text = match (found, json) {
            (Ok(report), true) => ScreenReport { warnings: warnings_of(&warnings), ..report }.to_line(),
            (Ok(report), false) => table::table(&path, &report) + "\n",
            (Err((name, error)), true) => {
                ProblemAnswer::Error { name: name.as_deref(), error: &error }.to_line(&warnings_of(&warnings))
            }
            (Err((name, error)), false) => table::failed(name.as_deref(), &error) + "\n",
        };
        Answered { text, kind, warnings }
    };
    let answers = problems::answers(lines, answer, args.threads)?;
    problems::write(answers, Output::open(None)?, length, warnings)
}

/// Screens one pair. Its files are read only after the outputs have been opened.
fn one(
    args: &ScreenArgs,
    reporter: &Reporter,
    warnings: &Warnings,
    read: impl FnOnce() -> Result<Subject, Failure>,
) -> Result<Status, Failure> {
    let outputs = ScreenOutputs::open(args)?;
    let found = read().and_then(|subject| {
        warnings.refuse()?;
        let report = reporter.report(&subject).map_err(Failure::Bad)?;
        let report = ScreenReport { warnings: warnings.list(), ..report };
        Ok((outputs::texts(args, reporter, &subject, &report)?, report))
    });
    match found {
        Ok((texts, report)) => {
            outputs.write(&texts)?;
            Ok(status_of(&report))
        }
        Err(failure) => Err(outputs.give_up(failure)),
    }
}

fn status_of(report: &ScreenReport) -> Status {
    match report.verdict {
        ScreenVerdict::Clear => Status::Fine,
        ScreenVerdict::Contact | ScreenVerdict::Overlapping => Status::Contact,
        ScreenVerdict::Undecided { .. } => Status::Undecided,
    }
}
