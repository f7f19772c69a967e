//! Proofs that two surfaces without interior cross, and by what margin.
//!
//! If two surfaces cross along a curve, a parallelogram across the curve has two opposite sides along each surface:
//!
//! ```text
//!     B'            B''
//!   +------------------+  A''    A is between the sides A' and A'',
//!   |        B         |         B between B' and B''.
//!   |  ------+------ A |
//!   |        |         |         (Drawn at right angles.)
//!   +------------------+  A'
//! ```
//!
//! If surface A separates the whole side A' from A'', and B separates B' from B'', then A and B have a common point
//! in the parallelogram (Poincaré-Miranda theorem), whatever their course between the sides. If both separate their
//! sides by a margin, the surfaces keep crossing until they have moved by the margin.

use std::iter;

use glam::DVec3;

use crate::sets::first::TreePair;
use crate::sets::tree::BoundingTree;
use crate::sets::tree::sheet::Sheet;
use crate::sets::volume::RoundedTransform;

/// Two surfaces that cross.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SurfaceCrossing {
    /// The centre of the parallelogram, in the frame of the second surface.
    pub(crate) at: DVec3,
    /// Every point within the margin of the parallelogram is within this distance of `at`, in metres.
    pub(crate) radius: f64,
    /// The surfaces cross until they have moved by this distance, in metres.
    pub(crate) margin: f64,
}

/// An estimate of the curve along which two surfaces cross, at a common point, in the frame of the second surface.
#[derive(Debug, Clone, Copy)]
struct IntersectionCurve {
    /// The nodes of both surfaces near the point.
    nodes: [u32; 2],
    at: DVec3,
    /// The unit tangent of the curve.
    along: DVec3,
    /// For each surface, the unit direction in the surface, perpendicular to the curve.
    directions: [DVec3; 2],
    /// The sine of the angle between the surfaces.
    sine: f64,
}

/// The margin, as a fraction of the distance of the parallelogram's sides from its centre.
const MARGIN: f64 = 0.3;

/// Surfaces at an angle with a smaller sine count as parallel.
const MIN_SINE: f64 = 1e-4;

/// The maximum number of Newton steps to a common point of both surfaces.
const STEPS: usize = 6;

/// Offsets along the curve at which another point is tried, as fractions of the largest size.
const OFFSETS: [f64; 3] = [1.0 / 8.0, 1.0 / 64.0, 1.0 / 512.0];

/// The size of the surface pieces, relative to the parallelogram.
const PIECE_SIZE: f64 = 2.5;

/// A proof that the surfaces cross, by parallelograms of sizes in `[smallest, largest]`, in metres. The search
/// starts at a point in the frame of the second surface. As the point may be at an edge, it also tries points a
/// little along the curve.
pub(crate) fn crossing(
    trees: &mut TreePair<'_>,
    nodes: [u32; 2],
    from: DVec3,
    transform: &RoundedTransform,
    [smallest, largest]: [f64; 2],
) -> Option<SurfaceCrossing> {
    let enough = 1e-3 * smallest;
    let curve = curve_near(trees, nodes, from, transform, enough)?;
    crossing_on(trees, &curve, transform, [smallest, largest]).or_else(|| {
        OFFSETS.into_iter().flat_map(|offset| [offset, -offset]).find_map(|offset| {
            let nearby = curve_near(trees, nodes, from + offset * largest * curve.along, transform, enough)?;
            crossing_on(trees, &nearby, transform, [smallest, offset.abs() * largest])
        })
    })
}

/// The same proof at one point of the curve.
fn crossing_on(
    trees: &mut TreePair<'_>,
    curve: &IntersectionCurve,
    transform: &RoundedTransform,
    [smallest, largest]: [f64; 2],
) -> Option<SurfaceCrossing> {
    let sizes = iter::successors(Some(largest), |size| Some(0.5 * size)).take_while(|size| *size >= smallest);
    for size in sizes {
        let margin = MARGIN * size * curve.sine;
        if is_crossed(trees, curve, size, transform, margin) {
            return Some(SurfaceCrossing { at: curve.at, radius: 2.5 * size, margin });
        }
    }
    None
}

/// An estimate of the curve along which the surfaces cross, near a point, to within `enough` metres.
fn curve_near(
    trees: &mut TreePair<'_>,
    nodes: [u32; 2],
    from: DVec3,
    transform: &RoundedTransform,
    enough: f64,
) -> Option<IntersectionCurve> {
    let mut at = from;
    let mut curve = None;
    for _ in 0..STEPS {
        let (of_a, across_a) = trees.first.tangent_plane(nodes[0], transform.inverse_transform_point(at))?;
        let (of_b, across_b) = trees.second.tangent_plane(nodes[1], at)?;
        let normals = [transform.rotation * across_a, across_b];
        let along = normals[0].cross(normals[1]);
        let sine = along.length();
        if sine.is_nan() || sine < MIN_SINE {
            return None;
        }
        // The shortest step to both tangent planes.
        let [a, b] = [(transform.transform_point(of_a) - at).dot(normals[0]), (of_b - at).dot(normals[1])];
        let cosine = normals[0].dot(normals[1]);
        let step = ((a - cosine * b) * normals[0] + (b - cosine * a) * normals[1]) / (sine * sine);
        at += step;
        let along = along / sine;
        let directions = normals.map(|normal| along.cross(normal));
        curve = Some(IntersectionCurve { nodes, at, along, directions, sine });
        if step.length() <= enough {
            break;
        }
    }
    curve
}

/// Whether both surfaces separate the sides of a parallelogram by a margin, in metres.
fn is_crossed(
    trees: &mut TreePair<'_>,
    curve: &IntersectionCurve,
    size: f64,
    transform: &RoundedTransform,
    margin: f64,
) -> bool {
    let IntersectionCurve { nodes, at, directions, .. } = *curve;
    let corner = |along_a: f64, along_b: f64| at + size * (along_a * directions[0] + along_b * directions[1]);
    let of_a =
        [-1.0, 1.0].map(|side| [-1.0, 1.0].map(|end| transform.inverse_transform_point(corner(end, side))));
    let of_b = [-1.0, 1.0].map(|side| [-1.0, 1.0].map(|end| corner(side, end)));
    let (reach, margin) = (PIECE_SIZE * size, margin + 4.0 * transform.rounding);
    let at_in_a = transform.inverse_transform_point(at);
    let Some(sheet) = trees.first.sheet(nodes[0], at_in_a, reach) else { return false };
    if !separates(&mut trees.first, &sheet, of_a, margin) {
        return false;
    }
    let Some(sheet) = trees.second.sheet(nodes[1], at, reach) else { return false };
    separates(&mut trees.second, &sheet, of_b, margin)
}

/// Whether a piece of a surface separates two segments by a margin.
fn separates(tree: &mut BoundingTree<'_>, sheet: &Sheet, segments: [[DVec3; 2]; 2], margin: f64) -> bool {
    match segments.map(|ends| tree.side_of(sheet, ends, margin)) {
        [Some(one), Some(other)] => one != other,
        _ => false,
    }
}
