//! The colours of materials.

use super::graph::{Graph, NodeInstance};
use crate::scene::appearance::on_screen;

/// The default diffuse colour of VRML97 and X3D.
const DIFFUSE: [f64; 3] = [0.8; 3];

/// The colour of a shape: the diffuse colour of its material, the emissive colour of an unlit material, or the base
/// colour of a physical material. `None`: there is no material, or an invalid one, which does not invalidate the
/// shape.
pub(super) fn of_shape(graph: &mut Graph, shape: NodeInstance) -> Option<[u8; 3]> {
    let appearance = child(graph, shape, "appearance")?;
    let material = child(graph, appearance, "material")?;
    let (field, default) = match &**graph.kind(material) {
        "Material" | "TwoSidedMaterial" => ("diffuseColor", DIFFUSE),
        "UnlitMaterial" => ("emissiveColor", [1.0; 3]),
        "PhysicalMaterial" => ("baseColor", [1.0; 3]),
        _ => return None,
    };
    let Some(stated) = graph.field(material, field).ok()? else { return Some(on_screen(default)) };
    stated.value.vector::<3>().ok().map(on_screen)
}

/// The node in a field.
fn child(graph: &mut Graph, instance: NodeInstance, field: &str) -> Option<NodeInstance> {
    let stated = graph.field(instance, field).ok()??;
    let [node] = stated.value.nodes().ok()? else { return None };
    let child = NodeInstance { place: stated.place, node: *node };
    graph.behind(child, |_, _| {}).ok()?
}
