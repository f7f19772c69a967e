//! Robot arms in cells by seed, for checks of paths.

use std::sync::Arc;

use chasles::{
    AdjacentLinks, BodyMotion, CellDefinition, CheckOptions, CollisionShape, Error, Joint, JointAxis,
    JointPath, Link, LinkElement, Mesh, PairVerdict, Pose, PreparedMesh, Robot, RobotCell, RobotDefinition,
    SceneBody, Waypoint, WorldBody,
};
use glam::{DQuat, DVec3};

use crate::cases::meshes::{bumpy_sphere, cuboid, cylinder};
use crate::cases::shapes::Raw;
use chasles_testing::Random;

/// Sides of the cylinders of which arms are made: 4 triangles per side.
const SIDES: u32 = 128;

/// A joint and the link that it carries.
struct Part {
    origin: [f64; 3],
    axis: DVec3,
    /// Radius and height of the link's cylinder, its centre, and the axis along which it lies.
    cylinder: (f64, f64),
    middle: [f64; 3],
    along: DVec3,
}

fn shape((points, triangles): Raw) -> Result<CollisionShape, Error> {
    Ok(CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points, triangles)?))))
}

/// An arm with six joints in the proportions of a common small arm (reach 0.9 m), or with seven joints (reach 1.2
/// m). Each link is a cylinder of 512 triangles.
///
/// # Errors
/// None.
pub fn arm(seven: bool) -> Result<Robot, Error> {
    let part = |origin, axis, cylinder, middle, along| Part { origin, axis, cylinder, middle, along };
    let parts = if seven {
        let up =
            |origin, axis, height| part(origin, axis, (0.06, height), [0.0, 0.0, 0.5 * height], DVec3::Z);
        vec![
            up([0.0, 0.0, 0.15], DVec3::Z, 0.16),
            up([0.0, 0.0, 0.19], DVec3::Y, 0.17),
            up([0.0, 0.0, 0.21], DVec3::Z, 0.16),
            up([0.0, 0.0, 0.19], DVec3::Y, 0.17),
            up([0.0, 0.0, 0.21], DVec3::Z, 0.16),
            up([0.0, 0.0, 0.19], DVec3::Y, 0.08),
            up([0.0, 0.0, 0.10], DVec3::Z, 0.04),
        ]
    } else {
        vec![
            part([0.0, 0.0, 0.089], DVec3::Z, (0.06, 0.12), [0.0, 0.0, 0.0], DVec3::Z),
            part([0.0, 0.136, 0.0], DVec3::Y, (0.055, 0.42), [0.0, 0.0, 0.21], DVec3::Z),
            part([0.0, -0.12, 0.425], DVec3::Y, (0.045, 0.38), [0.0, 0.0, 0.19], DVec3::Z),
            part([0.0, 0.0, 0.392], DVec3::Y, (0.04, 0.1), [0.0, 0.05, 0.0], DVec3::Y),
            part([0.0, 0.093, 0.0], DVec3::Z, (0.04, 0.1), [0.0, 0.0, 0.05], DVec3::Z),
            part([0.0, 0.0, 0.095], DVec3::Y, (0.035, 0.08), [0.0, 0.04, 0.0], DVec3::Y),
        ]
    };
    let element = |(radius, height), middle: [f64; 3], along: DVec3| {
        let turn = DQuat::from_rotation_arc(DVec3::Z, along);
        let pose = Pose::new(DVec3::from_array(middle), turn)?;
        Ok::<_, Error>(LinkElement { shape: shape(cylinder(radius, height, SIDES))?, pose, solid: true })
    };
    let base = element((0.075, 0.08), [0.0, 0.0, -0.02], DVec3::Z)?;
    let mut links = vec![Link { name: "base".into(), elements: vec![base] }];
    let mut joints = Vec::new();
    for (number, Part { origin, axis, cylinder, middle, along }) in parts.into_iter().enumerate() {
        let elements = vec![element(cylinder, middle, along)?];
        links.push(Link { name: format!("link{}", number + 1), elements });
        joints.push(Joint {
            name: format!("joint{}", number + 1),
            parent: number,
            child: number + 1,
            origin: Pose::from_position(DVec3::from_array(origin))?,
            axis: Some(JointAxis::Revolute(axis)),
            rest: 0.0,
            limits: None,
            velocity: None,
            mimic: None,
        });
    }
    // Links at distance two in the chain are not designed to clear each other.
    let disabled = (2..links.len()).map(|link| [link - 2, link]).collect();
    let name = if seven { "seven axes" } else { "six axes" }.into();
    Robot::new(RobotDefinition { name, links, joints, disabled, adjacent: AdjacentLinks::Skipped })
}

/// The surroundings of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    /// 20 boxes of 0.05 to 0.3 m, from 0.25 to 0.95 m away.
    Boxes,
    /// A mesh of about this number of triangles, 0.45 m large, 0.65 m away.
    Mesh(usize),
}

/// Sizes and poses of [`Around::Boxes`].
///
/// # Errors
/// None.
pub fn boxes(random: &mut Random) -> Result<Vec<(DVec3, Pose)>, Error> {
    let one = |_| {
        let size = DVec3::from_array([0; 3].map(|_| random.within(0.05, 0.3)));
        let direction = random.direction_of_two();
        let place = random.within(0.25, 0.95) * DVec3::new(direction.x, direction.y, direction.z.abs());
        Ok((size, Pose::new(place, random.even_rotation())?))
    };
    (0..20).map(one).collect()
}

/// An arm in a cell by seed.
///
/// # Errors
/// None.
pub fn cell(robot: Robot, around: Around, seed: u64) -> Result<RobotCell, Error> {
    let random = &mut Random(seed);
    let body = |name: String, shape, pose| {
        let motion = BodyMotion::Still(pose);
        let body = SceneBody { name, shape: Some(shape), motion, parent: None, group: None, solid: false };
        WorldBody { body, link: None }
    };
    let mut world = Vec::new();
    match around {
        Around::Boxes => {
            for (number, (size, pose)) in boxes(random)?.into_iter().enumerate() {
                world.push(body(format!("box{number}"), shape(cuboid(size))?, pose));
            }
        }
        Around::Mesh(triangles) => {
            let (points, triangles) = bumpy_sphere(triangles, seed);
            let mesh = (points.into_iter().map(|v| 0.45 * v).collect(), triangles);
            let direction = random.direction_of_two();
            let pose = Pose::new(
                0.65 * DVec3::new(direction.x, direction.y, direction.z.abs()),
                random.even_rotation(),
            )?;
            world.push(body("mesh".into(), shape(mesh)?, pose));
        }
    }
    RobotCell::new(CellDefinition {
        robot,
        base: Pose::IDENTITY,
        world,
        world_duration: 1.0,
        ignore: Vec::new(),
        tolerance: None,
        clearance: 0.0,
        clearances: Vec::new(),
    })
}

/// Paths of one segment, in which the fastest joint moves by `turn` radians within a second.
#[must_use]
pub fn segments(robot: &Robot, count: usize, (turn, seed): (f64, u64)) -> Vec<JointPath> {
    let random = &mut Random(seed);
    let joints: Vec<usize> = (0..robot.joints().len()).collect();
    (0..count)
        .map(|_| {
            let from: Vec<f64> = joints.iter().map(|_| random.within(-2.4, 2.4)).collect();
            let direction: Vec<f64> = joints.iter().map(|_| random.within(-1.0, 1.0)).collect();
            let longest = direction.iter().fold(0.0_f64, |longest, direction| longest.max(direction.abs()));
            let to = from
                .iter()
                .zip(&direction)
                .map(|(from, direction)| from + direction * turn / longest)
                .collect();
            let waypoint = |time, positions| Waypoint { time, positions, velocities: Vec::new() };
            JointPath { joints: joints.clone(), waypoints: vec![waypoint(0.0, from), waypoint(1.0, to)] }
        })
        .collect()
}

/// Keeps the paths that are free. Then they are also free one after the other along one long path.
///
/// # Errors
/// As [`RobotCell::check_path`].
pub fn free(cell: &RobotCell, paths: Vec<JointPath>) -> Result<Vec<JointPath>, Error> {
    let mut found = Vec::new();
    for path in paths {
        let report = cell.check_path(&path, &CheckOptions::default(), &())?.report;
        if report.verdict == PairVerdict::Clear {
            found.push(path);
        }
    }
    Ok(found)
}
