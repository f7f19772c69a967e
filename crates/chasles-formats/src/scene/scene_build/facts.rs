//! Facts about a scene in TOML: its bodies, their initial poses, and the settings of the scene.

use std::path::Path;

use chasles::{CollisionShape, Scene};
use glam::DVec3;

use super::{BuiltScene, build};
use crate::error::Result;
use crate::info::{BodyInfo, MassInfo, SceneInfo, SceneSettings, ShapeInfo};
use crate::scene::scene_file::{self, BodyTable, SceneFile, ShapeEntry};

/// Returns the facts about a scene file and all files that it names. The bounds enclose the bounding boxes of the
/// bodies, in the world frame at the start.
///
/// # Errors
/// As for [`read`](super::read).
pub fn facts(path: &Path) -> Result<SceneInfo> {
    facts_with_mass(path, None)
}

/// Like `facts`, and adds the masses of the bodies at a density in kg/m^3, if one is given, or the reason why a body
/// has none.
///
/// # Errors
/// As for [`read`](super::read).
pub fn facts_with_mass(path: &Path, density: Option<f64>) -> Result<SceneInfo> {
    facts_with_mass_of(&scene_file::read(path)?, path, density)
}

/// Like `facts_with_mass`, for a scene that was read from `path`.
///
/// # Errors
/// As for [`build`].
pub fn facts_with_mass_of(file: &SceneFile, path: &Path, density: Option<f64>) -> Result<SceneInfo> {
    let BuiltScene { scene, warnings, .. } = build(file, path)?;
    let shapes = scene.bodies().iter().map(|body| body.shape.as_ref());
    let bodies = file
        .bodies
        .iter()
        .zip(shapes)
        .filter_map(|(entry, shape)| Some(body(entry, shape?, density)))
        .collect();
    let terms = SceneSettings {
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

/// The bounding box of the boxes of all bodies at the start.
fn bounds(scene: &Scene) -> Option<[DVec3; 2]> {
    let mut bounds: Option<[DVec3; 2]> = None;
    for (number, body) in scene.bodies().iter().enumerate() {
        let Some([minimum, maximum]) = body.shape.as_ref().map(CollisionShape::bounds) else { continue };
        let pose = scene.pose_at(number, 0.0);
        for corner in 0..8 {
            let side = |axis: usize| if corner >> axis & 1 == 0 { minimum[axis] } else { maximum[axis] };
            let point = pose.transform_point(DVec3::new(side(0), side(1), side(2)));
            let [lo, hi] = bounds.unwrap_or([point; 2]);
            bounds = Some([lo.min(point), hi.max(point)]);
        }
    }
    bounds
}
