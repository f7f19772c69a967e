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

use glam::DVec3;

use crate::solid::first::Trees;
use crate::solid::tree::Tree;
use crate::solid::tree::sheet::{Sheet, SheetSide};
use crate::solid::volume::Placement;

/// Two surfaces that cross.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crossing {
    /// The middle of the parallelogram, in the frame of the second.
    pub(crate) at: DVec3,
    /// No point within the margin of it is further from there, in metres.
    pub(crate) radius: f64,
    /// Until they have moved by this they cross, in metres.
    pub(crate) room: f64,
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

impl Trees<'_> {
    /// Whether both are surfaces without an inside.
    pub(crate) fn are_surfaces(&self) -> bool {
        self.first.is_surface() && self.second.is_surface()
    }

    /// A proof that the surfaces cross, with parallelograms from a size down to another, in metres, sought from a
    /// point in the frame of the second, and a little along the curve from there: the point may be at an edge.
    pub(crate) fn crossing(
        &mut self,
        (nodes, from): ([u32; 2], DVec3),
        stand: &Placement,
        [least, most]: [f64; 2],
    ) -> Option<Crossing> {
        let (found, along) = self.crossing_about((nodes, from), stand, [least, most]);
        if found.is_some() {
            return found;
        }
        let along = along?;
        ASIDE.into_iter().flat_map(|share| [share, -share]).find_map(|share| {
            let beside = from + share * most * along;
            self.crossing_about((nodes, beside), stand, [least, share.abs() * most]).0
        })
    }

    /// The same from one point; and the direction of the curve, if the surfaces have one near there.
    fn crossing_about(
        &mut self,
        (nodes, from): ([u32; 2], DVec3),
        stand: &Placement,
        [least, most]: [f64; 2],
    ) -> (Option<Crossing>, Option<DVec3>) {
        let Some((at, normals)) = self.common_point((nodes, from), stand, 1e-3 * least) else {
            return (None, None);
        };
        let along = normals[0].cross(normals[1]);
        let sine = along.length();
        if sine.is_nan() || sine < LEAST_SINE {
            return (None, None);
        }
        let along = along / sine;
        let ways = normals.map(|normal| along.cross(normal));
        let mut size = most;
        while size >= least {
            let room = MARGIN * size * sine;
            if self.is_crossed((nodes, at), (ways, size), (stand, room)) {
                return (Some(Crossing { at, radius: 2.5 * size, room }), Some(along));
            }
            size *= 0.5;
        }
        (None, Some(along))
    }

    /// About a point of both surfaces, to a distance, and the directions across them there.
    fn common_point(
        &mut self,
        (nodes, from): ([u32; 2], DVec3),
        stand: &Placement,
        enough: f64,
    ) -> Option<(DVec3, [DVec3; 2])> {
        let mut at = from;
        let mut normals = [DVec3::ZERO; 2];
        for _ in 0..STEPS {
            let (of_a, across_a) = self.first.tangent_plane(nodes[0], stand.back(at))?;
            let (of_b, across_b) = self.second.tangent_plane(nodes[1], at)?;
            normals = [stand.turn * across_a, across_b];
            // The shortest way to both tangent planes.
            let [a, b] = [(stand.out(of_a) - at).dot(normals[0]), (of_b - at).dot(normals[1])];
            let cosine = normals[0].dot(normals[1]);
            let squared = 1.0 - cosine * cosine;
            if squared.is_nan() || squared <= LEAST_SINE * LEAST_SINE {
                return None;
            }
            let way = (a - cosine * b) / squared * normals[0] + (b - cosine * a) / squared * normals[1];
            at += way;
            if way.length() <= enough {
                break;
            }
        }
        Some((at, normals))
    }

    fn is_crossed(
        &mut self,
        (nodes, at): ([u32; 2], DVec3),
        (ways, size): ([DVec3; 2], f64),
        (stand, room): (&Placement, f64),
    ) -> bool {
        let corner = |along_a: f64, along_b: f64| at + size * (along_a * ways[0] + along_b * ways[1]);
        let [low, high] = [-1.0, 1.0].map(|side| [corner(-1.0, side), corner(1.0, side)]);
        let of_a = [low, high].map(|ends| ends.map(|end| stand.back(end)));
        let of_b = [-1.0, 1.0].map(|side| [corner(side, -1.0), corner(side, 1.0)]);
        let margin = room + 4.0 * stand.rounding;
        parts(&mut self.first, (nodes[0], stand.back(at)), of_a, (AROUND * size, margin))
            && parts(&mut self.second, (nodes[1], at), of_b, (AROUND * size, margin))
    }
}

/// Whether a surface parts two segments by a margin.
fn parts(
    tree: &mut Tree<'_>,
    (node, at): (u32, DVec3),
    segments: [[DVec3; 2]; 2],
    (reach, margin): (f64, f64),
) -> bool {
    let Some(sheet) = tree.sheet(node, at, reach) else { return false };
    let side = |tree: &mut Tree<'_>, sheet: &Sheet, ends| tree.side_of(sheet, ends, margin);
    let Some(one) = side(tree, &sheet, segments[0]) else { return false };
    let other = if one == SheetSide::Front { SheetSide::Back } else { SheetSide::Front };
    side(tree, &sheet, segments[1]) == Some(other)
}
