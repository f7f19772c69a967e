//! Small robots for the tests of this folder.

use glam::DVec3;

use crate::motion::{JointAxis, Pose};
use crate::pair::shape::CollisionShape;
use crate::robot::Robot;
use crate::robot::cell::{CellDefinition, WorldBody};
use crate::robot::definition::{AdjacentLinks, Joint, Link, LinkElement, RobotDefinition};
use crate::robot::path::{JointPath, Waypoint};
use crate::scene::definition::{BodyMotion, SceneBody};
use crate::shape::Primitive;

pub(crate) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(DVec3::new(x, y, z)).unwrap()
}

/// A box of the given size, centred at a pose.
pub(crate) fn brick(size: [f64; 3], middle: Pose) -> LinkElement {
    let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::from_array(size) }).unwrap();
    LinkElement { shape, pose: middle, solid: false }
}

pub(crate) fn link(name: &str, elements: Vec<LinkElement>) -> Link {
    Link { name: name.into(), elements }
}

/// A joint between links, without limits, at the origin of the parent.
pub(crate) fn joint(name: &str, links: [usize; 2], axis: Option<JointAxis>) -> Joint {
    Joint::new(name, links, axis)
}

pub(crate) fn turning() -> Option<JointAxis> {
    Some(JointAxis::Revolute(DVec3::Z))
}

pub(crate) fn sliding() -> Option<JointAxis> {
    Some(JointAxis::Prismatic(DVec3::X))
}

/// Links in a row, `l0` to `ln`, along x, one metre each, thin; joints `j1` to `jn` rotate about z.
pub(crate) fn planar(count: usize) -> RobotDefinition {
    let bar = || vec![brick([0.8, 0.1, 0.1], at(0.5, 0.0, 0.0))];
    RobotDefinition {
        name: "planar".into(),
        links: (0..=count).map(|i| link(&format!("l{i}"), bar())).collect(),
        joints: (1..=count)
            .map(|i| Joint { origin: at(1.0, 0.0, 0.0), ..joint(&format!("j{i}"), [i - 1, i], turning()) })
            .collect(),
        disabled: vec![],
        adjacent: AdjacentLinks::Skipped,
    }
}

/// A cart with the given elements that slides along x.
pub(crate) fn cart_on_rail(elements: Vec<LinkElement>) -> RobotDefinition {
    RobotDefinition {
        links: vec![link("rail", vec![]), link("cart", elements)],
        joints: vec![joint("slide", [0, 1], sliding())],
        ..planar(0)
    }
}

/// A body of the world: a cube of the given size.
pub(crate) fn cube(name: &str, size: f64, motion: BodyMotion) -> WorldBody {
    let shape = Some(brick([size; 3], Pose::IDENTITY).shape);
    let body = SceneBody::new(name, shape, motion);
    WorldBody { body, link: None }
}

pub(crate) fn still(x: f64, y: f64, z: f64) -> BodyMotion {
    BodyMotion::Still(at(x, y, z))
}

pub(crate) fn cell(robot: RobotDefinition, world: Vec<WorldBody>) -> CellDefinition {
    CellDefinition {
        robot: Robot::new(robot).unwrap(),
        base: Pose::IDENTITY,
        world,
        world_duration: 1.0,
        ignore: vec![],
        tolerance: None,
        clearance: 0.0,
        clearances: vec![],
    }
}

/// Links 0 to 3 in a row, a static table (4), and a tool (5) on the last link.
pub(crate) fn arm_with_tool() -> CellDefinition {
    let mut tool = cube("tool", 0.1, still(0.95, 0.3, 0.0));
    tool.link = Some(3);
    cell(planar(3), vec![cube("table", 0.5, still(0.0, 20.0, 0.0)), tool])
}

/// A path along straight lines: each row has a time and a value for each joint.
pub(crate) fn path(joints: &[usize], rows: &[&[f64]]) -> JointPath {
    let waypoint = |row: &&[f64]| Waypoint { time: row[0], positions: row[1..].to_vec(), velocities: vec![] };
    JointPath { joints: joints.to_vec(), waypoints: rows.iter().map(waypoint).collect() }
}
