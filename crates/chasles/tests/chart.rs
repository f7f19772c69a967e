//! The search in the helical chart against its slow twin, bit for bit, at the extremes of the chart.

mod cases;

use cases::extremes::{Extreme, Meet, extreme, extreme_of, small, sphere};
use cases::{Random, count};
use chasles::{Body, Doubt, Options, Outcome, Prediction, SearchMethod, all_contacts, first_contact, first_within};

fn options(extreme: &Extreme, search: SearchMethod) -> Options {
    Options { search, tolerance: extreme.tolerance, ..Options::default() }
}

fn kind(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Clear => 0,
        Outcome::Contact(_) => 1,
        Outcome::Overlapping(_) => 2,
        Outcome::Undecided { why: Doubt::Rounding, .. } => 3,
        Outcome::Undecided { why: Doubt::Budget, .. } => 4,
    }
}

/// The first contact and the list of all, held against the reference; what that says.
fn check(what: &str, extreme: &Extreme) -> Prediction {
    let ((a, b), screw) = (extreme.case.bodies(), &extreme.case.screw);
    eprintln!("BEGIN {what} {} {}", extreme.case.a.1.len(), extreme.case.b.1.len()); let begin = std::time::Instant::now();
    let o = Options { budget: 40_000, ..options(extreme, SearchMethod::Reference)};
    let slow = all_contacts(&a, &b, screw, &o).unwrap();
    if kind(&slow.outcome) == 4 {
        eprintln!("STAT {} {}", slow.counters.steps, begin.elapsed().as_micros());
        return slow;
    }
    let begin2 = std::time::Instant::now();
    let fast = options(extreme, SearchMethod::Hierarchy);
    eprintln!("MID {what} {:?}", slow.outcome);
    let first = first_contact(&a, &b, screw, &fast).unwrap();
    assert_eq!(first.outcome, slow.outcome, "{what}: the first");
    eprintln!("MID2 {what}");
    let all = all_contacts(&a, &b, screw, &fast).unwrap();
    assert_eq!(all.outcome, slow.outcome, "{what}: the first of all");
    assert_eq!(all.contacts, slow.contacts, "{what}: all");
        eprintln!("STAT {} {} {} {}", slow.counters.steps, begin.elapsed().as_micros(), begin2.elapsed().as_micros(), slow.contacts.len());
    slow
}

#[test]
fn extremes_of_the_chart() {
    let mut verdicts = [0; 5];
    for seed in 0..count(4000) {
        let extreme = extreme(&mut Random(seed), Meet::Any);
        verdicts[kind(&check(&format!("seed {seed}"), &extreme).outcome)] += 1;
    }
    eprintln!("ANY {verdicts:?}");
}
#[test]
fn graze() {
    let mut verdicts = [0; 5];
    for seed in 0..count(4000) {
        let extreme = extreme(&mut Random(seed), Meet::Graze);
        verdicts[kind(&check(&format!("seed {seed}"), &extreme).outcome)] += 1;
    }
    eprintln!("GRAZE {verdicts:?}");
}
