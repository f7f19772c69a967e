//! Seeded screw functions with zeros that are hard to find: biased to ties, multiple zeros and zeros at round times.

use std::f64::consts::{PI, TAU};

use chasles::math::roots::Levels;
use chasles::math::screw_function::{Basis, ScrewFunction};
use chasles_testing::Random;
use glam::DVec3;

/// A test case for the root finder.
#[derive(Clone, Copy)]
pub struct Question {
    pub family: &'static str,
    pub seed: u64,
    pub f: ScrewFunction,
    pub span: (f64, f64),
    pub levels: Levels,
}

impl std::fmt::Debug for Question {
    /// Prints the exact bits, so that the case can be rebuilt by hand.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bits = |x: f64| format!("{x:e} = f64::from_bits(0x{:016x})", x.to_bits());
        writeln!(out, "{}, seed {}:", self.family, self.seed)?;
        for (i, e) in self.f.e.iter().enumerate() {
            writeln!(out, "  e{i} {}", bits(*e))?;
        }
        writeln!(out, "  b {}\n  lo {}\n  hi {}", bits(self.f.b), bits(self.span.0), bits(self.span.1))?;
        write!(out, "  error {}\n  window {}", bits(self.levels.error), bits(self.levels.window))
    }
}

/// A function and its name.
pub type Family = (&'static str, fn(&mut Random) -> ScrewFunction);

/// All families whose numbers neither overflow nor underflow.
pub const FAMILIES: [Family; 14] = [
    ("random", random_function),
    ("coefficients from 1e-12 to 1e12", spread),
    ("small integers", integers),
    ("double zero", |r| multiple(r, 2)),
    ("triple zero", |r| multiple(r, 3)),
    ("zero of multiplicity 4 or 5", |r| {
        let order = 4 + r.below(2);
        multiple(r, order)
    }),
    ("three zeros, vertex and face", |r| simple_zeros(r, &[0, 1, 2, 3], 3)),
    ("four or five zeros, edges", |r| {
        let count = 4 + r.below(2);
        simple_zeros(r, &[0, 1, 2, 3, 4, 5], count)
    }),
    ("one or two zeros at round times", |r| {
        let count = 1 + r.below(2);
        simple_zeros(r, &[0, 1, 2, 3, 4, 5], count)
    }),
    ("edges of a geometry", edges),
    ("edges almost parallel", parallel_edges),
    ("constant or almost", constant),
    ("far axis", far_axis),
    ("zeros of two kinds", mixed),
];

/// An angle: in half of the cases a border case.
pub fn angle(random: &mut Random) -> f64 {
    match random.below(24) {
        0..=2 => 0.0,
        3 => f64::from_bits(1),
        4 => 1e-300,
        5 => 1e-12,
        6 => 1e-8,
        7 => 1e-3,
        8 => 1.0,
        9 => PI - 1e-9,
        10 => PI,
        11 => TAU,
        12 => 20.0 * PI,
        13 => random.within(0.0, 20.0 * PI),
        14 => 10.0_f64.powf(random.within(-16.0, 2.0)),
        _ => random.within(0.0, TAU),
    }
}

/// The ratios at which the finder splits.
pub const SPLITS: [f64; 4] = [0.487_351, 0.431_907, 0.553_219, 0.612_743];

/// A time: in half of the cases an end, a neighbour of an end, a dyadic number or one of the finder's own split
/// points.
pub fn moment(random: &mut Random) -> f64 {
    match random.below(14) {
        0 => 0.0,
        1 => 1.0,
        2 => 10.0_f64.powf(random.within(-16.0, -9.0)),
        3 => 1.0 - 10.0_f64.powf(random.within(-16.0, -9.0)),
        4 => 0.5,
        5 => random.below(65) as f64 / 64.0,
        6 => SPLITS[random.below(4)],
        7 => {
            // As the finder computes it, two to four splits deep.
            let (mut lo, mut hi) = (0.0, 1.0);
            for _ in 0..2 + random.below(3) {
                let split = lo + SPLITS[random.below(4)] * (hi - lo);
                *(if random.below(2) == 0 { &mut lo } else { &mut hi }) = split;
            }
            if random.below(2) == 0 { lo } else { hi }
        }
        _ => random.unit(),
    }
}

fn sign(random: &mut Random) -> f64 {
    if random.below(2) == 0 { 1.0 } else { -1.0 }
}

/// A number of random size, with 10^-`decades` < |x| < 10^`decades`.
fn logarithmic(random: &mut Random, decades: f64) -> f64 {
    sign(random) * 10.0_f64.powf(random.within(-decades, decades))
}

/// Zero, a few units in the last place or a small number.
fn nudge(random: &mut Random) -> f64 {
    match random.below(4) {
        0 => 0.0,
        1 => f64::EPSILON * (random.below(33) as f64 - 16.0),
        _ => sign(random) * 10.0_f64.powf(random.within(-18.0, -4.0)),
    }
}

/// The sum of the absolute coefficients.
pub fn size(f: &ScrewFunction) -> f64 {
    f.e.iter().map(|e| e.abs()).sum()
}

fn random_function(random: &mut Random) -> ScrewFunction {
    let b = angle(random);
    let mut e = [0.0; 6];
    let used = if random.below(3) == 0 { 1 + random.below(63) } else { 63 };
    for (i, e) in e.iter_mut().enumerate() {
        if used >> i & 1 == 1 {
            *e = random.within(-1.0, 1.0);
        }
    }
    ScrewFunction { e, b }
}

fn spread(random: &mut Random) -> ScrewFunction {
    ScrewFunction { e: [(); 6].map(|()| logarithmic(random, 12.0)), b: angle(random) }
}

fn integers(random: &mut Random) -> ScrewFunction {
    let quarters = random.below(2) == 0;
    let e = [(); 6].map(|()| (random.below(9) as f64 - 4.0) * if quarters { 0.25 } else { 1.0 });
    ScrewFunction { e, b: angle(random) }
}

/// The six basis functions, differentiated `order` times.
fn basis_functions(b: f64, t: f64, order: usize) -> [f64; 6] {
    let mut values = [0.0; 6];
    for (i, value) in values.iter_mut().enumerate() {
        let mut f = ScrewFunction { e: [0.0; 6], b };
        f.e[i] = 1.0;
        for _ in 0..order {
            f = f.derivative();
        }
        *value = f.value(&Basis::at(b, t));
    }
    values
}

/// Random coefficients of the basis functions `used`, changed so that f has the given zeros (time, order of
/// derivative), as accurately as elimination in floating point allows.
fn with_zeros(random: &mut Random, b: f64, used: &[usize], zeros: &[(f64, usize)]) -> ScrewFunction {
    let mut e = [0.0; 6];
    used.iter().for_each(|i| e[*i] = random.within(-1.0, 1.0));
    let mut rows: Vec<[f64; 7]> = zeros
        .iter()
        .map(|(t, order)| {
            let mut row = [0.0; 7];
            let values = basis_functions(b, *t, *order);
            used.iter().for_each(|i| row[*i] = values[*i]);
            row
        })
        .collect();
    let mut solved = Vec::new();
    for k in 0..rows.len() {
        let all = (k..rows.len()).flat_map(|r| (0..6).map(move |c| (r, c)));
        let free = all.filter(|(_, c)| !solved.contains(c));
        let (pivot, column) =
            free.max_by(|x, y| rows[x.0][x.1].abs().total_cmp(&rows[y.0][y.1].abs())).unwrap();
        if rows[pivot][column].abs() < 1e-300 {
            break;
        }
        rows.swap(k, pivot);
        let scale = rows[k][column];
        rows[k].iter_mut().for_each(|x| *x /= scale);
        let row = rows[k];
        for (r, other) in rows.iter_mut().enumerate() {
            let factor = other[column];
            if r != k && factor != 0.0 {
                other.iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
            }
        }
        solved.push(column);
    }
    for (row, column) in rows.iter().zip(&solved) {
        e[*column] = -(0..6).filter(|c| !solved.contains(c)).map(|c| row[c] * e[c]).sum::<f64>();
    }
    let f = ScrewFunction { e, b };
    // The constant again, with the rounding of the finder's own evaluation: the first zero is then exact to the bit.
    if used.contains(&0) && random.below(2) == 0 {
        let value = f.value(&Basis::at(b, zeros[0].0));
        return ScrewFunction { e: [e[0] - value, e[1], e[2], e[3], e[4], e[5]], b };
    }
    f
}

/// Scaled to about one, or unscaled; shifted by zero or a small number.
fn finished(random: &mut Random, mut f: ScrewFunction) -> ScrewFunction {
    let size = size(&f);
    if !(size > 0.0 && size.is_finite()) {
        return ScrewFunction { e: [0.0; 6], b: f.b };
    }
    if random.below(2) == 0 {
        f.e.iter_mut().for_each(|e| *e /= size);
    }
    let size = f.e.iter().map(|e| e.abs()).sum::<f64>();
    f.e[0] += nudge(random) * size;
    f
}

fn multiple(random: &mut Random, order: usize) -> ScrewFunction {
    let (b, t) = (angle(random), moment(random));
    let used: &[usize] = if order < 4 && random.below(2) == 0 { &[0, 1, 2, 3] } else { &[0, 1, 2, 3, 4, 5] };
    let zeros: Vec<_> = (0..order).map(|k| (t, k)).collect();
    let f = with_zeros(random, b, used, &zeros);
    finished(random, f)
}

fn simple_zeros(random: &mut Random, used: &[usize], count: usize) -> ScrewFunction {
    let b = angle(random);
    let zeros: Vec<_> = (0..count).map(|_| (moment(random), 0)).collect();
    let f = with_zeros(random, b, used, &zeros);
    finished(random, f)
}

/// A double zero and a simple one, sometimes very close.
fn mixed(random: &mut Random) -> ScrewFunction {
    let (b, t) = (angle(random), moment(random));
    let near = (t + logarithmic(random, 9.0).min(1.0) * 1e-3).clamp(0.0, 1.0);
    let other = if random.below(2) == 0 { near } else { moment(random) };
    let f = with_zeros(random, b, &[0, 1, 2, 3, 4, 5], &[(t, 0), (t, 1), (other, 0)]);
    finished(random, f)
}

/// Functions with zeros that floating point can distinguish from each other and from the ends: the zeros of
/// [`Exact::zeros`] that the finder has to return one by one.
///
/// [`Exact::zeros`]: super::Exact::zeros
pub fn separate_zeros(random: &mut Random) -> ScrewFunction {
    // For larger angles f has more zeros of its own.
    let b = if random.below(4) == 0 { 0.0 } else { random.within(1.0, TAU) };
    let vertex_face = random.below(2) == 0;
    let used: &[usize] = if vertex_face { &[0, 1, 2, 3] } else { &[0, 1, 2, 3, 4, 5] };
    let count = if vertex_face { 1 + random.below(3) } else { 1 + random.below(5) };
    let zeros: Vec<_> = (0..count).map(|_| (moment(random), 0)).collect();
    let f = with_zeros(random, b, used, &zeros);
    let size = size(&f);
    if size > 0.0 { ScrewFunction { e: f.e.map(|e| e / size), b } } else { f }
}

/// det(r(t), l(t), m) for two edges, from its definition as in Kim and Rossignac (2003), equations 19 to 21.
fn edges_function([r, u, l, m]: [DVec3; 4], (axis, slide, b): (DVec3, f64, f64)) -> ScrewFunction {
    let omega = b * axis;
    let (slide, l1, w) = (slide * axis, omega.cross(l), omega.cross(u));
    let l2 = omega.cross(l1);
    let det = |x: DVec3, y: DVec3| x.dot(y.cross(m));
    let e = [
        det(r, l),
        det(slide, l),
        det(r, l1) + det(u, l),
        det(r, l2) + det(w, l) + 2.0 * det(u, l1),
        det(slide, l1),
        det(slide, l2),
    ];
    ScrewFunction { e, b }
}

fn edges(random: &mut Random) -> ScrewFunction {
    let (axis, b) = (random.direction(), angle(random));
    let across = random.vector(2.0).reject_from_normalized(axis);
    let slide = random.within(-2.0, 2.0);
    let arms = if random.below(2) == 0 {
        [random.vector(1.0), across, random.vector(1.0), random.vector(1.0)]
    } else {
        [random.dyadic_vector(1.0), across, random.dyadic_vector(1.0), random.dyadic_vector(1.0)]
    };
    edges_function(arms, (axis, slide, b))
}

/// Directions that differ by 1e-16 to 1e-3, about an axis that may be parallel to them: all coefficients are tiny
/// relative to the lengths, or consist only of rounding errors.
fn parallel_edges(random: &mut Random) -> ScrewFunction {
    let m = random.vector(1.0);
    let tilt = 10.0_f64.powf(random.within(-17.0, -3.0));
    let l = random.within(0.5, 2.0) * m + tilt * random.vector(1.0);
    let axis = if random.below(2) == 0 { m.normalize() } else { random.direction() };
    let across = random.vector(2.0).reject_from_normalized(axis);
    let b = if random.below(2) == 0 { angle(random) } else { 10.0_f64.powf(random.within(-17.0, -3.0)) };
    edges_function([random.vector(1.0), across, l, m], (axis, random.within(-2.0, 2.0), b))
}

fn constant(random: &mut Random) -> ScrewFunction {
    let b = angle(random);
    let mut e = [0.0; 6];
    if random.below(3) > 0 {
        e[0] = [1.0, 0.5, 1e-9, 1e-3, random.unit()][random.below(5)] * sign(random);
        e[0] = if random.below(2) == 0 { e[0].next_up() } else { e[0] };
    }
    for e in &mut e[1..] {
        *e = if random.below(3) == 0 { nudge(random) } else { 0.0 };
    }
    // t - sigma and t sigma - 2 kappa vanish with b.
    if random.below(3) == 0 {
        let (x, y) = (random.within(-1.0, 1.0), random.within(-1.0, 1.0));
        e = [e[0], x, -x, -2.0 * y, y, 0.0];
    }
    ScrewFunction { e, b }
}

/// A point 1e3 to 1e7 from the axis, which moves by about one: e0 cancels against the other terms, or large terms
/// cancel each other.
fn far_axis(random: &mut Random) -> ScrewFunction {
    let far = 10.0_f64.powf(random.within(3.0, 7.0));
    let b = random.within(0.5, 3.0) / if random.below(2) == 0 { far } else { far.sqrt() };
    let count = 1 + random.below(3);
    let zeros: Vec<_> = (0..count).map(|_| (moment(random), 0)).collect();
    let f = with_zeros(random, b, &[0, 1, 2, 3], &zeros);
    let mut e = f.e.map(|e| e / size(&f));
    // A multiple of (1 - cos - (its value at the zero)), as large as the offset.
    let kappa = Basis::at(b, zeros[0].0).kappa;
    let large = far * random.within(-1.0, 1.0);
    e[3] += large;
    e[0] -= large * kappa;
    if random.below(2) == 0 {
        e[1] += large;
        e[2] -= large;
    }
    ScrewFunction { e, b }
}

/// An interval: mostly [0, 1], otherwise a part, a point or two neighbouring numbers.
pub fn span(random: &mut Random) -> (f64, f64) {
    let t = moment(random);
    match random.below(20) {
        0 => (0.0, 0.0),
        1 => (1.0, 1.0),
        2 => (t, t),
        3 => (t, t.next_up()),
        4 => (t, t + 10.0_f64.powf(random.within(-17.0, -12.0))),
        5 => (0.0, t),
        6 => (t, 1.0),
        7 => {
            let other = moment(random);
            (t.min(other), t.max(other))
        }
        8 => (0.0, random.within(1.0, 4.0)),
        _ => (0.0, 1.0),
    }
}

/// Levels as the engine uses them, zero levels, and a window that is barely reached at some time.
pub fn levels(random: &mut Random, f: &ScrewFunction) -> Levels {
    let size = size(f);
    let relative = [0.0, 32.0 * f64::EPSILON, 1e-12, 1e-6][random.below(4)];
    let error = relative * size;
    let window = match random.below(7) {
        0 => 0.0,
        1 => error,
        2 => error + 1e-12 * size,
        3 => error + 1e-9 * size,
        4 => 1e-3 * size,
        _ => {
            let value = f.value(&Basis::at(f.b, moment(random))).abs();
            [value, value.next_down().max(0.0), value.next_up()][random.below(3)]
        }
    };
    Levels { error, window }
}

/// Test case number `seed` of a family.
///
/// A function whose coefficients sum to less than 1e-290 becomes zero: rounding is no longer relative if products are
/// denormal, and no proofs hold there.
pub fn question((family, function): Family, seed: u64) -> Question {
    let random = &mut Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ family.len() as u64);
    let f = function(random);
    let f = if size(&f) < 1e-290 { ScrewFunction { e: [0.0; 6], b: f.b } } else { f };
    Question { family, seed, f, span: span(random), levels: levels(random, &f) }
}
