//! When two surfaces, or a surface and itself, meet during a step: the union of the spans of all pairs of features.
//!
//! What is proven by the filter covers most of the time. The doubt of a pair matters only where no other pair is known
//! to meet; there whole numbers decide, if the vertices are where they are said to be.

use std::cmp::Ordering;

use glam::DVec3;

use crate::deforming::candidates::{Candidate, EdgeFace, Sides};
use crate::deforming::exact_spans::{ExactSpan, add, exact_spans};
use crate::deforming::spans::{Accuracy, Meeting, Spans, spans};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::polynomial::ExactTime;

/// Times of a step at which surfaces meet, as shares of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepInterval {
    /// Enclosure of the begin; [0, 0] where they meet at the start.
    pub enter: [f64; 2],
    /// Enclosure of the end; [1, 1] where they meet at the end.
    pub exit: [f64; 2],
}

/// What is known of the times at which surfaces meet.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ContactSpans {
    /// In order.
    pub(super) intervals: Vec<StepInterval>,
    /// Where they may meet, or may not, in order. Elsewhere outside of the intervals they are apart.
    pub(super) unknown: Vec<[f64; 2]>,
}

/// Enclosures are no wider than 2 to minus this.
const TIME_BITS: u64 = 56;

/// Features, and a span in which they may meet.
type Doubt = ([f64; 2], Candidate);

/// Windows that are looked at one by one, at most.
const MOST_WINDOWS: usize = 4;

/// Doubts that are kept, at most.
const MOST_DOUBTS: usize = 1 << 20;

/// The times at which the sides meet.
///
/// # Errors
/// [`OutOfBudget`].
pub(super) fn contact_spans(
    sides: &Sides<'_>,
    accuracy: &Accuracy,
    budget: &mut Budget<'_>,
) -> Result<ContactSpans, OutOfBudget> {
    let mut cover = Cover::default();
    let mut windows = cover.windows();
    let mut doubts: Vec<Doubt> = Vec::new();
    let mut found = Spans::default();
    let searched = sides.edges_and_faces(budget, |candidate, budget| {
        budget.step()?;
        let Some(meeting) = sides.meeting(&candidate) else { return Ok(()) };
        spans(&meeting, &windows, accuracy, &mut found);
        if !found.met.is_empty() {
            found.met.iter().for_each(|span| cover.add(*span));
            windows = cover.windows();
            // Nothing that follows says more.
            if windows.is_empty() {
                return Err(OutOfBudget);
            }
        }
        for span in &found.doubt {
            if !cover.holds(*span) {
                doubts.push((*span, candidate));
            }
        }
        if doubts.len() >= MOST_DOUBTS {
            doubts.retain(|(span, _)| !cover.holds(*span));
            if doubts.len() >= MOST_DOUBTS / 2 {
                return Err(OutOfBudget);
            }
        }
        Ok(())
    });
    if cover.holds([0.0, 1.0]) {
        let intervals = vec![StepInterval { enter: [0.0; 2], exit: [1.0; 2] }];
        return Ok(ContactSpans { intervals, unknown: Vec::new() });
    }
    searched?;
    doubts.retain(|(span, _)| !cover.holds(*span));
    doubts.sort_by(|(x, _), (y, _)| x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])));
    if accuracy.off > 0.0 {
        Ok(cover.told(clusters(&doubts).into_iter().map(|(span, _)| span)))
    } else {
        decided(sides, &cover, &doubts, budget)
    }
}

/// Doubts that follow each other without a break, with the time that they take.
fn clusters(doubts: &[Doubt]) -> Vec<([f64; 2], &[Doubt])> {
    let mut all = Vec::new();
    let mut begin = 0;
    while begin < doubts.len() {
        let [from, mut to] = doubts[begin].0;
        let mut end = begin + 1;
        while end < doubts.len() && doubts[end].0[0] <= to {
            to = to.max(doubts[end].0[1]);
            end += 1;
        }
        all.push(([from, to], &doubts[begin..end]));
        begin = end;
    }
    all
}

/// The times, decided exactly.
fn decided(
    sides: &Sides<'_>,
    cover: &Cover,
    doubts: &[Doubt],
    budget: &mut Budget<'_>,
) -> Result<ContactSpans, OutOfBudget> {
    let exactly = |[from, to]: [f64; 2]| [ExactTime::of(from), ExactTime::of(to)];
    let mut all: Vec<ExactSpan> = Vec::new();
    for span in &cover.0 {
        add(&mut all, exactly(*span), budget)?;
    }
    for ([from, to], doubts) in clusters(doubts) {
        let near = |span: &&[f64; 2]| span[0] <= to && span[1] >= from;
        let mut known: Vec<ExactSpan> = cover.0.iter().filter(near).map(|span| exactly(*span)).collect();
        for (span, candidate) in doubts {
            let mut ends = exactly(*span);
            if holds(&mut known, &mut ends, budget)? {
                continue;
            }
            let Some(meeting) = sides.meeting(candidate) else { continue };
            for met in exact_spans(&meeting, [&ends[0], &ends[1]], budget)? {
                add(&mut known, met, budget)?;
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
    Ok(ContactSpans { intervals, unknown: Vec::new() })
}

/// Whether one of the spans holds a whole span.
fn holds(
    spans: &mut [ExactSpan],
    [from, to]: &mut ExactSpan,
    budget: &mut Budget<'_>,
) -> Result<bool, OutOfBudget> {
    for [begin, end] in spans {
        if begin.compare(from, budget)? != Ordering::Greater && end.compare(to, budget)? != Ordering::Less {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Spans that are known to be met, apart from each other and in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Cover(Vec<[f64; 2]>);

impl Cover {
    /// The times where the vertices are not exactly where they are said to be: doubts, apart from each other and in
    /// order, belong to the begin or end of what they touch.
    pub(super) fn told(&self, doubts: impl Iterator<Item = [f64; 2]>) -> ContactSpans {
        let own = |[from, to]: [f64; 2]| StepInterval { enter: [from; 2], exit: [to; 2] };
        let mut found =
            ContactSpans { intervals: self.0.iter().map(|span| own(*span)).collect(), unknown: Vec::new() };
        for [from, to] in doubts {
            let mut is_beside = false;
            for interval in &mut found.intervals {
                // It holds the end of a span, or both.
                if from <= interval.enter[1] && interval.enter[1] <= to {
                    interval.enter[0] = interval.enter[0].min(from);
                    is_beside = true;
                }
                if from <= interval.exit[0] && interval.exit[0] <= to {
                    interval.exit[1] = interval.exit[1].max(to);
                    is_beside = true;
                }
            }
            if !is_beside {
                found.unknown.push([from, to]);
            }
        }
        found
    }

    pub(super) fn add(&mut self, [from, to]: [f64; 2]) {
        let begin = self.0.partition_point(|span| span[1] < from);
        let end = self.0.partition_point(|span| span[0] <= to);
        let own = self.0[begin..end]
            .iter()
            .fold([from, to], |own, span| [own[0].min(span[0]), own[1].max(span[1])]);
        self.0.splice(begin..end, [own]);
    }

    /// What is not covered, with its ends; all that lies between, where that are many.
    fn windows(&self) -> Vec<[f64; 2]> {
        let mut windows = Vec::with_capacity(self.0.len() + 1);
        let mut from = 0.0;
        for span in &self.0 {
            if span[0] > from {
                windows.push([from, span[0]]);
            }
            from = span[1];
        }
        if from < 1.0 {
            windows.push([from, 1.0]);
        }
        match windows[..] {
            [[begin, _], .., [_, end]] if windows.len() > MOST_WINDOWS => vec![[begin, end]],
            _ => windows,
        }
    }

    fn holds(&self, [from, to]: [f64; 2]) -> bool {
        let at = self.0.partition_point(|span| span[1] < to);
        self.0.get(at).is_some_and(|span| span[0] <= from)
    }
}

impl Sides<'_> {
    /// The vertices of candidates, on their way.
    fn meeting(&self, candidate: &Candidate) -> Option<Meeting> {
        let [a, b] = self.both();
        let (of_edge, edge, of_face, face) = match *candidate {
            Candidate::Features(features) => return self.moving(&features).map(Meeting::Features),
            Candidate::EdgeFace(EdgeFace::First { edge, face }) => (a, edge, b, face),
            Candidate::EdgeFace(EdgeFace::Second { face, edge }) => (b, edge, a, face),
        };
        let ([v, w], [p, q, r]) = (edge.map(|v| v as usize), of_face.corners(face).map(|v| v as usize));
        let at = |own: &[DVec3], other: &[DVec3]| [own[v], own[w], other[p], other[q], other[r]];
        Some(Meeting::EdgeFace {
            begin: at(of_edge.motion.begin, of_face.motion.begin),
            end: at(of_edge.motion.end, of_face.motion.end),
        })
    }
}
