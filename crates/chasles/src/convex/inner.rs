//! Two bodies of convex pieces at given poses: whether their interiors intersect, and which features of each body
//! are inside the other.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;
use rustc_hash::FxHashSet;

use crate::convex::cut::{SegmentInHull, cut};
use crate::convex::hull::{Hull, bounds};
use crate::convex::interiors::{along, are_boxes_separated, shared_middle};
use crate::convex::pieces::{ConvexPiece, ConvexPieces};
use crate::convex::sides::{Height, height, sign, whole_height};
use crate::convex::world::HullFrame;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::whole::WholeUnit;
use crate::shape::Mesh;

/// The relation of two bodies of convex pieces at given poses.
#[derive(Debug, Clone, PartialEq)]
pub enum Interpenetration {
    /// No two pieces have intersecting interiors: the bodies are separated or touch.
    Disjoint,
    /// The interiors of two pieces intersect.
    Shared {
        /// A point of the world strictly inside a piece of each body, in metres, exact as given. `None` if no such
        /// point was found, because the intersection contains few doubles or none.
        inside: Option<DVec3>,
        /// Features of A, and features of B, that are strictly inside a piece of the other body: vertices, then
        /// edges, then faces, each ordered by number. Both lists may be empty: a body that coincides with itself
        /// has no such features.
        points: [Vec<InnerPoint>; 2],
    },
}

/// A feature of a body that is strictly inside a piece of the other body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InnerPoint {
    /// The feature.
    pub of: InnerFeature,
    /// In the world, in metres: the vertex, the middle of the part of the edge, or the centroid of the face.
    pub point: DVec3,
}

/// A feature of a body that is strictly inside a piece of the other body, numbered as in its mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InnerFeature {
    /// A vertex.
    Vertex(u32),
    /// A part of an edge of a triangle. An edge inside several pieces is listed once for each.
    Edge {
        /// The vertices of the edge, lower number first.
        vertices: [u32; 2],
        /// Start and end of the part, ordered from the first vertex, in the world, in metres.
        ends: [DVec3; 2],
    },
    /// A triangle whose centroid is inside.
    Face(u32),
}

/// A body at its given pose.
pub(crate) struct PlacedPieces<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) pieces: &'a ConvexPieces,
    /// The vertices by number, in coordinates common to both bodies.
    pub(crate) points: Vec<DVec3>,
}

/// Two pieces whose interiors intersect, by number, A's first.
struct SharedPieces {
    pieces: [usize; 2],
    middle: DVec3,
}

/// Whether the interiors of any two pieces intersect.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn are_interpenetrating(
    bodies: &[PlacedPieces<'_>; 2],
    budget: &mut Budget<'_>,
) -> Result<bool, OutOfBudget> {
    let mut hulls = LazyHulls::of(bodies, budget)?;
    Ok(!hulls.shared(bodies, 1, budget)?.is_empty())
}

/// The relation of two bodies. `frame` gives the pose of their common coordinates in the world.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn interpenetration(
    bodies: &[PlacedPieces<'_>; 2],
    frame: &HullFrame,
    budget: &mut Budget<'_>,
) -> Result<Interpenetration, OutOfBudget> {
    let mut hulls = LazyHulls::of(bodies, budget)?;
    let shared = hulls.shared(bodies, usize::MAX, budget)?;
    if shared.is_empty() {
        return Ok(Interpenetration::Disjoint);
    }
    let mut inside = None;
    for SharedPieces { pieces, middle } in &shared {
        if let Some(both) = hulls.pair(*pieces)
            && inside.is_none()
        {
            inside = frame.inside(both, *middle, budget)?;
        }
    }
    let mut points = [Vec::new(), Vec::new()];
    for (side, points) in points.iter_mut().enumerate() {
        let (body, other) = (&bodies[side], &bodies[1 - side]);
        let mut found = InnerFeatureFinder {
            body,
            frame,
            on_surface: ExactFeatures::of(other, budget)?,
            found: Vec::new(),
        };
        for SharedPieces { pieces, .. } in &shared {
            if let Some(both) = hulls.pair(*pieces) {
                let piece = &body.pieces.pieces()[pieces[side]];
                found.add_features_of(piece, pieces[1 - side], both[1 - side], budget)?;
            }
        }
        *points = found.sorted();
    }
    Ok(Interpenetration::Shared { inside, points })
}

/// The hulls of the pieces of both bodies, each built when it is first needed.
struct LazyHulls {
    bounds: [Vec<[DVec3; 2]>; 2],
    slots: [Vec<HullSlot>; 2],
}

enum HullSlot {
    Empty,
    /// `None` if the piece is flat at its given pose.
    Hull(Option<Box<Hull>>),
}

impl LazyHulls {
    fn of(bodies: &[PlacedPieces<'_>; 2], budget: &mut Budget<'_>) -> Result<Self, OutOfBudget> {
        for body in bodies {
            budget.take(body.points.len() as u64)?;
        }
        let of_piece = |body: &PlacedPieces<'_>, piece: &ConvexPiece| {
            bounds(piece.vertices.iter().map(|v| body.points[*v as usize]))
        };
        let of_body = |body: &PlacedPieces<'_>| {
            body.pieces.pieces().iter().map(|piece| of_piece(body, piece)).collect::<Vec<_>>()
        };
        let bounds = [of_body(&bodies[0]), of_body(&bodies[1])];
        let slots = [0, 1].map(|side: usize| bounds[side].iter().map(|_| HullSlot::Empty).collect());
        Ok(Self { bounds, slots })
    }

    /// Pairs of pieces whose interiors intersect, in order, at most `most`.
    fn shared(
        &mut self,
        bodies: &[PlacedPieces<'_>; 2],
        most: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<SharedPieces>, OutOfBudget> {
        let mut found = Vec::new();
        for i in 0..self.bounds[0].len() {
            for j in 0..self.bounds[1].len() {
                budget.step()?;
                if are_boxes_separated([self.bounds[0][i], self.bounds[1][j]]) {
                    continue;
                }
                self.build(&bodies[0], 0, i, budget)?;
                self.build(&bodies[1], 1, j, budget)?;
                let Some(both) = self.pair([i, j]) else { continue };
                if let Some(middle) = shared_middle(both, budget)? {
                    budget.keep::<SharedPieces>()?;
                    found.push(SharedPieces { pieces: [i, j], middle });
                    if found.len() == most {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(found)
    }

    fn build(
        &mut self,
        body: &PlacedPieces<'_>,
        side: usize,
        piece: usize,
        budget: &mut Budget<'_>,
    ) -> Result<(), OutOfBudget> {
        if matches!(self.slots[side][piece], HullSlot::Empty) {
            let vertices = &body.pieces.pieces()[piece].vertices;
            let points = vertices.iter().map(|v| body.points[*v as usize]).collect();
            self.slots[side][piece] = HullSlot::Hull(Hull::of(points, budget)?.map(Box::new));
        }
        Ok(())
    }

    /// The hulls of two pieces, if both are built and have an interior.
    fn pair(&self, [i, j]: [usize; 2]) -> Option<[&Hull; 2]> {
        match (&self.slots[0][i], &self.slots[1][j]) {
            (HullSlot::Hull(Some(a)), HullSlot::Hull(Some(b))) => Some([a, b]),
            _ => None,
        }
    }
}

/// The vertices, edges and faces of a body, by position. Equal features of the other body count as on the surface,
/// even if the dents allowed in a piece place them inside the convex hull.
struct ExactFeatures {
    vertices: FxHashSet<[u64; 3]>,
    edges: FxHashSet<[[u64; 3]; 2]>,
    faces: FxHashSet<[[u64; 3]; 3]>,
}

impl ExactFeatures {
    fn of(body: &PlacedPieces<'_>, budget: &mut Budget<'_>) -> Result<Self, OutOfBudget> {
        let triangles = body.mesh.triangles();
        budget.take(triangles.len() as u64)?;
        let point = |v: u32| bits(body.points[v as usize]);
        Ok(Self {
            vertices: triangles.iter().flatten().map(|v| point(*v)).collect(),
            edges: body.mesh.edges().iter().map(|edge| sorted(edge.map(point))).collect(),
            faces: triangles.iter().map(|corners| sorted(corners.map(point))).collect(),
        })
    }
}

/// Equal bits for equal points; -0 counts as 0.
fn bits(p: DVec3) -> [u64; 3] {
    (p + DVec3::ZERO).to_array().map(f64::to_bits)
}

fn sorted<const N: usize>(mut all: [[u64; 3]; N]) -> [[u64; 3]; N] {
    all.sort_unstable();
    all
}

/// Finds the features of one body inside the other.
struct InnerFeatureFinder<'a> {
    body: &'a PlacedPieces<'a>,
    frame: &'a HullFrame,
    on_surface: ExactFeatures,
    /// Keys: the kind, the numbers, and for an edge the number of the other body's piece.
    found: Vec<([u32; 4], InnerPoint)>,
}

impl InnerFeatureFinder<'_> {
    fn keep(&mut self, key: [u32; 4], point: InnerPoint, budget: &mut Budget<'_>) -> Result<(), OutOfBudget> {
        budget.keep::<([u32; 4], InnerPoint)>()?;
        self.found.push((key, point));
        Ok(())
    }

    /// Records the features of a piece that are strictly inside a hull; `number` is the number of the other body's
    /// piece.
    fn add_features_of(
        &mut self,
        piece: &ConvexPiece,
        number: usize,
        hull: &Hull,
        budget: &mut Budget<'_>,
    ) -> Result<(), OutOfBudget> {
        let (body, frame) = (self.body, *self.frame);
        let at = |v: u32| body.points[v as usize];
        let mut last = 0;
        for &v in &piece.vertices {
            if hull.contains(at(v), &mut last, budget)? && !self.on_surface.vertices.contains(&bits(at(v))) {
                let inner = InnerPoint { of: InnerFeature::Vertex(v), point: frame.point(at(v)) };
                self.keep([0, v, 0, 0], inner, budget)?;
            }
        }
        let edges = piece.triangles.iter().flat_map(|face| body.mesh.triangle_edges()[*face as usize]);
        let mut edges: Vec<[u32; 2]> = edges.map(|edge| body.mesh.edges()[edge as usize]).collect();
        edges.sort_unstable();
        edges.dedup();
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        for vertices in edges {
            let segment = vertices.map(at);
            let SegmentInHull::Inside(fractions) = cut(hull, &segment, &mut last, budget)? else { continue };
            if self.on_surface.edges.contains(&sorted(segment.map(bits))) {
                continue;
            }
            let [from, to] = fractions.map(|fraction| along(segment, fraction));
            let of = InnerFeature::Edge { vertices, ends: [from, to].map(|end| frame.point(end)) };
            let inner = InnerPoint { of, point: frame.point(from + 0.5 * (to - from)) };
            self.keep([1, vertices[0], vertices[1], number], inner, budget)?;
        }
        for &face in &piece.triangles {
            let corners = body.mesh.triangles()[face as usize].map(at);
            if contains_centroid(hull, &corners, &mut last, budget)?
                && !self.on_surface.faces.contains(&sorted(corners.map(bits)))
            {
                let [p, q, r] = corners;
                let point = frame.point(p + ((q - p) + (r - p)) / 3.0);
                self.keep([2, face, 0, 0], InnerPoint { of: InnerFeature::Face(face), point }, budget)?;
            }
        }
        Ok(())
    }

    fn sorted(mut self) -> Vec<InnerPoint> {
        self.found.sort_by_key(|(key, _)| *key);
        self.found.dedup_by_key(|(key, _)| *key);
        self.found.into_iter().map(|(_, point)| point).collect()
    }
}

/// Whether the centroid of a triangle is strictly inside a hull. `last` is used as in [`Hull::contains`].
fn contains_centroid(
    hull: &Hull,
    triangle: &[DVec3; 3],
    last: &mut usize,
    budget: &mut Budget<'_>,
) -> Result<bool, OutOfBudget> {
    for facet in hull.facets_from(*last) {
        budget.step()?;
        if side_of_centroid(&hull.corners(facet), triangle) != Ordering::Less {
            *last = facet;
            return Ok(false);
        }
    }
    Ok(true)
}

/// The side of a plane on which the centroid of a triangle lies: its height is the mean of the corners' heights.
fn side_of_centroid(plane: &[DVec3; 3], triangle: &[DVec3; 3]) -> Ordering {
    let heights = triangle.map(|p| height(plane, p));
    let sum = heights.iter().fold(Height { value: 0.0, error: 0.0 }, |sum, height| Height {
        value: sum.value + height.value,
        error: sum.error + height.error + f64::EPSILON * (sum.value.abs() + height.value.abs()),
    });
    if sum.value > sum.error {
        return Ordering::Greater;
    }
    if sum.value < -sum.error {
        return Ordering::Less;
    }
    let unit = WholeUnit::of_points(&[&plane[..], &triangle[..]].concat());
    sign(&triangle.iter().map(|p| whole_height(unit, plane, *p)).sum::<BigInt>())
}
