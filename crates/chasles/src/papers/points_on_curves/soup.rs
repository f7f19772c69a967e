//! A polygon soup as a target: triangles in a tree of boxes, tested against oriented boxes, balls and segments.

use std::ops::ControlFlow;

use glam::DVec3;

use super::path::PathBox;
use super::target::{Hit, PointTarget, SurfacePoint};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::direction::unit_along;
use crate::math::distance::{Closest, point_triangle, segment_segment};
use crate::shape::Mesh;

/// The triangles of a mesh as a target, in B's frame: a surface without an interior.
///
/// The paper tests every triangle. A tree of bounding boxes, split at the median of the centres, avoids most of these
/// tests.
#[derive(Debug, Clone)]
pub struct Soup {
    triangles: Vec<[DVec3; 3]>,
    /// Depth first: the descendants of a node follow it.
    nodes: Vec<SoupNode>,
}

#[derive(Debug, Clone, Copy)]
struct SoupNode {
    bounds: [DVec3; 2],
    /// The triangles of a leaf.
    first: usize,
    end: usize,
    /// The index after all descendants of this node.
    skip: usize,
}

/// Maximum number of triangles in a leaf.
const LEAF: usize = 4;

impl Soup {
    /// The triangles of a mesh.
    #[must_use]
    pub fn new(mesh: &Mesh) -> Self {
        let corners = |triangle: &[u32; 3]| triangle.map(|vertex| mesh.vertex(vertex));
        let triangles = mesh.triangles().iter().map(corners).collect();
        let mut soup = Self { triangles, nodes: Vec::new() };
        soup.build(0, soup.triangles.len());
        soup
    }

    /// Splits at the median, so the depth is at most the logarithm of the number of triangles.
    fn build(&mut self, first: usize, end: usize) {
        let part = &mut self.triangles[first..end];
        let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let bounds = part.iter().flatten().fold(start, |[lower, upper], v| [lower.min(*v), upper.max(*v)]);
        let place = self.nodes.len();
        let is_leaf = part.len() <= LEAF;
        self.nodes.push(SoupNode { bounds, first, end: if is_leaf { end } else { first }, skip: 0 });
        if !is_leaf {
            let size = bounds[1] - bounds[0];
            let axis = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
            let centre = |t: &[DVec3; 3]| t[0][axis] + t[1][axis] + t[2][axis];
            let middle = part.len() / 2;
            part.select_nth_unstable_by(middle, |s, t| centre(s).total_cmp(&centre(t)));
            self.build(first, first + middle);
            self.build(first + middle, end);
        }
        self.nodes[place].skip = self.nodes.len();
    }

    /// Visits the triangles of every leaf for which `is_relevant` holds, as for all its ancestors, until a visit
    /// breaks.
    fn visit(
        &self,
        budget: &mut Budget<'_>,
        mut is_relevant: impl FnMut(&[DVec3; 2]) -> bool,
        mut visit: impl FnMut(&[DVec3; 3]) -> ControlFlow<()>,
    ) -> Result<(), OutOfBudget> {
        let mut place = 0;
        while let Some(node) = self.nodes.get(place) {
            budget.step()?;
            if !is_relevant(&node.bounds) {
                place = node.skip;
                continue;
            }
            for triangle in &self.triangles[node.first..node.end] {
                budget.step()?;
                if visit(triangle).is_break() {
                    return Ok(());
                }
            }
            place += 1;
        }
        Ok(())
    }
}

/// Relative rounding error of projections.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Whether an axis of either box separates an axis-aligned box from an oriented box.
fn boxes_separated(region: &PathBox, around: &[DVec3; 2], [lower, upper]: &[DVec3; 2]) -> bool {
    if !(around[0].cmple(*upper).all() && lower.cmple(around[1]).all()) {
        return true;
    }
    let (half, centre) = (0.5 * (*upper - *lower), 0.5 * (*upper + *lower));
    let between = centre - region.centre;
    let margin = ROUNDING * (centre.abs() + region.centre.abs() + half).element_sum();
    let mut axes = region.axes.iter().zip(region.half);
    axes.any(|(axis, extent)| axis.dot(between).abs() > extent + axis.abs().dot(half) + margin)
}

/// Whether a triangle is proven separated from an oriented box, by the axes of the separating axis theorem.
fn triangle_separated(region: &PathBox, triangle: &[DVec3; 3]) -> bool {
    let local = triangle.map(|vertex| {
        let v = vertex - region.centre;
        DVec3::from_array(region.axes.map(|axis| axis.dot(v)))
    });
    let half = DVec3::from_array(region.half);
    let size = local.iter().fold(half + region.centre.abs().max_element(), |size, v| size.max(v.abs()));
    let margin = 2.0 * ROUNDING * size.element_sum();
    let separates = |axis: DVec3| {
        let [p, q, r] = local.map(|v| axis.dot(v));
        let reach = axis.abs().dot(half) + margin * axis.abs().element_sum();
        p.min(q).min(r) > reach || p.max(q).max(r) < -reach
    };
    let sides = [local[1] - local[0], local[2] - local[1], local[0] - local[2]];
    [DVec3::X, DVec3::Y, DVec3::Z]
        .into_iter()
        .any(|axis| separates(axis) || sides.iter().any(|side| separates(axis.cross(*side))))
        || separates(sides[0].cross(sides[1]))
}

fn normal(triangle: &[DVec3; 3]) -> DVec3 {
    unit_along((triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]))
}

/// The smallest fraction of a segment at which it is within a distance of a triangle. Candidates are the crossing
/// with the triangle's plane and the points nearest to its sides.
fn first_on_triangle([from, to]: [DVec3; 2], triangle: &[DVec3; 3], within: f64) -> Option<Hit> {
    let direction = to - from;
    let length = direction.length_squared();
    let mut first: Option<Hit> = None;
    let mut offer = |place: DVec3, on: DVec3| {
        let fraction =
            if length > 0.0 { ((place - from).dot(direction) / length).clamp(0.0, 1.0) } else { 0.0 };
        if place.distance(on) <= within && first.is_none_or(|hit| fraction < hit.fraction) {
            first = Some(Hit { fraction, surface: SurfacePoint { point: on, normal: normal(triangle) } });
        }
    };
    let across = normal(triangle);
    let [p, q] = [from, to].map(|end| across.dot(end - triangle[0]));
    if (p < 0.0) != (q < 0.0) {
        let place = from + p / (p - q) * direction;
        offer(place, point_triangle(place, triangle).b);
    }
    for end in [from, to] {
        offer(end, point_triangle(end, triangle).b);
    }
    for side in [[0, 1], [1, 2], [2, 0]] {
        let Closest { a, b, .. } = segment_segment([from, to], side.map(|corner| triangle[corner]));
        offer(a, b);
    }
    first
}

impl PointTarget for Soup {
    fn misses(&mut self, region: &PathBox, budget: &mut Budget<'_>) -> Result<bool, OutOfBudget> {
        let (mut misses, around) = (true, region.bounds());
        self.visit(
            budget,
            |bounds| !boxes_separated(region, &around, bounds),
            |triangle| {
                misses = triangle_separated(region, triangle);
                if misses { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        )?;
        Ok(misses)
    }

    fn near(
        &mut self,
        place: DVec3,
        within: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<SurfacePoint>, OutOfBudget> {
        let mut best: Option<(f64, SurfacePoint)> = None;
        let reach = within * (1.0 + ROUNDING);
        let near = |[lower, upper]: &[DVec3; 2]| {
            (place - place.clamp(*lower, *upper)).length() <= reach + ROUNDING * place.abs().max_element()
        };
        self.visit(budget, near, |triangle| {
            let closest = point_triangle(place, triangle);
            let distance = closest.a.distance(closest.b);
            if distance <= within && best.is_none_or(|(lower, _)| distance < lower) {
                best = Some((distance, SurfacePoint { point: closest.b, normal: normal(triangle) }));
            }
            ControlFlow::Continue(())
        })?;
        Ok(best.map(|(_, surface)| surface))
    }

    /// Tests every triangle near the segment: at the crossing with its plane, and at the points nearest to its sides.
    /// A point counts as on the triangle if it is within `within`, so that no ray passes between neighbours.
    fn first_on(
        &mut self,
        segment: [DVec3; 2],
        within: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Hit>, OutOfBudget> {
        let region = PathBox::around(segment, within);
        let around = region.bounds();
        let mut first: Option<Hit> = None;
        self.visit(
            budget,
            |bounds| !boxes_separated(&region, &around, bounds),
            |triangle| {
                if let Some(hit) = first_on_triangle(segment, triangle, within)
                    && first.is_none_or(|first| hit.fraction < first.fraction)
                {
                    first = Some(hit);
                }
                ControlFlow::Continue(())
            },
        )?;
        Ok(first)
    }
}
