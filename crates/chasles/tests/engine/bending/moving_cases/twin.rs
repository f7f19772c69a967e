//! The first meeting of two moving features, over the integers, by Sturm and Tarski.
//!
//! The square of the distance of two lines, or of a point and a line or plane, times a Gram determinant is a
//! polynomial in time; so are the parameters of the nearest points. The twin shares nothing with the engine, which
//! uses normals and signs of Bernstein coefficients.

use chasles::{MovingFeatures, MovingKind};
use num_bigint::{BigInt, Sign};

use crate::exact::polynomial::{Dyadic, Polynomial, Sturm};
use crate::exact::rational::Unit;

/// Zeros are distinguished down to 2 to minus this; in these cases no two distinct zeros are closer.
const BITS: i32 = 100;

type Vector = [Polynomial; 3];

/// A part of a feature pair: it is within the distance if `excess` is not positive, `extent` is positive, and no
/// `shares` entry is negative.
struct Part {
    excess: Polynomial,
    extent: Polynomial,
    shares: Vec<Polynomial>,
}

/// An enclosure of a time, [0, 0] at the start.
pub type Span = [f64; 2];

/// The first time at which the features are within the distance.
pub fn first_contact(features: &MovingFeatures, distance: f64) -> Option<Span> {
    let parts = parts(features, distance);
    let begin = Dyadic::new(0.0);
    let at_begin = |p: &Polynomial| p.sign_at(&begin);
    if parts.iter().any(|part| {
        at_begin(&part.excess) != Sign::Plus
            && at_begin(&part.extent) == Sign::Plus
            && part.shares.iter().all(|share| at_begin(share) != Sign::Minus)
    }) {
        return Some([0.0; 2]);
    }
    let first = parts.iter().flat_map(Part::meetings).min()?;
    let time = first.to_string().parse::<f64>().unwrap() * 2.0_f64.powi(-BITS);
    let off = 2.0_f64.powi(-BITS) + f64::EPSILON * time;
    Some([(time - off).max(0.0), (time + off).min(1.0)])
}

impl Part {
    /// The times at which `excess` is zero and the other conditions hold, as the nearest multiples of 2^-BITS.
    fn meetings(&self) -> Vec<BigInt> {
        if self.excess.is_zero() {
            return Vec::new();
        }
        let sturm = Sturm::of_any(self.excess.clone());
        let mut found = Vec::new();
        // Odd multiples of half of 2^-BITS; the assertion checks that no zero lies there.
        let point = |odd: &BigInt| {
            let point = Dyadic::at(odd.clone(), BITS + 1);
            assert!(!sturm.is_zero_at(&point));
            point
        };
        let mut waiting = vec![(BigInt::from(-1), (BigInt::from(1) << (BITS + 1)) + 1)];
        while let Some((lo, hi)) = waiting.pop() {
            let ends = [point(&lo), point(&hi)];
            let zeros = sturm.count(&ends[0], &ends[1]);
            if zeros == 0 {
                continue;
            }
            let steps: BigInt = (&hi - &lo) >> 1;
            if zeros == 1 {
                let sign = |p: &Polynomial| Sturm::of_signs(self.excess.clone(), p).count(&ends[0], &ends[1]);
                if sign(&self.extent) > 0 && self.shares.iter().all(|share| sign(share) >= 0) {
                    found.push(sturm.narrowed((lo, hi), BITS + 1));
                }
                continue;
            }
            assert!(steps > BigInt::from(1), "zeros closer than 2^-{BITS}");
            let middle: BigInt = &lo + ((steps >> 1) << 1);
            waiting.extend([(lo, middle.clone()), (middle, hi)]);
        }
        found
    }
}

fn to(from: &Vector, to: &Vector) -> Vector {
    std::array::from_fn(|i| to[i].minus(&from[i]))
}

fn dot(a: &Vector, b: &Vector) -> Polynomial {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

fn parts(features: &MovingFeatures, distance: f64) -> Vec<Part> {
    let numbers = features.start.iter().chain(&features.end).flat_map(|p| p.to_array()).chain([distance]);
    let unit = Unit::of(numbers);
    let [a, b, c, d]: [Vector; 4] = std::array::from_fn(|i| {
        let (from, to) = (unit.vector(features.start[i]), unit.vector(features.end[i]));
        std::array::from_fn(|k| Polynomial::new(vec![from[k].clone(), &to[k] - &from[k]]))
    });
    let reach = {
        let distance = unit.integer(distance);
        Polynomial::new(vec![&distance * &distance])
    };
    let points = |p: &Vector, q: &Vector| {
        let w = to(p, q);
        Part {
            excess: dot(&w, &w).minus(&reach),
            extent: Polynomial::new(vec![BigInt::from(1)]),
            shares: Vec::new(),
        }
    };
    let edge = |p: &Vector, [from, end]: [&Vector; 2]| {
        let (w, e) = (to(from, p), to(from, end));
        let (extent, share) = (dot(&e, &e), dot(&w, &e));
        let excess = dot(&w, &w).minus(&reach).times(&extent).minus(&share.times(&share));
        Part { excess, shares: vec![share.clone(), extent.minus(&share)], extent }
    };
    // Two sides and the vector w: the minimum |w - s e - u f|^2, where `whole` s and `whole` u are returned.
    let spanned = |w: &Vector, e: &Vector, f: &Vector| {
        let (ee, ef, ff) = (dot(e, e), dot(e, f), dot(f, f));
        let (we, wf) = (dot(w, e), dot(w, f));
        let extent = ee.times(&ff).minus(&ef.times(&ef));
        let s = ff.times(&we).minus(&ef.times(&wf));
        let u = ee.times(&wf).minus(&ef.times(&we));
        let gone = s.times(&we).plus(&u.times(&wf));
        let excess = dot(w, w).minus(&reach).times(&extent).minus(&gone);
        (excess, extent, s, u)
    };
    match features.kind {
        MovingKind::VertexFace => {
            let (excess, extent, s, u) = spanned(&to(&b, &a), &to(&b, &c), &to(&b, &d));
            let rest = extent.minus(&s).minus(&u);
            let face = Part { excess, extent, shares: vec![s, u, rest] };
            let edges = [[&b, &c], [&c, &d], [&d, &b]].map(|ends| edge(&a, ends));
            let corners = [&b, &c, &d].map(|corner| points(&a, corner));
            [face].into_iter().chain(edges).chain(corners).collect()
        }
        MovingKind::EdgeEdge => {
            // From a to c: s along the first edge, and u against the second.
            let (excess, extent, s, u) = spanned(&to(&a, &c), &to(&a, &b), &to(&d, &c));
            let rests = [extent.minus(&s), extent.minus(&u)];
            let shares = [s, u].into_iter().chain(rests).collect();
            let inside = Part { excess, extent, shares };
            let ends = [edge(&a, [&c, &d]), edge(&b, [&c, &d]), edge(&c, [&a, &b]), edge(&d, [&a, &b])];
            let corners = [points(&a, &c), points(&a, &d), points(&b, &c), points(&b, &d)];
            [inside].into_iter().chain(ends).chain(corners).collect()
        }
    }
}
