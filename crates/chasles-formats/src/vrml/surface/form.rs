//! Surfaces, and the triangles that represent them.

use chasles::{Primitive, Tessellation};
use glam::DVec3;

/// A surface.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum VrmlGeometry {
    Mesh {
        vertices: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
    },
    /// A ball, or a cylinder or cone with its axis along y.
    Round {
        primitive: Primitive,
        /// The parts that it has.
        parts: CylinderParts,
    },
}

/// The parts of a cylinder or cone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CylinderParts {
    pub(crate) top: bool,
    pub(crate) side: bool,
    pub(crate) bottom: bool,
}

impl CylinderParts {
    pub(crate) const ALL: Self = Self { top: true, side: true, bottom: true };

    pub(crate) fn all(self) -> bool {
        self == Self::ALL
    }
}

impl VrmlGeometry {
    /// The triangles that represent the surface; for a round body, an inscribed polyhedron.
    ///
    /// # Errors
    /// A size that the engine refuses.
    pub(crate) fn shown(&self) -> std::result::Result<(Vec<DVec3>, Vec<[u32; 3]>), chasles::Error> {
        let (primitive, parts) = match self {
            Self::Mesh { vertices, triangles } => return Ok((vertices.clone(), triangles.clone())),
            Self::Round { primitive, parts } => (primitive, *parts),
        };
        let Tessellation { mesh, .. } = primitive.tessellate()?;
        // The engine's axis is z and VRML's is y: z becomes y, y becomes x, and x becomes z.
        let last = mesh.triangles().iter().flatten().copied().max().unwrap_or(0);
        let permuted = |p: DVec3| DVec3::new(p.y, p.z, p.x);
        let vertices = (0..=last).map(|vertex| permuted(mesh.vertex(vertex))).collect();
        let is_there = |triangle: &&[u32; 3]| match primitive {
            _ if parts.all() => true,
            // The last vertex is the centre of the base; for a cylinder the first vertex is the centre of the top.
            _ if triangle.contains(&last) => parts.bottom,
            Primitive::Cylinder { .. } if triangle.contains(&0) => parts.top,
            _ => parts.side,
        };
        Ok((vertices, mesh.triangles().iter().filter(is_there).copied().collect()))
    }

    /// The number of triangles that represent the surface.
    pub(crate) fn count(&self) -> usize {
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
