//! A round shape against the surface of a mesh.
//!
//! Only surfaces count. The round shape K is convex: a triangle is wholly inside K if its corners are, and it
//! crosses the surface of K if it has a point inside and a corner outside. A **piece** of the mesh is a set of
//! triangles connected by vertices. A piece with a point inside and a vertex outside has a triangle that crosses; it
//! still crosses after any movement by less than both the depth of that point and the distance of that vertex. So
//! the gap of the surfaces is the minimum over all triangles of their distance from K or, inside K, of the distance
//! of their shallowest corner from the surface of K.
//!
//! Proofs for a triangle or a box use signed distances. Along their gradient n at any point, K is separated from
//! everything beyond n·x = h(n). A whole box of diagonal d about c is inside if sd(c) < -d / 2.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::convex::{deepest, nearest_beyond, nearest_up_to};
use super::gjk::ConvexShape;
use super::path::RoundPath;
use super::support::Placed;
use super::{RoundFound, RoundMemory, RoundState, Witness};
use crate::body::MeshSurface;
use crate::bvh::layout::{LEAF, NONE, WIDTH};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::distance::point_triangle;
use crate::math::priority::{Priority, QueueEntry};

/// A box or triangle of a mesh that waits to be examined.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PendingNode {
    /// The smallest key comes first.
    key: f64,
    content: NodeContent,
    hint: Option<DVec3>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NodeContent {
    /// A child of a block of boxes.
    Box {
        block: u32,
        lane: u32,
    },
    Triangle(u32),
}

impl Priority for PendingNode {
    fn order(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key).then(other.content.cmp(&self.content))
    }
}

/// The heap of waiting boxes and triangles; its memory is reused.
pub(crate) type RoundQueue = BinaryHeap<QueueEntry<PendingNode>>;

/// The root of the hierarchy.
const ROOT: NodeContent = NodeContent::Box { block: 0, lane: 0 };

/// A box of the hierarchy.
struct MeshBox {
    centre: DVec3,
    half_edges: [DVec3; 3],
    /// An upper bound of the distance of its points from the centre.
    reach: f64,
}

/// A plane between a round shape and a box or triangle beyond it.
#[derive(Debug, Clone, Copy)]
struct SeparatingPlane {
    normal: DVec3,
    /// The minimum of the box or triangle along the normal.
    minimum: f64,
    /// Signed distance of the plane from the shape.
    gap: f64,
}

/// A lower bound of a distance is good enough if it is at least this fraction of an upper bound.
const ENOUGH_BOUND: f64 = 0.9;

/// Margins are computed only to this fraction of the maximum.
const ENOUGH_MARGIN: f64 = 0.8;

impl MeshSurface<'_> {
    fn triangle(&self, face: u32) -> [DVec3; 3] {
        self.body.mesh().local_triangle(face)
    }

    fn bound(&self, block: u32, lane: u32) -> MeshBox {
        let bvh = self.body.bvh();
        let (block, lane) = (&bvh.boxes[block as usize], lane as usize);
        let vector = |v: &[[f32; WIDTH]; 3]| {
            bvh.unit * DVec3::new(f64::from(v[0][lane]), f64::from(v[1][lane]), f64::from(v[2][lane]))
        };
        let half_edges = [vector(&block.axes[0]), vector(&block.axes[1]), vector(&block.axes[2])];
        let [f, g, h] = half_edges;
        // The axes are perpendicular up to rounding to f32.
        let reach = (f.length_squared() + g.length_squared() + h.length_squared()).sqrt() * (1.0 + 1e-6);
        MeshBox { centre: vector(&block.centre), half_edges, reach }
    }

    /// The children of a box.
    fn children(&self, block: u32, lane: u32, mut visit: impl FnMut(NodeContent)) {
        let bvh = self.body.bvh();
        let child = bvh.boxes[block as usize].child[lane as usize];
        if child == NONE {
        } else if child & LEAF != 0 {
            let faces = bvh.triangles[(child & !LEAF) as usize].face;
            faces
                .into_iter()
                .filter(|face| *face != NONE)
                .for_each(|face| visit(NodeContent::Triangle(face)));
        } else {
            let lanes = bvh.boxes[child as usize].child;
            let live = (0_u32..).zip(lanes).filter(|(_, below)| *below != NONE);
            live.for_each(|(lane, _)| visit(NodeContent::Box { block: child, lane }));
        }
    }

    /// The proven state of a round shape and this mesh; the round shape comes first in all pairs of points.
    pub(super) fn state(&self, memory: &mut RoundMemory, placed: &Placed, rounding: f64) -> RoundFound {
        let mut best: Option<(f64, RoundFound)> = None;
        memory.queue.clear();
        memory.queue.push(QueueEntry(PendingNode { key: 0.0, content: ROOT, hint: None }));
        while let Some(QueueEntry(PendingNode { key, content, .. })) = memory.queue.pop() {
            let nearest_so_far = best.as_ref().map_or(f64::INFINITY, |(lower, _)| *lower);
            if key - rounding >= nearest_so_far {
                break;
            }
            match content {
                NodeContent::Box { block, lane } => self.children(block, lane, |content| {
                    let key = self.gap_bound(placed, content).max(key);
                    if key - rounding < nearest_so_far {
                        memory.queue.push(QueueEntry(PendingNode { key, content, hint: None }));
                    }
                }),
                NodeContent::Triangle(face) => {
                    let (lower, found) = self.triangle_gap(placed, face, nearest_so_far, rounding);
                    if lower <= 0.0 {
                        return self.crossing(memory, placed, found, rounding);
                    }
                    if lower < nearest_so_far {
                        best = Some((lower, found));
                    }
                }
            }
        }
        best.map_or_else(RoundFound::without_triangles, |(_, found)| found)
    }

    /// A lower bound of the gap.
    fn gap_bound(&self, placed: &Placed, content: NodeContent) -> f64 {
        match content {
            NodeContent::Box { block, lane } => {
                let bound = self.bound(block, lane);
                let inside = -placed.signed_distance(bound.centre).0 - bound.reach;
                bound.slab(placed).gap.max(inside).max(0.0)
            }
            NodeContent::Triangle(face) => {
                let corners = self.triangle(face);
                let inside = -shallowest(placed, &corners).0;
                slab(placed, &corners).gap.max(inside).max(0.0)
            }
        }
    }

    /// The gap to one triangle: a lower bound, nonpositive if they may intersect. If the gap is at least the
    /// smallest so far, only this is reported.
    fn triangle_gap(
        &self,
        placed: &Placed,
        face: u32,
        nearest_so_far: f64,
        rounding: f64,
    ) -> (f64, RoundFound) {
        let corners = self.triangle(face);
        let (value, vertex) = shallowest(placed, &corners);
        if value < 0.0 && value.is_finite() {
            let (_, outward) = placed.signed_distance(vertex);
            let points = [vertex - value * outward, vertex];
            let (lower, upper) = (-value - rounding, -value + rounding);
            let normal = -outward;
            let state = RoundState::Separated { lower, upper };
            return (lower, RoundFound { state, points, normal, face: Some(face), witness: None });
        }
        let stop_above = nearest_so_far + 2.0 * rounding;
        let found = nearest_up_to(placed, &ConvexShape::Triangle(corners), stop_above);
        let (lower, upper) = (found.lower - rounding, found.upper.max(0.0) + rounding);
        let state = RoundState::Separated { lower, upper };
        let (points, normal) = (found.points, found.normal);
        (lower, RoundFound { state, points, normal, face: Some(face), witness: None })
    }

    /// The proof if a triangle may cross: some piece crosses, by the largest margin found; otherwise touching.
    fn crossing(
        &self,
        memory: &mut RoundMemory,
        placed: &Placed,
        near: RoundFound,
        rounding: f64,
    ) -> RoundFound {
        let mut best = (0.0, near);
        // Only looked up, never iterated.
        let RoundMemory { queue, second, outside } = memory;
        outside.clear();
        queue.clear();
        // The key is a lower bound of the signed distance.
        queue.push(QueueEntry(PendingNode { key: f64::NEG_INFINITY, content: ROOT, hint: None }));
        while let Some(QueueEntry(PendingNode { key, content, .. })) = queue.pop() {
            if key * ENOUGH_MARGIN >= -best.0 {
                break;
            }
            match content {
                NodeContent::Box { block, lane } => self.children(block, lane, |content| {
                    let key = match content {
                        NodeContent::Box { block, lane } => self.bound(block, lane).slab(placed).gap,
                        NodeContent::Triangle(face) => slab(placed, &self.triangle(face)).gap,
                    };
                    if key * ENOUGH_MARGIN < -best.0 {
                        queue.push(QueueEntry(PendingNode { key, content, hint: None }));
                    }
                }),
                NodeContent::Triangle(face) => {
                    let piece = self.pieces.of_vertex(self.body.mesh().triangles()[face as usize][0]);
                    let out = outside.entry(piece).or_insert_with(|| self.outside_by_bounds(placed, piece));
                    if out.exact && out.value - rounding <= best.0 {
                        if self.pieces.count() == 1 {
                            break;
                        }
                        continue;
                    }
                    let deep = deepest(placed, &ConvexShape::Triangle(self.triangle(face)));
                    let depth = deep.depth - rounding;
                    if depth <= best.0 {
                        continue;
                    }
                    if !out.exact && out.value < depth {
                        *out = self.outermost(second, placed, depth, *out);
                    }
                    let beyond = out.value - rounding;
                    let margin = depth.min(beyond);
                    if margin > best.0 {
                        let (points, normal, face) = if beyond < depth {
                            let (value, outward) = placed.signed_distance(out.point);
                            ([out.point - value * outward, out.point], -outward, out.face.or(Some(face)))
                        } else {
                            let (value, outward) = placed.signed_distance(deep.point);
                            let normal = if deep.normal == DVec3::ZERO { outward } else { deep.normal };
                            ([deep.point - value * normal, deep.point], normal, Some(face))
                        };
                        let witness = Witness { inside: deep.point, outside: out.point, beyond: None };
                        let state = RoundState::Intersecting { margin };
                        best = (margin, RoundFound { state, points, normal, face, witness: Some(witness) });
                    }
                }
            }
        }
        if best.0 > 0.0 { best.1 } else { best.1.touching() }
    }

    fn outside_by_bounds(&self, placed: &Placed, piece: usize) -> Outermost {
        let (value, point) = shallowest(placed, self.pieces.outermost(piece));
        Outermost { piece, value, point, face: None, exact: false }
    }

    /// The vertex of a piece that is furthest outside, or some vertex that is outside by `enough`. `best` is some
    /// vertex of the piece.
    fn outermost(
        &self,
        queue: &mut RoundQueue,
        placed: &Placed,
        enough: f64,
        mut best: Outermost,
    ) -> Outermost {
        let piece = best.piece;
        queue.clear();
        // The key is minus an upper bound of the signed distance.
        queue.push(QueueEntry(PendingNode { key: f64::NEG_INFINITY, content: ROOT, hint: None }));
        while let Some(QueueEntry(PendingNode { key, content, .. })) = queue.pop() {
            if -key <= best.value {
                break;
            }
            if best.value >= enough {
                return best;
            }
            let NodeContent::Box { block, lane } = content else { continue };
            self.children(block, lane, |content| match content {
                NodeContent::Box { block, lane } => {
                    let bound = self.bound(block, lane);
                    let key = -placed.signed_distance(bound.centre).0 - bound.reach;
                    if -key > best.value {
                        queue.push(QueueEntry(PendingNode { key, content, hint: None }));
                    }
                }
                NodeContent::Triangle(face) => {
                    let first = self.body.mesh().triangles()[face as usize][0];
                    if self.pieces.of_vertex(first) == piece {
                        let (value, point) = shallowest(placed, &self.triangle(face));
                        if value > best.value {
                            best = Outermost { piece, value, point, face: Some(face), exact: false };
                        }
                    }
                }
            });
        }
        Outermost { exact: true, ..best }
    }

    /// The time in [0, 1] up to which the surfaces are proven further apart than a distance; `None`: throughout.
    ///
    /// Every box and triangle waits in the queue with the time until which it is proven separated.
    pub(super) fn separated_until(
        &self,
        memory: &mut RoundMemory,
        path: &RoundPath,
        distance: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<f64>, OutOfBudget> {
        memory.queue.clear();
        memory.queue.push(QueueEntry(PendingNode { key: 0.0, content: ROOT, hint: None }));
        while let Some(QueueEntry(PendingNode { key: t, content, mut hint })) = memory.queue.pop() {
            if budget.step().is_err() {
                // Everything in the queue is separated until `t`.
                return if t > 0.0 { Ok(Some(t)) } else { Err(OutOfBudget) };
            }
            match content {
                NodeContent::Box { block, lane } => {
                    match self.bound(block, lane).separated_until(path, t, distance) {
                        Some(next) if next > 1.0 => {}
                        Some(key) => memory.queue.push(QueueEntry(PendingNode { key, content, hint: None })),
                        None => self.children(block, lane, |content| {
                            memory.queue.push(QueueEntry(PendingNode { key: t, content, hint: None }))
                        }),
                    }
                }
                NodeContent::Triangle(face) => {
                    let corners = self.triangle(face);
                    match triangle_separated_until(&corners, path, t, distance, &mut hint) {
                        Some(next) if next > 1.0 => {}
                        Some(key) => memory.queue.push(QueueEntry(PendingNode { key, content, hint })),
                        None => return Ok(Some(t)),
                    }
                }
            }
        }
        Ok(None)
    }
}

/// A vertex outside a round shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outermost {
    /// The piece of the mesh that contains the vertex.
    piece: usize,
    /// Its signed distance.
    value: f64,
    point: DVec3,
    face: Option<u32>,
    /// Whether it is the piece's vertex furthest outside.
    exact: bool,
}

impl MeshBox {
    /// The time until which the box is separated; `None`: opening the box is better.
    fn separated_until(&self, path: &RoundPath, t: f64, distance: f64) -> Option<f64> {
        let placed = path.at(t);
        let slab = self.slab(&placed);
        let (step, margin) = if slab.gap > distance {
            (path.separated_along(t, slab.normal, slab.minimum, distance), slab.gap - distance)
        } else {
            let margin = -placed.signed_distance(self.centre).0 - self.reach - distance;
            let step = if margin > 0.0 { path.inside(t, &[self.centre], distance + self.reach) } else { 0.0 };
            (step, margin)
        };
        let far = step == f64::INFINITY || margin > 0.5 * self.reach;
        if far { path.next_time(t, step, margin, distance) } else { None }
    }

    /// A plane between a round shape and the box: along the gradient at the box's nearest point to the centre.
    fn slab(&self, placed: &Placed) -> SeparatingPlane {
        let arm = placed.centre - self.centre;
        let along = |edge: &DVec3| {
            let fraction = arm.dot(*edge) / edge.length_squared();
            // A zero or NaN edge is ignored.
            if fraction.is_finite() { fraction.clamp(-1.0, 1.0) * *edge } else { DVec3::ZERO }
        };
        let point = self.centre + self.half_edges.iter().map(along).sum::<DVec3>();
        let (_, n) = placed.signed_distance(point);
        let half = self.half_edges.iter().map(|edge| n.dot(*edge).abs()).sum::<f64>();
        let minimum = n.dot(self.centre) - half;
        SeparatingPlane { normal: n, minimum, gap: minimum - placed.reach(n) }
    }
}

/// The time until which a triangle is separated; `None`: no longer. The hint is a point of the triangle, probably near
/// the shape, for the next call.
fn triangle_separated_until(
    corners: &[DVec3; 3],
    path: &RoundPath,
    t: f64,
    distance: f64,
    hint: &mut Option<DVec3>,
) -> Option<f64> {
    let placed = path.at(t);
    let solid = ConvexShape::Triangle(*corners);
    // The hinted point bounds the distance from above, and usually nearly attains it.
    let point = hint.unwrap_or_else(|| point_triangle(placed.centre, corners).b);
    let (upper, n) = placed.signed_distance(point);
    let minimum = solid.minimum(n);
    let margin = minimum - placed.reach(n) - path.rounding - distance;
    if margin > ENOUGH_BOUND * (upper - distance) {
        let step = path.separated_along(t, n, minimum, distance);
        return path.next_time(t, step, margin, distance);
    }
    let (value, _) = shallowest(&placed, corners);
    if value < 0.0 {
        let step = path.inside(t, corners, distance);
        return path.next_time(t, step, -value - path.rounding - distance, distance);
    }
    let found = nearest_beyond(&placed, &solid, distance);
    *hint = Some(found.points[1]);
    let step = path.separated_along(t, found.normal, solid.minimum(found.normal), distance);
    path.next_time(t, step, found.lower - path.rounding - distance, distance)
}

/// A plane between a round shape and a triangle: along the gradient at the triangle's nearest point to the centre.
fn slab(placed: &Placed, corners: &[DVec3; 3]) -> SeparatingPlane {
    let (_, n) = placed.signed_distance(point_triangle(placed.centre, corners).b);
    let minimum = ConvexShape::Triangle(*corners).minimum(n);
    SeparatingPlane { normal: n, minimum, gap: minimum - placed.reach(n) }
}

/// The point with the maximum signed distance.
fn shallowest(placed: &Placed, points: &[DVec3]) -> (f64, DVec3) {
    let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
    for p in points {
        let (value, _) = placed.signed_distance(*p);
        if value > best.0 {
            best = (value, *p);
        }
    }
    best
}
