//! Facts about a scene in TOML: its bodies, their initial poses, and the settings of the scene.

use std::path::Path;

use chasles::CollisionShape;

use super::{BuiltScene, build};
use crate::error::Result;
use crate::info::bounds::{bounding_box, corners, enclosing_box};
use crate::info::{BodyInfo, MassInfo, SceneInfo, SceneSettings, ShapeInfo};
use crate::scene::file::{self, BodyTable, SceneFile, ShapeEntry};

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
    facts_with_mass_of(&file::read(path)?, path, density)
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
    let boxes = scene.bodies().iter().enumerate().filter_map(|(number, body)| {
        let (corners, pose) = (corners(body.shape.as_ref()?.bounds()), scene.pose_at(number, 0.0));
        Some(bounding_box(corners.map(|corner| pose.transform_point(corner))))
    });
    let bounds = enclosing_box(boxes);
    Ok(SceneInfo { bodies, bounds, terms: Some(terms), warnings, ..SceneInfo::default() })
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
