//! Closed meshes as solids: the part in a box, described by planes.
//!
//! A small box contains few triangles. If each lies behind the planes of all others, the solid in the box is the
//! intersection of the half-spaces behind the planes: a convex edge or corner. If each lies in front of the planes
//! of all others, the solid is their union: a concave edge or corner. Testing one point on each side of every plane
//! proves it, because a convex part of the box without triangles is inside or outside as a whole.

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::bvh::layout::{LEAF, NONE, WIDTH};
use crate::instant::inside::{Location, is_inside, range};
use crate::instant::nearest_on::PAD;
use crate::math::direction::unit_along;
use crate::sets::clip::{Clipped, Remains};
use crate::sets::program::region::Region;
use crate::sets::volume::corners;

/// The half-space normal·x <= offset, up to a rounding error in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SkinPlane {
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    pub(crate) rounding: f64,
}

impl SkinPlane {
    /// How far a point lies in front of the plane, in metres, without the rounding error.
    fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p) - self.offset
    }
}

/// The part of a solid in a box.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Skin {
    /// The whole box.
    Inside,
    /// Empty.
    Outside,
    /// The intersection of the half-spaces behind these planes, up to their rounding errors.
    All(Vec<SkinPlane>),
    /// The union of the half-spaces behind these planes.
    Any(Vec<SkinPlane>),
    /// Not described by planes.
    Unknown,
}

/// Boxes with more triangles than this are cut first.
const MAX_TRIANGLES: usize = 24;

/// Boxes with more planes than this are cut first.
const MAX_PLANES: usize = 6;

/// A plane is moved outward by this fraction of the coordinates: more than the rounding error.
const ROUNDING: f64 = 1e-13;

/// The solid, or its complement if `out`, within a box of the mesh's frame.
pub(crate) fn skin_in(solid: &PreparedMesh, region: &Region, out: bool) -> Skin {
    let mut faces = Vec::new();
    let all = gather(solid, region, &mut faces);
    if !all {
        return Skin::Unknown;
    }
    let is = |p: DVec3| match is_inside(solid, p) {
        Location::Inside => Some(!out),
        Location::Outside => Some(out),
        Location::OnSurface => None,
    };
    let size = region.centre.abs().element_sum() + region.half.element_sum() + solid.mesh().radius();
    let rounding = ROUNDING * (size + solid.mesh().centre().abs().element_sum());
    // The part of each triangle in the box, and its plane.
    let mut parts: Vec<Vec<DVec3>> = Vec::new();
    let mut slivers: Vec<Vec<DVec3>> = Vec::new();
    let mut planes: Vec<SkinPlane> = Vec::new();
    for face in faces {
        let triangle = solid.mesh().triangles()[face as usize].map(|v| solid.mesh().vertex(v));
        let part = within(&triangle, region, rounding);
        if part.is_empty() {
            continue;
        }
        let [p, q, r] = triangle;
        // The corner whose edges are closest to perpendicular gives the best normal.
        let (from, u, v) = [(p, q - p, r - p), (q, r - q, p - q), (r, p - r, q - r)]
            .into_iter()
            .min_by(|x, y| x.1.dot(x.2).abs().total_cmp(&y.1.dot(y.2).abs()))
            .unwrap_or((p, q - p, r - p));
        let normal = unit_along(u.cross(v));
        if normal == DVec3::ZERO || u.cross(v).length() < 1e-9 * u.length() * v.length() {
            // The plane of a sliver is unreliable: the sliver must lie on the planes of other triangles.
            slivers.push(part);
            continue;
        }
        parts.push(part);
        let normal = if out { -normal } else { normal };
        let offset = normal.dot(from);
        let known = planes
            .iter()
            .any(|plane| plane.normal.dot(normal) > 1.0 - 1e-15 && (plane.offset - offset).abs() <= rounding);
        if !known {
            // A point may lie in front of a plane by this and still count as behind.
            planes.push(SkinPlane { normal, offset, rounding: 16.0 * rounding });
        }
        if planes.len() > MAX_PLANES {
            return Skin::Unknown;
        }
    }
    if parts.is_empty() && slivers.is_empty() {
        // `is` takes the complement into account.
        return match is(region.centre) {
            Some(true) => Skin::Inside,
            Some(false) => Skin::Outside,
            None => Skin::Unknown,
        };
    }
    let near = 8.0 * rounding;
    let on_a_plane = |p: &DVec3| planes.iter().any(|plane| plane.height(*p).abs() <= near);
    if !slivers.iter().all(|part| part.iter().all(on_a_plane)) {
        return Skin::Unknown;
    }
    let points = || parts.iter().chain(&slivers).flatten();
    let behind = points().all(|p| planes.iter().all(|plane| plane.normal.dot(*p) <= plane.offset + near));
    let before = points().all(|p| planes.iter().all(|plane| plane.normal.dot(*p) >= plane.offset - near));
    // The common side of all planes, and whether it is solid.
    for (is_proven, sense, common, beyond) in [(behind, 1.0, true, false), (before, -1.0, false, true)] {
        if !is_proven {
            continue;
        }
        let mut cut = Clipped::new(corners(region.ends()));
        let empty = planes.iter().any(|SkinPlane { normal, offset, .. }| {
            cut.cut(sense * *normal, sense * offset - near, 0.0) == Remains::Nothing
        });
        // The common side contains nothing but the skin itself.
        if empty {
            continue;
        }
        let middle = cut.points().iter().sum::<DVec3>() / cut.points().len() as f64;
        let beyond_each = planes.iter().all(|plane| {
            let far = region.centre + region.half * (sense * plane.normal).signum();
            sense * plane.height(far) <= 2.0 * near || is(far) == Some(beyond)
        });
        if is(middle) == Some(common) && beyond_each {
            return if common { Skin::All(planes) } else { Skin::Any(planes) };
        }
    }
    Skin::Unknown
}

/// Gathers the triangles whose boxes intersect a region; `false` if there are too many.
fn gather(solid: &PreparedMesh, region: &Region, faces: &mut Vec<u32>) -> bool {
    let bvh = solid.bvh();
    let local = (region.centre - solid.mesh().centre()) / bvh.unit;
    let half = region.half / bvh.unit + PAD;
    let mut open = vec![0_u32];
    while let Some(block) = open.pop() {
        if block & LEAF != 0 {
            let found = bvh.triangles[(block & !LEAF) as usize].face.into_iter().filter(|face| *face != NONE);
            for face in found {
                let corners = solid.mesh().local_triangle(face).map(|p| p / bvh.unit);
                let [p, q, r] = corners;
                let (min_corner, max_corner) = (p.min(q).min(r), p.max(q).max(r));
                if (min_corner - local).cmple(half).all() && (local - max_corner).cmple(half).all() {
                    faces.push(face);
                }
            }
            if faces.len() > MAX_TRIANGLES {
                return false;
            }
            continue;
        }
        let boxes = &bvh.boxes[block as usize];
        for lane in 0..WIDTH {
            if boxes.child[lane] == NONE {
                continue;
            }
            let [lo, hi] = range(boxes, lane);
            if (lo - local).cmple(half).all() && (local - hi).cmple(half).all() {
                open.push(boxes.child[lane]);
            }
        }
    }
    true
}

/// The corners of the part of a triangle in a box enlarged by `rounding`.
fn within(triangle: &[DVec3; 3], region: &Region, rounding: f64) -> Vec<DVec3> {
    let mut ring = triangle.to_vec();
    for axis in 0..3 {
        for sense in [1.0, -1.0] {
            let limit = sense * region.centre[axis] + region.half[axis] + rounding;
            let height = |p: &DVec3| sense * p[axis] - limit;
            let mut next = Vec::with_capacity(ring.len() + 1);
            for (i, p) in ring.iter().enumerate() {
                let q = &ring[(i + 1) % ring.len()];
                let (from, to) = (height(p), height(q));
                if from <= 0.0 {
                    next.push(*p);
                }
                if (from <= 0.0) != (to <= 0.0) {
                    next.push(*p + (from / (from - to)) * (*q - *p));
                }
            }
            ring = next;
            if ring.is_empty() {
                return ring;
            }
        }
    }
    ring
}
