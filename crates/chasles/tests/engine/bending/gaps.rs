//! Gaps and clearances of bodies that deform: closed forms, and the exact distance of all pairs of triangles at
//! sampled times.

use crate::bending::bending_cases;
use std::cmp::Ordering;
use std::f64::consts::FRAC_PI_2;

use crate::bending::bending_cases::{
    EVENTS, Made, SIDES, bending, body, octahedron, random_bodies, rigid, scene, still, wall, xyz,
};
use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::exact::rational::{Ratio, Unit, Vector, cross, dot, is_negative, is_within, minus, plus, scaled};
use chasles::{
    BodyMotion, CheckOptions, ContactFeatures, PairListing, PairReport, PairVerdict, Pose, Scene, SceneBody,
    SceneDefinition, Screw,
};
use chasles_testing::Random;
use glam::DVec3;
use num_bigint::BigInt;

const ALL: CheckOptions = CheckOptions { listed: PairListing::All, ..EVENTS };

/// The square of the distance of two triangles, exactly.
fn squared(a: &[Vector; 3], b: &[Vector; 3]) -> Ratio {
    let edges = |t: &[Vector; 3]| [0, 1, 2].map(|i| [t[i].clone(), t[(i + 1) % 3].clone()]);
    let mut least: Option<Ratio> = None;
    let mut see = |found: Ratio| {
        if least.as_ref().is_none_or(|least| found < *least) {
            least = Some(found);
        }
    };
    for (own, other) in [(a, b), (b, a)] {
        for p in own {
            edges(other).iter().for_each(|edge| see(point_segment(p, edge)));
            if let Some(over) = over_face(p, other) {
                see(over);
            }
        }
        if edges(own).iter().any(|edge| pierces(edge, other)) {
            see(Ratio::new(BigInt::from(0), BigInt::from(1)));
        }
    }
    for e in &edges(a) {
        for f in &edges(b) {
            if let Some(across) = across(e, f) {
                see(across);
            }
        }
    }
    least.unwrap()
}

fn point_segment(p: &Vector, [a, b]: &[Vector; 2]) -> Ratio {
    let (along, way) = (minus(b, a), minus(p, a));
    let (length, t) = (dot(&along, &along), dot(&way, &along));
    let one = BigInt::from(1);
    if is_negative(&t) || length == BigInt::from(0) {
        Ratio::new(dot(&way, &way), one)
    } else if t > length {
        let way = minus(p, b);
        Ratio::new(dot(&way, &way), one)
    } else {
        Ratio::new(dot(&way, &way) * &length - &t * &t, length)
    }
}

/// For a point above or below the interior of a face.
fn over_face(p: &Vector, [a, b, c]: &[Vector; 3]) -> Option<Ratio> {
    let n = cross(&minus(b, a), &minus(c, a));
    let area = dot(&n, &n);
    let is_inside = [[a, b], [b, c], [c, a]]
        .iter()
        .all(|[from, to]| !is_negative(&dot(&cross(&minus(to, from), &minus(p, from)), &n)));
    let height = dot(&minus(p, a), &n);
    (area != BigInt::from(0) && is_inside).then(|| Ratio::new(&height * &height, area))
}

/// For the lines of two segments, if the nearest points are on the segments.
fn across([a, b]: &[Vector; 2], [c, d]: &[Vector; 2]) -> Option<Ratio> {
    let (l, m, r) = (minus(b, a), minus(d, c), minus(c, a));
    let n = cross(&l, &m);
    let area = dot(&n, &n);
    let (s, t) = (dot(&cross(&r, &m), &n), dot(&cross(&r, &l), &n));
    let height = dot(&r, &n);
    (area != BigInt::from(0) && is_within(&s, &area) && is_within(&t, &area))
        .then(|| Ratio::new(&height * &height, area))
}

/// Whether a segment passes through the interior of a face.
fn pierces([p, q]: &[Vector; 2], [a, b, c]: &[Vector; 3]) -> bool {
    let zero = BigInt::from(0);
    let volume = |p: &Vector, q: &Vector, r: &Vector, s: &Vector| {
        dot(&cross(&minus(q, p), &minus(r, p)), &minus(s, p)).cmp(&zero)
    };
    let [above, below] = [p, q].map(|end| volume(a, b, c, end));
    let around = [[a, b], [b, c], [c, a]].map(|[from, to]| volume(p, q, from, to));
    above != Ordering::Equal
        && below == above.reverse()
        && around.iter().all(|side| *side == around[0] && *side != Ordering::Equal)
}

/// The square of the minimum distance of two bodies with frames at 0, 1 and 2 seconds, at any double.
fn squared_at(made: &[Made], time: f64) -> Ratio {
    let k = if time < 1.0 { 0 } else { 1 };
    let one = BigInt::from(1);
    let share = Ratio::new(Unit(-60).integer(time - k as f64), one << 60);
    let rest = &share.denominator - &share.numerator;
    // In units that divide all coordinates, times the denominator of the fraction.
    let unit = Unit(6);
    let placed = |(frames, _): &Made| -> Vec<Vector> {
        let both = frames[k].iter().zip(&frames[k + 1]);
        both.map(|(p, q)| plus(&scaled(&rest, &unit.vector(*p)), &scaled(&share.numerator, &unit.vector(*q))))
            .collect()
    };
    let [p, q] = [0, 1].map(|i| placed(&made[i]));
    let corners = |points: &[Vector], face: &[u32; 3]| face.map(|v| points[v as usize].clone());
    let pairs = made[0].1.iter().flat_map(|f| made[1].1.iter().map(move |g| (f, g)));
    let least = pairs.map(|(f, g)| squared(&corners(&p, f), &corners(&q, g))).min().unwrap();
    Ratio::new(least.numerator * 64 * 64, least.denominator * &share.denominator * &share.denominator)
}

fn made(seed: u64) -> (Vec<Made>, f64) {
    let mut random = Random(seed);
    let mut made = random_bodies(&mut random);
    // Mostly separated; some are far away along an axis in which everything is in one plane.
    let size = made[0].0[0].iter().map(|p| p.abs().max_element()).fold(64.0, f64::max);
    let away = DVec3::from_array([0; 3].map(|_| random.below(3) as f64)) * 64.0 * (size / 64.0).ceil();
    made[1].0.iter_mut().flatten().for_each(|p| *p += away);
    let clearance = 64.0 * (1 + random.below(3)) as f64 * (size / 256.0).ceil();
    (made, clearance)
}

fn scene_of(made: &[Made], clearance: f64) -> Scene {
    let bodies = made.iter().zip(["a", "b"]).map(|((frames, triangles), name)| {
        body(name, bending(frames.clone(), triangles, &[0.0, 1.0, 2.0]), still())
    });
    let bodies = bodies.collect();
    let definition = SceneDefinition { duration: 2.0, tolerance: None, clearance, bodies, ignore: vec![] };
    Scene::new(definition).unwrap()
}

#[test]
fn gaps_enclose_the_minimum_distance() {
    let [clear, far, crossing] = [0; 3].map(|_| Counter::default());
    for_all(fewer(120, 3), |seed| {
        let (made, _) = made(seed);
        let scene = scene_of(&made, 0.0);
        let report = scene.check(&ALL, &()).unwrap();
        let [pair] = &report.pairs[..] else { return vec![format!("{report:?}")] };
        let mut wrong = Wrong::new();
        if pair.verdict != PairVerdict::Clear {
            // Crossing surfaces have no gap.
            for span in &pair.intervals {
                let middle = 0.5 * (span.enter[1] + span.exit.map_or(2.0, |exit| exit[0]));
                let seen = scene.distances([0, 1], &[middle]).unwrap().unwrap()[0];
                crossing.add();
                if span.enter[1] <= middle && seen.upper > scene.tolerance() {
                    wrong.push(format!("at {middle}, within {span:?}: {seen:?}"));
                }
            }
            return wrong;
        }
        clear.add();
        let ([lower, upper], time) = (pair.gap.unwrap(), pair.gap_time.unwrap());
        far.add_if(lower > 64.0);
        let there = squared_at(&made, time);
        if there > Ratio::of(upper).squared() {
            wrong.push(format!("at {time}: {}, found {:?}", there.double().sqrt(), pair.gap));
        }
        if upper - lower > (0.01 * upper).max(1e-5) {
            wrong.push(format!("wide: {:?}", pair.gap));
        }
        let times: Vec<f64> = (0..=64).map(|k| f64::from(k) / 32.0).collect();
        let seen = scene.distances([0, 1], &times).unwrap().unwrap();
        for (time, seen) in times.into_iter().zip(seen) {
            let truth = squared_at(&made, time);
            if truth < Ratio::of(lower).squared() {
                wrong.push(format!("at {time}: {}, found {:?}", truth.double().sqrt(), pair.gap));
            }
            if truth < Ratio::of(seen.lower).squared() || truth > Ratio::of(seen.upper).squared() {
                wrong.push(format!("at {time}: {}, then {seen:?}", truth.double().sqrt()));
            }
        }
        wrong
    });
    assert!(clear.get() > 9 && far.get() > 4 && crossing.get() > 0, "{clear:?} {far:?} {crossing:?}");
}

#[test]
fn bodies_are_within_a_clearance_when_their_distance_is() {
    let (near, beyond, ends) = (Counter::default(), Counter::default(), Counter::default());
    for_all(fewer(120, 5), |seed| {
        let (made, clearance) = made(seed);
        let report = scene_of(&made, clearance).check(&ALL, &()).unwrap();
        let [pair] = &report.pairs[..] else { return vec![format!("{report:?}")] };
        let mut wrong = Wrong::new();
        if !pair.undecided.is_empty() {
            wrong.push(format!("unknown {:?}", pair.undecided));
        }
        if !matches!(pair.verdict, PairVerdict::Clear | PairVerdict::Near) {
            return wrong;
        }
        let inside = |interval: &chasles::SceneInterval, time: f64, k: usize| {
            interval.enter[k] <= time && interval.exit.is_none_or(|exit| time <= exit[1 - k])
        };
        for k in 0..=64 {
            let time = f64::from(k) / 32.0;
            let truth = squared_at(&made, time);
            let is_near = truth <= Ratio::of(clearance).squared();
            let is_level = truth <= Ratio::of(clearance * (1.0 + 1e-11)).squared();
            let [may, must] = [0, 1].map(|k| pair.intervals.iter().any(|interval| inside(interval, time, k)));
            near.add_if(is_near);
            beyond.add_if(!is_near);
            if is_near && !may || must && !is_level {
                wrong.push(format!(
                    "at {time}: {} and {clearance}, {:?}",
                    truth.double().sqrt(),
                    pair.intervals
                ));
            }
        }
        for interval in &pair.intervals {
            let wide =
                [Some(interval.enter), interval.exit].into_iter().flatten().any(|[lo, hi]| hi - lo > 2e-6);
            ends.add_if(!wide);
            if wide {
                wrong.push(format!("wide: {interval:?}"));
            }
        }
        wrong
    });
    assert!(near.get() > 40 && beyond.get() > 40 && ends.get() > 1, "{near:?} {beyond:?} {ends:?}");
}

#[test]
fn contacts_are_the_first_events() {
    let (first, later) = (Counter::default(), Counter::default());
    for_all(fewer(150, 5), |seed| {
        let made = random_bodies(&mut Random(seed));
        let report = scene_of(&made, 0.0).check(&EVENTS, &()).unwrap();
        let mut wrong = Wrong::new();
        let Some(pair) = report.pairs.first() else { return wrong };
        for (i, interval) in pair.intervals.iter().enumerate() {
            if interval.enter == [0.0; 2] {
                if interval.contact.is_some() {
                    wrong.push("a contact at the start".into());
                }
                continue;
            }
            let Some(contact) = interval.contact.map(|contact| contact.contact) else {
                wrong.push(format!("no contact at {:?}", interval.enter));
                continue;
            };
            first.add_if(i == 0);
            later.add_if(i > 0);
            // Features that met before may meet again.
            let told = pair.events.iter().find(|event| event.features == contact.features);
            if told.is_none_or(|event| event.time[0] > interval.enter[1] + 1e-9) {
                wrong.push(format!("{contact:?} is no event"));
            }
            let before = pair.events.first().is_some_and(|event| event.time[1] < interval.enter[0] - 1e-9);
            if i == 0 && before {
                wrong.push(format!("before {contact:?}: {:?}", pair.events[0]));
            }
            let off = off_features(&made, interval.enter[1], &contact);
            let size = made[0].0.iter().flatten().map(|p| p.length()).fold(1.0, f64::max);
            if off > 1e-6 * size || (contact.normal.length() - 1.0).abs() > 1e-9 {
                wrong.push(format!("off by {off}: {contact:?}"));
            }
        }
        wrong
    });
    assert!(first.get() > 1 && later.get() > 6, "{first:?} {later:?}");
}

/// The distance of a contact's point from its features at a time: from the vertex, or from the lines of both edges.
fn off_features(made: &[Made], time: f64, contact: &chasles::Contact) -> f64 {
    let places = |i: usize| bending_cases::places(&made[i].0, time.min(2.0 - 1e-12));
    let (a, b, p) = (places(0), places(1), contact.point);
    let from_line = |places: &[DVec3], [v, w]: [u32; 2]| {
        let (from, to) = (places[v as usize], places[w as usize]);
        let along = (to - from).normalize_or_zero();
        (p - from).reject_from(if along == DVec3::ZERO { DVec3::X * 1e-300 } else { along }).length()
    };
    match contact.features {
        ContactFeatures::VertexFace { a: v, .. } => a[v as usize].distance(p),
        ContactFeatures::FaceVertex { b: v, .. } => b[v as usize].distance(p),
        ContactFeatures::EdgeEdge { a: e, b: f } => from_line(&a, e).max(from_line(&b, f)),
        _ => f64::INFINITY,
    }
}

/// Frames at 0, 1, 2 and 3 s; walls at 2 and 1.75. The lung reaches 1.5 from 1 s to 2 s.
#[test]
fn a_breathing_body_comes_near_walls() {
    let frames = [0.5, 1.5, 1.5, 0.5].map(octahedron).to_vec();
    let lung = bending(frames, &SIDES, &[0.0, 1.0, 2.0, 3.0]);
    let bodies =
        vec![body("lung", lung, still()), body("wall", wall(2.0), still()), body("far", wall(3.0), still())];
    let definition =
        SceneDefinition { duration: 4.0, tolerance: None, clearance: 0.75, bodies, ignore: vec![] };
    let scene = Scene::new(definition).unwrap();
    let report = scene.check(&ALL, &()).unwrap();
    assert_eq!(report.verdict, PairVerdict::Near);
    let told: Vec<&PairReport> = report.pairs.iter().filter(|pair| pair.bodies[0] == 0).collect();
    let [near, far] = told[..] else { panic!("{report:?}") };
    let [interval] = &near.intervals[..] else { panic!("{near:?}") };
    let holds = |[lo, hi]: [f64; 2], truth: f64| lo <= truth && truth <= hi && hi - lo < 1e-6 * (1.0 + truth);
    assert!(holds(interval.enter, 0.75) && holds(interval.exit.unwrap(), 2.25), "{interval:?}");
    let within =
        |gap: [f64; 2], truth: f64| gap[0] <= truth && truth <= gap[1] && gap[1] - gap[0] <= 0.01 * truth;
    assert!(within(near.gap.unwrap(), 0.5) && (1.0..=2.0).contains(&near.gap_time.unwrap()), "{near:?}");
    assert_eq!((near.verdict, far.verdict), (PairVerdict::Near, PairVerdict::Clear));
    assert!(within(far.gap.unwrap(), 1.5) && far.intervals.is_empty(), "{far:?}");
    // It stays a quarter away for a second: a gap equal to the clearance counts as within.
    let mut level = scene.bodies().to_vec();
    level.truncate(2);
    let definition = SceneDefinition {
        duration: 4.0,
        tolerance: None,
        clearance: 0.5,
        bodies: level.clone(),
        ignore: vec![],
    };
    let report = Scene::new(definition.clone()).unwrap().check(&EVENTS, &()).unwrap();
    let [interval] = &report.pairs[0].intervals[..] else { panic!("{report:?}") };
    assert!(holds(interval.enter, 1.0) && holds(interval.exit.unwrap(), 2.0), "{interval:?}");
    // With a slightly smaller clearance the scene is clear.
    let less = SceneDefinition { clearance: 0.499_999_999, ..definition };
    assert_eq!(Scene::new(less).unwrap().check(&EVENTS, &()).unwrap().verdict, PairVerdict::Clear);
}

/// The tip is at (1 + t) from the axis, and rotates by a right angle in a second: its height is (1 + t) sin(pi t /
/// 2).
#[test]
fn a_body_that_deforms_on_a_turning_one_comes_near_a_ceiling() {
    let needle = |tip: f64| vec![DVec3::ZERO, xyz(tip, 0.0, 0.0), xyz(0.0, 0.0, 0.1)];
    let needle = bending(vec![needle(1.0), needle(2.0)], &[[0, 1, 2]], &[0.0, 1.0]);
    let turning =
        BodyMotion::Twist { start: Pose::IDENTITY, linear: DVec3::ZERO, angular: DVec3::Z * FRAC_PI_2 };
    let hub = SceneBody { shape: None, ..body("hub", wall(0.0), turning) };
    let rider = SceneBody { parent: Some(0), ..body("needle", needle, still()) };
    let corners = [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)].map(|(x, z)| xyz(x, 2.25, z)).to_vec();
    let ceiling = body("ceiling", rigid(corners, vec![[0, 1, 2], [0, 2, 3]]), still());
    let definition = SceneDefinition {
        duration: 1.0,
        tolerance: None,
        clearance: 0.5,
        bodies: vec![hub, rider, ceiling],
        ignore: vec![],
    };
    let report = Scene::new(definition).unwrap().check(&EVENTS, &()).unwrap();
    let (mut lo, mut hi) = (0.0_f64, 1.0_f64);
    for _ in 0..60 {
        let middle = 0.5 * (lo + hi);
        if (1.0 + middle) * (FRAC_PI_2 * middle).sin() < 1.75 { lo = middle } else { hi = middle }
    }
    let [pair] = &report.pairs[..] else { panic!("{report:?}") };
    let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
    let [from, to] = interval.enter;
    assert_eq!((pair.verdict, interval.exit, interval.contact), (PairVerdict::Near, None, None));
    assert!(from <= lo && hi <= to && to - from < 1e-6, "{lo} in {:?}", interval.enter);
    let ([lower, upper], time) = (pair.gap.unwrap(), pair.gap_time.unwrap());
    assert!(lower <= 0.25 && 0.25 <= upper && upper - lower <= 0.0025, "{:?}", pair.gap);
    assert!(2.25 - (1.0 + time) * (FRAC_PI_2 * time).sin() <= upper, "{time}");
}

#[test]
fn a_small_budget_leaves_undecided_intervals_and_gaps_from_zero() {
    let frames = [0.5, 1.5].map(octahedron).to_vec();
    let bodies =
        vec![body("lung", bending(frames, &SIDES, &[0.0, 1.0]), still()), body("wall", wall(1.75), still())];
    for budget in 0..60 {
        let definition = SceneDefinition {
            duration: 1.0,
            tolerance: None,
            clearance: 0.5,
            bodies: bodies.clone(),
            ignore: vec![],
        };
        let report = Scene::new(definition).unwrap().check(&CheckOptions { budget, ..ALL }, &()).unwrap();
        let pair = &report.pairs[0];
        assert!(matches!(pair.verdict, PairVerdict::Undecided | PairVerdict::Near), "{budget}: {pair:?}");
        assert!(pair.gap.is_none_or(|gap| gap[0] <= 0.25 && 0.25 <= gap[1]), "{budget}: {pair:?}");
    }
}

/// Moving the whole mesh or each vertex separately gives the same events.
#[test]
fn static_bodies_have_the_events_of_deforming_bodies() {
    let (all, none) = (Counter::default(), Counter::default());
    for_all(fewer(80, 2), |seed| {
        let mut random = Random(seed);
        let made = random_bodies(&mut random);
        let way = DVec3::from_array([0; 3].map(|_| 64.0 * (random.below(9) as f64 - 4.0)));
        let ((first, triangles), (second, others)) = (&made[0], &made[1]);
        // If many features are in one plane, rounding of positions decides which touch.
        if first[0].iter().all(|p| p.max_element() < 1000.0) {
            return Wrong::new();
        }
        let shifted = |by: DVec3| first[0].iter().map(|p| *p + by).collect::<Vec<_>>();
        // Far off at the start, and back.
        let size = 64.0 * 1024.0;
        let start = -0.5 * way * 512.0 + DVec3::Z * if way == DVec3::ZERO { size } else { 0.0 };
        let end = start + way * 512.0;
        let moved = bending(vec![shifted(start), shifted(end)], triangles, &[0.0, 1.0]);
        let screw = Screw::translation(Pose::from_position(start).unwrap(), end - start);
        let stands = rigid(second[0].clone(), others.clone());
        let told = |shape, motion| {
            let bodies = vec![body("a", shape, motion), body("b", stands.clone(), still())];
            scene(bodies, 1.0).check(&ALL, &()).unwrap().pairs[0].clone()
        };
        let deforms = told(moved, still());
        let passes = told(rigid(first[0].clone(), triangles.clone()), BodyMotion::Screw(screw));
        let mut wrong = Wrong::new();
        let features = |pair: &PairReport| {
            let mut all: Vec<_> = pair.events.iter().map(|event| event.features).collect();
            all.sort_unstable();
            all
        };
        all.add_if(!deforms.events.is_empty());
        none.add_if(deforms.events.is_empty());
        if features(&deforms) != features(&passes) {
            wrong.push(format!("{:?}, {:?}", features(&deforms), features(&passes)));
        }
        for (x, y) in deforms.events.iter().zip(&passes.events) {
            if (x.time[0] - y.time[0]).abs() > 1e-9 {
                wrong.push(format!("{x:?}, {y:?}"));
            }
        }
        wrong
    });
    assert!(all.get() > 7, "{all:?} {none:?}");
}

/// A needle swings about the origin; its tip passes through the wall at x = 1/2 at a third of a right angle.
#[test]
fn events_of_a_rotating_body_are_found() {
    let needle = rigid(vec![DVec3::ZERO, xyz(0.0, 1.0, 0.0), xyz(0.0, 0.5, 0.01)], vec![[0, 1, 2]]);
    let turning =
        BodyMotion::Twist { start: Pose::IDENTITY, linear: DVec3::ZERO, angular: -DVec3::Z * FRAC_PI_2 };
    let bodies = vec![body("needle", needle, turning), body("wall", wall(0.5), still())];
    let report = scene(bodies, 1.0).check(&EVENTS, &()).unwrap();
    assert!(report.events);
    let events = &report.pairs[0].events;
    // sin(pi t / 2) = 1/2.
    assert!(
        (events[0].time[0] - 1.0 / 3.0).abs() < 1e-5 && events[0].time[1] >= events[0].time[0],
        "{events:?}"
    );
    assert!(events.iter().any(|event| matches!(event.features, ContactFeatures::VertexFace { a: 1, .. })));
    assert!(events[0].point.distance(xyz(0.5, 0.75_f64.sqrt(), 0.0)) < 1e-5, "{events:?}");
    let quiet = CheckOptions { events: false, ..EVENTS };
    let report = scene(report_bodies(), 1.0).check(&quiet, &()).unwrap();
    assert!(!report.events && report.pairs.iter().all(|pair| pair.events.is_empty()));
}

fn report_bodies() -> Vec<SceneBody> {
    let screw = Screw::translation(Pose::IDENTITY, DVec3::X);
    vec![body("plate", wall(0.0), BodyMotion::Screw(screw)), body("wall", wall(0.5), still())]
}

/// A triangle passes at a height of 2, from and to positions so distant that its boxes are beyond the range of f32.
#[test]
fn what_comes_from_far_beyond_is_never_called_far() {
    let flat = |x: f64, z: f64| vec![xyz(x - 1.0, -1.0, z), xyz(x + 1.0, -1.0, z), xyz(x, 1.0, z)];
    for far in [1e9, 1e40, 1e60] {
        let passes = bending(vec![flat(-far, 2.0), flat(far, 2.0)], &[[0, 1, 2]], &[0.0, 1.0]);
        let stands = rigid(flat(0.0, 0.0), vec![[0, 1, 2]]);
        let bodies = vec![body("a", passes, still()), body("b", stands, still())];
        let definition =
            SceneDefinition { duration: 1.0, tolerance: None, clearance: 3.0, bodies, ignore: vec![] };
        let report =
            Scene::new(definition).unwrap().check(&CheckOptions { budget: 1_000_000, ..ALL }, &()).unwrap();
        let pair = &report.pairs[0];
        assert_ne!(pair.verdict, PairVerdict::Clear, "{far}: {pair:?}");
        assert!(pair.gap.is_none_or(|gap| gap[0] <= 2.0 && 2.0 <= gap[1]), "{far}: {pair:?}");
    }
}
