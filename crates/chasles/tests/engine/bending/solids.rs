//! Bodies that deform and solid ones: time wholly inside counts.

use crate::bending::bending_cases::{
    EVENTS, SIDES, bending, body, octahedron, places, rigid, scene, still, xyz,
};
use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, Curve, PairUndecidedReason, PairVerdict, Pose, Primitive,
    SceneBody, SceneInterval, triangles_intersect,
};
use chasles_testing::Random;
use glam::DVec3;

fn solid(name: &str, shape: CollisionShape, motion: BodyMotion) -> SceneBody {
    SceneBody { solid: true, ..body(name, shape, motion) }
}

fn cube() -> CollisionShape {
    CollisionShape::primitive(Primitive::Box { size: DVec3::splat(2.0) }).unwrap()
}

/// A small octahedron that flies along x: it is inside the cube from 1.125 s to 1.875 s, and intersects its surface
/// or interior from 0.875 s to 2.125 s.
fn flight() -> CollisionShape {
    let frames = [-3.0, 3.0].map(|x| octahedron(0.25).into_iter().map(|p| p + x * DVec3::X).collect());
    bending(frames.to_vec(), &SIDES, &[0.0, 3.0])
}

/// Whether an interval starts and ends at given times, up to narrow enclosures; without an exit it lasts to the end
/// of the motion.
fn is_from_to(interval: &SceneInterval, enter: f64, exit: Option<f64>) -> bool {
    let holds = |[lo, hi]: [f64; 2], time: f64| lo <= time && time <= hi && hi - lo <= 1e-11;
    let ends = match (interval.exit, exit) {
        (Some(found), Some(time)) => holds(found, time),
        (found, time) => found.is_none() && time.is_none(),
    };
    holds(interval.enter, enter) && ends
}

#[test]
fn time_inside_a_solid_body_is_contact() {
    let bodies = vec![body("flight", flight(), still()), solid("cube", cube(), still())];
    let swapped: Vec<SceneBody> = bodies.iter().rev().cloned().collect();
    for bodies in [bodies.clone(), swapped] {
        let filled = scene(bodies.clone(), 3.0);
        let [pair] = &filled.check(&EVENTS, &()).unwrap().pairs[..] else { panic!() };
        let [only] = &pair.intervals[..] else { panic!("{pair:?}") };
        assert!(is_from_to(only, 0.875, Some(2.125)) && pair.verdict == PairVerdict::Contact, "{pair:?}");
        assert!(only.contact.is_some() && pair.undecided.is_empty(), "{pair:?}");
        // A hollow surface is crossed twice.
        let hollow = bodies.into_iter().map(|body| SceneBody { solid: false, ..body }).collect();
        let hollow = scene(hollow, 3.0);
        let [pair] = &hollow.check(&EVENTS, &()).unwrap().pairs[..] else { panic!() };
        let [first, second] = &pair.intervals[..] else { panic!("{pair:?}") };
        assert!(is_from_to(first, 0.875, Some(1.125)) && is_from_to(second, 1.875, Some(2.125)), "{pair:?}");
        // The report lists the containment in between.
        let [flight, cube] = ["flight", "cube"].map(|name| usize::from(hollow.bodies()[1].name == name));
        let told = hollow.check(&EVENTS, &()).unwrap().inside;
        assert!(told.len() == 1 && (told[0].inner, told[0].outer) == (flight, cube), "{told:?}");
        assert!(
            (told[0].from - 1.125).abs() < 1e-11 && filled.check(&EVENTS, &()).unwrap().inside.is_empty()
        );
        // Also at a single time.
        let standing = |time: f64| filled.static_intersections(time).unwrap();
        assert!(
            standing(0.5).is_empty()
                && standing(2.5).is_empty()
                && hollow.static_intersections(1.5).unwrap().is_empty()
        );
        let [inside] = &standing(1.5)[..] else { panic!() };
        assert_eq!((inside.bodies, inside.triangles.len()), ([0, 1], 0));
        let far = |scene: &chasles::Scene, time: f64| scene.distances([0, 1], &[time]).unwrap().unwrap()[0];
        assert_eq!([far(&filled, 1.5).lower, far(&filled, 1.5).upper], [0.0; 2]);
        for (found, truth) in [(far(&filled, 0.5), 0.75), (far(&hollow, 1.5), 0.75)] {
            assert!(found.lower <= truth && truth <= found.upper && found.upper < 1.01 * truth);
        }
    }
}

#[test]
fn bodies_that_start_inside_a_solid_overlap() {
    // It reaches the sides at 0.5 s, and is inside again from 2.5 s.
    let lung = bending([0.5, 1.5, 1.5, 0.5].map(octahedron).to_vec(), &SIDES, &[0.0, 1.0, 2.0, 3.0]);
    // Both are attached to a moving body.
    let place = Pose::from_position(xyz(5.0, 7.0, -3.0)).unwrap();
    let turn = chasles::Screw::between(place, Pose::from_position(xyz(-5.0, 2.0, 1.0)).unwrap());
    let cart = SceneBody { shape: None, ..body("cart", cube(), BodyMotion::Screw(turn)) };
    let on = |other: SceneBody| SceneBody { parent: Some(0), ..other };
    let bodies = vec![cart, on(solid("cube", cube(), still())), on(body("lung", lung, still()))];
    let [pair] = &scene(bodies.clone(), 4.0).check(&EVENTS, &()).unwrap().pairs[..] else { panic!() };
    let [only] = &pair.intervals[..] else { panic!("{pair:?}") };
    assert!(pair.verdict == PairVerdict::Overlapping && is_from_to(only, 0.0, None), "{pair:?}");
    assert_eq!(pair.clear_until, 0.0);
    // With a small budget it is not known.
    let short = CheckOptions { budget: 2, events: false, ..EVENTS };
    let [pair] = &scene(bodies, 4.0).check(&short, &()).unwrap().pairs[..] else { panic!() };
    assert_eq!(
        (pair.verdict, pair.reason),
        (PairVerdict::Undecided, Some(PairUndecidedReason::Budget)),
        "{pair:?}"
    );
}

#[test]
fn a_piece_inside_counts_though_another_is_outside() {
    // The first part is static outside, the second enters and stays.
    let two = |x: f64| {
        let far = octahedron(0.25).into_iter().map(|p| p + xyz(0.0, 5.0, 0.0));
        far.chain(octahedron(0.25).into_iter().map(|p| p + x * DVec3::X)).collect::<Vec<_>>()
    };
    let sides: Vec<[u32; 3]> = SIDES.into_iter().chain(SIDES.map(|side| side.map(|v| v + 6))).collect();
    let shape = bending(vec![two(-3.0), two(0.0), two(0.0)], &sides, &[0.0, 3.0, 5.0]);
    let bodies = vec![body("two", shape, still()), solid("cube", cube(), still())];
    let [pair] = &scene(bodies, 5.0).check(&EVENTS, &()).unwrap().pairs[..] else { panic!() };
    let [only] = &pair.intervals[..] else { panic!("{pair:?}") };
    assert!(is_from_to(only, 1.75, None), "{pair:?}");
}

#[test]
fn a_jump_of_the_motion_enters_and_leaves_a_solid() {
    // The cube is far away, contains the flight from 1.25 s to 1.5 s, and is far away again; its surface is never
    // touched.
    let position = [(0.0, 9.0), (1.25, 0.0), (1.5, 9.0)].map(|(time, y)| (time, y * DVec3::Y)).to_vec();
    let rotation = Curve::Step(vec![(0.0, glam::DQuat::IDENTITY)]);
    let jumps = BodyMotion::Curves { position: Curve::Step(position), rotation };
    let bodies = vec![body("flight", flight(), still()), solid("cube", cube(), jumps)];
    let [pair] = &scene(bodies, 3.0).check(&EVENTS, &()).unwrap().pairs[..] else { panic!() };
    let [only] = &pair.intervals[..] else { panic!("{pair:?}") };
    assert!(is_from_to(only, 1.25, Some(1.5)) && only.contact.is_none() && !only.touching, "{pair:?}");
}

/// The side of a triangle on which a point is; exact for small numbers with few bits.
fn side([a, b, c]: [DVec3; 3], p: DVec3) -> f64 {
    (b - a).cross(c - a).dot(p - a)
}

#[test]
fn bodies_inside_a_tetrahedron_are_found() {
    let [inside, meets, apart] = [0; 3].map(|_| Counter::default());
    for_all(fewer(400, 4), |seed| {
        let random = &mut Random(seed);
        let point = |random: &mut Random, reach: usize| {
            DVec3::from_array([0; 3].map(|_| 16.0 * (random.below(2 * reach + 1) as f64 - reach as f64)))
        };
        let mut corners: Vec<DVec3> = (0..4).map(|_| point(random, 12)).collect();
        let volume = side([corners[0], corners[1], corners[2]], corners[3]);
        if volume == 0.0 {
            return Wrong::new();
        }
        if volume > 0.0 {
            corners.swap(0, 1);
        }
        let faces: [[u32; 3]; 4] = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        let made = |p: &[DVec3], face: [u32; 3]| face.map(|v| p[v as usize]);
        let frames: Vec<Vec<DVec3>> = (0..3)
            .map(|_| {
                let middle = [0; 2].map(|_| point(random, 6));
                (0..6).map(|v| middle[v / 3] + point(random, 1)).collect()
            })
            .collect();
        let own: [[u32; 3]; 2] = [[0, 1, 2], [3, 4, 5]];
        let is_flat = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a) == DVec3::ZERO;
        if own.iter().any(|face| is_flat(made(&frames[0], *face))) {
            return Wrong::new();
        }
        let bodies = vec![
            body("two", bending(frames.clone(), &own, &[0.0, 1.0, 2.0]), still()),
            solid("tetrahedron", rigid(corners.clone(), faces.to_vec()), still()),
        ];
        let scene = scene(bodies, 2.0);
        let options = CheckOptions { listed: chasles::PairListing::All, ..EVENTS };
        let report = scene.check(&options, &()).unwrap();
        let pair = &report.pairs[0];
        let mut wrong = Wrong::new();
        if !pair.undecided.is_empty() {
            wrong.push(format!("unknown {:?}", pair.undecided));
        }
        for k in 0..=32 {
            let time = f64::from(k) / 16.0;
            let at = if k == 32 { frames[2].clone() } else { places(&frames, time) };
            let crosses = own
                .iter()
                .any(|f| faces.iter().any(|g| triangles_intersect(&made(&at, *f), &made(&corners, *g))));
            let is_inside = |p: DVec3| faces.iter().all(|face| side(made(&corners, *face), p) < 0.0);
            let within = own.iter().any(|face| made(&at, *face).into_iter().all(is_inside));
            inside.add_if(within && !crosses);
            meets.add_if(crosses);
            apart.add_if(!crosses && !within);
            let truth = crosses || within;
            let spans = || pair.intervals.iter();
            let may = spans().any(|x| x.enter[0] <= time && x.exit.is_none_or(|exit| time <= exit[1]));
            let must = spans().any(|x| x.enter[1] <= time && x.exit.is_none_or(|exit| time <= exit[0]));
            if truth && !may || !truth && must {
                wrong.push(format!("at {time}: {truth}, found {:?}", pair.intervals));
            }
            if scene.static_intersections(time).unwrap().len() != usize::from(truth) {
                wrong.push(format!("standing at {time}: expected {truth}"));
            }
        }
        wrong
    });
    assert!(inside.get() > 30 && meets.get() > 30 && apart.get() > 30, "{inside:?} {meets:?} {apart:?}");
}
