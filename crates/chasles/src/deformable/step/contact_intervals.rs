//! When two surfaces, or a surface and itself, meet during a step: the union of the intervals of all pairs of features.
//!
//! The filter's proofs cover most of the time. An undecided pair matters only at times when no other pair is known
//! to meet; there integer arithmetic decides, if the vertices are exactly at the given positions.

use std::cmp::Ordering;

use glam::DVec3;

use crate::deformable::step::candidates::{EdgeFace, FeatureCandidate, SurfacePair};
use crate::deformable::step::cover::{StepInterval, StepIntervals, intervals_of_cover, windows_of};
use crate::deformable::step::exact_intervals::{ExactInterval, add, exact_intervals};
use crate::deformable::step::meeting_intervals::{
    Accuracy, MeetingIntervals, MovingPoints, meeting_intervals,
};
use crate::deformable::step::touches::{contact_intervals_with_touches, flat_contacts};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::exact_time::ExactTime;
use crate::math::time_interval::IntervalSet;

/// Enclosures are at most 2^-`TIME_BITS` wide.
const TIME_BITS: u64 = 56;

/// The number of undecided pairs at which coplanar faces are searched for.
const MANY_UNDECIDED: usize = 64;

/// Features, and an interval in which they may meet.
type OpenCandidate = ([f64; 2], FeatureCandidate);

/// The maximum number of stored undecided pairs.
const MAX_UNDECIDED: usize = 1 << 20;

/// The times at which the sides meet.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn contact_intervals(
    sides: &SurfacePair<'_>,
    accuracy: &Accuracy,
    budget: &mut Budget<'_>,
) -> Result<StepIntervals, OutOfBudget> {
    let mut cover = IntervalSet::default();
    let mut windows = windows_of(&cover);
    let mut undecided: Vec<OpenCandidate> = Vec::new();
    let mut found = MeetingIntervals::default();
    let is_exact = accuracy.deviation == 0.0;
    let mut next_try = 1;
    let searched = sides.edges_and_faces(budget, |candidate, budget| {
        budget.step()?;
        let Some(meeting) = sides.meeting(&candidate) else { return Ok(()) };
        // If a pair can meet only at an end of the step, and contact at that end is known, the pair adds no
        // information.
        let excluded = [0.0, 1.0].map(|end| is_exact && cover.contains([end; 2]));
        if excluded.contains(&true) && meeting.is_separated_between(excluded) {
            return Ok(());
        }
        meeting_intervals(&meeting, &windows, accuracy, &mut found);
        budget.take(found.samples)?;
        if !found.intersecting.is_empty() {
            found.intersecting.iter().for_each(|span| cover.add(*span));
            windows = windows_of(&cover);
            // The whole step is covered: stop the search.
            if windows.is_empty() {
                return Err(OutOfBudget);
            }
        }
        for span in &found.undecided {
            if cover.contains(*span) {
                continue;
            }
            undecided.push((*span, candidate));
            // In a sheet that lies on itself, coplanar faces decide most undecided pairs at once.
            if is_exact && undecided.len() == MANY_UNDECIDED {
                flat_contacts(sides, &windows, budget)?.as_slice().iter().for_each(|span| cover.add(*span));
                windows = windows_of(&cover);
                if windows.is_empty() {
                    return Err(OutOfBudget);
                }
            }
            // In a folded sheet the first pair often decides all others.
            if is_exact && undecided.len() >= next_try {
                next_try = 2 * undecided.len();
                add_exact_intervals(&mut cover, &meeting, *span, budget)?;
                windows = windows_of(&cover);
                if windows.is_empty() {
                    return Err(OutOfBudget);
                }
            }
        }
        if undecided.len() >= MAX_UNDECIDED {
            undecided.retain(|(span, _)| !cover.contains(*span));
            if undecided.len() >= MAX_UNDECIDED / 2 {
                return Err(OutOfBudget);
            }
        }
        Ok(())
    });
    if cover.contains([0.0, 1.0]) {
        return Ok(intervals_of_cover(&cover, std::iter::empty()));
    }
    searched?;
    undecided.retain(|(span, _)| !cover.contains(*span));
    undecided.sort_by(|(x, _), (y, _)| x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])));
    if accuracy.deviation > 0.0 {
        let windows: Vec<[f64; 2]> = clusters(&undecided).into_iter().map(|(span, _)| span).collect();
        contact_intervals_with_touches(sides, &cover, &windows, accuracy, budget)
    } else {
        decided(sides, &cover, &undecided, budget)
    }
}

/// Adds the exact times of an interval at which two features meet, rounded inward to doubles.
fn add_exact_intervals(
    cover: &mut IntervalSet,
    meeting: &MovingPoints,
    span: [f64; 2],
    budget: &mut Budget<'_>,
) -> Result<(), OutOfBudget> {
    let [from, to] = span.map(ExactTime::of);
    for [mut start, mut end] in exact_intervals(meeting, [&from, &to], budget)? {
        let [from, to] = [start.enclosure(TIME_BITS, budget)?[1], end.enclosure(TIME_BITS, budget)?[0]];
        if from <= to {
            cover.add([from, to]);
        }
    }
    Ok(())
}

/// Groups of undecided pairs whose intervals overlap or touch, with the union of the intervals.
fn clusters(undecided: &[OpenCandidate]) -> Vec<([f64; 2], &[OpenCandidate])> {
    let mut all = Vec::new();
    let mut start = 0;
    while start < undecided.len() {
        let [from, mut to] = undecided[start].0;
        let mut end = start + 1;
        while end < undecided.len() && undecided[end].0[0] <= to {
            to = to.max(undecided[end].0[1]);
            end += 1;
        }
        all.push(([from, to], &undecided[start..end]));
        start = end;
    }
    all
}

/// The contact times, decided exactly.
fn decided(
    sides: &SurfacePair<'_>,
    cover: &IntervalSet,
    undecided: &[OpenCandidate],
    budget: &mut Budget<'_>,
) -> Result<StepIntervals, OutOfBudget> {
    let exactly = |[from, to]: [f64; 2]| [ExactTime::of(from), ExactTime::of(to)];
    let mut all: Vec<ExactInterval> = Vec::new();
    for span in cover.as_slice() {
        add(&mut all, exactly(*span), budget)?;
    }
    for ([from, to], undecided) in clusters(undecided) {
        let near = |span: &&[f64; 2]| span[0] <= to && span[1] >= from;
        let mut known: Vec<ExactInterval> =
            cover.as_slice().iter().filter(near).map(|span| exactly(*span)).collect();
        for (span, candidate) in undecided {
            let mut ends = exactly(*span);
            if contains(&mut known, &mut ends, budget)? {
                continue;
            }
            let Some(meeting) = sides.meeting(candidate) else { continue };
            for interval in exact_intervals(&meeting, [&ends[0], &ends[1]], budget)? {
                add(&mut known, interval, budget)?;
            }
        }
        for span in known {
            add(&mut all, span, budget)?;
        }
    }
    let mut intervals = Vec::with_capacity(all.len());
    for [mut from, mut to] in all {
        let enclosures = [from.enclosure(TIME_BITS, budget)?, to.enclosure(TIME_BITS, budget)?];
        intervals.push(StepInterval { enter: enclosures[0], exit: enclosures[1] });
    }
    let certain = intervals.iter().map(|interval| [interval.enter[0], interval.exit[1]]).collect();
    Ok(StepIntervals { intervals, undecided: Vec::new(), certain })
}

/// Whether one of some intervals contains a whole interval.
fn contains(
    spans: &mut [ExactInterval],
    [from, to]: &mut ExactInterval,
    budget: &mut Budget<'_>,
) -> Result<bool, OutOfBudget> {
    for [start, end] in spans {
        if start.compare(from, budget)? != Ordering::Greater && end.compare(to, budget)? != Ordering::Less {
            return Ok(true);
        }
    }
    Ok(false)
}

impl SurfacePair<'_> {
    /// The moving points of a candidate.
    fn meeting(&self, candidate: &FeatureCandidate) -> Option<MovingPoints> {
        let [a, b] = self.both();
        let (of_edge, edge, of_face, face) = match *candidate {
            FeatureCandidate::Features(features) => {
                return self.moving(&features).map(MovingPoints::Features);
            }
            FeatureCandidate::EdgeFace(EdgeFace::First { edge, face }) => (a, edge, b, face),
            FeatureCandidate::EdgeFace(EdgeFace::Second { face, edge }) => (b, edge, a, face),
        };
        let ([v, w], [p, q, r]) = (edge.map(|v| v as usize), of_face.corners(face).map(|v| v as usize));
        let at = |own: &[DVec3], other: &[DVec3]| [own[v], own[w], other[p], other[q], other[r]];
        Some(MovingPoints::EdgeFace {
            start: at(of_edge.motion.start, of_face.motion.start),
            end: at(of_edge.motion.end, of_face.motion.end),
        })
    }
}
