//! Facts about a scene: its bodies, and their bounding box at time 0.

use std::collections::HashMap;

use chasles::{Rig, RigDefinition};
use glam::{DAffine3, DVec3};

use super::fault::{Fault, GltfResult};
use super::geometry::GltfGeometry;
use super::hierarchy::place_of;
use super::loaded::{Loaded, Morph};
use crate::info::{BodyInfo, SceneInfo};

/// Returns the facts about a file. All transforms are applied, even if the engine would refuse them.
pub(super) fn facts(loaded: &Loaded) -> GltfResult<SceneInfo> {
    let mut warnings = loaded.warnings.clone();
    let worlds = loaded.tree.worlds(&loaded.document.nodes, &loaded.animation)?;
    let mut bounds = MeshBounds { left: TRANSFORMED, boxes: HashMap::new() };
    let (mut facts, mut corners) = (Vec::new(), None);
    for (node, name, mesh) in loaded.bodies() {
        let place = || place_of(node, &loaded.document.nodes[node]);
        if let Some(reason) = loaded.deformation(node) {
            warnings.push(format!("{}: {reason}, which is not taken into account", place()));
        }
        let [lo, hi] = match first_shape(loaded, node, mesh)? {
            None => bounds.of(mesh, &loaded.meshes[mesh], &worlds[node]),
            Some(places) => {
                let world = if loaded.skins.contains_key(&node) { DAffine3::IDENTITY } else { worlds[node] };
                let corners = loaded.meshes[mesh].triangles.iter().flatten();
                bounding_box(corners.map(|corner| world.transform_point3(places[*corner as usize])))
            }
        };
        if !(lo.is_finite() && hi.is_finite()) {
            return Err(Fault::new(place(), "it lies beyond all finite numbers"));
        }
        corners = Some(corners.map_or([lo, hi], |[l, h]: [DVec3; 2]| [lo.min(l), hi.max(h)]));
        facts.push(BodyInfo {
            name,
            triangles: loaded.meshes[mesh].triangles.len(),
            shape: None,
            mass: None,
        });
    }
    let mut warnings = warnings.list();
    if facts.is_empty() {
        warnings.push("the scene has no triangles".into());
    }
    if bounds.left == 0 {
        warnings.push("the bounds are those of boxes around the meshes: there are too many vertices".into());
    }
    let animations = loaded.document.animations.iter().enumerate();
    let animations = animations.map(|(i, entry)| entry.name.clone().unwrap_or_else(|| i.to_string()));
    Ok(SceneInfo {
        bodies: facts,
        joints: vec![],
        animations: animations.collect(),
        bounds: corners,
        terms: None,
        releases: vec![],
        robot: None,
        warnings,
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

/// Bounding boxes of meshes in the world frame.
struct MeshBounds {
    /// Number of vertices that may still be transformed one by one.
    left: usize,
    /// The bounding boxes of meshes in their own frames.
    boxes: HashMap<usize, [DVec3; 2]>,
}

/// Maximum number of vertices that are transformed one by one: a few seconds of work.
const TRANSFORMED: usize = 1 << 29;

impl MeshBounds {
    fn of(&mut self, number: usize, mesh: &GltfGeometry, world: &DAffine3) -> [DVec3; 2] {
        let count = 3 * mesh.triangles.len();
        if self.left >= count {
            self.left -= count;
            return bounding_box(mesh.corners().map(|corner| world.transform_point3(corner)));
        }
        self.left = 0;
        let [lo, hi] = *self.boxes.entry(number).or_insert_with(|| bounding_box(mesh.corners()));
        let corner = |i: usize| {
            let [x, y, z] = [i & 1, i & 2, i & 4].map(|bit| bit > 0);
            let pick = |high: bool, lo: f64, hi: f64| if high { hi } else { lo };
            DVec3::new(pick(x, lo.x, hi.x), pick(y, lo.y, hi.y), pick(z, lo.z, hi.z))
        };
        bounding_box((0..8).map(|i| world.transform_point3(corner(i))))
    }
}

fn bounding_box(points: impl Iterator<Item = DVec3>) -> [DVec3; 2] {
    let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    points.fold(start, |[lo, hi], point| [lo.min(point), hi.max(point)])
}
