//! The first contact of a scene, compared with the report of all contacts, which uses a different search: no contact
//! comes before the first, no later contact is reported, and every pair that may be first is.

use crate::shapes::random_solid_cases;
use crate::shapes::solid_cases::{formula, part};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::bending::bending_cases::{self, SIDES, bending, octahedron, random_bodies, still, wall};
use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::cases::{fewer, pose};
use crate::robots::robot_cases::robot_case;
use crate::scenes::scene_cases::{Kind, scene_case};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, DeformingSurface, Error, Frames, Guarantee, Horizon, Mesh,
    PairListing, PairReport, PairUndecidedReason, PairVerdict, Pose, Primitive, ProgressMonitor, Scene,
    SceneBody, SceneDefinition, SceneReport, Solid,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

const FIRST: Horizon = Horizon::FirstContact;

/// Accuracy of the ends of intervals, as a fraction of the duration. If bodies touch by less than the tolerance the
/// two searches may report different times of the touch.
const SHARP: f64 = 1e-6;

/// The same for solids, if the budget suffices only to prove that they are within epsilon.
const BLUNT: f64 = 1e-2;

#[derive(Debug, Default)]
struct Counts {
    clear: Counter,
    start: Counter,
    contact: Counter,
    several: Counter,
    undecided: Counter,
}

fn met(pair: &PairReport) -> Option<[f64; 2]> {
    let is_met = pair.verdict >= PairVerdict::Contact;
    pair.intervals.first().filter(|_| is_met).map(|interval| interval.enter)
}

/// Compares the report of the first contact with the report of all contacts, over the given duration in seconds.
fn compared(first: &SceneReport, all: &SceneReport, (duration, slack): (f64, f64), counts: &Counts) -> Wrong {
    let mut wrong = Wrong::new();
    let mut fail = |text: String| wrong.push(text);
    let slack = slack * duration;
    let of = |report: &SceneReport, bodies: [usize; 2]| {
        report.pairs.iter().find(|pair| pair.bodies == bodies).cloned()
    };
    let until = first.followed_until;
    if (first.horizon, first.pairs_tested) != (FIRST, all.pairs_tested) {
        fail(format!("{} pairs for {}", first.pairs_tested, all.pairs_tested));
    }
    if first.pairs.len() + first.pairs_clear != first.pairs_tested {
        fail("pairs that are neither clear nor listed".into());
    }
    for pair in &first.pairs {
        let truth = of(all, pair.bodies);
        match met(pair) {
            Some([lo, hi]) => {
                let [only] = &pair.intervals[..] else { return vec![format!("two intervals: {pair:?}")] };
                let [from, to] = only.exit.unwrap();
                // Times of paths are rounded outward.
                let tiny = 1e-9 * duration;
                if lo > until || (from - hi).abs() + (to - duration).abs() > tiny || pair.clear_until > lo {
                    fail(format!("out of order: {pair:?}"));
                }
                let doubts = truth.as_ref().map_or(vec![], |pair| pair.undecided.clone());
                let begin = truth.as_ref().and_then(met);
                let agrees = begin.is_some_and(|[from, to]| from <= hi + slack && lo <= to + slack);
                if !agrees && !doubts.iter().any(|[from, to]| *from <= hi + slack && lo <= to + slack) {
                    fail(format!("a contact that is none: {pair:?}\n    {truth:?}"));
                }
                let start = |pair: &PairReport| pair.verdict == PairVerdict::Overlapping;
                if start(pair) != truth.as_ref().is_some_and(start) && doubts.is_empty() {
                    fail(format!("another start: {pair:?}\n    {truth:?}"));
                }
            }
            None if pair.verdict != PairVerdict::Undecided || pair.undecided.is_empty() => {
                fail(format!("neither met nor doubtful: {pair:?}"));
            }
            None => {}
        }
        if pair.undecided.iter().any(|[from, to]| from > to || *to > until + slack && met(pair).is_some()) {
            fail(format!("doubts that are later: {pair:?}"));
        }
    }
    // No contact is missed: every pair that certainly meets by then is reported, or undecided.
    for pair in &all.pairs {
        let Some([_, hi]) = met(pair) else { continue };
        if hi + slack < until && of(first, pair.bodies).is_none() {
            fail(format!("missed before {until}: {pair:?}"));
        }
        if hi + slack < first.clear_until {
            fail(format!("not clear until {}: {pair:?}", first.clear_until));
        }
    }
    let begins = |report: &SceneReport| report.pairs.iter().filter_map(met).collect::<Vec<_>>();
    let certain = |begins: &[[f64; 2]]| begins.iter().map(|begin| begin[1]).fold(f64::INFINITY, f64::min);
    let (told, true_ones) = (begins(first), begins(all));
    let doubtful = first.pairs.iter().any(|pair| !pair.undecided.is_empty());
    if told.is_empty() && !true_ones.is_empty() && !doubtful {
        fail("no contact".into());
    }
    let known = if told.is_empty() { duration } else { certain(&told) };
    if (known - until).abs() > 1e-9 * duration {
        fail(format!("followed until {until}"));
    }
    let worst = first.pairs.iter().map(|pair| pair.verdict).max().unwrap_or(PairVerdict::Clear);
    if worst != first.verdict {
        fail(format!("{:?} for {worst:?}", first.verdict));
    }
    match first.verdict {
        PairVerdict::Overlapping => counts.start.add(),
        PairVerdict::Contact => counts.contact.add(),
        PairVerdict::Undecided => counts.undecided.add(),
        PairVerdict::Near | PairVerdict::Clear => counts.clear.add(),
    }
    counts.several.add_if(true_ones.len() > told.len());
    if !wrong.is_empty() {
        wrong.push(format!("{first:?}\n    {all:?}").chars().take(3000).collect());
    }
    wrong
}

fn checked(scene: &Scene, (budget, slack): (u64, f64), counts: &Counts) -> Wrong {
    let options = CheckOptions { budget, ..CheckOptions::default() };
    let all = scene.check(&options, &()).unwrap();
    let first = scene.check(&CheckOptions { horizon: FIRST, ..options }, &()).unwrap();
    compared(&first, &all, (scene.duration(), slack), counts)
}

#[test]
fn the_first_contact_is_the_first_of_all() {
    let counts = Counts::default();
    for_all(fewer(300, 3), |seed| {
        let random = &mut Random(seed);
        let kind = [Kind::Meshes, Kind::Round, Kind::Solid][random.below(3)];
        checked(&scene_case(random, kind).scene(), (200_000_000, SHARP), &counts)
    });
    let [clear, start, contact, several] =
        [&counts.clear, &counts.start, &counts.contact, &counts.several].map(Counter::get);
    assert!(clear > 4 && start > 4 && contact > 14 && several > 1, "{counts:?}");
    assert!(7 * counts.undecided.get() < clear + start + contact, "{counts:?}");
}

#[test]
fn the_first_contact_of_solids_and_clouds_is_the_first_of_all() {
    let counts = Counts::default();
    for_all(fewer(150, 3), |seed| {
        checked(&random_solid_cases::case(&mut Random(seed)).scene(), (2_000_000, BLUNT), &counts)
    });
    let [clear, start, contact] = [&counts.clear, &counts.start, &counts.contact].map(Counter::get);
    assert!(clear > 7 && start > 1 && contact > 2, "{counts:?}");
}

#[test]
fn the_first_contact_of_deforming_bodies_is_the_first_of_all() {
    let counts = Counts::default();
    for_all(fewer(200, 3), |seed| {
        let random = &mut Random(seed);
        let made = random_bodies(random);
        let mut bodies = Vec::new();
        for (i, (frames, triangles)) in made.into_iter().enumerate() {
            let off = DVec3::splat(200.0 * i as f64);
            let frames = frames.iter().map(|frame| frame.iter().map(|p| *p + off).collect()).collect();
            let turn = DQuat::from_rotation_z(3.0 * random.side());
            let motion = match random.below(3) {
                0 => BodyMotion::Keyframes(vec![(0.0, Pose::IDENTITY), (2.0, pose(DVec3::X, turn))]),
                _ => still(),
            };
            bodies.push(bending_cases::body("body", bending(frames, &triangles, &[0.0, 1.0, 2.0]), motion));
        }
        let scene = bending_cases::scene(bodies, 2.0).with_self_tests(&[0, 1]).unwrap();
        checked(&scene, (50_000_000, SHARP), &counts)
    });
    let [clear, start, contact] = [&counts.clear, &counts.start, &counts.contact].map(Counter::get);
    assert!(start > 4 && contact > 4 && clear + counts.undecided.get() < 55, "{counts:?}");
}

#[test]
fn the_first_contact_of_a_robot_on_its_path_is_the_first_of_all() {
    let counts = Counts::default();
    for_all(fewer(60, 2), |seed| {
        let case = robot_case(&mut Random(seed));
        let cell = case.robot_cell();
        let options = CheckOptions::default();
        let all = cell.check_path(&case.path, &options, &()).unwrap();
        let first = cell.check_path(&case.path, &CheckOptions { horizon: FIRST, ..options }, &()).unwrap();
        assert_eq!(first.entries.len(), first.report.pairs.len());
        let [begin, end] = case.path.interval();
        // The path may start at any time.
        let moved = |report: &SceneReport| {
            let mut report = report.clone();
            let back = |time: &mut f64| *time -= begin;
            back(&mut report.followed_until);
            back(&mut report.clear_until);
            for pair in &mut report.pairs {
                back(&mut pair.clear_until);
                pair.undecided.iter_mut().flatten().for_each(back);
                for interval in &mut pair.intervals {
                    interval.enter.iter_mut().chain(interval.exit.iter_mut().flatten()).for_each(back);
                }
            }
            report
        };
        compared(&moved(&first.report), &moved(&all.report), (end - begin, SHARP), &counts)
    });
    assert!(counts.contact.get() > 1 && counts.start.get() > 1, "{counts:?}");
}

fn ball(place: DVec3, velocity: DVec3) -> SceneBody {
    let start = Pose::from_position(place).unwrap();
    let motion = BodyMotion::Twist { start, linear: velocity, angular: DVec3::ZERO };
    let shape = CollisionShape::primitive(Primitive::Sphere { radius: 0.5 }).unwrap();
    bending_cases::body("ball", shape, motion)
}

/// Balls on a line, so that neighbours meet after 1, 2, 3, .. seconds. The clearance has no effect.
fn train(count: u32) -> Scene {
    let mut at = 0.0;
    let bodies = (0..count).map(|i| {
        at += 1.0 + f64::from(i) * f64::from(i);
        ball(at * DVec3::X, -f64::from(i) * DVec3::X)
    });
    let bodies = bodies.collect();
    let definition =
        SceneDefinition { duration: 1000.0, tolerance: None, clearance: 0.1, bodies, ignore: vec![] };
    Scene::new(definition).unwrap()
}

#[test]
fn only_the_first_of_many_contacts_is_reported_on_any_number_of_threads() {
    let scene = train(12);
    let options = CheckOptions { horizon: FIRST, listed: PairListing::All, ..CheckOptions::default() };
    let report = scene.check(&options, &()).unwrap();
    assert_eq!((report.pairs_tested, report.pairs_clear, report.pairs.len()), (66, 65, 1));
    let pair = &report.pairs[0];
    let [lo, hi] = pair.intervals[0].enter;
    assert_eq!(
        (pair.bodies, pair.verdict, report.verdict),
        ([0, 1], PairVerdict::Contact, PairVerdict::Contact)
    );
    assert!(lo <= 1.0 && 1.0 <= hi && hi - lo < 1e-6, "{pair:?}");
    assert_eq!((report.clear_until, report.followed_until), (lo, hi));
    assert_eq!((pair.intervals[0].exit, report.nearest), (Some([hi, 1000.0]), None));
    for threads in [1, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| scene.check(&options, &()).unwrap()), report);
    }
}

/// If no bodies meet, the nearest pair is reported as usual, and clearances do not count.
#[test]
fn a_clear_scene_is_reported_the_same() {
    let bodies = vec![ball(DVec3::ZERO, DVec3::ZERO), ball(DVec3::new(-5.0, 1.05, 0.0), DVec3::X)];
    let definition =
        SceneDefinition { duration: 10.0, tolerance: None, clearance: 0.1, bodies, ignore: vec![] };
    let scene = Scene::new(definition).unwrap();
    let near = scene.check(&CheckOptions::default(), &()).unwrap();
    let report = scene.check(&CheckOptions { horizon: FIRST, ..CheckOptions::default() }, &()).unwrap();
    assert_eq!((near.verdict, report.verdict), (PairVerdict::Near, PairVerdict::Clear));
    assert_eq!((report.followed_until, report.clear_until, report.pairs_clear), (10.0, 10.0, 1));
    let nearest = report.nearest.unwrap();
    assert!(nearest.gap[0] <= 0.05 && 0.05 <= nearest.gap[1] && nearest.gap[1] < 0.0501, "{nearest:?}");
}

/// A monitor that stops after a number of queries.
struct Patience(AtomicUsize, AtomicBool);

impl ProgressMonitor for Patience {
    fn is_over(&self) -> bool {
        let over =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err();
        self.1.fetch_or(over, Ordering::Relaxed);
        over
    }
}

/// A check that is stopped reports the time until which all pairs are clear.
#[test]
fn a_stopped_query_reports_until_when_the_scene_is_clear() {
    let scene = train(12);
    let options = CheckOptions { horizon: FIRST, ..CheckOptions::default() };
    let (mut stopped, mut partly) = (0, 0);
    for patience in 0..400 {
        let watch = Patience(AtomicUsize::new(patience), AtomicBool::new(false));
        let report = scene.check(&options, &watch).unwrap();
        assert!(report.clear_until <= 1.0 && report.clear_until <= report.followed_until, "{report:?}");
        if !watch.1.into_inner() {
            assert_eq!(report.pairs.len(), 1);
            continue;
        }
        stopped += 1;
        partly += usize::from(report.clear_until > 0.0);
        assert!(report.verdict >= PairVerdict::Undecided, "{report:?}");
        let doubtful = report.pairs.iter().filter(|pair| pair.verdict == PairVerdict::Undecided);
        for pair in doubtful {
            assert_eq!(pair.reason, Some(PairUndecidedReason::Stopped), "{report:?}");
            assert!(pair.clear_until >= report.clear_until && pair.undecided[0][0] == pair.clear_until);
        }
    }
    assert!(stopped > 10 && partly > 5, "{stopped} {partly}");
}

/// Counts the stop queries: their number is about proportional to the work.
struct Asked(AtomicUsize);

impl ProgressMonitor for Asked {
    fn is_over(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        false
    }
}

/// One bound for all pairs: bars that rotate beside a rotating slab strike it again and again, and after the first
/// stroke of any of them no other is examined, even in the interval that extends to the end.
#[test]
fn no_stroke_after_the_first_is_looked_at() {
    let body = |name: &str, size: DVec3, place: DVec3, [linear, angular]: [DVec3; 2]| {
        let start = Pose::from_position(place).unwrap();
        let shape = CollisionShape::primitive(Primitive::Box { size }).unwrap();
        bending_cases::body(name, shape, BodyMotion::Twist { start, linear, angular })
    };
    let slab = [DVec3::ZERO, DVec3::new(0.0, 0.0, 0.01)];
    let mut bodies = vec![body("slab", DVec3::new(40.0, 40.0, 0.2), DVec3::ZERO, slab)];
    for i in 0..4 {
        let place = DVec3::new(4.0 * f64::from(i) - 6.0, 0.0, 1.75 + 0.02 * f64::from(i));
        let way = [DVec3::new(0.0, 0.0, -0.1), DVec3::new(0.0, 12.0, 0.1)];
        bodies.push(body(&format!("bar {i}"), DVec3::new(2.0, 0.2, 0.2), place, way));
    }
    // The ends of the bars reach the slab after some 6 seconds, of 20.
    let scene = bending_cases::scene(bodies, 20.0);
    let asked = |horizon: Horizon| {
        let watch = Asked(AtomicUsize::new(0));
        let report = scene.check(&CheckOptions { horizon, ..CheckOptions::default() }, &watch).unwrap();
        (report, watch.0.into_inner())
    };
    // At any time when the others learn of the bound, and with insufficient budgets.
    let mut doubts = 0;
    for budget in [300, 1_000, 3_000, 10_000, 50_000, CheckOptions::default().budget] {
        let options = CheckOptions { horizon: FIRST, budget, ..CheckOptions::default() };
        let of_threads = [1, 5, 5, 5].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| scene.check(&options, &()).unwrap())
        });
        assert!(of_threads.iter().all(|report| *report == of_threads[0]), "{of_threads:?}");
        doubts += usize::from(of_threads[0].pairs.iter().any(|pair| pair.reason.is_some()));
    }
    assert!(doubts > 0);
    let ((first, few), (whole, many)) = (asked(FIRST), asked(Horizon::End));
    assert!(whole.pairs.iter().map(|pair| pair.intervals.len()).sum::<usize>() > 40, "{whole:?}");
    let [lo, hi] = first.pairs[0].intervals[0].enter;
    let begins = whole.pairs.iter().map(|pair| pair.intervals[0].enter[1]);
    assert!(lo > 5.0 && hi - begins.fold(f64::INFINITY, f64::min) < 1e-6, "{first:?}");
    assert!(4 * few < many, "{few} of {many}");
}

/// Surfaces that cross for a long time are followed only until their crossing is proven.
#[test]
fn a_contact_of_surfaces_is_not_followed_to_its_end() {
    let body = |place: DVec3, linear: DVec3, angular: DVec3| {
        let sphere = formula("x^2 + y^2 + z^2 - 1", DVec3::splat(1.5));
        let shape = CollisionShape::solid(Arc::new(Solid::new(vec![part(sphere)]).unwrap())).ok();
        let motion = BodyMotion::Twist { start: Pose::from_position(place).unwrap(), linear, angular };
        SceneBody { shape, motion, ..ball(place, linear) }
    };
    let spin = DVec3::new(0.0, 300.0, 100.0);
    let bodies =
        vec![body(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO), body(DVec3::new(-3.0, 0.1, 0.2), DVec3::X, spin)];
    let scene = bending_cases::scene(bodies, 4.0).with_epsilon(1e-6).unwrap();
    let asked = |horizon: Horizon| {
        let watch = Asked(AtomicUsize::new(0));
        let report = scene.check(&CheckOptions { horizon, ..CheckOptions::default() }, &watch).unwrap();
        (report.pairs[0].intervals[0].enter, watch.0.into_inner())
    };
    let ((first, few), (whole, many)) = (asked(Horizon::FirstContact), asked(Horizon::End));
    // Their centres are 2 apart at this time.
    let truth = 3.0 - (4.0_f64 - 0.05).sqrt();
    assert!(
        [first, whole].iter().all(|[from, to]| *from <= truth && truth <= *to && to - from < 1e-5),
        "{first:?} {whole:?}"
    );
    assert!(2 * few < many, "{few} of {many}");
}

/// Frames that count how many are read.
#[derive(Debug)]
struct Counted(Vec<Vec<DVec3>>, AtomicUsize);

impl Frames for Counted {
    fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<(), Error> {
        self.1.fetch_max(frame, Ordering::Relaxed);
        vertices.copy_from_slice(&self.0[frame]);
        Ok(())
    }
}

/// The work ends with the first contact: later frames are not read.
#[test]
fn later_contacts_are_not_searched() {
    // It grows by 1 per second, from 0.5, and reaches the wall at x = 1 after half a second of 256.
    let frames: Vec<_> = (0..=256).map(|i| octahedron(0.5 + f64::from(i))).collect();
    let times: Vec<f64> = (0..=256).map(f64::from).collect();
    let mesh = Mesh::new(frames[0].clone(), SIDES.to_vec()).unwrap();
    let counted = Arc::new(Counted(frames, AtomicUsize::new(0)));
    let surface = DeformingSurface::new(mesh, times, counted.clone()).unwrap();
    let bodies = vec![
        bending_cases::body("lung", CollisionShape::deforming(Arc::new(surface)), still()),
        bending_cases::body("wall", wall(1.0), still()),
    ];
    let scene = bending_cases::scene(bodies, 256.0);
    counted.1.store(0, Ordering::Relaxed);
    let options = CheckOptions { horizon: FIRST, ..CheckOptions::default() };
    let report = scene.check(&options, &()).unwrap();
    let [lo, hi] = report.pairs[0].intervals[0].enter;
    assert!(lo <= 0.5 && 0.5 <= hi && hi - lo < 1e-9, "{report:?}");
    // A round extends to the end of the second in which the contact occurs, where the next round starts.
    assert!(counted.1.load(Ordering::Relaxed) <= 2, "{:?}", counted.1);
}

/// A point guarantee without points is undecided in the first round, and remains so.
#[test]
fn a_pair_without_points_stays_undecided() {
    let scene = train(3);
    let guarantee = Guarantee::Points { spacing: None };
    let options = CheckOptions { horizon: FIRST, guarantee, ..CheckOptions::default() };
    let report = scene.check(&options, &()).unwrap();
    assert_eq!((report.verdict, report.clear_until), (PairVerdict::Undecided, 0.0));
    assert!(report.pairs.iter().all(|pair| pair.undecided == [[0.0, 1000.0]]), "{report:?}");
}
