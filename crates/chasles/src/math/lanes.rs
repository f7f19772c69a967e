//! Eight numbers side by side, and the instructions that work on them.
//!
//! The kernels are plain loops over eight lanes. They are compiled twice, for any processor and for AVX2, and the
//! program asks the processor once which version it can run. Both give the same bits: each lane does the same
//! operations in the same order, none of them fused.

/// Which instructions the kernels use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Instructions {
    /// The widest that the processor has.
    #[default]
    Detected,
    /// The instructions that every processor of this architecture has: the twin that tests hold the others against.
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

/// The most that a vector can be along `n` whose parts are at most those of `b`.
#[inline(always)]
pub(crate) fn dot_abs(n: [f32; 3], b: [f32; 3]) -> f32 {
    n[0].abs() * b[0] + n[1].abs() * b[1] + n[2].abs() * b[2]
}

/// The range of generators along a direction.
#[inline(always)]
pub(crate) fn extent<const LEAF: bool>(n: [f32; 3], g: [[f32; 3]; 3]) -> (f32, f32) {
    let (d0, d1, d2) = (dot(n, g[0]), dot(n, g[1]), dot(n, g[2]));
    if LEAF {
        (min(min(d0, d1), d2), max(max(d0, d1), d2))
    } else {
        let sum = d0.abs() + d1.abs() + d2.abs();
        (-sum, sum)
    }
}
