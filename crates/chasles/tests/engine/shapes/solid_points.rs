//! Point guarantees ([`Guarantee::Points`]), and every place at which a contact starts, compared with closed forms.

use std::sync::Arc;

use crate::cases::count;
use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::shapes::solid_cases::truth::{Below, Frame, Inside, Lipschitz, Placed, Set, below};
use crate::shapes::solid_cases::{Case, Thing, ball, box_in_guise, duration, epsilon, scene, still, way};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, ContactFeatures, Expression, Guarantee, Mesh, PairListing,
    PairReport, PairUndecidedReason, PairVerdict, PartShape, PointCloud, Pose, PreparedMesh, Primitive,
    Scene, SceneBody, Screw, Solid, SolidPart,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

/// Rounding errors of both sides, in metres.
const TINY: f64 = 1e-9;

fn check(scene: &Scene, options: &CheckOptions) -> PairReport {
    let report = scene.check(&CheckOptions { listed: PairListing::All, ..*options }, &()).unwrap();
    assert_eq!(report.pairs.len(), 1);
    report.pairs[0].clone()
}

const POINTS: CheckOptions = CheckOptions {
    budget: 2_000_000_000,
    memory: 1 << 30,
    horizon: chasles::Horizon::End,
    listed: PairListing::All,
    resting: chasles::RestingPairs::Ignored,
    statics: chasles::StaticPairs::Ignored,
    naming: chasles::NearestReport::Nearest,
    guarantee: Guarantee::Points { spacing: None },
    all_contacts: false,
    events: false,
};

/// The vertices of a tetrahedron with long edges against a ball or a box: contacts of the edges between them are
/// ignored.
#[test]
fn the_points_of_a_mesh_are_followed_along_their_curved_paths() {
    let [clear, contact, between] = [(); 3].map(|()| Counter::default());
    for_all(count(60), |seed| {
        let random = &mut Random(7_000_000 + seed);
        let duration = duration(random);
        let target = if random.one_in(2) {
            let size = random.within(0.2, 0.6);
            ball(random, size)
        } else {
            let half = DVec3::new(random.within(0.1, 0.6), random.within(0.1, 0.6), random.within(0.1, 0.6));
            box_in_guise(random, half, "formula", (Pose::IDENTITY, Frame::HOME, 1.0))
        };
        if target.guise == "cloud" {
            // A cloud consists of its points in any case.
            return Wrong::new();
        }
        let corners: Vec<DVec3> = (0..4).map(|_| random.vector(1.0)).collect();
        let faces = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        let mesh = Mesh::new(corners.clone(), faces).unwrap();
        let set = Set::Balls(corners.into_iter().map(|corner| (corner, 0.0)).collect());
        let points = Thing {
            placed: Placed { set, inside: Inside::Filled, frame: Frame::HOME },
            shape: CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh))),
            guise: "cloud".into(),
        };
        let ((stands, still), (goes, moving)) = (still(random), way(random, duration));
        let case = Case {
            things: [target, points],
            ways: [stands, goes],
            motions: [still, moving],
            duration,
            epsilon: epsilon(random),
        };
        let report = check(&case.scene(), &POINTS);
        let met = report.verdict >= PairVerdict::Contact;
        clear.add_if(!met);
        contact.add_if(met);
        // The full check need not decide every case.
        let few = CheckOptions { budget: 3_000_000, ..CheckOptions::default() };
        between.add_if(!met && check(&case.scene(), &few).verdict >= PairVerdict::Contact);
        case.with_gap(|gap| {
            let mut wrong = hold(&case, gap, &report, 1);
            // The points may belong to the first body, too.
            let swapped = check(&case.scene_of([1, 0]), &POINTS);
            wrong.extend(hold(&case, gap, &swapped, 0));
            wrong
        })
    });
    let counts = [&clear, &contact, &between].map(Counter::get);
    println!("{} clear, {} contact, {} that only their faces see", counts[0], counts[1], counts[2]);
    assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
}

/// No contact is missed and none is invented; `of` is the number of the body with the points.
fn hold(case: &Case, gap: &Lipschitz<'_>, report: &PairReport, of: usize) -> Wrong {
    let mut wrong = Wrong::new();
    if !report.undecided.is_empty() || report.reason.is_some() {
        wrong.push("undecided".into());
    }
    let mut from = 0.0;
    let spans = report.intervals.iter().map(|i| [i.enter[0], i.exit.map_or(case.duration, |exit| exit[1])]);
    for [begin, end] in spans.chain([[case.duration; 2]]) {
        if from < begin && matches!(below(gap, [from, begin], -TINY), Below::At(_)) {
            wrong.push(format!("missed between {from} and {begin}"));
        }
        from = end;
    }
    for interval in &report.intervals {
        let [lo, hi] = interval.enter;
        if (gap.value)(hi) > case.epsilon + TINY || lo > hi {
            wrong.push(format!("a gap of {:e} at {hi}", (gap.value)(hi)));
        }
        let features = interval.contact.map(|contact| contact.contact.features);
        let is_point = match features {
            Some(ContactFeatures::PointSolid { a }) => of == 0 && a < 4,
            Some(ContactFeatures::SolidPoint { b }) => of == 1 && b < 4,
            _ => false,
        };
        if hi > 0.0 && !is_point {
            wrong.push(format!("{features:?} is no point of body {of}"));
        }
    }
    if !wrong.is_empty() {
        wrong.push(format!("{report:?}"));
        wrong.push(case.description());
    }
    wrong
}

fn body_of(shape: CollisionShape, motion: BodyMotion) -> SceneBody {
    SceneBody { name: "body".into(), shape: Some(shape), motion, parent: None, group: None, solid: false }
}

fn falls(from: f64, by: f64) -> BodyMotion {
    let pose = Pose::from_position(DVec3::new(0.0, 0.0, from)).unwrap();
    BodyMotion::Screw(Screw::translation(pose, DVec3::new(0.0, 0.0, -by)))
}

fn cuboid(size: DVec3) -> CollisionShape {
    CollisionShape::primitive(Primitive::Box { size }).unwrap()
}

#[test]
fn a_spacing_gives_points_to_all_other_bodies() {
    // A ball falls on the middle of a plate: 0.5 m from 1.2 m, touching at 0.4.
    let ball = CollisionShape::primitive(Primitive::Sphere { radius: 0.5 }).unwrap();
    let plate = || cuboid(DVec3::new(1.0, 1.0, 0.2));
    let bodies = |spin: f64| {
        let start = Pose::from_position(DVec3::new(0.0, 0.0, 1.1)).unwrap();
        let twist = BodyMotion::Twist { start, linear: -DVec3::Z, angular: spin * DVec3::new(0.6, 0.0, 0.8) };
        vec![body_of(ball.clone(), twist), body_of(plate(), BodyMotion::Still(Pose::IDENTITY))]
    };
    for spin in [0.0, 5.0] {
        let scene = scene(bodies(spin), 1.0, 1e-6);
        let none = check(&scene, &POINTS);
        assert_eq!(
            (none.verdict, none.reason),
            (PairVerdict::Undecided, Some(PairUndecidedReason::NoPoints))
        );
        let whole = check(&scene, &CheckOptions::default()).intervals[0].enter;
        assert!((whole[0] - 0.5).abs() < 1e-6, "{whole:?}");
        for spacing in [0.3, 0.1] {
            let guarantee = Guarantee::Points { spacing: Some(spacing) };
            let found = check(&scene, &CheckOptions { guarantee, ..POINTS });
            let enter = found.intervals[0].enter;
            // A point within the spacing of the lowest point is no higher than the ball there.
            let late = 0.5 - (0.25 - spacing * spacing).max(0.0).sqrt();
            assert!(enter[1] >= 0.5 - 1e-5 && enter[0] <= 0.5 + late + 1e-6, "{enter:?}");
            assert_eq!(found.verdict, PairVerdict::Contact);
        }
        let guarantee = Guarantee::Points { spacing: Some(0.0) };
        assert!(scene.check(&CheckOptions { guarantee, ..POINTS }, &()).is_err());
        let guarantee = Guarantee::Points { spacing: Some(1e-5) };
        assert!(scene.check(&CheckOptions { guarantee, ..POINTS }, &()).is_err());
    }
}

/// The points of a spinning ball rotate, whether it spins itself or is attached to a spinning body.
#[test]
fn the_points_of_a_ball_that_spins_are_where_they_are() {
    let plate = body_of(cuboid(DVec3::new(1.0, 1.0, 0.2)), BodyMotion::Still(Pose::IDENTITY));
    let ball =
        |motion| body_of(CollisionShape::primitive(Primitive::Sphere { radius: 0.5 }).unwrap(), motion);
    let guarantee = Guarantee::Points { spacing: Some(0.3) };
    for spin in [0.0, 1.0, 2.0] {
        let way = |share: f64| {
            let rotation = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), share * spin);
            Pose::new(DVec3::new(0.0, 0.0, 1.1 - share), rotation).unwrap()
        };
        let twist = BodyMotion::Keyframes(vec![(0.0, way(0.0)), (1.0, way(1.0))]);
        let carried = SceneBody { parent: Some(2), ..ball(BodyMotion::Still(Pose::IDENTITY)) };
        let carrier = SceneBody { shape: None, ..ball(twist.clone()) };
        let bodies = [
            vec![ball(twist.clone()), plate.clone()],
            vec![plate.clone(), ball(twist)],
            vec![carried.clone(), plate.clone(), carrier.clone()],
            vec![plate.clone(), carried, carrier],
        ];
        let enters = bodies.map(|bodies| {
            let report = check(&scene(bodies, 1.0, 1e-6), &CheckOptions { guarantee, ..POINTS });
            let interval = &report.intervals[0];
            let point = interval.contact.unwrap().contact.point;
            assert!((point.z - 0.1).abs() < 1e-5, "{point}");
            interval.enter[1]
        });
        assert!(enters.iter().all(|enter| (enter - enters[0]).abs() < 1e-5), "{spin}: {enters:?}");
    }
}

fn cloud(points: Vec<(u32, DVec3)>, radius: f64) -> CollisionShape {
    CollisionShape::cloud(Arc::new(PointCloud::new(points, radius).unwrap())).unwrap()
}

/// The features and position of each place.
fn places(scene: &Scene) -> Vec<(ContactFeatures, DVec3)> {
    let report = check(scene, &CheckOptions { all_contacts: true, ..CheckOptions::default() });
    let [interval] = &report.intervals[..] else { panic!("{report:?}") };
    let first = interval.contact.unwrap().contact;
    for place in &interval.contacts {
        let contact = place.contact;
        assert_eq!(contact.time, interval.enter);
        assert!(contact.normal.distance(first.normal) < 0.1 && contact.approach_speed > 0.0, "{contact:?}");
    }
    let contacts = interval.contacts.iter().map(|place| (place.contact.features, place.contact.point));
    assert!(interval.contacts.iter().any(|place| place.contact.point.distance(first.point) < 0.15));
    contacts.collect()
}

const FEET: [DVec3; 4] = [
    DVec3::new(-0.4, -0.3, 0.0),
    DVec3::new(-0.4, 0.3, 0.0),
    DVec3::new(0.4, -0.3, 0.0),
    DVec3::new(0.4, 0.3, 0.0),
];

#[test]
fn every_foot_that_touches_is_a_place() {
    // An additional foot is too short by 2 epsilon.
    let short = DVec3::new(0.0, 0.0, 2e-4);
    let points: Vec<(u32, DVec3)> = (10..).zip(FEET.into_iter().chain([short])).collect();
    let floor = || body_of(cuboid(DVec3::new(4.0, 4.0, 0.2)), BodyMotion::Still(Pose::IDENTITY));
    let fall = || falls(1.0, 1.0);
    let table = || body_of(cloud(points.clone(), 0.01), fall());
    let found = places(&scene(vec![table(), floor()], 1.0, 1e-4));
    assert_eq!(found.len(), 4, "{found:?}");
    for ((features, point), (number, foot)) in found.iter().zip((10..).zip(FEET)) {
        assert_eq!(*features, ContactFeatures::PointSolid { a: number });
        assert!(point.distance(foot + 0.1 * DVec3::Z) < 1e-3, "{point}");
    }
    let swapped = places(&scene(vec![floor(), table()], 1.0, 1e-4));
    let numbers: Vec<_> = swapped.iter().map(|(features, _)| *features).collect();
    assert_eq!(numbers, [10, 11, 12, 13].map(|b| ContactFeatures::SolidPoint { b }));

    // Two feet on a point each: pairs of points.
    let pegs = cloud(vec![(3, FEET[0]), (5, FEET[3]), (7, DVec3::new(0.0, 2.0, 0.0))], 0.01);
    let found = places(&scene(vec![table(), body_of(pegs, BodyMotion::Still(Pose::IDENTITY))], 1.0, 1e-4));
    let expected = [(10, 3), (13, 5)].map(|(a, b)| ContactFeatures::PointPoint { a, b });
    assert_eq!(found.iter().map(|(features, _)| *features).collect::<Vec<_>>(), expected);
}

#[test]
fn surfaces_that_touch_at_several_places_report_each_once() {
    let floor = || body_of(cuboid(DVec3::new(4.0, 4.0, 0.2)), BodyMotion::Still(Pose::IDENTITY));
    let part = |shape: PartShape, place: DVec3| SolidPart {
        shape,
        pose: Pose::from_position(place).unwrap(),
        scale: 1.0,
    };
    let feet = |shape: &PartShape| -> CollisionShape {
        let parts = FEET.into_iter().map(|foot| part(shape.clone(), foot));
        let all = part(PartShape::Union(vec![0, 1, 2, 3]), DVec3::ZERO);
        CollisionShape::solid(Arc::new(Solid::new(parts.chain([all]).collect()).unwrap())).unwrap()
    };
    let balls = feet(&PartShape::Primitive(Primitive::Sphere { radius: 0.05 }));
    let blocks = feet(&PartShape::Primitive(Primitive::Box { size: DVec3::splat(0.1) }));
    let text = "((x-0.4)^2+(y-0.3)^2)*((x+0.4)^2+(y-0.3)^2)*((x-0.4)^2+(y+0.3)^2)*((x+0.4)^2+(y+0.3)^2) + z^2 - 0.0025";
    let formula = Expression::parse(text, &["x", "y", "z"]).unwrap();
    let bounds = [DVec3::new(-1.0, -1.0, -0.2), DVec3::new(1.0, 1.0, 0.2)];
    let blob = PartShape::Formula { formula, bounds };
    let blob = CollisionShape::solid(Arc::new(Solid::new(vec![part(blob, DVec3::ZERO)]).unwrap())).unwrap();
    // As meshes, which are not sets: four pyramids on their tips.
    let mut points = Vec::new();
    let mut faces = Vec::new();
    for (n, foot) in (0..).zip(FEET) {
        let corners =
            [DVec3::ZERO, DVec3::new(0.1, 0.0, 0.1), DVec3::new(-0.1, 0.1, 0.1), DVec3::new(-0.1, -0.1, 0.1)];
        points.extend(corners.map(|corner| foot + corner));
        faces.extend([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]].map(|face| face.map(|v| 4 * n + v)));
    }
    let pyramids = CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points, faces).unwrap())));
    for (shape, epsilon) in [(balls, 1e-5), (blocks, 1e-5), (blob, 1e-4), (pyramids, 1e-5)] {
        for swapped in [false, true] {
            let mut bodies = vec![body_of(shape.clone(), falls(1.0, 1.0)), floor()];
            if swapped {
                bodies.reverse();
            }
            let found = places(&scene(bodies, 1.0, epsilon));
            assert_eq!(found.len(), 4, "{found:?}");
            for foot in FEET {
                let near =
                    |(_, point): &&(ContactFeatures, DVec3)| point.distance(foot + 0.1 * DVec3::Z) < 0.08;
                assert_eq!(found.iter().filter(near).count(), 1, "{found:?}");
            }
        }
    }
}

/// A spacing too small for a body is reported with the name of the body, which a scene of a path does not store
/// elsewhere.
#[test]
fn too_many_points_are_an_error_that_names_the_body() {
    let body = |name: &str, radius: f64| SceneBody {
        name: name.into(),
        shape: Some(CollisionShape::primitive(Primitive::Sphere { radius }).unwrap()),
        motion: BodyMotion::Still(Pose::IDENTITY),
        parent: None,
        group: None,
        solid: false,
    };
    let scene = scene(vec![body("small", 0.01), body("large", 10.0)], 1.0, 1e-3);
    let guarantee = Guarantee::Points { spacing: Some(0.02) };
    let error = scene.check(&CheckOptions { guarantee, ..CheckOptions::default() }, &()).unwrap_err();
    assert_eq!(error.place(), "body \"large\": spacing");
}
