//! Random formulas of the families that users write, and of arbitrary operations.

use chasles_testing::Random;
use glam::DVec3;

use super::tape::{Place, Step, Tape};

/// A formula and its bounding box.
#[derive(Debug, Clone)]
pub(crate) struct Formula {
    pub(crate) tape: Tape,
    pub(crate) half: DVec3,
    pub(crate) family: &'static str,
}

struct Writer<'r> {
    tape: Tape,
    at: [Place; 3],
    random: &'r mut Random,
}

/// A formula of any family, of about this size.
pub(crate) fn formula(random: &mut Random, size: f64) -> Formula {
    let mut tape = Tape::default();
    let at = tape.coordinates();
    let mut writer = Writer { tape, at, random };
    let which = writer.random.below(37);
    // Formulas without an interior are rare, because they stay undecided.
    let (family, half) = match which % 12 {
        _ if which == 36 => ("sheet", writer.sheet(size)),
        0 => ("quadric", writer.quadric(size)),
        1 => ("torus", writer.torus(size)),
        2 => ("polynomial", writer.polynomial(size)),
        3 => ("gyroid", writer.gyroid(size)),
        4 => ("metaballs", writer.metaballs(size)),
        5 => ("rounded box", writer.rounded_box(size)),
        6 => ("abs", writer.absolute(size)),
        7 => ("blend", writer.blend(size)),
        8 => ("bumps", writer.bumps(size)),
        9 => ("quotient", writer.quotient(size)),
        10 => ("shared", writer.shared(size)),
        _ => ("any", writer.any(size)),
    };
    Formula { tape: writer.tape, half, family }
}

impl Writer<'_> {
    /// A coordinate relative to a position.
    fn from(&mut self, axis: usize, place: f64) -> Place {
        let at = self.at[axis];
        self.tape.minus(at, place)
    }

    /// The square of the distance from a position.
    fn squares(&mut self, place: DVec3) -> Place {
        let squares = [0, 1, 2].map(|axis| {
            let from = self.from(axis, place[axis]);
            self.tape.square(from)
        });
        self.tape.sum(&squares)
    }

    /// An ellipsoid, or any quadratic function; if it is unbounded the box bounds it.
    fn quadric(&mut self, size: f64) -> DVec3 {
        if self.random.one_in(2) {
            let axes = DVec3::from_array([(); 3].map(|()| size * self.random.within(0.3, 1.0)));
            let terms = [0, 1, 2].map(|i| {
                let square = self.tape.square(self.at[i]);
                let by = self.tape.number(axes[i] * axes[i]);
                self.tape.push(Step::Quotient(square, by))
            });
            let sum = self.tape.sum(&terms);
            self.tape.minus(sum, 1.0);
            return 1.1 * axes;
        }
        let mut terms = Vec::new();
        for i in 0..3 {
            for j in i..3 {
                let weight = self.random.side() + if i == j { 1.0 } else { 0.0 };
                let product = self.tape.push(Step::Product(self.at[i], self.at[j]));
                terms.push(self.tape.times(weight, product));
            }
            let weight = 0.5 * size * self.random.side();
            terms.push(self.tape.times(weight, self.at[i]));
        }
        let sum = self.tape.sum(&terms);
        let level = size * size * self.random.within(-0.1, 0.8);
        self.tape.minus(sum, level);
        DVec3::splat(size * self.random.within(0.7, 1.3))
    }

    /// A plane or a sphere, squared: it has no interior.
    fn sheet(&mut self, size: f64) -> DVec3 {
        let of = if self.random.one_in(2) {
            let place = 0.3 * size * self.random.side();
            self.from(0, place)
        } else {
            let squares = self.squares(DVec3::ZERO);
            self.tape.minus(squares, 0.5 * size * size)
        };
        self.tape.square(of);
        DVec3::splat(size)
    }

    fn torus(&mut self, size: f64) -> DVec3 {
        let small = size * self.random.within(0.08, 0.3);
        let large = size - small;
        if self.random.one_in(2) {
            let ring = self.tape.push(Step::Norm(self.at[..2].to_vec()));
            let ring = self.tape.minus(ring, large);
            let squares = [ring, self.at[2]].map(|x| self.tape.square(x));
            let sum = self.tape.sum(&squares);
            self.tape.minus(sum, small * small);
        } else {
            // Of degree 4.
            let squares = self.at.map(|x| self.tape.square(x));
            let flat = self.tape.sum(&squares[..2]);
            let all = self.tape.push(Step::Sum(flat, squares[2]));
            let all = self.tape.minus(all, small * small - large * large);
            let all = self.tape.square(all);
            let flat = self.tape.times(4.0 * large * large, flat);
            self.tape.push(Step::Difference(all, flat));
        }
        1.05 * DVec3::new(size, size, small)
    }

    /// A polynomial of degree up to 6; x^6 + y^6 + z^6 bounds it, or the box does.
    fn polynomial(&mut self, size: f64) -> DVec3 {
        let mut terms = Vec::new();
        for _ in 0..2 + self.random.below(5) {
            let weight = self.random.side();
            let mut term = self.tape.number(weight);
            for axis in 0..3 {
                let power = self.random.below(3);
                if power > 0 {
                    let unit = self.tape.times(1.0 / size, self.at[axis]);
                    let power = u32::try_from(power).unwrap();
                    let factor = self.tape.push(Step::Power(unit, power));
                    term = self.tape.push(Step::Product(term, factor));
                }
            }
            terms.push(term);
        }
        let even = [2, 4, 6][self.random.below(3)];
        for axis in 0..3 {
            let unit = self.tape.times(1.0 / size, self.at[axis]);
            let power = self.tape.push(Step::Power(unit, even));
            terms.push(self.tape.times(1.5, power));
        }
        let sum = self.tape.sum(&terms);
        let level = self.random.within(0.05, 1.0);
        self.tape.minus(sum, level);
        DVec3::splat(size)
    }

    /// A gyroid, or a thin sheet along one.
    fn gyroid(&mut self, size: f64) -> DVec3 {
        let often = self.random.within(1.0, 4.0) / size;
        let angles = self.at.map(|x| self.tape.times(often, x));
        let terms = [0, 1, 2].map(|i| {
            let sine = self.tape.push(Step::Sine(angles[i]));
            let cosine = self.tape.push(Step::Cosine(angles[(i + 1) % 3]));
            self.tape.push(Step::Product(sine, cosine))
        });
        let sum = self.tape.sum(&terms);
        let sheet = if self.random.one_in(2) {
            let sheet = self.tape.push(Step::Absolute(sum));
            let thickness = self.random.within(0.02, 0.5);
            self.tape.minus(sheet, thickness)
        } else {
            let level = self.random.within(-1.0, 0.5);
            self.tape.minus(sum, level)
        };
        if self.random.one_in(2) {
            // In a ball.
            let ball = self.squares(DVec3::ZERO);
            let ball = self.tape.minus(ball, 0.9 * size * size);
            self.tape.push(Step::Greatest(vec![sheet, ball]));
        }
        DVec3::splat(size)
    }

    fn metaballs(&mut self, size: f64) -> DVec3 {
        let sharp = -self.random.within(4.0, 12.0) / (size * size);
        let count = 2 + self.random.below(3);
        let terms: Vec<_> = (0..count)
            .map(|_| {
                let place = self.random.vector(0.6 * size);
                let squares = self.squares(place);
                let squares = self.tape.times(sharp, squares);
                self.tape.push(Step::Exponential(squares))
            })
            .collect();
        let sum = self.tape.sum(&terms);
        let level = self.random.within(0.3, 0.8);
        let level = self.tape.number(level);
        self.tape.push(Step::Difference(level, sum));
        DVec3::splat(1.2 * size)
    }

    /// The points within a distance of a box.
    fn rounded_box(&mut self, size: f64) -> DVec3 {
        let radius = size * self.random.within(0.05, 0.4);
        let half = DVec3::from_array([(); 3].map(|()| self.random.within(0.1, 1.0))) * (size - radius);
        let zero = self.tape.number(0.0);
        let over = [0, 1, 2].map(|axis| {
            let over = self.tape.beyond(self.at[axis], half[axis]);
            self.tape.push(Step::Greatest(vec![over, zero]))
        });
        let norm = self.tape.push(Step::Norm(over.to_vec()));
        self.tape.minus(norm, radius);
        (half + radius) * self.random.within(1.01, 1.2)
    }

    /// Octahedra, and the maximum or minimum of linear functions and absolute values.
    fn absolute(&mut self, size: f64) -> DVec3 {
        let pieces = 1 + self.random.below(3);
        let all: Vec<_> = (0..pieces)
            .map(|_| {
                let terms = [0, 1, 2].map(|axis| {
                    let place = 0.3 * size * self.random.side();
                    let from = self.from(axis, place);
                    let length = self.tape.push(Step::Absolute(from));
                    let weight = self.random.within(0.3, 2.0);
                    self.tape.times(weight, length)
                });
                let sum = self.tape.sum(&terms);
                let level = size * self.random.within(0.3, 0.9);
                self.tape.minus(sum, level)
            })
            .collect();
        if pieces > 1 {
            let join = if self.random.one_in(2) { Step::Least(all) } else { Step::Greatest(all) };
            self.tape.push(join);
        }
        DVec3::splat(size)
    }

    /// Two balls blended: by a logarithm of exponentials, or by a polynomial.
    fn blend(&mut self, size: f64) -> DVec3 {
        let balls = [(); 2].map(|()| {
            let (place, radius) = (self.random.vector(0.5 * size), size * self.random.within(0.2, 0.5));
            let from = [0, 1, 2].map(|axis| self.from(axis, place[axis]));
            let norm = self.tape.push(Step::Norm(from.to_vec()));
            self.tape.minus(norm, radius)
        });
        if self.random.one_in(2) {
            let sharp = -self.random.within(3.0, 20.0) / size;
            let all = balls.map(|ball| {
                let ball = self.tape.times(sharp, ball);
                self.tape.push(Step::Exponential(ball))
            });
            let sum = self.tape.sum(&all);
            let log = self.tape.push(Step::Logarithm(sum));
            self.tape.times(1.0 / sharp, log);
        } else {
            let soft = size * self.random.within(0.05, 0.5);
            let apart = self.tape.push(Step::Difference(balls[0], balls[1]));
            let apart = self.tape.push(Step::Absolute(apart));
            let near = self.tape.number(soft);
            let near = self.tape.push(Step::Difference(near, apart));
            let zero = self.tape.number(0.0);
            let near = self.tape.push(Step::Greatest(vec![near, zero]));
            let near = self.tape.square(near);
            let by = self.tape.number(4.0 * soft);
            let near = self.tape.push(Step::Quotient(near, by));
            let least = self.tape.push(Step::Least(balls.to_vec()));
            self.tape.push(Step::Difference(least, near));
        }
        DVec3::splat(1.2 * size)
    }

    fn bumps(&mut self, size: f64) -> DVec3 {
        let often = self.random.within(2.0, 8.0) / size;
        let deep = self.random.within(0.02, 0.2);
        let waves = self.at.map(|x| {
            let angle = self.tape.times(often, x);
            let wave = if self.random.one_in(2) { Step::Sine(angle) } else { Step::Cosine(angle) };
            self.tape.push(wave)
        });
        let wave = self.tape.push(Step::Product(waves[0], waves[1]));
        let wave = self.tape.push(Step::Product(wave, waves[2]));
        let wave = self.tape.times(deep * size, wave);
        let norm = self.tape.push(Step::Norm(self.at.to_vec()));
        let ball = self.tape.minus(norm, size * (0.95 - deep));
        self.tape.push(Step::Sum(ball, wave));
        DVec3::splat(size)
    }

    fn quotient(&mut self, size: f64) -> DVec3 {
        let squares = self.squares(DVec3::ZERO);
        let level = size * size * self.random.within(0.2, 0.9);
        let ball = self.tape.minus(squares, level);
        let place = self.random.vector(size);
        let other = self.squares(place);
        let one = self.tape.number(self.random.within(0.2, 2.0));
        let under = self.tape.push(Step::Sum(one, other));
        let slope = self.tape.times(0.3 * self.random.side(), self.at[2]);
        let over = self.tape.push(Step::Sum(ball, slope));
        self.tape.push(Step::Quotient(over, under));
        DVec3::splat(1.2 * size)
    }

    /// A term that occurs in several places.
    fn shared(&mut self, size: f64) -> DVec3 {
        let norm = self.tape.push(Step::Norm(self.at.to_vec()));
        let angle = self.tape.times(self.random.within(1.0, 9.0) / size, norm);
        let wave = self.tape.push(Step::Sine(angle));
        let deep = size * self.random.within(0.05, 0.3);
        let wave = self.tape.times(deep, wave);
        let ball = self.tape.minus(norm, size * self.random.within(0.4, 0.7));
        let one = self.tape.push(Step::Sum(ball, wave));
        let squares = self.tape.square(self.at[2]);
        let under = self.tape.minus(norm, -1.0);
        let squares = self.tape.push(Step::Quotient(squares, under));
        let two = self.tape.push(Step::Difference(squares, wave));
        let two = self.tape.minus(two, 0.2 * size);
        let join = if self.random.one_in(2) { Step::Greatest(vec![one, two]) } else { Step::Sum(one, two) };
        self.tape.push(join);
        DVec3::splat(size)
    }

    /// Any operations on any operands, minus a value that the result attains somewhere.
    fn any(&mut self, size: f64) -> DVec3 {
        let units = self.at.map(|x| self.tape.times(1.0 / size, x));
        let levels = 2 + self.random.below(3);
        let value = self.tree(units, levels);
        // Never constant.
        let slope = self.tape.times(0.3, units[0]);
        let value = self.tape.push(Step::Sum(value, slope));
        let place = self.random.vector(0.6 * size);
        let at = self.tape.range(&place.to_array().map(super::range::Range::point)).middle();
        self.tape.minus(value, at);
        DVec3::splat(size)
    }

    fn tree(&mut self, units: [Place; 3], levels: usize) -> Place {
        if levels == 0 {
            return match self.random.below(5) {
                0 => {
                    let x = self.random.within(-2.0, 2.0);
                    self.tape.number(x)
                }
                axis => units[axis % 3],
            };
        }
        let a = self.tree(units, levels - 1);
        let step = match self.random.below(15) {
            0..=2 => Step::Sum(a, self.tree(units, levels - 1)),
            3 => Step::Difference(a, self.tree(units, levels - 1)),
            4..=5 => Step::Product(a, self.tree(units, levels - 1)),
            6 => Step::Least(vec![a, self.tree(units, levels - 1)]),
            7 => Step::Greatest(vec![a, self.tree(units, levels - 1)]),
            8 => Step::Absolute(a),
            9 => Step::Sine(a),
            10 => Step::Cosine(a),
            11 => Step::Power(a, [2, 3][self.random.below(2)]),
            12 => {
                let b = self.tree(units, levels - 1);
                Step::Norm(vec![a, b])
            }
            13 => {
                // A value above 1.
                let square = self.tape.square(a);
                let over = self.tape.minus(square, -1.0);
                Step::Root(over)
            }
            _ => {
                let wave = self.tape.push(Step::Sine(a));
                Step::Exponential(wave)
            }
        };
        self.tape.push(step)
    }
}
