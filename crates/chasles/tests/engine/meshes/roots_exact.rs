//! The root finder against exact arithmetic.
//!
//! For every function of every family it is proven, in 384-bit fixed point or with Sturm's theorem over the integers,
//! that the answer keeps the finder's guarantee:
//!
//! - |f| is at least the levels on the whole interval outside the windows, so that no zero of f, nor of any g within
//!   the error of f, is missed;
//! - f is at least the error on one side of each root and at most minus the error on the other, so that every such g
//!   has a zero in the root;
//! - windows and roots are sorted, the roots in their windows, and f is monotone in a window called simple.
//!
//! Further: zeros that floating point can distinguish are returned one by one, in enclosures of 1e-12; the stated
//! bounds of rounding and curvature hold ([`rounding`]); overflow gives a window and a small budget an error.
//!
//! `CHASLES_LONG=1` multiplies the number of cases by 100.

mod rounding;

use crate::cases::{count, fewer};
use crate::exact::families::{FAMILIES, Question, SPLITS, angle, question, separate_zeros, span};
use crate::exact::polynomial::{Polynomial, Sturm};
use crate::exact::{Exact, double, time};
use chasles::math::budget::{Budget, OutOfBudget};
use chasles::math::roots::{Isolation, Levels, excluded, isolate};
use chasles::math::screw_function::{Basis, ScrewFunction};
use chasles::math::time_interval::TimeInterval;
use chasles_testing::Random;
use num_bigint::BigInt;

/// Steps after which a case counts as undecidable.
const BUDGET: u64 = 2_000_000;

fn answer(question: &Question) -> (Isolation, u64) {
    let (mut out, mut budget) = (Isolation::default(), Budget::new(BUDGET));
    isolate(&question.f, interval(question.span), question.levels, &mut budget, &mut out)
        .unwrap_or_else(|OutOfBudget| panic!("out of budget: {question:?}"));
    (out, BUDGET - budget.remaining())
}

/// Checks that need no reference: order, inclusion, indices.
fn assert_ordered(question: &Question, out: &Isolation) {
    let (lo, hi) = question.span;
    let context = || format!("{question:?}\n{out:?}");
    let mut roots = 0;
    let mut last = f64::NEG_INFINITY;
    for window in &out.windows {
        assert!(window.lo > last && window.lo <= window.hi, "windows in order, apart: {}", context());
        assert!(lo <= window.lo && window.hi <= hi, "windows in the span: {}", context());
        assert_eq!(window.first_root, roots, "each root in one window: {}", context());
        for root in &out.roots[window.first_root..window.last_root] {
            assert!(window.lo <= root.lo && root.hi <= window.hi, "roots in windows: {}", context());
        }
        assert!(!window.simple || window.last_root == window.first_root + 1, "simple: {}", context());
        (roots, last) = (window.last_root, window.hi);
    }
    assert_eq!(roots, out.roots.len(), "each root in a window: {}", context());
    for root in &out.roots {
        assert!(root.lo <= root.hi, "{}", context());
    }
    for pair in out.roots.windows(2) {
        assert!(pair[0].lo <= pair[1].lo && pair[0].hi <= pair[1].hi, "roots in order: {}", context());
    }
}

fn interval((start, end): (f64, f64)) -> TimeInterval {
    TimeInterval::new(start, end)
}

/// The parts of the interval outside all windows.
fn gaps((lo, hi): (f64, f64), out: &Isolation) -> Vec<(f64, f64)> {
    let begins = std::iter::once(lo).chain(out.windows.iter().map(|w| w.hi));
    let ends = out.windows.iter().map(|w| w.lo).chain(std::iter::once(hi));
    let (first, last) = (out.windows.first(), out.windows.last());
    let count = out.windows.len();
    begins
        .zip(ends)
        .enumerate()
        .filter(|(i, _)| *i > 0 || first.is_none_or(|w| w.lo > lo))
        .filter(|(i, _)| *i < count || last.is_none_or(|w| w.hi < hi))
        .map(|(_, gap)| gap)
        .collect()
}

/// The level that |f| exceeds outside the windows: they then contain each zero of each g within the error of f, and
/// each t with |g(t)| <= window - error.
fn proven_level(question: &Question) -> f64 {
    let Levels { error, window } = question.levels;
    error.max(window)
}

/// Proves the guarantee of one answer.
fn assert_guaranteed(question: &Question, out: &Isolation) {
    assert_ordered(question, out);
    let exact = Exact::new(&question.f);
    let context = || format!("{question:?}\n{out:?}");
    let level = exact.level(proven_level(question));
    for (lo, hi) in gaps(question.span, out) {
        if let Err([from, to]) = exact.stays_above(&time(lo), &time(hi), &level) {
            let [at, _, _, _] = exact.at(&from);
            panic!(
                "missed: |f| is too small in [{:e}, {:e}], {:e} of the level at the first: {}",
                double(&from),
                double(&to),
                double(&at) / double(&level),
                context()
            );
        }
    }
    let error = exact.level(question.levels.error);
    for root in &out.roots {
        assert!(
            exact.changes_sign(&time(root.lo), &time(root.hi), &error),
            "no sign change in {root:?}: {}",
            context()
        );
    }
    for window in out.windows.iter().filter(|w| w.simple) {
        assert!(exact.is_monotone(&time(window.lo), &time(window.hi)), "simple: {}", context());
    }
}

#[test]
fn every_answer_is_proven_in_exact_arithmetic() {
    for family in FAMILIES {
        let (mut steps, mut most, mut roots, mut windows) = (0, 0, 0, 0);
        let cases = fewer(350, 4);
        for seed in 0..cases {
            let question = question(family, seed);
            let (out, used) = answer(&question);
            assert_guaranteed(&question, &out);
            (steps, most) = (steps + used, most.max(used));
            (roots, windows) = (roots + out.roots.len(), windows + out.windows.len());
        }
        println!(
            "{}: {cases} cases, {windows} windows, {roots} roots, {steps} steps, at most {most}",
            family.0
        );
    }
}

/// Counts zeros: |f| <= `level` nowhere on the closed intervals outside the windows, and zeros in the roots.
fn assert_counted(question: &Question, out: &Isolation) {
    assert_ordered(question, out);
    let context = || format!("{question:?}\n{out:?}");
    let sturm = |level: f64| {
        let polynomial = Polynomial::of_translation(question.f.e, level);
        (!polynomial.is_zero()).then(|| Sturm::new(polynomial))
    };
    let level = proven_level(question);
    let (above, below) = (sturm(level), sturm(-level));
    for (lo, hi) in gaps(question.span, out) {
        // |f| is continuous: it stays above the level if it never equals it and is above it at one point.
        for chain in [&above, &below] {
            let meets = chain.as_ref().is_none_or(|chain| chain.between(lo, hi) > 0);
            assert!(!meets, "missed in [{lo:e}, {hi:e}]: {}", context());
        }
        let [middle, _, _, _] = Exact::new(&question.f).at(&time(lo + 0.5 * (hi - lo)));
        let middle = double(&middle).abs();
        assert!(middle >= double(&Exact::new(&question.f).level(level)), "missed: {}", context());
    }
    let error = question.levels.error;
    for chain in [sturm(error), sturm(-error), sturm(0.0)] {
        for root in &out.roots {
            let zeros = chain.as_ref().map_or(1, |chain| chain.within(root.lo, root.hi));
            assert!(zeros >= 1, "no zero in {root:?}: {}", context());
        }
        for window in out.windows.iter().filter(|w| w.simple && w.lo < w.hi) {
            let zeros = chain.as_ref().map_or(1, |chain| chain.within(window.lo, window.hi));
            assert_eq!(zeros, 1, "simple: {}", context());
        }
    }
    // And no zero of f itself is left over.
    if let Some(chain) = sturm(0.0) {
        let (lo, hi) = question.span;
        let counted: usize = out.windows.iter().map(|w| chain.within(w.lo, w.hi)).sum();
        assert_eq!(counted, chain.within(lo, hi), "zeros in windows, and all: {}", context());
    }
}

#[test]
fn every_cubic_is_counted_by_sturm() {
    for family in FAMILIES {
        for seed in 0..count(100) {
            // All families, whatever their original angle.
            let mut question = question(family, seed);
            question.f.b = 0.0;
            let (out, _) = answer(&question);
            assert_counted(&question, &out);
        }
    }
    // Functions made for a translation: their multiple zeros are multiple.
    let mut translations = 0;
    for family in FAMILIES {
        for seed in count(100)..count(500) {
            let question = question(family, seed);
            if question.f.b == 0.0 {
                translations += 1;
                let (out, _) = answer(&question);
                assert_counted(&question, &out);
            }
        }
    }
    assert!(translations > count(300), "{translations}");
}

/// Whether all zeros are easy to find: separated, away from the ends, and steep, so that f is large between them.
fn is_plain(zeros: &[[BigInt; 2]], slopes: &[f64], window: f64) -> bool {
    let apart = 1e-3;
    let times = zeros.iter().map(|zero| double(&zero[0]));
    let times: Vec<_> = std::iter::once(0.0).chain(times).chain(std::iter::once(1.0)).collect();
    let steep = (100.0 * window.sqrt()).max(1e-5);
    times.windows(2).all(|pair| pair[1] - pair[0] > apart) && slopes.iter().all(|slope| *slope >= steep)
}

#[test]
fn distinguishable_zeros_are_returned_one_by_one() {
    let (mut counts, mut widest) = ([0; 6], 0.0_f64);
    for seed in 0..fewer(1000, 3) {
        let random = &mut Random(seed ^ 0x5e9a_7a7e);
        let f = separate_zeros(random);
        let window = [0.0, 1e-12, 1e-9][random.below(3)];
        let levels = Levels { error: 0.0, window };
        let question = Question { family: "zeros apart", seed, f, span: (0.0, 1.0), levels };
        let exact = Exact::new(&f);
        let mut zeros = exact.zeros(&time(0.0), &time(1.0));
        zeros.simple.iter_mut().for_each(|zero| exact.refine(zero, 60));
        // If all four ratios at which the finder splits are zeros, the last one is a window without a root.
        let at = |split: &f64| zeros.simple.iter().any(|zero| (double(&zero[0]) - split).abs() < 1e-6);
        if SPLITS.iter().all(at) {
            continue;
        }
        let scale = double(&exact.level(1.0));
        let slopes: Vec<_> = zeros.simple.iter().map(|t| double(&exact.at(&t[0])[1]).abs() / scale).collect();
        if !zeros.clusters.is_empty() || !is_plain(&zeros.simple, &slopes, window) {
            continue;
        }
        let (out, _) = answer(&question);
        assert_guaranteed(&question, &out);
        assert_eq!(out.roots.len(), zeros.simple.len(), "{question:?}\n{out:?}");
        for ((root, zero), slope) in out.roots.iter().zip(&zeros.simple).zip(slopes) {
            assert!(time(root.lo) <= zero[0] && zero[1] <= time(root.hi), "{question:?}\n{out:?}");
            // The coefficients sum to one, so f is known to 8 epsilon. Newton's iteration ends within a quarter of
            // that; 1.01 of both over half the slope is lost in each direction: 40.4 epsilon. And the time itself is
            // rounded.
            let narrow = (41.0 / slope + 4.0) * f64::EPSILON;
            let width = root.hi - root.lo;
            assert!(width <= narrow, "{width:e} > {narrow:e}: {question:?}\n{out:?}");
            widest = widest.max(width);
        }
        counts[zeros.simple.len()] += 1;
    }
    println!("functions with 0 to 5 zeros: {counts:?}, widest enclosure {widest:e}");
    // Three zeros are possible for a vertex and a face, four for two edges.
    assert!(counts[1..5].iter().all(|n| *n > fewer(10, 4)), "{counts:?}");
}

#[test]
fn excluded_functions_stay_above_the_level() {
    let mut found = 0;
    for family in FAMILIES {
        for seed in 0..fewer(400, 3) {
            let question = question(family, seed + 1_000_000);
            let random = &mut Random(seed);
            // Often a short span, where there is something to exclude.
            let (lo, hi) = question.span;
            let at = lo + random.unit() * (hi - lo);
            let width = 10.0_f64.powf(random.within(-16.0, 0.0));
            let question = Question { span: (at, (at + width).min(hi).max(at)), ..question };
            let (lo, hi) = question.span;
            let middle = Basis::at(question.f.b, lo + 0.5 * (hi - lo));
            if excluded(&question.f, interval(question.span), &middle, question.levels) {
                found += 1;
                assert_guaranteed(&question, &Isolation::default());
            }
        }
    }
    assert!(found > fewer(1000, 4), "{found}");
}

/// Coefficients as large as doubles get, or nearly as small: the answer is proven as ever.
#[test]
fn size_makes_no_difference() {
    for family in FAMILIES {
        for seed in 0..count(60) {
            let mut question = question(family, seed + 3_000_000);
            let random = &mut Random(seed);
            // The largest coefficient to 1e-250 and so on.
            let largest = question.f.e.iter().fold(0.0_f64, |x, e| x.max(e.abs()));
            if largest == 0.0 {
                continue;
            }
            let power = [-250.0, -150.0, 150.0, 290.0][random.below(4)] - largest.log10();
            let scale = 10.0_f64.powf(power.min(300.0));
            question.f.e.iter_mut().for_each(|e| *e *= scale);
            question.levels =
                Levels { error: question.levels.error * scale, window: question.levels.window * scale };
            let (out, _) = answer(&question);
            assert_guaranteed(&question, &out);
        }
    }
}

#[test]
fn overflow_gives_one_window_over_everything() {
    let mut overflowed = 0;
    for seed in 0..fewer(3000, 6) {
        let random = &mut Random(seed ^ 0x0bf1);
        let mut f = ScrewFunction { e: [0.0; 6], b: angle(random) };
        for e in &mut f.e {
            if random.below(3) > 0 {
                *e = f64::MAX * random.within(-1.0, 1.0) * 10.0_f64.powf(random.within(-1.0, 0.0));
            }
        }
        let span = span(random);
        let window = f64::MAX * [0.0, 1e-9, 1.0][random.below(3)];
        let levels = Levels { error: f64::MAX * [0.0, 1e-12, 1.0][random.below(3)], window };
        let question = Question { family: "overflow", seed, f, span, levels };
        // Nothing is excluded that cannot be computed.
        let known = f.rounding(span.1).is_finite()
            && f.slope_rounding(span.1).is_finite()
            && (levels.error + f.rounding(span.1)).is_finite();
        let (mut out, mut budget) = (Isolation::default(), Budget::new(10_000));
        let result = isolate(&f, interval(span), levels, &mut budget, &mut out);
        assert_ordered(&question, &out);
        if !known {
            overflowed += 1;
            let middle = Basis::at(f.b, span.0 + 0.5 * (span.1 - span.0));
            assert!(out.roots.is_empty() && !excluded(&f, interval(span), &middle, levels), "{question:?}");
            assert_eq!(out.windows.iter().map(|w| (w.lo, w.hi)).collect::<Vec<_>>(), [span], "{question:?}");
        } else {
            assert!(result.is_ok(), "{question:?}");
            assert_guaranteed(&question, &out);
        }
    }
    assert!(overflowed > fewer(300, 8), "{overflowed}");
}

#[test]
fn a_small_budget_is_an_error_and_keeps_the_roots_found() {
    for family in FAMILIES {
        for seed in 0..count(100) {
            let question = question(family, seed + 4_000_000);
            let (whole, steps) = answer(&question);
            let ask = |budget: u64| {
                let (mut out, mut left) = (Isolation::default(), Budget::new(budget));
                let result =
                    isolate(&question.f, interval(question.span), question.levels, &mut left, &mut out);
                (result, out, left)
            };
            let random = &mut Random(seed);
            for budget in [0, 1, steps / 2, random.bits() % (1 + steps), steps.saturating_sub(1)] {
                let (result, out, left) = ask(budget);
                assert_eq!(result, if budget < steps { Err(OutOfBudget) } else { Ok(()) }, "{question:?}");
                assert_eq!(left.remaining(), budget.saturating_sub(steps), "{question:?}");
                assert_ordered(&question, &out);
                // All but the last window, which may have been about to grow, is final.
                assert_eq!(out.roots, whole.roots[..out.roots.len()], "{question:?}");
                let done = out.windows.len().saturating_sub(1);
                assert_eq!(out.windows[..done], whole.windows[..done], "{question:?}");
            }
            let (result, out, left) = ask(steps);
            assert_eq!((result, left.remaining()), (Ok(()), 0), "{question:?}");
            assert_eq!((out.windows, out.roots), (whole.windows, whole.roots), "{question:?}");
        }
    }
}

#[test]
fn a_function_that_is_within_the_level_throughout_costs_one_step() {
    for b in [0.0, 1e-9, 1.0, 60.0] {
        for window in [0.0_f64, 1e-9, 1.0] {
            for e0 in [0.0, window, -window, window.next_down()] {
                let f = ScrewFunction { e: [e0.abs().min(window) * e0.signum(), 0.0, 0.0, 0.0, 0.0, 0.0], b };
                let levels = Levels { error: 0.0, window };
                let question = Question { family: "constant", seed: 0, f, span: (0.0, 1.0), levels };
                let (out, steps) = answer(&question);
                assert_eq!((steps, out.windows.len(), out.roots.len()), (1, 1, 0), "{question:?}\n{out:?}");
                assert_guaranteed(&question, &out);
            }
        }
    }
}

/// The references against each other and against what is known.
mod references {
    use super::*;
    use crate::exact::families::moment;
    use crate::exact::{basis, times};

    #[test]
    fn the_basis_is_that_of_the_library_to_the_last_bits_and_obeys_pythagoras() {
        let one = time(1.0);
        for seed in 0..fewer(2000, 4) {
            let random = &mut Random(seed);
            let (b, t) = (angle(random), moment(random));
            let [sigma, kappa, cos] = basis(&time(b), &time(t));
            let x = b * t;
            let near = |exact: &BigInt, value: f64| (double(exact) - value).abs() <= 1e-14 * (1.0 + x);
            assert!(near(&cos, x.cos()), "{b:e} {t:e}");
            if x > 1e-9 {
                assert!(
                    near(&sigma, x.sin() / b) && near(&kappa, 0.5 * ((0.5 * x).sin() / (0.5 * b)).powi(2))
                );
            } else {
                assert!(near(&sigma, t) && near(&kappa, 0.5 * t * t), "{b:e} {t:e}");
            }
            // cos^2 + (b sigma)^2 = 1 and 1 - cos = b^2 kappa.
            let sin = times(&time(b), &sigma);
            let excess = times(&cos, &cos) + times(&sin, &sin) - &one;
            let versed = &one - &cos - times(&times(&time(b), &time(b)), &kappa);
            for error in [excess, versed] {
                assert!(error.bits() < 70, "{b:e} {t:e}: 2^{}", error.bits());
            }
        }
    }

    #[test]
    fn sine_and_cosine_of_one_have_their_known_digits() {
        // sin 1 = 0.84147098480789650665250232163029899962256306079837..., cos 1 =
        // 0.54030230586813971740093660744297660373...
        let [sigma, kappa, cos] = basis(&time(1.0), &time(1.0));
        let digits = |x: &BigInt| times(x, &BigInt::from(10).pow(50)).to_string();
        assert_eq!(digits(&sigma), "84147098480789650665250232163029899962256306079837");
        assert_eq!(digits(&cos), "54030230586813971740093660744297660373231042061792");
        assert_eq!(digits(&kappa), "45969769413186028259906339255702339626768957938207");
    }

    #[test]
    fn taylor_and_sturm_find_the_same_zeros() {
        let (mut compared, mut zeros) = (0, 0);
        for family in FAMILIES {
            for seed in 0..count(60) {
                let f = ScrewFunction { b: 0.0, ..question(family, seed + 5_000_000).f };
                let found = Exact::new(&f).zeros(&time(0.0), &time(1.0));
                let polynomial = Polynomial::of_translation(f.e, 0.0);
                if polynomial.is_zero() || !found.clusters.is_empty() {
                    continue;
                }
                let counted = Sturm::new(polynomial).within(0.0, 1.0);
                assert_eq!(found.simple.len(), counted, "{f:?}");
                (compared, zeros) = (compared + 1, zeros + counted as u64);
            }
        }
        assert!(compared > count(600) && zeros > count(300), "{compared}, {zeros}");
    }

    #[test]
    fn multiple_zeros_are_counted_once() {
        let count = |e: [f64; 6], lo, hi| Sturm::new(Polynomial::of_translation(e, 0.0)).within(lo, hi);
        // (t - 1/2)^2, (t - 1/2)^3 and (t - 1/4) (t - 1/2)^2 by their coefficients.
        assert_eq!(count([0.25, -1.0, 0.0, 2.0, 0.0, 0.0], 0.0, 1.0), 1);
        assert_eq!(count([-0.125, 0.75, 0.0, -3.0, 0.0, 2.0], 0.0, 1.0), 1);
        assert_eq!(count([-0.0625, 0.5, 0.0, -2.5, 0.0, 2.0], 0.0, 1.0), 2);
        assert_eq!(count([-0.0625, 0.5, 0.0, -2.5, 0.0, 2.0], 0.5, 1.0), 1);
        assert_eq!(count([-0.0625, 0.5, 0.0, -2.5, 0.0, 2.0], 0.0, 0.5_f64.next_down()), 1);
        // 3 t - 1 has its zero between two neighbouring doubles, or on none.
        let third = 1.0_f64 / 3.0;
        assert_eq!(count([-1.0, 3.0, 0.0, 0.0, 0.0, 0.0], third, third.next_up()), 1);
        assert_eq!(count([-1.0, 3.0, 0.0, 0.0, 0.0, 0.0], third, third), 0);
    }
}
