//! The time for which a surface provably passes through a convex surface of few faces: as long as one of its
//! vertices is inside and another outside.
//!
//! A connected piece of a surface with vertices on both sides of a closed surface intersects that surface, whatever
//! its shape in between. If the closed surface bounds a convex body, a vertex is inside while it is below all
//! planes, and outside while it is above one. Its distance from a plane changes with its velocity and with at most
//! its maximum acceleration. If one of the two meshes is fine, a vertex stays inside for far longer than an edge
//! stays in a triangle.

use glam::DVec3;

use crate::body::{MeshSurface, PreparedMesh};
use crate::bvh::layout::{LEAF, NONE, WIDTH};
use crate::instant::inside::{Location, is_inside};
use crate::math::direction::unit_along;
use crate::math::safe_time::safe_time;
use crate::mesh_motion::relative_state::{MovingPoint, RelativeState};

/// The planes of a convex body, in coordinates relative to the centre of its mesh.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planes {
    planes: Vec<BodyPlane>,
    /// Bound of the height of a vertex above a plane, in metres: the surface is nowhere further outside the planes.
    thickness: f64,
}

/// A plane of a convex body.
#[derive(Debug, Clone, Copy, PartialEq)]
struct BodyPlane {
    /// Outward unit normal.
    normal: DVec3,
    /// Distance from the centre.
    out: f64,
}

/// Maximum number of triangles of a body that is tested for convexity.
const MAX_TRIANGLES: usize = 64;

/// A body counts as convex if it extends beyond its planes by less than this fraction of its radius.
const FLAT: f64 = 1e-9;

/// Maximum number of blocks of a hierarchy that are opened in search of a deep vertex.
const MAX_OPENED_BLOCKS: usize = 64;

impl Planes {
    /// The planes of a closed convex body of few triangles; `None` for any other body.
    pub(crate) fn of(body: &PreparedMesh) -> Option<Self> {
        let mesh = body.mesh();
        if mesh.triangles().len() > MAX_TRIANGLES {
            return None;
        }
        let mut uses = vec![0_u32; mesh.edges().len()];
        mesh.triangle_edges().iter().flatten().for_each(|edge| uses[*edge as usize] += 1);
        if !uses.iter().all(|count| count.is_multiple_of(2)) {
            return None;
        }
        let corners: Vec<DVec3> =
            mesh.triangles().iter().flatten().map(|v| mesh.local()[*v as usize]).collect();
        let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
        let mut planes: Vec<BodyPlane> = Vec::new();
        let mut thickness = 0.0_f64;
        for triangle in corners.chunks_exact(3) {
            let normal = unit_along((triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]));
            let outward = if normal.dot(middle - triangle[0]) > 0.0 { -normal } else { normal };
            let out = outward.dot(triangle[0]);
            if outward == DVec3::ZERO {
                return None;
            }
            let above = corners.iter().map(|corner| outward.dot(*corner) - out).fold(0.0, f64::max);
            thickness = thickness.max(above);
            planes.push(BodyPlane { normal: outward, out });
        }
        let found = Self { planes, thickness: thickness + FLAT * FLAT * mesh.radius() };
        let deep = found.height(middle) < -4.0 * FLAT * mesh.radius();
        let convex = found.thickness < FLAT * mesh.radius() && deep;
        // Planes alone do not prove an interior: two coincident sheets bound none.
        (convex && is_inside(body, mesh.centre() + middle) == Location::Inside).then_some(found)
    }

    /// The maximum height of a point above the planes.
    fn height(&self, place: DVec3) -> f64 {
        self.planes.iter().map(|plane| plane.normal.dot(place) - plane.out).fold(f64::NEG_INFINITY, f64::max)
    }

    /// A vertex of the moving body, approximately the deepest inside this one; `None` if none was found.
    pub(crate) fn deepest(&self, body: &PreparedMesh, state: &RelativeState) -> Option<u32> {
        let (mesh, bvh) = (body.mesh(), body.bvh());
        let mut best = (-state.rounding, None);
        let mut waiting = vec![(f64::NEG_INFINITY, 0_u32)];
        let mut opened = 0;
        while let Some((bound, block)) = waiting.pop() {
            if bound >= best.0 || opened == MAX_OPENED_BLOCKS {
                continue;
            }
            opened += 1;
            if block & LEAF != 0 {
                let faces = &bvh.triangles[(block & !LEAF) as usize].face;
                for vertex in
                    faces.iter().filter(|face| **face != NONE).flat_map(|f| mesh.triangles()[*f as usize])
                {
                    let height = self.height(state.corner(mesh.local()[vertex as usize]).at);
                    if height < best.0 {
                        best = (height, Some(vertex));
                    }
                }
                continue;
            }
            let boxes = &bvh.boxes[block as usize];
            let first = waiting.len();
            for lane in (0..WIDTH).filter(|lane| boxes.child[*lane] != NONE) {
                let vector = |v: &[[f32; WIDTH]; 3]| {
                    let [x, y, z] = [0, 1, 2].map(|c| f64::from(v[c][lane]) * bvh.unit);
                    state.rotation * DVec3::new(x, y, z)
                };
                let centre = state.offset + vector(&boxes.centre);
                let arms = [0, 1, 2].map(|k| vector(&boxes.axes[k]));
                let lowest = |BodyPlane { normal, out }: &BodyPlane| {
                    normal.dot(centre) - out - arms.iter().map(|arm| normal.dot(*arm).abs()).sum::<f64>()
                };
                let bound = self.planes.iter().map(lowest).fold(f64::NEG_INFINITY, f64::max);
                if bound < best.0 {
                    waiting.push((bound, boxes.child[lane]));
                }
            }
            // The deepest comes next.
            waiting[first..].sort_by(|x, y| y.0.total_cmp(&x.0));
        }
        best.1
    }

    /// The time in seconds for which the moving body provably intersects this surface, because `vertex` is inside;
    /// 0 if it is not.
    pub(crate) fn intersecting_for(
        &self,
        MeshSurface { body, pieces }: &MeshSurface<'_>,
        vertex: u32,
        state: &RelativeState,
    ) -> f64 {
        let inner = state.corner(body.mesh().local()[vertex as usize]);
        let stays_below = |plane: &BodyPlane| {
            above_for(BodyPlane { normal: -plane.normal, out: -plane.out }, &inner, 0.0, state)
        };
        let inside = self.planes.iter().map(stays_below).fold(f64::INFINITY, f64::min);
        let mut outside = 0.0_f64;
        for local in pieces.outermost(pieces.of_vertex(vertex)) {
            if outside >= inside {
                break;
            }
            let outer = state.corner(*local);
            let stays_above = |plane: &BodyPlane| above_for(*plane, &outer, self.thickness, state);
            outside = self.planes.iter().map(stays_above).fold(outside, f64::max);
        }
        inside.min(outside)
    }
}

/// The time in seconds for which a corner stays above a plane by more than a distance.
fn above_for(plane: BodyPlane, corner: &MovingPoint, distance: f64, state: &RelativeState) -> f64 {
    let BodyPlane { normal, out } = plane;
    let gap = normal.dot(corner.at) - out - distance - state.rounding;
    let speed = normal.dot(corner.velocity) - state.drift;
    safe_time(gap, -speed, state.acceleration)
}
