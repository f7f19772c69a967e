//! What becomes of paths that are beyond the limits of joints.

use chasles::Robot;
use chasles_formats::figures::{moment, number};
use chasles_formats::printable::printable;
use chasles_formats::report::breach::{LimitsAre, ToldBreach};
use chasles_formats::{Error, Result, Subject};

use crate::args::LimitsArg;
use crate::paths::ReadPath;
use crate::words::columns;

/// So many stand in a table.
const BREACHES: usize = 12;

/// Whether paths are checked beyond the limits too.
pub(super) fn are_passed(asked: Option<LimitsArg>) -> bool {
    matches!(asked, Some(LimitsArg::Warn | LimitsArg::Report))
}

/// What it means to be beyond limits.
pub(super) fn are(asked: Option<LimitsArg>) -> LimitsAre {
    if asked == Some(LimitsArg::Report) { LimitsAre::Findings } else { LimitsAre::Told }
}

/// The meaning of limits while a path is read. A refused path has an error, so it needs no warning.
pub(super) fn are_read(asked: Option<LimitsArg>) -> LimitsAre {
    if asked == Some(LimitsArg::Refuse) { LimitsAre::Findings } else { are(asked) }
}

/// A path that may not be beyond limits of speed either, where that is asked for.
pub(super) fn kept(path: ReadPath, (robot, asked): (&Robot, Option<LimitsArg>)) -> Result<ReadPath> {
    match path.breaches.first() {
        Some(first) if asked == Some(LimitsArg::Refuse) => {
            let told = ToldBreach::new(first, (robot, LimitsAre::Findings), &path.file);
            Err(Error::file(&path.file.file, told.sentence()))
        }
        _ => Ok(path),
    }
}

/// Where a path is beyond the limits of joints, if that is a finding.
pub(super) fn table(subject: &Subject<'_>) -> String {
    if !subject.is_beyond_limits() {
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
            breach.limit_word().into(),
            value(breach.limit),
            value(breach.found),
            time(breach.at),
            time(breach.from),
            time(breach.until),
            breach.segments_word(),
        ]);
    }
    let mut text = format!("\n{}", columns(&rows));
    if breaches.len() > BREACHES {
        text.push_str(&format!("  and {} more: --json tells all of them\n", breaches.len() - BREACHES));
    }
    text
}
