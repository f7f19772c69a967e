//! Isolation of the roots of a screw function on an interval, and of the times at which it is nearly zero.
//!
//! Each interval is tested by the value, the slope and a bound of the second derivative at its middle (interval
//! Taylor). It is discarded if |f| provably exceeds a level, passed to a safeguarded Newton iteration if f is
//! provably monotone, and otherwise split, left half first. An interval on which |f| stays within the level is
//! returned as a whole, so that a function that is zero everywhere (sliding contact, parallel edges) costs one step
//! instead of a bisection to the last bit.
//!
//! The fixed number of starting guesses of Kim and Rossignac (2003), equations 13 to 15, misses roots: a
//! vertex-face function can have three, an edge-edge function four.

use crate::math::budget::{Budget, OutOfBudget};
use crate::math::screw_function::{Basis, ScrewFunction};
use crate::math::time_interval::TimeInterval;

/// An enclosure of a sign change: on both sides of [lo, hi], |f| exceeds the error, with opposite signs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Root {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

/// A maximal interval of time on which |f| may be within the level. Outside all windows |f| is proven to exceed the
/// level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Start.
    pub lo: f64,
    /// End.
    pub hi: f64,
    /// The roots proven inside are `roots[first_root..last_root]` of the [`Isolation`].
    pub first_root: usize,
    /// See `first_root`.
    pub last_root: usize,
    /// Whether f is monotone on the window and has one proven root there, so that no further search is needed.
    pub simple: bool,
}

/// The result of [`isolate`]; it can be reused to avoid allocation.
#[derive(Debug, Clone, Default)]
pub struct Isolation {
    /// All windows, in order of time.
    pub windows: Vec<Window>,
    /// All proven sign changes, in order of time.
    pub roots: Vec<Root>,
    stack: Vec<RootBracket>,
}

/// The levels for [`isolate`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    /// Bound of |f - g| for the true function g, from the rounding of the coefficients. The rounding of evaluating
    /// f is added internally.
    pub error: f64,
    /// |f| up to this level is a window; at least the error is used.
    pub window: f64,
}

#[derive(Debug, Clone, Copy)]
struct RootBracket {
    lo: f64,
    hi: f64,
    f_lo: f64,
    f_hi: f64,
}

/// Bounds of the derivatives on an interval on which a function is monotone.
#[derive(Debug, Clone, Copy)]
struct DerivativeBounds {
    /// Lower bound of |f'|.
    min_slope: f64,
    /// Bound of the error of the computed f'.
    slope_error: f64,
    /// Upper bound of |f''|.
    curvature: f64,
}

/// Intervals are split at the first of these fractions, or at the next if f is within the level there. They avoid
/// the middle, so that contacts at round times like 1/2 stay inside an interval.
const SPLITS: [f64; 4] = [0.487_351, 0.431_907, 0.553_219, 0.612_743];

/// An interval shorter than this is not split: its ends are a few units in the last place apart.
const SHORTEST: f64 = 1e-15;

/// Finds all windows and roots of `f` on [lo, hi], 0 <= lo <= hi, and stores them in `out`.
///
/// Guarantee: for every function g with |g - f| <= `levels.error` on [lo, hi], each zero of g lies in a window, and
/// so does each t with |g(t)| <= `levels.window - levels.error`. Each returned root encloses at least one zero of
/// g. Floating-point evaluation misses no zero: its rounding is bounded and added.
///
/// # Errors
/// [`OutOfBudget`]; `out` then holds the windows and roots found until then, in order.
pub fn isolate(
    f: &ScrewFunction,
    TimeInterval { start: lo, end: hi }: TimeInterval,
    levels: Levels,
    budget: &mut Budget<'_>,
    out: &mut Isolation,
) -> Result<(), OutOfBudget> {
    out.windows.clear();
    out.roots.clear();
    out.stack.clear();
    let error = levels.error + f.rounding(hi);
    let window = levels.window.max(levels.error) + f.rounding(hi);
    let slope_error = f.slope_rounding(hi);
    let at = |t: f64| f.value(&Basis::at(f.b, t));
    // If a coefficient overflowed, nothing can be proven: the whole interval is a window.
    if !(window.is_finite() && slope_error.is_finite()) {
        out.extend_window(lo, hi);
        return Ok(());
    }
    out.stack.push(RootBracket { lo, hi, f_lo: at(lo), f_hi: at(hi) });
    while let Some(bracket) = out.stack.pop() {
        budget.step()?;
        let half = 0.5 * (bracket.hi - bracket.lo);
        let reach = half * (1.0 + 4.0 * f64::EPSILON) + f64::MIN_POSITIVE;
        let middle = bracket.lo + half;
        let basis = Basis::at(f.b, middle);
        let (value, slope) = (f.value(&basis), f.slope(&basis));
        let curvature = f.curvature_bound(bracket.lo, bracket.hi);
        if !curvature.is_finite() {
            out.extend_window(bracket.lo, bracket.hi);
            continue;
        }
        let max_change = (slope.abs() + slope_error) * reach + 0.5 * curvature * reach * reach;
        if value.abs() - max_change > window {
            continue;
        }
        let min_slope = slope.abs() - slope_error - curvature * reach;
        if min_slope > 0.0 {
            out.monotone(
                f,
                bracket,
                DerivativeBounds { min_slope, slope_error, curvature },
                Levels { error, window },
            );
        } else if value.abs() + max_change <= window
            || curvature * reach * reach <= 0.25 * window
            || bracket.hi - bracket.lo <= SHORTEST
        {
            out.extend_window(bracket.lo, bracket.hi);
        } else {
            let mut split = bracket.lo + SPLITS[0] * (bracket.hi - bracket.lo);
            let mut f_split = at(split);
            for ratio in &SPLITS[1..] {
                if f_split.abs() > window {
                    break;
                }
                split = bracket.lo + ratio * (bracket.hi - bracket.lo);
                f_split = at(split);
            }
            out.stack.push(RootBracket { lo: split, f_lo: f_split, ..bracket });
            out.stack.push(RootBracket { hi: split, f_hi: f_split, ..bracket });
        }
    }
    Ok(())
}

/// Whether |f| is proven to exceed the window level throughout [lo, hi], given the basis at its middle: the first
/// step of [`isolate`] alone.
#[must_use]
#[inline]
pub fn excluded(
    f: &ScrewFunction,
    TimeInterval { start: lo, end: hi }: TimeInterval,
    middle: &Basis,
    levels: Levels,
) -> bool {
    let window = levels.window.max(levels.error) + f.rounding(hi);
    let reach = 0.5 * (hi - lo) * (1.0 + 4.0 * f64::EPSILON) + f64::MIN_POSITIVE;
    let slope = f.slope(middle).abs() + f.slope_rounding(hi);
    f.value(middle).abs() - slope * reach - 0.5 * f.curvature_bound(lo, hi) * reach * reach > window
}

impl Isolation {
    /// Adds [lo, hi] to the windows, merged with the last window if they touch.
    fn extend_window(&mut self, lo: f64, hi: f64) {
        let roots = self.roots.len();
        match self.windows.last_mut() {
            Some(last) if lo <= last.hi => {
                last.hi = last.hi.max(hi);
                last.simple = false;
            }
            _ => self.windows.push(Window { lo, hi, first_root: roots, last_root: roots, simple: false }),
        }
    }

    /// Handles an interval on which f is strictly monotone, with |f'| at least `min_slope`.
    fn monotone(
        &mut self,
        f: &ScrewFunction,
        bracket: RootBracket,
        derivatives: DerivativeBounds,
        Levels { error, window }: Levels,
    ) {
        let RootBracket { lo, hi, f_lo, f_hi } = bracket;
        let min_slope = derivatives.min_slope;
        let proven = |value: f64| value.abs() > error;
        if proven(f_lo) && proven(f_hi) && (f_lo < 0.0) != (f_hi < 0.0) {
            let root = enclose(f, bracket, derivatives, error);
            let width = (window + error) / min_slope;
            self.extend_window((root.lo - width).max(lo), (root.hi + width).min(hi));
            self.roots.push(root);
            if let Some(last) = self.windows.last_mut() {
                last.simple = last.first_root == last.last_root && last.lo >= lo;
                last.last_root += 1;
            }
            return;
        }
        // No sign change is proven: any part within the level lies at the end with the smaller |f|.
        let (smaller, at_lo) =
            if f_lo.abs() <= f_hi.abs() { (f_lo.abs(), true) } else { (f_hi.abs(), false) };
        if smaller > window + error {
            return;
        }
        // If |f| is at most the error at that end, f may already have changed its sign.
        let width =
            if proven(smaller) { window + error - smaller } else { window + error + smaller } / min_slope;
        if at_lo {
            self.extend_window(lo, (lo + width).min(hi));
        } else {
            self.extend_window((hi - width).max(lo), hi);
        }
    }
}

/// Encloses the only sign change in a monotone interval by Newton's iteration, kept inside a shrinking bracket.
fn enclose(f: &ScrewFunction, bracket: RootBracket, derivatives: DerivativeBounds, error: f64) -> Root {
    let DerivativeBounds { min_slope, slope_error, curvature } = derivatives;
    let RootBracket { mut lo, mut hi, f_lo, f_hi } = bracket;
    let rising = f_hi > f_lo;
    let mut t = lo + (hi - lo) * (f_lo / (f_lo - f_hi));
    let mut best = (t, f64::INFINITY, min_slope);
    // 60 halvings reach the last bit; Newton needs 3 to 6 steps.
    for _ in 0..60 {
        if !(t > lo && t < hi) {
            t = 0.5 * (lo + hi);
        }
        let basis = Basis::at(f.b, t);
        let (value, slope) = (f.value(&basis), f.slope(&basis));
        if value.abs() < best.1 {
            best = (t, value.abs(), slope.abs());
        }
        if (value < 0.0) == rising {
            lo = t;
        } else {
            hi = t;
        }
        let next = t - value / slope;
        if value.abs() <= 0.25 * error || hi - lo <= f64::EPSILON * hi || (next - t).abs() <= f64::EPSILON * t
        {
            break;
        }
        t = next;
    }
    let (t, residue, slope) = best;
    let reached = 1.01 * (error + residue);
    // Half the local slope is used as far as the curvature and the slope's error allow it; otherwise the bound for
    // the whole interval.
    let near = 2.0 * reached / slope;
    let local = curvature * near + slope_error <= 0.5 * slope;
    let width = if local { near.min(reached / min_slope) } else { reached / min_slope };
    let ulp = f64::EPSILON * t.abs();
    Root { lo: (t - width - ulp).max(bracket.lo), hi: (t + width + ulp).min(bracket.hi) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(e: [f64; 6], b: f64, window: f64) -> Isolation {
        let mut out = Isolation::default();
        let levels = Levels { error: 0.0, window };
        isolate(
            &ScrewFunction { e, b },
            TimeInterval::new(0.0, 1.0),
            levels,
            &mut Budget::new(10_000),
            &mut out,
        )
        .unwrap();
        out
    }

    /// Each root is enclosed within 1e-12 and lies in a window.
    fn check(e: [f64; 6], b: f64, expected: &[f64]) {
        let out = run(e, b, 1e-9);
        assert_eq!(out.roots.len(), expected.len(), "{:?}", out.roots);
        for (root, expected) in out.roots.iter().zip(expected) {
            assert!(root.lo <= *expected && *expected <= root.hi && root.hi - root.lo < 1e-12, "{root:?}");
            assert!(out.windows.iter().any(|w| w.lo <= root.lo && root.hi <= w.hi));
        }
    }

    #[test]
    fn one_two_and_three_roots() {
        check([-0.3, 1.0, 0.0, 0.0, 0.0, 0.0], 0.0, &[0.3]);
        // (t - 0.2)(t - 0.7), with kappa = t^2 / 2.
        check([0.14, -0.9, 0.0, 2.0, 0.0, 0.0], 0.0, &[0.2, 0.7]);
        // (t - 0.1)(t - 0.5)(t - 0.9) = t^3 - 1.5 t^2 + 0.59 t - 0.045: a bisection would sample 0.5.
        check([-0.045, 0.59, 0.0, -3.0, 0.0, 2.0], 0.0, &[0.1, 0.5, 0.9]);
        // sin(6t)/6 = 0.05 holds exactly twice in [0, 1], at asin(0.3)/6 and (pi - asin(0.3))/6.
        let first = 0.3_f64.asin() / 6.0;
        let second = (std::f64::consts::PI - 0.3_f64.asin()) / 6.0;
        check([-0.05, 0.0, 1.0, 0.0, 0.0, 0.0], 6.0, &[first, second]);
    }

    #[test]
    fn a_function_that_is_zero_costs_one_step() {
        let mut out = Isolation::default();
        let mut budget = Budget::new(1);
        let levels = Levels { error: 1e-12, window: 1e-9 };
        let f = ScrewFunction { e: [0.0; 6], b: 1.0 };
        isolate(&f, TimeInterval::new(0.0, 1.0), levels, &mut budget, &mut out).unwrap();
        assert_eq!(out.windows, [Window { lo: 0.0, hi: 1.0, first_root: 0, last_root: 0, simple: false }]);
    }

    #[test]
    fn a_double_root_is_a_window_without_a_root() {
        // (t - 0.3)^2, raised by less and by more than the level.
        let lifted = |by: f64| run([0.09 + by, -0.6, 0.0, 2.0, 0.0, 0.0], 0.0, 1e-9);
        let out = lifted(0.0);
        assert!(out.roots.is_empty() && out.windows.len() == 1, "{out:?}");
        assert!(
            out.windows[0].lo < 0.3
                && out.windows[0].hi > 0.3
                && out.windows[0].hi - out.windows[0].lo < 1e-3
        );
        assert_eq!(lifted(5e-10).windows.len(), 1);
        assert_eq!(lifted(5e-9).windows.len(), 0);
    }

    #[test]
    fn a_root_at_an_end_is_in_a_window() {
        for (e, t) in [([0.0, 1.0], 0.0), ([-1.0, 1.0], 1.0)] {
            let out = run([e[0], e[1], 0.0, 0.0, 0.0, 0.0], 0.0, 1e-9);
            assert!(out.windows.iter().any(|w| w.lo <= t && t <= w.hi), "{out:?}");
        }
    }

    #[test]
    fn work_is_bounded_by_the_budget() {
        let f = ScrewFunction { e: [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], b: 1e6 };
        let mut out = Isolation::default();
        let levels = Levels { error: 0.0, window: 1e-12 };
        let mut budget = Budget::new(1000);
        assert_eq!(isolate(&f, TimeInterval::new(0.0, 1.0), levels, &mut budget, &mut out), Err(OutOfBudget));
        assert_eq!(budget.remaining(), 0);
    }
}
