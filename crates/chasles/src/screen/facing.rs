//! Classifies the parts of a body that lead, trail or slide along a screw (Buss 2005, "Forward facing surfaces").
//!
//! A point of a surface with outward normal n and velocity v leads if n.v > 0 and trails if n.v < 0; this does not
//! change along the motion. On a face n.v is affine, so a straight line perpendicular to n x omega separates the two
//! parts of a face. A part **matters** if it leads (A) or trails (B), because no other part can collide.

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::error::Error;
use crate::features::screw_motion::ScrewMotion;
use crate::math::direction::unit_along;
use crate::math::exact::cross_of_corners;
use crate::math::screw_function::Basis;
use crate::motion::{Pose, Screw};
use crate::screen::flow::Flow;
use crate::shape::Mesh;

/// The area of a mesh that leads, trails or slides, and the numbers of such faces and edges.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Facing {
    /// The area of the leading parts, in square metres: n.v > 0, where v is the velocity of A's points relative to B.
    pub forward: f64,
    /// The area of the trailing parts, in square metres: n.v < 0.
    pub backward: f64,
    /// The area of the faces that slide along their own planes, in square metres.
    pub along: f64,
    /// The numbers of faces.
    pub faces: FacingFaces,
    /// Number of edges, without edges from a vertex to itself.
    pub edges: usize,
    /// Number of edges that cannot collide: at neither end does one of the edge's faces lead (A) or trail (B).
    pub culled_edges: usize,
}

/// Numbers of faces that lead, trail or slide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FacingFaces {
    /// Faces that lead everywhere.
    pub forward: usize,
    /// Faces that trail everywhere.
    pub backward: usize,
    /// Faces that lead in one part and trail in another.
    pub split: usize,
    /// Faces with |n.v| at most 1e-9 of the largest speed of a vertex of the mesh at every corner.
    pub along: usize,
}

/// The two bodies of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The moving body: its leading parts matter.
    A,
    /// The static body: its trailing parts matter.
    B,
}

/// A face slides if its |n.v| is at most this fraction of the largest speed of a vertex.
const ALONG: f64 = 1e-9;

/// The surface of one body, with its facing to the flow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FacingMesh<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) role: Role,
    pub(crate) flow: Flow,
    motion: &'a ScrewMotion,
    /// The largest speed of a vertex.
    pub(crate) fastest: f64,
    /// An |n.v| of at most this counts as zero.
    pub(crate) speed_tolerance: f64,
}

impl<'a> FacingMesh<'a> {
    /// The surface of `mesh`, in its role in a motion.
    pub(crate) fn new(mesh: &'a Mesh, role: Role, motion: &'a ScrewMotion) -> Self {
        let mut faced =
            Self { mesh, role, flow: Flow::new(motion), motion, fastest: 0.0, speed_tolerance: 0.0 };
        let vertices = mesh.triangles().iter().flatten();
        let fastest =
            vertices.map(|v| faced.flow.at(faced.vertex_in_frame(*v)).length_squared()).fold(0.0, f64::max);
        faced.fastest = fastest.sqrt();
        faced.speed_tolerance = ALONG * faced.fastest;
        faced
    }

    /// The position of a vertex at t = 0, in B's axes, relative to the centre of B's mesh.
    #[inline]
    pub(crate) fn vertex_in_frame(&self, vertex: u32) -> DVec3 {
        let local = self.mesh.local()[vertex as usize];
        match self.role {
            Role::A => self.motion.placed(local),
            Role::B => local,
        }
    }

    /// The unit normal of a face at t = 0; zero if the face has no area.
    pub(crate) fn normal(&self, face: u32) -> DVec3 {
        let normal = outward(self.mesh, face);
        match self.role {
            Role::A => self.motion.rotated(normal),
            Role::B => normal,
        }
    }

    /// The unit normal of a face at a time; zero if the face has no area.
    pub(crate) fn normal_at(&self, face: u32, basis: &Basis) -> DVec3 {
        let normal = outward(self.mesh, face);
        match self.role {
            Role::A => unit_along(self.motion.rotation_at(basis) * normal),
            Role::B => normal,
        }
    }

    /// n.v at the corners of a face.
    pub(crate) fn at_corners(&self, face: u32) -> [f64; 3] {
        let normal = self.normal(face);
        self.mesh.triangles()[face as usize].map(|v| normal.dot(self.flow.at(self.vertex_in_frame(v))))
    }

    /// n.v of a face at a vertex.
    pub(crate) fn at_vertex(&self, face: u32, vertex: u32) -> f64 {
        self.normal(face).dot(self.flow.at(self.vertex_in_frame(vertex)))
    }

    /// Whether a part with this n.v matters: it leads (A) or trails (B), by more than the speed tolerance.
    #[inline]
    pub(crate) fn matters(&self, facing: f64) -> bool {
        match self.role {
            Role::A => facing > self.speed_tolerance,
            Role::B => facing < -self.speed_tolerance,
        }
    }

    /// Whether any face at a vertex matters there.
    pub(crate) fn vertex_matters(&self, vertex: u32) -> bool {
        let faces = self.mesh.around().faces_at_vertex(vertex);
        faces.iter().any(|face| self.matters(self.at_vertex(*face, vertex)))
    }

    /// Whether any face at an edge matters at one of the edge's ends.
    pub(crate) fn edge_matters(&self, edge: u32) -> bool {
        let ends = self.mesh.edges()[edge as usize];
        let faces = self.mesh.around().faces_at_edge(edge);
        faces.iter().any(|face| ends.iter().any(|v| self.matters(self.at_vertex(*face, *v))))
    }

    /// Computes the areas, and counts the faces and edges.
    pub(crate) fn count(&self) -> Facing {
        let mut facing = Facing::default();
        for (face, triangle) in (0_u32..).zip(self.mesh.triangles()) {
            let [p, q, r] = triangle.map(|v| self.mesh.local()[v as usize]);
            let area = 0.5 * (q - p).cross(r - p).length();
            let corners = self.at_corners(face);
            let (leads, trails) = (
                corners.iter().any(|g| *g > self.speed_tolerance),
                corners.iter().any(|g| *g < -self.speed_tolerance),
            );
            let faces = &mut facing.faces;
            match (leads, trails) {
                (true, true) => faces.split += 1,
                (true, false) => faces.forward += 1,
                (false, true) => faces.backward += 1,
                (false, false) => faces.along += 1,
            }
            if leads || trails {
                let forward = area * forward_fraction(corners);
                facing.forward += forward;
                facing.backward += area - forward;
            } else {
                facing.along += area;
            }
        }
        for (edge, [v, w]) in (0..).zip(self.mesh.edges()) {
            if v != w {
                facing.edges += 1;
                facing.culled_edges += usize::from(!self.edge_matters(edge));
            }
        }
        facing
    }
}

/// The unit normal of a face in the mesh's axes; zero if the face has no area. In slivers the difference of two
/// products loses the digits that determine the side, so the cross product is computed exactly from the given
/// corners.
pub(super) fn outward(mesh: &Mesh, face: u32) -> DVec3 {
    let [p, q, r] = mesh.local_triangle(face);
    let (e1, e2) = (q - p, r - p);
    let normal = e1.cross(e2);
    let thin = normal.length_squared() < SLIVER * e1.length_squared() * e2.length_squared();
    let corners = || mesh.triangles()[face as usize].map(|v| mesh.vertex(v));
    unit_along(if thin { cross_of_corners(corners()) } else { normal })
}

/// Squared sine of the angle at a corner below which a triangle is a sliver.
const SLIVER: f64 = 1e-8;

/// The fraction of a triangle's area on which an affine function is positive.
fn forward_fraction(mut corners: [f64; 3]) -> f64 {
    corners.sort_unstable_by(f64::total_cmp);
    let [low, middle, high] = corners;
    if low >= 0.0 {
        1.0
    } else if high <= 0.0 {
        0.0
    } else if middle <= 0.0 {
        (high / (high - low)) * (high / (high - middle))
    } else {
        1.0 - (low / (low - high)) * (low / (low - middle))
    }
}

/// Computes how the surfaces of two bodies face the motion of A along a screw, in B's frame.
#[must_use]
pub fn facings(a: &PreparedMesh, b: &PreparedMesh, screw: &Screw) -> [Facing; 2] {
    let motion = ScrewMotion::new(a.mesh(), b.mesh(), screw);
    [(a, Role::A), (b, Role::B)].map(|(body, role)| FacingMesh::new(body.mesh(), role, &motion).count())
}

/// Computes how the surface of a mesh, in its own frame, faces a screw about an axis: `direction` need not be unit,
/// `slide` is in metres, `angle` in radians. Culled edges do not lead.
///
/// # Errors
/// As [`Screw::about`].
pub fn facing(mesh: &Mesh, direction: DVec3, point: DVec3, slide: f64, angle: f64) -> Result<Facing, Error> {
    let screw = Screw::about(Pose::IDENTITY, direction, point, slide, angle)?;
    let motion = ScrewMotion::new(mesh, mesh, &screw);
    Ok(FacingMesh::new(mesh, Role::A, &motion).count())
}

#[cfg(test)]
pub(super) mod tests {
    use chasles_testing::{Random, cases};

    use super::*;

    /// A sliver far from the origin, a direction, and the cosine between its normal and the direction: positive if
    /// the sliver leads in this direction.
    pub(in crate::screen) fn sliver(random: &mut Random) -> (Mesh, DVec3, f64) {
        let mut whole = |r: f64| [(); 3].map(|()| (r * random.side()).round());
        let (p, along, aside, displacement) = (whole(2e15), whole(3e14), whole(2.0), whole(100.0));
        let at = |k: f64, side: f64| [0, 1, 2].map(|i| p[i] + k * along[i] + side * aside[i]);
        let corners = [p, at(1.0, 0.0), at(3.0, 1.0)].map(DVec3::from_array).to_vec();
        let mesh = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
        let [along, aside, displacement] = [along, aside, displacement].map(DVec3::from_array);
        // The second factor is small: this product of whole numbers is nearly exact, the product of the sides is not.
        let normal = along.cross(aside);
        (mesh, displacement, normal.dot(displacement) / (normal.length() * displacement.length()))
    }

    /// In a translation the side is determined by the corners as given.
    #[test]
    fn the_exact_corners_decide_whether_a_sliver_leads() {
        let mut sides = [0; 2];
        for seed in 0..cases(1000, 5000) {
            let (mesh, displacement, truth) = sliver(&mut Random(seed));
            if truth.is_nan() || truth.abs() < 1e-6 {
                continue;
            }
            let found = facing(&mesh, displacement, DVec3::ZERO, displacement.length(), 0.0).unwrap();
            let faces = (found.faces.forward, found.faces.backward);
            assert_eq!(faces, if truth > 0.0 { (1, 0) } else { (0, 1) }, "seed {seed}: {truth}");
            sides[usize::from(truth > 0.0)] += 1;
        }
        assert!(sides.iter().all(|n| *n > 150), "{sides:?}");
    }

    #[test]
    fn the_leading_fraction_is_that_of_the_clipped_triangle() {
        // By the analytic formula: one corner on one side.
        let (g0, g1, g2) = (0.7, -0.2, -1.1);
        let one = g0 * g0 / ((g0 - g1) * (g0 - g2));
        assert!((forward_fraction([g0, g1, g2]) - one).abs() < 1e-15);
        assert!((forward_fraction([-g1, -g0, -g2]) - (1.0 - one)).abs() < 1e-15);
        assert_eq!(forward_fraction([0.0, 1.0, 2.0]), 1.0);
        assert_eq!(forward_fraction([0.0, -1.0, 0.0]), 0.0);
        assert!((forward_fraction([-1.0, 0.0, 1.0]) - 0.5).abs() < 1e-15);
    }
}
