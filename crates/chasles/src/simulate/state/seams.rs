//! Seams: flush faces of one static or keyframed body, or of neighbours that are fixed to it, act as one surface.
//!
//! A body that slides over a seam is near the edge of the next face, and the direction to this edge is nearly
//! horizontal. A contact in this direction would stop the body, although the faces together have no edge there. So a
//! contact normal counts only if it is also a normal of the combined surface: no flush face may lead from the contact
//! point towards the other body.

use glam::DVec3;

use crate::instant::nearest_on::nearest_on;
use crate::math::distance::point_triangle;
use crate::motion::Pose;
use crate::simulate::rows::ContactPoint;
use crate::simulate::state::world::{FixedNeighbour, World};
use crate::touch::posed_mesh::Winding;

/// Faces are flush if their planes differ by at most this fraction of the allowed depth at the contact, and by at most
/// `FLUSH_ANGLE` in radians.
const FLUSH_OFFSET: f64 = 0.1;
const FLUSH_ANGLE: f64 = 1e-3;

/// A face leads towards a body if the cosine between them exceeds this: more than the angle of flush faces.
const MIN_LEADING_COSINE: f64 = 1.5e-3;

/// Points of a mesh are one if their distance is at most this fraction of its radius.
const SAME_POINT: f64 = 1e-9;

/// Whether the faces at a contact, taken together, have no edge in the direction of its normal.
pub(crate) fn is_seam(world: &World, poses: &[Pose], touch: &ContactPoint) -> bool {
    (0..2).filter(|side| world.is_keyframed(touch.bodies[*side])).any(|side| {
        let own = touch.bodies[side];
        let towards = if side == 0 { touch.normal } else { -touch.normal };
        let seam = Seam { world, poses, own, point: touch.point - 0.5 * touch.gap * towards, towards };
        let ahead = poses[own].inverse().transform_point(seam.ahead());
        let is_near = |other: &&FixedNeighbour| {
            let [min, max] = other.bounds;
            ahead.cmpge(min).all() && ahead.cmple(max).all()
        };
        let near = world.neighbours[own].iter().filter(is_near).map(|other| other.body);
        std::iter::once(own).chain(near).any(|other| seam.is_continued_by(other))
    })
}

/// The nearest place on a mesh: its point, and the outward normals of the faces there.
struct NearPlace {
    point: DVec3,
    normals: Vec<DVec3>,
}

/// A contact point of a static or keyframed body, which may lie on a seam.
struct Seam<'w> {
    world: &'w World,
    poses: &'w [Pose],
    /// The static or keyframed body.
    own: usize,
    point: DVec3,
    /// The direction to the other body of the contact.
    towards: DVec3,
}

impl Seam<'_> {
    /// A point in front of the contact point, by the allowed depth.
    fn ahead(&self) -> DVec3 {
        self.point + self.world.definition.settings.depth * self.towards
    }

    /// Whether a face of a body leads from the point towards the other body of the contact, and is flush with a face of
    /// the point's own body.
    fn is_continued_by(&self, other: usize) -> bool {
        let depth = self.world.definition.settings.depth;
        let Some(ahead) = self.nearest(other, self.ahead(), 2.0 * depth) else {
            return false;
        };
        let step = ahead.point - self.point;
        let is_leading =
            step.length() > 1e-3 * depth && step.dot(self.towards) > MIN_LEADING_COSINE * step.length();
        is_leading && ahead.normals.iter().any(|normal| self.is_flush(step, *normal))
    }

    /// Whether a face of the point's own body, behind the point, is flush with a face that a step from the point leads
    /// to.
    fn is_flush(&self, step: DVec3, normal: DVec3) -> bool {
        let depth = self.world.definition.settings.depth;
        if normal.dot(step).abs() > FLUSH_OFFSET * depth {
            return false;
        }
        let along = (step - normal.dot(step) * normal).normalize_or_zero();
        let back = self.nearest(self.own, self.point - depth * along, FLUSH_OFFSET * depth);
        let is_same = |own: &DVec3| own.dot(normal) > 0.0 && own.cross(normal).length() < FLUSH_ANGLE;
        back.is_some_and(|back| back.normals.iter().any(is_same))
    }

    /// The place of a body's mesh that is nearest to a point, if it is within a distance; `None` for other shapes.
    fn nearest(&self, body: usize, point: DVec3, within: f64) -> Option<NearPlace> {
        let shape = self.world.scene().bodies()[body].shape.as_ref()?;
        if shape.round().is_some() || shape.is_set() {
            return None;
        }
        let (mesh, pose) = (shape.drawn_body(), &self.poses[body]);
        let near = nearest_on(mesh, pose.inverse().transform_point(point), within)?;
        let sign = if self.world.facings[body] == Winding::Inward { -1.0 } else { 1.0 };
        let own = mesh.mesh();
        let corners = own.triangles()[near.face as usize];
        let mut faces: Vec<u32> =
            corners.iter().flat_map(|v| own.around().faces_at_vertex(*v)).copied().collect();
        faces.sort_unstable();
        faces.dedup();
        let normals = faces.into_iter().filter_map(|face| {
            let triangle = own.triangles()[face as usize].map(|v| own.vertex(v));
            let [a, b, c] = triangle;
            let is_there =
                point_triangle(near.point, &triangle).b.distance(near.point) <= SAME_POINT * own.radius();
            is_there.then(|| sign * pose.transform_vector((b - a).cross(c - a).normalize_or_zero()))
        });
        Some(NearPlace { point: pose.transform_point(near.point), normals: normals.collect() })
    }
}
