//! An arm of six joints among boxes, which moves all joints simultaneously.

use std::f64::consts::PI;
use std::sync::Arc;

use chasles::{
    BodyMotion, CollisionShape, Error, Mesh, PairSide, Pose, PreparedMesh, Scene, SceneBody, SceneDefinition,
    Screw,
};
use glam::{DQuat, DVec3};

use crate::cases::meshes::{bumpy_sphere, cuboid};
use chasles_testing::Random;

/// The position of each joint in the frame of the previous link, and its axis: the proportions of a small
/// industrial arm, in metres.
const JOINTS: [([f64; 3], DVec3); 6] = [
    ([0.0, 0.0, 0.09], DVec3::Z),
    ([0.0, 0.14, 0.0], DVec3::Y),
    ([0.0, -0.12, 0.425], DVec3::Y),
    ([0.0, 0.0, 0.39], DVec3::Y),
    ([0.0, 0.09, 0.0], DVec3::Z),
    ([0.0, 0.0, 0.09], DVec3::Y),
];

/// For each link, along z from its joint: the centre, half length and radius of its surface.
const LINKS: [[f64; 3]; 6] = [
    [0.0, 0.08, 0.06],
    [0.21, 0.27, 0.06],
    [0.19, 0.25, 0.05],
    [0.0, 0.06, 0.04],
    [0.04, 0.07, 0.04],
    [0.03, 0.05, 0.035],
];

/// The surfaces of the links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Boxes of 12 triangles.
    Boxes,
    /// Bumpy meshes of about this number of triangles.
    Meshes(usize),
}

impl Links {
    fn shape(self, [middle, half, radius]: [f64; 3], seed: u64) -> Result<CollisionShape, Error> {
        let (points, faces) = match self {
            Self::Boxes => cuboid(DVec3::splat(2.0)),
            Self::Meshes(triangles) => bumpy_sphere(triangles, seed),
        };
        let at = DVec3::Z * middle;
        let points = points.into_iter().map(|v| at + v * DVec3::new(radius, radius, half)).collect();
        Ok(CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points, faces)?))))
    }
}

/// An arm and the boxes around it.
#[derive(Debug, Clone)]
pub struct Cell {
    links: Vec<CollisionShape>,
    boxes: Vec<(CollisionShape, Pose)>,
}

impl Cell {
    /// Creates `boxes` boxes with sides of 5 to 30 cm and random rotations. Their centres are 0.4 to 1.2 m from the
    /// centre of the arm.
    ///
    /// # Errors
    /// None.
    pub fn new(links: Links, boxes: u32, seed: u64) -> Result<Self, Error> {
        let random = &mut Random(seed);
        let links = (1..).zip(LINKS).map(|(i, sizes)| links.shape(sizes, i)).collect::<Result<_, _>>()?;
        let one = |_| {
            let size =
                DVec3::new(random.within(0.05, 0.3), random.within(0.05, 0.3), random.within(0.05, 0.3));
            let (points, faces) = cuboid(size);
            let shape = CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points, faces)?)));
            let place = random.within(0.4, 1.2) * random.direction_of_two() + 0.3 * DVec3::Z;
            Ok((shape, Pose::new(place, random.even_rotation())?))
        };
        Ok(Self { links, boxes: (0..boxes).map(one).collect::<Result<_, Error>>()? })
    }

    /// The arm on its path through waypoints, one second per segment, with constant speed in each joint.
    ///
    /// # Errors
    /// None.
    pub fn scene(&self, waypoints: &[[f64; 6]]) -> Result<Scene, Error> {
        let mut bodies = Vec::new();
        for (i, (at, axis)) in JOINTS.into_iter().enumerate() {
            let key = |q: &[f64; 6]| Pose::new(DVec3::from_array(at), DQuat::from_axis_angle(axis, q[i]));
            let motion = match waypoints {
                [from, to] => {
                    let start = key(from)?;
                    BodyMotion::Screw(Screw::about(start, axis, start.position(), 0.0, to[i] - from[i])?)
                }
                _ => {
                    let keys = (0_u32..).zip(waypoints).map(|(time, q)| Ok((f64::from(time), key(q)?)));
                    BodyMotion::Keyframes(keys.collect::<Result<_, Error>>()?)
                }
            };
            bodies.push(SceneBody {
                name: format!("link {i}"),
                shape: Some(self.links[i].clone()),
                motion,
                parent: i.checked_sub(1),
                group: None,
                solid: false,
            });
        }
        for (shape, pose) in &self.boxes {
            bodies.push(SceneBody {
                name: format!("box {}", bodies.len()),
                shape: Some(shape.clone()),
                motion: BodyMotion::Still(*pose),
                parent: None,
                group: None,
                solid: false,
            });
        }
        // Consecutive links overlap, and so do the links around the wrist.
        let mut ignore: Vec<[usize; 2]> = (1..6).map(|i| [i - 1, i]).collect();
        ignore.extend([[0, 2], [3, 5], [2, 4], [2, 5]]);
        let ignore = ignore.into_iter().map(|pair| pair.map(PairSide::Body)).collect();
        let duration = waypoints.len().saturating_sub(1).max(1) as f64;
        Scene::new(SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies, ignore })
    }
}

/// Two configurations. Each joint moves by up to `maximum` radians.
pub fn segment(random: &mut Random, maximum: f64) -> [[f64; 6]; 2] {
    let from = [(); 6].map(|()| random.within(-PI, PI));
    [from, from.map(|q| q + random.within(-maximum, maximum))]
}
