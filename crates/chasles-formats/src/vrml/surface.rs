//! The surface of a shape in its own frame: triangles, or a round body.

pub(super) mod form;
pub(super) mod workshop;
mod faces;
mod elevation;
mod extrusion;

use chasles::Primitive;
use glam::DVec3;

use self::form::{CylinderParts, VrmlGeometry};
use self::workshop::Workshop;
use super::fields::{flag, size};
use super::graph::{Graph, NodeInstance};
use crate::error::Result;

/// The surface of a geometry node; `None`: it has no surface, or is of an unknown kind.
pub(super) fn surface(
    graph: &mut Graph,
    instance: NodeInstance,
    workshop: &mut Workshop<'_>,
) -> Result<Option<VrmlGeometry>> {
    let kind = graph.kind(instance).clone();
    let found = match &*kind {
        "Box" => Some(cuboid(graph, instance)?),
        "Sphere" => {
            let radius = size(graph, instance, "radius", 1.0)?;
            Some(VrmlGeometry::Round { primitive: Primitive::Sphere { radius }, parts: CylinderParts::ALL })
        }
        "Cylinder" => {
            let (radius, height) =
                (size(graph, instance, "radius", 1.0)?, size(graph, instance, "height", 2.0)?);
            let parts = CylinderParts {
                top: flag(graph, instance, "top", true)?,
                side: flag(graph, instance, "side", true)?,
                bottom: flag(graph, instance, "bottom", true)?,
            };
            Some(VrmlGeometry::Round { primitive: Primitive::Cylinder { radius, height }, parts })
        }
        "Cone" => {
            let (radius, height) =
                (size(graph, instance, "bottomRadius", 1.0)?, size(graph, instance, "height", 2.0)?);
            let (side, bottom) =
                (flag(graph, instance, "side", true)?, flag(graph, instance, "bottom", true)?);
            // A cone has no top.
            let parts = CylinderParts { top: side, side, bottom };
            let parts = if side && bottom { CylinderParts::ALL } else { parts };
            Some(VrmlGeometry::Round { primitive: Primitive::Cone { radius, height }, parts })
        }
        "Extrusion" => Some(extrusion::extrusion(graph, instance, workshop)?),
        "ElevationGrid" => Some(elevation::grid(graph, instance, workshop)?),
        "IndexedLineSet" | "PointSet" | "LineSet" => None,
        "Text" => {
            workshop
                .warnings
                .push(graph.warning(instance, "letters are not read as surfaces; they are left out"));
            None
        }
        kind => match faces::Faces::of(kind) {
            Some(faces) => faces.surface(graph, instance, workshop)?,
            None => {
                let warning = format!("the surface of {kind} is not known; it is left out");
                workshop.warnings.push(graph.warning(instance, &warning));
                None
            }
        },
    };
    Ok(found.filter(|surface| match surface {
        VrmlGeometry::Mesh { triangles, .. } => !triangles.is_empty(),
        VrmlGeometry::Round { parts, .. } => parts.top || parts.side || parts.bottom,
    }))
}

/// A box may be flat, because exporters write such boxes. Negative sizes are errors.
fn cuboid(graph: &Graph, instance: NodeInstance) -> Result<VrmlGeometry> {
    let size = match graph.field(instance, "size")? {
        None => DVec3::splat(2.0),
        Some(stated) => {
            let size = stated.typed(stated.value.vector::<3>())?;
            if let Some(at) = size.iter().position(|size| *size < 0.0) {
                let message = format!("found {}, expected a number of at least 0", size[at]);
                return Err(stated.error_at(at, &message));
            }
            DVec3::from_array(size)
        }
    };
    let half = 0.5 * size;
    let corner = |i: usize| {
        let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
        half * DVec3::new(sign(1), sign(2), sign(4))
    };
    // Two triangles a side, outward: -z, +z, -y, +y, -x, +x.
    let sides: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    Ok(VrmlGeometry::Mesh { vertices: (0..8).map(corner).collect(), triangles })
}
