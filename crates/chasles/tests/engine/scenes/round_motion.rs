//! Round bodies that lift off, land, roll and slide on a table: compared with heights that are polynomials of time.
//!
//! A sphere, cylinder, cone or capsule that stands, lies or hangs over a table keeps its height, whatever its slide,
//! its spin about its own axis or its rotation about the vertical. So the gap follows from the motion, and the times
//! at which it equals the tolerance are roots of powers. No computation is shared with the engine.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use crate::cases::fewer;
use crate::cases::seeds::{Wrong, for_all};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, CubicKey, Curve, Mesh, PairReport, PairVerdict, Pose,
    PreparedMesh, Primitive, Scene, SceneBody, SceneDefinition, SceneReport, Screw,
};
use chasles_testing::Random;
use chasles_testing::meshes::box_of;
use glam::{DQuat, DVec3};

/// Every case must be decided within this number of steps: the work is bounded, and no case stays undecided for lack
/// of budget.
const BUDGET: u64 = 20_000_000;

/// Maximum distance, in tolerances, above which surfaces count as separated.
const APART: f64 = 1.06;

/// A body in its orientation on the table.
#[derive(Debug, Clone, Copy)]
struct Standing {
    shape: Primitive,
    rotation: DQuat,
    /// From its centre down to its lowest point, in metres.
    down: f64,
    /// Its own axis, in the world.
    axis: DVec3,
}

fn standing(random: &mut Random) -> Standing {
    let (radius, height) = (random.within(0.1, 0.6), random.within(0.1, 1.5));
    let lying = DQuat::from_rotation_z(random.within(0.0, 6.0)) * DQuat::from_rotation_x(FRAC_PI_2);
    let (shape, rotation, down) = match random.below(7) {
        0 => (Primitive::Sphere { radius }, random.rotation(), radius),
        1 => (Primitive::Cylinder { radius, height }, DQuat::IDENTITY, 0.5 * height),
        2 => (Primitive::Cylinder { radius, height }, lying, radius),
        3 => (Primitive::Cone { radius, height }, DQuat::IDENTITY, 0.5 * height),
        // On its tip.
        4 => (Primitive::Cone { radius, height }, DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0), 0.5 * height),
        5 => (Primitive::Capsule { radius, height }, DQuat::IDENTITY, 0.5 * height + radius),
        _ => (Primitive::Capsule { radius, height }, lying, radius),
    };
    Standing { shape, rotation, down, axis: rotation * DVec3::Z }
}

/// The gap at time t is `-depth + c |t - at|^power`, in metres.
#[derive(Debug, Clone, Copy)]
struct Height {
    depth: f64,
    c: f64,
    power: u8,
    at: f64,
}

impl Height {
    /// How long before or after `at` the gap equals `gap`.
    fn when(&self, gap: f64) -> f64 {
        ((gap + self.depth) / self.c).max(0.0).powf(1.0 / f64::from(self.power))
    }

    fn value_and_slope(&self, t: f64) -> [f64; 2] {
        let (x, n) = (t - self.at, f64::from(self.power));
        [-self.depth + self.c * x.abs().powf(n), self.c * n * x.abs().powf(n - 1.0) * x.signum()]
    }
}

fn body(shape: Primitive, motion: BodyMotion) -> SceneBody {
    let shape = CollisionShape::primitive(shape).ok();
    SceneBody { name: "body".into(), shape, motion, parent: None, group: None, solid: false }
}

/// The motion of a body over the table in addition to its height.
#[derive(Debug, Clone, Copy)]
struct Way {
    linear: DVec3,
    /// About its own axis or the vertical, in radians per second.
    angular: DVec3,
    /// The velocity of the table.
    table: DVec3,
}

fn way(random: &mut Random, standing: &Standing) -> Way {
    let level = |random: &mut Random| match random.below(3) {
        0 => DVec3::ZERO,
        _ => random.vector(1.0) * DVec3::new(1.0, 1.0, 0.0),
    };
    let angular = match random.below(3) {
        0 => DVec3::ZERO,
        1 => standing.axis * random.within(-3.0, 3.0),
        _ => DVec3::Z * random.within(-1.0, 1.0),
    };
    Way { linear: level(random), angular, table: level(random) }
}

/// A motion with the height, over `duration` seconds. Its cubic is the height itself if the height is a cubic on both
/// sides of `at`.
fn motion(standing: &Standing, way: &Way, height: &Height, duration: f64) -> BodyMotion {
    let key = |time: f64| {
        let [value, slope] = height.value_and_slope(time);
        let place = DVec3::new(0.2, -0.3, standing.down + value) + time * way.linear;
        let tangent = DVec3::new(way.linear.x, way.linear.y, slope);
        CubicKey { time, in_tangent: tangent, value: place, out_tangent: tangent }
    };
    let mut times = vec![0.0, height.at, duration];
    times.dedup();
    let speed = way.angular.length();
    let turn = DQuat::from_axis_angle(way.angular.normalize_or(DVec3::Z), speed * duration);
    let rotations = match speed {
        0.0 => vec![(0.0, standing.rotation)],
        _ => vec![(0.0, standing.rotation), (duration, turn * standing.rotation)],
    };
    if height.power == 1 && (height.at == 0.0 || height.at == duration) {
        let [from, to] = [0.0, duration].map(|time| key(time).value);
        let start = Pose::new(from, standing.rotation).unwrap();
        return BodyMotion::Twist { start, linear: (to - from) / duration, angular: way.angular };
    }
    let mut keys: Vec<_> = times.into_iter().map(key).collect();
    for key in &mut keys {
        if key.time == height.at && height.power == 1 {
            key.in_tangent.z = -height.c;
            key.out_tangent.z = height.c;
        }
    }
    BodyMotion::Curves { position: Curve::Cubic(keys), rotation: Curve::Linear(rotations) }
}

fn over_a_table(
    round: Primitive,
    motion: BodyMotion,
    table: DVec3,
    (duration, tolerance): (f64, f64),
) -> Scene {
    let under = Pose::from_position(DVec3::new(0.0, 0.0, -1.0)).unwrap();
    let table = match table {
        DVec3::ZERO => BodyMotion::Still(under),
        linear => BodyMotion::Twist { start: under, linear, angular: DVec3::ZERO },
    };
    let slab = Primitive::Box { size: DVec3::new(20.0, 20.0, 2.0) };
    let bodies = vec![body(round, motion), body(slab, table)];
    scene_of(bodies, (duration, tolerance))
}

fn scene_of(bodies: Vec<SceneBody>, (duration, tolerance): (f64, f64)) -> Scene {
    let definition =
        SceneDefinition { duration, tolerance: Some(tolerance), clearance: 0.0, bodies, ignore: vec![] };
    Scene::new(definition).unwrap()
}

fn check(scene: &Scene, budget: u64) -> SceneReport {
    scene.check(&CheckOptions { budget, ..CheckOptions::default() }, &()).unwrap()
}

/// The errors of an enclosure of the time at which the gap crosses the tolerance. `gap_at(x)` is the time at which
/// the gap is x metres, `off` the engine's allowed error; `sign` is -1 before a contact and 1 after it.
fn check_end(
    name: &str,
    [lo, hi]: [f64; 2],
    (tolerance, off): (f64, f64),
    gap_at: impl Fn(f64) -> f64,
    sign: f64,
) -> Wrong {
    let mut wrong = Wrong::new();
    // The ends at which the bodies are certainly in contact and certainly separated.
    let (inner, outer) = if sign > 0.0 { (lo, hi) } else { (hi, lo) };
    let slack = 1e-11;
    let mut hold = |good: bool, what: &str| {
        if !good {
            wrong.push(format!(
                "{name} [{lo:e}, {hi:e}]: {what}; the gap is 0, 1, 1.06 tolerances at {:e}, {:e}, {:e}",
                gap_at(0.0),
                gap_at(tolerance),
                gap_at(APART * tolerance)
            ));
        }
    };
    hold(lo <= hi, "is no enclosure");
    let (touch, apart) = (sign * gap_at(APART * tolerance + off), sign * gap_at(0.999 * tolerance - off));
    hold(sign * inner <= touch + slack, "no contact any more where it says so");
    hold(sign * outer >= apart - slack, "still in contact where it says apart");
    hold(sign * outer <= sign * gap_at(APART * tolerance + off) + slack, "apart too late");
    hold(sign * inner >= sign * gap_at(-off) - slack - 1e-6, "not sharp");
    wrong
}

fn pair_of(report: &SceneReport) -> Option<&PairReport> {
    report.pairs.first()
}

/// Lifts off, lands or bounces.
fn check_parting(seed: u64) -> Wrong {
    let random = &mut Random(seed);
    let standing = standing(random);
    let way = way(random, &standing);
    let (tolerance, duration) = ([1e-9, 1e-8, 1e-6][random.below(3)], random.within(0.5, 3.0));
    let depth = tolerance * [0.0, 0.0, 0.3, 2.0, 1e3][random.below(5)];
    let (power, c) = ([1, 2, 3][random.below(3)], 10_f64.powf(random.within(-2.0, 1.0)));
    let at = match random.below(3) {
        0 => 0.0,
        1 => duration,
        _ => random.within(0.3, 0.7) * duration,
    };
    let height = Height { depth, c, power, at };
    let scene = over_a_table(
        standing.shape,
        motion(&standing, &way, &height, duration),
        way.table,
        (duration, tolerance),
    );
    let report = check(&scene, BUDGET);
    let case = format!("{standing:?} {way:?} {height:?} T = {duration}, tolerance {tolerance:e}: {report:?}");
    let Some(pair) = pair_of(&report) else { return vec![format!("missed; {case}")] };
    let mut wrong = Wrong::new();
    if !pair.undecided.is_empty() {
        wrong.push(format!("undecided {:?}", pair.undecided));
    }
    let [met] = &pair.intervals[..] else {
        return vec![format!("{} intervals; {case}", pair.intervals.len())];
    };
    let off = 0.006 * tolerance + 1e-13;
    if at == 0.0 {
        if met.enter != [0.0; 2] {
            wrong.push(format!("enter {:?}", met.enter));
        }
    } else {
        wrong.extend(check_end("enter", met.enter, (tolerance, off), |gap| at - height.when(gap), -1.0));
    }
    match met.exit {
        None if at < duration => wrong.push("no exit".into()),
        None => {}
        Some(exit) => {
            wrong.extend(check_end("exit", exit, (tolerance, off), |gap| at + height.when(gap), 1.0))
        }
    }
    // The depth of a cone's tip is measured from its side.
    let on_tip = matches!(standing.shape, Primitive::Cone { .. }) && standing.axis.z < 0.0;
    if depth > 1.1 * tolerance
        && !on_tip
        && (met.touching || at == 0.0 && pair.verdict != PairVerdict::Overlapping)
    {
        wrong.push("depth not seen".into());
    }
    if depth == 0.0 && !met.touching {
        wrong.push("nothing crosses".into());
    }
    if !wrong.is_empty() {
        wrong.push(case);
    }
    wrong
}

#[test]
fn round_bodies_that_lift_off_land_or_bounce_have_sharp_enclosures() {
    for_all(fewer(200, 2), check_parting);
}

/// Rolls, slides and spins at a constant height.
fn check_level(seed: u64) -> Wrong {
    let random = &mut Random(seed);
    let standing = standing(random);
    let way = way(random, &standing);
    let (tolerance, duration) = ([1e-8, 1e-6][random.below(2)], random.within(0.3, 1.0));
    let gap = match random.below(8) {
        0 => 0.0,
        1 => 0.5 * tolerance,
        2 => 0.97 * tolerance,
        3 => -0.1 * tolerance,
        4 => -10.0 * tolerance,
        5 => -1e-3,
        6 => 1.1 * tolerance,
        _ => 10.0 * tolerance,
    };
    let height = Height { depth: -gap, c: 0.0, power: 1, at: 0.0 };
    let scene = over_a_table(
        standing.shape,
        motion(&standing, &way, &height, duration),
        way.table,
        (duration, tolerance),
    );
    let report = check(&scene, BUDGET);
    let case =
        format!("{standing:?} {way:?} gap {gap:e} T = {duration}, tolerance {tolerance:e}: {report:?}");
    let good = match pair_of(&report) {
        None => gap > tolerance,
        Some(pair) => {
            let whole = |pair: &PairReport| {
                let [met] = &pair.intervals[..] else { return false };
                met.enter == [0.0; 2] && met.exit.is_none() && (met.touching == (gap >= 0.0))
            };
            let verdict = if gap < -tolerance { PairVerdict::Overlapping } else { PairVerdict::Contact };
            gap < tolerance && pair.verdict == verdict && pair.undecided.is_empty() && whole(pair)
        }
    };
    if good { Wrong::new() } else { vec![case] }
}

#[test]
fn round_bodies_that_roll_slide_or_spin_stay_in_contact() {
    for_all(fewer(60, 2), check_level);
}

/// Half a turn about a horizontal axis over the table: the height of the centre is the cosine of the angle.
#[test]
fn a_ball_that_swings_up_leaves_the_table_at_the_time_of_the_cosine() {
    for (arm, tolerance) in [(1.0, 1e-9), (3.0, 1e-7), (0.3, 1e-10)] {
        let start = Pose::from_position(DVec3::new(0.0, 0.0, 0.5)).unwrap();
        let hinge = DVec3::new(0.0, 0.0, 0.5 + arm);
        let screw = Screw::about(start, DVec3::X, hinge, 0.3, 3.0).unwrap();
        let ball = Primitive::Sphere { radius: 0.5 };
        let scene = over_a_table(ball, BodyMotion::Screw(screw), DVec3::ZERO, (3.0, tolerance));
        let report = check(&scene, 100_000);
        let [met] = &report.pairs[0].intervals[..] else { panic!("{report:?}") };
        // 1 - cos x = 2 sin^2 (x / 2)
        let when = |gap: f64| 2.0 * (0.5 * gap.max(0.0) / arm).sqrt().asin();
        let wrong = check_end("exit", met.exit.unwrap(), (tolerance, 1e-14), when, 1.0);
        assert!(wrong.is_empty() && report.pairs[0].undecided.is_empty(), "{wrong:?} {report:?}");
    }
}

/// Contact with a spinning cylinder: place and time are as with a static one.
#[test]
fn a_can_that_spins_is_met_where_one_that_stands_is() {
    let can = Primitive::Cylinder { radius: 0.5, height: 1.0 };
    let lying = Pose::new(DVec3::new(0.3, 0.0, 0.0), DQuat::from_rotation_x(FRAC_PI_2)).unwrap();
    let start = Pose::from_position(DVec3::new(0.6, 0.1, 3.0)).unwrap();
    let falling = BodyMotion::Twist { start, linear: DVec3::new(0.0, 0.0, -2.0), angular: DVec3::X };
    let standing = BodyMotion::Still(lying);
    let spinning =
        BodyMotion::Twist { start: lying, linear: DVec3::ZERO, angular: lying.rotation() * DVec3::Z };
    for falls in [Primitive::Sphere { radius: 0.2 }, Primitive::Box { size: DVec3::new(0.2, 0.3, 0.4) }] {
        let found = [&standing, &spinning].map(|motion| {
            let bodies = vec![body(falls, falling.clone()), body(can, motion.clone())];
            [bodies.clone(), bodies.into_iter().rev().collect()].map(|bodies| {
                let scene = scene_of(bodies, (3.0, 1e-9));
                let report = check(&scene, BUDGET);
                let met = &report.pairs[0].intervals[0];
                (met.enter, met.exit.unwrap(), met.contact.unwrap().contact)
            })
        });
        for (stood, spun) in found[0].iter().zip(&found[1]) {
            assert!((stood.0[1] - spun.0[1]).abs() < 1e-8 && (stood.1[1] - spun.1[1]).abs() < 1e-8);
            assert!(stood.2.point.distance(spun.2.point) < 1e-6, "{:?} {:?}", stood.2, spun.2);
            assert!(stood.2.normal.distance(spun.2.normal) < 1e-6, "{:?} {:?}", stood.2, spun.2);
        }
    }
}

/// A body attached to a rolling cylinder rotates with it.
#[test]
fn bodies_on_a_rolling_can_rotate_with_it() {
    let (radius, height) = (0.5, 1.0);
    let lying = Pose::new(DVec3::new(0.0, 0.0, 0.5), DQuat::from_rotation_x(-FRAC_PI_2)).unwrap();
    let rolling = BodyMotion::Twist { start: lying, linear: DVec3::X, angular: 2.0 * DVec3::Y };
    let mut knob = body(
        Primitive::Sphere { radius: 0.05 },
        BodyMotion::Still(Pose::from_position(DVec3::new(0.8, 0.0, 0.7)).unwrap()),
    );
    knob.parent = Some(0);
    let bodies = vec![
        body(Primitive::Cylinder { radius, height }, rolling),
        body(
            Primitive::Box { size: DVec3::new(20.0, 20.0, 2.0) },
            BodyMotion::Still(Pose::from_position(DVec3::new(0.0, 0.0, -1.0)).unwrap()),
        ),
        knob,
    ];
    let scene = scene_of(bodies, (2.0, 1e-8));
    let report = check(&scene, BUDGET);
    let of = |bodies: [usize; 2]| report.pairs.iter().find(|pair| pair.bodies == bodies).unwrap();
    // 0.5 - 0.8 sin 2t is 0.05 as the knob descends.
    let [lo, hi] = of([1, 2]).intervals[0].enter;
    let expected = 0.5 * (0.45_f64 / 0.8).asin();
    assert!(lo <= expected && expected - 1e-6 < hi && hi - lo < 1e-6, "[{lo}, {hi}] {expected}");
    let [can] = &of([0, 1]).intervals[..] else { panic!("{report:?}") };
    assert!(can.enter == [0.0; 2] && can.exit.is_none() && can.touching);
}

/// With zero tolerance a ball that slides on a table is undecided; beyond the edge it is clear.
#[test]
fn what_was_undecided_is_clear_as_soon_as_it_is_apart() {
    let ball = Primitive::Sphere { radius: 0.5 };
    let (from, way) = (DVec3::new(5.0, 0.3, 0.5), 10.0 * DVec3::X);
    let start = Pose::from_position(from).unwrap();
    for table in [DVec3::ZERO, DVec3::new(0.0, 0.2, 0.0)] {
        let motion = BodyMotion::Screw(Screw::translation(start, way));
        // Past the edge, at 10 m, the gap grows as the square of the time.
        let motions = [motion, BodyMotion::Twist { start, linear: way, angular: DVec3::new(0.0, 1.0, 3.0) }];
        for motion in motions {
            let scene = over_a_table(ball, motion, table, (1.0, 0.0));
            let report = check(&scene, BUDGET);
            let pair = &report.pairs[0];
            let end = pair.undecided.last().unwrap()[1];
            assert_eq!((pair.verdict, pair.clear_until), (PairVerdict::Undecided, 0.0));
            assert!(pair.undecided[0][0] == 0.0 && (0.5..0.501).contains(&end), "{report:?}");
        }
    }
}

/// Extremely many turns: between two neighbouring times the ball may be anywhere on its circle.
#[test]
fn no_short_interval_is_skipped_without_proof() {
    let ball = Primitive::Sphere { radius: 0.2 };
    let start = Pose::from_position(DVec3::X).unwrap();
    let screw = Screw::about(start, DVec3::Z, DVec3::ZERO, 0.0, 1e13).unwrap();
    let post = DVec3::new(0.5_f64.cos(), 0.5_f64.sin(), 0.0);
    let bodies = vec![
        body(ball, BodyMotion::Screw(screw)),
        body(ball, BodyMotion::Still(Pose::from_position(post).unwrap())),
    ];
    let scene = scene_of(bodies, (1.0, 1e-9));
    let report = check(&scene, BUDGET);
    // 2 sin((0.5 - x) / 2) is 0.4 at the first contact.
    let first = (0.5 - 2.0 * 0.2_f64.asin()) * 1e-13;
    assert!(report.clear_until <= first, "{} {first}", report.clear_until);
}

/// A ball that slides over a floor with a hole leaves it at the first edge, and returns at the second one, although the
/// floor is one mesh.
#[test]
fn a_ball_leaves_the_floor_over_a_hole() {
    let (radius, edges, tolerance) = (0.1, [4.0, 4.3], 1e-7);
    let slab = |low: f64, high: f64| {
        let (vertices, faces) = box_of(DVec3::new(high - low, 2.0, 0.5));
        let middle = DVec3::new(0.5 * (low + high), 0.0, -0.25);
        (vertices.into_iter().map(|v| v + middle).collect::<Vec<_>>(), faces)
    };
    let ((mut vertices, mut faces), (more, other)) = (slab(-1.0, edges[0]), slab(edges[1], 12.0));
    let count = u32::try_from(vertices.len()).unwrap();
    vertices.extend(more);
    faces.extend(other.into_iter().map(|face| face.map(|corner| corner + count)));
    let floor = PreparedMesh::new(Mesh::new(vertices, faces).unwrap());
    for (depth, is_curve) in [(1e-3, false), (1e-3, true), (1e-5, false), (0.0, false), (0.0, true)] {
        let height = radius - depth;
        let start = DVec3::new(0.0, 0.1, height);
        let motion = if is_curve {
            let key = |time: f64| CubicKey {
                time,
                in_tangent: DVec3::X,
                value: start + time * DVec3::X,
                out_tangent: DVec3::X,
            };
            BodyMotion::Curves {
                position: Curve::Cubic(vec![key(0.0), key(10.0)]),
                rotation: Curve::Linear(vec![(0.0, DQuat::IDENTITY)]),
            }
        } else {
            let start = Pose::from_position(start).unwrap();
            BodyMotion::Twist { start, linear: DVec3::X, angular: DVec3::ZERO }
        };
        let ball = body(Primitive::Sphere { radius }, motion);
        let still = BodyMotion::Still(Pose::IDENTITY);
        let mut under = body(Primitive::Sphere { radius }, still);
        under.shape = Some(CollisionShape::mesh(Arc::new(floor.clone())));
        let report = check(&scene_of(vec![ball, under], (10.0, tolerance)), BUDGET);
        let pair = &report.pairs[0];
        let [before, after] = &pair.intervals[..] else { panic!("{depth} {is_curve}: {pair:?}") };
        // How far from an edge the centre is when the gap has a value.
        let beside = |gap: f64| ((radius + gap).powi(2) - height * height).max(0.0).sqrt();
        let wrong = [
            check_end("exit", before.exit.unwrap(), (tolerance, 1e-12), |gap| edges[0] + beside(gap), 1.0),
            check_end("enter", after.enter, (tolerance, 1e-12), |gap| edges[1] - beside(gap), -1.0),
        ];
        assert!(
            wrong.iter().all(Vec::is_empty) && pair.undecided.is_empty(),
            "{depth} {is_curve}: {wrong:?}"
        );
    }
}
