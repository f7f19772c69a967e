//! Bounds in the helical chart: eight boxes or triangles at once.
//!
//! In the chart a box or triangle is stored as an interval of each coordinate, and as a straight shape: centre,
//! generators and thinnest direction, with a bound of the curvature of the true shape. All numbers are padded
//! outward by the rounding at their position: a pad of the size of 1/k would be correct, but useless if the axis is
//! far away.

use multiversion::multiversion;

use crate::bvh::layout::{BoxBlock, Bvh, LEAF, Lanes, NONE, TriangleBlock, WIDTH};
use crate::math::lanes::{Instructions, WHOLE, dot_abs, extent, in_octagon, max, min};
use crate::mesh_screw::chart::{ChartMotion, ChartPlacement, ChartTransform};

/// Eight bounds in the chart, in absolute coordinates (rho, u, z): of A at its placement, or of B.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Charted {
    /// The centre of the intervals.
    pub(crate) centre: [Lanes; 3],
    /// Half of the intervals. Negative in rho if there is no child.
    pub(crate) half: [Lanes; 3],
    /// Half edges of a box, or corners of a triangle relative to the centre: `generators[which][coordinate][lane]`.
    pub(crate) generators: [[Lanes; 3]; 3],
    /// The octagon of a box, see [`BoxBlock`].
    pub(crate) octagon: [Lanes; 2],
    /// The thinnest direction: a function of (rho, u, z), with slope one in space.
    pub(crate) normal: [Lanes; 3],
    /// The middle of the extent along the normal, relative to the centre, which is rarely in the plane of a
    /// triangle.
    pub(crate) height: Lanes,
    /// Half of the extent along the normal, including pads.
    pub(crate) reach: Lanes,
    /// The reciprocal of A's speed along the normal.
    pub(crate) inverse_speed: Lanes,
    /// The sum of the half intervals; negative for a triangle.
    pub(crate) size: Lanes,
    /// Bound of the distance of the child's points from the shape of centre and generators.
    pub(crate) pad: [Lanes; 3],
    /// The block of the hierarchy that this charts; [`LEAF`] is set if the children are triangles.
    pub(crate) node: u32,
    /// The children that wrap far around the axis, or curve much for their thickness, one bit each.
    pub(crate) around: u32,
    /// The block below each child, or the triangle.
    pub(crate) child: [u32; WIDTH],
    /// The index of that block in the workspace if it has been charted, otherwise [`NONE`].
    pub(crate) opened: [u32; WIDTH],
    /// Whether the children are triangles.
    pub(crate) is_leaf: bool,
}

/// One bound of a charted block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChartedLane<'a> {
    pub(crate) block: &'a Charted,
    pub(crate) lane: usize,
}

/// A bound in the chart by its index, and its body's hierarchy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChartedBound<'a> {
    pub(crate) block: &'a Charted,
    pub(crate) place: u32,
    pub(crate) bvh: &'a Bvh,
}

impl ChartedBound<'_> {
    /// The number of the bound in its block.
    #[inline(always)]
    pub(crate) fn lane(&self) -> usize {
        (self.place % 8) as usize
    }
}

/// The half interval of u if u is unknown.
const ALL_ROUND: f32 = 1e30;

/// A bound closer to the axis than this fraction of 1/k counts as covering every angle.
const AT_AXIS: f32 = 1e-3;

/// Extent around the axis to either side, in radians, from which a bound is also tested in straight coordinates
/// ([`NearAxis`](crate::mesh_screw::near_axis::NearAxis)).
const AROUND: f32 = 2.0;

/// The same for a bound whose pads across the axis exceed the fraction [`BENT`] of half its thickness.
const BENT_AROUND: f32 = 0.3;

/// With a smaller fraction, or fewer radians, fewer bounds meet, but a search takes longer.
const BENT: f32 = 0.5;

/// Rounding of the direction away from the axis, at the distance 1/k from it.
const DIRECTION: f32 = 4e-7;

/// Relative rounding of a coordinate, and of a sum or difference of two.
const COORDINATE: f32 = 1e-6;

/// The polar coordinates of a point about the axis.
#[derive(Clone, Copy)]
struct Polar {
    rho: f32,
    u: f32,
    /// Distance from the axis, times k; and its reciprocal.
    kr: f32,
    inverse: f32,
    /// The direction away from the axis.
    cos: f32,
    sin: f32,
    /// Rounding of that direction, times the length of the vector measured along it.
    tilt: f32,
    error: [f32; 2],
}

/// atan(w) / w for s = w^2 <= 1, with a relative error of at most 1.2e-7.
#[inline(always)]
fn arc_by_tangent(s: f32) -> f32 {
    let high = 0.098_688_66 + s * (-0.058_829_75 + s * (0.023_780_52 - s * 0.004_559_79));
    0.999_999_9 + s * (-0.333_318_13 + s * (0.199_669_62 + s * (-0.140_032_9 + s * high)))
}

#[inline(always)]
fn polar<const CURVED: bool>(x: f32, y: f32, at: &ChartTransform) -> Polar {
    if !CURVED {
        let error = COORDINATE * (x.abs() + y.abs());
        return Polar {
            rho: x,
            u: y,
            kr: 1.0,
            inverse: 1.0,
            cos: 1.0,
            sin: 0.0,
            tilt: DIRECTION,
            error: [error; 2],
        };
    }
    let k = at.k;
    let (a, b) = (1.0 + k * x, k * y);
    // On the axis any direction is valid.
    let (a, b) = if a * a + b * b < 1e-12 { (1e-6, 0.0) } else { (a, b) };
    let kr = (a * a + b * b).sqrt();
    let inverse = 1.0 / kr;
    let rho = (2.0 * x + k * (x * x + y * y)) / (kr + 1.0);
    let (wide, high) = (a.abs(), b.abs());
    let steep = high > wide;
    let (short, long) = if steep { (wide, high) } else { (high, wide) };
    let tangent = short / max(long, 1e-30);
    let arc = arc_by_tangent(tangent * tangent);
    let angle = tangent * arc;
    let angle = if steep { std::f32::consts::FRAC_PI_2 - angle } else { angle };
    let angle = if a < 0.0 { std::f32::consts::PI - angle } else { angle };
    let round = angle * at.inverse_k;
    let round = if y < 0.0 { -round } else { round };
    // If the axis is far away, the quotient y / a gives u without 1/k.
    let near = y / max(a, 1e-6) * arc;
    let u = if steep || a < 0.0 { round } else { near };
    let far = 1.0 + k * (x.abs() + y.abs());
    Polar {
        rho,
        u,
        kr,
        inverse,
        cos: a * inverse,
        sin: b * inverse,
        tilt: DIRECTION * far * inverse,
        error: [
            1.5 * COORDINATE * (x.abs() + y.abs()),
            2.0 * DIRECTION * far * y.abs() * inverse * inverse + COORDINATE * u.abs(),
        ],
    }
}

/// The bounds of a child, beyond centre and generators.
#[derive(Clone, Copy)]
struct ZonotopeBounds {
    half: [f32; 3],
    pad: [f32; 3],
    /// The middle of rho, if the child covers every angle around the axis.
    all_round: Option<f32>,
    /// Outward shift of the centre in rho, and its shift in u.
    shift: [f32; 2],
    /// The slope of u around the axis.
    u_slope: f32,
}

/// The range of a product of two coordinates: its middle and half of its length.
#[derive(Clone, Copy)]
struct ProductRange {
    middle: f32,
    half: f32,
}

/// The bounds of a child that extends by `reach` from its centre along (away from the axis, around it, along it);
/// `product` is the range of the product of the first two.
#[inline(always)]
fn bounds<const CURVED: bool>(
    p: &Polar,
    z: f32,
    reach: [f32; 3],
    product: ProductRange,
    at: &ChartTransform,
) -> ZonotopeBounds {
    let k = at.k;
    let tilt = p.tilt * (reach[0] + reach[1]);
    let away = reach[0] * (1.0 + COORDINATE) + tilt + at.margin;
    let around = reach[1] * (1.0 + COORDINATE) + tilt + at.margin;
    let along = reach[2] * (1.0 + COORDINATE) + at.margin;
    if !CURVED {
        let pad = [
            (away - reach[0]) + p.error[0],
            (around - reach[1]) + p.error[1],
            (along - reach[2]) + COORDINATE * z.abs(),
        ];
        let half = [reach[0] + pad[0], reach[1] + pad[1], reach[2] + pad[2]];
        return ZonotopeBounds { half, pad, all_round: None, shift: [0.0; 2], u_slope: 1.0 };
    }
    let nearest = p.kr - k * away;
    let inner = max(nearest, AT_AXIS);
    let by_inner = 1.0 / inner;
    // Points off the ray through the centre are further from the axis, by 0 to around^2 / 2R.
    let bulge = 0.5 * k * around * around * by_inner;
    // atan(x) <= min(x, pi x / (1 + 2 sqrt(1 + x^2))) (Shafer 1966; Qi et al. 2009).
    let x = k * around * by_inner;
    let arc = min(1.0, std::f32::consts::PI / (1.0 + 2.0 * (1.0 + x * x).sqrt()));
    // u = atan(y) / k for y = k s / (kR + k r), |y| <= x. Chords are used instead of tangents: with slope 1 - x^2 /
    // 4, atan(y) is within x^3 / 12 + x^5 / 100 for x <= 0.8 (y^5 / 5 bounds the terms after the first two); and
    // with a = max |r| / R and 2 m = a^2 / (1 - a), R / (R + r) is within m of 1 + m - r / R. The product of r and
    // s remains.
    let (slope, rest) =
        if x < 0.8 { (1.0 - 0.25 * x * x, 1.0 / 12.0 + 0.01 * x * x) } else { (1.0, 1.0 / 3.0) };
    let deep = k * away * p.inverse;
    let middle = 0.5 * deep * deep * p.kr * by_inner;
    let u_slope = p.inverse * slope * (1.0 + middle);
    let square = k * p.inverse * p.inverse * slope;
    let area = away * around;
    let twist = product.half + (area - reach[0] * reach[1]) + (3.0 * COORDINATE + 3.0 * p.tilt) * area;
    let curvature_error = square * twist + around * (slope * p.inverse * middle + by_inner * x * x * rest);
    let shift = -square * product.middle;
    let pad = [
        (away - reach[0]) + 0.5 * bulge + p.error[0],
        ((around - reach[1]) + COORDINATE * around) * u_slope + curvature_error + p.error[1],
        (along - reach[2]) + COORDINATE * z.abs(),
    ];
    let by_arc = around * by_inner * arc * (1.0 + COORDINATE) + p.error[1] + shift.abs();
    let all_round = nearest < AT_AXIS;
    let outer = p.rho + away + around + p.error[0];
    let axis = -at.inverse_k * (1.0 + COORDINATE);
    ZonotopeBounds {
        half: [
            if all_round { 0.5 * (outer - axis) * (1.0 + COORDINATE) } else { reach[0] + pad[0] },
            if all_round { ALL_ROUND } else { min(by_arc, reach[1] * u_slope + pad[1]) },
            reach[2] + pad[2],
        ],
        pad,
        all_round: if all_round { Some(0.5 * (outer + axis)) } else { None },
        shift: [0.5 * bulge, shift],
        u_slope,
    }
}

/// The range of the product of the first two coordinates in a box with these half edges and this octagon.
#[inline(always)]
fn product_in_box(g: [[f32; 3]; 3], octagon: [f32; 2]) -> ProductRange {
    let diagonal = |i: usize| g[i][0] * g[i][1];
    let mixed = |i: usize, j: usize| (g[i][0] * g[j][1] + g[j][0] * g[i][1]).abs();
    let middle = 0.5 * (diagonal(0) + diagonal(1) + diagonal(2));
    // |s0 s1| is maximal if both are as large as the octagon allows.
    let both = 0.5 + 0.5 * max(octagon[0], octagon[1]);
    let both = both * both;
    let diagonal_half = 0.5 * (diagonal(0).abs() + diagonal(1).abs() + diagonal(2).abs());
    ProductRange { middle, half: diagonal_half + both * mixed(0, 1) + mixed(1, 2) + mixed(2, 0) }
}

/// The same range in a triangle with these corners: between the minimum and the maximum of its Bezier ordinates.
#[inline(always)]
fn product_in_triangle(d: [[f32; 3]; 3]) -> ProductRange {
    let mixed = |i: usize, j: usize| 0.5 * (d[i][0] * d[j][1] + d[j][0] * d[i][1]);
    let (m0, m1, m2) = (mixed(0, 1), mixed(1, 2), mixed(2, 0));
    let (q0, q1, q2) = (mixed(0, 0), mixed(1, 1), mixed(2, 2));
    let lowest = min(min(min(m0, m1), m2), min(min(q0, q1), q2));
    let highest = max(max(max(m0, m1), m2), max(max(q0, q1), q2));
    ProductRange { middle: 0.5 * (lowest + highest), half: 0.5 * (highest - lowest) }
}

/// The direction of a vector given by its components (away, around, along), as a function of the chart's
/// coordinates; zero if the vector is zero.
#[inline(always)]
fn normal(v: [f32; 3], kr: f32) -> [f32; 3] {
    let inverse = 1.0 / max((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt(), 1e-18);
    [v[0] * inverse, v[1] * inverse * kr, v[2] * inverse]
}

#[inline(always)]
fn transformed(at: &ChartTransform, v: [f32; 3]) -> [f32; 3] {
    let row = |m: &[f32; 3]| m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
    [row(&at.rows[0]), row(&at.rows[1]), row(&at.rows[2])]
}

/// The half intervals of u from which a bound wraps far around the axis, and from which a thin bound curves much;
/// NaN in a chart without a period.
#[inline(always)]
fn around_from<const CURVED: bool>(at: &ChartTransform, sweep: &ChartMotion) -> (f32, f32) {
    let distance = if CURVED && sweep.has_period() { at.inverse_k } else { f32::NAN };
    (AROUND * distance, BENT_AROUND * distance)
}

#[inline(always)]
fn chart_boxes_of<const CURVED: bool>(
    block: &BoxBlock,
    ChartPlacement { transform: at, sweep }: &ChartPlacement,
    out: &mut Charted,
) {
    let (far, bent) = around_from::<CURVED>(at, sweep);
    let mut around = 0;
    for i in 0..WIDTH {
        let lane = |v: &[Lanes; 3]| [v[0][i], v[1][i], v[2][i]];
        let placed = transformed(at, lane(&block.centre));
        let [x, y, z] = [placed[0] + at.centre[0], placed[1] + at.centre[1], placed[2] + at.centre[2]];
        let p = polar::<CURVED>(x, y, at);
        let part = |v: &[Lanes; 3]| {
            let [x, y, z] = transformed(at, lane(v));
            [x * p.cos + y * p.sin, y * p.cos - x * p.sin, z]
        };
        let [g0, g1, g2] = [part(&block.axes[0]), part(&block.axes[1]), part(&block.axes[2])];
        let octagon = [block.octagon[0][i], block.octagon[1][i]];
        let reach = |c: usize| in_octagon(g0[c], g1[c], octagon) + g2[c].abs();
        let product = product_in_box([g0, g1, g2], octagon);
        let b = bounds::<CURVED>(&p, z, [reach(0), reach(1), reach(2)], product, at);
        let n = normal(g2, 1.0 / b.u_slope);
        let charted = |g: [f32; 3]| [g[0], g[1] * b.u_slope, g[2]];
        let [g0, g1, g2] = [charted(g0), charted(g1), charted(g2)];
        let live = block.child[i] != NONE;
        let rho = match b.all_round {
            Some(rho) => rho,
            None => p.rho + b.shift[0],
        };
        out.centre[0][i] = rho;
        out.centre[1][i] = p.u + b.shift[1];
        out.centre[2][i] = z;
        out.half[0][i] = if live { b.half[0] } else { -ALL_ROUND };
        for c in 0..3 {
            if c > 0 {
                out.half[c][i] = b.half[c];
            }
            out.generators[0][c][i] = g0[c];
            out.generators[1][c][i] = g1[c];
            out.generators[2][c][i] = g2[c];
            out.normal[c][i] = n[c];
            out.pad[c][i] = b.pad[c];
        }
        out.octagon[0][i] = octagon[0];
        out.octagon[1][i] = octagon[1];
        out.size[i] = b.half[0] + b.half[1] + b.half[2];
        let (_, thickness) = extent::<false>(n, [g0, g1, g2], octagon);
        let (inverse_speed, loose) = sweep.along(n);
        let reach = thickness + dot_abs(n, b.pad) + loose;
        out.height[i] = 0.0;
        out.reach[i] = reach;
        out.inverse_speed[i] = inverse_speed;
        let thin = b.pad[0] + b.pad[1] >= BENT * reach;
        around |= u32::from((b.half[1] >= far) | (b.half[1] >= bent) & thin) << i;
    }
    out.around = around;
}

#[inline(always)]
fn chart_triangles_of<const CURVED: bool>(
    block: &TriangleBlock,
    ChartPlacement { transform: at, sweep }: &ChartPlacement,
    out: &mut Charted,
) {
    let (far, bent) = around_from::<CURVED>(at, sweep);
    let mut around = 0;
    for i in 0..WIDTH {
        let corner = |j: usize| {
            let v = &block.corners[j];
            transformed(at, [v[0][i], v[1][i], v[2][i]])
        };
        let [p0, p1, p2] = [corner(0), corner(1), corner(2)];
        let mean = |c: usize| (p0[c] + p1[c] + p2[c]) * (1.0 / 3.0);
        let m = [mean(0), mean(1), mean(2)];
        let [x, y, z] = [m[0] + at.centre[0], m[1] + at.centre[1], m[2] + at.centre[2]];
        let p = polar::<CURVED>(x, y, at);
        let part = |v: [f32; 3]| {
            let [x, y, z] = [v[0] - m[0], v[1] - m[1], v[2] - m[2]];
            [x * p.cos + y * p.sin, y * p.cos - x * p.sin, z]
        };
        let [d0, d1, d2] = [part(p0), part(p1), part(p2)];
        let reach = |c: usize| max(max(d0[c].abs(), d1[c].abs()), d2[c].abs());
        let product = product_in_triangle([d0, d1, d2]);
        let b = bounds::<CURVED>(&p, z, [reach(0), reach(1), reach(2)], product, at);
        let (e1, e2) =
            ([d1[0] - d0[0], d1[1] - d0[1], d1[2] - d0[2]], [d2[0] - d0[0], d2[1] - d0[1], d2[2] - d0[2]]);
        let cross =
            [e1[1] * e2[2] - e1[2] * e2[1], e1[2] * e2[0] - e1[0] * e2[2], e1[0] * e2[1] - e1[1] * e2[0]];
        let n = normal(cross, 1.0 / b.u_slope);
        // Relative to the middle of the corners instead of their mean, bounds are tightest.
        let middle = |c: usize| 0.5 * (min(min(d0[c], d1[c]), d2[c]) + max(max(d0[c], d1[c]), d2[c]));
        let half = |c: usize| 0.5 * (max(max(d0[c], d1[c]), d2[c]) - min(min(d0[c], d1[c]), d2[c]));
        let shift = [middle(0), middle(1), middle(2)];
        let charted = |d: [f32; 3]| [d[0] - shift[0], (d[1] - shift[1]) * b.u_slope, d[2] - shift[2]];
        let [g0, g1, g2] = [charted(d0), charted(d1), charted(d2)];
        let live = block.face[i] != NONE;
        let (rho, half_rho, half_u) = match b.all_round {
            Some(rho) => (rho, b.half[0], b.half[1]),
            None => (p.rho + b.shift[0] + shift[0], half(0) + b.pad[0], half(1) * b.u_slope + b.pad[1]),
        };
        out.centre[0][i] = rho;
        out.centre[1][i] = p.u + shift[1] * b.u_slope + b.shift[1];
        out.centre[2][i] = z + shift[2];
        out.half[0][i] = if live { half_rho } else { -ALL_ROUND };
        out.half[1][i] = half_u;
        out.half[2][i] = half(2) + b.pad[2];
        for c in 0..3 {
            out.generators[0][c][i] = g0[c];
            out.generators[1][c][i] = g1[c];
            out.generators[2][c][i] = g2[c];
            out.normal[c][i] = n[c];
            out.pad[c][i] = b.pad[c];
        }
        out.size[i] = half_rho + half_u + out.half[2][i];
        let (low, high) = extent::<true>(n, [g0, g1, g2], WHOLE);
        let (inverse_speed, loose) = sweep.along(n);
        let reach = 0.5 * (high - low) + dot_abs(n, b.pad) + loose;
        out.height[i] = 0.5 * (low + high);
        out.reach[i] = reach;
        out.inverse_speed[i] = inverse_speed;
        let thin = b.pad[0] + b.pad[1] >= BENT * reach;
        around |= u32::from((half_u >= far) | (half_u >= bent) & thin) << i;
    }
    out.around = around;
}

#[inline(always)]
fn chart_boxes_of_any(block: &BoxBlock, placement: &ChartPlacement, out: &mut Charted) {
    if placement.transform.k == 0.0 {
        chart_boxes_of::<false>(block, placement, out)
    } else {
        chart_boxes_of::<true>(block, placement, out)
    }
}

#[inline(always)]
fn chart_triangles_of_any(block: &TriangleBlock, placement: &ChartPlacement, out: &mut Charted) {
    if placement.transform.k == 0.0 {
        chart_triangles_of::<false>(block, placement, out);
    } else {
        chart_triangles_of::<true>(block, placement, out);
    }
}

/// Charts eight boxes.
#[multiversion(targets("x86_64+avx2"))]
fn chart_boxes_fast(block: &BoxBlock, placement: &ChartPlacement, out: &mut Charted) {
    chart_boxes_of_any(block, placement, out);
}

/// Charts eight triangles.
#[multiversion(targets("x86_64+avx2"))]
fn chart_triangles_fast(block: &TriangleBlock, placement: &ChartPlacement, out: &mut Charted) {
    chart_triangles_of_any(block, placement, out);
}

impl Charted {
    pub(crate) const EMPTY: Self = Self {
        centre: [[0.0; WIDTH]; 3],
        half: [[0.0; WIDTH]; 3],
        generators: [[[0.0; WIDTH]; 3]; 3],
        octagon: [[0.0; WIDTH]; 2],
        normal: [[0.0; WIDTH]; 3],
        height: [0.0; WIDTH],
        reach: [0.0; WIDTH],
        inverse_speed: [0.0; WIDTH],
        size: [0.0; WIDTH],
        pad: [[0.0; WIDTH]; 3],
        node: 0,
        around: 0,
        child: [NONE; WIDTH],
        opened: [NONE; WIDTH],
        is_leaf: false,
    };

    /// Charts a block of a hierarchy.
    pub(crate) fn chart(
        &mut self,
        bvh: &Bvh,
        node: u32,
        placement: &ChartPlacement,
        instructions: Instructions,
    ) {
        if node & LEAF == 0 {
            self.chart_boxes(&bvh.boxes[node as usize], placement, instructions);
        } else {
            self.chart_triangles(&bvh.triangles[(node & !LEAF) as usize], placement, instructions);
        }
        self.node = node;
    }

    /// Charts eight boxes.
    pub(crate) fn chart_boxes(
        &mut self,
        block: &BoxBlock,
        placement: &ChartPlacement,
        instructions: Instructions,
    ) {
        match instructions {
            Instructions::Detected => chart_boxes_fast(block, placement, self),
            Instructions::Portable => chart_boxes_of_any(block, placement, self),
        }
        self.child = block.child;
        self.opened = [NONE; WIDTH];
        self.is_leaf = false;
    }

    /// Charts eight triangles.
    pub(crate) fn chart_triangles(
        &mut self,
        block: &TriangleBlock,
        placement: &ChartPlacement,
        instructions: Instructions,
    ) {
        match instructions {
            Instructions::Detected => chart_triangles_fast(block, placement, self),
            Instructions::Portable => chart_triangles_of_any(block, placement, self),
        }
        self.child = block.face;
        self.is_leaf = true;
    }
}
