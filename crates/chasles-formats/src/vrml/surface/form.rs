//! What a surface is, and how it is shown.

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
        /// Which parts of it are there.
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
    /// The triangles that show it; of a round one a polyhedron inside.
    ///
    /// # Errors
    /// A size that the engine does not take.
    pub(crate) fn shown(&self) -> std::result::Result<(Vec<DVec3>, Vec<[u32; 3]>), chasles::Error> {
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
