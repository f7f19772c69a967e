//! The report of two bodies, from the reports of their parts: the parts of links, or the points of each body
//! against the other.

use std::collections::{BTreeMap, BTreeSet};

use crate::math::time_interval::merge;
use crate::scene::nearest::NearestPair;
use crate::scene::report::{Containment, ModelOverlaps, PairReport, PairVerdict, SceneInterval, SceneReport};

/// The report about owners, from the report about their parts: `owners` has the owner of each body of the scene. The
/// totals still count pairs of parts.
pub(crate) fn report_of_owners(report: SceneReport, owners: &[usize]) -> SceneReport {
    SceneReport {
        pairs: pairs_of_owners(report.pairs, owners),
        overlaps: report.overlaps.map(|overlaps| overlaps_of_owners(overlaps, owners)),
        nearest: report
            .nearest
            .map(|nearest| NearestPair { bodies: nearest.bodies.map(|body| owners[body]), ..nearest }),
        inside: inside_of_owners(report.inside, owners),
        ..report
    }
}

/// The pairs of parts as pairs of their owners, sorted.
fn pairs_of_owners(parts: Vec<PairReport>, owners: &[usize]) -> Vec<PairReport> {
    let mut grouped: BTreeMap<[usize; 2], Vec<PairReport>> = BTreeMap::new();
    for part in parts {
        grouped.entry(part.bodies.map(|body| owners[body])).or_default().push(part);
    }
    let mut pairs: Vec<PairReport> = grouped.into_iter().map(|(pair, parts)| merged(pair, parts)).collect();
    for interval in pairs.iter_mut().flat_map(|pair| &mut pair.intervals) {
        for contact in interval.contact.iter_mut().chain(&mut interval.contacts) {
            contact.moving = owners[contact.moving];
            contact.static_body = owners[contact.static_body];
        }
    }
    pairs
}

/// The overlaps of parts as overlaps of their owners.
fn overlaps_of_owners(
    ModelOverlaps { assembled, statics, undecided }: ModelOverlaps,
    owners: &[usize],
) -> ModelOverlaps {
    let of = |parts: Vec<[usize; 2]>| {
        let pairs: BTreeSet<[usize; 2]> =
            parts.into_iter().map(|pair| pair.map(|part| owners[part])).collect();
        pairs.into_iter().collect()
    };
    ModelOverlaps { assembled: of(assembled), statics: of(statics), undecided }
}

/// The owners that are inside other owners. If several parts come inside, the first counts.
fn inside_of_owners(parts: Vec<Containment>, owners: &[usize]) -> Vec<Containment> {
    let mut inside: BTreeMap<[usize; 2], f64> = BTreeMap::new();
    for Containment { inner, outer, from } in parts {
        let first = inside.entry([inner, outer].map(|body| owners[body])).or_insert(from);
        *first = first.min(from);
    }
    inside.into_iter().map(|([inner, outer], from)| Containment { inner, outer, from }).collect()
}

/// The report of two bodies, from the reports of at least one pair of their parts.
///
/// The bodies are in contact while any of their parts are, and as near as the nearest parts.
pub(crate) fn merged(bodies: [usize; 2], parts: Vec<PairReport>) -> PairReport {
    let duration = parts.iter().map(|part| part.clear_until).fold(0.0, f64::max);
    let mut whole = PairReport::clear(bodies, duration);
    whole.verdict = parts.iter().map(|part| part.verdict).max().unwrap_or(PairVerdict::Clear);
    let is_contact =
        |verdict: PairVerdict| matches!(verdict, PairVerdict::Contact | PairVerdict::Overlapping);
    let mut intervals = Vec::new();
    for part in parts {
        whole.clear_until = whole.clear_until.min(part.clear_until);
        whole.deviation = whole.deviation.max(part.deviation);
        whole.epsilon = whole.epsilon.or(part.epsilon);
        // For a part that never touches, only nearness can be undecided; that does not matter if other parts touch.
        if !(is_contact(whole.verdict) && part.verdict == PairVerdict::Near) {
            whole.reason = whole.reason.or(part.reason);
            whole.undecided.extend(&part.undecided);
        }
        // Intervals in which parts only come near are no contact intervals.
        if is_contact(part.verdict) || part.verdict == whole.verdict {
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
    whole.intervals = union(intervals);
    merge(&mut whole.undecided);
    // Whether one part touches does not matter while another part touches.
    let intervals = &whole.intervals;
    whole.undecided.retain(|span| !intervals.iter().any(|interval| contains(interval, span)));
    whole.reason = whole.reason.filter(|_| !whole.undecided.is_empty());
    whole
}

/// The union of intervals, in order.
fn union(mut intervals: Vec<SceneInterval>) -> Vec<SceneInterval> {
    intervals.sort_by(|x, y| x.enter[0].total_cmp(&y.enter[0]).then(x.enter[1].total_cmp(&y.enter[1])));
    let mut union: Vec<SceneInterval> = Vec::new();
    for next in intervals {
        let continues = |last: &&mut SceneInterval| last.exit.is_none_or(|exit| next.enter[0] <= exit[1]);
        match union.last_mut().filter(continues) {
            Some(last) => {
                if last.enter[0] < next.enter[0] && next.enter[1] < last.enter[1] {
                    last.enter[1] = next.enter[1];
                }
                last.touching &= next.touching;
                if next.enter[0] <= last.enter[1] {
                    last.contacts.extend(next.contacts);
                    last.contacts.sort_by_key(|place| place.contact.features.numbers());
                }
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

fn contains(interval: &SceneInterval, [from, to]: &[f64; 2]) -> bool {
    interval.enter[0] <= *from && interval.exit.is_none_or(|exit| *to <= exit[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::report::PairUndecidedReason;

    /// The report of a part, over 10 seconds.
    fn part(verdict: PairVerdict, intervals: &[SceneInterval]) -> PairReport {
        let clear_until = intervals.first().map_or(10.0, |first| first.enter[0]);
        let intervals = intervals.to_vec();
        PairReport { verdict, intervals, clear_until, ..PairReport::clear([7, 8], 10.0) }
    }

    #[test]
    fn the_report_of_one_part_is_the_report_of_the_body() {
        let mut one = part(
            PairVerdict::Contact,
            &[SceneInterval::new([1.0, 1.5], Some([2.0, 2.5])), SceneInterval::new([3.0; 2], None)],
        );
        one.undecided = vec![[2.6, 2.8]];
        (one.reason, one.deviation, one.epsilon) = (Some(PairUndecidedReason::Budget), 1e-3, Some(1e-6));
        let whole = merged([1, 2], vec![one.clone()]);
        assert_eq!(whole, PairReport { bodies: [1, 2], ..one });
        let clear = part(PairVerdict::Clear, &[]);
        assert_eq!(merged([1, 2], vec![clear.clone()]), PairReport { bodies: [1, 2], ..clear });
    }

    #[test]
    fn links_touch_while_any_of_their_parts_do() {
        let a = part(
            PairVerdict::Contact,
            &[
                SceneInterval::new([1.0, 1.1], Some([2.0, 2.1])),
                SceneInterval::new([6.0, 6.1], Some([7.0, 7.1])),
            ],
        );
        let b = part(
            PairVerdict::Contact,
            &[SceneInterval::new([1.5, 1.6], Some([3.0, 3.1])), SceneInterval::new([8.0, 8.1], None)],
        );
        // One interval is inside another, and one bridges the gap between two others.
        let c = part(PairVerdict::Contact, &[SceneInterval::new([2.5, 2.6], Some([2.7, 2.8]))]);
        let d = part(PairVerdict::Contact, &[SceneInterval::new([7.0, 7.05], Some([7.9, 8.2]))]);
        let clear = part(PairVerdict::Clear, &[]);
        let orders = [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 4, 0, 3, 2]];
        let parts = [a, b, c, d, clear];
        for order in orders {
            let whole = merged([0, 1], order.map(|i| parts[i].clone()).to_vec());
            let expected =
                [SceneInterval::new([1.0, 1.1], Some([3.0, 3.1])), SceneInterval::new([6.0, 6.1], None)];
            assert_eq!((whole.verdict, whole.clear_until), (PairVerdict::Contact, 1.0));
            assert_eq!(whole.intervals, expected);
        }
        // An interval that lasts to the end contains later intervals.
        let lasts = part(PairVerdict::Contact, &[SceneInterval::new([0.5; 2], None)]);
        let whole = merged([0, 1], vec![parts[0].clone(), lasts]);
        assert_eq!(whole.intervals, [SceneInterval::new([0.5; 2], None)]);
    }

    #[test]
    fn enclosures_contain_the_earliest_start_and_the_latest_end() {
        let wide = part(PairVerdict::Contact, &[SceneInterval::new([1.0, 1.9], Some([4.0, 4.9]))]);
        let sharp = part(PairVerdict::Contact, &[SceneInterval::new([1.2, 1.3], Some([4.2, 4.3]))]);
        // The start is at most the latest start, and the end at least the earliest end, of the second part.
        let whole = merged([0, 1], vec![wide.clone(), sharp.clone()]);
        assert_eq!(whole.intervals, [SceneInterval::new([1.0, 1.3], Some([4.2, 4.9]))]);
        assert_eq!(whole, merged([0, 1], vec![sharp, wide]));
    }

    #[test]
    fn the_worst_part_is_the_verdict() {
        let verdicts = [
            PairVerdict::Clear,
            PairVerdict::Near,
            PairVerdict::Undecided,
            PairVerdict::Contact,
            PairVerdict::Overlapping,
        ];
        for (i, x) in verdicts.into_iter().enumerate() {
            for (k, y) in verdicts.into_iter().enumerate() {
                let whole = merged([0, 1], vec![part(x, &[]), part(y, &[])]);
                assert_eq!(whole.verdict, verdicts[i.max(k)]);
            }
        }
        // A near part is not in contact, but the pair does not count as clear meanwhile.
        let near = part(PairVerdict::Near, &[SceneInterval::new([1.0; 2], Some([2.0; 2]))]);
        let is_contact = part(PairVerdict::Contact, &[SceneInterval::new([3.0; 2], Some([4.0; 2]))]);
        let whole = merged([0, 1], vec![near.clone(), is_contact]);
        assert_eq!((whole.intervals.len(), whole.intervals[0].enter, whole.clear_until), (1, [3.0; 2], 1.0));
        let second = part(PairVerdict::Near, &[SceneInterval::new([1.5; 2], Some([5.0; 2]))]);
        let whole = merged([0, 1], vec![near, second]);
        assert_eq!(whole.intervals, [SceneInterval::new([1.0; 2], Some([5.0; 2]))]);
    }

    #[test]
    fn an_interval_is_touching_only_if_no_part_crosses() {
        let touching_part =
            |touching| SceneInterval { touching, ..SceneInterval::new([1.0; 2], Some([2.0; 2])) };
        let whole = |x, y| {
            let parts = [x, y].map(|touching| part(PairVerdict::Contact, &[touching_part(touching)]));
            merged([0, 1], parts.to_vec()).intervals[0].touching
        };
        assert!(whole(true, true) && !whole(true, false) && !whole(false, true));
    }

    #[test]
    fn gaps_deviations_and_undecided_intervals_are_kept() {
        let separated_part = |verdict, gap, time, deviation| PairReport {
            gap: Some(gap),
            gap_time: Some(time),
            deviation,
            ..part(verdict, &[])
        };
        let parts = [
            separated_part(PairVerdict::Clear, [0.31, 0.33], 1.0, 0.0),
            separated_part(PairVerdict::Near, [0.30, 0.32], 2.0, 1e-4),
            separated_part(PairVerdict::Clear, [0.29, 0.35], 3.0, 1e-5),
        ];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let whole = merged([0, 1], order.map(|i| parts[i].clone()).to_vec());
            // The smallest of the lower bounds, and the smallest of the upper bounds with its time.
            assert_eq!((whole.gap, whole.gap_time), (Some([0.29, 0.32]), Some(2.0)));
            assert_eq!(whole.deviation, 1e-4);
        }
        let is_contact = part(PairVerdict::Contact, &[SceneInterval::new([1.0; 2], None)]);
        let whole = merged([0, 1], vec![parts[0].clone(), is_contact.clone(), parts[1].clone()]);
        assert_eq!((whole.gap, whole.gap_time), (None, None));
        let doubtful = |undecided: &[[f64; 2]]| PairReport {
            undecided: undecided.to_vec(),
            reason: Some(PairUndecidedReason::Rounding),
            clear_until: 0.5,
            ..part(PairVerdict::Undecided, &[])
        };
        let undecided =
            [doubtful(&[[0.5, 1.5], [4.0, 5.0]]), doubtful(&[[1.0, 2.0], [5.0, 6.0], [8.0, 9.0]])];
        let whole = merged([0, 1], vec![undecided[1].clone(), undecided[0].clone()]);
        assert_eq!(whole.undecided, [[0.5, 2.0], [4.0, 6.0], [8.0, 9.0]]);
        assert_eq!((whole.reason, whole.clear_until), (Some(PairUndecidedReason::Rounding), 0.5));
        assert_eq!(whole.verdict, PairVerdict::Undecided);
        // The certain contact of another part leaves no time undecided while it lasts.
        let lasts = part(PairVerdict::Contact, &[SceneInterval::new([3.9, 4.0], Some([6.0, 6.1]))]);
        let whole = merged([0, 1], vec![lasts, undecided[1].clone(), undecided[0].clone()]);
        assert_eq!(whole.undecided, [[0.5, 2.0], [8.0, 9.0]]);
        assert_eq!((whole.reason, whole.clear_until), (Some(PairUndecidedReason::Rounding), 0.5));
        let whole = merged(
            [0, 1],
            vec![undecided[0].clone(), part(PairVerdict::Contact, &[SceneInterval::new([0.0; 2], None)])],
        );
        assert_eq!((whole.undecided, whole.reason), (vec![], None));
        // Nor does it matter then whether other parts are near.
        let near = PairReport { verdict: PairVerdict::Near, ..doubtful(&[[0.5, 0.6]]) };
        let whole = merged([0, 1], vec![near.clone(), is_contact]);
        assert_eq!((whole.undecided, whole.reason), (vec![], None));
        assert_eq!(merged([0, 1], vec![near.clone()]).undecided, near.undecided);
    }
}
