//! Random formulas: their text, and their values to hundreds of bits.

use chasles_testing::Random;

use super::{Dyadic, Enclosure, functions};

/// A formula as a tree.
#[derive(Debug, Clone)]
pub enum Formula {
    Number(f64),
    Pi,
    Variable(usize),
    Negative(Box<Self>),
    Binary(char, [Box<Self>; 2]),
    /// A power with a constant exponent.
    Power(Box<Self>, f64),
    Call(&'static str, Vec<Self>),
}

pub const UNARY: [&str; 10] = ["sqrt", "abs", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan"];

/// A formula with at most `levels` levels.
pub fn formula(random: &mut Random, levels: usize) -> Formula {
    let next = levels.saturating_sub(1);
    let inner = |random: &mut Random| Box::new(formula(random, next));
    if levels == 0 {
        return match random.below(6) {
            0 => Formula::Number(number(random)),
            1 if random.one_in(3) => Formula::Pi,
            _ => Formula::Variable(random.below(3)),
        };
    }
    match random.below(20) {
        0..=8 => {
            let sign = ['+', '-', '*', '*', '+', '/'][random.below(6)];
            // Sometimes the same operand twice, so that merged operations are tested.
            let first = inner(random);
            let second = if random.one_in(4) { first.clone() } else { inner(random) };
            Formula::Binary(sign, [first, second])
        }
        9 => Formula::Negative(inner(random)),
        10..=12 => {
            let exponents = [2.0, 2.0, 3.0, -1.0, -2.0, 0.5, 1.5, 4.0, 7.0, 0.0, 1.0, -0.5];
            Formula::Power(inner(random), exponents[random.below(exponents.len())])
        }
        13..=14 => {
            let name = ["min", "max"][random.below(2)];
            let count = 2 + random.below(2);
            Formula::Call(name, (0..count).map(|_| *inner(random)).collect())
        }
        15 => Formula::Call("atan2", vec![*inner(random), *inner(random)]),
        16 => {
            // A norm, of squares with numbers or without.
            let square = |random: &mut Random| {
                let square = Box::new(Formula::Power(inner(random), 2.0));
                match random.below(4) {
                    0 => Box::new(Formula::Binary('/', [square, Box::new(Formula::Number(number(random)))])),
                    1 => Box::new(Formula::Binary('*', [Box::new(Formula::Number(number(random))), square])),
                    _ => square,
                }
            };
            let sum = [square(random), square(random)];
            Formula::Call("sqrt", vec![Formula::Binary('+', sum)])
        }
        _ => Formula::Call(UNARY[random.below(UNARY.len())], vec![*inner(random)]),
    }
}

fn number(random: &mut Random) -> f64 {
    match random.below(4) {
        0 => random.below(4) as f64,
        1 => random.dyadic(2.0).abs(),
        2 => 10.0_f64.powf(random.within(-6.0, 3.0)),
        _ => random.unit(),
    }
}

impl Formula {
    /// The text, with every operation in parentheses.
    pub fn text(&self) -> String {
        match self {
            Self::Number(x) => format!("{x:e}"),
            Self::Pi => "pi".to_owned(),
            Self::Variable(i) => ["x", "y", "z"][*i].to_owned(),
            Self::Negative(of) => format!("(-{})", of.text()),
            Self::Binary(sign, [a, b]) => format!("({} {sign} {})", a.text(), b.text()),
            Self::Power(of, n) => format!("({}^{n})", of.text()),
            Self::Call(name, of) => {
                let of: Vec<_> = of.iter().map(Self::text).collect();
                format!("{name}({})", of.join(", "))
            }
        }
    }

    /// Its value at a point; `None` if it has no value, or is too close to a point without a value.
    pub fn at(&self, at: &[Enclosure; 3]) -> Option<Enclosure> {
        let value = match self {
            Self::Number(x) => Enclosure::point(*x),
            Self::Pi => functions::atan2(&Dyadic::whole(0), &Dyadic::whole(-1)),
            Self::Variable(i) => at[*i].clone(),
            Self::Negative(of) => of.at(at)?.neg(),
            Self::Binary(sign, [a, b]) => {
                let (a, b) = (a.at(at)?, b.at(at)?);
                match sign {
                    '+' => a.add(&b),
                    '-' => a.sub(&b),
                    '*' => a.mul(&b),
                    _ => a.div(&b)?,
                }
            }
            Self::Power(of, n) => power(&of.at(at)?, *n)?,
            Self::Call(name, of) => {
                let of: Option<Vec<_>> = of.iter().map(|of| of.at(at)).collect();
                call(name, &of?)?
            }
        };
        // Neither much too large nor much too close to 0 for the reference.
        let sound = value.hi.size().max(value.lo.size()) < 400 && value.hi.sub(&value.lo).size() < -150;
        sound.then_some(value)
    }
}

fn power(of: &Enclosure, n: f64) -> Option<Enclosure> {
    if n.fract() != 0.0 {
        if of.lo.sign().is_lt() {
            return None;
        }
        if of.hi.sign().is_eq() && n > 0.0 {
            return Some(of.clone());
        }
        if of.lo.sign().is_eq() {
            return None;
        }
        let c = Dyadic::of(n);
        return Some(functions::pow(&of.lo, &c)?.hull(&functions::pow(&of.hi, &c)?));
    }
    let one = Enclosure::point(1.0);
    let (mut whole, mut left) = (one.clone(), n.abs());
    while left > 0.0 {
        (whole, left) = (whole.mul(of), left - 1.0);
    }
    if n < 0.0 { one.div(&whole) } else { Some(whole) }
}

/// A function of a narrow enclosure.
fn call(name: &str, of: &[Enclosure]) -> Option<Enclosure> {
    let first = &of[0];
    let one = Dyadic::whole(1);
    let monotone = |f: fn(&Dyadic) -> Enclosure| Some(f(&first.lo).hull(&f(&first.hi)));
    let small = |size: i64| first.lo.size() < size && first.hi.size() < size;
    let unit = first.lo.abs().is_at_most(&one) && first.hi.abs().is_at_most(&one);
    match name {
        "sqrt" => first.sqrt(),
        "abs" => Some(first.abs()),
        "exp" if small(9) => monotone(functions::exp),
        "log" if first.lo.sign().is_gt() => monotone(functions::log),
        "sin" | "cos" if small(19) => {
            let i = usize::from(name == "cos");
            // Its slope is at most 1, so it changes by at most the width of the enclosure.
            let width = first.hi.sub(&first.lo);
            let [a, b] = [&first.lo, &first.hi].map(|x| functions::sin_cos(x)[i].clone());
            let hull = a.hull(&b);
            Some(Enclosure::new(&hull.lo.sub(&width), &hull.hi.add(&width)))
        }
        "tan" if small(19) => {
            let [a, b] = [&first.lo, &first.hi].map(functions::tan);
            Some(a?.hull(&b?))
        }
        "asin" if unit => monotone(functions::asin),
        "acos" if unit => monotone(functions::acos),
        "atan" => monotone(functions::atan),
        "atan2" => angle(first, &of[1]),
        "min" => Some(of[1..].iter().fold(first.clone(), |least, x| least.min(x))),
        "max" => Some(of[1..].iter().fold(first.clone(), |most, x| most.max(x))),
        _ => None,
    }
}

/// The angle of (x, y); `None` at the origin, or if errors can cross the cut.
fn angle(y: &Enclosure, x: &Enclosure) -> Option<Enclosure> {
    let exact = y.lo.compare(&y.hi).is_eq();
    if y.has_zero() && !exact && !x.lo.sign().is_gt() || y.has_zero() && x.has_zero() {
        return None;
    }
    let corners = [(&y.lo, &x.lo), (&y.lo, &x.hi), (&y.hi, &x.lo), (&y.hi, &x.hi)];
    let angles = corners.map(|(y, x)| functions::atan2(y, x));
    Some(angles[1..].iter().fold(angles[0].clone(), |hull, angle| hull.hull(angle)))
}
