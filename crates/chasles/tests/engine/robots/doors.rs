//! Paths, edges, reaches and configurations give the same answers about the pairs that a joint can move, for random
//! cells with all kinds of shapes. In a second test the construction of the cell determines which body is inside
//! which.

use std::sync::Arc;

use chasles::{
    AdjacentLinks, BodyMotion, CellDefinition, CheckOptions, CollisionShape, EdgeChecker, EdgeMemory,
    EdgeOptions, EdgeOutcome, Expression, HeightField, Joint, JointAxis, JointPath, Link, LinkElement,
    PairReport, PairVerdict, ParametricSurface, PartShape, PointCloud, Pose, Primitive, RestingPairs, Robot,
    RobotCell, RobotDefinition, SceneBody, Solid, SolidPart, Waypoint, WorldBody,
};
use glam::DVec3;

use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::cases::{fewer, pose};
use crate::scenes::scene_cases::{closed_shape, mesh_shape};
use chasles_testing::Random;

/// Kinds of shapes: kinds with an interior come first.
const KINDS: usize = 12;
const WITH_INSIDE: usize = 10;

fn primitive(primitive: Primitive) -> CollisionShape {
    CollisionShape::primitive(primitive).unwrap()
}

fn solid(shape: PartShape) -> CollisionShape {
    let part = SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 };
    CollisionShape::solid(Arc::new(Solid::new(vec![part]).unwrap())).unwrap()
}

fn expression(text: &str, variables: &[&str]) -> Expression {
    Expression::parse(text, variables).unwrap()
}

/// A shape whose surface is about `size` from its origin: between half and twice that distance.
fn shape(kind: usize, size: f64) -> CollisionShape {
    let around = [DVec3::splat(-1.2 * size), DVec3::splat(1.2 * size)];
    match kind {
        0 => primitive(Primitive::Box { size: 2.0 * DVec3::new(size, 0.8 * size, 1.1 * size) }),
        1 => primitive(Primitive::Sphere { radius: size }),
        2 => primitive(Primitive::Cylinder { radius: size, height: 2.0 * size }),
        3 => primitive(Primitive::Capsule { radius: 0.8 * size, height: size }),
        4 => primitive(Primitive::Cone { radius: 1.7 * size, height: 3.0 * size }),
        5 => {
            // A box, as a mesh.
            let mesh = primitive(Primitive::Box { size: DVec3::splat(2.0 * size) }).drawn().clone();
            CollisionShape::mesh(Arc::new(chasles::PreparedMesh::new(mesh)))
        }
        6 => {
            let formula = expression(&format!("x^2 + y^2 + z^2 - {:?}", size * size), &["x", "y", "z"]);
            solid(PartShape::Formula { formula, bounds: around })
        }
        7 => solid(PartShape::Primitive(Primitive::Cylinder { radius: size, height: 2.0 * size })),
        8 => {
            let mesh = primitive(Primitive::Box { size: DVec3::splat(2.0 * size) }).drawn().clone();
            solid(PartShape::Mesh(Arc::new(mesh)))
        }
        9 => {
            let origin = [-size, -size];
            let field = HeightField::new(vec![size; 4], [2, 2], [2.0 * size; 2], origin, -size);
            solid(PartShape::Heights(Arc::new(field.unwrap())))
        }
        10 => {
            let points = [0.0, 0.7, -0.7].map(|x| DVec3::new(x * size, 0.5 * x * size, -0.3 * x * size));
            CollisionShape::cloud(Arc::new(PointCloud::new((0..).zip(points).collect(), 0.2 * size).unwrap()))
                .unwrap()
        }
        _ => {
            let coordinates = ["u", "v", "0.3 * u * v"].map(|text| expression(text, &["u", "v"]));
            let surface = ParametricSurface::new(coordinates, [[-0.9, 0.9]; 2], size).unwrap();
            CollisionShape::parametric(Arc::new(surface)).unwrap()
        }
    }
}

fn joint(number: usize, axis: Option<JointAxis>, origin: Pose) -> Joint {
    Joint { origin, ..Joint::new(format!("j{number}"), [number, number + 1], axis) }
}

fn body(name: String, shape: CollisionShape, solid: bool, place: Pose) -> SceneBody {
    SceneBody { name, shape: Some(shape), motion: BodyMotion::Still(place), parent: None, group: None, solid }
}

fn cell(robot: RobotDefinition, world: Vec<WorldBody>) -> CellDefinition {
    CellDefinition {
        robot: Robot::new(robot).unwrap(),
        base: Pose::IDENTITY,
        world,
        world_duration: 1.0,
        ignore: Vec::new(),
        tolerance: None,
        clearance: 0.0,
        clearances: Vec::new(),
    }
}

fn robot(links: Vec<Link>, joints: Vec<Joint>) -> RobotDefinition {
    let (disabled, adjacent) = (Vec::new(), AdjacentLinks::Skipped);
    RobotDefinition { name: "robot".into(), links, joints, disabled, adjacent }
}

fn link(number: usize, elements: Vec<LinkElement>) -> Link {
    Link { name: format!("l{number}"), elements }
}

/// Whether a joint can move two links or bodies relative to each other.
fn can_move(cell: &CellDefinition, pair: [usize; 2]) -> bool {
    let (robot, links) = (&cell.robot, cell.robot.links().len());
    let above = |body: usize| {
        let world = body.checked_sub(links).map(|number| &cell.world[number]);
        let mut link = world.map_or(Some(body), |world| world.link);
        let mut found = Vec::new();
        while let Some(number) = link.and_then(|link| robot.joint_above(link)) {
            let joint = &robot.joints()[number];
            found.extend(joint.axis.is_some().then_some(number));
            link = Some(joint.parent);
        }
        found
    };
    above(pair[0]) != above(pair[1])
}

/// The report of a path from one configuration to another, about the pairs that a joint can move.
fn path(cell: &RobotCell, joints: &[usize], ends: [&[f64]; 2]) -> Vec<PairReport> {
    let waypoint =
        |time: usize| Waypoint { time: time as f64, positions: ends[time].to_vec(), velocities: Vec::new() };
    let path = JointPath { joints: joints.to_vec(), waypoints: vec![waypoint(0), waypoint(1)] };
    let options = CheckOptions { resting: RestingPairs::Tested, ..CheckOptions::default() };
    let mut pairs = cell.check_path(&path, &options, &()).unwrap().report.pairs;
    pairs.retain(|pair| can_move(cell.definition(), pair.bodies));
    pairs
}

fn worst(pairs: &[PairReport]) -> PairVerdict {
    pairs.iter().map(|pair| pair.verdict).max().unwrap_or(PairVerdict::Clear)
}

/// Compares an edge, a reach and, for equal ends, a configuration with the path.
fn compare(cell: &RobotCell, checker: &EdgeChecker, ends: [&[f64]; 2]) -> (Wrong, PairVerdict, bool) {
    let mut wrong = Wrong::new();
    let memory = &mut EdgeMemory::default();
    let found = path(cell, checker.joints(), ends);
    let verdict = worst(&found);
    let [from, to] = ends;
    let is_still = from == to;
    let edge = checker.check_edge(from, to, memory).unwrap();
    let reach = checker.reach(from, to, memory).unwrap();
    let mut asked = vec![("edge", edge)];
    if is_still {
        asked.push(("configuration", checker.check_configuration(from, memory).unwrap()));
    }
    let mut undecided = verdict == PairVerdict::Undecided;
    for (door, outcome) in asked {
        let agrees = match outcome {
            EdgeOutcome::Free => verdict == PairVerdict::Clear,
            EdgeOutcome::Blocked(_) => verdict != PairVerdict::Clear,
            EdgeOutcome::Undecided(_) => {
                undecided = true;
                true
            }
        };
        if !agrees && verdict != PairVerdict::Undecided {
            wrong.push(format!("{door}: {outcome:?}, path: {verdict:?} {found:?}"));
        }
    }
    // The free part of an edge ends no later than the proven start of the first contact.
    let begins = found.iter().filter_map(|pair| pair.intervals.first()).map(|met| met.enter[1]);
    let begin = begins.fold(f64::INFINITY, f64::min);
    if reach.free_until > begin + 1e-9 {
        wrong.push(format!("{reach:?}, path: {found:?}"));
    }
    if verdict == PairVerdict::Clear && (reach.contact.is_some() || reach.free_until < 1.0 && !undecided) {
        wrong.push(format!("{reach:?}, path: clear"));
    }
    if let Some(contact) = reach.contact
        && !(reach.free_until <= contact.at[0] && contact.at[0] <= contact.at[1])
    {
        wrong.push(format!("{reach:?}"));
    }
    (wrong, verdict, undecided)
}

/// Small bodies in the middle of large ones, of all kinds: in contact if the large one is solid, free if it is
/// hollow, whichever body is attached to the robot.
#[test]
fn bodies_inside_a_solid_are_in_contact_in_every_query() {
    let inners = [1, 5, 6, 10, 11];
    for_all((WITH_INSIDE * inners.len()) as u64, |seed| {
        let mut wrong = Wrong::new();
        let seed = usize::try_from(seed).unwrap();
        let (outer, inner) = (seed % WITH_INSIDE, inners[seed / WITH_INSIDE]);
        let carries = (outer + inner) % 2 == 0;
        for is_solid in [true, false] {
            let kinds = [(outer, 0.3, is_solid), (inner, 0.02, true)];
            let [(link_kind, link_size, link_solid), (kind, size, solid)] =
                if carries { kinds } else { [kinds[1], kinds[0]] };
            let may_be_solid = |kind: usize, solid: bool| solid && kind < WITH_INSIDE;
            let part = LinkElement {
                shape: shape(link_kind, link_size),
                pose: Pose::IDENTITY,
                solid: may_be_solid(link_kind, link_solid),
            };
            let slide = joint(0, Some(JointAxis::Prismatic(DVec3::X)), Pose::IDENTITY);
            let robot = robot(vec![link(0, vec![]), link(1, vec![part])], vec![slide]);
            let solid = may_be_solid(kind, solid);
            let other =
                body("other".into(), shape(kind, size), solid, pose(DVec3::ZERO, glam::DQuat::IDENTITY));
            let cell = RobotCell::new(cell(robot, vec![WorldBody { body: other, link: None }])).unwrap();
            let options = EdgeOptions { preparation: 1_000, ..EdgeOptions::default() };
            let checker = EdgeChecker::new(&cell, &options).unwrap();
            for ends in [[[-0.03], [0.03]], [[0.0], [0.0]]] {
                let (found, verdict, undecided) = compare(&cell, &checker, [&ends[0], &ends[1]]);
                let meets = matches!(verdict, PairVerdict::Overlapping | PairVerdict::Contact);
                if !found.is_empty() || meets != is_solid || undecided {
                    let what = format!("{inner} in {outer}, solid {is_solid}, carries {carries}, {ends:?}");
                    wrong.push(format!("{what}: {verdict:?}, {found:?}"));
                }
            }
        }
        wrong
    });
}

/// Two bodies that pass each other at 3 cm or 7 cm, with a clearance of 5 cm for all pairs or for this pair.
#[test]
fn the_clearance_counts_in_every_query() {
    // Each reaches from its origin along x by its size.
    let kinds = [0, 1, 2, 5, 6, 7, 8, 9];
    for_all((kinds.len() * kinds.len()) as u64, |seed| {
        let mut wrong = Wrong::new();
        let seed = usize::try_from(seed).unwrap();
        let (kind, other) = (kinds[seed % kinds.len()], kinds[seed / kinds.len()]);
        for (gap, of_all) in [(0.03, true), (0.03, false), (0.07, true), (0.07, false)] {
            let part = LinkElement { shape: shape(kind, 0.1), pose: Pose::IDENTITY, solid: true };
            let slide = joint(0, Some(JointAxis::Prismatic(DVec3::Y)), Pose::IDENTITY);
            let robot = robot(vec![link(0, vec![]), link(1, vec![part])], vec![slide]);
            let place = pose(DVec3::X * (0.2 + gap), glam::DQuat::IDENTITY);
            let other = body("other".into(), shape(other, 0.1), true, place);
            let mut definition = cell(robot, vec![WorldBody { body: other, link: None }]);
            if of_all {
                definition.clearance = 0.05;
            } else {
                definition.clearances = vec![([1, 2], 0.05)];
            }
            let cell = RobotCell::new(definition).unwrap();
            let options = EdgeOptions { preparation: 1_000, ..EdgeOptions::default() };
            let checker = EdgeChecker::new(&cell, &options).unwrap();
            let expected = if gap < 0.05 { PairVerdict::Near } else { PairVerdict::Clear };
            for ends in [[[-0.4], [0.5]], [[0.0], [0.0]]] {
                let (found, verdict, undecided) = compare(&cell, &checker, [&ends[0], &ends[1]]);
                if !found.is_empty() || verdict != expected || undecided {
                    wrong.push(format!("{gap}, {of_all}, {ends:?}: {verdict:?}, {undecided}, {found:?}"));
                }
            }
        }
        wrong
    });
}

/// A chain of four joints among bodies that are static or attached to links. One joint may be fixed, and the planner
/// may omit one joint.
fn case(random: &mut Random) -> (CellDefinition, Vec<usize>) {
    let some_shape = |random: &mut Random, size: f64| {
        let kind = random.below(KINDS + 2);
        let made = match kind {
            0..KINDS => shape(kind, size),
            _ => {
                let raw = std::iter::repeat_with(|| closed_shape(random)).find(|raw| raw.1.len() <= 20);
                mesh_shape(&raw.unwrap(), 2.0 * size, DVec3::ZERO)
            }
        };
        let solid = made.is_closed() && random.below(4) > 0;
        (made, solid)
    };
    let joints = (0..4).map(|number| {
        let axis = random.direction();
        let axis = match random.below(7) {
            0..4 => Some(JointAxis::Revolute(axis)),
            4..6 => Some(JointAxis::Prismatic(0.5 * axis)),
            _ => None,
        };
        joint(number, axis, pose(0.4 * random.direction(), random.rotation()))
    });
    let joints: Vec<Joint> = joints.collect();
    let links = (0..5).map(|number| {
        let parts = (0..[0, 1, 1, 2][random.below(4)]).map(|_| {
            let size = random.within(0.04, 0.2);
            let (shape, solid) = some_shape(random, size);
            LinkElement { shape, pose: pose(random.vector(0.15), random.rotation()), solid }
        });
        link(number, parts.collect())
    });
    let robot = robot(links.collect(), joints);
    let world = (0..3).map(|number| {
        let link = (random.below(3) == 0).then(|| random.below(5));
        let reach = if link.is_some() { 0.2 } else { 0.9 };
        let size = random.within(0.04, 0.3);
        let (shape, solid) = some_shape(random, size);
        let place = pose(random.vector(reach), random.rotation());
        WorldBody { body: body(format!("w{number}"), shape, solid, place), link }
    });
    let mut cell = cell(robot, world.collect());
    let robot = &cell.robot;
    let mut set: Vec<usize> = (0..4).filter(|joint| robot.is_set(*joint)).collect();
    if set.len() > 1 && random.below(3) == 0 {
        set.remove(random.below(set.len()));
    }
    cell.clearance = [0.0, 0.0, 0.05][random.below(3)];
    if random.below(4) == 0 {
        cell.clearances = vec![([random.below(5), 5 + random.below(3)], 0.1)];
    }
    (cell, set)
}

/// Reaches cut short by a small budget that extend beyond the first contact of a path.
fn reaches_beyond(cell: &RobotCell, (checker, set): (&EdgeChecker, &[usize]), ends: [&[f64]; 2]) -> Wrong {
    let pairs = path(cell, set, ends);
    let met = pairs.iter().filter_map(|pair| Some(pair.intervals.first()?.enter[1]));
    let Some(first) = met.reduce(f64::min) else { return Wrong::new() };
    let reach = |budget: u64| {
        let found = checker.with_budget(budget).reach(ends[0], ends[1], &mut EdgeMemory::default()).unwrap();
        let is_beyond = found.free_until > first * (1.0 + 1e-9);
        is_beyond.then(|| format!("free until {} of {first} with {budget} steps", found.free_until))
    };
    [1, 30, 300, 3_000].into_iter().filter_map(reach).collect()
}

#[test]
fn paths_edges_reaches_and_configurations_agree() {
    let [asked, free, blocked, undecided] = [(); 4].map(|()| Counter::default());
    for_all(fewer(30, 2), |seed| {
        let random = &mut Random(seed);
        let (definition, set) = case(random);
        if set.is_empty() {
            return Wrong::new();
        }
        let cell = RobotCell::new(definition).unwrap();
        let options = EdgeOptions { joints: set.clone(), preparation: 1_000, ..EdgeOptions::default() };
        let checker = EdgeChecker::new(&cell, &options).unwrap();
        let from: Vec<f64> = set.iter().map(|_| random.within(-2.0, 2.0)).collect();
        let length = [0.0, 0.1, 1.0][random.below(3)];
        let to: Vec<f64> = from
            .iter()
            .map(
                |value| if random.below(3) == 0 { *value } else { value + length * random.within(-1.0, 1.0) },
            )
            .collect();
        let (mut wrong, verdict, doubt) = compare(&cell, &checker, [&from, &to]);
        wrong.extend(reaches_beyond(&cell, (&checker, &set), [&from, &to]));
        asked.add();
        free.add_if(verdict == PairVerdict::Clear);
        blocked.add_if(!matches!(verdict, PairVerdict::Clear | PairVerdict::Undecided));
        undecided.add_if(doubt);
        wrong
    });
    let [asked, free, blocked, undecided] = [asked, free, blocked, undecided].map(|count| count.get());
    let text = format!("{asked} asked: {free} free, {blocked} blocked, {undecided} undecided");
    println!("{text}");
    assert!(5 * free > asked && 5 * blocked > asked && 20 * undecided < asked, "{text}");
}
