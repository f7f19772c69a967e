//! Oriented bounding boxes of parts of a surface, rounded outward to f32.
//!
//! Candidate axes are the principal axes of the surface (Gottschalk, Lin, Manocha 1996), the axes of its mean plane,
//! and the coordinate axes; the axes with the box of smallest area are used.

use glam::{DMat3, DVec3, Vec3Swizzles};

/// A part of a surface: its area, mean and second moments, from which its principal axes follow, and its bounds.
///
/// The moments are relative to the mean and are sums of squares, so that nothing cancels: small parts far from the
/// origin keep their shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SurfaceMoments {
    weight: f64,
    mean: DVec3,
    /// The integrals of xx, yy, zz.
    squares: DVec3,
    /// The integrals of yz, zx, xy.
    products: DVec3,
    /// The sum of the area vectors (normal times area).
    normal: DVec3,
    lo: DVec3,
    hi: DVec3,
}

/// A box in f32 as stored: the points c + s0 g0 + s1 g1 + s2 g2, |s| <= 1, without the corners that the octagon
/// cuts off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OrientedBox {
    pub(super) centre: [f32; 3],
    pub(super) axes: [[f32; 3]; 3],
    /// |s0 + s1| and |s0 - s1| are at most 1 plus these.
    pub(super) octagon: [f32; 2],
}

/// A box before rounding.
#[derive(Debug, Clone, Copy)]
struct UnroundedObb {
    frame: DMat3,
    lo: DVec3,
    hi: DVec3,
}

/// Weight of a triangle in addition to its area, relative to its squared size, so that slivers have a direction
/// too.
const SLIVER: f64 = 1e-9;

/// Padding of a half extent, as a fraction of the sum of the half extents: four times the distance by which
/// rounding can move the surface of the box. Every coordinate of an axis has an error of at most 2^-24 of its
/// value.
const RELATIVE_PAD: f64 = 2.4e-7;

/// Absolute padding of a half extent: far above the rounding of the f64 sums (1e-15), far below the rounding of the
/// f32 centre (3e-8).
const ABSOLUTE_PAD: f64 = 1e-9;

/// Relative padding of an octagon value: more than its rounding to f32.
const OCTAGON_PAD: f64 = 1e-6;

/// Maximum number of vertices for which the frame is optimised. Most leaves have no more, and more would take too
/// long.
const MAX_OPTIMISED: usize = 16;

/// Tangent of the first angle by which a frame is rotated about each of its axes to reduce the area. With all the
/// halved steps that follow, a frame can rotate by 45 degrees.
const FIRST_TANGENT: f64 = 0.4;

impl SurfaceMoments {
    /// The moments of an empty surface.
    const ZERO: Self = Self {
        weight: 0.0,
        mean: DVec3::ZERO,
        squares: DVec3::ZERO,
        products: DVec3::ZERO,
        normal: DVec3::ZERO,
        lo: DVec3::INFINITY,
        hi: DVec3::NEG_INFINITY,
    };

    /// The moments of some triangles.
    pub(super) fn of(triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        triangles.fold(Self::ZERO, |sum, triangle| sum.merged(&Self::triangle(triangle)))
    }

    /// The moments of one triangle.
    fn triangle([a, b, c]: [DVec3; 3]) -> Self {
        let (ab, ac) = (b - a, c - a);
        let normal = 0.5 * ab.cross(ac);
        let weight = normal.length() + SLIVER * (ab.length_squared() + ac.length_squared());
        let mean = a + (ab + ac) / 3.0;
        // For a uniform triangle, the sum over its corners divided by 12.
        let (mut squares, mut products) = (DVec3::ZERO, DVec3::ZERO);
        for d in [a - mean, b - mean, c - mean] {
            squares += d * d;
            products += d.yzx() * d.zxy();
        }
        let scaled_weight = weight / 12.0;
        let (lo, hi) = (a.min(b).min(c), a.max(b).max(c));
        Self {
            weight,
            mean,
            squares: scaled_weight * squares,
            products: scaled_weight * products,
            normal,
            lo,
            hi,
        }
    }

    /// The moments of the union of both parts.
    pub(super) fn merged(&self, other: &Self) -> Self {
        let weight = self.weight + other.weight;
        let part = if weight > 0.0 { other.weight / weight } else { 0.5 };
        let offset = other.mean - self.mean;
        let reduced = self.weight * part;
        Self {
            weight,
            mean: self.mean + part * offset,
            squares: self.squares + other.squares + reduced * offset * offset,
            products: self.products + other.products + reduced * offset.yzx() * offset.zxy(),
            normal: self.normal + other.normal,
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// The principal axes, in any order.
    fn principal_axes(&self) -> DMat3 {
        principal_axes(self.squares, self.products)
    }

    /// The principal axes of the surface projected along its mean normal, and that normal; arbitrary axes if the
    /// mean normal is zero.
    fn planar_axes(&self) -> DMat3 {
        let z = self.normal.normalize_or(DVec3::Z);
        let (x, y) = z.any_orthonormal_pair();
        let image = |v: DVec3| {
            let p = self.products;
            self.squares * v + DVec3::new(p.z * v.y + p.y * v.z, p.z * v.x + p.x * v.z, p.y * v.x + p.x * v.y)
        };
        let tan = tangent(x.dot(image(x)), x.dot(image(y)), y.dot(image(y)));
        let (sin, cos) = sine_and_cosine(tan);
        DMat3::from_cols(cos * x - sin * y, sin * x + cos * y, z)
    }
}

impl OrientedBox {
    /// A box around a surface with the given vertices, and an eighth of its area. The surface is given in a frame
    /// whose axes are the columns of `frame`; the box is not.
    pub(super) fn around(surface: &SurfaceMoments, vertices: &[DVec3], frame: &DMat3) -> (Self, f64) {
        let mut best = UnroundedObb::fitted(surface, vertices);
        if vertices.len() <= MAX_OPTIMISED {
            best.rotate_to_less_area(vertices, 3);
        }
        best.rounded(vertices, frame)
    }
}

/// Axes that suit a whole surface, given some of its vertices: the coordinate axes unless others are clearly
/// better.
pub(super) fn main_axes(surface: &SurfaceMoments, vertices: &[DVec3]) -> DMat3 {
    let aligned = UnroundedObb::aligned(surface);
    let mut best = aligned;
    // The principal axes of angled parts are often poor, so the other axes are tried too.
    for frame in [DMat3::IDENTITY, surface.principal_axes(), surface.planar_axes()] {
        let mut fit = UnroundedObb::around(vertices, frame);
        fit.rotate_to_less_area(vertices, 10);
        best.improve(fit);
    }
    if best.area() < 0.9 * aligned.area() { best.frame } else { DMat3::IDENTITY }
}

impl UnroundedObb {
    /// Along the coordinate axes.
    fn aligned(surface: &SurfaceMoments) -> Self {
        Self { frame: DMat3::IDENTITY, lo: surface.lo, hi: surface.hi }
    }

    /// Along axes derived from the surface.
    fn fitted(surface: &SurfaceMoments, vertices: &[DVec3]) -> Self {
        let mut best = Self::aligned(surface);
        for frame in [surface.principal_axes(), surface.planar_axes()] {
            best.improve(Self::around(vertices, frame));
        }
        best
    }

    /// Picks the box with the smaller area; a NaN area never wins. Returns whether that is `other`.
    fn improve(&mut self, other: Self) -> bool {
        let better = other.area() < self.area();
        if better {
            *self = other;
        }
        better
    }

    /// Rotates the frame to reduce the area, in steps of up to [`FIRST_TANGENT`] that are halved `halvings` times.
    /// Three halvings reduce the area of the boxes of leaves by a tenth.
    fn rotate_to_less_area(&mut self, vertices: &[DVec3], halvings: i32) {
        for halving in 0..halvings {
            let (sin, cos) = sine_and_cosine(FIRST_TANGENT * 0.5_f64.powi(halving));
            for k in [2, 0, 1] {
                for sin in [sin, -sin] {
                    let [z, x, y] = [0, 1, 2].map(|i| self.frame.col((k + i) % 3));
                    let (x, y) = (cos * x - sin * y, sin * x + cos * y);
                    if self.improve(Self::around(vertices, DMat3::from_cols(z, x, y))) {
                        break;
                    }
                }
            }
        }
    }

    fn around(points: &[DVec3], frame: DMat3) -> Self {
        let to_frame = frame.transpose();
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (lo, hi) = points.iter().fold(start, |(lo, hi), p| {
            let p = to_frame * *p;
            (lo.min(p), hi.max(p))
        });
        Self { frame, lo, hi }
    }

    /// An eighth of the area of its surface.
    fn area(&self) -> f64 {
        let half = 0.5 * (self.hi - self.lo);
        half.dot(half.yzx())
    }

    /// The box around points, rounded outward, in the frame to which `to_space` maps the points, and an eighth of
    /// its area.
    fn rounded(&self, points: &[DVec3], to_space: &DMat3) -> (OrientedBox, f64) {
        let frame = *to_space * self.frame;
        let centre = (frame * (0.5 * (self.lo + self.hi))).to_array().map(nearest);
        // Around the rounded centre the box is slightly larger.
        let middle = frame.transpose() * DVec3::from_array(centre.map(f64::from));
        let half = (self.hi - middle).max(middle - self.lo).max(DVec3::ZERO);
        let pad = RELATIVE_PAD * half.element_sum() + ABSOLUTE_PAD;
        let half = half + pad;
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| half[j].total_cmp(&half[i]));
        let axes = order.map(|i| (half[i] * frame.col(i)).to_array().map(nearest));
        // Coordinates along the two longest axes, in half edges. Each has an error of up to its padding, and their
        // sum of up to both.
        let [x, y] = [order[0], order[1]].map(|i| (self.frame.col(i) / half[i], middle[i] / half[i]));
        let furthest = points.iter().fold([0.0_f64; 2], |[sum, difference], p| {
            let [x, y] = [x, y].map(|(axis, middle)| p.dot(axis) - middle);
            [sum.max((x + y).abs()), difference.max((x - y).abs())]
        });
        let pad = pad / half[order[0]] + pad / half[order[1]];
        let octagon = furthest.map(|at| nearest((at + pad - 1.0).max(0.0) * (1.0 + OCTAGON_PAD)).min(1.0));
        (OrientedBox { centre, axes, octagon }, half.dot(half.yzx()))
    }
}

/// Rounded to nearest; the padding of the half extents covers this.
pub(super) fn nearest(x: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "this is where it is meant")]
    let x = x as f32;
    x
}

/// The eigenvectors of a symmetric matrix by the cyclic Jacobi method: it has no special cases, and its axes are
/// orthogonal to the last bits for any matrix.
fn principal_axes(squares: DVec3, products: DVec3) -> DMat3 {
    let scale = squares.max_element();
    // If the extent is zero or NaN, any axes are valid.
    if !(scale > 0.0 && (1.0 / scale).is_finite()) {
        return DMat3::IDENTITY;
    }
    let (mut diagonal, mut off_diagonal) = (squares / scale, products / scale);
    let mut axes = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..SWEEPS {
        if off_diagonal.abs().max_element() < 1e-9 {
            break;
        }
        for k in 0..3 {
            // Rotates axes i and j so that their product moment off[k] becomes 0.
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let tan = tangent(diagonal[i], off_diagonal[k], diagonal[j]);
            diagonal[i] -= tan * off_diagonal[k];
            diagonal[j] += tan * off_diagonal[k];
            off_diagonal[k] = 0.0;
            let (sin, cos) = sine_and_cosine(tan);
            (off_diagonal[j], off_diagonal[i]) = (
                cos * off_diagonal[j] - sin * off_diagonal[i],
                sin * off_diagonal[j] + cos * off_diagonal[i],
            );
            (axes[i], axes[j]) = (cos * axes[i] - sin * axes[j], sin * axes[i] + cos * axes[j]);
        }
    }
    DMat3::from_cols(axes[0], axes[1], axes[2])
}

/// The tangent of the smallest rotation angle of two axes that makes their product moment `xy` zero.
fn tangent(xx: f64, xy: f64, yy: f64) -> f64 {
    if xy == 0.0 {
        return 0.0;
    }
    let cot = 0.5 * (yy - xx) / xy;
    cot.signum() / (cot.abs() + (cot * cot + 1.0).sqrt())
}

/// Sine and cosine from the tangent by operations that give the same bits on every machine; trigonometric functions
/// do not.
fn sine_and_cosine(tan: f64) -> (f64, f64) {
    let cos = 1.0 / (tan * tan + 1.0).sqrt();
    (tan * cos, cos)
}

/// More than enough: the product moments shrink quadratically, to below 1e-9 in three or four sweeps.
const SWEEPS: usize = 8;
