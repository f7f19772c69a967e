//! The scenes, identical for every engine: bodies of 1 kg above a floor at height 0.

use chasles::{CollisionShape, Dynamics, MassProperties, Primitive};
use chasles_bench::cases::meshes::bumpy_sphere;
use chasles_bench::cases::shapes::Raw;
use chasles_testing::Random;
use glam::{DMat3, DQuat, DVec3};
use std::error::Error;
use std::sync::Arc;

/// In metres per square second, downward.
pub(crate) const GRAVITY: f64 = 9.81;
/// The coefficient of friction of all surfaces.
pub(crate) const FRICTION: f64 = 0.5;
/// The radius of a rock, in metres.
pub(crate) const ROCK: f64 = 0.1;

/// The kind of the bodies.
pub(crate) enum Bodies {
    /// Boxes, all of this size.
    Boxes(DVec3),
    /// Non-convex rocks, each with its own shape.
    Rocks(Vec<Raw>),
}

/// A scene and its simulation settings.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) bodies: Bodies,
    /// The initial poses of the bodies.
    pub(crate) places: Vec<(DVec3, DQuat)>,
    pub(crate) step: f64,
    /// The penetration that the simulation may use, in metres.
    pub(crate) depth: f64,
    pub(crate) seconds: f64,
}

/// Columns of bodies with random rotations.
fn columns(count: u32) -> Vec<(DVec3, DQuat)> {
    let random = &mut Random(5);
    let across = (f64::from(count).cbrt().round() as u32).max(2);
    let mut places = Vec::new();
    for i in 0..count {
        let (x, y, z) = (i % across, i / across % across, i / (across * across));
        let spread = || 0.2 * 0.1;
        let at = DVec3::new(
            0.2 * (f64::from(x) - 0.5 * f64::from(across - 1)) + random.side() * spread(),
            0.2 * (f64::from(y) - 0.5 * f64::from(across - 1)) + random.side() * spread(),
            0.1 + 0.19 * f64::from(z),
        );
        places.push((at, random.rotation()));
    }
    places
}

/// Boxes that fall into a heap.
pub(crate) fn heap(count: u32, step: f64, seconds: f64) -> Case {
    let name = format!("{count} boxes into a heap");
    let bodies = Bodies::Boxes(DVec3::splat(0.1));
    Case { name, bodies, places: columns(count), step, depth: 1e-3, seconds }
}

/// A stack of boxes.
pub(crate) fn stack(step: f64, seconds: f64) -> Case {
    let bodies = Bodies::Boxes(DVec3::new(0.4, 0.3, 0.2));
    let places = (0..10).map(|i| (DVec3::new(0.0, 0.0, 0.1 + 0.2 * f64::from(i)), DQuat::IDENTITY)).collect();
    Case { name: "stack of 10".into(), bodies, places, step, depth: 1e-4, seconds }
}

/// Rocks with bumps and dents, of 320 triangles each, that fall into a heap.
pub(crate) fn rocks(count: u32, step: f64, seconds: f64) -> Case {
    let rock = |seed: u32| {
        let (vertices, triangles) = bumpy_sphere(320, u64::from(seed));
        (vertices.into_iter().map(|v| ROCK * v).collect(), triangles)
    };
    // The radius of a rock is a little larger than the reach of a box in the heap.
    let places = columns(count).into_iter().map(|(at, turn)| (1.2 * at + 0.02 * DVec3::Z, turn)).collect();
    let bodies = Bodies::Rocks((0..count).map(rock).collect());
    Case { name: format!("{count} rocks into a heap"), bodies, places, step, depth: 1e-3, seconds }
}

impl Case {
    /// The shape of a body for chasles.
    pub(crate) fn shape(&self, body: usize) -> Result<CollisionShape, Box<dyn Error>> {
        Ok(match &self.bodies {
            Bodies::Boxes(size) => CollisionShape::primitive(Primitive::Box { size: *size })?,
            Bodies::Rocks(rocks) => {
                let (vertices, triangles) = rocks[body].clone();
                let mesh = chasles::Mesh::new(vertices, triangles)?;
                CollisionShape::mesh(Arc::new(chasles::PreparedMesh::new(mesh)))
            }
        })
    }

    /// The mass of a body (1 kg), with its centre of mass and its inertia about the centre.
    pub(crate) fn dynamics(&self, body: usize) -> Result<Dynamics, Box<dyn Error>> {
        let MassProperties { volume, center, inertia, .. } = self.shape(body)?.mass_properties()?;
        let inertia: DMat3 = inertia * (1.0 / volume);
        Ok(Dynamics { mass: 1.0, inertia, center, linear: DVec3::ZERO, angular: DVec3::ZERO })
    }
}
