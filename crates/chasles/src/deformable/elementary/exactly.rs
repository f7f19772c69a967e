//! When two features first meet, decided by integer arithmetic.
//!
//! Two features are within a distance if some of their parts are: the interior of a face and a point, the interiors
//! of two edges, a point and an edge, or two points. For each pair of parts, the condition is a set of signs of
//! polynomials in time, of degree at most 6. When separated features first come within the distance, a pair of parts
//! does, so its polynomial is zero there. The search examines the zeros at which the other conditions hold.
//!
//! A degenerate part gives no information; then its boundary parts decide.

use std::cell::OnceCell;
use std::cmp::Ordering;

use glam::DVec3;

use crate::deformable::elementary::features::{MovingFeatures, MovingKind};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::exact_time::ExactTime;
use crate::math::polynomial::Polynomial;
use crate::math::whole::WholeUnit;

/// Enclosures are at most 2^-`TIME_BITS` wide, apart from rounding.
const TIME_BITS: u64 = 60;

/// Parts of two features that may be within the distance of each other; w leads from one to the other.
pub(in crate::deformable) enum FeatureParts {
    /// A point and the interior of a face; w leads from a corner of the face to the point.
    Face {
        w: Vector,
        sides: [Vector; 2],
        normal: Vector,
    },
    /// The interiors of two edges; w leads from the start of the first to the start of the second. The normal is
    /// perpendicular to both edges.
    Edges {
        w: Vector,
        sides: [Vector; 2],
        normal: Vector,
    },
    /// A point and the interior of an edge; w leads from the start of the edge to the point.
    Edge {
        w: Vector,
        side: Vector,
    },
    Points {
        w: Vector,
    },
}

/// A moving vector.
#[derive(Debug, Clone)]
pub(in crate::deformable) struct Vector([Polynomial; 3]);

impl Vector {
    fn to(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| &other.0[i] - &self.0[i]))
    }

    fn dot(&self, other: &Self) -> Polynomial {
        let [x, y, z] = [0, 1, 2].map(|i| &self.0[i] * &other.0[i]);
        &(&x + &y) + &z
    }

    fn cross(&self, other: &Self) -> Self {
        Self([(1, 2), (2, 0), (0, 1)].map(|(i, j)| &(&self.0[i] * &other.0[j]) - &(&self.0[j] * &other.0[i])))
    }
}

/// The problem in integers.
pub(in crate::deformable) struct IntegerProblem {
    kind: MovingKind,
    points: [Vector; 4],
    /// The interiors of both features, or of the face and the point.
    pub(in crate::deformable) inside: FeatureParts,
    /// Their boundary parts, which are rarely needed.
    border: OnceCell<Vec<FeatureParts>>,
    /// The squared distance; `None` if the features must share a point.
    reach: Option<Polynomial>,
}

/// An enclosure of the time at which two features first come within a nonnegative distance; [0, 0] at the start, and
/// `None` if they never do. All numbers are finite.
pub(in crate::deformable) fn first_contact(
    features: &MovingFeatures,
    distance: f64,
    budget: &mut Budget<'_>,
) -> Result<Option<[f64; 2]>, OutOfBudget> {
    let problem = IntegerProblem::new(features, distance);
    // Features with a common point are coplanar.
    let mut start = ExactTime::start();
    let may_meet =
        problem.reach.is_some() || start.sign_of(&problem.crossing(&problem.inside), budget)?.is_eq();
    if may_meet {
        for part in problem.parts() {
            if problem.is_within_distance(part, &mut start, budget)? {
                return Ok(Some([0.0; 2]));
            }
        }
    }
    let mut first: Option<[f64; 2]> = None;
    for part in problem.parts() {
        let crossing = problem.crossing(part);
        for mut time in crossing.zeros(budget)? {
            let [lo, hi] = time.enclosure(TIME_BITS, budget)?;
            if first.is_some_and(|first| first[1] <= lo) {
                break;
            }
            if problem.is_contact_at_zero(part, &mut time, budget)? {
                first = Some(first.map_or([lo, hi], |first| [first[0].min(lo), first[1].min(hi)]));
                break;
            }
        }
        // Features that share a point are coplanar: unless they are coplanar at all times, the other parts are not
        // needed.
        if problem.reach.is_none()
            && matches!(part, FeatureParts::Face { .. } | FeatureParts::Edges { .. })
            && !crossing.is_zero()
        {
            break;
        }
    }
    Ok(first)
}

impl IntegerProblem {
    pub(in crate::deformable) fn new(features: &MovingFeatures, distance: f64) -> Self {
        let unit = unit_of(features, distance);
        let points: [Vector; 4] = std::array::from_fn(|i| moving(unit, features.start[i], features.end[i]));
        let [a, b, c, d] = &points;
        let inside = match features.kind {
            MovingKind::VertexFace => {
                let [e, f] = [b.to(c), b.to(d)];
                FeatureParts::Face { w: b.to(a), normal: e.cross(&f), sides: [e, f] }
            }
            MovingKind::EdgeEdge => {
                let [e, f] = [a.to(b), c.to(d)];
                FeatureParts::Edges { w: a.to(c), normal: e.cross(&f), sides: [e, f] }
            }
        };
        let reach = (distance > 0.0).then(|| {
            let distance = unit.number(distance);
            Polynomial::constant(&distance * &distance)
        });
        Self { kind: features.kind, points, inside, border: OnceCell::new(), reach }
    }

    /// All parts, the interiors first.
    pub(in crate::deformable) fn parts(&self) -> impl Iterator<Item = &FeatureParts> {
        // The boundary parts are computed on first use.
        std::iter::once(&self.inside).chain((0..).map_while(|i| self.border().get(i)))
    }

    fn border(&self) -> &[FeatureParts] {
        self.border.get_or_init(|| {
            let [a, b, c, d] = &self.points;
            let edge = |from: &Vector, to: &Vector, point: &Vector| FeatureParts::Edge {
                w: from.to(point),
                side: from.to(to),
            };
            let between = |p: &Vector, q: &Vector| FeatureParts::Points { w: p.to(q) };
            match self.kind {
                MovingKind::VertexFace => {
                    let sides = [edge(b, c, a), edge(c, d, a), edge(d, b, a)];
                    sides.into_iter().chain([b, c, d].map(|corner| between(corner, a))).collect()
                }
                MovingKind::EdgeEdge => {
                    let edges = [edge(c, d, a), edge(c, d, b), edge(a, b, c), edge(a, b, d)];
                    let ends = [between(a, c), between(a, d), between(b, c), between(b, d)];
                    edges.into_iter().chain(ends).collect()
                }
            }
        })
    }

    /// A polynomial that is zero when the parts first come within the distance, unless it is identically zero.
    pub(in crate::deformable) fn crossing(&self, part: &FeatureParts) -> Polynomial {
        let first_of = |v: Vector| {
            let [x, y, z] = v.0;
            if !x.is_zero() {
                x
            } else if !y.is_zero() {
                y
            } else {
                z
            }
        };
        match (part, &self.reach) {
            (FeatureParts::Face { w, normal, .. } | FeatureParts::Edges { w, normal, .. }, None) => {
                normal.dot(w)
            }
            (FeatureParts::Face { w, normal, .. } | FeatureParts::Edges { w, normal, .. }, Some(reach)) => {
                let height = normal.dot(w);
                &(reach * &normal.dot(normal)) - &(&height * &height)
            }
            (FeatureParts::Edge { w, side }, None) => first_of(side.cross(w)),
            (FeatureParts::Edge { w, side }, Some(reach)) => {
                let across = side.cross(w);
                &(reach * &side.dot(side)) - &across.dot(&across)
            }
            (FeatureParts::Points { w }, None) => first_of(w.clone()),
            (FeatureParts::Points { w }, Some(reach)) => reach - &w.dot(w),
        }
    }

    /// Whether the parts are within the distance at a time at which their own polynomial is zero.
    fn is_contact_at_zero(
        &self,
        part: &FeatureParts,
        time: &mut ExactTime,
        budget: &mut Budget<'_>,
    ) -> Result<bool, OutOfBudget> {
        let has_normal = matches!(part, FeatureParts::Face { .. } | FeatureParts::Edges { .. });
        if !has_normal && self.reach.is_none() {
            return self.is_within_distance(part, time, budget);
        }
        if is_over(part, time, budget)? {
            return Ok(true);
        }
        // Coplanar, but perhaps degenerate: then the boundary parts decide.
        if self.reach.is_none() {
            for part in self.border() {
                if self.is_within_distance(part, time, budget)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether the parts are within the distance.
    pub(in crate::deformable) fn is_within_distance(
        &self,
        part: &FeatureParts,
        time: &mut ExactTime,
        budget: &mut Budget<'_>,
    ) -> Result<bool, OutOfBudget> {
        let is_near = match (part, &self.reach) {
            (FeatureParts::Edge { w, side }, None) => is_zero_vector(&side.cross(w), time, budget)?,
            (FeatureParts::Points { w }, None) => is_zero_vector(w, time, budget)?,
            (FeatureParts::Face { .. } | FeatureParts::Edges { .. }, None) => {
                time.sign_of(&self.crossing(part), budget)? == Ordering::Equal
            }
            (_, Some(_)) => time.sign_of(&self.crossing(part), budget)? != Ordering::Less,
        };
        Ok(is_near && is_over(part, time, budget)?)
    }
}

/// Whether the parts are not degenerate, and the nearest points of their lines and planes lie in the parts.
fn is_over(part: &FeatureParts, time: &mut ExactTime, budget: &mut Budget<'_>) -> Result<bool, OutOfBudget> {
    // The weights of the points, times `whole`, and the rest.
    let whole = match part {
        FeatureParts::Face { normal, .. } | FeatureParts::Edges { normal, .. } => normal.dot(normal),
        FeatureParts::Edge { side, .. } => side.dot(side),
        FeatureParts::Points { .. } => return Ok(true),
    };
    let mut is_inside = |weight: &Polynomial| -> Result<bool, OutOfBudget> {
        Ok(time.sign_of(weight, budget)? != Ordering::Less)
    };
    let is_within = match part {
        FeatureParts::Face { w, sides: [e, f], normal } => {
            let first = w.cross(f).dot(normal);
            is_inside(&first)? && {
                let second = e.cross(w).dot(normal);
                is_inside(&second)? && is_inside(&(&(&whole - &first) - &second))?
            }
        }
        FeatureParts::Edges { w, sides: [e, f], normal } => {
            let first = w.cross(f).dot(normal);
            is_inside(&first)? && is_inside(&(&whole - &first))? && {
                let second = w.cross(e).dot(normal);
                is_inside(&second)? && is_inside(&(&whole - &second))?
            }
        }
        FeatureParts::Edge { w, side } => {
            let weight = side.dot(w);
            is_inside(&weight)? && is_inside(&(&whole - &weight))?
        }
        FeatureParts::Points { .. } => true,
    };
    Ok(is_within && time.sign_of(&whole, budget)? == Ordering::Greater)
}

fn is_zero_vector(v: &Vector, time: &mut ExactTime, budget: &mut Budget<'_>) -> Result<bool, OutOfBudget> {
    for component in &v.0 {
        if time.sign_of(component, budget)? != Ordering::Equal {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The unit of all lengths.
fn unit_of(features: &MovingFeatures, distance: f64) -> WholeUnit {
    let all = features.start.iter().chain(&features.end).flat_map(|p| p.to_array());
    WholeUnit::of(all.chain([distance]))
}

/// A moving point.
fn moving(unit: WholeUnit, start: DVec3, end: DVec3) -> Vector {
    Vector(std::array::from_fn(|i| {
        let (from, to) = (unit.number(start[i]), unit.number(end[i]));
        let displacement = to - &from;
        Polynomial::line(from, displacement)
    }))
}
