//! The times at which two moving features are coplanar, and whether they meet there.
//!
//! The volume of the tetrahedron of their vertices is a cubic function of time, and the weights of their nearest
//! points are quartic functions. All are stored by their Bernstein coefficients on a time interval, with rounding
//! bounds: if the coefficients have one sign, so has the function. Intervals in which the volume is not zero, or the
//! nearest points are certainly outside the features, are discarded; others are halved.

use glam::DVec3;

use crate::deformable::elementary::features::{MovingFeatures, MovingKind};
use crate::features::contact::FirstContact;

/// An enclosure of the first crossing, which contains no other crossing. Only rounding leaves it undecided.
pub(in crate::deformable) type FirstCrossing = FirstContact<[f64; 2], ()>;

/// Rounding bounds of the coefficients of the volume and of the weights, as fractions of the product of the lengths
/// involved.
pub(in crate::deformable) const ROUNDINGS: f64 = 256.0 * f64::EPSILON;
pub(in crate::deformable) const WEIGHT_ROUNDINGS: f64 = 512.0 * f64::EPSILON;

/// Lengths whose products neither overflow nor underflow.
pub(in crate::deformable) const SIZES: std::ops::Range<f64> = 1e-70..1e70;

/// The maximum number of halvings.
const DEEPEST: u32 = 40;

/// The maximum width of an enclosure.
const WIDEST: f64 = 5e-10;

/// The volume and the weights on a time interval.
#[derive(Debug, Clone, Copy)]
struct CubicSegment {
    from: f64,
    to: f64,
    depth: u32,
    volume: [f64; 4],
    weights: [[f64; 5]; 4],
}

/// Rounding bounds of coefficients.
#[derive(Debug, Clone, Copy)]
struct Errors {
    volume: f64,
    weight: f64,
}

/// Whether features are proven never coplanar, so that they have no common point.
pub(in crate::deformable) fn is_never_in_one_plane(features: &MovingFeatures) -> bool {
    let [w, e, f] = sides(features);
    let [x, y, z] = [w, e, f].map(|[p, q]| p.length_squared().max(q.length_squared()));
    // The square of the product of lengths.
    let size = x * y * z;
    let is_sized = [x, y, z].iter().all(|squared| (1e-100..1e100).contains(squared));
    is_sized && has_one_sign(&cubic(cross(e, f), w), ROUNDINGS * size.sqrt())
}

/// The vector between both features, and one side of each: they span the tetrahedron's volume.
fn sides(features: &MovingFeatures) -> [Line; 3] {
    match features.kind {
        MovingKind::VertexFace => {
            [features.difference(1, 0), features.difference(1, 2), features.difference(1, 3)]
        }
        MovingKind::EdgeEdge => {
            [features.difference(0, 2), features.difference(0, 1), features.difference(2, 3)]
        }
    }
}

/// The first crossing of features that are separated until a time.
pub(in crate::deformable) fn first_crossing(features: &MovingFeatures, clear_until: f64) -> FirstCrossing {
    let [w, e, f] = sides(features);
    let sizes = [w, e, f].map(|[p, q]| p.length().max(q.length()));
    if sizes.iter().any(|size| !SIZES.contains(size)) {
        return FirstContact::Undecided(());
    }
    let [of_w, of_e, of_f] = sizes;
    let errors = Errors {
        volume: ROUNDINGS * of_w * of_e * of_f,
        weight: WEIGHT_ROUNDINGS * of_e * of_f * (of_w * of_e.max(of_f)).max(of_e * of_f),
    };
    let n = cross(e, f);
    let volume = cubic(n, w);
    if has_one_sign(&volume, errors.volume) {
        return FirstContact::Clear;
    }
    let whole = quartic(n, n);
    let weights = match features.kind {
        MovingKind::VertexFace => {
            let [first, second] = [quartic(cross(w, f), n), quartic(cross(e, w), n)];
            let rest = std::array::from_fn(|k| whole[k] - first[k] - second[k]);
            [first, second, rest, rest]
        }
        MovingKind::EdgeEdge => {
            let [first, second] = [quartic(cross(w, f), n), quartic(cross(w, e), n)];
            let rest = |weight: &[f64; 5]| std::array::from_fn(|k| whole[k] - weight[k]);
            [first, second, rest(&first), rest(&second)]
        }
    };
    let mut waiting = vec![CubicSegment { from: 0.0, to: 1.0, depth: 0, volume, weights }];
    while let Some(interval) = waiting.pop() {
        if interval.to <= clear_until
            || has_one_sign(&interval.volume, errors.volume)
            || interval.weights.iter().any(|weight| weight.iter().all(|c| *c < -errors.weight))
        {
            continue;
        }
        if let Some(found) = interval.crossing(&errors) {
            match found {
                FirstContact::Clear => continue,
                FirstContact::Contact(_) | FirstContact::Undecided(()) => return found,
            }
        }
        if interval.depth == DEEPEST {
            return FirstContact::Undecided(());
        }
        waiting.extend(interval.halves());
    }
    FirstContact::Clear
}

impl CubicSegment {
    /// The result for an interval in which the volume certainly rises, or falls, from one sign to the other; `None`
    /// if it does not.
    fn crossing(&self, errors: &Errors) -> Option<FirstCrossing> {
        let [first, .., last] = self.volume;
        let opposite =
            first.abs() > errors.volume && last.abs() > errors.volume && (first > 0.0) != (last > 0.0);
        let steps = [0, 1, 2].map(|k| self.volume[k + 1] - self.volume[k]);
        if !opposite || !has_one_sign(&steps, 2.0 * errors.volume) {
            return None;
        }
        let s = self.zero();
        let width = self.to - self.from;
        // At this distance from the zero, the sign is certain.
        let least_slope = 3.0 * steps.iter().fold(f64::INFINITY, |least, step| least.min(step.abs()));
        let reach = 4.0 * errors.volume / least_slope + 4.0 * f64::EPSILON;
        let [lo, hi] = [s - reach, s + reach];
        let is_certain = |s: f64, before: f64| {
            let value = at(&self.volume, s.clamp(0.0, 1.0));
            value.abs() > errors.volume && (value > 0.0) == (before > 0.0)
        };
        if !(is_certain(lo, first) && is_certain(hi, last)) || reach * width > 0.5 * WIDEST {
            return Some(FirstContact::Undecided(()));
        }
        let [lo, hi] = [lo.max(0.0), hi.min(1.0)];
        let mut inside = true;
        for weight in &self.weights {
            let steepest = (0..4).map(|k| (weight[k + 1] - weight[k]).abs()).fold(0.0, f64::max);
            let margin = errors.weight + 8.0 * steepest * reach;
            let value = at(weight, s);
            if value < -margin {
                return Some(FirstContact::Clear);
            }
            inside &= value > margin;
        }
        if !inside {
            return Some(FirstContact::Undecided(()));
        }
        let time = |s: f64| self.from + s * width;
        Some(FirstContact::Contact([
            time(lo) * (1.0 - f64::EPSILON),
            (time(hi) * (1.0 + f64::EPSILON)).min(1.0),
        ]))
    }

    /// An estimate of the zero of the volume, as a fraction of the interval: the volume is monotone, with opposite
    /// signs at the ends.
    fn zero(&self) -> f64 {
        let rises = self.volume[3] > 0.0;
        let (mut lo, mut hi) = (0.0_f64, 1.0_f64);
        let mut s = self.volume[0] / (self.volume[0] - self.volume[3]);
        for _ in 0..60 {
            let value = at(&self.volume, s);
            if value == 0.0 {
                return s;
            }
            if (value > 0.0) == rises {
                hi = s;
            } else {
                lo = s;
            }
            let slope = 3.0 * at(&[0, 1, 2].map(|k| self.volume[k + 1] - self.volume[k]), s);
            let newton = s - value / slope;
            let next = if newton > lo && newton < hi { newton } else { 0.5 * (lo + hi) };
            if (next - s).abs() <= f64::EPSILON * s {
                return next;
            }
            s = next;
        }
        s
    }

    /// Both halves, the later one first.
    fn halves(&self) -> [Self; 2] {
        let middle = 0.5 * (self.from + self.to);
        let [mut left, mut right] = [*self; 2];
        (left.to, right.from) = (middle, middle);
        (left.depth, right.depth) = (self.depth + 1, self.depth + 1);
        (left.volume, right.volume) = halved(&self.volume);
        for k in 0..4 {
            (left.weights[k], right.weights[k]) = halved(&self.weights[k]);
        }
        [right, left]
    }
}

/// A vector polynomial of degree 1 or 2, by its Bernstein coefficients.
pub(in crate::deformable) type Line = [DVec3; 2];
pub(in crate::deformable) type Parabola = [DVec3; 3];

pub(in crate::deformable) fn cross([a, b]: Line, [c, d]: Line) -> Parabola {
    [a.cross(c), 0.5 * (a.cross(d) + b.cross(c)), b.cross(d)]
}

pub(in crate::deformable) fn cubic([a, b, c]: Parabola, [d, e]: Line) -> [f64; 4] {
    [a.dot(d), (a.dot(e) + 2.0 * b.dot(d)) / 3.0, (2.0 * b.dot(e) + c.dot(d)) / 3.0, c.dot(e)]
}

pub(in crate::deformable) fn quartic([a, b, c]: Parabola, [d, e, f]: Parabola) -> [f64; 5] {
    [
        a.dot(d),
        0.5 * (a.dot(e) + b.dot(d)),
        (a.dot(f) + 4.0 * b.dot(e) + c.dot(d)) / 6.0,
        0.5 * (b.dot(f) + c.dot(e)),
        c.dot(f),
    ]
}

/// Whether a function with these coefficients is certainly nonzero.
pub(in crate::deformable) fn has_one_sign(coefficients: &[f64], error: f64) -> bool {
    coefficients.iter().all(|c| *c > error) || coefficients.iter().all(|c| *c < -error)
}

/// The value at a fraction of the interval (de Casteljau).
fn at<const N: usize>(coefficients: &[f64; N], s: f64) -> f64 {
    let mut c = *coefficients;
    for last in (1..N).rev() {
        for k in 0..last {
            c[k] += s * (c[k + 1] - c[k]);
        }
    }
    c[0]
}

/// The coefficients on both halves of an interval.
pub(in crate::deformable) fn halved<const N: usize>(coefficients: &[f64; N]) -> ([f64; N], [f64; N]) {
    let mut c = *coefficients;
    let mut left = [c[0]; N];
    for last in (1..N).rev() {
        for k in 0..last {
            c[k] = 0.5 * (c[k] + c[k + 1]);
        }
        left[N - last] = c[0];
    }
    (left, c)
}
