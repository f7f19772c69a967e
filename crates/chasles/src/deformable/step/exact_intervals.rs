//! When an edge and a face, or two other features, meet during a step, decided by integer arithmetic.
//!
//! The times at which they meet are closed intervals. At each end of such an interval, an end of the edge is in the
//! plane of the face, or the edge is coplanar with a side of the face, so a volume is zero. A volume that is
//! identically zero gives no information; then the parts of its features decide. The answer does not change between
//! neighbouring zeros.

use std::cmp::Ordering;

use crate::deformable::elementary::exactly::IntegerProblem;
use crate::deformable::elementary::features::{MovingFeatures, MovingKind};
use crate::deformable::step::meeting_intervals::MovingPoints;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::exact_time::ExactTime;

/// A time interval in which features meet, both ends included.
pub(super) type ExactInterval = [ExactTime; 2];

/// Zeros are first distinguished by enclosures at most 2^-`TIME_BITS` wide.
const TIME_BITS: u64 = 60;

/// The intervals between two times in which the features meet, in order.
pub(super) fn exact_intervals(
    meeting: &MovingPoints,
    [from, to]: [&ExactTime; 2],
    budget: &mut Budget<'_>,
) -> Result<Vec<ExactInterval>, OutOfBudget> {
    let problems: Vec<IntegerProblem> =
        parts(meeting).iter().map(|features| IntegerProblem::new(features, 0.0)).collect();
    let mut times = vec![from.clone(), to.clone()];
    for problem in &problems {
        for (number, part) in problem.parts().enumerate() {
            let crossing = problem.crossing(part);
            for mut time in crossing.zeros(budget)? {
                time.enclosure(TIME_BITS, budget)?;
                let is_within = time.compare(&mut times[0], budget)? == Ordering::Greater
                    && time.compare(&mut times[1], budget)? == Ordering::Less;
                if is_within {
                    times.push(time);
                }
            }
            // The volume suffices, unless it is identically zero.
            if number == 0 && !crossing.is_zero() {
                break;
            }
        }
    }
    let times = sorted_times(times, budget)?;
    let mut spans: Vec<ExactInterval> = Vec::new();
    // Whether the last interval continues after the previous time.
    let mut continues = false;
    for i in 0..times.len() {
        let mut time = times[i].clone();
        let meets = intersect_at(&problems, &mut time, budget)?;
        match (meets, continues, spans.last_mut()) {
            (true, true, Some(last)) => last[1] = time.clone(),
            (true, ..) => spans.push([time.clone(), time.clone()]),
            (false, ..) => {}
        }
        continues = false;
        if let Some(next) = times.get(i + 1) {
            // Features that meet in between also meet at both ends.
            continues =
                meets && intersect_at(&problems, &mut time.between(&mut next.clone(), budget)?, budget)?;
        }
    }
    Ok(spans)
}

/// The pairs of features that make up an edge and a face, those with an end of the edge first.
fn parts(meeting: &MovingPoints) -> Vec<MovingFeatures> {
    match meeting {
        MovingPoints::Features(features) => vec![*features],
        MovingPoints::EdgeFace { start, end } => {
            let of = |kind, vertices: [usize; 4]| MovingFeatures {
                kind,
                start: vertices.map(|i| start[i]),
                end: vertices.map(|i| end[i]),
            };
            let ends = [[0, 2, 3, 4], [1, 2, 3, 4]].map(|vertices| of(MovingKind::VertexFace, vertices));
            let sides =
                [[0, 1, 2, 3], [0, 1, 3, 4], [0, 1, 4, 2]].map(|vertices| of(MovingKind::EdgeEdge, vertices));
            ends.into_iter().chain(sides).collect()
        }
    }
}

/// Whether the features meet at a time.
fn intersect_at(
    problems: &[IntegerProblem],
    time: &mut ExactTime,
    budget: &mut Budget<'_>,
) -> Result<bool, OutOfBudget> {
    let mut signs = Vec::with_capacity(problems.len());
    for problem in problems {
        let sign = time.sign_of(&problem.crossing(&problem.inside), budget)?;
        signs.push(sign);
        if sign == Ordering::Equal {
            for part in problem.parts() {
                if problem.is_within_distance(part, time, budget)? {
                    return Ok(true);
                }
            }
        }
    }
    // The edge passes through the interior of the face.
    Ok(match signs[..] {
        [a, b, c, d, e] => {
            a != Ordering::Equal && b == a.reverse() && c != Ordering::Equal && c == d && d == e
        }
        _ => false,
    })
}

/// Times in order, each once.
fn sorted_times(times: Vec<ExactTime>, budget: &mut Budget<'_>) -> Result<Vec<ExactTime>, OutOfBudget> {
    let mut sorted: Vec<ExactTime> = Vec::with_capacity(times.len());
    for mut time in times {
        let mut at = sorted.len();
        let mut is_new = true;
        while at > 0 {
            match sorted[at - 1].compare(&mut time, budget)? {
                Ordering::Less => break,
                Ordering::Equal => {
                    is_new = false;
                    break;
                }
                Ordering::Greater => at -= 1,
            }
        }
        if is_new {
            sorted.insert(at, time);
        }
    }
    Ok(sorted)
}

/// Adds an interval to disjoint, ordered intervals; it is merged with intervals that it overlaps or touches.
pub(super) fn add(
    spans: &mut Vec<ExactInterval>,
    mut own: ExactInterval,
    budget: &mut Budget<'_>,
) -> Result<(), OutOfBudget> {
    let mut start = 0;
    while start < spans.len() && spans[start][1].compare(&mut own[0], budget)? == Ordering::Less {
        start += 1;
    }
    let mut end = start;
    while end < spans.len() && spans[end][0].compare(&mut own[1], budget)? != Ordering::Greater {
        end += 1;
    }
    if start < end {
        if spans[start][0].compare(&mut own[0], budget)? == Ordering::Less {
            own[0] = spans[start][0].clone();
        }
        if spans[end - 1][1].compare(&mut own[1], budget)? == Ordering::Greater {
            own[1] = spans[end - 1][1].clone();
        }
    }
    spans.splice(start..end, [own]);
    Ok(())
}
