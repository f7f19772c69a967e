//! Formulas over a box as linear functions with a remainder.
//!
//! Over a box with centre c and half sizes h, every operation is a linear function g·d of d = x - c, with |d| <= h in
//! each component, plus a remainder in an interval. Sums of linear functions lose only rounding, whatever variables
//! they share. Products and functions of one operand use Taylor's theorem about the middle of the operand, so that the
//! remainder shrinks with the square of the box's size and contains only second derivatives. If a function has no
//! bounded second derivative, the first derivative is used (mean value theorem); if that is unbounded too, the range
//! is used.
//!
//! The gradient need not be exact: the remainder contains its rounding error.

use super::tape::{Operation, Tape, TapeNode};
use crate::math::interval::RealInterval;

/// An operation over a box: g·d + r, with r in an interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AffineBound {
    pub(crate) gradient: [f64; 3],
    pub(crate) rest: RealInterval,
    /// An enclosure of its values.
    pub(crate) range: RealInterval,
    /// An upper bound of |g·d|.
    reach: f64,
}

/// The rounding error of a sum of products is less than this fraction of the sum of their absolute values.
const ROUNDINGS: f64 = 8.0 * f64::EPSILON;

type Real = RealInterval;

fn point(x: f64) -> Real {
    Real::point(x)
}

/// The interval [-x, x].
fn around(x: f64) -> Real {
    Real::new(-x, x)
}

fn is_bounded(x: Real) -> bool {
    x.lo.is_finite() && x.hi.is_finite()
}

/// An upper bound of |g·d|.
fn reach_of(gradient: [f64; 3], half: &[f64; 3]) -> f64 {
    let [a, b, c] = [0, 1, 2].map(|i| if gradient[i] == 0.0 { 0.0 } else { gradient[i].abs() * half[i] });
    (a + b + c) * (1.0 + ROUNDINGS) + f64::MIN_POSITIVE
}

impl AffineBound {
    /// A range alone.
    fn flat(range: Real) -> Self {
        Self { gradient: [0.0; 3], rest: range, range, reach: 0.0 }
    }

    /// A linear function whose gradient has the rounding error of terms with magnitude up to `terms`. `natural` is
    /// another enclosure of its values.
    fn new(gradient: [f64; 3], rest: Real, natural: Real, terms: f64, half: &[f64; 3]) -> Self {
        let reach = reach_of(gradient, half);
        let rest = rest + around(ROUNDINGS * terms);
        let linear = rest + around(reach);
        if !is_bounded(linear) {
            return Self::flat(natural);
        }
        Self { gradient, rest, range: natural.intersection(linear), reach }
    }

    fn scaled(&self, factor: f64) -> [f64; 3] {
        self.gradient.map(|g| factor * g)
    }

    /// An enclosure of its difference from a number.
    fn rise_from(&self, middle: f64) -> Real {
        (self.rest - point(middle) + around(self.reach)).intersection(self.range - point(middle))
    }

    /// A number in its range, near the middle.
    fn middle(&self) -> f64 {
        self.rest.middle().max(self.range.lo).min(self.range.hi)
    }
}

/// The last operation of a tape over a box with the given half sizes, whose centre is certainly in `centre`.
pub(crate) fn linear(
    tape: &Tape,
    centre: &[Real; 3],
    half: &[f64; 3],
    memory: &mut Vec<AffineBound>,
) -> AffineBound {
    memory.clear();
    let variables = [0, 1, 2].map(|i| centre[i] + around(half[i]));
    for node in &tape.nodes {
        let natural = node.operation.range(&variables, |at| memory[at as usize].range);
        let next = if node.mask == 0 {
            AffineBound::flat(natural)
        } else if let Operation::Variable(i) = node.operation {
            let i = usize::from(i % 3);
            let mut gradient = [0.0; 3];
            gradient[i] = 1.0;
            AffineBound { gradient, rest: centre[i], range: variables[i], reach: half[i] }
        } else {
            operation(tape, node, natural, memory, half)
        };
        memory.push(next);
    }
    memory.last().copied().unwrap_or(AffineBound::flat(Real::WHOLE))
}

fn operation(
    tape: &Tape,
    node: &TapeNode,
    natural: Real,
    known: &[AffineBound],
    half: &[f64; 3],
) -> AffineBound {
    use Operation as Op;
    let of = |at: u32| &known[at as usize];
    let new = |gradient, rest, terms| AffineBound::new(gradient, rest, natural, terms, half);
    let one = Real::ONE;
    let chained = |a: u32, functions: &Functions<'_>| chain(of(a), natural, functions, half);
    match node.operation {
        Op::Constant(_) | Op::Variable(_) => AffineBound::flat(natural),
        Op::Add(a, b) => {
            let (a, b) = (of(a), of(b));
            let gradient = [0, 1, 2].map(|i| a.gradient[i] + b.gradient[i]);
            new(gradient, a.rest + b.rest, a.reach + b.reach)
        }
        Op::Subtract(a, b) => {
            let (a, b) = (of(a), of(b));
            let gradient = [0, 1, 2].map(|i| a.gradient[i] - b.gradient[i]);
            new(gradient, a.rest - b.rest, a.reach + b.reach)
        }
        Op::Negate(a) => new(of(a).scaled(-1.0), -of(a).rest, 0.0),
        Op::Multiply(a, b) => product(of(a), of(b), natural, half),
        Op::Divide(a, b) if tape.nodes[b as usize].mask == 0 => {
            let (a, number) = (of(a), of(b).range);
            let reciprocal = one / number;
            if !is_bounded(reciprocal) {
                return AffineBound::flat(natural);
            }
            let factor = reciprocal.middle();
            let off = (reciprocal - point(factor)) * around(a.reach);
            new(a.scaled(factor), a.rest / number + off, (factor * a.reach).abs())
        }
        Op::Divide(a, b) => {
            let b = of(b);
            let quotient = Functions {
                value: &|x| one / x,
                slope: &|x| -(one / x.sqr()),
                curve: &|x| point(2.0) / x.powi(3.0),
            };
            let reciprocal = chain(b, one / b.range, &quotient, half);
            product(of(a), &reciprocal, natural, half)
        }
        Op::Square(a) => {
            let a = of(a);
            let middle = a.middle();
            // a^2 = m^2 + 2 m (a - m) + (a - m)^2
            let rise = a.rise_from(middle);
            let twice = 2.0 * middle;
            let rest = point(middle).sqr() + point(twice) * (a.rest - point(middle)) + rise.sqr();
            new(a.scaled(twice), rest, (twice * a.reach).abs())
        }
        Op::Power(a, n) if n.abs() < 9e15 => chained(
            a,
            &Functions {
                value: &|x| x.powi(n),
                slope: &|x| point(n) * x.powi(n - 1.0),
                curve: &|x| point(n) * point(n - 1.0) * x.powi(n - 2.0),
            },
        ),
        Op::Power(..) => AffineBound::flat(natural),
        Op::RealPower(a, c) => chained(
            a,
            &Functions {
                value: &|x| x.pow(c),
                slope: &|x| c * x.pow(c - one),
                curve: &|x| c * (c - one) * x.pow(c - point(2.0)),
            },
        ),
        Op::Sqrt(a) => chained(a, &ROOT),
        Op::Norm(sum, [from, to]) => {
            let by_root = chained(sum, &ROOT);
            if by_root.gradient != [0.0; 3] {
                return by_root;
            }
            // The ratio of a term to a norm is at most 1, even if the norm is 0.
            let (mut gradient, mut rest, mut terms) = ([0.0; 3], Real::ZERO, 0.0);
            let mut about = Real::ZERO;
            for at in &tape.squares[from as usize..to as usize] {
                let term = of(*at);
                let middle = term.middle();
                about = about + point(middle).sqr();
                let ratio = (term.range / natural).intersection(Real::UNIT);
                let slope = ratio.middle();
                rest = rest
                    + point(slope) * (term.rest - point(middle))
                    + (ratio - point(slope)) * term.rise_from(middle);
                gradient = [0, 1, 2].map(|i| gradient[i] + slope * term.gradient[i]);
                terms += slope.abs() * term.reach;
            }
            // Constants in the sum are not terms; if there are any, use the range.
            let numbers = of(sum).range.lo > 0.0;
            if numbers { AffineBound::flat(natural) } else { new(gradient, rest + about.sqrt(), terms) }
        }
        Op::Abs(a) if of(a).range.lo >= 0.0 => *of(a),
        Op::Abs(a) if of(a).range.hi <= 0.0 => new(of(a).scaled(-1.0), -of(a).rest, 0.0),
        Op::Abs(a) => {
            chained(a, &Functions { value: &Real::abs, slope: &|_| Real::UNIT, curve: &|_| Real::WHOLE })
        }
        Op::Exp(a) => chained(a, &Functions { value: &Real::exp, slope: &Real::exp, curve: &Real::exp }),
        Op::Log(a) => {
            chained(a, &Functions { value: &Real::log, slope: &|x| one / x, curve: &|x| -(one / x.sqr()) })
        }
        Op::Sin(a) => chained(a, &Functions { value: &Real::sin, slope: &Real::cos, curve: &|x| -x.sin() }),
        Op::Cos(a) => {
            chained(a, &Functions { value: &Real::cos, slope: &|x| -x.sin(), curve: &|x| -x.cos() })
        }
        Op::Tan(a) => chained(
            a,
            &Functions {
                value: &Real::tan,
                slope: &|x| one + x.tan().sqr(),
                curve: &|x| point(2.0) * x.tan() * (one + x.tan().sqr()),
            },
        ),
        Op::Asin(a) => chained(a, &Functions { value: &Real::asin, slope: &asin_slope, curve: &asin_curve }),
        Op::Acos(a) => chained(
            a,
            &Functions { value: &Real::acos, slope: &|x| -asin_slope(x), curve: &|x| -asin_curve(x) },
        ),
        Op::Atan(a) => chained(
            a,
            &Functions {
                value: &Real::atan,
                slope: &|x| one / (one + x.sqr()),
                curve: &|x| point(-2.0) * x / (one + x.sqr()).sqr(),
            },
        ),
        Op::Atan2(y, x) => angle(of(y), of(x), natural, half),
        Op::Min(a, b) => {
            let [a, b] = [of(a), of(b)].map(|of| AffineBound {
                gradient: of.scaled(-1.0),
                rest: -of.rest,
                range: -of.range,
                ..*of
            });
            let most = greater(&a, &b, -natural, half);
            AffineBound { gradient: most.scaled(-1.0), rest: -most.rest, range: -most.range, ..most }
        }
        Op::Max(a, b) => greater(of(a), of(b), natural, half),
    }
}

/// A function of one operand, with its first and second derivative.
struct Functions<'f> {
    value: &'f dyn Fn(Real) -> Real,
    slope: &'f dyn Fn(Real) -> Real,
    curve: &'f dyn Fn(Real) -> Real,
}

const ROOT: Functions<'static> = Functions {
    value: &Real::sqrt,
    slope: &|x| Real::ONE / Real::sqrt(x).doubled(),
    curve: &|x| point(-0.25) / (x * Real::sqrt(x)),
};

fn asin_slope(x: Real) -> Real {
    Real::ONE / (Real::ONE - x.sqr()).sqrt()
}

fn asin_curve(x: Real) -> Real {
    let rest = Real::ONE - x.sqr();
    x / (rest * rest.sqrt())
}

/// A function of an operand, expanded about the middle of the operand.
fn chain(a: &AffineBound, natural: Real, functions: &Functions<'_>, half: &[f64; 3]) -> AffineBound {
    let middle = a.middle();
    let at = point(middle);
    let value = (functions.value)(at);
    let rise = a.rise_from(middle);
    let (middle_slope, curve) = ((functions.slope)(at), (functions.curve)(a.range));
    let second = is_bounded(middle_slope) && is_bounded(curve);
    let slopes = if second { middle_slope } else { (functions.slope)(a.range) };
    if !is_bounded(value) || !is_bounded(slopes) {
        return AffineBound::flat(natural);
    }
    let slope = slopes.middle();
    let mut rest = value + point(slope) * (a.rest - at) + (slopes - point(slope)) * rise;
    if second {
        rest = rest + point(0.5) * curve * rise.sqr();
    }
    AffineBound::new(a.scaled(slope), rest, natural, (slope * a.reach).abs(), half)
}

/// (p + u) (q + v) = p q + p v + q u + u v, with p and q near the middles of both.
fn product(a: &AffineBound, b: &AffineBound, natural: Real, half: &[f64; 3]) -> AffineBound {
    let (p, q) = (a.middle(), b.middle());
    let is_number = |of: &AffineBound| of.gradient == [0.0; 3] && of.rest.is_point();
    if is_number(a) || is_number(b) {
        let (number, other) = if is_number(a) { (a.rest, b) } else { (b.rest, a) };
        let factor = number.lo;
        return AffineBound::new(
            other.scaled(factor),
            number * other.rest,
            natural,
            (factor * other.reach).abs(),
            half,
        );
    }
    let (u, v) = (a.rise_from(p), b.rise_from(q));
    let gradient = [0, 1, 2].map(|i| p * b.gradient[i] + q * a.gradient[i]);
    let rest = point(p) * b.rest + point(q) * (a.rest - point(p)) + u * v;
    AffineBound::new(gradient, rest, natural, (p * b.reach).abs() + (q * a.reach).abs(), half)
}

/// The angle of (x, y), by the mean value theorem.
fn angle(y: &AffineBound, x: &AffineBound, natural: Real, half: &[f64; 3]) -> AffineBound {
    if y.range.angle_jumps(x.range) {
        return AffineBound::flat(natural);
    }
    let length = x.range.sqr() + y.range.sqr();
    let slopes = [x.range / length, -(y.range / length)];
    if !slopes.into_iter().all(is_bounded) {
        return AffineBound::flat(natural);
    }
    let (at_y, at_x) = (y.middle(), x.middle());
    let [along_y, along_x] = slopes.map(Real::middle);
    let rest = point(at_y).atan2(point(at_x))
        + point(along_y) * (y.rest - point(at_y))
        + (slopes[0] - point(along_y)) * y.rise_from(at_y)
        + point(along_x) * (x.rest - point(at_x))
        + (slopes[1] - point(along_x)) * x.rise_from(at_x);
    let gradient = [0, 1, 2].map(|i| along_y * y.gradient[i] + along_x * x.gradient[i]);
    let terms = (along_y * y.reach).abs() + (along_x * x.reach).abs();
    AffineBound::new(gradient, rest, natural, terms, half)
}

/// The maximum of two: that operand, if it is known; otherwise both remainders about the mean of the gradients.
fn greater(a: &AffineBound, b: &AffineBound, natural: Real, half: &[f64; 3]) -> AffineBound {
    let difference = {
        let gradient = [0, 1, 2].map(|i| a.gradient[i] - b.gradient[i]);
        AffineBound::new(gradient, a.rest - b.rest, a.range - b.range, a.reach + b.reach, half)
    };
    if difference.range.lo >= 0.0 {
        return AffineBound { range: a.range.intersection(natural), ..*a };
    }
    if difference.range.hi <= 0.0 {
        return AffineBound { range: b.range.intersection(natural), ..*b };
    }
    let gradient = [0, 1, 2].map(|i| 0.5 * a.gradient[i] + 0.5 * b.gradient[i]);
    let [of_a, of_b] = [a, b].map(|of| {
        let off = [0, 1, 2].map(|i| of.gradient[i] - gradient[i]);
        of.rest + around(reach_of(off, half))
    });
    AffineBound::new(gradient, of_a.max(of_b), natural, a.reach + b.reach, half)
}
