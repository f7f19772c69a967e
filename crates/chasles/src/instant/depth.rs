//! How deep a point is inside a closed surface, and points of a mesh that tell how deep it is inside another.

use glam::DVec3;

use crate::body::Body;
use crate::instant::inside::{Location, is_inside};
use crate::instant::nearest_on::nearest_on;
use crate::shape::Mesh;

/// How deep a point, given from the centre of the mesh on, is inside a closed surface, in metres. Outside it is less
/// than 0: the surface is then at least as far away as the number says.
pub(crate) fn depth_in(body: &Body, local: DVec3) -> f64 {
    let out = (local.abs() - body.mesh().half_size()).max_element();
    if out > 0.0 { -out } else { exact_depth_in(body, local) }
}

/// The same, where the surface is as far away outside as the number says, too.
pub(crate) fn exact_depth_in(body: &Body, local: DVec3) -> f64 {
    let at = body.mesh().centre() + local;
    let distance = nearest_on(body, at, f64::INFINITY).map_or(0.0, |nearest| nearest.distance);
    match is_inside(body, at) {
        Location::Inside => distance,
        Location::Outside => -distance,
        Location::OnSurface => 0.0,
    }
}

/// The middle of a triangle, from the centre of the mesh on.
pub(crate) fn middle(mesh: &Mesh, face: u32) -> DVec3 {
    let [p, q, r] = mesh.local_triangle(face);
    (p + q + r) / 3.0
}

/// The points of a triangle that are looked at: the middles of the four triangles into which its sides' middles cut it.
pub(crate) fn inner_points(mesh: &Mesh, face: u32) -> [DVec3; 4] {
    let corners = mesh.local_triangle(face);
    let whole = middle(mesh, face);
    let [p, q, r] = corners.map(|corner| 0.5 * (whole + corner));
    [whole, p, q, r]
}
