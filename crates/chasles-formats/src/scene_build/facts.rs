//! Facts about a scene in TOML: what its bodies are, where they begin, and what the scene asks for.

use std::path::Path;

use chasles::{CollisionShape, Scene};
use glam::DVec3;

use super::{BuiltScene, build};
use crate::error::Result;
use crate::info::{BodyInfo, MassInfo, SceneInfo, SceneTerms, ShapeInfo};
use crate::scene_file::{self, BodyTable, SceneFile, ShapeEntry};

/// The facts about a scene file and all that it names. The bounds are those of the boxes around the bodies, in the world at the
/// start.
///
/// # Errors
/// As [`read`](super::read).
pub fn facts(path: &Path) -> Result<SceneInfo> {
    weighed(path, None)
}

/// The same with the masses of the bodies at a density in kg/m^3, where one is given; or why a body has none.
///
/// # Errors
/// As [`read`](super::read).
pub fn weighed(path: &Path, density: Option<f64>) -> Result<SceneInfo> {
    weighed_of(&scene_file::read(path)?, path, density)
}

/// The same of a scene that was read from `path`.
///
/// # Errors
/// As [`build`].
pub fn weighed_of(file: &SceneFile, path: &Path, density: Option<f64>) -> Result<SceneInfo> {
    let BuiltScene { scene, warnings, .. } = build(file, path)?;
    let shapes = scene.bodies().iter().map(|body| body.shape.as_ref());
    let bodies = file
        .bodies
        .iter()
        .zip(shapes)
        .filter_map(|(entry, shape)| Some(body(entry, shape?, density)))
        .collect();
    let terms = SceneTerms {
        duration: scene.duration(),
        tolerance: scene.tolerance(),
        epsilon: scene.epsilon(),
        clearance: scene.clearance(),
    };
    let (joints, animations) = (vec![], vec![]);
    Ok(SceneInfo {
        bodies,
        joints,
        animations,
        bounds: bounds(&scene),
        terms: Some(terms),
        releases: vec![],
        robot: None,
        warnings,
    })
}

fn body(entry: &BodyTable, shape: &CollisionShape, density: Option<f64>) -> BodyInfo {
    let mesh = match &entry.shape {
        ShapeEntry::Mesh(_) | ShapeEntry::Deforming(_) | ShapeEntry::Recorded(_) => Some(shape.drawn()),
        _ => None,
    };
    let triangles = mesh.map(|mesh| mesh.triangles().len());
    let parts = match &entry.shape {
        ShapeEntry::Solid(solid) if solid.key == "csg" => Some(solid.parts.len()),
        _ => None,
    };
    let key = match &entry.shape {
        ShapeEntry::Deforming(_) | ShapeEntry::Recorded(_) => "deforming",
        shape => shape.key(),
    };
    let mass = density.map(|density| match shape.mass_properties() {
        Ok(properties) => MassInfo::of(density, properties),
        Err(error) => Err(error.to_string()),
    });
    let shape = ShapeInfo { key, parts, bounds: shape.bounds() };
    BodyInfo { name: entry.name.clone(), triangles: triangles.unwrap_or(0), shape: Some(shape), mass }
}

/// The box around the boxes of all bodies at the start.
fn bounds(scene: &Scene) -> Option<[DVec3; 2]> {
    let mut bounds: Option<[DVec3; 2]> = None;
    for (number, body) in scene.bodies().iter().enumerate() {
        let Some([least, greatest]) = body.shape.as_ref().map(CollisionShape::bounds) else { continue };
        let pose = scene.pose_at(number, 0.0);
        for corner in 0..8 {
            let side = |axis: usize| if corner >> axis & 1 == 0 { least[axis] } else { greatest[axis] };
            let point = pose.transform_point(DVec3::new(side(0), side(1), side(2)));
            let [lo, hi] = bounds.unwrap_or([point; 2]);
            bounds = Some([lo.min(point), hi.max(point)]);
        }
    }
    bounds
}
