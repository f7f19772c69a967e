//! The engine on arbitrary bytes: it terminates, does not panic, and does not contradict itself.

use std::sync::Arc;

use chasles::{
    AdjacentLinks, BodyMotion, CellDefinition, CheckOptions, CollisionShape, CubicKey, Curve, Joint,
    JointAxis, JointPath, Link, LinkElement, Mesh, Mimic, MoveOutcome, Options, Outcome, PairListing,
    PairSide, PairVerdict, PreparedMesh, Primitive, Robot, RobotCell, RobotDefinition, Scene, SceneBody,
    SceneDefinition, SceneReport, SearchMethod, Start, Waypoint, WorldBody, all_contacts, any_contact,
    first_contact, first_within,
};
use chasles_formats::report::screen::ScreenVerdict;
use chasles_formats::report::screen_query::{ScreenQuery, screen_report};
use glam::DVec3;

use crate::bytes::Bytes;

/// The budget of one query, in steps. The largest cases of the reference need a tenth.
const BUDGET: u64 = 100_000;

/// Two small meshes and a screw: the answer equals the reference's, and does not contradict the answer for swapped
/// bodies.
pub fn first_contact_of_two(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let (Some(screw), Some(a), Some(b)) = (bytes.screw(), mesh(&mut bytes), mesh(&mut bytes)) else { return };
    let tolerance = (!bytes.once_in(3)).then(|| bytes.size()).filter(|_| bytes.once_in(2));
    let options = Options {
        tolerance,
        start: if bytes.once_in(4) { Start::IgnoreSeparating } else { Start::Report },
        budget: BUDGET,
        memory: Options::default().memory,
        search: SearchMethod::Hierarchy,
        deviation: if bytes.once_in(8) { bytes.size() } else { 0.0 },
    };
    // The case in numbers, for debugging.
    let case = || {
        let corners = |mesh: &Mesh| {
            let corners = |corners: &[u32; 3]| corners.map(|corner| mesh.vertex(corner).to_array());
            mesh.triangles().iter().map(corners).collect::<Vec<_>>()
        };
        format!("{:?} along {screw:?} against {:?} with {options:?}", corners(&a), corners(&b))
    };
    let (a, b) = (&PreparedMesh::new(a.clone()), &PreparedMesh::new(b.clone()));
    let Ok(fast) = first_contact(a, b, &screw, &options) else { return };
    let reference = Options { search: SearchMethod::Reference, ..options };
    let slow = first_contact(a, b, &screw, &reference).expect("the same question");
    if !ran_out(&fast.outcome) && !ran_out(&slow.outcome) {
        assert_eq!(fast.outcome, slow.outcome, "the reference says the latter: {}", case());
    }
    let swapped = first_contact(b, a, &screw.inverse(), &options).expect("the same question");
    let any = any_contact(a, b, &screw, &options).expect("the same question");
    let all = all_contacts(a, b, &screw, &options).expect("the same question");
    for (name, other) in [("swapped", &swapped), ("any", &any), ("all", &all)] {
        if let Some(what) = contradiction(&fast.outcome, &other.outcome) {
            panic!("{what}: {:?} and, {name}, {:?}: {}", fast.outcome, other.outcome, case());
        }
    }
    // This function has no twin here, so the test is only that it terminates.
    let _ = first_within(a, b, &screw, &options);
}

/// Two small meshes and a screw: the report of `chasles screen` is one line, does not contradict the first contact,
/// and is also complete on pixels.
pub fn screened_report(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let (Some(screw), Some(a), Some(b)) = (bytes.screw(), mesh(&mut bytes), mesh(&mut bytes)) else { return };
    let (a, b) = (&PreparedMesh::new(a), &PreparedMesh::new(b));
    let options = Options { budget: BUDGET, ..Options::default() };
    let query = ScreenQuery {
        resolution: bytes.once_in(3).then(|| 1 + u32::from(bytes.byte())),
        options,
        concurrent: bytes.once_in(2).then(|| bytes.size()),
        play: bytes.once_in(2),
        probes: (0..bytes.below(3)).map(|_| bytes.vector()).collect(),
    };
    let Ok(report) = screen_report("fuzz", (a, b), &screw, &query, &()) else { return };
    let line = report.to_line();
    assert!(
        line.starts_with("{\"format\":1") && line.ends_with("}\n") && line.lines().count() == 1,
        "{line}"
    );
    let first = first_contact(a, b, &screw, &options).expect("the same question").outcome;
    let crossing = matches!(&first, Outcome::Contact(contact) if !contact.touching);
    let is_clear = report.verdict == ScreenVerdict::Clear && query.resolution.is_none();
    assert!(!(is_clear && crossing), "{line}: {first:?}");
}

fn ran_out(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Undecided { .. })
}

/// The reason why two answers to one query cannot both be right.
fn contradiction(one: &Outcome, other: &Outcome) -> Option<&'static str> {
    match (one, other) {
        (Outcome::Clear, Outcome::Contact(contact)) | (Outcome::Contact(contact), Outcome::Clear) => {
            (!contact.touching).then_some("clear, and a crossing")
        }
        (Outcome::Clear, Outcome::Overlapping(_)) | (Outcome::Overlapping(_), Outcome::Clear) => {
            Some("clear, and overlapping")
        }
        (Outcome::Undecided { clear_until, .. }, Outcome::Contact(contact))
        | (Outcome::Contact(contact), Outcome::Undecided { clear_until, .. }) => {
            (!contact.touching && contact.time[1] < *clear_until).then_some("clear until after a crossing")
        }
        _ => None,
    }
}

/// A scene of a few bodies: it can be checked, every pose is valid, and reversing the list of bodies causes no
/// contradiction.
pub fn scene_of_a_few(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let Some(definition) = scene(&mut bytes) else { return };
    let last = definition.bodies.len() - 1;
    let mut rotated = definition.clone();
    rotated.bodies.reverse();
    rotated
        .bodies
        .iter_mut()
        .for_each(|body| body.parent = body.parent.map(|parent| last.saturating_sub(parent)));
    for side in rotated.ignore.iter_mut().flatten() {
        if let PairSide::Body(body) = side {
            *body = last.saturating_sub(*body);
        }
    }
    let (Ok(scene), Ok(rotated)) = (Scene::new(definition), Scene::new(rotated)) else { return };
    for body in 0..=last {
        for part in [0.0, 0.4, 1.0] {
            let pose = scene.pose_at(body, part * scene.duration());
            assert!(pose.position().is_finite() && pose.rotation().is_normalized(), "{pose:?}");
        }
    }
    let options = CheckOptions { budget: 2_000, listed: PairListing::All, ..CheckOptions::default() };
    let (Ok(report), Ok(other)) = (scene.check(&options, &()), rotated.check(&options, &())) else { return };
    within(&report, [0.0, scene.duration()]);
    assert_eq!(report.pairs.len(), other.pairs.len());
    for pair in &report.pairs {
        let mut bodies = pair.bodies.map(|body| last - body);
        bodies.reverse();
        let twin = other.pairs.iter().find(|twin| twin.bodies == bodies).expect("all pairs are listed");
        for (clear, found_contact) in [(pair, twin), (twin, pair)] {
            let crossed = found_contact
                .intervals
                .iter()
                .any(|interval| interval.contact.is_some() && !interval.touching);
            let is_clear = matches!(clear.verdict, PairVerdict::Clear | PairVerdict::Near);
            assert!(!(is_clear && crossed), "{clear:?} and {found_contact:?}");
        }
    }
    let few = CheckOptions { listed: PairListing::NotClear, ..options };
    let few = scene.check(&few, &()).expect("the same question");
    for pair in report.pairs.iter().filter(|pair| pair.verdict >= PairVerdict::Contact) {
        let listed = few.pairs.iter().find(|listed| listed.bodies == pair.bodies);
        assert!(listed.is_some_and(|listed| listed.verdict >= PairVerdict::Near), "{pair:?} and {listed:?}");
    }
    let _ = scene.static_intersections(0.5 * scene.duration());
}

/// A robot in a cell: a path is checked, a move is tried, and the robot's configurations are counted.
pub fn robot_cell(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let Some(definition) = cell(&mut bytes) else { return };
    let Ok(cell) = RobotCell::new(definition) else { return };
    let options = CheckOptions { budget: 2_000, ..CheckOptions::default() };
    let robot = cell.robot();
    let path = path(&mut bytes, robot.joints().len());
    if let Ok(found) = cell.check_path(&path, &options, &()) {
        within(&found.report, path.interval());
        assert_eq!(found.entries.len(), found.report.pairs.len());
    }
    let from = robot.rest();
    let to: Vec<f64> = from.iter().map(|_| bytes.number()).collect();
    if let Ok(MoveOutcome::Refused { free, values, .. }) = cell.try_move([&from, &to], &options, &()) {
        assert!((0.0..=1.0).contains(&free) && values.len() == from.len());
    }
    if let Ok(static_robot) = cell.with_static_world(bytes.number()) {
        assert_eq!(static_robot.count(), cell.count());
    }
    let configurations = robot.count_contacts(&[from]);
    assert!(configurations.iter().all(|pair| pair.links[0] < pair.links[1] && pair.touching <= 1));
}

/// Checks that times are in order and within an interval.
fn within(report: &SceneReport, [start, end]: [f64; 2]) {
    for pair in &report.pairs {
        assert!((start..=end).contains(&pair.clear_until), "{pair:?}");
        for interval in &pair.intervals {
            let [lo, hi] = interval.enter;
            assert!(start <= lo && lo <= hi && hi <= end, "{pair:?}");
            if let Some([exit, left]) = interval.exit {
                assert!(lo <= left && exit <= left && left <= end, "{pair:?}");
            }
        }
    }
}

fn mesh(bytes: &mut Bytes<'_>) -> Option<Mesh> {
    let vertices: Vec<DVec3> = (0..3 + bytes.below(6)).map(|_| bytes.vector()).collect();
    // One more than the number of vertices, so that an invalid index occurs occasionally.
    let count = u8::try_from(vertices.len() + usize::from(bytes.once_in(16))).ok()?;
    let corner = |bytes: &mut Bytes<'_>| u32::from(bytes.byte() % count);
    let triangles = (0..1 + bytes.below(6)).map(|_| [(); 3].map(|()| corner(bytes))).collect();
    Mesh::new(vertices, triangles).ok()
}

fn shape(bytes: &mut Bytes<'_>) -> Option<CollisionShape> {
    let primitive = match bytes.below(7) {
        0 => Primitive::Box { size: DVec3::new(bytes.size(), bytes.size(), bytes.size()) },
        1 => Primitive::Sphere { radius: bytes.size() },
        2 => Primitive::Cylinder { radius: bytes.size(), height: bytes.size() },
        3 => Primitive::Cone { radius: bytes.size(), height: bytes.size() },
        4 => Primitive::Capsule { radius: bytes.size(), height: bytes.size() },
        _ => return Some(CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh(bytes)?)))),
    };
    CollisionShape::primitive(primitive).ok()
}

/// One to three keys, at arbitrary times in arbitrary order.
fn keys<'b, T>(bytes: &mut Bytes<'b>, value: fn(&mut Bytes<'b>) -> T) -> Vec<(f64, T)> {
    (0..1 + bytes.below(3)).map(|_| (bytes.size(), value(bytes))).collect()
}

fn curve<'b, T: Copy>(bytes: &mut Bytes<'b>, value: fn(&mut Bytes<'b>) -> T) -> Curve<T> {
    match bytes.below(4) {
        0 => Curve::Step(keys(bytes, value)),
        1 | 2 => Curve::Linear(keys(bytes, value)),
        _ => {
            let keys = (0..1 + bytes.below(3)).map(|_| CubicKey {
                time: bytes.size(),
                in_tangent: value(bytes),
                value: value(bytes),
                out_tangent: value(bytes),
            });
            Curve::Cubic(keys.collect())
        }
    }
}

fn motion(bytes: &mut Bytes<'_>) -> Option<BodyMotion> {
    Some(match bytes.below(8) {
        0 => BodyMotion::Still(bytes.pose()?),
        1 | 2 => BodyMotion::Screw(bytes.screw()?),
        3 => {
            let poses = keys(bytes, Bytes::pose).into_iter();
            BodyMotion::Keyframes(poses.map(|(time, pose)| Some((time, pose?))).collect::<Option<_>>()?)
        }
        4 => BodyMotion::Twist { start: bytes.pose()?, linear: bytes.vector(), angular: bytes.vector() },
        5 => BodyMotion::Curves {
            position: curve(bytes, Bytes::vector),
            rotation: curve(bytes, Bytes::quaternion),
        },
        6 => BodyMotion::Joint {
            origin: bytes.pose()?,
            axis: axis(bytes)?,
            values: curve(bytes, Bytes::number),
        },
        _ => {
            let (start, duration) = (bytes.number(), bytes.size());
            BodyMotion::During { start, duration, motion: Box::new(BodyMotion::Screw(bytes.screw()?)) }
        }
    })
}

fn axis(bytes: &mut Bytes<'_>) -> Option<JointAxis> {
    let direction = if bytes.once_in(3) { bytes.vector() } else { DVec3::Z };
    Some(if bytes.once_in(3) { JointAxis::Prismatic(direction) } else { JointAxis::Revolute(direction) })
}

fn body(bytes: &mut Bytes<'_>, parents: u8) -> Option<SceneBody> {
    Some(SceneBody {
        name: "body".into(),
        shape: if bytes.once_in(8) { None } else { Some(shape(bytes)?) },
        motion: motion(bytes)?,
        parent: (parents > 0 && bytes.once_in(3)).then(|| bytes.below(parents)),
        group: bytes.once_in(8).then(|| "group".into()),
        solid: bytes.once_in(4),
    })
}

fn clearance(bytes: &mut Bytes<'_>) -> f64 {
    if bytes.once_in(3) { bytes.size() } else { 0.0 }
}

fn scene(bytes: &mut Bytes<'_>) -> Option<SceneDefinition> {
    let (duration, clearance) = (bytes.size(), clearance(bytes));
    let tolerance = bytes.once_in(4).then(|| bytes.size());
    let ignore =
        if bytes.once_in(8) { vec![[PairSide::Every, PairSide::Body(bytes.below(3))]] } else { Vec::new() };
    let count = 2 + u8::from(bytes.once_in(2));
    let bodies = (0..count).map(|_| body(bytes, count)).collect::<Option<_>>()?;
    Some(SceneDefinition { duration, tolerance, clearance, bodies, ignore })
}

fn cell(bytes: &mut Bytes<'_>) -> Option<CellDefinition> {
    let links = 2 + bytes.below(3);
    let link = |bytes: &mut Bytes<'_>, number: usize| {
        let elements = (0..bytes.below(3))
            .map(|_| Some(LinkElement { shape: shape(bytes)?, pose: bytes.pose()?, solid: false }));
        Some(Link { name: format!("link{number}"), elements: elements.collect::<Option<_>>()? })
    };
    let links: Vec<Link> = (0..links).map(|number| link(bytes, number)).collect::<Option<_>>()?;
    let joints = (1..links.len()).map(|child| joint(bytes, child)).collect::<Option<_>>()?;
    let disabled = if bytes.once_in(4) { vec![[bytes.below(4), bytes.below(4)]] } else { Vec::new() };
    let adjacent = if bytes.once_in(4) { AdjacentLinks::Tested } else { AdjacentLinks::Skipped };
    let definition = RobotDefinition { name: "robot".into(), links, joints, disabled, adjacent };
    let robot = Robot::new(definition).ok()?;
    let around = |bytes: &mut Bytes<'_>| {
        let link = bytes.once_in(3).then(|| bytes.below(4));
        Some(WorldBody { body: body(bytes, 2)?, link })
    };
    Some(CellDefinition {
        robot,
        base: bytes.pose()?,
        world: (0..bytes.below(3)).map(|_| around(bytes)).collect::<Option<_>>()?,
        world_duration: bytes.size(),
        ignore: Vec::new(),
        tolerance: bytes.once_in(4).then(|| bytes.size()),
        clearance: clearance(bytes),
        clearances: if bytes.once_in(4) { vec![([0, 1], bytes.size())] } else { Vec::new() },
    })
}

/// A joint that carries link `child`, usually on the previous link.
fn joint(bytes: &mut Bytes<'_>, child: usize) -> Option<Joint> {
    let parent = if bytes.once_in(4) { bytes.below(4) } else { child - 1 };
    Some(Joint {
        name: format!("joint{child}"),
        parent,
        child,
        origin: bytes.pose()?,
        axis: if bytes.once_in(8) { None } else { Some(axis(bytes)?) },
        rest: if bytes.once_in(4) { bytes.number() } else { 0.0 },
        limits: bytes.once_in(4).then(|| [-bytes.size(), bytes.size()]),
        velocity: None,
        mimic: bytes.once_in(6).then(|| Mimic {
            joint: bytes.below(4),
            multiplier: bytes.number(),
            offset: bytes.number(),
        }),
    })
}

fn path(bytes: &mut Bytes<'_>, joints: usize) -> JointPath {
    let joints: Vec<usize> = (0..joints).filter(|_| !bytes.once_in(4)).collect();
    let numbers = |bytes: &mut Bytes<'_>| joints.iter().map(|_| bytes.number()).collect::<Vec<f64>>();
    let mut time = bytes.number();
    let waypoints = (0..2 + bytes.below(2)).map(|_| {
        time += bytes.size();
        let velocities = if bytes.once_in(3) { numbers(bytes) } else { Vec::new() };
        Waypoint { time, positions: numbers(bytes), velocities }
    });
    JointPath { waypoints: waypoints.collect(), joints: joints.clone() }
}
