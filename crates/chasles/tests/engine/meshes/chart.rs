//! The search in the helical chart against its slow twin, bit for bit, at the extremes of the chart.

use crate::cases::extremes::{Extreme, Meet, bars, extreme, extreme_of, power, small, sphere};
use crate::cases::{self, Case, fewer};
use chasles::triangles_intersect;
use chasles::{
    Options, Outcome, Pose, Prediction, Screw, SearchMethod, UndecidedReason, all_contacts, first_contact,
    first_contacts, first_within,
};
use chasles_testing::Random;
use glam::DVec3;

/// The reference's step limit: a slide of about the tolerance would take millions of steps.
const PATIENCE: u64 = 20_000;

/// The step limit of the hierarchy if the reference took less than [`PATIENCE`]: it does not test more, but traverses
/// boxes first.
const ENOUGH: u64 = 40 * PATIENCE;

fn options(extreme: &Extreme, search: SearchMethod) -> Options {
    let budget = if search == SearchMethod::Reference { PATIENCE } else { ENOUGH };
    Options { search, tolerance: extreme.tolerance, budget, ..Options::default() }
}

/// How often each kind of answer occurred, and how often the reference took too long.
#[derive(Debug, Default)]
struct Tally {
    clear: u64,
    contact: u64,
    overlapping: u64,
    doubt: u64,
    too_long: u64,
}

impl Tally {
    fn add(&mut self, outcome: Option<Outcome>) {
        match outcome {
            None => self.too_long += 1,
            Some(Outcome::Clear) => self.clear += 1,
            Some(Outcome::Contact(_)) => self.contact += 1,
            Some(Outcome::Overlapping(_)) => self.overlapping += 1,
            Some(Outcome::Undecided { .. }) => self.doubt += 1,
        }
    }
}

/// The reference's list of all contacts; `None` if it takes too long.
fn reference(extreme: &Extreme) -> Option<Prediction> {
    let (a, b) = extreme.case.bodies();
    let slow = all_contacts(&a, &b, &extreme.case.screw, &options(extreme, SearchMethod::Reference)).unwrap();
    (slow.counters.steps < PATIENCE).then_some(slow)
}

/// Compares the first contact and the list of all contacts with the reference.
fn check(what: &str, extreme: &Extreme) -> Option<Outcome> {
    let slow = reference(extreme)?;
    let ((a, b), screw) = (extreme.case.bodies(), &extreme.case.screw);
    let fast = options(extreme, SearchMethod::Hierarchy);
    let first = first_contact(&a, &b, screw, &fast).unwrap();
    assert_eq!(first.outcome, slow.outcome, "{what}: the first");
    let all = all_contacts(&a, &b, screw, &fast).unwrap();
    assert_eq!(all.outcome, slow.outcome, "{what}: the first of all");
    assert_eq!(all.contacts, slow.contacts, "{what}: all");
    Some(slow.outcome)
}

#[test]
fn every_kind_of_meeting_at_the_extremes_of_the_chart() {
    let (mut tally, cases) = (Tally::default(), fewer(5000, 8));
    for seed in 0..cases {
        tally.add(check(&format!("seed {seed}"), &extreme(&mut Random(seed), Meet::Any)));
    }
    assert!(10 * tally.contact > 4 * cases && 12 * tally.overlapping > cases, "{tally:?}");
    assert!(100 * tally.clear > 2 * cases && 8 * tally.too_long < cases, "{tally:?}");
}

#[test]
fn outermost_points_that_touch_for_a_moment() {
    let (mut tally, cases) = (Tally::default(), fewer(6000, 10));
    for seed in 0..cases {
        tally.add(check(&format!("seed {seed}"), &extreme(&mut Random(seed), Meet::Graze)));
    }
    assert!(10 * tally.contact > 4 * cases && 12 * tally.clear > cases, "{tally:?}");
    assert!(8 * tally.too_long < cases, "{tally:?}");
}

#[test]
fn tips_of_bars_that_reach_far_round_the_axis() {
    let (mut tally, cases) = (Tally::default(), fewer(8000, 10));
    for seed in 0..cases {
        tally.add(check(&format!("seed {seed}"), &bars(&mut Random(seed))));
    }
    assert!(10 * tally.contact > 2 * cases && 12 * tally.clear > cases, "{tally:?}");
}

#[test]
fn a_corner_on_a_sliver_is_not_clear() {
    let v = DVec3::new;
    let a = vec![
        v(0.07666872829450322, 0.452239353570251, 0.9775137964094736),
        v(0.011637161166827115, 0.2529333183783793, 0.04981701986655884),
        v(0.420218339340129, 1.2251422368053564, -0.4111155976343097),
    ];
    // 2e-7 wide. A's second corner is above its interior, by 2.2e-12.
    let b = vec![
        v(0.0790019882625207, 0.05220624576679622, 0.16891650099913896),
        v(-0.11511065674692003, 0.6306035556140577, -0.1742697939033378),
        v(-0.11511050317520224, 0.6306035415443403, -0.17426999207606808),
    ];
    let screw = Screw::still(Pose::IDENTITY);
    let case = Case { a: (a, vec![[0, 1, 2]]), b: (b, vec![[0, 1, 2]]), screw };
    for tolerance in [4.5e-12, 1e-11, 3e-11, 1e-10] {
        let extreme = Extreme { case: case.clone(), tolerance: Some(tolerance), gap: 0.0 };
        let outcome = check(&format!("tolerance {tolerance}"), &extreme);
        assert!(outcome.is_some_and(|outcome| outcome != Outcome::Clear), "tolerance {tolerance}");
    }
}

#[test]
fn corners_above_slivers_are_within_the_tolerance() {
    for seed in 0..fewer(3000, 6) {
        let random = &mut Random(seed);
        let [p, q] = [random.vector(0.7), random.vector(0.7)];
        let along = (q - p).normalize();
        let across = random.direction().cross(along).normalize();
        let up = along.cross(across);
        let width = power(random, -9.0, -6.0);
        let b = vec![p, q, q + width * across + random.within(-0.15, 0.15) * along];
        let (s, t) = (random.within(0.2, 0.8), random.within(0.2, 0.8));
        // At a fifth to a third of the tolerance.
        let tip = p + s * (b[1] + t * (b[2] - b[1]) - p) + 0.3e-9 * up;
        let a = vec![tip, tip + up + random.vector(0.3), tip + up + random.vector(0.3)];
        let screw = match random.below(3) {
            0 => Screw::still(Pose::IDENTITY),
            1 => Screw::about(Pose::IDENTITY, up, tip, 0.0, power(random, -18.0, 0.0)).unwrap(),
            _ => Screw::translation(cases::pose(0.5 * up, glam::DQuat::IDENTITY), -0.5 * up),
        };
        let case = Case { a: (a, vec![[0, 1, 2]]), b: (b, vec![[0, 1, 2]]), screw };
        let outcome = check(&format!("seed {seed}"), &Extreme { case, tolerance: None, gap: 0.3e-9 });
        assert_ne!(outcome, Some(Outcome::Clear), "seed {seed}");
    }
}

#[test]
fn meshes_of_hundreds_of_triangles() {
    let mut tally = Tally::default();
    let cases = fewer(60, 2);
    for seed in 0..cases {
        let random = &mut Random(seed);
        let (fine, other) = (sphere(2, random.within(0.0, 0.2)), small(random));
        let other = if seed % 20 == 0 { sphere(2, 0.1) } else { other };
        let (a, b) = if random.below(2) == 0 { (&fine, &other) } else { (&other, &fine) };
        let meet = [Meet::Any, Meet::Graze][random.below(2)];
        let mut extreme = extreme_of(random, (a, b), meet);
        extreme.tolerance = None;
        let case = &extreme.case;
        let (a, b) = case.bodies();
        let ask = |search, budget| {
            all_contacts(&a, &b, &case.screw, &Options { search, budget, ..Options::default() }).unwrap()
        };
        let patience = 2_000_000;
        let slow = ask(SearchMethod::Reference, patience);
        if slow.counters.steps >= patience {
            tally.add(None);
            continue;
        }
        let fast = ask(SearchMethod::Hierarchy, 10 * patience);
        assert_eq!(fast.outcome, slow.outcome, "seed {seed}");
        assert_eq!(fast.contacts, slow.contacts, "seed {seed}");
        let first = first_contact(&a, &b, &case.screw, &Options::default()).unwrap().outcome;
        assert_eq!(first, slow.outcome, "seed {seed}");
        tally.add(Some(slow.outcome));
    }
    assert!(tally.contact > 6 && tally.too_long < cases / 3, "{tally:?}");
}

#[test]
fn coming_within_a_distance() {
    let mut tally = Tally::default();
    let cases = fewer(1500, 4);
    for seed in 0..cases {
        let random = &mut Random(seed);
        let meet = [Meet::Any, Meet::Graze][random.below(2)];
        let mut extreme = extreme(random, meet);
        let size = extreme.case.size();
        let distance = size * [1e-9, 1e-3, 0.1, 1.0][random.below(4)];
        // The outermost points pass each other at almost this distance.
        if random.below(3) > 0 {
            let out = extreme.case.screw;
            let away = random.direction() * (distance * (1.0 + [-1e-7, 1e-7, 1e-3][random.below(3)]));
            let start = cases::pose(out.start().position() + away, out.start().rotation());
            extreme.case.screw = Screw::about(
                start,
                out.direction(),
                out.axis().point.unwrap_or(DVec3::ZERO).clamp_length_max(1e60) + away,
                out.slide(),
                out.angle(),
            )
            .unwrap();
        }
        extreme.tolerance = Some(distance);
        let (a, b) = extreme.case.bodies();
        let ask = |search| first_within(&a, &b, &extreme.case.screw, &options(&extreme, search)).unwrap();
        let slow = ask(SearchMethod::Reference);
        if slow.counters.steps >= PATIENCE {
            tally.add(None);
            continue;
        }
        assert_eq!(ask(SearchMethod::Hierarchy).outcome, slow.outcome, "seed {seed}");
        tally.add(Some(slow.outcome));
    }
    assert!(tally.contact > 18 && tally.clear > 4 && tally.too_long < cases / 3, "{tally:?}");
}

#[test]
fn the_first_contacts_are_the_early_ones_of_all() {
    let mut fewer = 0;
    for seed in 0..cases::fewer(1500, 5) {
        let random = &mut Random(seed);
        let meet = [Meet::Any, Meet::Graze][random.below(2)];
        let extreme = extreme(random, meet);
        let ((a, b), screw) = (extreme.case.bodies(), &extreme.case.screw);
        let options = Options { budget: PATIENCE, ..options(&extreme, SearchMethod::Hierarchy) };
        let all = all_contacts(&a, &b, screw, &options).unwrap();
        if all.counters.steps >= PATIENCE {
            continue;
        }
        let options = Options { budget: ENOUGH, ..options };
        for after in [0.0, f64::MIN_POSITIVE, 1e-6, 0.01, 0.3, 2.0, f64::INFINITY] {
            let early = first_contacts(&a, &b, screw, after, &options).unwrap();
            assert_eq!(early.outcome, all.outcome, "seed {seed}, after {after}");
            match all.outcome {
                Outcome::Contact(first) => {
                    let mut wanted = all.contacts.clone();
                    wanted.retain(|contact| contact.time[0] <= first.time[1] + after);
                    assert_eq!(early.contacts, wanted, "seed {seed}, after {after}");
                    assert!(!wanted.is_empty(), "seed {seed}, after {after}");
                    fewer += u64::from(wanted.len() < all.contacts.len());
                }
                Outcome::Clear => assert!(early.contacts.is_empty(), "seed {seed}, after {after}"),
                _ => {}
            }
        }
        for after in [f64::NAN, -1e-300, f64::NEG_INFINITY] {
            assert!(first_contacts(&a, &b, screw, after, &options).is_err());
        }
    }
    assert!(fewer > 25, "{fewer}");
}

#[test]
fn a_small_budget_never_hides_a_contact() {
    let mut undecided = 0;
    for seed in 0..fewer(400, 2) {
        let random = &mut Random(seed);
        let meet = [Meet::Any, Meet::Graze, Meet::Inside][random.below(3)];
        let extreme = extreme(random, meet);
        let Some(slow) = reference(&extreme) else { continue };
        let ((a, b), screw) = (extreme.case.bodies(), &extreme.case.screw);
        let until = match &slow.outcome {
            Outcome::Contact(contact) => contact.time[1],
            Outcome::Overlapping(_) => 0.0,
            Outcome::Undecided { .. } => continue,
            Outcome::Clear => 1.0,
        };
        for budget in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597] {
            let options = Options { budget, ..options(&extreme, SearchMethod::Hierarchy) };
            for ask in [first_contact, all_contacts] {
                let prediction = ask(&a, &b, screw, &options).unwrap();
                assert!(prediction.counters.steps <= budget, "seed {seed}, budget {budget}");
                if let Outcome::Undecided { clear_until, reason } = prediction.outcome {
                    assert_eq!(reason, UndecidedReason::Budget, "seed {seed}, budget {budget}");
                    let right = (0.0..=until).contains(&clear_until);
                    assert!(right, "seed {seed}, budget {budget}: until {clear_until}, {:?}", slow.outcome);
                    undecided += 1;
                } else {
                    assert_eq!(prediction.outcome, slow.outcome, "seed {seed}, budget {budget}");
                }
            }
        }
    }
    assert!(undecided > 350, "{undecided}");
}

/// The result of brute force for two triangles whose positions are known up to rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meets {
    Never,
    Maybe,
    Always,
}

/// The widest gap between two triangles along the candidate separating axes.
fn widest_gap(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let edges = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (ea, eb) = (edges(a), edges(b));
    let normals = [ea[0].cross(ea[1]), eb[0].cross(eb[1])];
    let flat = ea.iter().chain(&eb).flat_map(|e| normals.map(|n| n.cross(*e)));
    let across = ea.iter().flat_map(|e| eb.map(|f| e.cross(f)));
    let gap = |n: DVec3| {
        let n = n.normalize_or_zero();
        let (along_a, along_b) = (a.map(|p| n.dot(p)), b.map(|p| n.dot(p)));
        let low = |x: [f64; 3]| x[0].min(x[1]).min(x[2]);
        let high = |x: [f64; 3]| x[0].max(x[1]).max(x[2]);
        (low(along_b) - high(along_a)).max(low(along_a) - high(along_b))
    };
    [DVec3::X, DVec3::Y, DVec3::Z]
        .into_iter()
        .chain(normals)
        .chain(flat)
        .chain(across)
        .map(gap)
        .fold(-1.0, f64::max)
}

/// Whether two triangles intersect if the first may be displaced by up to `rounding`.
fn meets(a: [DVec3; 3], b: [DVec3; 3], rounding: f64) -> Meets {
    if widest_gap(&a, &b) > rounding {
        return Meets::Never;
    }
    let axes = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
    let always = axes.iter().all(|d| triangles_intersect(&a.map(|p| p + rounding * d), &b));
    if always { Meets::Always } else { Meets::Maybe }
}

/// Checks the answer at the start against every pair of triangles. `None` if rounding leaves it undecided.
fn check_start(what: &str, case: &Case, outcome: &Outcome) {
    let start = case.screw.start();
    let moved: Vec<DVec3> = case.a.0.iter().map(|v| start.transform_point(*v)).collect();
    let largest = |points: &[DVec3]| points.iter().map(|p| p.length()).fold(0.0, f64::max);
    let rounding = 64.0
        * f64::EPSILON
        * (largest(&case.a.0) + largest(&moved) + largest(&case.b.0) + start.position().length());
    let empty = Vec::new();
    let listed = if let Outcome::Overlapping(pairs) = outcome { pairs } else { &empty };
    assert!(listed.is_sorted(), "{what}");
    for (f, i) in case.a.1.iter().zip(0..) {
        for (g, j) in case.b.1.iter().zip(0..) {
            let meets = meets(f.map(|v| moved[v as usize]), g.map(|v| case.b.0[v as usize]), rounding);
            let is_listed = listed.binary_search(&[i, j]).is_ok();
            assert!(!is_listed || meets != Meets::Never, "{what}: {i} and {j} do not intersect");
            if meets == Meets::Always && !is_listed {
                // An intersection no deeper than the tolerance is a touch at the start.
                let touch = match outcome {
                    Outcome::Contact(contact) => contact.time[0] == 0.0,
                    Outcome::Undecided { clear_until, .. } => *clear_until == 0.0,
                    _ => false,
                };
                assert!(touch, "{what}: {i} and {j} intersect, {outcome:?}");
            }
        }
    }
}

#[test]
fn what_intersects_at_the_start() {
    let mut tally = Tally::default();
    // In the last two, which long runs found, rounding is so coarse that the depth is neither proven nor a touch.
    for seed in (0..fewer(2000, 5)).chain([50_583, 153_162]) {
        let random = &mut Random(seed);
        let meet = if random.below(4) == 0 { Meet::Any } else { Meet::Inside };
        let extreme = extreme(random, meet);
        let (a, b) = extreme.case.bodies();
        let options = options(&extreme, SearchMethod::Hierarchy);
        let outcome = first_contact(&a, &b, &extreme.case.screw, &options).unwrap().outcome;
        check_start(&format!("seed {seed}"), &extreme.case, &outcome);
        tally.add(Some(outcome));
    }
    assert!(tally.overlapping > 70, "{tally:?}");
}
