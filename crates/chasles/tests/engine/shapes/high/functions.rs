//! exp, log and the trigonometric functions to more than 200 bits, by series in fixed point.

use std::sync::LazyLock;

use num_bigint::{BigInt, Sign};

use super::{Dyadic, Enclosure};

/// Fractional bits.
const F: i64 = 320;
/// Numbers this small equal their sines, to 200 bits.
const SMALL: i64 = -100;
/// An upper bound of the error of a result in units of 2^-F: quotients have 280 bits, a hundred terms and a few
/// squarings lose less.
static ERROR: LazyLock<BigInt> = LazyLock::new(|| BigInt::from(1) << 60);
static ONE: LazyLock<BigInt> = LazyLock::new(|| BigInt::from(1) << F);
/// pi by Machin's formula.
static PI: LazyLock<BigInt> = LazyLock::new(|| 4 * (4 * inverse_tangent(5) - inverse_tangent(239)));
/// log 2 = 2 atanh(1/3).
static LOG_2: LazyLock<BigInt> = LazyLock::new(|| 2 * odd_series(&(&*ONE / 3), 1));

fn times(a: &BigInt, b: &BigInt) -> BigInt {
    (a * b) >> F
}

/// atan(1/n).
fn inverse_tangent(n: i64) -> BigInt {
    odd_series(&(&*ONE / n), -1)
}

/// x + sign x^3/3 + sign^2 x^5/5 + .., for |x| <= 1/3.
fn odd_series(x: &BigInt, sign: i64) -> BigInt {
    let square = times(x, x) * sign;
    let (mut sum, mut power, mut n) = (x.clone(), x.clone(), 1_i64);
    loop {
        power = times(&power, &square);
        n += 2;
        let term: BigInt = &power / n;
        if term.sign() == Sign::NoSign {
            return sum;
        }
        sum += term;
    }
}

/// e^x for |x| < 2000.
pub fn exp(x: &Dyadic) -> Enclosure {
    let x = x.fixed(F);
    let k: BigInt = &x / &*LOG_2;
    let reduced: BigInt = (&x - &k * &*LOG_2) >> 8;
    let (mut sum, mut term, mut n) = (ONE.clone(), ONE.clone(), 0);
    loop {
        n += 1;
        term = times(&term, &reduced) / n;
        // Negative numbers are rounded down, finally to -1.
        if term.bits() <= 1 {
            break;
        }
        sum += &term;
    }
    for _ in 0..8 {
        sum = times(&sum, &sum);
    }
    Enclosure::near(&sum, i64::try_from(k).unwrap() - F, &ERROR)
}

/// log x for x > 0.
pub fn log(x: &Dyadic) -> Enclosure {
    assert!(x.sign().is_gt());
    // In [1/2, 1), or up to 4/3 of that.
    let mut exponent = x.size();
    let mut y = Dyadic::new(x.m.clone(), x.e - exponent).fixed(F);
    if 4 * &y < 3 * &*ONE {
        (y, exponent) = (y * 2, exponent - 1);
    }
    let part = ((&y - &*ONE) << F) / (&y + &*ONE);
    Enclosure::near(&(2 * odd_series(&part, 1) + &*LOG_2 * exponent), -F, &ERROR)
}

/// sin x and cos x for |x| < 2^20.
pub fn sin_cos(x: &Dyadic) -> [Enclosure; 2] {
    let fixed = x.fixed(F);
    let half: BigInt = &*PI >> 1;
    let n: BigInt = (2 * &fixed + &half) / (2 * &half);
    let r = &fixed - &n * &half;
    let square = -times(&r, &r);
    let series = |first: &BigInt, start: i64| {
        let (mut sum, mut term, mut n) = (first.clone(), first.clone(), start);
        loop {
            term = times(&term, &square) / ((n + 1) * (n + 2));
            n += 2;
            if term.bits() <= 1 {
                return sum;
            }
            sum += &term;
        }
    };
    let (sin, cos) = (series(&r, 1), series(&ONE, 0));
    let quarter = i64::try_from(&n & BigInt::from(3)).unwrap();
    let (sin, cos) = match quarter {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    };
    let cos = Enclosure::near(&cos, -F, &ERROR);
    [if x.size() < SMALL { shrunk(x) } else { Enclosure::near(&sin, -F, &ERROR) }, cos]
}

/// From x down to x (1 - 2^-190) in magnitude.
fn shrunk(x: &Dyadic) -> Enclosure {
    let less = x.sub(&x.mul(&Dyadic::new(1.into(), -190)));
    if x.sign().is_lt() {
        Enclosure { lo: x.clone(), hi: less }
    } else {
        Enclosure { lo: less, hi: x.clone() }
    }
}

/// From x up to x (1 + 2^-190) in magnitude.
fn grown(x: &Dyadic) -> Enclosure {
    let more = x.add(&x.mul(&Dyadic::new(1.into(), -190)));
    if x.sign().is_lt() {
        Enclosure { lo: more, hi: x.clone() }
    } else {
        Enclosure { lo: x.clone(), hi: more }
    }
}

/// tan x for |x| < 2^20; `None` next to a pole.
pub fn tan(x: &Dyadic) -> Option<Enclosure> {
    if x.size() < SMALL {
        return Some(grown(x));
    }
    let [sin, cos] = sin_cos(x);
    sin.div(&cos)
}

/// atan of a number in [0, 1] in fixed point.
fn arc(t: &BigInt) -> BigInt {
    let mut t = t.clone();
    for _ in 0..3 {
        let root = ((&*ONE << F) + &t * &t).sqrt();
        t = (&t << F) / (&*ONE + root);
    }
    8 * odd_series(&t, -1)
}

/// The angle of (x, y), not both 0.
pub fn atan2(y: &Dyadic, x: &Dyadic) -> Enclosure {
    if y.sign().is_lt() {
        return atan2(&y.neg(), x).neg();
    }
    let pi = Enclosure::near(&PI, -F, &ERROR);
    if x.sign().is_lt() {
        return pi.sub(&atan2(y, &x.neg()));
    }
    if x.is_at_most(y) && !x.compare(y).is_eq() {
        return Enclosure::near(&(&*PI >> 1), -F, &ERROR).sub(&atan2(x, y));
    }
    if y.sign().is_eq() {
        return Enclosure { lo: y.clone(), hi: y.clone() };
    }
    let quotient = Enclosure { lo: y.clone(), hi: y.clone() };
    let quotient = quotient.div(&Enclosure { lo: x.clone(), hi: x.clone() }).unwrap();
    if quotient.hi.size() < SMALL {
        return Enclosure { lo: shrunk(&quotient.lo).lo, hi: quotient.hi };
    }
    Enclosure::near(&arc(&quotient.lo.fixed(F)), -F, &ERROR)
}

pub fn atan(x: &Dyadic) -> Enclosure {
    if x.size() < SMALL { shrunk(x) } else { atan2(x, &Dyadic::whole(1)) }
}

/// sqrt(1 - x^2), for |x| <= 1.
fn across(x: &Dyadic) -> Enclosure {
    let rest = Dyadic::whole(1).sub(&x.mul(x));
    Enclosure { lo: rest.clone(), hi: rest }.sqrt().unwrap()
}

/// asin x for |x| <= 1.
pub fn asin(x: &Dyadic) -> Enclosure {
    if x.size() < SMALL {
        return grown(x);
    }
    let across = across(x);
    // Moving x of the point by its error moves the angle by at most twice that error.
    atan2(x, &across.lo).hull(&atan2(x, &across.hi))
}

/// acos x for |x| <= 1.
pub fn acos(x: &Dyadic) -> Enclosure {
    if Dyadic::whole(1).compare(x).is_eq() {
        return Enclosure { lo: Dyadic::whole(0), hi: Dyadic::whole(0) };
    }
    let across = across(x);
    atan2(&across.lo, x).hull(&atan2(&across.hi, x))
}

/// x^c for x > 0; `None` if it is beyond 2^±2000.
pub fn pow(x: &Dyadic, c: &Dyadic) -> Option<Enclosure> {
    let power = log(x).mul(&Enclosure { lo: c.clone(), hi: c.clone() });
    let fits = |end: &Dyadic| end.size() < 10;
    (fits(&power.lo) && fits(&power.hi)).then(|| exp(&power.lo).hull(&exp(&power.hi)))
}
