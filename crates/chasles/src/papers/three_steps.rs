//! The vertices, edges and faces of a convex polyhedron that are inside another: Moore and Wilhelms, "Collision
//! detection and response for computer animation" (1988), section 2.2, after the clipping of Cyrus and Beck.
//!
//! 1. A vertex is inside if it is on the inward side of every face of the other polyhedron.
//! 2. An edge is cut at the planes of the faces; a part is inside if its middle is.
//! 3. A face is inside if its centroid is.
//!
//! Each step is applied to both polyhedra. "If the algorithm survives the above three steps without detecting a
//! collision, and also does not detect one when reversing, then the two polyhedra do not interpenetrate."
//!
//! **Errors in the text.** The last sentence is wrong: sides are strict, so two equal polyhedra at the same pose have
//! no point inside each other, although they share their whole interior. Signs of rounded numbers separate bodies
//! that share a little, and the reverse. The claim that a pair takes the square of its vertices holds only if few
//! planes cut an edge: each of m edges can be cut by m planes, and each of its parts is tested against m faces.
//! [`Scene::interpenetrations`](crate::Scene::interpenetrations) decides exactly.

use std::collections::BTreeSet;

use glam::DVec3;

use crate::convex::inner::{InnerFeature, InnerPoint};
use crate::motion::Pose;
use crate::shape::Mesh;

/// Number of points to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointSelection {
    /// The search ends at the first point: enough to know that there is a collision.
    One,
    /// All points, for a response.
    All,
}

/// The features of two polyhedra that are inside each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InsidePoints {
    /// The points of A inside B, then the points of B inside A, in A's frame, in metres: vertices, then edges, then
    /// faces, each in the order of the mesh.
    pub points: [Vec<InnerPoint>; 2],
    /// Number of tests of a point against a plane.
    pub sides: u64,
}

/// Applies the three steps to two closed convex meshes with outward faces. `placed` is the pose of B in A's frame.
///
/// Triangles without area have no plane and are skipped. The work is bounded by the fourth power of the number of
/// faces.
///
/// Guarantee: none. Points clearly inside are found; the module documentation lists the exceptions.
#[must_use]
pub fn inside_points(a: &Mesh, b: &Mesh, placed: &Pose, selection: PointSelection) -> InsidePoints {
    let polyhedra = [Polyhedron::new(a, &Pose::IDENTITY), Polyhedron::new(b, placed)];
    let mut found = InsidePoints::default();
    // Points of B against A come first, then points of A against B.
    for side in [1, 0] {
        let [polyhedron, other] = [&polyhedra[side], &polyhedra[1 - side]];
        found.points[side] = polyhedron.inside(other, selection, &mut found.sides);
        if selection == PointSelection::One && !found.points[side].is_empty() {
            break;
        }
    }
    found
}

/// A convex polyhedron at its pose.
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
    fn contains(&self, point: DVec3, sides: &mut u64) -> bool {
        self.planes.iter().all(|[normal, on]| {
            *sides += 1;
            (point - *on).dot(*normal) < 0.0
        })
    }

    fn inside(&self, other: &Polyhedron<'_>, selection: PointSelection, sides: &mut u64) -> Vec<InnerPoint> {
        let at = |v: u32| self.points[v as usize];
        let mut found = Vec::new();
        let enough = |found: &Vec<InnerPoint>| selection == PointSelection::One && !found.is_empty();
        // The vertices of triangles only: equal vertices are merged, and unused ones are not part of the surface.
        let vertices: BTreeSet<u32> = self.mesh.triangles().iter().flatten().copied().collect();
        for v in vertices {
            if enough(&found) {
                return found;
            }
            if other.contains(at(v), sides) {
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
            if other.contains(centroid, sides) {
                found.push(InnerPoint { of: InnerFeature::Face(face), point: centroid });
            }
        }
        found
    }

    /// The part of a segment that is inside. Planes cut the segment into parts, and the middle of each is tested;
    /// adjacent parts separated only by rounding are merged.
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
            if self.contains(from.lerp(to, 0.5 * (part[0] + part[1])), sides) {
                inside = Some([inside.map_or(part[0], |[start, _]| start), part[1]]);
            }
        }
        inside.map(|ends| ends.map(|fraction| from.lerp(to, fraction)))
    }
}
