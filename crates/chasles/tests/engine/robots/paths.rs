//! Robots compared with dense sampling: random robots on random paths among bodies that are static, move or are
//! attached to links.
//!
//! Link poses are computed independently (`robot_cases::kinematics`), contact by the slow twin of the scene tests.

use std::collections::BTreeSet;

use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::robots::robot_cases::kinematics::{column_at, link_frame, value_at};
use crate::robots::robot_cases::traced::{ROUNDING, Traced};
use crate::robots::robot_cases::{RobotCase, path, robot, robot_case};
use crate::scenes::scene_cases::sampled::Sampled;
use crate::scenes::scene_cases::still::Detail;
use chasles::{
    CheckOptions, JointPath, ModelOverlaps, MoveOutcome, PairListing, PairReport, PairVerdict, PathEntry,
    PathReport, SceneInterval,
};
use chasles_testing::Random;
use glam::DVec3;

/// Initial number of samples of a pair, before refinement.
const SAMPLES: usize = 120;

/// Accuracy of the ends of intervals, in seconds.
const SHARP: f64 = 1e-4;

/// Numbers of tested cases.
#[derive(Debug, Default)]
struct Counts {
    pairs: Counter,
    met: Counter,
    overlapping: Counter,
    several: Counter,
    deviating: Counter,
}

fn checked(case: &RobotCase, listed: PairListing) -> PathReport {
    let options = CheckOptions { listed, ..CheckOptions::default() };
    case.robot_cell().check_path(&case.path, &options, &()).unwrap()
}

#[test]
fn link_poses_are_those_of_matrices() {
    for seed in 0..fewer(1000, 5) {
        let random = &mut Random(seed);
        let robot = chasles::Robot::new(robot(random).0).unwrap();
        let path = path(random, &robot);
        let [begin, end] = path.interval();
        let time = random.within(begin, end);
        let mut values = robot.rest();
        for (joint, value) in path.joints.iter().zip(path.positions_at(time)) {
            values[*joint] = value;
        }
        robot.complete(&mut values);
        let expected: Vec<f64> =
            (0..values.len()).map(|joint| value_at(&robot, &path, joint, time)).collect();
        for (value, expected) in values.iter().zip(&expected) {
            assert!((value - expected).abs() < 1e-12, "seed {seed}: {values:?} {expected:?}");
        }
        for (link, pose) in robot.link_poses(&values).iter().enumerate() {
            let frame = link_frame(&robot, link, &|joint| values[joint]);
            assert!(pose.position().distance(DVec3::from_array(frame.place)) < 1e-12, "seed {seed}");
            for (i, axis) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
                let column = DVec3::from_array([0, 1, 2].map(|row| frame.rows[row][i]));
                assert!(pose.transform_vector(axis).distance(column) < 1e-12, "seed {seed}");
            }
        }
    }
}

fn is_within(time: f64, interval: &SceneInterval, slack: f64) -> bool {
    time >= interval.enter[0] - slack && interval.exit.is_none_or(|exit| time <= exit[1] + slack)
}

/// Compares the report of a pair with samples.
fn check_contact(pair: &Traced<'_>, report: &PairReport, counts: &Counts) -> Wrong {
    let mut wrong = Wrong::new();
    let [begin, end] = pair.span();
    let slack = 1e-13 * (end - begin + begin.abs());
    let tolerance = pair.tolerance();
    let in_contact = report.verdict >= PairVerdict::Contact;
    counts.pairs.add();
    counts.met.add_if(in_contact);
    counts.overlapping.add_if(report.verdict == PairVerdict::Overlapping);
    counts.several.add_if(in_contact && report.intervals.len() > 1);
    counts.deviating.add_if(report.deviation > 0.0);
    if !report.undecided.is_empty() || report.reason.is_some() || report.verdict == PairVerdict::Undecided {
        wrong.push(format!("undecided: {report:?}"));
    }
    let intervals: &[SceneInterval] = if in_contact { &report.intervals } else { &[] };
    if in_contact == intervals.is_empty() {
        wrong.push(format!("contact without a time: {report:?}"));
    }

    // No contact is missed.
    let covered = |time: f64| intervals.iter().any(|i| is_within(time, i, slack));
    for (time, look) in pair.trace(SAMPLES) {
        if look.meets && !covered(time) && pair.meets_by(time, tolerance + ROUNDING) {
            wrong.push(format!("missed at {time}: {report:?}"));
            break;
        }
    }
    let first = intervals.first().map_or(end, |first| first.enter[0]);
    if in_contact && report.clear_until > first
        || report.verdict == PairVerdict::Clear && report.clear_until != end
    {
        wrong.push(format!("clear until {}: {report:?}", report.clear_until));
    }

    // No contact is invented.
    let far = |time: f64| {
        let look = pair.sample(time, Detail::Exact);
        !look.meets && look.gap - look.slack > 1.06 * tolerance + 4.0 * ROUNDING
    };
    let mut last = f64::NEG_INFINITY;
    for (i, interval) in intervals.iter().enumerate() {
        let (from, to) = (interval.enter[1], interval.exit.map_or(end, |exit| exit[0]));
        let exit = interval.exit.unwrap_or([end; 2]);
        if !(interval.enter[0] <= from && interval.enter[0] > last && exit[0] <= exit[1] && exit[1] >= from)
            || interval.enter[0] < begin
            || exit[1] > end
        {
            wrong.push(format!("interval {i} is out of order: {report:?}"));
        }
        last = exit[1];
        for k in 0..=16 {
            let time = from + (to - from) * f64::from(k) / 16.0;
            if from <= to && far(time) {
                let gap = pair.sample(time, Detail::Exact).gap;
                wrong.push(format!("interval {i}: {gap} apart at {time} ({k}/16): {report:?}"));
                break;
            }
        }
        // Before an enter and after an exit the pair is separated.
        for (time, changes) in
            [(interval.enter[0], interval.enter[0] > begin), (exit[1], interval.exit.is_some())]
        {
            if changes && pair.meets_by(time, tolerance + ROUNDING + 1e-9 * pair.size()) {
                wrong.push(format!(
                    "interval {i}: they are in contact at {time} already, or still: {report:?}"
                ));
            }
        }
        for [lo, hi] in [Some(interval.enter), interval.exit].into_iter().flatten() {
            let hovers = || (1..8).all(|k| !far(lo + (hi - lo) * f64::from(k) / 8.0));
            if hi - lo > SHARP && !hovers() {
                wrong.push(format!("interval {i}: an end is as wide as {}: {report:?}", hi - lo));
            }
        }
        if let Some(next) = intervals.get(i + 1) {
            let (from, to) = (exit[1], next.enter[0]);
            let apart = || {
                (1..64).any(|k| !pair.sample(from + (to - from) * f64::from(k) / 64.0, Detail::Exact).meets)
            };
            if to - from > SHARP && !apart() {
                wrong.push(format!("intervals {i} and the next are one: {report:?}"));
            }
        }
        wrong.extend(check_place(pair, interval, report));
    }
    wrong
}

/// At the start of a contact, its point is on both surfaces.
fn check_place(pair: &Traced<'_>, interval: &SceneInterval, report: &PairReport) -> Wrong {
    let Some(contact) = interval.contact else {
        let starts = interval.enter[1] == pair.span()[0];
        return if starts { vec![] } else { vec![format!("no place of contact: {report:?}")] };
    };
    let mut wrong = Wrong::new();
    if (contact.contact.normal.length() - 1.0).abs() > 1e-9 {
        wrong.push(format!("the normal is no unit: {report:?}"));
    }
    let sides = BTreeSet::from([contact.moving, contact.static_body]);
    if sides != BTreeSet::from(report.bodies) || contact.contact.time != interval.enter {
        wrong.push(format!("contact of others, or at another time: {report:?}"));
    }
    let allowed = 2e-6 * pair.size() + report.deviation + 8.0 * ROUNDING;
    for (side, off) in pair.distances(contact.contact.point, interval.enter[1]).into_iter().enumerate() {
        if off > allowed {
            wrong.push(format!("the point is {off} off body {}: {report:?}", report.bodies[side]));
        }
    }
    wrong
}

/// The joint values at entries.
fn check_entries(path: &JointPath, pair: &PairReport, entries: &[PathEntry]) -> Wrong {
    let mut wrong = Wrong::new();
    if entries.len() != pair.intervals.len() {
        wrong.push(format!("{} entries: {pair:?}", entries.len()));
    }
    for (entry, interval) in entries.iter().zip(&pair.intervals) {
        let time = interval.enter[1];
        let ends = [entry.segment, entry.segment + 1].map(|k| path.waypoints[k].time);
        let values: Vec<f64> = (0..path.joints.len()).map(|column| column_at(path, column, time)).collect();
        let off = values.iter().zip(&entry.positions).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        if !(ends[0] <= time && time <= ends[1]) || entry.positions.len() != values.len() || off > 1e-12 {
            wrong.push(format!("entry {entry:?}, not at {values:?}: {pair:?}"));
        }
    }
    wrong
}

/// Checks that the right pairs are tested, and that the sums are right.
fn check_sums(case: &RobotCase, found: &PathReport) -> Wrong {
    let mut wrong = Wrong::new();
    let (expected, report) = (case.pairs(), &found.report);
    let told: Vec<[usize; 2]> = report.pairs.iter().map(|pair| pair.bodies).collect();
    if report.pairs_tested != expected.len() || told.iter().any(|pair| !expected.contains(pair)) {
        wrong.push(format!("{} pairs, {told:?}, expected {expected:?}", report.pairs_tested));
    }
    if told.windows(2).any(|two| two[0] >= two[1]) {
        wrong.push(format!("not in order: {told:?}"));
    }
    let count = report.pairs.iter().filter(|pair| pair.verdict != PairVerdict::Clear).count();
    let worst = report.pairs.iter().map(|pair| pair.verdict).max().unwrap_or(PairVerdict::Clear);
    let clear = report.pairs.iter().map(|pair| pair.clear_until).fold(case.path.interval()[1], f64::min);
    let sums = (worst, clear, expected.len() - count);
    if (report.verdict, report.clear_until, report.pairs_clear) != sums {
        wrong.push(format!("sums {sums:?}: {report:?}"));
    }
    for (pair, entries) in report.pairs.iter().zip(&found.entries) {
        wrong.extend(check_entries(&case.path, pair, entries));
    }
    wrong
}

/// Compares the overlaps that do not affect the verdict with samples.
fn check_overlaps(case: &RobotCase, found: &PathReport, counts: &Counts) -> Wrong {
    let mut wrong = Wrong::new();
    let ModelOverlaps { assembled, statics, undecided } = found.report.overlaps.clone().unwrap();
    let (tolerance, begin) = (found.report.tolerance, case.path.interval()[0]);
    for (pairs, told) in [(case.joined_pairs(), assembled), (case.static_pairs(), statics)] {
        let strangers = told.iter().filter(|pair| !pairs.contains(*pair));
        wrong.extend(strangers.map(|pair| format!("{pair:?} is not of that class")));
        for pair in pairs {
            let (traced, is_told) = (Traced::new(case, pair, tolerance), told.contains(&pair));
            let look = traced.sample(begin, Detail::Exact);
            if is_told && !look.meets && look.gap - look.slack > tolerance + 4.0 * ROUNDING {
                wrong.push(format!("{pair:?} is {} apart, and said to overlap", look.gap));
            }
            // A body attached to a link is exempt from tests against that link.
            if look.meets && !is_told && !case.is_attached(pair) {
                wrong.push(format!("{pair:?} overlaps, and is not reported: {look:?}"));
            }
            counts.met.add_if(is_told);
            counts.pairs.add();
        }
    }
    if undecided > 0 {
        wrong.push(format!("{undecided} overlaps are not decided"));
    }
    wrong
}

fn check_seed(seed: u64, [counts, at_rest, in_model]: [&Counts; 3]) -> Wrong {
    let case = robot_case(&mut Random(seed));
    let found = checked(&case, PairListing::NotClear);
    let mut wrong = check_sums(&case, &found);
    wrong.extend(check_overlaps(&case, &found, in_model));
    let moving = case.moving_pairs();
    for bodies in case.pairs() {
        let clear = || PairReport {
            bodies,
            verdict: PairVerdict::Clear,
            intervals: vec![],
            clear_until: case.path.interval()[1],
            undecided: vec![],
            reason: None,
            deviation: 0.0,
            gap: None,
            gap_time: None,
            epsilon: None,
            events: Vec::new(),
        };
        let report = found.report.pairs.iter().find(|pair| pair.bodies == bodies).cloned();
        let traced = Traced::new(&case, bodies, found.report.tolerance);
        let counts = if moving.contains(&bodies) { counts } else { at_rest };
        wrong.extend(check_contact(&traced, &report.unwrap_or_else(clear), counts));
    }
    wrong
}

#[test]
fn links_meet_when_samples_say_so() {
    let (counts, at_rest, in_model) = (Counts::default(), Counts::default(), Counts::default());
    for_all(fewer(200, 2), |seed| check_seed(seed, [&counts, &at_rest, &in_model]));
    let [pairs, met, overlapping, several, deviating] =
        [&counts.pairs, &counts.met, &counts.overlapping, &counts.several, &counts.deviating]
            .map(Counter::get);
    let text = format!(
        "{pairs} pairs, {met} met, {overlapping} from the start, {several} several times, {deviating} deviate"
    );
    println!("{text}");
    assert!(12 * met > pairs && 2 * met < pairs && 6 * several > met && 2 * overlapping < met, "{text}");
    assert!(2 * deviating > met, "{text}");
    // Pairs at rest overlap during the whole path, or never.
    let [[pairs, overlapping], [others, told]] =
        [[&at_rest.pairs, &at_rest.overlapping], [&in_model.pairs, &in_model.met]]
            .map(|two| two.map(Counter::get));
    assert_eq!(at_rest.met.get(), overlapping);
    let text = format!("{overlapping} of {pairs} at rest, {told} of {others} in the model");
    println!("{text}");
    assert!(overlapping > 1 && pairs > 2 * overlapping && told > 1 && others > told, "{text}");
}

/// A refused move ends just before its first contact, and the way back from its end is free.
#[test]
fn moves_are_refused_at_the_first_contact() {
    let counts = Counts::default();
    for_all(fewer(60, 2), |seed| {
        let random = &mut Random(seed ^ 0x304e);
        let case = robot_case(random);
        let cell = case.robot_cell().with_static_world(random.within(-1.0, 5.0)).unwrap();
        let robot = cell.robot();
        let options = CheckOptions::default();
        let mut ends = [robot.rest(), robot.rest()];
        for (end, waypoint) in ends.iter_mut().zip(&case.path.waypoints) {
            for (joint, value) in case.path.joints.iter().zip(&waypoint.positions) {
                end[*joint] = *value;
            }
            robot.complete(end);
        }
        let [from, to] = &ends;
        let try_move = |from: &[f64], to: &[f64]| cell.try_move([from, to], &options, &()).unwrap();
        let MoveOutcome::Refused { free, values, found } = try_move(from, to) else {
            counts.pairs.add();
            return vec![];
        };
        let mut wrong = Wrong::new();
        let enter = found.report.pairs.iter().flat_map(|pair| &pair.intervals).map(|i| i.enter[0]);
        let enter = enter.fold(1.0, f64::min);
        // Grazing contact starts slowly: much of the move is then within the tolerance.
        if !(0.0..=enter).contains(&free) || enter - free > 1e-3 {
            wrong.push(format!("free {free}, contact from {enter}"));
        }
        let mut expected: Vec<f64> = from.iter().zip(to).map(|(x, y)| x + free * (y - x)).collect();
        robot.complete(&mut expected);
        if values.iter().zip(&expected).any(|(x, y)| (x - y).abs() > 1e-12) {
            wrong.push(format!("at {values:?}, not {expected:?}"));
        }
        if enter > 0.0 {
            counts.met.add();
            for back in [from.clone(), values.iter().zip(from).map(|(x, y)| 0.5 * (x + y)).collect()] {
                if try_move(&values, &back) != MoveOutcome::Free {
                    wrong.push(format!("no way back from {values:?} to {back:?}"));
                }
            }
            if try_move(&values, to) == MoveOutcome::Free {
                wrong.push("the rest of the way is free".into());
            }
        }
        wrong
    });
    let (free, met) = (counts.pairs.get(), counts.met.get());
    println!("{free} free, {met} refused on their way");
    assert!(free > 2 && met > 2, "{free} free, {met} refused on their way");
}
