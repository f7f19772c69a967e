//! Intervals and formulas against arithmetic of hundreds of bits.
//!
//! - Sums, products, quotients, squares, roots and powers of intervals contain the exact results, and are at most a
//!   few units in the last place wider.
//! - exp, log, the trigonometric functions and powers contain the values that series of 260 bits give, and are as
//!   tight.
//! - The range of a random formula on a box contains its values at random points of the box, and so does its linear
//!   function with the remainder.
//!
//! `CHASLES_LONG=1` multiplies the number of cases by 100, for arithmetic by 300: this verifies more than 100,000,000
//! results, each of which is counted.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::cases::{count, fewer};
use crate::shapes::high::formulas::formula;
use crate::shapes::high::{Dyadic, Enclosure, functions};
use chasles::math::interval::RealInterval;
use chasles::{Expression, TapeMemory};
use chasles_testing::Random;
use rayon::prelude::*;

/// Runs all seeds on all threads, each with a memory of its thread, and returns the number of verified results.
fn held(seeds: u64, check: impl Fn(u64, &mut TapeMemory) -> u64 + Sync) -> u64 {
    (0..seeds).into_par_iter().map_init(TapeMemory::default, |memory, seed| check(seed, memory)).sum()
}

/// Number of cases for cheap tests: in the long mode three times as many as for others.
fn many(normal: u64) -> u64 {
    let cases = count(normal);
    if cases > normal { 3 * cases } else { cases }
}

/// A double of any size and sign; values with special rounding are as likely as all others.
fn double(random: &mut Random) -> f64 {
    let sign = if random.one_in(2) { 1.0 } else { -1.0 };
    sign * match random.below(14) {
        0 => 0.0,
        1 => random.below(10) as f64,
        2 => random.dyadic(16.0).abs(),
        3 => 2.0_f64.powi(i32::try_from(random.below(80)).unwrap() - 40),
        4 => 1.0 + f64::EPSILON * (random.below(17) as f64 - 8.0),
        // Any finite double.
        5 => loop {
            let x = f64::from_bits(random.bits()).abs();
            if x.is_finite() {
                break x;
            }
        },
        6 => f64::from_bits(random.bits() >> 12 >> random.below(52)),
        7 => f64::MIN_POSITIVE * random.within(0.5, 4.0),
        8 => f64::MAX * random.within(0.2, 1.0),
        9 => 10.0_f64.powf(random.within(-162.0, -140.0)),
        10 => 10.0_f64.powf(random.within(140.0, 160.0)),
        _ => 10.0_f64.powf(random.within(-5.0, 5.0)),
    }
}

/// An interval between two doubles: half of the time a single double, or close ones.
fn interval(random: &mut Random) -> RealInterval {
    let a = double(random);
    let b = match random.below(4) {
        0 | 1 => a,
        2 => a * (1.0 + random.unit() * 1e-3),
        _ => double(random),
    };
    if a.is_finite() && b.is_finite() {
        RealInterval::new(a.min(b), a.max(b))
    } else {
        RealInterval::point(1.5)
    }
}

fn exact(x: RealInterval) -> Enclosure {
    let [lo, hi] = x.bounds();
    Enclosure { lo: Dyadic::of(lo), hi: Dyadic::of(hi) }
}

/// The exact hull of the results of an operation on corners.
fn hull_of(all: &[Dyadic]) -> Enclosure {
    let point = |x: &Dyadic| Enclosure { lo: x.clone(), hi: x.clone() };
    all[1..].iter().fold(point(&all[0]), |hull, x| hull.hull(&point(x)))
}

/// Asserts that an interval contains the true hull and is tight.
#[track_caller]
fn assert_encloses(found: RealInterval, truth: &Enclosure, steps: u32, what: &dyn Fn() -> String) {
    let bounds = found.bounds();
    let [lo, hi] = [&truth.lo, &truth.hi].map(|x| Enclosure { lo: x.clone(), hi: x.clone() });
    assert!(lo.can_lie_in(bounds) && hi.can_lie_in(bounds), "not held: {found:?}: {}", what());
    assert!(truth.is_tight(bounds, steps), "too wide: {found:?}: {}", what());
}

#[test]
fn arithmetic_encloses_exact_results_tightly() {
    let cases = many(10_000);
    let held = held(cases, |seed, _| {
        let mut results = 0;
        let mut assert_encloses =
            |found: RealInterval, truth: &Enclosure, steps: u32, what: &dyn Fn() -> String| {
                assert_encloses(found, truth, steps, what);
                results += 1;
            };
        let random = &mut Random(seed);
        let (a, b) = (interval(random), interval(random));
        let (x, y) = (exact(a), exact(b));
        let what = |name: &'static str| move || format!("seed {seed}, {name} of {a:?} and {b:?}");
        assert_encloses(a + b, &hull_of(&[x.lo.add(&y.lo), x.hi.add(&y.hi)]), 2, &what("sum"));
        assert_encloses(a - b, &hull_of(&[x.lo.sub(&y.hi), x.hi.sub(&y.lo)]), 2, &what("difference"));
        let ends = [(&x.lo, &y.lo), (&x.lo, &y.hi), (&x.hi, &y.lo), (&x.hi, &y.hi)];
        assert_encloses(a * b, &hull_of(&ends.map(|(a, b)| a.mul(b))), 3, &what("product"));
        let squares = hull_of(&[x.lo.mul(&x.lo), x.hi.mul(&x.hi)]);
        let least = if x.has_zero() { hull_of(&[Dyadic::whole(0)]) } else { squares.clone() };
        assert_encloses(a.sqr(), &squares.hull(&least), 3, &what("square"));
        assert_encloses(a.abs(), &x.abs(), 0, &what("absolute"));
        assert_encloses(a.min(b), &x.min(&y), 0, &what("lesser"));
        assert_encloses(a.max(b), &x.max(&y), 0, &what("greater"));
        quotient(a, b, &what("quotient"));
        root(a, &what("root"));
        let n = [3, 4, 5, 7, 11, 64, 65, 130][random.below(8)];
        let (lo, hi) = (x.lo.power(n), x.hi.power(n));
        let mut powers = hull_of(&[lo, hi]);
        if n % 2 == 0 && x.has_zero() {
            powers = powers.hull(&hull_of(&[Dyadic::whole(0)]));
        }
        // With squaring the units add up, a few for each factor.
        let steps = if n > 64 { 14 } else { 5 * n };
        assert_encloses(a.powi(f64::from(n)), &powers, steps, &what("power"));
        assert!(a.hull(b).contains(a.middle()) && a.contains(a.middle()) && a.middle().is_finite());
        // Including the quotient and the root.
        results + 2
    });
    println!("{held} results of arithmetic");
    assert_eq!(held, 10 * cases);
}

/// The quotient, whose ends are quotients of ends.
fn quotient(a: RealInterval, b: RealInterval, what: &dyn Fn() -> String) {
    let found = a / b;
    let [lo, hi] = found.bounds();
    let ([a_lo, a_hi], [b_lo, b_hi]) = (a.bounds(), b.bounds());
    if b_lo < 0.0 && b_hi > 0.0 || b == RealInterval::ZERO {
        assert_eq!(found, RealInterval::WHOLE, "{}", what());
        return;
    }
    let ends = [(a_lo, b_lo), (a_lo, b_hi), (a_hi, b_lo), (a_hi, b_hi)];
    for (n, _) in ends.iter().filter(|(n, d)| *n != 0.0 && *d == 0.0) {
        // Towards 0 the quotient is unbounded, on the side of its sign.
        let side = if (*n > 0.0) == (b_hi > 0.0) { hi } else { lo };
        assert!(side.is_infinite(), "not held: {found:?}: {}", what());
    }
    let regular = ends.iter().filter(|(_, d)| *d != 0.0);
    let quotients = regular.map(|(n, d)| Enclosure::point(*n).div(&Enclosure::point(*d)).unwrap());
    let quotients: Vec<_> = quotients.collect();
    for quotient in &quotients {
        assert!(quotient.can_lie_in([lo, hi]), "not held: {found:?}: {}", what());
    }
    if b_lo != 0.0 && b_hi != 0.0 {
        let hull = quotients[1..].iter().fold(quotients[0].clone(), |hull, x| hull.hull(x));
        assert!(hull.is_tight([lo, hi], 3), "too wide: {found:?}: {}", what());
    }
}

/// The root, by squares.
fn root(a: RealInterval, what: &dyn Fn() -> String) {
    let [lo, hi] = a.bounds();
    if hi < 0.0 {
        assert_eq!(a.sqrt(), RealInterval::WHOLE, "{}", what());
        return;
    }
    let truth = Enclosure { lo: Dyadic::of(lo.max(0.0)), hi: Dyadic::of(hi) };
    let [root_lo, root_hi] = a.sqrt().bounds();
    let square = |x: f64| Dyadic::of(x).mul(&Dyadic::of(x));
    assert!(root_lo >= 0.0 && square(root_lo).is_at_most(&truth.lo), "not held: {}", what());
    assert!(truth.hi.is_at_most(&square(root_hi)), "not held: {}", what());
    assert!(truth.sqrt().unwrap().is_tight([root_lo, root_hi], 2), "too wide: {}", what());
}

#[test]
fn exact_results_stay_points() {
    let point = RealInterval::point;
    assert_eq!(point(0.3) - point(0.3), RealInterval::ZERO);
    for seed in 0..2_000 {
        let random = &mut Random(seed);
        let [a, b] = [(); 2].map(|()| random.below(1 << 26) as f64 - f64::from(1 << 25));
        assert_eq!((point(a) + point(b)).bounds(), [a + b; 2]);
        assert_eq!((point(a) * point(b)).bounds(), [a * b; 2]);
        assert_eq!(point(a).sqr().bounds(), [a * a; 2]);
        assert_eq!(point(a * a).sqrt().bounds(), [a.abs(); 2]);
        if b != 0.0 {
            assert_eq!((point(a * b) / point(b)).bounds(), [a; 2]);
        }
    }
    assert_eq!(point(0.0).exp(), RealInterval::ONE);
    assert_eq!(point(1.0).log(), RealInterval::ZERO);
    assert_eq!(point(0.0).sin(), RealInterval::ZERO);
    assert_eq!(point(0.0).cos(), RealInterval::ONE);
}

#[test]
fn infinite_bounds_are_not_values() {
    let (up, whole) = (RealInterval::new(1.0, f64::INFINITY), RealInterval::WHOLE);
    assert_eq!(RealInterval::ZERO * whole, RealInterval::ZERO);
    assert_eq!(RealInterval::new(0.0, 1.0) * up, RealInterval::new(0.0, f64::INFINITY));
    assert_eq!(up - up, whole);
    assert_eq!(RealInterval::ONE / up, RealInterval::new(0.0, 1.0));
    assert_eq!(
        RealInterval::new(1.0, 2.0) / RealInterval::new(0.0, 4.0),
        RealInterval::new(0.25, f64::INFINITY)
    );
    assert_eq!(RealInterval::new(f64::NAN, 1.0), whole);
    // All operations on all of these give intervals without NaN that contain the results of their members.
    let ends = [
        f64::NEG_INFINITY,
        f64::MIN,
        -1.5,
        -1.0,
        -5e-324,
        0.0,
        5e-324,
        0.25,
        1.0,
        7.0,
        f64::MAX,
        f64::INFINITY,
    ];
    let all: Vec<_> =
        ends.iter().flat_map(|a| ends.iter().map(move |b| (a, b))).filter(|(a, b)| a <= b).collect();
    let all = all.into_iter().map(|(a, b)| RealInterval::new(*a, *b));
    let all: Vec<_> = all.collect();
    let members = |x: RealInterval| ends.into_iter().filter(move |end| end.is_finite() && x.contains(*end));
    for a in &all {
        let (a, n) = (*a, [-3.0, -2.0, 0.0, 1.0, 2.0, 5.0, 77.0, 1e17]);
        let mut results =
            vec![a.sqrt(), a.sqr(), a.abs(), a.exp(), a.log(), a.sin(), a.cos(), a.tan(), a.asin()];
        results.extend([a.acos(), a.atan(), -a]);
        results.extend(n.map(|n| a.powi(n)));
        for b in &all {
            let b = *b;
            let two = [
                a + b,
                a - b,
                a * b,
                a / b,
                a.min(b),
                a.max(b),
                a.atan2(b),
                a.pow(b),
                a.hull(b),
                a.intersection(b),
            ];
            results.extend(two);
            for (x, y) in members(a).flat_map(|x| members(b).map(move |y| (x, y))) {
                let [p, q] = [x, y].map(Enclosure::point);
                for (result, truth) in two.iter().zip([p.add(&q), p.sub(&q), p.mul(&q)]) {
                    assert!(truth.can_lie_in(result.bounds()), "{a:?} {b:?}: {result:?}");
                }
                if let Some(truth) = p.div(&q) {
                    assert!(truth.can_lie_in(two[3].bounds()), "{a:?} / {b:?}: {:?}", two[3]);
                }
            }
        }
        for result in results {
            let [lo, hi] = result.bounds();
            assert!(lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY, "of {a:?}: {result:?}");
        }
    }
}

type OfInterval = fn(RealInterval) -> RealInterval;
type OfNumber = fn(&Dyadic) -> Enclosure;

/// A function of intervals, the same function of a number to many bits, and the range in which both are defined.
const FUNCTIONS: [(&str, OfInterval, OfNumber, [f64; 2]); 8] = [
    ("exp", RealInterval::exp, functions::exp, [-740.0, 709.0]),
    ("log", RealInterval::log, functions::log, [5e-324, f64::MAX]),
    ("sin", RealInterval::sin, |x| functions::sin_cos(x)[0].clone(), [-1e5, 1e5]),
    ("cos", RealInterval::cos, |x| functions::sin_cos(x)[1].clone(), [-1e5, 1e5]),
    ("tan", RealInterval::tan, |x| functions::tan(x).unwrap(), [-1e5, 1e5]),
    ("asin", RealInterval::asin, functions::asin, [-1.0, 1.0]),
    ("acos", RealInterval::acos, functions::acos, [-1.0, 1.0]),
    ("atan", RealInterval::atan, functions::atan, [f64::MIN, f64::MAX]),
];

/// An argument for a function: of any size, next to a multiple of pi/2, next to 1.
fn argument(random: &mut Random, [lo, hi]: [f64; 2]) -> f64 {
    loop {
        let x = match random.below(4) {
            0 => double(random),
            1 => {
                let multiple =
                    f64::from(i32::try_from(random.below(400)).unwrap() - 200) * std::f64::consts::FRAC_PI_2;
                multiple * (1.0 + f64::EPSILON * (random.below(9) as f64 - 4.0))
            }
            2 => random.within(lo.max(-50.0), hi.min(50.0)),
            _ => random.side() * 10.0_f64.powf(random.within(-20.0, 5.0)),
        };
        if (lo..=hi).contains(&x) {
            return x;
        }
    }
}

/// The interval of a point contains the truth, and is tight: four units of its size, which are eight of the smaller
/// unit below a power of two, and one of `libm`. Next to 0, four of the smallest numbers are added.
#[track_caller]
fn assert_near(found: RealInterval, truth: &Enclosure, what: &dyn Fn() -> String) {
    let steps = if found.magnitude() > 1e-300 { 9 } else { 14 };
    assert!(truth.can_lie_in(found.bounds()), "not held: {found:?}: {}", what());
    assert!(truth.is_tight(found.bounds(), steps), "too wide: {found:?}: {}", what());
}

#[test]
fn functions_enclose_the_values_of_series_tightly() {
    let cases = fewer(4_000, 5);
    let mut told = 0;
    for (name, of_interval, of_number, domain) in FUNCTIONS {
        told += held(cases, |seed, _| {
            let mut results = 0;
            let random = &mut Random(seed);
            let x = argument(random, domain);
            let found = of_interval(RealInterval::point(x));
            let truth = of_number(&Dyadic::of(x));
            // Next to a pole tan may have any value.
            if found != RealInterval::WHOLE {
                assert_near(found, &truth, &|| format!("seed {seed}, {name}({x:e})"));
                results += 1;
            }
            let y = if random.one_in(2) {
                argument(random, domain)
            } else {
                (x + random.side()).clamp(domain[0], domain[1])
            };
            let wide = RealInterval::new(x.min(y), x.max(y));
            let inside = random.within(0.0, 1.0);
            let inside = (x * inside + y * (1.0 - inside)).clamp(x.min(y), x.max(y));
            for inside in [inside, x, y] {
                let truth = of_number(&Dyadic::of(inside));
                let found = of_interval(wide);
                assert!(
                    truth.can_lie_in(found.bounds()),
                    "seed {seed}: {name}({inside:e}) of {wide:?} is not in {found:?}"
                );
                results += 1;
            }
            results
        });
    }
    println!("{told} results of functions");
    // Next to the poles of tan there is no result.
    assert!(told > 30 * cases, "{told}");
}

#[test]
fn sines_of_wide_intervals_reach_one_only_at_their_quarters() {
    for seed in 0..count(2_000) {
        let random = &mut Random(seed);
        let x = random.within(-20.0, 20.0);
        let wide = RealInterval::new(x, x + random.within(0.0, 4.0));
        let [lo, hi] = wide.bounds();
        let holds =
            |turn: f64| ((lo - turn) / std::f64::consts::TAU).ceil() * std::f64::consts::TAU + turn <= hi;
        let quarter = std::f64::consts::FRAC_PI_2;
        let ends = |f: fn(f64) -> f64| [f(lo).min(f(hi)), f(lo).max(f(hi))];
        for (found, [low, high], top) in
            [(wide.sin(), ends(f64::sin), quarter), (wide.cos(), ends(f64::cos), 0.0)]
        {
            let expected =
                [if holds(top + 2.0 * quarter) { -1.0 } else { low }, if holds(top) { 1.0 } else { high }];
            let [found_lo, found_hi] = found.bounds();
            assert!(
                (found_lo - expected[0]).abs() < 1e-14 && (found_hi - expected[1]).abs() < 1e-14,
                "{seed}: {wide:?}"
            );
        }
    }
}

#[test]
fn angles_and_powers_enclose_the_values_of_series() {
    let cases = fewer(4_000, 4);
    let held = held(cases, |seed, _| {
        let mut results = 0;
        let random = &mut Random(seed);
        let (y, x) = (interval(random), interval(random));
        let found = y.atan2(x).bounds();
        let pick = |random: &mut Random, of: RealInterval| {
            let [lo, hi] = of.bounds();
            [lo, hi, of.middle()][random.below(3)]
        };
        let (a, b) = (pick(random, y), pick(random, x));
        if a != 0.0 || b != 0.0 {
            let truth = functions::atan2(&Dyadic::of(a), &Dyadic::of(b));
            assert!(
                truth.can_lie_in(found),
                "seed {seed}: atan2({a:e}, {b:e}) is not in {found:?} of {y:?}, {x:?}"
            );
            let point = RealInterval::point(a).atan2(RealInterval::point(b));
            assert_near(point, &truth, &|| format!("seed {seed}, atan2({a:e}, {b:e})"));
            results += 2;
        }
        let base = interval(random).abs();
        let c = RealInterval::point(random.within(-4.0, 4.0) * if random.one_in(5) { 1e3 } else { 1.0 });
        let (x, exponent) = (pick(random, base), pick(random, c));
        if x > 0.0
            && let Some(truth) = functions::pow(&Dyadic::of(x), &Dyadic::of(exponent))
        {
            let found = base.pow(c).bounds();
            assert!(
                truth.can_lie_in(found),
                "seed {seed}: {x:e}^{exponent:e} is not in {found:?} of {base:?}"
            );
            let point = RealInterval::point(x).pow(RealInterval::point(exponent));
            assert_near(point, &truth, &|| format!("seed {seed}, {x:e}^{exponent:e}"));
            results += 2;
        }
        results
    });
    println!("{held} results of angles and powers");
    assert!(5 * held > 13 * cases, "{held}");
}

/// A box, and points of it: corners, or random ones.
fn box_with_points(random: &mut Random) -> ([RealInterval; 3], Vec<[f64; 3]>) {
    let size = [1.0, 0.1, 1e-3, 1e-9, 0.0][random.below(5)];
    let variables = [(); 3].map(|()| {
        let at = if random.one_in(3) { random.dyadic(2.0) } else { 2.0 * random.side() };
        let to = at + size * random.side();
        RealInterval::new(at.min(to), at.max(to))
    });
    let point = |random: &mut Random| {
        variables.map(|x| {
            let [lo, hi] = x.bounds();
            match random.below(4) {
                0 => lo,
                1 => hi,
                _ => random.within(lo, hi).clamp(lo, hi),
            }
        })
    };
    let points = (0..4).map(|_| point(random)).collect();
    (variables, points)
}

#[test]
fn ranges_and_linear_bounds_of_random_formulas_enclose_true_values() {
    let (bounded, cases) = (AtomicU64::new(0), fewer(3_000, 3));
    let held = held(cases, |seed, memory| {
        let mut held = 0;
        let random = &mut Random(seed);
        let levels = 1 + random.below(5);
        let formula = formula(random, levels);
        let text = formula.text();
        // Its numbers may have no result.
        let Ok(f) = Expression::parse(&text, &["x", "y", "z"]) else { return 0 };
        for _ in 0..3 {
            let (variables, points) = box_with_points(random);
            let range = f.range(&variables, memory);
            let half = centre_and_half(&variables);
            let (gradient, rest, within) = f.linear(
                &half.map(|(centre, _)| RealInterval::point(centre)),
                &half.map(|(_, half)| half),
                memory,
            );
            let values = points.iter().filter_map(|at| Some((at, formula.at(&at.map(Enclosure::point))?)));
            for (at, value) in values {
                assert!(
                    value.can_lie_in(range.bounds()) && value.can_lie_in(within.bounds()),
                    "seed {seed}: {text} at {at:?} is {:e}, not in {range:?} and {within:?} on {variables:?}",
                    value.lo.to_f64()
                );
                held += 1;
                // f(x) - g.(x - c) lies in the remainder.
                let mut linear = Dyadic::whole(0);
                for i in 0..3 {
                    let step = Dyadic::of(at[i]).sub(&Dyadic::of(half[i].0));
                    linear = linear.add(&step.mul(&Dyadic::of(gradient[i])));
                }
                bounded.fetch_add(u64::from(gradient != [0.0; 3]), Ordering::Relaxed);
                let [lo, hi] = rest.bounds();
                let above = !lo.is_finite() || Dyadic::of(lo).add(&linear).is_at_most(&value.hi);
                let below = !hi.is_finite() || value.lo.is_at_most(&Dyadic::of(hi).add(&linear));
                assert!(
                    above && below,
                    "seed {seed}: {text} at {at:?} is {:e}, not {gradient:?} and {rest:?} on {variables:?}",
                    value.lo.to_f64()
                );
            }
        }
        held
    });
    let bounded = bounded.into_inner();
    println!("{held} values of formulas, each in two ranges and a linear function");
    assert!(
        held > 2 * cases && bounded > cases,
        "{held} values, {bounded} with a gradient, of {cases} formulas"
    );
}

#[test]
fn the_remainder_encloses_the_error_of_the_gradient() {
    let mut memory = TapeMemory::default();
    let mut of = |text: &str| {
        let f = Expression::parse(text, &["x", "y", "z"]).unwrap();
        let (gradient, rest, _) = f.linear(&[RealInterval::ZERO; 3], &[1.0; 3], &mut memory);
        (gradient, rest.bounds())
    };
    // A gradient of 1 is off by 2^-60.
    let (gradient, [lo, hi]) = of("x + x/2^60");
    let off = 2.0_f64.powi(-60);
    assert!(gradient == [1.0, 0.0, 0.0] && lo <= -off && off <= hi, "{gradient:?} [{lo}, {hi}]");
    // pi minus a number close to it has few known digits: pi exceeds its double by that much.
    let (gradient, [lo, hi]) = of("x/(pi - 3.14159265358979)");
    let near: f64 = "3.14159265358979".parse().unwrap();
    let slope = 1.0 / (std::f64::consts::PI - near + 1.224_646_799_147_353_2e-16);
    let off = slope - gradient[0];
    assert!(off.abs() > 1e-3 * slope, "the middle is no test");
    assert!(gradient[0] > 0.0 && lo <= off && off <= hi, "{gradient:?} [{lo}, {hi}] {slope}");
}

#[test]
fn reported_formula_faults_are_true() {
    let (mut at_points, mut between, mut none) = (0, 0, 0);
    for seed in 0..fewer(3_000, 4) {
        let random = &mut Random(seed);
        let levels = 1 + random.below(4);
        let formula = formula(random, levels);
        let text = formula.text();
        let Ok(f) = Expression::parse(&text, &["x", "y", "z"]) else { continue };
        let (variables, _) = box_with_points(random);
        let Err(error) = f.check(&variables.map(RealInterval::bounds)) else {
            none += 1;
            continue;
        };
        assert!(error.column <= text.len(), "{text}: {error}");
        let Some((_, place)) = error.what.split_once(" at (") else {
            assert!(error.what.contains(" between ("), "{text}: {error}");
            between += 1;
            continue;
        };
        let numbers = place.split_once(')').unwrap().0.split(", ").map(|x| x.parse::<f64>().unwrap());
        let numbers: Vec<f64> = numbers.collect();
        let at = [numbers[0], numbers[1], numbers[2]];
        assert!(at.iter().zip(variables).all(|(x, of)| of.contains(*x)), "{text}: {error}");
        let value = formula.at(&at.map(Enclosure::point));
        assert!(value.is_none(), "seed {seed}: {text} has a value: {error}");
        at_points += 1;
    }
    assert!(at_points > 35 && between > 2 && none > 180, "{at_points}, {between}, {none}");
}

/// The centre of a box and an upper bound of its half size.
fn centre_and_half(variables: &[RealInterval; 3]) -> [(f64, f64); 3] {
    variables.map(|variable| {
        let [lo, hi] = variable.bounds();
        let centre = variable.middle();
        (centre, (hi - centre).max(centre - lo) * (1.0 + 4.0 * f64::EPSILON) + f64::MIN_POSITIVE)
    })
}
