//! The depth of a point inside a closed surface, and points of a mesh at which depth is measured.

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::instant::inside::{Location, is_inside};
use crate::instant::nearest_on::nearest_on;
use crate::shape::Mesh;

/// The depth of a point inside a closed surface, in metres; the point is relative to the centre of the mesh. Outside,
/// the value is negative, and its magnitude is a lower bound of the distance from the surface.
pub(crate) fn depth_in(body: &PreparedMesh, local: DVec3) -> f64 {
    let out = (local.abs() - body.mesh().half_size()).max_element();
    if out > 0.0 { -out } else { exact_depth_in(body, local) }
}

/// Like [`depth_in`], but the distance is exact outside, too.
pub(crate) fn exact_depth_in(body: &PreparedMesh, local: DVec3) -> f64 {
    let at = body.mesh().centre() + local;
    let distance = nearest_on(body, at, f64::INFINITY).map_or(0.0, |nearest| nearest.distance);
    match is_inside(body, at) {
        Location::Inside => distance,
        Location::Outside => -distance,
        Location::OnSurface => 0.0,
    }
}

/// The centroid of a triangle, relative to the centre of the mesh.
pub(crate) fn middle(mesh: &Mesh, face: u32) -> DVec3 {
    let [p, q, r] = mesh.local_triangle(face);
    (p + q + r) / 3.0
}

/// Four points of a triangle: the centroids of the four triangles into which the midpoints of its sides divide it.
pub(crate) fn inner_points(mesh: &Mesh, face: u32) -> [DVec3; 4] {
    let corners = mesh.local_triangle(face);
    let whole = middle(mesh, face);
    let [p, q, r] = corners.map(|corner| 0.5 * (whole + corner));
    [whole, p, q, r]
}
