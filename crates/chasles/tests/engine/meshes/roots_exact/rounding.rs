//! The bounds of rounding and of curvature of screw functions, against sums of two doubles and exact arithmetic.

use crate::cases::{count, fewer};
use crate::exact::families::{FAMILIES, Question, angle, moment, question, size, span};
use crate::exact::{Exact, basis, distance, double, pair, time, times};
use chasles::math::screw_function::{Basis, ScrewFunction};
use chasles_testing::Random;
use num_bigint::BigInt;

/// x y without rounding, as a sum of two doubles (Dekker's product): for |x|, |y| < 1e150 and products above 1e-290.
fn product(x: f64, y: f64) -> [f64; 2] {
    let halves = |x: f64| {
        let c = 134_217_729.0 * x;
        let high = c - (c - x);
        [high, x - high]
    };
    let ([a, b], [c, d]) = (halves(x), halves(y));
    let high = x * y;
    [high, b * d - (((high - a * c) - b * c) - a * d)]
}

/// The sum of all terms, to about 2^-100 of the largest: Knuth's sum of two, the errors added at the end.
fn sum(terms: impl IntoIterator<Item = f64>) -> [f64; 2] {
    let (mut high, mut low) = (0.0_f64, 0.0);
    for x in terms {
        let total = high + x;
        let back = total - high;
        low += (high - (total - back)) + (x - back);
        high = total;
    }
    [high, low]
}

/// The functions 1, t, sigma, kappa, t sigma, t kappa of the time, or their derivatives, each a sum of two doubles.
fn exact_terms(b: f64, t: f64) -> [[[f64; 2]; 6]; 2] {
    let (one, tt) = (time(1.0), time(t));
    let [sigma, kappa, cos] = basis(&time(b), &tt);
    let (t_sigma, t_kappa) = (times(&tt, &sigma), times(&tt, &kappa));
    let slopes = [
        BigInt::ZERO,
        one.clone(),
        cos.clone(),
        sigma.clone(),
        &sigma + times(&tt, &cos),
        &kappa + times(&tt, &sigma),
    ];
    let values = [one, tt, sigma, kappa, t_sigma, t_kappa];
    [values.map(|x| pair(&x)), slopes.map(|x| pair(&x))]
}

/// `computed` - the exact combination of the terms.
fn deviation(computed: f64, e: &[f64; 6], terms: &[[f64; 2]; 6]) -> f64 {
    let parts = e.iter().zip(terms).flat_map(|(e, [high, low])| {
        let [x, y] = product(*e, *high);
        [-x, -y, -e * low]
    });
    let [high, low] = sum(std::iter::once(computed).chain(parts));
    (high + low).abs()
}

#[test]
fn rounding_is_within_its_bounds() {
    let mut worst = [0.0_f64; 2];
    for seed in 0..count(5000) {
        let random = &mut Random(seed ^ 0x0726_0171);
        let b = angle(random);
        let hi = if random.below(4) == 0 { span(random).1 } else { 1.0 };
        let t = if random.below(3) == 0 { hi } else { hi * moment(random) };
        // Below 1e-290 an error of a product is no double any more.
        let t = if t < 1e-30 { 0.0 } else { t };
        let terms = exact_terms(b, t);
        let computed = Basis::at(b, t);
        for _ in 0..60 {
            let decades = [0.0, 1.0, 12.0][random.below(3)];
            let used = 1 + random.below(63);
            let mut e = [0.0; 6];
            for (i, e) in e.iter_mut().enumerate().filter(|(i, _)| used >> i & 1 == 1) {
                *e = 10.0_f64.powf(random.within(-decades, decades)) * random.within(-1.0, 1.0);
                // Half of the time a value that cancels to almost nothing.
                if i == 0 && random.below(2) == 0 {
                    *e = 0.0;
                }
            }
            let mut f = ScrewFunction { e, b };
            if random.below(2) == 0 {
                f.e[0] -= f.value(&computed);
            }
            let found = [
                (deviation(f.value(&computed), &f.e, &terms[0]), f.rounding(hi)),
                (deviation(f.slope(&computed), &f.e, &terms[1]), f.slope_rounding(hi)),
            ];
            for (worst, (found, bound)) in worst.iter_mut().zip(found) {
                assert!(found <= bound, "{found:e} > {bound:e} at t = {t:e}, hi = {hi:e}: {f:?}");
                if bound > 0.0 {
                    *worst = worst.max(found / bound);
                }
            }
        }
    }
    println!("largest fraction of the bounds of rounding: value {:.3}, slope {:.3}", worst[0], worst[1]);
    assert!(worst.iter().all(|fraction| *fraction > 0.05), "the bounds say something: {worst:?}");
}

#[test]
fn the_sums_of_two_doubles_agree_with_the_big_numbers() {
    for seed in 0..fewer(3000, 3) {
        let random = &mut Random(seed);
        let family = FAMILIES[random.below(FAMILIES.len())];
        let (name, f) = (family.0, question(family, seed + 6_000_000).f);
        let t = moment(random).max(1e-30);
        let (computed, terms, exact) = (Basis::at(f.b, t), exact_terms(f.b, t), Exact::new(&f));
        let [value, slope, _, _] = exact.at(&time(t));
        for (found, reference, terms) in
            [(f.value(&computed), value, terms[0]), (f.slope(&computed), slope, terms[1])]
        {
            let [big, small] = [distance(&exact, found, &reference), deviation(found, &f.e, &terms)];
            assert!(
                (big - small).abs() <= 1e-12 * big + 1e-28 * size(&f),
                "{name}, {seed}: {big:e}, {small:e}"
            );
            assert!(big <= f.rounding(1.0).max(f.slope_rounding(1.0)), "{name}, {seed}: {big:e}, {f:?}");
        }
    }
}

/// Up to the rounding of the bound itself, which the finder covers by the rounding of the slope: if the terms of f''
/// cancel at both ends of a short interval, the bound can be zero and f'' a few roundings.
#[test]
fn the_curvature_is_within_its_bound() {
    let (mut beyond, mut worst) = (0, 0.0_f64);
    for family in FAMILIES {
        for seed in 0..count(150) {
            let mut question = question(family, seed + 2_000_000);
            if seed % 3 == 0 {
                // P = 2 e4 + e3 + e5 t and Q = 2 e5 - b^2 (e2 + e4 t) are zero at one time, as nearly as doubles get.
                let (ScrewFunction { e, b }, t) = (&mut question.f, question.span.0);
                e[5] = 0.5 * *b * *b * (e[2] + e[4] * t);
                e[3] = -(2.0 * e[4] + e[5] * t);
                question.span.1 = if seed % 2 == 0 { t } else { t.next_up() };
            }
            let (Question { f, span: (lo, hi), .. }, random) = (question, &mut Random(seed));
            if size(&f) < 1e-290 {
                continue;
            }
            let exact = Exact::new(&f);
            let [bound, rounding] =
                [f.curvature_bound(lo, hi), f.slope_rounding(hi)].map(|x| double(&exact.level(x)));
            for t in [lo, hi, lo + random.unit() * (hi - lo), lo + random.unit() * (hi - lo)] {
                let [_, _, bend, _] = exact.at(&time(t.min(hi)));
                let excess = double(&bend).abs() - bound;
                // The finder multiplies it by half the span, and adds the rounding of the slope.
                let fraction = hi * excess / rounding;
                assert!(
                    excess <= 1e-80 || fraction <= 0.5,
                    "{excess:e} above {bound:e}, t = {t:e}: {question:?}"
                );
                if excess > 1e-80 {
                    (beyond, worst) = (beyond + 1, worst.max(fraction));
                }
            }
        }
    }
    println!("beyond the bound of curvature: {beyond}, by at most {worst:.3} of the rounding of the slope");
}
