//! The distance of two convex shapes by the algorithm of Gilbert, Johnson and Keerthi (1988).
//!
//! The Minkowski difference of both shapes is convex, and its point nearest to the origin is the difference of the
//! nearest points. The search uses simplices of up to four support points. A support point proves a lower bound of
//! the distance, regardless of earlier rounding; the nearest point of a simplex proves an upper bound.

use glam::DVec3;

use crate::math::direction::unit_along;
use crate::math::simplex::nearest_weights;

/// The nearest points of two shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NearestPoints {
    /// Lower bound of the distance, up to the rounding of positions; not positive if no separation was proven.
    pub(crate) lower: f64,
    /// Upper bound of the distance; not positive if the shapes have a common point.
    pub(crate) upper: f64,
    /// Nearest points of the first and of the second shape; if the shapes have a common point, each of these points
    /// is in both.
    pub(crate) points: [DVec3; 2],
    /// The unit direction, from the first to the second shape, along which `lower` is proven.
    pub(crate) normal: DVec3,
}

/// Maximum number of steps; most shapes need 5 to 20.
const STEPS: usize = 48;

/// Points closer to each other than this fraction of the size count as equal.
const COMMON: f64 = 1e-14;

/// A point of the Minkowski difference, second minus first, with its two support points.
#[derive(Debug, Clone, Copy, PartialEq)]
struct MinkowskiPoint {
    w: DVec3,
    x: DVec3,
    y: DVec3,
}

/// The required accuracy of a distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GjkPrecision {
    /// As a fraction of the distance minus `ignored_below`.
    pub(crate) relative: f64,
    /// In metres; the larger of the two tolerances applies.
    pub(crate) absolute: f64,
    /// Distances below this need no accuracy, in metres: the sum of radii around the shapes.
    pub(crate) ignored_below: f64,
    /// The search stops once the distance is proven to exceed this, in metres.
    pub(crate) stop_above: f64,
}

/// The nearest points with the distance to the required accuracy, or a common point. `support` returns the support
/// points of the first shape along a unit vector and of the second shape against it. `towards` is the unit vector
/// tried first, or zero; `size` is the size of the first shape.
#[inline]
pub(crate) fn gjk(
    towards: DVec3,
    size: f64,
    required: GjkPrecision,
    support: impl Fn(DVec3) -> [DVec3; 2],
) -> NearestPoints {
    let corner = |n: DVec3| {
        let [x, y] = support(n);
        MinkowskiPoint { w: y - x, x, y }
    };
    let first = corner(if towards == DVec3::ZERO { DVec3::X } else { towards });
    let mut simplex = [first; 4];
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    let mut count = 1;
    let mut v = first.w;
    let mut best = NearestPoints {
        lower: f64::NEG_INFINITY,
        upper: v.length(),
        points: [first.x, first.y],
        normal: unit_along(v),
    };
    let scale = size + v.length();
    for _ in 0..STEPS {
        if best.lower > required.stop_above {
            break;
        }
        let n = unit_along(v);
        if n == DVec3::ZERO || best.upper <= f64::EPSILON * scale {
            best.upper = 0.0;
            break;
        }
        let next = corner(n);
        let gap = n.dot(next.w);
        if gap > best.lower {
            (best.lower, best.normal) = (gap, n);
        }
        let enough = (required.relative * (best.upper - required.ignored_below)).max(required.absolute);
        if best.upper - best.lower <= enough
            || best.upper < required.ignored_below
            || simplex[..count].iter().any(|corner| corner.w == next.w)
        {
            break;
        }
        simplex[count] = next;
        count += 1;
        let (found, inside) = nearest_weights(&simplex.map(|corner| corner.w), count);
        // Only corners with a positive weight are kept.
        let mut count_kept = 0;
        for i in 0..count {
            if found[i] > 0.0 {
                simplex[count_kept] = simplex[i];
                weights[count_kept] = found[i];
                count_kept += 1;
            }
        }
        count = count_kept;
        let sum = |part: fn(&MinkowskiPoint) -> DVec3| {
            simplex[..count]
                .iter()
                .zip(&weights)
                .map(|(corner, weight)| *weight * part(corner))
                .sum::<DVec3>()
        };
        let (x, y) = (sum(|c| c.x), sum(|c| c.y));
        if inside {
            // In a flat simplex the weights may have no correct digits.
            if x.distance(y) <= COMMON * scale {
                best.points = [x, y];
                best.upper = 0.0;
            }
            break;
        }
        v = sum(|c| c.w);
        let length = v.length();
        if length.is_nan() || length >= best.upper {
            break;
        }
        best.upper = length;
        best.points = [x, y];
    }
    best
}
