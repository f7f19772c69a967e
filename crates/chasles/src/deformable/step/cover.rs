//! Times of a step at which a condition holds: proven intervals, and undecided ones.

use crate::math::budget::{Budget, OutOfBudget};
use crate::math::interval::Side;
use crate::math::time_interval::{IntervalSet, merge};

/// Times at which surfaces meet during a step, as fractions of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepInterval {
    /// Enclosure of the start; [0, 0] if they meet at the start of the step.
    pub enter: [f64; 2],
    /// Enclosure of the end; [1, 1] if they meet at the end of the step.
    pub exit: [f64; 2],
}

/// Times of a step at which two surfaces, or one with itself, meet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepIntervals {
    /// In order. The surfaces are proven separated at all times outside of `intervals` and `undecided`.
    pub intervals: Vec<StepInterval>,
    /// Intervals in which it is undecided whether they meet, in order.
    pub undecided: Vec<[f64; 2]>,
    /// Intervals in each of which the surfaces are proven to meet, throughout or at some time. In the rest of
    /// `intervals` they are proven to be within the touching distance.
    pub(crate) certain: Vec<[f64; 2]>,
}

impl StepIntervals {
    /// All of a step is undecided.
    pub(crate) fn undecided() -> Self {
        Self { undecided: vec![[0.0, 1.0]], ..Self::default() }
    }
}

/// The maximum number of windows. If there are more, one window covers them all.
const MAX_WINDOWS: usize = 4;

/// A touch of at most this fraction of a step counts as a touch at one unknown moment of its interval.
pub(crate) const SHORT: f64 = 1e-7;

/// The result if surfaces are proven to meet in the times of a cover, and the vertices are not exactly at the
/// examined positions. `undecided`, the undecided intervals, are disjoint and in order of time. An undecided interval
/// that touches an interval of contact becomes part of the enclosure of its start or end.
pub(crate) fn intervals_of_cover(
    cover: &IntervalSet,
    undecided: impl Iterator<Item = [f64; 2]>,
) -> StepIntervals {
    let own = |[from, to]: [f64; 2]| StepInterval { enter: [from; 2], exit: [to; 2] };
    let intervals = cover.as_slice().iter().map(|span| own(*span)).collect();
    let mut found = StepIntervals { intervals, undecided: Vec::new(), certain: cover.as_slice().to_vec() };
    for [from, to] in undecided {
        let mut is_adjacent = false;
        for interval in &mut found.intervals {
            // It contains the start of the interval, or its end, or both.
            if from <= interval.enter[1] && interval.enter[1] <= to {
                interval.enter[0] = interval.enter[0].min(from);
                is_adjacent = true;
            }
            if from <= interval.exit[0] && interval.exit[0] <= to {
                interval.exit[1] = interval.exit[1].max(to);
                is_adjacent = true;
            }
        }
        if !is_adjacent {
            found.undecided.push([from, to]);
        }
    }
    found
}

/// As [`intervals_of_cover`], with the intervals in which surfaces touch, and the undecided windows in which they
/// cross.
pub(crate) fn intervals_of_cover_with_touches(
    cover: &IntervalSet,
    touched: &IntervalSet,
    windows: &[[f64; 2]],
    crossed: Vec<[f64; 2]>,
) -> StepIntervals {
    let mut all = cover.clone();
    touched.as_slice().iter().for_each(|span| all.add(*span));
    let mut undecided = Vec::new();
    for [start, end] in windows {
        let mut from = *start;
        for span in touched.as_slice().iter().filter(|span| *start <= span[0] && span[1] <= *end) {
            if from < span[0] {
                undecided.push([from, span[0]]);
            }
            from = span[1];
        }
        if from < *end || start == end {
            undecided.push([from, *end]);
        }
    }
    let mut found = intervals_of_cover(&all, undecided.into_iter());
    // Surfaces that touch for a moment may meet at any time of that interval.
    for [from, to] in touched.as_slice().iter().filter(|span| span[1] - span[0] <= SHORT) {
        for interval in &mut found.intervals {
            if interval.enter[1] == *from && *from > 0.0 && !cover.contains([*from; 2]) {
                interval.enter[1] = *to;
            }
            if interval.exit[0] == *to && *to < 1.0 && !cover.contains([*to; 2]) {
                interval.exit[0] = *from;
            }
        }
    }
    // Surfaces that cross do so at some time of the window. Such a window has no other interval of contact.
    found.undecided.retain(|window| {
        let is_crossed = crossed.contains(window);
        if is_crossed {
            found.intervals.push(StepInterval { enter: *window, exit: *window });
        }
        !is_crossed
    });
    found.intervals.sort_by(|x, y| x.enter[0].total_cmp(&y.enter[0]));
    found.certain = cover.as_slice().to_vec();
    found.certain.extend(crossed);
    found
}

/// The closed gaps of a cover in [0, 1]. If there are too many, one window from the first to the last.
pub(crate) fn windows_of(cover: &IntervalSet) -> Vec<[f64; 2]> {
    let windows = cover.gaps([0.0, 1.0]);
    match windows[..] {
        [[start, _], .., [_, end]] if windows.len() > MAX_WINDOWS => vec![[start, end]],
        _ => windows,
    }
}

/// The side of the distance on which a candidate is between two times, according to one sample.
pub(crate) type CandidateSide = Side<OpenDistance>;

/// A distance between two times that may be on either side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenDistance {
    /// An upper bound for the whole interval, in metres.
    pub(crate) upper: f64,
    /// A time at which the candidate is within the distance.
    pub(crate) touched: Option<f64>,
}

/// Candidates that may be within the distance between two times.
struct OpenCandidates<T> {
    span: [f64; 2],
    near: Vec<T>,
}

/// How far time intervals are halved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HalvingLimits {
    /// The length at which an interval is no longer halved, as a fraction of the step.
    pub(crate) narrowest: f64,
    /// The number of open intervals above which none is halved.
    pub(crate) max_open: usize,
}

/// The times of an interval at which one of the candidates is within the distance, and the undecided times.
///
/// # Errors
/// [`OutOfBudget`], also from `sample`.
pub(crate) fn halved<'w, T: Copy>(
    near: Vec<T>,
    span: [f64; 2],
    limits: HalvingLimits,
    budget: &mut Budget<'w>,
    mut sample: impl FnMut(T, [f64; 2], &mut Budget<'w>) -> Result<CandidateSide, OutOfBudget>,
) -> Result<(IntervalSet, Vec<[f64; 2]>), OutOfBudget> {
    let (mut cover, mut undecided) = (IntervalSet::default(), Vec::new());
    let mut waiting = if near.is_empty() { vec![] } else { vec![OpenCandidates { span, near }] };
    while !waiting.is_empty() {
        let is_last = waiting.len() > limits.max_open;
        let mut halves = Vec::new();
        for OpenCandidates { span: [from, to], near } in waiting {
            let mut open: Vec<T> = Vec::new();
            let (mut is_within, mut nearest, mut touched) = (false, f64::INFINITY, None);
            for one in near {
                match sample(one, [from, to], budget)? {
                    Side::Within => {
                        is_within = true;
                        break;
                    }
                    Side::Beyond => {}
                    Side::Undecided(OpenDistance { upper, touched: time }) => {
                        touched = touched.or(time);
                        open.push(one);
                        // The nearest candidate comes first, because it probably decides.
                        if upper < nearest {
                            nearest = upper;
                            let last = open.len() - 1;
                            open.swap(0, last);
                        }
                    }
                }
            }
            let middle = 0.5 * (from + to);
            if is_within {
                cover.add([from, to]);
            } else if open.is_empty() {
                continue;
            } else if is_last || to - from <= limits.narrowest {
                // The candidate may be within the distance at a single time only.
                if let Some(time) = touched {
                    cover.add([time; 2]);
                }
                undecided.push([from, to]);
            } else {
                halves.push(OpenCandidates { span: [from, middle], near: open.clone() });
                halves.push(OpenCandidates { span: [middle, to], near: open });
            }
        }
        waiting = halves;
    }
    merge(&mut undecided);
    Ok((cover, undecided))
}
