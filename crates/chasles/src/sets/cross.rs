//! Do two surfaces without an inside cross, and for how long certainly?
//!
//! Where surfaces cross along a curve, a parallelogram across the curve has two sides along each surface:
//!
//! ```text
//!        B'            B''
//!     +------------------+  A''    A is between the sides A' and A'',
//!     |        B         |         B between B' and B''.
//!     |  ------+------ A |
//!     |        |         |         (Drawn at right angles.)
//!     +------------------+  A'
//! ```
//!
//! If the whole side A' is on one side of the surface A and A'' on the other, and likewise for B, then both surfaces
//! have a point of the parallelogram in common (Poincaré-Miranda theorem), however they go between. If that holds by a
//! margin it stays so until the surfaces have moved by the margin.

use std::iter;

use glam::DVec3;

use crate::sets::first::TreePair;
use crate::sets::tree::BoundingTree;
use crate::sets::volume::RoundedTransform;

/// Two surfaces that cross.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SurfaceCrossing {
    /// The middle of the parallelogram, in the frame of the second.
    pub(crate) at: DVec3,
    /// No point within the margin of it is further from there, in metres.
    pub(crate) radius: f64,
    /// Until they have moved by this they cross, in metres.
    pub(crate) room: f64,
}

/// About the curve along which two surfaces cross, at a point of both, in the frame of the second.
#[derive(Debug, Clone, Copy)]
struct IntersectionCurve {
    at: DVec3,
    /// The unit direction along both surfaces.
    along: DVec3,
    /// The unit directions across the curve along each of them.
    ways: [DVec3; 2],
    /// Of the angle at which they cross.
    sine: f64,
}

/// The margin, as a share of how far the sides of the parallelogram are from the middle.
const MARGIN: f64 = 0.3;

/// Surfaces at a lesser angle count as parallel.
const LEAST_SINE: f64 = 1e-4;

/// Steps towards a point of both surfaces.
const STEPS: usize = 6;

/// How far aside of a point another is tried, as shares of the greatest size.
const ASIDE: [f64; 3] = [1.0 / 8.0, 1.0 / 64.0, 1.0 / 512.0];

/// How much further than the parallelogram the pieces of surfaces go.
const AROUND: f64 = 2.5;

impl TreePair<'_> {
    /// Whether both are surfaces without an inside.
    pub(crate) fn are_surfaces(&self) -> bool {
        self.first.is_surface() && self.second.is_surface()
    }

    /// A proof that the surfaces cross, with parallelograms from a size down to another, in metres, sought from a
    /// point in the frame of the second, and a little along the curve from there: the point may be at an edge.
    pub(crate) fn crossing(
        &mut self,
        (nodes, from): ([u32; 2], DVec3),
        stand: &RoundedTransform,
        [least, most]: [f64; 2],
    ) -> Option<SurfaceCrossing> {
        let enough = 1e-3 * least;
        let curve = self.curve((nodes, from), stand, enough)?;
        self.crossing_on(&curve, nodes, stand, [least, most]).or_else(|| {
            ASIDE.into_iter().flat_map(|share| [share, -share]).find_map(|share| {
                let beside = self.curve((nodes, from + share * most * curve.along), stand, enough)?;
                self.crossing_on(&beside, nodes, stand, [least, share.abs() * most])
            })
        })
    }

    /// The same about one point of the curve.
    fn crossing_on(
        &mut self,
        curve: &IntersectionCurve,
        nodes: [u32; 2],
        stand: &RoundedTransform,
        [least, most]: [f64; 2],
    ) -> Option<SurfaceCrossing> {
        let sizes = iter::successors(Some(most), |size| Some(0.5 * size)).take_while(|size| *size >= least);
        for size in sizes {
            let room = MARGIN * size * curve.sine;
            if self.is_crossed((nodes, curve), size, (stand, room)) {
                return Some(SurfaceCrossing { at: curve.at, radius: 2.5 * size, room });
            }
        }
        None
    }

    /// About the curve along which the surfaces cross, near a point, to a distance.
    fn curve(
        &mut self,
        (nodes, from): ([u32; 2], DVec3),
        stand: &RoundedTransform,
        enough: f64,
    ) -> Option<IntersectionCurve> {
        let mut at = from;
        let mut curve = None;
        for _ in 0..STEPS {
            let (of_a, across_a) = self.first.tangent_plane(nodes[0], stand.inverse_transform_point(at))?;
            let (of_b, across_b) = self.second.tangent_plane(nodes[1], at)?;
            let normals = [stand.turn * across_a, across_b];
            let along = normals[0].cross(normals[1]);
            let sine = along.length();
            if sine.is_nan() || sine < LEAST_SINE {
                return None;
            }
            // The shortest way to both tangent planes.
            let [a, b] = [(stand.transform_point(of_a) - at).dot(normals[0]), (of_b - at).dot(normals[1])];
            let cosine = normals[0].dot(normals[1]);
            let way = ((a - cosine * b) * normals[0] + (b - cosine * a) * normals[1]) / (sine * sine);
            at += way;
            let along = along / sine;
            curve =
                Some(IntersectionCurve { at, along, ways: normals.map(|normal| along.cross(normal)), sine });
            if way.length() <= enough {
                break;
            }
        }
        curve
    }

    fn is_crossed(
        &mut self,
        (nodes, curve): ([u32; 2], &IntersectionCurve),
        size: f64,
        (stand, room): (&RoundedTransform, f64),
    ) -> bool {
        let IntersectionCurve { at, ways, .. } = *curve;
        let corner = |along_a: f64, along_b: f64| at + size * (along_a * ways[0] + along_b * ways[1]);
        let of_a =
            [-1.0, 1.0].map(|side| [-1.0, 1.0].map(|end| stand.inverse_transform_point(corner(end, side))));
        let of_b = [-1.0, 1.0].map(|side| [-1.0, 1.0].map(|end| corner(side, end)));
        let margin = room + 4.0 * stand.rounding;
        parts(&mut self.first, (nodes[0], stand.inverse_transform_point(at)), of_a, (AROUND * size, margin))
            && parts(&mut self.second, (nodes[1], at), of_b, (AROUND * size, margin))
    }
}

/// Whether a surface parts two segments by a margin.
fn parts(
    tree: &mut BoundingTree<'_>,
    (node, at): (u32, DVec3),
    segments: [[DVec3; 2]; 2],
    (reach, margin): (f64, f64),
) -> bool {
    let Some(sheet) = tree.sheet(node, at, reach) else { return false };
    match segments.map(|ends| tree.side_of(&sheet, ends, margin)) {
        [Some(one), Some(other)] => one != other,
        _ => false,
    }
}
