//! Options of the report change no verdict, whatever the budget.

use crate::bending::bending_cases::with_deforming;
use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::scenes::scene_cases::{Kind, scene_case};
use crate::shapes::solid_cases;
use chasles::{
    CheckOptions, Horizon, NearestReport, PairListing, PairReport, PairVerdict, Scene, SceneReport,
};
use chasles_testing::Random;

fn random_scene(random: &mut Random) -> Scene {
    match random.below(5) {
        0 => scene_case(random, Kind::Meshes).scene(),
        1 => scene_case(random, Kind::Round).scene(),
        2 => scene_case(random, Kind::Solid).scene(),
        3 => solid_cases::case(random).scene(),
        _ => with_deforming(random, 0.0),
    }
}

/// The pairs that are not clear.
fn unclear(report: &SceneReport) -> Vec<&PairReport> {
    report.pairs.iter().filter(|pair| pair.verdict != PairVerdict::Clear).collect()
}

/// Whether the pairs that are not clear have the same verdicts, reasons and intervals. In a report with events, a
/// reason may be about the events.
fn is_same(one: &SceneReport, other: &SceneReport) -> bool {
    let has_events = one.events || other.events;
    let of = |report: &SceneReport| {
        let told = |pair: &PairReport| {
            let spans: Vec<_> = pair.intervals.iter().map(|found| (found.enter, found.exit)).collect();
            let doubt = pair.reason.filter(|_| !has_events || pair.verdict == PairVerdict::Undecided);
            (pair.bodies, pair.verdict, doubt, pair.undecided.clone(), spans)
        };
        let pairs: Vec<_> = unclear(report).into_iter().map(told).collect();
        (report.verdict, report.pairs_tested, report.pairs_clear, report.inside.clone(), pairs)
    };
    of(one) == of(other)
}

#[test]
fn no_option_of_the_report_changes_a_verdict() {
    let verdicts = [(); 3].map(|()| Counter::default());
    for_all(fewer(300, 3), |seed| {
        let random = &mut Random(seed);
        let scene = random_scene(random);
        let budget = [300, 10_000, 10_000_000][random.below(3)];
        let plain = CheckOptions { budget, naming: NearestReport::Nothing, ..CheckOptions::default() };
        let expected = scene.check(&plain, &()).unwrap();
        match expected.verdict {
            PairVerdict::Clear | PairVerdict::Near => verdicts[0].add(),
            PairVerdict::Undecided => verdicts[1].add(),
            PairVerdict::Contact | PairVerdict::Overlapping => verdicts[2].add(),
        }
        let asked = [
            ("the nearest pair", CheckOptions { naming: NearestReport::Nearest, ..plain }),
            ("all pairs", CheckOptions { listed: PairListing::All, ..plain }),
            ("all contacts", CheckOptions { all_contacts: true, ..plain }),
            ("events", CheckOptions { events: true, ..plain }),
        ];
        let mut wrong = Wrong::new();
        for (what, options) in asked {
            let found = scene.check(&options, &()).unwrap();
            if !is_same(&expected, &found) {
                let [expected, found] = [&expected, &found].map(|report| (report.verdict, unclear(report)));
                wrong.push(format!("{what}, budget {budget}: {found:?}, but without {expected:?}"));
            }
        }
        let first = CheckOptions { horizon: Horizon::FirstContact, ..plain };
        let first = scene.check(&first, &()).unwrap().verdict;
        let met = |verdict: PairVerdict| verdict >= PairVerdict::Contact;
        let agrees = match expected.verdict {
            PairVerdict::Clear | PairVerdict::Near => first == PairVerdict::Clear,
            PairVerdict::Undecided => !met(first),
            PairVerdict::Contact | PairVerdict::Overlapping => first == expected.verdict,
        };
        if !agrees && budget > 10_000 {
            wrong.push(format!("to the first contact {first:?}, to the end {:?}", expected.verdict));
        }
        wrong
    });
    let [clear, undecided, met] = verdicts.map(|counter| counter.get());
    assert!(clear > 5 && undecided > 2 && met > 5, "{clear}, {undecided}, {met}");
}
