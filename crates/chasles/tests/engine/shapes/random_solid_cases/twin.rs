//! The slow twin: two static bodies, by subdivision of space.
//!
//! A box of space contains no point of A within a distance of B if the function of one of them proves it over the
//! box, or both together: f <= 0 in A and g <= 0 in B, so w f + v g <= 0 at every common point, for all
//! weights w, v >= 0. With weights at which the gradients cancel, this decides large boxes even between close parallel
//! surfaces. For a hollow body f = 0, whose weight may have either sign.

use std::collections::VecDeque;

use glam::DVec3;

use super::range::{Guess, Range, Slope};
use super::tape::Tape;
use crate::shapes::solid_cases::truth::{Frame, Inside};

/// A body for the twin.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    pub(crate) tape: Tape,
    pub(crate) inside: Inside,
    /// Upper bound of the distance of its points from the origin, in metres.
    pub(crate) radius: f64,
}

/// The result for two static bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Found {
    /// They are certainly further apart than the given distance.
    Apart,
    /// Points of both are certainly at this distance, no further than the given one; 0 if the bodies meet.
    Near {
        distance: f64,
        at: DVec3,
    },
    Unknown,
}

/// Rounding error of positions, in metres: of the motion, which both sides compute independently.
const PAD: f64 = 1e-11;

/// A point whose depth exceeds this, in metres, is certainly inside, despite rounding.
const SURE: f64 = 1e-9;

/// The size of the parallelogram or interval that brackets a surface, in metres.
const CAUGHT: f64 = 1e-7;

/// Smaller boxes are not subdivided.
const SMALLEST: f64 = 1e-8;

/// Two static bodies: the second in the frame of the first.
pub(crate) struct Stance<'a> {
    pub(crate) sides: [&'a Side; 2],
    pub(crate) between: Frame,
    ranges: Vec<Range>,
    slopes: Vec<Slope>,
    guesses: Vec<Guess>,
    /// Number of boxes examined.
    pub(crate) looks: usize,
}

impl<'a> Stance<'a> {
    pub(crate) fn new(sides: [&'a Side; 2], [a, b]: [Frame; 2]) -> Self {
        let turn = a.turn.transpose() * b.turn;
        let between = Frame { turn, place: a.back(b.place) };
        Self { sides, between, ranges: Vec::new(), slopes: Vec::new(), guesses: Vec::new(), looks: 0 }
    }

    /// The range of a body's coordinates in a box of space, in its frame.
    fn coordinates(&self, side: usize, (centre, half): (DVec3, DVec3), wider: f64) -> [Range; 3] {
        let pad = wider + PAD * (1.0 + self.between.place.length());
        let (at, half) = if side == 0 {
            (centre, half)
        } else {
            let turn = self.between.turn.transpose();
            let reach = turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z;
            (self.between.back(centre), reach)
        };
        [0, 1, 2].map(|i| Range { lo: at[i] - half[i] - pad, hi: at[i] + half[i] + pad })
    }

    pub(crate) fn range(&mut self, side: usize, of: (DVec3, DVec3), wider: f64) -> Range {
        let at = self.coordinates(side, of, wider);
        self.sides[side].tape.over(&at, &mut self.ranges)
    }

    pub(crate) fn slope(&mut self, side: usize, of: (DVec3, DVec3), wider: f64) -> Slope {
        let at = self.coordinates(side, of, wider);
        let coordinates = [0, 1, 2].map(|i| {
            let row = if side == 0 { DVec3::AXES[i] } else { self.between.turn.col(i) };
            Slope { value: at[i], gradient: row.to_array().map(Range::point) }
        });
        self.sides[side].tape.over(&coordinates, &mut self.slopes)
    }

    /// The approximate value and gradient at a point.
    pub(crate) fn about(&mut self, side: usize, p: DVec3) -> Guess {
        let at = if side == 0 { p } else { self.between.back(p) };
        let coordinates = [0, 1, 2].map(|i| {
            let gradient = if side == 0 { DVec3::AXES[i] } else { self.between.turn.col(i) };
            Guess { value: at[i], gradient }
        });
        self.sides[side].tape.over(&coordinates, &mut self.guesses)
    }

    fn is_hollow(&self, side: usize) -> bool {
        self.sides[side].inside == Inside::Hollow
    }

    /// Whether a function proves that a box contains no point of a body.
    fn excludes(&self, side: usize, value: Range) -> bool {
        value.lo > 0.0 || self.is_hollow(side) && value.hi < 0.0
    }

    /// Whether the bodies are further apart than a distance, or points of both that are not, with at most `most`
    /// boxes.
    pub(crate) fn decide(&mut self, within: f64, most: usize) -> Found {
        let [a, b] = self.sides.map(|side| side.radius);
        // A box around the part of A in the ball about B.
        let reach = DVec3::splat(b + within);
        let least = (self.between.place - reach).max(DVec3::splat(-a));
        let greatest = (self.between.place + reach).min(DVec3::splat(a));
        if least.cmpgt(greatest).any() {
            return Found::Apart;
        }
        let mut open = VecDeque::from([(0.5 * (least + greatest), 0.5 * (greatest - least) + PAD)]);
        let mut looks = 0;
        while let Some((centre, half)) = open.pop_front() {
            looks += 1;
            self.looks += 1;
            if looks > most {
                return Found::Unknown;
            }
            let about = match self.look((centre, half), within) {
                None => continue,
                Some(about) => about,
            };
            // Points are tried only if a point of both may be in the box, or near it.
            let far = half.length() + within;
            let hopeless = about.iter().any(|about| about.value.abs() > far * about.gradient.length() + SURE)
                && about.iter().any(|about| about.value > 0.0);
            let near = if hopeless {
                None
            } else if within > 0.0 {
                self.near((centre, half), within)
            } else {
                self.common((centre, half), about).map(|at| (0.0, at))
            };
            if let Some((distance, at)) = near {
                return Found::Near { distance, at };
            }
            if half.max_element() < SMALLEST {
                return Found::Unknown;
            }
            let axis = if half.x >= half.y && half.x >= half.z {
                0
            } else if half.y >= half.z {
                1
            } else {
                2
            };
            let mut smaller = half;
            // The halves overlap slightly, so that rounding loses no point.
            smaller[axis] = 0.5 * half[axis] * (1.0 + 1e-12) + 1e-15;
            for side in [-0.5, 0.5] {
                let mut middle = centre;
                middle[axis] += side * half[axis];
                open.push_back((middle, smaller));
            }
        }
        Found::Apart
    }

    /// Both functions near the middle of a box, unless the box contains no point of A within a distance of B.
    fn look(&mut self, of: (DVec3, DVec3), within: f64) -> Option<[Guess; 2]> {
        let (centre, half) = of;
        for side in [0, 1] {
            let wider = if side == 0 { 0.0 } else { within };
            let value = self.range(side, of, wider);
            if self.excludes(side, value) {
                return None;
            }
        }
        let slopes = [self.slope(0, of, 0.0).gradient, self.slope(1, of, within).gradient];
        let about = [0, 1].map(|side| self.about(side, centre));
        let values = [0, 1].map(|side| self.range(side, (centre, DVec3::ZERO), 0.0));
        // The change of a function over the box, and within the distance.
        let sizes = half.to_array();
        let over = |gradient: &[Range; 3]| {
            (0..3).map(|i| if sizes[i] == 0.0 { 0.0 } else { gradient[i].size() * sizes[i] }).sum::<f64>()
        };
        let steep = |gradient: &[Range; 3]| gradient.iter().map(|x| x.size() * x.size()).sum::<f64>().sqrt();
        let more = if within > 0.0 { within * steep(&slopes[1]) } else { 0.0 };
        const UP: f64 = 1.0 + 1e-12;
        for side in [0, 1] {
            let change = (over(&slopes[side]) + if side == 0 { 0.0 } else { more }) * UP;
            let Range { lo, hi } = values[side];
            if self.excludes(side, Range { lo: lo - change, hi: hi + change }) {
                return None;
            }
        }
        let [a, b] = about.map(|about| about.gradient);
        let (v, mut w) = (b.length(), a.length());
        if v > 0.0 && w > 0.0 && v.is_finite() && w.is_finite() {
            let may_turn = self.is_hollow(0) || self.is_hollow(1);
            if may_turn && a.dot(b) > 0.0 {
                w = -w;
            }
            let sum = |x: Range, y: Range| x.scaled(v).plus(y.scaled(w));
            let value = sum(values[0], values[1]);
            let gradient = [0, 1, 2].map(|i| sum(slopes[0][i], slopes[1][i]));
            let change = (over(&gradient) + w.abs() * more) * UP;
            let excluded = if w > 0.0 {
                // Two hollow bodies meet only where the sum is 0.
                value.lo - change > 0.0 || self.is_hollow(0) && self.is_hollow(1) && value.hi + change < 0.0
            } else if self.is_hollow(1) {
                // v f <= 0, and g = 0; or both are 0.
                value.lo - change > 0.0 || self.is_hollow(0) && value.hi + change < 0.0
            } else {
                // f = 0, and w g >= 0.
                value.hi + change < 0.0
            };
            if excluded {
                return None;
            }
        }
        Some(about)
    }

    /// A step to a point at which given functions vanish, or are below 0 by an aim.
    fn step(wanted: &[(f64, DVec3)]) -> Option<DVec3> {
        match wanted {
            [] => Some(DVec3::ZERO),
            [(value, g)] => {
                let square = g.length_squared();
                (square > 0.0).then(|| -*value / square * *g)
            }
            [(x, g), (y, h), ..] => {
                let (gg, hh, gh) = (g.length_squared(), h.length_squared(), g.dot(*h));
                let determinant = gg * hh - gh * gh;
                (determinant > 1e-9 * gg * hh).then(|| {
                    *g * ((-x * hh + y * gh) / determinant) + *h * ((-y * gg + x * gh) / determinant)
                })
            }
        }
    }

    /// A point that certainly belongs to both, near the middle of a box.
    fn common(&mut self, (centre, half): (DVec3, DVec3), mut about: [Guess; 2]) -> Option<DVec3> {
        let any_hollow = self.is_hollow(0) || self.is_hollow(1);
        let reach = 4.0 * half.length();
        let mut p = centre;
        for _ in 0..if any_hollow { 4 } else { 2 } {
            if self.both(p, about) {
                return Some(p);
            }
            let wanted: Vec<_> = [0, 1]
                .into_iter()
                .filter_map(|side| {
                    let Guess { value, gradient } = about[side];
                    if self.is_hollow(side) {
                        return Some((value, gradient));
                    }
                    let aim = 4.0 * if any_hollow { 4.0 * CAUGHT } else { SURE } * gradient.length();
                    (value > -aim).then_some((value + aim, gradient))
                })
                .collect();
            p += Self::step(&wanted)?;
            if p.distance(centre) > reach + 1e-6 || !p.is_finite() {
                return None;
            }
            about = [0, 1].map(|side| self.about(side, p));
        }
        self.both(p, about).then_some(p)
    }

    /// Whether a point certainly belongs to both; for surfaces, whether they meet negligibly close to it.
    fn both(&mut self, p: DVec3, about: [Guess; 2]) -> bool {
        match [self.is_hollow(0), self.is_hollow(1)] {
            [false, false] => {
                about.iter().all(|about| about.value < 0.0)
                    && [0, 1].into_iter().all(|side| self.range(side, (p, DVec3::splat(SURE)), 0.0).hi < 0.0)
            }
            [true, true] => self.surfaces_cross(p, about.map(|about| about.gradient)),
            [first, _] => {
                let surface = usize::from(!first);
                let normal = about[surface].gradient.normalize_or_zero();
                self.range(1 - surface, (p, DVec3::splat(2.0 * CAUGHT)), 0.0).hi < 0.0
                    && self.is_caught(surface, p, normal)
            }
        }
    }

    /// Whether the surface of a body passes within [`CAUGHT`] of a point.
    fn is_caught(&mut self, side: usize, p: DVec3, normal: DVec3) -> bool {
        let tiny = DVec3::splat(SURE);
        normal != DVec3::ZERO
            && self.range(side, (p - CAUGHT * normal, tiny), 0.0).hi < 0.0
            && self.range(side, (p + CAUGHT * normal, tiny), 0.0).lo > 0.0
    }

    /// Whether two surfaces cross in a small parallelogram about a point: each function has one sign along a side and
    /// the opposite sign along the opposite side (Poincare and Miranda).
    fn surfaces_cross(&mut self, p: DVec3, [g, h]: [DVec3; 2]) -> bool {
        let (g, h) = (g.normalize_or_zero(), h.normalize_or_zero());
        let along = g - g.dot(h) * h;
        let across = h - h.dot(g) * g;
        if along.length() < 0.1 {
            return false;
        }
        const PIECES: u32 = 4;
        let (along, across) = (CAUGHT * along.normalize(), CAUGHT * across.normalize());
        let mut has_sign = |side: usize, from: DVec3, way: DVec3, sign: f64| {
            (0..PIECES).all(|k| {
                let [s, t] = [k, k + 1].map(|k| 2.0 * f64::from(k) / f64::from(PIECES) - 1.0);
                let (x, y) = (from + s * way, from + t * way);
                let half = 0.5 * (x - y).abs() + 0.01 * CAUGHT;
                let value = self.range(side, (0.5 * (x + y), half), 0.0);
                if sign > 0.0 { value.lo > 0.0 } else { value.hi < 0.0 }
            })
        };
        has_sign(0, p + along, across, 1.0)
            && has_sign(0, p - along, across, -1.0)
            && has_sign(1, p + across, along, 1.0)
            && has_sign(1, p - across, along, -1.0)
    }

    /// Points of both near the middle of a box, if they are within a distance: the distance, and the point.
    fn near(&mut self, (centre, half): (DVec3, DVec3), within: f64) -> Option<(f64, DVec3)> {
        let reach = 2.0 * (half.length() + within);
        let mut a = self.onto(0, centre, reach)?;
        let mut b = self.onto(1, a, reach)?;
        for _ in 0..3 {
            let better = self.onto(0, b, reach)?;
            if better.distance(b) > 0.98 * a.distance(b) {
                break;
            }
            a = better;
            b = self.onto(1, a, reach)?;
        }
        let distance = a.distance(b) + 2.0 * (CAUGHT + SURE);
        (distance <= within && self.belongs(0, a) && self.belongs(1, b)).then_some((distance, a))
    }

    /// Approximately the nearest point of a body.
    fn onto(&mut self, side: usize, from: DVec3, reach: f64) -> Option<DVec3> {
        let mut p = from;
        for _ in 0..6 {
            let Guess { value, gradient } = self.about(side, p);
            let steep = gradient.length();
            let aim = if self.is_hollow(side) { 0.0 } else { 8.0 * SURE * steep };
            let value = value + aim;
            let is_there =
                if self.is_hollow(side) { value.abs() < 0.1 * CAUGHT * steep } else { value < 0.5 * aim };
            if is_there {
                return Some(p);
            }
            p += Self::step(&[(value, gradient)])?;
            if !p.is_finite() || p.distance(from) > reach {
                return None;
            }
        }
        Some(p)
    }

    /// Whether a point certainly belongs to a body, or nearly so to a surface.
    fn belongs(&mut self, side: usize, p: DVec3) -> bool {
        if self.is_hollow(side) {
            let normal = self.about(side, p).gradient.normalize_or_zero();
            self.is_caught(side, p, normal)
        } else {
            self.range(side, (p, DVec3::splat(SURE)), 0.0).hi < 0.0
        }
    }

    /// Whether a cube about a point, with the given half edge, certainly belongs to both.
    pub(crate) fn holds_cube(&mut self, p: DVec3, half: f64) -> bool {
        [0, 1]
            .into_iter()
            .all(|side| !self.is_hollow(side) && self.range(side, (p, DVec3::splat(half)), 0.0).hi < 0.0)
    }
}
