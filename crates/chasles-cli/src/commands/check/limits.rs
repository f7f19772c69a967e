//! Paths that violate joint limits.

use chasles::Robot;
use chasles_formats::figures::{moment, number};
use chasles_formats::printable::printable;
use chasles_formats::report::breach::{LimitTreatment, ReportedBreach};
use chasles_formats::{Error, Result, Subject};

use crate::args::LimitsArg;
use crate::input::paths::ReadPath;
use crate::words::columns;

/// The maximum number of violations in a table.
const BREACHES: usize = 12;

/// Whether paths that violate limits are checked too.
pub(super) fn are_checked(limits_arg: Option<LimitsArg>) -> bool {
    matches!(limits_arg, Some(LimitsArg::Warn | LimitsArg::Report))
}

/// The severity of a violation.
pub(super) fn treatment(limits_arg: Option<LimitsArg>) -> LimitTreatment {
    if limits_arg == Some(LimitsArg::Report) { LimitTreatment::Findings } else { LimitTreatment::Reported }
}

/// The severity of a violation while a path is read. A refused path has an error, so it needs no warning.
pub(super) fn treatment_on_reading(limits_arg: Option<LimitsArg>) -> LimitTreatment {
    if limits_arg == Some(LimitsArg::Refuse) { LimitTreatment::Findings } else { treatment(limits_arg) }
}

/// Rejects a path that violates speed limits too, if violations are to be refused.
pub(super) fn refuse_violations(
    path: ReadPath,
    (robot, limits_arg): (&Robot, Option<LimitsArg>),
) -> Result<ReadPath> {
    match path.breaches.first() {
        Some(first) if limits_arg == Some(LimitsArg::Refuse) => {
            let reported = ReportedBreach::new(first, (robot, LimitTreatment::Findings), &path.file);
            Err(Error::file(&path.file.file, reported.sentence()))
        }
        _ => Ok(path),
    }
}

/// A table of the violations, if they are findings.
pub(super) fn table(subject: &Subject<'_>) -> String {
    if !subject.exceeds_limits() {
        return String::new();
    }
    let mut rows =
        vec![["joint", "beyond its", "of", "found", "at", "from", "until", "segment"].map(String::from)];
    let (breaches, duration) = (subject.breaches(), subject.duration());
    for breach in breaches.iter().take(BREACHES) {
        let value = |value: f64| format!("{} {}", number(value), breach.unit);
        let time = |time: f64| format!("{} s", moment(time, duration));
        rows.push([
            printable(breach.joint).into_owned(),
            breach.limit_label().into(),
            value(breach.limit),
            value(breach.found),
            time(breach.at),
            time(breach.from),
            time(breach.until),
            breach.segments_label(),
        ]);
    }
    let mut text = format!("\n{}", columns(&rows));
    if breaches.len() > BREACHES {
        text.push_str(&format!("  and {} more: --json lists all of them\n", breaches.len() - BREACHES));
    }
    text
}
