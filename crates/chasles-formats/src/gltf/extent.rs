//! Facts about a scene: its bodies, and their bounding box at time 0.

use chasles::{Rig, RigDefinition};
use glam::{DAffine3, DVec3};

use super::fault::{Fault, GltfResult};
use super::geometry::GltfGeometry;
use super::hierarchy::place_of;
use super::loaded::{Loaded, Morph};
use crate::info::bounds::{WorldBounds, bounding_box, enclosing_box};
use crate::info::{BodyInfo, SceneInfo};

/// Returns the facts about a file. All transforms are applied, even if the engine would refuse them.
pub(super) fn facts(loaded: &Loaded) -> GltfResult<SceneInfo> {
    let mut warnings = loaded.warnings.clone();
    let worlds = loaded.tree.world_transforms(&loaded.document.nodes, &loaded.animation)?;
    let mut bounds = WorldBounds::new(TRANSFORMED);
    let (mut facts, mut boxes) = (Vec::new(), Vec::new());
    for (node, name, mesh) in loaded.bodies() {
        let place = || place_of(node, &loaded.document.nodes[node]);
        if let Some(reason) = loaded.deformation(node) {
            warnings.push(format!("{}: {reason}, which is not taken into account", place()));
        }
        let GltfGeometry { vertices, triangles, .. } = &loaded.meshes[mesh];
        let [lo, hi] = match first_shape(loaded, node, mesh)? {
            None => bounds.of(mesh, vertices, triangles, &worlds[node]),
            Some(places) => {
                let world = if loaded.skins.contains_key(&node) { DAffine3::IDENTITY } else { worlds[node] };
                bounding_box(
                    triangles.iter().flatten().map(|corner| world.transform_point3(places[*corner as usize])),
                )
            }
        };
        if !(lo.is_finite() && hi.is_finite()) {
            return Err(Fault::new(place(), "it lies beyond all finite numbers"));
        }
        boxes.push([lo, hi]);
        facts.push(BodyInfo { name, triangles: triangles.len(), ..BodyInfo::default() });
    }
    let mut warnings = warnings.list();
    if facts.is_empty() {
        warnings.push("the scene has no triangles".into());
    }
    if bounds.is_spent() {
        warnings.push("the bounds are those of boxes around the meshes: there are too many vertices".into());
    }
    let animations = loaded.document.animations.iter().enumerate();
    let animations = animations.map(|(i, entry)| entry.name.clone().unwrap_or_else(|| i.to_string()));
    Ok(SceneInfo {
        bodies: facts,
        animations: animations.collect(),
        bounds: enclosing_box(boxes),
        warnings,
        ..SceneInfo::default()
    })
}

/// The initial vertices of a mesh, in the frame of its node, or in the world frame if it has a skin; `None` if they
/// are the vertices of the file.
fn first_shape(loaded: &Loaded, node: usize, mesh: usize) -> GltfResult<Option<Vec<DVec3>>> {
    let geometry = &loaded.meshes[mesh];
    let weights = match loaded.morph(node, mesh)? {
        Morph::Nothing => vec![],
        morph => morph.curves(geometry.targets.len()).iter().map(|curve| curve.values()[0]).collect(),
    };
    let Some(skin) = loaded.skins.get(&node) else {
        return Ok((!weights.is_empty()).then(|| geometry.morphed(&weights)));
    };
    let rig = skin.rig(&loaded.tree, &loaded.document.nodes, &loaded.animation)?;
    let rig = Rig::new(RigDefinition { vertices: geometry.morphed(&weights), ..rig });
    let rig =
        rig.map_err(|error| Fault::new(place_of(node, &loaded.document.nodes[node]), error.to_string()))?;
    let mut places = Vec::new();
    rig.vertices_at(0.0, &mut places);
    Ok(Some(places))
}

/// Maximum number of vertices that are transformed one by one: a few seconds of work.
const TRANSFORMED: usize = 1 << 29;
