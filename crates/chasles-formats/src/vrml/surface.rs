//! The surface of a shape, in its own frame: triangles, or a round body.

use chasles::{Primitive, Tessellation};
use glam::DVec3;

use super::elevation;
use super::extrusion;
use super::faces;
use super::graph::{Graph, Spot};
use super::syntax::count;
use crate::error::Result;
use crate::gltf::fault::Warnings;
use crate::mesh::polygon::Cutter;

/// A surface.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Surface {
    Mesh {
        vertices: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
    },
    /// A ball, or a cylinder or cone with its axis along y.
    Round {
        primitive: Primitive,
        /// Which parts of it are there.
        parts: Parts,
    },
}

/// The parts of a cylinder or cone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) top: bool,
    pub(super) side: bool,
    pub(super) bottom: bool,
}

impl Parts {
    const ALL: Self = Self { top: true, side: true, bottom: true };

    pub(super) fn all(self) -> bool {
        self == Self::ALL
    }
}

/// What surfaces are made with.
pub(super) struct Workshop<'a> {
    pub(super) cutter: &'a mut Cutter,
    pub(super) budget: &'a mut Budget,
    pub(super) warnings: &'a mut Warnings,
}

/// Vertices and triangles that may still be made.
#[derive(Debug)]
pub(super) struct Budget(pub(super) usize);

impl Budget {
    /// Takes so many; otherwise what is wrong.
    pub(super) fn spend(&mut self, wanted: usize) -> std::result::Result<(), String> {
        match self.0.checked_sub(wanted) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err("found more vertices and triangles in this world than can be held".into()),
        }
    }
}

/// The surface of a geometry node; none: it has none, or none that is known.
pub(super) fn surface(graph: &mut Graph, spot: Spot, workshop: &mut Workshop<'_>) -> Result<Option<Surface>> {
    let kind = graph.kind(spot).clone();
    let found = match &*kind {
        "Box" => Some(cuboid(graph, spot)?),
        "Sphere" => {
            let radius = size(graph, spot, "radius", 1.0)?;
            Some(Surface::Round { primitive: Primitive::Sphere { radius }, parts: Parts::ALL })
        }
        "Cylinder" => {
            let (radius, height) = (size(graph, spot, "radius", 1.0)?, size(graph, spot, "height", 2.0)?);
            let parts = Parts {
                top: flag(graph, spot, "top", true)?,
                side: flag(graph, spot, "side", true)?,
                bottom: flag(graph, spot, "bottom", true)?,
            };
            Some(Surface::Round { primitive: Primitive::Cylinder { radius, height }, parts })
        }
        "Cone" => {
            let (radius, height) =
                (size(graph, spot, "bottomRadius", 1.0)?, size(graph, spot, "height", 2.0)?);
            let (side, bottom) = (flag(graph, spot, "side", true)?, flag(graph, spot, "bottom", true)?);
            // A cone has no top that could be missing.
            let parts = Parts { top: side, side, bottom };
            let parts = if side && bottom { Parts::ALL } else { parts };
            Some(Surface::Round { primitive: Primitive::Cone { radius, height }, parts })
        }
        "Extrusion" => Some(extrusion::extrusion(graph, spot, workshop)?),
        "ElevationGrid" => Some(elevation::grid(graph, spot, workshop)?),
        "IndexedLineSet" | "PointSet" | "LineSet" => None,
        "Text" => {
            workshop
                .warnings
                .push(graph.warning(spot, "letters are not read as surfaces; they are left out"));
            None
        }
        kind => match faces::Faces::of(kind) {
            Some(faces) => faces.surface(graph, spot, workshop)?,
            None => {
                let warning = format!("the surface of {kind} is not known; it is left out");
                workshop.warnings.push(graph.warning(spot, &warning));
                None
            }
        },
    };
    Ok(found.filter(|surface| match surface {
        Surface::Mesh { triangles, .. } => !triangles.is_empty(),
        Surface::Round { parts, .. } => parts.top || parts.side || parts.bottom,
    }))
}

/// A size that must be greater than 0.
fn size(graph: &Graph, spot: Spot, name: &str, default: f64) -> Result<f64> {
    let Some(given) = graph.field(spot, name)? else { return Ok(default) };
    let [size] = given.typed(given.value.vector::<1>())?;
    if size > 0.0 {
        Ok(size)
    } else {
        Err(given.error(&format!("found {size}, expected a number greater than 0")))
    }
}

/// TRUE or FALSE.
pub(super) fn flag(graph: &Graph, spot: Spot, name: &str, default: bool) -> Result<bool> {
    let Some(given) = graph.field(spot, name)? else { return Ok(default) };
    given.typed(given.value.boolean())
}

/// A list of points of so many numbers each.
pub(super) fn points<const N: usize>(graph: &Graph, spot: Spot, name: &str) -> Result<Option<Vec<[f64; N]>>> {
    let Some(given) = graph.field(spot, name)? else { return Ok(None) };
    let numbers = given.typed(given.value.numbers())?;
    if !numbers.len().is_multiple_of(N) {
        let found = count(numbers.len(), "number");
        return Err(given.error(&format!("found {found}, expected {N} for each")));
    }
    let point = |chunk: &[f64]| std::array::from_fn(|i| chunk[i]);
    Ok(Some(numbers.chunks_exact(N).map(point).collect()))
}

/// A box may be flat, which exporters write; less than that is none.
fn cuboid(graph: &Graph, spot: Spot) -> Result<Surface> {
    let size = match graph.field(spot, "size")? {
        None => DVec3::splat(2.0),
        Some(given) => {
            let size = given.typed(given.value.vector::<3>())?;
            if let Some(at) = size.iter().position(|size| *size < 0.0) {
                let message = format!("found {}, expected a number of at least 0", size[at]);
                return Err(given.error_at(at, &message));
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
    Ok(Surface::Mesh { vertices: (0..8).map(corner).collect(), triangles })
}

impl Surface {
    /// The triangles that show it; of a round one a polyhedron inside.
    ///
    /// # Errors
    /// A size that the engine does not take.
    pub(super) fn shown(&self) -> std::result::Result<(Vec<DVec3>, Vec<[u32; 3]>), chasles::Error> {
        let (primitive, parts) = match self {
            Self::Mesh { vertices, triangles } => return Ok((vertices.clone(), triangles.clone())),
            Self::Round { primitive, parts } => (primitive, *parts),
        };
        let Tessellation { mesh, .. } = primitive.tessellate()?;
        // The axis of the engine's bodies is z, that of VRML's is y; z takes the place of y, and so on round.
        let last = mesh.triangles().iter().flatten().copied().max().unwrap_or(0);
        let turned = |p: DVec3| DVec3::new(p.y, p.z, p.x);
        let vertices = (0..=last).map(|vertex| turned(mesh.vertex(vertex))).collect();
        let is_there = |triangle: &&[u32; 3]| match primitive {
            _ if parts.all() => true,
            // The centre of the base is the last vertex; that of a cylinder's top the first.
            _ if triangle.contains(&last) => parts.bottom,
            Primitive::Cylinder { .. } if triangle.contains(&0) => parts.top,
            _ => parts.side,
        };
        Ok((vertices, mesh.triangles().iter().filter(is_there).copied().collect()))
    }

    /// How many triangles show it.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Mesh { triangles, .. } => triangles.len(),
            Self::Round { primitive: Primitive::Cylinder { .. }, parts } => {
                16 * (usize::from(parts.top) + 2 * usize::from(parts.side) + usize::from(parts.bottom))
            }
            Self::Round { primitive: Primitive::Cone { .. }, parts } => {
                16 * (usize::from(parts.side) + usize::from(parts.bottom))
            }
            Self::Round { .. } => 256,
        }
    }
}
