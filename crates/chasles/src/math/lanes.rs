//! Kernels on eight numbers side by side, and the choice of their instructions.
//!
//! The kernels are plain loops over eight lanes. They are compiled twice, for any processor and for AVX2, and the
//! processor's support is detected once. Both versions give the same bits: each lane does the same operations in
//! the same order, and no operations are fused.

/// The instruction set that the kernels use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Instructions {
    /// The widest instruction set that the processor has.
    #[default]
    Detected,
    /// The instructions that every processor of this architecture has: the twin with which tests compare.
    Portable,
}

#[inline(always)]
pub(crate) fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
pub(crate) fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
pub(crate) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The maximum along `n` of a vector whose components are bounded by `b` in absolute value.
#[inline(always)]
pub(crate) fn dot_abs(n: [f32; 3], b: [f32; 3]) -> f32 {
    n[0].abs() * b[0] + n[1].abs() * b[1] + n[2].abs() * b[2]
}

/// The range along a direction of a triangle with these corners, or of a box with these half edges. The two longest
/// half edges span an octagon ([`in_octagon`]).
#[inline(always)]
pub(crate) fn extent<const LEAF: bool>(n: [f32; 3], g: [[f32; 3]; 3], octagon: [f32; 2]) -> (f32, f32) {
    let (d0, d1, d2) = (dot(n, g[0]), dot(n, g[1]), dot(n, g[2]));
    if LEAF {
        (min(min(d0, d1), d2), max(max(d0, d1), d2))
    } else {
        let most = in_octagon(d0, d1, octagon) + d2.abs();
        (-most, most)
    }
}

/// The octagon that is the whole rectangle.
pub(crate) const WHOLE: [f32; 2] = [1.0; 2];

/// The maximum of s0 x + s1 y for |s0| <= 1, |s1| <= 1, |s0 + s1| <= 1 + octagon[0] and |s0 - s1| <= 1 +
/// octagon[1].
#[inline(always)]
pub(crate) fn in_octagon(x: f32, y: f32, octagon: [f32; 2]) -> f32 {
    let opposite = (x.to_bits() ^ y.to_bits()) >> 31 != 0;
    let corner = if opposite { octagon[1] } else { octagon[0] };
    let (x, y) = (x.abs(), y.abs());
    max(x, y) + corner * min(x, y)
}

#[cfg(test)]
mod tests {
    use chasles_testing::Random;

    use super::*;

    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "numbers for kernels in 32 bits")]
    fn the_maximum_in_an_octagon_is_at_one_of_its_corners() {
        let random = &mut Random(1);
        for case in 0..100_000 {
            let octagon = [0; 2].map(|_| random.within(-0.5, 1.5).clamp(0.0, 1.0) as f32);
            let size = [1.0, 1e-25, 1e15][case % 3];
            let [x, y] = [0; 2].map(|_| (size * random.side()) as f32);
            let [k0, k1] = octagon.map(f64::from);
            let corners = [(1.0, k0), (k0, 1.0), (1.0, -k1), (k1, -1.0)];
            let at = |(s, t): (f64, f64)| (s * f64::from(x) + t * f64::from(y)).abs();
            let most = corners.into_iter().map(at).fold(0.0, f64::max);
            let given = f64::from(in_octagon(x, y, octagon));
            assert!((given - most).abs() <= 2e-7 * most, "{given} for {most} of {x}, {y} in {octagon:?}");
        }
    }
}
