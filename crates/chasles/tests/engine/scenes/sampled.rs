//! Scenes compared with dense sampling: bodies of all kinds in motions of all kinds.
//!
//! A report must hold at every sampled time: outside its intervals no surfaces intersect, inside them some do, their
//! ends are where that changes, and the minimum gap agrees with sampling.

use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::cases::{self, fewer};
use crate::scenes::scene_cases::sampled::{Pair, Sampled};
use crate::scenes::scene_cases::still::Detail;
use crate::scenes::scene_cases::{self, Kind, SceneCase, body, breaks, motion, scene_case, shifted};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, CubicKey, Curve, Options, PairListing, PairReport, PairVerdict,
    Pose, Primitive, Scene, SceneBody, SceneDefinition, SceneInterval, SceneReport, contact_intervals,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

/// Initial number of samples of a pair, before refinement.
const SAMPLES: usize = 400;

/// The same if every sample is an exact gap.
const GAP_SAMPLES: usize = 80;

/// Accuracy of the ends of intervals, as a fraction of the duration.
const SHARP: f64 = 1e-6;

/// Numbers of tested cases.
#[derive(Debug, Default)]
struct Counts {
    pairs: Counter,
    met: Counter,
    brief: Counter,
    several: Counter,
    undecided: Counter,
    near: Counter,
}

fn listing_all() -> CheckOptions {
    CheckOptions { listed: PairListing::All, ..CheckOptions::default() }
}

/// The pair of a report.
fn sampled_pair<'s>(case: &SceneCase, scene: &'s Scene, report: &PairReport) -> Pair<'s> {
    let round = report.bodies.map(|body| case.rounds[body]);
    Pair::new(scene, report.bodies, round, &breaks(&case.definition))
}

fn is_within(time: f64, interval: &SceneInterval, slack: f64) -> bool {
    time >= interval.enter[0] - slack && interval.exit.is_none_or(|exit| time <= exit[1] + slack)
}

/// Compares a pair's report about contact with samples.
fn check_contact(pair: &Pair<'_>, report: &PairReport, counts: &Counts) -> Wrong {
    let mut wrong = Wrong::new();
    let (scene, duration) = (pair.scene, pair.scene.duration());
    let tolerance = scene.tolerance();
    let slack = 1e-13 * duration;
    counts.pairs.add();
    if !report.undecided.is_empty() {
        counts.undecided.add();
    }
    if report.verdict >= PairVerdict::Contact {
        counts.met.add();
        if report.intervals.len() > 1 {
            counts.several.add();
        }
        let long = |i: &SceneInterval| i.exit.map_or(duration, |exit| exit[1]) - i.enter[0] > 0.1 * duration;
        if !report.intervals.iter().any(long) {
            counts.brief.add();
        }
    }
    let in_contact = report.verdict >= PairVerdict::Contact;
    let intervals: &[SceneInterval] = if in_contact { &report.intervals } else { &[] };
    let known = |time: f64| !report.undecided.iter().any(|[from, to]| (*from..=*to).contains(&time));

    // No contact is missed.
    let covered = |time: f64| intervals.iter().any(|i| is_within(time, i, slack));
    for (time, look) in pair.trace(SAMPLES) {
        if look.meets && known(time) && !covered(time) && pair.meets_by(time, tolerance + pair.rounding) {
            wrong.push(format!("missed at {time}: {report:?}"));
            break;
        }
    }
    if let [first, ..] = intervals
        && report.clear_until > first.enter[0]
    {
        wrong.push(format!("clear too long: {report:?}"));
    }
    if !in_contact
        && report.undecided.is_empty()
        && report.clear_until != duration
        && report.verdict == PairVerdict::Clear
    {
        wrong.push(format!("clear, but not to the end: {report:?}"));
    }

    // No contact is invented.
    let far = |time: f64| {
        let look = pair.sample(time, Detail::Exact);
        !look.meets && look.gap > 1.06 * tolerance + look.slack + 4.0 * pair.rounding
    };
    let mut last = 0.0;
    for (i, interval) in intervals.iter().enumerate() {
        let (begin, end) = (interval.enter[1], interval.exit.map_or(duration, |exit| exit[0]));
        let ordered = interval.enter[0] <= begin && (i == 0 || interval.enter[0] > last);
        if !ordered || interval.exit.is_some_and(|[lo, hi]| lo > hi || hi < begin) {
            wrong.push(format!("interval {i} is out of order: {report:?}"));
        }
        last = interval.exit.map_or(duration, |exit| exit[1]);
        for k in 0..=16 {
            let time = begin + (end - begin) * f64::from(k) / 16.0;
            // At a jump, the state before it.
            let time = if k == 16 { end.next_down().max(begin) } else { time };
            if begin <= end && known(time) && far(time) {
                let gap = pair.sample(time, Detail::Exact).gap;
                wrong.push(format!("interval {i}: {gap} apart at {time} ({k}/16): {report:?}"));
                break;
            }
        }
        // Ends are sharp, unless the bodies hover at the tolerance.
        for [lo, hi] in [Some(interval.enter), interval.exit].into_iter().flatten() {
            let hovers = || (1..8).all(|k| !far(lo + (hi - lo) * f64::from(k) / 8.0));
            if hi - lo > SHARP * duration && report.reason.is_none() && known(lo) && !hovers() {
                wrong
                    .push(format!("interval {i}: an end is as wide as {}: {report:?}", (hi - lo) / duration));
            }
        }
        if let Some(next) = intervals.get(i + 1) {
            // Somewhere in between they are apart.
            let (from, to) = (last, next.enter[0]);
            let apart = (1..64).any(|k| {
                let look = pair.sample(from + (to - from) * f64::from(k) / 64.0, Detail::Exact);
                !look.meets
            });
            if !apart && to - from > SHARP * duration {
                wrong.push(format!("intervals {i} and the next are one: {report:?}"));
            }
        }
        wrong.extend(check_place(pair, interval, report));
    }
    wrong
}

/// At the start of a contact, its point is on both surfaces.
fn check_place(pair: &Pair<'_>, interval: &SceneInterval, report: &PairReport) -> Wrong {
    let mut wrong = Wrong::new();
    let Some(contact) = interval.contact else { return wrong };
    let (point, normal) = (contact.contact.point, contact.contact.normal);
    if (normal.length() - 1.0).abs() > 1e-9 {
        wrong.push(format!("the normal {normal} is no unit: {report:?}"));
    }
    // At a jump both sides are valid: the contact uses the later one.
    let time = interval.enter[1];
    for (body, surface) in pair.bodies.into_iter().zip(&pair.surfaces) {
        let local = pair.scene.pose_at(body, time).inverse().transform_point(point);
        let off = match &surface.round {
            Some(round) => scene_cases::still::signed_distance(round, local).abs(),
            None => {
                let distances =
                    surface.triangles.iter().map(|t| scene_cases::still::point_triangle(local, t));
                distances.fold(f64::INFINITY, f64::min)
            }
        };
        let allowed = 1e-6 * pair.size() + report.deviation + 8.0 * pair.rounding;
        if off > allowed {
            wrong.push(format!("the point is {off} off body {body}: {report:?}"));
        }
    }
    wrong
}

fn check_seed(seed: u64, kind: Kind, counts: &Counts) -> Wrong {
    let case = scene_case(&mut Random(seed), kind);
    let scene = case.scene();
    let report = scene.check(&CheckOptions::default(), &()).unwrap();
    let listed = |bodies: &[usize; 2]| report.pairs.iter().find(|pair| pair.bodies == *bodies).cloned();
    let mut wrong = Wrong::new();
    let shaped: Vec<usize> =
        (0..scene.bodies().len()).filter(|i| scene.bodies()[*i].shape.is_some()).collect();
    let pairs = shaped.iter().flat_map(|a| shaped.iter().map(move |b| [*a, *b])).filter(|[a, b]| a < b);
    for bodies in pairs {
        // Pairs that are not listed are clear, or never move relative to each other.
        let clear = || PairReport {
            bodies,
            verdict: PairVerdict::Clear,
            intervals: vec![],
            clear_until: scene.duration(),
            undecided: vec![],
            reason: None,
            deviation: 0.0,
            gap: None,
            gap_time: None,
            epsilon: None,
            events: Vec::new(),
        };
        let found = listed(&bodies);
        if found.is_none() && shaped.len() * (shaped.len() - 1) / 2 != report.pairs_tested {
            continue;
        }
        let found = found.unwrap_or_else(clear);
        wrong.extend(check_contact(&sampled_pair(&case, &scene, &found), &found, counts));
    }
    wrong
}

/// Enough cases of every kind, and few undecided ones.
#[track_caller]
fn assert_varied(counts: &Counts) {
    let [pairs, met, brief, several, undecided] =
        [&counts.pairs, &counts.met, &counts.brief, &counts.several, &counts.undecided].map(Counter::get);
    let text =
        format!("{pairs} pairs, {met} met, {brief} briefly, {several} several times, {undecided} undecided");
    println!("{text}");
    assert!(4 * met > pairs && 5 * met < 4 * pairs, "{text}");
    assert!(12 * brief > met && 20 * several > met, "{text}");
    assert!(100 * undecided <= pairs, "{text}");
}

#[test]
fn meshes_touch_when_samples_do() {
    let counts = Counts::default();
    for_all(fewer(700, 4), |seed| check_seed(seed, Kind::Meshes, &counts));
    assert_varied(&counts);
}

#[test]
fn round_bodies_touch_when_samples_do() {
    let counts = Counts::default();
    for_all(fewer(250, 4), |seed| check_seed(seed, Kind::Round, &counts));
    assert_varied(&counts);
}

#[test]
fn solid_bodies_touch_when_samples_do() {
    let counts = Counts::default();
    for_all(fewer(200, 4), |seed| check_seed(seed, Kind::Solid, &counts));
    assert_varied(&counts);
}

/// The ends of contact, in order. Contacts interrupted by less than a millionth of the duration are merged: if the
/// gap hovers at the tolerance, rounding decides.
fn ends(report: &PairReport, duration: f64) -> Vec<[f64; 2]> {
    let mut ends: Vec<[f64; 2]> = Vec::new();
    for interval in &report.intervals {
        if ends.last().is_some_and(|exit| interval.enter[0] - exit[1] < SHARP * duration) {
            ends.pop();
        } else {
            ends.push(interval.enter);
        }
        ends.extend(interval.exit);
    }
    ends
}

/// Two answers about the same pair.
fn differ(what: &str, one: &PairReport, other: &PairReport, duration: f64) -> Wrong {
    let (x, y, slack) = (ends(one, duration), ends(other, duration), 1e-8 * duration);
    let apart = |(p, q): (&[f64; 2], &[f64; 2])| p[0] > q[1] + slack || q[0] > p[1] + slack;
    if one.verdict != other.verdict || x.len() != y.len() || x.iter().zip(&y).any(apart) {
        return vec![format!("{what}: {one:?}\n  and {other:?}")];
    }
    Wrong::new()
}

/// Compares the reports about the same pairs of two scenes; `number` maps bodies of the first to the second.
fn compare(
    what: &str,
    (one, other): (&Scene, &Scene),
    number: impl Fn(usize) -> usize,
    own: &SceneReport,
) -> Wrong {
    let found = other.check(&listing_all(), &()).unwrap();
    let mut wrong = Wrong::new();
    if found.pairs_tested != own.pairs_tested {
        wrong.push(format!("{what}: {} pairs and {}", own.pairs_tested, found.pairs_tested));
    }
    for pair in &own.pairs {
        let [a, b] = pair.bodies.map(&number);
        let same = found.pairs.iter().find(|found| found.bodies == [a.min(b), a.max(b)]);
        match same {
            Some(same) => wrong.extend(differ(what, pair, same, one.duration())),
            None => wrong.push(format!("{what}: no answer about {:?}", pair.bodies)),
        }
    }
    wrong
}

#[test]
fn the_order_and_a_common_parent_of_bodies_change_no_time() {
    for_all(fewer(300, 4), |seed| {
        let random = &mut Random(seed);
        let kind = [Kind::Meshes, Kind::Round][random.below(2)];
        let case = scene_case(random, kind);
        let scene = case.scene();
        let report = scene.check(&listing_all(), &()).unwrap();
        let last = scene.bodies().len() - 1;
        let mut turned = case.definition.clone();
        turned.bodies.reverse();
        turned.bodies.iter_mut().for_each(|body| body.parent = body.parent.map(|parent| last - parent));
        let turned = Scene::new(turned).unwrap();
        let mut wrong = compare("swapped", (&scene, &turned), |body| last - body, &report);
        let mut carried = case.definition.clone();
        carried
            .bodies
            .iter_mut()
            .for_each(|body| body.parent = Some(body.parent.map_or(0, |parent| parent + 1)));
        carried.bodies.insert(0, body(None, motion(random, carried.duration, 3.0), None));
        let carried = Scene::new(carried).unwrap();
        wrong.extend(compare("carried", (&scene, &carried), |body| body + 1, &report));
        wrong
    });
}

#[test]
fn all_numbers_of_threads_give_the_same_bits() {
    let pools: Vec<_> = [1, 2, 8]
        .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
        .into_iter()
        .collect();
    for seed in 0..fewer(80, 6) {
        let random = &mut Random(seed);
        let kind = [Kind::Meshes, Kind::Round, Kind::Solid][random.below(3)];
        let mut case = scene_case(random, kind);
        if random.below(3) == 0 {
            case.definition.clearance = 0.1 * case.scene().tolerance() / 1e-9;
        }
        let scene = case.scene();
        let answer = |pool: &rayon::ThreadPool| {
            format!("{:?}", pool.install(|| scene.check(&CheckOptions::default(), &()).unwrap()))
        };
        let first = answer(&pools[0]);
        for (pool, threads) in pools.iter().zip([1, 2, 8]).skip(1) {
            assert_eq!(answer(pool), first, "seed {seed}, {threads} threads");
        }
        // Listing all pairs works without a broad phase: the pairs that are not clear are the same.
        let all = scene.check(&listing_all(), &()).unwrap();
        let few = scene.check(&CheckOptions::default(), &()).unwrap();
        let ends_of = |report: &SceneReport| -> Vec<_> {
            let pairs = report.pairs.iter().filter(|pair| pair.verdict != PairVerdict::Clear);
            pairs.map(|pair| (pair.bodies, pair.verdict, pair.intervals.len())).collect()
        };
        assert_eq!(ends_of(&all), ends_of(&few), "seed {seed}");
    }
}

/// One body moves along one screw: the pair queries give the same result.
#[test]
fn one_screw_is_that_of_the_pair() {
    let met = Counter::default();
    for_all(fewer(600, 4), |seed| {
        let random = &mut Random(seed);
        let pair = cases::case(random);
        let (a, b) = pair.bodies();
        let duration = 10.0_f64.powf(random.within(-2.0, 2.0));
        let screw = pair.screw;
        let base = Pose::new(random.vector(1.0), random.rotation()).unwrap();
        let shapes = [a.clone(), b.clone()].map(|body| CollisionShape::mesh(std::sync::Arc::new(body)));
        let [moving, standing] = shapes.map(Some);
        let bodies = vec![
            body(None, BodyMotion::Still(base), None),
            body(moving, BodyMotion::Screw(screw), Some(0)),
            body(standing, BodyMotion::Still(Pose::IDENTITY), Some(0)),
        ];
        let definition =
            SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
        let scene = Scene::new(definition).unwrap();
        let report = scene.check(&listing_all(), &()).unwrap();
        let options = Options { tolerance: Some(scene.tolerance()), ..Options::default() };
        let found = contact_intervals(&a, &b, &screw, &options).unwrap();
        let expected: Vec<[f64; 2]> =
            found.intervals.iter().flat_map(|i| [Some(i.enter), i.exit]).flatten().collect();
        let own: Vec<[f64; 2]> =
            report.pairs[0].intervals.iter().flat_map(|i| [Some(i.enter), i.exit]).flatten().collect();
        met.add_if(!own.is_empty());
        let off =
            |(x, y): (&[f64; 2], &[f64; 2])| (0..2).any(|i| (x[i] - duration * y[i]).abs() > 1e-9 * duration);
        if own.len() != expected.len() || own.iter().zip(&expected).any(off) {
            return vec![format!("{own:?} of {duration} s and {expected:?}: {report:?}")];
        }
        Wrong::new()
    });
    assert!(met.get() > 20);
}

/// Compares the reported gap of a pair with samples.
fn check_nearness(pair: &Pair<'_>, report: &PairReport, counts: &Counts) -> Wrong {
    let mut wrong = Wrong::new();
    let duration = pair.scene.duration();
    let clearance = pair.scene.clearance();
    let gap = |time: f64| {
        let look = pair.sample(time, Detail::Exact);
        [look.gap - look.slack - 4.0 * pair.rounding, look.gap + 4.0 * pair.rounding]
    };
    let (sampled, at) = pair.least_gap(GAP_SAMPLES, 5e-7 * pair.size());
    let [lowest, highest] = gap(at);
    let Some([lower, upper]) = report.gap else {
        return vec![format!("no gap: {report:?}")];
    };
    // At the reported time the gap is that small; at a jump, just before it or after.
    let time = report.gap_time.unwrap_or(f64::NAN);
    let [told, before] = [time, time - 1e-12 * duration].map(|time| gap(time.max(0.0))[0]);
    if time.is_nan() || told.min(before) > upper * (1.0 + 1e-6) {
        wrong.push(format!("gap {told} at the time of the least: {report:?}"));
    }
    let wide = upper - lower > (0.011 * upper).max(9e-6);
    if lower > highest || lower > upper || wide && lower > 0.0 && report.reason.is_none() {
        wrong.push(format!("gap {sampled} at {at}, told [{lower}, {upper}]: {report:?}"));
    }
    if wide && lower < 0.5 * upper {
        wrong.push(format!("gap {sampled} at {at}, told only [{lower}, {upper}]: {report:?}"));
    }
    // The search from samples ends close to the true minimum gap; bodies that hover there may have a smaller one.
    if upper < (1.0 - 1e-3) * lowest - 1e-6 * pair.size() {
        wrong.push(format!("gap {sampled} at {at}, told at most {upper}: {report:?}"));
    }
    if clearance == 0.0 {
        return wrong;
    }
    counts.pairs.add();
    let near = report.verdict == PairVerdict::Near;
    if near {
        counts.near.add();
    }
    if near == report.intervals.is_empty() {
        wrong.push(format!("near without a span: {report:?}"));
    }
    let slack = 2e-8 * duration;
    for time in pair.grid(GAP_SAMPLES).into_iter().chain([at]) {
        let covered = report.intervals.iter().any(|i| is_within(time, i, 1e-12 * duration));
        if !covered && gap(time)[1] < clearance * (1.0 - 1e-6) {
            wrong.push(format!("{} apart at {time}, but not near: {report:?}", gap(time)[1]));
            break;
        }
    }
    for interval in &report.intervals {
        let (begin, end) = (interval.enter[1], interval.exit.map_or(duration, |exit| exit[0]));
        for k in 0..=16 {
            let time = begin + (end - begin) * f64::from(k) / 16.0;
            let time = if k == 16 { end.next_down().max(begin) } else { time };
            if begin <= end && gap(time)[0] > clearance * (1.0 + 1e-6) {
                wrong.push(format!("{} apart at {time} ({k}/16), but near: {report:?}", gap(time)[0]));
                break;
            }
        }
        for [lo, hi] in [Some(interval.enter), interval.exit].into_iter().flatten() {
            if hi - lo > slack {
                wrong.push(format!("an end is as wide as {}: {report:?}", (hi - lo) / duration));
            }
        }
    }
    wrong
}

#[test]
fn gaps_and_intervals_within_a_clearance_are_those_of_samples() {
    let counts = Counts::default();
    for_all(fewer(200, 4), |seed| {
        let random = &mut Random(seed);
        let kind = [Kind::Meshes, Kind::Round][random.below(2)];
        let mut case = scene_case(random, kind);
        let size = case.scene().tolerance() / 1e-9;
        case.definition.clearance = size * 10.0_f64.powf(random.within(-4.0, 0.0));
        let scene = case.scene();
        let report = scene.check(&listing_all(), &()).unwrap();
        let apart = report.pairs.iter().filter(|pair| pair.verdict <= PairVerdict::Near);
        apart.flat_map(|pair| check_nearness(&sampled_pair(&case, &scene, pair), pair, &counts)).collect()
    });
    let (pairs, near) = (counts.pairs.get(), counts.near.get());
    assert!(pairs > 40 && 15 * near > pairs, "{near} of {pairs} are near");
}

/// Pairs shifted until they pass each other by a ten-thousandth of their size are clear, within the budget.
#[test]
fn near_misses_are_clear() {
    let found = Counter::default();
    for_all(fewer(160, 3), |seed| {
        let random = &mut Random(seed);
        let kind = [Kind::Meshes, Kind::Round][random.below(2)];
        let mut case = scene_case(random, kind);
        let shaped: Vec<usize> =
            (0..case.rounds.len()).filter(|i| case.definition.bodies[*i].shape.is_some()).collect();
        let [a, b] = [shaped[0], shaped[1]];
        // Only these two, each by its own motion.
        case.definition
            .ignore
            .extend(shaped[2..].iter().map(|c| [chasles::PairSide::Every, chasles::PairSide::Body(*c)]));
        let Some(mover) = lowest_of_one(&case.definition.bodies, [a, b]) else { return Wrong::new() };
        for _ in 0..4 {
            let scene = case.scene();
            let pair = Pair::new(&scene, [a, b], [case.rounds[a], case.rounds[b]], &breaks(&case.definition));
            let wanted = 1e-4 * pair.size();
            let (gap, at) = pair.least_gap(40, 0.3 * wanted);
            let slack = pair.sample(at, Detail::Exact).slack + 4.0 * pair.rounding;
            if gap > 0.3 * wanted + slack && gap < 3.0 * wanted {
                let report = scene.check(&listing_all(), &()).unwrap();
                let told = report.pairs.iter().find(|told| told.bodies == [a, b]).unwrap();
                // If they meet nevertheless, the samples were too few.
                let meets = told.intervals.iter().any(|interval| {
                    let end = interval.exit.map_or(scene.duration(), |exit| exit[0]);
                    pair.sample(0.5 * (interval.enter[1] + end), Detail::Exact).meets
                });
                if told.verdict == PairVerdict::Clear {
                    found.add();
                } else if !meets {
                    return vec![format!("a gap of {gap} at {at}: {report:?}")];
                }
                return Wrong::new();
            }
            // B is moved towards A, or away, where they are nearest.
            let [at_a, at_b] = [a, b].map(|body| scene.pose_at(body, at).position());
            let towards = (at_a - at_b).normalize_or(DVec3::X);
            let way = if gap > 0.0 { towards * (gap - wanted) } else { -towards * 0.2 * pair.size() };
            let way = match case.definition.bodies[mover].parent {
                Some(parent) => scene.pose_at(parent, at).inverse().transform_vector(way),
                None => way,
            };
            let sense = if mover_carries(&case.definition.bodies, mover, b) { 1.0 } else { -1.0 };
            case.definition.bodies[mover].motion =
                shifted(&case.definition.bodies[mover].motion, sense * way);
        }
        Wrong::new()
    });
    assert!(found.get() > 7, "only {} near misses", found.get());
}

/// Whether `mover` is a body, or carries it.
fn mover_carries(bodies: &[SceneBody], mover: usize, rider: usize) -> bool {
    let mut next = Some(rider);
    while let Some(body) = next {
        if body == mover {
            return true;
        }
        next = bodies[body].parent;
    }
    false
}

/// The lowest body that carries one of two and not the other.
fn lowest_of_one(bodies: &[SceneBody], [a, b]: [usize; 2]) -> Option<usize> {
    (0..bodies.len()).find(|body| mover_carries(bodies, *body, a) != mover_carries(bodies, *body, b))
}

/// A spline of quaternions through zero rotates infinitely fast there: no bound of its speed is finite.
#[test]
fn a_spline_through_zero_hides_and_prolongs_nothing() {
    let key = |time, value| CubicKey {
        time,
        in_tangent: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0),
        value,
        out_tangent: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0),
    };
    let flip = Curve::Cubic(vec![key(0.0, DQuat::IDENTITY), key(1.0, -DQuat::IDENTITY)]);
    let cube = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
    let at = |x: f64| DVec3::new(x, 0.1, 0.2);
    // A straight motion through the other cube and beyond it, of a cube with a constant rotation.
    let way = Curve::Linear(vec![(0.0, at(-4.0)), (1.0, at(4.0))]);
    for carried in [false, true] {
        let stays = Curve::constant(DVec3::ZERO);
        let flipping = |position: &Curve<DVec3>| BodyMotion::Curves {
            position: position.clone(),
            rotation: flip.clone(),
        };
        let slide = BodyMotion::Curves { position: way.clone(), rotation: Curve::constant(DQuat::IDENTITY) };
        let mut bodies = vec![body(Some(cube.clone()), BodyMotion::Still(Pose::IDENTITY), None)];
        if carried {
            bodies.push(body(None, slide, None));
            bodies.push(body(Some(cube.clone()), flipping(&stays), Some(1)));
        } else {
            bodies.push(body(Some(cube.clone()), flipping(&way), None));
        }
        let definition =
            SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
        let report = Scene::new(definition).unwrap().check(&CheckOptions::default(), &()).unwrap();
        // They meet from 3/8 to 5/8.
        let [pair] = report.pairs.as_slice() else { panic!("missed: {report:?}") };
        let first = pair.intervals.first().expect("an interval");
        assert!((first.enter[1] - 0.375).abs() < 1e-6, "{report:?}");
        let last = pair.intervals.last().unwrap();
        let until = last.exit.map_or(1.0, |exit| exit[0]);
        assert!(until > 0.625 - 1e-6 && until < 0.625 + 1e-6, "{report:?}");
        // Only the instant itself is undecided.
        assert!(
            pair.undecided.iter().all(|[from, to]| *from <= 0.5 && *to >= 0.5 && to - from < 1e-8),
            "{report:?}"
        );
        assert!(pair.undecided.len() < 2, "{report:?}");
    }
}
