//! Functions of time along a screw.
//!
//! With b the angle of the screw over t in [0, 1],
//!
//! ```text
//! sigma(t) = sin(b t) / b          kappa(t) = (1 - cos(b t)) / b^2 = 2 (sin(b t / 2) / b)^2
//! ```
//!
//! are t and t^2/2 at b = 0 and lose no digits for any b >= 0. Every signed distance or volume between two features
//! of bodies in relative screw motion is a linear combination of {1, t, sigma, kappa, t sigma, t kappa}. Unlike sine
//! and cosine about a point of the axis (Kim and Rossignac 2003, equations 8 and 20), no coefficient of this form
//! blows up when the axis is far away.

use crate::math::rounding::of_combination;

/// The basis functions at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Basis {
    /// Time.
    pub t: f64,
    /// sin(b t) / b.
    pub sigma: f64,
    /// (1 - cos(b t)) / b^2.
    pub kappa: f64,
    /// cos(b t), the derivative of sigma.
    pub cos: f64,
}

impl Basis {
    /// The basis at time `t` for a screw of angle `b` (radians over t in [0, 1]).
    #[must_use]
    #[inline]
    pub fn at(b: f64, t: f64) -> Self {
        let half = 0.5 * b * t;
        // `libm`, because the last bits of the system's functions differ between processors.
        let (sin, cos) = libm::sincos(half);
        // sin(x)/x rounds to 1 for x below 1e-9; dividing there would only produce subnormal numbers.
        let sinc = if half.abs() < 1e-9 { 1.0 } else { sin / half };
        let chord = t * sinc;
        Self { t, sigma: chord * cos, kappa: 0.5 * chord * chord, cos: 1.0 - 2.0 * sin * sin }
    }
}

/// f(t) = e0 + e1 t + e2 sigma + e3 kappa + e4 t sigma + e5 t kappa, on t >= 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScrewFunction {
    /// The six coefficients.
    pub e: [f64; 6],
    /// The angle of the screw over t in [0, 1], in radians; not negative.
    pub b: f64,
}

impl ScrewFunction {
    /// f, given the basis for the same `b`.
    #[must_use]
    #[inline]
    pub fn value(&self, basis: &Basis) -> f64 {
        let [e0, e1, e2, e3, e4, e5] = self.e;
        let t = basis.t;
        e0 + e1 * t + (e2 + e4 * t) * basis.sigma + (e3 + e5 * t) * basis.kappa
    }

    /// f', in the same basis.
    ///
    /// sigma' = 1 - b^2 kappa and kappa' = sigma, so that the coefficients of f' are
    /// (e1+e2, e4, e3+e4, e5 - b^2 e2, e5, -b^2 e4).
    #[must_use]
    pub fn derivative(&self) -> Self {
        let [_, e1, e2, e3, e4, e5] = self.e;
        let bb = self.b * self.b;
        Self { e: [e1 + e2, e4, e3 + e4, e5 - bb * e2, e5, -bb * e4], b: self.b }
    }

    /// f', given the basis, without building [`Self::derivative`].
    #[must_use]
    #[inline]
    pub fn slope(&self, basis: &Basis) -> f64 {
        let [_, e1, e2, e3, e4, e5] = self.e;
        let t = basis.t;
        e1 + (e2 + e4 * t) * basis.cos + (e3 + e4 + e5 * t) * basis.sigma + e5 * basis.kappa
    }

    /// An upper bound of |f''| on [lo, hi], 0 <= lo <= hi.
    ///
    /// Holds up to rounding: if the coefficients cancel, it may be too small by a few of their roundings. The bound
    /// of the slope's rounding, which the caller adds, is many times larger.
    ///
    /// f'' = P cos(bt) + Q sigma with P = 2 e4 + e3 + e5 t and Q = 2 e5 - b^2 (e2 + e4 t), both linear in t.
    #[must_use]
    #[inline]
    pub fn curvature_bound(&self, lo: f64, hi: f64) -> f64 {
        let [_, _, e2, e3, e4, e5] = self.e;
        let b = self.b;
        let p = |t: f64| (2.0 * e4 + e3 + e5 * t).abs();
        let q = |t: f64| (2.0 * e5 - b * b * (e2 + e4 * t)).abs();
        let (p, q) = (p(lo).max(p(hi)), q(lo).max(q(hi)));
        let plain = p + q * hi;
        let bound = if b * hi > 1.0 { plain.min(length_bound(p, q / b)) } else { plain };
        bound * (1.0 + 1e-14)
    }

    /// An upper bound of the rounding error of [`Self::value`] on [0, hi] for exact coefficients.
    ///
    /// The angle b t has one rounding, which moves sigma by up to eps t and kappa by up to eps t sigma.
    #[must_use]
    #[inline]
    pub fn rounding(&self, hi: f64) -> f64 {
        let [e0, e1, e2, e3, e4, e5] = self.e.map(f64::abs);
        let chord = if self.b * hi > 2.0 { 2.0 / self.b } else { hi };
        of_combination(e0 + hi * (e1 + e2 + e4 * hi + (e3 + e5 * hi) * chord))
    }

    /// An upper bound of the rounding error of [`Self::slope`] on [0, hi] for exact coefficients.
    #[must_use]
    #[inline]
    pub fn slope_rounding(&self, hi: f64) -> f64 {
        let [_, e1, e2, e3, e4, e5] = self.e.map(f64::abs);
        // cos(bt) moves by eps b t.
        of_combination(e1 + (1.0 + self.b * hi) * (e2 + e4 * hi) + hi * (e3 + e4 + 2.0 * e5 * hi))
    }
}

/// An upper bound of sqrt(x^2 + y^2), at most 9 % too large: the tangent at |x| = |y|. It cannot overflow or
/// underflow in between, and takes a tenth of the time of `hypot`.
#[inline]
pub(crate) fn length_bound(x: f64, y: f64) -> f64 {
    let (long, short) = if x.abs() > y.abs() { (x.abs(), y.abs()) } else { (y.abs(), x.abs()) };
    (long + (std::f64::consts::SQRT_2 - 1.0) * short) * (1.0 + 4.0 * f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_bound_is_one() {
        for i in 0..=1000 {
            let (sin, cos) = (f64::from(i) * 0.01).sin_cos();
            for scale in [1e-300, 1.0, 1e300] {
                let bound = length_bound(scale * sin, scale * cos) / scale;
                assert!((1.0..1.09).contains(&bound), "{bound}");
            }
        }
    }
}
