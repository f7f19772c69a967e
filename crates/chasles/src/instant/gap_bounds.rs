//! Lower bounds of the distances of eight boxes or triangles from one, which exclude distant pairs.
//!
//! A direction n proves that two shapes are separated by the gap of their extents along it. For two boxes the
//! direction comes from alternating projections: from the centre of the first to the nearest point of the second,
//! from there to the nearest point of the first. Triangles also use their normals, and the direction between their
//! centres.
//!
//! An inexact direction makes the bound less tight, never wrong: only the gap along it is padded, for all rounding
//! in 32 bits.

use glam::{DMat3, DVec3};
use multiversion::multiversion;

use crate::bvh::layout::{BoxBlock, Lanes, NONE, TriangleBlock, WIDTH};
use crate::math::lanes::{Instructions, WHOLE, dot, extent, max, min};
use crate::mesh_screw::chart::narrow;

/// A body's placement: maps the coordinates of its hierarchy to its pose, in units of the pair.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HierarchyPose {
    /// Rotation and conversion from the hierarchy's units to the pair's units: rows of a matrix.
    rows: [[f64; 3]; 3],
    /// The centre of the mesh.
    centre: [f64; 3],
    /// Bound of the error of every point of the body, relative to exact coordinates.
    margin: f32,
    /// A bound of the displacement of triangle corners by the hierarchy's rounding.
    corner: f32,
}

/// Eight boxes or triangles as placed.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct PlacedEight {
    /// Centre of a box, mean of a triangle's corners.
    centre: [Lanes; 3],
    /// Half edges of a box, or corners of a triangle relative to the centre: `generators[which][coordinate][lane]`.
    generators: [[Lanes; 3]; 3],
    /// Boxes: the reciprocal squares of the half edges. Triangles: the normal, of length at most one.
    aid: [Lanes; 3],
    /// The sum of the lengths of the generators.
    pub(crate) size: Lanes,
    /// Bound of the distance of every point from the shape given by these numbers.
    pad: Lanes,
    /// The block below each child, or the triangle; [`NONE`] if there is no child.
    pub(crate) child: [u32; WIDTH],
    /// The index of that block in the memory of the search if it has been opened, otherwise [`NONE`].
    pub(crate) opened: [u32; WIDTH],
    /// Whether the children are triangles.
    pub(crate) is_leaf: bool,
}

/// One of eight placed shapes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedLane<'a> {
    pub(crate) block: &'a PlacedEight,
    pub(crate) lane: usize,
}

/// Roundings of 2^-24 in a generator: in its coordinates, in the matrix and in the product with it (4 in all), and
/// for triangles in the difference of corners and from their mean (4 more); doubled.
const TURNING: f32 = 1e-6;

/// Roundings of 2^-24 in a centre, which is placed in 64 bits: one, and for triangles another when their mean is
/// added; doubled.
const PLACING: f32 = 2.5e-7;

/// The rounding of a triangle's corner in the hierarchy, in its units: 2^-25 in each of three coordinates, doubled.
const CORNER: f64 = 1.1e-7;

/// Roundings in a bound, relative to the distance of the centres and the sizes: 4.5 in the length of n, 5 in n.d, 9
/// in the extents, 3 in their difference, of 2^-24 each; 1.5e-6 is 25 such roundings.
const BOUND: f32 = 1.5e-6;

/// In units of the pair: more than any result that underflows.
const TINY: f32 = 1e-30;

/// A shorter vector gives no direction, because its square underflows.
const NO_DIRECTION: f32 = 1e-15;

impl HierarchyPose {
    /// `axes` and `centre` place a mesh whose hierarchy has the unit `of_bvh`; `unit` is the unit of the pair. All
    /// lengths, also `margin`, are in metres.
    pub(crate) fn new(axes: DMat3, centre: DVec3, of_bvh: f64, unit: f64, margin: f64) -> Self {
        let ratio = of_bvh / unit;
        Self {
            rows: (axes * ratio).transpose().to_cols_array_2d(),
            centre: (centre / unit).to_array(),
            margin: narrow(margin / unit) * (1.0 + TURNING) + TINY,
            corner: narrow(CORNER * ratio),
        }
    }

    #[inline(always)]
    fn placed(&self, v: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = [f64::from(v[0]), f64::from(v[1]), f64::from(v[2])];
        let coordinate = |c: usize| {
            let row = &self.rows[c];
            narrow(self.centre[c] + (row[0] * x + row[1] * y + row[2] * z))
        };
        [coordinate(0), coordinate(1), coordinate(2)]
    }
}

#[inline(always)]
fn rotated(rows: &[[f32; 3]; 3], v: [f32; 3]) -> [f32; 3] {
    [dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)]
}

#[inline(always)]
fn length(v: [f32; 3]) -> f32 {
    dot(v, v).sqrt()
}

#[inline(always)]
fn sum_abs(v: [f32; 3]) -> f32 {
    v[0].abs() + v[1].abs() + v[2].abs()
}

#[inline(always)]
fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A vector along another, of length one up to rounding, or shorter.
#[inline(always)]
fn along(v: [f32; 3]) -> [f32; 3] {
    let inverse = 1.0 / max(length(v), NO_DIRECTION);
    [v[0] * inverse, v[1] * inverse, v[2] * inverse]
}

#[inline(always)]
fn set(out: &mut [Lanes; 3], lane: usize, v: [f32; 3]) {
    (out[0][lane], out[1][lane], out[2][lane]) = (v[0], v[1], v[2]);
}

#[inline(always)]
fn place_boxes_of(block: &BoxBlock, place: &HierarchyPose, out: &mut PlacedEight) {
    let rows = place.rows.map(|row| row.map(narrow));
    for i in 0..WIDTH {
        let lane = |v: &[Lanes; 3]| [v[0][i], v[1][i], v[2][i]];
        let centre = place.placed(lane(&block.centre));
        let mut size = 0.0;
        for k in 0..3 {
            let g = rotated(&rows, lane(&block.axes[k]));
            let squared = dot(g, g);
            size += squared.sqrt();
            out.aid[k][i] = 1.0 / max(squared, TINY);
            set(&mut out.generators[k], i, g);
        }
        set(&mut out.centre, i, centre);
        out.size[i] = size;
        out.pad[i] = PLACING * sum_abs(centre) + TURNING * size + place.margin;
    }
}

#[inline(always)]
fn place_triangles_of(block: &TriangleBlock, place: &HierarchyPose, out: &mut PlacedEight) {
    let rows = place.rows.map(|row| row.map(narrow));
    for i in 0..WIDTH {
        let corner = |k: usize| [block.corners[k][0][i], block.corners[k][1][i], block.corners[k][2][i]];
        let first = place.placed(corner(0));
        let e1 = rotated(&rows, minus(corner(1), corner(0)));
        let e2 = rotated(&rows, minus(corner(2), corner(0)));
        let mean = |c: usize| (e1[c] + e2[c]) * (1.0 / 3.0);
        let m = [mean(0), mean(1), mean(2)];
        let centre = [first[0] + m[0], first[1] + m[1], first[2] + m[2]];
        let generators = [[-m[0], -m[1], -m[2]], minus(e1, m), minus(e2, m)];
        // From unit vectors, so that small triangles have normals too.
        let normal = along(cross(along(e1), along(e2)));
        let size = length(generators[0]) + length(generators[1]) + length(generators[2]);
        set(&mut out.centre, i, centre);
        set(&mut out.aid, i, normal);
        for (out, g) in out.generators.iter_mut().zip(generators) {
            set(out, i, g);
        }
        out.size[i] = size;
        out.pad[i] = PLACING * (sum_abs(centre) + sum_abs(m)) + TURNING * size + place.margin + place.corner;
    }
}

/// One of the eight shapes.
#[derive(Clone, Copy)]
struct PlacedShape {
    centre: [f32; 3],
    generators: [[f32; 3]; 3],
    aid: [f32; 3],
    size: f32,
    pad: f32,
}

impl PlacedShape {
    #[inline(always)]
    fn of(placed: &PlacedEight, i: usize) -> Self {
        let lane = |v: &[Lanes; 3]| [v[0][i % WIDTH], v[1][i % WIDTH], v[2][i % WIDTH]];
        Self {
            centre: lane(&placed.centre),
            generators: [
                lane(&placed.generators[0]),
                lane(&placed.generators[1]),
                lane(&placed.generators[2]),
            ],
            aid: lane(&placed.aid),
            size: placed.size[i % WIDTH],
            pad: placed.pad[i % WIDTH],
        }
    }

    /// For a vector from the centre of a box to a point: the vector from the box's nearest point to that point. For
    /// a triangle, the vector unchanged.
    #[inline(always)]
    fn away_from_nearest<const LEAF: bool>(&self, to: [f32; 3]) -> [f32; 3] {
        if LEAF {
            return to;
        }
        let mut rest = to;
        for k in 0..3 {
            let g = self.generators[k];
            let s = min(max(dot(to, g) * self.aid[k], -1.0), 1.0);
            rest = minus(rest, [s * g[0], s * g[1], s * g[2]]);
        }
        rest
    }
}

/// The gap along the direction `n` or its opposite; `d` is the vector from the centre of one shape to the other's.
#[inline(always)]
fn gap_along<const ONE_LEAF: bool, const LEAF: bool>(
    one: &PlacedShape,
    other: &PlacedShape,
    d: [f32; 3],
    n: [f32; 3],
) -> f32 {
    let (low, high) = extent::<ONE_LEAF>(n, one.generators, WHOLE);
    let (other_low, other_high) = extent::<LEAF>(n, other.generators, WHOLE);
    let along = dot(n, d);
    max(along + other_low - high, low - (along + other_high))
}

#[inline(always)]
fn gaps_of<const ONE_LEAF: bool, const LEAF: bool>(one: &PlacedShape, eight: &PlacedEight, out: &mut Lanes) {
    for (i, out) in out.iter_mut().enumerate() {
        let other = PlacedShape::of(eight, i);
        let d = minus(other.centre, one.centre);
        // Alternating projections: the vector is from a point of one shape to a point of the other.
        let to_centre = one.away_from_nearest::<ONE_LEAF>(d);
        let between = other.away_from_nearest::<LEAF>([-to_centre[0], -to_centre[1], -to_centre[2]]);
        let mut gap = gap_along::<ONE_LEAF, LEAF>(one, &other, d, along(between));
        if ONE_LEAF {
            gap = max(gap, gap_along::<ONE_LEAF, LEAF>(one, &other, d, one.aid));
        }
        if LEAF {
            gap = max(gap, gap_along::<ONE_LEAF, LEAF>(one, &other, d, other.aid));
        }
        let rounding = BOUND * (sum_abs(d) + one.size + other.size) + one.pad + other.pad;
        let gap = gap - rounding;
        // A NaN gap compares false, so it never counts as a proof.
        let gap = if gap > 0.0 { gap } else { 0.0 };
        *out = if eight.child[i] == NONE { f32::INFINITY } else { gap };
    }
}

#[inline(always)]
fn gaps_of_any(PlacedLane { block: placed, lane }: PlacedLane<'_>, eight: &PlacedEight, out: &mut Lanes) {
    let one = PlacedShape::of(placed, lane);
    match (placed.is_leaf, eight.is_leaf) {
        (false, false) => gaps_of::<false, false>(&one, eight, out),
        (false, true) => gaps_of::<false, true>(&one, eight, out),
        (true, false) => gaps_of::<true, false>(&one, eight, out),
        (true, true) => gaps_of::<true, true>(&one, eight, out),
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn place_boxes_fast(block: &BoxBlock, place: &HierarchyPose, out: &mut PlacedEight) {
    place_boxes_of(block, place, out);
}

#[multiversion(targets("x86_64+avx2"))]
fn place_triangles_fast(block: &TriangleBlock, place: &HierarchyPose, out: &mut PlacedEight) {
    place_triangles_of(block, place, out);
}

#[multiversion(targets("x86_64+avx2"))]
fn gaps_fast(one: PlacedLane, eight: &PlacedEight, out: &mut Lanes) {
    gaps_of_any(one, eight, out);
}

impl PlacedEight {
    pub(crate) const EMPTY: Self = Self {
        centre: [[0.0; WIDTH]; 3],
        generators: [[[0.0; WIDTH]; 3]; 3],
        aid: [[0.0; WIDTH]; 3],
        size: [0.0; WIDTH],
        pad: [0.0; WIDTH],
        child: [NONE; WIDTH],
        opened: [NONE; WIDTH],
        is_leaf: false,
    };

    /// Places eight boxes.
    pub(crate) fn place_boxes(
        &mut self,
        block: &BoxBlock,
        place: &HierarchyPose,
        instructions: Instructions,
    ) {
        match instructions {
            Instructions::Detected => place_boxes_fast(block, place, self),
            Instructions::Portable => place_boxes_of(block, place, self),
        }
        (self.child, self.opened, self.is_leaf) = (block.child, [NONE; WIDTH], false);
    }

    /// Places eight triangles.
    pub(crate) fn place_triangles(
        &mut self,
        block: &TriangleBlock,
        place: &HierarchyPose,
        instructions: Instructions,
    ) {
        match instructions {
            Instructions::Detected => place_triangles_fast(block, place, self),
            Instructions::Portable => place_triangles_of(block, place, self),
        }
        (self.child, self.opened, self.is_leaf) = (block.face, [NONE; WIDTH], true);
    }
}

/// Proven lower bounds of the distances of one child from each of eight, in units of the pair; infinite if there is
/// no child.
#[inline]
pub(crate) fn gaps(one: PlacedLane<'_>, eight: &PlacedEight, instructions: Instructions) -> Lanes {
    let mut out = [0.0; WIDTH];
    match instructions {
        Instructions::Detected => gaps_fast(one, eight, &mut out),
        Instructions::Portable => gaps_of_any(one, eight, &mut out),
    }
    out
}
