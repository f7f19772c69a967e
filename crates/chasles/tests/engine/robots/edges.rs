//! Edges for planners, compared with dense sampling, with checks of whole paths, and with themselves: random robots
//! between random configurations among static bodies and bodies attached to links.
//!
//! Link poses are computed independently (`robot_cases::kinematics`), contact by the slow twin of the scene tests:
//! triangle by triangle, and round bodies by their formulas.

use std::sync::Arc;

use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::cases::{self, fewer};
use crate::robots::robot_cases::traced::{ROUNDING, Traced};
use crate::robots::robot_cases::{RobotCase, robot_case};
use crate::scenes::scene_cases::sampled::Sampled;
use crate::scenes::scene_cases::still::Detail;
use chasles::{
    AdjacentLinks, BodyMotion, CellDefinition, CheckOptions, CollisionShape, EdgeChecker, EdgeContact,
    EdgeMemory, EdgeOptions, EdgeOutcome, Joint, JointAxis, Link, LinkElement, Mesh, PairReport, PairVerdict,
    Pose, PreparedMesh, Primitive, RestingPairs, Robot, RobotCell, RobotDefinition, SceneBody, Waypoint,
    WorldBody,
};
use chasles_testing::Random;
use glam::DVec3;

/// Initial number of samples of a pair, before refinement.
const SAMPLES: usize = 100;

/// Numbers of tested cases.
#[derive(Debug, Default)]
struct Counts {
    edges: Counter,
    free: Counter,
    near: Counter,
    blocked: Counter,
    undecided: Counter,
    by_path: Counter,
    /// With a budget that is too small.
    spent: Counter,
}

/// A case with a static world whose path is one edge from time 0 to 1; `None` if no joint can be set.
fn edge_case(random: &mut Random) -> Option<RobotCase> {
    let mut case = robot_case(random);
    for world in &mut case.cell.world {
        if !matches!(world.body.motion, BodyMotion::Still(_)) {
            let place = random.vector(1.2);
            world.body.motion = BodyMotion::Still(cases::pose(place, random.rotation()));
        }
    }
    let length = [0.02, 0.3, 1.0][random.below(3)];
    let [first, second] = [&case.path.waypoints[0], &case.path.waypoints[1]];
    let to = first.positions.iter().zip(&second.positions).map(|(x, y)| x + length * (y - x)).collect();
    let waypoint = |time, positions| Waypoint { time, positions, velocities: Vec::new() };
    case.path.waypoints = vec![waypoint(0.0, first.positions.clone()), waypoint(1.0, to)];
    (!case.path.joints.is_empty()).then_some(case)
}

fn ends(case: &RobotCase) -> [&[f64]; 2] {
    [0, 1].map(|i| case.path.waypoints[i].positions.as_slice())
}

fn checker(case: &RobotCase) -> EdgeChecker {
    let options =
        EdgeOptions { joints: case.path.joints.clone(), preparation: 10_000, ..EdgeOptions::default() };
    EdgeChecker::new(&case.robot_cell(), &options).unwrap()
}

/// All pairs that any joint can move.
fn pairs(case: &RobotCase) -> Vec<[usize; 2]> {
    let mut moving = case.clone();
    let mut robot = moving.cell.robot.definition().clone();
    robot.joints.iter_mut().for_each(|joint| joint.mimic = None);
    let joints: Vec<usize> =
        (0..robot.joints.len()).filter(|joint| robot.joints[*joint].axis.is_some()).collect();
    let at = |time: f64| Waypoint { time, positions: vec![time; joints.len()], velocities: Vec::new() };
    moving.path.waypoints = vec![at(0.0), at(1.0)];
    moving.path.joints = joints;
    moving.cell.robot = Robot::new(robot).unwrap();
    moving.moving_pairs().into_iter().collect()
}

fn is_contact(case: &RobotCase, contact: &EdgeContact, tolerance: f64) -> bool {
    let traced = Traced::new(case, contact.bodies, tolerance);
    let look = traced.sample(contact.at[1], Detail::Exact);
    look.meets || look.gap - look.slack <= tolerance + ROUNDING
}

fn check_seed(seed: u64, counts: &Counts) -> Wrong {
    let random = &mut Random(seed);
    let mut wrong = Wrong::new();
    let Some(case) = edge_case(random) else { return wrong };
    let checker = checker(&case);
    let memory = &mut EdgeMemory::default();
    let [from, to] = ends(&case);
    let outcome = checker.check_edge(from, to, memory).unwrap();
    let reach = checker.reach(from, to, memory).unwrap();
    let tolerance = checker.tolerance();
    counts.edges.add();
    counts.by_path.add_if(memory.work().by_path > 0);
    let pairs = pairs(&case);
    let mut free_until = 1.0_f64;
    let mut nearest = f64::INFINITY;
    for pair in &pairs {
        let traced = Traced::new(&case, *pair, tolerance);
        for (time, look) in traced.trace(SAMPLES) {
            nearest = nearest.min(look.gap);
            if look.meets && time < free_until {
                free_until = time;
            }
        }
    }
    let meets = free_until < 1.0
        || pairs.iter().any(|pair| Traced::new(&case, *pair, tolerance).sample(1.0, Detail::Exact).meets);
    match outcome {
        EdgeOutcome::Free => {
            counts.free.add();
            counts.near.add_if(nearest < 0.02);
            if meets {
                wrong.push(format!("free, but samples meet at {free_until}"));
            }
            if reach.free_until != 1.0 || reach.contact.is_some() {
                wrong.push(format!("free, but {reach:?}"));
            }
        }
        EdgeOutcome::Blocked(contact) => {
            counts.blocked.add();
            if !pairs.contains(&contact.bodies) || !is_contact(&case, &contact, tolerance) {
                wrong.push(format!("no contact: {contact:?}"));
            }
        }
        EdgeOutcome::Undecided(_) => counts.undecided.add(),
    }
    if reach.free_until > free_until + 1e-12 {
        wrong.push(format!("{reach:?}, but samples meet at {free_until}"));
    }
    for budget in [1, 100, 10_000] {
        let limited = checker.with_budget(budget);
        let outcome = limited.check_edge(from, to, memory).unwrap();
        let reach = limited.reach(from, to, memory).unwrap();
        counts.spent.add_if(matches!(outcome, EdgeOutcome::Undecided(_)));
        let contradicts =
            matches!(&outcome, EdgeOutcome::Blocked(contact) if reach.free_until > contact.at[1]);
        if reach.free_until > free_until + 1e-12 || contradicts {
            wrong.push(format!(
                "{reach:?} with a budget of {budget}, but {outcome:?} and samples {free_until}"
            ));
        }
    }
    if let Some(contact) = &reach.contact {
        let ordered = reach.free_until <= contact.at[0] && contact.at[0] <= contact.at[1];
        if !ordered || !is_contact(&case, contact, tolerance) || !pairs.contains(&contact.bodies) {
            wrong.push(format!("no contact: {reach:?}"));
        }
        if contact.at[1] - reach.free_until > 1e-2 {
            wrong.push(format!("not sharp: {reach:?}"));
        }
        if matches!(outcome, EdgeOutcome::Free) {
            wrong.push(format!("free, but {reach:?}"));
        }
    }
    let options = CheckOptions { resting: RestingPairs::Tested, ..CheckOptions::default() };
    let mut checked = case.robot_cell().check_path(&case.path, &options, &()).unwrap().report.pairs;
    checked.retain(|pair| pairs.contains(&pair.bodies));
    let is_met = |pair: &PairReport| matches!(pair.verdict, PairVerdict::Contact | PairVerdict::Overlapping);
    if checked.iter().any(is_met) && outcome == EdgeOutcome::Free {
        wrong.push(format!("free, but the path has a contact: {checked:?}"));
    }
    if matches!(outcome, EdgeOutcome::Blocked(_)) && checked.is_empty() {
        wrong.push(format!("{outcome:?}, but the path is clear"));
    }
    wrong
}

#[test]
fn edges_agree_with_samples() {
    let counts = Counts::default();
    for_all(fewer(200, 3), |seed| check_seed(seed, &counts));
    let [edges, free, near, blocked, undecided, by_path] =
        [&counts.edges, &counts.free, &counts.near, &counts.blocked, &counts.undecided, &counts.by_path]
            .map(Counter::get);
    let text = format!(
        "{edges} edges: {free} free, {near} of them nearly not, {blocked} blocked, {undecided} undecided; {by_path} asked as paths"
    );
    println!("{text}");
    assert!(8 * free > edges && 40 * near > free && 8 * blocked > edges, "{text}");
    assert!(50 * undecided <= edges && 8 * by_path <= edges, "{text}");
    assert!(30 * counts.spent.get() > edges, "{} undecided with a small budget", counts.spent.get());
}

#[test]
fn memory_threads_and_other_cells_change_no_answer() {
    let mut compared = 0;
    for seed in 0..fewer(40, 8) {
        let random = &mut Random(seed);
        let Some(case) = edge_case(random) else { continue };
        let checker = checker(&case);
        let [from, to] = ends(&case);
        let share = |s: f64| -> Vec<f64> { from.iter().zip(to).map(|(x, y)| x + s * (y - x)).collect() };
        let configurations: Vec<Vec<f64>> = (0..40).map(|_| share(random.within(-0.5, 1.5))).collect();
        let edges: Vec<[&[f64]; 2]> =
            configurations.windows(2).map(|w| [w[0].as_slice(), w[1].as_slice()]).collect();
        let fresh: Vec<EdgeOutcome> = edges
            .iter()
            .map(|[from, to]| checker.check_edge(from, to, &mut EdgeMemory::default()).unwrap())
            .collect();
        let memory = &mut EdgeMemory::default();
        let used: Vec<EdgeOutcome> =
            edges.iter().map(|[from, to]| checker.check_edge(from, to, memory).unwrap()).collect();
        assert_eq!(used, fresh, "seed {seed}");
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| checker.check_edges(&edges)).unwrap(), fresh, "seed {seed}");
            assert_eq!(
                pool.install(|| self::checker(&case).check_edges(&edges)).unwrap(),
                fresh,
                "seed {seed}"
            );
        }
        let is_free =
            |outcomes: &[EdgeOutcome]| outcomes.iter().map(EdgeOutcome::is_free).collect::<Vec<_>>();
        assert_eq!(checker.edges_free(&edges).unwrap(), is_free(&fresh), "seed {seed}");
        let all: Vec<&[f64]> = configurations.iter().map(Vec::as_slice).collect();
        let single: Vec<EdgeOutcome> =
            all.iter().map(|values| checker.check_configuration(values, memory).unwrap()).collect();
        assert_eq!(checker.check_configurations(&all).unwrap(), single, "seed {seed}");
        assert_eq!(checker.configurations_free(&all).unwrap(), is_free(&single), "seed {seed}");
        // A cell with another world, and back again; the data of the robot is kept.
        let mut other = case.clone();
        other.cell.world.clear();
        other.cell.ignore.clear();
        let there = checker.with_cell(&other.robot_cell()).unwrap();
        let anew = self::checker(&other).check_edges(&edges).unwrap();
        assert_eq!(there.check_edges(&edges).unwrap(), anew, "seed {seed}");
        let back = there.with_cell(&case.robot_cell()).unwrap();
        assert_eq!(back.check_edges(&edges).unwrap(), fresh, "seed {seed}");
        compared += edges.len();
    }
    assert!(compared > 125, "{compared}");
}

#[test]
fn a_used_memory_allocates_nothing() {
    let (mut asked, mut blocked) = (0, 0);
    for seed in 0..fewer(45, 3) {
        let random = &mut Random(seed);
        let checker =
            EdgeChecker::new(&boxes(random), &EdgeOptions { preparation: 500, ..EdgeOptions::default() });
        let checker = checker.unwrap();
        let mut configuration = || -> Vec<f64> { (0..4).map(|_| random.within(-2.0, 2.0)).collect() };
        let (from, to) = (configuration(), configuration());
        let memory = &mut EdgeMemory::default();
        let first = checker.check_edge(&from, &to, memory).unwrap();
        let by_path = memory.work().by_path;
        let mut again = EdgeOutcome::Free;
        let counted = allocation_counter::measure(|| again = checker.check_edge(&from, &to, memory).unwrap());
        assert_eq!(again, first);
        blocked += usize::from(first != EdgeOutcome::Free);
        if by_path == 0 {
            asked += 1;
            assert_eq!(counted.count_total, 0, "seed {seed}: {counted:?} {first:?} {:?}", memory.work());
        }
    }
    assert!(asked > 13 && (2..13).contains(&blocked), "{asked} {blocked}");
}

/// A grain at the end of a 1 m arm passes grains on its arc, which all chords of the arc miss by far more than the
/// size of the grains.
#[test]
fn what_lies_on_an_arc_is_met_and_what_lies_beside_it_is_not() {
    const GRAIN: f64 = 2e-5;
    let grain = || CollisionShape::primitive(Primitive::Box { size: DVec3::splat(GRAIN) }).unwrap();
    let link = |name: &str, elements| Link { name: name.into(), elements };
    let joint = Joint::new("turn", [0, 1], Some(JointAxis::Revolute(DVec3::Z)));
    let end = LinkElement { shape: grain(), pose: Pose::from_position(DVec3::X).unwrap(), solid: false };
    let robot = Robot::new(RobotDefinition {
        name: "grain".into(),
        links: vec![link("base", vec![]), link("arm", vec![end])],
        joints: vec![joint],
        disabled: Vec::new(),
        adjacent: AdjacentLinks::Skipped,
    })
    .unwrap();
    let steps = u32::try_from(fewer(40, 4)).unwrap();
    for step in 0..steps {
        let angle = (f64::from(step) + 0.5) / f64::from(steps);
        for (radius, meets) in [(1.0, true), (1.0 + 3.0 * GRAIN, false), (1.0 - 3.0 * GRAIN, false)] {
            let place = radius * DVec3::new(angle.cos(), angle.sin(), 0.0);
            let body = SceneBody {
                name: "other".into(),
                shape: Some(grain()),
                motion: BodyMotion::Still(Pose::from_position(place).unwrap()),
                parent: None,
                group: None,
                solid: false,
            };
            let cell = RobotCell::new(CellDefinition {
                robot: robot.clone(),
                base: Pose::IDENTITY,
                world: vec![WorldBody { body, link: None }],
                world_duration: 1.0,
                ignore: Vec::new(),
                tolerance: None,
                clearance: 0.0,
                clearances: Vec::new(),
            });
            let checker =
                EdgeChecker::new(&cell.unwrap(), &EdgeOptions { preparation: 0, ..EdgeOptions::default() })
                    .unwrap();
            let memory = &mut EdgeMemory::default();
            let outcome = checker.check_edge(&[0.0], &[1.0], memory).unwrap();
            assert_eq!(outcome != EdgeOutcome::Free, meets, "{angle} {radius}: {outcome:?}");
            let reach = checker.reach(&[0.0], &[1.0], memory).unwrap();
            assert!(!meets || (reach.free_until - angle).abs() < 1e-4, "{angle}: {reach:?}");
        }
    }
}

/// A grain on an arm inside a drum of fine triangles, or a drum on the arm around a grain: the drum's interior counts
/// if it is solid, on the arm or in the world.
#[test]
fn what_is_wholly_inside_a_solid_body_is_blocked() {
    let drum = hollow_cube(2.0, 12);
    let grain = CollisionShape::primitive(Primitive::Box { size: DVec3::splat(0.02) }).unwrap();
    let body = |shape: &CollisionShape, place: DVec3, solid| SceneBody {
        name: "body".into(),
        shape: Some(shape.clone()),
        motion: BodyMotion::Still(Pose::from_position(place).unwrap()),
        parent: None,
        group: None,
        solid,
    };
    let random = &mut Random(5);
    for solid in [true, false] {
        for drum_rides in [true, false] {
            let mut cell = boxes(random).definition().clone();
            let mut robot = cell.robot.definition().clone();
            robot.links.iter_mut().for_each(|link| link.elements.clear());
            cell.robot = Robot::new(robot).unwrap();
            // The last link is 1.6 m from the root at rest; the drum contains the grain throughout.
            let (riding, standing) = if drum_rides { (&drum, &grain) } else { (&grain, &drum) };
            cell.world = vec![
                WorldBody { body: body(riding, DVec3::ZERO, solid && drum_rides), link: Some(4) },
                WorldBody { body: body(standing, 1.6 * DVec3::X, solid && !drum_rides), link: None },
            ];
            cell.world[1].body.name = "other".into();
            let checker = EdgeChecker::new(
                &RobotCell::new(cell).unwrap(),
                &EdgeOptions { preparation: 0, ..EdgeOptions::default() },
            )
            .unwrap();
            let memory = &mut EdgeMemory::default();
            let outcome = checker.check_edge(&[0.1, 0.2, 0.0, -0.1], &[-0.1, 0.1, 0.2, 0.1], memory).unwrap();
            assert_eq!(outcome != EdgeOutcome::Free, solid, "{drum_rides}: {outcome:?}");
        }
    }
}

/// The surface of a cube that extends to `reach` along each axis, each face divided into `cuts` by `cuts` squares.
fn hollow_cube(reach: f64, cuts: u32) -> CollisionShape {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let at = |step: u32| reach * (2.0 * f64::from(step) / f64::from(cuts) - 1.0);
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            for (i, j) in (0..cuts).flat_map(|i| (0..cuts).map(move |j| (i, j))) {
                let first = u32::try_from(vertices.len()).unwrap();
                vertices.extend([(0, 0), (1, 0), (1, 1), (0, 1)].map(|(di, dj)| {
                    let mut place = [0.0; 3];
                    place[axis] = side * reach;
                    (place[(axis + 1) % 3], place[(axis + 2) % 3]) = (at(i + di), at(j + dj));
                    DVec3::from_array(place)
                }));
                let square = if side > 0.0 { [[0, 1, 2], [0, 2, 3]] } else { [[0, 2, 1], [0, 3, 2]] };
                triangles.extend(square.map(|corners| corners.map(|corner| first + corner)));
            }
        }
    }
    CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())))
}

/// An arm of boxes on four revolute joints among six boxes: no shape is round.
fn boxes(random: &mut Random) -> RobotCell {
    let brick = |size: DVec3| CollisionShape::primitive(Primitive::Box { size }).unwrap();
    let at = |place: DVec3| Pose::from_position(place).unwrap();
    let link = |number: usize| Link {
        name: format!("l{number}"),
        elements: vec![LinkElement {
            shape: brick(DVec3::new(0.3, 0.06, 0.06)),
            pose: at(0.2 * DVec3::X),
            solid: false,
        }],
    };
    let joint = |number: usize| {
        let axis = JointAxis::Revolute([DVec3::Z, DVec3::Y][number % 2]);
        let joint = Joint::new(format!("j{number}"), [number, number + 1], Some(axis));
        Joint { origin: at(0.4 * DVec3::X), ..joint }
    };
    let robot = Robot::new(RobotDefinition {
        name: "boxes".into(),
        links: (0..5).map(link).collect(),
        joints: (0..4).map(joint).collect(),
        disabled: Vec::new(),
        adjacent: AdjacentLinks::Skipped,
    });
    let world = (0..6).map(|number| WorldBody {
        body: SceneBody {
            name: format!("w{number}"),
            shape: Some(brick(DVec3::splat(random.within(0.1, 0.3)))),
            motion: BodyMotion::Still(cases::pose(
                random.direction() * random.within(0.6, 1.6),
                random.rotation(),
            )),
            parent: None,
            group: None,
            solid: false,
        },
        link: None,
    });
    RobotCell::new(CellDefinition {
        robot: robot.unwrap(),
        base: Pose::IDENTITY,
        world: world.collect(),
        world_duration: 1.0,
        ignore: Vec::new(),
        tolerance: None,
        clearance: 0.0,
        clearances: Vec::new(),
    })
    .unwrap()
}

#[test]
fn what_has_no_meaning_is_refused() {
    let case = (0..).find_map(|seed| edge_case(&mut Random(seed))).unwrap();
    let cell = case.robot_cell();
    let refused = |options: EdgeOptions| EdgeChecker::new(&cell, &options).unwrap_err().to_string();
    let joints = case.path.joints.clone();
    let twice = EdgeOptions { joints: vec![joints[0], joints[0]], ..EdgeOptions::default() };
    assert!(refused(twice).contains("expected each joint once"));
    let none = EdgeOptions { joints: vec![99], ..EdgeOptions::default() };
    assert_eq!(refused(none), "path: found 99, expected the number of a joint");
    let few = EdgeOptions { values: vec![0.0], ..EdgeOptions::default() };
    assert_eq!(refused(few), "values of edges: found 1, expected one value for each joint");
    let checker = checker(&case);
    let memory = &mut EdgeMemory::default();
    let short = checker.check_configuration(&[], memory).unwrap_err().to_string();
    assert_eq!(
        short,
        "values of a configuration: found 0, expected one value for each joint of the edge checker"
    );
    let mut values = case.path.waypoints[0].positions.clone();
    values[0] = f64::NAN;
    assert!(checker.check_edge(&values, &case.path.waypoints[1].positions, memory).is_err());
    // The first of many errors, whichever thread comes first.
    let good = case.path.waypoints[0].positions.as_slice();
    let many: Vec<[&[f64]; 2]> = (0..200).map(|i| [good, if i < 100 { good } else { &good[1..] }]).collect();
    let error = checker.check_edges(&many).unwrap_err().to_string();
    assert!(error.starts_with("values of a configuration: found"), "{error}");
    // Another robot.
    let other = checker.with_cell(&boxes(&mut Random(1))).unwrap_err().to_string();
    assert!(other.contains("expected the links and joints of the checker"), "{other}");
    // A world that moves.
    let mut moving = (0..)
        .find_map(|seed| edge_case(&mut Random(seed)).filter(|case| !case.cell.world.is_empty()))
        .unwrap();
    moving.cell.world[0].body.motion =
        BodyMotion::Keyframes(vec![(0.0, Pose::IDENTITY), (1.0, Pose::IDENTITY)]);
    let error = EdgeChecker::new(&moving.robot_cell(), &EdgeOptions::default()).unwrap_err().to_string();
    assert!(error.contains("a world that moves by itself"), "{error}");
}
