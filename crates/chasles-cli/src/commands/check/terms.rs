//! The options of a check, and its end.

use chasles::{
    CheckOptions, Guarantee, Horizon, PairListing, PairReport, PairUndecidedReason, PairVerdict,
    RestingPairs, SceneReport, StaticPairs,
};

use chasles_formats::Subject;
use chasles_formats::figures::moment_before;
use chasles_formats::report::verdict::no_contact_phrase;

use crate::args::{CheckArgs, RestingPairsArg};
use crate::exit::{Failure, Status};
use crate::output::complain;

/// The options of a check.
pub(super) fn options(args: &CheckArgs) -> CheckOptions {
    let listed = if args.all_pairs { PairListing::All } else { PairListing::NotClear };
    let resting = match args.standing {
        Some(RestingPairsArg::Ignore) => RestingPairs::Ignored,
        Some(RestingPairsArg::Test) | None => RestingPairs::Tested,
    };
    let statics = match resting {
        _ if args.statics => StaticPairs::Tested,
        RestingPairs::Tested => StaticPairs::Named,
        RestingPairs::Ignored => StaticPairs::Ignored,
    };
    let guarantee =
        if args.points_only { Guarantee::Points { spacing: args.spacing } } else { Guarantee::Surfaces };
    let horizon = if args.first { Horizon::FirstContact } else { Horizon::End };
    let (all_contacts, events) = (args.all_contacts, args.events);
    let options = CheckOptions {
        horizon,
        listed,
        resting,
        statics,
        guarantee,
        all_contacts,
        events,
        ..CheckOptions::default()
    };
    CheckOptions { budget: args.budget.unwrap_or(options.budget), ..options }
}

/// Prints the number of unanswered pairs after a stopped check, if there are any; for a single scene also the time
/// until which all pairs are reported.
pub(super) fn print_stopped(found: &[(&Subject<'_>, &SceneReport)]) {
    let pairs = found.iter().flat_map(|(_, report)| &report.pairs);
    let unanswered = pairs.filter(|pair| was_stopped(pair)).count();
    if unanswered > 0 {
        let tested: usize = found.iter().map(|(_, report)| report.pairs_tested).sum();
        let known = match found {
            [(subject, report)] => {
                known_part(subject, report).map_or(String::new(), |known| format!("; {known}"))
            }
            _ => String::new(),
        };
        complain(&format!("stopped: {unanswered} of {tested} pairs are not answered{known}"));
    }
}

/// The proven part of a stopped check, in time. `None` if not even its start is proven.
fn known_part(subject: &Subject<'_>, report: &SceneReport) -> Option<String> {
    let start = subject.time_interval()[0];
    let moment = |time: f64| moment_before(time, subject.duration());
    let free = (report.clear_until > start)
        .then(|| format!("{} before {} s", no_contact_phrase(report), moment(report.clear_until)));
    let reported = (report.followed_until > report.clear_until)
        .then(|| format!("all pairs are reported until {} s", moment(report.followed_until)));
    let known: Vec<String> = free.into_iter().chain(reported).collect();
    (!known.is_empty()).then(|| known.join(", "))
}

/// The status of a check after its reports were written.
pub(super) fn ended(
    args: &CheckArgs,
    written: Result<(), Failure>,
    status: Status,
) -> Result<Status, Failure> {
    match written {
        // The reader of the pipe has closed it; the verdict is still valid.
        Err(Failure::ClosedPipe) if !args.watch => Ok(status),
        written => written.map(|()| status),
    }
}

/// Whether a pair is unanswered because the check was stopped.
pub(super) fn was_stopped(pair: &PairReport) -> bool {
    pair.verdict == PairVerdict::Undecided && pair.reason == Some(PairUndecidedReason::Stopped)
}

pub(super) fn status_of(verdict: PairVerdict) -> Status {
    match verdict {
        PairVerdict::Clear => Status::Fine,
        PairVerdict::Near | PairVerdict::Contact | PairVerdict::Overlapping => Status::Contact,
        PairVerdict::Undecided => Status::Undecided,
    }
}
