//! The first contact of all pairs of a scene.
//!
//! The scene is checked up to a small fraction of its duration, then up to four times that time, and so on, until
//! some pair is in contact. So no pair is examined for longer than four times the time of the first contact, and a
//! clear scene takes a third more than one check. Once a pair is in contact, the other pairs are examined only up
//! to that time ([`EarliestContact`](crate::trajectory::watch::EarliestContact)), and the pair itself to the end of
//! its own contact; the result up to then does not depend on the order of the pairs. Each round starts at time 0. A
//! round that resumed the last round would start with bodies that may be within epsilon of each other, and could
//! not find when they start to touch.

use crate::error::Error;
use crate::scene::Scene;
use crate::scene::check::candidates::BATCH_SIZE;
use crate::scene::check::resting::{collect_at_rest, model_overlaps};
use crate::scene::check::{all_clear_report, answer_all, decided_until, with_request};
use crate::scene::report::{
    CheckOptions, NearestReport, PairListing, PairReport, PairUndecidedReason, PairVerdict, SceneReport,
};
use crate::trajectory::watch::ProgressMonitor;

/// Number of rounds before the last round, which extends to the end. The first extends to 1/4096 of the duration.
const ROUNDS: u32 = 6;

/// Passes on only whether to stop. Progress is counted round by round.
struct RoundProgress<'w>(&'w dyn ProgressMonitor);

impl ProgressMonitor for RoundProgress<'_> {
    fn is_over(&self) -> bool {
        self.0.is_over()
    }
}

/// The report of a pair up to a time; `None` if the pair is proven separated until then.
fn until_time(mut pair: PairReport, until: f64, duration: f64) -> Option<PairReport> {
    pair.intervals.truncate(1);
    pair.intervals.retain(|interval| interval.enter[0] <= until);
    if let Some(first) = pair.intervals.first_mut() {
        first.exit = Some([first.enter[1], duration]);
    }
    pair.undecided.retain(|undecided| undecided[0] < until);
    pair.undecided.iter_mut().for_each(|undecided| undecided[1] = undecided[1].min(until));
    match (pair.intervals.is_empty(), pair.undecided.is_empty()) {
        (true, true) => return None,
        (true, false) => pair.verdict = PairVerdict::Undecided,
        (false, true) => pair.reason = None,
        (false, false) => {}
    }
    pair.set_clear_until(duration);
    Some(pair)
}

/// Whether a pair touches at the start, and the budget ran out before it was decided whether it overlaps there.
fn may_overlap(pair: &PairReport) -> bool {
    let touches = pair.verdict == PairVerdict::Contact && pair.clear_until == 0.0;
    touches
        && pair.reason == Some(PairUndecidedReason::Budget)
        && pair.undecided.first().is_some_and(|span| span[0] == 0.0)
}

/// The first contact of any pair; see [`Horizon::FirstContact`](crate::Horizon::FirstContact).
///
/// # Errors
/// As [`Scene::check`].
pub(crate) fn check_to_first_contact(
    scene: &Scene,
    options: &CheckOptions,
    watch: &dyn ProgressMonitor,
) -> Result<SceneReport, Error> {
    let duration = scene.duration();
    let options = &CheckOptions { listed: PairListing::NotClear, events: false, ..*options };
    // Pairs at rest have the same result in every round.
    let whole = &scene.up_to(duration);
    let (overlaps, at_rest, resting) = with_request(whole, (options, watch), |request| {
        watch.begin(all_clear_report(whole, request).pairs_tested);
        let overlaps = model_overlaps(whole, request)?;
        Ok((overlaps, collect_at_rest(whole, request, BATCH_SIZE)?, request.count_at_rest()))
    })?;
    let (mut rounds_left, mut since, mut counted) = (ROUNDS, 0.0, 0);
    loop {
        let until = duration / f64::from(1_u32 << (2 * rounds_left));
        let of_round = CheckOptions {
            // All rounds together take less than twice as many steps as one check.
            budget: (options.budget >> rounds_left).max(1),
            naming: if rounds_left == 0 { options.naming } else { NearestReport::Nothing },
            ..*options
        };
        let part = &scene.up_to(until);
        let mut report = with_request(part, (&of_round, &RoundProgress(watch)), |request| {
            answer_all(part, all_clear_report(part, request), request, at_rest.clone(), BATCH_SIZE)
        })?;
        let tested = report.pairs_tested;
        let moving = tested - resting;
        // After a stop, some pairs may be missing from the list.
        let unexamined = tested - report.pairs_clear - report.pairs.len();
        let is_unexamined = |pair: &PairReport| pair.reason == Some(PairUndecidedReason::Stopped);
        let is_stopped = unexamined > 0 || report.pairs.iter().any(is_unexamined);
        // Bodies that deform are examined to the end of a frame interval, and other pairs may be in contact
        // before that.
        let starts = report.pairs.iter().filter_map(|pair| Some(pair.intervals.first()?.enter[1]));
        let first = starts.filter(|starts| *starts <= until).reduce(f64::min);
        // A round with more steps may prove that bodies which touch at the start overlap.
        let has_contact = first.is_some() && !report.pairs.iter().any(may_overlap);
        let is_done = rounds_left == 0 || has_contact || is_stopped;
        let done = if is_done { moving } else { moving >> (2 * rounds_left) };
        watch.done(done - counted);
        if !is_done {
            counted = done;
            if report.verdict == PairVerdict::Clear {
                since = until;
            }
            rounds_left -= 1;
            continue;
        }
        for pair in report.pairs.iter_mut().filter(|pair| is_unexamined(pair)) {
            // All pairs are decided until the start of the last round that was clear, and unknown from there on.
            pair.undecided.iter_mut().for_each(|undecided| undecided[0] = undecided[0].max(since));
            if let Some(last) = pair.undecided.last_mut() {
                last[1] = duration;
            }
        }
        report.followed_until = match first {
            Some(first) => first,
            None if unexamined > 0 => since,
            None => decided_until(&report.pairs, duration).max(since).min(duration),
        };
        // If there is no contact, undecided times are kept as they are.
        let limit = first.unwrap_or(f64::INFINITY);
        report.pairs =
            report.pairs.into_iter().filter_map(|pair| until_time(pair, limit, duration)).collect();
        let known = if unexamined > 0 { since } else { duration };
        report.clear_until = report.pairs.iter().map(|pair| pair.clear_until).fold(known, f64::min);
        let worst = report.pairs.iter().map(|pair| pair.verdict).max().unwrap_or(PairVerdict::Clear);
        report.verdict = if unexamined > 0 { worst.max(PairVerdict::Undecided) } else { worst };
        report.pairs_clear = tested - report.pairs.len() - unexamined;
        report.inside.retain(|inside| inside.from <= report.followed_until);
        report.overlaps = overlaps;
        return Ok(report);
    }
}
