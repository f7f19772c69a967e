//! What is told about a pair of links, from what was found about the parts of which their surfaces are made.

use crate::scene::report::{PairReport, PairVerdict, SceneInterval};

/// The answer about two links, from those about pairs of their parts: at least one.
///
/// They are in contact while any of their parts are; they are as near as the nearest.
pub(crate) fn fused(bodies: [usize; 2], parts: Vec<PairReport>) -> PairReport {
    let duration = parts.iter().map(|part| part.clear_until).fold(0.0, f64::max);
    let mut whole = PairReport::clear(bodies, duration);
    whole.verdict = parts.iter().map(|part| part.verdict).max().unwrap_or(PairVerdict::Clear);
    let met = |verdict: PairVerdict| matches!(verdict, PairVerdict::Contact | PairVerdict::Overlapping);
    let mut intervals = Vec::new();
    for part in parts {
        whole.clear_until = whole.clear_until.min(part.clear_until);
        whole.deviation = whole.deviation.max(part.deviation);
        whole.doubt = whole.doubt.or(part.doubt);
        whole.unknown.extend(&part.unknown);
        // Intervals of parts that only come near are not those of contact.
        if met(part.verdict) || part.verdict == whole.verdict {
            intervals.extend(part.intervals);
        }
        if let (Some(gap), PairVerdict::Near | PairVerdict::Clear) = (part.gap, whole.verdict) {
            let nearer = whole.gap.is_none_or(|[_, most]| gap[1] < most);
            let least = whole.gap.map_or(gap[0], |[least, _]| least.min(gap[0]));
            if nearer {
                whole.gap_time = part.gap_time;
            }
            whole.gap = Some([least, whole.gap.map_or(gap[1], |[_, most]| most.min(gap[1]))]);
        }
    }
    whole.intervals = joined(intervals);
    whole.unknown = spans_joined(whole.unknown);
    whole
}

/// The union of intervals, in order.
fn joined(mut intervals: Vec<SceneInterval>) -> Vec<SceneInterval> {
    intervals.sort_by(|x, y| x.enter[0].total_cmp(&y.enter[0]).then(x.enter[1].total_cmp(&y.enter[1])));
    let mut union: Vec<SceneInterval> = Vec::new();
    for next in intervals {
        let runs_on = |last: &&mut SceneInterval| last.exit.is_none_or(|exit| next.enter[0] <= exit[1]);
        match union.last_mut().filter(runs_on) {
            Some(last) => {
                if last.enter[0] < next.enter[0] && next.enter[1] < last.enter[1] {
                    last.enter[1] = next.enter[1];
                }
                last.touching &= next.touching;
                last.exit = match (last.exit, next.exit) {
                    (Some(x), Some(y)) => Some([x[0].max(y[0]), x[1].max(y[1])]),
                    _ => None,
                };
            }
            None => union.push(next),
        }
    }
    union
}

fn spans_joined(mut spans: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    spans.sort_by(|x, y| x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])));
    let mut union: Vec<[f64; 2]> = Vec::new();
    for span in spans {
        match union.last_mut().filter(|last| span[0] <= last[1]) {
            Some(last) => last[1] = last[1].max(span[1]),
            None => union.push(span),
        }
    }
    union
}
