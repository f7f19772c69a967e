//! Verdicts and their reasons in words, shared by all reports.

use chasles::{ModelOverlaps, PairReport, PairUndecidedReason, PairVerdict, SceneReport, UndecidedReason};

use super::answer;
use super::subject::{NamedResult, Subject};
use crate::text::json::plain;

/// The worst of several verdicts; `None` if any subject could not be checked.
#[must_use]
pub fn worst_verdict(answers: &[NamedResult<'_>]) -> Option<PairVerdict> {
    let verdicts = answers.iter().map(|answer| answer.found.ok().map(|(_, report)| report.verdict));
    verdicts.collect::<Option<Vec<_>>>().map(|all| all.into_iter().max().unwrap_or(PairVerdict::Clear))
}

/// The word for a verdict.
#[must_use]
pub fn verdict(verdict: PairVerdict) -> &'static str {
    match verdict {
        PairVerdict::Clear => "clear",
        PairVerdict::Near => "near",
        PairVerdict::Undecided => "undecided",
        PairVerdict::Contact => "contact",
        PairVerdict::Overlapping => "overlapping",
    }
}

/// The reason for an undecided result or a wide enclosure, in a sentence; its first word is for programs.
#[must_use]
pub fn reason(pair_reason: PairUndecidedReason) -> &'static str {
    match pair_reason {
        PairUndecidedReason::Budget => answer::reason(UndecidedReason::Budget),
        PairUndecidedReason::Memory => answer::reason(UndecidedReason::Memory),
        PairUndecidedReason::Rounding => answer::reason(UndecidedReason::Rounding),
        PairUndecidedReason::Stopped => "stopped: the check was stopped before this pair was answered",
        PairUndecidedReason::NoPoints => {
            "points: neither body has points to follow; a spacing gives them some"
        }
    }
}

/// The number of pairs that are in contact from the start.
#[must_use]
pub fn count_contacts_at_start(subject: &Subject<'_>, report: &SceneReport) -> usize {
    let is_contact =
        |pair: &&PairReport| matches!(pair.verdict, PairVerdict::Contact | PairVerdict::Overlapping);
    let from_start =
        |pair: &&PairReport| pair.intervals.first().is_some_and(|first| subject.is_start(first.enter));
    report.pairs.iter().filter(is_contact).filter(from_start).count()
}

/// The phrase for times that are proven free of contact: "nothing touches", or "no tested pair touches" if bodies
/// outside the verdict overlap or may overlap.
#[must_use]
pub fn no_contact_phrase(report: &SceneReport) -> &'static str {
    let is_all = match &report.overlaps {
        Some(ModelOverlaps { assembled, statics, undecided }) => {
            assembled.is_empty() && statics.is_empty() && *undecided == 0
        }
        None => report.untested.at_rest() == 0,
    };
    if is_all { "nothing touches" } else { "no tested pair touches" }
}

/// The lower bound of a pair's minimum distance, if known.
#[must_use]
pub fn gap_lower_bound(pair: &PairReport) -> Option<f64> {
    match pair.verdict {
        PairVerdict::Contact | PairVerdict::Overlapping => None,
        _ => pair.gap.map(|[lower, _]| plain(lower)),
    }
}

/// The upper bound of a pair's minimum distance: 0 for a pair in contact.
#[must_use]
pub fn gap_upper_bound(pair: &PairReport) -> Option<f64> {
    match pair.verdict {
        PairVerdict::Contact | PairVerdict::Overlapping => Some(0.0),
        _ => pair.gap.map(|[_, upper]| plain(upper)),
    }
}
