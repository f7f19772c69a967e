//! Proves that two closed bodies penetrate each other deeply although each pair of their triangles only touches: for
//! example boxes that overlap with coplanar sides, or two coincident bodies.
//!
//! The penetration is deeper than a distance if no translation by at most that distance separates the surfaces. A
//! translation separates them in one of three ways: A leaves B, A is then within B, or B is then within A. So three
//! proofs are needed.
//!
//! - The interiors have a common point, and the depths of this point in A and in B add up to more than the
//!   distance. Then A and B keep a common point after every translation by at most the distance. A point of A's
//!   surface has the depth 0 in A.
//! - A does not fit into B: some vertex of A is outside B by more than the distance, or along some direction A is
//!   as long as B.
//! - Likewise B does not fit into A. This also holds if the common point is on A's surface.
//!
//! All three follow if the bodies have coplanar faces, with the interiors on the same side, in two places that face
//! opposite ways: every translation moves one of these faces out of the other body, or leaves it in its plane.
//!
//! The answer `false` proves nothing.

use glam::{DMat3, DVec3};

use crate::body::{PreparedMesh, PreparedPair};
use crate::features::screw_motion::ScrewMotion;
use crate::instant::depth::{depth_in, exact_depth_in, inner_points, middle};
use crate::instant::nearest_on::nearest_on;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::direction::unit_along;
use crate::mesh_screw::overlap::{Overlap, OverlapGoal};
use crate::mesh_screw::pipeline::{ScrewSearch, Workspace};
use crate::mesh_screw::query::{Counters, Outcome, UndecidedReason};
use crate::shape::pieces::Pieces;

/// The maximum number of triangles that are examined on each body, among the triangles that touch the other body.
const MAX_TRIANGLES: usize = 96;

/// The maximum number of directions across triangles in which extents are compared.
const MAX_DIRECTIONS: usize = 32;

/// Depths below a triangle at which a common point is searched for, as fractions of the body's radius.
const DEPTHS: [f64; 6] = [0.3, 0.1, 1e-2, 1e-3, 1e-5, 1e-7];

/// Distances above and below a face at which points are tested, to prove that both bodies end in its plane, as
/// fractions of the smaller radius.
const OFFSETS: [f64; 2] = [0.02, 1e-3];

/// A ball below a face counts as inside, and a ball above it as outside, up to this fraction of its radius.
const FLAT: f64 = 1e-6;

/// Directions are opposite if their cosine is within this distance of -1.
const OPPOSITE: f64 = 1e-12;

/// An upper bound of the error of positions, in roundings of the motion.
const ROUNDINGS: f64 = 8.0;

/// The cost of computing one depth of a point, in steps of the budget.
const STEPS_PER_POINT: u64 = 10;

/// Two bodies at the start of a motion.
struct Flush<'a, 'w> {
    bodies: [&'a PreparedMesh; 2],
    rotation: DMat3,
    offset: DVec3,
    /// The depth to prove, in metres, including an allowance for rounding.
    deep: f64,
    margin: f64,
    directions: Vec<DVec3>,
    budget: &'a mut Budget<'w>,
}

/// Whether two surfaces, whose triangles in these pairs touch at the start of a motion, are proven to be deeper in
/// each other than a distance: no translation by that distance separates them. `false` proves nothing.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn are_deep(
    PreparedPair { a, b }: PreparedPair<'_>,
    motion: &ScrewMotion,
    distance: f64,
    pairs: &[[u32; 2]],
    budget: &mut Budget<'_>,
) -> Result<bool, OutOfBudget> {
    if !a.mesh().around().is_closed() || !b.mesh().around().is_closed() {
        return Ok(false);
    }
    let margin = ROUNDINGS * motion.rounding;
    let mut flush = Flush {
        bodies: [a, b],
        rotation: motion.rotation[0],
        offset: motion.offset,
        deep: distance + margin,
        margin,
        directions: Vec::new(),
        budget,
    };
    // Surfaces that touch only within rounding have no such pairs. Then all triangles are examined.
    let touching = [0, 1].map(|body: usize| {
        let mut faces: Vec<u32> = pairs.iter().map(|pair| pair[body]).collect();
        if faces.is_empty() {
            faces.extend((0_u32..).take(flush.bodies[body].mesh().triangles().len()));
        }
        faces.sort_unstable();
        faces.dedup();
        spread(&faces, MAX_TRIANGLES)
    });
    for (body, faces) in touching.iter().enumerate() {
        let across = |face: &u32| flush.face_normal(body, *face);
        let found: Vec<DVec3> = spread(faces, MAX_DIRECTIONS / 2).iter().map(across).collect();
        flush.directions.extend(found.into_iter().filter(|n| *n != DVec3::ZERO));
    }
    if flush.is_separated_along_normal()? {
        return Ok(false);
    }
    let mut flush_normals: Vec<DVec3> = Vec::new();
    for (body, faces) in touching.iter().enumerate() {
        for face in faces {
            if let Some(n) = flush.flush_normal(body, *face)? {
                if flush_normals.iter().any(|other| other.dot(n) < OPPOSITE - 1.0) {
                    return Ok(true);
                }
                flush_normals.push(n);
            }
        }
    }
    for (body, faces) in touching.iter().enumerate() {
        for face in faces {
            if flush.is_deep_at(body, *face)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Changes a contact at the start, or a start left undecided by rounding, into an overlap if the bodies are proven
/// deep in each other. The steps of this test are added. If the budget runs out, the outcome is unchanged.
pub(crate) fn deepen(
    search: &ScrewSearch<'_>,
    workspace: &mut Workspace,
    outcome: &mut Outcome,
    counters: &mut Counters,
) {
    let at_start = match outcome {
        Outcome::Contact(contact) => contact.time[0] <= 0.0,
        Outcome::Undecided { clear_until, reason } => {
            *clear_until <= 0.0 && *reason == UndecidedReason::Rounding
        }
        Outcome::Clear | Outcome::Overlapping(_) => false,
    };
    if !at_start {
        return;
    }
    let mut budget = search.budget_after(counters.steps);
    let touching = search.overlap_at(0.0, OverlapGoal::All, &mut workspace.charts, &mut budget);
    let deep = touching.and_then(|Overlap { pairs, .. }| {
        let deep = are_deep(search.bodies, &search.motion, search.tolerance, &pairs, &mut budget)?;
        Ok(deep.then_some(pairs))
    });
    counters.steps = search.spent(&budget);
    if let Ok(Some(pairs)) = deep {
        *outcome = Outcome::Overlapping(pairs);
    }
}

/// At most `count` entries of a list, evenly spread over it.
fn spread(faces: &[u32], count: usize) -> Vec<u32> {
    faces.iter().copied().step_by(faces.len().div_ceil(count).max(1)).collect()
}

impl Flush<'_, '_> {
    /// A point of a body, relative to the centre of B.
    fn point_of(&self, body: usize, local: DVec3) -> DVec3 {
        if body == 0 { self.offset + self.rotation * local } else { local }
    }

    /// A point relative to the centre of B, converted to the frame of a body and relative to that body's centre.
    fn local(&self, body: usize, point: DVec3) -> DVec3 {
        if body == 0 { self.rotation.transpose() * (point - self.offset) } else { point }
    }

    fn depth(&mut self, body: usize, point: DVec3) -> Result<f64, OutOfBudget> {
        self.budget.take(STEPS_PER_POINT)?;
        Ok(depth_in(self.bodies[body], self.local(body, point)))
    }

    fn exact_depth(&mut self, body: usize, point: DVec3) -> Result<f64, OutOfBudget> {
        self.budget.take(STEPS_PER_POINT)?;
        Ok(exact_depth_in(self.bodies[body], self.local(body, point)))
    }

    /// A unit normal of a triangle, of either sense; zero if the triangle has zero area.
    fn face_normal(&self, body: usize, face: u32) -> DVec3 {
        let [p, q, r] = self.bodies[body].mesh().local_triangle(face).map(|p| self.point_of(body, p));
        unit_along((q - p).cross(r - p))
    }

    /// The minimum and maximum of some vertices of a body along a direction.
    fn extent(&self, body: usize, n: DVec3, vertices: &[u32]) -> [f64; 2] {
        let local = self.bodies[body].mesh().local();
        let along = vertices.iter().map(|v| n.dot(self.point_of(body, local[*v as usize])));
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], x| [lo.min(x), hi.max(x)])
    }

    /// Whether a translation along the normal of some triangle separates the two bodies.
    fn is_separated_along_normal(&mut self) -> Result<bool, OutOfBudget> {
        let vertices = self.bodies.map(|body| body.mesh().used_vertices());
        for n in &self.directions {
            self.budget.take(((vertices[0].len() + vertices[1].len()) / 64) as u64)?;
            let [a, b] = [0, 1].map(|body: usize| self.extent(body, *n, &vertices[body]));
            if a[1] - b[0] <= self.deep || b[1] - a[0] <= self.deep {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The outward direction of both bodies at a triangle of either body. `None` unless the triangle is coplanar
    /// with a face of the other body, and the interiors are on the same side.
    fn flush_normal(&mut self, body: usize, face: u32) -> Result<Option<DVec3>, OutOfBudget> {
        let mesh = self.bodies[body].mesh();
        let n = self.face_normal(body, face);
        let radius = mesh.radius().min(self.bodies[1 - body].mesh().radius());
        for local in inner_points(mesh, face) {
            let point = self.point_of(body, local);
            if self.exact_depth(1 - body, point)?.abs() > self.margin {
                continue;
            }
            for offset in OFFSETS {
                let depth = offset * radius * (1.0 - FLAT) - self.margin;
                for sense in [1.0, -1.0] {
                    let [out, into] = [1.0, -1.0].map(|side| point + side * sense * offset * radius * n);
                    if self.exact_depth(1 - body, into)? >= depth
                        && self.exact_depth(body, into)? >= depth
                        && self.exact_depth(1 - body, out)? <= -depth
                        && self.exact_depth(body, out)? <= -depth
                    {
                        return Ok(Some(sense * n));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether points on or below a triangle of a body prove the depth of penetration.
    fn is_deep_at(&mut self, body: usize, face: u32) -> Result<bool, OutOfBudget> {
        let mesh = self.bodies[body].mesh();
        for local in inner_points(mesh, face) {
            let point = self.point_of(body, local);
            if self.depth(1 - body, point)? > self.deep {
                // The triangle is deep inside the other body, so the other body does not fit into this one.
                return self.does_not_fit(body, face);
            }
        }
        let (point, n) = (self.point_of(body, middle(mesh, face)), self.face_normal(body, face));
        for below in DEPTHS {
            for sense in [-1.0, 1.0] {
                let inner = point + sense * below * mesh.radius() * n;
                let depth = self.depth(body, inner)?;
                if depth <= 0.0 {
                    continue;
                }
                let other_depth = self.depth(1 - body, inner)?;
                if other_depth > 0.0 && depth + other_depth > self.deep {
                    let nearest = self.nearest_face(1 - body, inner);
                    return Ok(self.does_not_fit(body, face)? && self.does_not_fit(1 - body, nearest)?);
                }
            }
        }
        Ok(false)
    }

    /// The triangle of a body nearest to a point.
    fn nearest_face(&self, body: usize, point: DVec3) -> u32 {
        let solid = self.bodies[body];
        let found = nearest_on(solid, solid.mesh().centre() + self.local(body, point), f64::INFINITY);
        found.map_or(0, |nearest| nearest.face)
    }

    /// Whether the piece of a body with this triangle does not fit into the other body, for any translation by at most
    /// the distance.
    fn does_not_fit(&mut self, body: usize, face: u32) -> Result<bool, OutOfBudget> {
        let mesh = self.bodies[body].mesh();
        let pieces = Pieces::new(mesh);
        let piece = pieces.of_vertex(mesh.triangles()[face as usize][0]);
        let mut vertices = mesh.used_vertices();
        vertices.retain(|vertex| pieces.of_vertex(*vertex) == piece);
        let other_vertices = self.bodies[1 - body].mesh().used_vertices();
        self.budget.take((vertices.len() + other_vertices.len()) as u64)?;
        for n in &self.directions {
            let [[lo, hi], [other_lo, other_hi]] =
                [self.extent(body, *n, &vertices), self.extent(1 - body, *n, &other_vertices)];
            if hi - lo >= other_hi - other_lo - self.margin
                || lo < other_lo - self.deep
                || hi > other_hi + self.deep
            {
                return Ok(true);
            }
        }
        for vertex in vertices {
            let point = self.point_of(body, mesh.local()[vertex as usize]);
            if self.depth(1 - body, point)? < -self.deep {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
