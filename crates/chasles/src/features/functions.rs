//! The functions of time whose roots are the times at which two features can meet (Kim and Rossignac 2003,
//! equations 8 to 10 and 19 to 21), in the twist form.

use glam::DVec3;

use crate::features::event::FeaturePair;
use crate::features::screw_motion::ScrewMotion;
use crate::math::rounding::of_determinant;
use crate::math::screw_function::ScrewFunction;
use crate::motion::helix::Helix;
use crate::shape::Mesh;

/// A function of time with its scale and error, so that it can be read as a distance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeetingFunction {
    /// f(t): |f| is at most `scale` times the distance between the features.
    pub(crate) f: ScrewFunction,
    /// The factor described at `f`; an area.
    pub(crate) scale: f64,
    /// Bound of the error of f due to its coefficients and the rounding of positions.
    pub(crate) error: f64,
}

/// The function of two features of meshes A and B; `None` for a face of zero area, whose edges cover it. `path`
/// returns the path of a vertex.
#[inline]
pub(crate) fn of_pair(
    pair: FeaturePair,
    a: &Mesh,
    b: &Mesh,
    motion: &ScrewMotion,
    path: &mut impl FnMut(PathOf) -> Helix,
) -> Option<MeetingFunction> {
    match pair {
        FeaturePair::VertexFace { vertex, face } => {
            point_face(&path(PathOf::FromB(vertex)), &b.local_triangle(face), motion)
        }
        FeaturePair::FaceVertex { face, vertex } => {
            // By the inverse motion.
            let triangle = a.local_triangle(face).map(|v| motion.placed(v));
            point_face(&path(PathOf::FromA(vertex)), &triangle, motion)
        }
        FeaturePair::EdgeEdge { a: edge_a, b: edge_b } => {
            let ends = a.edges()[edge_a as usize];
            let [v, w] = ends.map(|v| a.local()[v as usize]);
            let [p, q] = b.edges()[edge_b as usize].map(|v| b.local()[v as usize]);
            Some(edge_edge(&path(PathOf::FromB(ends[0])), motion.rotated(w - v), p, q - p, motion))
        }
    }
}

/// The vertex whose path is requested.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PathOf {
    /// A vertex of A, moving relative to the static B.
    FromB(u32),
    /// A vertex of B, moving relative to A by the inverse motion.
    FromA(u32),
}

/// The volume N.(x(t) - q) over the face with corner q: zero when the point is in its plane.
///
/// |f| = |N| times the distance from the plane, which is at most the distance from the face. `None` for a face of zero area, whose edges cover it.
#[inline]
pub(crate) fn point_face(
    path: &Helix,
    [q, q1, q2]: &[DVec3; 3],
    motion: &ScrewMotion,
) -> Option<MeetingFunction> {
    let (e1, e2) = (*q1 - *q, *q2 - *q);
    let normal = e1.cross(e2);
    if normal == DVec3::ZERO {
        return None;
    }
    // Any corner would do; always using the first gives the same function in every search.
    let arm = path.start - *q;
    let e = [normal.dot(arm), normal.dot(path.slide), normal.dot(path.u), normal.dot(path.w), 0.0, 0.0];
    let reach = arm.length() + path.slide.length() + path.u.length();
    Some(MeetingFunction {
        f: ScrewFunction { e, b: motion.angle },
        scale: normal.length(),
        error: error(reach, e1.length() * e2.length()) + normal.length() * positions(motion),
    })
}

/// The volume spanned by two edges and the difference of their points: zero when their lines intersect or are
/// parallel.
///
/// With the edge of A from `a0` along l(t), the edge of B from `b1` along m, r = a0 - b1, l1 = omega x l, l2 =
/// omega x l1:
///
/// ```text
/// f = det(r(t), l(t), m) = e0 + e1 t + e2 sigma + e3 kappa + e4 t sigma + e5 t kappa
/// e0 = det(r,l,m)                                   e1 = d det(s,l,m)
/// e2 = det(r,l1,m) + det(u,l,m)                     e4 = d det(s,l1,m)
/// e3 = det(r,l2,m) + det(w,l,m) + 2 det(u,l1,m)     e5 = d det(s,l2,m)
/// ```
///
/// |f| is |l(t) x m| times the distance of the lines, so at most |l||m| times the distance of the edges. |l x m| at one time cannot be the scale, because it may be zero then and non-zero at other times.
#[inline]
fn edge_edge(a0: &Helix, l: DVec3, b1: DVec3, m: DVec3, motion: &ScrewMotion) -> MeetingFunction {
    let omega = motion.omega;
    let (l1, u, w) = (omega.cross(l), a0.u, a0.w);
    let l2 = omega.cross(l1);
    let r = a0.start - b1;
    let (lm, l1m, l2m) = (l.cross(m), l1.cross(m), l2.cross(m));
    let e = [
        r.dot(lm),
        a0.slide.dot(lm),
        r.dot(l1m) + u.dot(lm),
        r.dot(l2m) + w.dot(lm) + 2.0 * u.dot(l1m),
        a0.slide.dot(l1m),
        a0.slide.dot(l2m),
    ];
    let scale = l.length() * m.length();
    // Each coefficient is a sum of products of lengths; sigma and kappa decrease as 1/b and 1/b^2 for large b.
    let factor = 1.0 + motion.angle * (1.0 + motion.angle) * shrink(motion.angle);
    let reach = r.length() + a0.slide.length() + u.length();
    let error = error(reach * factor, scale) + scale * positions(motion);
    MeetingFunction { f: ScrewFunction { e, b: motion.angle }, scale, error }
}

/// A gap of this number of deviations, measured near its middle, has the same sign in the true motion: the sign of a
/// gap counts as certain from four times the error bound of a position
/// ([`signed_gap`](crate::features::advance::Features::signed_gap)).
const SIGN: f64 = 8.0;

/// Error of the volume over a face, or of two edges, per unit of area, due to the error of positions.
#[inline]
fn positions(motion: &ScrewMotion) -> f64 {
    motion.rounding + SIGN * motion.deviation
}

/// The error of coefficients that are sums of products of a length and two edges. It is infinite for edges so short
/// that the products lose digits to underflow.
#[inline]
fn error(reach: f64, edges: f64) -> f64 {
    if edges > 0.0 && edges < SMALLEST { f64::INFINITY } else { of_determinant(reach, edges) }
}

/// Products of edge lengths below this have an infinite [`error`].
const SMALLEST: f64 = 1e-200;

/// A bound of sigma and of b kappa on [0, 1].
#[inline]
fn shrink(b: f64) -> f64 {
    if b > 1.0 { 2.0 / b } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Pose, Screw};
    use crate::shape::Mesh;

    fn square(offset: DVec3) -> Mesh {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::new(0.9, 1.1, 0.3), DVec3::Y];
        let vertices = corners.map(|v| v + offset).to_vec();
        Mesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
    }

    /// f from its coefficients agrees with the determinant of the moved features throughout the motion.
    #[test]
    fn the_coefficients_are_those_of_the_moved_volumes() {
        let (a, b) = (square(DVec3::new(0.3, -0.2, 0.1)), square(DVec3::new(-0.1, 0.4, 0.7)));
        for angle in [0.0, 1e-9, 1e-3, 1.0, 3.0, 20.0] {
            let start =
                Pose::new(DVec3::new(1.0, 2.0, -0.5), glam::DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9)).unwrap();
            let axis = DVec3::new(0.3, -1.0, 0.7);
            let screw = Screw::about(start, axis, DVec3::new(-1.0, 0.5, 0.3), 1.7, angle).unwrap();
            let motion = ScrewMotion::new(&a, &b, &screw);
            let triangle = b.local_triangle(0);
            let path = motion.path(a.local()[2]);
            let face = point_face(&path, &triangle, &motion).unwrap();
            let [h0, h1] = [0, 2].map(|v| motion.path(a.local()[v]));
            let l = motion.rotated(a.local()[2] - a.local()[0]);
            let (b1, m) = (b.local()[3], b.local()[1] - b.local()[3]);
            let edges = edge_edge(&h0, l, b1, m, &motion);
            let seen = motion.path_seen_from_a(b.local()[1]);
            for i in 0..=20 {
                let basis = motion.basis(f64::from(i) / 20.0);
                let n = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
                let volume = n.dot(path.at(&basis) - triangle[0]);
                assert!((face.f.value(&basis) - volume).abs() < 1e-13, "b = {angle}");
                let (p, q) = (h0.at(&basis), h1.at(&basis));
                let volume = (p - b1).dot((q - p).cross(m));
                assert!((edges.f.value(&basis) - volume).abs() < 1e-12, "b = {angle}");
                // By the inverse motion, B's vertex is as far from A's corner as A's corner is from B's vertex.
                let distance = seen.at(&basis).distance(motion.placed(a.local()[0]));
                assert!((distance - p.distance(b.local()[1])).abs() < 1e-13, "b = {angle}");
            }
        }
    }
}
