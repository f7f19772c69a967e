//! The value and the gradient of a tape at a point, rounded: an estimate without a proof.
//!
//! Every operation carries its value and its derivatives along (forward-mode differentiation). If an operation has
//! no derivative, like |x| at 0 or the maximum of two equal numbers, the gradient is NaN.

use super::tape::{Operation, Tape};

/// A value, and its partial derivatives.
pub(crate) type Slope = [f64; 4];

/// The derivatives of `a` x + `b` y, after the given value.
fn sum(value: f64, a: f64, x: &Slope, b: f64, y: &Slope) -> Slope {
    [value, a * x[1] + b * y[1], a * x[2] + b * y[2], a * x[3] + b * y[3]]
}

/// A function of one operand, given its value and its derivative.
fn chain(value: f64, derivative: f64, x: &Slope) -> Slope {
    [value, derivative * x[1], derivative * x[2], derivative * x[3]]
}

/// The first or the second of two; if they are equal, the gradient is NaN.
fn selected(first: bool, x: &Slope, y: &Slope) -> Slope {
    if x[0] == y[0] { [x[0], f64::NAN, f64::NAN, f64::NAN] } else { *if first { x } else { y } }
}

/// The last operation of a tape at a point.
pub(crate) fn slope(tape: &Tape, at: &[f64; 3], memory: &mut Vec<Slope>) -> Slope {
    use Operation as Op;
    memory.clear();
    for node in &tape.nodes {
        let of = |place: u32| &memory[place as usize];
        let next = match node.operation {
            Op::Constant(value) => [value.middle(), 0.0, 0.0, 0.0],
            Op::Variable(i) => {
                let i = usize::from(i % 3);
                let along = |axis: usize| if axis == i { 1.0 } else { 0.0 };
                [at[i], along(0), along(1), along(2)]
            }
            Op::Add(a, b) => sum(of(a)[0] + of(b)[0], 1.0, of(a), 1.0, of(b)),
            Op::Subtract(a, b) => sum(of(a)[0] - of(b)[0], 1.0, of(a), -1.0, of(b)),
            Op::Multiply(a, b) => {
                let (x, y) = (of(a), of(b));
                sum(x[0] * y[0], y[0], x, x[0], y)
            }
            Op::Divide(a, b) => {
                let (x, y) = (of(a), of(b));
                let quotient = x[0] / y[0];
                sum(quotient, 1.0 / y[0], x, -quotient / y[0], y)
            }
            Op::Negate(a) => chain(-of(a)[0], -1.0, of(a)),
            Op::Square(a) => chain(of(a)[0] * of(a)[0], 2.0 * of(a)[0], of(a)),
            Op::Power(a, n) => {
                let x = of(a);
                chain(libm::pow(x[0], n), n * libm::pow(x[0], n - 1.0), x)
            }
            Op::RealPower(a, c) => {
                let (x, c) = (of(a), c.middle());
                chain(libm::pow(x[0], c), c * libm::pow(x[0], c - 1.0), x)
            }
            Op::Sqrt(a) | Op::Norm(a, _) => {
                let root = of(a)[0].sqrt();
                chain(root, 0.5 / root, of(a))
            }
            Op::Abs(a) => {
                let x = of(a);
                let sign = if x[0] == 0.0 { f64::NAN } else { x[0].signum() };
                chain(x[0].abs(), sign, x)
            }
            Op::Exp(a) => {
                let value = libm::exp(of(a)[0]);
                chain(value, value, of(a))
            }
            Op::Log(a) => chain(libm::log(of(a)[0]), 1.0 / of(a)[0], of(a)),
            Op::Sin(a) => {
                let (sine, cosine) = libm::sincos(of(a)[0]);
                chain(sine, cosine, of(a))
            }
            Op::Cos(a) => {
                let (sine, cosine) = libm::sincos(of(a)[0]);
                chain(cosine, -sine, of(a))
            }
            Op::Tan(a) => {
                let value = libm::tan(of(a)[0]);
                chain(value, 1.0 + value * value, of(a))
            }
            Op::Asin(a) | Op::Acos(a) => {
                let x = of(a);
                let derivative = 1.0 / (1.0 - x[0] * x[0]).sqrt();
                match node.operation {
                    Op::Asin(_) => chain(libm::asin(x[0]), derivative, x),
                    _ => chain(libm::acos(x[0]), -derivative, x),
                }
            }
            Op::Atan(a) => chain(libm::atan(of(a)[0]), 1.0 / (1.0 + of(a)[0] * of(a)[0]), of(a)),
            Op::Atan2(a, b) => {
                let (y, x) = (of(a), of(b));
                let squared = x[0] * x[0] + y[0] * y[0];
                sum(libm::atan2(y[0], x[0]), x[0] / squared, y, -y[0] / squared, x)
            }
            Op::Min(a, b) => selected(of(a)[0] < of(b)[0], of(a), of(b)),
            Op::Max(a, b) => selected(of(a)[0] > of(b)[0], of(a), of(b)),
        };
        memory.push(next);
    }
    memory.last().copied().unwrap_or([f64::NAN; 4])
}
