//! What a check is asked to do, and how it ends.

use chasles::{
    CheckOptions, Guarantee, Horizon, Listed, PairDoubt, PairReport, PairVerdict, SceneReport, Standing,
};

use crate::args::CheckArgs;
use crate::exit::{Failure, Status};
use crate::output::complain;
use crate::words::number;

/// How the arguments want a check to be made.
pub(super) fn options(args: &CheckArgs) -> CheckOptions {
    let listed = if args.all_pairs { Listed::All } else { Listed::NotClear };
    let standing = if args.standing { Standing::Tested } else { Standing::Skipped };
    let guarantee =
        if args.points_only { Guarantee::Points { spacing: args.spacing } } else { Guarantee::Surfaces };
    let horizon = if args.first { Horizon::FirstContact } else { Horizon::End };
    let (all_contacts, events) = (args.all_contacts, args.events);
    let options = CheckOptions {
        horizon,
        listed,
        standing,
        guarantee,
        all_contacts,
        events,
        ..CheckOptions::default()
    };
    CheckOptions { budget: args.budget.unwrap_or(options.budget), ..options }
}

/// Says how many pairs are not answered since the check was stopped, if any are.
pub(super) fn tell_stopped(reports: &[&SceneReport]) {
    let pairs = reports.iter().flat_map(|report| &report.pairs);
    let unanswered = pairs.filter(|pair| was_stopped(pair)).count();
    if unanswered > 0 {
        let tested: usize = reports.iter().map(|report| report.pairs_tested).sum();
        let first = reports.iter().filter(|report| report.horizon == Horizon::FirstContact);
        let until = first.map(|report| report.clear_until).reduce(f64::min);
        let until =
            until.map_or(String::new(), |until| format!("; nothing touches before {} s", number(until)));
        complain(&format!("stopped: {unanswered} of {tested} pairs are not answered{until}"));
    }
}

/// The status of a check whose reports were written, or not.
pub(super) fn ended(
    args: &CheckArgs,
    written: Result<(), Failure>,
    status: Status,
) -> Result<Status, Failure> {
    match written {
        // Whoever reads has seen enough; what was found is told none the less.
        Err(Failure::ClosedPipe) if !args.watch => Ok(status),
        written => written.map(|()| status),
    }
}

/// Whether a pair was left unanswered because the check was stopped.
pub(super) fn was_stopped(pair: &PairReport) -> bool {
    pair.verdict == PairVerdict::Undecided && pair.doubt == Some(PairDoubt::Stopped)
}

pub(super) fn status_of(verdict: PairVerdict) -> Status {
    match verdict {
        PairVerdict::Clear => Status::Fine,
        PairVerdict::Near | PairVerdict::Contact | PairVerdict::Overlapping => Status::Contact,
        PairVerdict::Undecided => Status::Undecided,
    }
}
