//! Seeded random robots on random paths among bodies that are static, move or are attached to links.

pub mod kinematics;
pub mod traced;

use std::collections::BTreeSet;
use std::f64::consts::{FRAC_PI_2, PI};

use chasles::{
    AdjacentLinks, BodyMotion, CellDefinition, CollisionShape, Joint, JointAxis, JointPath, Link,
    LinkElement, Mimic, PairSide, Pose, Primitive, Robot, RobotCell, RobotDefinition, SceneBody, Screw,
    Waypoint, WorldBody,
};
use glam::{DQuat, DVec3};

use crate::cases::pose;
use crate::scenes::scene_cases::{closed_shape, mesh_shape};
use chasles_testing::Random;

/// A part of a surface, in the frame of its owner.
#[derive(Debug, Clone)]
pub struct Part {
    pub shape: CollisionShape,
    pub round: Option<Primitive>,
    pub pose: Pose,
}

/// A robot in its cell, on a path.
#[derive(Debug, Clone)]
pub struct RobotCase {
    pub cell: CellDefinition,
    pub path: JointPath,
    /// For each link and each body of the world.
    pub parts: Vec<Vec<Part>>,
}

/// Whether a pair is wanted, by the joints and bodies that move each of the two.
type IsSelected = dyn Fn(&BTreeSet<(usize, usize)>, &BTreeSet<(usize, usize)>) -> bool;

impl RobotCase {
    pub fn robot_cell(&self) -> RobotCell {
        RobotCell::new(self.cell.clone()).unwrap()
    }

    /// The pairs to test, by the joints that can move each body, whether they move on this path or not.
    pub fn pairs(&self) -> BTreeSet<[usize; 2]> {
        self.pairs_by(&|joint| self.cell.robot.joints()[joint].axis.is_some(), &|x, y| x != y)
    }

    /// The pairs that no joint can move relative to each other, with both bodies on the robot.
    pub fn joined_pairs(&self) -> BTreeSet<[usize; 2]> {
        let axes = |joint: usize| self.cell.robot.joints()[joint].axis.is_some();
        let (alike, links) = (self.pairs_by(&axes, &|x, y| x == y), self.cell.robot.links().len());
        // A body attached to a link is carried by the robot, and so are the bodies attached to it.
        let rides = |body: usize| {
            let mut next = Some(body);
            while let Some(at) = next.filter(|at| *at >= links) {
                let own = &self.cell.world[at - links];
                next = own.link.or(own.body.parent.map(|parent| links + parent));
            }
            next.is_some()
        };
        alike.into_iter().filter(|[a, b]| rides(*a) && rides(*b)).collect()
    }

    /// Whether the second is a body that is attached to the first, a link.
    pub fn is_attached(&self, [link, body]: [usize; 2]) -> bool {
        let links = self.cell.robot.links().len();
        body >= links && self.cell.world[body - links].link == Some(link)
    }

    /// The pairs that no joint can move relative to each other, with one body on the robot.
    pub fn static_pairs(&self) -> BTreeSet<[usize; 2]> {
        let axes = |joint: usize| self.cell.robot.joints()[joint].axis.is_some();
        &self.pairs_by(&axes, &|x, y| x == y) - &self.joined_pairs()
    }

    /// The pairs that move relative to each other on this path, by their carriers.
    pub fn moving_pairs(&self) -> BTreeSet<[usize; 2]> {
        let robot = &self.cell.robot;
        let joint_moves = |joint: usize| {
            let mut top = joint;
            while let Some(mimic) = robot.joints()[top].mimic {
                top = mimic.joint;
            }
            let values = |column: usize| self.path.waypoints.iter().map(move |w| w.positions[column]);
            let column = self.path.joints.iter().position(|moved| *moved == top);
            let changes = column.is_some_and(|column| {
                let first = self.path.waypoints[0].positions[column];
                let bends = self.path.waypoints.windows(2).any(|pair| {
                    let speed = |w: &Waypoint| w.velocities.get(column).copied();
                    matches!([speed(&pair[0]), speed(&pair[1])], [Some(x), Some(y)] if x != 0.0 || y != 0.0)
                });
                bends || values(column).any(|value| value != first)
            });
            let scaled = {
                let (mut factor, mut next) = (1.0, joint);
                while let Some(mimic) = robot.joints()[next].mimic {
                    (factor, next) = (factor * mimic.multiplier, mimic.joint);
                }
                factor != 0.0
            };
            robot.joints()[joint].axis.is_some() && changes && scaled
        };
        self.pairs_by(&joint_moves, &|x, y| x != y)
    }

    /// The pairs that are not exempt by name, chosen by what moves each body.
    fn pairs_by(&self, joint_moves: &dyn Fn(usize) -> bool, wanted: &IsSelected) -> BTreeSet<[usize; 2]> {
        let robot = &self.cell.robot;
        let links = robot.links().len();
        let count = links + self.cell.world.len();
        // The movers of a body, up to the world; and whether the robot carries it.
        let movers = |owner: usize| {
            let (mut movers, mut rides, mut next) = (BTreeSet::new(), false, Some(owner));
            while let Some(at) = next {
                if at < links {
                    rides = true;
                    let above = robot.joints().iter().position(|joint| joint.child == at);
                    movers.extend(above.filter(|joint| joint_moves(*joint)).map(|joint| (0, joint)));
                    next = above.map(|joint| robot.joints()[joint].parent);
                } else {
                    let own = &self.cell.world[at - links];
                    if !matches!(own.body.motion, BodyMotion::Still(_)) {
                        movers.insert((1, at));
                    }
                    next = own.link.or(own.body.parent.map(|parent| links + parent));
                }
            }
            (movers, rides)
        };
        let definition = robot.definition();
        let same = |pair: &[usize; 2], a: usize, b: usize| *pair == [a, b] || *pair == [b, a];
        let mut pairs = BTreeSet::new();
        for a in 0..count {
            for b in a + 1..count {
                let ((x, rides), (y, ridden)) = (movers(a), movers(b));
                let adjacent = definition.adjacent == AdjacentLinks::Skipped
                    && robot.joints().iter().any(|joint| same(&[joint.parent, joint.child], a, b));
                let disabled = definition.disabled.iter().any(|pair| same(pair, a, b));
                let group = |owner: usize| {
                    self.cell.world.get(owner.wrapping_sub(links)).and_then(|own| own.body.group.clone())
                };
                let grouped = group(a).is_some() && group(a) == group(b);
                let hits =
                    |side: &PairSide, owner| *side == PairSide::Every || *side == PairSide::Body(owner);
                let ignored = self
                    .cell
                    .ignore
                    .iter()
                    .any(|[p, q]| hits(p, a) && hits(q, b) || hits(p, b) && hits(q, a));
                let shaped = !self.parts[a].is_empty() && !self.parts[b].is_empty();
                if shaped
                    && (rides || ridden)
                    && wanted(&x, &y)
                    && !(adjacent || disabled || grouped || ignored)
                {
                    pairs.insert([a, b]);
                }
            }
        }
        pairs
    }
}

/// A part about `size` across, off the origin by up to as much.
fn part(random: &mut Random, size: f64) -> Part {
    let place = pose(random.vector(size), turned(random));
    let primitive = |primitive: Primitive, round| Part {
        shape: CollisionShape::primitive(primitive).unwrap(),
        round,
        pose: place,
    };
    let mut length = || size * random.within(0.3, 1.2);
    let (radius, height) = (0.5 * length(), length());
    match random.below(20) {
        0..=6 => {
            let size = DVec3::new(radius, height, size * random.within(0.1, 0.6));
            primitive(Primitive::Box { size }, None)
        }
        7..=9 => {
            // The twin tests every pair of triangles, so meshes are small.
            let raw = std::iter::repeat_with(|| closed_shape(random)).find(|raw| raw.1.len() <= 20);
            let shape = mesh_shape(&raw.unwrap(), size, DVec3::ZERO);
            Part { shape, round: None, pose: place }
        }
        10..=14 => {
            let round = Primitive::Sphere { radius };
            primitive(round, Some(round))
        }
        15 => {
            let round = Primitive::Cylinder { radius: 0.7 * radius, height };
            primitive(round, Some(round))
        }
        _ => {
            let round = Primitive::Capsule { radius: 0.6 * radius, height };
            primitive(round, Some(round))
        }
    }
}

fn turned(random: &mut Random) -> DQuat {
    match random.below(4) {
        0 => DQuat::IDENTITY,
        1 => DQuat::from_axis_angle([DVec3::X, DVec3::Y, DVec3::Z][random.below(3)], FRAC_PI_2),
        2 => DQuat::from_axis_angle([DVec3::X, DVec3::Y, DVec3::Z][random.below(3)], PI),
        _ => random.rotation(),
    }
}

fn shuffled(random: &mut Random, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        order.swap(i, random.below(i + 1));
    }
    order
}

/// Three to seven joints, in any order, mostly one after the other.
pub fn robot(random: &mut Random) -> (RobotDefinition, Vec<Vec<Part>>) {
    let count = 3 + random.below(5);
    let numbers = shuffled(random, count + 1);
    let mut joints: Vec<Joint> = (0..count)
        .map(|i| {
            let above = if random.below(5) == 0 { random.below(i + 1) } else { i };
            let axis = if random.below(3) == 0 {
                [DVec3::X, DVec3::Y, DVec3::Z][random.below(3)]
            } else {
                random.direction()
            };
            let axis = axis * 10.0_f64.powf(random.within(-1.0, 1.0));
            let axis = match random.below(10) {
                0..=5 => Some(JointAxis::Revolute(axis)),
                6..=8 => Some(JointAxis::Prismatic(axis)),
                _ => None,
            };
            let place = random.direction() * random.within(0.1, 0.7);
            Joint {
                origin: pose(place, turned(random)),
                rest: if random.below(2) == 0 { random.within(-1.0, 1.0) } else { 0.0 },
                limits: (random.below(3) == 0).then_some([-1e3, 1e3]),
                ..Joint::new(format!("j{i}"), [numbers[above], numbers[i + 1]], axis)
            }
        })
        .collect();
    let order = shuffled(random, count);
    joints = order.iter().map(|i| joints[*i].clone()).collect();
    // The first moving joint is set by itself; some of the others follow an earlier one in this order.
    let ranks = shuffled(random, count);
    let moving: Vec<usize> = ranks.into_iter().filter(|joint| joints[*joint].axis.is_some()).collect();
    for i in 1..moving.len() {
        if random.below(4) == 0 {
            let joint = moving[random.below(i)];
            let multiplier = if random.below(10) == 0 { 0.0 } else { random.within(-2.0, 2.0) };
            joints[moving[i]].mimic = Some(Mimic { joint, multiplier, offset: random.within(-1.0, 1.0) });
        }
    }
    let parts: Vec<Vec<Part>> = (0..=count)
        .map(|_| {
            let size = random.within(0.15, 0.5);
            let many = [0, 1, 1, 1, 2, 3][random.below(6)];
            (0..many).map(|_| part(random, size)).collect()
        })
        .collect();
    let links = parts
        .iter()
        .enumerate()
        .map(|(i, parts)| Link {
            name: format!("l{i}"),
            elements: parts
                .iter()
                .map(|p| LinkElement { shape: p.shape.clone(), pose: p.pose, solid: false })
                .collect(),
        })
        .collect();
    let disabled =
        if random.below(3) == 0 { vec![[random.below(count + 1), random.below(count + 1)]] } else { vec![] };
    let adjacent = [AdjacentLinks::Skipped, AdjacentLinks::Skipped, AdjacentLinks::Tested][random.below(3)];
    (RobotDefinition { name: "robot".into(), links, joints, disabled, adjacent }, parts)
}

/// Two to six waypoints: uniform, cubic or both; also through more than a turn, and at rest.
pub fn path(random: &mut Random, robot: &Robot) -> JointPath {
    let order = shuffled(random, robot.joints().len());
    let mut joints: Vec<usize> = order.into_iter().filter(|joint| robot.is_set(*joint)).collect();
    let kept = 1 + random.below(joints.len().max(1));
    if random.below(3) == 0 {
        joints.truncate(kept);
    }
    let kind = random.below(3);
    let mut time = [0.0, -1.7, 3.25, 1000.5][random.below(4)];
    let reach = |joint: usize| match robot.joints()[joint].axis {
        Some(JointAxis::Prismatic(_)) => 0.5,
        _ => 4.0,
    };
    let mut waypoints: Vec<Waypoint> = Vec::new();
    for _ in 0..2 + random.below(5) {
        let last = waypoints.last().map(|last| last.positions.clone());
        let mut position = |(column, joint): (usize, &usize)| match &last {
            Some(last) if random.below(5) == 0 => last[column],
            _ => reach(*joint) * random.within(-1.0, 1.0),
        };
        let positions = joints.iter().enumerate().map(&mut position).collect();
        let given = match kind {
            0 => false,
            1 => true,
            _ => random.below(3) > 0,
        };
        let mut velocity = |joint: &usize| match random.below(4) {
            0 => 0.0,
            _ => reach(*joint) * random.within(-1.0, 1.0),
        };
        let velocities = if given { joints.iter().map(&mut velocity).collect() } else { vec![] };
        waypoints.push(Waypoint { time, positions, velocities });
        time += random.within(0.2, 1.5);
    }
    JointPath { joints, waypoints }
}

fn motion(random: &mut Random, duration: f64) -> BodyMotion {
    let start = pose(random.vector(1.2), turned(random));
    match random.below(7) {
        0 | 1 => {
            let count = 1 + random.below(4);
            let (mut time, mut keys) = (random.within(-0.5, 0.5) * duration, Vec::new());
            for _ in 0..count {
                keys.push((time, pose(random.vector(1.2), random.rotation())));
                time += random.within(0.1, 0.7) * duration;
            }
            BodyMotion::Keyframes(keys)
        }
        2 => BodyMotion::Twist {
            start,
            linear: random.vector(1.5) / duration,
            angular: if random.below(3) == 0 { DVec3::ZERO } else { random.vector(5.0) / duration },
        },
        3 => {
            let axis = random.direction();
            let (point, slide, angle) =
                (random.vector(0.5), random.within(-1.0, 1.0), random.within(-9.0, 9.0));
            BodyMotion::Screw(Screw::about(start, axis, point, slide, angle).unwrap())
        }
        _ => BodyMotion::Still(start),
    }
}

/// A robot, a path, and up to four bodies around.
pub fn robot_case(random: &mut Random) -> RobotCase {
    let (definition, mut parts) = robot(random);
    let robot = Robot::new(definition).unwrap();
    let path = path(random, &robot);
    let links = robot.links().len();
    let world_duration = random.within(0.5, 4.0);
    let mut world: Vec<WorldBody> = Vec::new();
    for i in 0..random.below(5) {
        let size = random.within(0.2, 0.6);
        let part = Part { pose: Pose::IDENTITY, ..part(random, size) };
        let link = (random.below(4) == 0).then(|| random.below(links));
        let parent = (i > 0 && link.is_none() && random.below(5) == 0).then(|| random.below(i));
        let mut motion = motion(random, world_duration);
        // An attached body is mostly held in place.
        if link.is_some() && random.below(3) > 0 {
            motion = BodyMotion::Still(pose(random.vector(0.4), random.rotation()));
        }
        let body = SceneBody {
            name: format!("w{i}"),
            shape: Some(part.shape.clone()),
            motion,
            parent,
            group: (random.below(4) == 0).then(|| "some".into()),
            solid: false,
        };
        world.push(WorldBody { body, link });
        parts.push(vec![part]);
    }
    let ignore = match random.below(8) {
        0 => vec![[PairSide::Every, PairSide::Body(random.below(parts.len()))]],
        1 => vec![[PairSide::Body(random.below(parts.len())), PairSide::Body(random.below(parts.len()))]],
        _ => vec![],
    };
    let cell = CellDefinition {
        robot,
        base: pose(random.vector(0.5), turned(random)),
        world,
        world_duration,
        ignore,
        tolerance: None,
        clearance: 0.0,
        clearances: vec![],
    };
    RobotCase { cell, path, parts }
}
