//! Scenes with bodies that deform, for tests.

use std::sync::Arc;

use crate::scenes::scene_cases::{any_shape, mesh_shape, motion, round_primitive};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, DeformingSurface, FramesInMemory, Mesh, Pose, PreparedMesh,
    Scene, SceneBody, SceneDefinition,
};
use chasles_testing::Random;
use glam::DVec3;

pub(crate) const EVENTS: CheckOptions = CheckOptions {
    budget: 100_000_000,
    memory: u64::MAX,
    horizon: chasles::Horizon::End,
    listed: chasles::PairListing::NotClear,
    resting: chasles::RestingPairs::Ignored,
    statics: chasles::StaticPairs::Ignored,
    naming: chasles::NearestReport::Nearest,
    guarantee: chasles::Guarantee::Surfaces,
    all_contacts: false,
    events: true,
};

pub(crate) fn body(name: &str, shape: CollisionShape, motion: BodyMotion) -> SceneBody {
    SceneBody { name: name.into(), shape: Some(shape), motion, parent: None, group: None, solid: false }
}

pub(crate) fn still() -> BodyMotion {
    BodyMotion::Still(Pose::IDENTITY)
}

pub(crate) fn rigid(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> CollisionShape {
    CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())))
}

pub(crate) fn bending(frames: Vec<Vec<DVec3>>, triangles: &[[u32; 3]], times: &[f64]) -> CollisionShape {
    let mesh = Mesh::new(frames[0].clone(), triangles.to_vec()).unwrap();
    let surface = DeformingSurface::new(mesh, times.to_vec(), Arc::new(FramesInMemory(frames))).unwrap();
    CollisionShape::deforming(Arc::new(surface))
}

pub(crate) fn scene(bodies: Vec<SceneBody>, duration: f64) -> Scene {
    Scene::new(SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies, ignore: vec![] }).unwrap()
}

pub(crate) fn xyz(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A square of side 2 across x, at a position along x.
pub(crate) fn wall(x: f64) -> CollisionShape {
    let corners = vec![xyz(x, -1.0, -1.0), xyz(x, 1.0, -1.0), xyz(x, 1.0, 1.0), xyz(x, -1.0, 1.0)];
    rigid(corners, vec![[0, 1, 2], [0, 2, 3]])
}

/// An octahedron with vertices at distance `reach` on the axes.
pub(crate) fn octahedron(reach: f64) -> Vec<DVec3> {
    [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z].map(|p| p * reach).to_vec()
}

pub(crate) const SIDES: [[u32; 3]; 8] =
    [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];

/// Frames, and triangles.
pub(crate) type Made = (Vec<Vec<DVec3>>, Vec<[u32; 3]>);

/// Two bodies, each with its own frames.
pub(crate) fn random_bodies(random: &mut Random) -> Vec<Made> {
    let size = [4, 1000][random.below(2)];
    (0..2)
        .map(|_| {
            let frame = |random: &mut Random| {
                (0..5).map(|_| DVec3::from_array([0; 3].map(|_| 64.0 * random.below(size) as f64))).collect()
            };
            let frames = (0..3).map(|_| frame(random)).collect();
            (frames, vec![[0, 1, 2], [1, 2, 3], [2, 3, 4]])
        })
        .collect()
}

pub(crate) fn places(frames: &[Vec<DVec3>], time: f64) -> Vec<DVec3> {
    let k = if time < 1.0 { 0 } else { 1 };
    let share = time - k as f64;
    frames[k].iter().zip(&frames[k + 1]).map(|(p, q)| *p + share * (*q - *p)).collect()
}

/// A deforming surface and another one, a mesh or a round body, for two seconds on motions of any kind.
pub(crate) fn with_deforming(random: &mut Random, clearance: f64) -> Scene {
    let mut bodies: Vec<_> = random_bodies(random)
        .into_iter()
        .map(|(frames, triangles)| {
            // The reach of the random frames is between 200 and 64,000.
            let reach = frames.iter().flatten().map(|p| p.max_element()).fold(1.0, f64::max);
            let aside = random.direction() * [0.0, 1.2][random.below(2)];
            let place = |p: DVec3| p / reach - DVec3::splat(0.5) + aside;
            let frames = frames.into_iter().map(|frame| frame.into_iter().map(place).collect());
            let shape = bending(frames.collect(), &triangles, &[0.0, 1.0, 2.0]);
            body("sheet", shape, motion(random, 2.0, 0.5))
        })
        .collect();
    match random.below(3) {
        0 => {
            bodies[1] =
                body("mesh", mesh_shape(&any_shape(random), 1.0, DVec3::ZERO), motion(random, 2.0, 1.0))
        }
        1 => {
            let round = CollisionShape::primitive(round_primitive(random, 0.5)).unwrap();
            bodies[1] = body("round", round, motion(random, 2.0, 1.0));
        }
        _ => {}
    }
    let definition = SceneDefinition { duration: 2.0, tolerance: None, clearance, bodies, ignore: vec![] };
    Scene::new(definition).unwrap()
}
