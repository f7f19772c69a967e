//! Bodies and their motions, in doubles, for the search for certificates. The arithmetic is the same as in `exact.py`,
//! with doubles in place of exact numbers and a margin for rounding. The exact arithmetic makes the final decision.

use glam::{DQuat, DVec3};

use crate::shapes::Raw;

/// A value over a time interval, with s in [-1, 1]: k0 + k1 s + k(s) s^2, where k(s) is within `r` of k2.
#[derive(Debug, Clone, Copy, Default)]
pub struct Jet {
    /// The coefficients.
    pub k: [f64; 3],
    /// The radius of the last coefficient.
    pub r: f64,
}

impl Jet {
    /// A constant.
    #[must_use]
    pub fn fixed(x: f64) -> Self {
        Self { k: [x, 0.0, 0.0], r: 0.0 }
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, o: Self) -> Self {
        Self { k: [self.k[0] + o.k[0], self.k[1] + o.k[1], self.k[2] + o.k[2]], r: self.r + o.r }
    }

    /// The product.
    #[must_use]
    pub fn times(self, o: Self) -> Self {
        let (a, b) = (self.k, o.k);
        let [wide_a, wide_b] = [a[2].abs() + self.r, b[2].abs() + o.r];
        let third = (a[1] * b[2] + a[2] * b[1]).abs() + a[1].abs() * o.r + self.r * b[1].abs();
        Self {
            k: [a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[1] * b[1] + a[2] * b[0]],
            r: a[0].abs() * o.r + self.r * b[0].abs() + third + wide_a * wide_b,
        }
    }

    /// A multiple.
    #[must_use]
    pub fn scaled(self, x: f64) -> Self {
        Self { k: self.k.map(|k| x * k), r: x.abs() * self.r }
    }
}

/// Three rows of jets, one for each coordinate of the result. A row has a coefficient for each number of a point,
/// and a constant last.
pub type Map = [Vec<Jet>; 3];

fn compose(outer: &Map, inner: &Map) -> Map {
    outer.each_ref().map(|o| {
        let mut row: Vec<Jet> = (0..inner[0].len())
            .map(|j| (0..3).fold(Jet::default(), |sum, k| sum.plus(o[k].times(inner[k][j]))))
            .collect();
        let last = row.len() - 1;
        row[last] = row[last].plus(o[3]);
        row
    })
}

fn fixed(columns: [DVec3; 4]) -> Map {
    [0, 1, 2].map(|i| columns.iter().map(|c| Jet::fixed(c[i])).collect())
}

/// A link of the kinematic chain that carries a body.
#[derive(Debug, Clone)]
pub enum Factor {
    /// A pose.
    Pose(DVec3, DQuat),
    /// A rotation about the axis through a point, and a slide along it, each with a value at every knot.
    Helix {
        /// The direction of the axis, of any length.
        axis: DVec3,
        /// A point of the axis.
        point: DVec3,
        /// In radians.
        angle: Vec<f64>,
        /// In metres.
        slide: Vec<f64>,
    },
}

/// The motion of a body.
#[derive(Debug, Clone)]
pub enum Motion {
    /// A chain of factors, outermost first; an empty chain for a static body.
    Chain(Vec<Factor>),
    /// Each point moves with constant velocity to its end.
    Deforms,
}

/// A body.
#[derive(Debug, Clone)]
pub struct Body {
    /// Numbers of points: 3 per point, 6 if the body deforms.
    pub numbers: Vec<f64>,
    /// The number of numbers per point.
    pub stride: usize,
    /// The triangles, in the order of the hierarchy.
    pub triangles: Vec<[u32; 3]>,
    motion: Motion,
    /// Times of waypoints.
    pub knots: Vec<f64>,
    boxes: Vec<[[f64; 6]; 2]>,
    /// The largest number of a point.
    size: f64,
}

/// Sets of more triangles than this are replaced with the eight corners of their bounding box.
pub const WHOLE: usize = 16;

/// A set of triangles, i to j - 1, with its number in the hierarchy of halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Set {
    /// The first triangle.
    pub i: usize,
    /// One past the last triangle.
    pub j: usize,
    node: usize,
}

impl Set {
    /// The number of triangles.
    #[must_use]
    pub fn len(self) -> usize {
        self.j - self.i
    }

    /// Always false: every set has a triangle.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.i == self.j
    }

    /// Both halves.
    #[must_use]
    pub fn halves(self) -> [Self; 2] {
        let m = (self.i + self.j) / 2;
        [Self { j: m, node: 2 * self.node, ..self }, Self { i: m, node: 2 * self.node + 1, ..self }]
    }
}

impl Body {
    /// A body that is carried by a chain of factors, with values at the knots.
    #[must_use]
    pub fn carried((points, triangles): &Raw, chain: Vec<Factor>, knots: &[f64]) -> Self {
        let numbers = points.iter().flat_map(|p| p.to_array()).collect();
        Self::new(numbers, 3, triangles, Motion::Chain(chain), knots)
    }

    /// A body whose points move with constant velocity to their ends, over [0, 1].
    #[must_use]
    pub fn deforming(start: &[DVec3], end: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let numbers =
            start.iter().zip(end).flat_map(|(p, q)| [p.to_array(), q.to_array()].concat()).collect();
        Self::new(numbers, 6, triangles, Motion::Deforms, &[0.0, 1.0])
    }

    fn new(numbers: Vec<f64>, stride: usize, triangles: &[[u32; 3]], motion: Motion, knots: &[f64]) -> Self {
        let size = numbers.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let triangles = triangles.to_vec();
        let mut body =
            Self { numbers, stride, triangles, motion, knots: knots.to_vec(), boxes: Vec::new(), size };
        body.boxes = vec![[[0.0; 6]; 2]; 4 * body.triangles.len().next_power_of_two()];
        body.bound(body.all());
        body
    }

    /// All triangles.
    #[must_use]
    pub fn all(&self) -> Set {
        Set { i: 0, j: self.triangles.len(), node: 1 }
    }

    fn bound(&mut self, set: Set) -> [[f64; 6]; 2] {
        let bound = if set.len() > 1 {
            let [p, q] = set.halves().map(|half| self.bound(half));
            [0, 1].map(|e| {
                std::array::from_fn(|d| if e == 0 { p[e][d].min(q[e][d]) } else { p[e][d].max(q[e][d]) })
            })
        } else {
            let corners = self.triangles[set.i].map(|v| self.point(v));
            let column = |d: usize| corners.map(|c| c.get(d).copied().unwrap_or(0.0));
            [
                std::array::from_fn(|d| column(d).into_iter().fold(f64::MAX, f64::min)),
                std::array::from_fn(|d| column(d).into_iter().fold(f64::MIN, f64::max)),
            ]
        };
        self.boxes[set.node] = bound;
        bound
    }

    /// The numbers of a point.
    #[must_use]
    pub fn point(&self, v: u32) -> &[f64] {
        &self.numbers[v as usize * self.stride..][..self.stride]
    }

    /// Half the diagonal of a set's bounding box.
    #[must_use]
    pub fn radius(&self, set: Set) -> f64 {
        let [lo, hi] = &self.boxes[set.node];
        let side = |from: usize| (from..from + 3).map(|d| (hi[d] - lo[d]).powi(2)).sum::<f64>().sqrt();
        0.5 * side(0).max(side(3))
    }

    /// The corners of a set's bounding box, as numbers of points.
    #[must_use]
    pub fn box_corners(&self, set: Set) -> Vec<f64> {
        let bounds = &self.boxes[set.node];
        (0..8).flat_map(|k| (0..self.stride).map(move |d| bounds[k >> (d % 3) & 1][d])).collect()
    }

    /// Numbers of points whose convex hull contains a set at every time.
    #[must_use]
    pub fn hull(&self, set: Set) -> Vec<f64> {
        if set.len() > WHOLE {
            return self.box_corners(set);
        }
        let mut used: Vec<u32> = self.triangles[set.i..set.j].concat();
        used.sort_unstable();
        used.dedup();
        used.iter().flat_map(|v| self.point(*v)).copied().collect()
    }

    /// The map from points to their positions over a time interval between two knots.
    #[must_use]
    pub fn map(&self, start: f64, end: f64) -> Map {
        let (middle, half) = (0.5 * (start + end), 0.5 * (end - start));
        let identity = || fixed([DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO]);
        match &self.motion {
            Motion::Deforms => {
                let t = Jet { k: [middle, half, 0.0], r: 0.0 };
                let rest = Jet { k: [1.0 - middle, -half, 0.0], r: 0.0 };
                [0, 1, 2].map(|i| {
                    let mut row = vec![Jet::default(); 7];
                    (row[i], row[3 + i]) = (rest, t);
                    row
                })
            }
            Motion::Chain(factors) => {
                let segment = self.knots[1..self.knots.len() - 1].partition_point(|k| *k < end);
                let [k0, k1] = [self.knots[segment], self.knots[segment + 1]];
                let along = |values: &[f64]| {
                    let slope = (values[segment + 1] - values[segment]) / (k1 - k0);
                    Jet { k: [values[segment] + slope * (middle - k0), slope * half, 0.0], r: 0.0 }
                };
                let factor = |factor: &Factor| match factor {
                    Factor::Pose(position, q) => {
                        let q = q.normalize();
                        fixed([q * DVec3::X, q * DVec3::Y, q * DVec3::Z, *position])
                    }
                    Factor::Helix { axis, point, angle, slide } => {
                        helix(axis.normalize(), *point, along(angle), along(slide))
                    }
                };
                // In the order of `problems.py`: a joint's pose comes first, then its motion.
                factors.chunks(2).fold(identity(), |map, two| {
                    let next = two.iter().map(factor).reduce(|outer, inner| compose(&outer, &inner));
                    next.map_or(map.clone(), |next| compose(&map, &next))
                })
            }
        }
    }

    /// The positions of points at a time.
    #[must_use]
    pub fn places(&self, numbers: &[f64], t: f64) -> Vec<DVec3> {
        placed(&self.map(t, t), numbers)
    }

    /// A generous bound of the rounding error of positions.
    #[must_use]
    pub fn rounding(&self, map: &Map) -> f64 {
        let far = map.iter().flat_map(|row| row.last()).fold(self.size, |m, jet| m.max(jet.k[0].abs()));
        // A distant axis causes cancellation: its point is much larger than the position.
        let axis = match &self.motion {
            Motion::Chain(factors) => factors.iter().fold(0.0, |m: f64, f| match f {
                Factor::Helix { point, .. } => m.max(point.length()),
                Factor::Pose(..) => m,
            }),
            Motion::Deforms => 0.0,
        };
        4e-16 * (1.0 + 2.0 * self.size + far + axis)
    }
}

/// The positions of points at the middle of the map's time interval.
#[must_use]
pub fn placed(map: &Map, numbers: &[f64]) -> Vec<DVec3> {
    let columns = map[0].len() - 1;
    let place = |p: &[f64]| {
        DVec3::from(
            map.each_ref()
                .map(|row| row[columns].k[0] + p.iter().zip(row).map(|(x, jet)| x * jet.k[0]).sum::<f64>()),
        )
    };
    numbers.chunks_exact(columns).map(place).collect()
}

/// A rotation about a unit axis through a point, and a slide along it.
fn helix(axis: DVec3, point: DVec3, angle: Jet, slide: Jet) -> Map {
    let (s, c) = angle.k[0].sin_cos();
    let w = angle.k[1];
    let bend = 0.5 * w * w;
    let sin = Jet { k: [s, w * c, -bend * s], r: bend * w.abs() };
    let half = (0.5 * angle.k[0]).sin();
    let rest = Jet { k: [2.0 * half * half, w * s, bend * c], r: bend * w.abs() };
    let cross = |i: usize| -axis.cross(DVec3::AXES[i]); // Row i of the matrix of axis x.
    [0, 1, 2].map(|i| {
        let mut row: Vec<Jet> = (0..3)
            .map(|j| {
                let unit = if i == j { 1.0 } else { 0.0 };
                let turned = sin.scaled(cross(i)[j]).plus(rest.scaled(axis[i] * axis[j] - unit));
                Jet::fixed(unit).plus(turned)
            })
            .collect();
        // p - M p, without subtraction of large numbers.
        let mut last = slide.scaled(axis[i]);
        for j in 0..3 {
            let unit = if i == j { 1.0 } else { 0.0 };
            let turned = sin.scaled(cross(i)[j]).plus(rest.scaled(axis[i] * axis[j] - unit));
            last = last.plus(turned.scaled(-point[j]));
        }
        row.push(last);
        row
    })
}
