//! Functions of three coordinates as lists of operations: their text, and their range over a box.

use std::sync::Arc;

use glam::DVec3;

use super::grids::{Heights, Samples};
use super::range::{Arithmetic, Range};

/// The index of an operation in its list.
pub(crate) type Place = usize;

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Number(f64),
    Coordinate(usize),
    /// A row of a rotation times three coordinates, plus a number.
    Affine([Place; 3], DVec3, f64),
    Negative(Place),
    Sum(Place, Place),
    Difference(Place, Place),
    Product(Place, Place),
    Quotient(Place, Place),
    Power(Place, u32),
    Root(Place),
    Norm(Vec<Place>),
    Absolute(Place),
    Exponential(Place),
    Logarithm(Place),
    Sine(Place),
    Cosine(Place),
    Least(Vec<Place>),
    Greatest(Vec<Place>),
    Samples(Arc<Samples>, [Place; 3]),
    Heights(Arc<Heights>, [Place; 2]),
}

/// A list of operations, each on earlier operations; the last is the function.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tape {
    steps: Vec<Step>,
}

impl Tape {
    pub(crate) fn push(&mut self, step: Step) -> Place {
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// Makes an existing operation the function.
    pub(crate) fn end_with(&mut self, place: Place) {
        if place + 1 < self.steps.len() {
            let zero = self.number(0.0);
            self.push(Step::Sum(place, zero));
        }
    }

    pub(crate) fn number(&mut self, x: f64) -> Place {
        self.push(Step::Number(x))
    }

    /// The three coordinates, which come first.
    pub(crate) fn coordinates(&mut self) -> [Place; 3] {
        [0, 1, 2].map(|axis| self.push(Step::Coordinate(axis)))
    }

    pub(crate) fn sum(&mut self, of: &[Place]) -> Place {
        let mut of = of.iter();
        let first = *of.next().unwrap();
        of.fold(first, |sum, x| self.push(Step::Sum(sum, *x)))
    }

    pub(crate) fn minus(&mut self, a: Place, x: f64) -> Place {
        let x = self.number(x);
        self.push(Step::Difference(a, x))
    }

    pub(crate) fn times(&mut self, x: f64, a: Place) -> Place {
        let x = self.number(x);
        self.push(Step::Product(x, a))
    }

    pub(crate) fn square(&mut self, a: Place) -> Place {
        self.push(Step::Power(a, 2))
    }

    /// The excess of a coordinate's absolute value over a length.
    pub(crate) fn beyond(&mut self, a: Place, length: f64) -> Place {
        let size = self.push(Step::Absolute(a));
        self.minus(size, length)
    }

    /// Embeds another function of three coordinates.
    pub(crate) fn embed(&mut self, other: &Self, coordinates: [Place; 3]) -> Place {
        let mut places: Vec<Place> = Vec::with_capacity(other.steps.len());
        for step in &other.steps {
            let to = |place: &Place| places[*place];
            let all = |of: &[Place]| of.iter().map(to).collect::<Vec<_>>();
            let moved = match step {
                Step::Number(x) => Step::Number(*x),
                Step::Coordinate(axis) => {
                    places.push(coordinates[*axis]);
                    continue;
                }
                Step::Affine(of, row, at) => Step::Affine(of.each_ref().map(to), *row, *at),
                Step::Negative(a) => Step::Negative(to(a)),
                Step::Sum(a, b) => Step::Sum(to(a), to(b)),
                Step::Difference(a, b) => Step::Difference(to(a), to(b)),
                Step::Product(a, b) => Step::Product(to(a), to(b)),
                Step::Quotient(a, b) => Step::Quotient(to(a), to(b)),
                Step::Power(a, n) => Step::Power(to(a), *n),
                Step::Root(a) => Step::Root(to(a)),
                Step::Norm(of) => Step::Norm(all(of)),
                Step::Absolute(a) => Step::Absolute(to(a)),
                Step::Exponential(a) => Step::Exponential(to(a)),
                Step::Logarithm(a) => Step::Logarithm(to(a)),
                Step::Sine(a) => Step::Sine(to(a)),
                Step::Cosine(a) => Step::Cosine(to(a)),
                Step::Least(of) => Step::Least(all(of)),
                Step::Greatest(of) => Step::Greatest(all(of)),
                Step::Samples(grid, of) => Step::Samples(grid.clone(), of.each_ref().map(to)),
                Step::Heights(field, of) => Step::Heights(field.clone(), of.each_ref().map(to)),
            };
            places.push(self.push(moved));
        }
        places[places.len() - 1]
    }

    /// The function over the given coordinates.
    pub(crate) fn over<T: Arithmetic>(&self, coordinates: &[T; 3], memory: &mut Vec<T>) -> T {
        memory.clear();
        for step in &self.steps {
            let of = |place: &Place| memory[*place];
            let two = |pair: &[Place], join: fn(T, T) -> T| {
                pair[1..].iter().fold(memory[pair[0]], |all, place| join(all, memory[*place]))
            };
            let value = match step {
                Step::Number(x) => T::number(*x),
                Step::Coordinate(axis) => coordinates[*axis],
                Step::Affine(xyz, row, at) => {
                    let [x, y, z] = xyz.each_ref().map(of);
                    x.scaled(row.x).plus(y.scaled(row.y)).plus(z.scaled(row.z)).plus(T::number(*at))
                }
                Step::Negative(a) => of(a).negative(),
                Step::Sum(a, b) => of(a).plus(of(b)),
                Step::Difference(a, b) => of(a).plus(of(b).negative()),
                Step::Product(a, b) if a == b => of(a).power(2),
                Step::Product(a, b) => of(a).times(of(b)),
                Step::Quotient(a, b) => of(a).times(of(b).inverse()),
                Step::Power(a, n) => of(a).power(*n),
                Step::Root(a) => of(a).root(),
                Step::Norm(all) => {
                    let all: Vec<T> = all.iter().map(of).collect();
                    T::norm(&all)
                }
                Step::Absolute(a) => of(a).absolute(),
                Step::Exponential(a) => of(a).exponential(),
                Step::Logarithm(a) => of(a).logarithm(),
                Step::Sine(a) => of(a).sine(),
                Step::Cosine(a) => of(a).cosine(),
                Step::Least(all) => two(all, T::least),
                Step::Greatest(all) => two(all, T::greatest),
                Step::Samples(grid, of_three) => grid.over(of_three.each_ref().map(of)),
                Step::Heights(field, of_two) => field.over(of_two.each_ref().map(of)),
            };
            memory.push(value);
        }
        memory[memory.len() - 1]
    }

    /// The range over a box, each coordinate between two numbers.
    pub(crate) fn range(&self, coordinates: &[Range; 3]) -> Range {
        self.over(coordinates, &mut Vec::new())
    }

    /// The formula, as a user writes it.
    pub(crate) fn text(&self) -> String {
        self.text_of(self.steps.len() - 1)
    }

    fn text_of(&self, place: Place) -> String {
        let of = |place: &Place| self.text_of(*place);
        let call = |name: &str, of: &Place| format!("{name}({})", self.text_of(*of));
        let list = |name: &str, of: &[Place]| {
            let of: Vec<_> = of.iter().map(|place| self.text_of(*place)).collect();
            format!("{name}({})", of.join(", "))
        };
        match &self.steps[place] {
            Step::Number(x) if *x < 0.0 => format!("(-{})", -x),
            Step::Number(x) => format!("{x}"),
            Step::Coordinate(axis) => ["x", "y", "z"][*axis].into(),
            Step::Negative(a) => format!("(-{})", of(a)),
            Step::Sum(a, b) => format!("({} + {})", of(a), of(b)),
            Step::Difference(a, b) => format!("({} - {})", of(a), of(b)),
            Step::Product(a, b) => format!("{}*{}", of(a), of(b)),
            Step::Quotient(a, b) => format!("({}/({}))", of(a), of(b)),
            Step::Power(a, n) if matches!(self.steps[*a], Step::Coordinate(_)) => format!("{}^{n}", of(a)),
            Step::Power(a, n) => format!("({})^{n}", of(a)),
            Step::Root(a) => call("sqrt", a),
            Step::Norm(all) => {
                let squares: Vec<_> = all.iter().map(|a| format!("({})^2", of(a))).collect();
                format!("sqrt({})", squares.join(" + "))
            }
            Step::Absolute(a) => call("abs", a),
            Step::Exponential(a) => call("exp", a),
            Step::Logarithm(a) => call("log", a),
            Step::Sine(a) => call("sin", a),
            Step::Cosine(a) => call("cos", a),
            Step::Least(all) => list("min", all),
            Step::Greatest(all) => list("max", all),
            Step::Affine(..) | Step::Samples(..) | Step::Heights(..) => {
                panic!("a formula has neither places nor grids")
            }
        }
    }
}
