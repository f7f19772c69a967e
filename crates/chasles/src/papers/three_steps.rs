//! Which vertices, edges and faces of two convex polyhedra are inside of the other: Moore and Wilhelms, "Collision
//! detection and response for computer animation" (1988), section 2.2, after the clipping of Cyrus and Beck.
//!
//! 1. A vertex is inside if it is on the inward side of every face of the other.
//! 2. An edge is cut where it goes through the planes of the faces; a part is inside if its middle is.
//! 3. A face is inside if its centroid is.
//!
//! Each is asked of both polyhedra. "If the algorithm survives the above three steps without detecting a collision, and
//! also does not detect one when reversing, then the two polyhedra do not interpenetrate."
//!
//! **Where the text is wrong.** The last sentence: sides are strict, so that nothing of a polyhedron that is exactly on
//! another of its form is inside, although they share all of their inside. Signs of rounded numbers tell bodies apart
//! that share a little, and the other way round. And the claim that a pair takes the square of its vertices holds while
//! few planes cut an edge: each of m edges can be cut by m planes, and each of its parts asked of m faces.
//! [`Scene::interpenetrations`](crate::Scene::interpenetrations) decides exactly.

use std::collections::BTreeSet;

use glam::DVec3;

use crate::convex::inner::{InnerFeature, InnerPoint};
use crate::motion::Pose;
use crate::shape::Mesh;

/// How many points are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointsWanted {
    /// The first one ends the search: enough to know that there is a collision.
    One,
    /// All of them, for a response.
    All,
}

/// What of two polyhedra is inside of the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InsidePoints {
    /// What of A is inside of B, then what of B is inside of A, in A's frame, in metres: vertices, then edges, then faces,
    /// each in the order of the mesh.
    pub points: [Vec<InnerPoint>; 2],
    /// How often a point was held against a plane.
    pub sides: u64,
}

/// The three steps, for two closed convex meshes that are turned outwards. `placed`: where B stands in A's frame.
///
/// Triangles without area have no plane and are passed over. The work is bounded by the fourth power of the number of
/// faces.
///
/// Guarantee: none. Points that are clearly inside are found; see the head of this module for what is not.
#[must_use]
pub fn inside_points(a: &Mesh, b: &Mesh, placed: &Pose, wanted: PointsWanted) -> InsidePoints {
    let polyhedra = [Polyhedron::new(a, &Pose::IDENTITY), Polyhedron::new(b, placed)];
    let mut found = InsidePoints::default();
    // Points of B against A come first, then the other way round.
    for side in [1, 0] {
        let [own, other] = [&polyhedra[side], &polyhedra[1 - side]];
        found.points[side] = own.inside(other, wanted, &mut found.sides);
        if wanted == PointsWanted::One && !found.points[side].is_empty() {
            break;
        }
    }
    found
}

/// A convex polyhedron where it stands.
struct Polyhedron<'a> {
    mesh: &'a Mesh,
    points: Vec<DVec3>,
    /// Outward normals of the faces, of any length, each with a point of its plane.
    planes: Vec<[DVec3; 2]>,
}

impl<'a> Polyhedron<'a> {
    fn new(mesh: &'a Mesh, pose: &Pose) -> Self {
        let vertices = (0_u32..).take(mesh.vertex_count());
        let points: Vec<DVec3> = vertices.map(|v| pose.transform_point(mesh.vertex(v))).collect();
        let plane = |corners: &[u32; 3]| {
            let [p, q, r] = corners.map(|v| points[v as usize]);
            [(q - p).cross(r - p), p]
        };
        let planes =
            mesh.triangles().iter().map(plane).filter(|[normal, _]| *normal != DVec3::ZERO).collect();
        Self { mesh, points, planes }
    }

    /// Whether a point is on the inward side of every face.
    fn holds(&self, point: DVec3, sides: &mut u64) -> bool {
        self.planes.iter().all(|[normal, on]| {
            *sides += 1;
            (point - *on).dot(*normal) < 0.0
        })
    }

    fn inside(&self, other: &Polyhedron<'_>, wanted: PointsWanted, sides: &mut u64) -> Vec<InnerPoint> {
        let at = |v: u32| self.points[v as usize];
        let mut found = Vec::new();
        let enough = |found: &Vec<InnerPoint>| wanted == PointsWanted::One && !found.is_empty();
        // Those of the triangles: equal vertices are joined, and others are no part of the surface.
        let vertices: BTreeSet<u32> = self.mesh.triangles().iter().flatten().copied().collect();
        for v in vertices {
            if enough(&found) {
                return found;
            }
            if other.holds(at(v), sides) {
                found.push(InnerPoint { of: InnerFeature::Vertex(v), point: at(v) });
            }
        }
        for vertices in self.mesh.edges() {
            if enough(&found) {
                return found;
            }
            if let Some(ends) = other.part_inside(vertices.map(at), sides) {
                let of = InnerFeature::Edge { vertices: *vertices, ends };
                found.push(InnerPoint { of, point: ends[0].midpoint(ends[1]) });
            }
        }
        for (face, corners) in (0..).zip(self.mesh.triangles()) {
            if enough(&found) {
                return found;
            }
            let centroid = corners.map(at).into_iter().sum::<DVec3>() / 3.0;
            if other.holds(centroid, sides) {
                found.push(InnerPoint { of: InnerFeature::Face(face), point: centroid });
            }
        }
        found
    }

    /// The part of a segment that is inside. Planes cut it into parts, and the middle of each is asked; neighbours that
    /// rounding has parted are one.
    fn part_inside(&self, [from, to]: [DVec3; 2], sides: &mut u64) -> Option<[DVec3; 2]> {
        let mut cuts = vec![0.0, 1.0];
        for [normal, on] in &self.planes {
            *sides += 2;
            let [d_i, d_j] = [from, to].map(|end| (end - *on).dot(*normal));
            if (d_i < 0.0) != (d_j < 0.0) {
                cuts.push(d_i.abs() / (d_i.abs() + d_j.abs()));
            }
        }
        cuts.sort_unstable_by(f64::total_cmp);
        let mut inside: Option<[f64; 2]> = None;
        for part in cuts.windows(2).filter(|part| part[0] < part[1]) {
            if self.holds(from.lerp(to, 0.5 * (part[0] + part[1])), sides) {
                inside = Some([inside.map_or(part[0], |[begin, _]| begin), part[1]]);
            }
        }
        inside.map(|shares| shares.map(|share| from.lerp(to, share)))
    }
}
