//! Which parts of a body lead, trail or slide along a screw (Buss 2005, "Forward facing surfaces").
//!
//! A place of a surface with outward normal n and velocity v leads where n.v > 0 and trails where n.v < 0; along the
//! motion this does not change. On a face n.v is affine, so the two parts of a face are parted by a straight line,
//! perpendicular to n x omega.

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

/// How much of a mesh leads, trails or slides, and how many of its faces and edges do.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Facing {
    /// The area of the parts that lead, in square metres: n.v > 0, v being the velocity of A's points relative to B.
    pub forward: f64,
    /// The area of the parts that trail: n.v < 0.
    pub backward: f64,
    /// The area of the faces that slide along their own planes.
    pub along: f64,
    /// The faces.
    pub faces: FacingFaces,
    /// Number of edges, those from a vertex to itself left out.
    pub edges: usize,
    /// Edges that cannot collide: at neither end a face of them leads (of A) or trails (of B).
    pub culled_edges: usize,
}

/// How many faces lead, trail or slide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FacingFaces {
    /// Faces that lead everywhere.
    pub forward: usize,
    /// Faces that trail everywhere.
    pub backward: usize,
    /// Faces of which a part leads and a part trails.
    pub split: usize,
    /// Faces at whose corners |n.v| is at most 1e-9 of the largest speed of a vertex of the mesh.
    pub along: usize,
}

/// The two bodies of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The moving one: its leading parts matter.
    A,
    /// The standing one: its trailing parts matter.
    B,
}

/// Below this share of the largest speed of a vertex a face counts as sliding.
const ALONG: f64 = 1e-9;

/// How the surface of one body faces the flow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Faced<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) role: Role,
    pub(crate) flow: Flow,
    motion: &'a ScrewMotion,
    /// The largest speed of a vertex.
    pub(crate) fastest: f64,
    /// n.v counts as zero up to this.
    pub(crate) slack: f64,
}

impl<'a> Faced<'a> {
    /// The surface of `mesh`, which has a role in a motion.
    pub(crate) fn new(mesh: &'a Mesh, role: Role, motion: &'a ScrewMotion) -> Self {
        let mut faced = Self { mesh, role, flow: Flow::new(motion), motion, fastest: 0.0, slack: 0.0 };
        let vertices = mesh.triangles().iter().flatten();
        let fastest =
            vertices.map(|v| faced.flow.at(faced.vertex_in_frame(*v)).length_squared()).fold(0.0, f64::max);
        faced.fastest = fastest.sqrt();
        faced.slack = ALONG * faced.fastest;
        faced
    }

    /// Where a vertex is at t = 0, in B's axes, relative to the centre of B's mesh.
    #[inline]
    pub(crate) fn vertex_in_frame(&self, vertex: u32) -> DVec3 {
        let local = self.mesh.local()[vertex as usize];
        match self.role {
            Role::A => self.motion.placed(local),
            Role::B => local,
        }
    }

    /// The unit normal of a face at t = 0; zero where it has no area.
    pub(crate) fn normal(&self, face: u32) -> DVec3 {
        let normal = outward(self.mesh, face);
        match self.role {
            Role::A => self.motion.turned(normal),
            Role::B => normal,
        }
    }

    /// The unit normal of a face at a time; zero where it has no area.
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

    /// Whether a part of this n.v matters: it leads, where it is A's, or trails, where it is B's.
    #[inline]
    pub(crate) fn matters(&self, facing: f64) -> bool {
        match self.role {
            Role::A => facing > self.slack,
            Role::B => facing < -self.slack,
        }
    }

    /// Whether some face at a vertex matters there.
    pub(crate) fn vertex_matters(&self, vertex: u32) -> bool {
        let faces = self.mesh.around().faces_at_vertex(vertex);
        faces.iter().any(|face| self.matters(self.at_vertex(*face, vertex)))
    }

    /// Whether some face at an edge matters at one of the edge's ends.
    pub(crate) fn edge_matters(&self, edge: u32) -> bool {
        let ends = self.mesh.edges()[edge as usize];
        let faces = self.mesh.around().faces_at_edge(edge);
        faces.iter().any(|face| ends.iter().any(|v| self.matters(self.at_vertex(*face, *v))))
    }

    /// The areas and numbers of all.
    pub(crate) fn count(&self) -> Facing {
        let mut facing = Facing::default();
        for (face, triangle) in (0_u32..).zip(self.mesh.triangles()) {
            let [p, q, r] = triangle.map(|v| self.mesh.local()[v as usize]);
            let area = 0.5 * (q - p).cross(r - p).length();
            let corners = self.at_corners(face);
            let (leads, trails) =
                (corners.iter().any(|g| *g > self.slack), corners.iter().any(|g| *g < -self.slack));
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

/// The unit normal of a face in the mesh's axes; zero where it has no area. In slivers the difference of two products
/// loses the digits that tell the side: there it is worked out from the corners as they are given.
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

/// The share of a triangle's area on which an affine function is positive.
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

/// How the surfaces of two bodies face the motion of A along a screw, as seen from B's frame.
#[must_use]
pub fn facings(a: &PreparedMesh, b: &PreparedMesh, screw: &Screw) -> [Facing; 2] {
    let motion = ScrewMotion::new(a.mesh(), b.mesh(), screw);
    [(a, Role::A), (b, Role::B)].map(|(body, role)| Faced::new(body.mesh(), role, &motion).count())
}

/// How the surface of a mesh, as it lies in its frame, faces a screw about an axis: `direction` need not be unit, `slide`
/// is in metres, `angle` in radians. The edges that are culled are those that do not lead.
///
/// # Errors
/// As [`Screw::about`].
pub fn facing(mesh: &Mesh, direction: DVec3, point: DVec3, slide: f64, angle: f64) -> Result<Facing, Error> {
    let screw = Screw::about(Pose::IDENTITY, direction, point, slide, angle)?;
    let motion = ScrewMotion::new(mesh, mesh, &screw);
    Ok(Faced::new(mesh, Role::A, &motion).count())
}

#[cfg(test)]
pub(super) mod tests {
    use chasles_testing::Random;

    use super::*;

    /// A sliver far from the origin, a way, and the cosine between them: positive where the sliver leads on this way.
    pub(in crate::screen) fn sliver(random: &mut Random) -> (Mesh, DVec3, f64) {
        let mut whole = |r: f64| [(); 3].map(|()| (r * random.side()).round());
        let (p, along, aside, way) = (whole(2e15), whole(3e14), whole(2.0), whole(100.0));
        let at = |k: f64, side: f64| [0, 1, 2].map(|i| p[i] + k * along[i] + side * aside[i]);
        let corners = [p, at(1.0, 0.0), at(3.0, 1.0)].map(DVec3::from_array).to_vec();
        let mesh = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
        let [along, aside, way] = [along, aside, way].map(DVec3::from_array);
        // The second factor is small: of whole numbers this product is nearly exact, that of the sides is not.
        let normal = along.cross(aside);
        (mesh, way, normal.dot(way) / (normal.length() * way.length()))
    }

    /// Moved straight: the side is that of the corners as they are given.
    #[test]
    fn slivers_lead_where_their_corners_say_so() {
        let mut sides = [0; 2];
        for seed in 0..5000 {
            let (mesh, way, truth) = sliver(&mut Random(seed));
            if truth.is_nan() || truth.abs() < 1e-6 {
                continue;
            }
            let found = facing(&mesh, way, DVec3::ZERO, way.length(), 0.0).unwrap();
            let faces = (found.faces.forward, found.faces.backward);
            assert_eq!(faces, if truth > 0.0 { (1, 0) } else { (0, 1) }, "seed {seed}: {truth}");
            sides[usize::from(truth > 0.0)] += 1;
        }
        assert!(sides.iter().all(|n| *n > 1000), "{sides:?}");
    }

    #[test]
    fn the_share_is_that_of_the_clipped_triangle() {
        // By the formula of the mathematics: one corner on one side.
        let (g0, g1, g2) = (0.7, -0.2, -1.1);
        let one = g0 * g0 / ((g0 - g1) * (g0 - g2));
        assert!((forward_fraction([g0, g1, g2]) - one).abs() < 1e-15);
        assert!((forward_fraction([-g1, -g0, -g2]) - (1.0 - one)).abs() < 1e-15);
        assert_eq!(forward_fraction([0.0, 1.0, 2.0]), 1.0);
        assert_eq!(forward_fraction([0.0, -1.0, 0.0]), 0.0);
        assert!((forward_fraction([-1.0, 0.0, 1.0]) - 0.5).abs() < 1e-15);
    }
}
