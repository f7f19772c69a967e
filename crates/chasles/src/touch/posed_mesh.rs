//! A mesh at a pose: orientation of its faces, convexity of its edges and vertices.

use glam::{DMat3, DVec3};

use crate::body::PreparedMesh;
use crate::shape::Mesh;
use crate::shape::mesh::NO_FACE;

/// The orientation of the faces of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Winding {
    /// Closed, with faces oriented outwards.
    Outward,
    /// Closed, with faces oriented inwards.
    Inward,
    /// Without an interior.
    Open,
}

impl Winding {
    pub(crate) fn of(mesh: &Mesh) -> Self {
        if mesh.check_consistent_orientation().is_err() {
            return Self::Open;
        }
        let volume = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| mesh.local()[v as usize]);
            a.dot(b.cross(c))
        };
        let volume: f64 = mesh.triangles().iter().map(volume).sum();
        if volume >= 0.0 { Self::Outward } else { Self::Inward }
    }

    fn sign(self) -> Option<f64> {
        match self {
            Self::Outward => Some(1.0),
            Self::Inward => Some(-1.0),
            Self::Open => None,
        }
    }
}

/// A mesh with the orientation of its faces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrientedMesh<'a> {
    pub(crate) body: &'a PreparedMesh,
    pub(crate) winding: Winding,
}

impl<'a> OrientedMesh<'a> {
    pub(super) fn posed(self, rotation: DMat3, offset: DVec3) -> PosedMesh<'a> {
        PosedMesh { mesh: self.body.mesh(), winding: self.winding, rotation, offset }
    }
}

/// Maximum sine of the angle by which a direction may point into a face.
pub(super) const MAX_SINE: f64 = 0.05;

/// An edge between faces that differ by less than this sine counts as flat.
const FLAT: f64 = 1e-6;

/// A point closer to a vertex or an edge than this fraction of the mesh's radius is on it.
const ON_BORDER: f64 = 1e-12;

/// A mesh at a pose.
pub(super) struct PosedMesh<'m> {
    pub(super) mesh: &'m Mesh,
    pub(super) winding: Winding,
    pub(super) rotation: DMat3,
    pub(super) offset: DVec3,
}

impl PosedMesh<'_> {
    pub(super) fn point(&self, vertex: u32) -> DVec3 {
        self.offset + self.rotation * self.mesh.local()[vertex as usize]
    }

    pub(super) fn triangle(&self, face: u32) -> [DVec3; 3] {
        self.mesh.triangles()[face as usize].map(|v| self.point(v))
    }

    /// Unit normal, away from the interior; zero for a triangle of zero area.
    pub(super) fn outward(&self, face: u32) -> DVec3 {
        let [a, b, c] = self.triangle(face);
        (b - a).cross(c - a).normalize_or_zero() * self.winding.sign().unwrap_or(1.0)
    }

    /// For each face of an edge, the direction across the edge into the face.
    pub(super) fn directions_into_faces(&self, edge: u32) -> [Option<DVec3>; 2] {
        let ends = self.mesh.edges()[edge as usize];
        let [p, q] = ends.map(|v| self.point(v));
        let along = (q - p).normalize_or_zero();
        self.mesh.edge_faces(edge).map(|face| {
            let corners = (face != NO_FACE).then(|| self.mesh.triangles()[face as usize])?;
            let third = corners.into_iter().find(|v| !ends.contains(v))?;
            let arm = self.point(third) - p;
            Some((arm - arm.dot(along) * along).normalize_or_zero())
        })
    }

    /// Whether an edge is sharp and the body convex there.
    pub(super) fn is_ridge(&self, edge: u32, into: &[Option<DVec3>; 2]) -> bool {
        let [Some(first), Some(second)] = *into else { return true };
        if (first + second).length() < FLAT {
            return false;
        }
        // The direction into one face leads below the other.
        match self.winding {
            Winding::Open => true,
            Winding::Outward | Winding::Inward => {
                first.dot(self.outward(self.mesh.edge_faces(edge)[1])) < FLAT
            }
        }
    }

    /// Whether the coordinate along a unit direction does not increase along any edge from a vertex.
    pub(super) fn is_local_maximum(&self, vertex: u32, direction: DVec3) -> bool {
        let at = self.point(vertex);
        self.mesh.around().edges_at_vertex(vertex).iter().all(|edge| {
            let [p, q] = self.mesh.edges()[*edge as usize];
            let other = self.point(if p == vertex { q } else { p });
            (other - at).normalize_or_zero().dot(direction) <= MAX_SINE
        })
    }

    /// Whether a point at `away` from its nearest point on a face is clearly inside.
    pub(super) fn is_behind(&self, face: u32, point: DVec3, away: DVec3) -> bool {
        if self.winding == Winding::Open {
            return false;
        }
        let outward = self.outward_at(face, point);
        away.dot(outward) < -MAX_SINE * away.length() * outward.length()
    }

    /// A direction away from the interior at a point of a face. At an edge or a vertex it is the sum of the outward
    /// normals of the adjacent faces, at a vertex weighted by their angles: a point whose nearest surface point is
    /// this one is outside if it is ahead in this direction (Bærentzen and Aanæs 2005).
    fn outward_at(&self, face: u32, point: DVec3) -> DVec3 {
        let near = (ON_BORDER * self.mesh.radius()).powi(2);
        let corners = self.mesh.triangles()[face as usize];
        if let Some(vertex) = corners.into_iter().find(|v| self.point(*v).distance_squared(point) <= near) {
            let faces = self.mesh.around().faces_at_vertex(vertex).iter();
            return faces.map(|face| self.angle(*face, vertex) * self.outward(*face)).sum();
        }
        let is_on = |edge: &u32| {
            let [p, q] = self.mesh.edges()[*edge as usize].map(|v| self.point(v));
            (point - p).reject_from(q - p).length_squared() <= near
        };
        match self.mesh.triangle_edges()[face as usize].into_iter().find(is_on) {
            Some(edge) => self.outward_of_edge(edge),
            None => self.outward(face),
        }
    }

    /// The sum of the outward normals of the faces at an edge; 0 if there is no interior.
    pub(super) fn outward_of_edge(&self, edge: u32) -> DVec3 {
        if self.winding == Winding::Open {
            return DVec3::ZERO;
        }
        self.mesh.around().faces_at_edge(edge).iter().map(|face| self.outward(*face)).sum()
    }

    /// The angle of a face at one of its vertices, in radians.
    fn angle(&self, face: u32, vertex: u32) -> f64 {
        let at = self.point(vertex);
        let others = self.mesh.triangles()[face as usize].into_iter().filter(|v| *v != vertex);
        let mut edges = others.map(|v| self.point(v) - at);
        match (edges.next(), edges.next()) {
            (Some(first), Some(second)) => first.angle_between(second),
            _ => 0.0,
        }
    }
}
