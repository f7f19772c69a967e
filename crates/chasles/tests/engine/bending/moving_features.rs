//! Two features whose vertices move independently, compared with a twin over the integers: the verdict must be equal
//! to the last bit, and the time enclosed.
//!
//! `CHASLES_LONG=1` tests 10,000,000 cases, which takes some hours; `CHASLES_SEEDS=0..100000` in addition selects a
//! part of them.

use crate::bending::moving_cases::twin::first_contact;
use crate::bending::moving_cases::{Question, question};
use crate::cases::seeds::{Counter, Wrong, for_all, for_each, seed_range};
use chasles::{FeatureContact, FeatureMeeting, MovingFeatures, MovingKind};
use glam::DVec3;

const BUDGET: u64 = 100_000_000;

/// Maximum width of an enclosure.
const WIDEST: f64 = 1e-9;

#[derive(Debug, Default)]
struct Counts {
    clear: Counter,
    start: Counter,
    contact: Counter,
    within: Counter,
}

fn asked(question: &Question) -> FeatureMeeting {
    question.features.first_contact(question.distance, BUDGET).unwrap()
}

#[test]
fn features_meet_when_the_twin_does() {
    let counts = Counts::default();
    for_each(seed_range(2000, 10_000_000), |seed| {
        let question = question(seed);
        let (found, truth) = (asked(&question), first_contact(&question.features, question.distance));
        let mut wrong = Wrong::new();
        match (&found, truth) {
            (FeatureMeeting::Clear, None) => counts.clear.add(),
            (FeatureMeeting::Contact(contact), Some(time)) => {
                counts.contact.add();
                counts.start.add_if(time == [0.0; 2]);
                counts.within.add_if(question.distance > 0.0);
                wrong.extend(wrong_about(&question, contact, time));
            }
            _ => wrong.push("another verdict".into()),
        }
        if !wrong.is_empty() {
            wrong.push(format!("{question:?}\n    found {found:?}\n    truth {truth:?}"));
        }
        wrong
    });
    let [clear, start, contact, within] =
        [&counts.clear, &counts.start, &counts.contact, &counts.within].map(Counter::get);
    let all = clear + contact;
    assert!(5 * clear > all && 5 * contact > all && 30 * start > all && 30 * within > all, "{counts:?}");
}

/// The errors in the time and the place of a contact.
fn wrong_about(question: &Question, contact: &FeatureContact, truth: [f64; 2]) -> Wrong {
    let FeatureContact { time: [lo, hi], weights: [u, v], point, normal, .. } = *contact;
    let mut wrong = Wrong::new();
    if !(0.0 <= lo && lo <= hi && hi <= 1.0 && hi - lo <= WIDEST) {
        wrong.push(format!("no enclosure: [{lo:?}, {hi:?}]"));
    }
    if truth[1] < lo || truth[0] > hi || (truth == [0.0; 2]) != (hi == 0.0) {
        wrong.push(format!("the time is {truth:?}, not in [{lo:?}, {hi:?}]"));
    }
    let MovingFeatures { kind, start: begin, end } = question.features;
    let time = 0.5 * (lo + hi);
    let [a, b, c, d] = std::array::from_fn(|i| (1.0 - time) * begin[i] + time * end[i]);
    let (first, second, share) = match kind {
        MovingKind::VertexFace => (a, (1.0 - u - v) * b + u * c + v * d, u + v),
        MovingKind::EdgeEdge => ((1.0 - u) * a + u * b, (1.0 - v) * c + v * d, u.max(v)),
    };
    let all = || begin.iter().chain(&end);
    let size = all().map(|p| (*p - begin[0]).abs().max_element()).fold(0.0, f64::max);
    let far = all().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let slack = 1e-8 * size + 1e-14 * far + 1e-320;
    if !(u >= 0.0 && v >= 0.0 && share <= 1.0 + 1e-12) {
        wrong.push(format!("weights {u:?}, {v:?}"));
    }
    // Scaled lengths, so that squares do not overflow or underflow.
    let near = |p: DVec3, q: DVec3, most: f64| {
        ((p - q) / slack.max(most)).length() <= 1.001 + slack / slack.max(most)
    };
    if !near(first, second, question.distance) || !near(point, second, 0.0) {
        wrong.push(format!("the nearest points are {first:?} and {second:?}"));
    }
    if (normal.length() - 1.0).abs() > 1e-12 {
        wrong.push(format!("the normal is {normal:?}"));
    }
    wrong
}

/// A triangle shrinks to a segment as it approaches a vertex: two corners coincide except for rounding, and have no
/// normal.
#[test]
fn a_place_on_a_triangle_that_shrinks_to_a_segment_is_near() {
    let seeds = [150_459, 635_439, 742_883, 1_753_961, 2_315_899, 2_469_930, 2_908_689, 3_058_873, 3_141_491];
    for_all(9, |number| {
        let question = question(seeds[usize::try_from(number).unwrap()]);
        let truth = first_contact(&question.features, question.distance).unwrap();
        let FeatureMeeting::Contact(contact) = asked(&question) else { return vec!["clear".into()] };
        wrong_about(&question, &contact, truth)
    });
}

#[test]
fn invalid_numbers_are_refused_and_small_budgets_are_undecided() {
    let features = question(1).features;
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(features.first_contact(bad, BUDGET).is_err(), "{bad}");
        let mut broken = features;
        broken.end[2].y = bad;
        assert_eq!(broken.first_contact(0.0, BUDGET).is_err(), !bad.is_finite());
    }
    // Only integer arithmetic decides that these meet: two edges on one line.
    let line = |xs: [f64; 4]| xs.map(|x| DVec3::new(x, 2.0 * x, 3.0 * x));
    let features = MovingFeatures {
        kind: MovingKind::EdgeEdge,
        start: line([0.0, 1.0, 2.0, 3.0]),
        end: line([0.0, 1.0, 0.5, 3.0]),
    };
    let doubt = features.first_contact(0.0, 3).unwrap();
    assert!(matches!(doubt, FeatureMeeting::Undecided(clear_until) if clear_until <= 2.0 / 3.0), "{doubt:?}");
    let FeatureMeeting::Contact(contact) = features.first_contact(0.0, BUDGET).unwrap() else { panic!() };
    assert!(contact.time[0] <= 2.0 / 3.0 && 2.0 / 3.0 <= contact.time[1], "{contact:?}");
}
