//! Scenes with bodies that deform: closed forms, and exact static tests at times at which vertices have double
//! coordinates.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use crate::bending::bending_cases::{
    EVENTS, SIDES, bending, body, octahedron, places, random_bodies, rigid, scene, still, wall, xyz,
};
use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, ContactFeatures, PairReport, PairVerdict, PointCloud, Pose,
    SceneBody, triangles_intersect,
};
use chasles_testing::Random;
use glam::DVec3;

/// Deformation and rotation act at once: the tip, at 1 + t from the axis, rotates by a right angle in a second.
#[test]
fn a_body_that_deforms_on_a_turning_one_is_told_to_its_deviation() {
    let needle = |tip: f64| vec![DVec3::ZERO, xyz(tip, 0.0, 0.0), xyz(0.0, 0.0, 0.1)];
    let needle = bending(vec![needle(1.0), needle(2.0)], &[[0, 1, 2]], &[0.0, 1.0]);
    let turning =
        BodyMotion::Twist { start: Pose::IDENTITY, linear: DVec3::ZERO, angular: DVec3::Z * FRAC_PI_2 };
    let hub = SceneBody { shape: None, ..body("hub", wall(0.0), turning) };
    let rider = SceneBody { parent: Some(0), ..body("needle", needle, still()) };
    let height = 1.5;
    let corners =
        [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)].map(|(x, z)| xyz(x, height, z)).to_vec();
    let ceiling = body("ceiling", rigid(corners, vec![[0, 1, 2], [0, 2, 3]]), still());
    let scene = scene(vec![hub, rider, ceiling], 1.0);
    let (mut lo, mut hi) = (0.0_f64, 1.0_f64);
    for _ in 0..60 {
        let middle = 0.5 * (lo + hi);
        if (1.0 + middle) * (FRAC_PI_2 * middle).sin() < height { lo = middle } else { hi = middle }
    }
    let report = scene.check(&EVENTS, &()).unwrap();
    let [pair] = &report.pairs[..] else { panic!("{report:?}") };
    let [interval] = &pair.intervals[..] else { panic!("{pair:?}") };
    let [from, to] = interval.enter;
    assert!(from <= lo && hi <= to && to - from < 1e-7, "{lo} in {:?}", interval.enter);
    assert!(
        interval.exit.is_none() && pair.deviation > 0.0 && pair.deviation <= scene.tolerance(),
        "{pair:?}"
    );
    // The tip passes up through the ceiling, at the speed of the derivative.
    let contact = interval.contact.unwrap().contact;
    let (sin, cos) = (FRAC_PI_2 * lo).sin_cos();
    assert_eq!(contact.features, ContactFeatures::VertexFace { a: 1, b: 0 });
    assert!(contact.point.distance((1.0 + lo) * xyz(cos, sin, 0.0)) < 1e-6 && contact.normal.y > 1.0 - 1e-6);
    assert!((contact.approach_speed - sin - (1.0 + lo) * FRAC_PI_2 * cos).abs() < 1e-3, "{contact:?}");
    assert!(pair.events[0].time[0] <= lo + 1e-5 && pair.events[0].time[1] >= lo - 1e-5);
    // In its own frame the body does not rotate; a ceiling that is out of reach is clear.
    let mut bodies = scene.bodies().to_vec();
    bodies[2].motion = BodyMotion::Still(Pose::from_position(xyz(0.0, 0.501, 0.0)).unwrap());
    let report = self::scene(bodies, 1.0).check(&EVENTS, &()).unwrap();
    assert_eq!((report.verdict, report.pairs_clear), (PairVerdict::Clear, 1));
}

#[test]
fn deforming_bodies_touch_when_their_triangles_do() {
    let (met, apart, listed) = (Counter::default(), Counter::default(), Counter::default());
    for_all(fewer(150, 4), |seed| {
        let made = random_bodies(&mut Random(seed));
        let bodies = made.iter().zip(["a", "b"]).map(|((frames, triangles), name)| {
            body(name, bending(frames.clone(), triangles, &[0.0, 1.0, 2.0]), still())
        });
        let scene = scene(bodies.collect(), 2.0).with_self_tests(&[0]).unwrap();
        let report = scene.check(&EVENTS, &()).unwrap();
        let mut wrong = Wrong::new();
        let none = PairReport {
            intervals: vec![],
            undecided: vec![],
            ..report.pairs.first().cloned().unwrap_or_else(|| {
                scene.check(&CheckOptions { listed: chasles::PairListing::All, ..EVENTS }, &()).unwrap().pairs
                    [0]
                .clone()
            })
        };
        let pair = report.pairs.iter().find(|pair| pair.bodies == [0, 1]).unwrap_or(&none);
        if !pair.undecided.is_empty() {
            wrong.push(format!("unknown {:?}", pair.undecided));
        }
        for k in 0..=32 {
            let time = f64::from(k) / 16.0;
            let at = |frames: &[Vec<DVec3>]| if k == 32 { frames[2].clone() } else { places(frames, time) };
            let [p, q] = [0, 1].map(|i| at(&made[i].0));
            let corner = |places: &[DVec3], face: [u32; 3]| face.map(|v| places[v as usize]);
            let mut truth: Vec<[u32; 2]> = Vec::new();
            for (i, f) in (0..).zip(&made[0].1) {
                for (j, g) in (0..).zip(&made[1].1) {
                    if triangles_intersect(&corner(&p, *f), &corner(&q, *g)) {
                        truth.push([i, j]);
                    }
                }
            }
            let may = pair
                .intervals
                .iter()
                .any(|x| x.enter[0] <= time && x.exit.is_none_or(|exit| time <= exit[1]));
            let must = pair
                .intervals
                .iter()
                .any(|x| x.enter[1] <= time && x.exit.is_none_or(|exit| time <= exit[0]));
            met.add_if(!truth.is_empty());
            apart.add_if(truth.is_empty());
            if truth.is_empty() && must || !truth.is_empty() && !may {
                wrong.push(format!("at {time}: {truth:?}, found {:?}", pair.intervals));
            }
            let standing = scene.static_intersections(time).unwrap();
            let found = standing
                .iter()
                .find(|pair| pair.bodies == [0, 1])
                .map_or(vec![], |pair| pair.triangles.clone());
            listed.add_if(!found.is_empty());
            if found != truth {
                wrong.push(format!("at {time}: {truth:?}, standing {found:?}"));
            }
        }
        wrong
    });
    assert!(met.get() > 110 && apart.get() > 110 && listed.get() == met.get(), "{met:?} {apart:?}");
}

#[test]
fn unsupported_scenes_are_refused_by_name() {
    let shape = || bending(vec![octahedron(1.0), octahedron(2.0)], &SIDES, &[0.0, 1.0]);
    let ball = PointCloud::new(vec![(0, DVec3::ZERO)], 1.0).unwrap();
    let ball = CollisionShape::cloud(Arc::new(ball)).unwrap();
    let both = vec![body("lung", shape(), still()), body("ball", ball.clone(), still())];
    let error = scene(both.clone(), 1.0).check(&EVENTS, &()).unwrap_err();
    assert_eq!(error.place(), "body \"ball\"");
    assert_eq!(scene(both.clone(), 1.0).distances([0, 1], &[0.5]).unwrap_err().place(), "body \"ball\"");
    assert!(scene(both.clone(), 1.0).with_self_tests(&[1]).is_err());
    let points = CheckOptions { guarantee: chasles::Guarantee::Points { spacing: None }, ..EVENTS };
    let bodies = vec![body("lung", shape(), still()), body("wall", wall(1.0), still())];
    assert!(scene(bodies, 1.0).check(&points, &()).is_err());
    // A budget that does not suffice gives an undecided result.
    let bodies = vec![body("lung", shape(), still()), body("wall", wall(1.5), still())];
    let report = scene(bodies, 1.0).check(&CheckOptions { budget: 2, ..EVENTS }, &()).unwrap();
    assert_eq!((report.verdict, report.clear_until), (PairVerdict::Undecided, 0.0));
}
