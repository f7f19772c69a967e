//! The files for the reports of a check: several reports per run, at most one of them to standard output.

use std::path::PathBuf;

use super::names::TableWidth;
use super::table::Extent;
use crate::args::CheckArgs;
use crate::exit::Failure;
use crate::output::{Output, same};

/// The format of a report.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReportFormat {
    Table,
    Json,
    Csv,
    Junit,
    Html,
}

/// The level of detail of a table, and the room for its names.
pub(super) fn scope(args: &CheckArgs) -> (TableWidth, Extent) {
    let extent = match (args.all, args.all_pairs) {
        (true, _) => Extent::All,
        (false, true) => Extent::Pairs,
        (false, false) => Extent::Survey,
    };
    (TableWidth::of_output(), extent)
}

/// The reports of a run with their opened outputs: files first, standard output last.
#[derive(Debug)]
pub(super) struct CheckOutputs(Vec<(ReportFormat, Output)>);

impl CheckOutputs {
    /// Opens the outputs that the arguments specify. `inputs` are the files that were read, which must not be
    /// overwritten.
    pub(super) fn open(args: &CheckArgs, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let requested_outputs = [
            (ReportFormat::Csv, &args.csv),
            (ReportFormat::Junit, &args.junit),
            (ReportFormat::Html, &args.html),
        ];
        let requested_outputs: Vec<_> =
            requested_outputs.into_iter().filter_map(|(form, path)| Some((form, path.as_deref()?))).collect();
        let (printed, files): (Vec<_>, Vec<_>) =
            requested_outputs.into_iter().partition(|(_, path)| *path == "-");
        let mut printed: Vec<_> = printed.into_iter().map(|(form, _)| form).collect();
        printed.extend(args.json.then_some(ReportFormat::Json));
        if printed.len() > 1 {
            let choice = "found more than one of --json, --csv -, --junit - and --html -, expected one";
            return Err(Failure::Bad(format!("standard output: {choice}: others go to files")));
        }
        for (index, (_, path)) in files.iter().enumerate() {
            if inputs.iter().any(|input| same(path, input)) {
                return Err(Failure::Bad(format!(
                    "{}: is a file of the scene, which is never overwritten",
                    path.display()
                )));
            }
            if files[..index].iter().any(|(_, other)| same(path, other)) {
                return Err(Failure::Bad(format!(
                    "{}: found for two reports, expected two files",
                    path.display()
                )));
            }
        }
        let mut outputs = Self(Vec::new());
        for (form, path) in files {
            match Output::open(Some(path)) {
                Ok(output) => outputs.0.push((form, output)),
                Err(failure) => return Err(outputs.give_up(failure)),
            }
        }
        outputs.0.push((printed.pop().unwrap_or(ReportFormat::Table), Output::open(None)?));
        Ok(outputs)
    }

    /// Writes every report. If one cannot be written, the others still are; returns the first failure.
    pub(super) fn write(self, report: impl Fn(ReportFormat) -> String) -> Result<(), Failure> {
        let mut first = Ok(());
        for (form, mut output) in self.0 {
            let written = match output.line(&report(form)) {
                Ok(()) => output.finish(),
                Err(failure) => Err(output.give_up(failure)),
            };
            first = first.and(written);
        }
        first
    }

    /// Leaves every file as it was.
    pub(super) fn give_up(self, failure: Failure) -> Failure {
        self.0.into_iter().fold(failure, |failure, (_, output)| output.give_up(failure))
    }
}
